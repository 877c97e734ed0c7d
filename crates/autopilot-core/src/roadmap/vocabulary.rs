//! The words a roadmap is recognised by, in the languages projects are planned in. Lower case; matched without regard to case.

use crate::markdown::trim;
use crate::word_table::WordTable;

/// What a phase is called, before or after its number.
const PHASE_WORDS: [&str; 12] = [
    "phase",
    "fase",
    "faza",
    "фаза",
    "этап",
    "etapa",
    "étape",
    "aşama",
    "阶段",
    "階段",
    "フェーズ",
    "단계",
];
const PHASES_WORDS: [&str; 6] = ["phases", "fases", "phasen", "fazy", "фазы", "этапы"];

/// A field of a phase's details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Goal,
    Description,
    DependsOn,
    Requirements,
    SuccessCriteria,
    Plans,
    Mode,
    UiHint,
    Status,
}

static LABELS: WordTable<Label> = WordTable::new(&[
    (
        Label::Goal,
        &["goal", "objective", "ziel", "objectif", "objetivo", "obiettivo", "цель", "目标", "目標"],
    ),
    (
        Label::Description,
        &["description", "beschreibung", "descripción", "описание", "描述", "説明"],
    ),
    (
        Label::DependsOn,
        &[
            "depends on",
            "dependencies",
            "dependency",
            "depends",
            "blocked by",
            "prerequisites",
            "prerequisite",
            "hängt ab von",
            "abhängig von",
            "dépend de",
            "depende de",
            "dipende da",
            "зависит от",
            "依赖",
            "依賴",
            "依存",
        ],
    ),
    (
        Label::Requirements,
        &[
            "requirements",
            "requirement",
            "anforderungen",
            "exigences",
            "requisitos",
            "требования",
            "需求",
            "要件",
        ],
    ),
    (
        Label::SuccessCriteria,
        &[
            "success criteria",
            "acceptance criteria",
            "erfolgskriterien",
            "critères de succès",
            "criterios de éxito",
            "критерии успеха",
            "成功标准",
            "成功基準",
        ],
    ),
    (Label::Plans, &["plans", "pläne", "planes", "планы", "计划"]),
    (Label::Mode, &["mode", "modus", "modo", "режим", "模式"]),
    (Label::UiHint, &["ui hint", "ui"]),
    (Label::Status, &["status", "estado", "statut", "статус", "状态", "状態"]),
]);

impl Label {
    pub fn of(text: &str) -> Option<Label> {
        LABELS.find(text).or_else(|| Label::of_respaced(text))
    }

    /// A line as the usual template writes it, with what follows the label. Nearly every section uses these and no other, so
    /// they are known as a whole; `of` and `markdown::label` would say the same.
    pub fn of_template(line: &str) -> Option<(Label, &str)> {
        let (label, start) = match line.as_bytes().get(..3)? {
            b"**G" => (Label::Goal, "**Goal**:"),
            b"**D" => (Label::DependsOn, "**Depends on**:"),
            b"**R" => (Label::Requirements, "**Requirements**:"),
            b"**S" => (Label::SuccessCriteria, "**Success Criteria** (what must be TRUE):"),
            b"**P" => (Label::Plans, "**Plans**:"),
            b"Pla" => (Label::Plans, "Plans:"),
            _ => return None,
        };
        Some((label, trim(line.strip_prefix(start)?)))
    }

    /// `Depends-on`, `depends_on`, and two blanks or a hard one between the words.
    fn of_respaced(text: &str) -> Option<Label> {
        let is_blank = |c: char| c.is_whitespace() || matches!(c, '_' | '-');
        let respaced =
            text.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if respaced == text { None } else { Label::of(&respaced) }
    }
}

/// A look at the first two letters, before any word is compared.
fn may_start_with_phase_word(text: &str) -> bool {
    let Some((start, _)) = text.as_bytes().split_first_chunk::<2>() else { return false };
    match start.map(|byte| byte.to_ascii_lowercase()) {
        [b'p', b'h'] | [b'f', b'a'] | [b'e', b't'] => true,
        [b'a', second] => !second.is_ascii(),
        [first, _] => !first.is_ascii(),
    }
}

/// What follows the word for a phase at the start of `text`: `Phase 3: x` gives `3: x`. Chinese and Japanese need no space.
pub fn after_phase_word(text: &str) -> Option<&str> {
    if !may_start_with_phase_word(text) {
        return None;
    }
    // By far the most common word first.
    if let Some((b"Phase ", _)) = text.as_bytes().split_first_chunk::<6>() {
        return Some(text[6..].trim_start());
    }
    if let Some(ordinal) = text.strip_prefix('第') {
        return Some(ordinal.trim_start());
    }
    PHASE_WORDS.iter().find_map(|word| after_word(text, word))
}

/// The same for one or several: `Phases 1-3` gives `1-3`.
pub fn after_phase_or_phases_word(text: &str) -> Option<&str> {
    PHASES_WORDS.iter().find_map(|word| after_word(text, word)).or_else(|| after_phase_word(text))
}

/// `第3阶段：x`: the word after the number.
pub fn skip_word_after_number(text: &str) -> &str {
    let trimmed = text.trim_start();
    let counted =
        ["阶段", "階段", "フェーズ", "단계"].iter().find_map(|word| trimmed.strip_prefix(word));
    counted.unwrap_or(text)
}

fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (first, starts) = (*text.as_bytes().first()?, *word.as_bytes().first()?);
    if first.is_ascii() && first.to_ascii_lowercase() != starts {
        return None;
    }
    let mut rest = text.chars();
    for expected in word.chars() {
        let found = rest.next()?;
        if found != expected && !found.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    let after = rest.as_str();
    let needs_space = word.is_ascii() || word.chars().all(|c| c.is_alphabetic() && c < '\u{2E80}');
    if needs_space && !after.starts_with(|c: char| c.is_whitespace()) {
        return None;
    }
    Some(after.trim_start())
}

/// What a Status word in a Progress table, a Status field or a remark means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusWord {
    Complete,
    InProgress,
    NotStarted,
    Skipped,
}

/// The first word of a status; some mean nothing without the second.
#[derive(Clone, Copy)]
enum StatusStart {
    Says(StatusWord),
    In,
    Not,
}

static STATUS_STARTS: WordTable<StatusStart> = WordTable::new(&[
    (
        StatusStart::Says(StatusWord::Complete),
        &[
            "complete",
            "completed",
            "done",
            "shipped",
            "finished",
            "abgeschlossen",
            "fertig",
            "terminé",
            "completado",
            "completada",
            "завершено",
            "готово",
            "完成",
            "已完成",
        ],
    ),
    (
        StatusStart::Says(StatusWord::Skipped),
        &["skipped", "superseded", "cancelled", "canceled", "dropped", "removed", "obsolete"],
    ),
    (StatusStart::Says(StatusWord::InProgress), &["started", "wip", "executing"]),
    (
        StatusStart::Says(StatusWord::NotStarted),
        &["pending", "todo", "planned", "deferred", "blocked", "tbd", "offen"],
    ),
    (StatusStart::In, &["in"]),
    (StatusStart::Not, &["not"]),
]);

pub fn status_word(text: &str) -> Option<StatusWord> {
    let words = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = words.find(|c: char| !c.is_alphanumeric()).unwrap_or(words.len());
    let goes_on = |second: &str| {
        let rest = words[end..].trim_start();
        rest.get(..second.len()).is_some_and(|word| word.eq_ignore_ascii_case(second))
    };
    match STATUS_STARTS.find(&words[..end])? {
        StatusStart::Says(word) => Some(word),
        StatusStart::In => {
            (goes_on("progress") || goes_on("arbeit")).then_some(StatusWord::InProgress)
        }
        StatusStart::Not => goes_on("started").then_some(StatusWord::NotStarted),
    }
}
