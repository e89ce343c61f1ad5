//! `allo-hls explain`: what a diagnostic code means, of any room.

use super::ExplainArgs;
use super::output::{Printer, Status, emit};
use allo_hls::diagnostics::{Diagnostic, SourceMap};
use allo_hls::{codes, frontend};

/// The tables of all rooms, in the order of their codes.
const TABLES: [&[(&str, &str)]; 2] = [frontend::codes::ALL, codes::ALL];

fn meaning(code: &str) -> Option<&'static str> {
    let mut entries = TABLES.into_iter().flatten();
    entries.find(|(c, _)| *c == code).map(|(_, text)| *text)
}

/// `allo-hls explain`
pub fn explain(printer: &Printer, args: &ExplainArgs) -> Result<(), Status> {
    let sources = SourceMap::default();
    let text = meaning(&args.code).ok_or_else(|| {
        let message = format!("there is no diagnostic '{}'", args.code);
        printer.fail(Diagnostic::global(codes::UNKNOWN_CODE, message), &sources)
    })?;
    emit(None, format!("{text}\n").as_bytes()).map_err(|e| printer.fail(e, &sources))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique_over_all_rooms() {
        let codes: Vec<&str> = TABLES.into_iter().flatten().map(|e| e.0).collect();
        assert!(codes.windows(2).all(|w| w[0] < w[1]));
        assert!(meaning("E0101").is_some() && meaning("E9999").is_none());
    }
}
