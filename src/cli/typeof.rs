//! `allo-hls typeof`: the type of an expression, by the frontend's or by hwarith's tables.

use super::output::{Printer, Status, emit};
use super::{TypeofArgs, TypeofStyle};
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::frontend::promote::Style;
use allo_hls::frontend::query::{Answer, Query, type_of};
use allo_hls::frontend::{self, query};
use allo_hls::{codes, hwarith};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufRead, ErrorKind, Write};

/// Answers the question of the command line, or those on standard input.
pub fn run(printer: &Printer, args: &TypeofArgs) -> Result<(), Status> {
    let mut sources = SourceMap::default();
    if args.stdin {
        return frontend::on_big_stack(answer_lines).map_err(|e| printer.fail(e, &sources));
    }
    let answer = frontend::on_big_stack(|| ask(&mut sources, args));
    let answer = answer.map_err(|e| printer.fail(e, &sources))?;
    let mut text = answer.ty + "\n";
    if args.explain {
        for line in answer.explanation {
            text += &format!("  {line}\n");
        }
    }
    emit(None, text.as_bytes()).map_err(|e| printer.fail(e, &sources))
}

fn ask(sources: &mut SourceMap, args: &TypeofArgs) -> Result<Answer, Diagnostics> {
    let expr = args.expression.as_deref().unwrap_or_default();
    let style = match args.style {
        TypeofStyle::Hls => Style::Hls,
        TypeofStyle::Cpp => Style::Cpp,
        TypeofStyle::Pto => Style::Pto,
        TypeofStyle::Hwarith => {
            let types: Vec<&str> = args.types.iter().map(String::as_str).collect();
            return hardware(expr, &types)
                .map_err(|message| Diagnostic::global(codes::QUESTION, message).into());
        }
    };
    let types = args
        .types
        .iter()
        .map(|text| named_type(text))
        .collect::<Result<Vec<_>, _>>()?;
    let types = &types;
    type_of(sources, &Query { style, expr, types })
}

fn named_type(text: &str) -> Result<(String, String), Diagnostic> {
    match text.split_once('=') {
        Some((name, ty)) => Ok((name.trim().to_owned(), ty.trim().to_owned())),
        None => {
            let message = format!("'{text}' does not give a name's type");
            Err(Diagnostic::global(codes::QUESTION, message).help("write it as a=u8"))
        }
    }
}

fn hardware(op: &str, types: &[&str]) -> Result<Answer, String> {
    let (ty, line) = hwarith::query::type_of(op, types)?;
    Ok(Answer {
        ty,
        explanation: vec![line],
    })
}

/// One line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(default)]
    style: Option<String>,
    #[serde(default)]
    expr: Option<String>,
    #[serde(default)]
    op: Option<String>,
    #[serde(default)]
    types: Types,
    #[serde(default)]
    explain: bool,
}

/// Types by name for an expression, in order for an operation of hwarith.
#[derive(Deserialize)]
#[serde(untagged)]
enum Types {
    Named(BTreeMap<String, String>),
    Ordered(Vec<String>),
}

impl Default for Types {
    fn default() -> Self {
        Types::Named(BTreeMap::new())
    }
}

/// Answers every line of standard input by one line, at once.
fn answer_lines() -> Result<(), Diagnostic> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|e| {
            Diagnostic::global(
                codes::INPUT_FILE,
                format!("cannot read standard input: {e}"),
            )
        })?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let written = writeln!(out, "{}", answer_line(&line)).and_then(|()| out.flush());
        match written {
            // A reader that has heard enough is fine.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(e) => {
                let message = format!("cannot write to standard output: {e}");
                return Err(Diagnostic::global(codes::OUTPUT_FILE, message));
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

fn answer_line(line: &[u8]) -> serde_json::Value {
    let answer = serde_json::from_slice(line)
        .map_err(|e| format!("the line is not a question: {e}"))
        .and_then(|question: Question| Ok((answer_question(&question)?, question.explain)));
    match answer {
        Ok((answer, false)) => serde_json::json!({"result": answer.ty}),
        Ok((answer, true)) => {
            serde_json::json!({"result": answer.ty, "explanation": answer.explanation})
        }
        Err(message) => serde_json::json!({"error": message}),
    }
}

fn answer_question(question: &Question) -> Result<Answer, String> {
    let style = question.style.as_deref().unwrap_or("hls");
    match (Style::named(style), question) {
        (
            Some(style),
            Question {
                expr: Some(expr),
                op: None,
                types: Types::Named(types),
                ..
            },
        ) => {
            let types: Vec<(String, String)> =
                types.iter().map(|(n, t)| (n.clone(), t.clone())).collect();
            let types = &types[..];
            query::type_of(&mut SourceMap::default(), &Query { style, expr, types })
                .map_err(|errors| first_message(&errors))
        }
        (
            None,
            Question {
                expr: None,
                op: Some(op),
                types: Types::Ordered(types),
                ..
            },
        ) if style == "hwarith" => {
            let types: Vec<&str> = types.iter().map(String::as_str).collect();
            hardware(op, &types)
        }
        (None, _) if style != "hwarith" => Err(format!(
            "there is no typing style '{style}'; the styles are hls, cpp, pto and hwarith"
        )),
        (Some(_), _) => Err("a question needs \"expr\", and \"types\" as an object".into()),
        (None, _) => Err("a question to hwarith needs \"op\", and \"types\" as a list".into()),
    }
}

fn first_message(errors: &Diagnostics) -> String {
    match errors.0.first() {
        Some(first) => first.message.clone(),
        None => "the expression has no type".into(),
    }
}
