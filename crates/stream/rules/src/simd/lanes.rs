//! The recurrence of remainders for eight substrings at once.
#![allow(unsafe_code)]

use model::Instructions;
use num_bigint::BigUint;

/// Substrings that one vector has.
const COUNT: usize = 8;
/// Bits of a word; the others take what ten times it carries.
const WORD_BITS: u32 = 60;
const MASK: u64 = (1 << WORD_BITS) - 1;

type Word = [u64; COUNT];

/// The remainders of all substrings by one number. They are in a ring: a new substring takes the place of the one that is too long.
pub(crate) struct Lanes {
    instructions: Instructions,
    words: Words,
    digits_max: usize,
    next: usize,
    /// How many digits came, at most the longest.
    count: usize,
}

enum Words {
    One(Remainders<1>),
    Two(Remainders<2>),
    Three(Remainders<3>),
    Four(Remainders<4>),
    Nine(Remainders<9>),
}

struct Remainders<const L: usize> {
    /// 8, 4, 2 and 1 times the number.
    multiples: [[u64; L]; 4],
    vectors: Vec<[Word; L]>,
}

impl Lanes {
    /// Begins without a digit.
    ///
    /// # Panics
    /// When this processor does not have the instructions.
    pub fn new(number: &BigUint, digits_max: usize, instructions: Instructions) -> Self {
        assert!(instructions.is_there(), "this processor has no {}", instructions.name());
        let vectors = digits_max.div_ceil(COUNT);
        // Ten times a number of one bit less still has its sign in the highest bit.
        let words = match (number.bits() + 1).div_ceil(u64::from(WORD_BITS)) {
            0..=1 => Words::One(Remainders::new(number, vectors)),
            2 => Words::Two(Remainders::new(number, vectors)),
            3 => Words::Three(Remainders::new(number, vectors)),
            4 => Words::Four(Remainders::new(number, vectors)),
            _ => Words::Nine(Remainders::new(number, vectors)),
        };
        Self { instructions, words, digits_max, next: 0, count: 0 }
    }

    /// Takes a digit, and calls `found` with the length of each substring whose remainder is zero. Some of these may begin
    /// with a zero.
    pub fn take(&mut self, digit: u8, found: &mut dyn FnMut(usize)) {
        // A substring that begins with a zero gets a remainder that is no zero at once.
        let first = u64::from(digit == 0);
        match &mut self.words {
            Words::One(remainders) => remainders.begin(self.next, first),
            Words::Two(remainders) => remainders.begin(self.next, first),
            Words::Three(remainders) => remainders.begin(self.next, first),
            Words::Four(remainders) => remainders.begin(self.next, first),
            Words::Nine(remainders) => remainders.begin(self.next, first),
        }
        let least = match self.instructions {
            // SAFETY: `new` has asked whether the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512(&mut self.words, digit) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2(&mut self.words, digit) },
            _ => all(&mut self.words, digit),
        };
        self.count = self.digits_max.min(self.count + 1);
        if least.contains(&0) {
            for at in (0..self.digits_max).filter(|at| self.words.is_zero(*at)) {
                let length = (self.next + self.digits_max - at) % self.digits_max + 1;
                // The others are there before the stream has begun.
                if length <= self.count {
                    found(length);
                }
            }
        }
        self.next = (self.next + 1) % self.digits_max;
    }
}

impl Words {
    fn is_zero(&self, at: usize) -> bool {
        match self {
            Self::One(remainders) => remainders.is_zero(at),
            Self::Two(remainders) => remainders.is_zero(at),
            Self::Three(remainders) => remainders.is_zero(at),
            Self::Four(remainders) => remainders.is_zero(at),
            Self::Nine(remainders) => remainders.is_zero(at),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn avx512(words: &mut Words, digit: u8) -> Word {
    all(words, digit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(words: &mut Words, digit: u8) -> Word {
    all(words, digit)
}

#[inline(always)]
fn all(words: &mut Words, digit: u8) -> Word {
    match words {
        Words::One(remainders) => remainders.one_word(digit),
        Words::Two(remainders) => remainders.append(digit),
        Words::Three(remainders) => remainders.append(digit),
        Words::Four(remainders) => remainders.append(digit),
        Words::Nine(remainders) => remainders.append(digit),
    }
}

impl<const L: usize> Remainders<L> {
    fn new(number: &BigUint, vectors: usize) -> Self {
        let words = |value: BigUint| {
            let mut words = [0_u64; L];
            for (at, word) in words.iter_mut().enumerate() {
                let shifted = &value >> (at * WORD_BITS as usize);
                let low = shifted.iter_u64_digits().next().unwrap_or(0);
                *word = if at + 1 < L { low & MASK } else { low };
            }
            words
        };
        let mut nothing = [[0; COUNT]; L];
        nothing[0] = [1; COUNT];
        Self {
            multiples: [8_u8, 4, 2, 1].map(|factor| words(number * factor)),
            vectors: vec![nothing; vectors],
        }
    }

    fn begin(&mut self, at: usize, first: u64) {
        let vector = &mut self.vectors[at / COUNT];
        vector.iter_mut().for_each(|word| word[at % COUNT] = 0);
        vector[0][at % COUNT] = first;
    }

    /// Appends a digit to all, and returns the least remainder of each lane.
    #[inline(always)]
    fn append(&mut self, digit: u8) -> Word {
        let mut least = [u64::MAX; COUNT];
        for vector in &mut self.vectors {
            let mut rest = *vector;
            let mut carry = [u64::from(digit); COUNT];
            for word in rest.iter_mut().take(L - 1) {
                for lane in 0..COUNT {
                    let product = word[lane] * 10 + carry[lane];
                    word[lane] = product & MASK;
                    carry[lane] = product >> WORD_BITS;
                }
            }
            for lane in 0..COUNT {
                rest[L - 1][lane] = rest[L - 1][lane] * 10 + carry[lane];
            }
            for multiple in &self.multiples {
                rest = less(&rest, multiple);
            }
            *vector = rest;
            let mut any = [0_u64; COUNT];
            for word in &rest {
                for lane in 0..COUNT {
                    any[lane] |= word[lane];
                }
            }
            least = lesser(&least, &any);
        }
        least
    }

    fn is_zero(&self, at: usize) -> bool {
        self.vectors[at / COUNT].iter().all(|word| word[at % COUNT] == 0)
    }
}

impl Remainders<1> {
    /// In one word what is below the multiple becomes huge, so the smaller of both is the rest.
    #[inline(always)]
    fn one_word(&mut self, digit: u8) -> Word {
        let mut least = [u64::MAX; COUNT];
        for [vector] in &mut self.vectors {
            let mut rest = *vector;
            for word in &mut rest {
                *word = *word * 10 + u64::from(digit);
            }
            for [multiple] in self.multiples {
                for word in &mut rest {
                    *word = (*word).min(word.wrapping_sub(multiple));
                }
            }
            *vector = rest;
            least = lesser(&least, &rest);
        }
        least
    }
}

/// Subtracts where the rest is not less.
#[inline(always)]
fn less<const L: usize>(rest: &[Word; L], multiple: &[u64; L]) -> [Word; L] {
    let mut difference = *rest;
    let mut borrow = [0_u64; COUNT];
    for (at, word) in difference.iter_mut().enumerate() {
        for lane in 0..COUNT {
            let value = word[lane].wrapping_sub(multiple[at]).wrapping_sub(borrow[lane]);
            borrow[lane] = value >> 63;
            word[lane] = if at + 1 < L { value & MASK } else { value };
        }
    }
    // All ones where the difference is negative.
    let keep = borrow.map(|borrow| borrow.wrapping_neg());
    for (word, before) in difference.iter_mut().zip(rest) {
        for lane in 0..COUNT {
            word[lane] = (before[lane] & keep[lane]) | (word[lane] & !keep[lane]);
        }
    }
    difference
}

#[inline(always)]
fn lesser(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|lane| one[lane].min(other[lane]))
}
