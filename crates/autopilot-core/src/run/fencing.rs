//! What keeps the agents and checks of a run from writing anywhere but their own folders, as it was found when the run began or
//! was taken up. Only for telling: no decision rests on it. Finding it and putting it up is the engine's.

use serde::{Deserialize, Serialize};

use crate::run::state::RunState;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Fencing {
    Landlock {
        level: u32,
    },
    Bubblewrap,
    /// They may write wherever the user may.
    Nothing {
        why: String,
    },
}

impl Fencing {
    /// Why there is no fence, where there is none.
    pub fn unfenced(&self) -> Option<&str> {
        match self {
            Fencing::Landlock { .. } | Fencing::Bubblewrap => None,
            Fencing::Nothing { why } => Some(why),
        }
    }

    pub fn words(&self) -> String {
        match self {
            Fencing::Landlock { level } => format!("fenced in by Landlock, level {level}"),
            Fencing::Bubblewrap => "fenced in by bubblewrap".to_string(),
            Fencing::Nothing { why } => format!("unfenced: {why}"),
        }
    }
}

/// What holds from here on.
pub(super) fn take_up(state: &mut RunState, fencing: &Fencing) {
    if state.unfenced.is_none() {
        state.unfenced = fencing.unfenced().map(str::to_string);
    }
    state.definition.fencing = Some(fencing.clone());
}

/// For the report. A run that was without a fence for some of its time is never told as a fenced one.
pub(super) fn told(state: &RunState) -> Option<String> {
    let now = state.definition.fencing.as_ref()?;
    Some(match (&state.unfenced, now.unfenced()) {
        (Some(why), None) => format!("partly unfenced: {why}; then {}", now.words()),
        (Some(_) | None, _) => now.words(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::apply;
    use crate::run::event::Event;
    use crate::run::files::completion;
    use crate::run::ids::Moment;

    fn resumed(state: RunState, fencing: Option<Fencing>) -> RunState {
        let event = Event::RunResumed { drift: Vec::new(), caps: None, agent: None, fencing };
        apply(Some(state), &event, Moment(2)).unwrap()
    }

    #[test]
    fn a_run_that_was_ever_without_a_fence_is_never_told_as_a_fenced_one() {
        let landlock = Fencing::Landlock { level: 7 };
        let nothing = Fencing::Nothing { why: "switched off".to_string() };
        let begin = |fencing: Option<&Fencing>| {
            let first = crate::run::story::told().events.swap_remove(0).0;
            let Event::RunStarted { mut definition } = first else { panic!("{first:?}") };
            definition.fencing = fencing.cloned();
            apply(None, &Event::RunStarted { definition }, Moment(1)).unwrap()
        };
        let check = |state: &RunState, expected: Option<&str>| {
            assert_eq!(told(state).as_deref(), expected);
            let report = completion::report(state, Moment(3), None);
            assert_eq!(report.contains("unfenced"), state.unfenced.is_some(), "{report}");
        };
        check(&begin(None), None);
        check(&begin(Some(&landlock)), Some("fenced in by Landlock, level 7"));
        let off = begin(Some(&nothing));
        check(&off, Some("unfenced: switched off"));
        let on_again = resumed(off, Some(landlock.clone()));
        let both = "partly unfenced: switched off; then fenced in by Landlock, level 7";
        check(&on_again, Some(both));
        check(&resumed(on_again, None), Some(both));
        let later = resumed(begin(Some(&landlock)), Some(nothing));
        check(&later, Some("unfenced: switched off"));
    }

    #[test]
    fn the_journal_has_it_in_words() {
        let check = |fencing: Fencing, text: &str| {
            assert_eq!(serde_json::to_string(&fencing).unwrap(), text);
            assert_eq!(serde_json::from_str::<Fencing>(text).unwrap(), fencing);
        };
        check(Fencing::Landlock { level: 7 }, r#"{"by":"landlock","level":7}"#);
        check(Fencing::Bubblewrap, r#"{"by":"bubblewrap"}"#);
        check(Fencing::Nothing { why: "no".into() }, r#"{"by":"nothing","why":"no"}"#);
    }
}
