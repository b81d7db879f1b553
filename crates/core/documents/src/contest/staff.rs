//! What staff works with: balloons, audit, pools, judgehosts, jobs.

use super::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Balloon {
    /// Its id: team and problem.
    pub id: String,
    pub team_id: String,
    pub problem_id: String,
    /// When it was earned.
    pub time: Time,
    /// Whether it is the first for that problem.
    pub is_first: bool,
    /// The account that brought it; `null` until it is brought.
    pub delivered_by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeliverBalloon {
    pub team_id: String,
    pub problem_id: String,
}

/// One page of the audit log, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditPage {
    pub entries: Vec<AuditEntry>,
    /// The value of `before` for the next page; `null` at the end.
    pub next: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// Its number in the log.
    pub seq: u64,
    pub time: Time,
    pub actor: String,
    pub address: Option<String>,
    pub contest_id: Option<String>,
    /// What, as a word such as `password-set`.
    pub kind: String,
    /// What, in words.
    pub text: String,
    /// The same as `text`, for other languages; absent for a text that is in English only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<super::Sentence>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pool {
    pub id: String,
    /// What its machines have in common; `null` until the first one joins.
    pub identity: Option<Vec<String>>,
    /// Versions of compilers that its machines have in common.
    pub compilers: Option<Vec<String>>,
    pub judgehosts: Vec<String>,
    /// Upper bounds of the ratio of strict pools' times to this one's.
    pub ratios: Vec<PoolRatio>,
}

/// A language that contests may allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownLanguage {
    pub id: String,
    pub name: String,
    /// The pools whose machines have a compiler of it in common.
    pub pools: Vec<String>,
}

/// How much slower a strict pool is than this one, at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoolRatio {
    pub strict: String,
    pub language: String,
    pub upper_permille: u32,
    pub programs: u32,
}

/// A pool that is made or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPool {
    pub id: String,
    /// What its machines have in common; absent: what the first one has.
    pub identity: Option<Vec<String>>,
    /// Versions of compilers that its machines have in common; absent: what the first one has.
    pub compilers: Option<Vec<String>>,
}

/// A measured ratio of two pools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPoolRatio {
    pub fast: String,
    pub language: String,
    /// The upper bound of strict time / fast time, in thousandths.
    pub upper_permille: u32,
    pub programs: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgehost {
    pub id: String,
    pub pool: String,
    /// `enabled`, `waiting` (to be let in), `draining`, `disabled` or `away`.
    pub state: String,
    /// Why it is in that state.
    pub reason: String,
    /// How many programs it times at once.
    pub places: u32,
    /// What its machine is.
    pub identity: Vec<String>,
    /// Versions of its compilers.
    pub compilers: Vec<String>,
    /// Languages that it has not tested yet, by id: each is tested before its first job, or when there is nothing else to do.
    #[serde(default)]
    pub untested_languages: Vec<String>,
    /// Languages whose test failed on it, by id: it takes no jobs in them.
    #[serde(default)]
    pub broken_languages: Vec<String>,
    /// Rules for points that its version of `tauto` does not know, as in `scores` of a problem: it takes no jobs of such problems
    /// until `tauto` is updated there.
    #[serde(default)]
    pub unknown_scores: Vec<String>,
    /// When it last sent something to the server; `null` if not since the server was started.
    pub last_seen: Option<Time>,
    pub jobs: u32,
    /// CPU time of its reference program at first, against which it is compared; `null` until that is known.
    pub reference_ns: Option<u64>,
    /// CPU time of its reference program when it ran last; `null` if it did not run since the server or it was started.
    pub last_reference_ns: Option<u64>,
}

/// Takes a judgehost out, or back in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetJudgehost {
    /// `enabled`, `draining` or `disabled`.
    pub state: String,
    pub reason: String,
}

/// What waits and what is being judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Jobs {
    /// How many wait in each pool.
    pub pools: Vec<PoolJobs>,
}

/// What waits and what is being judged in one pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoolJobs {
    pub pool: String,
    pub waiting: u64,
    /// How many are being judged.
    pub claimed: u64,
    /// For how long the oldest waits; `null` if none does.
    #[serde(default)]
    pub oldest_wait_ms: Option<u64>,
    /// The time within which 99 of 100 of the last 256 submissions had their verdict; `null` before the first since the server was started.
    #[serde(default)]
    pub verdict_p99_ms: Option<u64>,
    /// How long the last 256 were judged, on average.
    #[serde(default)]
    pub judging_mean_ms: Option<u64>,
}

/// What is not judged for now, after failures that were not a submission's: a package, or a language on one judgehost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PausedJudging {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The language, on `judgehost`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgehost: Option<String>,
    /// Why; not needed to resume.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}
