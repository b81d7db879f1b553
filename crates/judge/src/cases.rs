//! Running the cases of one submission, and checking what they wrote.

use crate::JudgeError;
use crate::book::Book;
use crate::build::Built;
use crate::check::{Checked, FeedbackFolder};
use crate::judgement::CaseJudgement;
use crate::observer::Observer;
use crate::readable::ReadableCase;
use crate::run::{CaseRuns, Repeats, case_input};
use crate::static_check::StaticSubject;
use crate::submission::{Judge, SubmissionSource};
use model::Verdict;
use package::{Step, TestCase};
use std::thread::{self, ScopedJoinHandle};

impl Judge<'_> {
    /// Takes a program through all that decides.
    pub(crate) fn run_cases(
        &self,
        source: &SubmissionSource,
        built: &Built,
        subject: Option<&StaticSubject>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<CaseJudgement>, JudgeError> {
        let kind = &self.package().kind;
        let simple = !kind.interactive && kind.multi_pass.is_none();
        let mut is_warm = !simple;
        let steps = self.selected_steps();
        let repeats = Repeats::new(&self.settings().rule, steps.len());
        let mut book = Book::open(self, source, observer);
        // A grader is asked about groups that are done, so nothing of them may be open.
        thread::scope(|scope| {
            // The check of one case goes on while the next one runs; if it makes that superfluous,
            // the run is thrown away.
            let mut checking: Option<Checking<'_>> = None;
            for step in steps {
                // With a check to come, what is known is enough to run a case, but not to leave one out.
                if !book.needs(step.name())? && !needs_after(&mut checking, &mut book, step)? {
                    continue;
                }
                let case = match step {
                    Step::Case(case) => case,
                    Step::Static(check) => {
                        // It takes the CPUs of a check that may still go on, and may become superfluous by it.
                        if let (Some(validator), Some(subject)) = (self.static_validator(), subject)
                            && needs_after(&mut checking, &mut book, step)?
                        {
                            book.enter(self.check_statically(validator, check, subject)?);
                        }
                        continue;
                    }
                };
                let case = ReadableCase::of(case)?;
                if !simple {
                    book.enter(self.run_with_checks_between((built, subject), &case, &repeats)?);
                    continue;
                }
                let input = case_input(&case)?;
                if !is_warm {
                    self.station().warm_up(self.settings(), built, &case, &input)?;
                    is_warm = true;
                }
                let runs =
                    self.station().run_case((self.settings(), built, &case, &input), &repeats, || {
                        needs_after(&mut checking, &mut book, step)
                    })?;
                let Some(runs) = runs else { continue };
                if !needs_after(&mut checking, &mut book, step)? {
                    continue;
                }
                let handle = scope.spawn(move || self.check_runs(&case, runs, subject));
                checking = Some(handle);
                // Others who time may have come since, and the helpers have made room for them.
                if self.grader().is_some() || !self.station().can_overlap() {
                    settle(&mut checking, &mut book)?;
                }
            }
            settle(&mut checking, &mut book)?;
            Ok(book.done)
        })
    }

    /// Checks the output of a case's runs, if that decides.
    fn check_runs(
        &self,
        case: &TestCase,
        runs: CaseRuns,
        subject: Option<&StaticSubject>,
    ) -> Result<CaseJudgement, JudgeError> {
        if runs.verdict.is_some() {
            return Ok(self.case_judgement(case, runs, None));
        }
        let feedback = FeedbackFolder::new(self.station(), &self.package().limits)?;
        let checked =
            self.checker().check(self.station(), self.package(), case, (&runs.stdout, subject), &feedback, 1);
        Ok(self.case_judgement(case, runs, Some(checked)))
    }

    pub(crate) fn case_judgement(
        &self,
        case: &TestCase,
        runs: CaseRuns,
        checked: Option<Result<Checked, JudgeError>>,
    ) -> CaseJudgement {
        let (checked, judging_error) = match checked {
            Some(Ok(checked)) => (Some(checked), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, runs.undecided),
        };
        let verdict = match (&judging_error, &checked) {
            (Some(_), _) => Verdict::JudgingError,
            (None, Some(checked)) => runs.verdict.unwrap_or(checked.verdict),
            (None, None) => runs.verdict.unwrap_or(Verdict::JudgingError),
        };
        CaseJudgement {
            runs: runs.runs,
            decisive: runs.decisive,
            reasons: runs.reasons,
            checked,
            nondeterministic: runs.nondeterministic,
            passes: 1,
            stdout: if self.options().keep_outputs { runs.stdout } else { Vec::new() },
            stderr: runs.stderr,
            judging_error,
            ..CaseJudgement::new(&case.name, verdict)
        }
    }
}

/// A check that goes on.
type Checking<'scope> = ScopedJoinHandle<'scope, Result<CaseJudgement, JudgeError>>;

/// Waits for the check that goes on, and enters what it found.
fn settle(checking: &mut Option<Checking<'_>>, book: &mut Book<'_, '_>) -> Result<(), JudgeError> {
    if let Some(handle) = checking.take() {
        book.enter(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    Ok(())
}

/// Says whether a step is needed when all that went before is known.
fn needs_after(
    checking: &mut Option<Checking<'_>>,
    book: &mut Book<'_, '_>,
    step: Step<'_>,
) -> Result<bool, JudgeError> {
    settle(checking, book)?;
    book.needs(step.name())
}
