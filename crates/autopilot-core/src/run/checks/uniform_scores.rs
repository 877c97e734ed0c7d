//! CHECK-5: scores of phases in a row that are all alike. Three are a warning, five make the reviewers of the next phase stricter,
//! seven mark the phases and keep it so for the rest of the run.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::phase_id::PhaseId;
use crate::run::event::Event;
use crate::score::Score;

/// Tenths two scores may differ by and still be alike.
const ALIKE_TENTHS: u8 = 2;

/// How far it has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    #[default]
    None,
    Warning,
    Enhanced,
    Critical,
}

impl Tier {
    fn of(count: usize) -> Tier {
        match count {
            0..=2 => Tier::None,
            3..=4 => Tier::Warning,
            5..=6 => Tier::Enhanced,
            _ => Tier::Critical,
        }
    }
}

/// The scores of a run, in the order its phases passed, and what was told about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamps {
    scores: Vec<(PhaseId, Score)>,
    told: Tier,
    /// Phases of seven alike and more.
    pub suspects: BTreeSet<PhaseId>,
}

/// Phases in a row with scores alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streak {
    pub phases: Vec<PhaseId>,
    pub lowest: Score,
    pub highest: Score,
}

impl Stamps {
    /// A phase passed.
    pub(in crate::run) fn add(&mut self, phase: &PhaseId, score: Option<Score>) {
        self.scores.extend(score.map(|score| (phase.clone(), score)));
        self.told = self.told.min(self.tier());
    }

    fn streak(&self) -> Option<Streak> {
        let mut streak: Option<Streak> = None;
        for (phase, score) in self.scores.iter().rev() {
            let (lowest, highest) = match &streak {
                None => (*score, *score),
                Some(known) => (known.lowest.min(*score), known.highest.max(*score)),
            };
            if highest.tenths() - lowest.tenths() > ALIKE_TENTHS {
                break;
            }
            let mut phases = streak.map(|known| known.phases).unwrap_or_default();
            phases.insert(0, phase.clone());
            streak = Some(Streak { phases, lowest, highest });
        }
        streak
    }

    fn tier(&self) -> Tier {
        Tier::of(self.streak().map_or(0, |streak| streak.phases.len()))
    }

    /// What is to be told before the next phase starts.
    pub(in crate::run) fn due(&self) -> Option<Event> {
        let streak = self.streak()?;
        let tier = Tier::of(streak.phases.len());
        if tier <= self.told {
            return None;
        }
        match tier {
            Tier::None => None,
            Tier::Warning => Some(Event::RubberStampWarning { streak }),
            Tier::Enhanced => Some(Event::RubberStampEnhanced { streak }),
            Tier::Critical => Some(Event::RubberStampCritical { streak }),
        }
    }

    pub(in crate::run) fn tell(&mut self, event: &Event) -> Result<(), String> {
        if self.due().as_ref() != Some(event) {
            return Err("the scores are others".to_string());
        }
        self.told = self.tier();
        if let Event::RubberStampCritical { streak } = event {
            self.suspects.extend(streak.phases.iter().cloned());
        }
        Ok(())
    }

    /// Whether the reviewers of a phase that starts now are to be stricter.
    pub(in crate::run) fn is_enhanced(&self) -> bool {
        !self.suspects.is_empty() || self.tier() >= Tier::Enhanced
    }

    /// Suspicious phases with their scores, for the report.
    pub fn suspicious(&self) -> impl Iterator<Item = &(PhaseId, Score)> {
        self.scores.iter().filter(|(phase, _)| self.suspects.contains(phase))
    }
}

impl Streak {
    /// `9.2-9.4 in 3 phases`.
    pub fn words(&self) -> String {
        format!("{}-{} in {} phases in a row", self.lowest, self.highest, self.phases.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told after each of these scores, and whether the next phase is looked at more strictly.
    fn told(tenths: &[u8]) -> Vec<(Tier, bool)> {
        let mut stamps = Stamps::default();
        let each = (1..).zip(tenths).map(|(number, tenths)| {
            stamps.add(&PhaseId::number(number), Score::from_tenths(*tenths));
            let tier = match stamps.due() {
                Some(event) => {
                    stamps.tell(&event).unwrap();
                    assert!(stamps.tell(&event).is_err(), "told twice");
                    stamps.told
                }
                None => Tier::None,
            };
            (tier, stamps.is_enhanced())
        });
        each.collect()
    }

    #[test]
    fn three_warn_five_enhance_seven_are_critical_for_the_rest_of_the_run() {
        let (none, warning) = ((Tier::None, false), (Tier::Warning, false));
        let enhanced = (Tier::Enhanced, true);
        let seven = told(&[92, 93, 92, 94, 92, 92, 93, 60]);
        let expected = [
            none,
            none,
            warning,
            none,
            enhanced,
            (Tier::None, true),
            (Tier::Critical, true),
            (Tier::None, true),
        ];
        assert_eq!(seven, expected);
    }

    #[test]
    fn scores_that_differ_break_the_row_and_a_new_row_is_told_again() {
        let (none, warning) = ((Tier::None, false), (Tier::Warning, false));
        assert_eq!(told(&[92, 95, 92, 95, 92]), [none; 5]);
        assert_eq!(told(&[92, 92, 92, 80, 80, 80]), [none, none, warning, none, none, warning]);
        // The row slides: the first of four is too far from the last.
        assert_eq!(told(&[90, 91, 92, 93, 94]), [none, none, warning, none, none]);
        let broken = told(&[92, 92, 92, 92, 92, 70]);
        assert_eq!(broken[4..], [(Tier::Enhanced, true), none]);
    }
}
