//! Folders that bring a block to its users: text, manifest, drivers, register description, tests, and what a tool
//! wants.
//!
//! Everything but the SystemVerilog follows from the manifest of the block; files are texts by their path in the
//! folder.

mod bench;
mod driver;
mod formats;
mod ipxact;
mod registers;

pub use bench::{Vectors, vectors};

use crate::rtl::interface::block::BlockManifest;

/// For which tool a folder is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SystemVerilog and tests.
    Verilog,
    /// IEEE 1685-2014 and Vivado.
    Ipxact,
    /// FuseSoC.
    Fusesoc,
    /// LiteX.
    Litex,
}

/// A file: its path in the folder, and its text.
pub type File = (String, String);

/// The files of a folder, in order of their paths.
pub fn files(format: Format, manifest: &BlockManifest, text: &str, vectors: &Vectors) -> Vec<File> {
    let name = &manifest.module;
    let mut files = vec![
        (format!("rtl/{name}.sv"), text.to_string()),
        ("manifest.json".into(), manifest.to_json()),
    ];
    files.extend(driver::files(manifest));
    files.extend(bench::files(manifest, vectors));
    if manifest.control.is_some() {
        files.push((format!("{name}.rdl"), registers::systemrdl(manifest)));
    }
    files.extend(match format {
        Format::Verilog => Vec::new(),
        Format::Ipxact => ipxact::files(manifest),
        Format::Fusesoc => vec![(format!("{name}.core"), formats::fusesoc(manifest))],
        Format::Litex => vec![(format!("{name}_litex.py"), formats::litex(manifest))],
    });
    files.sort();
    files
}

/// A template with `@key@` replaced.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = template.to_string();
    for (key, value) in values {
        text = text.replace(&format!("@{key}@"), value);
    }
    text
}

/// `saxpy_f32` as a name of a class: `SaxpyF32`.
fn class(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let class: String = words.map(capital).collect();
    if class.starts_with(|c: char| c.is_ascii_alphabetic()) {
        class
    } else {
        format!("Block{class}")
    }
}
