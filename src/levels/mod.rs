//! What the compiler directs by itself: of which loops several iterations run side by side, and which arrays are split
//! for them.
//!
//! A memory has two ports and most loops use one of them for a load: twice as many iterations then fit into a cycle,
//! and more if arrays are split into banks. Which loop of a nest is the one whose iterations read different elements
//! and write different sums, a forecast says: each is tried, the kernel scheduled, and the best one kept if it is worth
//! its operators.

mod choice;
mod inner;
mod lanes;
mod variants;

use crate::diagnostics::SourceMap;
use crate::ir::analysis::Values;
use crate::ir::print::print_kernel;
use crate::ir::{ArrayId, Block, Kernel, OpKind, Path};
use crate::parallel;
use crate::transform::ways::{Ways, Worth};
use crate::transform::{copied_params, distribute, invariants, restructure, scalar_expansion};
use choice::Choice;
use lanes::Lanes;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use variants::Variant;

/// How much the compiler does for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Loops stay as they are.
    #[default]
    One,
    /// Two iterations side by side where that about halves the cycles of a nest.
    Two,
    /// As many as the device has operators for, and banks for them.
    Three,
}

/// What a kernel will take.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// Cycles of an invocation.
    pub cycles: u64,
    /// LUT4 of its operations, multiplier blocks counted in.
    pub luts: f64,
    /// The same without them, as counted.
    pub logic: f64,
    /// Multiplier blocks.
    pub blocks: u64,
    /// Bits of memories inside.
    pub ram: u64,
}

impl Forecast {
    /// LUT4 after technology mapping, about.
    pub fn mapped(&self) -> f64 {
        let (each, control) = MAPPED;
        each * self.logic + control
    }
}

/// Something that was tried, and what it would take.
#[derive(Clone, Debug)]
pub struct Tried {
    /// In words.
    pub what: String,
    /// Without it; `None` where nothing is known of that.
    pub before: Option<Forecast>,
    /// With it; `None`: it has no hardware.
    pub after: Option<Forecast>,
    /// Whether it stayed.
    pub kept: bool,
}

/// What was decided about a kernel.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// For the head of the module, one sentence each.
    pub sentences: Vec<String>,
    /// All that was forecast on the way.
    pub tried: Vec<Tried>,
    /// What the kernels that passes make of the directed one take, as far as that is known.
    pub ways: Ways,
}

/// What a kernel will take, of the kernels that passes make of it and that are worth a look; `None`: it has no hardware.
pub type Forecasting<'f> = dyn Fn(Kernel, &Worth) -> Option<Foreseen> + Sync + 'f;

/// What the best of the kernels that passes make of one will take, and the cycles of each.
#[derive(Clone, Debug)]
pub struct Foreseen {
    /// The best one.
    pub best: Forecast,
    /// Each of them.
    pub ways: Ways,
    /// Operations of the hardware of all of them, each as many times as it was looked at to schedule them.
    pub visits: u64,
}

/// What the hardware may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// LUT4.
    pub luts: u64,
    /// Multiplier blocks.
    pub blocks: u64,
    /// Bits of memories inside.
    pub ram: u64,
}

/// What the search is for.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// How much to do.
    pub level: Level,
    /// What there is, for [`Level::Three`].
    pub limits: Limits,
    /// Whether parameters may be split into banks, too.
    pub partition_args: bool,
    /// How many times as long to search as by default.
    pub effort: u32,
}

/// Operations that may be scheduled for forecasts, or stand in another order, all tries together.
fn effort(aim: &Aim) -> u64 {
    let once = match aim.level {
        Level::One => 0,
        Level::Two => 40_000,
        Level::Three => 20_000,
    };
    once * u64::from(aim.effort)
}

/// So many visits count as one operation that is scheduled: next to nothing, but where many more are needed than there are operations.
const VISITS: u64 = 500;

/// What is put inside for the sake of lanes may take one part in so many of the memories there.
const PART_OF_RAM: u64 = 2;

/// More lanes have to gain one part in so many of the kernel's cycles.
const LEAST_GAIN: u64 = 20;

/// Parameters that have banks need no copies inside where the kernel is so many times as fast with them.
const ENOUGH: u64 = 2;

/// Parameters are tried without banks, too, where the kernel is not so many times as fast with them.
const WELL_SPENT: u64 = 4;

/// A nest has to, at each level.
const fn least_of_nest(level: Level) -> u64 {
    match level {
        Level::One | Level::Two => LEAST_GAIN,
        Level::Three => 100,
    }
}

/// At [`Level::Two`] operators of the kernel may become so many times what they are as it stands, and a few.
const MOST_GROWTH: (f64, f64) = (2.2, 500.0);

/// LUT4 of a kernel for each that the model counts, which are upper bounds, and those of its control: by Yosys for
/// products of matrices.
const MAPPED: (f64, f64) = (0.8, 200.0);

/// Loops that look as good as the best one with two lanes, of which more are tried: those within one part in so many.
const ALIKE: u64 = 10;

/// Most of them.
const MOST_ALIKE: usize = 2;

/// With all their lanes, ways that take as long but for one part in so many are as fast: the smallest one of them is kept.
const AS_FAST: u64 = 1000;

/// Numbers of iterations that are tried where what fits alone does not beside the other nests.
const TRIES: usize = 4;

/// Parts of their iterations that all nests have side by side where one of them finds no room beside the others, the first that fits.
const PARTS: [f64; 5] = [0.9, 0.8, 0.7, 0.6, 0.5];

/// Directs the loops and arrays of a kernel, its calls inlined, that are worth it. `tell` hears how much of the most
/// effort has been spent.
pub fn direct(
    kernel: &mut Kernel,
    sources: &SourceMap,
    aim: &Aim,
    forecast: &Forecasting,
    tell: &dyn Fn(u64, u64),
) -> Decided {
    let mut search = Search::new(sources, aim, forecast, tell);
    let found = match aim.level {
        Level::Three => search.wide(kernel),
        _ => search.narrow(kernel),
    };
    let (sentences, ways) = match (found, aim.level) {
        (Some(state), _) => {
            let ways = Ways::clone(&state.variant.ways);
            *kernel = state.variant.into_kernel();
            (state.decisions, ways)
        }
        (None, Level::Three) => {
            let said = "-O3: too many operations for a forecast: nothing is directed";
            (vec![said.into()], Ways::default())
        }
        (None, _) => Default::default(),
    };
    Decided {
        tried: once_each(search.tried, &sentences),
        sentences,
        ways,
    }
}

/// Without what was tried again in another order; what is said to be directed was kept.
fn once_each(tried: Vec<Tried>, sentences: &[String]) -> Vec<Tried> {
    let mut seen = BTreeSet::new();
    let once = tried.into_iter().filter_map(|one| {
        let gain = one.before.zip(one.after);
        let words = match gain {
            Some((before, after)) => gain_in_words(&one.what, &before, &after),
            None => one.what.clone(),
        };
        let is_said = |said: &String| gain.is_some() && said.ends_with(&words);
        let kept = sentences.iter().any(is_said);
        seen.insert(words).then_some(Tried { kept, ..one })
    });
    once.collect()
}

/// What is directed, and what it brings.
fn gain_in_words(what: &str, before: &Forecast, after: &Forecast) -> String {
    let (before, after) = (before.cycles, after.cycles);
    format!(": {what}: about {after} cycles instead of {before}")
}

/// What is known of a kernel.
struct Known {
    foreseen: Option<Foreseen>,
    /// Whether its effort was counted.
    is_counted: bool,
}

struct Search<'f> {
    aim: &'f Aim,
    forecast: &'f Forecasting<'f>,
    tell: &'f dyn Fn(u64, u64),
    sources: &'f SourceMap,
    /// What has been forecast.
    tried: Vec<Tried>,
    /// The same by the text of the kernel.
    known: HashMap<String, Known>,
    /// Operations that may still be looked at.
    effort: u64,
    most_luts: f64,
    /// Whether the kernel is larger than the device, or what it may take, as it stands.
    is_too_large: bool,
    /// What nests might have alone for which there was no room beside the others.
    short: Vec<Laid>,
}

/// A kernel, what is known of it, and what it will take.
#[derive(Clone)]
struct State {
    variant: Variant,
    forecast: Forecast,
    decisions: Vec<String>,
    /// What is directed, in the order in which that was decided.
    laid: Vec<Laid>,
}

/// Iterations side by side of a loop of a nest.
#[derive(Clone)]
struct Laid {
    /// The loops of the nest in another order, if they are.
    order: Option<Vec<Path>>,
    path: Path,
    lanes: Lanes,
}

impl Laid {
    fn of(found: &Found) -> Laid {
        let order = found.variant.order.as_ref();
        Laid {
            order: order.map(|order| order.paths.clone()),
            path: found.choice.path.clone(),
            lanes: found.choice.lanes,
        }
    }
}

impl State {
    /// The other one, if there is one and it takes fewer cycles; the smaller one of two as fast.
    fn or(self, other: impl Into<Option<State>>) -> State {
        match other.into() {
            Some(other) if is_better(&self.forecast, &other.forecast) => other,
            _ => self,
        }
    }

    /// The same unless there is another one that gains one part in so many of its cycles.
    fn unless(self, other: Option<State>, part: u64) -> State {
        match other {
            Some(other) if gains(&self.forecast, &other.forecast, part) => other,
            _ => self,
        }
    }
}

/// What may be directed, and what it brings.
struct Found {
    forecast: Forecast,
    ways: Ways,
    choice: Choice,
    variant: Variant,
}

impl<'f> Search<'f> {
    fn new(
        sources: &'f SourceMap,
        aim: &'f Aim,
        forecast: &'f Forecasting<'f>,
        tell: &'f dyn Fn(u64, u64),
    ) -> Self {
        Search {
            tell,
            aim,
            forecast,
            sources,
            tried: Vec::new(),
            known: HashMap::new(),
            effort: effort(aim),
            most_luts: f64::INFINITY,
            is_too_large: false,
            short: Vec::new(),
        }
    }

    /// Two lanes where that is worth it; `None`: nowhere.
    fn narrow(&mut self, kernel: &Kernel) -> Option<State> {
        let nests = nests(kernel);
        let variant = Variant::of(kernel.clone());
        if nests.iter().all(|nest| variant.candidates(nest).is_empty()) {
            return None;
        }
        let start = self.start_by(variant, &Worth::all())?;
        let (growth, few) = MOST_GROWTH;
        self.most_luts = growth * start.forecast.luts + few;
        self.is_too_large = !self.fits(&start.forecast);
        let best = self.nests(start, &nests);
        let cut = self.cut(kernel);
        let best = best.unless(cut, LEAST_GAIN);
        if !best.decisions.is_empty() {
            return Some(best);
        }
        let gathering = self.gathering(kernel);
        Some(best.unless(gathering, LEAST_GAIN))
    }

    /// The same with copies of parameters that are gathered from in memories inside, which are read through as many ports as it
    /// takes, if there are such.
    fn gathering(&mut self, kernel: &Kernel) -> Option<State> {
        let gathered = choice::gathered(&Values::of(kernel), &kernel.body);
        let (mut kernel, said) = self.copied(kernel, |id| gathered.contains(&id))?;
        restructure::settle(&mut kernel);
        let nests = nests(&kernel);
        let mut start = self.start(Variant::of(kernel))?;
        start.decisions.push(said);
        Some(self.nests(start, &nests))
    }

    /// The kernel with copies of parameters that `may` have one in memories inside, which are worth it, and what that is in words;
    /// `None`: none is.
    fn copied(&self, kernel: &Kernel, may: impl Fn(ArrayId) -> bool) -> Option<(Kernel, String)> {
        let mut kernel = kernel.clone();
        let names = copied_params::run(&mut kernel, self.most_inside(), may);
        let level = self.aim.level as u32 + 1;
        let said = format!("-O{level}: {} copied to memories inside", quoted(&names));
        (!names.is_empty()).then_some((kernel, said))
    }

    /// The same with loops cut around the loops inside of them, if there are such and it is not too large.
    fn cut(&mut self, kernel: &Kernel) -> Option<State> {
        let mut cut = kernel.clone();
        scalar_expansion::run_wide(&mut cut);
        let nests = nests(&cut);
        if nests.len() == self::nests(kernel).len() {
            return None;
        }
        restructure::settle(&mut cut);
        let mut start = self.start(Variant::of(cut))?;
        start
            .decisions
            .push("-O2: loops are cut around the loops inside of them".into());
        let found = self.nests(start, &nests);
        (found.forecast.luts <= self.most_luts).then_some(found)
    }

    /// As many lanes as there are operators for. Which array is split for which nest is decided by the nest that comes
    /// first: each end of the kernel is begun with.
    fn wide(&mut self, written: &Kernel) -> Option<State> {
        let as_written = self.start_by(Variant::of(written.clone()), &Worth::all())?;
        let plain = as_written.forecast;
        let best = self.widest_of(written, &as_written);
        let best = match self.aim.partition_args {
            true if best.forecast.cycles >= plain.cycles / WELL_SPENT => {
                let whole = Aim {
                    partition_args: false,
                    ..*self.aim
                };
                let found = self.with(&whole, |search| search.widest_of(written, &as_written));
                best.or(found)
            }
            _ => best,
        };
        let best = best.or(self.as_at_two(written));
        let Limits { luts, blocks, ram } = self.aim.limits;
        // A device of which no totals are known has no limit of its own.
        let known = |limit: u64, per: u64| match limit {
            u64::MAX => "any".into(),
            limit => (limit / per).to_string(),
        };
        let limits = format!(
            "{} LUT4, {} multipliers, {} kbit",
            known(luts, 1),
            known(blocks, 1),
            known(ram, 1024)
        );
        let mut decisions = vec![format!("-O3: {} as it is written", in_words(&plain))];
        if best.forecast.cycles >= plain.cycles {
            if !self.fits(&plain) {
                decisions.push(format!(
                    "-O3: that is more than {limits}, and nothing takes less"
                ));
            }
            return Some(State {
                decisions,
                ..as_written
            });
        }
        decisions.extend(best.decisions);
        decisions.push(format!("-O3: {} of {limits}", in_words(&best.forecast)));
        Some(State { decisions, ..best })
    }

    /// What is best with as many lanes as there are operators for: of the kernel as it is written, with copies of parameters inside,
    /// or without its small loops.
    fn widest_of(&mut self, written: &Kernel, as_written: &State) -> State {
        let plain = &as_written.forecast;
        let small = inner::unrolled(written);
        let start = small
            .as_ref()
            .and_then(|(kernel, _)| self.start(Variant::of(kernel.clone())));
        // There is some more effort for the one that promises more as it stands.
        let promises = start.is_some_and(|start| start.forecast.cycles < plain.cycles / 4 * 3);
        let more = if promises { effort(self.aim) / 2 } else { 0 };
        let directed = self.directed(written.clone());
        let best = directed.unwrap_or_else(|| as_written.clone());
        let inside = self.inside(written, [plain, &best.forecast]);
        let best = best.unless(inside, LEAST_GAIN);
        self.effort += more;
        let unrolled = small.and_then(|small| self.unrolled(small, plain));
        best.unless(unrolled, LEAST_GAIN)
    }

    /// What [`Level::Two`] directs, if it fits: copies of what is gathered, or two lanes of loops that are no nests here.
    fn as_at_two(&mut self, written: &Kernel) -> Option<State> {
        let aim = Aim {
            level: Level::Two,
            ..*self.aim
        };
        let found = self.with(&aim, |search| search.narrow(written));
        found.filter(|found| self.fits(&found.forecast))
    }

    /// What is found with another aim.
    fn with<T>(&mut self, aim: &Aim, find: impl FnOnce(&mut Search) -> T) -> T {
        let mut search = Search::new(self.sources, aim, self.forecast, self.tell);
        search.known = std::mem::take(&mut self.known);
        let found = find(&mut search);
        self.known = search.known;
        self.tried.append(&mut search.tried);
        found
    }

    /// The same with copies of parameters in memories inside, which may have banks, if some are worth one; what it takes as it is
    /// written, and at best so far.
    fn inside(&mut self, written: &Kernel, [plain, best]: [&Forecast; 2]) -> Option<State> {
        // They may have banks as they are, and more ports inside.
        if self.aim.partition_args && best.cycles < plain.cycles / ENOUGH {
            return None;
        }
        let (kernel, said) = self.copied(written, |_| true)?;
        let mut found = self.directed(kernel)?;
        found.decisions.insert(0, said);
        Some(found)
    }

    /// The same, of a kernel all iterations of whose small loops inside stand side by side, if that fits.
    fn unrolled(
        &mut self,
        (kernel, names): (Kernel, Vec<String>),
        plain: &Forecast,
    ) -> Option<State> {
        let found = self.directed(kernel.clone())?;
        let inside = self.inside(&kernel, [plain, &found.forecast]);
        let mut found = found.unless(inside, LEAST_GAIN);
        let said = format!("-O3: all iterations of {} side by side", quoted(&names));
        found.decisions.insert(0, said);
        self.fits(&found.forecast).then_some(found)
    }

    /// Bits that copies of parameters, and arrays of what does not change in a nest, may take inside.
    fn most_inside(&self) -> u64 {
        self.aim.limits.ram / PART_OF_RAM
    }

    /// As many lanes for each nest as there are operators for.
    fn directed(&mut self, kernel: Kernel) -> Option<State> {
        let whole = self.opened(&kernel, |_| {});
        // Each part may have lanes of its own.
        let parts = self.opened(&kernel, distribute::run)?;
        let whole = whole.filter(|whole| whole.1.forecast.cycles < parts.1.forecast.cycles);
        let best = self.either_end_first(parts);
        let Some(whole) = whole else {
            return Some(best);
        };
        Some(best.or(self.either_end_first(whole)))
    }

    /// The nests of a kernel that `cut` may have taken apart, and what it takes without lanes.
    fn opened(&mut self, kernel: &Kernel, cut: impl Fn(&mut Kernel)) -> Option<(Vec<Path>, State)> {
        let mut kernel = kernel.clone();
        cut(&mut kernel);
        scalar_expansion::run_wide(&mut kernel);
        invariants::run(&mut kernel, self.most_inside());
        restructure::settle(&mut kernel);
        Some((nests(&kernel), self.start(Variant::of(kernel))?))
    }

    /// Directs the nests from the first one on or from the last one on, whichever is better.
    fn either_end_first(&mut self, (mut nests, start): (Vec<Path>, State)) -> State {
        let forwards = self.nests(start.clone(), &nests);
        if nests.len() < 2 {
            return forwards;
        }
        nests.reverse();
        forwards.or(self.nests(start, &nests))
    }

    fn start(&mut self, variant: Variant) -> Option<State> {
        self.start_by(variant, &Worth::default())
    }

    fn start_by(&mut self, variant: Variant, worth: &Worth) -> Option<State> {
        let kernel = Kernel::clone(&variant.kernel);
        let cost = cost(&variant, 1);
        let Foreseen { best, ways, .. } = self.forecast_of(kernel, cost, worth)??;
        Some(State {
            variant: Variant {
                ways: Rc::new(ways),
                ..variant
            },
            forecast: best,
            decisions: Vec::new(),
            laid: Vec::new(),
        })
    }

    /// What a kernel will take, if it has hardware; `None`: there is not that much effort left. One that was looked at from the
    /// other end of the program is known, and takes none.
    fn forecast_of(
        &mut self,
        kernel: Kernel,
        cost: u64,
        worth: &Worth,
    ) -> Option<Option<Foreseen>> {
        let text = print_kernel(&kernel, None);
        if let Some(known) = self.known.get(&text).filter(|known| known.is_counted) {
            return Some(known.foreseen.clone());
        }
        self.spend(cost)?;
        let forecast = self.forecast;
        let known = self.known.entry(text).or_insert_with(|| Known {
            foreseen: forecast(kernel, worth),
            is_counted: false,
        });
        known.is_counted = true;
        let found = known.foreseen.clone();
        let visits = found.as_ref().map_or(0, |found| found.visits);
        self.effort = self.effort.saturating_sub(visits / VISITS);
        Some(found)
    }

    /// Directs one nest after the other; those that were not worth it once more, as others have become shorter.
    fn nests(&mut self, start: State, nests: &[Path]) -> State {
        let mut open = nests.to_vec();
        let mut state = start.clone();
        loop {
            let (mut left, all) = (Vec::new(), open.len());
            self.short.clear();
            for nest in open {
                match self.nest(&state, &nest, nests) {
                    Some(found) => self.keep(&mut state, found),
                    None => left.push(nest),
                }
            }
            let is_over = left.is_empty() || left.len() == all;
            match (self.aim.level, is_over) {
                (Level::Three, true) => return self.relaid(&start, state),
                (Level::Three, false) => {}
                _ => return state,
            }
            open = left;
        }
    }

    /// The same, or fewer iterations side by side in all nests where that is better: as many as leave none over in the end, so
    /// that sums of all take turns, or so many that there is room for nests that had none.
    fn relaid(&mut self, start: &State, state: State) -> State {
        let mut state = state;
        if !state.laid.iter().all(|laid| laid.lanes.leave_none()) {
            let laid = state.laid.clone();
            let found = self.laid(start, &laid, |lanes| lanes.fewer_that_leave_none());
            state = state.or(found);
        }
        if self.short.is_empty() {
            return state;
        }
        let laid = [&state.laid[..], &std::mem::take(&mut self.short)].concat();
        let mut parts = PARTS.into_iter();
        let found = parts.find_map(|part| self.laid(start, &laid, |lanes| lanes.fewer(part)));
        state.or(found)
    }

    /// A kernel with so many iterations side by side in each nest; `None`: there is none, or no room for it.
    fn laid(
        &mut self,
        start: &State,
        laid: &[Laid],
        count: impl Fn(Lanes) -> Option<u64>,
    ) -> Option<State> {
        let mut variant = start.variant.clone();
        let (mut words, mut now, mut most) = (Vec::new(), Vec::new(), 2);
        for one in laid {
            if let Some(order) = &one.order {
                variant = variant.reordered(order.clone())?;
            }
            let count = count(one.lanes)?;
            let choice = Choice::of(&variant, &one.path, count, self.aim)?;
            words.extend(choice.words(&variant, self.sources));
            choice.tag(variant.kernel_mut());
            now.push(Laid {
                lanes: choice.lanes,
                ..one.clone()
            });
            variant.order = None;
            most = count.max(most);
        }
        let kernel = Kernel::clone(&variant.kernel);
        let cost = cost(&variant, lanes_cost(most));
        let Foreseen { best, ways, .. } = self.forecast_of(kernel, cost, &Worth::default())??;
        let what = words.join("; ");
        self.tried.push(Tried {
            what: what.clone(),
            before: Some(start.forecast),
            after: Some(best),
            kept: false,
        });
        variant.ways = Rc::new(ways);
        let said = format!("-O3{}", gain_in_words(&what, &start.forecast, &best));
        let fits = self.is_too_large || self.fits(&best);
        fits.then(|| State {
            variant,
            forecast: best,
            decisions: [&start.decisions[..], &[said]].concat(),
            laid: now,
        })
    }

    /// Directs what was found.
    fn keep(&mut self, state: &mut State, found: Found) {
        state.laid.push(Laid::of(&found));
        let Found {
            forecast,
            ways,
            choice,
            mut variant,
        } = found;
        let level = self.aim.level as u32 + 1;
        let words = choice.words(&variant, self.sources).unwrap_or_default();
        let gain = gain_in_words(&words, &state.forecast, &forecast);
        state.decisions.push(format!("-O{level}{gain}"));
        choice.tag(variant.kernel_mut());
        state.variant = Variant {
            order: None,
            ways: Rc::new(ways),
            ..variant
        };
        state.forecast = forecast;
    }

    /// The best that there is for a nest, if it is worth it.
    fn nest(&mut self, state: &State, nest: &Path, nests: &[Path]) -> Option<Found> {
        let found = match self.aim.level {
            Level::Three => self.widest_alone(state, nest, nests)?,
            _ => {
                let firsts =
                    self.firsts(std::slice::from_ref(&state.variant), nest, &state.forecast);
                firsts.into_iter().next()?
            }
        };
        let least = least_of_nest(self.aim.level);
        gains(&state.forecast, &found.forecast, least).then_some(found)
    }

    /// As many iterations side by side as there may be for a nest, looked for as if it were alone.
    fn widest_alone(&mut self, state: &State, nest: &Path, nests: &[Path]) -> Option<Found> {
        let alone = match nests.len() {
            1 => state.clone(),
            _ => self.start(state.variant.alone(nest, nests))?,
        };
        // It cannot gain what it does not take.
        if alone.forecast.cycles < state.forecast.cycles / least_of_nest(self.aim.level) {
            return None;
        }
        let mut variants = vec![alone.variant.clone()];
        for order in variants::orders(&alone.variant.kernel, nest) {
            if self.spend(cost(&alone.variant, 1)).is_some() {
                variants.extend(alone.variant.reordered(order));
            }
        }
        let firsts = self.firsts(&variants, nest, &alone.forecast);
        let least = firsts.first()?.forecast.cycles;
        let alike = firsts.into_iter().take(MOST_ALIKE);
        let alike = alike.filter(|found| found.forecast.cycles - least <= least / ALIKE);
        let found: Vec<Found> = alike
            .map(|first| self.widest(first, &alone.forecast))
            .collect();
        // What is left for other nests counts more than the end of a pipeline.
        let least = found.iter().map(|found| found.forecast.cycles).min()?;
        let best = found
            .into_iter()
            .filter(|found| found.forecast.cycles - least <= least / AS_FAST)
            .min_by(|one, other| one.forecast.luts.total_cmp(&other.forecast.luts))?;
        self.beside(state, &best)
    }

    /// The same beside the other nests, of fewer iterations if there is not enough left for as many.
    fn beside(&mut self, state: &State, alone: &Found) -> Option<Found> {
        let variant = match &alone.variant.order {
            Some(order) => state.variant.reordered(order.paths.clone())?,
            None => state.variant.clone(),
        };
        let Choice { path, lanes, .. } = &alone.choice;
        let fewer = lanes.counts().into_iter().rev();
        let fewer = fewer.skip_while(|count| *count >= lanes.count());
        let mut counts = std::iter::once(lanes.count()).chain(fewer).take(TRIES);
        let found = counts.find_map(|count| self.lanes(&variant, path, count, &state.forecast));
        if found.is_none() {
            self.short.push(Laid::of(alone));
        }
        found
    }

    /// Two iterations of each loop of a nest side by side, or as many as there are banks for, the best ones first.
    fn firsts(&mut self, variants: &[Variant], nest: &Path, before: &Forecast) -> Vec<Found> {
        let mut candidates = Vec::new();
        for variant in variants {
            for path in variant.candidates(nest) {
                // Banks that there are already suit as many lanes.
                let banks = Choice::of(variant, &path, 2, self.aim).and_then(|two| two.aligned);
                candidates.push((variant, path, banks));
            }
        }
        self.look_ahead(&candidates);
        let mut firsts = Vec::new();
        for (variant, path, banks) in candidates {
            let mut counts = banks.into_iter().chain([2]);
            firsts.extend(counts.find_map(|count| self.lanes(variant, &path, count, before)));
        }
        firsts.retain(|found| found.forecast.cycles < before.cycles);
        firsts.sort_by_key(|found| found.forecast.cycles);
        firsts
    }

    /// Forecasts side by side what would be forecast one after the other: for each candidate the lanes that are tried first, as far
    /// as that may be done.
    fn look_ahead(&mut self, candidates: &[(&Variant, Path, Option<u64>)]) {
        let mut effort = self.effort;
        let mut kernels = BTreeMap::new();
        for (variant, path, banks) in candidates {
            let count = banks.unwrap_or(2);
            let Some(choice) = Choice::of(variant, path, count, self.aim) else {
                continue;
            };
            let kernel = choice.directed(variant);
            let text = print_kernel(&kernel, None);
            if self.known.contains_key(&text) {
                continue;
            }
            match effort.checked_sub(cost(variant, lanes_cost(count))) {
                Some(left) => effort = left,
                None => break,
            }
            kernels.insert(text, (kernel, variant.ways.worth(count)));
        }
        let forecast = |(text, (kernel, worth))| {
            let known = Known {
                foreseen: (self.forecast)(kernel, &worth),
                is_counted: false,
            };
            (text, known)
        };
        let found = parallel::map(kernels.into_iter().collect(), forecast);
        self.known.extend(found);
    }

    /// Counts what is done with a kernel; `None`: that would be too much.
    fn spend(&mut self, cost: u64) -> Option<()> {
        self.effort = self.effort.checked_sub(cost)?;
        let all = effort(self.aim);
        (self.tell)(all.saturating_sub(self.effort), all);
        Some(())
    }

    /// As many iterations side by side as there are operators for, without more of them than bring something.
    ///
    /// The most that fit are looked for by halves: more lanes never take less.
    fn widest(&mut self, first: Found, before: &Forecast) -> Found {
        let counts = first.choice.lanes.counts();
        let (variant, path) = (first.variant.clone(), first.choice.path.clone());
        let up_to = |most: u64| counts.partition_point(|count| *count <= most);
        let mut guess = self.guess(before, &first).map(up_to);
        // Those below `fits` do, those from `beyond` on do not.
        let (mut fits, mut beyond) = (up_to(first.choice.lanes.count()), counts.len());
        let mut best = first;
        while fits < beyond {
            let guessed = guess.take();
            let at = guessed.map_or(fits + (beyond - fits) / 2, |guess| {
                guess.saturating_sub(1).clamp(fits, beyond - 1)
            });
            if self.blocks_for(before, &best, counts[at]) > self.aim.limits.blocks as f64 {
                beyond = at;
                continue;
            }
            match self.lanes(&variant, &path, counts[at], before) {
                Some(found) if gains(&best.forecast, &found.forecast, LEAST_GAIN) => {
                    (best, fits) = (found, at + 1);
                    // The next ones are most likely too many.
                    guess = guessed.map(|_| fits + 1);
                }
                // They do not fit, or fewer lanes do as well: memory ports are what is short of.
                _ => beyond = at,
            }
        }
        self.without_rest(best, before)
    }

    /// The same, or as many iterations as leave none over in the end if that is better.
    fn without_rest(&mut self, best: Found, before: &Forecast) -> Found {
        let Choice { path, lanes, .. } = &best.choice;
        let fewer = lanes.fewer_that_leave_none();
        let fewer = fewer.filter(|&count| count < lanes.count());
        let even = fewer.and_then(|count| self.lanes(&best.variant, path, count, before));
        match even {
            Some(even) if is_better(&best.forecast, &even.forecast) => even,
            _ => best,
        }
    }

    /// So many iterations side by side; `None` if that is more than there may be.
    fn lanes(
        &mut self,
        variant: &Variant,
        path: &Path,
        count: u64,
        before: &Forecast,
    ) -> Option<Found> {
        let choice = Choice::of(variant, path, count, self.aim)?;
        let cost = cost(variant, lanes_cost(count));
        let worth = variant.ways.worth(count);
        let found = self.forecast_of(choice.directed(variant), cost, &worth)?;
        self.tried.push(Tried {
            what: choice.words(variant, self.sources).unwrap_or_default(),
            before: Some(*before),
            after: found.as_ref().map(|found| found.best),
            kept: false,
        });
        let Foreseen {
            best: forecast,
            ways,
            ..
        } = found?;
        let fits = self.is_too_large || self.fits(&forecast);
        (fits && forecast.luts <= self.most_luts).then(|| Found {
            forecast,
            ways,
            choice,
            variant: variant.clone(),
        })
    }

    fn fits(&self, found: &Forecast) -> bool {
        let Limits { luts, blocks, ram } = self.aim.limits;
        found.mapped() <= luts as f64 && found.blocks <= blocks && found.ram <= ram
    }

    /// Multiplier blocks of so many lanes, by what fewer of them take.
    fn blocks_for(&self, before: &Forecast, found: &Found, count: u64) -> f64 {
        let [one, all] = [before, &found.forecast].map(|forecast| forecast.blocks as f64);
        let each = (all - one) / (found.choice.lanes.count() - 1) as f64;
        one + each * (count - 1) as f64
    }

    /// How many lanes there are operators for, by what the first ones take; `None` if that is nothing.
    fn guess(&self, before: &Forecast, first: &Found) -> Option<u64> {
        let Limits { luts, blocks, .. } = self.aim.limits;
        let (found, more) = (&first.forecast, (first.choice.lanes.count() - 1) as f64);
        let most = |limit: u64, one: f64, all: f64| {
            let each = (all - one) / more;
            (each > 0.0).then(|| 1 + ((limit as f64 - one).max(0.0) / each) as u64)
        };
        let by_blocks = most(blocks, before.blocks as f64, found.blocks as f64);
        let by_logic = most(luts, before.mapped(), found.mapped());
        by_blocks.into_iter().chain(by_logic).min()
    }
}

/// Operations that are looked at where a kernel is, so many times.
fn cost(variant: &Variant, times: u64) -> u64 {
    variant.size.saturating_mul(times)
}

/// How often that is where so many iterations run side by side.
fn lanes_cost(count: u64) -> u64 {
    count.div_ceil(2)
}

/// Whether the second one takes fewer cycles, or is the smaller one of two as fast.
fn is_better(one: &Forecast, two: &Forecast) -> bool {
    let as_fast = one.cycles.min(two.cycles) / AS_FAST;
    match one.cycles.abs_diff(two.cycles) <= as_fast {
        true => two.luts < one.luts,
        false => two.cycles < one.cycles,
    }
}

/// Whether the second one takes less time by more than one part in so many.
fn gains(before: &Forecast, after: &Forecast, part: u64) -> bool {
    after.cycles < before.cycles - before.cycles / part
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    names.join(", ")
}

fn in_words(forecast: &Forecast) -> String {
    format!(
        "{} cycles, {:.0} LUT4, {} multipliers, {} kbit, about,",
        forecast.cycles,
        forecast.mapped(),
        forecast.blocks,
        forecast.ram.div_ceil(1024)
    )
}

/// Loops that no other counted loop is around.
fn nests(kernel: &Kernel) -> Vec<Path> {
    let mut nests = Vec::new();
    find_nests(&kernel.body, &mut Vec::new(), &mut nests);
    nests
}

fn find_nests(block: &Block, path: &mut Path, nests: &mut Vec<Path>) {
    for (at, op) in block.ops.iter().enumerate() {
        if matches!(op.kind, OpKind::For(_)) {
            nests.push([&path[..], &[(at, 0)]].concat());
            continue;
        }
        for (number, inner) in op.kind.blocks().into_iter().enumerate() {
            path.push((at, number));
            find_nests(inner, path, nests);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_fast_and_smaller_is_better_and_what_is_faster_at_any_size() {
        let of = |cycles, luts| Forecast {
            cycles,
            luts,
            logic: luts,
            blocks: 0,
            ram: 0,
        };
        let one = of(8011, 59_689.0);
        for (better, cycles, luts) in [
            (true, 8017, 53_888.0),
            (false, 8017, 59_690.0),
            (false, 8020, 53_888.0),
            (true, 8005, 53_888.0),
            (false, 8005, 60_000.0),
            (true, 8000, 90_000.0),
        ] {
            assert_eq!(
                is_better(&one, &of(cycles, luts)),
                better,
                "{cycles} {luts}"
            );
        }
    }
}
