//! The rules of autopilot as pure functions. The modules stand in the order data flows through them: text comes in at the top,
//! a schedule and documents go out at the bottom. Nothing here reads a file, a clock or the environment.

pub mod limits;
pub mod finding;
pub mod exit;
pub mod problem;
pub mod markdown;
pub mod word_table;
pub mod digest;
pub mod money;
pub mod phase_id;
pub mod requirement_id;
pub mod criterion;
pub mod stub;
pub mod cannot_fail;
pub mod roadmap;
pub mod requirements;
pub mod plan;
pub mod config;
pub mod commands;
pub mod spec;
pub mod hidden;
pub mod settings;
pub mod project;
pub mod errand;
pub mod phase_type;
pub mod estimate;
pub mod selection;
pub mod schedule;
pub mod outlook;
pub mod graph;
pub mod documents;

pub mod honesty;

pub mod score;
pub mod contract;
pub mod test_counts;
pub mod run;
pub mod prompt;

pub mod convert;
pub mod drafting;
