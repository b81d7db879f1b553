//! Work that is not timed: compiling, checking, grading.

use crate::cancel::Cancel;
use crate::check::{Checked, FeedbackFolder};
use crate::prepare::{Prepared, Ready, compile, take_answers};
use crate::problem::{Problem, SubmissionSource};
use crate::readable::ReadableCase;
use crate::scores::Total;
use crate::status::Status;
use crate::work::{Part, Work};
use crate::written::SHOWN_BYTES_MAX;
use crate::{Helper, JudgeError};
use judging_steps::Step;
use languages::Languages;
use package::scoring::{Grade, GraderCall};
use package::{StaticValidation, TestCase};
use rustix::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

/// A job that is not timed, with everything that it needs.
#[derive(Debug)]
pub(crate) struct Job {
    problem: Arc<Problem>,
    cancel: Cancel,
    status: Status,
    pub task: Task,
}

#[derive(Debug)]
pub(crate) enum Task {
    Compile(Arc<SubmissionSource>),
    TakeAnswers(Arc<SubmissionSource>),
    CheckSources { item: usize, check: StaticValidation, ready: Arc<Ready> },
    Check { item: usize, subject: Subject, pass: u32, output: Arc<Vec<u8>>, ready: Arc<Ready> },
    Grade(GraderCall),
}

#[derive(Debug)]
pub(crate) enum Subject {
    /// It ran, and may have had earlier passes.
    Ran(ReadableCase, Option<Arc<FeedbackFolder>>),
    Answered(TestCase),
}

#[derive(Debug)]
pub(crate) enum Answer {
    Prepared(Result<Prepared, JudgeError>),
    /// With the check's folder, which lasts over passes.
    Checked(usize, Result<(Checked, Option<Arc<FeedbackFolder>>), JudgeError>),
    Graded(Result<Result<Grade, String>, JudgeError>),
}

impl Job {
    pub fn of(work: &mut Work, step: Step<GraderCall, Total>) -> Result<Self, JudgeError> {
        let ready = || work.ready.clone().ok_or_else(|| JudgeError::Bug("nothing was prepared".to_owned()));
        let task = match step {
            Step::Compile => Task::Compile(Arc::clone(&work.source)),
            Step::TakeAnswers => Task::TakeAnswers(Arc::clone(&work.source)),
            Step::Grade(call) => Task::Grade(call),
            Step::CheckSources { item } => match &work.parts[item] {
                Part::Sources(check) => Task::CheckSources { item, check: check.clone(), ready: ready()? },
                Part::Case(_) => return Err(JudgeError::Bug("a case was checked as sources".to_owned())),
            },
            Step::Check { item, pass, run } => {
                let ready = ready()?;
                match (work.cases.get(&item), &work.parts[item]) {
                    (Some(case), _) => {
                        let output = case.outputs.stdout(run).unwrap_or_default();
                        let subject = Subject::Ran(case.case.clone(), case.feedback.clone());
                        Task::Check { item, subject, pass, output, ready }
                    }
                    (None, Part::Case(case)) => {
                        let output = Arc::new(work.answer(case).unwrap_or_default().to_vec());
                        Task::Check { item, subject: Subject::Answered(case.clone()), pass, output, ready }
                    }
                    (None, Part::Sources(_)) => {
                        return Err(JudgeError::Bug("sources were checked as a case".to_owned()));
                    }
                }
            }
            _ => return Err(JudgeError::Bug("a timed step was queued as untimed work".to_owned())),
        };
        work.status.wait_for_helper();
        let (cancel, status) = (work.cancel.clone(), work.status.clone());
        Ok(Self { problem: Arc::clone(&work.problem), cancel, status, task })
    }

    /// Returns whether it runs compilers, which may take minutes.
    pub fn is_compilation(&self) -> bool {
        matches!(self.task, Task::Compile(_))
    }

    /// Returns the kind of helper that does it.
    pub fn kind(&self) -> &'static str {
        match &self.task {
            Task::Compile(_) => "compiler",
            Task::TakeAnswers(_) | Task::CheckSources { .. } | Task::Check { .. } => "checker",
            Task::Grade(_) => "grader",
        }
    }

    #[cfg(test)]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_set()
    }

    pub fn begin(&self) {
        self.status.helper_begins();
    }

    /// Executes it in the helper's slot for the root that it needs.
    pub fn run(
        &self,
        (languages, stop): (&Languages, Option<&OwnedFd>),
        helper: impl FnOnce(Option<&Path>) -> Result<Helper, JudgeError>,
    ) -> Answer {
        let (problem, package) = (&self.problem, self.problem.package());
        let root = if let Task::Compile(source) = &self.task { source.root.as_deref() } else { None };
        let helper = &match helper(root) {
            Ok(helper) => helper.until(self.cancel.event()),
            Err(error) => return self.failed(error),
        };
        match &self.task {
            Task::Compile(source) => Answer::Prepared(compile(problem, source, (languages, stop), helper)),
            Task::TakeAnswers(source) => Answer::Prepared(take_answers(problem, source)),
            Task::CheckSources { item, check, ready } => {
                let parts = problem.programs.static_validator.as_ref().zip(ready.subject.as_ref());
                let checked = match parts {
                    Some((validator, subject)) => validator.check(helper, package, check, subject),
                    None => Err(JudgeError::Bug("there is no static validator".to_owned())),
                };
                Answer::Checked(*item, checked.map(|checked| (checked, None)))
            }
            Task::Check { item, subject, pass, output, ready } => {
                let check = || {
                    let (case, feedback) = match subject {
                        Subject::Ran(case, feedback) => (case.clone(), feedback.clone()),
                        Subject::Answered(case) => (ReadableCase::of(case)?, None),
                    };
                    let feedback = match feedback {
                        Some(feedback) => feedback,
                        None => Arc::new(FeedbackFolder::new(helper, &package.limits)?),
                    };
                    feedback.begin_pass()?;
                    let seen = (output.as_slice(), ready.subject.as_ref());
                    let mut checked =
                        problem.programs.checker.check(helper, package, &case, seen, &feedback, *pass)?;
                    if checked.verdict != model::Verdict::Accepted {
                        let start = package::cut(output, SHOWN_BYTES_MAX);
                        checked.output_start = Some(String::from_utf8_lossy(start).into_owned());
                    }
                    Ok((checked, Some(feedback)))
                };
                Answer::Checked(*item, check())
            }
            Task::Grade(call) => Answer::Graded(match &problem.programs.grader {
                Some(grader) => grader.ask(helper, package, call),
                None => Ok(Err("asks for a grader, and the package has none".to_owned())),
            }),
        }
    }
}

impl Job {
    /// Returns whether doing it again gives the same: an interrupted checker may have changed what it keeps from pass to
    /// pass.
    pub fn is_repeatable(&self) -> bool {
        !matches!(&self.task, Task::Check { subject: Subject::Ran(_, Some(_)), .. })
    }

    /// Makes its answer for an internal failure.
    pub fn failed(&self, error: JudgeError) -> Answer {
        match &self.task {
            Task::Compile(_) | Task::TakeAnswers(_) => Answer::Prepared(Err(error)),
            Task::CheckSources { item, .. } | Task::Check { item, .. } => Answer::Checked(*item, Err(error)),
            Task::Grade(_) => Answer::Graded(Err(error)),
        }
    }
}

impl Answer {
    pub fn is_lost_place(&self) -> bool {
        let error = match self {
            Self::Prepared(done) => done.as_ref().err(),
            Self::Checked(_, done) => done.as_ref().err(),
            Self::Graded(done) => done.as_ref().err(),
        };
        error.is_some_and(JudgeError::is_lost_place)
    }
}

/// Makes the short result of a check, which decides the case.
pub(crate) fn decided(checked: &Checked) -> judging_steps::Checked {
    judging_steps::Checked {
        verdict: checked.verdict,
        score: checked.score,
        score_multiplier: checked.score_multiplier,
        next_pass: checked.next_pass.is_some(),
    }
}
