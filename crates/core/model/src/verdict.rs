//! Verdicts: words in code, CLICS ids on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The outcome of a run or a whole judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The output is right and every limit was kept.
    Accepted,
    /// The program ended well within its limits, with a wrong output.
    WrongAnswer,
    /// The CPU time was over the limit.
    TimeLimitExceeded,
    /// The program crashed or ended with a code other than 0.
    RunTimeError,
    CompileError,
    MemoryLimitExceeded,
    /// The program wrote more than it may.
    OutputLimitExceeded,
    /// The wall time was over the limit while CPU time was left: the program idled.
    WallTimeLimitExceeded,
    /// An internal error: nothing is known about the submission.
    JudgingError,
}

/// Whether contestants know a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// It is in the statement.
    Sample,
    /// It is hidden.
    Secret,
}

/// Returns whether results support the verdict "accepted" in a pass-fail problem: a secret case is accepted or, if the
/// problem has none, a sample. Takes each case of the problem, with whether it was judged and is accepted.
pub fn supports_acceptance(cases: impl IntoIterator<Item = (CaseKind, bool)>) -> bool {
    let (mut is_sample_accepted, mut has_secret) = (false, false);
    for (kind, is_accepted) in cases {
        match kind {
            CaseKind::Sample => is_sample_accepted |= is_accepted,
            CaseKind::Secret if is_accepted => return true,
            CaseKind::Secret => has_secret = true,
        }
    }
    is_sample_accepted && !has_secret
}

/// What makes a verdict that rests on time weaker than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "VerdictCaveat")]
pub enum Caveat {
    /// Others may have timed on the same CPU meanwhile.
    SharedCpu,
    /// It is over the limit by one run, with `--quick`.
    OneRun,
}

impl Caveat {
    pub const ALL: [Self; 2] = [Self::SharedCpu, Self::OneRun];

    /// Returns whether it makes this verdict weaker.
    pub const fn weakens(self, verdict: Verdict) -> bool {
        match self {
            Self::SharedCpu => verdict.rests_on_time(),
            // A run within the limit is final however many there are.
            Self::OneRun => matches!(verdict, Verdict::TimeLimitExceeded | Verdict::WallTimeLimitExceeded),
        }
    }

    /// Returns the words that stand in a sentence, such as `timed on a shared CPU`.
    pub const fn long_words(self) -> &'static str {
        match self {
            Self::SharedCpu => "timed on a shared CPU",
            Self::OneRun => "over the limit by one run",
        }
    }

    /// Returns the words that stand next to a verdict.
    pub const fn words(self) -> &'static str {
        match self {
            Self::SharedCpu => "shared CPU",
            Self::OneRun => "one run",
        }
    }
}

/// The error for a text that is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a verdict; use one of AC, WA, TLE, RTE, CE, MLE, OLE, WTL, JE")]
pub struct VerdictParseError(String);

impl Verdict {
    /// All verdicts, in the order in which they are listed.
    pub const ALL: [Self; 9] = [
        Self::Accepted,
        Self::WrongAnswer,
        Self::TimeLimitExceeded,
        Self::RunTimeError,
        Self::CompileError,
        Self::MemoryLimitExceeded,
        Self::OutputLimitExceeded,
        Self::WallTimeLimitExceeded,
        Self::JudgingError,
    ];

    /// Returns the CLICS id, such as `WTL`.
    pub const fn clics_id(self) -> &'static str {
        match self {
            Self::Accepted => "AC",
            Self::WrongAnswer => "WA",
            Self::TimeLimitExceeded => "TLE",
            Self::RunTimeError => "RTE",
            Self::CompileError => "CE",
            Self::MemoryLimitExceeded => "MLE",
            Self::OutputLimitExceeded => "OLE",
            Self::WallTimeLimitExceeded => "WTL",
            Self::JudgingError => "JE",
        }
    }

    /// Returns whether it rests on what a run took, so that it is as good as that time.
    pub const fn rests_on_time(self) -> bool {
        matches!(self, Self::Accepted | Self::TimeLimitExceeded | Self::WallTimeLimitExceeded)
    }

    /// Returns the words for people, such as `wall time limit exceeded`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::WrongAnswer => "wrong answer",
            Self::TimeLimitExceeded => "time limit exceeded",
            Self::RunTimeError => "run-time error",
            Self::CompileError => "compile error",
            Self::MemoryLimitExceeded => "memory limit exceeded",
            Self::OutputLimitExceeded => "output limit exceeded",
            Self::WallTimeLimitExceeded => "wall time limit exceeded",
            Self::JudgingError => "judging error",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.clics_id())
    }
}

impl FromStr for Verdict {
    type Err = VerdictParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.clics_id() == text)
            .ok_or_else(|| VerdictParseError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.clics_id().parse(), Ok(verdict));
        }
        assert!("RE".parse::<Verdict>().is_err(), "CLICS reads RE as rejected");
    }

    #[test]
    fn an_acceptance_needs_a_secret_case_if_there_is_one() {
        use CaseKind::{Sample, Secret};
        for (cases, expected) in [
            (&[(Sample, true), (Secret, true)][..], true),
            (&[(Sample, false), (Secret, false), (Secret, true)], true),
            (&[(Sample, true), (Secret, false)], false),
            (&[(Sample, true), (Sample, false)], true),
            (&[(Sample, false)], false),
            (&[(Secret, false)], false),
            (&[], false),
        ] {
            assert_eq!(supports_acceptance(cases.iter().copied()), expected, "{cases:?}");
        }
    }
}
