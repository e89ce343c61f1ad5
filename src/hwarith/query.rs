//! The result type of an operation given by names: what `allo-hls typeof --style hwarith` answers.

use super::graph::{Op, PLAIN, Predicate, infer_type};
use super::infer::{RULES, common};
use super::types::{HwType, width_named};

/// Operations beside those of [`RULES`]: name, what it is given, its rule in words.
const OTHERS: &[(&str, &str, &str)] = &[
    (
        "add",
        "2 types or more",
        "the widest term and ceil(log2 n) bits, an unsigned term beside a signed one counting a bit more",
    ),
    ("and", "2 types", "the common type"),
    ("or", "2 types", "the common type"),
    ("xor", "2 types", "the common type"),
    ("not", "1 type", "the operand's type"),
    (
        "shl",
        "2 types, the second unsigned",
        "the first operand's type",
    ),
    (
        "shr",
        "2 types, the second unsigned",
        "the first operand's type",
    ),
    (
        "mux",
        "3 types, the first ui1",
        "the common type of the others",
    ),
    (
        "concat",
        "1 type or more",
        "unsigned, the sum of the widths",
    ),
];

/// The result type of `op` on operands of the types, such as `add` on `ui3` and `si4`, and the rule in
/// words. `cast` takes the operand's type and the one wanted, of which one may be signless (`i7`); `extract` too, with
/// `from` and the lowest bit before them unless that is 0; `icmp` may have its predicate before the types.
///
/// # Errors
/// What is wrong with the operation or the types, for the user.
pub fn type_of(op: &str, types: &[&str]) -> Result<(String, String), String> {
    let is_predicate = |word: &&str| Predicate::ALL.iter().any(|p| p.name() == *word);
    let types = match (op, types) {
        ("cast", _) => return cast(types),
        ("extract", _) => return extract(types),
        ("icmp", [predicate, rest @ ..]) if is_predicate(predicate) => rest,
        _ => types,
    };
    let rule = RULES.iter().find(|rule| rule.0 == op);
    let other = OTHERS.iter().find(|other| other.0 == op);
    let (name, rule, text) = match (rule, other) {
        (None, None) => return Err(unknown(op)),
        (Some(rule), None) => rule,
        (Some(rule), Some(_)) if types.len() == 2 => rule,
        (_, Some((_, given, text))) => return inferred(op, types, given, text),
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

fn unknown(op: &str) -> String {
    let rules = RULES.iter().map(|rule| rule.0);
    let others = OTHERS.iter().map(|other| other.0).filter(|n| *n != "add");
    let names: Vec<&str> = rules.chain(others).chain(["extract", "cast"]).collect();
    format!(
        "there is no hwarith operation '{op}'; there are {}",
        names.join(", ")
    )
}

/// The answer of [`infer_type`].
fn inferred(op: &str, types: &[&str], given: &str, text: &str) -> Result<(String, String), String> {
    let operands: Vec<HwType> = types
        .iter()
        .map(|name| sign_aware(name))
        .collect::<Result<_, _>>()?;
    let plain = PLAIN.iter().find(|(name, _)| *name == op);
    let plain = plain.map_or(Op::Add, |(_, op)| op.clone());
    let result = infer_type(&plain, &operands)
        .ok_or_else(|| format!("'{op}' takes {given}, not ({})", types.join(", ")))?;
    let text = format!("{op}({}): {text}; {result}", types.join(", "));
    Ok((result.to_string(), text))
}

/// `from 1 ui5 ui3`: the operand's type and the one wanted.
fn extract(types: &[&str]) -> Result<(String, String), String> {
    let (low, types) = match types {
        ["from", low, rest @ ..] => {
            let low = low.parse::<u32>();
            (
                low.map_err(|_| "a bit's number follows 'from'".to_string())?,
                rest,
            )
        }
        _ => (0, types),
    };
    let [from, to] = operands("extract", types)?;
    let (source, target) = (sign_aware(from)?, sign_aware(to)?);
    if target.signed {
        return Err(format!(
            "bits of a value are unsigned: {to} cannot be extracted"
        ));
    }
    match low.checked_add(target.width) {
        Some(end) if end <= source.width => {
            let text = format!("extract from {low} of {from}: the stated type; {to}");
            Ok((to.to_owned(), text))
        }
        _ => Err(format!(
            "{from} has no {} bits from bit {low} on",
            target.width
        )),
    }
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
            ("add", "ui3", "'add' takes 2 types or more, not (ui3)"),
            ("sub", "ui3", "'sub' takes 2 types, but 1 given"),
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
        assert!(show("rotate", "ui3 ui3").starts_with("there is no hwarith operation 'rotate'"));
        for (op, types) in [
            ("mux", "ui2 ui3 ui3"),
            ("mux", "ui1 ui3"),
            ("shl", "ui3 si3"),
            ("concat", ""),
            ("not", "ui3 ui3"),
            ("and", "ui3"),
            ("add", "ui3 x"),
            ("icmp", "lt ui3"),
            ("extract", "from 3 ui5 ui3"),
            ("extract", "from 1 ui5 si3"),
            ("extract", "from x ui5 ui3"),
            ("extract", "from 4294967295 ui5 ui3"),
        ] {
            let types: Vec<&str> = types.split_whitespace().collect();
            type_of(op, &types).expect_err(op);
        }
    }

    #[test]
    fn operations_of_any_number_of_operands() {
        let questions = [
            ("add", "ui3 ui4 ui4", "ui6"),
            ("add", "si6 si5 si4", "si8"),
            ("and", "ui3 si3", "si4"),
            ("xor", "ui1 ui1", "ui1"),
            ("not", "si4", "si4"),
            ("shl", "si5 ui2", "si5"),
            ("mux", "ui1 ui3 si4", "si4"),
            ("concat", "ui3 si4 ui1", "ui8"),
            ("icmp", "lt si3 ui5", "ui1"),
            ("extract", "from 1 si5 ui4", "ui4"),
            ("extract", "ui5 ui4", "ui4"),
        ];
        for (op, types, result) in questions {
            assert_eq!(show(op, types), result, "{op} {types}");
        }
    }
}
