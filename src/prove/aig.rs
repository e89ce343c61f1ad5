//! And-inverter graphs: two-input ands and complemented edges, equal gates shared.
//!
//! Local rules as in Kuehlmann et al., Robust Boolean Reasoning (2002), and Brummayer and Biere, Local Two-Level
//! And-Inverter Graph Minimization (2006).

use std::collections::HashMap;
use std::ops::Not;

/// A node or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// Always 0.
    pub const FALSE: Lit = Lit(0);
    /// Always 1.
    pub const TRUE: Lit = Lit(1);

    /// The node, or its complement.
    pub fn new(node: usize, complemented: bool) -> Lit {
        Lit((node as u32) << 1 | u32::from(complemented))
    }
    /// A constant.
    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }
    /// The node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    /// Whether it is the node's complement.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }
    /// The value, of a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
    /// Complemented if `condition`.
    pub fn flip_if(self, condition: bool) -> Lit {
        Lit(self.0 ^ u32::from(condition))
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// 0; only node 0.
    False,
    /// Free, or defined outside of the graph.
    Free,
    /// Both.
    And(Lit, Lit),
}

/// The graph; nodes stand after their operands.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    known: HashMap<(Lit, Lit), u32>,
    /// Conjunctions asked for.
    asked: u64,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig {
            nodes: vec![Node::False],
            known: HashMap::new(),
            asked: 0,
        }
    }
}

impl Aig {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Conjunctions that were asked for, those that were no new gates included.
    pub fn asked(&self) -> u64 {
        self.asked
    }
    /// Never: the constant is there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// A node; `index` is below [`Aig::len`].
    pub fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }
    /// A new free bit.
    pub fn free(&mut self) -> Lit {
        self.nodes.push(Node::Free);
        Lit::new(self.nodes.len() - 1, false)
    }
    /// The operands of a literal that is an uncomplemented and.
    fn operands(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.nodes[lit.node()] {
            Node::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.asked += 1;
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        match (a, b) {
            (Lit::FALSE, _) => return Lit::FALSE,
            (Lit::TRUE, _) => return b,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        if let Some(simpler) = self.two_levels(a, b) {
            return simpler;
        }
        let nodes = &mut self.nodes;
        let node = *self.known.entry((a, b)).or_insert_with(|| {
            nodes.push(Node::And(a, b));
            (nodes.len() - 1) as u32
        });
        Lit::new(node as usize, false)
    }

    /// A conjunction that the operands of its operands decide.
    fn two_levels(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        for (x, y) in [(a, b), (b, a)] {
            let Some((p, q)) = self.operands(x) else {
                continue;
            };
            if x.is_complemented() {
                // !(p & q) & y
                if y == !p || y == !q {
                    return Some(y);
                }
                if y == p {
                    return Some(self.and(y, !q));
                }
                if y == q {
                    return Some(self.and(y, !p));
                }
            } else {
                if y == p || y == q {
                    return Some(x);
                }
                if y == !p || y == !q {
                    return Some(Lit::FALSE);
                }
            }
        }
        let ((p, q), (r, s)) = (self.operands(a)?, self.operands(b)?);
        let clash = p == !r || p == !s || q == !r || q == !s;
        match (a.is_complemented(), b.is_complemented()) {
            (false, false) if clash => Some(Lit::FALSE),
            (false, true) if clash => Some(a),
            (true, false) if clash => Some(b),
            // (p & q) & !(r & s) with p = r
            (false, true) if p == r || q == r => Some(self.and(a, !s)),
            (false, true) if p == s || q == s => Some(self.and(a, !r)),
            (true, false) if r == p || s == p => Some(self.and(b, !q)),
            (true, false) if r == q || s == q => Some(self.and(b, !p)),
            // !(p & q) & !(p & !q) = !p
            (true, true) if (p == r && q == !s) || (p == s && q == !r) => Some(!p),
            (true, true) if (q == s && p == !r) || (q == r && p == !s) => Some(!q),
            _ => None,
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }
    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_complemented() != b.is_complemented();
        let (a, b) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither).flip_if(flip)
    }
    /// `cond ? a : b`
    pub fn mux(&mut self, cond: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(cond, b);
        }
        let (cond, a, b) = if cond.is_complemented() {
            (!cond, b, a)
        } else {
            (cond, a, b)
        };
        let flip = b.is_complemented();
        let (a, b) = (a.flip_if(flip), b.flip_if(flip));
        let chosen = self.and(cond, a);
        let other = self.and(!cond, b);
        self.or(chosen, other).flip_if(flip)
    }

    /// Values of 64 assignments at once: of every node, given those of the free ones.
    pub fn simulate(&self, free: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut values = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            let value = match *node {
                Node::False => 0,
                Node::Free => free(index),
                Node::And(a, b) => value_of(&values, a) & value_of(&values, b),
            };
            values.push(value);
        }
        values
    }
}

/// Values of a literal, given those of the nodes.
pub fn value_of(values: &[u64], lit: Lit) -> u64 {
    let value = values[lit.node()];
    if lit.is_complemented() { !value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three variables, made in many ways, against their truth tables.
    #[test]
    fn gates_compute_their_functions() {
        let mut aig = Aig::default();
        let inputs: Vec<Lit> = (0..3).map(|_| aig.free()).collect();
        let tables = [0xaau8, 0xcc, 0xf0];
        let mut made: Vec<(Lit, u8)> = vec![(Lit::FALSE, 0), (Lit::TRUE, 0xff)];
        made.extend(inputs.iter().copied().zip(tables));
        let mut next = 0x2545_f491_4f6c_dd1du64;
        for _ in 0..4000 {
            next ^= next << 13;
            next ^= next >> 7;
            next ^= next << 17;
            let pick = |shift: u32| {
                let (lit, table) = made[(next >> shift) as usize % made.len()];
                let flip = next >> (shift + 9) & 1 == 1;
                (lit.flip_if(flip), if flip { !table } else { table })
            };
            let (a, b, c) = (pick(3), pick(17), pick(31));
            let new = match next % 4 {
                0 => (aig.and(a.0, b.0), a.1 & b.1),
                1 => (aig.or(a.0, b.0), a.1 | b.1),
                2 => (aig.xor(a.0, b.0), a.1 ^ b.1),
                _ => (aig.mux(a.0, b.0, c.0), a.1 & b.1 | !a.1 & c.1),
            };
            let values = aig.simulate(|node| {
                let of = inputs.iter().position(|l| l.node() == node);
                of.map_or(0, |i| u64::from(tables[i]))
            });
            assert_eq!(value_of(&values, new.0) as u8, new.1);
            made.push(new);
            if made.len() > 60 {
                made.drain(5..30);
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut aig = Aig::default();
        let (a, b) = (aig.free(), aig.free());
        assert_eq!(aig.xor(a, b), aig.xor(b, a));
        assert_eq!(aig.xor(!a, b), !aig.xor(a, b));
        assert_eq!(aig.mux(a, b, !b), aig.xor(a, !b));
        let both = aig.and(a, b);
        assert_eq!(aig.and(both, a), both);
        assert_eq!(aig.and(both, !b), Lit::FALSE);
    }
}
