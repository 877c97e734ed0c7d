//! What agents hand back, and the one place where their words become types. Everything an agent says is a claim: what is
//! measured is the engine's, what follows from both is the gate's.

pub mod category;
pub mod claims;
pub mod returns;
pub mod role;

pub use category::Category;
pub use returns::Returned;
pub use role::Role;
