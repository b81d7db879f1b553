//! Cases that are run and checked by turns: several passes, or a conversation.

use crate::JudgeError;
use crate::build::Built;
use crate::check::{Checker, FeedbackFolder};
use crate::interactive::{Conversed, Earlier, Interactor};
use crate::judgement::CaseJudgement;
use crate::run::{Repeats, case_input};
use crate::static_check::StaticSubject;
use crate::submission::Judge;
use model::{Reading, RunResult, Verdict};
use package::{Protocol, TestCase};

impl Judge<'_> {
    /// Runs a case whose checks come between its runs: one that talks, or one of several passes.
    pub(crate) fn run_with_checks_between(
        &self,
        program: (&Built, Option<&StaticSubject>),
        case: &TestCase,
        repeats: &Repeats,
    ) -> Result<CaseJudgement, JudgeError> {
        let result = match (self.checker(), self.package().kind.interactive) {
            (Checker::Custom { name, built: interactor, protocol }, true) => {
                self.run_interactive(program, case, name, (interactor.as_ref(), *protocol), repeats)
            }
            _ => self.run_passes(program, case, repeats),
        };
        match result {
            Err(error) if !error.is_interruption() => {
                Ok(CaseJudgement::failed(&case.name, error.to_string()))
            }
            other => other,
        }
    }

    /// Runs passes until the validator asks for no more.
    fn run_passes(
        &self,
        (built, subject): (&Built, Option<&StaticSubject>),
        case: &TestCase,
        repeats: &Repeats,
    ) -> Result<CaseJudgement, JudgeError> {
        let feedback = FeedbackFolder::new(self.station(), &self.package().limits)?;
        let mut case_of_pass = case.clone();
        let scratch = sandbox::Workspace::new(self.package().limits.validation_output, 16)?;
        let mut passes = 0;
        let mut earlier_passes = Vec::new();
        loop {
            passes += 1;
            feedback.begin_pass()?;
            let input = case_input(&case_of_pass)?;
            let runs =
                self.station()
                    .run_case((self.settings(), built, &case_of_pass, &input), repeats, || Ok(true))?;
            let runs = runs.expect("a pass is needed as long as it is asked for");
            if runs.verdict.is_some() {
                let judgement = self.case_judgement(case, runs, None);
                return Ok(CaseJudgement { passes, earlier_passes, ..judgement });
            }
            let checked = self.checker().check(
                self.station(),
                self.package(),
                &case_of_pass,
                (&runs.stdout, subject),
                &feedback,
                passes,
            )?;
            match &checked.next_pass {
                Some(input) => {
                    case_of_pass.input = scratch.write("nextpass.in", input)?;
                    earlier_passes.push(runs.runs);
                }
                None => {
                    return Ok(CaseJudgement {
                        passes,
                        earlier_passes,
                        ..self.case_judgement(case, runs, Some(Ok(checked)))
                    });
                }
            }
        }
    }

    fn run_interactive(
        &self,
        (built, subject): (&Built, Option<&StaticSubject>),
        case: &TestCase,
        name: &str,
        (interactor, protocol): (&Built, Protocol),
        repeats: &Repeats,
    ) -> Result<CaseJudgement, JudgeError> {
        // The feedback folder lasts over the passes of a case, so a repeat starts with the first pass.
        let mut runs_of_pass: Vec<Vec<RunResult>> = Vec::new();
        let mut reasons = Vec::new();
        let mut core = Reading::default();
        'attempts: loop {
            let feedback = FeedbackFolder::new(self.station(), &self.package().limits)?;
            let scratch = sandbox::Workspace::new(self.package().limits.validation_output, 16)?;
            let mut case_of_pass = case.clone();
            let mut transcript = Vec::new();
            let mut passes = 0;
            loop {
                let index = passes as usize;
                passes += 1;
                feedback.begin_pass()?;
                let interactor = Interactor {
                    name,
                    built: interactor,
                    protocol,
                    feedback: &feedback,
                    package: self.package(),
                    subject,
                    pass: passes,
                };
                if runs_of_pass.len() == index {
                    runs_of_pass.push(Vec::new());
                }
                let runs = std::mem::take(&mut runs_of_pass[index]);
                let earlier = Earlier { runs, core: std::mem::take(&mut core), repeats };
                let conversed =
                    self.station().converse(self.settings(), built, &case_of_pass, &interactor, earlier)?;
                let conversation = match conversed {
                    Conversed::Done(conversation) => *conversation,
                    Conversed::Again(runs, reason) => {
                        reasons.push(format!("run again: {reason}"));
                        core = self.station().rest(&self.settings().rule, &runs, repeats)?.slowdown;
                        runs_of_pass[index] = runs;
                        continue 'attempts;
                    }
                };
                transcript.extend(conversation.transcript);
                if conversation.verdict == Verdict::Accepted
                    && let Some(input) =
                        conversation.checked.as_ref().and_then(|checked| checked.next_pass.as_ref())
                {
                    runs_of_pass[index].clone_from(&conversation.runs.runs);
                    case_of_pass.input = scratch.write("nextpass.in", input)?;
                    continue;
                }
                let mut judgement =
                    self.case_judgement(case, conversation.runs, conversation.checked.map(Ok));
                reasons.append(&mut judgement.reasons);
                runs_of_pass.truncate(index);
                return Ok(CaseJudgement {
                    verdict: conversation.verdict,
                    reasons,
                    interactor: Some(conversation.interactor),
                    transcript,
                    passes,
                    earlier_passes: runs_of_pass,
                    ..judgement
                });
            }
        }
    }
}
