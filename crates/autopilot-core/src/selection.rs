//! Which phases would run (INV-1 to INV-3, SEL-1 to SEL-5): from what the user typed and what the roadmap says to a list of ids,
//! or to a refusal that says what is available.

pub mod flags;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::phase_id::PhaseId;
use crate::problem::Problem;
use crate::project::Project;
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
    /// In roadmap order.
    pub chosen: Vec<PhaseId>,
    pub skipped: Vec<Skipped>,
    /// Remarks on the request itself, such as a range that ends beyond the last phase.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub id: PhaseId,
    pub why: String,
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
    ids: BTreeSet<PhaseId>,
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
    let everything = || {
        roadmap.phases.iter().filter(|phase| !phase.id.is_backlog()).map(|phase| phase.id.clone())
    };
    let mut asked = Asked { ids: BTreeSet::new(), by_number: false };
    if wishes.is_empty() {
        asked.ids.extend(everything());
    }
    for wish in wishes {
        match wish {
            Wish::All => asked.ids.extend(everything()),
            Wish::Next => match next(project) {
                Some(phase) => {
                    asked.ids.insert(phase.id.clone());
                }
                None => refuse_no_next(project, request)?,
            },
            Wish::One(id) => {
                asked.by_number = true;
                asked.ids.insert(id.clone());
            }
            Wish::Range(first, last) => {
                asked.by_number = true;
                let inside: Vec<PhaseId> = everything()
                    .filter(|id| first <= id && id <= last && id.prefix() == first.prefix())
                    .collect();
                if inside.is_empty() {
                    return Err(words::empty_range(first, last, roadmap, request));
                }
                for end in [first, last].into_iter().filter(|end| roadmap.phase(end).is_none()) {
                    remarks.push(format!(
                        "there is no phase {end}; the range {first}-{last} holds {} phases",
                        inside.len()
                    ));
                }
                asked.ids.extend(inside);
            }
        }
    }
    Ok(asked)
}

/// The first unfinished phase whose dependencies are done. One nobody knows is not done.
pub fn next(project: &Project) -> Option<&Phase> {
    let phases = &project.roadmap.phases;
    let settled: BTreeSet<&PhaseId> =
        phases.iter().filter(|phase| phase.standing.is_settled()).map(|phase| &phase.id).collect();
    let is_done = |id: &PhaseId| settled.contains(id) || project.archived.contains(id);
    let is_open = |phase: &&Phase| !phase.standing.is_settled() && !phase.id.is_backlog();
    phases.iter().filter(is_open).find(|phase| phase.depends_on.iter().all(is_done))
}

/// "Next" with nothing left is an answer; "next" while every phase waits for another is not.
fn refuse_no_next(project: &Project, request: &Request) -> Result<(), Problem> {
    let is_open = |phase: &&Phase| !phase.standing.is_settled() && !phase.id.is_backlog();
    let Some(first) = project.roadmap.phases.iter().find(is_open) else { return Ok(()) };
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
    for phase in roadmap.phases.iter().filter(|phase| asked.ids.contains(&phase.id)) {
        if phase.standing.is_settled() {
            let advice = match (asked.by_number, phase.standing) {
                (true, Standing::Completed) => "; --force runs it again",
                _ => "",
            };
            let why = format!("{}{advice}", settled_words(phase.standing));
            selection.skipped.push(Skipped { id: phase.id.clone(), why });
        } else {
            selection.chosen.push(phase.id.clone());
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
        set_unscored_aside(&mut selection);
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
    for phase in roadmap.phases.iter().filter(|phase| asked.ids.contains(&phase.id)) {
        if phase.standing == Standing::Completed {
            selection.chosen.push(phase.id.clone());
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
            selection.skipped.push(Skipped {
                id: phase.id.clone(),
                why: settled_words(phase.standing).to_string(),
            });
        }
    }
    Ok(selection)
}

/// `--quality`: unfinished phases, then completed ones below the bar. Those completed outside autopilot have no score and are
/// taken only by number (SEL-4).
fn quality(roadmap: &Roadmap, asked: &Asked) -> Selection {
    let mut selection = Selection::default();
    let (completed, open): (Vec<&Phase>, Vec<&Phase>) = roadmap
        .phases
        .iter()
        .filter(|phase| asked.ids.contains(&phase.id) && phase.standing != Standing::Skipped)
        .partition(|phase| phase.standing == Standing::Completed);
    selection.chosen.extend(completed.iter().map(|phase| phase.id.clone()));
    if !asked.by_number {
        set_unscored_aside(&mut selection);
    }
    selection.chosen.extend(open.iter().map(|phase| phase.id.clone()));
    selection
}

fn set_unscored_aside(selection: &mut Selection) {
    let why = "completed outside autopilot, no score; name it by number to have it rated first";
    selection
        .skipped
        .extend(selection.chosen.drain(..).map(|id| Skipped { id, why: why.to_string() }));
}

/// A selected phase must not wait for one that is neither done nor selected.
fn require_dependencies(
    roadmap: &Roadmap,
    selection: &Selection,
    request: &Request,
) -> Result<(), Problem> {
    let by_id: BTreeMap<&PhaseId, &Phase> =
        roadmap.phases.iter().map(|phase| (&phase.id, phase)).collect();
    let chosen: BTreeSet<&PhaseId> = selection.chosen.iter().collect();
    let is_missing = |id: &PhaseId| {
        by_id.get(id).is_some_and(|phase| !phase.standing.is_settled()) && !chosen.contains(id)
    };
    let Some((phase, missing)) =
        selection.chosen.iter().filter_map(|id| by_id.get(id)).find_map(|phase| {
            phase.depends_on.iter().find(|id| is_missing(id)).map(|missing| (phase, missing))
        })
    else {
        return Ok(());
    };
    let mut needed: BTreeSet<&PhaseId> = chosen.clone();
    let mut open: Vec<&PhaseId> = selection.chosen.iter().collect();
    while let Some(id) = open.pop() {
        let Some(phase) = by_id.get(id) else { continue };
        for dependency in phase.depends_on.iter().filter(|id| is_missing(id)) {
            if needed.insert(dependency) {
                open.push(dependency);
            }
        }
    }
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
