//! Prints the random kernel of a seed.

fn main() {
    let seed = std::env::args().nth(1).and_then(|a| a.parse().ok());
    print!("{}", rtl_tests::generate::kernel(seed.unwrap_or(0)).text);
}
