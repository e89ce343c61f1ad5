//! What is directed for a loop or an array, as it stands beside it in the ir: later passes and the scheduler act on it.

/// What is directed for a loop; nothing where the compiler decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// How its iterations overlap.
    pub pipeline: Option<Pipeline>,
    /// How many of its iterations run side by side.
    pub unroll: Option<Unroll>,
    /// Whether the user gave its nest the form that it has, so that the levels leave it.
    pub is_shaped: bool,
}

impl Tags {
    /// Whether nothing is directed for the loop itself.
    pub fn is_free(self) -> bool {
        self.pipeline.is_none() && self.unroll.is_none()
    }

    /// Whether iterations are to overlap, so that no loop may stay inside.
    pub fn is_to_be_pipelined(self) -> bool {
        matches!(self.pipeline, Some(Pipeline::Least | Pipeline::Every(_)))
    }

    /// Whether its iterations are to run one after the other.
    pub fn is_in_turn(self) -> bool {
        self.pipeline == Some(Pipeline::Off)
    }

    /// The directive that the loop of that label is under, as on the command line.
    pub fn cause(self, label: &str) -> String {
        match (self.unroll, self.pipeline) {
            (Some(Unroll::By(factor) | Unroll::Abreast(factor)), _) => {
                format!("--unroll {label}={factor}")
            }
            (Some(Unroll::Fully), _) => format!("--unroll {label}"),
            (None, Some(Pipeline::Every(cycles))) => format!("--pipeline {label}={cycles}"),
            (None, _) => format!("--pipeline {label}=0"),
        }
    }
}

/// How the iterations of a loop overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// One after the other.
    Off,
    /// As soon as dependences and ports allow.
    Least,
    /// One begins every so many cycles, or as soon after as it can; at least 1.
    Every(u32),
}

/// How many iterations of a loop become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// All.
    Fully,
    /// So many; at least 2.
    By(u32),
    /// So many, and the loops inside become one; at least 2.
    Abreast(u32),
}

/// Ports of a memory that are used at most, if nothing else is directed.
pub const MOST_PORTS: u32 = 2;

/// Ports that read a memory inside, at most: beyond a memory's own each takes a copy of it.
pub const MOST_READS: u32 = 16;

/// How many memories hold the same, so that so many ports read it: of the two that each has, one may be needed to write.
pub fn copies(reads: u64, is_written: bool) -> u64 {
    match (reads, is_written) {
        (..=2, _) => 1,
        (_, false) => reads.div_ceil(2),
        (_, true) => reads,
    }
}

/// What is directed for an array; nothing where the compiler decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayTags {
    /// Ports of each of its memories that are used at most, from 1 to [`MOST_PORTS`]; of a memory inside, ports that read, up to
    /// [`MOST_READS`].
    pub ports: Option<u32>,
    /// What its memories are made of.
    pub memory: Option<MemoryKind>,
    /// Nothing may write it.
    pub is_rom: bool,
    /// It is a tile: what the manifest says of that.
    pub tile: Option<TileTag>,
}

/// What is said of a tile to whoever fills or reads its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileTag {
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Where it is.
    pub loc: &'static str,
    /// How its elements are laid out.
    pub layout: &'static str,
    /// Rows and columns that are valid.
    pub valid: [u64; 2],
}

/// Inner memories of up to so many bits are built of lookup tables with an output register, if nothing else is directed.
pub const DISTRIBUTED_BITS: u64 = 2048;

/// What a memory inside of the hardware is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Block RAM.
    Block,
    /// Lookup tables with a register behind.
    Distributed,
}

impl MemoryKind {
    /// Every kind.
    pub const ALL: [MemoryKind; 2] = [MemoryKind::Block, MemoryKind::Distributed];

    /// What a memory of so many bits is made of, if it is not directed.
    pub fn by_size(bits: u64) -> MemoryKind {
        match bits <= DISTRIBUTED_BITS {
            true => MemoryKind::Distributed,
            false => MemoryKind::Block,
        }
    }

    /// Its name in the printed ir.
    pub fn name(self) -> &'static str {
        match self {
            MemoryKind::Block => "bram",
            MemoryKind::Distributed => "lutram",
        }
    }
}

impl ArrayTags {
    /// Ports of each of its memories that are used at most.
    pub fn most_ports(self) -> u32 {
        self.ports.unwrap_or(MOST_PORTS)
    }
}

#[cfg(test)]
mod tests {
    use super::copies;

    #[test]
    fn a_memory_has_two_ports() {
        assert_eq!([0, 1, 2].map(|reads| copies(reads, true)), [1; 3]);
        assert_eq!([2, 3, 8].map(|reads| copies(reads, false)), [1, 2, 4]);
        assert_eq!([3, 8].map(|reads| copies(reads, true)), [3, 8]);
    }
}
