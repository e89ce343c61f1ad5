//! The proof of a compiled kernel: its netlist leaves behind what the kernel does, wherever that is specified.

use super::aig::Lit;
use super::bits::Word;
use super::kernel;
use super::sums::Sums;
use super::sweep::{self, Verdict};
use super::value::Value as Symbol;
use super::{Limits, Stop};
use super::{machine, network};
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Span};
use crate::rtl::interface::manifest::Flow;
use crate::sim::args;
use crate::sim::cosim::{self, CosimError, CosimOptions};
use crate::sim::elements::Invocation;
use crate::sim::inprocess::Netlist;
use crate::sim::shell;
use crate::sim::value::{Signature, Slot, Value};
use crate::transform::network::Network;
use crate::{ir, rtl};
use num_bigint::BigInt;
use std::collections::HashMap;

/// What came out.
#[derive(Clone, Debug)]
pub enum Proof {
    /// Equal for all inputs and all initial states, where streams of the top kernel never pause.
    Proven(Statistics),
    /// Different for these arguments, from some initial state.
    Refuted(Invocation),
    /// Neither.
    Open(Stop),
}

/// How large the question was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Bits of results and arrays compared.
    pub compared: usize,
    /// Of these, those not equal by construction, which the solver decided.
    pub solved: usize,
    /// Clock cycles of the longest invocation.
    pub cycles: u64,
    /// Gates and bits of sums on both sides together.
    pub nodes: usize,
}

/// A netlist and what it is to compute.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The kernel.
    pub program: &'a ir::Program,
    /// Its netlist.
    pub design: &'a rtl::netlist::Design,
    /// The ports of that.
    pub manifest: &'a rtl::interface::manifest::Manifest,
}

impl Question<'_> {
    /// The place of the kernel.
    fn span(&self) -> Span {
        self.program.kernels[self.program.top].span
    }
}

/// Proves or refutes that the netlist computes the kernel.
pub fn prove(question: &Question<'_>, limits: &Limits) -> Proof {
    match decide(question, limits) {
        Ok(proof) => proof,
        Err(stop) => Proof::Open(stop),
    }
}

/// Widest values of which a proof is attempted on the side: a product of wider ones takes long before it can be given
/// up.
const NARROW: u32 = 64;

/// Proves or refutes it with as much work as given, in operations on machine words; `None` if it comes to no end.
pub fn attempt(question: &Question<'_>, work: u64) -> Option<Proof> {
    let kernels = question.program.kernels.iter();
    let values = kernels.flat_map(|(_, kernel)| kernel.values.values());
    let mut spent = 0;
    for value in values {
        spent += kernel::OPERATION;
        if value.ty.is_float() || value.ty.width() > NARROW || spent > work {
            return None;
        }
    }
    match prove(question, &Limits::of_work(work)) {
        Proof::Open(_) => None,
        proof => Some(proof),
    }
}

/// The network that a program is, as written; where workers have copies because they may access what others write, with these.
fn network(program: &ir::Program) -> Result<Option<Network>, Diagnostics> {
    match Network::of(program)? {
        Some(network) if network.has_copies => Ok(Some(network)),
        _ => Network::as_written(program),
    }
}

fn decide(question: &Question<'_>, limits: &Limits) -> Result<Proof, Stop> {
    if question.program.keeps_state() {
        let what = "what is kept between invocations";
        return Err(Stop::Unsuitable(what.into(), Some(question.span())));
    }
    // What follows relies on it.
    let invalid = |why: String| Stop::Unsuitable(format!("an invalid form: {why}"), None);
    ir::validate::validate(question.program).map_err(|why| invalid(why.to_string()))?;
    rtl::validate::validate(question.design).map_err(invalid)?;
    let network = network(question.program).map_err(|_| invalid("it is no network".into()))?;
    let signature = Signature::with(question.program, network.as_ref());
    let mut sums = Sums::default();
    let mut inputs = inputs(&mut sums, &signature, limits)?;
    let symbols: Vec<Vec<Symbol>> = inputs[..signature.params.len()]
        .iter()
        .map(|words| words.iter().cloned().map(Symbol::new).collect())
        .collect();
    let wanted = match &network {
        Some(network) => network::run(&mut sums, network, &symbols, limits)?,
        None => kernel::run(&mut sums, question.program, &symbols, limits)?,
    };
    let params = signature.params.iter().zip(&wanted.params);
    for ((slot, wanted), input) in params.zip(&mut inputs) {
        if slot.flow == Some(Flow::In) {
            *input = wanted.iter().map(|element| element.bits.clone()).collect();
        }
    }
    let design = question.design;
    let got = machine::run(&mut sums, design, question.manifest, &inputs, limits)?;
    let mut statistics = Statistics {
        compared: 0,
        solved: 0,
        cycles: got.cycles,
        nodes: 0,
    };
    let wanted_elements = wanted.params.iter().chain(&wanted.results);
    let both = || wanted_elements.clone().zip(&got.elements);
    let is_long_as_wanted = both().all(|(wanted, got)| wanted.len() == got.len());
    let mut difference = Lit::constant(!is_long_as_wanted);
    let pairs = both().flat_map(|(wanted, got)| wanted.iter().zip(got));
    for (wanted, got) in pairs {
        statistics.compared += wanted.bits.len();
        let differ = sums.zip(&wanted.bits, got, super::aig::Aig::xor);
        let differ: Word = differ
            .into_iter()
            .map(|bit| sums.aig.and(bit, !wanted.unspecified))
            .collect();
        statistics.solved += differ.iter().filter(|&&bit| bit != Lit::FALSE).count();
        let any = sums.any(&differ);
        difference = sums.aig.or(difference, any);
    }
    difference = sums.aig.or(difference, got.late);
    difference = sums.aig.and(difference, !wanted.unspecified);
    statistics.nodes = sums.aig.len();
    if let Some(stop) = limits.exceeded(&sums) {
        return Err(stop);
    }
    let (aig, roots, origin) = sums.lower(&[difference]);
    match sweep::decide(&aig, roots[0], limits) {
        Verdict::Never => Ok(Proof::Proven(statistics)),
        Verdict::Unknown(stop) => Err(stop),
        Verdict::Sometimes(values) => {
            let values: HashMap<usize, bool> =
                values.into_iter().map(|(n, v)| (origin[&n], v)).collect();
            Ok(Proof::Refuted(invocation(&signature, &inputs, &values)))
        }
    }
}

/// The counterexample as a message, with what a simulation of it shows.
pub fn refutation(question: &Question<'_>, arguments: &Invocation) -> Diagnostic {
    let signature = Signature::of(question.program);
    let pairs = signature.params.iter().zip(&arguments.args);
    let shown: Vec<String> = pairs
        .map(|(slot, elements)| format!("{}={}", slot.name, args::slot_json(slot, elements)))
        .collect();
    let message = format!(
        "the hardware differs from the kernel: {}({})",
        question.manifest.module,
        shown.join(", ")
    );
    let out = Diagnostic::error(codes::REFUTED, question.span(), message);
    match confirm(question, arguments) {
        Some(found) => found.notes.into_iter().fold(
            out.note_at(found.span.unwrap_or(question.span()), format!("simulated: {}", found.message)),
            |out, (span, text)| match span {
                Some(span) => out.note_at(span, text),
                None => out.note(text),
            },
        ),
        None => out.note(
            "no simulation showed it: it may need an initial state that the module never has after a reset",
        ),
    }
}

/// What is wrong when the netlist is simulated with the arguments, from a few initial states.
pub fn confirm(question: &Question<'_>, arguments: &Invocation) -> Option<Diagnostic> {
    let (design, manifest) = shell::around(question.design, question.manifest).ok()?;
    let engine = Netlist::new(&design, &manifest).ok()?;
    (1..=8).find_map(|seed| {
        let options = CosimOptions {
            seed,
            args: Some(vec![arguments.clone()]),
            threads: 1,
            step_limit: 1 << 26,
            ..CosimOptions::default()
        };
        match cosim::cosim_on(&engine, question.program, &manifest, &options, &|_, _| ()) {
            Err(failure @ CosimError::Failure(_)) => Some(failure.to_diagnostic()),
            _ => None,
        }
    })
}

/// Free bits for every parameter, then for the initial contents of every result array.
fn inputs(
    sums: &mut Sums,
    signature: &Signature,
    limits: &Limits,
) -> Result<machine::Elements, Stop> {
    let slots = signature.params.iter().chain(&signature.results);
    let mut total = 0usize;
    let mut elements = Vec::new();
    for (number, slot) in slots.enumerate() {
        let is_result = number >= signature.params.len();
        let count = match slot.is_stream() || is_result && !slot.is_array() {
            true => 0,
            false => slot.len(),
        };
        let width = slot.ty.width();
        total = total.saturating_add(count.saturating_mul(width as usize));
        if total > limits.nodes {
            return Err(Stop::TooLarge(format!("more than {} gates", limits.nodes)));
        }
        elements.push((0..count).map(|_| sums.free_word(width)).collect());
    }
    Ok(elements)
}

/// The arguments that an assignment stands for.
fn invocation(
    signature: &Signature,
    inputs: &machine::Elements,
    values: &HashMap<usize, bool>,
) -> Invocation {
    let element = |slot: &Slot, word: &Word| {
        let mut number = BigInt::default();
        for (i, bit) in word.iter().enumerate() {
            if values.get(&bit.node()) == Some(&true) {
                number.set_bit(i as u64, true);
            }
        }
        Value::wrapped(slot.ty, number)
    };
    let mut invocation = Invocation::of(Vec::new());
    for (slot, words) in signature.params.iter().zip(inputs) {
        let values = words.iter().map(|w| element(slot, w));
        invocation.push(slot, values.collect());
    }
    invocation
}
