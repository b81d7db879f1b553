//! The latest notices of one audience.

use contest_rules::Object;
use std::collections::VecDeque;
use std::sync::Arc;

/// Notices by their numbers, which have no gaps.
#[derive(Debug)]
pub struct Ring {
    /// The number of the first one that is kept, or of the next one.
    first: u64,
    entries: VecDeque<Entry>,
    max: usize,
    /// The number of the last notice of something that others refer to.
    last_referred: u64,
}

/// A notice: what changed, and the same as the end of a server-sent event.
#[derive(Debug)]
pub struct Entry {
    pub object: Object,
    pub line: Arc<str>,
}

/// The position is not in the ring: what came after it is not known any more.
#[derive(Debug, PartialEq, Eq)]
pub struct Missed;

impl Ring {
    /// Returns an empty ring for at most `max` notices, after the notice `last`.
    pub fn after(last: u64, max: usize) -> Self {
        Self { first: last + 1, entries: VecDeque::new(), max, last_referred: last }
    }

    /// Adds a notice. A gap, or a number that was there, empties the ring.
    pub fn push(&mut self, number: u64, entry: Entry) {
        if number != self.last() + 1 {
            self.entries.clear();
            self.first = number;
        }
        if self.entries.len() == self.max {
            self.entries.pop_front();
            self.first += 1;
        }
        if entry.object.is_referred_to() {
            self.last_referred = number;
        }
        self.entries.push_back(entry);
    }

    /// Returns the number of the last notice of something that others refer to; if unknown, of the last one before this ring.
    pub fn last_referred(&self) -> u64 {
        self.last_referred
    }

    pub fn last(&self) -> u64 {
        self.first + self.entries.len() as u64 - 1
    }

    /// Returns the notices after a position, each with its number.
    pub fn since(&self, position: u64) -> Result<impl Iterator<Item = (u64, &Entry)>, Missed> {
        if position + 1 < self.first || position > self.last() {
            return Err(Missed);
        }
        let skipped = (position + 1 - self.first) as usize;
        Ok((position + 1..).zip(self.entries.iter().skip(skipped)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ring: &Ring, position: u64, expect: Result<&[u64], Missed>) {
        let numbers = ring.since(position).map(|lines| lines.map(|(number, _)| number).collect::<Vec<_>>());
        assert_eq!(numbers.as_deref(), expect.as_ref().map(|numbers| *numbers), "after {position}");
    }

    fn ring(last: u64, numbers: &[u64]) -> Ring {
        let mut ring = Ring::after(last, 3);
        for number in numbers {
            ring.push(*number, Entry { object: Object::Board, line: number.to_string().into() });
        }
        ring
    }

    #[test]
    fn positions_in_the_ring_have_a_rest() {
        let kept = ring(0, &[1, 2, 3, 4, 5]);
        check(&kept, 1, Err(Missed));
        check(&kept, 2, Ok(&[3, 4, 5]));
        check(&kept, 4, Ok(&[5]));
        check(&kept, 5, Ok(&[]));
        check(&kept, 6, Err(Missed));
        assert_eq!(
            kept.since(3).unwrap().next().map(|(_, entry)| entry.line.to_string()),
            Some("4".to_owned())
        );
    }

    #[test]
    fn an_empty_ring_knows_where_it_is() {
        check(&ring(7, &[]), 7, Ok(&[]));
        check(&ring(7, &[]), 6, Err(Missed));
        check(&ring(7, &[]), 8, Err(Missed));
        check(&ring(0, &[]), 0, Ok(&[]));
    }

    #[test]
    fn a_gap_empties_the_ring() {
        check(&ring(0, &[1, 2, 5]), 2, Err(Missed));
        check(&ring(0, &[1, 2, 5]), 4, Ok(&[5]));
        // A client came between the publication of the state and the notice.
        check(&ring(7, &[7]), 7, Ok(&[]));
        check(&ring(7, &[7, 8]), 7, Ok(&[8]));
        // A contest with the same id was made anew.
        check(&ring(7, &[1]), 7, Err(Missed));
    }
}
