//! Where a run's records come from: a trace as it is, or drawn again from it.

use crate::trace::{Head, Reader, Record, TraceError};
use stats::Dice;
use std::collections::VecDeque;
use std::io::BufRead;

/// Records in the order of time.
pub trait Source {
    /// Returns what the trace says of itself.
    fn head(&self) -> &Head;
    /// Returns the next record; `None` at the end.
    fn next(&mut self) -> Result<Option<Record>, TraceError>;
    /// Returns the trace's line of the last record.
    fn line(&self) -> u64;
    /// Returns a hash of the records so far.
    fn hash(&self) -> [u8; 32];
}

impl<R: BufRead> Source for Reader<R> {
    fn head(&self) -> &Head {
        Reader::head(self)
    }

    fn next(&mut self) -> Result<Option<Record>, TraceError> {
        Reader::next(self)
    }

    fn line(&self) -> u64 {
        Reader::line(self)
    }

    fn hash(&self) -> [u8; 32] {
        Reader::hash(self)
    }
}

/// A draw of a trace's jobs: of one of its days, and each group of jobs as often as it was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The day; `None` for all of the trace.
    pub day: Option<u64>,
    /// How often each group comes.
    pub counts: Vec<u32>,
}

/// A trace of which only the jobs of a draw come.
pub struct Drawn<S> {
    source: S,
    draw: Draw,
    copies: VecDeque<Record>,
}

pub const DAY_MS: u64 = 86_400_000;

impl Draw {
    /// Draws from groups with replacement.
    pub fn new(day: Option<u64>, groups: u32, dice: &mut Dice) -> Self {
        let mut counts = vec![0; groups as usize];
        (0..groups).for_each(|_| counts[dice.below(groups as usize)] += 1);
        Self { day, counts }
    }

    /// Takes every group once.
    pub fn all(day: Option<u64>) -> Self {
        Self { day, counts: vec![1] }
    }

    /// Returns how often a job comes: all jobs of a service, or of one name, are in one group.
    fn times(&self, name: &str) -> u32 {
        // FNV-1a: which group it is must be the same everywhere, so a seeded hasher will not do.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.counts[(hash % self.counts.len() as u64) as usize]
    }
}

impl<S: Source> Drawn<S> {
    pub fn new(source: S, draw: Draw) -> Self {
        Self { source, draw, copies: VecDeque::new() }
    }
}

impl<S: Source> Source for Drawn<S> {
    fn head(&self) -> &Head {
        self.source.head()
    }

    fn next(&mut self) -> Result<Option<Record>, TraceError> {
        loop {
            if let Some(copy) = self.copies.pop_front() {
                return Ok(Some(copy));
            }
            let Some(mut record) = self.source.next()? else { return Ok(None) };
            if let Some(day) = self.draw.day {
                let begin_ms = day * DAY_MS;
                let at_ms = record.at_ms();
                let is_host = matches!(record, Record::Host(_));
                // Hosts that came on earlier days are there from the beginning.
                if at_ms >= begin_ms + DAY_MS || (at_ms < begin_ms && !is_host) {
                    continue;
                }
                *at_of(&mut record) = at_ms.saturating_sub(begin_ms);
            }
            let Record::Job(job) = &record else { return Ok(Some(record)) };
            let times = self.draw.times(job.service.as_deref().unwrap_or(&job.name));
            for copy in 1..times {
                let mut job = job.clone();
                job.name = format!("{}#{copy}", job.name);
                // A copy is another job with the same load, so what its service shows of it would be no prediction.
                job.service = job.service.map(|service| format!("{service}#{copy}"));
                self.copies.push_back(Record::Job(job));
            }
            if times > 0 {
                return Ok(Some(record));
            }
        }
    }

    fn line(&self) -> u64 {
        self.source.line()
    }

    fn hash(&self) -> [u8; 32] {
        self.source.hash()
    }
}

fn at_of(record: &mut Record) -> &mut u64 {
    match record {
        Record::Host(host) => &mut host.at_ms,
        Record::Change(change) => &mut change.at_ms,
        Record::Job(job) => &mut job.at_ms,
    }
}
