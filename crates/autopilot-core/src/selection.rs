//! Which phases would run (INV-1 to INV-3, SEL-1 to SEL-5): from what the user typed and what the roadmap says to a list of
//! phases, or to a refusal that says what is available. Inside, a phase is its place in the roadmap.

pub mod flags;
mod words;

use std::collections::BTreeSet;

use crate::phase_id::PhaseId;
use crate::problem::Problem;
use crate::project::Project;
use crate::roadmap::index::PhaseIndex;
use crate::roadmap::{Phase, Roadmap, Standing};
use crate::selection::flags::{Flags, Mode};
use crate::selection::words::Wish;

/// What was asked for on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The words after the command: `3-7`, `3,5`, `all`.
    pub phases: Vec<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub flags: Flags,
    /// The command as the user typed it, such as `autopilot plan`; suggestions start with it.
    pub command: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Places in the roadmap.
    pub chosen: Vec<usize>,
    pub skipped: Vec<Skipped>,
    /// Remarks on the request itself, such as a range that ends beyond the last phase.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub id: PhaseId,
    pub why: &'static str,
}

pub fn select(project: &Project, request: &Request) -> Result<Selection, Problem> {
    let roadmap = &project.roadmap;
    request.flags.check()?;
    let mut remarks = Vec::new();
    let wishes = words::read(request, roadmap)?;
    let asked = asked_for(project, &wishes, request, &mut remarks)?;
    let mut selection = match request.flags.mode() {
        Mode::Forward => forward(roadmap, &asked),
        Mode::Force => again(roadmap, &asked, request)?,
        Mode::Quality => quality(roadmap, &asked),
        Mode::Gaps => gaps(roadmap, &asked, request)?,
    };
    selection.remarks = remarks;
    if request.flags.mode() == Mode::Forward {
        require_dependencies(roadmap, &selection, request)?;
    }
    Ok(selection)
}

/// The phases the words name, and whether they were named one by one.
struct Asked {
    /// For each phase of the roadmap.
    is_asked: Vec<bool>,
    /// By number or range, rather than `all`, `next` or no words at all.
    by_number: bool,
}

fn asked_for(
    project: &Project,
    wishes: &[Wish],
    request: &Request,
    remarks: &mut Vec<String>,
) -> Result<Asked, Problem> {
    let roadmap = &project.roadmap;
    let mut asked = Asked { is_asked: vec![false; roadmap.phases.len()], by_number: false };
    if wishes.is_empty() {
        asked.add(roadmap, |_| true);
    }
    for wish in wishes {
        match wish {
            Wish::All => {
                asked.add(roadmap, |_| true);
            }
            Wish::Next => match next(project) {
                Some(place) => asked.is_asked[place] = true,
                None => refuse_no_next(project, request)?,
            },
            Wish::One(place) => {
                asked.by_number = true;
                asked.is_asked[*place] = true;
            }
            Wish::Range(first, last) => {
                asked.by_number = true;
                let inside = asked
                    .add(roadmap, |id| first <= id && id <= last && id.prefix() == first.prefix());
                if inside == 0 {
                    return Err(words::empty_range(first, last, roadmap, request));
                }
                for end in [first, last].into_iter().filter(|end| roadmap.phase(end).is_none()) {
                    remarks.push(format!(
                        "there is no phase {end}; the range {first}-{last} holds {inside} phases",
                    ));
                }
            }
        }
    }
    Ok(asked)
}

impl Asked {
    /// Asks for the phases whose ids are meant and says how many those are. The backlog is never among them.
    fn add(&mut self, roadmap: &Roadmap<'_>, is_meant: impl Fn(&PhaseId) -> bool) -> usize {
        let mut count = 0;
        for (phase, is_asked) in roadmap.phases.iter().zip(&mut self.is_asked) {
            if !phase.id.is_backlog() && is_meant(&phase.id) {
                *is_asked = true;
                count += 1;
            }
        }
        count
    }

    /// The phases asked for, with their places.
    fn phases<'a, 't>(
        &'a self,
        roadmap: &'a Roadmap<'t>,
    ) -> impl Iterator<Item = (usize, &'a Phase<'t>)> {
        let all = roadmap.phases.iter().enumerate().zip(&self.is_asked);
        all.filter(|(_, is_asked)| **is_asked).map(|(phase, _)| phase)
    }
}

/// The place of the first unfinished phase whose dependencies are done. One nobody knows is not done.
pub fn next(project: &Project<'_>) -> Option<usize> {
    let phases = &project.roadmap.phases;
    let index = PhaseIndex::of(phases);
    let is_settled =
        |id: &PhaseId| index.place(id).is_some_and(|place| phases[place].standing.is_settled());
    let is_done = |id: &PhaseId| is_settled(id) || project.archived.contains(id);
    phases.iter().position(|phase| is_open(phase) && phase.depends_on.iter().all(is_done))
}

fn is_open(phase: &Phase<'_>) -> bool {
    !phase.standing.is_settled() && !phase.id.is_backlog()
}

/// "Next" with nothing left is an answer; "next" while every phase waits for another is not.
fn refuse_no_next(project: &Project, request: &Request) -> Result<(), Problem> {
    let mut phases = project.roadmap.phases.iter();
    let Some(first) = phases.find(|phase| is_open(phase)) else { return Ok(()) };
    Err(Problem::usage(
        "no phase is ready: each one that is left waits for another",
        "the next phase is one whose dependencies are done, and there is none",
        format!("see what waits for what: {} all", request.command),
    )
    .at(crate::finding::Place::line(project.roadmap.file.clone(), first.line)))
}

fn settled_words(standing: Standing) -> &'static str {
    match standing {
        Standing::Completed => "completed",
        Standing::Skipped => "marked as skipped in the roadmap",
        Standing::NotStarted | Standing::InProgress => "not completed",
    }
}

/// The ordinary run: what is asked for and not done yet.
fn forward(roadmap: &Roadmap, asked: &Asked) -> Selection {
    let mut selection = Selection::default();
    for (place, phase) in asked.phases(roadmap) {
        if phase.standing.is_settled() {
            let why = match (asked.by_number, phase.standing) {
                (true, Standing::Completed) => "completed; --force runs it again",
                (_, standing) => settled_words(standing),
            };
            selection.skipped.push(Skipped { id: phase.id.clone(), why });
        } else {
            selection.chosen.push(place);
        }
    }
    selection
}

/// `--force`: completed phases from scratch. One that is not completed is an error when it was named (SEL-3).
fn again(roadmap: &Roadmap, asked: &Asked, request: &Request) -> Result<Selection, Problem> {
    completed_only(roadmap, asked, request, "--force runs completed phases again")
}

/// `--gaps`: completed phases, one deficiency at a time. Without a ledger only those named by number (SEL-5).
fn gaps(roadmap: &Roadmap, asked: &Asked, request: &Request) -> Result<Selection, Problem> {
    let mut selection =
        completed_only(roadmap, asked, request, "--gaps closes the gaps of completed phases")?;
    if !asked.by_number {
        set_unscored_aside(roadmap, &mut selection);
    }
    Ok(selection)
}

fn completed_only(
    roadmap: &Roadmap,
    asked: &Asked,
    request: &Request,
    what_for: &str,
) -> Result<Selection, Problem> {
    let mut selection = Selection::default();
    for (place, phase) in asked.phases(roadmap) {
        if phase.standing == Standing::Completed {
            selection.chosen.push(place);
        } else if asked.by_number {
            return Err(Problem::usage(
                format!("phase {} is {}", phase.id, settled_words(phase.standing)),
                format!("{what_for}; this one has no finished work to start from"),
                match phase.standing {
                    Standing::Skipped => {
                        "to have it run after all, take the mark that skips it out of the roadmap"
                            .to_string()
                    }
                    _ => format!("run it first: {} {}", request.command, phase.id),
                },
            ));
        } else {
            let why = settled_words(phase.standing);
            selection.skipped.push(Skipped { id: phase.id.clone(), why });
        }
    }
    Ok(selection)
}

/// `--quality`: unfinished phases, then completed ones below the bar. Those completed outside autopilot have no score and are
/// taken only by number (SEL-4).
fn quality(roadmap: &Roadmap, asked: &Asked) -> Selection {
    let mut selection = Selection::default();
    let standing_at = |place: &usize| roadmap.phases[*place].standing;
    let (completed, open): (Vec<usize>, Vec<usize>) = asked
        .phases(roadmap)
        .map(|(place, _)| place)
        .filter(|place| standing_at(place) != Standing::Skipped)
        .partition(|place| standing_at(place) == Standing::Completed);
    selection.chosen = completed;
    if !asked.by_number {
        set_unscored_aside(roadmap, &mut selection);
    }
    selection.chosen.extend(open);
    selection
}

fn set_unscored_aside(roadmap: &Roadmap<'_>, selection: &mut Selection) {
    let why = "completed outside autopilot, no score; name it by number to have it rated first";
    let aside = selection.chosen.drain(..).map(|place| roadmap.phases[place].id.clone());
    selection.skipped.extend(aside.map(|id| Skipped { id, why }));
}

/// A selected phase must not wait for one that is neither done nor selected.
fn require_dependencies(
    roadmap: &Roadmap,
    selection: &Selection,
    request: &Request,
) -> Result<(), Problem> {
    let phases = &roadmap.phases;
    let index = PhaseIndex::of(phases);
    let mut is_chosen = vec![false; phases.len()];
    for place in &selection.chosen {
        is_chosen[*place] = true;
    }
    let is_missing = |place: &usize| !phases[*place].standing.is_settled() && !is_chosen[*place];
    let missing_of = |place: usize| {
        let needs = phases[place].depends_on.iter();
        needs.filter_map(|id| index.place(id)).filter(|need| is_missing(need))
    };
    let first_missing =
        |place: &usize| missing_of(*place).next().map(|missing| (&phases[*place], missing));
    let Some((phase, missing)) = selection.chosen.iter().find_map(first_missing) else {
        return Ok(());
    };
    let mut needed: BTreeSet<&PhaseId> =
        selection.chosen.iter().map(|place| &phases[*place].id).collect();
    let mut open = selection.chosen.clone();
    while let Some(place) = open.pop() {
        for need in missing_of(place) {
            if needed.insert(&phases[need].id) {
                open.push(need);
            }
        }
    }
    let missing = &phases[missing].id;
    let list: Vec<String> = needed.iter().map(ToString::to_string).collect();
    Err(Problem::usage(
        format!("phase {} depends on phase {missing}, which is not completed and not selected", phase.id),
        "a phase is built on what its dependencies merged; without them it would be built on nothing",
        format!("include what it needs: {} {}", request.command, list.join(",")),
    )
    .at(crate::finding::Place::line(roadmap.file.clone(), phase.line)))
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
