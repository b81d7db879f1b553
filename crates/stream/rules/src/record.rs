//! The record of a contest: everything that happened, a line of JSON each, from which the board follows.
//!
//! Times are nanoseconds since the contest began. A chunk's line is written before the chunk is sent, and the
//! line that it was sent afterwards: a chunk without it was not sent.

use crate::contest::Contest;
use crate::rules::Rules;
use serde::{Deserialize, Serialize};

pub const VERSION: u32 = 1;
/// No contest is longer than a hundred years: sums of two times fit.
const AT_NS_MAX: u64 = 100 * 365 * 24 * 3600 * 1_000_000_000;
/// A server has half as many; each takes memory for their latencies.
const CONTESTANTS_MAX: usize = 4_000;
/// Longest name, and longest reason of a refusal, in bytes.
const WORDS_BYTES_MAX: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// The contest begins: the first line.
    Contest {
        version: u32,
        /// The rules, hidden numbers included.
        rules: Box<Rules>,
        /// What the stream follows from.
        seed: u64,
        /// When it began by the system's clock.
        began_unix_ns: u64,
    },
    Contestant {
        name: String,
    },
    /// The next digits.
    Chunk {
        /// Its number, from 0.
        number: u64,
        digits: String,
    },
    Sent {
        number: u64,
        /// When the first client's copy was sent: the chunk appears.
        first_ns: u64,
        /// When the last client's copy was sent.
        last_ns: u64,
        clients: u32,
    },
    Answer {
        at_ns: u64,
        by: String,
        /// What, at most a digit longer than the longest answer.
        text: String,
    },
    /// How long a message takes to a contestant's machine and back.
    Ping {
        by: String,
        round_trip_ns: u64,
    },
    Refused {
        at_ns: u64,
        reason: String,
        count: u64,
    },
    /// The server went on after an interruption.
    Continued {
        at_ns: u64,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("line {0} is not a line of a record")]
    Line(usize, #[source] serde_json::Error),
    /// The first line is no contest, or a contest comes later.
    #[error("line {0}: the contest's line is the first, and there is one")]
    Order(usize),
    #[error("the record has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// No server writes that.
    #[error("line {0}: {1}")]
    Impossible(usize, &'static str),
    #[error("the record's rules cannot be")]
    Rules(#[from] crate::rules::RulesError),
}

impl Line {
    /// Returns when it happened, if the line says so.
    fn at_ns(&self) -> Option<u64> {
        match self {
            Self::Sent { last_ns, .. } => Some(*last_ns),
            Self::Answer { at_ns, .. } | Self::Refused { at_ns, .. } | Self::Continued { at_ns } => {
                Some(*at_ns)
            }
            Self::Contest { .. } | Self::Contestant { .. } | Self::Chunk { .. } | Self::Ping { .. } => None,
        }
    }

    /// Returns what is wrong with the line by itself: lines of others are added up and shown as well.
    fn problem(&self) -> Option<&'static str> {
        let times = match self {
            Self::Sent { first_ns, last_ns, .. } => [*first_ns, *last_ns],
            Self::Ping { round_trip_ns, .. } => [*round_trip_ns; 2],
            other => [other.at_ns().unwrap_or(0); 2],
        };
        let words = match self {
            Self::Contestant { name } => Some(name),
            Self::Answer { by, .. } | Self::Ping { by, .. } => Some(by),
            Self::Refused { reason, .. } => Some(reason),
            _ => None,
        };
        let is_plain = |words: &String| {
            words.len() <= WORDS_BYTES_MAX && words.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        };
        if times.iter().any(|time| *time > AT_NS_MAX) {
            return Some("a time is later than a hundred years after the start");
        }
        let has_other_words = words.is_some_and(|words| !is_plain(words));
        has_other_words.then_some("a name or a reason is not at most 200 printable ASCII characters")
    }

    /// Returns the line with its end.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Reads a record line by line and adds it up.
#[derive(Default)]
pub struct Replay {
    lines: usize,
    begun: Option<Begun>,
}

/// What a record has so far.
pub struct Begun {
    pub contest: Contest,
    pub rules: Rules,
    /// What its stream follows from.
    pub seed: u64,
    /// When it began by the system's clock.
    pub began_unix_ns: u64,
    /// The first chunk that was not sent.
    pub next_chunk: u64,
    /// Whether its digits are there.
    has_next: bool,
    /// The latest time that it names, in nanoseconds since the beginning.
    pub latest_ns: u64,
}

impl Begun {
    /// Follows the chunks: going on makes all that were sent anew, so a made-up number would take for ever.
    fn check_order(&mut self, line: &Line) -> Result<(), &'static str> {
        match line {
            Line::Chunk { number, .. } if *number == self.next_chunk => self.has_next = true,
            Line::Sent { number, .. } if *number == self.next_chunk && self.has_next => {
                (self.next_chunk, self.has_next) = (self.next_chunk + 1, false);
            }
            Line::Chunk { .. } | Line::Sent { .. } => return Err("a chunk before it is missing"),
            _ => {}
        }
        Ok(())
    }
}

impl Replay {
    pub fn take(&mut self, line: &[u8]) -> Result<(), RecordError> {
        self.lines += 1;
        let line: Line =
            serde_json::from_slice(line).map_err(|error| RecordError::Line(self.lines, error))?;
        if let Some(problem) = line.problem() {
            return Err(RecordError::Impossible(self.lines, problem));
        }
        match (&mut self.begun, line) {
            (None, Line::Contest { version: VERSION, rules, seed, began_unix_ns }) => {
                rules.check()?;
                let contest = Contest::new(&rules);
                let rules = *rules;
                let (next_chunk, has_next, latest_ns) = (0, false, 0);
                self.begun =
                    Some(Begun { contest, rules, seed, began_unix_ns, next_chunk, has_next, latest_ns });
            }
            (None, Line::Contest { version, .. }) => return Err(RecordError::Version(version)),
            (None, _) | (Some(_), Line::Contest { .. }) => return Err(RecordError::Order(self.lines)),
            (Some(begun), line) => {
                begun.check_order(&line).map_err(|problem| RecordError::Impossible(self.lines, problem))?;
                begun.latest_ns = begun.latest_ns.max(line.at_ns().unwrap_or(0));
                begun.contest.apply(line);
                if begun.contest.contestants() > CONTESTANTS_MAX {
                    return Err(RecordError::Impossible(self.lines, "there are more than 4000 contestants"));
                }
            }
        }
        Ok(())
    }

    /// Returns what it has added up.
    pub fn finish(self) -> Result<Begun, RecordError> {
        self.begun.ok_or(RecordError::Order(1))
    }
}

/// Reads a record and adds it up. A last line without its end was not written to its end, and is left out.
///
/// Fails at the first line that cannot be read.
pub fn replay(text: &str) -> Result<Contest, RecordError> {
    let mut replay = Replay::default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().try_for_each(|line| replay.take(line.as_bytes()))?;
    replay.finish().map(|begun| begun.contest)
}
