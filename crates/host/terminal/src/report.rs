//! A report, written once: for a terminal, as a page, or as Markdown.

use super::atomic_file::AtomicFile;
use super::colour::{Colour, Style};
use super::failure::{Failure, because};
use super::prose::prose;
use super::standard::{OutputError, print};
use super::table::{Cell, Table};
use super::visible::visible;
use anyhow::Context;
use documents::{Document, to_json};
use plot::Page;
use std::path::Path;
use std::process::ExitCode;

/// The width of the names of facts on a terminal.
const NAME_WIDTH: usize = 19;

/// Makes the folder of a report, best before anything is measured.
pub fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| because(format!("cannot make the folder {}", folder.display())))
}

/// Prints a result: the document, or the report of it.
pub fn print_result<T: Document>(
    document: &T,
    json: bool,
    report: impl FnOnce(&T) -> Report,
) -> Result<(), OutputError> {
    print(&if json { to_json(document) } else { report(document).text(Colour::for_stdout()) })
}

/// A report, part by part. A page has all parts; a terminal has no room for details.
#[derive(Clone, Debug, Default)]
pub struct Report {
    title: String,
    parts: Vec<(Reader, Part)>,
    /// The reader of what is added to both.
    reader: Reader,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reader {
    #[default]
    All,
    OfPage,
}

#[derive(Clone, Debug)]
enum Part {
    Heading(String),
    Statement(String),
    Paragraph(String),
    Sentences(Vec<String>),
    Lines(Vec<Vec<Cell>>),
    Facts(Vec<(&'static str, String)>),
    Cautions(Vec<String>),
    Table { title: String, table: Table },
    Code(String),
    Figure { name: String, svg: String, caption: String },
}

impl Report {
    /// Begins a report; the title is that of the page.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    fn add(&mut self, reader: Reader, part: Part) {
        self.parts.push((reader, part));
    }

    /// Adds parts to the page that otherwise all readers get.
    pub fn on_page(&mut self, add: impl FnOnce(&mut Self)) {
        self.reader = Reader::OfPage;
        add(self);
        self.reader = Reader::All;
    }

    /// Begins a section of the page.
    pub fn heading(&mut self, text: &str) {
        self.add(Reader::OfPage, Part::Heading(text.to_owned()));
    }

    /// Begins a section of page and terminal.
    pub fn section(&mut self, text: &str) {
        self.add(self.reader, Part::Heading(text.to_owned()));
    }

    /// Adds a conclusion, which stands out.
    pub fn statement(&mut self, text: &str) {
        self.add(self.reader, Part::Statement(text.to_owned()));
    }

    /// Adds an explanation to the page.
    pub fn paragraph(&mut self, text: &str) {
        self.add(Reader::OfPage, Part::Paragraph(text.to_owned()));
    }

    /// Adds a short text for all readers.
    pub fn line(&mut self, text: &str) {
        self.add(self.reader, Part::Paragraph(text.to_owned()));
    }

    /// Adds sentences to the page.
    pub fn details(&mut self, items: Vec<String>) {
        self.add(Reader::OfPage, Part::Sentences(items));
    }

    /// Adds sentences for all readers.
    pub fn sentences(&mut self, items: Vec<String>) {
        self.add(self.reader, Part::Sentences(items));
    }

    /// Adds lines for all readers, each of texts that may have a meaning.
    pub fn lines(&mut self, lines: Vec<Vec<Cell>>) {
        self.add(self.reader, Part::Lines(lines));
    }

    /// Adds named facts for all readers: two columns on a terminal, where an empty name continues the last one.
    pub fn facts(&mut self, facts: Vec<(&'static str, String)>) {
        self.add(self.reader, Part::Facts(facts));
    }

    /// Adds sentences that make the result weaker.
    pub fn cautions(&mut self, items: Vec<String>) {
        self.add(self.reader, Part::Cautions(items));
    }

    /// Adds a table for all readers; its title is for the terminal, since a heading stands above it on the page.
    pub fn table(&mut self, title: &str, table: Table) {
        self.add(self.reader, Part::Table { title: title.to_owned(), table });
    }

    /// Adds a table to the page.
    pub fn detail_table(&mut self, table: Table) {
        self.add(Reader::OfPage, Part::Table { title: String::new(), table });
    }

    /// Adds a text for all readers whose line breaks count.
    pub fn code(&mut self, text: &str) {
        self.add(self.reader, Part::Code(text.to_owned()));
    }

    /// Adds a picture to the page; `name` is that of its file, without an ending.
    pub fn figure(&mut self, name: &str, svg: String, caption: &str) {
        let name = name.to_owned();
        self.add(Reader::OfPage, Part::Figure { name, svg, caption: caption.to_owned() });
    }

    /// Lists the pictures with their names.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|(_, part)| match part {
            Part::Figure { name, svg, .. } => Some((name.as_str(), svg.as_str())),
            _ => None,
        })
    }

    /// Writes the page, the same as Markdown, the pictures and the document into a folder, which is made if it is not there, and
    /// prints the text or the document. `error` is why the work ended early.
    pub fn deliver(
        &self,
        folder: &Path,
        document: &impl Document,
        json: bool,
        error: Option<anyhow::Error>,
    ) -> anyhow::Result<ExitCode> {
        make_folder(folder)?;
        for (name, svg) in self.figures() {
            AtomicFile::write_whole(&folder.join(format!("{name}.svg")), svg.as_bytes())?;
        }
        let document = to_json(document);
        AtomicFile::write_whole(&folder.join("report.json"), document.as_bytes())?;
        AtomicFile::write_whole(&folder.join("report.md"), self.markdown().as_bytes())?;
        let page = folder.join("report.html");
        AtomicFile::write_whole(&page, self.page().as_bytes())?;
        print(&if json {
            document
        } else {
            format!("{}\nreport: {}\n", self.text(Colour::for_stdout()), page.display())
        })?;
        // The result is printed already; standard output must not get a second document.
        Ok(error.map_or(ExitCode::SUCCESS, |error| Failure::of(&error).print(false)))
    }

    /// Writes the page, a complete HTML file.
    pub fn page(&self) -> String {
        let mut page = Page::new(&visible(&self.title));
        for (_, part) in &self.parts {
            match part {
                Part::Heading(text) => page.heading(text),
                Part::Statement(text) => page.statement(text),
                Part::Paragraph(text) => page.paragraph(text),
                Part::Sentences(items) | Part::Cautions(items) => page.list(items),
                Part::Lines(lines) => page.list(&texts_of(lines)),
                Part::Facts(facts) => page.list(&sentences_of(facts)),
                Part::Table { table, .. } => table.add_to(&mut page),
                Part::Code(text) => page.pre(text),
                Part::Figure { svg, caption, .. } => page.figure(svg, caption),
            }
        }
        page.finish()
    }

    /// Writes what all readers see, for a terminal: one blank line between two parts.
    pub fn text(&self, colour: Colour) -> String {
        let mut text = String::new();
        let mut below_heading = true;
        for (_, part) in self.parts.iter().filter(|(reader, _)| *reader == Reader::All) {
            let written = written(part, colour);
            if written.is_empty() {
                continue;
            }
            if !below_heading {
                text.push('\n');
            }
            text.push_str(&written);
            below_heading = matches!(part, Part::Heading(_));
        }
        text
    }

    /// Writes everything as Markdown; pictures are links to their files.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escaped(&self.title));
        for (_, part) in &self.parts {
            let written = match part {
                Part::Heading(heading) => format!("## {}\n", escaped(heading)),
                Part::Statement(words) => format!("**{}**\n", escaped(words)),
                Part::Paragraph(words) => format!("{}\n", escaped(words)),
                Part::Sentences(items) | Part::Cautions(items) => list(items),
                Part::Lines(lines) => list(&texts_of(lines)),
                Part::Facts(facts) => list(&sentences_of(facts)),
                Part::Table { table, .. } => table.markdown(),
                Part::Code(words) => words.lines().map(|line| format!("    {}\n", visible(line))).collect(),
                Part::Figure { name, caption, .. } => format!("![{}]({name}.svg)\n", escaped(caption)),
            };
            if !written.is_empty() {
                text.push_str(&format!("\n{written}"));
            }
        }
        text
    }
}

fn written(part: &Part, colour: Colour) -> String {
    match part {
        Part::Heading(text) | Part::Statement(text) => {
            prose("", 2, &colour.paint(Style::Strong, &on_one_line(text)))
        }
        Part::Paragraph(text) => prose("", 0, &on_one_line(text)),
        Part::Sentences(items) => items.iter().map(|item| prose("- ", 2, &on_one_line(item))).collect(),
        Part::Cautions(items) => {
            items.iter().map(|item| prose("", 2, &colour.paint(Style::Caution, &on_one_line(item)))).collect()
        }
        Part::Lines(lines) => {
            let painted =
                |line: &Vec<Cell>| line.iter().map(|cell| cell.in_colour(colour)).collect::<String>();
            lines.iter().map(|line| prose("", 2, &painted(line))).collect()
        }
        Part::Facts(facts) => facts
            .iter()
            .map(|(name, text)| prose(&format!("{name:<NAME_WIDTH$}"), NAME_WIDTH, &on_one_line(text)))
            .collect(),
        Part::Table { title, table } if title.is_empty() => table.render(colour),
        Part::Table { title, table } => {
            prose("", 2, &colour.paint(Style::Strong, &on_one_line(title))) + &table.render(colour)
        }
        Part::Code(text) => text.lines().map(|line| visible(line) + "\n").collect(),
        Part::Figure { .. } => String::new(),
    }
}

fn sentences_of(facts: &[(&'static str, String)]) -> Vec<String> {
    let sentence = |(name, text): &(&str, String)| {
        if name.is_empty() { text.clone() } else { format!("{name}: {text}") }
    };
    facts.iter().map(sentence).collect()
}

fn texts_of(lines: &[Vec<Cell>]) -> Vec<String> {
    lines.iter().map(|line| line.iter().map(Cell::plain).collect()).collect()
}

fn list(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}\n", escaped(item))).collect()
}

/// Takes out what could steer a terminal or break a line.
fn on_one_line(text: &str) -> String {
    visible(&text.replace(char::is_whitespace, " "))
}

/// Returns a text in which Markdown (CommonMark 2.4, and the tables of GitHub's) finds no markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in on_one_line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn table_too_wide_for_a_terminal_is_written_row_by_row() {
        let mut report = Report::new("Test");
        let long = "long ".repeat(40).trim().to_owned();
        report.table("Words", Table::of(&["what", "short", "in full"], [row(&["the first", "word", &long])]));
        report.table(&long, Table::of(&["run", "in full"], [row(&["1", &long.replace(' ', "_")])]));
        let (title, rest) = long.split_at(159);
        let underscores = long.replace(' ', "_");
        let expected = format!(
            "Words\nthe first\n    short    word\n    in full  {long}\n\n{title}\n  {}\nrun 1\n    in full  {underscores}\n",
            rest.trim()
        );
        assert_eq!(report.text(Colour::Off), expected);
    }

    #[test]
    fn each_reader_gets_its_parts() {
        let mut report = Report::new("Title");
        report.heading("Section");
        report.paragraph("Long.");
        report.statement("A is faster.");
        report.table("Result", Table::of(&["arm", "time"], [row(&["a | b", "1 ms"])]));
        report.detail_table(Table::of(&["run"], [row(&["first"])]));
        report.sentences(vec!["It is *so*.".to_owned()]);
        report.sentences(Vec::new());
        report.lines(vec![vec![Cell::styled(Style::Bad, "slow"), ": it\x1b[2J waits".into()]]);
        report.code("a   b\nc");
        report.facts(vec![("machine", "fast".to_owned()), ("", "and\x1b[2J new".to_owned())]);
        report.details(vec!["More.".to_owned()]);
        report.on_page(|page| page.code("seed: 1\n"));
        report.figure("plot", "<svg/>".to_owned(), "What it shows.");
        report.line(r"C:\a, for all again");
        insta::assert_snapshot!(report.text(Colour::Off), @"
        A is faster.

        Result
        arm    time
        ───────────
        a | b  1 ms

        - It is *so*.

        slow: it·[2J waits

        a   b
        c

        machine            fast
                           and·[2J new

        C:\\a, for all again
        ");
        insta::assert_snapshot!(report.markdown(), @r"
        # Title

        ## Section

        Long.

        **A is faster.**

        | arm | time |
        | :--- | ---: |
        | a \| b | 1 ms |

        | run |
        | :--- |
        | first |

        - It is \*so\*.

        - slow: it·\[2J waits

            a   b
            c

        - machine: fast
        - and·\[2J new

        - More.

            seed: 1

        ![What it shows.](plot.svg)

        C:\\a, for all again
        ");
        let page = report.page();
        let on_page =
            ["Section", "Long.", "<td>1 ms</td>", "first", "It is *so*.", "machine: fast", "More.", "<svg/>"];
        for words in on_page.into_iter().chain(["seed: 1", "What it shows.", "A is faster."]) {
            assert!(page.contains(words), "{words}");
        }
        assert_eq!(report.figures().collect::<Vec<_>>(), [("plot", "<svg/>")]);
    }
}
