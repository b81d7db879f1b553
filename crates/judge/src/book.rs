//! Results as they come in, and what they come to together.

use crate::JudgeError;
use crate::judgement::{CaseJudgement, GroupScore, Judgement};
use crate::observer::Observer;
use crate::submission::{Judge, SubmissionSource};
use model::Verdict;
use package::Package;
use package::scoring::{self, CaseResult, NoTotal, Results};

/// Results as they come in.
pub(crate) struct Book<'j, 'a> {
    judge: &'j Judge<'a>,
    submission: &'j str,
    observer: &'j mut dyn Observer,
    all: bool,
    results: Results,
    pub done: Vec<CaseJudgement>,
}

impl<'j, 'a> Book<'j, 'a> {
    pub fn open(judge: &'j Judge<'a>, source: &'j SubmissionSource, observer: &'j mut dyn Observer) -> Self {
        if let Some(grader) = judge.grader() {
            grader.begin();
        }
        let all = judge.options().all || source.all_cases || !judge.options().cases.is_empty();
        Self { judge, submission: &source.name, observer, all, results: Results::new(), done: Vec::new() }
    }

    /// Says whether what has this name can still change anything.
    pub fn needs(&self, name: &str) -> Result<bool, JudgeError> {
        if self.all {
            return Ok(true);
        }
        if let Some(choice) = &self.judge.options().error {
            return Ok(choice.can_change(self.done.iter().map(|case| case.verdict)));
        }
        let Package { data, kind, .. } = self.judge.package();
        self.judge
            .with_grades(|grades| scoring::still_needed(data, kind.scoring, &self.results, grades, name))
    }

    /// Enters what a case came to.
    pub fn enter(&mut self, case: CaseJudgement) {
        self.observer.case_done(self.submission, &case);
        self.results.insert(case.name.clone(), CaseResult::from(&case));
        self.done.push(case);
    }
}

impl Judge<'_> {
    /// Makes one result of many.
    pub(crate) fn total(
        &self,
        source: &SubmissionSource,
        cases: Vec<CaseJudgement>,
    ) -> Result<Judgement, JudgeError> {
        let judging_error = cases.iter().find_map(|case| {
            let error = case.judging_error.as_ref()?;
            Some(format!("{}: {error}", case.name))
        });
        let results: Results = cases.iter().map(|case| (case.name.clone(), CaseResult::from(case))).collect();
        let mut judgement = Judgement { cases, ..Judgement::new(source, Verdict::JudgingError) };
        if judging_error.is_some() {
            return Ok(Judgement { judging_error, ..judgement });
        }
        if !self.options().cases.is_empty() {
            // With cases left out there is no total; the first that is not accepted tells most.
            let rejected = judgement.cases.iter().find(|case| case.verdict != Verdict::Accepted);
            judgement.verdict = rejected.map_or(Verdict::Accepted, |case| case.verdict);
            return Ok(judgement);
        }
        if let Some(choice) = &self.options().error {
            judgement.verdict = choice.verdict(judgement.cases.iter().map(|case| case.verdict));
            return Ok(judgement);
        }
        let Package { data, kind, .. } = self.package();
        let total =
            self.with_grades(|grades| match scoring::total(data, kind.scoring, &results, grades) {
                Err(NoTotal::Ungraded(call)) => Err(call),
                decided => Ok(decided),
            })?;
        match total {
            Ok(total) => {
                judgement.verdict = total.verdict;
                judgement.score = total.score;
                judgement.best_score = total.best_score;
                judgement.groups =
                    total.group_scores.into_iter().map(|(name, score)| GroupScore { name, score }).collect();
            }
            Err(error) => judgement.judging_error = Some(error.to_string()),
        }
        Ok(judgement)
    }
}
