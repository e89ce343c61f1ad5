//! Waveforms as FST, the format of GTKWave and Surfer, with signals named by the Python source: `sum@6` is the net
//! of a value that line 6 computes.

use crate::rtl::netlist::{Design, Item, Origin};
use crate::sim::rtl::{Signal, Simulator};
use fst_writer::{
    FstBodyWriter, FstFileType, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, open_fst,
};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// Shown names of nets, by module and name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    top: String,
    shown: HashMap<(String, String), String>,
    /// Module of each instance, by module and name.
    instances: HashMap<(String, String), String>,
}

impl Names {
    /// Names of a design's nets: `name@line` where the source line is known.
    pub fn of(design: &Design) -> Names {
        let mut names = Names::default();
        for (_, module) in design.modules.iter() {
            names.top.clone_from(&module.name);
            let mut add = |net: &str, origin: &Option<Origin>| {
                if let Some((_, line)) = origin.as_ref().and_then(|o| o.rsplit_once(':')) {
                    let key = (module.name.clone(), net.to_string());
                    names.shown.insert(key, format!("{net}@{line}"));
                }
            };
            for item in &module.items {
                match item {
                    Item::Assign { out, origin, .. } => add(&module.nets[*out].name, origin),
                    Item::Register(r) => add(&module.nets[r.out].name, &r.origin),
                    Item::Memory(memory) => {
                        for port in &memory.reads {
                            add(&module.nets[port.out].name, &memory.origin);
                        }
                    }
                    Item::Instance(instance) => {
                        let inner = design.modules[instance.module].name.clone();
                        let key = (module.name.clone(), instance.name.clone());
                        names.instances.insert(key, inner);
                    }
                    Item::Comment(_) => {}
                }
            }
        }
        names
    }

    fn shown<'a>(&'a self, module: &str, net: &'a str) -> &'a str {
        let key = (module.to_string(), net.to_string());
        self.shown.get(&key).map_or(net, String::as_str)
    }

    fn instance(&self, module: &str, name: &str) -> Option<&str> {
        let key = (module.to_string(), name.to_string());
        self.instances.get(&key).map(String::as_str)
    }
}

/// A scope of signals in the making; `S` says what a signal is.
#[derive(Default)]
struct Scope<S> {
    signals: Vec<(String, u32, S)>,
    inner: BTreeMap<String, Scope<S>>,
}

impl<S: Copy> Scope<S> {
    fn add(&mut self, path: &[&str], width: u32, signal: S) {
        match path {
            [] => {}
            [name] => self.signals.push((name.to_string(), width, signal)),
            [scope, rest @ ..] => {
                let inner = self.inner.entry(scope.to_string());
                let inner = inner.or_insert_with(|| Scope {
                    signals: Vec::new(),
                    inner: BTreeMap::new(),
                });
                inner.add(rest, width, signal);
            }
        }
    }

    /// Declares the scope; gives the handle of each signal.
    fn write(
        &self,
        name: &str,
        module: Option<&str>,
        names: &Names,
        out: &mut fst_writer::FstHeaderWriter<BufWriter<File>>,
        ids: &mut Vec<(S, FstSignalId)>,
    ) -> Result<(), fst_writer::FstWriteError> {
        out.scope(name, module.unwrap_or_default(), FstScopeType::Module)?;
        for (net, width, signal) in &self.signals {
            let shown = module.map_or(net.as_str(), |module| names.shown(module, net));
            let id = out.var(
                shown,
                FstSignalType::bit_vec(*width),
                FstVarType::Logic,
                FstVarDirection::Implicit,
                None,
            )?;
            ids.push((*signal, id));
        }
        for (name, scope) in &self.inner {
            let inner = match module {
                Some(module) => names.instance(module, name),
                None => (*name == "dut").then_some(names.top.as_str()),
            };
            scope.write(name, inner, names, out, ids)?;
        }
        out.up_scope()
    }
}

fn info() -> FstInfo {
    FstInfo {
        start_time: 0,
        timescale_exponent: -9,
        version: format!("allo-hls {}", env!("CARGO_PKG_VERSION")),
        // The same run gives the same file.
        date: String::new(),
        file_type: FstFileType::Verilog,
    }
}

type Body = FstBodyWriter<BufWriter<File>>;

/// Writes what the in-process simulator does; times are half cycles.
pub struct Recorder {
    out: Body,
    signals: Vec<(Signal, FstSignalId)>,
    clock: FstSignalId,
    cycle: u64,
    error: Option<String>,
    bits: Vec<u8>,
}

impl Recorder {
    /// A new file.
    pub fn new(path: &Path, simulator: &Simulator, names: &Names) -> Result<Recorder, String> {
        let failed = |e: fst_writer::FstWriteError| format!("{}: {e}", path.display());
        let mut root = Scope {
            signals: Vec::new(),
            inner: BTreeMap::new(),
        };
        for (name, signal) in simulator.signals() {
            let path: Vec<&str> = name.split('.').collect();
            root.add(&path, signal.width(), Some(signal));
        }
        root.signals.push(("clock".into(), 1, None));
        create(path)?;
        let mut header = open_fst(path, &info()).map_err(failed)?;
        let mut ids = Vec::new();
        root.write(&names.top, Some(&names.top), names, &mut header, &mut ids)
            .map_err(failed)?;
        let clock = ids.iter().find(|(signal, _)| signal.is_none());
        let clock = clock.map(|(_, id)| *id).ok_or("no clock")?;
        Ok(Recorder {
            out: header.finish().map_err(failed)?,
            signals: ids
                .into_iter()
                .filter_map(|(s, id)| Some((s?, id)))
                .collect(),
            clock,
            cycle: 0,
            error: None,
            bits: Vec::new(),
        })
    }

    /// The values of one cycle, before its edge.
    pub fn sample(&mut self, simulator: &mut Simulator) {
        if let Err(error) = self.try_sample(simulator) {
            self.error.get_or_insert(error.to_string());
        }
        self.cycle += 1;
    }

    fn try_sample(&mut self, simulator: &mut Simulator) -> Result<(), fst_writer::FstWriteError> {
        self.out.time_change(2 * self.cycle)?;
        self.out.signal_change(self.clock, b"0")?;
        for (signal, id) in &self.signals {
            let words = simulator.words(*signal);
            self.bits.clear();
            for bit in (0..signal.width()).rev() {
                let word = words[bit as usize / 64];
                self.bits.push(b'0' + (word >> (bit % 64) & 1) as u8);
            }
            self.out.signal_change(*id, &self.bits)?;
        }
        self.out.time_change(2 * self.cycle + 1)?;
        self.out.signal_change(self.clock, b"1")
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), String> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.finish().map(|_| ()).map_err(|e| e.to_string()),
        }
    }
}

/// Says why a file cannot be written, which the writer does not.
fn create(path: &Path) -> Result<(), String> {
    let cannot = |e| format!("cannot write '{}': {e}", path.display());
    File::create(path).map(|_| ()).map_err(cannot)
}

/// Whether a file is to be VCD, by its name.
pub fn is_vcd(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "vcd")
}

/// Turns a VCD file of Verilator into FST, so that no version of Verilator needs zlib for it.
pub fn from_vcd(vcd: &Path, path: &Path, names: &Names) -> Result<(), String> {
    let file = File::open(vcd).map_err(|e| e.to_string())?;
    let mut parser = vcd::Parser::new(BufReader::new(file));
    let header = parser.parse_header().map_err(|e| e.to_string())?;
    let mut root = Scope {
        signals: Vec::new(),
        inner: BTreeMap::new(),
    };
    for item in &header.items {
        collect(item, &mut root);
    }
    let failed = |e: fst_writer::FstWriteError| format!("{}: {e}", path.display());
    create(path)?;
    let mut out = open_fst(path, &info()).map_err(failed)?;
    let mut ids = Vec::new();
    for (name, scope) in &root.inner {
        scope
            .write(name, None, names, &mut out, &mut ids)
            .map_err(failed)?;
    }
    let mut of_code: HashMap<vcd::IdCode, Vec<FstSignalId>> = HashMap::new();
    for (code, id) in ids {
        of_code.entry(code).or_default().push(id);
    }
    let mut body = out.finish().map_err(failed)?;
    let mut bits: Vec<u8> = Vec::new();
    for command in parser {
        let code = match command.map_err(|e| e.to_string())? {
            vcd::Command::Timestamp(time) => {
                body.time_change(time).map_err(failed)?;
                continue;
            }
            vcd::Command::ChangeScalar(code, value) => {
                bits.clear();
                bits.push(symbol(value));
                code
            }
            vcd::Command::ChangeVector(code, values) => {
                bits.clear();
                bits.extend(values.iter().map(symbol));
                code
            }
            _ => continue,
        };
        for id in of_code.get(&code).into_iter().flatten() {
            body.signal_change(*id, &bits).map_err(failed)?;
        }
    }
    body.finish().map(|_| ()).map_err(failed)
}

fn symbol(value: vcd::Value) -> u8 {
    match value {
        vcd::Value::V0 => b'0',
        vcd::Value::V1 => b'1',
        vcd::Value::X => b'x',
        vcd::Value::Z => b'z',
    }
}

fn collect(item: &vcd::ScopeItem, into: &mut Scope<vcd::IdCode>) {
    match item {
        vcd::ScopeItem::Scope(scope) => {
            let inner = into.inner.entry(scope.identifier.clone());
            let inner = inner.or_insert_with(|| Scope {
                signals: Vec::new(),
                inner: BTreeMap::new(),
            });
            for item in &scope.items {
                collect(item, inner);
            }
        }
        vcd::ScopeItem::Var(var) => into.add(&[&var.reference], var.size, var.code),
        _ => {}
    }
}
