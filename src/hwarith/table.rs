//! Tables of constants that a graph looks values up in.

use super::types::HwType;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Words up to which a table is made of lookup tables.
const LOGIC_WORDS: usize = 64;

/// A power of two of words. A lookup is exact: the word of the address, in the narrowest type that holds all words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    words: Vec<BigInt>,
}

impl Table {
    /// The words by their addresses; up to a power of two, the last one is repeated. `None` if there are none.
    pub fn new(mut words: Vec<BigInt>) -> Option<Table> {
        let last = words.last()?.clone();
        words.resize(words.len().next_power_of_two(), last);
        Some(Table { words })
    }
    /// Whether it is made of lookup tables, not of block RAM.
    pub fn is_logic(&self) -> bool {
        self.words.len() <= LOGIC_WORDS
    }
    /// The words.
    pub fn words(&self) -> &[BigInt] {
        &self.words
    }
    /// The type of an address: every value of it has a word. A table of one word has addresses of one bit too.
    pub fn address(&self) -> HwType {
        HwType::ui(self.words.len().trailing_zeros().max(1))
    }
    /// The type of a word.
    pub fn word(&self) -> HwType {
        let (lo, hi) = self.range();
        HwType::of_range(lo, hi)
    }
    /// The least and the greatest word.
    pub fn range(&self) -> (&BigInt, &BigInt) {
        let last = self.words.len() - 1;
        let ends = self.words.iter().fold(None, |ends, word| match ends {
            None => Some((word, word)),
            Some((lo, hi)) => Some((word.min(lo), word.max(hi))),
        });
        ends.unwrap_or((&self.words[last], &self.words[last]))
    }
    /// The word of an address, which is of the type of [`Table::address`].
    pub fn get(&self, address: &BigInt) -> &BigInt {
        let last = self.words.len() - 1;
        &self.words[address.to_usize().map_or(last, |at| at.min(last))]
    }
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval;
    use super::super::fast::Fast;
    use super::super::graph::{self, Graph};
    use super::super::{builder, text};
    use super::*;
    use crate::diagnostics::SourceMap;

    fn squares(signed: bool) -> Graph {
        let mut g = Graph::new();
        let x = g.input(0, HwType::ui(3));
        let words = (0..6).map(|i| BigInt::from(i * i - i32::from(signed) * 9));
        let y = g.table(words.collect(), x);
        let one = g.constant(1);
        let sum = g.add(y, one);
        g.outputs.push(sum);
        g
    }

    #[test]
    fn a_table_is_evaluated_rebuilt_and_read_back() {
        for signed in [false, true] {
            let graph = squares(signed);
            graph.validate().expect("valid");
            let rebuilt = builder::rebuild(&graph);
            rebuilt.validate().expect("valid");
            let file = SourceMap::default().add("graph", "");
            let read = text::parse(file, &graph.print(0)).expect("its own text");
            for x in 0..8i32 {
                let square = x.min(5) * x.min(5);
                let wanted = [BigInt::from(square - i32::from(signed) * 9 + 1)];
                for graph in [&graph, &rebuilt, &read] {
                    assert_eq!(eval(graph, &[BigInt::from(x)]), wanted);
                }
                let ty = graph.ty(graph.outputs[0]);
                let bits = HwType::ui(ty.width).wrap(&wanted[0]);
                let mut fast = Fast::new(&graph).expect("narrow");
                assert_eq!(BigInt::from(fast.eval(&[&[x as u128]])[0]), bits);
            }
        }
    }

    #[test]
    fn an_address_of_any_range_finds_its_word() {
        for (from, width) in [(0, 1), (5, 1), (0, 2), (2, 3), (0, 3), (3, 5)] {
            let mut b = builder::Builder::new();
            let input = b.opaque(graph::Op::Input(0), vec![], HwType::ui(width));
            let from = b.constant(from);
            let address = b.add(input, from);
            let start = b.as_const(from).cloned().unwrap_or_default();
            for words in [vec![7; 8], (0..8).map(|i| i * i - 9).collect()] {
                let table = Table::new(words.iter().map(|&word: &i32| word.into()).collect());
                let output = b.table(table.expect("words"), address);
                let mut graph = b.graph.clone();
                graph.outputs.push(output);
                graph.validate().expect("valid");
                for x in 0..1 << width {
                    let at = (x + start.to_usize().unwrap_or(0)) % 8;
                    assert_eq!(eval(&graph, &[BigInt::from(x)]), [BigInt::from(words[at])]);
                }
            }
        }
    }

    #[test]
    fn a_constant_address_folds_and_the_range_is_that_of_the_words() {
        let graph = squares(false);
        let mut b = builder::Builder::new();
        let five = b.constant(5);
        let output = b.inline(&graph, &[five])[0];
        assert_eq!(b.as_const(output), Some(&BigInt::from(26)));
        let mut b = builder::Builder::new();
        let inputs = b.inputs(&graph);
        let output = b.inline(&graph, &inputs)[0];
        let range = b.range(output);
        assert_eq!((&range.lo, &range.hi), (&1.into(), &26.into()));
    }
}
