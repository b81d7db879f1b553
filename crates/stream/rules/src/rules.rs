//! What a contest is: numbers, windows, points, and how its stream is made.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};

/// No contest has longer answers: tables of solvers are made for this.
pub const DIGITS_MAX: u16 = 1024;
/// No number has more digits: fixed-width solvers have 8 words.
const NUMBER_DIGITS_MAX: usize = 150;
/// A bit in an answer's set of numbers is one of these.
pub const NUMBERS_MAX: usize = 8;
/// Each takes a few hundred bytes while it counts.
const ANSWERS_AT_ONCE_MAX: f64 = 1e6;
/// A chunk is sent by one write.
const CHUNK_DIGITS_MAX: u16 = 4096;

/// The rules of one contest. The default is the contest of the source article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// An answer has at most this many digits.
    pub digits_max: u16,
    /// An answer is a multiple of one of these.
    pub multiples_of: Vec<MultipleOf>,
    /// How long before its appearance an answer counts.
    pub before_ms: u64,
    /// How long after its appearance an answer counts.
    pub after_ms: u64,
    /// Whether an answer counts before it has appeared.
    pub prediction: bool,
    /// Points of the first, the second, and so on.
    pub points: Vec<u32>,
    pub cost: u32,
    /// From when on points count how much: seconds since the start, and the factor.
    pub factors: Vec<(u64, u32)>,
    pub chunks: Chunks,
    /// How answers come into the stream.
    pub planting: Planting,
}

/// A number whose multiples are answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultipleOf {
    /// The number, in decimal.
    pub value: String,
    /// Whether contestants get its primes only.
    #[serde(default)]
    pub hidden: bool,
    /// Its primes as far as known, in decimal, each once. Solvers use them, and they are published of a hidden number.
    #[serde(default)]
    pub primes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Chunks {
    /// The fewest digits of a chunk, and the most.
    pub digits: (u16, u16),
    /// The shortest gap before a chunk, and the longest.
    pub gap_us: (u64, u64),
}

/// How answers come into the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Planting {
    /// Random digits between two planted numbers, at most.
    pub apart: u16,
    /// How many of a hundred planted multiples have up to three zeros behind them.
    pub zeros_percent: u8,
    /// How many of a hundred planted numbers differ from a multiple in one digit.
    pub near_percent: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct RulesError {
    field: &'static str,
    problem: String,
}

impl Default for Rules {
    fn default() -> Self {
        let known = |value: &str, primes: &[&str]| MultipleOf {
            value: value.to_owned(),
            hidden: false,
            primes: primes.iter().map(|prime| (*prime).to_owned()).collect(),
        };
        Self {
            digits_max: 256,
            multiples_of: vec![
                known("20220217214410", &["2", "5", "431", "46589", "100699"]),
                known("104648257118348370704723119", &["104648257118348370704723119"]),
                known(
                    "125000000000000140750000000000052207500000000006359661",
                    &["500000000000000147", "500000000000000207", "500000000000000209"],
                ),
                MultipleOf {
                    hidden: true,
                    ..known(
                        "10885732038215355481752285039386319187390558900925053798518152998488201",
                        &["3", "7", "11"],
                    )
                },
            ],
            before_ms: 5_000,
            after_ms: 5_000,
            prediction: true,
            points: vec![8, 4, 4, 2, 2, 2, 1, 1, 1, 1],
            cost: 1,
            factors: vec![(24 * 3600, 2), (42 * 3600, 4)],
            chunks: Chunks::default(),
            planting: Planting::default(),
        }
    }
}

impl Default for Chunks {
    fn default() -> Self {
        Self { digits: (50, 300), gap_us: (20_000, 200_000) }
    }
}

impl Default for Planting {
    fn default() -> Self {
        Self { apart: 400, zeros_percent: 10, near_percent: 10 }
    }
}

impl MultipleOf {
    /// Returns the number; zero if it is none.
    pub fn number(&self) -> BigUint {
        decimal(&self.value).unwrap_or_default()
    }
}

impl Rules {
    /// Checks everything that a contest relies on.
    ///
    /// Fails at the first field that is out of range.
    pub fn check(&self) -> Result<(), RulesError> {
        let fail = |field, problem: &str| Err(RulesError { field, problem: problem.to_owned() });
        if !(1..=DIGITS_MAX).contains(&self.digits_max) {
            return fail("digits_max", &format!("expected 1 to {DIGITS_MAX}"));
        }
        if !(1..=NUMBERS_MAX).contains(&self.multiples_of.len()) {
            return fail("multiples_of", &format!("expected 1 to {NUMBERS_MAX} numbers"));
        }
        for number in &self.multiples_of {
            number.check(self.digits_max)?;
        }
        if self.before_ms > HOUR_MS || self.after_ms > HOUR_MS {
            return fail("before_ms, after_ms", "expected at most an hour");
        }
        if self.points.len() > 100 || self.points.iter().any(|points| *points > 1_000_000) {
            return fail("points", "expected at most 100 places of at most 1000000 points");
        }
        if self.cost > 1_000_000 {
            return fail("cost", "expected at most 1000000");
        }
        let rises = self.factors.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !rises || self.factors.len() > 100 || self.factors.iter().any(|(_, factor)| *factor > 1000) {
            return fail("factors", "expected at most 100 times that rise, with factors of at most 1000");
        }
        let (fewest, most) = self.chunks.digits;
        if fewest == 0 || fewest > most || most > CHUNK_DIGITS_MAX {
            return fail(
                "chunks.digits",
                &format!("expected two numbers from 1 to {CHUNK_DIGITS_MAX}, the smaller first"),
            );
        }
        let (shortest, longest) = self.chunks.gap_us;
        if shortest > longest || longest > HOUR_MS * 1000 {
            return fail("chunks.gap_us", "expected two times of at most an hour, the shorter first");
        }
        self.check_rate()?;
        if self.planting.zeros_percent > 100 || self.planting.near_percent > 100 {
            return fail("planting", "expected at most 100 per cent");
        }
        Ok(())
    }

    /// Checks that the answers that count at the same time are not too many to be kept.
    fn check_rate(&self) -> Result<(), RulesError> {
        let mean = |(fewest, most): (f64, f64)| (fewest + most) / 2.0;
        let (fewest, most) = self.chunks.digits;
        let (shortest, longest) = self.chunks.gap_us;
        // Sending takes a few microseconds, whatever the gap.
        let gap_s = mean((shortest as f64, longest as f64)).max(10.0) / 1e6;
        let digits_per_s = mean((fewest.into(), most.into())) / gap_s;
        let value = |number: &MultipleOf| number.number().to_f64().unwrap_or(f64::INFINITY);
        // Of the substrings that end at a digit, one of each length, every M-th is a multiple of M.
        let chance: f64 =
            self.multiples_of.iter().map(|number| f64::from(self.digits_max) / value(number)).sum();
        let window_s = (self.before_ms + self.after_ms) as f64 / 1000.0;
        let at_once = digits_per_s * chance * window_s;
        if at_once > ANSWERS_AT_ONCE_MAX {
            let problem = format!(
                "about {at_once:.0} answers would count at the same time, at most {ANSWERS_AT_ONCE_MAX:.0} can be kept; use \
                 larger numbers, longer gaps or shorter windows"
            );
            return Err(RulesError { field: "multiples_of", problem });
        }
        Ok(())
    }

    /// Returns how much points count at a time since the start.
    pub fn factor_at(&self, at_ns: u64) -> u32 {
        let past =
            self.factors.iter().rev().find(|(from_s, _)| from_s.saturating_mul(1_000_000_000) <= at_ns);
        past.map_or(1, |(_, factor)| *factor)
    }

    /// Returns the rules as contestants see them: of a hidden number only its primes.
    pub fn published(&self) -> Self {
        let mut published = self.clone();
        for number in published.multiples_of.iter_mut().filter(|number| number.hidden) {
            number.value.clear();
        }
        published
    }
}

const HOUR_MS: u64 = 3_600_000;

impl MultipleOf {
    fn check(&self, digits_max: u16) -> Result<(), RulesError> {
        let fail = |problem: String| Err(RulesError { field: "multiples_of", problem });
        let longest = NUMBER_DIGITS_MAX.min(usize::from(digits_max));
        let Some(number) = decimal(&self.value).filter(|_| self.value.len() <= longest) else {
            return fail(format!("'{}' is not a number of 1 to {longest} digits", self.value));
        };
        if number < BigUint::from(2_u8) {
            return fail(format!("'{}' is less than 2", self.value));
        }
        for prime in &self.primes {
            let divides =
                decimal(prime).is_some_and(|prime| prime > BigUint::one() && (&number % prime).is_zero());
            if !divides {
                return fail(format!("'{prime}' does not divide {}", self.value));
            }
        }
        Ok(())
    }
}

/// Reads a number without sign and leading zero.
pub(crate) fn decimal(text: &str) -> Option<BigUint> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_plain && (text == "0" || !text.starts_with('0')))
        .then(|| BigUint::parse_bytes(text.as_bytes(), 10))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contest_of_the_source_is_the_default() {
        let rules = Rules::default();
        rules.check().unwrap();
        let product = |powers: &[(u32, u32)]| {
            powers.iter().map(|(base, power)| BigUint::from(*base).pow(*power)).product::<BigUint>()
        };
        assert_eq!(rules.multiples_of[3].number(), product(&[(3, 50), (7, 30), (11, 20)]));
        let third: BigUint =
            rules.multiples_of[2].primes.iter().map(|prime| decimal(prime).unwrap()).product();
        assert_eq!(rules.multiples_of[2].number(), third);
    }

    #[test]
    fn points_count_more_towards_the_end() {
        let rules = Rules::default();
        let hours = |hours: u64| hours * 3600 * 1_000_000_000;
        let factors = [0, 23, 24, 41, 42, 100].map(|at| rules.factor_at(hours(at)));
        assert_eq!(factors, [1, 1, 2, 2, 4, 4]);
    }

    #[test]
    fn a_hidden_number_is_not_published() {
        let published = serde_json::to_string(&Rules::default().published()).unwrap();
        assert!(
            !published.contains("1088573203821")
                && published.contains("\"11\"")
                && published.contains("20220217214410")
        );
    }

    #[test]
    fn unusable_contest_options_are_refused() {
        let refused = |change: fn(&mut Rules)| {
            let mut rules = Rules::default();
            change(&mut rules);
            rules.check().unwrap_err().to_string()
        };
        assert!(refused(|rules| rules.digits_max = 0).contains("digits_max"));
        assert!(refused(|rules| rules.multiples_of.clear()).contains("numbers"));
        assert!(refused(|rules| rules.multiples_of[0].value = "1".into()).contains("less than 2"));
        assert!(refused(|rules| rules.multiples_of[0].value = "-7".into()).contains("not a number"));
        assert!(refused(|rules| rules.multiples_of[0].primes.push("3".into())).contains("divide"));
        assert!(refused(|rules| rules.digits_max = 20).contains("1 to 20 digits"));
        assert!(refused(|rules| rules.chunks.digits = (0, 3)).contains("chunks.digits"));
        assert!(refused(|rules| rules.chunks.gap_us = (3, 2)).contains("chunks.gap_us"));
        assert!(
            refused(|rules| rules.multiples_of[0] =
                MultipleOf { value: "2".into(), hidden: false, primes: Vec::new() })
            .contains("answers would count")
        );
        assert!(refused(|rules| rules.factors = vec![(5, 2), (5, 3)]).contains("rise"));
    }
}
