//! Prints the random kernel of a seed, or (`kernel SEED network`) its random network, or (`accesses`) that about accesses that meet.

fn main() {
    let mut args = std::env::args().skip(1);
    let seed = args.next().and_then(|a| a.parse().ok()).unwrap_or(0);
    let kernel = match args.next().as_deref() {
        Some("network") => rtl_tests::networks::network(seed),
        Some("accesses") => rtl_tests::accesses::kernel(seed),
        _ => rtl_tests::generate::kernel(seed),
    };
    print!("{}", kernel.text);
}
