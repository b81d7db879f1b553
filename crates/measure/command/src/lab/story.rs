//! The report of an experiment, in two forms: short on the terminal, and as a page.

use documents::LabBeside;
use plot::Page;
use terminal::{Align, Cell, Colour, Style, Table, prose};

/// The report of one experiment, part by part.
#[derive(Debug, Default)]
pub struct Story {
    /// Its title.
    pub title: String,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Heading(String),
    Paragraph(String),
    Sentences { items: Vec<String>, on_terminal: bool },
    Table { title: String, header: Vec<String>, rows: Vec<Vec<String>>, on_terminal: bool },
    Figure { name: String, svg: String, caption: String },
}

impl Story {
    /// Begins one.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), parts: Vec::new() }
    }

    /// Begins a section of the page.
    pub fn heading(&mut self, text: &str) {
        self.parts.push(Part::Heading(text.to_owned()));
    }

    /// Adds a paragraph to the page.
    pub fn paragraph(&mut self, text: &str) {
        self.parts.push(Part::Paragraph(text.to_owned()));
    }

    /// Adds sentences to the page.
    pub fn details(&mut self, items: Vec<String>) {
        self.parts.push(Part::Sentences { items, on_terminal: false });
    }

    /// Adds sentences to both.
    pub fn sentences(&mut self, items: Vec<String>) {
        self.parts.push(Part::Sentences { items, on_terminal: true });
    }

    /// Adds a table to both: its first column is words, the others are numbers.
    pub fn table(&mut self, title: &str, header: &[impl ToString], rows: Vec<Vec<String>>) {
        let header = header.iter().map(ToString::to_string).collect();
        self.parts.push(Part::Table { title: title.to_owned(), header, rows, on_terminal: true });
    }

    /// Adds a table to the page.
    pub fn detail_table(&mut self, header: &[impl ToString], rows: Vec<Vec<String>>) {
        let header = header.iter().map(ToString::to_string).collect();
        self.parts.push(Part::Table { title: String::new(), header, rows, on_terminal: false });
    }

    /// Adds a section that compares the result with the article's.
    pub fn beside(&mut self, heading: &str, article: &str, rows: &[LabBeside]) {
        self.heading(heading);
        self.paragraph(article);
        let rows = rows.iter().map(|row| vec![row.what.clone(), row.article.clone(), row.here.clone()]);
        self.table(heading, &["what", "article", "here"], rows.collect());
    }

    /// Adds a picture to the page, which is also written as a file of this name.
    pub fn figure(&mut self, name: &str, svg: String, caption: &str) {
        let name = name.to_owned();
        self.parts.push(Part::Figure { name, svg, caption: caption.to_owned() });
    }

    /// Lists the pictures by their files' names.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure { name, svg, .. } => Some((name.as_str(), svg.as_str())),
            _ => None,
        })
    }

    /// Writes the page.
    pub fn page(&self) -> String {
        let mut page = Page::new(&self.title);
        for part in &self.parts {
            match part {
                Part::Heading(text) => page.heading(text),
                Part::Paragraph(text) => page.paragraph(text),
                Part::Sentences { items, .. } => page.list(items),
                Part::Table { header, rows, .. } => {
                    page.table(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows);
                }
                Part::Figure { svg, caption, .. } => page.figure(svg, caption),
            }
        }
        page.finish()
    }

    /// Writes the tables and sentences for a terminal.
    pub fn text(&self, colour: Colour) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Table { title, header, rows, on_terminal: true } => {
                    let shown = aligned(header, rows).render(colour);
                    text.push_str(&format!("{}\n{shown}\n", colour.paint(Style::Strong, title)));
                }
                Part::Sentences { items, on_terminal: true } if !items.is_empty() => {
                    items.iter().for_each(|item| text.push_str(&prose("- ", 2, item)));
                    text.push('\n');
                }
                _ => {}
            }
        }
        text
    }
}

fn aligned(header: &[String], rows: &[Vec<String>]) -> Table {
    let align = |at| if at == 0 { Align::Left } else { Align::Right };
    let columns: Vec<_> = header.iter().enumerate().map(|(at, name)| (name.as_str(), align(at))).collect();
    let mut table = Table::new(&columns);
    for row in rows {
        table.row(row.iter().map(|cell| Cell::from(cell.as_str())));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_too_wide_for_a_terminal_is_told_row_by_row() {
        let mut story = Story::new("Test");
        let rows =
            vec![vec!["the first".to_owned(), "short".to_owned(), "long ".repeat(40).trim().to_owned()]];
        story.table("Words", &["what", "said", "in full"], rows);
        let expect =
            format!("Words\nthe first\n    said     short\n    in full  {}\n\n", "long ".repeat(40).trim());
        assert_eq!(story.text(Colour::Off), expect);
    }

    #[test]
    fn the_terminal_is_told_less_than_the_page() {
        let mut story = Story::new("Title");
        story.heading("Section");
        story.paragraph("Long.");
        story.table("Result", &["arm", "time"], vec![vec!["a".to_owned(), "1 ms".to_owned()]]);
        story.detail_table(&["run"], vec![vec!["first".to_owned()]]);
        story.sentences(vec!["It is so.".to_owned()]);
        story.details(vec!["More.".to_owned()]);
        story.figure("plot", "<svg/>".to_owned(), "What it shows.");
        assert_eq!(story.text(Colour::Off), "Result\narm  time\n─────────\na    1 ms\n\n- It is so.\n\n");
        let page = story.page();
        for words in
            ["Section", "Long.", "<td>1 ms</td>", "first", "It is so.", "More.", "<svg/>", "What it shows."]
        {
            assert!(page.contains(words), "{words}");
        }
        assert_eq!(story.figures().collect::<Vec<_>>(), [("plot", "<svg/>")]);
    }
}
