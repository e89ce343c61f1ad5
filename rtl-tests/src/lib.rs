//! Shared helpers of the co-simulation tests.
