//! What the README shows is what the program prints, and every event is documented. The book is held by `book.rs`.

use std::fmt;
use std::path::Path;

use autopilot_core::run::event::Event;
use serde::de::value::MapDeserializer;
use serde::{Deserialize, de};

use super::{demo, shop};

fn document(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn the_readme_shows_what_demo_prints() {
    let project = shop();
    let printed = demo::redacted(&demo::shell_demo(project.root()));
    let readme = document("README.md");
    let (_, after) = readme.split_once("```text\nA demo.").unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let mut lines = printed.lines();
    let shown = demo::redacted(&format!("A demo.{block}"));
    assert!(shown.lines().count() > 30, "a screen worth showing");
    for line in shown.lines().filter(|line| !line.trim_start().starts_with('…')) {
        assert!(lines.any(|other| other == line), "the demo does not print, or not there: {line}");
    }
}

#[test]
fn the_readme_starts_with_the_two_commands() {
    assert!(
        document("README.md")
            .starts_with("# autopilot\n\n```sh\ncargo run -- demo\ncargo xtask test\n```\n")
    );
}

#[test]
fn every_event_is_documented() {
    let journal = document("docs/journal.md");
    for name in event_names() {
        assert!(journal.contains(&format!("\n| `{name}` |")), "docs/journal.md lacks {name}");
    }
}

/// The names of all events, from the reader of events itself: given a name that is none, it tells those it knows.
fn event_names() -> &'static [&'static str] {
    let unknown = [("type", "no event has this name")];
    let fields = MapDeserializer::<_, Refusal>::new(unknown.into_iter());
    let refused = Event::deserialize(fields).unwrap_err();
    assert!(refused.known.contains(&"run_started"), "{refused}");
    refused.known
}

/// What serde says when it refuses, and the names it would have taken.
#[derive(Debug)]
struct Refusal {
    said: String,
    known: &'static [&'static str],
}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(said: T) -> Self {
        Refusal { said: said.to_string(), known: &[] }
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Refusal { said: format!("{name} is none of {known:?}"), known }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said)
    }
}

impl std::error::Error for Refusal {}
