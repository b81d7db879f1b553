//! Inputs that are changed at random: the same seed gives the same inputs.

/// What breaks readers: limits of numbers, and what has a meaning in one of the formats.
const WORDS: &[&str] = &[
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "4294967295",
    "-1",
    "0",
    "1e999",
    "-0.0",
    ".nan",
    ".inf",
    "null",
    "true",
    "{}",
    "[]",
    "\"",
    "'",
    ": ",
    "- ",
    "&a ",
    "*a",
    "<<: ",
    "!!binary ",
    "|\n ",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\t",
    "\r\n",
    "\n",
    "..",
    "/",
    "9999-12-31T23:59:59Z",
    "0000-01-01T00:00:00Z",
    "999999:59:59",
    "2026-02-29T24:60:60+14:59",
    "%",
    "\0",
];
/// An input is not made longer.
const BYTES_MAX: usize = 1 << 16;
/// A part is repeated at most so often.
const REPEATS_MAX: u64 = 200;

/// Changes inputs at random.
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    state: u64,
}

impl Mutator {
    /// Returns one that begins with these inputs.
    pub fn new(seeds: Vec<Vec<u8>>, seed: u64) -> Self {
        assert!(seeds.iter().any(|seed| !seed.is_empty()), "there is nothing to change");
        Self { seeds, state: seed | 1 }
    }

    fn below(&mut self, limit: usize) -> usize {
        // Marsaglia, "Xorshift RNGs": enough for choosing.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % limit.max(1) as u64) as usize
    }

    fn range(&mut self, input: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(input.len() + 1);
        let longest = if self.below(4) == 0 { input.len() } else { 16 };
        start..(start + self.below(longest + 1)).min(input.len())
    }

    pub fn next_input(&mut self) -> Vec<u8> {
        let chosen = self.below(self.seeds.len());
        let mut input = self.seeds[chosen].clone();
        for _ in 0..=self.below(6) {
            let at = self.below(input.len() + 1);
            match self.below(8) {
                0 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte = byte.wrapping_add(1)),
                1 => {
                    let bit = 1 << self.below(8);
                    input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
                }
                2 => drop(input.drain(self.range(&input.clone()))),
                3 | 4 => {
                    let (range, word) = (self.range(&input), WORDS[self.below(WORDS.len())]);
                    let end = if self.below(2) == 0 { range.start } else { range.end };
                    input.splice(range.start..end, word.bytes());
                }
                5 => {
                    let part = input[self.range(&input)].to_vec();
                    let count = self.below(REPEATS_MAX as usize);
                    input.splice(at..at, part.repeat(count));
                }
                6 => {
                    let other = self.below(self.seeds.len());
                    let other = self.seeds[other].clone();
                    input.splice(at..at, other[self.range(&other)].iter().copied());
                }
                _ => {
                    // A number in place of a number.
                    let digits =
                        input.iter().skip(at).position(u8::is_ascii_digit).map_or(at, |more| at + more);
                    let count = input.iter().skip(digits).take_while(|byte| byte.is_ascii_digit()).count();
                    let word = WORDS[self.below(9)];
                    input.splice(digits..digits + count, word.bytes());
                }
            }
            input.truncate(BYTES_MAX);
        }
        input
    }
}
