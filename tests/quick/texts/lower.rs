//! The `ir` of the kernel that the first line names (`# top: name`), or of all that are not templates.

use super::{Answer, Case};
use crate::support;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::print::print;
use allo_hls::ir::validate::validate;

/// Names of the top-level kernels without templates, by their text.
fn kernels(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut decorated = false;
    for line in text.lines() {
        if line.starts_with('@') {
            decorated = line.contains("kernel") && !line.contains("kernel(T");
        } else if let Some(rest) = line.strip_prefix("def ") {
            if decorated {
                names.push(rest.split('(').next().unwrap_or_default());
            }
            decorated = false;
        }
    }
    names
}

pub fn answer(case: &Case) -> Answer {
    let (mut sources, file) = support::source(&case.name(), &case.text);
    if let Err(errors) = check(&mut sources, file) {
        return Err(errors.render(&sources, false));
    }
    let tops = match case.directive("top") {
        Some(top) => vec![top],
        None => kernels(&case.text),
    };
    let mut text = String::new();
    for top in tops {
        let compiled = compile(&mut sources, file, Some(top));
        let compiled = compiled.map_err(|errors| errors.render(&sources, false))?;
        validate(&compiled.program).map_err(|e| e.to_string())?;
        text += &print(&compiled.program, None);
    }
    Ok(text)
}
