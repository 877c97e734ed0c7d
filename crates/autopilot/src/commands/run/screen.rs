//! What somebody sees who watches a run: a header and a footer a phase, a line a step, and a sign of life at least once a minute;
//! or, for programs, one event a line.

use autopilot_agents::activity::Activity;
use autopilot_core::estimate;
use autopilot_core::finding::printable;
use autopilot_core::money;
use autopilot_core::run::definition::Caps;
use autopilot_core::run::event::Event;
use autopilot_core::run::fencing::Fencing;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::next::Waiting;
use autopilot_core::run::projection::iso;
use autopilot_core::run::state::RunState;
use autopilot_core::run::words::{Said, Tone, agent_runs, seconds, thousands, waiting_words};
use autopilot_engine::drive::Watch;
use autopilot_engine::keep_awake::KeepAwake;
use autopilot_engine::memory::Told;
use serde::Serialize;

use super::heartbeat::Heartbeat;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARNING, styled};
use crate::problem_text::Form;
use crate::wrap::wrap;

pub(crate) struct Screen<'a> {
    output: &'a mut Output,
    form: Form,
    heartbeat: Heartbeat,
    last_activity: Option<(Moment, String)>,
    /// To be told of once it holds.
    awake: Option<&'a KeepAwake>,
}

/// One event as `--json` prints it, the journal's own form without its hash.
#[derive(Serialize)]
struct EventLine<'a> {
    seq: u64,
    at: Moment,
    event: &'a Event,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(output: &'a mut Output, form: Form) -> Self {
        Screen { output, form, heartbeat: Heartbeat::new(), last_activity: None, awake: None }
    }

    /// Says once that the machine is kept awake, when it is.
    pub(crate) fn with(self, awake: Option<&'a KeepAwake>) -> Self {
        Screen { awake, ..self }
    }

    fn tell_awake(&mut self) {
        let Some(program) = self.awake.and_then(KeepAwake::held_by) else { return };
        self.awake = None;
        if self.form == Form::Text {
            self.output.remark(&styled(DIM, format!("{program} keeps the machine awake")));
        }
    }

    /// The two lines a run starts with (INV-5, INV-8). The first says so where nothing keeps agents in.
    pub(crate) fn begin(
        &mut self,
        state: &RunState,
        is_resumed: bool,
        caps: &Caps,
        fencing: &Fencing,
    ) {
        if self.form == Form::Json {
            return;
        }
        let definition = &state.definition;
        let tokens: u64 = state.phases.iter().map(|phase| phase.definition.estimate_tokens).sum();
        let word = if is_resumed { "Going on with" } else { "Autopilot:" };
        let phases = match state.phases.as_slice() {
            [one] => format!("phase {}", one.definition.id),
            all => format!("{} phases", all.len()),
        };
        let in_place = if definition.is_in_place { " · in your folder" } else { "" };
        let unfenced = fencing.unfenced().map(|_| format!(" · {}", fencing.words()));
        self.output.say_wrapped(&printable(&format!(
            "{word} {} · {phases} · agent {} · pass mark {}{in_place}{}",
            definition.run,
            definition.agent.words(),
            definition.settings.threshold,
            unfenced.unwrap_or_default()
        )));
        let runs: u32 = state.phases.iter().map(|phase| phase.definition.estimate_runs).sum();
        let runs = match runs {
            0 => String::new(),
            runs => format!("{}, ", agent_runs(runs)),
        };
        let worth = definition.agent.paid.map(|_| money::words(estimate::usd_micros(tokens)));
        let worth = worth.map(|worth| format!(", about {worth}"));
        let cost = caps.run_cost_max.map(|cap| format!(" and {}", money::words(cap.usd_micros)));
        self.output.say_wrapped(&format!(
            "expected {runs}{} tokens{} · at most {} a phase, {}{} in all · stop with Ctrl-C, go on with autopilot resume",
            thousands(tokens),
            worth.unwrap_or_default(),
            thousands(caps.phase_tokens_max),
            thousands(caps.run_tokens_max),
            cost.unwrap_or_default()
        ));
    }

    fn say(&mut self, said: &Said) {
        let style = match said.tone {
            Tone::Title => BOLD,
            Tone::Plain => anstyle::Style::new(),
            Tone::Good => GOOD,
            Tone::Warning => WARNING,
            Tone::Bad => BAD,
        };
        let is_step = said.phase.is_some() && !said.text.starts_with("Phase ");
        let indent = if is_step { 2 } else { 0 };
        if said.tone == Tone::Title {
            self.output.say("");
        }
        let text = printable(&said.text);
        let width = self.output.width().saturating_sub(indent);
        for line in wrap(&text, width, 2) {
            self.output.say(&format!("{}{}", " ".repeat(indent), styled(style, line)));
        }
    }
}

impl Watch for Screen<'_> {
    fn happened(&mut self, told: &Told, _state: &RunState) {
        self.tell_awake();
        self.heartbeat.said_something(told.at);
        match (self.form, &told.said) {
            (Form::Json, _) => {
                let line = EventLine { seq: told.number, at: told.at, event: &told.event };
                self.output.line_of_json(&line);
            }
            // The announcement that follows begins with the same words.
            (Form::Text, Some(_)) if is_announced(&told.event) => {}
            (Form::Text, Some(said)) => self.say(said),
            (Form::Text, None) => {}
        }
    }

    fn lives(&mut self, state: &RunState, now: Moment, activity: Option<&Activity>) {
        self.tell_awake();
        if let Some(words) = activity.and_then(activity_words) {
            self.last_activity = Some((now, words));
        }
        let Some(under_way) = &state.in_flight else { return };
        if self.form == Form::Json || !self.heartbeat.beats(now) {
            return;
        }
        let elapsed = seconds(now.milliseconds_since(under_way.started_at));
        let last = match &self.last_activity {
            Some((at, words)) => {
                format!(", {words} {} ago", seconds(now.milliseconds_since(*at)))
            }
            None => String::new(),
        };
        let last = match &under_way.quiet {
            Some(quiet) => format!(", {}", quiet.words(now)),
            None => last,
        };
        let tokens = thousands(state.spend.counted_tokens());
        let line =
            format!("… {} for {elapsed}, {tokens} tokens so far{last}", under_way.effect.step());
        self.output.remark_wrapped_in(DIM, &printable(&line));
    }

    fn waits(&mut self, why: Waiting, now: Moment, until: Moment) {
        if self.form == Form::Json || !self.heartbeat.beats(now) {
            return;
        }
        let left = seconds(until.milliseconds_since(now));
        let line = format!("… {}: {left} to wait, until {}", waiting_words(why), iso(until));
        self.output.remark_wrapped_in(DIM, &line);
    }

    fn trouble(&mut self, words: &str) {
        self.output.remark_wrapped_in(WARNING, words);
    }
}

/// How the run came to stand still.
fn is_announced(event: &Event) -> bool {
    matches!(event, Event::RunCompleted { .. } | Event::RunPaused { .. } | Event::RunHalted { .. })
}

pub(crate) fn activity_words(activity: &Activity) -> Option<String> {
    match activity {
        Activity::UsedTool { name, summary } => Some(format!("{name} {summary}")),
        Activity::ChangedFile(path) => Some(format!("changed {path}")),
        Activity::Said(_) => Some("it spoke".to_string()),
        Activity::Asked(question) => Some(format!("asked {question}")),
        Activity::WaitingForLimit { .. } => {
            Some("began to wait before it asks its model again".to_string())
        }
        Activity::Started { .. } | Activity::Spent(_) | Activity::Unknown(_) => None,
    }
}
