//! Makes one phase of all its mentions: list, details and Progress row, merged by id, in roadmap order; and says where they
//! contradict each other (ROAD-4).

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Findings, quote};
use crate::limits;
use crate::markdown::Tick;
use crate::phase_id::PhaseId;
use crate::roadmap::entry;
use crate::roadmap::progress::Row;
use crate::roadmap::resolve::{self, between};
use crate::roadmap::section::Section;
use crate::roadmap::vocabulary::{StatusWord, status_word};
use crate::roadmap::{Detailed, Listed, Mentions, Named, Phase, Standing};

pub(super) fn phases(mut mentions: Mentions, findings: &mut Findings) -> Vec<Phase> {
    let mut sections = std::mem::take(&mut mentions.sections);
    let listed = by_id(&mentions.listed, "listed", findings);
    let detailed = by_id(&mentions.detailed, "described", findings);
    compare_places(&listed, &detailed, findings);
    let progress = progress_by_id(&mentions.progress, &listed, &detailed);
    let mut depends_on = Vec::with_capacity(listed.len().max(detailed.len()));
    let mut phases = Vec::with_capacity(depends_on.capacity());
    for id in roadmap_order(&mentions, &listed) {
        let detailed = detailed.get(id).copied();
        let mut section =
            detailed.and_then(|d| sections.get_mut(d.own)).map(std::mem::take).unwrap_or_default();
        let dependencies = section.depends_on.take();
        let parts = Parts {
            listed: listed.get(id).copied(),
            detailed,
            section,
            row: progress.get(id).copied(),
        };
        if let Some(phase) = parts.into_phase(findings) {
            phases.push(phase);
            depends_on.push(dependencies);
        }
    }
    resolve::dependencies(&mut phases, &depends_on, findings);
    phases
}

/// One mention an id. The same id twice in one place under two names is an error; in two milestones the later one that is not
/// archived is meant.
fn by_id<'a, T>(
    mentions: &'a [Named<T>],
    verb: &str,
    findings: &mut Findings,
) -> BTreeMap<&'a PhaseId, &'a Named<T>> {
    let mut chosen: BTreeMap<&PhaseId, &Named<T>> = BTreeMap::new();
    for mention in mentions {
        let id = &mention.entry.id;
        let Some(earlier) = chosen.get(id).copied() else {
            chosen.insert(id, mention);
            continue;
        };
        let is_same_name = same_name(&earlier.entry.name, &mention.entry.name);
        let (line, first_line) = (mention.line, earlier.line);
        if earlier.region == mention.region {
            if is_same_name {
                findings.note(
                    line,
                    format!(
                        "phase {id} is {verb} twice (also in line {first_line}); the first counts"
                    ),
                );
            } else {
                let names = (quote(&earlier.entry.name), quote(&mention.entry.name));
                findings.error(
                    line,
                    format!("phase {id} is {verb} twice under different names: {} in line {first_line}, {} here", names.0, names.1),
                );
            }
        } else {
            let is_one_archived = earlier.region.is_archived || mention.region.is_archived;
            if !is_same_name && !is_one_archived {
                let names = (quote(&earlier.entry.name), quote(&mention.entry.name));
                findings.error(
                    line,
                    format!("phase {id} stands in two milestones under different names: {} in line {first_line}, {} here; one of them needs another number", names.0, names.1),
                );
            } else if !is_same_name {
                findings.warn(
                    line,
                    format!("phase {id} of another milestone (line {first_line}) has the same number; the one that is not archived is meant"),
                );
            }
            if !mention.region.is_archived {
                chosen.insert(id, mention);
            }
        }
    }
    chosen
}

fn same_name(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right) || left.to_lowercase() == right.to_lowercase()
}

fn compare_places(
    listed: &BTreeMap<&PhaseId, &Listed>,
    detailed: &BTreeMap<&PhaseId, &Detailed>,
    findings: &mut Findings,
) {
    let active: Vec<&&Listed> =
        listed.values().filter(|listed| !listed.region.is_archived).collect();
    if active.is_empty() || detailed.is_empty() {
        return;
    }
    if !listed.keys().any(|id| detailed.contains_key(*id)) {
        let first = detailed.values().map(|detailed| detailed.line).min().unwrap_or(1);
        findings.error(first, "the check-list and the phase details share no phase number: one of them is out of date");
        return;
    }
    for mention in active {
        if !detailed.contains_key(&mention.entry.id) {
            findings.note(
                mention.line,
                format!("phase {} is listed but has no details", mention.entry.id),
            );
        }
    }
    for (id, mention) in detailed {
        if !listed.contains_key(*id) && !mention.region.is_archived && !id.is_backlog() {
            findings
                .note(mention.line, format!("phase {id} has details but is not in the check-list"));
        }
    }
}

/// Rows name a phase or a range of phases that are mentioned elsewhere; the last row about a phase counts.
fn progress_by_id<'a>(
    rows: &'a [Row],
    listed: &BTreeMap<&'a PhaseId, &Listed>,
    detailed: &BTreeMap<&'a PhaseId, &Detailed>,
) -> BTreeMap<&'a PhaseId, &'a Row> {
    let known: BTreeSet<&PhaseId> = listed.keys().chain(detailed.keys()).copied().collect();
    let mut chosen = BTreeMap::new();
    // Ranges first, so that a phase's own row wins over the row of its milestone. At most one range covers a phase in a real
    // table; bounding the rows keeps a hostile one linear.
    let (ranges, single): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.first != row.last);
    for row in ranges.into_iter().take(limits::FINDINGS_PER_FILE_MAX) {
        chosen.extend(between(&known, &row.first, &row.last).map(|id| (id, row)));
    }
    for row in single {
        chosen.insert(&row.first, row);
    }
    chosen
}

/// As listed; a phase that has only details comes after the last listed phase with a smaller number.
fn roadmap_order<'a>(
    mentions: &'a Mentions,
    listed: &BTreeMap<&'a PhaseId, &Listed>,
) -> Vec<&'a PhaseId> {
    let mut after: BTreeMap<Option<&PhaseId>, BTreeSet<&PhaseId>> = BTreeMap::new();
    let only_detailed = mentions.detailed.iter().map(|detailed| &detailed.entry.id);
    let only_detailed = only_detailed.filter(|id| !listed.contains_key(*id));
    if listed.is_empty() {
        let mut seen = BTreeSet::new();
        return only_detailed.filter(|id| seen.insert(*id)).collect();
    }
    for id in only_detailed {
        let anchor = listed.range::<PhaseId, _>(..id).next_back().map(|(anchor, _)| *anchor);
        after.entry(anchor).or_default().insert(id);
    }
    let mut order: Vec<&PhaseId> = after.remove(&None).into_iter().flatten().collect();
    let mut seen = BTreeSet::new();
    for mention in &mentions.listed {
        let id = &mention.entry.id;
        if seen.insert(id) {
            order.push(id);
            order.extend(after.remove(&Some(id)).into_iter().flatten());
        }
    }
    order
}

/// All that was said of one phase.
struct Parts<'a> {
    listed: Option<&'a Listed>,
    detailed: Option<&'a Detailed>,
    section: Section,
    row: Option<&'a Row>,
}

impl Parts<'_> {
    fn into_phase(self, findings: &mut Findings) -> Option<Phase> {
        let entry = self.detailed.map(|d| &d.entry).or(self.listed.map(|l| &l.entry))?;
        let line = self.detailed.map(|d| d.line).or(self.listed.map(|l| l.line))?;
        let standing = self.standing(findings);
        let section = self.section;
        let list_text =
            self.listed.map(|listed| without_remarks(&listed.entry.text)).unwrap_or_default();
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
        let field = status_word(&self.section.status);
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
        let has_done_plan = self.section.plans.iter().any(|plan| plan.is_done);
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

/// A check-list text without `(INSERTED)`, `(3/3 plans)` and `(completed 2026-01-02)`.
fn without_remarks(text: &str) -> String {
    let mut rest = text.trim();
    for _ in 0..limits::REMARKS_MAX {
        let before = rest;
        rest = rest.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, '*' | '-' | '—' | '–' | ':')
        });
        if rest.starts_with('(')
            && let Some(end) = crate::markdown::matching_paren(rest)
            && is_remark(&rest[1..end])
        {
            rest = &rest[end + 1..];
        }
        rest = rest.trim_end();
        if rest.ends_with(')')
            && let Some(at) = rest.rfind(" (")
            && is_remark(&rest[at + 2..rest.len() - 1])
        {
            rest = &rest[..at];
        }
        if let Some(at) = entry::dashes(rest).last()
            && is_remark(rest[at..].trim_start_matches(|c: char| !c.is_alphanumeric()))
        {
            rest = &rest[..at];
        }
        if is_remark(rest) {
            rest = "";
        }
        if rest == before {
            break;
        }
    }
    rest.to_string()
}

fn is_remark(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (first, second, third) = (words.next().unwrap_or_default(), words.next(), words.next());
    let is_count = first.contains('/') && second.is_some_and(|word| word.starts_with("plan"));
    let is_done = || status_word(first) == Some(StatusWord::Complete);
    let is_marker = second.is_none() && matches!(first, "INSERTED" | "BACKLOG");
    third.is_none() && (is_count || is_marker || is_done())
}
