//! Lines of sources, and numbers in their fields.

use super::{ImportError, Input};
use crate::trace::TraceError;
use crate::trace::check::{self, Limit, shown};
use crate::trace::unpacked::Unpacked;
use located::{FileLocation, Finding};
use std::io::{self, BufRead, Read};

/// Longest row: a thousand times a row of any source.
pub const ROW_BYTES_MAX: usize = 1 << 20;

/// A row of a source, for messages.
#[derive(Clone, Debug)]
pub struct SourceLine {
    /// The source.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
}

impl SourceLine {
    pub fn field(&self, field: &str, message: impl Into<String>) -> ImportError {
        ImportError::at(FileLocation::file(&self.file).line(self.line).field(field), message)
    }

    pub fn row(&self, message: impl Into<String>) -> ImportError {
        ImportError::at(FileLocation::file(&self.file).line(self.line), message)
    }

    pub fn read(&self, source: io::Error) -> ImportError {
        let Self { file, line } = self.clone();
        ImportError::Read { file, line, source }
    }

    /// Makes the error of a record that the row became.
    pub fn record(&self, error: TraceError) -> ImportError {
        match error {
            TraceError::Wrong(Finding {
                place: FileLocation { field: Some(field), .. }, message, ..
            }) => self.field(&field, message),
            other => other.into(),
        }
    }

    pub fn whole(&self, field: &str, text: &str, limit: &Limit) -> Result<u64, ImportError> {
        let number = text.parse().ok().filter(|number| limit.has(*number));
        number.ok_or_else(|| self.field(field, limit.complaint(text)))
    }

    /// Reads a number that may have decimals, of which `digits` count: 1.5 with three is 1500. The rest is rounded up.
    pub fn rounded_up(
        &self,
        field: &str,
        text: &str,
        digits: usize,
        limit: &Limit,
    ) -> Result<u64, ImportError> {
        let wrong = || self.field(field, limit.complaint(text));
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        if decimals.is_empty() || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let whole = whole.parse().ok().filter(|whole| limit.has(*whole)).ok_or_else(wrong)?;
        let (counted, rest) = decimals.split_at(digits.min(decimals.len()));
        let counted: u64 = format!("{counted:0<digits$}").parse().unwrap_or(0);
        let more = u64::from(rest.bytes().any(|digit| digit != b'0'));
        Ok(whole * 10_u64.pow(digits as u32) + counted + more)
    }

    /// Reads a whole number of 32 bits, which the limit stays within.
    pub fn whole_u32(&self, field: &str, text: &str, limit: &Limit) -> Result<u32, ImportError> {
        let number = self.whole(field, text, limit)?;
        Ok(u32::try_from(number).expect("the limit is within 32 bits"))
    }

    pub fn name(&self, field: &str, text: &str) -> Result<String, ImportError> {
        check::name(field, text).map_err(|wrong| self.field(field, wrong.message))?;
        Ok(text.to_owned())
    }

    /// Refuses another row than there may be.
    pub fn rows_at_most(&self, count: usize, max: usize) -> Result<(), ImportError> {
        if count < max {
            return Ok(());
        }
        Err(self.row(format!("there are more than {max} rows; import a part of them")))
    }
}

/// Rows with commas.
pub struct Table<R: BufRead> {
    rows: csv::Reader<Budget<Unpacked<R>>>,
    row: csv::StringRecord,
    place: SourceLine,
}

#[derive(Clone, Copy)]
pub struct Column {
    name: &'static str,
    index: usize,
}

/// A reader that stops in a row that is too long.
struct Budget<R> {
    source: R,
    left: usize,
}

impl<R: Read> Read for Budget<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!("a row is longer than {ROW_BYTES_MAX} bytes")));
        }
        let length = buffer.len().min(self.left);
        let count = self.source.read(&mut buffer[..length])?;
        self.left -= count;
        Ok(count)
    }
}

impl<R: BufRead> Table<R> {
    pub fn open(input: Input<R>) -> Result<Self, ImportError> {
        let place = SourceLine { file: input.name, line: 1 };
        let source = Unpacked::new(input.reader).map_err(|error| place.read(error))?;
        let rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(Budget { source, left: ROW_BYTES_MAX });
        Ok(Self { rows, row: csv::StringRecord::new(), place })
    }

    /// Reads the first row, and returns where the columns of these names are.
    pub fn columns<const N: usize>(&mut self, names: [&'static str; N]) -> Result<[Column; N], ImportError> {
        self.advance()?;
        let mut columns = names.map(|name| Column { name, index: 0 });
        for column in &mut columns {
            column.index = self.row.iter().position(|found| found == column.name).ok_or_else(|| {
                let begin = self.row.get(0).unwrap_or_default();
                self.place.row(format!(
                    "the table, which begins with '{}', has no column '{}'; expected {}",
                    shown(begin),
                    column.name,
                    names.join(", ")
                ))
            })?;
        }
        Ok(columns)
    }

    /// Goes to the next row; returns whether there is one.
    pub fn advance(&mut self) -> Result<bool, ImportError> {
        self.rows.get_mut().left = ROW_BYTES_MAX;
        // A row may have begun in what the table holds already.
        self.place.line = self.rows.position().line();
        let has_row = self.rows.read_record(&mut self.row).map_err(|error| {
            let text = error.to_string();
            match error.into_kind() {
                csv::ErrorKind::Io(source) => self.place.read(source),
                csv::ErrorKind::Utf8 { err, .. } => self
                    .place
                    .row(format!("field {} is no UTF-8 text; expected names and numbers", err.field() + 1)),
                _ => self.place.row(text),
            }
        })?;
        self.place.line = self.row.position().map_or(self.place.line, csv::Position::line);
        Ok(has_row)
    }

    /// Refuses a row with another number of fields.
    pub fn expect_fields(&self, count: usize, what: &str) -> Result<(), ImportError> {
        if self.row.len() == count {
            return Ok(());
        }
        Err(self.place.row(format!("has {} fields; expected {count}: {what}", self.row.len())))
    }

    pub fn place(&self) -> &SourceLine {
        &self.place
    }

    pub fn row(&self) -> &csv::StringRecord {
        &self.row
    }

    pub fn text(&self, column: Column) -> &str {
        self.row.get(column.index).unwrap_or_default()
    }

    /// Returns the name that a column holds.
    pub fn name(&self, column: Column) -> Result<String, ImportError> {
        self.place.name(column.name, self.text(column))
    }

    /// Returns the number that a column holds.
    pub fn whole(&self, column: Column, limit: &Limit) -> Result<u64, ImportError> {
        self.place.whole(column.name, self.text(column), limit)
    }

    /// Returns the number that a column holds; the limit stays within 32 bits.
    pub fn whole_u32(&self, column: Column, limit: &Limit) -> Result<u32, ImportError> {
        self.place.whole_u32(column.name, self.text(column), limit)
    }

    pub fn wrong(&self, column: Column, message: impl Into<String>) -> ImportError {
        self.place.field(column.name, message)
    }
}
