//! Differential testing: a kernel's text, compiled, against the software reference, cycle-accurate and in process.

use crate::netsim::{Bench, Ran};
use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::hwarith::program::PortRef;
use allo_hls::hwarith::{self, run::State};
use allo_hls::sim::cosim::{self, CosimError, CosimOptions};
use allo_hls::sim::reference::{self, Outcome};
use allo_hls::sim::value::{Invocation, Signature, Value};
use allo_hls::sim::vectors;
use num_bigint::{BigInt, BigUint};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a kernel is compiled and driven.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Clock period in ns.
    pub period: f64,
    /// Passes left out.
    pub skip: Vec<String>,
    /// Of inputs, initial state and memory contents.
    pub seed: u64,
    /// Fresh inputs.
    pub vectors: u64,
}

/// What became of a kernel.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All values as they should be; how many were compared.
    Right(usize),
    /// Refused with diagnostics.
    Refused(String),
    /// A wrong bit, a panic, a breach of the interface or of the manifest.
    Wrong(String),
}

/// Operations that the reference may execute for one invocation.
const STEPS: u64 = 4_000;

/// Node evaluations for one invocation of the hwarith program.
const EVALUATIONS: u64 = 3_000_000;

/// Compiles and compares.
pub fn check(text: &str, top: &str, setting: &Setting) -> Verdict {
    match catch_unwind(AssertUnwindSafe(|| check_inner(text, top, setting))) {
        Ok(verdict) => verdict,
        Err(payload) => {
            let message = payload
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            Verdict::Wrong(format!("panic: {}", message.unwrap_or_default()))
        }
    }
}

/// The compilation of a text.
pub fn compile(text: &str, top: &str, setting: &Setting) -> Result<Compilation, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.py", text);
    let mut target = Target::new("ecp5", setting.period).expect("a shipped device");
    target.skip.clone_from(&setting.skip);
    driver::compile(&mut sources, file, Some(top), &target).map_err(|e| e.render(&sources, false))
}

fn check_inner(text: &str, top: &str, setting: &Setting) -> Verdict {
    let compilation = match compile(text, top, setting) {
        Ok(compilation) => compilation,
        Err(message) => return Verdict::Refused(message),
    };
    match compare(&compilation, setting) {
        Ok(values) => Verdict::Right(values),
        Err(message) => Verdict::Wrong(message),
    }
}

fn compare(compilation: &Compilation, setting: &Setting) -> Result<usize, String> {
    let signature = Signature::of(&compilation.program);
    let fresh = |number| vectors::invocation(&signature, setting.seed, number, 0);
    let inputs: Vec<Invocation> = (0..setting.vectors).map(fresh).collect();
    let evaluated = evaluate_on(compilation, &inputs, STEPS)?;
    Ok(evaluated + compare_on(compilation, &inputs, setting.seed, STEPS)?.values)
}

/// Runs the hwarith program on each input, without time, and compares with the reference; counts the elements. A
/// difference here is a fault of the frontend, of a transformation or of the lowering, not of schedule or netlist.
pub fn evaluate_on(
    compilation: &Compilation,
    inputs: &[Invocation],
    steps: u64,
) -> Result<usize, String> {
    let signature = Signature::of(&compilation.program);
    let program = &compilation.hardware;
    let mut compared = 0;
    for (number, invocation) in inputs.iter().enumerate() {
        let Some(outcome) = expected(compilation, invocation, steps) else {
            continue;
        };
        if outcome.unspecified_control.is_some() {
            continue;
        }
        let mut state = State::new(program);
        let mut arrays = patterns(&signature, invocation).into_iter();
        let mut values = scalars(&signature, invocation).into_iter();
        for port in &program.args {
            match port {
                PortRef::Scalar { var, .. } => {
                    let ty = program.vars[var.0 as usize].ty;
                    let value = values.next().unwrap_or_default();
                    state.vars[var.0 as usize] = ty.wrap(&BigInt::from(value));
                }
                PortRef::Array(mem) => {
                    let words = arrays.next().unwrap_or_default();
                    state.mems[mem.0 as usize] = words.into_iter().map(BigInt::from).collect();
                }
            }
        }
        if !hwarith::run::run(program, &mut state, EVALUATIONS) {
            continue;
        }
        let ran = results(program, &state);
        compared += differences(&signature, &outcome, &ran).map_err(|what| {
            format!(
                "hwarith, vector {number}: {what}\n  inputs {:?}",
                show(invocation)
            )
        })?;
    }
    Ok(compared)
}

fn results(program: &hwarith::program::Program, state: &State) -> Ran {
    let bits = |value: &BigInt, width: u32| {
        let wrapped = hwarith::HwType::ui(width).wrap(value);
        wrapped.to_biguint().unwrap_or_default()
    };
    let mut ran = Ran {
        arrays: Vec::new(),
        returns: Vec::new(),
        cycles: 0,
    };
    for (position, port) in program.args.iter().chain(&program.returns).enumerate() {
        match port {
            PortRef::Array(mem) => {
                let width = program.mems[mem.0 as usize].width;
                let words = state.mems[mem.0 as usize].iter();
                ran.arrays.push(words.map(|w| bits(w, width)).collect());
            }
            PortRef::Scalar { var, ty, .. } if position >= program.args.len() => {
                ran.returns
                    .push(bits(&state.vars[var.0 as usize], ty.width()));
            }
            PortRef::Scalar { .. } => {}
        }
    }
    ran
}

/// The same kernel and inputs in Verilator, with the text that is emitted.
pub fn check_in_verilator(text: &str, top: &str, setting: &Setting) -> Verdict {
    let compilation = match compile(text, top, setting) {
        Ok(compilation) => compilation,
        Err(message) => return Verdict::Refused(message),
    };
    let options = CosimOptions {
        vectors: setting.vectors as usize,
        seed: setting.seed,
        step_limit: 100 * STEPS,
        ..CosimOptions::default()
    };
    let emitted = compilation.systemverilog();
    let report = cosim::cosim(
        &compilation.program,
        &compilation.manifest,
        &emitted,
        &options,
    );
    match report {
        Ok(report) => Verdict::Right(report.compared as usize),
        // No inputs found on which the kernel ends soon.
        Err(CosimError::Reference(_)) => Verdict::Right(0),
        Err(error) => {
            let said = error.to_diagnostic().render(&SourceMap::default(), false);
            Verdict::Wrong(format!("Verilator: {said}"))
        }
    }
}

/// What agreed.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Elements compared.
    pub values: usize,
    /// Of each invocation, from start to done.
    pub cycles: Vec<u64>,
}

/// Runs the netlist in process on each input, and again on what the first time left in the memories, and
/// compares with the reference. Inputs on which it takes more than `steps` operations are passed over.
pub fn compare_on(
    compilation: &Compilation,
    inputs: &[Invocation],
    seed: u64,
    steps: u64,
) -> Result<Agreement, String> {
    let signature = Signature::of(&compilation.program);
    let mut bench = Bench::new(compilation, seed);
    let mut agreement = Agreement::default();
    for (number, invocation) in inputs.iter().enumerate() {
        let Some(mut outcome) = expected(compilation, invocation, steps) else {
            continue;
        };
        let mut given = invocation.clone();
        bench.load(&patterns(&signature, &given));
        // The same memories again, with what the first invocation left in them.
        for again in 0..2u32 {
            let place = format!("vector {number}.{again}");
            let scalars = scalars(&signature, &given);
            let gap = (number as u32 + again) % 3;
            let limit = 1000 + 50 * outcome.steps;
            let ran = bench.run(&scalars, gap, limit);
            if outcome.unspecified_control.is_some() {
                // Nothing is promised any more, not even an end.
                bench = Bench::new(compilation, seed ^ number as u64);
                break;
            }
            let ran = ran.ok_or_else(|| format!("{place}: not done after {limit} cycles"))?;
            agreement.values += differences(&signature, &outcome, &ran)
                .map_err(|what| format!("{place}: {what}\n  inputs {:?}", show(&given)))?;
            agreement.cycles.push(ran.cycles);
            check_latency(compilation, &ran)?;
            if let Some(breach) = bench.violations.first() {
                return Err(format!("{place}: {breach}"));
            }
            given.args.clone_from(&outcome.params);
            match expected(compilation, &given, steps) {
                Some(next) => outcome = next,
                None => break,
            }
        }
    }
    Ok(agreement)
}

fn show(invocation: &Invocation) -> Vec<Vec<String>> {
    let element = |v: &Value| v.data.to_bigint().to_string();
    let argument = |a: &Vec<Value>| a.iter().map(element).collect();
    invocation.args.iter().map(argument).collect()
}

fn expected(compilation: &Compilation, invocation: &Invocation, steps: u64) -> Option<Outcome> {
    let options = reference::Options {
        step_limit: steps,
        ..Default::default()
    };
    reference::run(&compilation.program, invocation, &options).ok()
}

fn check_latency(compilation: &Compilation, ran: &Ran) -> Result<(), String> {
    let latency = &compilation.manifest.latency;
    let low = latency.min.is_some_and(|min| ran.cycles < min);
    let high = latency.max.is_some_and(|max| ran.cycles > max);
    if low || high {
        return Err(format!(
            "{} cycles, but the manifest says {latency:?}",
            ran.cycles
        ));
    }
    Ok(())
}

/// Compares everything that is specified; counts it.
fn differences(signature: &Signature, outcome: &Outcome, ran: &Ran) -> Result<usize, String> {
    let mut arrays = ran.arrays.iter();
    let mut returns = ran.returns.iter().map(std::slice::from_ref);
    let mut compared = 0;
    let params = signature.params.iter().zip(&outcome.params);
    let params = params.filter(|(slot, _)| slot.is_array());
    for (slot, want) in params.chain(signature.results.iter().zip(&outcome.results)) {
        let got = match slot.is_array() {
            true => arrays.next().map(Vec::as_slice),
            false => returns.next(),
        };
        let got = got.ok_or("the manifest lacks a port")?;
        for (at, (want, got)) in want.iter().zip(got).enumerate() {
            if want.tainted {
                continue;
            }
            let want = want.pattern(slot.ty);
            if want != *got {
                return Err(format!(
                    "{}: want {want:#x}, got {got:#x}",
                    slot.element_name(at)
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

fn patterns(signature: &Signature, invocation: &Invocation) -> Vec<Vec<BigUint>> {
    let slots = signature.params.iter().zip(&invocation.args);
    let arrays = slots.filter(|(slot, _)| slot.is_array());
    arrays
        .map(|(slot, values)| values.iter().map(|v| v.pattern(slot.ty)).collect())
        .collect()
}

fn scalars(signature: &Signature, invocation: &Invocation) -> Vec<BigUint> {
    let slots = signature.params.iter().zip(&invocation.args);
    slots
        .filter(|(slot, _)| !slot.is_array())
        .map(|(slot, values)| values[0].pattern(slot.ty))
        .collect()
}

/// The smallest text found that still goes wrong in the same way: blocks, lines and operands are left out.
pub fn shrink(text: &str, top: &str, setting: &Setting, tries: usize) -> String {
    let kind = |verdict: &Verdict| match verdict {
        Verdict::Wrong(why) => Some(kind_of(why)),
        _ => None,
    };
    let wanted = kind(&check(text, top, setting));
    let mut best = text.to_string();
    let mut left = tries;
    loop {
        let mut improved = false;
        let mut at = 0;
        while let Some(candidate) = candidates(&best, at) {
            if left == 0 {
                return best;
            }
            if candidate.len() < best.len() {
                left -= 1;
                if kind(&check(&candidate, top, setting)) == wanted {
                    best = candidate;
                    improved = true;
                    continue;
                }
            }
            at += 1;
        }
        if !improved {
            return best;
        }
    }
}

/// What stays of a message when names and numbers change.
fn kind_of(why: &str) -> String {
    let vague = |c: &char| !c.is_ascii_digit();
    match why.strip_prefix("panic: ") {
        Some(message) => message.chars().filter(vague).take(32).collect(),
        None => match why.find("cycles") {
            Some(_) => "cycles".into(),
            None => String::new(),
        },
    }
}

/// The `at`-th simpler text; `None` after the last.
fn candidates(text: &str, at: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    if at < lines.len() {
        return Some(without_block(&lines, at));
    }
    let at = at - lines.len();
    if at < lines.len() {
        return Some(unwrapped(&lines, at));
    }
    let opens: Vec<usize> = text.match_indices('(').map(|(i, _)| i).collect();
    let at = at - lines.len();
    let open = *opens.get(at / 4)?;
    Some(simpler_group(text, open, at % 4))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn without_block(lines: &[&str], at: usize) -> String {
    let end = block_end(lines, at);
    let kept = lines[..at].iter().chain(&lines[end..]);
    kept.map(|l| format!("{l}\n")).collect()
}

fn block_end(lines: &[&str], at: usize) -> usize {
    let inner = lines[at + 1..]
        .iter()
        .take_while(|l| indent(l) > indent(lines[at]));
    at + 1 + inner.count()
}

/// Without the header of a block, its body moved out.
fn unwrapped(lines: &[&str], at: usize) -> String {
    let end = block_end(lines, at);
    let body = lines[at + 1..end].iter().map(|l| l.get(4..).unwrap_or(l));
    let kept = lines[..at].iter().copied().chain(body);
    let kept = kept.chain(lines[end..].iter().copied());
    kept.map(|l| format!("{l}\n")).collect()
}

/// A parenthesised group replaced by 1, by its first or last operand, or by its inside.
fn simpler_group(text: &str, open: usize, how: usize) -> String {
    let mut depth = 0;
    let mut close = text.len();
    for (i, c) in text[open..].char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            close = open + i;
            break;
        }
    }
    if close == text.len() {
        return text.to_string();
    }
    let inside = &text[open + 1..close];
    let replacement = match how {
        0 => "1".to_string(),
        1 => first_operand(inside).to_string(),
        2 => last_operand(inside).to_string(),
        _ => inside.to_string(),
    };
    format!("{}{replacement}{}", &text[..open], &text[close + 1..])
}

fn outer_spaces(inside: &str) -> Vec<usize> {
    let mut depth = 0;
    let mut spaces = Vec::new();
    for (i, c) in inside.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => spaces.push(i),
            _ => {}
        }
    }
    spaces
}

fn first_operand(inside: &str) -> &str {
    outer_spaces(inside)
        .first()
        .map_or(inside, |&i| &inside[..i])
}

fn last_operand(inside: &str) -> &str {
    outer_spaces(inside)
        .last()
        .map_or(inside, |&i| &inside[i + 1..])
}
