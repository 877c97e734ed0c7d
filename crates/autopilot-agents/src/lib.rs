//! The workers: one vocabulary for every agent. An agent here is how it is asked, how its stream is read and what its end
//! means, all as values; starting it is the engine's. Knows no gate, no roadmap and no run.
//!
//! A new agent is one file that implements `Agent`; nothing else may ask which agent it deals with.

pub mod limits;
pub mod request;
pub mod activity;
pub mod ending;
pub mod waits_for;
pub mod agent;
pub mod command;
pub mod claude_code;
pub mod acp;
pub mod codex;
pub mod opencode;
pub mod goose;
pub mod gemini;
pub mod zones;
pub mod reset_time;
pub mod limit_words;
pub mod profile;
pub mod base64;
pub mod script;
pub mod scripted;

mod answer_text;
mod api_error;
mod bounded_text;
mod jsonc;
mod http_status;
