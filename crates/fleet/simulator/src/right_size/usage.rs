//! The CPU time that a service used over time.

use model::Nanos;
use std::io::BufRead;

const HEADER: &str = "at_ms,used_ms";
/// The shortest interval and the longest one.
const INTERVAL: [Nanos; 2] = [Nanos::from_millis(1), Nanos::from_millis(60_000)];
/// Nearly three hours of milliseconds, or a week of tenths of a second; each takes 56 bytes while it is read.
const ROWS_MAX: usize = 10_000_000;
/// Three weeks: the search simulates each period of 100 ms some fifty times.
const LENGTH_MAX: Nanos = Nanos::from_millis(21 * 24 * 3_600_000);
/// No line of two numbers is longer.
const LINE_BYTES_MAX: u64 = 200;
/// More CPUs than any machine has.
const CPUS_MAX: f64 = 100_000.0;
/// What the largest machine of the search, 1024 CPUs, has in the longest trace: more can have no size. An instant at which
/// one CPU has done all of it is a tenth of the largest number.
const WORK_MAX: Nanos = Nanos(1024 * LENGTH_MAX.0);

#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    #[error("line {line}: cannot be read")]
    Read {
        /// The line, from 1.
        line: usize,
        source: std::io::Error,
    },
    /// A line is not as it should be.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What was found, and what was expected.
        what: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// When it begins, after the trace's beginning.
    pub from: Nanos,
    /// When it ends.
    pub to: Nanos,
    /// The CPU time before it, all together.
    pub before: u64,
    /// The CPU time at its end, in nanoseconds.
    pub after: u64,
}

impl Reading {
    /// Returns the work that has arrived at an instant of it.
    pub(super) fn arrived(&self, at: Nanos) -> u64 {
        let part = u128::from(self.after - self.before) * u128::from((at - self.from).0);
        // It is at most the difference.
        self.before + (part / u128::from((self.to - self.from).0)) as u64
    }
}

/// A line of a trace, as it was read.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Which line it is, from 1: blank lines count too.
    line: usize,
    at: Nanos,
    used: u64,
}

/// A trace: intervals one after the other, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage(Vec<Reading>);

impl Usage {
    /// Reads lines `at_ms,used_ms`: when an interval begins, and the CPU time in it. An interval ends where the next begins;
    /// the last is as long as the one before.
    pub fn read(mut reader: impl BufRead) -> Result<Self, UsageError> {
        let mut rows: Vec<Row> = Vec::new();
        let mut text = String::new();
        let mut end = 1;
        for line in 1.. {
            let wrong = |what: String| UsageError::Line { line, what };
            text.clear();
            let read = std::io::Read::take(&mut reader, LINE_BYTES_MAX).read_line(&mut text);
            let bytes = read.map_err(|source| UsageError::Read { line, source })?;
            if bytes == 0 {
                break;
            }
            end = line;
            if bytes as u64 == LINE_BYTES_MAX && !text.ends_with('\n') {
                return Err(wrong(format!("is longer than {LINE_BYTES_MAX} bytes, expected two numbers")));
            }
            let row = text.trim();
            if line == 1 {
                if row != HEADER {
                    return Err(wrong(format!("is '{row}', expected the header '{HEADER}'")));
                }
                continue;
            }
            if row.is_empty() {
                continue;
            }
            if rows.len() == ROWS_MAX {
                return Err(wrong(format!("expected at most {ROWS_MAX} intervals; sum some up")));
            }
            let (at, used) = row
                .split_once(',')
                .and_then(|(at, used)| Some((Nanos(millis(at)?), millis(used)?)))
                .ok_or_else(|| {
                    wrong(format!("is '{row}', expected two numbers of milliseconds, such as 1000,250.5"))
                })?;
            if let Some(before) = rows.last() {
                let [least, most] = INTERVAL;
                let length = at.saturating_sub(before.at);
                if length < least || length > most {
                    return Err(wrong(format!(
                        "at_ms is {} after the line before, expected {least} to {most}; sort the lines, and fill gaps \
                         with intervals of 0",
                        if at > before.at { length.to_string() } else { "not".to_owned() },
                    )));
                }
            }
            rows.push(Row { line, at, used });
        }
        Self::of(&rows, end)
    }

    /// Makes a trace of rows; `end` is the last line of the text.
    fn of(rows: &[Row], end: usize) -> Result<Self, UsageError> {
        let wrong = |line: usize, what: String| UsageError::Line { line, what };
        let [.., before, last] = rows else {
            return Err(wrong(end, "is the end, expected two intervals at least".to_owned()));
        };
        let (begin, end) = (rows[0].at, last.at + (last.at - before.at));
        if end - begin > LENGTH_MAX {
            let what = format!("ends {} after the beginning, expected at most {LENGTH_MAX}", end - begin);
            return Err(wrong(last.line, what));
        }
        let ends = rows[1..].iter().map(|row| row.at).chain([end]);
        let mut work = 0_u64;
        let mut readings = Vec::with_capacity(rows.len());
        for (row, to) in rows.iter().zip(ends) {
            if row.used as f64 > CPUS_MAX * (to - row.at).0 as f64 {
                let what =
                    "used_ms is more than 100000 CPUs have in the interval, expected milliseconds".to_owned();
                return Err(wrong(row.line, what));
            }
            let after = work.checked_add(row.used).filter(|after| *after <= WORK_MAX.0).ok_or_else(|| {
                let what = "used_ms of all lines so far is more than 1024 CPUs have in 21 days together, expected \
                            milliseconds; give a shorter trace";
                wrong(row.line, what.to_owned())
            })?;
            readings.push(Reading { from: row.at - begin, to: to - begin, before: work, after });
            work = after;
        }
        if work == 0 {
            return Err(wrong(rows[0].line, "used_ms is 0 in all lines, expected CPU time".to_owned()));
        }
        Ok(Self(readings))
    }

    pub fn readings(&self) -> &[Reading] {
        &self.0
    }

    pub fn length(&self) -> Nanos {
        self.0.last().map_or(Nanos::ZERO, |last| last.to)
    }

    /// Returns the CPU time of the whole trace, in nanoseconds.
    pub fn work(&self) -> u64 {
        self.0.last().map_or(0, |last| last.after)
    }

    /// Returns the work that arrives in each block.
    pub(super) fn blocks(&self, block: Nanos) -> Vec<u64> {
        let mut blocks = vec![0; self.length().0.div_ceil(block.0) as usize];
        for reading in &self.0 {
            let (mut at, mut arrived) = (reading.from, reading.before);
            while at < reading.to {
                let number = at.0 / block.0;
                let to = reading.to.min(Nanos((number + 1) * block.0));
                let now = reading.arrived(to);
                blocks[number as usize] += now - arrived;
                (at, arrived) = (to, now);
            }
        }
        blocks
    }
}

/// Reads milliseconds, as nanoseconds.
fn millis(text: &str) -> Option<u64> {
    let value: f64 = text.trim().parse().ok()?;
    // Above this a double does not have each microsecond. Whole milliseconds stay exact, as those since 1970 in nanoseconds
    // would not.
    (0.0..=9e12)
        .contains(&value)
        .then(|| value.trunc() as u64 * 1_000_000 + (value.fract() * 1e6).round() as u64)
}
