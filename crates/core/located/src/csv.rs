//! Tables of spreadsheets (RFC 4180), separated by what the first line has most of: commas, semicolons or tabs.

use crate::{MAX_BYTES, SyntaxError};
use csv::{ReaderBuilder, StringRecord};

/// Spreadsheets compute what begins with these.
const OF_FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// A row after the last one: inside of quotes that nothing closes, it is no row.
const AFTER_LAST: &str = "\n\u{1}";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvRow {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Without spaces around them, and without what keeps a spreadsheet from computing them.
    pub cells: Vec<String>,
}

/// Returns the rows of a table; rows without any text are left out.
pub fn csv(text: &str) -> Result<Vec<CsvRow>, SyntaxError> {
    let error = |line: u64, reason: String| SyntaxError { line: Some(line), reason };
    if text.len() > MAX_BYTES {
        let reason = format!("holds {} bytes, expected at most {MAX_BYTES}", text.len());
        return Err(SyntaxError { line: None, reason });
    }
    let text = format!("{}{AFTER_LAST}", text.trim_start_matches('\u{feff}'));
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator(&text))
        .from_reader(text.as_bytes());
    let (mut rows, mut record) = (Vec::new(), StringRecord::new());
    let (mut line, mut counted) = (1, 0);
    loop {
        let from = usize::try_from(reader.position().byte()).unwrap_or(text.len());
        // The reader skips empty lines before a row, which it counts to the row.
        let from = text[from..].find(|c| c != '\n' && c != '\r').map_or(text.len(), |skipped| from + skipped);
        line += text[counted..from].matches('\n').count() as u64;
        counted = from;
        match reader.read_record(&mut record) {
            Ok(true) if &text[from..] == AFTER_LAST.trim_start() => return Ok(rows),
            Ok(true) => {}
            Ok(false) => return Err(error(line, "quotes are opened and never closed".to_owned())),
            Err(problem) => return Err(error(line, problem.to_string())),
        }
        if record.iter().any(|cell| cell.ends_with(AFTER_LAST)) {
            return Err(error(line, "this row opens quotes that are never closed".to_owned()));
        }
        let cells: Vec<String> = record.iter().map(|cell| own_text(cell.trim()).trim().to_owned()).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push(CsvRow { line, cells });
        }
    }
}

/// Returns what separates the cells. Excel writes semicolons where numbers have commas.
fn separator(text: &str) -> u8 {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let outside = first.split('"').step_by(2);
    let count = |sign: u8| outside.clone().flat_map(str::bytes).filter(|byte| *byte == sign).count();
    // Of equally frequent ones the last is taken.
    [b'\t', b';', b','].into_iter().max_by_key(|sign| count(*sign)).unwrap_or(b',')
}

/// Returns a cell that no spreadsheet computes, with a sign before it that [`csv`] takes away again.
pub fn as_csv_text(cell: &str) -> String {
    // A text that has the sign itself gets another one.
    let is_formula = cell.trim_start_matches('\'').starts_with(OF_FORMULAS);
    if is_formula { format!("'{cell}") } else { cell.to_owned() }
}

/// Returns what a cell says: `'=1` is the text `=1`, and `="007"` the text `007`.
fn own_text(cell: &str) -> String {
    if let Some(text) = cell.strip_prefix('\'').filter(|text| as_csv_text(text) != *text) {
        return text.to_owned();
    }
    let formula = cell.strip_prefix("=\"").and_then(|text| text.strip_suffix('"'));
    formula.map_or_else(|| cell.to_owned(), |text| text.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str) -> Vec<(u64, Vec<String>)> {
        csv(text).unwrap().into_iter().map(|row| (row.line, row.cells)).collect()
    }

    #[test]
    fn rows_have_the_lines_of_the_file() {
        for end in ["\n", "\r\n"] {
            let text = ["\u{feff}id,name", "", "1,\"Ada, \"\"B\"\"", "C\" ", ",,", "", "2, Bob "].join(end);
            let name = format!("Ada, \"B\"{end}C");
            let expect = [(1, ["id", "name"]), (3, ["1", &name]), (7, ["2", "Bob"])];
            let expect = expect.map(|(line, cells)| (line, cells.map(str::to_owned).to_vec()));
            assert_eq!(rows(&text), expect);
            assert_eq!(rows(&(text + end)), expect);
        }
        assert_eq!(rows(""), []);
    }

    #[test]
    fn cells_are_separated_by_what_the_first_line_has() {
        for (text, expect) in [
            ("a;b\n1,5;2", ["1,5", "2"]),
            ("a\tb\n1;5\t2", ["1;5", "2"]),
            ("\"a;b;c\",d\n1;5,2", ["1;5", "2"]),
            ("a,b\n1,2", ["1", "2"]),
        ] {
            assert_eq!(rows(text)[1].1, expect, "{text}");
        }
    }

    #[test]
    fn open_quotes_are_reported_where_they_open() {
        let error = csv("id,name\n1,Ada\n2,\"Bob\n3,Eve\n").unwrap_err();
        assert_eq!(
            (error.line, error.reason.as_str()),
            (Some(3), "this row opens quotes that are never closed")
        );
    }

    #[test]
    fn formulas_of_spreadsheets_are_their_texts() {
        let check = |cell: &str, expect: &str| assert_eq!(own_text(cell), expect, "{cell}");
        check("'=1+1", "=1+1");
        check("=\"007\"", "007");
        check("=\"a \"\"b\"\"\"", "a \"b\"");
        check("'n Beter Span", "'n Beter Span");
        check("''-1", "'-1");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(cells in prop::collection::vec("['=+@a\",;\n -]{0,6}", 1..4)) {
            let cells: Vec<String> = cells.iter().map(|cell| cell.trim().to_owned()).collect();
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["a"; 4]).unwrap();
            let written = cells.iter().map(|cell| as_csv_text(cell)).chain(["end".to_owned()]);
            writer.write_record(written.chain(vec![String::new(); 3 - cells.len()])).unwrap();
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            prop_assert_eq!(&rows(&text)[1].1[..cells.len()], &cells[..]);
        }
    }
}
