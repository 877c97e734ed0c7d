//! What stands inside a box: the id, a mark when the phase is done, and as much of the name as there is room for.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Node;
use crate::finding::printable;

/// The room a name gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    columns: usize,
    lines: usize,
}

impl Room {
    pub(super) const ID_ONLY: Room = Room { columns: 0, lines: 0 };
}

/// From generous to the id alone. Rows are cheap and columns are not, so a name is wrapped before it is cut.
pub(super) const ROOMS: [Room; 7] = [
    Room { columns: 32, lines: 1 },
    Room { columns: 22, lines: 3 },
    Room { columns: 16, lines: 3 },
    Room { columns: 13, lines: 3 },
    Room { columns: 10, lines: 4 },
    Room { columns: 7, lines: 4 },
    Room::ID_ONLY,
];

/// A broken word reads about as badly as one with so many letters missing.
const BROKEN_WORD: usize = 4;

/// The lines of one box, each filled up to the same width and with a blank at both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Face {
    pub(super) lines: Vec<String>,
    pub(super) width: usize,
    /// Columns of the name that are not shown, and something for each word that is broken.
    pub(super) loss: usize,
}

/// `width_min` is the room that the arrow heads on top of the box need.
pub(super) fn face(node: &Node, room: Room, width_min: usize) -> Face {
    let mark = if node.is_done { " ✓" } else { "" };
    let head = format!("{}{mark}", one_line(&node.label));
    let name = one_line(&node.name);
    let longest = name.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
    // A word is worth half a width more before it is broken; an id is never cut, not even for the ellipsis behind it.
    let columns = room.columns.max(head.width() + 1).max(longest.min(room.columns * 3 / 2));
    let (lines, loss) = if room.lines == 0 {
        (vec![head], name.width())
    } else {
        wrap(head, &name, columns, room.lines)
    };
    let padded: Vec<String> = lines.iter().map(|line| format!(" {line} ")).collect();
    let width = padded.iter().map(|line| line.width()).max().unwrap_or(0).max(width_min);
    let fill = |line: String| format!("{line}{}", " ".repeat(width - line.width()));
    Face { lines: padded.into_iter().map(fill).collect(), width, loss }
}

pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" "))
}

fn wrap(head: String, name: &str, columns: usize, lines_max: usize) -> (Vec<String>, usize) {
    let mut lines = vec![head];
    let mut words = name.split(' ').filter(|word| !word.is_empty());
    let mut loss = 0;
    while let Some(word) = words.next() {
        let mut rest = word;
        while !rest.is_empty() {
            let last = lines.len() - 1;
            let is_full = lines.len() >= lines_max;
            let line = &mut lines[last];
            let used = line.width() + 1;
            if used + rest.width() <= columns {
                line.push(' ');
                line.push_str(rest);
                rest = "";
            } else if !is_full {
                rest = break_line(&mut lines, rest, columns);
                loss += if rest.is_empty() { 0 } else { BROKEN_WORD };
            } else {
                let left: Vec<&str> = std::iter::once(rest).chain(words.by_ref()).collect();
                let left = left.join(" ");
                loss += left.width().saturating_sub(end_with_dots(line, &left, columns));
                rest = "";
            }
        }
    }
    (lines, loss)
}

/// Begins a line with what fits of `rest`; returns what does not. A word longer than a line is broken anywhere.
fn break_line<'a>(lines: &mut Vec<String>, rest: &'a str, columns: usize) -> &'a str {
    // A first letter wider than the line still has to go somewhere.
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let (fits, beyond) = rest.split_at(fitting(rest, columns).max(first));
    lines.push(fits.to_owned());
    beyond
}

/// Puts what fits of `left` and an ellipsis on the line; returns how many columns of it are shown.
fn end_with_dots(line: &mut String, left: &str, columns: usize) -> usize {
    let room = columns.saturating_sub(line.width() + 2);
    let shown = left[..fitting(left, room)].trim_end();
    if !shown.is_empty() {
        line.push(' ');
        line.push_str(shown);
    }
    while line.width() + 1 > columns && line.pop().is_some() {}
    line.push('…');
    shown.width()
}

/// Bytes of the longest beginning that takes at most so many columns.
fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return at;
        }
    }
    text.len()
}
