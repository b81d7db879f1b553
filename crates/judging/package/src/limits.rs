//! Limits of a problem, and the rule that finds its time limit.

use model::{Bytes, InstructionCount, Nanos};
use std::fmt;

/// Limits on a submission and on the programs around it; the format's typical values where a package sets none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemLimits {
    pub memory: Bytes,
    pub output: Bytes,
    /// All source files of a submission together.
    pub code: Bytes,
    pub compilation_time: Nanos,
    pub compilation_memory: Bytes,
    pub validation_time: Nanos,
    pub validation_memory: Bytes,
    pub validation_output: Bytes,
    /// What a run may execute where instructions are the clock, in place of the time limit; an extension of the format.
    pub instructions: Option<InstructionCount>,
}

/// The margins between the time limit and the times of the jury's submissions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeMargins {
    /// The time limit is at least this many times the slowest accepted submission.
    pub accepted_to_limit: f64,
    /// The submissions that must be too slow take at least this many times the limit.
    pub limit_to_too_slow: f64,
    /// A derived limit is a multiple of this.
    pub resolution: Nanos,
    pub rounding: Rounding,
}

/// How a derived limit is rounded to a multiple of the resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Upwards, as the newer formats require.
    Up,
    /// To the nearest one but at least one, as the legacy format's tools do.
    Nearest,
}

/// The part of the package that sets the time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSource {
    /// The file, relative to the package.
    pub file: String,
    /// The field, where the file has fields.
    pub field: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TimeLimitRule {
    Given {
        limit: Nanos,
        source: LimitSource,
    },
    /// It is derived from the times of the accepted submissions, see [`derive_time_limit`].
    Derive {
        margins: TimeMargins,
    },
}

impl Default for ProblemLimits {
    /// Returns the values that the formats call typical.
    fn default() -> Self {
        Self {
            memory: Bytes::from_mib(2048),
            output: Bytes::from_mib(8),
            code: Bytes::from_kib(128),
            compilation_time: Nanos::from_millis(60_000),
            compilation_memory: Bytes::from_mib(2048),
            validation_time: Nanos::from_millis(60_000),
            validation_memory: Bytes::from_mib(2048),
            validation_output: Bytes::from_mib(8),
            instructions: None,
        }
    }
}

impl TimeMargins {
    /// The legacy formats' defaults.
    pub const LEGACY: Self = Self {
        accepted_to_limit: 5.0,
        limit_to_too_slow: 2.0,
        resolution: Nanos::from_millis(1000),
        rounding: Rounding::Nearest,
    };
    /// The newer formats' defaults.
    pub const CURRENT: Self = Self {
        accepted_to_limit: 2.0,
        limit_to_too_slow: 1.5,
        resolution: Nanos::from_millis(1000),
        rounding: Rounding::Up,
    };
}

/// Derives the time limit from the CPU times of the submissions that must keep it.
///
/// Returns `None` if there is no such time, or if no limit fits into 64 bits.
pub fn derive_time_limit(accepted_times: &[Nanos], margins: &TimeMargins) -> Option<Nanos> {
    let slowest = accepted_times.iter().max()?;
    // Rounded, not rounded up: in floating point 1 s x 1.1 is 1.1000000000000001 s and must stay 1.1 s.
    let least = (slowest.0 as f64 * margins.accepted_to_limit).round();
    let resolution = margins.resolution.0.max(1) as f64;
    let steps = match margins.rounding {
        Rounding::Up => (least / resolution).ceil(),
        Rounding::Nearest => (least / resolution).round(),
    }
    .max(1.0);
    Nanos::from_secs_f64(steps * resolution / 1e9)
}

/// A submission whose time conflicts with the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitMisfit {
    /// It must keep the limit with the margin, and does not.
    TooSlow {
        name: String,
        time: Nanos,
        /// The least limit that would fit.
        least_limit: Nanos,
    },
    /// It must exceed the limit with the margin, and does not.
    TooFast {
        name: String,
        time: Nanos,
        /// The greatest limit that would fit.
        greatest_limit: Nanos,
    },
}

/// Lists the submissions whose times conflict with the limit: `lower` must keep it, `upper` must exceed it.
pub fn check_time_limit(
    limit: Nanos,
    lower: &[(String, Nanos)],
    upper: &[(String, Nanos)],
    margins: &TimeMargins,
) -> Vec<LimitMisfit> {
    let too_slow = lower.iter().filter_map(|(name, time)| {
        let least_limit = Nanos((time.0 as f64 * margins.accepted_to_limit).round() as u64);
        // A limit as the rule derives it always fits, even if it was rounded down to the nearest step.
        let derived = derive_time_limit(&[*time], margins);
        let is_too_slow = least_limit > limit && derived.is_none_or(|derived| derived > limit);
        is_too_slow.then(|| LimitMisfit::TooSlow { name: name.clone(), time: *time, least_limit })
    });
    let too_fast = upper.iter().filter_map(|(name, time)| {
        let greatest_limit = Nanos((time.0 as f64 / margins.limit_to_too_slow).round() as u64);
        (greatest_limit < limit).then(|| LimitMisfit::TooFast {
            name: name.clone(),
            time: *time,
            greatest_limit,
        })
    });
    too_slow.chain(too_fast).collect()
}

impl fmt::Display for LimitMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSlow { name, time, least_limit } => {
                write!(
                    f,
                    "{name} takes {time} and must keep the limit with a margin, so the limit must be at least {least_limit}"
                )
            }
            Self::TooFast { name, time, greatest_limit } => {
                write!(
                    f,
                    "{name} takes {time} and must pass the limit with a margin, so the limit must be at most {greatest_limit}"
                )
            }
        }
    }
}

/// Prints `problem.yaml: limits.time_limit`.
impl fmt::Display for LimitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.field.as_ref().map_or(Ok(()), |field| write!(f, ": {field}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Nanos {
        Nanos::from_millis(millis)
    }

    #[test]
    fn new_formats_round_up_to_the_resolution() {
        let margins = TimeMargins::CURRENT;
        for (slowest, limit) in [(0, 1000), (1, 1000), (500, 1000), (501, 2000), (1000, 2000), (1700, 4000)] {
            assert_eq!(
                derive_time_limit(&[ms(3), ms(slowest)], &margins).unwrap(),
                ms(limit.max(1000)),
                "{slowest}"
            );
        }
        let fine = TimeMargins { accepted_to_limit: 1.1, resolution: ms(100), ..margins };
        assert_eq!(
            derive_time_limit(&[ms(1000)], &fine),
            Some(ms(1100)),
            "no step too far by a rounding error"
        );
    }

    #[test]
    fn legacy_rounds_to_the_nearest_second_and_never_to_none() {
        for (slowest, limit) in [(0, 1000), (10, 1000), (290, 1000), (301, 2000), (600, 3000)] {
            assert_eq!(derive_time_limit(&[ms(slowest)], &TimeMargins::LEGACY), Some(ms(limit)), "{slowest}");
        }
    }

    #[test]
    fn nothing_or_too_much_gives_no_limit() {
        assert_eq!(derive_time_limit(&[], &TimeMargins::CURRENT), None);
        assert_eq!(derive_time_limit(&[Nanos(u64::MAX)], &TimeMargins::CURRENT), None);
    }

    #[test]
    fn a_derived_limit_fits_what_it_is_derived_from() {
        let named = [("slow".to_owned(), ms(408))];
        assert_eq!(check_time_limit(ms(2000), &named, &[], &TimeMargins::LEGACY), []);
        assert_eq!(check_time_limit(ms(1000), &named, &[], &TimeMargins::LEGACY).len(), 1);
    }

    #[test]
    fn misfits_are_named_with_the_limit_that_would_fit() {
        let named = |name: &str, millis| (name.to_owned(), ms(millis));
        let misfits = check_time_limit(
            ms(1000),
            &[named("fast", 500), named("slow", 600)],
            &[named("slower", 1500), named("medium", 1200)],
            &TimeMargins::CURRENT,
        );
        assert_eq!(
            misfits.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "slow takes 600.0 ms and must keep the limit with a margin, so the limit must be at least 1.200 s",
                "medium takes 1.200 s and must pass the limit with a margin, so the limit must be at most 800.0 ms",
            ]
        );
    }
}
