//! Textual form of the ir (`--emit ir`).
