//! Calls of a schedule's methods: their arguments, the loops and arrays that these mean, and how a directive is carried out.

use super::errors::{Class, error};
use super::things::{Ref, Schedule, Scheduling, State, Target};
use crate::diagnostics::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::directives::{self, Directive, Found, Made, Names};
use crate::frontend::allo::Allo;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::stream_type::shaped_name;
use crate::ir::{ArrayId, KernelId, Path, ValueId, leads_to};
use num_traits::ToPrimitive;
use pyeval::Args;

/// Calls a method of a schedule. After an error the schedule is what it was before.
pub fn run(
    sources: &SourceMap,
    of: &Schedule,
    primitive: &'static Primitive,
    args: &Args,
) -> Result<ConstValue> {
    // Nothing in here runs Python code, so that no other borrow lives.
    let mut state = of.0.state.borrow_mut();
    if let Some(spent) = &state.spent {
        return Err(spent.clone().into());
    }
    let mut call = Call {
        of,
        state: &mut state,
        before: None,
        sources,
        args,
        primitive,
        span: args.span,
    };
    let result = match call.check().and_then(|()| call.make_copies()) {
        Ok(()) => (primitive.run)(&mut call),
        Err(wrong) => Err(wrong),
    };
    let before = call.before.take();
    result.map_err(|wrong| {
        if let Some(before) = before {
            *state = *before;
        }
        wrong.into()
    })
}

/// Result of a part of a call.
pub type Done<T> = std::result::Result<T, Diagnostic>;

/// A method of schedules.
#[derive(Debug)]
pub struct Primitive {
    /// Its name.
    pub name: &'static str,
    /// Its parameters; those with a star by name only.
    pub params: &'static [&'static str],
    /// How many of them need an argument.
    pub required: usize,
    /// Whether it takes any number of arguments by position.
    pub rest: bool,
    /// What it does.
    pub run: fn(&mut Call) -> Done<ConstValue>,
}

/// A call of a method.
pub struct Call<'a> {
    of: &'a Schedule,
    pub(super) state: &'a mut State,
    /// What the state was, once it changes.
    before: Option<Box<State>>,
    sources: &'a SourceMap,
    args: &'a Args,
    primitive: &'static Primitive,
    /// The call.
    pub span: Span,
}

/// Which of all that have a name may be meant.
type Under<'u, P> = Option<&'u dyn Fn(&Found<P>) -> bool>;

/// Whether a value is a reference to a kind of thing, or one of its names.
enum Named<'v> {
    Name(&'v str),
    Ref(&'v Ref),
}

/// What published programs call the first parameter of any method.
const FIRST: [&str; 2] = ["targets", "target"];

impl Call<'_> {
    /// The state, which is what it was if the call fails.
    pub(super) fn changed(&mut self) -> &mut State {
        if self.before.is_none() {
            self.before = Some(Box::new(self.state.clone()));
        }
        self.state
    }

    /// What the method calls a parameter that is given by name.
    fn own_name<'n>(&self, given: &'n str) -> &'n str {
        let params = self.primitive.params;
        let is_own = |name: &str| {
            params
                .iter()
                .any(|param| param.trim_start_matches('*') == name)
        };
        match params.first() {
            Some(first) if FIRST.contains(&given) && !is_own(given) => {
                first.trim_start_matches('*')
            }
            _ => given,
        }
    }

    /// Refuses arguments that the method does not have, and the lack of those that it needs.
    fn check(&self) -> Done<()> {
        let Primitive {
            name,
            params,
            required,
            rest,
            ..
        } = self.primitive;
        let plain = params.iter().take_while(|param| !param.starts_with('*'));
        let (own, given) = (plain.count(), self.args.positional.len());
        if given > own && !rest {
            let takes = pyeval::arity_text(*required, own);
            let why = format!("{name} takes {takes} by position, but {given} given");
            return Err(self.wrong(Class::Argument, why));
        }
        for (at, (named, _)) in self.args.named.iter().enumerate() {
            let named = self.own_name(named);
            let known = |param: &&str| *param == "**" || param.trim_start_matches('*') == named;
            let known = params.iter().position(known);
            let twice = known.is_some_and(|known| known < given.min(own));
            let mut earlier = self.args.named[..at].iter();
            if known.is_none() || twice || earlier.any(|one| self.own_name(&one.0) == named) {
                let why = match known {
                    None => format!("{name} has no parameter '{named}'"),
                    Some(_) => format!("{name} gets '{named}' twice"),
                };
                return Err(self.wrong(Class::Argument, why));
            }
        }
        for missing in params.iter().take(*required) {
            if self.arg(missing).is_none() {
                let why = format!("{name} needs '{}'", missing.trim_start_matches('*'));
                return Err(self.wrong(Class::Argument, why));
            }
        }
        Ok(())
    }

    /// Makes the copies of loops that names among the arguments mean.
    fn make_copies(&mut self) -> Done<()> {
        let args = self.args;
        let all = args
            .positional
            .iter()
            .chain(args.named.iter().map(|one| &one.1));
        for value in all {
            for name in items(value)
                .as_deref()
                .unwrap_or(std::slice::from_ref(value))
            {
                if let ConstValue::Str(name) = name
                    && name.contains('#')
                {
                    let sources = self.sources;
                    directives::make_copies(&mut self.changed().program, sources, name)
                        .map_err(|(at, why)| self.refused(at, why))?;
                }
            }
        }
        Ok(())
    }

    /// A refusal, at the call and at what it is about.
    fn refused(&self, at: Option<Span>, why: String) -> Diagnostic {
        let error = self.wrong(Class::Transform, why);
        match at {
            Some(at) => error.note_at(at, "this is meant"),
            None => error,
        }
    }

    /// An error at the call.
    pub fn wrong(&self, class: Class, why: impl std::fmt::Display) -> Diagnostic {
        error(class, self.span, why)
    }

    /// The schedule itself, for one call after the other.
    pub fn schedule(&self) -> ConstValue {
        Scheduling::Schedule(self.of.clone()).into()
    }

    // Arguments --------------------------------------------------------------------------------------

    /// The argument of a parameter; none where it is `None`.
    pub fn arg(&self, name: &str) -> Option<&ConstValue> {
        let params = self.primitive.params;
        let at = params.iter().position(|param| *param == name);
        let at = at.filter(|_| !name.starts_with('*'));
        let positional = at.and_then(|at| self.args.positional.get(at));
        let plain = name.trim_start_matches('*');
        let mut named = self.args.named.iter();
        let value =
            positional.or_else(|| Some(&named.find(|one| self.own_name(&one.0) == plain)?.1));
        value.filter(|value| !matches!(value, ConstValue::None))
    }

    /// All arguments by position.
    pub fn rest(&self) -> &[ConstValue] {
        &self.args.positional
    }

    /// A whole number.
    pub fn int(&self, name: &str, default: i64) -> Done<i64> {
        let Some(value) = self.arg(name) else {
            return Ok(default);
        };
        let plain = name.trim_start_matches('*');
        self.whole(value, plain)
    }

    fn whole(&self, value: &ConstValue, name: &str) -> Done<i64> {
        let number = match value {
            ConstValue::Bool(_) => None,
            other => other.as_int(),
        };
        let number = number.ok_or_else(|| {
            let why = format!("'{name}' is a whole number, not {}", value.kind());
            self.wrong(Class::Argument, why)
        })?;
        number.to_i64().ok_or_else(|| {
            let why = format!("'{name}' is out of range");
            self.wrong(Class::Argument, why)
        })
    }

    /// A whole number that is at least 1, which is what it is without an argument.
    pub fn positive(&self, name: &str) -> Done<u64> {
        let number = self.int(name, 1)?;
        self.at_least_1(number, name)
    }

    fn at_least_1(&self, number: i64, name: &str) -> Done<u64> {
        let number = u64::try_from(number).ok().filter(|number| *number > 0);
        number.ok_or_else(|| {
            let why = format!("'{}' is at least 1", name.trim_start_matches('*'));
            self.wrong(Class::Argument, why)
        })
    }

    /// A whole number for each of so many loops; one for all of them.
    pub fn factors(&self, name: &str, loops: usize) -> Done<Vec<u64>> {
        let plain = name.trim_start_matches('*');
        let values = match self.arg(name) {
            None => vec![ConstValue::Int(1.into()); loops],
            Some(value) => match items(value) {
                Some(items) => items,
                None => vec![value.clone(); loops],
            },
        };
        if values.len() != loops {
            let why = format!("{loops} loops need {loops} factors, not {}", values.len());
            return Err(self.wrong(Class::Argument, why));
        }
        let each = values.iter();
        each.map(|value| self.at_least_1(self.whole(value, plain)?, name))
            .collect()
    }

    /// Whole numbers that are at least 1: a list, or one.
    pub fn extents(&self, name: &str) -> Done<Vec<u64>> {
        let values = self
            .arg(name)
            .map(|value| items(value).unwrap_or(vec![value.clone()]));
        let plain = name.trim_start_matches('*');
        let values = values.unwrap_or_default();
        let each = values.iter();
        each.map(|value| self.at_least_1(self.whole(value, plain)?, name))
            .collect()
    }

    /// Which calls are meant, counted from 0: a list, or one.
    pub fn ids(&self, name: &str) -> Done<Vec<u64>> {
        let values = self
            .arg(name)
            .map(|value| items(value).unwrap_or(vec![value.clone()]));
        let plain = name.trim_start_matches('*');
        let each = values.unwrap_or_default().into_iter();
        each.map(|value| {
            let id = u64::try_from(self.whole(&value, plain)?);
            id.map_err(|_| self.wrong(Class::Argument, format!("'{plain}' count from 0")))
        })
        .collect()
    }

    /// True or False.
    pub fn flag(&self, name: &str) -> Done<bool> {
        match self.arg(name) {
            None => Ok(false),
            Some(ConstValue::Bool(flag)) => Ok(*flag),
            Some(other) => {
                let name = name.trim_start_matches('*');
                let why = format!("'{name}' is True or False, not {}", other.kind());
                Err(self.wrong(Class::Argument, why))
            }
        }
    }

    /// A constant of schedules, or its name.
    pub fn constant(&self, name: &str, default: &str) -> Done<String> {
        match self.arg(name) {
            None => Ok(default.to_string()),
            Some(ConstValue::Str(text)) => Ok(text.to_string()),
            Some(other) => match Allo::of(other) {
                Some(Allo::Scheduling(Scheduling::Constant(constant))) => {
                    Ok((*constant).to_string())
                }
                _ => {
                    let name = name.trim_start_matches('*');
                    let why = format!(
                        "'{name}' is a constant of the schedule, not {}",
                        other.kind()
                    );
                    Err(self.wrong(Class::Argument, why))
                }
            },
        }
    }

    // References --------------------------------------------------------------------------------------

    fn named<'v>(&self, value: &'v ConstValue) -> Done<Named<'v>> {
        match (value, Allo::of(value)) {
            (ConstValue::Str(name), _) => Ok(Named::Name(name)),
            (_, Some(Allo::Scheduling(Scheduling::Ref(one)))) if one.of.is(self.of) => {
                Ok(Named::Ref(one))
            }
            (_, Some(Allo::Scheduling(Scheduling::Ref(one)))) => {
                let why = format!("'{}' belongs to another schedule", one.name);
                Err(self.wrong(Class::Type, why))
            }
            _ => {
                let why = format!("a reference or a name is needed, not {}", value.kind());
                Err(self.wrong(Class::Type, why))
            }
        }
    }

    /// Of all that a name may mean, the one that it means: of several, that in the schedule's own kernel, and in `under`.
    fn meant<'n, P: Clone>(
        &self,
        names: &'n Names<P>,
        name: &str,
        under: Under<P>,
    ) -> Done<&'n Found<P>> {
        let mut all = names.matching(name);
        if let Some(under) = under
            && all.iter().any(|found| !under(found))
        {
            all.retain(|found| under(found));
            if all.is_empty() {
                let why = format!("there is no '{name}' in what 'under' says");
                return Err(self.wrong(Class::Lookup, why));
            }
        }
        let own = |found: &&Found<P>| found.kernel == self.state.program.top;
        if all.iter().any(own) {
            all.retain(own);
        }
        match all[..] {
            [one] => Ok(one),
            [] => Err(self.wrong(Class::Lookup, names.nothing(name))),
            _ => Err(self.wrong(Class::Ambiguous, names.several(&all))),
        }
    }

    pub(super) fn all_loops(&self) -> Names<Path> {
        Names::of_loops(&self.state.program, self.sources)
    }

    pub(super) fn all_arrays(&self) -> Names<ArrayId> {
        Names::of_arrays(&self.state.program, self.sources)
    }

    /// The value that tells a loop from others.
    fn mark(&self, found: &Found<Path>) -> Option<ValueId> {
        let body = &self.state.program.kernels[found.kernel].body;
        body.op_at(&found.place)?.kind.loop_mark()
    }

    /// A reference to a loop.
    pub fn loop_ref(&self, found: &Found<Path>) -> Ref {
        let mark = self.mark(found).expect("names of loops lead to loops");
        let target = Target::Loop(self.kernel_name(found.kernel), mark);
        self.reference(target, found.own_name())
    }

    fn reference(&self, target: Target, name: &str) -> Ref {
        Ref {
            of: self.of.clone(),
            target,
            name: name.to_string(),
        }
    }

    /// The loop of a name, in what `under` and `path` say.
    pub fn find_loop(&self, name: Option<&ConstValue>) -> Done<Ref> {
        let names = self.all_loops();
        let name = self.name(name)?;
        if let Some(name) = &name
            && let Some(copies) = self.copies_under(&names, name)?
        {
            return Ok(copies);
        }
        let within = self.under()?;
        let within = |found: &Found<Path>| within.as_ref().is_none_or(|within| within.has(found));
        match name {
            Some(name) => Ok(self.loop_ref(self.meant(&names, &name, Some(&within))?)),
            None => {
                let own = |found: &&Found<Path>| found.kernel == self.state.program.top;
                let all = names.iter().filter(|found| own(found) && within(found));
                let all: Vec<&Found<Path>> = all.collect();
                match all[..] {
                    [one] => Ok(self.loop_ref(one)),
                    [] => Err(self.wrong(Class::Lookup, "the kernel has no loop")),
                    _ => Err(self.wrong(Class::Ambiguous, names.several(&all))),
                }
            }
        }
    }

    /// What a name means where that is something of several kernels that were made of one text.
    fn copies<P>(&self, names: &Names<P>, name: &str) -> Option<Ref> {
        let are_many = names.find_all(name).is_ok_and(|all| all.len() > 1);
        are_many.then(|| self.reference(Target::Copies(name.to_string()), name))
    }

    /// The name of what is in several such kernels, if that is what is named.
    fn name_of_copies<P>(&self, names: &Names<P>, named: &Named) -> Option<String> {
        let one = match named {
            Named::Name(name) => &self.copies(names, name)?,
            Named::Ref(one) => *one,
        };
        match &one.target {
            Target::Copies(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// A name, with the names around it that `path` says.
    fn name(&self, name: Option<&ConstValue>) -> Done<Option<String>> {
        let name = match name {
            None => None,
            Some(ConstValue::Str(name)) => Some(name.to_string()),
            Some(other) => {
                let why = format!("a name is a string, not {}", other.kind());
                return Err(self.wrong(Class::Type, why));
            }
        };
        let path = match self.arg("*path") {
            None => return Ok(name),
            Some(ConstValue::Str(path)) => path.to_string(),
            Some(other) => {
                let why = format!(
                    "a path is names with '/' between them, not {}",
                    other.kind()
                );
                return Err(self.wrong(Class::Type, why));
            }
        };
        Ok(Some(match name {
            Some(name) if !directives::ends_in(&path, &name) => format!("{path}/{name}"),
            _ => path,
        }))
    }

    /// What a name means with the name around it that `under` says, if that is something of several kernels.
    fn copies_under<P>(&self, names: &Names<P>, name: &str) -> Done<Option<Ref>> {
        let Some(value) = self.arg("*under") else {
            return Ok(self.copies(names, name));
        };
        let around = match self.named(value)? {
            Named::Name(around) => Some(around),
            Named::Ref(one) => match &one.target {
                Target::Copies(around) => Some(around.as_str()),
                _ => None,
            },
        };
        Ok(around.and_then(|around| self.copies(names, &format!("{around}/{name}"))))
    }

    /// Where `under` says that a loop is looked for.
    fn under(&self) -> Done<Option<Within>> {
        let Some(value) = self.arg("*under") else {
            return Ok(None);
        };
        let of_kernel = |kernel| Within { kernel, path: None };
        let names = self.all_loops();
        Ok(Some(match self.named(value)? {
            Named::Name(name) => match self.kernel_named(name) {
                Some(kernel) if names.matching(name).is_empty() => of_kernel(kernel),
                _ => Within::of_loop(self.meant(&names, name, None)?),
            },
            Named::Ref(one) => match &one.target {
                Target::Kernel(name) => of_kernel(self.kernel(name)?),
                Target::Loop(..) => Within::of_loop(self.found(&names, one)?),
                Target::Array(..) | Target::Call(_) | Target::Copies(_) => {
                    let why = format!("nothing is inside of {}", one.kind());
                    return Err(self.wrong(Class::Type, why));
                }
            },
        }))
    }

    /// The name of the schedule's own kernel.
    pub fn own_kernel(&self) -> String {
        self.kernel_name(self.state.program.top)
    }

    fn kernel_name(&self, kernel: KernelId) -> String {
        self.state.program.kernels[kernel].name.clone()
    }

    /// The kernel of a name.
    pub fn kernel(&self, name: &str) -> Done<KernelId> {
        let found = self.kernel_named(name);
        found.ok_or_else(|| {
            let kernels = self.state.program.kernels.values();
            let all: Vec<&str> = kernels.map(|kernel| kernel.name.as_str()).collect();
            let why = format!(
                "there is no kernel '{name}'; the kernels are {}",
                all.join(", ")
            );
            self.wrong(Class::Lookup, why)
        })
    }

    /// Whether kernels were made of a text of that name.
    fn is_made_of(&self, name: &str) -> bool {
        let mut kernels = self.state.program.kernels.values();
        kernels.any(|kernel| directives::is_instance(name, &kernel.name))
    }

    fn kernel_named(&self, name: &str) -> Option<KernelId> {
        let mut kernels = self.state.program.kernels.iter();
        Some(kernels.find(|(_, kernel)| kernel.name == name)?.0)
    }

    /// The loop of a reference.
    fn found<'n>(&self, names: &'n Names<Path>, one: &Ref) -> Done<&'n Found<Path>> {
        let Target::Loop(kernel, mark) = &one.target else {
            let why = format!("{} is no loop", one.kind());
            return Err(self.wrong(Class::Type, why));
        };
        let kernel = self.kernel(kernel)?;
        let is_it =
            |found: &&Found<Path>| found.kernel == kernel && self.mark(found) == Some(*mark);
        let there = names.iter().find(is_it);
        let there = there.filter(|_| !self.state.unrolled.contains(&one.target));
        there.ok_or_else(|| {
            let why = format!("the loop '{}' is no more since an earlier call", one.name);
            self.wrong(Class::Consumed, why)
        })
    }

    /// The same reference, if there still is what it means.
    pub fn live(&self, one: &Ref) -> Done<Ref> {
        match &one.target {
            Target::Loop(..) => Ok(self.loop_ref(self.found(&self.all_loops(), one)?)),
            _ => Ok(one.clone()),
        }
    }

    /// The reference that an argument is.
    pub fn ref_of(&self, value: &ConstValue) -> Done<Ref> {
        match self.named(value)? {
            Named::Ref(one) => Ok(one.clone()),
            Named::Name(name) => self.find_op(name),
        }
    }

    /// The loop or kernel of a name, or what has it in several kernels.
    pub fn find_op(&self, name: &str) -> Done<Ref> {
        let names = self.all_loops();
        if let Some(copies) = self.copies_under(&names, name)? {
            return Ok(copies);
        }
        let within = self.under()?;
        let within = |found: &Found<Path>| within.as_ref().is_none_or(|within| within.has(found));
        match self.kernel_named(name) {
            Some(kernel) if names.matching(name).is_empty() => {
                Ok(self.reference(Target::Kernel(self.kernel_name(kernel)), name))
            }
            None if names.matching(name).is_empty() && self.is_made_of(name) => {
                Ok(self.reference(Target::Copies(name.to_string()), name))
            }
            _ => Ok(self.loop_ref(self.meant(&names, name, Some(&within))?)),
        }
    }

    /// The array of a name.
    pub fn find_buffer(&self, name: &ConstValue) -> Done<Ref> {
        let ConstValue::Str(name) = name else {
            let why = format!("a name is a string, not {}", name.kind());
            return Err(self.wrong(Class::Type, why));
        };
        let names = self.all_arrays();
        if let Some(copies) = self.copies_under(&names, name)? {
            return Ok(copies);
        }
        let within = self.under()?;
        let within = |found: &Found<ArrayId>| {
            let kernel = within.as_ref().map(|within| within.kernel);
            kernel.is_none_or(|kernel| kernel == found.kernel)
        };
        let found = self.meant(&names, name, Some(&within))?;
        Ok(self.buffer_ref(found))
    }

    /// A reference to an array.
    pub fn buffer_ref(&self, found: &Found<ArrayId>) -> Ref {
        let target = Target::Array(self.kernel_name(found.kernel), found.place);
        self.reference(target, found.own_name())
    }

    // Names for directives ----------------------------------------------------------------------------

    /// What a directive calls the loop that an argument means.
    pub fn loop_name(&self, value: &ConstValue) -> Done<String> {
        let names = self.all_loops();
        let named = self.named(value)?;
        if let Some(name) = self.name_of_copies(&names, &named) {
            return Ok(name);
        }
        let found = match named {
            Named::Name(name) => self.meant(&names, name, None)?,
            Named::Ref(one) => self.found(&names, one)?,
        };
        self.shortest(&names, found)
    }

    /// What a directive calls the array that an argument means.
    pub fn buffer_name(&self, value: &ConstValue) -> Done<String> {
        let names = self.all_arrays();
        let named = self.named(value)?;
        if let Some(name) = self.name_of_copies(&names, &named) {
            return Ok(name);
        }
        let found = match named {
            Named::Name(name) => self.meant(&names, name, None)?,
            Named::Ref(one) => {
                let is_it = |found: &&Found<ArrayId>| {
                    one.target == Target::Array(self.kernel_name(found.kernel), found.place)
                };
                names.iter().find(is_it).ok_or_else(|| {
                    let why = format!("{} is no buffer", one.kind());
                    self.wrong(Class::Type, why)
                })?
            }
        };
        self.shortest(&names, found)
    }

    pub(super) fn shortest<P>(&self, names: &Names<P>, found: &Found<P>) -> Done<String> {
        names.shortest(found).ok_or_else(|| {
            let why = format!("nothing tells '{}' from another one", found.own_name());
            self.wrong(Class::Ambiguous, why)
        })
    }

    /// The loops that an argument means; without one, the only loop of the schedule's own kernel.
    pub fn each_loop(&self, name: &str) -> Done<Vec<ConstValue>> {
        match self.arg(name) {
            Some(_) => self.each(name),
            None => Ok(vec![Scheduling::Ref(self.find_loop(None)?).into()]),
        }
    }

    /// Names of all loops that an argument means: one reference or name, or several.
    pub fn loop_names(&self, name: &str) -> Done<Vec<String>> {
        let each = self.each_loop(name)?;
        each.iter().map(|value| self.loop_name(value)).collect()
    }

    /// Names of all arrays that an argument means.
    pub fn buffer_names(&self, name: &str) -> Done<Vec<String>> {
        let each = self.each(name)?;
        each.iter().map(|value| self.buffer_name(value)).collect()
    }

    /// The values of an argument that is one or several.
    pub fn each(&self, name: &str) -> Done<Vec<ConstValue>> {
        let Some(value) = self.arg(name) else {
            return Ok(Vec::new());
        };
        Ok(items(value).unwrap_or_else(|| vec![value.clone()]))
    }

    /// The one value of an argument.
    pub fn one(&self, name: &str) -> Done<ConstValue> {
        self.single(name, self.each(name)?)
    }

    fn single(&self, name: &str, mut each: Vec<ConstValue>) -> Done<ConstValue> {
        match (each.pop(), each.is_empty()) {
            (Some(one), true) => Ok(one),
            _ => {
                let why = format!("'{name}' is one at a time");
                Err(self.wrong(Class::Argument, why))
            }
        }
    }

    /// What a directive calls the one loop that an argument means.
    pub fn one_loop(&self, name: &str) -> Done<String> {
        self.loop_name(&self.single(name, self.each_loop(name)?)?)
    }

    /// What a directive calls the one array that an argument means.
    pub fn one_buffer(&self, name: &str) -> Done<String> {
        self.buffer_name(&self.one(name)?)
    }

    /// All loops of the schedule's own kernel, outer ones first; those inside of what `under` and `path` say.
    pub fn own_loops(&self) -> Done<Vec<Ref>> {
        let names = self.all_loops();
        let within = match self.name(None)? {
            Some(path) => Some(Within::of_loop(self.meant(&names, &path, None)?)),
            None => self.under()?,
        };
        let own = names.iter().filter(|found| match &within {
            Some(within) => within.has(found),
            None => found.kernel == self.state.program.top,
        });
        Ok(own.map(|found| self.loop_ref(found)).collect())
    }

    /// Names of kernels, or of the references to them; without, the schedule's own.
    pub fn kernel_names(&self, name: &str) -> Done<Vec<String>> {
        if self
            .arg(name)
            .is_none_or(|arg| matches!(arg, ConstValue::None))
        {
            return Ok(vec![self.kernel_name(self.state.program.top)]);
        }
        let each = self.each(name)?;
        let names = each.iter().map(|value| match value {
            ConstValue::Str(text) => Ok(text.to_string()),
            reference => match self.ref_of(reference)?.target {
                Target::Kernel(name) | Target::Call(name) => Ok(name),
                _ => Err(self.wrong(Class::Type, "a kernel is meant")),
            },
        });
        names.collect()
    }

    /// Names of the innermost loops of the schedule's own kernel.
    pub fn innermost(&self) -> Done<Vec<String>> {
        let names = self.all_loops();
        let own = names
            .iter()
            .filter(|found| found.kernel == self.state.program.top);
        let own: Vec<&Found<Path>> = own.collect();
        let is_around = |one: &Found<Path>, other: &Found<Path>| {
            other.place.len() > one.place.len() && leads_to(&other.place, &one.place)
        };
        let innermost = own
            .iter()
            .filter(|one| !own.iter().any(|other| is_around(one, other)));
        innermost
            .map(|found| self.shortest(&names, found))
            .collect()
    }

    /// The kernel's arrays and loops, a line for each.
    pub fn tree(&self) -> String {
        let program = &self.state.program;
        let kernel = &program.kernels[program.top];
        let mut text = format!("kernel {}\n", kernel.name);
        for array in kernel.arrays.values() {
            let shaped = shaped_name(array.elem, &array.shape);
            text += &format!("  buffer {}: {shaped}\n", array.name);
        }
        let names = self.all_loops();
        for found in names.iter().filter(|found| found.kernel == program.top) {
            let indent = "  ".repeat(found.depth());
            text += &format!("{indent}loop {}\n", found.own_name());
        }
        text
    }

    // Directives --------------------------------------------------------------------------------------

    /// Carries out a directive and takes it down.
    pub fn direct(&mut self, directive: Directive) -> Done<Made> {
        let sources = self.sources;
        let State { program, asked, .. } = self.changed();
        // They come again when the program to be built is directed.
        let mut warnings = Diagnostics::default();
        let made = directives::carry_out(program, asked, &directive, sources, &mut warnings);
        let made = made.map_err(|(at, why)| self.refused(at, why))?;
        self.state.directives.push(directive);
        Ok(made)
    }

    /// Carries out a directive that makes loops of `of`, and gives references to the first so many, outermost first.
    pub fn direct_loops(
        &mut self,
        directive: Directive,
        of: &str,
        count: usize,
    ) -> Done<Vec<ConstValue>> {
        let Made::Loops(made) = self.direct(directive)? else {
            return Ok(Vec::new());
        };
        let Some((kernel, outermost)) = made.first() else {
            return Ok(Vec::new());
        };
        let names = self.all_loops();
        let below = names
            .iter()
            .filter(|found| found.kernel == *kernel && leads_to(&found.place, outermost));
        let each = below.take(count).map(|found| match made.len() {
            1 => self.loop_ref(found),
            _ => self.copies_beside(of, found.own_name()),
        });
        each.map(|one| Ok(Scheduling::Ref(one).into())).collect()
    }

    /// Carries out a directive that makes an array of `of`, and gives a reference to it.
    pub fn direct_array(&mut self, directive: Directive, of: &str) -> Done<ConstValue> {
        let Made::Arrays(made) = self.direct(directive)? else {
            return Ok(ConstValue::None);
        };
        let Some((kernel, array)) = made.first() else {
            return Ok(ConstValue::None);
        };
        let kernel = &self.state.program.kernels[*kernel];
        let name = &kernel.arrays[*array].name;
        let reference = match made.len() {
            1 => self.reference(Target::Array(kernel.name.clone(), *array), name),
            _ => self.copies_beside(of, name),
        };
        Ok(Scheduling::Ref(reference).into())
    }

    /// A reference to what has a name in several kernels, where something of that name, `pe/k`, was.
    fn copies_beside(&self, other: &str, name: &str) -> Ref {
        let full = match other.rsplit_once('/') {
            Some((around, _)) => format!("{around}/{name}"),
            None => name.to_string(),
        };
        self.reference(Target::Copies(full), name)
    }

    /// Carries out a directive that makes a kernel, and gives its name.
    pub fn made_kernel(&mut self, directive: Directive) -> Done<String> {
        match self.direct(directive)? {
            Made::Kernel(name) => Ok(name),
            _ => Ok(String::new()),
        }
    }

    /// The same with references to the kernel and to its calls.
    pub fn direct_kernel(&mut self, directive: Directive) -> Done<ConstValue> {
        let name = self.made_kernel(directive)?;
        let both = [Target::Kernel(name.clone()), Target::Call(name.clone())];
        let both = both.map(|target| Scheduling::Ref(self.reference(target, &name)).into());
        Ok(ConstValue::tuple(both.to_vec()))
    }

    /// Has references to a loop mean nothing any more.
    pub fn consume(&mut self, one: &Ref) {
        self.changed().unrolled.insert(one.target.clone());
    }
}

/// Where loops are looked for.
struct Within {
    kernel: KernelId,
    path: Option<Path>,
}

impl Within {
    fn of_loop(found: &Found<Path>) -> Within {
        Within {
            kernel: found.kernel,
            path: Some(found.place.clone()),
        }
    }

    fn has(&self, found: &Found<Path>) -> bool {
        let inside_of = |path: &Path| path != &found.place && leads_to(&found.place, path);
        self.kernel == found.kernel && self.path.as_ref().is_none_or(inside_of)
    }
}

/// The elements of a list or tuple.
fn items(value: &ConstValue) -> Option<Vec<ConstValue>> {
    match value {
        ConstValue::List(list) => Some(list.get().clone()),
        ConstValue::Tuple(items) => Some(items.to_vec()),
        _ => None,
    }
}
