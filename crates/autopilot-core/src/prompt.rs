//! What agents are told. Templates of our own, or the user's, filled with what the run knows; everything that comes from the
//! project or from agents stands in quotes. Which agent gets which prompt is the pipeline's.

pub mod quoting;
