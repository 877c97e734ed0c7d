//! Runs the rules of the repository over the repository. All violations are shown at once.

use std::path::Path;

use autopilot_testkit::tidy;

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = tidy::check(&root).unwrap();
    let shown: String = found.iter().map(|violation| format!("{violation}\n")).collect();
    assert!(found.is_empty(), "{} violations:\n{shown}", found.len());
}
