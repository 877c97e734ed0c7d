//! Makes one phase of all its mentions: list, details and Progress row, merged by id, in roadmap order; and says where they
//! contradict each other (ROAD-4).

use crate::finding::{Findings, quote};
use crate::limits;
use crate::markdown::Tick;
use crate::phase_id::PhaseId;
use crate::roadmap::mentions::{Detailed, Listed, Mentions, Named};
use crate::roadmap::progress::Row;
use crate::roadmap::resolve;
use crate::roadmap::section::Section;
use crate::roadmap::vocabulary::{StatusWord, status_word};
use crate::roadmap::{Phase, Standing};

pub(super) fn phases<'t>(mut mentions: Mentions<'t>, findings: &mut Findings) -> Vec<Phase<'t>> {
    let mut sections = mentions.take_sections();
    let ranks = Ranks::of(&mentions);
    let listed = by_rank(mentions.listed(), &ranks.listed, &ranks, "listed", findings);
    let detailed = by_rank(mentions.detailed(), &ranks.detailed, &ranks, "described", findings);
    compare_places(&listed, &detailed, findings);
    let progress = progress_by_rank(&mentions, &ranks);
    let mut depends_on = Vec::with_capacity(ranks.ids.len());
    let mut phases = Vec::with_capacity(ranks.ids.len());
    for rank in roadmap_order(&ranks, &listed) {
        let mut section = detailed[rank].and_then(|detailed| sections.take(detailed.own));
        let dependencies = section.as_mut().and_then(|section| section.depends_on.take());
        let parts =
            Parts { listed: listed[rank], detailed: detailed[rank], section, row: progress[rank] };
        if let Some(phase) = parts.into_phase(findings) {
            phases.push(phase);
            depends_on.push(dependencies);
        }
    }
    resolve::dependencies(&mut phases, &depends_on, findings);
    phases
}

/// Every id that is mentioned, in order. Its place here, its rank, stands for the id wherever something is kept for each.
struct Ranks<'m> {
    ids: Vec<&'m PhaseId>,
    /// The rank of each mention in a list and of each in a heading.
    listed: Vec<usize>,
    detailed: Vec<usize>,
}

impl<'m> Ranks<'m> {
    fn of(mentions: &'m Mentions<'_>) -> Ranks<'m> {
        let mut all: Vec<&PhaseId> = mentions.listed().map(|mention| &mention.entry.id).collect();
        let count = all.len();
        all.extend(mentions.detailed().map(|mention| &mention.entry.id));
        let mut listed = vec![0; all.len()];
        let mut ids: Vec<&PhaseId> = Vec::with_capacity(count.max(all.len() - count));
        let mut sorted: Vec<(&PhaseId, usize)> =
            all.into_iter().enumerate().map(|(mention, id)| (id, mention)).collect();
        sorted.sort();
        for (id, mention) in sorted {
            if ids.last() != Some(&id) {
                ids.push(id);
            }
            listed[mention] = ids.len() - 1;
        }
        let detailed = listed.split_off(count);
        Ranks { ids, listed, detailed }
    }
}

/// One mention a rank. The same id twice in one place under two names is an error; in two milestones the later one that is not
/// archived is meant.
fn by_rank<'a, 't: 'a, T: 'a>(
    mentions: impl Iterator<Item = &'a Named<'t, T>>,
    ranks_of_mentions: &[usize],
    ranks: &Ranks<'_>,
    verb: &str,
    findings: &mut Findings,
) -> Vec<Option<&'a Named<'t, T>>> {
    let mut chosen: Vec<Option<&Named<'t, T>>> = vec![None; ranks.ids.len()];
    for (mention, rank) in mentions.zip(ranks_of_mentions) {
        let chosen = &mut chosen[*rank];
        let counts = match *chosen {
            None => true,
            Some(earlier) => {
                report_twice(earlier, mention, verb, findings);
                earlier.region != mention.region && !mention.region.is_archived
            }
        };
        if counts {
            *chosen = Some(mention);
        }
    }
    chosen
}

fn report_twice<T>(
    earlier: &Named<'_, T>,
    mention: &Named<'_, T>,
    verb: &str,
    findings: &mut Findings,
) {
    let id = &mention.entry.id;
    let is_same_name = same_name(&earlier.entry.name, &mention.entry.name);
    let (line, first_line) = (mention.line, earlier.line);
    let names = || (quote(&earlier.entry.name), quote(&mention.entry.name));
    let is_one_archived = earlier.region.is_archived || mention.region.is_archived;
    match (earlier.region == mention.region, is_same_name) {
        (true, true) => findings.note(
            line,
            format!("phase {id} is {verb} twice (also in line {first_line}); the first counts"),
        ),
        (true, false) => {
            let (first, second) = names();
            findings.error(
                line,
                format!("phase {id} is {verb} twice under different names: {first} in line {first_line}, {second} here"),
            );
        }
        (false, true) => {}
        (false, false) if is_one_archived => findings.warn(
            line,
            format!("phase {id} of another milestone (line {first_line}) has the same number; the one that is not archived is meant"),
        ),
        (false, false) => {
            let (first, second) = names();
            findings.error(
                line,
                format!("phase {id} stands in two milestones under different names: {first} in line {first_line}, {second} here; one of them needs another number"),
            );
        }
    }
}

fn same_name(left: &str, right: &str) -> bool {
    left == right || left.eq_ignore_ascii_case(right) || left.to_lowercase() == right.to_lowercase()
}

fn compare_places(
    listed: &[Option<&Listed<'_>>],
    detailed: &[Option<&Detailed<'_>>],
    findings: &mut Findings,
) {
    let has_active = listed.iter().flatten().any(|listed| !listed.region.is_archived);
    if !has_active || detailed.iter().flatten().next().is_none() {
        return;
    }
    let both = || listed.iter().zip(detailed);
    if !both().any(|(listed, detailed)| listed.is_some() && detailed.is_some()) {
        let first = detailed.iter().flatten().map(|detailed| detailed.line).min().unwrap_or(1);
        findings.error(first, "the check-list and the phase details share no phase number: one of them is out of date");
        return;
    }
    for (listed, detailed) in both() {
        if let (Some(mention), None) = (listed, detailed)
            && !mention.region.is_archived
        {
            findings.note(
                mention.line,
                format!("phase {} is listed but has no details", mention.entry.id),
            );
        }
    }
    for (listed, detailed) in both() {
        if let (None, Some(mention)) = (listed, detailed)
            && !mention.region.is_archived
            && !mention.entry.id.is_backlog()
        {
            let id = &mention.entry.id;
            findings
                .note(mention.line, format!("phase {id} has details but is not in the check-list"));
        }
    }
}

/// Rows name a phase or a range of phases that are mentioned elsewhere; the last row about a phase counts.
fn progress_by_rank<'a>(mentions: &'a Mentions<'_>, ranks: &Ranks<'_>) -> Vec<Option<&'a Row>> {
    let mut chosen = vec![None; ranks.ids.len()];
    // Ranges first, so that a phase's own row wins over the row of its milestone. At most one range covers a phase in a real
    // table; bounding the rows keeps a hostile one linear.
    let ranges = mentions.progress().filter(|row| row.first != row.last);
    for row in ranges.take(limits::FINDINGS_PER_FILE_MAX) {
        let start = ranks.ids.partition_point(|id| *id < &row.first);
        let end = ranks.ids.partition_point(|id| *id <= &row.last);
        chosen[start..end].fill(Some(row));
    }
    let mut next = 0;
    for row in mentions.progress().filter(|row| row.first == row.last) {
        // Most tables name the phases in their order; then nothing has to be searched.
        let rank = match ranks.ids.get(next) {
            Some(id) if **id == row.first => Ok(next),
            Some(_) | None => ranks.ids.binary_search(&&row.first),
        };
        if let Ok(rank) = rank {
            chosen[rank] = Some(row);
            next = rank + 1;
        }
    }
    chosen
}

/// As listed; a phase that has only details comes after the last listed phase with a smaller number.
fn roadmap_order(ranks: &Ranks<'_>, listed: &[Option<&Listed<'_>>]) -> Vec<usize> {
    let mut is_new = vec![true; ranks.ids.len()];
    let mut first_time = |rank: &usize| std::mem::replace(&mut is_new[*rank], false);
    if ranks.listed.is_empty() {
        return ranks.detailed.iter().copied().filter(|rank| first_time(rank)).collect();
    }
    let unlisted_from =
        |start: usize| (start..listed.len()).take_while(|rank| listed[*rank].is_none());
    let mut order = Vec::with_capacity(ranks.ids.len());
    order.extend(unlisted_from(0));
    for rank in ranks.listed.iter().copied().filter(|rank| first_time(rank)) {
        order.push(rank);
        order.extend(unlisted_from(rank + 1));
    }
    order
}

/// All that was said of one phase.
struct Parts<'a, 't> {
    listed: Option<&'a Listed<'t>>,
    detailed: Option<&'a Detailed<'t>>,
    section: Option<Box<Section<'t>>>,
    row: Option<&'a Row>,
}

impl<'t> Parts<'_, 't> {
    fn into_phase(self, findings: &mut Findings) -> Option<Phase<'t>> {
        let entry = self.detailed.map(|d| &d.entry).or(self.listed.map(|l| &l.entry))?;
        let line = self.detailed.map(|d| d.line).or(self.listed.map(|l| l.line))?;
        let standing = self.standing(findings);
        let section = self.section.map(|section| *section).unwrap_or_default();
        let list_text = self.listed.map(|listed| listed.entry.text.clone()).unwrap_or_default();
        let name = if entry.name.is_empty() {
            self.listed.map(|listed| listed.entry.name.clone()).unwrap_or_default()
        } else {
            entry.name.clone()
        };
        if let (Some(listed), Some(detailed)) = (self.listed, self.detailed)
            && !same_name(&listed.entry.name, &detailed.entry.name)
        {
            let names = (quote(&listed.entry.name), quote(&detailed.entry.name));
            let message = format!(
                "phase {} is called {} in the check-list and {} here; this name is used",
                entry.id, names.0, names.1
            );
            findings.note(line, message);
        }
        if name.is_empty() {
            findings.warn(line, format!("phase {} has no name", entry.id));
        }
        Some(Phase {
            id: entry.id.clone(),
            name,
            goal: if section.goal.is_empty() { list_text.clone() } else { section.goal },
            description: if section.description.is_empty() {
                list_text
            } else {
                section.description
            },
            depends_on: Vec::new(),
            requirements: section.requirements,
            criteria: section.criteria,
            plans: section.plans,
            mode: section.mode,
            ui_hint: section.ui_hint,
            is_inserted: entry.is_inserted
                || self.listed.is_some_and(|listed| listed.entry.is_inserted),
            standing,
            line,
        })
    }

    fn standing(&self, findings: &mut Findings) -> Standing {
        let is_struck = self.listed.is_some_and(|listed| listed.entry.is_struck)
            || self.detailed.is_some_and(|detailed| detailed.entry.is_struck);
        let is_ticked = self.listed.is_some_and(|listed| listed.own == Tick::Ticked);
        let row = self.row.map(|row| row.status);
        let section = self.section.as_deref();
        let field = section.and_then(|section| status_word(&section.status));
        let is_marked = self.detailed.is_some_and(|detailed| detailed.entry.is_marked_done);
        self.report_contradiction(is_ticked, findings);
        if is_struck {
            return Standing::Skipped;
        }
        let says = |word: StatusWord| row == Some(word) || field == Some(word);
        let has_box = self.listed.is_some();
        let is_shipped =
            !has_box && self.detailed.is_some_and(|detailed| detailed.region.is_shipped);
        if is_shipped && says(StatusWord::Skipped) {
            return Standing::Skipped;
        }
        if is_ticked || is_marked || is_shipped || says(StatusWord::Complete) {
            return Standing::Completed;
        }
        if says(StatusWord::Skipped) {
            return Standing::Skipped;
        }
        let has_done_plan =
            section.is_some_and(|section| section.plans.iter().any(|plan| plan.is_done));
        if says(StatusWord::InProgress) || has_done_plan {
            Standing::InProgress
        } else {
            Standing::NotStarted
        }
    }

    fn report_contradiction(&self, is_ticked: bool, findings: &mut Findings) {
        let (Some(listed), Some(row)) = (self.listed, self.row) else { return };
        let id = &listed.entry.id;
        match (is_ticked, row.status) {
            (true, StatusWord::NotStarted | StatusWord::InProgress) => findings.note(
                row.line,
                format!("phase {id} is ticked in line {} but not complete in the Progress table; the tick counts", listed.line),
            ),
            (false, StatusWord::Complete) if !listed.entry.is_struck => findings.note(
                listed.line,
                format!("phase {id} is not ticked but complete in the Progress table (line {}); the table counts", row.line),
            ),
            _ => {}
        }
    }
}
