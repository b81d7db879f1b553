//! The board: what everybody sees.

use crate::rules::Rules;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Longer answers are shown in part, so that the board is no second stream.
const SHOWN_DIGITS: usize = 40;

/// The board at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The rules without hidden numbers.
    pub rules: Rules,
    /// When, since the contest began.
    pub at_ns: u64,
    /// The contestants, the best first.
    pub rows: Vec<Row>,
    /// The last answers that count no more, the newest first.
    pub last: Vec<LastAnswer>,
    /// Digits that were sent.
    pub digits: u64,
    /// Answers that appeared in them.
    pub answers: u64,
    /// Answers that nobody gave.
    pub missed: u64,
    /// Clients that the last chunk was sent to.
    pub clients: u32,
    /// How long after the first client's copy of the last chunk the last one's was sent.
    pub spread_ns: u64,
    /// 10, 50, 90 and 99 of a hundred chunks for several clients had no longer spread.
    pub spread_percentiles_ns: [Option<i64>; 4],
    /// How often clients were turned away or dropped, by reason.
    pub refused: BTreeMap<String, u64>,
}

/// One contestant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who.
    pub name: String,
    /// Points less costs.
    pub score: i64,
    /// How often each number of points was given, the most first.
    pub by_points: Vec<(u32, u64)>,
    /// Answers in time after all places were taken.
    pub beyond: u64,
    /// Answers after their window.
    pub late: u64,
    /// What is no answer.
    pub wrong: u64,
    /// Answers that were given before.
    pub duplicate: u64,
    /// What is not even a number of a possible length.
    pub malformed: u64,
    /// Answers before they appeared, where that is not allowed.
    pub early: u64,
    /// All submissions.
    pub submitted: u64,
    /// 10, 50, 90 and 99 of a hundred answers in time came no later after they appeared.
    pub percentiles_ns: [Option<i64>; 4],
    /// Their mean.
    pub mean_ns: Option<i64>,
    /// Their standard deviation.
    pub deviation_ns: Option<u64>,
    /// How long a message takes to the contestant's machine and back.
    pub ping_ns: Option<u64>,
    /// The score at the end of each of the last 60 minutes.
    pub growth: Vec<i64>,
    /// The latencies that 0, 5, ... 95 and 100 of a hundred answers do not exceed.
    pub curve_ns: Vec<i64>,
}

/// An answer whose time is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastAnswer {
    /// Its digits.
    pub text: String,
    /// Of which numbers it is a multiple, from 0.
    pub numbers: Vec<u8>,
    /// When it appeared.
    pub at_ns: u64,
    /// Who gave it, the first first.
    pub given: Vec<Given>,
}

/// Who gave an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Who.
    pub name: String,
    /// How long after it appeared.
    pub latency_ns: i64,
    /// What it brought.
    pub points: u32,
}

impl LastAnswer {
    /// Returns the digits as they are shown: the first and the last of a long answer.
    pub fn shown(&self) -> String {
        match self.text.len() {
            length if length <= SHOWN_DIGITS => self.text.clone(),
            length => {
                let half = SHOWN_DIGITS / 2;
                format!("{}.....{}", &self.text[..half], &self.text[length - half..])
            }
        }
    }
}

impl Board {
    /// Returns the board as text for people and scripts.
    pub fn to_text(&self) -> String {
        let mut text = format!("N = {}\n", self.rules.digits_max);
        for (at, number) in self.rules.multiples_of.iter().enumerate() {
            let value = if number.hidden {
                format!("hidden, primes {}", number.primes.join(" "))
            } else {
                number.value.clone()
            };
            let _ = writeln!(text, "M{} = {value}", at + 1);
        }
        let _ = writeln!(
            text,
            "\ntime {} s, {} digits, {} answers, {} given by nobody; {} clients, sent within {} us (median {})\n",
            self.at_ns / 1_000_000_000,
            self.digits,
            self.answers,
            self.missed,
            self.clients,
            self.spread_ns / 1000,
            self.spread_percentiles_ns[1].map_or("-".to_owned(), micros),
        );
        text += &aligned(&self.table());
        for answer in &self.last {
            let numbers: Vec<String> =
                answer.numbers.iter().map(|number| format!("M{}", number + 1)).collect();
            let length = answer.text.len();
            let _ = writeln!(text, "\n{}\n{length} digits, {}", answer.shown(), numbers.join(" "));
            for given in &answer.given {
                let _ =
                    writeln!(text, "{:>9} us  {:+}  {}", micros(given.latency_ns), given.points, given.name);
            }
        }
        for (reason, count) in &self.refused {
            let _ = writeln!(text, "\nrefused: {count} {reason}");
        }
        text
    }

    fn table(&self) -> Vec<Vec<String>> {
        let mut points: Vec<u32> = self.rules.points.clone();
        points.sort_unstable();
        points.dedup();
        let mut head: Vec<String> = ["contestant", "score"].map(str::to_owned).to_vec();
        head.extend(points.iter().rev().map(|points| format!("+{points}")));
        let late = format!(">{}s", self.rules.after_ms / 1000);
        let names = ["+0", &late, "wrong", "dup", "bad", "early", "submit"];
        head.extend(names.map(str::to_owned));
        head.extend(["10%", "50%", "90%", "99%", "mean", "std", "ping"].map(str::to_owned));
        let mut table = vec![head];
        for row in &self.rows {
            let mut cells = vec![row.name.clone(), row.score.to_string()];
            cells.extend(row.by_points.iter().map(|(_, count)| count.to_string()));
            let counts = [row.beyond, row.late, row.wrong, row.duplicate, row.malformed, row.early];
            cells.extend(counts.map(|count| count.to_string()));
            cells.push(row.submitted.to_string());
            let unsigned = |time: Option<u64>| time.map(|time| time as i64);
            let times = row.percentiles_ns.into_iter().chain([row.mean_ns, unsigned(row.deviation_ns)]);
            cells
                .extend(times.chain([unsigned(row.ping_ns)]).map(|time| time.map_or("-".to_owned(), micros)));
            table.push(cells);
        }
        table
    }
}

fn micros(time_ns: i64) -> String {
    (time_ns / 1000).to_string()
}

fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let mut text = String::new();
    for row in table {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
