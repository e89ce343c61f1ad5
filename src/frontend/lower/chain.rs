//! Chains of `+ -` and of `*`: typed as a whole where all terms are integers.

use super::lowerer::Lowerer;
use crate::diagnostics::Span;
use crate::frontend::builder::Operator as Registered;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::operators::{self, build};
use crate::frontend::values::{Operand, Value};
use crate::ir::Scalar;
use pyeval::Names;
use ruff_python_ast::{Expr, Operator};
use ruff_text_size::Ranged;

/// Which operators a chain flattens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `+` and `-`; the flag says that the right side is subtracted.
    Sum(bool),
    /// `*`.
    Product,
}

impl Kind {
    fn same_chain(self, other: Kind) -> bool {
        matches!(
            (self, other),
            (Kind::Sum(_), Kind::Sum(_)) | (Kind::Product, Kind::Product)
        )
    }
    fn operator(self) -> &'static Registered {
        operators::by_key(match self {
            Kind::Sum(false) => "add",
            Kind::Sum(true) => "sub",
            Kind::Product => "mul",
        })
    }
}

/// The chain that a Python operator belongs to.
pub(super) fn kind_of(op: Operator) -> Option<Kind> {
    match op {
        Operator::Add => Some(Kind::Sum(false)),
        Operator::Sub => Some(Kind::Sum(true)),
        Operator::Mult => Some(Kind::Product),
        _ => None,
    }
}

/// What the terms of a subtree are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Terms {
    /// All known, all integers.
    KnownIntegers,
    /// All known, some not integers.
    Known,
    /// All integers, some not known.
    Integers,
    /// Some floats, not all known: reassociated only with `fast_math`.
    Floats,
    /// Anything else.
    Other,
}

enum Tree {
    Leaf(Operand),
    Node {
        kind: Kind,
        left: Box<Tree>,
        right: Box<Tree>,
        terms: Terms,
        span: Span,
    },
}

impl Tree {
    fn node(kind: Kind, left: Tree, right: Tree, span: Span) -> Tree {
        let terms = join(left.terms(), right.terms());
        Tree::Node {
            kind,
            left: Box::new(left),
            right: Box::new(right),
            terms,
            span,
        }
    }

    fn terms(&self) -> Terms {
        match self {
            Tree::Node { terms, .. } => *terms,
            Tree::Leaf(operand) => match &operand.value {
                Value::Const(ConstValue::Int(_) | ConstValue::Bool(_)) => Terms::KnownIntegers,
                Value::Const(_) => Terms::Known,
                Value::Scalar(typed) => match typed.ty {
                    Scalar::Int { .. } => Terms::Integers,
                    Scalar::Float(_) | Scalar::Storage(_) => Terms::Floats,
                    Scalar::Index => Terms::Other,
                },
                _ => Terms::Other,
            },
        }
    }

    fn span(&self) -> Span {
        match self {
            Tree::Leaf(operand) => operand.span,
            Tree::Node { span, .. } => *span,
        }
    }

    /// The same tree with other leaves, from left to right.
    fn with_leaves(&self, leaves: &mut impl Iterator<Item = Operand>) -> Tree {
        match self {
            Tree::Leaf(old) => Tree::Leaf(leaves.next().unwrap_or_else(|| old.clone())),
            Tree::Node {
                kind,
                left,
                right,
                span,
                ..
            } => {
                let left = left.with_leaves(leaves);
                let right = right.with_leaves(leaves);
                Tree::node(*kind, left, right, *span)
            }
        }
    }

    fn flatten<'t>(&'t self, negated: bool, out: &mut Vec<(&'t Operand, bool)>) {
        match self {
            Tree::Leaf(operand) => out.push((operand, negated)),
            Tree::Node {
                kind, left, right, ..
            } => {
                left.flatten(negated, out);
                right.flatten(negated != (*kind == Kind::Sum(true)), out);
            }
        }
    }
}

fn join(a: Terms, b: Terms) -> Terms {
    use Terms::{Floats, Integers, Known, KnownIntegers, Other};
    match (a, b) {
        (Other, _) | (_, Other) => Other,
        (KnownIntegers, KnownIntegers) => KnownIntegers,
        (Known | KnownIntegers, Known | KnownIntegers) => Known,
        (Integers | KnownIntegers, Integers | KnownIntegers) => Integers,
        _ => Floats,
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// An expression whose outermost operator is of a chain.
    pub(super) fn chain(&mut self, expr: &'a Expr, kind: Kind) -> Result<Value> {
        let tree = self.tree(expr, kind)?;
        self.lower_tree(&tree)
    }

    /// The chain `current op value` of an augmented assignment.
    pub(super) fn chain_from(
        &mut self,
        current: Operand,
        kind: Kind,
        value: &'a Expr,
        span: Span,
    ) -> Result<Value> {
        let right = self.tree(value, kind)?;
        let tree = Tree::node(kind, Tree::Leaf(current), right, span);
        self.lower_tree(&tree)
    }

    /// Evaluates the leaves, from left to right.
    fn tree(&mut self, expr: &'a Expr, kind: Kind) -> Result<Tree> {
        if let Expr::BinOp(e) = expr
            && let Some(own) = kind_of(e.op).filter(|own| own.same_chain(kind))
        {
            let left = self.tree(&e.left, kind)?;
            let right = self.tree(&e.right, kind)?;
            return Ok(Tree::node(own, left, right, self.span(expr.range())));
        }
        self.operand(expr).map(Tree::Leaf)
    }

    /// A chain with shaped leaves is one loop nest around the chain of their elements.
    fn lower_tree(&mut self, tree: &Tree) -> Result<Value> {
        let mut leaves = Vec::new();
        tree.flatten(false, &mut leaves);
        let leaves: Vec<&Operand> = leaves.into_iter().map(|leaf| leaf.0).collect();
        if leaves.len() == 1 || !leaves.iter().any(|leaf| leaf.is_shaped()) {
            return self.lower_scalars(tree);
        }
        let span = tree.span();
        let (nest, scalars) = self.b.enter_elements(&leaves, None, span)?;
        let inside = tree.with_leaves(&mut scalars.into_iter());
        let value = self.lower_scalars(&inside);
        let name = match tree {
            Tree::Node { kind, .. } => kind.operator().key,
            Tree::Leaf(_) => "value",
        };
        self.b.leave_elements(nest, value, None, name)
    }

    fn lower_scalars(&mut self, tree: &Tree) -> Result<Value> {
        let (kind, left, right, terms, span) = match tree {
            Tree::Leaf(operand) => return Ok(operand.value.clone()),
            Tree::Node {
                kind,
                left,
                right,
                terms,
                span,
            } => (*kind, left, right, *terms, *span),
        };
        let whole = match terms {
            Terms::Integers => true,
            Terms::Floats => self.options.fast_math,
            _ => false,
        };
        let whole = whole && kind.operator().typing.has_chain(self.options.style);
        if whole {
            let mut flat = Vec::new();
            tree.flatten(false, &mut flat);
            return match kind {
                Kind::Sum(_) => build::sum_of(&mut self.b, kind.operator().key, &flat, span),
                Kind::Product => {
                    let factors: Vec<&Operand> = flat.into_iter().map(|t| t.0).collect();
                    build::product_of(&mut self.b, &factors, span)
                }
            };
        }
        let operands = [self.subtree(left)?, self.subtree(right)?];
        self.b.apply(kind.operator(), &operands, None, span)
    }

    fn subtree(&mut self, tree: &Tree) -> Result<Operand> {
        Ok(Operand {
            value: self.lower_scalars(tree)?,
            span: tree.span(),
        })
    }
}
