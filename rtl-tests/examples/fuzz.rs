//! Long fuzzing campaigns: `fuzz FIRST COUNT [FOLDER]` tries the kernels of COUNT seeds and keeps what goes wrong.

use allo_hls::sim::vectors::Rng;
use rtl_tests::fuzz::{self, Setting, Verdict};
use rtl_tests::generate;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number =
        |i: usize, default: u64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (first, count) = (number(1, 0), number(2, 100));
    let folder = args.get(3).map_or("/tmp/fuzz", String::as_str);
    std::fs::create_dir_all(folder).expect("a folder for findings");
    std::panic::set_hook(Box::new(|_| {}));
    let (mut right, mut refused, mut wrong, mut values) = (0, 0, 0, 0);
    for seed in first..first + count {
        let kernel = generate::kernel(seed);
        let setting = setting(seed);
        match fuzz::check(&kernel.text, kernel.top, &setting) {
            Verdict::Right(compared) => {
                right += 1;
                values += compared;
            }
            Verdict::Refused(why) => {
                refused += 1;
                let first = why.lines().next().unwrap_or_default();
                println!("seed {seed} refused: {first}");
                if std::env::var_os("SHOW").is_some() {
                    println!("{}{why}", kernel.text);
                }
            }
            Verdict::Wrong(why) => {
                wrong += 1;
                println!(
                    "seed {seed} WRONG {setting:?}: {}",
                    why.lines().next().unwrap_or_default()
                );
                let small = fuzz::shrink(&kernel.text, kernel.top, &setting, 600);
                let verdict = fuzz::check(&small, kernel.top, &setting);
                println!("{small}{verdict:?}");
                let path = format!("{folder}/seed{seed}.py");
                std::fs::write(path, format!("{small}# {setting:?}\n")).expect("a finding");
            }
        }
    }
    println!("{right} right ({values} values), {refused} refused, {wrong} wrong");
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
        period: periods[rng.below(6) as usize],
        skip,
        seed,
        vectors: 4,
    }
}
