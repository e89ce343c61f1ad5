//! Long work beside the interpreter: without its lock, and ended by Ctrl-C.

use allo_hls::cli::progress::shown;
use allo_hls::progress::Progress;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Longest time until Ctrl-C is seen.
const PATIENCE: Duration = Duration::from_millis(50);

/// Stack of the thread, in bytes: more than that of a program's first one.
const STACK: usize = 64 << 20;

/// Set to something, nothing is shown.
const QUIET: &str = "ALLO_QUIET";

/// The same for work that may take long: what it tells is shown on a terminal, from a second on.
///
/// # Errors
/// The same.
pub fn run_shown<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Progress) -> T + Send + 'static,
) -> PyResult<T> {
    let progress = progress();
    run(py, move || work(&progress))
}

/// Who shows on a terminal what a run does that begins now.
pub fn progress() -> Progress {
    shown(std::env::var_os(QUIET).is_some_and(|value| !value.is_empty()))
}

/// Does some work on a thread of its own, without the interpreter's lock.
///
/// # Errors
/// What a signal's handler has raised, Ctrl-C for one. The work then goes on unheeded until it ends by itself.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            // Nobody listens any more after Ctrl-C.
            let _ = sender.send(work());
        })?;
    loop {
        let (received, from) = py.detach(|| {
            let receiver = receiver;
            (receiver.recv_timeout(PATIENCE), receiver)
        });
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("the work sends its result before it ends"),
            },
        }
        receiver = from;
    }
}

/// Asked by work on the calling thread: whether a signal wants it to end. The exception stays with Python.
pub fn interrupted() -> bool {
    Python::attach(|py| match py.check_signals() {
        Ok(()) => false,
        Err(error) => {
            error.restore(py);
            true
        }
    })
}
