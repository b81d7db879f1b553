//! Tables with aligned columns and one rule below the header.

use super::colour::{Colour, Style};
use super::visible::visible;
use unicode_width::UnicodeWidthStr;

/// Two blanks keep columns apart also where one is full.
const GAP: &str = "  ";

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One text of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    text: String,
    style: Option<Style>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
enum Row {
    Cells(Vec<Cell>),
    Heading(String),
    Note(Option<Style>, String),
}

impl Cell {
    /// Makes a text that means something by its colour.
    pub fn styled(style: Style, text: impl Into<String>) -> Self {
        Self { style: Some(style), ..Self::from(text.into()) }
    }

    /// Cuts the text to a width and marks that with an ellipsis.
    #[must_use]
    pub fn cut(mut self, width: usize) -> Self {
        if self.text.width() > width {
            while self.text.width() >= width.max(1) {
                self.text.pop();
            }
            self.text.push('…');
        }
        self
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        // A line break or a tab would break the rows.
        let text = text.into().chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect::<String>();
        Self { text: visible(&text), style: None }
    }
}

impl Table {
    /// Makes an empty table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty.
    ///
    /// # Panics
    /// When the row has more cells than the table has columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let cells: Vec<_> = cells.into_iter().collect();
        assert!(
            cells.len() <= self.columns.len(),
            "a row has {} cells, the table fewer columns",
            cells.len()
        );
        self.rows.push(Row::Cells(cells));
    }

    /// Adds a heading over the rows that follow.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.rows.push(Row::Heading(Cell::from(text).text));
    }

    /// Adds an indented line below the last row; it may be wider than the table.
    pub fn note(&mut self, style: Option<Style>, text: &str) {
        self.rows.push(Row::Note(style, Cell::from(text).text));
    }

    /// Makes the text, each line with its newline.
    pub fn render(&self, colour: Colour) -> String {
        let widths = self.widths();
        let mut text = String::new();
        let header: Vec<_> =
            self.columns.iter().map(|(name, _)| Cell::styled(Style::Strong, name.as_str())).collect();
        self.push_cells(&mut text, &header, &widths, colour);
        let rule = widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1);
        text.push_str(&colour.paint(Style::Faint, &"─".repeat(rule)));
        text.push('\n');
        for (at, row) in self.rows.iter().enumerate() {
            match row {
                Row::Cells(cells) => self.push_cells(&mut text, cells, &widths, colour),
                Row::Heading(heading) => {
                    if at > 0 {
                        text.push('\n');
                    }
                    text.push_str(&colour.paint(Style::Strong, heading));
                    text.push('\n');
                }
                Row::Note(style, note) => {
                    text.push_str("    ");
                    text.push_str(&style.map_or_else(|| note.clone(), |style| colour.paint(style, note)));
                    text.push('\n');
                }
            }
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<_> = self.columns.iter().map(|(name, _)| name.width()).collect();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.text.width());
            }
        }
        widths
    }

    fn push_cells(&self, text: &mut String, cells: &[Cell], widths: &[usize], colour: Colour) {
        let mut line = String::new();
        for (at, ((cell, width), (_, align))) in cells.iter().zip(widths).zip(&self.columns).enumerate() {
            if at > 0 {
                line.push_str(GAP);
            }
            let padding = " ".repeat(width.saturating_sub(cell.text.width()));
            let painted = match cell.style {
                Some(style) => colour.paint(style, &cell.text),
                None => cell.text.clone(),
            };
            match align {
                Align::Left => line.extend([painted, padding]),
                Align::Right => line.extend([padding, painted]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_what_the_terminal_shows() {
        let mut table = Table::new(&[("name", Align::Left), ("time", Align::Right), ("", Align::Left)]);
        table.heading("Fast");
        table.row(["加法".into(), "1.5 ms".into(), "x".into()]);
        table.note(None, "fix: nothing, this line may be as long as it likes");
        table.heading("Slow");
        table.row(["naïve".into(), Cell::styled(Style::Bad, "12.5 ms")]);
        let lines: Vec<_> = table.render(Colour::Off).lines().map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "name      time",
                "─────────────────",
                "Fast",
                "加法    1.5 ms  x",
                "    fix: nothing, this line may be as long as it likes",
                "",
                "Slow",
                "naïve  12.5 ms",
            ]
        );
    }

    #[test]
    fn colours_take_no_room() {
        let mut table = Table::new(&[("a", Align::Left), ("b", Align::Left)]);
        table.row([Cell::styled(Style::Good, "AC"), "1".into()]);
        table.row(["WTL".into(), "2".into()]);
        assert!(table.render(Colour::On).contains("\x1b[32mAC\x1b[0m   1\n"), "{}", table.render(Colour::On));
    }

    #[test]
    fn texts_are_cut_and_cannot_steer_the_terminal() {
        assert_eq!(Cell::from("abcdef").cut(4), "abc…".into());
        assert_eq!(Cell::from("abcd").cut(4), "abcd".into());
        assert_eq!(Cell::from("加法加法").cut(4), "加…".into());
        assert_eq!(Cell::from("a\x1b[2J\nb").text, "a·[2J b");
    }
}
