//! Unique names, and the words that the emitted languages reserve.

use std::collections::{BTreeSet, HashMap};

/// Reserved words of SystemVerilog (IEEE 1800-2017, Annex B), sorted.
#[rustfmt::skip]
const SYSTEMVERILOG: &[&str] = &[
    "accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert", "assign",
    "assume", "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break", "buf", "bufif0",
    "bufif1", "byte", "case", "casex", "casez", "cell", "chandle", "checker", "class", "clocking", "cmos",
    "config", "const", "constraint", "context", "continue", "cover", "covergroup", "coverpoint", "cross",
    "deassign", "default", "defparam", "design", "disable", "dist", "do", "edge", "else", "end", "endcase",
    "endchecker", "endclass", "endclocking", "endconfig", "endfunction", "endgenerate", "endgroup",
    "endinterface", "endmodule", "endpackage", "endprimitive", "endprogram", "endproperty", "endsequence",
    "endspecify", "endtable", "endtask", "enum", "event", "eventually", "expect", "export", "extends",
    "extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin", "function",
    "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins",
    "illegal_bins", "implements", "implies", "import", "incdir", "include", "initial", "inout", "input",
    "inside", "instance", "int", "integer", "interconnect", "interface", "intersect", "join", "join_any",
    "join_none", "large", "let", "liblist", "library", "local", "localparam", "logic", "longint",
    "macromodule", "matches", "medium", "modport", "module", "nand", "negedge", "nettype", "new",
    "nexttime", "nmos", "nor", "noshowcancelled", "not", "notif0", "notif1", "null", "or", "output",
    "package", "packed", "parameter", "pmos", "posedge", "primitive", "priority", "program", "property",
    "protected", "pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent",
    "pure", "rand", "randc", "randcase", "randsequence", "rcmos", "real", "realtime", "ref", "reg",
    "reject_on", "release", "repeat", "restrict", "return", "rnmos", "rpmos", "rtran", "rtranif0",
    "rtranif1", "s_always", "s_eventually", "s_nexttime", "s_until", "s_until_with", "scalared", "sequence",
    "shortint", "shortreal", "showcancelled", "signed", "small", "soft", "solve", "specify", "specparam",
    "static", "string", "strong", "strong0", "strong1", "struct", "super", "supply0", "supply1",
    "sync_accept_on", "sync_reject_on", "table", "tagged", "task", "this", "throughout", "time",
    "timeprecision", "timeunit", "tran", "tranif0", "tranif1", "tri", "tri0", "tri1", "triand", "trior",
    "trireg", "type", "typedef", "union", "unique", "unique0", "unsigned", "until", "until_with", "untyped",
    "use", "uwire", "var", "vectored", "virtual", "void", "wait", "wait_order", "wand", "weak", "weak0",
    "weak1", "while", "wildcard", "wire", "with", "within", "wor", "xnor", "xor",
];

/// Reserved words of Veryl 0.22, sorted; the Veryl printer escapes them.
#[rustfmt::skip]
const VERYL: &[&str] = &[
    "alias", "always_comb", "always_ff", "as", "assign", "bbool", "bind", "bit", "block", "break", "case",
    "clock", "clock_negedge", "clock_posedge", "connect", "const", "converse", "default", "else", "embed",
    "enum", "f32", "f64", "false", "final", "for", "function", "gen", "i16", "i32", "i64", "i8", "if",
    "if_reset", "import", "in", "include", "initial", "inout", "input", "inside", "inst", "interface",
    "lbool", "let", "logic", "lsb", "mixin", "modport", "module", "msb", "output", "outside", "p16", "p32",
    "p64", "p8", "package", "param", "proto", "pub", "repeat", "reset", "reset_async_high",
    "reset_async_low", "reset_sync_high", "reset_sync_low", "return", "rev", "same", "signed", "step",
    "string", "struct", "switch", "tri", "true", "type", "u16", "u32", "u64", "u8", "union", "unsafe",
    "var",
];

/// Whether SystemVerilog reserves `name`.
pub fn is_systemverilog_keyword(name: &str) -> bool {
    SYSTEMVERILOG.binary_search(&name).is_ok()
}

/// Whether Veryl reserves `name`.
pub fn is_veryl_keyword(name: &str) -> bool {
    VERYL.binary_search(&name).is_ok()
}

/// Whether `name` is a plain identifier of both languages.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Hands out names of one scope.
#[derive(Clone, Debug, Default)]
pub struct Namer {
    /// What is taken, by the part before the number that a name may end with.
    stems: HashMap<String, Taken>,
}

/// The names of one stem that are taken. None becomes free again.
#[derive(Clone, Debug)]
struct Taken {
    /// The stem itself.
    bare: bool,
    /// All numbers from 1 to before this one.
    next: u64,
    /// Numbers from there on.
    beyond: BTreeSet<u64>,
}

impl Taken {
    const NONE: Taken = Taken {
        bare: false,
        next: 1,
        beyond: BTreeSet::new(),
    };

    /// The least number that is free, which is taken now.
    fn number(&mut self) -> u64 {
        while self.beyond.remove(&self.next) {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }

    /// Whether the stem with that number, or by itself, was free; it is taken now.
    fn take(&mut self, number: Option<u64>) -> bool {
        match number {
            None => !std::mem::replace(&mut self.bare, true),
            Some(number) => number >= self.next && self.beyond.insert(number),
        }
    }
}

impl Namer {
    /// A scope without names.
    pub fn new() -> Namer {
        Namer::default()
    }
    /// `wanted` made an identifier, with `_` appended until it is free and not reserved (ports, by the
    /// interface's rule).
    pub fn suffixed(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        while !self.take(&name) {
            name.push('_');
        }
        name
    }
    /// `wanted` made an identifier, with a number appended if it is taken (internal nets).
    pub fn numbered(&mut self, wanted: &str) -> String {
        let base = identifier(wanted);
        if self.take(&base) {
            return base;
        }
        let number = self.stem(&base).number();
        format!("{base}_{number}")
    }
    /// Reserves `name` as it is; false if it was taken or is a keyword.
    pub fn take(&mut self, name: &str) -> bool {
        let (stem, number) = parted(name);
        !is_systemverilog_keyword(name) && self.stem(stem).take(number)
    }

    fn stem(&mut self, stem: &str) -> &mut Taken {
        self.stems.entry(stem.to_owned()).or_insert(Taken::NONE)
    }
}

/// The parts of a name that ends with a number as [`Namer::numbered`] writes it.
fn parted(name: &str) -> (&str, Option<u64>) {
    let parts = name.rsplit_once('_').and_then(|(stem, digits)| {
        let written = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| written)?;
        // So far nobody counts.
        (number < u64::MAX / 2).then_some((stem, Some(number)))
    });
    parts.unwrap_or((name, None))
}

fn identifier(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_lists_are_sorted() {
        assert!(SYSTEMVERILOG.is_sorted_by(|a, b| a < b));
        assert!(VERYL.is_sorted_by(|a, b| a < b));
        assert_eq!(SYSTEMVERILOG.len(), 248);
    }

    #[test]
    fn ports_avoid_systemverilog_keywords_only() {
        let mut namer = Namer::new();
        assert_eq!(namer.suffixed("output"), "output_");
        assert_eq!(namer.suffixed("output"), "output__");
        assert_eq!(namer.suffixed("step"), "step");
        assert_eq!(namer.numbered("step"), "step_1");
        assert_eq!(namer.numbered("3x y"), "_3x_y");
        assert!(namer.take("step_3"));
        assert_eq!(namer.numbered("step"), "step_2");
        assert_eq!(namer.numbered("step"), "step_4");
        assert!(!namer.take("step_1"));
        assert!(namer.take("step_01"));
        assert_eq!(namer.numbered("step_3"), "step_3_1");
        assert_eq!(namer.numbered("_5"), "_5");
        assert_eq!(namer.numbered("_5"), "_5_1");
    }
}
