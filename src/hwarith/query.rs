//! The result type of an operation given by names: what `allo-hls typeof --style hwarith` answers.

use super::infer::{RULES, common};
use super::types::{HwType, width_named};

/// The result type of `op` on operands of the types, such as `add` on `ui3` and `si4`, and the rule in
/// words. `cast` takes the operand's type and the one wanted, of which one may be signless (`i7`).
///
/// # Errors
/// What is wrong with the operation or the types, for the user.
pub fn type_of(op: &str, types: &[&str]) -> Result<(String, String), String> {
    if op == "cast" {
        return cast(types);
    }
    let Some((name, rule, text)) = RULES.iter().find(|rule| rule.0 == op) else {
        let names: Vec<&str> = RULES.iter().map(|rule| rule.0).chain(["cast"]).collect();
        return Err(format!(
            "there is no hwarith operation '{op}'; there are {}",
            names.join(", ")
        ));
    };
    let [a, b] = operands(op, types)?;
    let [a, b] = [sign_aware(a)?, sign_aware(b)?];
    let result = rule(a, b);
    let mut text = format!("{name}({a}, {b}): {text}");
    if *name == "icmp" {
        text = format!("{text}, {}", common(a, b));
    }
    Ok((result.to_string(), format!("{text}; {result}")))
}

fn operands<'t>(op: &str, types: &[&'t str]) -> Result<[&'t str; 2], String> {
    types
        .try_into()
        .map_err(|_| format!("'{op}' takes 2 types, but {} given", types.len()))
}

fn sign_aware(name: &str) -> Result<HwType, String> {
    HwType::named(name)
        .ok_or_else(|| format!("'{name}' is not a type: write ui<width> or si<width>, such as ui3"))
}

/// An operand of a cast: with a sign, or signless.
fn signless_width(name: &str) -> Option<u32> {
    name.strip_prefix('i').and_then(width_named)
}

fn cast(types: &[&str]) -> Result<(String, String), String> {
    let [from, to] = operands("cast", types)?;
    let text = match (signless_width(from), signless_width(to)) {
        (Some(_), Some(_)) => return Err("a cast needs a type with a sign on one side".into()),
        (Some(a), None) => {
            let target = sign_aware(to)?;
            if target.width > a {
                return Err(format!(
                    "{from} cannot be extended to {to}: a signless type does not say how"
                ));
            }
            "truncation"
        }
        (None, b) => {
            let source = sign_aware(from)?;
            let width = match b {
                Some(width) => width,
                None => sign_aware(to)?.width,
            };
            match (width < source.width, source.signed) {
                (true, _) => "truncation",
                (false, true) => "sign extension, by the operand's type",
                (false, false) => "zero extension, by the operand's type",
            }
        }
    };
    Ok((to.to_owned(), format!("cast({from}) to {to}: {text}; {to}")))
}

#[cfg(test)]
mod tests {
    use super::type_of;

    fn show(op: &str, types: &str) -> String {
        let types: Vec<&str> = types.split_whitespace().collect();
        type_of(op, &types).map_or_else(|e| e, |answer| answer.0)
    }

    #[test]
    fn every_example_of_the_rationale() {
        let examples = [
            ("add", "ui3 ui4", "ui5"),
            ("add", "si3 si3", "si4"),
            ("add", "ui3 si4", "si5"),
            ("add", "si4 ui6", "si8"),
            ("sub", "ui3 ui4", "si5"),
            ("sub", "si3 si3", "si4"),
            ("sub", "ui3 si4", "si5"),
            ("sub", "si4 ui6", "si8"),
            ("mul", "ui3 ui4", "ui7"),
            ("mul", "si3 si3", "si6"),
            ("mul", "si3 ui5", "si8"),
            ("div", "ui3 ui4", "ui3"),
            ("div", "si3 si3", "si4"),
            ("div", "ui3 si4", "si4"),
            ("div", "si4 ui6", "si4"),
            ("cast", "ui3 si5", "si5"),
            ("cast", "si7 ui4", "ui4"),
            ("cast", "i7 si5", "si5"),
            ("cast", "si14 i4", "i4"),
            ("icmp", "si3 ui6", "ui1"),
        ];
        for (op, types, result) in examples {
            assert_eq!(show(op, types), result, "{op} {types}");
        }
    }

    #[test]
    fn questions_without_an_answer() {
        let questions = [
            ("add", "ui3", "'add' takes 2 types, but 1 given"),
            (
                "cast",
                "i3 ui4",
                "i3 cannot be extended to ui4: a signless type does not say how",
            ),
            (
                "add",
                "i3 ui4",
                "'i3' is not a type: write ui<width> or si<width>, such as ui3",
            ),
            (
                "add",
                "ui03 ui4",
                "'ui03' is not a type: write ui<width> or si<width>, such as ui3",
            ),
        ];
        for (op, types, message) in questions {
            assert_eq!(show(op, types), message, "{op} {types}");
        }
        assert!(show("concat", "ui3 ui3").starts_with("there is no hwarith operation 'concat'"));
    }
}
