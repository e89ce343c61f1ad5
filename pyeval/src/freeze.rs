//! Freezing: what others rely on must not change any more.

use crate::value::{Class, Scope, Value};
use std::collections::HashSet;
use std::rc::Rc;

/// Forbids changes of everything that can be reached from a value.
pub fn freeze(value: &Value) {
    let mut rest = vec![value.clone()];
    // Values without a flag of their own may be shared any number of times.
    let mut seen: HashSet<*const ()> = HashSet::new();
    while let Some(value) = rest.pop() {
        let address: Option<*const ()> = match &value {
            Value::Tuple(items) => Some(Rc::as_ptr(items).cast()),
            Value::Function(f) => Some(Rc::as_ptr(f).cast()),
            Value::Bound(bound) => Some(Rc::as_ptr(bound).cast()),
            _ => None,
        };
        if address.is_some_and(|address| !seen.insert(address)) {
            continue;
        }
        match &value {
            Value::Tuple(items) => rest.extend(items.iter().filter(|v| compound(v)).cloned()),
            Value::List(items) if items.freeze() => {
                rest.extend(items.get().iter().filter(|v| compound(v)).cloned());
            }
            Value::Dict(items) if items.freeze() => {
                rest.extend(
                    items
                        .get()
                        .values()
                        .flat_map(|(k, v)| [k.clone(), v.clone()]),
                );
            }
            Value::Set(items) => {
                items.freeze();
            }
            Value::Table(table) => table.freeze(),
            Value::Object(object) if object.attrs.freeze() => {
                rest.extend(object.attrs.get().values().cloned());
                rest.push(Value::Class(object.class.clone()));
            }
            Value::Class(class) => freeze_class(class, &mut rest),
            Value::Function(f) => {
                rest.extend(f.defaults.iter().flatten().cloned());
                freeze_scope(f.scope.as_ref(), &mut rest);
            }
            Value::Bound(bound) => {
                rest.push(bound.callee.clone());
                rest.extend(bound.first.iter().cloned());
            }
            Value::Descriptor(_, f) => rest.push((**f).clone()),
            _ => {}
        }
    }
}

/// Whether a value can hold others; saves copying the rest.
fn compound(value: &Value) -> bool {
    !value.is_number() && !matches!(value, Value::Str(_) | Value::None)
}

fn freeze_class(class: &Rc<Class>, rest: &mut Vec<Value>) {
    if class.attrs.freeze() {
        rest.extend(class.attrs.get().values().cloned());
        rest.extend(class.bases.iter().cloned().map(Value::Class));
    }
}

fn freeze_scope(scope: Option<&Rc<Scope>>, rest: &mut Vec<Value>) {
    let mut next = scope.cloned();
    while let Some(scope) = next {
        if scope.frozen.replace(true) {
            return;
        }
        rest.extend(scope.vars.borrow().values().cloned());
        next = scope.parent.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::List;

    #[test]
    fn freezing_reaches_what_lists_hold() {
        let inner = Rc::new(List::new(vec![]));
        let outer = Value::list(vec![Value::List(inner.clone())]);
        freeze(&outer);
        assert!(inner.edit().is_none());
    }
}
