//! The one source of numbers that look random and are the same on every machine.

/// Step between the states of SplitMix64.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// What SplitMix64 gives from a state; its next state is [`STEP`] further (Steele, Lea and Flood, Fast splittable
/// pseudorandom number generators, OOPSLA 2014).
#[inline]
pub fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(STEP);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
