//! Random kernels of the style "pto", and random programs of vectors against lists of numbers.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend;
use allo_hls::levels::Level;
use allo_hls::sim::args;
use allo_hls::sim::reference::{self, Options};
use allo_hls::sim::value::Signature;
use rtl_tests::carried::Program;
use rtl_tests::fuzz::{self, Setting, Verdict};
use rtl_tests::pto;

/// What the reference makes of a program: the array, as a text.
fn stored(program: &Program, n: i32) -> String {
    let text = program.text();
    let mut sources = SourceMap::default();
    let file = sources.add("carried.py", text.as_str());
    let compiled = match frontend::compile(&mut sources, file, None) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{}\n{text}", errors.render(&sources, false)),
    };
    let signature = Signature::of(&compiled.program);
    let zeros = vec![vec![0; 64]; 4];
    let arguments = format!("{{\"n\": {n}, \"y\": {zeros:?}}}");
    let inputs = args::read_json(&signature, &arguments).expect("arguments");
    let outcome = reference::run(&compiled.program, &inputs[0], &Options::default());
    let outcome = outcome.expect("it ends");
    args::results_json(&signature, &outcome.params, &outcome.results, false).to_string()
}

#[test]
fn vectors_that_blocks_carry_are_what_their_names_say() {
    for seed in 0..150 {
        let program = Program::random(seed);
        for n in [0, 5, 10, 15] {
            let rows: Vec<String> = program
                .result(n)
                .chunks(64)
                .map(|row| format!("{row:?}").replace(' ', ""))
                .collect();
            let expected = format!("{{\"y\":[{}]}}", rows.join(","));
            let found = stored(&program, n);
            assert_eq!(found, expected, "seed {seed}, n = {n}:\n{}", program.text());
        }
    }
}

#[test]
fn random_kernels_of_the_style_pto_behave_as_the_reference() {
    let mut right = 0;
    for seed in 0..16 {
        let kernel = pto::kernel(seed);
        let setting = Setting {
            period: [10.0, 4.0][(seed % 2) as usize],
            skip: Vec::new(),
            seed,
            vectors: 1,
            directed: seed.is_multiple_of(3),
            level: [Level::One, Level::Two][(seed % 2) as usize],
            steps: pto::STEPS,
        };
        match fuzz::check(&kernel.text, kernel.top, &setting) {
            Verdict::Right(_) => right += 1,
            Verdict::Refused(why) => panic!("seed {seed}: {why}\n{}", kernel.text),
            Verdict::Wrong(why) => panic!("seed {seed}: {why}\n{}", kernel.text),
        }
    }
    assert_eq!(right, 16);
}

#[test]
fn random_kernels_of_the_style_pto_have_every_construct() {
    const CONSTRUCTS: &str = "tcvt vcvt vtrc vbitcast vsel vcadd vcmax vcmin vadd vsub vmul vdiv vmax vmin vand vor vxor vshl vshr \
        vadds vmuls vmaxs vmins vshls vshrs vsqrt vabs vneg vrelu vnot vcmp vcmps pand por pxor pnot pset plt vdup vci vlds vsts \
        tload tstore tadd tsub tmul tdiv tmax tmin tadds tsubs tmuls tmaxs tmins tdivs tabs tneg tsqrt trelu texpands trowexpand \
        trowsum trowmax trowmin tmov tmatmul tmatmul_acc sethf32mode";
    const WORDS: &str = "\"rne\" \"rna\" \"rz\" \"rp\" \"rm\" \"ro\" sat=True merge= mask= for if else: f8e4m3 f8e5m2 hif8 f4e2m1 \
        f4e1m2 \"cpu\" \"a2a3\" \"a5\" pad=\"max\"";
    let texts: Vec<String> = (0..800).map(|seed| pto::kernel(seed).text).collect();
    let all = texts.concat();
    let missing: Vec<String> = CONSTRUCTS
        .split_whitespace()
        .map(|name| format!("{name}("))
        .chain(WORDS.split_whitespace().map(str::to_owned))
        .filter(|word| !all.contains(word.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
