//! The agents of this machine: which of the known ones work (`probe`), who does which step of a run (`choice`, or why nobody can: `refusals`), and one of them
//! tried for real (`try_out`). `found` makes those that need files of the user's, `handed` puts down what
//! one is given beside its prompt. Driving an agent in a run is `perform`'s.

pub mod choice;
mod found;
mod handed;
pub mod probe;
mod refusals;
pub mod try_out;

pub(crate) use handed::hand_over;
