//! The verdict on one case: what the module did against what the reference says.

use super::case::{self, Case, Step};
use super::failure::{FailureKind, Mismatch};
use super::report::Report;
use crate::diagnostics::Span;
use crate::ir::{Program, Scalar};
use crate::rtl::interface::manifest::{Flow, Latency, Manifest, Port};
use crate::sim::elements::{Elements, Invocation, State};
use crate::sim::locate::{self, Expectation, Followed, Kept};
use crate::sim::model::{RunResult, Write};
use crate::sim::reference::{Log, Options, Prepared};
use crate::sim::shell;
use crate::sim::timed;
use crate::sim::value::{Signature, Slot, Value};
use num_traits::ToPrimitive;

/// A kernel and what is said of its module.
pub struct Subject<'a> {
    /// The kernel.
    pub program: &'a Program,
    /// The same, to be run.
    pub reference: Prepared<'a>,
    /// What its module promises.
    pub manifest: &'a Manifest,
}

impl<'a> Subject<'a> {
    /// Errors: the manifest is that of another kernel.
    pub fn new(program: &'a Program, manifest: &'a Manifest) -> Result<Subject<'a>, String> {
        let reference = Prepared::of(program).map_err(|e| e.to_diagnostic().message)?;
        check_manifest(&reference.signature, manifest)?;
        Ok(Subject {
            program,
            reference,
            manifest,
        })
    }

    /// Compares everything that a run left behind, and what it did to get there. What the next invocation finds, if
    /// that depended on timing.
    pub fn judge(
        &self,
        case: &Case,
        result: &RunResult,
        report: &mut Report,
    ) -> Result<Option<State>, FailureKind> {
        let Some(told) = self.told(case, result)? else {
            return self.judge_known(case, result, report).map(|()| None);
        };
        self.judge_known(&told, result, report)?;
        let mut outcomes = told.outcomes.into_iter();
        Ok(outcomes.next_back().map(|outcome| outcome.state))
    }

    fn judge_known(
        &self,
        case: &Case,
        result: &RunResult,
        report: &mut Report,
    ) -> Result<(), FailureKind> {
        let single = case.inputs.len() == 1;
        let once_more = case.run.reset_after > Some(0);
        if single && !once_more {
            report.note_outcome(&case.outcomes[0]);
        }
        let lost = case.is_lost();
        if result.timed_out && !lost {
            // A value that is wrong early says more than that the module hangs, but it has none.
            breaches(result)?;
            return Err(FailureKind::Hang {
                invocation: result.timing.len(),
                cycles: case.run.cycle_limit,
            });
        }
        self.compare(case, result, report)?;
        breaches(result)?;
        if single && !lost {
            let cycles = self.promised(result)?;
            match once_more {
                true => report.resets += 1,
                false => report.cycles.extend(cycles),
            }
        } else if let [first, .., last] = &result.timing[..] {
            let interval = (last.ready - first.ready) / (result.timing.len() as u64 - 1);
            report.interval.get_or_insert(interval);
            if report.traffic.is_empty() {
                report.traffic.clone_from(&result.traffic);
            }
        }
        Ok(())
    }

    /// A case with what the reference makes of it where it is told what the module found; `None` if nothing depends on timing.
    fn told(&self, case: &Case, result: &RunResult) -> Result<Option<Case>, FailureKind> {
        let signature = &self.reference.signature;
        if signature.timed == 0 || result.timed_out {
            return Ok(None);
        }
        let differs = |what: &str| FailureKind::Protocol(vec![what.to_string()]);
        let told = timed::told(signature, result)
            .ok_or_else(|| differs("it asks more often than is recorded what depends on timing"))?;
        let mut steps: Vec<Step> = Vec::new();
        for (input, timed) in case.inputs.iter().zip(told) {
            let input = match steps.last() {
                Some(before) => case::following(signature, input, &before.outcome),
                None => input.clone(),
            };
            let input = Invocation {
                timed: Some(timed),
                ..input
            };
            let options = Options {
                trace: true,
                ..Options::default()
            };
            let outcome = self.reference.run(&input, &options);
            let outcome = outcome.map_err(|error| {
                let message = error.to_diagnostic().message;
                differs(&format!(
                    "told what the module found, the reference fails: {message}"
                ))
            })?;
            if outcome.unasked > 0 {
                return Err(differs(
                    "it asks more often than the reference what depends on timing",
                ));
            }
            steps.push(Step {
                input,
                outcome,
                gap: 0,
            });
        }
        let (inputs, outcomes) = steps
            .into_iter()
            .map(|step| (step.input, step.outcome))
            .unzip();
        Ok(Some(Case {
            number: case.number,
            inputs,
            outcomes,
            run: case.run.clone(),
            deadlocks: case.deadlocks,
        }))
    }

    /// Compares what a run did that was cut off: results of the invocations that finished, and every write so far.
    pub fn judge_part(
        &self,
        case: &Case,
        expectations: &[Expectation<'_>],
        result: &RunResult,
    ) -> Result<(), FailureKind> {
        self.compare_returns(case, result, &mut Report::default())?;
        breaches(result)?;
        if case.inputs.len() == 1 {
            // It may have come to its end where the reference did not.
            self.promised(result)?;
        }
        for expectation in expectations {
            let followed = self.follow(case, expectation, &result.writes);
            if let Some(wrong) = followed.divergence {
                return Err(FailureKind::Write(Box::new(wrong)));
            }
        }
        Ok(())
    }

    /// The stores of the reference, of which the passes may have left out some.
    pub fn expected<'b>(&'b self, logs: impl IntoIterator<Item = &'b Log>) -> Expectation<'b> {
        Expectation {
            program: self.program,
            logs: logs.into_iter().collect(),
            kept: Kept::Some,
        }
    }

    /// The cycles of a single invocation, which have to be those that the manifest promises, unless streams pause.
    fn promised(&self, result: &RunResult) -> Result<Option<u64>, FailureKind> {
        let Latency { min, max } = match shell::is_needed(self.manifest) {
            true => Latency::default(),
            false => self.manifest.latency,
        };
        let kept = |c: u64| min.is_none_or(|m| m <= c) && max.is_none_or(|m| c <= m);
        match result.timing.first().map(|t| t.cycles()) {
            Some(cycles) if !kept(cycles) => Err(FailureKind::Latency {
                cycles,
                promised: (min, max),
            }),
            cycles => Ok(cycles),
        }
    }

    fn compare(
        &self,
        case: &Case,
        result: &RunResult,
        report: &mut Report,
    ) -> Result<(), FailureKind> {
        self.compare_returns(case, result, report)?;
        // Arrays are seen only after the last invocation.
        let invocation = case.outcomes.len() - 1;
        let outcome = &case.outcomes[invocation];
        let slots = self
            .reference
            .signature
            .params
            .iter()
            .chain(&self.reference.signature.results);
        let wanted = outcome.params.iter().chain(&outcome.results);
        let slots = slots.zip(wanted).enumerate();
        let arrays = slots.filter(|(_, (slot, _))| slot.is_array());
        for ((number, (slot, wanted)), got) in arrays.zip(&result.arrays) {
            let count = match slot.flow {
                None => wanted.len(),
                // What is offered stays as it is.
                Some(Flow::In) => 0,
                Some(Flow::Out) => outcome.cursors.get(&number).copied().unwrap_or_default(),
            };
            array(invocation, slot, (wanted, got), count, report)?;
        }
        Ok(())
    }

    fn compare_returns(
        &self,
        case: &Case,
        result: &RunResult,
        report: &mut Report,
    ) -> Result<(), FailureKind> {
        let scalars = self.reference.signature.results.iter().enumerate();
        let scalars: Vec<_> = scalars.filter(|(_, slot)| !slot.is_array()).collect();
        for (invocation, (outcome, got)) in case.outcomes.iter().zip(&result.returns).enumerate() {
            for (at, ((number, slot), got)) in scalars.iter().zip(got).enumerate() {
                let wanted = outcome.results[*number].get(0);
                if wanted.tainted {
                    report.unspecified += 1;
                    continue;
                }
                report.compared += 1;
                let got = Value::of_pattern(slot.ty, &got.to_u64_digits());
                if wanted.data != got.data {
                    let origin = locate::result_operation(self.program, self.program.top, at);
                    return Err(mismatch(invocation, slot, 0, (wanted, got), origin));
                }
            }
            // A module around counts what is transferred.
            for ((number, wanted), got) in outcome.cursors.iter().zip(&got[scalars.len()..]) {
                report.compared += 1;
                let slot = &self.reference.signature.params[*number];
                if got.to_usize() != Some(*wanted) {
                    let what = format!(
                        "{got} elements of '{}' were transferred, not {wanted}",
                        slot.name
                    );
                    return Err(FailureKind::Protocol(vec![what]));
                }
            }
        }
        Ok(())
    }

    /// Follows the writes of a run through the stores that are expected of it.
    pub fn follow(&self, case: &Case, expectation: &Expectation<'_>, writes: &[Write]) -> Followed {
        let given = self
            .reference
            .signature
            .params
            .iter()
            .zip(&case.inputs[0].args);
        let given = given.map(|(slot, elements)| (slot.clone(), elements.clone()));
        let fresh = self.reference.signature.results.iter().map(|slot| {
            let blank = Elements::unspecified(slot.ty, slot.len());
            (slot.clone(), blank)
        });
        let arrays = given.chain(fresh).filter(|(slot, _)| slot.is_array());
        let arrays: Vec<_> = arrays.collect();
        // Behind them are records of what depends on timing.
        let writes: Vec<Write> = writes
            .iter()
            .filter(|write| write.array < arrays.len())
            .cloned()
            .collect();
        locate::follow(expectation, &arrays, case.run.starts.len(), &writes)
    }
}

fn breaches(result: &RunResult) -> Result<(), FailureKind> {
    match result.violations.is_empty() {
        true => Ok(()),
        false => Err(FailureKind::Protocol(result.violations.clone())),
    }
}

/// Compares two arrays that began alike: where nobody touched either, they still are. The report counts the first `count`
/// elements.
fn array(
    invocation: usize,
    slot: &Slot,
    (wanted, got): (&Elements, &Elements),
    count: usize,
    report: &mut Report,
) -> Result<(), FailureKind> {
    let unspecified = wanted.count_unspecified();
    report.unspecified += unspecified as u64;
    report.compared += count.saturating_sub(unspecified) as u64;
    let different = |&position: &usize| {
        let wanted = wanted.get(position);
        !wanted.tainted && wanted.data != got.get(position).data
    };
    let mut touched = wanted.touched().chain(got.touched());
    let Some(first) = touched.find(different) else {
        return Ok(());
    };
    // The first of both, whoever touched it.
    let position = got
        .touched()
        .find(different)
        .map_or(first, |p| p.min(first));
    let values = (wanted.get(position), got.get(position));
    let writer = wanted.writer(position);
    Err(mismatch(invocation, slot, position, values, writer))
}

fn mismatch(
    invocation: usize,
    slot: &Slot,
    position: usize,
    (wanted, got): (Value, Value),
    writer: Option<Span>,
) -> FailureKind {
    FailureKind::Mismatch(Box::new(Mismatch {
        invocation,
        slot: slot.clone(),
        position,
        wanted,
        got,
        writer,
        first: None,
    }))
}

/// Whether a manifest describes a module of these parameters and results.
pub fn check_manifest(signature: &Signature, manifest: &Manifest) -> Result<(), String> {
    let pairs = [
        (&signature.params, &manifest.args),
        (&signature.results, &manifest.returns),
    ];
    for (slots, ports) in pairs {
        if slots.len() != ports.len() {
            return Err(format!(
                "{} entries for {} parameters or results",
                ports.len(),
                slots.len()
            ));
        }
        for (slot, port) in slots.iter().zip(ports) {
            if !fits(slot, port) {
                return Err(format!(
                    "the entry of '{}' has another type or shape",
                    slot.name
                ));
            }
        }
    }
    Ok(())
}

fn fits(slot: &Slot, port: &Port) -> bool {
    let is_alike = match port.stream() {
        Some((flow, _)) => slot.flow == Some(flow),
        None => slot.shape.as_deref() == port.shape(),
    };
    is_alike
        && slot.ty.width() == port.width()
        && Scalar::named(port.type_name()).is_none_or(|ty| ty == slot.leaf())
}
