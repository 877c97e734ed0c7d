//! The real agents, in the versions testkit pins, against a scripted model on the loopback address. A test whose agent is not
//! installed fails; `cargo xtask agents install` brings them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

#[path = "agents/bare.rs"]
mod bare;
#[path = "agents/bare_faults.rs"]
mod bare_faults;
#[path = "agents/smoke.rs"]
mod smoke;
#[path = "agents/claude_faults.rs"]
mod claude_faults;
#[path = "agents/claude_home.rs"]
mod claude_home;
#[path = "agents/claude_phase.rs"]
mod claude_phase;
#[path = "agents/codex_phase.rs"]
mod codex_phase;
#[path = "agents/opencode_phase.rs"]
mod opencode_phase;
#[path = "agents/goose_phase.rs"]
mod goose_phase;
#[path = "agents/fault_rows.rs"]
mod fault_rows;
#[path = "agents/faults.rs"]
mod faults;
#[path = "agents/gemini_home.rs"]
mod gemini_home;
#[path = "agents/gemini_stage.rs"]
mod gemini_stage;
#[path = "agents/model.rs"]
mod model;
#[path = "agents/errand.rs"]
mod errand;
#[path = "agents/wrong_starts.rs"]
mod wrong_starts;
#[path = "agents/stage.rs"]
mod stage;
