//! The names of `allo.pto`.

use super::operation::Operation;
use super::thing::Thing;
use super::{crosswise, invocation, masks, modes, product, tcvt, tile, tile_moves, vector};
use crate::frontend::allo::Allo;
use crate::frontend::scalars;

/// PTO's own names of element types.
const ALIASES: &[(&str, &str)] = &[
    ("half", "f16"),
    ("bfloat16_t", "bf16"),
    ("float8_e4m3_t", "f8e4m3"),
    ("float8_e5m2_t", "f8e5m2"),
    ("hifloat8_t", "hif8"),
    ("float4_e2m1x2_t", "f4e2m1"),
    ("float4_e1m2x2_t", "f4e1m2"),
    ("int8", "i8"),
    ("int16", "i16"),
    ("int32", "i32"),
    ("int64", "i64"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
];

macro_rules! later {
    ($($name:literal)*) => {
        /// What PTO has and kernels cannot use yet.
        static LATER: &[Operation] = &[$(Operation {
            name: $name,
            params: &["a", "b", "c", "d", "e", "f", "g", "h"],
            required: 0,
            lower: invocation::later,
        },)*];
    };
}

later! {
    "vgather2" "vgatherb" "vscatter" "vexp" "vln" "vexpdif" "tgather" "tgatherb" "tscatter" "texp" "tlog" "tmatmul_bias" "tmatmul_mx"
    "tgemv" "tgemv_acc" "tgemv_bias" "tstore_fp" "set_flag" "wait_flag" "pipe_barrier" "psts" "plds"
}

/// All operations.
fn operations() -> impl Iterator<Item = &'static Operation> {
    let tables = [
        tcvt::OPERATIONS,
        vector::OPERATIONS,
        masks::OPERATIONS,
        crosswise::OPERATIONS,
        tile::OPERATIONS,
        tile_moves::OPERATIONS,
        product::OPERATIONS,
        modes::OPERATIONS,
        LATER,
    ];
    tables.into_iter().flatten()
}

/// What a name of `allo.pto` stands for.
pub fn named(name: &str) -> Option<Allo> {
    let alias = ALIASES.iter().find(|(own, _)| *own == name);
    if let Some((_, ty)) = alias {
        return scalars::predefined(ty).map(Allo::Type);
    }
    match name {
        "vreg" => return Some(Allo::Pto(Thing::Vreg)),
        "tile" => return Some(Allo::Pto(Thing::Tile)),
        "mask" => return Some(Allo::Pto(Thing::Mask)),
        _ => {}
    }
    let operation = operations().find(|op| op.name == name);
    operation.map(|op| Allo::Pto(Thing::Operation(op)))
}

/// All names.
pub fn exported() -> impl Iterator<Item = String> {
    let aliases = ALIASES.iter().map(|(name, _)| *name);
    let names = aliases
        .chain(["vreg", "mask", "tile"])
        .chain(operations().map(|op| op.name));
    names.map(str::to_owned)
}
