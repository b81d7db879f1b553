//! What every solver is.

/// A multiple that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// How many digits the stream had up to its last digit.
    pub end: u64,
    /// How many digits it has.
    pub length: u16,
    /// Of which number it is a multiple, counted from 0.
    pub number: u8,
}

/// Is called with each multiple and its digits.
pub type OnMatch<'f> = &'f mut dyn FnMut(Match, &[u8]);

/// Finds multiples in a stream.
pub trait Solver: Send {
    /// Takes the next digits, in ASCII.
    fn take(&mut self, digits: &[u8], found: OnMatch<'_>);

    /// Does now what the next digits would have to wait for.
    fn prepare(&mut self) {}

    /// Returns how many bytes it works on while digits come; `None` where that is not counted.
    fn memory_bytes(&self) -> Option<usize> {
        None
    }

    /// Returns the multiples that a few further digits would complete, by calling `likely` with each.
    fn predict(&mut self, _likely: &mut dyn FnMut(&[u8])) {}
}
