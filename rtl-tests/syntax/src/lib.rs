//! A parser of all of IEEE 1800-2017 reads every snapshot of emitted SystemVerilog.
//!
//! A package of its own: nothing else waits for the parser, whose build takes longer than the compiler's.

/// Unoptimised, the parser's frames are large.
#[cfg(test)]
const STACK: usize = 256 << 20;

#[cfg(test)]
fn parse(path: &std::path::Path) {
    let (defines, includes) = (sv_parser::Defines::new(), [""; 0]);
    sv_parser::parse_sv(path, &defines, &includes, false, false)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

#[test]
fn every_snapshot_parses() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/snapshots");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let paths: Vec<_> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "sv"))
        .collect();
    assert!(paths.len() > 10, "the snapshots are gone");
    for path in paths {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let parsing = thread.spawn(move || parse(&path)).expect("a thread");
        parsing.join().expect("it parses");
    }
}
