//! Kernels that a running program holds: a stand-in for one answers for their names.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::hosted::{self, Attributes, Definition, Found, Holder, Stated};
use allo_hls::frontend::schedule::held::{self, Held};
use allo_hls::frontend::{Compiled, given};
use allo_hls::ir::print;
use pyeval::{Args, Value};

/// Where the functions stand is no matter: in another function here.
const TEXT: &str = r#"
def around():
    @kernel
    def inner(x: i32) -> i32:
        return x * amount

    @kernel(T, N)
    def top(x: "T[N]", out: T[N]):
        amount: T = 1
        for i in range(N):
            out[i] = inner(x[i]) + amount + square(3)
"#;

/// `top` is kernel 0; `inner` becomes kernel 1 when `top` is found to use it.
struct Stub {
    known: usize,
    templates: Vec<Value>,
    bound: Vec<Value>,
}

impl Stub {
    fn new() -> Stub {
        Stub {
            known: 1,
            templates: ["T", "N"].map(given::template).to_vec(),
            bound: vec![given::read_type("i16").unwrap(), Value::Int(4.into())],
        }
    }
}

impl Holder for Stub {
    fn known(&self) -> usize {
        self.known
    }

    fn definition(&mut self, kernel: usize) -> Result<Definition, String> {
        let (line, name) = [(7, "top"), (3, "inner")][kernel];
        Ok(Definition {
            annotations: Vec::new(),
            file: "held.py".into(),
            text: TEXT.into(),
            line,
            name: name.into(),
            decorator: Stated {
                templates: match kernel {
                    0 => self.templates.clone(),
                    _ => Vec::new(),
                },
                ..Stated::default()
            },
        })
    }

    fn value(&mut self, kernel: usize, name: &str, _: &Attributes) -> Option<Found> {
        match (kernel, name) {
            (0, "T") => Some(Ok(self.templates[0].clone())),
            (0, "N") => Some(Ok(self.templates[1].clone())),
            (0, "inner") => {
                self.known = 2;
                Some(given::kernel(1, &[]))
            }
            (0, "square") => Some(Err("it is not for kernels".into())),
            (1, "amount") => Some(Ok(Value::Int(5.into()))),
            _ => given::read_type(name).map(Ok),
        }
    }

    fn bindings(&mut self) -> Vec<Value> {
        self.bound.clone()
    }
}

fn compile(make: impl FnOnce() -> Stub + Send) -> Result<Compiled, String> {
    let mut sources = SourceMap::default();
    let compiled = hosted::compile(&mut sources, make, false);
    compiled.map_err(|errors| errors.render(&sources, false))
}

/// The names that a function binds itself are not asked for: `amount` means 5 to `inner` alone.
#[test]
fn names_are_asked_of_the_holder_and_errors_have_its_lines() {
    let shown = compile(Stub::new).unwrap_err();
    let message =
        "held.py:11:45: error: 'square' has no value at compile time: it is not for kernels";
    assert!(shown.starts_with(message), "{shown}");
    assert!(shown.contains("11 |             out[i] = inner"), "{shown}");
}

#[test]
fn templates_have_to_be_bound() {
    let unbound = || Stub {
        bound: Vec::new(),
        ..Stub::new()
    };
    let shown = compile(unbound).unwrap_err();
    assert!(
        shown.contains("kernel 'top' has unbound templates: T, N"),
        "{shown}"
    );
}

/// One whose text has no word of what is missing.
struct Whole(Stub);

impl Holder for Whole {
    fn known(&self) -> usize {
        self.0.known()
    }
    fn definition(&mut self, kernel: usize) -> Result<Definition, String> {
        let definition = self.0.definition(kernel)?;
        Ok(Definition {
            text: TEXT.replace(" + square(3)", ""),
            ..definition
        })
    }
    fn value(&mut self, kernel: usize, name: &str, attributes: &Attributes) -> Option<Found> {
        self.0.value(kernel, name, attributes)
    }
    fn bindings(&mut self) -> Vec<Value> {
        self.0.bindings()
    }
}

#[test]
fn kernels_that_a_kernel_reaches_are_compiled_with_it() {
    let mut sources = SourceMap::default();
    let compiled = hosted::compile(&mut sources, || Whole(Stub::new()), false);
    let compiled = compiled.unwrap();
    let program = &compiled.program;
    let names = program.kernels.values().map(|kernel| kernel.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["inner", "top_i16_4"]);
    let text = print::print(program, Some(&sources));
    assert!(text.contains("const 5  // held.py:5"), "{text}");

    // A schedule of it is data between calls.
    let mut schedule = Held::new(&compiled, 0);
    let call = |schedule: &mut Held, method: &str, name: &str| {
        schedule.open(|open| {
            let args = Args {
                positional: vec![Value::str(name)],
                named: Vec::new(),
                span: Default::default(),
            };
            let result = open.call(&sources, method, &args);
            result.map(|value| held::part_of(&value).map(|part| part.name().to_owned()))
        })
    };
    assert_eq!(
        call(&mut schedule, "loop", "i").unwrap().as_deref(),
        Some("i")
    );
    assert_eq!(call(&mut schedule, "pipeline", "i").unwrap(), None);
    assert_eq!(schedule.directives().unwrap().len(), 1);
    let wrong = call(&mut schedule, "loop", "j").unwrap_err();
    assert_eq!((wrong.code, wrong.span), ("E0801", None));
    // It is what it was.
    assert_eq!(schedule.directives().unwrap().len(), 1);
}

#[test]
fn a_text_that_has_changed_is_refused() {
    struct Changed(Stub);
    impl Holder for Changed {
        fn known(&self) -> usize {
            1
        }
        fn definition(&mut self, kernel: usize) -> Result<Definition, String> {
            let definition = self.0.definition(kernel)?;
            Ok(Definition {
                text: format!("\n{TEXT}"),
                ..definition
            })
        }
        fn value(&mut self, _: usize, _: &str, _: &Attributes) -> Option<Found> {
            None
        }
        fn bindings(&mut self) -> Vec<Value> {
            Vec::new()
        }
    }
    let mut sources = SourceMap::default();
    let errors = hosted::compile(&mut sources, || Changed(Stub::new()), false).unwrap_err();
    assert_eq!(errors.0[0].code, "E0703");
}
