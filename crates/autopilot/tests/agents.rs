//! The real agents, in the versions testkit pins, against a scripted model on the loopback address. A test whose agent is not
//! installed fails; `cargo xtask agents install` brings them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

#[path = "agents/bare.rs"]
mod bare;
#[path = "agents/bare_faults.rs"]
mod bare_faults;
#[path = "agents/smoke.rs"]
mod smoke;
