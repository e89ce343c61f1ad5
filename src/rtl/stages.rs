//! The items of a pipeline in the order of its stages, so that a text shows them one after the other.

use super::netlist::*;

/// A module of registers and operations without feedback, with a heading for each stage; other modules as they are.
pub(super) fn staged(module: &mut Module) {
    if let Some(stages) = stages(module) {
        let mut order: Vec<usize> = (0..module.items.len()).collect();
        // The registers at the end of a stage come after its operations.
        let place = |&i: &usize| {
            let is_register = matches!(module.items[i], Item::Register(_));
            (2 * stages[i] + u32::from(is_register), i)
        };
        order.sort_by_key(place);
        let mut items = Vec::with_capacity(module.items.len());
        let mut last = 0;
        for i in order {
            if stages[i] > last {
                last = stages[i];
                items.push(Item::Comment(format!("cycle {last}")));
            }
            items.push(module.items[i].clone());
        }
        module.items = items;
    }
}

/// For each item, the registers between the inputs and it; `None` if that is not the same on all ways, or has no end, or
/// there are other items.
fn stages(module: &Module) -> Option<Vec<u32>> {
    let mut of_net: Vec<Option<u32>> = vec![None; module.nets.len()];
    for port in module
        .ports
        .iter()
        .filter(|p| p.direction == Direction::Input)
    {
        of_net[port.net.index()] = Some(0);
    }
    let mut stages: Vec<Option<u32>> = vec![None; module.items.len()];
    // Users of each net, and how many operands each item still waits for.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); module.nets.len()];
    let mut waits = vec![0usize; module.items.len()];
    let mut ready = Vec::new();
    for (i, item) in module.items.iter().enumerate() {
        for net in operands(item)? {
            if of_net[net.index()].is_none() {
                users[net.index()].push(i);
                waits[i] += 1;
            }
        }
        if waits[i] == 0 {
            ready.push(i);
        }
    }
    while let Some(i) = ready.pop() {
        let item = &module.items[i];
        let latest = operands(item)?
            .into_iter()
            .filter_map(|net| of_net[net.index()]);
        let stage = latest.max().unwrap_or(0);
        stages[i] = Some(stage);
        let (out, at) = match item {
            Item::Assign { out, .. } => (*out, stage),
            Item::Register(register) => (register.out, stage + 1),
            _ => return None,
        };
        of_net[out.index()] = Some(at);
        for &user in &users[out.index()] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(user);
            }
        }
    }
    stages.into_iter().collect()
}

/// What an operation or register reads; `None` for other items.
fn operands(item: &Item) -> Option<Vec<NetId>> {
    let of = |operands: &[Operand]| operands.iter().filter_map(Operand::net).collect();
    match item {
        Item::Assign { expr, .. } => Some(of(&expr.operands())),
        Item::Register(Register {
            next, enable: None, ..
        }) => Some(of(std::slice::from_ref(next))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(module: &mut Module, name: &str, next: NetId) -> NetId {
        let out = module.net(name, 8);
        module.items.push(Item::Register(Register {
            out,
            next: next.into(),
            enable: None,
            reset: None,
            origin: None,
        }));
        out
    }

    fn invert(module: &mut Module, name: &str, value: NetId) -> NetId {
        let out = module.net(name, 8);
        module.items.push(Item::Assign {
            out,
            expr: Expr::Not(value.into()),
            origin: None,
        });
        out
    }

    fn driven(module: &Module) -> Vec<String> {
        let name = |net: NetId| module.nets[net].name.clone();
        let items = module.items.iter().map(|item| match item {
            Item::Assign { out, .. } => name(*out),
            Item::Register(register) => name(register.out),
            Item::Comment(text) => format!("// {text}"),
            _ => String::new(),
        });
        items.collect()
    }

    #[test]
    fn stages_follow_one_another() {
        let mut module = Module::default();
        let a = module.port(Direction::Input, "a", 8);
        let early = register(&mut module, "early", a);
        let x = invert(&mut module, "x", early);
        register(&mut module, "late", x);
        let y = invert(&mut module, "y", a);
        register(&mut module, "y1", y);
        staged(&mut module);
        assert_eq!(
            driven(&module),
            ["y", "early", "y1", "// cycle 1", "x", "late"]
        );
    }

    #[test]
    fn feedback_has_no_stages() {
        let mut module = Module::default();
        let held = module.net("held", 8);
        let next = invert(&mut module, "next", held);
        module.items.push(Item::Register(Register {
            out: held,
            next: next.into(),
            enable: None,
            reset: None,
            origin: None,
        }));
        staged(&mut module);
        assert_eq!(driven(&module), ["next", "held"]);
    }
}
