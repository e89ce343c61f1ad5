//! What is connected to a module of the user's, inside of the module that stands around it.

use super::elaborate::units::{CLOCK, RESULT, START};
use super::netlist::{Design, Direction, Module};
use crate::ir::{Control, Foreign};

/// The pins of the user's module, each with the port around it or a constant; `None`: not connected.
pub fn pins(module: &Module, foreign: &Foreign) -> Vec<(String, Option<String>)> {
    let inputs = module.ports.iter();
    let inputs = inputs.filter(|port| port.direction == Direction::Input);
    let names = inputs.map(|port| module.nets[port.net].name.clone());
    let (own, operands): (Vec<String>, Vec<String>) =
        names.partition(|name| [CLOCK, START].contains(&name.as_str()));
    let is_there = |name: &str| own.iter().any(|one| one == name);
    let one = || Some("1'b1".to_string());
    let mut pins: Vec<(String, Option<String>)> = Vec::new();
    if is_there(CLOCK) {
        pins.push((CLOCK.into(), Some(CLOCK.into())));
    }
    match foreign.control {
        Control::Free => {}
        Control::Enable => pins.push(("ce".into(), one())),
        Control::Elastic => {
            let valid = is_there(START).then(|| START.to_string()).or_else(one);
            pins.push(("valid".into(), valid));
            pins.push(("ready".into(), None));
        }
    }
    let named = foreign.operands.iter().cloned();
    pins.extend(named.zip(operands.into_iter().map(Some)));
    if foreign.control == Control::Elastic {
        pins.push(("result_valid".into(), None));
        pins.push(("result_ready".into(), one()));
    }
    pins.push((RESULT.into(), Some(RESULT.into())));
    pins
}

/// The files of the user's modules, each once, in the order of the modules.
pub fn sources(design: &Design) -> Vec<String> {
    let mut sources: Vec<String> = Vec::new();
    for module in design.modules.values() {
        let source = module
            .foreign
            .as_ref()
            .and_then(|foreign| foreign.source.clone());
        if let Some(source) = source.filter(|source| !sources.contains(source)) {
            sources.push(source);
        }
    }
    sources
}
