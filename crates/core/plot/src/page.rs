//! One page with headings, paragraphs, tables and pictures.

use crate::plain;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style sheet of every page, light and dark.
const LOOKS: &str = "\
:root{color-scheme:light dark}\n\
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\n\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n\
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1rem 0;display:block;overflow-x:auto}\n\
th,td{padding:.2rem .5rem;font-size:.9rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}\n\
th:first-child,td:first-child,.words{text-align:left}\n\
th{white-space:normal;vertical-align:bottom}\n\
td.long{text-align:left;white-space:normal;min-width:16rem}\n\
code,pre{font-family:ui-monospace,monospace;font-size:.9em}\n\
figure{margin:1rem 0}svg{max-width:100%;height:auto}\n\
@media (max-width:40rem){figure{overflow-x:auto}svg{max-width:none}figcaption{position:sticky;left:0}}\n\
@media print{th,td{padding:.1rem .25rem;font-size:.6rem}}\n\
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}th,td{border-color:#3a3d42}}\n";

/// A longer cell is a sentence and wraps; otherwise the table would not fit on the page.
const CELL_CHARS_MAX: usize = 40;

/// A page that is being written.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    pub fn new(title: &str) -> Self {
        Self { title: plain(title), body: String::new() }
    }

    /// Begins a section.
    pub fn heading(&mut self, text: &str) {
        self.add(&html! { h2 { (plain(text)) } });
    }

    pub fn paragraph(&mut self, text: &str) {
        self.add(&html! { p { (plain(text)) } });
    }

    /// Adds a conclusion, which stands out.
    pub fn statement(&mut self, text: &str) {
        self.add(&html! { p { strong { (plain(text)) } } });
    }

    /// Adds a text whose line breaks count.
    pub fn pre(&mut self, text: &str) {
        self.add(&html! { pre { @for line in text.lines() { (plain(line)) "\n" } } });
    }

    /// Adds a list of sentences, unless it is empty.
    pub fn list(&mut self, items: &[String]) {
        if !items.is_empty() {
            self.add(&html! { ul { @for item in items { "\n" li { (plain(item)) } } } });
        }
    }

    /// Adds a table: its first column is words, the others are numbers.
    pub fn table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        self.table_with_words(header, &[], rows);
    }

    /// Adds a table with words in its first column and in the columns `words` (counted from 0); the others are numbers.
    pub fn table_with_words(&mut self, header: &[&str], words: &[usize], rows: &[Vec<String>]) {
        let class = |at: usize, text: &str| match words.contains(&at) {
            _ if text.chars().count() > CELL_CHARS_MAX => Some("long"),
            true => Some("words"),
            false => None,
        };
        self.add(&html! {
            table {
                thead { tr { @for (at, text) in header.iter().enumerate() {
                    th class=[class(at, text)] { (plain(text)) }
                } } } "\n"
                tbody { @for row in rows { "\n" tr { @for (at, text) in row.iter().enumerate() {
                    td class=[class(at, text)] { (plain(text)) }
                } } } }
            }
        });
    }

    /// Adds a picture made by this crate, with a caption below it.
    pub fn figure(&mut self, svg: &str, caption: &str) {
        self.add(&html! { figure { "\n" (PreEscaped(svg)) figcaption { (plain(caption)) } } });
    }

    fn add(&mut self, element: &Markup) {
        self.body.push_str(&element.0);
        self.body.push('\n');
    }

    /// Returns the page as a complete file.
    pub fn finish(&self) -> String {
        let page = html! {
            (DOCTYPE) "\n"
            html lang="en" {
                head {
                    "\n" meta charset="utf-8"; "\n"
                    meta name="viewport" content="width=device-width"; "\n"
                    title { (self.title) } "\n"
                    style { "\n" (PreEscaped(LOOKS)) } "\n"
                } "\n"
                body { "\n" h1 { (self.title) } "\n" (PreEscaped(&self.body)) } "\n"
            } "\n"
        };
        page.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_in_tables_are_broken_into_lines() {
        let mut page = Page::new("a");
        page.table(&["what", "here"], &[vec!["short".to_owned(), "long ".repeat(9)]]);
        let text = page.finish();
        assert!(text.contains("<td>short</td><td class=\"long\">long long"), "{text}");
    }

    #[test]
    fn a_page_holds_what_was_put_there_and_no_markup_of_others() {
        let mut page = Page::new("a < b");
        page.heading("Runs");
        page.paragraph("one & two");
        page.statement("two");
        page.list(&[]);
        page.list(&["<b>".to_owned()]);
        page.table(&["run", "time"], &[vec!["1".to_owned(), "2 ms".to_owned()]]);
        page.table_with_words(
            &["run", "time", "why"],
            &[2],
            &[vec!["1".to_owned(), "2 ms".to_owned(), "a & b".to_owned()]],
        );
        page.figure("<svg/>\n", "what it shows");
        let text = page.finish();
        let body = text.split("<body>\n").nth(1).unwrap();
        insta::assert_snapshot!(body, @r#"
        <h1>a &lt; b</h1>
        <h2>Runs</h2>
        <p>one &amp; two</p>
        <p><strong>two</strong></p>
        <ul>
        <li>&lt;b&gt;</li></ul>
        <table><thead><tr><th>run</th><th>time</th></tr></thead>
        <tbody>
        <tr><td>1</td><td>2 ms</td></tr></tbody></table>
        <table><thead><tr><th>run</th><th>time</th><th class="words">why</th></tr></thead>
        <tbody>
        <tr><td>1</td><td>2 ms</td><td class="words">a &amp; b</td></tr></tbody></table>
        <figure>
        <svg/>
        <figcaption>what it shows</figcaption></figure>
        </body>
        </html>
        "#);
        assert!(!text.contains("http"), "nothing comes from elsewhere");
    }
}
