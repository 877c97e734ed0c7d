//! Makes roadmaps of any length that look like real ones. The same seed gives the same text, on every machine.

use std::fmt::Write;

const SUBJECTS: [&str; 16] = [
    "Account",
    "Billing",
    "Catalog",
    "Dashboard",
    "Export",
    "Gateway",
    "Import",
    "Inventory",
    "Ledger",
    "Messaging",
    "Notification",
    "Order",
    "Profile",
    "Report",
    "Search",
    "Session",
];
const WORKS: [&str; 12] = [
    "Foundation",
    "Pipeline",
    "Validation",
    "Migration",
    "Storage Layer",
    "Public API",
    "Error Handling",
    "Audit Trail",
    "Rate Limits",
    "Permissions",
    "Observability",
    "Hardening",
];
const ACTORS: [&str; 8] = [
    "A signed-in user",
    "An operator",
    "The nightly job",
    "A new visitor",
    "An API client",
    "The support team",
    "A reviewer",
    "The build server",
];
const ABILITIES: [&str; 12] = [
    "sees the change within two seconds without reloading the page",
    "gets an error that names the field and the rule it broke",
    "can repeat the request and no record is written twice",
    "finds every entry of the last thirty days, newest first",
    "can undo the last step and the totals are right again",
    "is refused with status 403 when the role does not allow it",
    "reads the same numbers in the export and on the screen",
    "can stop the process at any moment and resume it later",
    "receives one message per event, also after a restart",
    "measures no answer slower than 300 ms at 50 requests a second",
    "sees `npm run build` and `npm test` end without a warning",
    "finds the new settings documented with their defaults",
];
const REQUIREMENTS: [&str; 8] = ["AUTH", "BILL", "CORE", "DATA", "OPS", "SRCH", "UI", "WEB"];
/// Every so many phases an urgent one was put between two others, as in 7.1.
const INSERTION_EVERY: usize = 25;

const LIST: &str = "\n## Phases\n\n";
const DETAILS: &str = "\n## Phase Details\n";

struct Phase {
    id: String,
    name: String,
    is_done: bool,
    depends_on: String,
    plans: usize,
}

/// A roadmap with exactly `phases` phases, insertions included, and no cycle; about 0.75 KB a phase, so that
/// ten thousand stay below the size a roadmap may have.
pub fn roadmap(phases: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let phases = outline(phases, &mut random);
    let mut text = String::from("# Roadmap: Generated\n\n## Overview\n\n");
    text.push_str("From an empty repository to a product that its users can rely on, one phase after the other.\n");
    text.push_str(LIST);
    for phase in &phases {
        let tick = if phase.is_done { 'x' } else { ' ' };
        let note = if phase.id.contains('.') { " (INSERTED)" } else { "" };
        let (id, name) = (&phase.id, &phase.name);
        line(
            &mut text,
            format_args!("- [{tick}] **Phase {id}: {name}**{note} - {}", random.pick(&ABILITIES)),
        );
    }
    text.push_str(DETAILS);
    for phase in &phases {
        details(&mut text, phase, &mut random);
    }
    progress(&mut text, &phases);
    text
}

/// The same roadmap in the other form that people write: without the check-list before the details.
pub fn details_only(roadmap: &str) -> String {
    let (before, list) = roadmap.split_once(LIST).unwrap_or((roadmap, ""));
    let details = list.split_once(DETAILS).map_or("", |(_, details)| details);
    [before, DETAILS, details].concat()
}

fn outline(count: usize, random: &mut Random) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::with_capacity(count);
    let mut whole = 0;
    // About a quarter is done, all at the front, as in a project under way.
    let done = count / 4;
    for index in 0..count {
        let is_inserted = index % INSERTION_EVERY == INSERTION_EVERY - 1;
        whole += usize::from(!is_inserted);
        let id = if is_inserted { format!("{whole}.1") } else { whole.to_string() };
        let name = format!("{} {}", random.pick(&SUBJECTS), random.pick(&WORKS));
        let depends_on = depends_on(&phases, random);
        phases.push(Phase {
            id,
            name,
            is_done: index < done,
            depends_on,
            plans: 1 + random.below(2),
        });
    }
    phases
}

fn depends_on(earlier: &[Phase], random: &mut Random) -> String {
    let [before @ .., previous] = earlier else {
        return "Nothing (first phase)".into();
    };
    match random.below(10) {
        0 | 1 => "Nothing".into(),
        2..=4 if !before.is_empty() => {
            // Near ones: real dependencies rarely reach back over the whole project.
            let near = &before[before.len().saturating_sub(8)..];
            format!("Phase {}, Phase {}", near[random.below(near.len())].id, previous.id)
        }
        _ => format!("Phase {}", previous.id),
    }
}

fn details(text: &mut String, phase: &Phase, random: &mut Random) {
    line(text, format_args!("\n### Phase {}: {}", phase.id, phase.name));
    let (actor, ability) = (random.pick(&ACTORS), random.pick(&ABILITIES));
    line(
        text,
        format_args!(
            "**Goal**: {} works end to end: {} {ability}",
            phase.name,
            actor.to_lowercase()
        ),
    );
    line(text, format_args!("**Depends on**: {}", phase.depends_on));
    let requirement =
        |random: &mut Random| format!("{}-{:02}", random.pick(&REQUIREMENTS), 1 + random.below(40));
    let (first, second, third) = (requirement(random), requirement(random), requirement(random));
    line(text, format_args!("**Requirements**: {first}, {second}, {third}"));
    line(text, format_args!("**Success Criteria** (what must be TRUE):"));
    for number in 1..=2 + random.below(3) {
        line(
            text,
            format_args!("  {number}. {} {}", random.pick(&ACTORS), random.pick(&ABILITIES)),
        );
    }
    line(text, format_args!("**Plans**: {} plans\n\nPlans:", phase.plans));
    let tick = if phase.is_done { 'x' } else { ' ' };
    for plan in 1..=phase.plans {
        let (subject, work) = (random.pick(&SUBJECTS), random.pick(&WORKS));
        line(
            text,
            format_args!("- [{tick}] {:0>2}-{plan:02}-PLAN.md - {subject} {work}", phase.id),
        );
    }
}

fn progress(text: &mut String, phases: &[Phase]) {
    text.push_str("\n## Progress\n\n| Phase | Plans Complete | Status | Completed |\n");
    text.push_str("|-------|----------------|--------|-----------|\n");
    for Phase { id, name, is_done, plans, .. } in phases {
        let row = match is_done {
            true => format!("| {id}. {name} | {plans}/{plans} | Complete | 2026-01-15 |"),
            false => format!("| {id}. {name} | 0/{plans} | Not started | - |"),
        };
        line(text, format_args!("{row}"));
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{content}");
}

/// SplitMix64: small, and its numbers never change with a library.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roadmap_has_the_asked_number_of_phases_everywhere() {
        for count in [0, 1, 2, 26, 1000] {
            let text = roadmap(count, 7);
            let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
            let listed = lines("- [ ] **Phase ") + lines("- [x] **Phase ");
            assert_eq!((listed, lines("### Phase "), lines("**Goal**: ")), (count, count, count));
            assert_eq!(
                text.matches("| Not started |").count() + text.matches("| Complete |").count(),
                count
            );
        }
    }

    #[test]
    fn without_its_list_a_roadmap_still_has_every_phase() {
        let text = details_only(&roadmap(26, 7));
        let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(
            (lines("- [ ] **Phase "), lines("### Phase "), lines("**Goal**: ")),
            (0, 26, 26)
        );
        assert!(text.contains("## Overview") && text.contains("## Progress"));
    }

    #[test]
    fn ten_thousand_phases_stay_below_the_size_limit() {
        for seed in 0..5 {
            let bytes = roadmap(1000, seed).len() / 1000;
            assert!((650..=820).contains(&bytes), "{bytes} bytes a phase with seed {seed}");
        }
    }

    #[test]
    fn the_seed_decides_everything() {
        assert_eq!(roadmap(30, 1), roadmap(30, 1));
        assert_ne!(roadmap(30, 1), roadmap(30, 2));
    }

    #[test]
    fn all_kinds_of_dependencies_and_insertions_occur() {
        let text = roadmap(100, 1);
        for kind in ["on**: Nothing (first phase)\n", "on**: Nothing\n", ", Phase ", "Phase 24.1: "]
        {
            assert!(text.contains(kind), "{kind:?}");
        }
    }
}
