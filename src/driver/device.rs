//! What a device cannot do: directives that ask for what it does not have are refused, clocks and sizes beyond it
//! warned of.

use super::Target;
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Span};
use crate::directives::{Directive, Implementation};
use crate::rtl::area::{Area, areas};
use crate::rtl::clean::clean;
use crate::rtl::netlist::Design;

/// Errors: a directive asks for memory that the device does not have.
pub fn refuse(directives: &[Directive], target: &Target, span: Span) -> Result<(), Diagnostics> {
    let device = &target.device;
    let of_tables = directives.iter().find(|directive| {
        let Directive::Storage { r#impl, .. } = directive else {
            return false;
        };
        *r#impl == Implementation::Lutram
    });
    match of_tables {
        Some(directive) if !device.memory.lut_ram => {
            let message = format!(
                "{directive}: {} has no such memory; it has bram, register and rom",
                device.name
            );
            Err(Diagnostic::error(codes::DIRECTIVE, span, message).into())
        }
        _ => Ok(()),
    }
}

/// A warning of a clock at which not even one lookup table lies between two registers.
pub fn warn_of_clock(target: &Target, warnings: &mut Diagnostics) {
    let (device, least) = (&target.device, target.device.least_period());
    if target.period >= least {
        return;
    }
    let message = format!(
        "{} does not reach {:.0} MHz: a lookup table between two registers takes {least:.2} ns, which is {:.0} MHz",
        device.name,
        1000.0 / target.period,
        1000.0 / least
    );
    warnings.push(Diagnostic::global(codes::CLOCK, message).as_warning());
}

/// How many times what a device has is so much that what is dead cannot matter.
const FAR: u64 = 4;

/// A warning of all that a design needs more of than the device has.
pub fn warn_of_size(design: &Design, target: &Target, span: Span, warnings: &mut Diagnostics) {
    let (device, total) = (&target.device, &target.device.total);
    let rows_of = |area: Area| {
        let kbits = area.ram.div_ceil(1024);
        [
            (area.luts.round() as u64, total.luts, "LUT4"),
            (
                area.registers.round() as u64,
                total.flip_flops(),
                "flip-flops",
            ),
            (area.blocks, total.blocks, "multipliers"),
            (kbits, total.ram, "kbit of block RAM"),
        ]
    };
    let is_beyond = |rows: &[(u64, u64, &str)], times: u64| {
        let mut rows = rows.iter();
        rows.any(|(needed, there_are, _)| needed / times > *there_are)
    };
    // With what is dead, most designs are within, too, and those that are far beyond do not come near without it.
    let mut rows = rows_of(areas(design, device).total());
    if !is_beyond(&rows, 1) {
        return;
    }
    if !is_beyond(&rows, FAR) {
        rows = rows_of(areas(&clean(design), device).total());
    }
    let beyond = rows
        .iter()
        .filter(|(needed, there_are, _)| needed > there_are);
    let beyond = beyond.map(|(needed, there_are, what)| format!("{needed} of {there_are} {what}"));
    let beyond: Vec<String> = beyond.collect();
    if !beyond.is_empty() {
        let message = format!(
            "the hardware does not fit on {}: it takes about {}",
            device.name,
            beyond.join(", ")
        );
        warnings.push(Diagnostic::error(codes::SIZE, span, message).as_warning());
    }
}
