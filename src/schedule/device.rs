//! The device model: measured delays of operations, from `devices/*.toml`.

use crate::codes;
use crate::diagnostics::Diagnostic;
use crate::hwarith::shift_add::Costs;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The text of a model that comes with the compiler, by its name.
macro_rules! built_in {
    ($($name:literal),*) => { &[$(($name, include_str!(concat!("../../devices/", $name, ".toml")))),*] };
}

/// The models that come with the compiler.
const BUILT_IN: &[(&str, &str)] = built_in!(
    "ecp5", "ecp5-7", "ecp5-6", "nexus", "ice40up", "ice40hx", "gw2a", "gatemate", "xc7", "xcup"
);

/// Timing of a device family.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Device {
    /// Short name.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Clocking overheads.
    pub clock: Clock,
    /// Delay of each class of operation.
    pub delay: Laws,
    /// LUT4 of each class of operation, for each bit of its result; one where it is left out.
    #[serde(default)]
    pub area: BTreeMap<Class, f64>,
    /// Multiplier blocks; a device without makes products of sums.
    pub dsp: Option<Dsp>,
    /// What memories can be made of.
    #[serde(default)]
    pub memory: Memory,
    /// What there is of everything; unlimited where the model does not say.
    #[serde(default)]
    pub total: Total,
}

/// What a device has.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Total {
    /// LUT4.
    pub luts: u64,
    /// Flip-flops, if there are not as many as LUT4.
    #[serde(default)]
    pub registers: Option<u64>,
    /// Multiplier blocks.
    pub blocks: u64,
    /// Kbit of block RAM.
    pub ram: u64,
}

impl Total {
    /// Flip-flops: one beside each LUT4 unless the model says otherwise.
    pub fn flip_flops(&self) -> u64 {
        self.registers.unwrap_or(self.luts)
    }
}

impl Default for Total {
    fn default() -> Total {
        Total {
            luts: u64::MAX,
            registers: None,
            blocks: u64::MAX,
            ram: u64::MAX,
        }
    }
}

/// What memories can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Memory {
    /// Whether lookup tables can be memory that is written.
    pub lut_ram: bool,
    /// Kbit of a block RAM.
    pub block: u64,
    /// Whether synthesis by itself has lookup tables hold what passes through registers in a row.
    #[serde(default)]
    pub shift_registers: bool,
}

impl Memory {
    /// What a memory is made of: the shape of block of which there are the fewest, and of as many the deepest, as a synthesiser
    /// does; or one of which there are up to a third more, if there are so many at all, where the choice of what is read is at least a
    /// gate shorter with it. `total` are the device's blocks.
    fn shape(&self, words: u64, width: u32, total: u64) -> Shape {
        let shapes = || self.shapes(words, width);
        let fewest = shapes().min_by_key(|shape| (shape.blocks, shape.deep));
        let fewest = fewest.expect("the widest shape at least");
        // One gate chooses from two.
        if fewest.deep <= 2 {
            return fewest;
        }
        let most = fewest.blocks.saturating_add(fewest.blocks / 3).min(total);
        let nearer = shapes().filter(|shape| shape.blocks <= most);
        let nearest = nearer.min_by_key(|shape| (ceil_log2(shape.deep), shape.blocks, shape.deep));
        nearest.unwrap_or(fewest)
    }

    /// A memory of blocks of each shape: as wide as they can be with a port that reads and one that writes, or with words of half of
    /// that and twice as many, and so on. Where a block holds nines or tens of bits, words of less than a byte leave some out.
    fn shapes(&self, words: u64, width: u32) -> impl Iterator<Item = Shape> {
        let widest: u32 = match self.block {
            block if block.is_multiple_of(9) => 36,
            block if block.is_multiple_of(5) => 40,
            _ => 16,
        };
        let depth = (self.block.saturating_mul(1024) / u64::from(widest)).max(1);
        (0..=widest.ilog2()).map(move |half| {
            let deep = words.div_ceil(depth.saturating_mul(1 << half));
            let bits = widest >> half;
            let wide = u64::from(width.div_ceil(bits));
            Shape {
                blocks: deep.saturating_mul(wide),
                deep,
                bits,
            }
        })
    }
}

/// How a memory is made of block RAMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Block RAMs.
    blocks: u64,
    /// How many of them the words are spread over.
    deep: u64,
    /// Bits of a word in one of them.
    bits: u32,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            lut_ram: true,
            block: 18,
            shift_registers: false,
        }
    }
}

/// Overheads of a register-to-register path.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Clock {
    /// ns: clock-to-output of a register, set-up, skew.
    pub overhead: f64,
    /// Fraction of the period kept free for routing.
    pub margin: f64,
    /// Delay of a gate in a chain of gates, which synthesis restructures, over that of a gate alone.
    #[serde(default = "one")]
    pub gate_chaining: f64,
}

fn one() -> f64 {
    1.0
}

/// Operand widths of a hard multiplier.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Dsp {
    /// Bits of one operand, signed or unsigned.
    pub width_a: u32,
    /// Bits of the other.
    pub width_b: u32,
    /// What a block is worth, in LUT4: the device has one for so many of them.
    #[serde(default = "some_luts")]
    pub luts: f64,
}

/// Of common devices there are 300 to 900 for each block.
fn some_luts() -> f64 {
    500.0
}

/// Kinds of operations that the model tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Addition and subtraction.
    Add,
    /// One multiplier block.
    Mul,
    /// Ordering.
    Compare,
    /// Equality.
    Equal,
    /// Bitwise logic.
    Logic,
    /// Two-way selection.
    Mux,
    /// Shift by a variable amount.
    Shift,
    /// And/or of all bits.
    Reduce,
    /// Lookup-table memory, address to data.
    LutRam,
    /// Block memory, clock to data.
    BlockRam,
    /// Classes that the scheduler does not ask for.
    #[serde(other)]
    Other,
}

/// The delay of each class that a model has, by its number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "BTreeMap<Class, Delay>")]
pub struct Laws([Option<Delay>; Class::Other as usize + 1]);

impl From<BTreeMap<Class, Delay>> for Laws {
    fn from(given: BTreeMap<Class, Delay>) -> Laws {
        let mut laws = Laws([None; Class::Other as usize + 1]);
        for (class, law) in given {
            laws.0[class as usize] = Some(law);
        }
        laws
    }
}

impl Laws {
    /// That of a class; `None`: the model leaves it out.
    pub fn get(&self, class: Class) -> Option<&Delay> {
        self.0[class as usize].as_ref()
    }
}

/// `base + per_bit * width + per_log2 * ceil(log2 width)`, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Delay {
    base: f64,
    #[serde(default)]
    per_bit: f64,
    #[serde(default)]
    per_log2: f64,
}

/// `ceil(log2 n)`; 0 for 0.
pub fn ceil_log2(n: u64) -> u32 {
    u64::BITS - n.saturating_sub(1).leading_zeros()
}

fn malformed(name: &str, why: &str) -> Diagnostic {
    Diagnostic::global(codes::DEVICE, format!("malformed device '{name}': {why}"))
}

impl Device {
    /// The model called `name`, or the one in the file of that path if it ends in `.toml`.
    ///
    /// Errors: unknown name (with the list of known ones), unreadable or malformed file.
    pub fn load(name: &str) -> Result<Device, Diagnostic> {
        let text = match BUILT_IN.iter().find(|(n, _)| *n == name) {
            Some((_, text)) => (*text).to_string(),
            None if name.ends_with(".toml") => std::fs::read_to_string(name).map_err(|e| {
                Diagnostic::global(codes::DEVICE, format!("cannot read device '{name}': {e}"))
            })?,
            None => {
                let known: Vec<&str> = Device::built_in().collect();
                let help = format!(
                    "known devices: {}; or give the path of a .toml file",
                    known.join(", ")
                );
                return Err(
                    Diagnostic::global(codes::DEVICE, format!("unknown device '{name}'"))
                        .help(help),
                );
            }
        };
        let device: Device = toml::from_str(&text).map_err(|e| malformed(name, e.message()))?;
        match device.complaint() {
            Some(why) => Err(malformed(name, &why)),
            None => Ok(device),
        }
    }

    /// Names of the models that come with the compiler.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// What no device is like.
    fn complaint(&self) -> Option<String> {
        let clock = &self.clock;
        let areas = self.area.values().copied();
        let laws = self.delay.0.iter().flatten();
        let laws = laws.flat_map(|law| [law.base, law.per_bit, law.per_log2]);
        let others = [clock.overhead, clock.gate_chaining, self.block_luts()];
        let mut numbers = areas.chain(laws).chain(others);
        if let Some(bad) = numbers.find(|number| !number.is_finite() || *number < 0.0) {
            return Some(format!("{bad} is no time or area"));
        }
        if !(0.0..1.0).contains(&clock.margin) {
            return Some("the margin is from 0 to 1".into());
        }
        match self.dsp {
            Some(dsp) if dsp.width_a.min(dsp.width_b) < 2 => {
                Some("a multiplier block has operands of 2 bits at least".into())
            }
            None if !matches!(self.total.blocks, 0 | u64::MAX) => {
                Some("there are multiplier blocks, and [dsp] does not say which".into())
            }
            _ => None,
        }
    }

    /// What a multiplier block is worth in LUT4; nothing where there is none.
    pub fn block_luts(&self) -> f64 {
        self.dsp.map_or(0.0, |dsp| dsp.luts)
    }

    /// Bits of the operands of a multiplier block, the longer first.
    pub fn block_widths(&self) -> Option<[u32; 2]> {
        let dsp = self.dsp?;
        Some([dsp.width_a.max(dsp.width_b), dsp.width_a.min(dsp.width_b)])
    }

    /// Costs of products by constants.
    pub fn costs(&self) -> Costs {
        let add = self.delay.get(Class::Add);
        let delay = |dsp: Dsp| self.delay(Class::Mul, dsp.width_a);
        Costs {
            block_area: self.block_luts(),
            add_area: self.area.get(&Class::Add).copied().unwrap_or(1.0),
            block_delay: self.dsp.map_or(0.0, delay),
            add_delay: add.map_or((0.0, 0.0), |d| (d.base, d.per_bit)),
        }
    }

    /// ns of the shortest clock period with a lookup table, that of logic if it is alone, between two registers.
    pub fn least_period(&self) -> f64 {
        let table = self.delay.get(Class::Logic).map_or(0.0, |law| law.base);
        (self.clock.overhead + table) / (1.0 - self.clock.margin)
    }

    /// What a memory is made of.
    fn shape(&self, words: u64, width: u32) -> Shape {
        let total = self.total.ram / self.memory.block.max(1);
        self.memory.shape(words, width, total)
    }

    /// Bits of the memories that one of block RAM is cut into so that it has blocks of the shape that it is thought to have; `None`
    /// where a synthesiser takes those anyway, since there are the fewest of them.
    pub fn slice(&self, words: u64, width: u32) -> Option<u32> {
        let shape = self.shape(words, width);
        let mut shapes = self.memory.shapes(words, width);
        let is_fewer = |other: Shape| other.blocks < shape.blocks;
        shapes.any(is_fewer).then_some(shape.bits)
    }

    /// ns of routes to a memory of block RAMs beyond those to one nearby, and from a clock edge to its data, which are chosen
    /// from among the blocks that its words are spread over.
    pub fn block_ram_delays(&self, words: u64, width: u32) -> (f64, f64) {
        let shape = self.shape(words, width);
        let choice = self.alone(Class::Mux, width) * f64::from(ceil_log2(shape.deep));
        let far = self.distance(shape.blocks, width);
        (far, self.delay(Class::BlockRam, width) + choice + far)
    }

    /// ns of a route to the farthest of so many blocks beyond those to one nearby.
    pub fn distance(&self, blocks: u64, width: u32) -> f64 {
        // So many find room next to one another; twice as many take a third of a gate's delay to reach.
        const NEARBY: u32 = 2;
        const FARTHER: f64 = 0.375;
        let far = ceil_log2(blocks).saturating_sub(NEARBY);
        FARTHER * self.alone(Class::Mux, width) * f64::from(far)
    }

    /// ns of a choice of one of several values of `width` bits, by a tree of two-way choices. What they are chosen by goes to all
    /// bits, so that one of them is as slow as one alone.
    pub fn choice_delay(&self, values: usize, width: u32) -> f64 {
        match ceil_log2(values as u64) {
            0 => 0.0,
            levels => {
                let next = f64::from(levels - 1) * self.delay(Class::Mux, width);
                self.alone(Class::Mux, width) + next
            }
        }
    }

    /// ns of a choice in front of each of several instances of an operator, with the way to the farthest of them: what most calls
    /// have as an operand comes to all instances from one choice. Where that is a cycle or more, the way is as long as the `budget`
    /// of one leaves it, by placement.
    pub fn spread_choice_delay(
        &self,
        values: usize,
        instances: u32,
        width: u32,
        budget: f64,
    ) -> f64 {
        match self.choice_delay(values, width) {
            0.0 => 0.0,
            choice => {
                let all = choice + self.distance(instances.into(), width);
                all.min(budget).max(choice)
            }
        }
    }

    /// Delay in ns of an operation of `width` bits; 0 for a class that the model leaves out.
    pub fn delay(&self, class: Class, width: u32) -> f64 {
        let alone = self.alone(class, width);
        match class {
            Class::Logic => alone * self.clock.gate_chaining,
            // What is chosen by goes to all bits: in the normalisation of an f64 sum on the ECP5 a choice takes a fifth more
            // than in that of an f32 one.
            Class::Mux => {
                let wide = f64::from(ceil_log2(width.into()).saturating_sub(5));
                alone * self.clock.gate_chaining * (1.0 + 0.2 * wide)
            }
            // Of the levels of a tree only the last one goes with the next gate.
            Class::Equal | Class::Reduce => alone * (1.0 + 2.0 * self.clock.gate_chaining) / 3.0,
            _ => alone,
        }
    }

    /// As [`Self::delay`], with no gate before or behind it.
    fn alone(&self, class: Class, width: u32) -> f64 {
        self.delay.get(class).map_or(0.0, |d| {
            let log2 = f64::from(ceil_log2(width.into()));
            d.base + d.per_bit * f64::from(width) + d.per_log2 * log2
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_to_many_bits_or_blocks_takes_longer() {
        let device = Device::load("ecp5").expect("a built-in device");
        let choice = |width| device.delay(Class::Mux, width);
        assert!(choice(1) == choice(32) && choice(32) < choice(55));
        assert!(choice(55) < device.choice_delay(2, 55));
        let far = |blocks| device.distance(blocks, 18);
        assert!(far(4) == 0.0 && 0.0 < far(5) && far(8) < far(64));
    }

    #[test]
    fn memories_are_made_of_few_blocks_to_choose_from() {
        let blocks = |memory: Memory, words, width| {
            let shape = memory.shape(words, width, 208);
            [shape.blocks, shape.deep]
        };
        let common = |words, width| blocks(Memory::default(), words, width);
        assert_eq!(common(1_024, 18), [1, 1]);
        assert_eq!(common(512, 64), [2, 1]);
        assert_eq!(common(2_048, 9), [1, 1]);
        assert_eq!(common(16_384, 32), [32, 1]);
        assert_eq!(common(20_000, 1), [2, 2]);
        assert_eq!(common(2_500, 64), [12, 3]);
        // Yosys takes 18, of which what is read is chosen from nine.
        assert_eq!(common(4_480, 64), [24, 3]);
        // No device has so many.
        assert_eq!(common(4_480, 1_000), [252, 9]);
        let small = Memory {
            lut_ram: false,
            block: 4,
            ..Memory::default()
        };
        assert_eq!(blocks(small, 256, 16), [1, 1]);
        assert_eq!(blocks(small, 2_048, 2), [1, 1]);
        for block in [0, u64::MAX] {
            let odd = Memory { block, ..small };
            assert!(blocks(odd, u64::MAX, u32::MAX)[0] > 0, "{block}");
        }
    }

    #[test]
    fn memories_are_cut_where_a_synthesiser_would_take_other_blocks() {
        let device = Device::load("ecp5").expect("a built-in device");
        assert_eq!(device.slice(4_480, 64), Some(9));
        assert_eq!(device.slice(4_096, 32), None);
        assert_eq!(device.slice(100_000_000, 32), None);
    }
}
