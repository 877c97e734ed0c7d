//! What an agent had told of its spend when autopilot died: the log of the attempt and the file beside its stream are read once more by
//! the agent's own reader, as if it were still at work.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use autopilot_agents::agent::StreamReader;
use autopilot_core::limits;
use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::Spend;
use autopilot_core::run::state::InFlight;

use super::Performer;
use super::scratch::Scratch;
use super::seen::{add_spent, told};
use super::side_file::Aside;
use crate::process::Splitter;

impl Performer {
    /// None where it told nothing, or what it told is gone.
    pub(super) fn told_before(&self, lost: &InFlight) -> Option<Spend> {
        let Effect::RunAgent(order) = &lost.effect else { return None };
        let scratch = Scratch::place(self.slot.folder());
        let request = self.plain_request(order, &scratch);
        let mut reader = self.agents.for_order(order).reader(&request);
        let mut spend = Spend::default();
        if let Ok(log) = File::open(self.log_of(lost.attempt)) {
            read(log, reader.as_mut(), &mut spend);
        }
        add_spent(&mut spend, &Aside::default().read(reader.as_mut()));
        add_spent(&mut spend, &reader.rest());
        told(spend)
    }
}

/// Lines are kept as far as they are while an agent lives. The last one may be torn; to the reader it is one nobody understands.
fn read(log: File, reader: &mut dyn StreamReader, spend: &mut Spend) {
    let mut log = BufReader::new(log.take(limits::AGENT_LOG_BYTES_MAX));
    let mut splitter = Splitter::default();
    while let Ok(chunk) = log.fill_buf()
        && !chunk.is_empty()
    {
        splitter.push(chunk, |line| add_spent(spend, &reader.read_line(&line.bytes)));
        let bytes = chunk.len();
        log.consume(bytes);
    }
    if let Some(line) = splitter.finish() {
        add_spent(spend, &reader.read_line(&line.bytes));
    }
}
