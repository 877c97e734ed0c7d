//! The Progress table: which phases its rows are about and what their Status says. Makes no phases of its own.

use crate::markdown::{self, Line};
use crate::phase_id::PhaseId;
use crate::roadmap::vocabulary::{self, StatusWord};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub first: PhaseId,
    /// The same as `first` unless the row is about a range such as `18-21. Validation`.
    pub last: PhaseId,
    pub status: StatusWord,
    pub line: u32,
}

/// The columns of the table being read, known from its header.
#[derive(Debug, Clone, Copy, Default)]
pub struct Table {
    status_column: Option<usize>,
}

impl Table {
    /// A header whose first cell is the word for a phase opens a table of phases.
    pub fn open(line: &str) -> Option<Table> {
        let mut cells = markdown::cells(line)?.enumerate();
        let first = cells.next()?.1.trim_matches('*').to_lowercase();
        vocabulary::after_phase_or_phases_word(&format!("{first} "))?;
        let is_status = |cell: &str| {
            vocabulary::Label::of(cell.trim_matches('*')) == Some(vocabulary::Label::Status)
        };
        let status = cells.find(|(_, cell)| is_status(cell));
        Some(Table { status_column: status.map(|(column, _)| column) })
    }

    pub fn has_status(self) -> bool {
        self.status_column.is_some()
    }

    pub fn row(self, line: Line<'_>) -> Option<Row> {
        let cells = markdown::cells(line.text)?;
        let (first, last) = ids(cells.clone().next()?)?;
        let at_column = self.status_column.and_then(|column| cells.clone().nth(column));
        let status = at_column.and_then(vocabulary::status_word).or_else(|| {
            // Tools sometimes shift a row by a cell; a status word elsewhere is still the status.
            cells.skip(1).find_map(vocabulary::status_word)
        })?;
        Some(Row { first, last, status, line: line.number })
    }
}

/// `1. Login`, `2.1`, `Phase 3`, `18-21. Validation`, `1–13`.
fn ids(cell: &str) -> Option<(PhaseId, PhaseId)> {
    let bare = cell.trim_start_matches(['*', '~', '[', '`', ' ']);
    // Nearly every row starts with its number.
    let is_number = bare.starts_with(|c: char| c.is_ascii_digit());
    let word = if is_number { None } else { vocabulary::after_phase_or_phases_word(bare) };
    let (first, rest) = PhaseId::scan(word.unwrap_or(bare))?;
    if let Some(after_dash) = rest.strip_prefix(['-', '–'])
        && let Some((last, _)) = PhaseId::scan(after_dash)
        && first <= last
    {
        return Some((first, last));
    }
    let is_separated =
        rest.is_empty() || rest.starts_with(['.', ':', ' ', '*', '~', ']', ')', '—']);
    is_separated.then(|| (first.clone(), first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Option<(String, String, StatusWord)> {
        let table =
            Table::open("| Phase | Milestone | Plans Complete | Status | Completed |").unwrap();
        let row = table.row(Line::of(1, text))?;
        Some((row.first.to_string(), row.last.to_string(), row.status))
    }

    #[test]
    fn rows_of_real_tables() {
        let check = |text: &str, first: &str, last: &str, status: StatusWord| {
            assert_eq!(row(text), Some((first.to_string(), last.to_string(), status)), "{text}");
        };
        check("| 1. Login | v1 | 1/1 | Complete | 2026-01-01 |", "1", "1", StatusWord::Complete);
        check("| 2.1. Wire | v1 | 0/1 | In progress | - |", "2.1", "2.1", StatusWord::InProgress);
        check("| 18-21. All | v1 | 7/7 | Complete | x |", "18", "21", StatusWord::Complete);
        check("| 1–13 | v1 | 7/7 | ✅ Complete | x |", "1", "13", StatusWord::Complete);
        check("| Phase 3 | v1 | - | Superseded | - |", "3", "3", StatusWord::Skipped);
        check("| 32. Push | v2 | Complete    | 2026-03-13 | x |", "32", "32", StatusWord::Complete);
        check("| 4. Name | v1 | 0/? | Not started | - |", "4", "4", StatusWord::NotStarted);
    }

    #[test]
    fn what_is_no_row_of_phases() {
        assert_eq!(row("| v1.12 Reflect | 0-6 | 25 | Complete | x |"), None);
        assert_eq!(row("|-------|---|---|---|---|"), None);
        assert_eq!(row("plain text"), None);
        assert!(Table::open("| Milestone | Phases | Plans | Status |").is_none());
        assert!(Table::open("| Phase | Status | Version |").is_some());
    }
}
