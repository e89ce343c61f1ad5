//! What a long run does and how far it has come, for whoever wants to show it. Nothing that is compiled depends on it.

use std::fmt;
use std::sync::Arc;

/// Shows what a run does. Steps follow one another; a step begins, tells how far it is if it knows that, and ends.
pub trait Listener: Send + Sync {
    /// A step begins.
    fn begin(&self, what: &str);
    /// So much of all of it is done.
    fn part(&self, done: u64, all: u64);
    /// It has ended.
    fn end(&self);
}

/// Whom to tell, if anybody.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Listener>>);

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = if self.0.is_some() { "shown" } else { "silent" };
        f.write_str(who)
    }
}

impl Progress {
    /// Tells this one.
    pub fn to(listener: Arc<dyn Listener>) -> Progress {
        Progress(Some(listener))
    }

    /// Begins a step, which ends with what is returned. Steps are not nested.
    pub fn step(&self, what: &str) -> Step<'_> {
        let listener = self.0.as_deref();
        if let Some(listener) = listener {
            listener.begin(what);
        }
        Step(listener)
    }
}

/// A step that goes on for as long as this lives.
pub struct Step<'p>(Option<&'p dyn Listener>);

impl Step<'_> {
    /// So much of all of it is done.
    pub fn part(&self, done: u64, all: u64) {
        if let Some(listener) = self.0 {
            listener.part(done.min(all), all);
        }
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        if let Some(listener) = self.0 {
            listener.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);

    impl Log {
        fn add(&self, what: String) {
            self.0.lock().expect("no other test").push(what);
        }
    }

    impl Listener for Log {
        fn begin(&self, what: &str) {
            self.add(format!("begin {what}"));
        }
        fn part(&self, done: u64, all: u64) {
            self.add(format!("{done} of {all}"));
        }
        fn end(&self) {
            self.add("end".into());
        }
    }

    #[test]
    fn a_step_begins_and_ends_whatever_happens_in_it() {
        let log = Arc::new(Log::default());
        let progress = Progress::to(log.clone());
        let failing = || -> Result<(), ()> {
            let step = progress.step("one");
            step.part(7, 4);
            Err(())
        };
        assert_eq!(failing(), Err(()));
        assert_eq!(
            *log.0.lock().expect("one thread"),
            ["begin one", "4 of 4", "end"]
        );
        Progress::default().step("nobody hears").part(1, 2);
    }
}
