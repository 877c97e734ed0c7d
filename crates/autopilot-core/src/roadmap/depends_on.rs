//! Reads a "Depends on" line (ROAD-3) into what it names, and into the words it did not understand. Numbers in parentheses and
//! in trailing prose are no dependencies; which phases a range covers is settled later, when all phases are known.

use crate::markdown;
use crate::phase_id::PhaseId;
use crate::roadmap::vocabulary;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependency {
    On(PhaseId),
    /// Both ends and every phase of the roadmap between them.
    Range(PhaseId, PhaseId),
    /// Every phase that stands before this one in the roadmap.
    AllPrevious,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DependsOn {
    pub named: Vec<Dependency>,
    /// Pieces of the line that are neither a phase nor a known way to say "nothing".
    pub not_understood: Vec<String>,
}

const NOTHING: [&str; 13] = [
    "nothing",
    "none",
    "n/a",
    "na",
    "no",
    "first",
    "independent",
    "keine",
    "нет",
    "ничего",
    "无",
    "nada",
    "aucune",
];
const ALL_PREVIOUS: [&str; 8] = [
    "all previous phases",
    "all prior phases",
    "all preceding phases",
    "all earlier phases",
    "all previous",
    "all prior",
    "all phases before",
    "every previous phase",
];
/// Words after a phase that add nothing: "Phase 3 complete".
const IDLE_WORDS: [&str; 8] = [
    "complete",
    "completed",
    "done",
    "finished",
    "shipped",
    "only",
    "is complete",
    "must be complete",
];

pub fn read(text: &str) -> DependsOn {
    if let Some(ids) = plain_ids(text) {
        let named = ids.into_iter().map(Dependency::On).collect();
        return DependsOn { named, not_understood: Vec::new() };
    }
    let outside = markdown::without_parens(text);
    let outside = outside.trim().trim_matches(['[', ']', '*', '`']).trim();
    let mut result = DependsOn::default();
    let (sentence, trailing) = first_sentence(outside);
    if text.matches(['(', '（']).count() > text.matches([')', '）']).count() {
        result.not_understood.push("an open parenthesis: what follows it is not read".to_string());
    }
    let sentence = match after_nothing(sentence) {
        // "Nothing", "None (first phase)", "Independent of Phases 4-6".
        Some("") => "",
        // "None, Phase 3" contradicts itself; "Nothing but Phase 3" means something. Neither is guessed at.
        Some(more) => {
            report(&mut result, more);
            ""
        }
        None => sentence,
    };
    for piece in pieces(sentence) {
        read_piece(piece, &mut result);
    }
    report(&mut result, trailing);
    result
}

/// `Nothing`, `Phase 3` or `Phase 3, Phase 4` and nothing else, as most lines are.
pub fn plain_ids(text: &str) -> Option<Vec<PhaseId>> {
    let mut rest = text.trim_ascii();
    if matches!(rest, "Nothing" | "None") {
        return Some(Vec::new());
    }
    let mut named = Vec::with_capacity(2);
    loop {
        let (id, after) = PhaseId::scan(rest.strip_prefix("Phase ")?)?;
        named.push(id);
        if after.is_empty() {
            return Some(named);
        }
        rest = after.strip_prefix(", ")?;
    }
}

/// What follows a word for nothing; `None` when the sentence does not start with one.
fn after_nothing(sentence: &str) -> Option<&str> {
    if sentence.chars().all(|c| matches!(c, '-' | '—' | '–')) {
        return Some("");
    }
    let end = sentence.find([' ', '\t', ',', ';', '.', '—', '–']).unwrap_or(sentence.len());
    let (first, rest) = sentence.split_at(end);
    let is_nothing = match first.is_ascii() {
        true => NOTHING.iter().any(|word| word.eq_ignore_ascii_case(first)),
        false => NOTHING.contains(&first.to_lowercase().as_str()),
    };
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let names_a_phase = vocabulary::after_phase_or_phases_word(
        rest.trim_start_matches("but ").trim_start_matches("except "),
    )
    .is_some();
    is_nothing.then_some(if names_a_phase { rest } else { "" })
}

/// Up to a full stop that ends a sentence; `2.1` holds none.
fn first_sentence(text: &str) -> (&str, &str) {
    let stop = text.match_indices('.').map(|(at, _)| at).find(|at| {
        let after = &text[at + 1..];
        after.is_empty() || after.starts_with(char::is_whitespace)
    });
    match stop {
        Some(at) => (text[..at].trim(), text[at + 1..].trim()),
        None => (text.trim(), ""),
    }
}

/// Splits at `,` `;` `+` `&` and the word "and".
fn pieces(sentence: &str) -> Vec<&str> {
    sentence
        .split([',', ';', '+', '&', '、', '，'])
        .flat_map(|piece| piece.split(" and "))
        .map(|piece| piece.trim().trim_start_matches("and ").trim())
        .filter(|piece| !piece.is_empty())
        .collect()
}

fn read_piece(piece: &str, result: &mut DependsOn) {
    let starts_with = |words: &&&str| {
        piece.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words))
    };
    if let Some(words) = ALL_PREVIOUS.iter().find(starts_with) {
        result.named.push(Dependency::AllPrevious);
        report(result, piece.get(words.len()..).unwrap_or_default());
        return;
    }
    let bare = piece.trim_start_matches(['*', '`', '[']);
    let (after_word, has_word) = match vocabulary::after_phase_or_phases_word(bare) {
        Some(after) => (after, true),
        None => (bare, false),
    };
    match scan_dependency(after_word) {
        // A bare number is a phase only when nothing follows it: "2 weeks of testing" is none.
        Some((dependency, rest)) if has_word || rest.trim().is_empty() => {
            result.named.push(dependency);
            report(result, rest);
        }
        _ => report(result, piece),
    }
}

fn scan_dependency(text: &str) -> Option<(Dependency, &str)> {
    let (first, rest) = PhaseId::scan(text)?;
    let rest = vocabulary::skip_word_after_number(rest);
    if let Some(after_dash) = after_range_mark(rest)
        && let Some((last, rest)) = PhaseId::scan(after_dash)
        && first <= last
    {
        return Some((Dependency::Range(first, last), rest));
    }
    Some((Dependency::On(first), rest))
}

fn after_range_mark(rest: &str) -> Option<&str> {
    let trimmed = rest.trim_start();
    let marks = ["-", "–", "—", "..", "to ", "through ", "thru ", "bis "];
    let after = marks.iter().find_map(|mark| trimmed.strip_prefix(mark))?.trim_start();
    Some(vocabulary::after_phase_word(after).unwrap_or(after))
}

fn report(result: &mut DependsOn, words: &str) {
    // `Phase 3: Login` names the phase in full, `Phase 3 ✅` that it is done; neither adds a dependency.
    if words.starts_with([':', '：']) || words.trim_start().starts_with(['✅', '✓', '✔', '—', '–'])
    {
        return;
    }
    let words = words.trim().trim_matches(['.', '*', '`', ']']).trim();
    let is_idle = || IDLE_WORDS.iter().any(|idle| idle.eq_ignore_ascii_case(words));
    if !words.is_empty() && !is_idle() {
        result.not_understood.push(words.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let read = read(text);
        let named: Vec<String> = read
            .named
            .iter()
            .map(|dependency| match dependency {
                Dependency::On(id) => id.to_string(),
                Dependency::Range(first, last) => format!("{first}..{last}"),
                Dependency::AllPrevious => "all".to_string(),
            })
            .collect();
        let left: Vec<String> =
            read.not_understood.iter().map(|words| format!(" ?{words}")).collect();
        format!("{}{}", named.join(" "), left.concat())
    }

    #[test]
    fn every_way_to_say_it() {
        let check = |text: &str, expected: &str| assert_eq!(show(text), expected, "{text}");
        check("Phase 3", "3");
        check("Phase 3 (why, also Phase 9)", "3");
        check("Phase 2 (a), Phase 4.1 (b), Phase 5 (c)", "2 4.1 5");
        check("Phase 1 and Phase 2", "1 2");
        check("Phase 1 + 2; 3 & Phase 4", "1 2 3 4");
        check("Phases 30, 31, and 32 (all prior)", "30 31 32");
        check("Phases 1-3", "1..3");
        check("Phases 1–3", "1..3");
        check("Phase 1 through Phase 3", "1..3");
        check("Phases 2.1 to 4, Phase PROJ-7", "2.1..4 PROJ-7");
        check("PROJ-1, PROJ-2", "PROJ-1 PROJ-2");
        check("1, 2", "1 2");
        check("All previous phases", "all");
        check("All prior phases (v2)", "all");
        check("Фаза 3", "3");
        check("阶段 2、阶段 3", "2 3");
        check("Phase 08.", "8");
        check("Phase 3 complete", "3");
    }

    #[test]
    fn every_way_to_say_nothing() {
        for text in [
            "",
            "Nothing",
            "Nothing (first phase)",
            "None",
            "none.",
            "N/A",
            "-",
            "—",
            "Independent of Phases 4-6",
        ] {
            assert_eq!(show(text), "", "{text}");
        }
    }

    #[test]
    fn prose_is_no_dependency_but_is_reported() {
        let check = |text: &str, expected: &str| assert_eq!(show(text), expected, "{text}");
        check("Phase 5. Revisited after Phase 7", "5 ?Revisited after Phase 7");
        check("Phase 5, which needs Phase 2 too", "5 ?which needs Phase 2 too");
        check("Phase 5 for the API of Phase 2", "5 ?for the API of Phase 2");
        check("the auth library", " ?the auth library");
        check("2 weeks of rest", " ?2 weeks of rest");
        check("Phase 7-3", "7 ?-3");
        check("Nothing. Phase 3 helps", " ?Phase 3 helps");
        check("Nothing but Phase 3", " ?but Phase 3");
        check("None, Phase 3", " ?Phase 3");
        check("Phase 3 (open and Phase 4", "3 ?an open parenthesis: what follows it is not read");
        check("Phase 3: Login, Phase 4 — Cart", "3 4");
    }
}
