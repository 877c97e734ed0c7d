//! What a contributor runs: `cargo xtask test`, `check`, `bench`, `fuzz`.

fn main() {}
