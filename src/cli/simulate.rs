//! `allo-hls run` and `allo-hls cosim`.

use super::output::{Printer, Status};
use super::{CosimArgs, RunArgs};

pub fn run(_: &Printer, _: &RunArgs) -> Result<(), Status> {
    todo!()
}
pub fn cosim(_: &Printer, _: &CosimArgs) -> Result<(), Status> {
    todo!()
}
