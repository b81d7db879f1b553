//! Tables whose columns are separated by tabs.

use crate::{MAX_BYTES, SyntaxError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// The line, from 1.
    pub line: u64,
    pub cells: Vec<&'t str>,
}

/// Returns the rows of a table; empty lines are left out.
pub fn table(text: &str) -> Result<Vec<Row<'_>>, SyntaxError> {
    if text.len() > MAX_BYTES {
        let reason = format!("holds {} bytes, expected at most {MAX_BYTES}", text.len());
        return Err(SyntaxError { line: None, reason });
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    Ok(lines
        .map(|(line, number)| Row { line: number, cells: line.split('\t').map(str::trim).collect() })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_left_out_and_counted() {
        let rows = table("teams\t1\r\n\n1\t\t Ada \n").unwrap();
        assert_eq!(rows[0], Row { line: 1, cells: vec!["teams", "1"] });
        assert_eq!(rows[1], Row { line: 3, cells: vec!["1", "", "Ada"] });
    }
}
