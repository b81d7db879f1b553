//! Prepares a package: builds its programs, and takes or derives its time limit.

use crate::check::Checker;
use crate::grader::Grader;
use crate::judgement::CaseJudgement;
use crate::observer::Observer;
use crate::problem::Programs;
use crate::static_check::StaticValidator;
use crate::status::OpenJudging;
use crate::{Engine, JudgeError, JudgeOptions, Judgement, LimitOrigin, Problem, Responsible, TimeLimit};
use model::{Nanos, RunEnd, Verdict};
use package::{Expectation, JurySubmission, Match, Package, TimeLimitRule, TimeMargins, derive_time_limit};
use ruling::TimeRule;
use std::cell::RefCell;
use std::sync::Arc;

/// Where a package limits instructions.
const INSTRUCTIONS_FIELD: &str = "problem.yaml: limits.instructions";
/// The time limit of runs while a limit is being derived.
const DERIVATION_LIMIT: Nanos = Nanos::from_millis(60_000);

impl Problem {
    /// Builds the package's programs and finds its time limit. Deriving a limit judges submissions; judgements that
    /// remain valid with that limit are returned.
    pub fn prepare(
        engine: &Engine,
        package: Arc<Package>,
        options: JudgeOptions,
        observer: &mut dyn Observer,
    ) -> Result<(Arc<Self>, Vec<Judgement>), JudgeError> {
        let (helper, languages) = (engine.station().helper(), engine.station().languages());
        let programs = Arc::new(Programs {
            checker: Checker::of(helper, languages, &package)?,
            static_validator: StaticValidator::of(helper, languages, &package)?,
            grader: Grader::of(helper, languages, &package)?,
            package,
            is_on_shared_cpus: engine.station().is_shared(),
        });
        let DerivedLimit { limit, judgements, warnings, is_from_rejected } =
            DerivedLimit::find(engine, &programs, &options, observer)?;
        observer.time_limit(&limit);
        let problem = Self { warnings, is_from_rejected, ..Self::with_limit(programs, options, limit) };
        Ok((Arc::new(problem), judgements))
    }
}

/// A time limit, and the judgements of the submissions that had to be judged for it.
struct DerivedLimit {
    limit: TimeLimit,
    judgements: Vec<Judgement>,
    /// Submissions that could not be considered, a sentence for each.
    warnings: Vec<String>,
    /// Whether a submission that should be accepted was not.
    is_from_rejected: bool,
}

impl DerivedLimit {
    fn find(
        engine: &Engine,
        programs: &Arc<Programs>,
        options: &JudgeOptions,
        observer: &mut dyn Observer,
    ) -> Result<DerivedLimit, JudgeError> {
        let known =
            |limit| Ok(Self { limit, judgements: Vec::new(), warnings: Vec::new(), is_from_rejected: false });
        if let Some(limit) = options.time_limit {
            return known(TimeLimit { limit, origin: LimitOrigin::Asked });
        }
        if let (Some(counted), Some(count)) = (&options.counted, programs.package.limits.instructions) {
            let limit = Nanos((count.0 / u64::from(counted.per_nanosecond.max(1))).max(1));
            let origin = LimitOrigin::Package(INSTRUCTIONS_FIELD.to_owned());
            return known(TimeLimit { limit, origin });
        }
        let margins = match &programs.package.time_limit {
            TimeLimitRule::Given { limit, source } => {
                return known(TimeLimit { limit: *limit, origin: LimitOrigin::Package(source.to_string()) });
            }
            TimeLimitRule::Derive { margins } => *margins,
        };
        // Stored are CPU times of this machine; instructions are counted again in no more time.
        if let Some(stored) = options.stored_limit.clone().filter(|_| options.counted.is_none()) {
            return known(stored);
        }
        let mut found = Derivation { engine, programs, options }.derive(&margins, observer)?;
        let partial = !options.cases.is_empty();
        let limit = found.limit.limit;
        // A judgement with a time over the derived limit has to be repeated with that limit, since a rule may apply to
        // only some of its cases. So has one with repeated runs, which this limit might not require.
        let is_final = |judgement: &Judgement| {
            judgement.slowest_time() <= limit && judgement.cases.iter().all(|case| case.runs.len() <= 1)
        };
        found.judgements.retain(|judgement| !partial && is_final(judgement));
        Ok(found)
    }
}

struct Derivation<'a> {
    engine: &'a Engine,
    programs: &'a Arc<Programs>,
    options: &'a JudgeOptions,
}

impl Derivation<'_> {
    fn derive(&self, margins: &TimeMargins, observer: &mut dyn Observer) -> Result<DerivedLimit, JudgeError> {
        let programs = self.programs;
        let bounds = |one: &&JurySubmission| one.expectation.bounds_time_limit_from_below();
        let submissions: Vec<_> = programs.package.submissions.iter().filter(bounds).collect();
        // The limit depends on all cases, even if only some are judged now.
        let options = JudgeOptions { cases: Vec::new(), ..self.options.clone() };
        let limit = TimeLimit { limit: DERIVATION_LIMIT, origin: LimitOrigin::Asked };
        let problem = Arc::new(Problem::with_limit(Arc::clone(programs), options, limit));
        let observer = RefCell::new(observer);
        let mut is_alive = |open: &[OpenJudging]| observer.borrow_mut().is_alive(open);
        let sources = submissions.iter().map(|submission| {
            observer.borrow_mut().deriving(&submission.name);
            programs.jury_source(submission)
        });
        let judged = self.engine.judgements(&problem, sources, &mut is_alive)?;
        let mut judgements = Vec::new();
        let mut warnings = Vec::new();
        let mut times: Vec<Slow<'_>> = Vec::new();
        let mut is_from_rejected = false;
        for (submission, judgement) in submissions.into_iter().zip(judged) {
            let name = &submission.name;
            let judgement = match judgement {
                Ok(judgement) => judgement,
                Err(error) if error.responsible() == Responsible::Language => {
                    warnings.push(format!("the time limit was derived without {name}: {error}"));
                    continue;
                }
                Err(error) => return Err(error),
            };
            match bearing(&submission.expectation, &judgement) {
                Bearing::Time(time) => {
                    let case = judgement.cases.iter().find(|case| Some(case.time()) == time);
                    times.extend(time.zip(case).map(|(time, case)| Slow {
                        time,
                        submission,
                        case: case.name.clone(),
                        is_known: self.options.clock().is_instructions(),
                    }));
                    judgements.push(judgement);
                }
                Bearing::Nothing(why) => {
                    warnings.push(format!("the time limit was derived without {name}: {why}"));
                    judgements.push(judgement);
                }
                Bearing::Failed(why) if self.options.tolerates_rejected => {
                    // A run's time does not depend on what a validator says of its output.
                    let slowest = judgement
                        .cases
                        .iter()
                        .filter(|case| ended_by_itself(case))
                        .max_by_key(|case| case.time());
                    times.extend(slowest.map(|case| Slow {
                        time: case.time(),
                        submission,
                        case: case.name.clone(),
                        is_known: true,
                    }));
                    is_from_rejected = true;
                    warnings.push(format!("the time limit was derived although {name} {why}"));
                }
                Bearing::Failed(why) => return Err(JudgeError::NoTimeLimit(format!("{name} {why}"))),
            }
        }
        // Disturbance only adds time, so only the slowest submission, at each point, needs more than one run.
        while let Some(at) =
            (0..times.len()).max_by_key(|at| times[*at].time).filter(|at| !times[*at].is_known)
            && decides(&times, at, margins)
        {
            warnings.extend(self.measure(&mut times[at], &mut is_alive)?);
        }
        let Some(Slow { time: slowest, submission, .. }) = times.iter().max_by_key(|slow| slow.time) else {
            let why = if warnings.is_empty() {
                "the package names no limit and has no accepted submission".to_owned()
            } else {
                format!("none of its accepted submissions can be run here; {}", warnings.join("; "))
            };
            return Err(JudgeError::NoTimeLimit(format!("{why}; add limits.time_limit to problem.yaml")));
        };
        let (slowest, submission) = (*slowest, submission.name.clone());
        let times: Vec<Nanos> = times.iter().map(|slow| slow.time).collect();
        let limit = derive_time_limit(&times, margins)
            .ok_or_else(|| JudgeError::NoTimeLimit("its margins are out of range".to_owned()))?;
        let origin = LimitOrigin::Derived { submission, time: slowest };
        Ok(DerivedLimit { limit: TimeLimit { limit, origin }, judgements, warnings, is_from_rejected })
    }

    /// Runs the slowest case of a submission until its two lowest times on a calm core agree; returns a warning if they
    /// never do.
    fn measure(
        &self,
        slow: &mut Slow<'_>,
        is_alive: &mut dyn FnMut(&[OpenJudging]),
    ) -> Result<Option<String>, JudgeError> {
        let options = JudgeOptions { cases: vec![slow.case.clone()], ..self.options.clone() };
        let limit = TimeLimit { limit: Nanos::ZERO, origin: LimitOrigin::Asked };
        let rule = TimeRule::without_limit(DERIVATION_LIMIT);
        let problem = Arc::new(Problem::with_rule(Arc::clone(self.programs), options, limit, rule));
        let source = self.programs.jury_source(slow.submission);
        let mut measured = self.engine.judgements(&problem, [source], is_alive)?;
        let measured = measured.pop().unwrap_or(Err(JudgeError::Cancelled))?;
        let runs = measured.cases.iter().flat_map(|case| &case.runs);
        let times: Vec<Nanos> = runs.map(|run| run.usage.cpu_time).collect();
        let never_agreed = measured.verdict == Verdict::JudgingError;
        let lowest = times.iter().copied().min().unwrap_or(slow.time);
        slow.is_known = true;
        slow.time = lowest.min(slow.time);
        Ok(never_agreed.then(|| {
            format!(
                "the times of {} on {} spread too much, no two calm runs confirm the lowest of {}: derive the limit again on a quieter \
                 machine (--derive)",
                slow.submission.name,
                slow.case,
                times.len()
            )
        }))
    }
}

/// Returns whether the limit would differ if this submission took no time: limits are rounded, so short programs often
/// have no influence.
fn decides(times: &[Slow<'_>], at: usize, margins: &TimeMargins) -> bool {
    let limit = |without: Option<usize>| {
        let time =
            |(index, slow): (usize, &Slow<'_>)| if Some(index) == without { Nanos::ZERO } else { slow.time };
        derive_time_limit(&times.iter().enumerate().map(time).collect::<Vec<_>>(), margins)
    };
    limit(Some(at)) != limit(None)
}

/// The case on which a submission that bounds the limit from below is slowest.
struct Slow<'a> {
    time: Nanos,
    submission: &'a JurySubmission,
    case: String,
    /// Whether it was measured: the two lowest of several runs agreed, or never did.
    is_known: bool,
}

/// What the judgement of a submission that bounds the limit from below means for the limit.
#[derive(Debug, PartialEq, Eq)]
enum Bearing {
    /// The limit must be above this; `None` if no case counts for it.
    Time(Option<Nanos>),
    /// It could not be run here, and the other submissions suffice.
    Nothing(String),
    /// Its result is not what the jury expects, so its time means nothing and the package is wrong.
    Failed(String),
}

/// Returns whether the time of a case is that of a whole run.
fn ended_by_itself(case: &CaseJudgement) -> bool {
    case.runs.get(case.decisive).is_some_and(|run| run.end == RunEnd::Exited(0))
}

fn bearing(expectation: &Expectation, judgement: &Judgement) -> Bearing {
    if judgement.verdict == Verdict::CompileError {
        let why =
            if judgement.language.is_some() { "does not compile here" } else { "is in no known language" };
        return Bearing::Nothing(format!("it {why}"));
    }
    if let Some(error) = &judgement.judging_error {
        return Bearing::Failed(format!("is a judging error: {error}"));
    }
    let outcome = judgement.outcome();
    if let Match::Unexpected(why) = expectation.check(&outcome)
        // A submission that should fail and is accepted still shows how long it takes.
        && judgement.verdict != Verdict::Accepted
    {
        let rejected = judgement.cases.iter().find(|case| case.verdict != Verdict::Accepted);
        let place = rejected.map_or_else(String::new, |case| format!(" on {}", case.name));
        let words = judgement.verdict.words();
        return Bearing::Failed(format!(
            "is judged {words}{place} with a limit of {DERIVATION_LIMIT}: it {why}"
        ));
    }
    Bearing::Time(expectation.time_below_limit(&outcome.cases))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Compilation;

    fn bears(judgement: Judgement) -> Bearing {
        let accepted = Expectation::Verdict { any_of: [Verdict::Accepted].into(), partial_score: false };
        bearing(&accepted, &judgement)
    }

    fn judgement(language: Option<&str>, verdict: Verdict) -> Judgement {
        let judgement = Judgement::failed("accepted/a", String::new());
        let cases = vec![CaseJudgement::new("secret/1", verdict)];
        let language = language.map(str::to_owned);
        Judgement { language, verdict, cases, judging_error: None, ..judgement }
    }

    #[test]
    fn submissions_that_cannot_be_compiled_are_left_out() {
        let old = Judgement {
            compilation: Some(Compilation::default()),
            ..judgement(Some("python3"), Verdict::CompileError)
        };
        assert_eq!(bears(old), Bearing::Nothing("it does not compile here".to_owned()));
        let unknown = judgement(None, Verdict::CompileError);
        assert_eq!(bears(unknown), Bearing::Nothing("it is in no known language".to_owned()));
    }

    #[test]
    fn an_accepted_one_that_fails_is_named_with_its_case() {
        assert_eq!(bears(judgement(Some("c"), Verdict::Accepted)), Bearing::Time(Some(Nanos::ZERO)));
        assert_eq!(
            bears(judgement(Some("c"), Verdict::WrongAnswer)),
            Bearing::Failed(
                "is judged wrong answer on secret/1 with a limit of 60.000 s: it is WA, expected AC"
                    .to_owned()
            )
        );
        let ours = Judgement {
            judging_error: Some("no disk".to_owned()),
            ..judgement(Some("c"), Verdict::JudgingError)
        };
        assert_eq!(bears(ours), Bearing::Failed("is a judging error: no disk".to_owned()));
    }
}
