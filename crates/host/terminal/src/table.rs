//! Tables with aligned columns and one rule below the header, as wide as standard output.

use super::colour::{Colour, Style};
use super::prose::{columns, glued, unbroken, unglued, width, wrap};
use super::report::escaped;
use super::visible::visible;
use comfy_table::{CellAlignment, ColumnConstraint, ContentLineStyle, LineStyle, TableStyle, Width};
use plot::Page;

/// Two blanks separate columns even if one is full.
const GAP: &str = "  ";
/// How far notes and the lines of a block are indented.
const INDENT: &str = "    ";
/// A separator of columns while they are arranged; no text contains it, since it is a control character.
const BETWEEN_COLUMNS: char = '\u{1f}';
/// The separator of rows.
const BETWEEN_ROWS: char = '\u{1e}';
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(BETWEEN_COLUMNS))
    .content_lines(ContentLineStyle::none().junction(BETWEEN_COLUMNS))
    .header_separator(LineStyle::none().fill(BETWEEN_ROWS))
    .row_separator(LineStyle::none().fill(BETWEEN_ROWS));

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words, which may be broken between lines if there is no room.
    Left,
    /// Numbers, which may not.
    Right,
}

/// One text of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    text: String,
    style: Option<Style>,
}

#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
enum Row {
    Cells(Vec<Cell>),
    Heading(String),
    Note(Cell),
}

impl Cell {
    /// Makes a text with a meaning, shown as its colour.
    pub fn styled(style: Style, text: impl Into<String>) -> Self {
        Self { style: Some(style), ..Self::from(text.into()) }
    }

    /// Makes a text that is never broken, such as a command.
    pub fn unbroken(text: &str) -> Self {
        Self { text: unbroken(&Self::from(text).text), style: None }
    }

    /// Cuts the text to a width and marks that with an ellipsis.
    #[must_use]
    pub fn cut(mut self, columns: usize) -> Self {
        if width(&self.text) > columns {
            while width(&self.text) >= columns.max(1) {
                self.text.pop();
            }
            self.text.push('…');
        }
        self
    }

    /// Returns the text in its colour, for [`wrap`].
    pub(crate) fn in_colour(&self, colour: Colour) -> String {
        self.painted(colour, &self.text)
    }

    pub(crate) fn plain(&self) -> String {
        unglued(&self.text)
    }

    fn painted(&self, colour: Colour, text: &str) -> String {
        self.style.map_or_else(|| text.to_owned(), |style| colour.paint(style, text))
    }

    /// Breaks it into lines as [`wrap`] does, each with its colour.
    fn wrapped(&self, lead: &str, hang: usize, columns: usize, colour: Colour) -> String {
        let room = width(lead);
        let mut lines = String::from(lead);
        for (at, line) in wrap(&" ".repeat(room), hang, self.text.trim(), columns).lines().enumerate() {
            let indent = if at == 0 { room } else { hang };
            lines.push_str(if at == 0 { "" } else { &line[..indent] });
            lines.push_str(&self.painted(colour, line.get(indent..).unwrap_or_default()));
            lines.push('\n');
        }
        lines
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        // Line breaks and tabs would break the rows.
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

    /// Makes a table: the first column is words, the others are numbers.
    pub fn of<R: IntoIterator<Item: Into<Cell>>>(
        header: &[impl AsRef<str>],
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        Self::with_words(header, &[], rows)
    }

    /// Makes a table: the first column and those in `words` (from 0) are words, the others are numbers.
    pub fn with_words<R: IntoIterator<Item: Into<Cell>>>(
        header: &[impl AsRef<str>],
        words: &[usize],
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let align = |at| if at == 0 || words.contains(&at) { Align::Left } else { Align::Right };
        let columns: Vec<_> =
            header.iter().enumerate().map(|(at, name)| (name.as_ref(), align(at))).collect();
        Self::from_rows(&columns, rows)
    }

    /// Makes a table with these rows.
    pub fn from_rows<R: IntoIterator<Item: Into<Cell>>>(
        columns: &[(&str, Align)],
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut table = Self::new(columns);
        for row in rows {
            table.row(row.into_iter().map(Into::into));
        }
        table
    }

    /// Adds a row; missing cells are empty.
    ///
    /// # Panics
    /// When the row has more cells than the table has columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<_> = cells.into_iter().collect();
        assert!(
            cells.len() <= self.columns.len(),
            "a row has {} cells, the table fewer columns",
            cells.len()
        );
        for (cell, (_, align)) in cells.iter_mut().zip(&self.columns) {
            cell.text = if *align == Align::Right { unbroken(&cell.text) } else { glued(&cell.text) };
        }
        self.rows.push(Row::Cells(cells));
    }

    /// Adds a heading over the rows that follow.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.rows.push(Row::Heading(Cell::from(text).text));
    }

    /// Adds an indented sentence below the last row.
    pub fn note(&mut self, style: Option<Style>, text: &str) {
        self.rows.push(Row::Note(Cell { style, ..Cell::from(text) }));
    }

    /// Adds an indented command below the last row, which is never broken.
    pub fn command(&mut self, name: &str, command: &str) {
        self.rows.push(Row::Note(Cell::unbroken(&format!("{name}: {command}"))));
    }

    /// Returns the table's width if nothing is broken.
    pub fn width(&self) -> usize {
        self.least_width(width)
    }

    /// Returns the text for standard output, each line with its newline.
    pub fn render(&self, colour: Colour) -> String {
        self.render_within(columns(), colour)
    }

    /// Returns the text in this many columns. Texts are broken between words if there is no room for them; if there is
    /// not even room for single words, each row gets lines of its own.
    pub fn render_within(&self, columns: usize, colour: Colour) -> String {
        if self.least_width(longest_word) > columns {
            self.blocks(columns, colour)
        } else {
            self.aligned(columns, colour)
        }
    }

    pub(crate) fn add_to(&self, page: &mut Page) {
        let header: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let words: Vec<usize> = (0..header.len()).filter(|at| self.columns[*at].1 == Align::Left).collect();
        page.table_with_words(&header, &words, &self.texts().collect::<Vec<_>>());
    }

    /// Writes the table as GitHub's Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = self.columns.iter().map(|(name, _)| escaped(name)).collect();
        let rule = |(_, align): &(String, Align)| match align {
            Align::Left => ":---".to_owned(),
            Align::Right => "---:".to_owned(),
        };
        let rows = self.texts().map(|mut cells| {
            cells.resize(self.columns.len(), String::new());
            line(cells.iter().map(|cell| escaped(cell)).collect())
        });
        line(header) + &line(self.columns.iter().map(rule).collect()) + &rows.collect::<String>()
    }

    /// Returns the texts of each row; a heading or a note is a row of one cell.
    fn texts(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().map(|row| match row {
            Row::Cells(cells) => cells.iter().map(|cell| unglued(&cell.text)).collect(),
            Row::Heading(text) => vec![unglued(text)],
            Row::Note(note) => vec![unglued(&note.text)],
        })
    }

    /// Returns the width of all columns if each is as wide as the maximum of `measure` over its texts.
    fn least_width(&self, measure: fn(&str) -> usize) -> usize {
        let widths: usize = (0..self.columns.len()).map(|at| self.column_width(at, measure)).sum();
        widths + GAP.len() * self.columns.len().saturating_sub(1)
    }

    fn column_width(&self, at: usize, measure: fn(&str) -> usize) -> usize {
        let cells = self.cells().filter_map(|cells| cells.get(at)).map(|cell| measure(&cell.text));
        // The library has no narrower column.
        cells.fold(measure(&self.columns[at].0), usize::max).max(1)
    }

    fn cells(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.rows.iter().filter_map(|row| if let Row::Cells(cells) = row { Some(cells) } else { None })
    }

    fn aligned(&self, columns: usize, colour: Colour) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE).set_header(self.columns.iter().map(|(name, _)| name));
        for cells in self.cells() {
            table.add_row(cells.iter().map(|cell| &cell.text));
        }
        let widths = self.widths_within(columns);
        for ((column, width), (_, align)) in table.column_iter_mut().zip(widths).zip(&self.columns) {
            let width = u16::try_from(width).unwrap_or(u16::MAX);
            column.set_padding((0, 0)).set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
        let lines: Vec<String> = table.lines().collect();
        let mut rows = lines.split(|line| line.starts_with(BETWEEN_ROWS));
        let header: Vec<_> =
            self.columns.iter().map(|(name, _)| Cell::styled(Style::Strong, name.as_str())).collect();
        let header_lines = rows.next().unwrap_or_default();
        let mut text = painted(header_lines, &header, colour);
        let rule = header_lines.first().map_or(0, |line| width(&line.replace(BETWEEN_COLUMNS, GAP)));
        text.push_str(&colour.paint(Style::Faint, &"─".repeat(rule)));
        text.push('\n');
        self.push_rows(&mut text, columns, colour, |cells| {
            painted(rows.next().unwrap_or_default(), cells, colour)
        });
        text
    }

    /// Returns the width of each column: the narrowest get their full width first, and none is narrower than its
    /// longest word.
    fn widths_within(&self, columns: usize) -> Vec<usize> {
        let measured = |measure: fn(&str) -> usize| {
            (0..self.columns.len()).map(|at| self.column_width(at, measure)).collect()
        };
        let (mut widths, wanted): (Vec<usize>, Vec<usize>) = (measured(longest_word), measured(width));
        for _ in self.least_width(longest_word)..columns {
            let growing = widths.iter_mut().zip(&wanted).filter(|(width, wanted)| **width < **wanted);
            let Some((narrowest, _)) = growing.min_by_key(|(width, _)| **width) else { break };
            *narrowest += 1;
        }
        widths
    }

    /// Makes separate lines for each row: the first cell with its name, then the others with theirs.
    fn blocks(&self, columns: usize, colour: Colour) -> String {
        let title = self.columns.iter().position(|(name, _)| !name.is_empty()).unwrap_or(0);
        let names = self.columns.iter().skip(title + 1).map(|(name, _)| width(name));
        let hang = INDENT.len() + names.max().unwrap_or(0) + GAP.len();
        let mut text = String::new();
        self.push_rows(&mut text, columns, colour, |cells| {
            let titles = cells.iter().take(title + 1).filter(|cell| !cell.text.trim().is_empty());
            let titles: Vec<_> =
                titles.map(|cell| cell.painted(colour, &unglued(cell.text.trim()))).collect();
            // A number by itself would say nothing.
            let number = cells.get(title).filter(|cell| cell.text.trim().parse::<u64>().is_ok());
            let name = number.map_or_else(String::new, |_| format!("{} ", self.columns[title].0));
            let mut block = name + &titles.join(GAP) + "\n";
            for ((name, _), cell) in self.columns.iter().zip(cells).skip(title + 1) {
                let lead = format!("{INDENT}{name}{}", " ".repeat(hang - INDENT.len() - width(name)));
                if !cell.text.trim().is_empty() {
                    block.push_str(&cell.wrapped(&lead, hang, columns, colour));
                }
            }
            block
        });
        text
    }

    fn push_rows(
        &self,
        text: &mut String,
        columns: usize,
        colour: Colour,
        mut lines: impl FnMut(&[Cell]) -> String,
    ) {
        for (at, row) in self.rows.iter().enumerate() {
            match row {
                Row::Cells(cells) => text.push_str(&lines(cells)),
                Row::Heading(heading) => {
                    text.push_str(if at > 0 { "\n" } else { "" });
                    text.push_str(&colour.paint(Style::Strong, heading));
                    text.push('\n');
                }
                Row::Note(note) => {
                    text.push_str(&note.wrapped(INDENT, INDENT.len() + GAP.len(), columns, colour));
                }
            }
        }
    }
}

fn longest_word(text: &str) -> usize {
    text.split(' ').map(width).max().unwrap_or(0)
}

/// Returns the arranged lines of a row with their colours.
fn painted(lines: &[String], cells: &[Cell], colour: Colour) -> String {
    let mut text = String::new();
    for line in lines {
        let parts = line.split(BETWEEN_COLUMNS).enumerate().map(|(at, part)| {
            let words = part.trim();
            match cells.get(at).filter(|_| !words.is_empty()) {
                Some(cell) => part.replacen(words, &cell.painted(colour, words), 1),
                None => part.to_owned(),
            }
        });
        text.push_str(unglued(&parts.collect::<Vec<_>>().join(GAP)).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_what_the_terminal_shows() {
        let mut table = Table::new(&[("name", Align::Left), ("time", Align::Right), ("", Align::Left)]);
        table.heading("Fast");
        table.row(["加法".into(), "1.5 ms".into(), "x".into()]);
        table.note(None, "why: it is so");
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
                "    why: it is so",
                "",
                "Slow",
                "naïve  12.5 ms",
            ]
        );
    }

    fn wide() -> Table {
        let columns = [("name", Align::Left), ("total time", Align::Right), ("what was found", Align::Left)];
        let mut table = Table::new(&columns);
        let found = "the limit of /sys/fs/cgroup/tauto/slot-1/memory.max is 64 MiB, and 'tauto machine check' says why it is so, at length";
        table.row(["first".into(), "12.5 ms".into(), Cell::styled(Style::Bad, found)]);
        table.note(None, &found.replace("limit", "note"));
        table.command("fix", &format!("echo {} > /sys/x", "0 ".repeat(31).trim()));
        table
    }

    #[test]
    fn words_wrap_at_blanks_and_numbers_do_not() {
        insta::assert_snapshot!(wide().render_within(80, Colour::Off), @"
        name   total time  what was found
        ────────────────────────────────────────────────────────────────────────────────
        first     12.5 ms  the limit of /sys/fs/cgroup/tauto/slot-1/memory.max is
                           64 MiB, and 'tauto machine check' says why it is so, at
                           length
            the note of /sys/fs/cgroup/tauto/slot-1/memory.max is 64 MiB, and
              'tauto machine check' says why it is so, at length
            fix: echo 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 > /sys/x
        ");
        insta::assert_snapshot!(wide().render_within(160, Colour::Off), @"
        name   total time  what was found
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        first     12.5 ms  the limit of /sys/fs/cgroup/tauto/slot-1/memory.max is 64 MiB, and 'tauto machine check' says why it is so, at length
            the note of /sys/fs/cgroup/tauto/slot-1/memory.max is 64 MiB, and 'tauto machine check' says why it is so, at length
            fix: echo 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 > /sys/x
        ");
    }

    #[test]
    fn where_words_have_no_room_each_row_is_a_block() {
        insta::assert_snapshot!(wide().render_within(50, Colour::Off), @"
        first
            total time      12.5 ms
            what was found  the limit of
                            /sys/fs/cgroup/tauto/slot-1/memory.max
                            is 64 MiB, and
                            'tauto machine check' says why
                            it is so, at length
            the note of
              /sys/fs/cgroup/tauto/slot-1/memory.max is
              64 MiB, and 'tauto machine check' says why
              it is so, at length
            fix: echo 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 > /sys/x
        ");
    }

    #[test]
    fn no_width_breaks_a_word_or_a_number() {
        for columns in 40..200 {
            let text = wide().render_within(columns, Colour::Off);
            for part in
                ["12.5 ms", "/sys/fs/cgroup/tauto/slot-1/memory.max", "64 MiB", "'tauto machine check'"]
            {
                assert!(text.contains(part), "{columns}: {text}");
            }
            let long = text.lines().filter(|line| !line.contains("fix: ") && width(line) > columns.max(60));
            assert_eq!(long.count(), 0, "{columns}: {text}");
        }
    }

    #[test]
    fn colours_take_no_room() {
        let mut table = Table::new(&[("a", Align::Left), ("b", Align::Left)]);
        table.row([Cell::styled(Style::Good, "AC"), "1".into()]);
        table.row(["WTL".into(), "2".into()]);
        assert!(table.render(Colour::On).contains("\x1b[32mAC\x1b[0m   1\n"), "{}", table.render(Colour::On));
        let plain: String = wide().render_within(60, Colour::Off);
        let painted = wide().render_within(60, Colour::On);
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), plain);
    }

    #[test]
    fn texts_are_cut_and_cannot_steer_the_terminal() {
        assert_eq!(Cell::from("abcdef").cut(4), "abc…".into());
        assert_eq!(Cell::from("abcd").cut(4), "abcd".into());
        assert_eq!(Cell::from("加法加法").cut(4), "加…".into());
        assert_eq!(Cell::from("a\x1b[2J\nb").text, "a·[2J b");
    }
}
