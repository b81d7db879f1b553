//! Whether the judgehosts of a contest's pools can judge what it has.

use super::{ContestFacts, check, none, pass};
use documents::contest::{Check, CheckState, Judgehost, PausedJudging};
use documents::judgehost::clock_of;
use model::{Clock, Counted, Joined, Message, Names, message};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Characters of a package's hash that tell it from others.
const HASH_CHARACTERS: usize = 12;

/// Returns for each pool whether a judgehost works in it, and if not, why.
pub(super) fn judgehosts(facts: &ContestFacts) -> Vec<Check> {
    let check_pool = |pool: &String| {
        let of_pool = || facts.judgehosts.iter().filter(|host| host.pool == *pool);
        let manned = of_pool().filter(|host| host.state == "enabled").count();
        if manned > 0 {
            let count = Counted(manned, "judgehost");
            return pass(
                "judgehosts",
                message!("judgehosts-in-pool", "{count} in the pool '{pool}'", count, pool),
            );
        }
        let why = of_pool().map(|Judgehost { id, state, reason, .. }| match reason.as_str() {
            "" => message!("judgehost-is", "{id} is {state}", id, state),
            _ => message!("judgehost-is-because", "{id} is {state}: {reason}", id, state, reason),
        });
        let why: Vec<Message> = why.collect();
        let text = if why.is_empty() {
            message!("no-machine-in-pool", "no machine judges in the pool '{pool}'", pool)
        } else {
            message!(
                "no-machine-in-pool-because",
                "no machine judges in the pool '{pool}' ({why})",
                pool,
                why = Joined(&why, "; ")
            )
        };
        let remedy = match of_pool().any(|host| host.state == "disabled") {
            true => {
                message!("take-judgehost-in", "fix the cause, and take it back in: 'tauto judging take-in'")
            }
            false => message!("start-judgehost", "start one: 'tauto judgehost'"),
        };
        check("judgehosts", CheckState::Fail, text, remedy)
    };
    facts.pools.iter().map(check_pool).collect()
}

/// Returns whether the contest's pools have different clocks: then the time of a submission would hang on which pool judges it.
pub(super) fn clocks(facts: &ContestFacts) -> Vec<Check> {
    let pools: BTreeMap<&str, Clock> = judging(facts)
        .filter_map(|host| Some((host.pool.as_str(), clock_of(&host.identity).ok()?)))
        .collect();
    let by = |(pool, clock): (&&str, &Clock)| match clock {
        Clock::Instructions { .. } => {
            message!("pool-judges-by", "the pool '{pool}' judges by {clock}", pool, clock)
        }
        Clock::CpuTime => message!("pool-judges-by-cpu-time", "the pool '{pool}' judges by CPU time", pool),
    };
    let one_clock =
        || message!("choose-one-clock", "let all its pools have one clock: 'tauto judgehost --clock'");
    // Nothing was refused if the pool changed while the result was final.
    let is_other = |(_, clock): &(&&str, &Clock)| facts.contest.clock.is_some_and(|wanted| wanted != **clock);
    if let Some(other) = pools.iter().find(is_other) {
        return vec![check("clocks", CheckState::Fail, by(other), one_clock())];
    }
    if pools.values().collect::<HashSet<_>>().len() < 2 {
        // What teams see of times says that they are nominal only where the contest says so.
        let is_untold =
            |(_, clock): &(&&str, &Clock)| clock.is_instructions() && facts.contest.clock.is_none();
        let untold = pools.iter().find(is_untold).map(by);
        return untold
            .map(|text| {
                let remedy = message!(
                    "set-clock",
                    "set the contest's clock to that, so that teams see which times are nominal"
                );
                check("clocks", CheckState::Caution, text, remedy)
            })
            .into_iter()
            .collect();
    }
    let pools: Vec<Message> = pools.iter().map(by).collect();
    let text = message!(
        "pools-have-clocks",
        "times of the contest's pools cannot be compared: {pools}",
        pools = Joined(&pools, "; ")
    );
    vec![check("clocks", CheckState::Fail, text, one_clock())]
}

/// Returns for each pool with a judgehost that works whether it has all languages that teams may use: those that the contest
/// names, or else all that are installed.
pub(super) fn languages(facts: &ContestFacts) -> Vec<Check> {
    let check_pool = |pool: &String| {
        let hosts = || facts.judgehosts.iter().filter(|host| host.pool == *pool && host.state == "enabled");
        hosts().next()?;
        let installed: BTreeSet<&str> = hosts().flat_map(working).collect();
        let offered: BTreeSet<&str> = match facts.languages.is_empty() {
            true => hosts().flat_map(installed_on).collect(),
            false => facts.languages.iter().map(String::as_str).collect(),
        };
        if offered.is_empty() {
            let text =
                message!("no-compiler-in-pool", "no machine of the pool '{pool}' has named a compiler", pool);
            let remedy = message!(
                "install-any-compilers",
                "install compilers there and start its judgehost again, see 'tauto languages'"
            );
            return Some(check("languages", CheckState::Fail, text, remedy));
        }
        let missing = offered.into_iter().filter(|language| !installed.contains(language));
        Some(none(
            "languages",
            CheckState::Fail,
            &missing.collect::<Vec<_>>(),
            |names| {
                message!(
                    "no-compiler-of",
                    "no machine of the pool '{pool}' has a working compiler of {languages}",
                    pool,
                    languages = Names("language", names)
                )
            },
            message!(
                "install-compilers",
                "install their compilers there and start its judgehost again, see 'tauto languages', or change the contest's languages"
            ),
            message!("pool-has-languages", "the pool '{pool}' has the contest's languages", pool),
        ))
    };
    facts.pools.iter().filter_map(check_pool).collect()
}

/// Returns the languages that are installed on a judgehost, less those whose test failed.
fn working(host: &Judgehost) -> impl Iterator<Item = &str> {
    installed_on(host).filter(|language| host.broken_languages.iter().all(|broken| broken != language))
}

fn installed_on(host: &Judgehost) -> impl Iterator<Item = &str> {
    host.compilers.iter().filter_map(|line| Some(line.split_once(':')?.0))
}

/// Returns for each judgehost of the contest which of its languages are not tested yet.
pub(super) fn untested(facts: &ContestFacts) -> Vec<Check> {
    let counts =
        |language: &&str| facts.languages.is_empty() || facts.languages.iter().any(|facts| facts == language);
    let check_host = |host: &Judgehost| {
        let languages = host.untested_languages.iter().map(String::as_str).filter(counts);
        let languages: Vec<&str> = languages.collect();
        let text = message!(
            "languages-not-tested",
            "{judgehost} has not tested {languages} yet",
            judgehost = host.id,
            languages = Names("language", &languages)
        );
        let remedy = message!(
            "wait-for-tests",
            "wait: it tests them while it has nothing to judge, see 'tauto judging status'"
        );
        (!languages.is_empty()).then(|| check("languages-tested", CheckState::Caution, text, remedy))
    };
    judging(facts).filter_map(check_host).collect()
}

/// Returns for each judgehost of the contest whether problems have rules for points that it does not know.
pub(super) fn too_old(facts: &ContestFacts) -> Vec<Check> {
    let check_host = |host: &Judgehost| {
        let unknown = host.unknown_scores.iter().map(String::as_str);
        let unknown: Vec<&str> = unknown.filter(|rules| facts.scores.contains(rules)).collect();
        let text = message!(
            "scores-not-known",
            "{judgehost} takes no problems with 'scores: {rules}', which its tauto does not know",
            judgehost = host.id,
            rules = unknown.join(", ")
        );
        let remedy = message!("update-tauto", "update tauto there");
        (!unknown.is_empty()).then(|| check("scores", CheckState::Fail, text, remedy))
    };
    judging(facts).filter_map(check_host).collect()
}

/// Returns the judgehosts that judge for the contest.
fn judging(facts: &ContestFacts) -> impl Iterator<Item = &Judgehost> {
    facts.judgehosts.iter().filter(|host| host.state == "enabled" && facts.pools.contains(&host.pool))
}

pub(super) fn paused(facts: &ContestFacts) -> Vec<Check> {
    let sentence = |paused: &PausedJudging| {
        let reason = &paused.reason;
        let text = match (&paused.package, &paused.language, &paused.judgehost) {
            (None, Some(language), Some(judgehost)) => message!(
                "language-not-judged",
                "{language} on {judgehost} is not judged: {reason}",
                language,
                judgehost,
                reason
            ),
            (package, ..) => message!(
                "package-not-judged",
                "package {package} is not judged: {reason}",
                package =
                    package.iter().flat_map(|hash| hash.chars()).take(HASH_CHARACTERS).collect::<String>(),
                reason
            ),
        };
        let remedy = message!("resume-judging", "fix the cause, and let it go on: 'tauto judging resume'");
        check("paused", CheckState::Caution, text, remedy)
    };
    facts.paused.iter().map(sentence).collect()
}
