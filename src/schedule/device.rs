//! The device model: measured delays of operations, from `devices/*.toml`.

use crate::codes;
use crate::diagnostics::Diagnostic;
use crate::hwarith::shift_add::Costs;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The models that come with the compiler.
const BUILT_IN: &[(&str, &str)] = &[("ecp5", include_str!("../../devices/ecp5.toml"))];

/// Timing of a device family.
#[derive(Clone, Debug, Deserialize)]
pub struct Device {
    /// Short name.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Clocking overheads.
    pub clock: Clock,
    /// Delay of each class of operation.
    pub delay: BTreeMap<Class, Delay>,
    /// LUT4 of each class of operation, for each bit of its result; one where it is left out.
    #[serde(default)]
    pub area: BTreeMap<Class, f64>,
    /// Multiplier blocks.
    pub dsp: Dsp,
    /// What there is of everything; unlimited where the model does not say.
    #[serde(default)]
    pub total: Total,
}

/// What a device has.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Total {
    /// LUT4.
    pub luts: u64,
    /// Multiplier blocks.
    pub blocks: u64,
    /// Kbit of block RAM.
    pub ram: u64,
}

impl Default for Total {
    fn default() -> Total {
        Total {
            luts: u64::MAX,
            blocks: u64::MAX,
            ram: u64::MAX,
        }
    }
}

/// Overheads of a register-to-register path.
#[derive(Clone, Copy, Debug, Deserialize)]
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
#[derive(Clone, Copy, Debug, Deserialize)]
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

/// `base + per_bit * width + per_log2 * ceil(log2 width)`, in ns.
#[derive(Clone, Copy, Debug, Deserialize)]
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
                let known: Vec<&str> = BUILT_IN.iter().map(|(n, _)| *n).collect();
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
        toml::from_str(&text).map_err(|e| {
            Diagnostic::global(
                codes::DEVICE,
                format!("malformed device '{name}': {}", e.message()),
            )
        })
    }

    /// Costs of products by constants.
    pub fn costs(&self) -> Costs {
        let add = self.delay.get(&Class::Add);
        Costs {
            block_area: self.dsp.luts,
            add_area: self.area.get(&Class::Add).copied().unwrap_or(1.0),
            block_delay: self.delay(Class::Mul, self.dsp.width_a),
            add_delay: add.map_or((0.0, 0.0), |d| (d.base, d.per_bit)),
        }
    }

    /// ns of a choice of one of several values of `width` bits, by a tree of two-way choices.
    pub fn choice_delay(&self, values: usize, width: u32) -> f64 {
        f64::from(ceil_log2(values as u64)) * self.delay(Class::Mux, width)
    }

    /// Delay in ns of an operation of `width` bits; 0 for a class that the model leaves out.
    pub fn delay(&self, class: Class, width: u32) -> f64 {
        let alone = self.delay.get(&class).map_or(0.0, |d| {
            let log2 = f64::from(ceil_log2(width.into()));
            d.base + d.per_bit * f64::from(width) + d.per_log2 * log2
        });
        match class {
            Class::Logic | Class::Mux | Class::Equal | Class::Reduce => {
                alone * self.clock.gate_chaining
            }
            _ => alone,
        }
    }
}
