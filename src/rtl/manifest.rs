//! The manifest: a machine-readable description of the top module's ports, protocol and schedule.
