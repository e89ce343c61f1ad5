//! `KernelOptions`: how a kernel is typed and lowered.

use super::promote::Style;

/// `KernelOptions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Typing tables.
    pub style: Style,
    /// Shaped values are immutable tensors.
    pub enable_tensor: bool,
    /// Float sums and products may be reassociated.
    pub fast_math: bool,
    /// Floats of 16 bits and more have no subnormals: operations take and give zeros in their place.
    pub flush_subnormals: bool,
    /// What kernels of the style "pto" are written for.
    pub profile: Profile,
    /// How many lanes of vectors and elements of tiles are begun in a cycle: 1, or a larger power of two.
    pub lanes: Lanes,
}

/// `KernelOptions(profile=...)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// A simulator on a host.
    #[default]
    Cpu,
    /// Processors of the generations A2 and A3.
    A2a3,
    /// Processors of the generation A5.
    A5,
}

impl Profile {
    /// Each of them.
    pub const ALL: [Profile; 3] = [Profile::Cpu, Profile::A2a3, Profile::A5];

    /// Name as written in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Cpu => "cpu",
            Profile::A2a3 => "a2a3",
            Profile::A5 => "a5",
        }
    }

    /// The profile of a name.
    pub fn named(name: &str) -> Option<Profile> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Whether arithmetic has zeros in the place of subnormal numbers, unless a kernel says otherwise.
    pub fn flushes(self) -> bool {
        self != Profile::Cpu
    }
}

/// `KernelOptions(lanes=...)`, at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub u32);

impl Lanes {
    /// The most of them.
    pub const MOST: u32 = 64;
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes(1)
    }
}
