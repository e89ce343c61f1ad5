//! The methods of schedules: [`PRIMITIVES`] has a row for each.

use super::call::{Call, Done, Primitive};
use super::errors::Class;
use super::things::Scheduling;
use crate::directives::{Directive, Implementation};
use crate::frontend::constant::ConstValue;
use crate::ir::PartitionKind;

const fn primitive(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: fn(&mut Call) -> Done<ConstValue>,
) -> Primitive {
    Primitive {
        name,
        params,
        required,
        rest: false,
        run,
    }
}

const fn variadic(
    name: &'static str,
    params: &'static [&'static str],
    run: fn(&mut Call) -> Done<ConstValue>,
) -> Primitive {
    Primitive {
        rest: true,
        ..primitive(name, params, 0, run)
    }
}

/// All of them.
const PRIMITIVES: &[Primitive] = &[
    primitive("loop", &["name", "*under", "*path"], 0, |call| {
        let found = call.find_loop(call.arg("name"))?;
        Ok(Scheduling::Ref(found).into())
    }),
    variadic("loops", &["*under", "*path"], loops),
    primitive("buffer", &["name", "*under", "*path"], 1, buffer),
    primitive("op", &["name", "*under", "*path"], 1, op),
    primitive("live", &["ref"], 1, live),
    primitive("apply", &[], 0, |call| Ok(call.schedule())),
    primitive("materialize", &[], 0, |call| Ok(call.schedule())),
    primitive("format_tree", &["*include_values"], 0, |call| {
        Ok(ConstValue::str(&call.tree()))
    }),
    primitive("dump_tree", &["*include_values"], 0, |call| {
        let tree = call.tree();
        eprint!("{tree}");
        Ok(ConstValue::str(&tree))
    }),
    // These always run.
    primitive("cse", &["targets"], 0, unchanged),
    primitive("dce", &["targets"], 0, unchanged),
    primitive("licm", &["targets"], 0, unchanged),
    primitive("canonicalize", &["targets"], 0, unchanged),
    primitive("apply_patterns", &["patterns", "targets"], 0, unchanged),
    primitive("affine", &["targets"], 0, affine),
    primitive("pipeline", &["loops", "*ii"], 0, pipeline),
    primitive("unroll", &["loops", "*factor", "*tag_only"], 0, unroll),
    primitive(
        "partition",
        &["buffers", "*dim", "*kind", "*factor"],
        1,
        partition,
    ),
    primitive(
        "bind_storage",
        &["buffers", "*impl", "*mem_type"],
        1,
        bind_storage,
    ),
    primitive("split", &["loop", "*factor"], 0, split),
    primitive("tile", &["loops", "*factors", "*reassociate"], 0, tile),
    primitive("reorder", &["loops", "*reassociate"], 1, reorder),
    primitive("flatten", &["loops"], 1, flatten),
    primitive("compute_at", &["producer", "axis"], 2, compute_at),
    primitive("buffer_at", &["buffer", "axis"], 2, buffer_at),
    primitive("reuse_at", &["buffer", "axis", "*ring"], 2, reuse_at),
    primitive("outline", &["op", "*func_name", "*mapping"], 2, outline),
    variadic("compose", &["*id"], compose),
    primitive("dataflow", &["kernels"], 0, dataflow),
    primitive(
        "streamline",
        &[
            "producer",
            "consumer",
            "*producer_ids",
            "*consumer_ids",
            "*lanes",
            "*depth",
        ],
        2,
        streamline,
    ),
    variadic("export", &["**"], exported),
];

/// The method of a name.
pub fn named(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|primitive| primitive.name == name)
}

/// The names of all methods.
pub fn names() -> Vec<&'static str> {
    PRIMITIVES.iter().map(|primitive| primitive.name).collect()
}

// What is meant ---------------------------------------------------------------------------------------

fn loops(call: &mut Call) -> Done<ConstValue> {
    let found = match call.rest() {
        [] => call.own_loops()?,
        names => {
            let each = names.iter();
            each.map(|name| call.find_loop(Some(name)))
                .collect::<Done<Vec<_>>>()?
        }
    };
    let found = found.into_iter().map(|one| Scheduling::Ref(one).into());
    Ok(ConstValue::tuple(found.collect()))
}

fn buffer(call: &mut Call) -> Done<ConstValue> {
    let Some(name) = call.arg("name") else {
        return Err(call.wrong(Class::Argument, "the name of a buffer is needed"));
    };
    Ok(Scheduling::Ref(call.find_buffer(name)?).into())
}

fn op(call: &mut Call) -> Done<ConstValue> {
    let Some(ConstValue::Str(name)) = call.arg("name") else {
        return Err(call.wrong(Class::Type, "a name is a string"));
    };
    Ok(Scheduling::Ref(call.find_op(name)?).into())
}

fn live(call: &mut Call) -> Done<ConstValue> {
    let Some(value) = call.arg("ref") else {
        return Err(call.wrong(Class::Argument, "a reference is needed"));
    };
    let one = call.ref_of(value)?;
    Ok(Scheduling::Ref(call.live(&one)?).into())
}

// What changes nothing --------------------------------------------------------------------------------

fn unchanged(call: &mut Call) -> Done<ConstValue> {
    Ok(call.schedule())
}

/// Loops are what they should be already.
fn affine(call: &mut Call) -> Done<ConstValue> {
    let loops = match call.arg("targets") {
        None => call.own_loops()?,
        Some(_) => {
            let each = call.each("targets")?;
            let refs = each.iter().map(|value| call.live(&call.ref_of(value)?));
            refs.collect::<Done<Vec<_>>>()?
        }
    };
    let loops = loops.into_iter().map(|one| Scheduling::Ref(one).into());
    Ok(ConstValue::list(loops.collect()))
}

fn exported(_: &mut Call) -> Done<ConstValue> {
    Ok(Scheduling::Exported.into())
}

// Tags ------------------------------------------------------------------------------------------------

fn pipeline(call: &mut Call) -> Done<ConstValue> {
    let ii = call.int("*ii", 1)?;
    if ii < -1 {
        return Err(call.wrong(Class::Argument, "'ii' is at least -1"));
    }
    let loops = match call.arg("loops") {
        Some(_) => call.loop_names("loops")?,
        None => call.innermost()?,
    };
    for r#loop in loops {
        call.direct(Directive::Pipeline { r#loop, ii })?;
    }
    Ok(call.schedule())
}

fn unroll(call: &mut Call) -> Done<ConstValue> {
    let factor = call.int("*factor", 0)?;
    if factor < 0 {
        return Err(call.wrong(Class::Argument, "'factor' is at least 0"));
    }
    let tag_only = call.flag("*tag_only")?;
    for value in call.each_loop("loops")? {
        let one = call.ref_of(&value)?;
        let r#loop = call.loop_name(&value)?;
        call.direct(Directive::Unroll { r#loop, factor })?;
        if factor == 0 && !tag_only {
            call.consume(&one);
        }
    }
    Ok(call.schedule())
}

fn partition(call: &mut Call) -> Done<ConstValue> {
    let (dim, factor) = (call.int("*dim", 0)?, call.int("*factor", 0)?);
    let kind = call.constant("*kind", "Complete")?;
    let Some(r#type) = PartitionKind::named(&kind.to_lowercase()) else {
        let why = format!("there is no partition of the kind '{kind}'");
        return Err(call.wrong(Class::Argument, why));
    };
    if let Err(why) = r#type.check_factor(factor) {
        return Err(call.wrong(Class::Argument, why));
    }
    for array in call.buffer_names("buffers")? {
        call.direct(Directive::Partition {
            array,
            r#type,
            factor,
            dim,
        })?;
    }
    Ok(call.schedule())
}

fn bind_storage(call: &mut Call) -> Done<ConstValue> {
    let word = call.constant("*impl", "")?;
    let Some(r#impl) = Implementation::named(&word.to_lowercase()) else {
        let why = match &*word {
            "" => "'impl' is needed, such as s.BRAM".to_string(),
            _ => format!("there is no storage '{word}'"),
        };
        return Err(call.wrong(Class::Argument, why));
    };
    let mem_type = call.constant("*mem_type", "")?;
    for array in call.buffer_names("buffers")? {
        let mem_type = Some(mem_type.clone()).filter(|name| !name.is_empty());
        call.direct(Directive::Storage {
            array,
            r#impl,
            mem_type,
        })?;
    }
    Ok(call.schedule())
}

// Structure -------------------------------------------------------------------------------------------

fn split(call: &mut Call) -> Done<ConstValue> {
    let factor = call.positive("*factor")?;
    let r#loop = call.one_loop("loop")?;
    let of = r#loop.clone();
    let made = call.direct_loops(Directive::Split { r#loop, factor }, &of, 2)?;
    Ok(ConstValue::tuple(made))
}

fn tile(call: &mut Call) -> Done<ConstValue> {
    let loops = call.loop_names("loops")?;
    let factors = call.factors("*factors", loops.len())?;
    let (count, reassociate) = (loops.len(), call.flag("*reassociate")?);
    let of = loops.first().cloned().unwrap_or_default();
    let directive = Directive::Tile {
        loops,
        factors,
        reassociate,
    };
    let mut tiles = call.direct_loops(directive, &of, 2 * count)?;
    let points = tiles.split_off(count.min(tiles.len()));
    let both = [tiles, points].map(ConstValue::list);
    Ok(ConstValue::tuple(both.to_vec()))
}

fn reorder(call: &mut Call) -> Done<ConstValue> {
    let values = call.each("loops")?;
    let loops = call.loop_names("loops")?;
    let refs: Done<Vec<_>> = values.iter().map(|value| call.ref_of(value)).collect();
    let reassociate = call.flag("*reassociate")?;
    call.direct(Directive::Reorder { loops, reassociate })?;
    let refs = refs?.into_iter().map(|one| Scheduling::Ref(one).into());
    Ok(ConstValue::tuple(refs.collect()))
}

fn flatten(call: &mut Call) -> Done<ConstValue> {
    let loops = call.loop_names("loops")?;
    let of = loops.first().cloned().unwrap_or_default();
    let made = call.direct_loops(Directive::Flatten { loops }, &of, 1)?;
    Ok(made.into_iter().next().unwrap_or(ConstValue::None))
}

// Locality --------------------------------------------------------------------------------------------

fn compute_at(call: &mut Call) -> Done<ConstValue> {
    let axis = call.one("axis")?;
    let (producer, named) = (call.one_loop("producer")?, call.loop_name(&axis)?);
    let axis = call.ref_of(&axis)?;
    call.direct(Directive::ComputeAt {
        producer,
        axis: named,
    })?;
    Ok(Scheduling::Ref(axis).into())
}

fn buffer_at(call: &mut Call) -> Done<ConstValue> {
    let (buffer, axis) = (call.one_buffer("buffer")?, call.one_loop("axis")?);
    let of = buffer.clone();
    call.direct_array(Directive::BufferAt { buffer, axis }, &of)
}

fn reuse_at(call: &mut Call) -> Done<ConstValue> {
    let (buffer, axis) = (call.one_buffer("buffer")?, call.one_loop("axis")?);
    let ring = call.flag("*ring")?;
    let of = buffer.clone();
    call.direct_array(Directive::ReuseAt { buffer, axis, ring }, &of)
}

// Kernels ---------------------------------------------------------------------------------------------

fn outline(call: &mut Call) -> Done<ConstValue> {
    let mapping = match call.arg("*mapping") {
        None => Vec::new(),
        Some(_) => call.extents("*mapping")?,
    };
    let op = call.one_loop("op")?;
    let func_name = call.constant("*func_name", "")?;
    call.direct_kernel(Directive::Outline {
        op,
        func_name,
        mapping,
    })
}

fn compose(call: &mut Call) -> Done<ConstValue> {
    let id = match call.arg("*id") {
        None => None,
        Some(ConstValue::Str(text)) => {
            let id = text.parse();
            Some(id.map_err(|_| call.wrong(Class::Argument, "'id' is a whole number"))?)
        }
        Some(_) => {
            let id = u64::try_from(call.int("*id", 0)?);
            Some(id.map_err(|_| call.wrong(Class::Argument, "'id' is at least 0"))?)
        }
    };
    for callee in call.rest().to_vec() {
        call.compose(&callee, id)?;
    }
    Ok(call.schedule())
}

fn dataflow(call: &mut Call) -> Done<ConstValue> {
    for kernel in call.kernel_names("kernels")? {
        call.direct(Directive::Dataflow { kernel })?;
    }
    Ok(call.schedule())
}

fn streamline(call: &mut Call) -> Done<ConstValue> {
    let lanes = call.positive("*lanes")?;
    let depth = match call.arg("*depth") {
        None => 2,
        Some(_) => call.positive("*depth")?,
    };
    call.direct(Directive::Streamline {
        caller: call.own_kernel(),
        producers: call.kernel_names("producer")?,
        producer_ids: call.ids("*producer_ids")?,
        consumers: call.kernel_names("consumer")?,
        consumer_ids: call.ids("*consumer_ids")?,
        lanes,
        depth,
    })?;
    Ok(call.schedule())
}
