//! From sketches to a draft: puts phases in an order their dependencies allow, numbers them, gives every phase a name and
//! every requirement an id of its own. Knows nothing of the format the sketches came from.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Findings, quote};
use crate::limits;
use crate::phase_id::PhaseId;

use super::{Draft, DraftCriterion, DraftPhase, DraftRequirement, SourceKind, safe_text};

/// A phase as its source tells it, not yet numbered.
#[derive(Debug, Clone)]
pub(super) struct Sketch {
    pub(super) line: u32,
    /// The number the source gives it.
    pub(super) label: Option<PhaseId>,
    /// The number of the user story it delivers.
    pub(super) story: Option<u32>,
    pub(super) name: String,
    pub(super) goal: String,
    pub(super) criteria: Vec<DraftCriterion>,
    pub(super) requirements: Vec<SketchRequirement>,
    pub(super) notes: Vec<String>,
    pub(super) after: After,
    pub(super) is_done: bool,
}

#[derive(Debug, Clone)]
pub(super) struct SketchRequirement {
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) category: Option<String>,
    pub(super) is_done: bool,
    pub(super) line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum After {
    /// The source says nothing, so the order of the list counts.
    Previous,
    /// Places in the list of sketches; none means that it can begin at once.
    Stated(BTreeSet<usize>),
}

/// Everything a reader found in a file.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) title: String,
    pub(super) overview: Vec<String>,
    pub(super) commands: Vec<String>,
    pub(super) sketches: Vec<Sketch>,
}

pub(super) fn finish(source: SourceKind, mut assembly: Assembly, findings: &mut Findings) -> Draft {
    let sketches = &mut assembly.sketches;
    if sketches.len() > limits::DRAFT_PHASES_MAX {
        let first_left_out = sketches[limits::DRAFT_PHASES_MAX].line;
        let message = format!(
            "from here on {} phases were left out; at most {} are taken",
            sketches.len() - limits::DRAFT_PHASES_MAX,
            limits::DRAFT_PHASES_MAX
        );
        findings.error(first_left_out, message);
        sketches.truncate(limits::DRAFT_PHASES_MAX);
    }
    let order = order(sketches, findings);
    let mut number_of = vec![0; sketches.len()];
    for (number, index) in (1u32..).zip(&order) {
        number_of[*index] = number;
    }
    let mut draft = Draft::empty(source);
    let mut ids = Ids::default();
    for (number, index) in (1u32..).zip(&order) {
        let sketch = &sketches[*index];
        let depends_on = match &sketch.after {
            After::Previous => (1..number).next_back().into_iter().collect(),
            After::Stated(before) => before.iter().map(|index| number_of[*index]).collect(),
        };
        add_phase(&mut draft, &mut ids, sketch, number, depends_on, findings);
    }
    if let [only] = draft.phases.as_slice()
        && only.criteria.len() > limits::DRAFT_FLAT_PHASES_MAX
    {
        let message = "all of this is one phase; headings between the items would make it several";
        findings.warn(only.line.unwrap_or(1), message);
    }
    draft.title = assembly.title;
    draft.overview = assembly.overview.join("\n\n");
    add_commands(&mut draft.phases, &assembly.commands);
    draft.commands = assembly.commands;
    draft
}

/// The places of the sketches as they stand, except that a phase is preceded by those it depends on. Of dependencies that
/// run in a circle the one that closes it is left out.
fn order(sketches: &mut [Sketch], findings: &mut Findings) -> Vec<usize> {
    let count = sketches.len();
    let mut before: Vec<Vec<usize>> = Vec::with_capacity(count);
    for sketch in sketches.iter() {
        before.push(match &sketch.after {
            After::Previous => Vec::new(),
            After::Stated(stated) => stated.iter().copied().collect(),
        });
    }
    let mut states = vec![State::New; count];
    let mut placed = Vec::with_capacity(count);
    let mut path = Vec::new();
    for first in 0..count {
        path.push(first);
        while let Some(index) = path.last().copied() {
            if states[index] == State::New {
                states[index] = State::Begun;
            }
            match before[index].pop() {
                Some(other) if other >= count => drop_dependency(&mut sketches[index], other),
                Some(other) if other == index || states[other] == State::Begun => {
                    drop_dependency(&mut sketches[index], other);
                    report_circle(&sketches[index], &sketches[other], findings);
                }
                Some(other) if states[other] == State::New => path.push(other),
                Some(_) => {}
                None => {
                    if states[index] != State::Placed {
                        placed.push(index);
                    }
                    states[index] = State::Placed;
                    path.pop();
                }
            }
        }
    }
    placed
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Begun,
    Placed,
}

/// Without a dependency that can be kept, the order of the list counts again.
fn drop_dependency(sketch: &mut Sketch, other: usize) {
    if let After::Stated(before) = &mut sketch.after {
        before.remove(&other);
        if before.is_empty() {
            sketch.after = After::Previous;
        }
    }
}

fn report_circle(sketch: &Sketch, other: &Sketch, findings: &mut Findings) {
    let (name, other) = (quote(&sketch.name), quote(&other.name));
    let message =
        format!("{name} is said to depend on {other}, which would be a circle; that was left out");
    findings.warn(sketch.line, message);
}

fn add_phase(
    draft: &mut Draft,
    ids: &mut Ids,
    sketch: &Sketch,
    number: u32,
    mut depends_on: Vec<u32>,
    findings: &mut Findings,
) {
    let id = PhaseId::number(number);
    let whole_name = whole_name(sketch);
    let name = safe_text::cut(&whole_name, limits::DRAFT_NAME_CHARS_MAX);
    if let Some(label) = sketch.label.as_ref().filter(|label| **label != id) {
        let message = format!("number {label} of the source is phase {number} here");
        findings.note(sketch.line, message);
    }
    let mut requirements = Vec::new();
    for (position, found) in sketch.requirements.iter().enumerate() {
        let requirement = ids.take(found, number, position + 1, findings);
        let category =
            found.category.as_deref().map(safe_text::name).filter(|name| !name.is_empty());
        requirements.push(requirement.clone());
        draft.requirements.push(DraftRequirement {
            id: requirement,
            text: safe_text::one_line(&found.text),
            category: category.unwrap_or_else(|| name.clone()),
            phase: id.clone(),
            is_done: found.is_done,
            line: Some(found.line),
        });
    }
    depends_on.sort_unstable();
    draft.phases.push(DraftPhase {
        number: id,
        goal: goal(sketch, &whole_name, &name),
        name,
        depends_on: depends_on.into_iter().map(PhaseId::number).collect(),
        requirements,
        criteria: sketch.criteria.clone(),
        notes: sketch.notes.iter().map(|note| safe_text::one_line(note)).collect(),
        is_done: sketch.is_done,
        line: Some(sketch.line),
    });
    if sketch.criteria.is_empty() {
        findings.note(sketch.line, format!("phase {number} has no success criteria"));
    }
}

/// The name, or the first thing that is there: what to do, how it is checked, what for, its id.
fn whole_name(sketch: &Sketch) -> String {
    let requirement = sketch.requirements.first();
    let candidates = [
        sketch.name.as_str(),
        requirement.map_or("", |requirement| &requirement.text),
        sketch.criteria.first().map_or("", |criterion| &criterion.text),
        &sketch.goal,
        requirement.and_then(|requirement| requirement.id.as_deref()).unwrap_or_default(),
    ];
    let mut named = candidates.iter().map(|text| safe_text::name(text));
    let fallback = || format!("Line {}", sketch.line);
    named.find(|name| !name.is_empty()).unwrap_or_else(fallback)
}

/// A name that was cut stands whole in the goal, and a phase without a goal has its name for one.
fn goal(sketch: &Sketch, whole_name: &str, name: &str) -> String {
    let goal = safe_text::one_line(&sketch.goal);
    if goal.is_empty() {
        return whole_name.to_owned();
    }
    let is_cut = whole_name != name;
    if is_cut && !safe_text::name(&goal).contains(whole_name) {
        return format!("{whole_name}. {goal}");
    }
    goal
}

fn add_commands(phases: &mut [DraftPhase], commands: &[String]) {
    for phase in phases {
        let named: BTreeSet<String> =
            phase.criteria.iter().filter_map(|criterion| criterion.command.clone()).collect();
        for command in commands.iter().filter(|command| !named.contains(*command)) {
            let text = format!("`{command}` passes");
            phase.criteria.push(DraftCriterion { text, command: Some(command.clone()) });
        }
    }
}

/// The ids given so far, each with the number of times it was asked for.
#[derive(Default)]
struct Ids(BTreeMap<String, usize>);

impl Ids {
    fn take(
        &mut self,
        found: &SketchRequirement,
        phase: u32,
        position: usize,
        findings: &mut Findings,
    ) -> String {
        let given = found.id.as_deref().map(safe_id).filter(|id| !id.is_empty());
        if let (Some(id), Some(was)) = (&given, &found.id)
            && id != was
        {
            findings.note(found.line, format!("the id {} is written as {id}", quote(was)));
        }
        let is_given = given.is_some();
        let wanted = given.unwrap_or_else(|| format!("P{phase}-{position:02}"));
        let mut id = wanted.clone();
        while self.0.contains_key(&id) {
            let times = self.0.entry(wanted.clone()).or_insert(1);
            *times += 1;
            id = format!("{wanted}-{times}");
        }
        self.0.insert(id.clone(), 1);
        if id != wanted && is_given {
            findings
                .warn(found.line, format!("the id {wanted} is used twice; this one is now {id}"));
        }
        id
    }
}

/// Letters, digits, dots, dashes and underscores; a bare number would not be read as an id.
fn safe_id(id: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let dashed: String =
        id.trim().chars().map(|c| if is_allowed(c) { c } else { '-' }).take(60).collect();
    let bare = dashed.trim_matches(['-', '.', '_']);
    let has_letter = bare.contains(|c: char| c.is_ascii_alphabetic());
    match (bare.is_empty(), has_letter) {
        (true, _) => String::new(),
        (false, true) => bare.to_owned(),
        (false, false) => format!("US-{bare}"),
    }
}
