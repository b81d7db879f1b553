//! What does not go together in a policy, and what goes together and may surprise.

use super::fields::Lines;
use crate::Level;
use crate::policy::units::{decimal, duration};
use crate::policy::{Candidates, Policy, Prediction, Rescheduling, Score};
use located::{FileLocation, Report, join};

/// A policy, and where it is in the file.
struct Judged<'r> {
    report: &'r Report,
    lines: &'r Lines,
    path: &'r str,
    policy: &'r Policy,
}

pub fn report(report: &Report, lines: &Lines, path: &str, policy: &Policy) {
    let judged = Judged { report, lines, path, policy };
    judged.pools();
    judged.preferences();
    match policy.prediction {
        Some(prediction) => judged.predicted(&prediction),
        None => judged.unpredicted(),
    }
    if let (Some(moves), Some(prediction)) = (policy.rescheduling, policy.prediction) {
        judged.moves(&moves, &prediction);
    }
}

impl Judged<'_> {
    /// Reports a mistake in the first of the fields, on the line of the first that the policy has itself. If it has none of
    /// those that the mistake depends on, it was reported for the policy that has them.
    fn refuse(&self, fields: &[&str], message: String) {
        if let Some(line) = self.own(fields) {
            self.report.error(self.place(line, fields), message);
        }
    }

    /// Warns in the same way.
    fn warn(&self, fields: &[&str], message: String) {
        if let Some(line) = self.own(fields) {
            self.report.warning(self.place(line, fields), message);
        }
    }

    fn place(&self, line: u64, fields: &[&str]) -> FileLocation {
        FileLocation::default().line(line).field(join(self.path, fields[0]))
    }

    fn own(&self, fields: &[&str]) -> Option<u64> {
        fields.iter().find_map(|field| self.lines.get(&join(self.path, field)).copied())
    }

    fn pools(&self) {
        for (name, promise) in &self.policy.pools {
            let cpu = format!("pools.{name}.cpu");
            if !promise.levels.contains(&Level::Standard) {
                let message =
                    "has no effect, since only standard jobs share CPUs by request and the pool takes none";
                self.warn(&[&cpu], message.to_owned());
            }
            if promise.memory_permille > 1000 {
                let message = format!(
                    "is {}: jobs that use all the memory they request are ended when the host has no more",
                    decimal(promise.memory_permille)
                );
                self.warn(&[&format!("pools.{name}.memory")], message);
            }
        }
    }

    fn preferences(&self) {
        let has = |score| self.policy.prefer.contains_key(&score);
        if has(Score::Free) && has(Score::Packed) {
            let message = "is given with prefer.free, and each undoes the other, expected one of them; remove the \
                           other";
            self.refuse(&["prefer.packed", "prefer"], message.to_owned());
        }
        if has(Score::Free) && has(Score::BestFit) {
            let message = "prefers full hosts and prefer.free empty ones; the greater weight decides";
            self.warn(&["prefer.best-fit"], message.to_owned());
        }
        if has(Score::Packed) && has(Score::LowPeak) {
            let message = "prefers hosts with many requests and prefer.low-peak those with little load; the greater weight decides";
            self.warn(&["prefer.packed"], message.to_owned());
        }
        if self.policy.prefer.is_empty() && self.policy.candidates != Candidates::First(1) {
            self.warn(
                &["candidates"],
                "has no effect, since nothing is preferred and the first host is used".into(),
            );
        }
    }

    /// What needs predictions that are not there.
    fn unpredicted(&self) {
        let needs = |fields: &[&str], instead: &str| {
            let message =
                format!("needs predictions, and there are none; add 'prediction', or write '{instead}'");
            self.refuse(fields, message);
        };
        let limits = &self.policy.limits;
        for (name, limit) in [
            ("limits.peak", limits.peak_permille),
            ("limits.mean", limits.mean_permille),
            ("limits.best-effort", limits.best_effort_permille),
        ] {
            if limit.is_some() {
                needs(&[name, "limits", "prediction"], "limits: none");
            }
        }
        for score in [Score::LowMean, Score::LowPeak] {
            if self.policy.prefer.contains_key(&score) {
                needs(&[&format!("prefer.{}", score.id()), "prefer", "prediction"], "prefer: { free: 1 }");
            }
        }
        if self.policy.rescheduling.is_some() {
            needs(&["rescheduling", "prediction"], "rescheduling: none");
        }
    }

    fn predicted(&self, prediction: &Prediction) {
        let [window, horizon, stale] =
            [prediction.window_ms, prediction.horizon_ms, prediction.stale_after_ms].map(duration);
        if prediction.horizon_ms < prediction.window_ms {
            let message = format!(
                "is {horizon}, shorter than the window of {window}, expected at least one window; raise it or shorten \
                 the window"
            );
            self.refuse(&["prediction.horizon", "prediction.window", "prediction"], message);
        }
        if prediction.stale_after_ms <= prediction.window_ms {
            let message = format!(
                "is {stale}, not longer than the window of {window}, so that predictions are always stale, expected \
                 more; raise it or shorten the window"
            );
            self.refuse(&["prediction.stale-after", "prediction.window", "prediction"], message);
        }
        let policy = self.policy;
        let limits = &policy.limits;
        let has_limits =
            [limits.peak_permille, limits.mean_permille, limits.best_effort_permille] != [None; 3];
        let prefers = [Score::LowMean, Score::LowPeak].iter().any(|score| policy.prefer.contains_key(score));
        if !has_limits && !prefers && policy.rescheduling.is_none() {
            let message =
                "decides nothing, since no limit, preference or move uses it; 'prediction: none' is the same";
            self.warn(&["prediction"], message.to_owned());
        }
        if let (Some(peak), Some(mean)) = (limits.peak_permille, limits.mean_permille)
            && mean >= peak
        {
            let message = format!(
                "is {}, which never decides: a mean is not above its peak, which is limited to {}",
                decimal(mean),
                decimal(peak)
            );
            self.warn(&["limits.mean", "limits.peak"], message);
        }
    }

    fn moves(&self, moves: &Rescheduling, prediction: &Prediction) {
        let [hot, cool] = [moves.hot_permille, moves.cool_permille].map(decimal);
        if moves.cool_permille >= moves.hot_permille {
            let message = format!(
                "is {cool}, expected less than hot, which is {hot}, since jobs go to and fro otherwise; lower cool or \
                 raise hot"
            );
            self.refuse(&["rescheduling.cool", "rescheduling.hot", "rescheduling"], message);
        }
        if let Some(empty) = moves.empty_below_permille.filter(|empty| *empty >= moves.cool_permille) {
            let message = format!(
                "is {}, expected less than cool, which is {cool}, since what cooled down is emptied otherwise; lower it",
                decimal(empty)
            );
            self.refuse(&["rescheduling.empty-below", "rescheduling.cool", "rescheduling"], message);
        }
        if moves.every_ms < prediction.window_ms {
            let message = format!(
                "is {}, shorter than the window of {}, and nothing new is known before, expected at least one window; \
                 raise it or shorten the window",
                duration(moves.every_ms),
                duration(prediction.window_ms)
            );
            self.refuse(&["rescheduling.every", "prediction.window", "rescheduling", "prediction"], message);
        }
        if moves.rest_ms < moves.every_ms {
            let message = format!("is {}, so that a job may move in each round", duration(moves.rest_ms));
            self.warn(&["rescheduling.rest", "rescheduling.every"], message);
        }
        if moves.pause_max_ms < moves.pause_ms_per_gib.into() {
            let message = format!(
                "is {}, so that only jobs of less than a GiB move, and those of best effort",
                duration(moves.pause_max_ms)
            );
            self.warn(&["rescheduling.pause-max", "rescheduling.pause-per-gib"], message);
        }
        let peak = self.policy.limits.peak_permille;
        if peak.is_none_or(|peak| peak > moves.hot_permille) {
            let placed = peak.map_or("without limits.peak".to_owned(), |peak| {
                format!("up to limits.peak, which is {}", decimal(peak))
            });
            let message =
                format!("is {hot}, and jobs are placed {placed}, so that a new job can make its host hot");
            self.warn(&["rescheduling.hot", "limits.peak", "rescheduling", "limits"], message);
        }
    }
}
