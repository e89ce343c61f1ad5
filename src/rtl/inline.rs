//! Which nets need no line of their own in a text: their expression stands where they are read.
//!
//! Every operand of an expression has exactly the width of its operation, and so has what stands in its place; only where
//! that holds, and where no sign is at stake, may more than a selection of bits stand. A sum inside of a sum is then as
//! wide as by itself.

use super::netlist::*;

/// Characters of an expression that may stand inside of another.
const MOST_LENGTH: usize = 56;
/// Expressions in expressions.
const MOST_DEPTH: u32 = 3;

/// The nets without a line of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Inlined<'m> {
    /// By net: what stands in its place.
    exprs: Vec<Option<&'m Expr>>,
}

/// What may stand where a net is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Only a name.
    Name,
    /// A name with or without a selection of bits.
    Select,
    /// Any expression.
    Whole,
}

/// How a net is read.
#[derive(Clone, Copy, Debug)]
struct Reads {
    count: u32,
    place: Place,
    /// The first item that reads it.
    first: usize,
}

/// Length and depth of an expression's text, about.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    length: usize,
    depth: u32,
}

impl<'m> Inlined<'m> {
    /// Finds them in a module without wiring of wiring (see [`super::clean::clean`]).
    pub fn of(design: &Design, module: &'m Module) -> Inlined<'m> {
        let reads = reads(design, module);
        let mut inlined = Inlined {
            exprs: vec![None; module.nets.len()],
        };
        let mut sizes = vec![Size::default(); module.nets.len()];
        for (net, info) in module.nets.iter() {
            sizes[net.index()].length = info.name.len();
        }
        let mut is_port = vec![false; module.nets.len()];
        for port in &module.ports {
            is_port[port.net.index()] = true;
        }
        for (index, item) in module.items.iter().enumerate() {
            let Item::Assign { out, expr, .. } = item else {
                continue;
            };
            if module.nets[*out].named || is_port[out.index()] {
                continue;
            }
            let size = size(expr, &sizes);
            let Some(reads) = reads[out.index()] else {
                continue;
            };
            let stands = match expr {
                Expr::Slice { .. } => reads.place >= Place::Select,
                expr => {
                    let once = reads.count == 1 && reads.place == Place::Whole;
                    let small = size.length <= MOST_LENGTH && size.depth <= MOST_DEPTH;
                    once && small && reads.first > index && nests(expr)
                }
            };
            if stands {
                inlined.exprs[out.index()] = Some(expr);
                sizes[out.index()] = size;
            }
        }
        inlined
    }

    /// What stands in the place of a net.
    pub fn expr(&self, net: NetId) -> Option<&'m Expr> {
        self.exprs.get(net.index()).copied().flatten()
    }

    /// Whether something stands in the place of a net.
    pub fn contains(&self, net: NetId) -> bool {
        self.expr(net).is_some()
    }

    /// The nets whose names a text has where it has this one.
    pub fn names(&self, net: NetId, found: &mut Vec<NetId>) {
        match self.expr(net) {
            None => found.push(net),
            Some(expr) => {
                let operands = expr.operands().into_iter();
                operands
                    .filter_map(|operand| operand.net())
                    .for_each(|net| self.names(net, found));
            }
        }
    }
}

/// Operations whose text means the same inside of another: no products and shifts, whose operands the width around them
/// would widen and whose signs the other operands would change.
fn nests(expr: &Expr) -> bool {
    !matches!(expr, Expr::Multiply { .. } | Expr::Shift { .. })
}

fn size(expr: &Expr, sizes: &[Size]) -> Size {
    let symbols = match expr {
        Expr::Slice { .. } => 6,
        _ => 8,
    };
    let mut whole = Size {
        length: symbols,
        depth: 0,
    };
    for operand in expr.operands() {
        let Size { length, depth } = match operand {
            Operand::Net(net) => sizes[net.index()],
            Operand::Const { width, .. } => Size {
                length: 4 + width as usize / 4,
                depth: 0,
            },
        };
        whole.length += length + 2;
        whole.depth = whole.depth.max(depth);
    }
    whole.depth += u32::from(!matches!(expr, Expr::Slice { .. }));
    whole
}

fn reads(design: &Design, module: &Module) -> Vec<Option<Reads>> {
    let mut all: Vec<Option<Reads>> = vec![None; module.nets.len()];
    for (index, item) in module.items.iter().enumerate() {
        let mut read = |net: NetId, place: Place| {
            let before = all[net.index()];
            all[net.index()] = Some(Reads {
                count: before.map_or(0, |b| b.count) + 1,
                place: before.map_or(place, |b| b.place.min(place)),
                first: before.map_or(index, |b| b.first),
            });
        };
        match item {
            Item::Comment(_) => {}
            Item::Assign { out, expr, .. } => {
                let place = operand_place(expr);
                let operands = expr.operands().into_iter();
                for net in operands.filter_map(|operand| operand.net()) {
                    // The text selects the low bits of a factor that is wider than the product.
                    let cut = matches!(expr, Expr::Multiply { .. })
                        && module.nets[net].width > module.nets[*out].width;
                    read(net, if cut { Place::Name } else { place });
                }
            }
            Item::Register(register) => {
                if let Some(net) = register.next.net() {
                    read(net, Place::Whole);
                }
                register
                    .enable
                    .iter()
                    .for_each(|&net| read(net, Place::Name));
            }
            Item::Memory(_) => {
                let nets = design.read(item).into_iter();
                nets.for_each(|net| read(net, Place::Select));
            }
            Item::Instance(instance) => {
                for (port, net) in design.pins(instance) {
                    let input = port.direction == Direction::Input;
                    read(net, if input { Place::Whole } else { Place::Name });
                }
            }
        }
    }
    all
}

/// What may stand as an operand of an expression.
fn operand_place(expr: &Expr) -> Place {
    match expr {
        Expr::Copy(_)
        | Expr::Not(_)
        | Expr::Binary { .. }
        | Expr::Mux { .. }
        | Expr::Concat(_)
        | Expr::Compare {
            op: CompareOp::Eq | CompareOp::Ne,
            ..
        } => Place::Whole,
        Expr::Compare { signed: false, .. }
        | Expr::Extend { .. }
        | Expr::Multiply { .. }
        | Expr::Reduce { .. } => Place::Select,
        Expr::Compare { .. } | Expr::Shift { .. } | Expr::Slice { .. } => Place::Name,
    }
}
