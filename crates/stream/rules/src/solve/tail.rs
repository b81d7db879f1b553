//! The last digits of a stream, one after the other in memory.

/// As many times the needed length lie in memory before the rest is moved to the front.
const MOVES_SELDOM: usize = 16;

pub(super) struct Tail {
    digits: Vec<u8>,
    longest: usize,
    /// How many digits there were in all.
    pub count: u64,
}

impl Tail {
    pub fn new(longest: usize) -> Self {
        Self { digits: Vec::with_capacity(longest * MOVES_SELDOM), longest, count: 0 }
    }

    #[inline]
    pub fn push(&mut self, digit: u8) {
        if self.digits.len() == self.longest * MOVES_SELDOM {
            let keep = self.digits.len() - self.longest;
            self.digits.drain(..keep);
        }
        self.digits.push(digit);
        self.count += 1;
    }

    /// Returns the last digits, at most the longest number of them.
    #[inline]
    pub fn window(&self) -> &[u8] {
        &self.digits[self.digits.len().saturating_sub(self.longest)..]
    }

    pub fn extend(&mut self, digits: &[u8]) {
        if self.digits.len() + digits.len() > self.longest * MOVES_SELDOM {
            let keep = self.digits.len().saturating_sub(self.longest);
            self.digits.drain(..keep);
        }
        self.digits.extend_from_slice(digits);
        self.count += digits.len() as u64;
    }

    /// Returns `length` digits, behind which there are `behind` more.
    #[inline]
    pub fn before(&self, behind: usize, length: usize) -> &[u8] {
        let end = self.digits.len() - behind;
        &self.digits[end - length..end]
    }

    /// Returns the last `length` digits.
    #[inline]
    pub fn last(&self, length: usize) -> &[u8] {
        &self.digits[self.digits.len() - length..]
    }
}
