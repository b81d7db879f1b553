//! Pools of judgehosts: who belongs to one, what a fast one may decide, replicas, drift.

mod drift;
mod settings;

pub use drift::{Drift, DriftRule, Drifted};
pub use settings::PoolSettings;

use crate::state::{State, Submission};
use crate::view::ReplicaView;
use crate::{Command, Judged, JudgehostId, JudgehostState, JudgementReason, LanguageId, PauseScope, PoolId};
use documents::judgehost::IdentityDifference;
use model::{Nanos, Verdict};
use std::collections::BTreeSet;

impl State {
    /// Returns whether a judgehost may take a job: not its own twin's, and not what failed there, if another one could take
    /// it. Whether another one takes such jobs at present, the caller knows.
    pub fn may_take(&self, host: &JudgehostId, job: &str, is_there: &dyn Fn(&JudgehostId) -> bool) -> bool {
        let Some((contest, key)) = crate::jobs::of_job(job) else { return false };
        let Some(submission) =
            self.contests.get(&contest).and_then(|contest| contest.submission(key.submission))
        else {
            return false;
        };
        may_take(self, host, submission, key.number, is_there)
    }
}

/// Returns the upper bound of the ratio of times of two pools for a language, in thousandths; `None` if it was not
/// measured.
pub(crate) fn ratio(state: &State, strict: &PoolId, fast: &PoolId, language: &LanguageId) -> Option<u32> {
    let pool = state.pools.get(fast)?;
    pool.ratios.get(&(strict.clone(), language.clone())).map(|(upper, _)| *upper)
}

/// From this many programs the ratio of two pools is taken to be known.
const RATIO_PROGRAMS_MIN: u32 = 10;
/// What was measured may all come from one team: another kind of program may be this much slower, in thousandths.
pub const RATIO_LEARNT_MIN_PERMILLE: u32 = 2000;
/// By how much the bound lies above the highest ratio seen, in thousandths.
const RATIO_MARGIN_PERMILLE: u32 = 20;
/// Shorter programs say more about how they start than about the machine.
const RATIO_TIME_MIN: Nanos = Nanos::from_millis(20);

/// Returns the fast pool that judged a submission before the strict one, and the ratio of their times in thousandths,
/// rounded up. Only what passed on both did the same work.
pub(crate) fn measured(submission: &Submission, pool: &PoolId, strict: &Judged) -> Option<(PoolId, u32)> {
    let fast = submission.judgements.iter().find(|entry| entry.pool != *pool && entry.done.is_some())?;
    let done = fast.done.as_ref()?;
    let have_passed =
        [done.result.verdict, strict.outcome.verdict].iter().all(|verdict| verdict.0 == Verdict::Accepted);
    let (fast_time, strict_time) = (done.max_run_time?, strict.max_run_time?);
    let ratio = u128::from(strict_time.0) * 1000;
    let ratio = u32::try_from(ratio.div_ceil(u128::from(fast_time.0.max(1)))).ok()?;
    (have_passed && fast_time >= RATIO_TIME_MIN).then(|| (fast.pool.clone(), ratio))
}

/// Returns the new upper bound of the ratio of two pools and the number of programs, if one more program raises it, or
/// makes it known.
pub(crate) fn raised(
    state: &State,
    strict: &PoolId,
    fast: &PoolId,
    language: &LanguageId,
    permille: u32,
) -> Option<(u32, u32)> {
    let pool = state.pools.get(fast)?;
    let key = (strict.clone(), language.clone());
    let (programs, highest) = pool.pairs.get(&key).copied().unwrap_or_default();
    let (programs, highest) = (programs + 1, highest.max(permille));
    let margin = u64::from(highest) * u64::from(1000 + RATIO_MARGIN_PERMILLE);
    let upper = u32::try_from(margin.div_ceil(1000)).unwrap_or(u32::MAX).max(RATIO_LEARNT_MIN_PERMILLE);
    let is_news = match pool.ratios.get(&key) {
        Some((known, _)) => permille > *known,
        None => programs >= RATIO_PROGRAMS_MIN,
    };
    is_news.then_some((upper, programs))
}

/// Returns whether a fast pool's judgement has to be made again on the strict pool, whose word is final: it rests on a
/// time that may be over the limit there. The ratio is the upper bound of strict time / fast time, in thousandths.
pub fn needs_strict(judged: &Judged, limit: Option<Nanos>, ratio_permille: Option<u32>) -> bool {
    match judged.outcome.verdict.0 {
        Verdict::CompileError => false,
        Verdict::TimeLimitExceeded | Verdict::WallTimeLimitExceeded | Verdict::JudgingError => true,
        _ => {
            let (Some(time), Some(limit), Some(ratio)) = (judged.max_run_time, limit, ratio_permille) else {
                return true;
            };
            u128::from(time.0) * u128::from(ratio) > u128::from(limit.0) * 1000
        }
    }
}

impl State {
    /// Returns the languages whose compilers a pool's machines have in common; `None` while that is unknown: no machine has
    /// joined it, or only one that named none.
    pub fn languages_of_pool(&self, pool: &PoolId) -> Option<BTreeSet<&str>> {
        let lines = self.pools.get(pool)?.settings.compilers.as_ref().filter(|lines| !lines.is_empty())?;
        Some(lines.iter().map(|line| name_of(line)).collect())
    }
}

/// How a version is written that a machine could not find out.
const UNKNOWN: &str = "unknown";

/// Returns how a machine differs from its pool: lines that one of both lacks, and pairs of lines that have the same name before
/// their colon. A compiler whose version is not known on one of both does not count: it may only have taken too long to answer.
pub fn differences(
    pool: &PoolSettings,
    identity: &[String],
    compilers: &[String],
) -> Vec<IdentityDifference> {
    let mut differences = Vec::new();
    let mut compare = |known: &Option<Vec<String>>, new: &[String], counts: &dyn Fn(&str) -> bool| {
        let Some(known) = known else { return };
        let (known, new): (BTreeSet<&String>, BTreeSet<&String>) =
            (known.iter().collect(), new.iter().collect());
        let lines = |lines: &mut dyn Iterator<Item = &&String>| {
            lines.filter(|line| counts(line)).map(|line| (*line).clone()).collect::<Vec<_>>()
        };
        let missing = lines(&mut known.difference(&new));
        let pool_only = |line| IdentityDifference { pool: Some(line), judgehost: None };
        differences.extend(missing.into_iter().map(pool_only));
        for line in lines(&mut new.difference(&known)) {
            let twin = differences.iter_mut().find(|entry| {
                entry.judgehost.is_none() && entry.pool.as_deref().map(name_of) == Some(name_of(&line))
            });
            match twin {
                Some(twin) => twin.judgehost = Some(line),
                None => differences.push(IdentityDifference { pool: None, judgehost: Some(line) }),
            }
        }
    };
    compare(&pool.identity, identity, &|_| true);
    let known = pool.compilers.as_deref().unwrap_or(&[]);
    compare(&pool.compilers, compilers, &|line| {
        let versions =
            [known, compilers].map(|lines| lines.iter().find(|other| name_of(other) == name_of(line)));
        versions.contains(&None) || !versions.into_iter().flatten().any(|line| is_unknown(line))
    });
    differences
}

/// Returns the name in a line `name: value`, such as the language of a compiler.
fn name_of(line: &str) -> &str {
    line.split_once(':').map_or(line, |(name, _)| name)
}

fn is_unknown(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(_, version)| version == UNKNOWN)
}

/// Returns a pool's compilers with the versions that were unknown so far, if a machine knows one.
pub(crate) fn learned(known: &[String], compilers: &[String]) -> Option<Vec<String>> {
    let mut is_news = false;
    let learned = known.iter().map(|line| {
        let is_better = |new: &&String| name_of(new) == name_of(line) && !is_unknown(new);
        let new = compilers.iter().find(is_better).filter(|_| is_unknown(line));
        is_news |= new.is_some();
        new.unwrap_or(line).clone()
    });
    let learned = learned.collect();
    is_news.then_some(learned)
}

/// Returns how many other judgehosts of a pool take jobs.
pub(crate) fn others(state: &State, pool: &PoolId, host: &JudgehostId) -> usize {
    others_of(state, pool, host).count()
}

fn others_of<'a>(
    state: &'a State,
    pool: &'a PoolId,
    host: &'a JudgehostId,
) -> impl Iterator<Item = &'a JudgehostId> {
    let is_other = move |(id, entry): &(&JudgehostId, &crate::state::Judgehost)| {
        *id != host && entry.pool == *pool && entry.state == JudgehostState::Enabled
    };
    state.judgehosts.iter().filter(is_other).map(|(id, _)| id)
}

impl State {
    /// Returns what to do about a judgehost that has become slower: it is taken out if another one of its pool is enabled
    /// and takes jobs, by `takes`; otherwise that is only noted, since slower verdicts are better than none. `None` if it is
    /// not enabled.
    pub fn on_drift(
        &self,
        host: &JudgehostId,
        drifted: &Drifted,
        takes: impl Fn(&JudgehostId) -> bool,
    ) -> Option<Command> {
        let entry = self.judgehosts.get(host).filter(|entry| entry.state == JudgehostState::Enabled)?;
        let (state, why) = match others_of(self, &entry.pool, host).any(takes) {
            true => (JudgehostState::Disabled, ""),
            false => (JudgehostState::Enabled, "; still enabled: it is the only machine of its pool"),
        };
        Some(Command::SetJudgehost { id: host.clone(), state, reason: format!("{}{why}", drifted.reason()) })
    }
}

/// Returns whether a compile error of a judgehost has to be confirmed by another one, and there is one: it has failed in
/// our way since it last judged something, or its self-test named no compiler for the language. That does not depend on
/// verdicts, so neither does how long a team waits for its own.
pub(crate) fn is_suspect(state: &State, host: &JudgehostId, language: &LanguageId) -> bool {
    let Some(entry) = state.judgehosts.get(host) else { return false };
    (entry.failures > 0 || !entry.has_compiler(language)) && others(state, &entry.pool, host) > 0
}

/// Returns whether a judgehost may take a judgement: not one whose replica it has judged, whose compile error it
/// reported, or with which it failed, unless no other judgehost that is there could take it.
pub(crate) fn may_take(
    state: &State,
    host: &JudgehostId,
    submission: &Submission,
    number: u32,
    is_there: &dyn Fn(&JudgehostId) -> bool,
) -> bool {
    let Some(entry) = state.judgehosts.get(host).filter(|entry| entry.state == JudgehostState::Enabled)
    else {
        return false;
    };
    let Some(judgement) = submission.judgement(number).filter(|judgement| judgement.pool == entry.pool)
    else {
        return false;
    };
    let is_paused = |host: &JudgehostId| {
        state.paused.contains_key(&PauseScope::Language(submission.language.clone(), host.clone()))
    };
    if is_paused(host) {
        return false;
    }
    let mut avoided: BTreeSet<&JudgehostId> = judgement.failures.iter().map(|(host, _)| host).collect();
    if !matches!(judgement.reason, JudgementReason::Rejudging(_)) {
        let twins = (1..).zip(&submission.judgements).filter(|(other, twin)| {
            *other != number
                && twin.pool == judgement.pool
                && !matches!(twin.reason, JudgementReason::Rejudging(_))
        });
        avoided.extend(twins.filter_map(|(_, twin)| twin.attempt.as_ref()?.host.as_ref()));
    }
    let is_better = |(id, other): (&JudgehostId, &crate::state::Judgehost)| {
        other.pool == entry.pool
            && other.state == JudgehostState::Enabled
            && !avoided.contains(id)
            && !is_paused(id)
            && is_there(id)
    };
    !avoided.contains(host) || !state.judgehosts.iter().any(is_better)
}

/// Returns how a submission's replicas compare; `None` if there are none.
pub(crate) fn compare(submission: &Submission) -> Option<ReplicaView> {
    let replicas: Vec<_> = submission.replicas().collect();
    if replicas.len() < 2 {
        return None;
    }
    let done: Vec<_> = replicas.iter().filter_map(|(_, entry)| entry.done.as_ref()).collect();
    let times = || done.iter().filter_map(|done| done.max_run_time);
    Some(ReplicaView {
        opened: replicas.len() as u32,
        done: done.len() as u32,
        differ: done.windows(2).any(|pair| pair[0].result != pair[1].result),
        lowest: times().min(),
        highest: times().max(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_not_known_is_no_difference() {
        let lines = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let check = |known: &[&str], new: &[&str], expected: &[(Option<&str>, Option<&str>)]| {
            let id = "strict".parse().expect("an id");
            let pool = PoolSettings { id, identity: None, compilers: Some(lines(known)) };
            let found = differences(&pool, &[], &lines(new));
            let found: Vec<_> =
                found.iter().map(|one| (one.pool.as_deref(), one.judgehost.as_deref())).collect();
            assert_eq!(found, expected);
        };
        check(&["c: 12", "kotlin: 1.3"], &["c: 12", "kotlin: unknown"], &[]);
        check(&["c: 12", "kotlin: unknown"], &["c: 12", "kotlin: 1.3"], &[]);
        check(&["c: 12", "kotlin: unknown"], &["c: 13", "kotlin: 1.3"], &[(Some("c: 12"), Some("c: 13"))]);
        check(&["c: 12", "kotlin: unknown"], &["c: 12"], &[(Some("kotlin: unknown"), None)]);
        check(&["c: 12"], &["c: 12", "rust: 1.90"], &[(None, Some("rust: 1.90"))]);
        check(&["c: 12", "kotlin: 1.3"], &["c: 12"], &[(Some("kotlin: 1.3"), None)]);
        let known = lines(&["c: 12", "kotlin: unknown"]);
        assert_eq!(
            learned(&known, &lines(&["kotlin: 1.3", "c: 13"])),
            Some(lines(&["c: 12", "kotlin: 1.3"]))
        );
        assert_eq!(learned(&known, &lines(&["kotlin: unknown"])), None);
        assert_eq!(learned(&known, &[]), None);
    }
}
