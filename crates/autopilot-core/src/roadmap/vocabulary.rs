//! The words a roadmap is recognised by, in the languages projects are planned in. Lower case; matched without regard to case.

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

const LABELS: [(Label, &[&str]); 9] = [
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
];

impl Label {
    pub fn of(text: &str) -> Option<Label> {
        let find = |is_same: &dyn Fn(&str) -> bool| {
            let known = LABELS.iter().find(|(_, words)| words.iter().any(|word| is_same(word)));
            known.map(|(label, _)| *label)
        };
        let found = match text.is_ascii() {
            true => find(&|word| word.len() == text.len() && word.eq_ignore_ascii_case(text)),
            false => {
                let lower = text.to_lowercase();
                find(&|word| *word == lower)
            }
        };
        found.or_else(|| Label::of_respaced(text))
    }

    /// `Depends-on`, `depends_on`, and two blanks or a hard one between the words.
    fn of_respaced(text: &str) -> Option<Label> {
        let is_blank = |c: char| c.is_whitespace() || matches!(c, '_' | '-');
        let respaced =
            text.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if respaced == text { None } else { Label::of(&respaced) }
    }
}

/// A look at the first letter, before any word is compared.
fn may_start_with_phase_word(text: &str) -> bool {
    let first = text.as_bytes().first().map(u8::to_ascii_lowercase);
    first.is_some_and(|first| !first.is_ascii() || matches!(first, b'p' | b'f' | b'e' | b'a'))
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

pub fn status_word(text: &str) -> Option<StatusWord> {
    let words = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = words.find(|c: char| !c.is_alphanumeric()).unwrap_or(words.len());
    let first = &words[..end];
    let lower;
    let first = match first.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => first,
        // The longest status has a dozen letters; a longer word is something else.
        false if first.len() <= STATUS_BYTES_MAX => {
            lower = first.to_lowercase();
            lower.as_str()
        }
        false => return None,
    };
    let goes_on = |second: &str| {
        let rest = words[end..].trim_start();
        rest.get(..second.len()).is_some_and(|word| word.eq_ignore_ascii_case(second))
    };
    match first {
        "complete" | "completed" | "done" | "shipped" | "finished" | "abgeschlossen" | "fertig"
        | "terminé" | "completado" | "completada" | "завершено" | "готово" | "完成" | "已完成" => {
            Some(StatusWord::Complete)
        }
        "skipped" | "superseded" | "cancelled" | "canceled" | "dropped" | "removed"
        | "obsolete" => Some(StatusWord::Skipped),
        "started" | "wip" | "executing" => Some(StatusWord::InProgress),
        "in" if goes_on("progress") || goes_on("arbeit") => Some(StatusWord::InProgress),
        "not" if goes_on("started") => Some(StatusWord::NotStarted),
        "pending" | "todo" | "planned" | "deferred" | "blocked" | "tbd" | "offen" => {
            Some(StatusWord::NotStarted)
        }
        _ => None,
    }
}

const STATUS_BYTES_MAX: usize = 32;
