//! Shows on a terminal what a long run does and how long that will take.

use allo_hls::progress::{Listener, Progress};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Runs that end sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often what is shown changes.
const TICK: Duration = Duration::from_millis(200);

/// The lines of runs that go on, and of some that have ended since.
static LINES: Mutex<Vec<Weak<Line>>> = Mutex::new(Vec::new());

/// A line at the bottom of the terminal, while a step goes on.
struct Line {
    bar: ProgressBar,
    begun: Instant,
    is_late: AtomicBool,
    is_busy: AtomicBool,
}

/// For steps of unknown length.
const UNKNOWN: &str = "{spinner} {wide_msg} {elapsed}";
/// For those that tell how far they are.
const KNOWN: &str = "{spinner} {msg} [{bar:24}] {percent}%{left}";

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style
        .expect("the templates are right")
        .with_key("left", left)
        .progress_chars("##-")
        .tick_chars("|/-\\ ")
}

/// How long the rest will take if it goes on as it went; nothing as long as that says little.
fn left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    const LEAST: f32 = 0.02;
    let done = state.fraction();
    if done >= LEAST {
        let left = state.elapsed().mul_f32((1.0 - done) / done);
        let _ = write!(out, ", {} left", HumanDuration(left));
    }
}

/// Progress of a run that begins now: on a terminal only, and not if it is to be quiet.
pub fn shown(quiet: bool) -> Progress {
    if quiet || !std::io::stderr().is_terminal() {
        return Progress::default();
    }
    let line = Arc::new(Line {
        bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        begun: Instant::now(),
        is_late: AtomicBool::new(false),
        is_busy: AtomicBool::new(false),
    });
    LINES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(Arc::downgrade(&line));
    static DRAWING: Once = Once::new();
    // Ends with the program.
    DRAWING.call_once(|| _ = std::thread::spawn(draw));
    Progress::to(line)
}

/// Draws the lines of all runs that go on.
fn draw() {
    loop {
        std::thread::sleep(TICK);
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|line| line.strong_count() > 0);
        lines
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|line| line.draw());
    }
}

impl Line {
    fn draw(&self) {
        if self.begun.elapsed() < PATIENCE {
            return;
        }
        if !self.is_late.swap(true, Ordering::SeqCst) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.is_busy.load(Ordering::SeqCst) {
            self.bar.tick();
        }
    }
}

impl Listener for Line {
    fn begin(&self, what: &str) {
        self.bar.reset();
        self.bar.unset_length();
        self.bar.set_style(style(UNKNOWN));
        self.bar.set_message(what.to_string());
        self.is_busy.store(true, Ordering::SeqCst);
    }

    fn part(&self, done: u64, all: u64) {
        if self.bar.length() != Some(all) {
            self.bar.set_style(style(KNOWN));
            self.bar.set_length(all);
        }
        self.bar.set_position(done);
    }

    fn end(&self) {
        self.is_busy.store(false, Ordering::SeqCst);
        if self.is_late.load(Ordering::SeqCst) {
            self.bar.finish_and_clear();
        }
    }
}
