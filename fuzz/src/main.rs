#![no_main]
//! The fuzz target: any text through the frontend ends in valid kernels or in diagnostics, never in a panic.
//!
//! `scripts/fuzz --frontend` builds and runs it.

mod mutate;

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::{check, compile};
use allo_hls::ir::validate::validate;
use libfuzzer_sys::{Corpus, fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let mut sources = SourceMap::default();
    let file = sources.add("mutant.py", text);
    match check(&mut sources, file) {
        Ok(checked) => drop(checked.warnings.render(&sources, false)),
        Err(errors) => assert!(!errors.render(&sources, false).is_empty()),
    }
    if let Ok(compiled) = compile(&mut sources, file, None) {
        assert_eq!(validate(&compiled.program), Ok(()));
    }
    Corpus::Keep
});

// One mutation in eight is libFuzzer's own, on bytes and with its dictionary of compared constants.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match std::str::from_utf8(&data[..size]) {
        Ok(text) if !seed.is_multiple_of(8) => {
            store(&mutate::mutant(text, text, seed), data, max_size)
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});

fuzz_crossover!(|data: &[u8], donor: &[u8], out: &mut [u8], seed: u32| {
    let text = String::from_utf8_lossy(data);
    let most = out.len();
    store(
        &mutate::crossed(&text, &String::from_utf8_lossy(donor), seed),
        out,
        most,
    )
});

/// Writes as much of the text as fits, up to a character's end, and returns its length.
fn store(text: &str, out: &mut [u8], most: usize) -> usize {
    let end = text.floor_char_boundary(most);
    out[..end].copy_from_slice(&text.as_bytes()[..end]);
    end
}
