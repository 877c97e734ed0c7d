//! Tables that fit the screen: every column as wide as it needs, one of them giving way when the screen is narrow.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::output::{BOLD, styled};
use crate::wrap::cut;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) align: Align,
    /// The least it may shrink to; `None` for a column that never gives way.
    pub(crate) least: Option<usize>,
    /// The screen width from which the column is shown.
    pub(crate) from: usize,
}

pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl Cell {
    pub(crate) fn plain(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), style: Style::new() }
    }

    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), style }
    }
}

const GAP: usize = 2;

/// The lines of the table, none wider than `width` unless the columns that cannot shrink are.
pub(crate) fn render(columns: &[Column], rows: Vec<Vec<Cell>>, width: usize) -> Vec<String> {
    let is_shown = |index: &usize| columns[*index].from <= width;
    let columns: Vec<&Column> =
        (0..columns.len()).filter(is_shown).map(|index| &columns[index]).collect();
    let shown = |row: Vec<Cell>| {
        row.into_iter()
            .enumerate()
            .filter(|(index, _)| is_shown(index))
            .map(|(_, cell)| cell)
            .collect()
    };
    let rows: Vec<Vec<Cell>> = rows.into_iter().map(shown).collect();
    let widths = fit(&columns, &rows, width);
    let header: Vec<Cell> = columns.iter().map(|column| Cell::styled(BOLD, column.title)).collect();
    let mut lines = vec![line(&columns, &widths, &header)];
    lines.extend(rows.iter().map(|row| line(&columns, &widths, row)));
    lines
}

fn fit(columns: &[&Column], rows: &[Vec<Cell>], width: usize) -> Vec<usize> {
    let natural = |(index, column): (usize, &&Column)| {
        let cells = rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.text.width());
        cells.chain([column.title.width()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = columns.iter().enumerate().map(natural).collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
    // The widest column that may shrink gives way first, a column at a time.
    while excess > 0 {
        let shrinkable = columns.iter().enumerate().filter_map(|(index, column)| {
            column
                .least
                .filter(|least| widths[index] > *least)
                .map(|_| (widths[index], std::cmp::Reverse(index)))
        });
        let Some((_, std::cmp::Reverse(index))) = shrinkable.max() else { break };
        widths[index] -= 1;
        excess -= 1;
    }
    widths
}

fn line(columns: &[&Column], widths: &[usize], cells: &[Cell]) -> String {
    let mut parts = Vec::with_capacity(cells.len());
    for ((column, width), cell) in columns.iter().zip(widths).zip(cells) {
        let text = cut(&cell.text, *width);
        let padding = " ".repeat(width.saturating_sub(text.width()));
        let text = if text.is_empty() { text } else { styled(cell.style, text) };
        parts.push(match column.align {
            Align::Left => format!("{text}{padding}"),
            Align::Right => format!("{padding}{text}"),
        });
    }
    parts.join(&" ".repeat(GAP)).trim_end().to_string()
}
