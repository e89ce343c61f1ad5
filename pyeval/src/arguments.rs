//! Arguments of calls: how many, and by which names.

use crate::error::{Failure, Problem};
use crate::value::{Args, Result, Value};
use diagnostics::Span;

impl Args {
    /// Arguments by position only.
    pub fn positional(positional: Vec<Value>, span: Span) -> Args {
        Args {
            positional,
            named: Vec::new(),
            span,
        }
    }

    /// Refuses a wrong number of arguments by position.
    pub fn expect(&self, least: usize, most: usize, callee: &str) -> Result<()> {
        let given = self.positional.len();
        if (least..=most).contains(&given) {
            return Ok(());
        }
        Err(Failure::new(
            self.span,
            Problem::ArgumentCount {
                callee: callee.to_owned(),
                takes: (least, most),
                given,
            },
        ))
    }

    /// Refuses arguments by names that the callee does not have.
    pub fn only_named(&self, allowed: &[&str], callee: &str) -> Result<()> {
        let unknown = |(name, _): &&(String, Value)| !allowed.contains(&name.as_str());
        match self.named.iter().find(unknown) {
            None => Ok(()),
            Some((name, _)) => {
                let problem = Problem::parameter(callee, name, allowed.iter().copied());
                Err(Failure::new(self.span, problem))
            }
        }
    }

    /// The argument of a parameter.
    pub fn get(&self, position: usize, name: &str) -> Option<&Value> {
        let named = || self.named.iter().find(|(n, _)| n == name);
        self.positional
            .get(position)
            .or_else(|| named().map(|(_, v)| v))
    }
}
