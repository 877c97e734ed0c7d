//! `autopilot worktrees --json`.

use schemars::JsonSchema;
use serde::Serialize;

/// What stands in the state folder for a project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "worktrees")]
pub struct WorktreesDocument {
    /// Where they stand.
    pub folder: String,
    pub trees: Vec<TreeDocument>,
}

/// What became of what stood there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "worktrees-clean")]
pub struct WorktreesCleanDocument {
    pub removed: Vec<RemovedDocument>,
    pub kept: Vec<KeptDocument>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TreeDocument {
    pub name: String,
    pub kind: TreeWord,
    pub path: String,
    /// On disk.
    pub bytes: u64,
    pub branch: Option<String>,
    pub commit: Option<String>,
    /// Files of an agent that no commit has.
    pub uncommitted: u64,
    /// Commits that no branch of yours has.
    pub unmerged: u64,
    /// Why `clean` would leave it; absent where it would not.
    pub in_use: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TreeWord {
    /// Agents work in it.
    Slot,
    /// Checks of a run are measured in it.
    Proof,
    /// `autopilot prove` measures in it.
    Prove,
    Cache,
    ThrownAway,
    /// Nothing of autopilot's.
    Other,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RemovedDocument {
    pub name: String,
    pub path: String,
    pub bytes: u64,
    /// Refs that keep what was in no commit or on no branch.
    pub rescues: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KeptDocument {
    pub name: String,
    pub path: String,
    pub why: String,
}
