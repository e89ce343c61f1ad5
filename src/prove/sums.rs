//! Sums and products as polynomials: words that are equal as sums of weighted bits are the same bits.
//!
//! A sum is a linear form over literals, modulo a power of two; a product multiplies the forms, with the and of two
//! literals as its monomials. The bits of a form are free nodes until somebody asks for their gates, and a
//! form that reads all bits of another takes in that form. So a product that is cut into blocks and put
//! together again is the same form as the product, whatever the order of the additions, which no SAT solver
//! could find out. The idea is that of the algebraic methods for multipliers (Ciesielski et al., Function
//! Verification of Combinational Arithmetic Circuits, 2015), applied while building.

use super::aig::{Aig, Lit, Node};
use super::bits::{self, trimmed, weights};
use super::linear::{Linear, congruent, digests, low, ones, without_carries};
use super::quotients::{Quotient, quotients};
use crate::hwarith::HwType;
use crate::hwarith::interval::Interval;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cell::Cell;
use std::collections::HashMap;

/// Terms of a form beyond which it takes in no other.
const MAX_TERMS: usize = 60_000;
/// Forms that are tried for one bit, the newest first.
const MAX_FORMS: usize = 6;
/// Bits of a product that is put together to recognise it.
const MAX_PRODUCT: u32 = 20_000;

/// Bits that are the value of a form.
#[derive(Clone, Debug)]
struct Form {
    /// Numbers in `0 .. 2^width`.
    linear: Linear,
    ty: HwType,
    /// Nodes of the bits, lowest first.
    bits: Vec<u32>,
    /// The forms over the integers whose values the bits are, read as an unsigned and as a signed number; `None` if they
    /// are equal only modulo 2^width.
    exact: [Option<Linear>; 2],
    /// Bits below it that needed no carry when it was made, lowest first.
    below: Vec<Lit>,
}

/// All forms with the graph that holds their bits.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// Gates; the bits of forms are free nodes.
    pub aig: Aig,
    forms: Vec<Form>,
    known: HashMap<(Linear, HwType), usize>,
    /// A form by the digest of its low bits and the highest of them.
    by_digest: HashMap<(u128, u32), usize>,
    /// The forms that a node is a bit of.
    forms_of: HashMap<u32, Vec<usize>>,
    truncated: HashMap<Vec<Lit>, Vec<Lit>>,
    /// Of trimmed words.
    ranges: HashMap<Vec<Lit>, Interval>,
    quotients: Vec<Quotient>,
    /// The quotient that a node is a bit of.
    quotient_of: HashMap<u32, usize>,
    by_numerator: HashMap<(Vec<Lit>, BigInt), usize>,
    /// Terms of forms that were looked at.
    touched: Cell<u64>,
}

impl Sums {
    /// Work so far: conjunctions asked for, and terms of forms that were looked at.
    pub fn work(&self) -> (u64, u64) {
        (self.aig.asked(), self.touched.get())
    }

    /// Counts a look at a form, in which each term is touched so many times.
    fn touch(&self, linear: &Linear, times: usize) {
        let count = (linear.terms.len() + 1) * times;
        self.touched.set(self.touched.get() + count as u64);
    }

    /// The low `width` bits of a form's value, which is known to lie in `range` if it is given: as an unsigned
    /// number if that has no negative numbers, else in two's complement.
    pub fn bits(&mut self, mut linear: Linear, width: u32, range: Option<Interval>) -> Vec<Lit> {
        let range = range.filter(|r| r.ty().width <= width);
        // Reduced, centred, ranges taken, digested, compared.
        self.touch(&linear, 8);
        linear.reduce(width);
        self.take_in(&mut linear, width);
        let (mut bits, linear) = without_carries(linear, width);
        let left = width - bits.len() as u32;
        if left > 0 {
            let shift = bits.len();
            let rest = range.as_ref();
            let rest = rest.map(|r| Interval::new(&r.lo >> shift, &r.hi >> shift));
            let form = self.form_bits(linear, left, rest, &bits);
            bits.extend(form);
        }
        if let Some(range) = range {
            self.ranges.insert(trimmed(&bits).to_vec(), range);
        }
        bits
    }

    /// What is known of a word as an integer: unsigned if its top bit is always 0, else in two's complement.
    pub fn range_of(&self, word: &[Lit]) -> Interval {
        let word = trimmed(word);
        let signed = word.last() != Some(&Lit::FALSE);
        let known = self.ranges.get(word);
        // A range of unsigned numbers tells nothing of the same bits in two's complement.
        match known.filter(|range| range.ty().signed == signed) {
            Some(range) => range.clone(),
            None => Interval::of_type(match signed {
                true => HwType::si(word.len() as u32),
                false => HwType::ui((word.len() as u32 - 1).max(1)),
            }),
        }
    }

    /// Bits of a form that needs carries, made at the least width and extended.
    fn form_bits(
        &mut self,
        linear: Linear,
        width: u32,
        range: Option<Interval>,
        below: &[Lit],
    ) -> Vec<Lit> {
        // The form as an integer, which is the value where it fits the width.
        let centred = linear.centred(width);
        let as_unsigned = linear.range().ty();
        let as_signed = centred.range();
        let as_signed = HwType::si(as_signed.ty().width + u32::from(!as_signed.ty().signed));
        let range = range.map(|r| r.ty());
        let bounds = [Some(as_unsigned), Some(as_signed), range];
        // Of two readings in as many bits that by which the value is known.
        let signed = range.is_some_and(|ty| ty.signed);
        let needed = bounds
            .into_iter()
            .flatten()
            .filter(|ty| ty.width <= width)
            .min_by_key(|ty| (ty.width, ty.signed != signed));
        let ty = needed.unwrap_or(HwType::ui(width));
        // Read by its type, a value that fits `ty` is that of a form that does not overflow; read otherwise, of one that
        // fits `ty` as it is.
        let fits = |needed: HwType, signed: bool| match ty.signed == signed {
            true => needed.width <= width,
            false => needed.width <= ty.width,
        };
        let unsigned = match fits(as_unsigned, false) {
            true => Some(linear.clone()),
            false => {
                let narrower = !ty.signed && ty.width < width && as_signed.width <= width;
                narrower.then(|| centred.clone())
            }
        };
        let exact = [unsigned, fits(as_signed, true).then_some(centred)];
        let mut form = linear;
        form.reduce(ty.width);
        let id = self.intern(form, ty, exact, below);
        let bits = &self.forms[id].bits;
        let bit = |i: u32| Lit::new(bits[i as usize] as usize, false);
        (0..width)
            .map(|i| match (i < ty.width, ty.signed) {
                (true, _) => bit(i),
                (false, true) => bit(ty.width - 1),
                (false, false) => Lit::FALSE,
            })
            .collect()
    }

    /// A bit depends on the bits of the numbers up to its own position alone. So forms that are equal modulo a
    /// power of two share the bits below it.
    fn intern(
        &mut self,
        linear: Linear,
        ty: HwType,
        exact: [Option<Linear>; 2],
        below: &[Lit],
    ) -> usize {
        let key = (linear, ty);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let linear = key.0.clone();
        let digests = digests(&linear, ty.width);
        let shared = (0..ty.width).rev().find_map(|top| {
            let &other = self.by_digest.get(&(digests[top as usize], top))?;
            let other = &self.forms[other];
            let is_equal = congruent(&linear, &other.linear, top + 1);
            is_equal.then(|| other.bits[..=top as usize].to_vec())
        });
        let id = self.forms.len();
        let mut bits = shared.unwrap_or_default();
        let quotient = self.quotient_in(&linear, ty.width, below);
        let fresh = quotient.as_ref().map_or(ty.width, |(shift, _)| *shift);
        if quotient.is_some() {
            bits.truncate(fresh as usize);
        }
        while bits.len() < fresh as usize {
            let digest = (digests[bits.len()], bits.len() as u32);
            self.by_digest.insert(digest, id);
            bits.push(self.aig.free().node() as u32);
        }
        bits.extend(quotient.into_iter().flat_map(|(_, bits)| bits));
        for &bit in bits.iter().filter(|&&bit| bit != 0) {
            self.forms_of.entry(bit).or_default().push(id);
        }
        self.forms.push(Form {
            linear,
            ty,
            bits,
            exact,
            below: below.to_vec(),
        });
        self.known.insert(key, id);
        id
    }

    /// The quotient of a two's complement number by a positive constant, as [`super::quotients`] defines it, in two's
    /// complement.
    pub fn quotient(&mut self, numerator: &[Lit], divisor: &BigInt) -> Vec<Lit> {
        let numerator = trimmed(numerator).to_vec();
        let range = self.range_of(&numerator);
        let bounds = quotients(&range, divisor);
        if let Some(value) = bounds.as_point() {
            return bits::constant(value, value.bits() as u32 + 1);
        }
        if bounds.lo == -BigInt::one() && bounds.hi.is_zero() {
            return vec![numerator[numerator.len() - 1]];
        }
        let key = (numerator, divisor.clone());
        let id = match self.by_numerator.get(&key) {
            Some(&id) => id,
            None => {
                let id = self.define_quotient(&key.0, divisor, range, &bounds);
                self.by_numerator.insert(key, id);
                id
            }
        };
        let Quotient { bits, ty, .. } = &self.quotients[id];
        let bits = bits.iter().map(|&node| Lit::new(node as usize, false));
        let mut word: Vec<Lit> = bits.collect();
        if !ty.signed {
            word.push(Lit::FALSE);
        }
        self.ranges.insert(trimmed(&word).to_vec(), bounds);
        word
    }

    fn define_quotient(
        &mut self,
        numerator: &[Lit],
        divisor: &BigInt,
        range: Interval,
        bounds: &Interval,
    ) -> usize {
        let modulus = 4 * numerator.len() as u32 + 128;
        let mut linear = Linear::default();
        for (bit, weight) in weights(numerator) {
            linear.add_lit(bit, &weight);
        }
        linear.reduce(modulus);
        self.take_in(&mut linear, modulus);
        let (id, ty) = (self.quotients.len(), bounds.ty());
        let bits: Vec<u32> = (0..ty.width)
            .map(|_| self.aig.free().node() as u32)
            .collect();
        self.quotient_of.extend(bits.iter().map(|&bit| (bit, id)));
        self.quotients.push(Quotient {
            numerator: numerator.to_vec(),
            range,
            divisor: divisor.clone(),
            linear,
            modulus,
            bits,
            ty,
        });
        id
    }

    /// If a form's value shifted right is a known quotient: by how much, and the bits from there on.
    ///
    /// Of a product in parts the low bits may not be in the form: `below` it, or never added up. They are put back: `v`
    /// becomes `2^j v + r` with `0 <= r < 2^j`, which gives the same quotient by a shift that is `j` longer.
    fn quotient_in(&self, linear: &Linear, width: u32, below: &[Lit]) -> Option<(u32, Vec<u32>)> {
        if self.quotients.is_empty() {
            return None;
        }
        let (mut linear, mut whole) = (linear.clone(), width);
        let mut rest = Some(below.to_vec());
        while let Some(bits) = rest.filter(|_| whole <= MAX_PRODUCT) {
            let count = bits.len() as u32;
            whole += count;
            self.touch(&linear, 4 + self.quotients.len());
            linear.terms.values_mut().for_each(|c| *c <<= count);
            linear.constant <<= count;
            linear.add_word(&bits, &BigInt::one());
            linear.reduce(whole);
            self.take_in(&mut linear, whole);
            let mut known = self.quotients.iter();
            let found = known.find_map(|q| Some((q.shift_of(&linear, whole)?, q)));
            if let Some((shift, quotient)) = found {
                let shift = u32::checked_sub(shift, whole - width)?;
                let fill = match quotient.ty.signed {
                    true => quotient.bits.last().copied().unwrap_or(0),
                    false => 0,
                };
                let bits = quotient.bits.iter().copied().chain(std::iter::repeat(fill));
                return Some((shift, bits.take((width - shift) as usize).collect()));
            }
            rest = self.cut_off(&linear);
        }
        None
    }

    /// The bits below the lowest one that a form reads of another.
    fn cut_off(&self, linear: &Linear) -> Option<Vec<Lit>> {
        let odd = linear.terms.iter().rev().filter(|(_, c)| c.bit(0));
        let pairs = odd.flat_map(|(node, _)| {
            let forms = self.forms_of.get(&node).into_iter().flatten();
            forms
                .rev()
                .take(MAX_FORMS)
                .map(move |id| (&self.forms[*id], node))
        });
        let mut found = pairs.filter_map(|(form, node)| {
            let at = form
                .bits
                .iter()
                .position(|&bit| bit == node)
                .filter(|&at| at > 0)?;
            let bits = form.bits[..at]
                .iter()
                .map(|&bit| Lit::new(bit as usize, false));
            Some(form.below.iter().copied().chain(bits).collect())
        });
        found.next()
    }

    /// Replaces the bits of whole forms by those forms.
    fn take_in(&self, linear: &mut Linear, width: u32) {
        // A form's terms are older than the newest of its bits, so that one way down is enough.
        let mut below = u32::MAX;
        while let Some(node) = linear.terms.before(below) {
            below = node;
            let forms = self.forms_of.get(&node).into_iter().flatten();
            for form in forms.rev().take(MAX_FORMS).map(|&id| &self.forms[id]) {
                let size = linear.terms.len() + form.linear.terms.len();
                if size <= MAX_TERMS && self.take_in_form(linear, width, form) {
                    break;
                }
            }
        }
    }

    /// Whether all bits of the form that matter are there, and are replaced.
    ///
    /// Bits that it shares with other forms may count for those as well: what is left of them stays.
    fn take_in_form(&self, linear: &mut Linear, width: u32, form: &Form) -> bool {
        self.touch(&form.linear, 1);
        let Some(scale) = self.scale_of(linear, width, form) else {
            return false;
        };
        // From this bit on the scaled form does not matter modulo 2^width.
        let reach = width - scale.trailing_zeros().unwrap_or(0) as u32;
        let count = reach.min(form.ty.width);
        let whole = reach > form.ty.width;
        let bits = &form.bits[..count as usize];
        let top = bits.len() - 1;
        // The highest bit of a signed number counts negatively, in all its copies together.
        let signed = match linear.terms.get(bits[top]) {
            _ if !whole => false,
            Some(there) if *there == low(&-(&scale << top), width) => true,
            Some(there) if *there == low(&(&scale << top), width) => false,
            _ => form.ty.signed,
        };
        let value = match &form.exact[usize::from(signed)] {
            _ if !whole => &form.linear,
            Some(exact) => exact,
            None => return false,
        };
        let weight = |i: usize| {
            let weight = &scale << i;
            low(&if signed && i == top { -weight } else { weight }, width)
        };
        let fits = |(i, bit): (usize, &u32)| match linear.terms.get(*bit) {
            Some(there) => *there == weight(i) || !self.is_own(*bit),
            None => false,
        };
        if !bits.iter().enumerate().all(fits) {
            return false;
        }
        for (i, bit) in bits.iter().enumerate() {
            *linear.terms.of(*bit) -= weight(i);
        }
        linear.add_linear(value, &scale);
        linear.reduce(width);
        true
    }

    /// Whether a node is a bit of one form alone.
    fn is_own(&self, bit: u32) -> bool {
        self.forms_of
            .get(&bit)
            .is_some_and(|forms| forms.len() == 1)
    }

    /// What a form is multiplied by in another one: the coefficient of its lowest bit that is no other form's.
    fn scale_of(&self, linear: &Linear, width: u32, form: &Form) -> Option<BigInt> {
        let own = form.bits.iter().position(|&bit| self.is_own(bit));
        let at = own.filter(|&at| at < width as usize).unwrap_or(0);
        let coefficient = linear.terms.get(form.bits[at])?;
        let scale = coefficient >> at;
        if &scale << at != *coefficient {
            return None;
        }
        // Its highest bits are lost; it is taken for a number of small magnitude.
        let left = width - at as u32;
        let negative = scale.bit(u64::from(left) - 1);
        let scale = match negative {
            true => low(&(scale - (BigInt::one() << left)), width),
            false => scale,
        };
        (!scale.is_zero()).then_some(scale)
    }

    /// The low bits of a word, by the form that they have at their own width: it takes in more.
    pub fn truncate(&mut self, word: &[Lit]) -> Vec<Lit> {
        let is_sum = |bit: &Lit| self.forms_of.contains_key(&(bit.node() as u32));
        if !word.iter().any(is_sum) {
            return word.to_vec();
        }
        if let Some(known) = self.truncated.get(word) {
            return known.clone();
        }
        let mut linear = Linear::default();
        linear.add_word(word, &BigInt::one());
        let result = self.bits(linear, word.len() as u32, None);
        self.truncated.insert(word.to_vec(), result.clone());
        result
    }

    /// The same word, by the bits of one form if it is put together from parts of several.
    pub fn join(&mut self, word: Vec<Lit>) -> Vec<Lit> {
        let forms = word
            .iter()
            .filter_map(|bit| self.forms_of.get(&(bit.node() as u32)));
        let mut forms = forms.map(|ids| ids[0]);
        let first = forms.next();
        if !forms.any(|id| Some(id) != first) {
            return word;
        }
        let mut linear = Linear::default();
        linear.add_word(&word, &BigInt::one());
        let width = word.len() as u32;
        linear.reduce(width);
        self.take_in(&mut linear, width);
        let (mut bits, linear) = without_carries(linear, width);
        match self.existing(&linear, width - bits.len() as u32) {
            Some(rest) => {
                bits.extend(rest);
                bits
            }
            None => word,
        }
    }

    /// The bits of a form modulo `2^width`, if they have been made.
    fn existing(&self, linear: &Linear, width: u32) -> Option<Vec<Lit>> {
        if width == 0 {
            return Some(Vec::new());
        }
        let digests = digests(linear, width);
        let (top, form) = (0..width).rev().find_map(|top| {
            let &id = self.by_digest.get(&(digests[top as usize], top))?;
            let form = &self.forms[id];
            congruent(linear, &form.linear, top + 1).then_some((top, form))
        })?;
        let bits = form.bits[..=top as usize].iter();
        let bits: Vec<Lit> = bits.map(|&node| Lit::new(node as usize, false)).collect();
        let is_whole = form.ty.width == top + 1;
        if top + 1 == width {
            return Some(bits);
        }
        let read = |signed: &bool| {
            let exact = form.exact[usize::from(*signed)].as_ref();
            is_whole && exact.is_some_and(|e| congruent(linear, e, width))
        };
        let signed = [false, true].into_iter().find(read)?;
        Some(bits::extend(&bits, width, signed))
    }

    /// Low `width` bits of the product of two's complement numbers; `range` as for [`Sums::bits`].
    pub fn product(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        width: u32,
        range: Option<Interval>,
    ) -> Vec<Lit> {
        let mut result = Linear::default();
        let (a, b) = (weights(a), weights(b));
        // Bits stay complemented as they are: as 1 - bit they would make the form's range wider than the product's.
        for (x, c) in &a {
            for (y, d) in &b {
                let weight = low(&(c * d), width);
                if !weight.is_zero() {
                    result.add_lit(self.aig.and(*x, *y), &weight);
                }
            }
        }
        self.bits(result, width, range)
    }

    /// Gates alone: the cones of `roots` with the bits of forms replaced by adders. Returns the graph, the roots
    /// in it, and for each of its free nodes the node here.
    pub fn lower(&self, roots: &[Lit]) -> (Aig, Vec<Lit>, HashMap<usize, usize>) {
        let mut lowering = Lowering {
            sums: self,
            aig: Aig::default(),
            map: HashMap::from([(0, Lit::FALSE)]),
            origin: HashMap::new(),
        };
        let lowered = roots.iter().map(|&root| lowering.lit(root)).collect();
        (lowering.aig, lowered, lowering.origin)
    }
}

struct Lowering<'s> {
    sums: &'s Sums,
    aig: Aig,
    map: HashMap<u32, Lit>,
    origin: HashMap<usize, usize>,
}

impl<'s> Lowering<'s> {
    fn lit(&mut self, lit: Lit) -> Lit {
        let mut stack = vec![lit.node() as u32];
        while let Some(&node) = stack.last() {
            if self.map.contains_key(&node) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.operands(node, &mut stack);
            if stack.len() == before {
                stack.pop();
                self.make(node);
            }
        }
        self.mapped(lit)
    }

    fn quotient_of(&self, node: u32) -> Option<&'s Quotient> {
        Some(&self.sums.quotients[*self.sums.quotient_of.get(&node)?])
    }

    /// The form that a bit was made for.
    fn form_of(&self, node: u32) -> Option<&'s Form> {
        let id = *self.sums.forms_of.get(&node)?.first()?;
        Some(&self.sums.forms[id])
    }

    fn mapped(&self, lit: Lit) -> Lit {
        self.map[&(lit.node() as u32)].flip_if(lit.is_complemented())
    }

    /// Pushes the operands that are not made yet.
    fn operands(&self, node: u32, stack: &mut Vec<u32>) {
        let mut need = |n: u32| {
            if !self.map.contains_key(&n) {
                stack.push(n);
            }
        };
        if let Some(quotient) = self.quotient_of(node) {
            let numerator = quotient.numerator.iter();
            return numerator.for_each(|l| need(l.node() as u32));
        }
        match (self.sums.aig.node(node as usize), self.form_of(node)) {
            (Node::And(a, b), _) => [a, b].iter().for_each(|l| need(l.node() as u32)),
            (_, Some(form)) => form.linear.terms.iter().for_each(|(n, _)| need(n)),
            _ => {}
        }
    }

    fn make(&mut self, node: u32) {
        if let Some(quotient) = self.quotient_of(node) {
            let numerator = quotient.numerator.iter();
            let numerator: Vec<Lit> = numerator.map(|&l| self.mapped(l)).collect();
            let gates = quotient.gates(&mut self.aig, &numerator);
            let bits = quotient.bits.iter().copied();
            self.map.extend(bits.zip(gates));
            return;
        }
        match (self.sums.aig.node(node as usize), self.form_of(node)) {
            (Node::And(a, b), _) => {
                let (a, b) = (self.mapped(a), self.mapped(b));
                let both = self.aig.and(a, b);
                self.map.insert(node, both);
            }
            (_, Some(form)) => self.adders(form),
            _ => {
                let free = self.aig.free();
                self.origin.insert(free.node(), node as usize);
                self.map.insert(node, free);
            }
        }
    }

    /// Column compression with full adders, first in first out (Dadda 1965).
    fn adders(&mut self, form: &Form) {
        let mut columns: Vec<Vec<Lit>> = vec![Vec::new(); form.ty.width as usize];
        let mut constant = form.linear.constant.clone();
        let modulus = BigInt::one() << form.ty.width;
        for (node, coefficient) in form.linear.terms.iter() {
            let mut lit = self.map[&node];
            let opposite = &modulus - coefficient;
            let weights = if ones(&opposite) < ones(coefficient) {
                // -cb = c!b - c
                lit = !lit;
                constant -= &opposite;
                opposite
            } else {
                coefficient.clone()
            };
            for (i, column) in columns.iter_mut().enumerate() {
                if weights.bit(i as u64) {
                    column.push(lit);
                }
            }
        }
        let constant = low(&constant, form.ty.width);
        let mut carries: Vec<Lit> = Vec::new();
        for (i, mut column) in columns.into_iter().enumerate() {
            if constant.bit(i as u64) {
                column.insert(0, Lit::TRUE);
            }
            column.append(&mut carries);
            let mut next = 0;
            while column.len() - next > 1 {
                let a = column[next];
                let b = column[next + 1];
                let c = column.get(next + 2).copied().unwrap_or(Lit::FALSE);
                next = (next + 3).min(column.len());
                let (sum, carry) = self.full_adder(a, b, c);
                column.push(sum);
                if carry != Lit::FALSE {
                    carries.push(carry);
                }
            }
            let bit = column.last().copied().unwrap_or(Lit::FALSE);
            // Bits that are shared with another form may be made already.
            self.map.entry(form.bits[i]).or_insert(bit);
        }
    }

    fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.aig.xor(a, b);
        let sum = self.aig.xor(half, c);
        let both = self.aig.and(a, b);
        let through = self.aig.and(half, c);
        (sum, self.aig.or(both, through))
    }
}
