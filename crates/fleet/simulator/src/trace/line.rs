//! The lines of a file, as serde reads and writes them.

use super::{ChangeRecord, Head, HostRecord, JobRecord, Record, Standing, VERSION};
use placement::{Amount, Level};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

type Text<'a> = Cow<'a, str>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadLine {
    pub trace: u64,
    name: String,
    #[serde(default)]
    made_by: String,
    #[serde(default)]
    separate_days: bool,
    #[serde(default)]
    note: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndLine {
    /// How many records are before it.
    pub end: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostLine<'a> {
    host: Text<'a>,
    #[serde(default, skip_serializing_if = "is_zero")]
    at_ms: u64,
    cpu_milli: u32,
    memory_mib: u32,
    #[serde(default = "one")]
    numa_nodes: u32,
    #[serde(default = "one")]
    threads: u32,
    #[serde(default = "pool")]
    pool: Text<'a>,
    #[serde(default = "cluster")]
    cluster: Text<'a>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    labels: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    noise_permille: Option<u32>,
    #[serde(default)]
    price: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeLine<'a> {
    change: Text<'a>,
    at_ms: u64,
    to: Standing,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLine<'a> {
    job: Text<'a>,
    at_ms: u64,
    cpu_milli: u32,
    memory_mib: u32,
    #[serde(default = "standard")]
    level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pool: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    needs: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "is_false")]
    apart: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    noise_max_permille: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    for_ms: Option<u64>,
    #[serde(default, rename = "use", skip_serializing_if = "<[(u64, u32)]>::is_empty")]
    uses: Cow<'a, [(u64, u32)]>,
    #[serde(default, skip_serializing_if = "is_false")]
    elastic: bool,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn one() -> u32 {
    1
}

fn standard() -> Level {
    Level::Standard
}

fn pool<'a>() -> Text<'a> {
    Cow::Borrowed("default")
}

fn cluster<'a>() -> Text<'a> {
    Cow::Borrowed("main")
}

pub fn default_pool() -> String {
    pool().into_owned()
}

pub fn default_cluster() -> String {
    cluster().into_owned()
}

impl From<&Head> for HeadLine {
    fn from(head: &Head) -> Self {
        let Head { name, made_by, separate_days, note } = head.clone();
        Self { trace: VERSION, name, made_by, separate_days, note }
    }
}

impl From<HeadLine> for Head {
    fn from(line: HeadLine) -> Self {
        let HeadLine { trace: _, name, made_by, separate_days, note } = line;
        Self { name, made_by, separate_days, note }
    }
}

impl<'a> From<&'a HostRecord> for HostLine<'a> {
    fn from(host: &'a HostRecord) -> Self {
        Self {
            host: Cow::Borrowed(&host.name),
            at_ms: host.at_ms,
            cpu_milli: host.cpu_milli,
            memory_mib: host.memory_mib,
            numa_nodes: host.numa_nodes,
            threads: host.threads,
            pool: Cow::Borrowed(&host.pool),
            cluster: Cow::Borrowed(&host.cluster),
            labels: Cow::Borrowed(&host.labels),
            noise_permille: host.noise_permille,
            price: host.price,
        }
    }
}

impl From<HostLine<'_>> for Record {
    fn from(line: HostLine<'_>) -> Self {
        Self::Host(HostRecord {
            name: line.host.into_owned(),
            at_ms: line.at_ms,
            cpu_milli: line.cpu_milli,
            memory_mib: line.memory_mib,
            numa_nodes: line.numa_nodes,
            threads: line.threads,
            pool: line.pool.into_owned(),
            cluster: line.cluster.into_owned(),
            labels: line.labels.into_owned(),
            noise_permille: line.noise_permille,
            price: line.price,
        })
    }
}

impl<'a> From<&'a ChangeRecord> for ChangeLine<'a> {
    fn from(change: &'a ChangeRecord) -> Self {
        Self { change: Cow::Borrowed(&change.host), at_ms: change.at_ms, to: change.to }
    }
}

impl From<ChangeLine<'_>> for Record {
    fn from(line: ChangeLine<'_>) -> Self {
        Self::Change(ChangeRecord { host: line.change.into_owned(), at_ms: line.at_ms, to: line.to })
    }
}

impl<'a> From<&'a JobRecord> for JobLine<'a> {
    fn from(job: &'a JobRecord) -> Self {
        Self {
            job: Cow::Borrowed(&job.name),
            at_ms: job.at_ms,
            cpu_milli: job.request.cpu_milli,
            memory_mib: job.request.memory_mib,
            level: job.level,
            service: job.service.as_deref().map(Cow::Borrowed),
            pool: job.pool.as_deref().map(Cow::Borrowed),
            cluster: job.cluster.as_deref().map(Cow::Borrowed),
            needs: Cow::Borrowed(&job.needs),
            apart: job.apart,
            noise_max_permille: job.noise_max_permille,
            for_ms: job.for_ms,
            uses: Cow::Borrowed(&job.uses),
            elastic: job.elastic,
        }
    }
}

impl From<JobLine<'_>> for Record {
    fn from(line: JobLine<'_>) -> Self {
        Self::Job(JobRecord {
            name: line.job.into_owned(),
            at_ms: line.at_ms,
            request: Amount { cpu_milli: line.cpu_milli, memory_mib: line.memory_mib },
            level: line.level,
            service: line.service.map(Cow::into_owned),
            pool: line.pool.map(Cow::into_owned),
            cluster: line.cluster.map(Cow::into_owned),
            needs: line.needs.into_owned(),
            apart: line.apart,
            noise_max_permille: line.noise_max_permille,
            for_ms: line.for_ms,
            uses: line.uses.into_owned(),
            elastic: line.elastic,
        })
    }
}
