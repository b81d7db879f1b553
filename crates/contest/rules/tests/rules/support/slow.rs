//! A second, slow and obvious way to work out boards from a log: every question reads all events again.

use contest_rules::board::BoardSide;
use contest_rules::*;
use model::Verdict;
use std::collections::BTreeMap;

pub struct Slow<'a> {
    events: &'a [Event],
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlowRow {
    pub rank: Option<u32>,
    pub solved: u32,
    pub total_time: i64,
    pub score: i64,
    /// By problem: (judged, pending, is solved, time, score).
    pub cells: BTreeMap<String, (u32, u32, bool, Option<i64>, i64)>,
}

impl<'a> Slow<'a> {
    pub fn new(events: &'a [Event]) -> Self {
        Self { events }
    }

    fn last<T>(&self, pick: impl Fn(&Body) -> Option<T>) -> Option<T> {
        self.events.iter().rev().find_map(|event| pick(&event.body))
    }

    pub fn settings(&self) -> ContestSettings {
        let pick = |body: &Body| {
            if let Body::ContestSet(settings) = body { Some((**settings).clone()) } else { None }
        };
        self.last(pick).unwrap()
    }

    fn team(&self, id: &TeamId) -> TeamSettings {
        let pick = |body: &Body| match body {
            Body::TeamSet(team) if team.id == *id => Some(team.clone()),
            _ => None,
        };
        self.last(pick).unwrap()
    }

    fn is_public(&self, team: &TeamSettings) -> bool {
        let hides = |group: &GroupId| {
            self.last(|body| match body {
                Body::GroupSet(settings) if settings.id == *group => Some(settings.is_hidden),
                _ => None,
            })
        };
        !team.is_hidden && !team.groups.iter().any(|group| hides(group) == Some(true))
    }

    fn thawed(&self) -> bool {
        let settings = self.settings();
        let is_in_contest = |event: &&Event| event.contest.is_some();
        let now = self.events.iter().filter(is_in_contest).map(|event| event.time).max().unwrap();
        settings.freeze.is_some()
            && settings.contest_time(now).unwrap() >= settings.duration
            && settings.thaw.is_some_and(|thaw| thaw <= now)
    }

    fn submissions(&self) -> Vec<(Submitted, Instant)> {
        let pick = |event: &Event| match &event.body {
            Body::Submitted(submitted) => Some(((**submitted).clone(), event.time)),
            _ => None,
        };
        self.events.iter().filter_map(pick).collect()
    }

    fn current(&self, number: SubmissionNumber) -> Option<JudgementKey> {
        let mut current = None;
        for event in self.events {
            match &event.body {
                Body::JudgementOpened { judgement, .. }
                    if judgement.submission == number && current.is_none() =>
                {
                    current = Some(*judgement);
                }
                Body::JudgementsCurrent(keys) => {
                    current = keys.iter().copied().find(|key| key.submission == number).or(current);
                }
                _ => {}
            }
        }
        current
    }

    fn judged(&self, key: JudgementKey) -> Option<Judged> {
        self.last(|body| match body {
            Body::Judged(judged) if judged.judgement == key => Some((**judged).clone()),
            _ => None,
        })
    }

    /// Returns whether the verdict that was set by hand was verified; `None` without one.
    fn verified_since_override(&self, number: SubmissionNumber) -> Option<bool> {
        self.override_and_verified(number, self.events.len())
    }

    /// The same after this many events.
    fn override_and_verified(&self, number: SubmissionNumber, count: usize) -> Option<bool> {
        let mut verified = None;
        for event in &self.events[..count] {
            match &event.body {
                Body::VerdictOverridden { submission, verdict, .. } if *submission == number => {
                    verified = verdict.map(|_| false);
                }
                Body::Verified { judgement, .. } if judgement.submission == number => {
                    verified = verified.map(|_| true);
                }
                _ => {}
            }
        }
        verified
    }

    /// Returns whether a judgement was verified, and not a verdict set by hand in its place.
    fn is_verified(&self, key: JudgementKey) -> bool {
        let is_its =
            |event: &Event| matches!(&event.body, Body::Verified { judgement, .. } if *judgement == key);
        let mut its = self.events.iter().enumerate().filter(|(_, event)| is_its(event));
        its.any(|(at, _)| self.override_and_verified(key.submission, at).is_none())
    }

    /// Returns the keys of the judgements that must agree.
    fn replicas(&self, number: SubmissionNumber) -> Vec<JudgementKey> {
        use JudgementReason::{First, OnDemand, Replica, Strict};
        let opened: Vec<(JudgementKey, JudgementReason, PoolId)> = self
            .events
            .iter()
            .filter_map(|event| match &event.body {
                Body::JudgementOpened { judgement, reason, pool } if judgement.submission == number => {
                    Some((*judgement, *reason, pool.clone()))
                }
                _ => None,
            })
            .collect();
        let Some(pool) = opened.iter().rev().find(|entry| entry.1 == Replica).map(|entry| entry.2.clone())
        else {
            return Vec::new();
        };
        let is_one = |entry: &&(JudgementKey, JudgementReason, PoolId)| {
            entry.2 == pool && matches!(entry.1, First | OnDemand | Replica | Strict)
        };
        opened.iter().filter(is_one).map(|entry| entry.0).collect()
    }

    pub fn outcome(&self, number: SubmissionNumber) -> Option<Outcome> {
        let overridden = self.last(|body| match body {
            Body::VerdictOverridden { submission, verdict, .. } if *submission == number => Some(*verdict),
            _ => None,
        });
        if let Some(Some(outcome)) = overridden {
            let is_verified = self.verified_since_override(number) == Some(true);
            return (is_verified || !self.settings().verification_required).then_some(outcome);
        }
        let current = self.current(number)?;
        let judged = self.judged(current)?;
        let outcome = judged.outcome;
        let verified = self.is_verified(current);
        let replicas = self.replicas(number);
        let agree =
            replicas.iter().all(|key| self.judged(*key).map(|judged| judged.outcome) == Some(outcome));
        let is_held_back = (self.settings().verification_required && !verified)
            || (replicas.contains(&current) && !agree && !verified)
            || (!judged.for_jury.is_empty() && !verified)
            || outcome.verdict.0 == Verdict::JudgingError;
        (!is_held_back).then_some(outcome)
    }

    fn is_ignored(&self, number: SubmissionNumber) -> bool {
        let pick = |body: &Body| match body {
            Body::SubmissionIgnored { submission, is_ignored, .. } if *submission == number => {
                Some(*is_ignored)
            }
            _ => None,
        };
        self.last(pick).unwrap_or(false)
    }

    /// Returns the rows by team.
    pub fn board(&self, side: BoardSide) -> BTreeMap<String, SlowRow> {
        let settings = self.settings();
        let (mut rows, mut keys) = (BTreeMap::new(), Vec::new());
        for name in ["t1", "t2", "t3", "t4"] {
            let team = self.team(&sample::id(name));
            let is_in_group = settings.main_group.as_ref().is_none_or(|group| team.groups.contains(group));
            if !is_in_group || (side == BoardSide::Public && !self.is_public(&team)) {
                continue;
            }
            let mut row = SlowRow::default();
            let mut last = 0;
            for problem in ["a", "b"] {
                let (cell, penalty) = self.cell(side, &team.id, &sample::id(problem));
                if cell == (0, 0, false, None, 0) {
                    continue;
                }
                row.solved += u32::from(cell.2);
                row.total_time += penalty;
                row.score += cell.4;
                last = last.max(cell.3.unwrap_or(0));
                row.cells.insert(problem.to_owned(), cell);
            }
            let is_pass_fail = matches!(settings.scoring, Scoring::PassFail { .. });
            let key = if is_pass_fail {
                (-i64::from(row.solved), row.total_time, last / 60_000)
            } else {
                (-row.score, 0, last)
            };
            if self.is_public(&team) {
                keys.push((name.to_owned(), key));
            }
            rows.insert(name.to_owned(), row);
        }
        for (name, key) in &keys {
            let better = keys.iter().filter(|(_, other)| other < key).count() as u32;
            rows.get_mut(name).unwrap().rank = Some(better + 1);
        }
        rows
    }

    #[allow(clippy::type_complexity, reason = "a cell as the numbers that are compared")]
    fn cell(
        &self,
        side: BoardSide,
        team: &TeamId,
        problem: &ProblemId,
    ) -> ((u32, u32, bool, Option<i64>, i64), i64) {
        let settings = self.settings();
        let freeze = settings.freeze.map(|freeze| settings.duration - freeze);
        // In order: (time, what is known).
        let mut attempts = Vec::new();
        for (submitted, at) in self.submissions() {
            let time = settings.contest_time(at).unwrap();
            if submitted.team.as_ref() != Some(team)
                || submitted.problem != *problem
                || time >= settings.duration
                || time < Millis::ZERO
                || self.is_ignored(submitted.number)
            {
                continue;
            }
            let is_hidden =
                side == BoardSide::Public && freeze.is_some_and(|freeze| time >= freeze) && !self.thawed();
            let outcome = self.outcome(submitted.number).filter(|_| !is_hidden);
            attempts.push((submitted.number, time, outcome));
        }
        match settings.scoring {
            Scoring::PassFail { penalty, compile_penalty } => {
                let is = |attempt: &(SubmissionNumber, Millis, Option<Outcome>), verdict| {
                    attempt.2.is_some_and(|outcome| outcome.verdict.0 == verdict)
                };
                let solved = attempts.iter().position(|attempt| is(attempt, Verdict::Accepted));
                let until = &attempts[..solved.unwrap_or(attempts.len())];
                let pending = until.iter().filter(|attempt| attempt.2.is_none()).count() as u32;
                let costs = |attempt: &&(SubmissionNumber, Millis, Option<Outcome>)| {
                    attempt.2.is_some() && (compile_penalty || !is(attempt, Verdict::CompileError))
                };
                let rejected = until.iter().filter(costs).count() as u32;
                let time = solved.map(|at| attempts[at].1.0);
                let cost = time.map_or(0, |time| time / 60_000 * 60_000 + penalty.0 * i64::from(rejected));
                let judged = rejected + u32::from(solved.is_some());
                ((judged, pending, solved.is_some(), time, 0), cost)
            }
            Scoring::Points { counted } => {
                let pending = attempts.iter().filter(|attempt| attempt.2.is_none()).count() as u32;
                let judged: Vec<_> = attempts
                    .iter()
                    .filter_map(|(number, time, outcome)| Some((*number, *time, (*outcome)?)))
                    .filter(|attempt| attempt.2.verdict.0 != Verdict::CompileError)
                    .collect();
                let score_after = |count: usize| match counted {
                    CountedScore::Best => judged[..count]
                        .iter()
                        .map(|attempt| attempt.2.score.unwrap_or_default().0)
                        .max()
                        .unwrap_or(0)
                        .max(0),
                    CountedScore::Last => {
                        judged[..count].last().map_or(0, |attempt| attempt.2.score.unwrap_or_default().0)
                    }
                    CountedScore::BestOfSubtasks => {
                        let subtasks: Vec<Vec<Score>> = judged[..count]
                            .iter()
                            .map(|attempt| self.subtasks(attempt.0, attempt.2))
                            .collect();
                        let most = subtasks.iter().map(Vec::len).max().unwrap_or(0);
                        let best = |at: usize| {
                            subtasks
                                .iter()
                                .map(|scores| scores.get(at).map_or(0, |score| score.0))
                                .max()
                                .unwrap_or(0)
                                .max(0)
                        };
                        (0..most).map(best).sum()
                    }
                };
                let score = score_after(judged.len());
                let improved = match counted {
                    CountedScore::Last => judged.last().map(|attempt| attempt.1.0),
                    _ => (0..judged.len()).find(|at| score_after(at + 1) == score).map(|at| judged[at].1.0),
                };
                let time = improved.filter(|_| score > 0);
                ((judged.len() as u32, pending, score >= 100_000_000, time, score), 0)
            }
        }
    }

    fn subtasks(&self, number: SubmissionNumber, outcome: Outcome) -> Vec<Score> {
        let overridden = self.last(|body| match body {
            Body::VerdictOverridden { submission, verdict, .. } if *submission == number => {
                Some(verdict.is_some())
            }
            _ => None,
        });
        let judged = self.current(number).and_then(|key| self.judged(key)).map(|judged| judged.subtasks);
        match judged {
            Some(subtasks) if overridden != Some(true) && !subtasks.is_empty() => subtasks,
            _ => vec![outcome.score.unwrap_or_default()],
        }
    }
}
