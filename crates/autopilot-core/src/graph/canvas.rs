//! The character cells of one picture. Lines of one phase join where they meet; lines of two phases never do: the vertical
//! one is drawn and the horizontal one is interrupted.

use super::face::Face;

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// Part of a line in a cell: whose it is and to which sides it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arms {
    phase: usize,
    sides: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cell {
    Line {
        vertical: Option<Arms>,
        horizontal: Option<Arms>,
    },
    /// The top or bottom edge of a box, until a line marks it.
    Border,
    /// Text that begins here and covers the cells to the right that its width needs.
    Text(String),
    Covered,
}

const BLANK: Cell = Cell::Line { vertical: None, horizontal: None };

pub(super) struct Canvas {
    rows: Vec<Vec<Cell>>,
    width: usize,
}

impl Canvas {
    pub(super) fn blank(width: usize, height: usize) -> Canvas {
        Canvas { rows: vec![vec![BLANK; width]; height], width }
    }

    pub(super) fn across(&mut self, phase: usize, row: usize, from: usize, to: usize) {
        for column in from..=to {
            let left = if column > from { LEFT } else { 0 };
            let right = if column < to { RIGHT } else { 0 };
            if let Cell::Line { horizontal, .. } = &mut self.rows[row][column] {
                add_arms(horizontal, phase, left | right);
            }
        }
    }

    /// A line that begins on the border of a box leaves it; one that ends there is an arrow.
    pub(super) fn down(&mut self, phase: usize, column: usize, from: usize, to: usize) {
        for row in from..=to {
            let up = if row > from { UP } else { 0 };
            let down = if row < to { DOWN } else { 0 };
            match &mut self.rows[row][column] {
                Cell::Line { vertical, .. } => add_arms(vertical, phase, up | down),
                Cell::Border if row < to => self.put(row, column, '┬'),
                Cell::Border if row > from => self.put(row, column, '▼'),
                Cell::Border | Cell::Text(_) | Cell::Covered => {}
            }
        }
    }

    /// A box; its corners are round because those of edges are not.
    pub(super) fn frame(&mut self, row: usize, left: usize, face: &Face) {
        let bottom = row + face.lines.len() + 1;
        let right = left + face.width + 1;
        self.rows[row][left + 1..right].fill(Cell::Border);
        self.rows[bottom][left + 1..right].fill(Cell::Border);
        for (column, upper, lower) in [(left, '╭', '╰'), (right, '╮', '╯')] {
            self.put(row, column, upper);
            self.put(bottom, column, lower);
            (row + 1..bottom).for_each(|row| self.put(row, column, '│'));
        }
        for (line, row) in face.lines.iter().zip(row + 1..) {
            self.rows[row][left + 1..right].fill(Cell::Covered);
            self.rows[row][left + 1] = Cell::Text(line.clone());
        }
    }

    fn put(&mut self, row: usize, column: usize, character: char) {
        self.rows[row][column] = Cell::Text(character.to_string());
    }

    /// Cells where lines of two phases cross.
    pub(super) fn crossings(&self) -> usize {
        self.rows.iter().flatten().filter(|cell| is_crossing(cell)).count()
    }

    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The rows as text, each exactly as wide as the canvas.
    pub(super) fn lines(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.iter().map(text).collect()).collect()
    }
}

fn add_arms(arms: &mut Option<Arms>, phase: usize, sides: u8) {
    match arms {
        Some(arms) => arms.sides |= sides,
        None => *arms = Some(Arms { phase, sides }),
    }
}

fn is_crossing(cell: &Cell) -> bool {
    match cell {
        Cell::Line { vertical: Some(vertical), horizontal: Some(horizontal) } => {
            vertical.phase != horizontal.phase
        }
        Cell::Line { .. } | Cell::Border | Cell::Text(_) | Cell::Covered => false,
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Border => "─".to_owned(),
        Cell::Covered => String::new(),
        Cell::Line { vertical, horizontal } => {
            let sides = |arms: &Option<Arms>| arms.map_or(0, |arms| arms.sides);
            let across = if is_crossing(cell) { 0 } else { sides(horizontal) };
            glyph(sides(vertical) | across).to_string()
        }
    }
}

fn glyph(sides: u8) -> char {
    const GLYPHS: [char; 16] =
        [' ', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];
    GLYPHS[usize::from(sides & 15)]
}
