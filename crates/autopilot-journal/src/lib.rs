//! The memory: the only writer of `.autopilot/`. Owns how records, projections and requests lie on disk, that they last, and
//! that one process writes at a time. What an event means is the caller's; nothing here reads a clock.
//!
//! The modules stand in the order they build on each other.

pub mod fault;
pub mod error;
pub mod durable;
pub mod run_id;
pub mod folder;
mod set_aside;
pub mod lock;
pub mod record;
pub mod writer;
mod scan;
mod tail;
pub mod reader;
pub mod follower;
pub mod resume;
pub mod repair;
mod left_file;
pub mod projection;
pub mod ledger;
pub mod metrics;
pub mod archive;
pub mod inbox;

#[cfg(test)]
mod scratch;

pub use error::{Broken, JournalError};
pub use folder::Folder;
pub use follower::Follower;
pub use lock::{Holder, Lock, LockError, Occupancy};
pub use projection::StateFile;
pub use reader::{Journal, Tail, read, read_archived, read_file};
pub use record::Record;
pub use resume::resume;
pub use run_id::RunId;
pub use writer::Writer;
