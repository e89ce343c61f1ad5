//! Long fuzzing campaigns: `fuzz FIRST COUNT [FOLDER]` tries the kernels of COUNT seeds and keeps what goes wrong,
//! shrunk, in the folder. With MINUTES set, it goes on for so long instead; every seed that VERILATE divides runs in
//! Verilator too, and every seed that BLOCKS divides as a block with AXI interfaces;
//! then half of them walk along arrays as what is streamed does. One in four is a network, with NETWORKS set all are; one in eight is of the style
//! "pto", with PTO set all are; one in four is about accesses that meet, with ACCESSES set all are. With MUTATE set, the texts are spoilt first; with SHOW set, refused ones are printed.
//! `fuzz kernel.py ...` tries the kernel `top` of each file in many settings.

use allo_hls::levels::Level;
use allo_hls::sim::vectors::Rng;
use rtl_tests::fuzz::{self, Setting, Verdict};
use rtl_tests::{accesses, generate, networks, pto, walks};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|a| a.ends_with(".py")) {
        return args[1..].iter().for_each(|path| try_file(path));
    }
    let number =
        |i: usize, default: u64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let variable = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let (first, count) = (number(1, 0), number(2, 100));
    let mut campaign = Campaign {
        folder: args.get(3).map_or("target/fuzz", String::as_str).into(),
        networks: std::env::var_os("NETWORKS").is_some(),
        pto: std::env::var_os("PTO").is_some(),
        accesses: std::env::var_os("ACCESSES").is_some(),
        mutate: std::env::var_os("MUTATE").is_some(),
        show: std::env::var_os("SHOW").is_some(),
        verilate: variable("VERILATE"),
        blocks: variable("BLOCKS"),
        ..Campaign::default()
    };
    std::fs::create_dir_all(&campaign.folder).expect("a folder for findings");
    std::panic::set_hook(Box::new(|_| {}));
    let (start, minutes) = (Instant::now(), variable("MINUTES"));
    let mut seed = first;
    while match minutes {
        Some(minutes) => start.elapsed().as_secs() < 60 * minutes,
        None => seed < first + count,
    } {
        campaign.run(seed);
        seed += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "seeds {first}..{seed}: {} right ({} values), {} in Verilator too, {} refused, {} wrong; {:.1} kernels a second",
        campaign.right,
        campaign.values,
        campaign.verilated,
        campaign.refused,
        campaign.wrong,
        (seed - first) as f64 / seconds
    );
    std::process::exit(i32::from(campaign.wrong > 0));
}

/// What judges a text.
type Check = fn(&str, &str, &Setting) -> Verdict;

#[derive(Default)]
struct Campaign {
    folder: String,
    mutate: bool,
    networks: bool,
    pto: bool,
    accesses: bool,
    show: bool,
    verilate: Option<u64>,
    blocks: Option<u64>,
    right: u64,
    refused: u64,
    wrong: u64,
    verilated: u64,
    values: usize,
}

impl Campaign {
    fn run(&mut self, seed: u64) {
        let mut kernel = match (self.pto, self.networks) {
            (true, _) => pto::kernel(seed),
            (_, true) => networks::network(seed),
            _ if self.accesses => accesses::kernel(seed),
            _ if self.blocks.is_some() && Rng::new(seed).below(2) == 0 => walks::kernel(seed),
            // Settings depend on the last digits of the seed, and all of them are for every kind.
            _ => match Rng::new(seed ^ 0x6b1d).below(8) {
                0 | 1 => networks::network(seed),
                2 => pto::kernel(seed),
                3 | 4 => accesses::kernel(seed),
                _ => generate::kernel(seed),
            },
        };
        if self.mutate {
            kernel.text = generate::mutated(&kernel.text, seed);
        }
        let setting = match kernel.text.contains("typing_style=\"pto\"") {
            true => Setting {
                steps: pto::STEPS,
                vectors: 2,
                ..setting(seed)
            },
            false => setting(seed),
        };
        let mut verdict = fuzz::check(&kernel.text, kernel.top, &setting);
        if let (Verdict::Right(values), Some(every)) = (&verdict, self.verilate)
            && seed.is_multiple_of(every)
        {
            self.values += values;
            self.verilated += 1;
            verdict = fuzz::check_in_verilator(&kernel.text, kernel.top, &setting);
        }
        if let (Verdict::Right(values), Some(every)) = (&verdict, self.blocks)
            && seed.is_multiple_of(every)
        {
            self.values += values;
            verdict = fuzz::check_as_block(&kernel.text, kernel.top, &setting);
        }
        match verdict {
            Verdict::Right(compared) => {
                self.right += 1;
                self.values += compared;
            }
            Verdict::Refused(why) => {
                self.refused += 1;
                if !self.mutate {
                    println!("seed {seed} refused: {}", first_line(&why));
                }
                if self.show {
                    println!("{}{why}", kernel.text);
                }
            }
            Verdict::Wrong(why) => {
                self.wrong += 1;
                println!("seed {seed} WRONG {setting:?}: {}", first_line(&why));
                // Verilator takes seconds for a kernel.
                let (tries, check): (usize, Check) = match &why {
                    why if why.starts_with("Verilator") => (200, fuzz::check_in_verilator),
                    why if why.starts_with("block") => (2000, fuzz::check_as_block),
                    _ => (4000, fuzz::check),
                };
                let check = |text: &str| check(text, kernel.top, &setting);
                let small = fuzz::shrink(&kernel.text, tries, &check);
                let verdict = check(&small);
                println!("{small}{verdict:?}");
                let path = format!("{}/seed{seed}.py", self.folder);
                std::fs::write(path, format!("{small}# {setting:?}\n")).expect("a finding");
            }
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn try_file(path: &str) {
    let text = std::fs::read_to_string(path).expect("a kernel");
    let mut values = 0;
    for seed in 0..40 {
        let setting = setting(seed);
        match fuzz::check(&text, "top", &setting) {
            Verdict::Right(compared) => values += compared,
            Verdict::Refused(why) | Verdict::Wrong(why) => {
                return println!("{path}: {setting:?}\n{why}");
            }
        }
    }
    println!("{path}: {values} values");
}

fn setting(seed: u64) -> Setting {
    let mut rng = Rng::new(seed ^ 0xabcd);
    let periods = [10.0, 10.0, 20.0, 5.0, 4.0, 2.5];
    let skip = match rng.below(6) {
        0 => vec!["promote".to_string()],
        1 => vec!["forward".to_string()],
        2 => vec!["dead".to_string()],
        _ => Vec::new(),
    };
    Setting {
        steps: fuzz::STEPS,
        period: periods[rng.below(6) as usize],
        skip,
        seed,
        vectors: 4,
        directed: seed.is_multiple_of(2),
        level: [Level::One, Level::Two, Level::Three][(seed % 3) as usize],
    }
}
