//! The jury's expectations of its submissions.

use crate::submission::Pattern;
use model::{Nanos, Verdict};
use std::collections::BTreeSet;
use std::fmt;

/// The verdicts on a case that a submission causes, as opposed to internal failures.
const CASE_VERDICTS: [Verdict; 7] = [
    Verdict::Accepted,
    Verdict::WrongAnswer,
    Verdict::TimeLimitExceeded,
    Verdict::WallTimeLimitExceeded,
    Verdict::RunTimeError,
    Verdict::MemoryLimitExceeded,
    Verdict::OutputLimitExceeded,
];

#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The package states nothing that can be checked; a person has to decide.
    Manual,
    /// The submission's verdict is one of these.
    Verdict {
        any_of: BTreeSet<Verdict>,
        /// The submission is accepted, but not with the best score.
        partial_score: bool,
    },
    Rules(Vec<Rule>),
}

/// One rule of the newer formats; a field that is `None` requires nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The pattern of cases and groups to which it applies; `None` for all.
    pub cases: Option<String>,
    /// Every case has one of these verdicts.
    pub permitted: Option<BTreeSet<Verdict>>,
    /// At least one case has one of these verdicts.
    pub required: Option<BTreeSet<Verdict>>,
    /// The score is between these, both included.
    pub score: Option<(f64, f64)>,
    /// The validator's message for at least one case contains this.
    pub message: Option<String>,
    /// How the submission's time bounds the time limit; `None` if that follows from the verdicts.
    pub time_bound: Option<TimeBound>,
}

/// How the time of a submission bounds the time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBound {
    /// It must keep the limit.
    Lower,
    /// It must exceed the limit.
    Upper,
    Neither,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// The score of the whole submission, for scoring problems.
    pub score: Option<f64>,
    pub best_score: Option<f64>,
    /// The cases that were judged, in judging order.
    pub cases: Vec<CaseOutcome>,
    /// Scores of groups by their names.
    pub group_scores: Vec<(String, f64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseOutcome {
    pub name: String,
    pub verdict: Verdict,
    /// The CPU time of the decisive run.
    pub cpu_time: Nanos,
    /// The validator's message for the jury.
    pub judge_message: String,
}

/// Whether a result is what the jury expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    AsExpected,
    /// It is not, for this reason.
    Unexpected(String),
    /// A person has to decide.
    Manual,
}

/// Adds the verdicts that the formats do not distinguish from these: idling counts as too slow, and exceeding the
/// memory or output limit as a crash.
pub(crate) fn widen(verdicts: &BTreeSet<Verdict>) -> BTreeSet<Verdict> {
    let mut wide = verdicts.clone();
    if verdicts.contains(&Verdict::TimeLimitExceeded) {
        wide.insert(Verdict::WallTimeLimitExceeded);
    }
    if verdicts.contains(&Verdict::RunTimeError) {
        wide.extend([Verdict::MemoryLimitExceeded, Verdict::OutputLimitExceeded]);
    }
    wide
}

impl Expectation {
    pub fn check(&self, outcome: &Outcome) -> Match {
        let found = match self {
            Self::Manual => return Match::Manual,
            _ if outcome.verdict == Verdict::JudgingError => Err("is a judging error".to_owned()),
            Self::Verdict { any_of, partial_score } => check_verdict(any_of, *partial_score, outcome),
            Self::Rules(_) if outcome.verdict == Verdict::CompileError => Err("does not compile".to_owned()),
            Self::Rules(rules) => rules.iter().try_for_each(|rule| rule.check(outcome)),
        };
        found.map_or_else(Match::Unexpected, |()| Match::AsExpected)
    }

    /// Returns whether cases after the first failure can decide whether the expectation is met. Other violations in the
    /// skipped cases, such as a verdict that is not permitted, only show in a full judging.
    pub fn needs_all_cases(&self) -> bool {
        let Self::Rules(rules) = self else { return false };
        let beyond_first =
            |rule: &Rule| rule.cases.is_some() || rule.score.is_some() || rule.message.is_some();
        // If the first failure is permitted but not the required verdict, a later case may have that one.
        let may_come_first = |verdict: &Verdict| {
            let permits = |rule: &Rule| rule.permitted.as_ref().is_none_or(|set| set.contains(verdict));
            *verdict != Verdict::Accepted && rules.iter().all(permits)
        };
        let comes_later = |rule: &Rule| {
            let set = rule.required.as_ref();
            set.is_some_and(|set| {
                !CASE_VERDICTS.iter().filter(|one| may_come_first(one)).all(|one| set.contains(one))
            })
        };
        rules.iter().any(|rule| beyond_first(rule) || comes_later(rule))
    }

    /// Returns whether the submission's time bounds the time limit from below, so that a limit is derived from it.
    pub fn bounds_time_limit_from_below(&self) -> bool {
        self.bounds(TimeBound::Lower)
    }

    /// Returns whether the submission's time bounds the time limit from above, so that a limit is checked with it.
    pub fn bounds_time_limit_from_above(&self) -> bool {
        self.bounds(TimeBound::Upper)
    }

    /// Returns the longest time among the cases on which the submission must keep the limit.
    pub fn time_below_limit(&self, cases: &[CaseOutcome]) -> Option<Nanos> {
        self.slowest(cases, TimeBound::Lower)
    }

    /// Returns the longest time among the cases of which the submission must exceed the limit on at least one.
    pub fn time_above_limit(&self, cases: &[CaseOutcome]) -> Option<Nanos> {
        self.slowest(cases, TimeBound::Upper)
    }

    fn bounds(&self, bound: TimeBound) -> bool {
        match self {
            Self::Manual => false,
            // The legacy formats derive from accepted submissions only, and check against slow ones.
            Self::Verdict { any_of, partial_score } => match bound {
                TimeBound::Lower => !partial_score && *any_of == BTreeSet::from([Verdict::Accepted]),
                TimeBound::Upper => is_slow(any_of),
                TimeBound::Neither => false,
            },
            Self::Rules(rules) => rules.iter().any(|rule| rule.bounds(bound)),
        }
    }

    fn slowest(&self, cases: &[CaseOutcome], bound: TimeBound) -> Option<Nanos> {
        let slowest_of = |rule: &Rule| rule.applicable(cases).map(|case| case.cpu_time).max();
        let Self::Rules(rules) = self else {
            return self.bounds(bound).then(|| slowest_of(&Rule::default())).flatten();
        };
        let times = rules.iter().filter(|rule| rule.bounds(bound)).filter_map(slowest_of);
        // Each upper bound applies by itself, so the lowest one counts.
        if bound == TimeBound::Upper { times.min() } else { times.max() }
    }
}

impl Rule {
    fn check(&self, outcome: &Outcome) -> Result<(), String> {
        let cases: Vec<_> = self.applicable(&outcome.cases).collect();
        let place = self.cases.as_ref().map_or_else(String::new, |pattern| format!(" of {pattern}"));
        if cases.is_empty() && self.cases.is_some() && self.score.is_none() {
            return Err(format!("has no judged case{place}"));
        }
        if let Some(permitted) = &self.permitted
            && let Some(case) = cases.iter().find(|case| !permitted.contains(&case.verdict))
        {
            return Err(format!("is {} on {}, expected {}", case.verdict, case.name, Set(permitted)));
        }
        if let Some(required) = &self.required
            && !cases.iter().any(|case| required.contains(&case.verdict))
        {
            return Err(format!("is on no case{place} {}", Set(required)));
        }
        if let Some((least, most)) = self.score {
            self.check_score(outcome, least, most)?;
        }
        if let Some(message) = &self.message
            && !cases.iter().any(|case| case.judge_message.contains(message))
        {
            return Err(format!("gets on no case{place} the message '{}'", located::shorten(message)));
        }
        Ok(())
    }

    fn check_score(&self, outcome: &Outcome, least: f64, most: f64) -> Result<(), String> {
        let expected = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let check = |name: &str, score: f64| {
            if (least..=most).contains(&score) {
                Ok(())
            } else {
                Err(format!("scores {score}{name}, expected {expected}"))
            }
        };
        let Some(pattern) = &self.cases else {
            let score = outcome.score.ok_or("has no score, although one is expected")?;
            return check("", score);
        };
        let pattern =
            Pattern::new(pattern).map_err(|problem| format!("is expected by a pattern that {problem}"))?;
        let mut scores =
            outcome.group_scores.iter().filter(|(name, _)| pattern.matches_itself(name)).peekable();
        if scores.peek().is_none() {
            return Err(format!("has no score of {}, although one is expected", pattern.text()));
        }
        scores.try_for_each(|(name, score)| check(&format!(" in {name}"), *score))
    }

    /// Lists the cases to which the rule applies.
    fn applicable<'c>(&self, cases: &'c [CaseOutcome]) -> impl Iterator<Item = &'c CaseOutcome> + use<'c> {
        // An invalid pattern was rejected when the package was read; made by hand it matches nothing.
        let pattern = self.cases.as_ref().map(|text| Pattern::new(text).ok());
        cases.iter().filter(move |case| match &pattern {
            None => true,
            Some(pattern) => pattern.as_ref().is_some_and(|pattern| pattern.matches(&case.name)),
        })
    }

    fn bounds(&self, bound: TimeBound) -> bool {
        self.implied_time_bound() == bound
    }

    /// Returns the bound that the rule sets, or else the one that the formats derive from its verdicts.
    pub(crate) fn implied_time_bound(&self) -> TimeBound {
        let forbids_slow =
            self.permitted.as_ref().is_some_and(|verdicts| !verdicts.contains(&Verdict::TimeLimitExceeded));
        match self.time_bound {
            Some(bound) => bound,
            None if forbids_slow => TimeBound::Lower,
            None if self.required.as_ref().is_some_and(is_slow) => TimeBound::Upper,
            None => TimeBound::Neither,
        }
    }
}

fn check_verdict(any_of: &BTreeSet<Verdict>, partial_score: bool, outcome: &Outcome) -> Result<(), String> {
    if !any_of.contains(&outcome.verdict) {
        return Err(format!("is {}, expected {}", outcome.verdict, Set(any_of)));
    }
    match (outcome.score, outcome.best_score) {
        (Some(score), Some(best)) if partial_score && score == best => {
            Err(format!("has the best score {best}, expected a partial one"))
        }
        _ => Ok(()),
    }
}

fn is_slow(verdicts: &BTreeSet<Verdict>) -> bool {
    *verdicts == widen(&BTreeSet::from([Verdict::TimeLimitExceeded]))
}

/// Prints `AC`, or `one of AC, TLE, WTL`.
struct Set<'v>(&'v BTreeSet<Verdict>);

impl fmt::Display for Set<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.0.iter().map(|verdict| verdict.clics_id()).collect();
        if ids.len() > 1 { write!(f, "one of {}", ids.join(", ")) } else { f.write_str(&ids.join("")) }
    }
}

/// Prints the expectation, for lists of submissions.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manual => f.write_str("checked by hand"),
            Self::Verdict { partial_score: true, .. } => f.write_str("AC with a partial score"),
            Self::Verdict { any_of, .. } => Set(any_of).fmt(f),
            Self::Rules(rules) => {
                for (index, rule) in rules.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    rule.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

/// Prints `secret/a: every case one of AC, TLE, WTL, at least one TLE`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cases) = &self.cases {
            write!(f, "{cases}: ")?;
        }
        let mut parts = Vec::new();
        parts.extend(self.permitted.as_ref().map(|verdicts| format!("every case {}", Set(verdicts))));
        parts.extend(self.required.as_ref().map(|verdicts| format!("at least one case {}", Set(verdicts))));
        parts.extend(self.score.map(|(least, most)| format!("score {least} to {most}")));
        parts.extend(self.message.as_ref().map(|message| format!("message '{}'", located::shorten(message))));
        if parts.is_empty() {
            parts.push("anything".to_owned());
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests;
