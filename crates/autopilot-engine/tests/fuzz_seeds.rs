//! Replays every seed of the fuzz targets on stable Rust: what fuzzing once found stays found.

#[path = "../../../fuzz/bodies.rs"]
mod bodies;

use std::fs;
use std::path::PathBuf;

#[test]
fn every_seed_of_every_target_is_read() {
    let seeds = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (name, _) in bodies::TARGETS {
        let mut count = 0;
        for entry in fs::read_dir(seeds.join(name)).unwrap() {
            // Targets take text; libFuzzer passes over bytes that are none, and so does this.
            if let Ok(text) = String::from_utf8(fs::read(entry.unwrap().path()).unwrap()) {
                bodies::run(name, &text);
                count += 1;
            }
        }
        assert!(count > 0, "{name} has no seed");
    }
}
