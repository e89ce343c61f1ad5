//! The shipped examples, as the tests run them.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Compilation, Target};
use std::path::{Path, PathBuf};

/// An example and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Name of the file, without its ending.
    pub file: &'static str,
    /// The kernel.
    pub top: &'static str,
    /// Inputs to try.
    pub vectors: usize,
    /// The most cycles that an invocation may take at 100 MHz; `None`: the data decide.
    pub limit: Option<u64>,
}

const fn example(
    file: &'static str,
    top: &'static str,
    vectors: usize,
    limit: Option<u64>,
) -> Example {
    Example {
        file,
        top,
        vectors,
        limit,
    }
}

/// All of them, by file.
pub const EXAMPLES: &[Example] = &[
    example("called", "called", 12, Some(18)),
    example("choose", "choose", 40, Some(1)),
    example("clamp", "clamp", 40, Some(1)),
    example("classify", "classify", 40, Some(1)),
    example("count", "count", 20, None),
    example("dot_f8", "dot", 6, Some(400)),
    example("dot_i32", "dot", 12, Some(70)),
    example("fill", "fill", 12, Some(17)),
    example("fir", "fir", 8, Some(520)),
    example("histogram", "histogram", 6, Some(2310)),
    example("matmul_f32", "matmul", 2, Some(170_000)),
    example("matmul_i32", "matmul", 2, Some(33_500)),
    example("matmul_tile", "matmul", 2, Some(2_100)),
    example("mul96", "mul96", 12, Some(20)),
    example("prefix_sum", "prefix_sum", 12, Some(66)),
    example("quantise", "quantise", 12, Some(45)),
    example("saxpy_f32", "saxpy", 20, Some(36)),
    example("saxpy_i32", "saxpy", 20, Some(24)),
    example("scalar_add", "scalar_add", 40, Some(1)),
    example("sigmoid", "sigmoid", 12, Some(52)),
    example("softmax", "softmax", 8, Some(120)),
    example("vector_add", "vector_add", 12, Some(18)),
];

/// Where they are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// The example in a file.
pub fn find(file: &str) -> &'static Example {
    let mut examples = EXAMPLES.iter();
    examples.find(|e| e.file == file).expect("a listed example")
}

impl Example {
    /// Compiles it for a clock period in ns.
    pub fn compile(&self, period: f64) -> Compilation {
        let path = folder().join(format!("{}.py", self.file));
        let text = std::fs::read_to_string(&path).expect("the example is there");
        let mut sources = SourceMap::default();
        let id = sources.add(format!("examples/{}.py", self.file), text);
        let target = Target::new("ecp5", period).expect("a built-in device");
        driver::compile(&mut sources, id, Some(self.top), &target)
            .unwrap_or_else(|e| panic!("{}", e.render(&sources, false)))
    }
}
