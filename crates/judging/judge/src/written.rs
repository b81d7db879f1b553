//! What runs wrote, and whether an earlier one wrote something else than the accepted one.

use model::{Nanos, RunEnd};
use sha2::{Digest, Sha256};

/// How much of an output is kept to show it: enough for what differs first in most cases.
pub(crate) const SHOWN_BYTES_MAX: usize = 4096;

/// An output, as far as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub bytes: u64,
    /// SHA-256 of all of it.
    pub sha256: [u8; 32],
    pub start: Vec<u8>,
}

/// An output while it comes.
#[derive(Debug)]
pub(crate) struct Writing {
    hash: Sha256,
    bytes: u64,
    start: Vec<u8>,
    start_max: usize,
}

/// A run over the limit, before the accepted one, that wrote something else or ended otherwise, or took longer than anything
/// explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherOutput {
    /// The pass, from 1.
    pub pass: u32,
    /// The run of that pass, or the conversation, from 1.
    pub run: u32,
    /// Whether it wrote something else; otherwise its time alone makes the acceptance a matter of luck.
    pub is_other: bool,
    pub cpu_time: Nanos,
    pub end: RunEnd,
    pub written: Written,
}

impl Writing {
    /// Begins with nothing, and keeps at most this much of the beginning.
    pub fn keeping(start_max: usize) -> Self {
        Self { hash: Sha256::new(), bytes: 0, start: Vec::new(), start_max }
    }

    pub fn add(&mut self, more: &[u8]) {
        self.hash.update(more);
        self.bytes += more.len() as u64;
        let room = self.start_max - self.start.len();
        self.start.extend(&more[..more.len().min(room)]);
    }

    pub fn end(self) -> Written {
        Written { bytes: self.bytes, sha256: self.hash.finalize().into(), start: self.start }
    }
}

impl Written {
    /// Takes a whole output.
    pub(crate) fn of(output: &[u8]) -> Self {
        let mut writing = Writing::keeping(SHOWN_BYTES_MAX);
        writing.add(output);
        writing.end()
    }

    /// Keeps no more of the beginning than is shown.
    pub(crate) fn shorten(&mut self) {
        self.start.truncate(SHOWN_BYTES_MAX);
        self.start.shrink_to_fit();
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.bytes, self.sha256) == (other.bytes, other.sha256)
    }
}

/// Returns whether a run that ended this way wrote something else than the accepted one, or ended otherwise by itself.
/// What a run wrote until it was killed is nothing else if the accepted output begins with it; `at_hand` is the accepted
/// output, or its beginning. If that is too short to tell, it counts as something else.
pub(crate) fn is_other((end, written): (RunEnd, &Written), accepted: &Written, at_hand: &[u8]) -> bool {
    if !matches!(end, RunEnd::Limit(_)) {
        return end != RunEnd::Exited(0) || !written.is(accepted);
    }
    let begin = usize::try_from(written.bytes).ok().and_then(|bytes| at_hand.get(..bytes));
    match begin {
        Some(begin) => <[u8; 32]>::from(Sha256::digest(begin)) != written.sha256,
        None => !written.is(accepted),
    }
}

/// Returns whether one of two texts begins with the other, as far as what is kept shows of them.
pub(crate) fn begins_alike(one: &Written, other: &Written) -> bool {
    let (short, long) = if one.bytes <= other.bytes { (one, other) } else { (other, one) };
    let begin = usize::try_from(short.bytes).ok().and_then(|bytes| long.start.get(..bytes));
    match begin {
        Some(begin) => <[u8; 32]>::from(Sha256::digest(begin)) == short.sha256,
        None => short.is(long),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::LimitKind;

    #[test]
    fn killed_output_differs_unless_the_accepted_output_begins_with_it() {
        const KILLED: RunEnd = RunEnd::Limit(LimitKind::CpuTime);
        const CLOCK: RunEnd = RunEnd::Limit(LimitKind::WallTime);
        let accepted = b"1\n2\n3\n";
        for (end, wrote, expected) in [
            (RunEnd::Exited(0), &b"1\n2\n3\n"[..], false),
            (RunEnd::Exited(0), b"1\n2\n", true),
            (RunEnd::Exited(0), b"", true),
            (RunEnd::Exited(0), b"sorry\n", true),
            (RunEnd::Exited(1), b"1\n2\n3\n", true),
            (RunEnd::Signaled(11), b"1\n2\n3\n", true),
            (KILLED, b"", false),
            (KILLED, b"1\n2", false),
            (KILLED, b"1\n2\n3\n", false),
            (KILLED, b"1\n2\n3\n4", true),
            (KILLED, b"1\n3", true),
            (CLOCK, b"1\n", false),
            (CLOCK, b"sorry", true),
        ] {
            let reported = is_other((end, &Written::of(wrote)), &Written::of(accepted), accepted);
            assert_eq!(reported, expected, "{end}, {wrote:?}");
        }
    }

    #[test]
    fn outputs_that_cannot_be_compared_count_as_different() {
        let (accepted, killed) = (Written::of(b"abcdef"), RunEnd::Limit(LimitKind::CpuTime));
        let reported =
            |wrote: &[u8], at_hand: &[u8]| is_other((killed, &Written::of(wrote)), &accepted, at_hand);
        assert!(!reported(b"abc", b"abcd"));
        assert!(reported(b"abcde", b"abcd"));
        assert!(!reported(b"abcdef", b"abcd"));
    }

    #[test]
    fn a_long_output_is_kept_by_its_beginning() {
        let long: Vec<u8> = (0..20_000_u32).map(|at| at as u8).collect();
        let mut writing = Writing::keeping(5000);
        long.chunks(777).for_each(|chunk| writing.add(chunk));
        let mut written = writing.end();
        assert_eq!((written.bytes, written.start.len()), (20_000, 5000));
        assert!(written.is(&Written::of(&long)));
        written.shorten();
        assert_eq!(written, Written::of(&long));
    }
}
