//! Packages in folders, as the tests use them.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Target};
use allo_hls::package::{self, Format, Vectors};
use allo_hls::rtl;
use allo_hls::rtl::axi::Options;
use std::path::Path;

/// Writes the package of a kernel with a block around it; the invocations of its tests.
pub fn write(
    folder: &Path,
    format: Format,
    text: &str,
    top: &str,
    options: &Options,
    invocations: usize,
) -> Vectors {
    let mut sources = SourceMap::default();
    let id = sources.add(format!("{top}.py"), text);
    let mut target = Target::new("ecp5", 10.0).expect("a built-in device");
    target.aim.partition_args = false;
    let compiled = driver::compile(&mut sources, id, Some(top), &target)
        .unwrap_or_else(|e| panic!("{}", e.render(&sources, false)));
    let (design, manifest) = compiled.around(options).unwrap_or_else(|e| panic!("{e}"));
    let vectors = package::vectors(&compiled.program, invocations, 1);
    let text = rtl::systemverilog::print(&design);
    for (path, text) in package::files(format, &manifest, &text, &vectors) {
        let path = folder.join(path);
        let written = std::fs::create_dir_all(path.parent().unwrap_or(folder))
            .and_then(|()| std::fs::write(&path, text));
        written.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    vectors
}
