use allo_hls::{
    diagnostics::*,
    driver::*,
    sim::{reference, value::*, vectors, verilator::*},
};
fn main() {
    let v = Verilator::find().map_err(|e| format!("{:?}", e)).unwrap();
    for path in std::env::args().skip(1) {
        let (path, top) = match path.split_once('@') {
            Some((p, t)) => (p.to_string(), Some(t.to_string())),
            None => (path, None),
        };
        let mut sources = SourceMap::default();
        let file = sources.add(path.clone(), std::fs::read_to_string(&path).unwrap());
        let target = Target::new("ecp5", 10.0).unwrap();
        let c = match compile(&mut sources, file, top.as_deref(), &target) {
            Ok(c) => c,
            Err(e) => {
                println!("{path}: {}", e.render(&sources, false));
                continue;
            }
        };
        let sig = Signature::of(&c.program);
        let invs = vectors::generate(&sig, 12, 1);
        let model = match v.build(&c.manifest, &c.systemverilog(), false) {
            Ok(m) => m,
            Err(e) => {
                println!("{path}: {}", e.to_diagnostic().render(&sources, false));
                continue;
            }
        };
        let runs: Vec<Run> = invs
            .iter()
            .map(|i| Run {
                arrays: sig
                    .params
                    .iter()
                    .zip(&i.args)
                    .filter(|(s, _)| s.is_array())
                    .map(|(s, a)| a.iter().map(|v| v.pattern(s.ty)).collect())
                    .collect(),
                starts: vec![Start {
                    scalars: sig
                        .params
                        .iter()
                        .zip(&i.args)
                        .filter(|(s, _)| !s.is_array())
                        .map(|(s, a)| a[0].pattern(s.ty))
                        .collect(),
                    gap: 0,
                }],
                cycle_limit: 2_000_000,
            })
            .collect();
        let results = match model.run(
            &runs,
            &SimOptions {
                seed: 3,
                waveform: None,
            },
        ) {
            Ok(r) => r,
            Err(e) => {
                println!("{path}: {:?}", e);
                continue;
            }
        };
        let mut bad = 0;
        let mut compared = 0;
        for (i, (inv, r)) in invs.iter().zip(&results).enumerate() {
            let o = reference::run(
                &c.program,
                inv,
                &reference::Options {
                    step_limit: 3_000_000,
                    ..Default::default()
                },
            );
            let o = match o {
                Ok(o) => o,
                Err(e) => {
                    println!("  reference: {:?}", e);
                    continue;
                }
            };
            if r.timed_out {
                println!(
                    "  {path} vector {i} timed out; manifest {:?}",
                    c.manifest.latency
                );
                bad += 1;
                break;
            }
            if !r.violations.is_empty() {
                println!("  violations {:?}", r.violations);
                bad += 1;
            }
            let mut k = 0;
            let mut arrays = Vec::new();
            for (s, v) in sig.params.iter().zip(&o.params) {
                if s.is_array() {
                    arrays.push((s, v));
                }
            }
            for (s, v) in sig.results.iter().zip(&o.results) {
                if s.is_array() {
                    arrays.push((s, v));
                } else {
                    compared += 1;
                    if !v[0].tainted && v[0].pattern(s.ty) != r.returns[0][k] {
                        println!(
                            "  {path} vector {i} return {k}: want {} got {}",
                            v[0].pattern(s.ty),
                            r.returns[0][k]
                        );
                        bad += 1;
                    }
                    k += 1;
                }
            }
            for ((s, want), got) in arrays.iter().zip(&r.arrays) {
                for (e, (w, g)) in want.iter().zip(got).enumerate() {
                    compared += 1;
                    if !w.tainted && w.pattern(s.ty) != *g {
                        if bad < 5 {
                            println!(
                                "  {path} vector {i} {}[{e}]: want {:x} got {:x}",
                                s.name,
                                w.pattern(s.ty),
                                g
                            );
                        }
                        bad += 1;
                    }
                }
            }
            if let Some(l) = c.manifest.latency.min
                && l != r.timing[0].cycles()
            {
                println!("  latency {} but manifest says {l}", r.timing[0].cycles());
                bad += 1;
            }
        }
        println!(
            "{path}: {} runs, {compared} values, {bad} wrong; cycles {:?}",
            results.len(),
            results
                .iter()
                .take(3)
                .flat_map(|r| r.timing.iter().map(|t| t.cycles()))
                .collect::<Vec<_>>()
        );
    }
}
