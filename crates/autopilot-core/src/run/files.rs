//! The files a run leaves for people and for later runs, as values: what is in each and where it goes. All are made of events and
//! state, so that they can be made again at any time; writing them is the engine's.

pub mod reports;
pub mod trace;
pub mod post_mortem;
pub mod confidence;
pub mod metrics;
pub mod trend;
pub mod batch_report;
pub mod phase_files;
mod red_before;
mod spending_table;
pub mod receipt;
pub mod completion;
