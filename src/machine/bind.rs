//! Limits of operator modules that directives ask for: `--bind fmul_f32=4`.

use super::program::Program;
use crate::directives::Directive;
use crate::ir::FloatFormat;

/// Limits the instances of modules as directed.
///
/// Errors: a module that there is not, with those that there are; two limits of one.
pub fn bind(program: &mut Program, directives: &[Directive]) -> Result<(), String> {
    for directive in directives {
        let Directive::Bind { op, units } = directive else {
            continue;
        };
        limit(program, op, *units).map_err(|why| format!("{directive}: {why}"))?;
    }
    Ok(())
}

fn limit(program: &mut Program, op: &str, most: u32) -> Result<(), String> {
    let mut units = program.units.values_mut();
    let Some(unit) = units.find(|unit| unit.name == op || spoken(&unit.name) == op) else {
        let names = program.units.values().map(|unit| spoken(&unit.name));
        let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
        let others = match names.is_empty() {
            true => ", nor any other".into(),
            false => format!("; the operators are {}", names.join(", ")),
        };
        return Err(format!("there is no operator '{op}'{others}"));
    };
    match unit.most.replace(most) {
        Some(_) => Err("an earlier directive says something else of it".into()),
        None => Ok(()),
    }
}

/// A module's name with its types as the language calls them: `fmul_f32` for `fmul_e8f23`.
pub fn spoken(name: &str) -> String {
    let parts = name.split('_').map(|part| match format(part) {
        Some(format) => format.to_string(),
        None => part.to_string(),
    });
    parts.collect::<Vec<_>>().join("_")
}

/// The format that a part of a module's name says.
fn format(part: &str) -> Option<FloatFormat> {
    let (exp, frac) = part.strip_prefix('e')?.split_once('f')?;
    let (exp, frac) = (exp.parse().ok()?, frac.parse().ok()?);
    Some(FloatFormat { exp, frac })
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn formats_are_called_as_in_the_language() {
        let names = [
            ("fmul_e8f23", "fmul_f32"),
            ("fdiv_ftz_e5f10", "fdiv_ftz_f16"),
            ("fcvt_e8f7_e11f52", "fcvt_bf16_f64"),
            ("fadd_e6f9", "fadd_apfloat(6,9)"),
            ("div_ui32_ui32", "div_ui32_ui32"),
            ("ef_e_f", "ef_e_f"),
        ];
        for (name, expected) in names {
            assert_eq!(spoken(name), expected);
        }
    }
}
