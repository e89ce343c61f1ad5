//! The `match` statement.

use crate::equality::hashable;
use crate::error::{Problem, fail};
use crate::operators::{compare_pair, truth};
use crate::types::is_instance;
use crate::value::{Flow, Names, Result, Value};
use diagnostics::Span;
use ruff_python_ast::{self as ast, CmpOp, Identifier, Pattern, Singleton};
use ruff_text_size::Ranged;

/// Runs the first case that matches.
pub fn exec_match(s: &ast::StmtMatch, names: &mut dyn Names) -> Result<Flow> {
    let subject = names.eval(&s.subject)?;
    for case in &s.cases {
        if !matches(&case.pattern, &subject, names)? {
            continue;
        }
        let wanted = match &case.guard {
            None => true,
            Some(guard) => {
                let span = names.span(guard.range());
                let guard = names.eval(guard)?;
                truth(&guard, span, names)?
            }
        };
        if wanted {
            return names.exec(&case.body);
        }
    }
    Ok(Flow::Next)
}

fn capture(name: Option<&Identifier>, value: Value, names: &mut dyn Names) -> Result<bool> {
    if let Some(name) = name {
        let span = names.span(name.range);
        names.bind(&name.id, Some(value), span)?;
    }
    Ok(true)
}

fn matches(pattern: &Pattern, subject: &Value, names: &mut dyn Names) -> Result<bool> {
    let span = names.span(pattern.range());
    names.tick(span, 1)?;
    match pattern {
        Pattern::MatchValue(p) => {
            let value = names.eval(&p.value)?;
            let equal = compare_pair(CmpOp::Eq, subject.clone(), value, span, names)?;
            truth(&equal, span, names)
        }
        Pattern::MatchSingleton(p) => Ok(match p.value {
            Singleton::None => matches!(subject, Value::None),
            Singleton::True => matches!(subject, Value::Bool(true)),
            Singleton::False => matches!(subject, Value::Bool(false)),
        }),
        Pattern::MatchAs(p) => {
            let fits = match &p.pattern {
                Some(inner) => matches(inner, subject, names)?,
                None => true,
            };
            Ok(fits && capture(p.name.as_ref(), subject.clone(), names)?)
        }
        Pattern::MatchOr(p) => {
            for alternative in &p.patterns {
                if matches(alternative, subject, names)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Pattern::MatchSequence(p) => match subject.sequence() {
            Some(items) => sequence(&p.patterns, &items, names),
            None => Ok(false),
        },
        Pattern::MatchMapping(p) => mapping(p, subject, span, names),
        Pattern::MatchClass(p) => class(p, subject, span, names),
        Pattern::MatchStar(_) => fail(
            span,
            Problem::Statement("'*' stands in a sequence pattern".into()),
        ),
    }
}

fn sequence(patterns: &[Pattern], items: &[Value], names: &mut dyn Names) -> Result<bool> {
    let star = patterns
        .iter()
        .position(|p| matches!(p, Pattern::MatchStar(_)));
    let Some(star) = star else {
        return Ok(patterns.len() == items.len() && all(patterns, items, names)?);
    };
    let (before, after) = (&patterns[..star], &patterns[star + 1..]);
    if items.len() < before.len() + after.len() {
        return Ok(false);
    }
    let (head, rest) = items.split_at(before.len());
    let (middle, tail) = rest.split_at(rest.len() - after.len());
    if let Pattern::MatchStar(p) = &patterns[star] {
        capture(p.name.as_ref(), Value::list(middle.to_vec()), names)?;
    }
    Ok(all(before, head, names)? && all(after, tail, names)?)
}

fn all(patterns: &[Pattern], items: &[Value], names: &mut dyn Names) -> Result<bool> {
    for (pattern, item) in patterns.iter().zip(items) {
        if !matches(pattern, item, names)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn mapping(
    p: &ast::PatternMatchMapping,
    subject: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<bool> {
    let Value::Dict(dict) = subject else {
        return Ok(false);
    };
    let mut rest = dict.get().clone();
    for (key, pattern) in p.keys.iter().zip(&p.patterns) {
        let key = hashable(&names.eval(key)?, span)?;
        let Some((_, value)) = rest.shift_remove(&key) else {
            return Ok(false);
        };
        if !matches(pattern, &value, names)? {
            return Ok(false);
        }
    }
    let rest = Value::dict(rest);
    capture(p.rest.as_ref(), rest, names)
}

fn class(
    p: &ast::PatternMatchClass,
    subject: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<bool> {
    let class = names.eval(&p.cls)?;
    if !is_instance(subject, &class, span)? {
        return Ok(false);
    }
    let positional = &p.arguments.patterns;
    let fields = match (&class, &positional[..]) {
        (_, []) => Vec::new(),
        (Value::Class(class), _) => class.match_args(),
        // int(x), str(x) and the like match the subject itself.
        (_, [single]) => return matches(single, subject, names),
        _ => {
            return fail(
                span,
                Problem::Statement("the pattern has too many parts".into()),
            );
        }
    };
    if positional.len() > fields.len() {
        return fail(
            span,
            Problem::Statement("the pattern has too many parts".into()),
        );
    }
    let keywords = p.arguments.keywords.iter();
    let named = keywords.map(|k| (k.attr.id.to_string(), &k.pattern));
    for (name, pattern) in fields.into_iter().zip(positional).chain(named) {
        match names.attribute(subject, &name, span)? {
            Some(value) if matches(pattern, &value, names)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
