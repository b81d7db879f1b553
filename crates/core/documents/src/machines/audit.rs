//! What ran on a set of CPUs: the document of `tauto machine audit`, and a part of others.

use crate::run::{End, RunStatus, Usage};
use crate::values::{Unavailable, value_or_reason};
use model::AuditMethod;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditReport {
    /// The program that ran meanwhile, and its arguments; empty if none did.
    pub argv: Vec<String>,
    /// How the program ended; `null` if none ran.
    pub end: Option<End>,
    /// `null` if no program ran.
    pub status: Option<RunStatus>,
    /// What the program used; `null` if none ran.
    pub usage: Option<Usage>,
    pub audit: Audit,
}

/// What ran on a set of CPUs during an interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// CPUs that were watched, as in `0-3,8`.
    pub cpus: String,
    /// `events`: the kernel recorded every switch and interrupt; `estimate`: from counters.
    pub method: String,
    /// Why there are no events; `null` if there are.
    pub method_reason: Option<String>,
    /// For how long was watched, in wall-clock time.
    pub interval_ns: u64,
    /// How the time of all these CPUs was divided; together the interval times the number of CPUs. Not known of an
    /// estimate.
    pub shares: Option<CpuShares>,
    /// Everything that ran except the run, at most 200, what took most from the run or ran longest first.
    pub findings: Vec<AuditFinding>,
    /// The run's threads in the order of their numbers, at most 1000.
    pub threads: Vec<AuditThread>,
    /// Events that found no room in the buffer.
    pub lost_events: u64,
    /// What could not be seen, a sentence each.
    pub blind_spots: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// How the time of the CPUs was divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuShares {
    pub run_ns: u64,
    /// `tauto` itself.
    pub ours_ns: u64,
    /// Other processes and kernel threads.
    pub others_ns: u64,
    pub interrupts_ns: u64,
    pub soft_interrupts_ns: u64,
    pub idle_ns: u64,
    pub unknown_ns: u64,
}

/// Something that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditFinding {
    /// `ours`, `process`, `kernel_thread`, `gone_task` (it ended before it could be inspected), `interrupt` or
    /// `soft_interrupt`.
    pub kind: String,
    /// Its name; tasks of one name, kind and group are one finding.
    pub name: String,
    /// Number of the process or of the interrupt; `null` if there are several, or none.
    pub number: Option<u32>,
    /// How many tasks these are; 1 for what is no task.
    pub tasks: u64,
    /// Its control group; `null` if that is the root's, or it has none, or is gone.
    pub control_group: Option<String>,
    /// For a task that is gone, name and number of the nearest ancestor that is not; `null` if it is not gone, or none
    /// was seen.
    pub made_by: Option<String>,
    /// On which of the CPUs it ran.
    pub cpus: String,
    /// How often it ran or was served.
    pub count: u64,
    /// How long it ran in total, without what interrupted it. Not known of an estimate.
    pub total_ns: Option<u64>,
    /// The longest time at once, without what interrupted it. Not known of an estimate.
    pub longest_ns: Option<u64>,
    /// The part of the total in which one of the run's threads was interrupted, or put off the CPU. Not known of an
    /// estimate.
    pub taken_from_run_ns: Option<u64>,
    pub advice: String,
    pub advice_source: String,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What one thread of a run did, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditThread {
    /// Its number as the host sees it.
    pub thread: u32,
    pub name: String,
    /// How long it ran on the watched CPUs.
    pub cpu_time_ns: u64,
    /// How long it ran on each of them.
    pub cpu_times: Vec<CpuTime>,
    /// The user part, counted by ticks. Not known from events.
    pub user_time_ns: Option<u64>,
    /// The system part, likewise.
    pub system_time_ns: Option<u64>,
    pub forced_switches: Option<u64>,
    pub voluntary_switches: Option<u64>,
    /// How often it continued on another CPU.
    pub migrations: u64,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuTime {
    pub cpu: u32,
    /// How long.
    pub time_ns: u64,
}

impl From<&model::Audit> for Audit {
    fn from(audit: &model::Audit) -> Self {
        let (method, method_reason) = match &audit.method {
            AuditMethod::Events => ("events", None),
            AuditMethod::Estimate { why } => ("estimate", Some(why.clone())),
        };
        let mut unavailable = Unavailable::new();
        let shares = value_or_reason(&audit.shares, "shares", &mut unavailable);
        Self {
            cpus: audit.cpus.to_string(),
            method: method.to_owned(),
            method_reason,
            interval_ns: audit.interval.0,
            shares,
            findings: audit.findings.iter().map(Into::into).collect(),
            threads: audit.threads.iter().map(Into::into).collect(),
            lost_events: audit.lost_events,
            blind_spots: audit.blind_spots.clone(),
            unavailable,
        }
    }
}

impl From<model::CpuShares> for CpuShares {
    fn from(shares: model::CpuShares) -> Self {
        Self {
            run_ns: shares.run.0,
            ours_ns: shares.ours.0,
            others_ns: shares.others.0,
            interrupts_ns: shares.interrupts.0,
            soft_interrupts_ns: shares.soft_interrupts.0,
            idle_ns: shares.idle.0,
            unknown_ns: shares.unknown.0,
        }
    }
}

impl From<&model::Finding> for AuditFinding {
    fn from(finding: &model::Finding) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        Self {
            kind: finding.kind.id().to_owned(),
            name: finding.name.clone(),
            number: finding.number,
            tasks: finding.tasks,
            control_group: finding.control_group.clone(),
            made_by: finding.made_by.clone(),
            cpus: finding.cpus.to_string(),
            count: finding.count,
            total_ns: value_or_reason(&finding.total, "total_ns", reasons),
            longest_ns: value_or_reason(&finding.longest, "longest_ns", reasons),
            taken_from_run_ns: value_or_reason(&finding.taken_from_run, "taken_from_run_ns", reasons),
            advice: finding.advice.text.clone(),
            advice_source: finding.advice.source.to_owned(),
            unavailable,
        }
    }
}

impl From<&model::ThreadUse> for AuditThread {
    fn from(thread: &model::ThreadUse) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        let cpu_times = thread.cpu_times.iter().map(|(cpu, time)| CpuTime { cpu: cpu.0, time_ns: time.0 });
        Self {
            thread: thread.thread,
            name: thread.name.clone(),
            cpu_time_ns: thread.cpu_time().0,
            cpu_times: cpu_times.collect(),
            user_time_ns: value_or_reason(&thread.user_time, "user_time_ns", reasons),
            system_time_ns: value_or_reason(&thread.system_time, "system_time_ns", reasons),
            forced_switches: value_or_reason(&thread.forced_switches, "forced_switches", reasons),
            voluntary_switches: value_or_reason(&thread.voluntary_switches, "voluntary_switches", reasons),
            migrations: thread.migrations,
            unavailable,
        }
    }
}
