//! The time limit of a package, given or derived.

use crate::judgement::Judgement;
use crate::observer::Observer;
use crate::submission::Judge;
use crate::{JudgeError, Quiet};
use model::{Nanos, Verdict};
use package::{JurySubmission, TimeLimitRule, derive_time_limit};

/// While a limit is being derived, a run may take this long.
const DERIVATION_LIMIT: Nanos = Nanos::from_millis(60_000);

/// A time limit and where it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// What a run may take.
    pub limit: Nanos,
    /// Where it is from.
    pub origin: LimitOrigin,
}

/// Where a time limit is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitOrigin {
    /// The caller asked for it.
    Asked,
    /// The package names it, there.
    Package(String),
    /// It follows from the slowest accepted submission.
    Derived {
        /// Which.
        submission: String,
        /// Its time.
        time: Nanos,
    },
}

impl std::fmt::Display for LimitOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asked => f.write_str("as asked"),
            Self::Package(place) => f.write_str(place),
            Self::Derived { submission, time } => {
                write!(f, "derived on this machine: {submission} takes {time}")
            }
        }
    }
}

impl TimeLimit {
    /// Finds the limit; gives also the judgements that deriving it took.
    pub(crate) fn find(
        judge: &mut Judge<'_>,
        asked: Option<Nanos>,
        observer: &mut dyn Observer,
    ) -> Result<(Self, Vec<Judgement>), JudgeError> {
        if let Some(limit) = asked {
            return Ok((Self { limit, origin: LimitOrigin::Asked }, Vec::new()));
        }
        let margins = match &judge.package().time_limit {
            TimeLimitRule::Given { limit, source } => {
                let origin = LimitOrigin::Package(source.to_string());
                return Ok((Self { limit: *limit, origin }, Vec::new()));
            }
            TimeLimitRule::Derive { margins } => *margins,
        };
        judge.set_limit(Self { limit: DERIVATION_LIMIT, origin: LimitOrigin::Asked });
        // The limit follows from all cases, whichever are asked for now.
        let selected = judge.select_cases(Vec::new());
        let mut judgements = Vec::new();
        let accepted: Vec<JurySubmission> = judge
            .package()
            .submissions
            .iter()
            .filter(|submission| submission.expectation.bounds_time_limit_from_below())
            .cloned()
            .collect();
        for submission in &accepted {
            observer.submission_begins(&submission.name, 0);
            let source = judge.jury_source(submission)?;
            let judgement = judge.judge(&source, &mut Quiet)?;
            if judgement.language.is_none() && judgement.verdict == Verdict::CompileError {
                // In a language that is not known here; the others tell enough.
                continue;
            }
            if judgement.verdict == Verdict::JudgingError || judgement.verdict == Verdict::CompileError {
                let why = judgement
                    .judging_error
                    .clone()
                    .unwrap_or_else(|| format!("{} came to {}", submission.name, judgement.verdict.words()));
                return Err(JudgeError::NoTimeLimit(why));
            }
            judgements.push(judgement);
        }
        let partial = !selected.is_empty();
        judge.select_cases(selected);
        let slowest = judgements.iter().max_by_key(|judgement| judgement.slowest_time());
        let Some(slowest) = slowest else {
            return Err(JudgeError::NoTimeLimit(
                "the package names no limit and has no accepted submission; add limits.time_limit to problem.yaml"
                    .to_owned(),
            ));
        };
        let times: Vec<Nanos> = judgements.iter().map(Judgement::slowest_time).collect();
        let limit = derive_time_limit(&times, &margins)
            .ok_or_else(|| JudgeError::NoTimeLimit("its margins are out of range".to_owned()))?;
        let origin = LimitOrigin::Derived { submission: slowest.name.clone(), time: slowest.slowest_time() };
        if partial {
            judgements.clear();
        }
        Ok((Self { limit, origin }, judgements))
    }
}
