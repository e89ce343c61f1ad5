//! The suite of real kernels: files in `kernels/`, with inputs and expected results from the models beside them.

use crate::tools;
use allo_hls::sim::args;
use allo_hls::sim::elements::Elements;
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::value::{Signature, Slot, Value};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// The collections, each a folder of kernels and a model of the same name.
pub const COLLECTIONS: [&str; 2] = ["polybench", "machsuite"];

/// A kernel with the arguments of one invocation and what a model in Python says about the results.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where the kernel is, from the folder of kernels.
    pub file: PathBuf,
    /// The kernel, with its template arguments.
    pub top: String,
    /// Largest deviation, relative to the largest magnitude of a result. 0: all results are equal.
    pub tolerance: f64,
    args: Json,
    want: Json,
}

/// The folder of kernels.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// The cases of a collection. Runs its model, which needs `python3` and nothing else.
pub fn cases(collection: &str) -> Vec<Case> {
    let python = tools::find("python3").expect("python3 is installed");
    let model = format!("{collection}.py");
    let said = tools::run(&folder().join("models"), &python, &["-B", &model])
        .unwrap_or_else(|error| panic!("{error}"));
    let Ok(Json::Array(list)) = serde_json::from_str(&said.stdout) else {
        panic!("{model} prints a list of cases");
    };
    list.iter()
        .map(|json| Case {
            file: Path::new(collection).join(format!("{}.py", text(&json["file"]))),
            top: text(&json["top"]),
            tolerance: json["tolerance"].as_f64().expect("a tolerance"),
            args: json["args"].clone(),
            want: json["want"].clone(),
        })
        .collect()
}

fn text(json: &Json) -> String {
    json.as_str().expect("a string").to_string()
}

impl Case {
    /// The kernel's text.
    pub fn source(&self) -> String {
        std::fs::read_to_string(folder().join(&self.file)).expect("the kernel is there")
    }

    /// The arguments as the command line reads them from a file.
    pub fn arguments(&self) -> String {
        self.args.to_string()
    }

    /// The arguments.
    pub fn invocation(&self, signature: &Signature) -> Result<Invocation, String> {
        let read = args::read_json(signature, &self.arguments());
        let mut list = read.map_err(|e| format!("{e:?}"))?;
        list.pop().ok_or_else(|| "no arguments".into())
    }

    /// Compares what a run left in the parameters and results with the model.
    pub fn judge(
        &self,
        signature: &Signature,
        params: &[Elements],
        results: &[Elements],
    ) -> Result<(), String> {
        let Json::Object(want) = &self.want else {
            return Err("the model gives no results".into());
        };
        for (name, want) in want {
            let mut slots = signature.params.iter().zip(params);
            let found = match name.as_str() {
                "result" => signature.results.iter().zip(results).next(),
                _ => slots.find(|(slot, _)| slot.name == *name),
            };
            let (slot, got) = found.ok_or_else(|| format!("there is no '{name}'"))?;
            let mut expected = Vec::new();
            numbers(want, &mut expected);
            self.close(slot, &expected, got)?;
        }
        Ok(())
    }

    fn close(&self, slot: &Slot, want: &[f64], got: &Elements) -> Result<(), String> {
        if want.len() != got.len() {
            return Err(format!("'{}' has {} elements", slot.name, got.len()));
        }
        let largest = want.iter().fold(0f64, |most, x| most.max(x.abs()));
        let mut elements = want.iter().zip(got.iter()).enumerate();
        let far = elements.find_map(|(at, (want, got))| {
            // A NaN is never near.
            let shown = number(slot, &got);
            let near = !got.tainted && (shown - want).abs() <= self.tolerance * largest;
            (!near).then(|| {
                format!(
                    "{}: want {want}, got {shown}{}",
                    slot.element_name(at),
                    if got.tainted { " (unspecified)" } else { "" }
                )
            })
        });
        far.map_or(Ok(()), Err)
    }
}

/// A value as the nearest double; exact for the integers of the suite.
fn number(slot: &Slot, value: &Value) -> f64 {
    match args::show(slot.ty, value, false) {
        Json::Number(number) => number.to_string().parse().unwrap_or(f64::NAN),
        Json::String(special) => special.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

fn numbers(json: &Json, out: &mut Vec<f64>) {
    match json {
        Json::Array(list) => list.iter().for_each(|item| numbers(item, out)),
        Json::Bool(b) => out.push(f64::from(u8::from(*b))),
        // Not `as_f64`: the digits are kept as they are written.
        Json::Number(n) => out.push(n.to_string().parse().unwrap_or(f64::NAN)),
        _ => out.push(f64::NAN),
    }
}
