//! Understands prose that says which phases come first: "Depends on Setup completion", "Phases 1-3", "US1 and US2", "all
//! user stories". Owns the words; a sentence without a phase in it is handed back as not understood.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits;
use crate::phase_id::PhaseId;

use super::SourceKind;
use super::sketch::Sketch;

pub(super) struct References {
    numbers: BTreeMap<PhaseId, usize>,
    stories: BTreeMap<u32, usize>,
    names: BTreeMap<String, usize>,
    budget: usize,
}

/// What a sentence says about the phases before a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It is not about order.
    Nothing,
    Before(BTreeSet<usize>),
    NotUnderstood,
}

impl References {
    pub(super) fn of(kind: SourceKind, sketches: &[Sketch]) -> Self {
        let mut found = References {
            numbers: BTreeMap::new(),
            stories: BTreeMap::new(),
            names: BTreeMap::new(),
            budget: limits::DRAFT_REFERENCES_MAX,
        };
        let mut ambiguous = BTreeSet::new();
        for (index, sketch) in sketches.iter().enumerate() {
            if let Some(label) = &sketch.label {
                found.numbers.entry(label.clone()).or_insert(index);
            }
            if let Some(story) = sketch.story {
                found.stories.entry(story).or_insert(index);
            }
            for name in names_of(kind, sketch) {
                if found.names.insert(name.clone(), index).is_some_and(|other| other != index) {
                    ambiguous.insert(name);
                }
            }
        }
        for name in ambiguous {
            found.names.remove(&name);
        }
        found
    }

    /// The value of a "Depends on" field of the phase at `own`.
    pub(super) fn in_field(&mut self, value: &str, own: usize) -> Said {
        if !self.is_readable(value) {
            return Said::NotUnderstood;
        }
        let text = without_parentheses(&value.to_lowercase());
        let clause = clauses(&text).next().unwrap_or_default().trim();
        let first = clause.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if clause.trim_matches(['-', '—', '–', ' ', '*']).is_empty()
            || matches!(first, "nothing" | "none" | "no" | "n" | "independent")
        {
            return Said::Before(BTreeSet::new());
        }
        match self.named(clause, own) {
            Some(before) => Said::Before(before),
            None => Said::NotUnderstood,
        }
    }

    /// What follows the colon in a line such as "User Story 2: Can start after Foundational - depends on US1".
    pub(super) fn in_sentence(&mut self, sentence: &str, own: usize) -> Said {
        const TRIGGERS: [&str; 8] = [
            "depends only on ",
            "depend only on ",
            "depends on ",
            "depend on ",
            "dependent on ",
            "start after ",
            "proceed after ",
            "requires ",
        ];
        if !self.is_readable(sentence) {
            return Said::NotUnderstood;
        }
        let text = without_parentheses(&sentence.to_lowercase());
        let mut before = BTreeSet::new();
        let (mut is_said, mut is_lost) = (false, false);
        for clause in clauses(&text) {
            let hit = TRIGGERS
                .iter()
                .filter_map(|word| clause.find(word).map(|at| at + word.len()))
                .min();
            if let Some(end) = hit {
                match self.named(&clause[end..], own) {
                    Some(found) => before.extend(found),
                    None => is_lost = true,
                }
                is_said = true;
            } else if is_freedom(clause) {
                is_said = true;
            }
        }
        match (is_said, is_lost && before.is_empty()) {
            (false, _) => Said::Nothing,
            (true, true) => Said::NotUnderstood,
            (true, false) => Said::Before(before),
        }
    }

    /// The phases a line is about, as in "User Stories (Phase 3+)", "Setup (Phase 1)" or "US1 (Phase 3)".
    pub(super) fn subjects(&mut self, text: &str) -> BTreeSet<usize> {
        let lower = text.to_lowercase();
        let outer = without_parentheses(&lower);
        // Beside "User Stories" the number in parentheses is a rough range; beside other words it is exact.
        let is_story = outer.contains("stor") || outer.trim_start().starts_with("us");
        let by_words = self.named(&outer, usize::MAX);
        let by_number =
            if is_story { None } else { self.named(&lower.replace(['(', ')'], " "), usize::MAX) };
        by_number.or(by_words).unwrap_or_default()
    }

    /// The phases a text names, in whatever way; nothing if it names none.
    fn named(&mut self, text: &str, own: usize) -> Option<BTreeSet<usize>> {
        if !self.is_readable(text) {
            return None;
        }
        let mut scan = Scan {
            references: self,
            own,
            found: BTreeSet::new(),
            list: List::None,
            last: None,
            is_first: false,
            is_over: false,
        };
        for piece in text.split(',') {
            match scan.references.names.get(&normal(piece)).copied() {
                Some(index) => scan.add(&[index]),
                None => scan.words(piece),
            }
        }
        let is_understood = !scan.found.is_empty() || scan.is_first;
        is_understood.then_some(scan.found)
    }

    /// Bounds the work that all sentences of a file can cause.
    fn is_readable(&self, text: &str) -> bool {
        self.budget > 0 && text.chars().nth(limits::DRAFT_SENTENCE_CHARS_MAX).is_none()
    }
}

/// A walk over the words of one sentence.
struct Scan<'r> {
    references: &'r mut References,
    /// The phase the sentence is about.
    own: usize,
    found: BTreeSet<usize>,
    list: List,
    /// The number just read, which a dash would make the begin of a range.
    last: Option<PhaseId>,
    /// "All previous phases" was said of the first phase: understood, and nobody.
    is_first: bool,
    /// A word came after which the sentence speaks of something else.
    is_over: bool,
}

/// What a number would count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    Phases,
    Stories,
}

impl Scan<'_> {
    fn words(&mut self, piece: &str) {
        let words: Vec<&str> = words(piece).collect();
        let mut range_from = None;
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).copied().unwrap_or_default();
            match *word {
                "can" | "but" | "parallel" | "independent" | "blocks" | "may" | "no" | "not"
                | "before" => {
                    self.is_over = true;
                }
                _ if self.is_over => return,
                "phase" | "phases" => self.list = List::Phases,
                "previous" | "preceding" | "prior" | "earlier" => self.add_previous(next),
                "story" | "stories" | "us" => self.story_word(next),
                "-" | "–" | "—" | "to" | "through" => range_from = self.last.take(),
                "+" if !is_number(next) && !next.starts_with("us") => self.add_from_last(),
                "+" | "and" | "or" | "&" | "/" | "the" | "all" | "user" => {}
                number if is_number(number) => self.number(number, range_from.take()),
                other => self.other(other, range_from.take()),
            }
        }
    }

    fn other(&mut self, word: &str, range_from: Option<PhaseId>) {
        if let Some(number) = word.strip_prefix("us").filter(|rest| is_number(rest)) {
            self.list = List::Stories;
            self.number(number, range_from);
            return;
        }
        self.list = List::None;
        self.last = None;
        if let Some(index) = self.references.names.get(word).copied() {
            self.add(&[index]);
        }
    }

    fn story_word(&mut self, next: &str) {
        self.list = List::Stories;
        if !is_number(next) {
            let budget = self.references.budget;
            let all: Vec<usize> = self.references.stories.values().copied().take(budget).collect();
            self.add(&all);
        }
    }

    fn number(&mut self, word: &str, range_from: Option<PhaseId>) {
        let Ok(id) = word.parse::<PhaseId>() else { return };
        let from = range_from.filter(|from| *from <= id).unwrap_or_else(|| id.clone());
        let budget = self.references.budget;
        let hits: Vec<usize> = match self.list {
            List::None => return,
            List::Phases => {
                let hits = self.references.numbers.range(from..=id.clone());
                hits.map(|(_, index)| *index).take(budget).collect()
            }
            List::Stories => {
                let number = |id: &PhaseId| id.to_string().parse::<u32>().unwrap_or_default();
                let (from, to) = (number(&from), number(&id));
                let hits = self.references.stories.range(from.min(to)..=to);
                hits.map(|(_, index)| *index).take(budget).collect()
            }
        };
        self.add(&hits);
        self.last = Some(id);
    }

    /// `Phase 3+`.
    fn add_from_last(&mut self) {
        let Some(from) = self.last.take() else { return };
        if self.list == List::Phases {
            let budget = self.references.budget;
            let hits = self.references.numbers.range(from..);
            let hits: Vec<usize> = hits.map(|(_, index)| *index).take(budget).collect();
            self.add(&hits);
        }
    }

    fn add_previous(&mut self, next: &str) {
        if self.own == 0 {
            self.is_first = true;
        } else if self.own != usize::MAX {
            let first = if next == "phase" || next == "task" { self.own - 1 } else { 0 };
            let budget = self.references.budget;
            let before: Vec<usize> = (first..self.own).take(budget).collect();
            self.add(&before);
        }
    }

    fn add(&mut self, indexes: &[usize]) {
        if self.is_over {
            return;
        }
        self.references.budget = self.references.budget.saturating_sub(indexes.len());
        self.found.extend(indexes);
    }
}

/// The whole name; and for spec-kit, whose sentences say "Setup" for "Setup (Shared Infrastructure)", the first word.
fn names_of(kind: SourceKind, sketch: &Sketch) -> Vec<String> {
    let name = normal(&without_parentheses(&sketch.name.to_lowercase()));
    let mut names = Vec::new();
    if kind == SourceKind::SpecKit && sketch.story.is_none() {
        let first = name.split(' ').next().unwrap_or_default();
        if first.len() >= 4 && first != "phase" && first != name {
            names.push(first.to_owned());
        }
        if first == "foundational" {
            names.push("foundation".to_owned());
        }
    }
    if !name.is_empty() {
        names.push(name);
    }
    names
}

fn normal(text: &str) -> String {
    let is_filler =
        |word: &&str| !matches!(*word, "completion" | "complete" | "completed" | "done" | "the");
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .filter(is_filler)
        .collect();
    words.join(" ")
}

fn is_freedom(clause: &str) -> bool {
    let clause = clause.trim_start();
    (clause.starts_with("no dependencies") && !clause.contains("other stor"))
        || clause.starts_with("none")
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(" - ")
        .flat_map(|part| part.split(" — "))
        .flat_map(|part| part.split(" – "))
        .flat_map(|part| part.split("; "))
        .flat_map(|part| part.split(". "))
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0usize;
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}

/// Words, numbers such as `3.1`, and the signs that join them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '.';
    let mut left = text;
    std::iter::from_fn(move || {
        left = left.trim_start_matches(|c: char| !is_word(c) && !is_sign(c));
        let first = left.chars().next()?;
        let end = if is_sign(first) {
            first.len_utf8()
        } else {
            left.find(|c: char| !is_word(c)).unwrap_or(left.len())
        };
        let (word, rest) = left.split_at(end);
        left = rest;
        Some(word.trim_end_matches('.'))
    })
}

fn is_sign(c: char) -> bool {
    matches!(c, '-' | '–' | '—' | '+' | '&' | '/')
}
