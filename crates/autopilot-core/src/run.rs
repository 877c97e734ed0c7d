//! A run: the loop that takes the selected phases from the roadmap to a verdict each. Events say what happened, `apply` folds them
//! into the state, `next` decides what comes then, and an effect is an order that leaves no choice to whoever carries it out.
//!
//! The modules stand in the order one phase flows through them. Nothing here acts: the engine performs the effects and hands back
//! events; time changes the state only through the moment an event carries.

pub mod ids;
pub mod agent_definition;
pub mod definition;
pub mod gate_definitions;
pub mod cost_cap;
pub mod fencing;
pub mod measured;
pub mod effect;
pub mod failure;
pub mod event;
mod event_name;
pub mod quiet;
pub mod begin;
pub mod state;
pub mod work;
pub mod work_summary;
pub mod summary;
pub mod learnings;
mod apply;
mod apply_work;
mod apply_decided;
pub mod next;
pub mod plan_read;
pub mod pipeline;
pub mod budget;
mod price;
pub mod spending;
mod cut_off;
pub mod usage_limit;
pub mod signature;
pub mod breaker;
mod adopted;
mod tasks;
pub mod delegate;
mod review;
mod brought;
mod noticed;
pub mod checks;
mod apply_checked;
pub mod gate;
pub mod outcome;
pub mod request;
pub mod addition;
pub mod landing;
pub mod taking_back;
pub mod landing_words;
pub mod ledger;
pub mod import;
pub mod briefing;
pub mod words;
pub mod last_try;
pub mod projection;
pub mod files;
pub mod proving;
pub mod replay;

#[cfg(test)]
mod story;

pub use apply::{Illegal, apply};
pub use next::{Move, next};
