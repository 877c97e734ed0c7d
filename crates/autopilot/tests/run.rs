//! Whole runs through the built command, with real git and real children: killed at every point and at any instant, on failing
//! disks, under signals, and with agents that misbehave.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails, and says where"
)]

#[path = "run/added.rs"]
mod added;
#[path = "run/asked.rs"]
mod asked;
#[path = "run/awake.rs"]
mod awake;
#[path = "run/blind.rs"]
mod blind;
#[path = "run/brought.rs"]
mod brought;
#[path = "run/commanded.rs"]
mod commanded;
#[path = "run/criteria_before.rs"]
mod criteria_before;
#[path = "run/cost.rs"]
mod cost;
#[path = "run/delegate.rs"]
mod delegate;
#[path = "run/disk.rs"]
mod disk;
#[path = "run/errand.rs"]
mod errand;
#[path = "run/fault_points.rs"]
mod fault_points;
#[path = "run/integrity.rs"]
mod integrity;
#[path = "run/gate_definitions.rs"]
mod gate_definitions;
#[path = "run/claims.rs"]
mod claims;
#[path = "run/fence.rs"]
mod fence;
#[path = "fence/ground.rs"]
mod ground;
#[path = "run/hidden.rs"]
mod hidden;
#[path = "run/imported.rs"]
mod imported;
#[path = "run/in_place.rs"]
mod in_place;
#[path = "run/landing_kills.rs"]
mod landing_kills;
#[path = "run/learned.rs"]
mod learned;
#[path = "run/landing.rs"]
mod landing;
#[path = "run/leftovers.rs"]
mod leftovers;
#[path = "run/misbehaving.rs"]
mod misbehaving;
#[path = "run/noticed.rs"]
mod noticed;
#[path = "run/odd_repositories.rs"]
mod odd_repositories;
#[path = "run/one_liners.rs"]
mod one_liners;
#[path = "run/outcome.rs"]
mod outcome;
#[path = "run/project.rs"]
mod project;
#[path = "run/proof.rs"]
mod proof;
#[path = "run/proved.rs"]
mod proved;
#[path = "run/random_kills.rs"]
mod random_kills;
#[path = "run/real_projects.rs"]
mod real_projects;
#[path = "run/recorded.rs"]
mod recorded;
#[path = "run/rolled_back.rs"]
mod rolled_back;
#[path = "run/script.rs"]
mod script;
#[path = "run/shown.rs"]
mod shown;
#[path = "run/signals.rs"]
mod signals;
#[path = "run/small_disk.rs"]
mod small_disk;
#[path = "run/stalled.rs"]
mod stalled;
#[path = "run/streams.rs"]
mod streams;
#[path = "run/swept.rs"]
mod swept;
#[path = "run/tests_before.rs"]
mod tests_before;
#[path = "run/twice.rs"]
mod twice;

#[path = "run/worktrees.rs"]
mod worktrees;

const PROGRAM: &str = env!("CARGO_BIN_EXE_autopilot");
const KILLED: i32 = 128 + 9;
