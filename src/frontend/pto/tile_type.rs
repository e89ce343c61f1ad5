//! Types of tiles: where a tile is, how its elements are laid out, and what of it is valid.

use super::classes::{check_profile, is_element};
use super::legality::Family;
use crate::diagnostics::Span;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::options::Profile;
use crate::ir::{ArrayId, FloatFormat, Scalar, TileTag};
use num_traits::ToPrimitive;
use std::fmt;
use std::rc::Rc;

/// A tile as an annotation writes it, not checked yet: what is legal depends on the kernel's profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Element type.
    pub elem: Scalar,
    /// Rows and columns.
    pub shape: [ConstInt; 2],
    /// Where it is.
    pub loc: String,
    /// How it is laid out, if that is said.
    pub layout: Option<String>,
    /// Rows and columns that are valid, if that is said.
    pub valid: Option<[ConstInt; 2]>,
    /// What `tload` and `tfillpad` fill the rest with.
    pub pad: String,
}

/// An int of the text, as far as it can be an extent.
pub type ConstInt = i64;

/// The int that a value is; one too large is as good as the largest.
pub fn int(value: &ConstValue) -> Option<ConstInt> {
    let int = value.as_int()?;
    Some(int.to_i64().unwrap_or(i64::MAX))
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape;
        write!(
            f,
            "tile({}, {rows}, {columns}, loc={:?}",
            self.elem, self.loc
        )?;
        if let Some(layout) = &self.layout {
            write!(f, ", layout={layout:?}")?;
        }
        if let Some([rows, columns]) = self.valid {
            write!(f, ", valid=({rows}, {columns})")?;
        }
        write!(f, ", pad={:?})", self.pad)
    }
}

/// Where a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Operands and results of most operations.
    Vec,
    /// Where matrices wait.
    Mat,
    /// Left operand of a product.
    Left,
    /// Right operand of a product.
    Right,
    /// Accumulator of a product.
    Acc,
}

/// How elements are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row by row.
    Nd,
    /// Column by column.
    Dn,
    /// Columns of boxes, each row by row.
    Nz,
    /// Rows of boxes, each column by column.
    Zn,
    /// Rows of boxes, each row by row.
    Zz,
}

/// What fills elements that are not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pad {
    /// Nothing.
    Null,
    /// Zero.
    Zero,
    /// The least number.
    Min,
    /// The largest number.
    Max,
}

const LOCATIONS: [(&str, Location); 5] = [
    ("vec", Location::Vec),
    ("mat", Location::Mat),
    ("left", Location::Left),
    ("right", Location::Right),
    ("acc", Location::Acc),
];

const LAYOUTS: [(&str, Layout); 5] = [
    ("nd", Layout::Nd),
    ("dn", Layout::Dn),
    ("nz", Layout::Nz),
    ("zn", Layout::Zn),
    ("zz", Layout::Zz),
];

const PADS: [(&str, Pad); 4] = [
    ("null", Pad::Null),
    ("zero", Pad::Zero),
    ("min", Pad::Min),
    ("max", Pad::Max),
];

fn named<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    let found = table.iter().find(|(own, _)| *own == name);
    found.map(|(_, thing)| *thing)
}

fn name_of<T: PartialEq>(table: &'static [(&str, T)], thing: T) -> &'static str {
    let found = table.iter().find(|(_, own)| *own == thing);
    found.map_or("", |(name, _)| name)
}

impl Location {
    /// As written.
    pub fn name(self) -> &'static str {
        name_of(&LOCATIONS, self)
    }

    /// The layouts that a tile has here, the default first.
    fn layouts(self, profile: Profile) -> &'static [Layout] {
        match (self, profile) {
            (Location::Vec, _) => &[Layout::Nd, Layout::Dn],
            (Location::Mat, _) => &[Layout::Nz, Layout::Zn, Layout::Nd, Layout::Dn],
            (Location::Left, Profile::A2a3) => &[Layout::Zz],
            (Location::Left, _) | (Location::Acc, _) => &[Layout::Nz],
            (Location::Right, _) => &[Layout::Zn],
        }
    }
}

impl Layout {
    /// As written.
    pub fn name(self) -> &'static str {
        name_of(&LAYOUTS, self)
    }

    /// Rows and columns of a box of elements of so many bits.
    fn boxes(self, width: u32, location: Location) -> [u64; 2] {
        let run = u64::from(256 / width);
        match self {
            Layout::Nd | Layout::Dn => [1, 1],
            Layout::Nz if location == Location::Acc => [16, 16],
            Layout::Nz | Layout::Zz => [16, run],
            Layout::Zn => [run, 16],
        }
    }
}

/// A legal type of tiles on a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileType {
    /// Element type.
    pub elem: Scalar,
    /// Rows and columns.
    pub shape: [u64; 2],
    /// Where it is.
    pub loc: Location,
    /// How it is laid out.
    pub layout: Layout,
    /// Rows and columns that are valid.
    pub valid: [u64; 2],
    /// What fills the rest.
    pub pad: Pad,
}

impl fmt::Display for TileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape;
        let (loc, layout) = (self.loc.name(), self.layout.name());
        write!(f, "tile[{}, {rows}, {columns}] ({loc}, {layout}", self.elem)?;
        if self.valid != self.shape {
            write!(f, ", valid {} x {}", self.valid[0], self.valid[1])?;
        }
        if self.pad != Pad::Null {
            write!(f, ", pad {}", name_of(&PADS, self.pad))?;
        }
        f.write_str(")")
    }
}

impl TileType {
    /// The type that is written, on a profile: the first thing that is not legal is refused.
    pub fn of(written: &Written, profile: Profile, span: Span) -> Result<TileType> {
        let elem = written.elem;
        if !is_element(elem) {
            return Family::Type.refuse(format!("a tile has no elements of {elem}"), span);
        }
        let loc = named(&LOCATIONS, &written.loc);
        let accumulates = elem == Scalar::Float(FloatFormat::F32) || elem == Scalar::signed(32);
        if loc == Some(Location::Acc) && !accumulates {
            return Family::Type.refuse(format!("an acc tile holds f32 or i32, not {elem}"), span);
        }
        let Some(pad) = named(&PADS, &written.pad) else {
            let message = format!(
                "pad {} of a tile, which has null, zero, min, max",
                written.pad
            );
            return Family::Attribute.refuse(message, span);
        };
        let layouts = loc.map_or(&[][..], |loc| loc.layouts(profile));
        let layout = match &written.layout {
            None => layouts.first().copied(),
            Some(name) => named(&LAYOUTS, name),
        };
        let shape = extents(written, profile, span)?;
        if let Some(layout) = layout {
            check_boxes(elem, shape, layout, loc.unwrap_or(Location::Vec), span)?;
        }
        let valid = valid_region(written, shape, span)?;
        let Some(loc) = loc else {
            let message = format!("there is no location {}", written.loc);
            return Family::Location.refuse(message, span);
        };
        let Some(layout) = layout.filter(|layout| layouts.contains(layout)) else {
            return refuse_layout(written, loc, layouts, profile, span);
        };
        check_profile(elem, profile, span)?;
        Ok(TileType {
            elem,
            shape,
            loc,
            layout,
            valid,
            pad,
        })
    }

    /// Rows and columns of a box.
    pub fn boxes(&self) -> [u64; 2] {
        self.layout.boxes(self.elem.width(), self.loc)
    }

    /// What the manifest says.
    pub fn tag(&self) -> TileTag {
        TileTag {
            rows: self.shape[0],
            cols: self.shape[1],
            loc: self.loc.name(),
            layout: self.layout.name(),
            valid: self.valid,
        }
    }
}

fn refuse_layout<T>(
    written: &Written,
    loc: Location,
    layouts: &[Layout],
    profile: Profile,
    span: Span,
) -> Result<T> {
    let names: Vec<&str> = layouts.iter().map(|layout| layout.name()).collect();
    let message = format!(
        "a {} tile is {} on {}, not {}",
        loc.name(),
        names.join(" or "),
        profile.name(),
        written.layout.as_deref().unwrap_or_default()
    );
    Family::Layout.refuse(message, span)
}

/// Rows and columns in their range.
fn extents(written: &Written, profile: Profile, span: Span) -> Result<[u64; 2]> {
    let most = match profile {
        Profile::A2a3 => [8192, 4095],
        _ => [65535, 4095],
    };
    for ((found, most), what) in written.shape.into_iter().zip(most).zip(["rows", "columns"]) {
        if !(1..=most).contains(&found) {
            let message = format!("a tile has 1 to {most} {what}, not {found}");
            return Family::Shape.refuse(message, span);
        }
    }
    Ok(written.shape.map(|extent| extent as u64))
}

/// Rows and columns are whole boxes, or whole runs of 32 bytes.
fn check_boxes(
    elem: Scalar,
    [rows, columns]: [u64; 2],
    layout: Layout,
    loc: Location,
    span: Span,
) -> Result<()> {
    let width = u64::from(elem.width());
    let run = match layout {
        Layout::Nd => Some(("row", columns)),
        Layout::Dn => Some(("column", rows)),
        _ => None,
    };
    if let Some((what, extent)) = run.filter(|(_, extent)| !(extent * width).is_multiple_of(256)) {
        let bits = extent * width;
        let size = match bits % 8 {
            0 => format!("{} bytes", bits / 8),
            _ => format!("{bits} bits"),
        };
        let message = format!("a {what} has {size}, not a multiple of 32 bytes");
        return Family::Shape.refuse(message, span);
    }
    let [high, wide] = layout.boxes(elem.width(), loc);
    if !rows.is_multiple_of(high) || !columns.is_multiple_of(wide) {
        let message = format!(
            "{rows} x {columns} elements are no multiple of the boxes of {}, {high} x {wide}",
            layout.name()
        );
        return Family::Shape.refuse(message, span);
    }
    Ok(())
}

fn valid_region(written: &Written, shape: [u64; 2], span: Span) -> Result<[u64; 2]> {
    let Some(valid) = written.valid else {
        return Ok(shape);
    };
    let fits = |at: usize| valid[at] >= 1 && valid[at] as u64 <= shape[at];
    if fits(0) && fits(1) {
        return Ok(valid.map(|extent| extent as u64));
    }
    let message = format!(
        "{} x {} of a tile of {} x {}",
        valid[0], valid[1], shape[0], shape[1]
    );
    Family::Region.refuse(message, span)
}

/// A tile: its memory, in the order of its layout.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The memory.
    pub array: ArrayId,
    /// Its type.
    pub ty: Rc<TileType>,
}
