//! What an agent waits for while it is silent, as it said itself. Only how long it is believed to be alive rests on it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitsFor {
    /// It has asked its model and has no answer yet.
    Model,
    /// A tool of its was started and has not ended.
    Tool,
}
