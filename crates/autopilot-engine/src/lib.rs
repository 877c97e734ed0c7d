//! The hands: finds the project, reads its files and settings, starts every process. Decisions stay in `autopilot-core`.

pub mod machine;
pub mod files;
pub mod project;
pub mod settings;
pub mod hidden_checks;
pub mod launcher;
pub mod process;
pub mod agents;
pub mod fence;
pub mod git;
pub mod clock;
pub mod artifacts;
mod phase_files;
mod processor;
pub mod memory;
pub mod drive;
pub mod run_branch;
pub mod landing;
pub mod taking_back;
mod rescue_refs;
pub mod slot;
pub mod tree_setup;
pub mod ground;
pub mod proof_tree;
pub mod prove;
pub mod prompts;
pub mod run_metrics;
mod stall;
pub mod perform;
pub mod run_id;
pub mod journal_file;
pub mod journal_read;
pub mod show;
pub mod import;
pub mod keep_awake;
pub mod recorder;
pub mod start;
pub mod worktrees;
pub mod doctor;
pub mod init;
pub mod drafting;

#[cfg(test)]
mod fake_programs;
