//! Who ran on a set of CPUs: the document of `tauto machine audit`, and a part of others.

use crate::document::Document;
use crate::run::{End, RunStatus, Usage};
use crate::values::{Unavailable, value_or_reason};
use model::{AuditMethod, Nanos, Reading};
use serde::{Deserialize, Serialize};

/// The report of one audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditReport {
    /// The program that ran meanwhile, and its arguments; empty if none did.
    pub argv: Vec<String>,
    /// How it ended.
    pub end: Option<End>,
    /// What that comes to.
    pub status: Option<RunStatus>,
    /// What it used.
    pub usage: Option<Usage>,
    /// Who ran.
    pub audit: Audit,
}

/// Who ran on a set of CPUs during an interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// The CPUs, as in `0-3,8`.
    pub cpus: String,
    /// `events` or `estimate`.
    pub method: String,
    /// Why it is no more than an estimate.
    pub method_reason: Option<String>,
    /// For how long was watched, in wall-clock time.
    pub interval_ns: u64,
    /// How the time of all these CPUs together was divided.
    pub shares: Option<CpuShares>,
    /// Everyone who ran there but the run.
    pub findings: Vec<AuditFinding>,
    /// The run's threads.
    pub threads: Vec<AuditThread>,
    /// Events that found no room.
    pub lost_events: u64,
    /// What could not be seen, a sentence each.
    pub blind_spots: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// How the time of the CPUs was divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuShares {
    /// The run's threads.
    pub run_ns: u64,
    /// The supervisor and its launchers.
    pub ours_ns: u64,
    /// Other processes and kernel threads.
    pub others_ns: u64,
    /// Interrupts.
    pub interrupts_ns: u64,
    /// Soft interrupts.
    pub soft_interrupts_ns: u64,
    /// Nobody.
    pub idle_ns: u64,
    /// Not known.
    pub unknown_ns: u64,
}

/// One of those who ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditFinding {
    /// `ours`, `process`, `kernel_thread`, `gone_task`, `interrupt` or `soft_interrupt`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The number of the process or interrupt.
    pub number: Option<u32>,
    /// How many tasks these are.
    pub tasks: u64,
    /// Its control group.
    pub control_group: Option<String>,
    /// Who made it, if it is gone.
    pub made_by: Option<String>,
    /// On which of the CPUs it ran.
    pub cpus: String,
    /// How often it ran.
    pub count: u64,
    /// How long in total.
    pub total_ns: Option<u64>,
    /// The longest time at once.
    pub longest_ns: Option<u64>,
    /// The part of the total in which the run could have run.
    pub taken_from_run_ns: Option<u64>,
    /// How to move it.
    pub advice: String,
    /// The kernel document that says so.
    pub advice_source: String,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What one thread of a run did, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditThread {
    /// Its number as the host sees it.
    pub thread: u32,
    /// Its last name.
    pub name: String,
    /// How long it ran on all CPUs together.
    pub cpu_time_ns: u64,
    /// How long it ran on each.
    pub cpu_times: Vec<CpuTime>,
    /// The user part.
    pub user_time_ns: Option<u64>,
    /// The system part.
    pub system_time_ns: Option<u64>,
    /// Context switches because something else wanted the CPU.
    pub forced_switches: Option<u64>,
    /// Context switches because it waited.
    pub voluntary_switches: Option<u64>,
    /// How often it went on on another CPU.
    pub migrations: u64,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// Time on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// The CPU.
    pub cpu: u32,
    /// How long.
    pub time_ns: u64,
}

impl Document for AuditReport {
    const SCHEMA: &'static str = "tautochrone/audit/1";
}

impl From<&model::Audit> for Audit {
    fn from(audit: &model::Audit) -> Self {
        let (method, method_reason) = match &audit.method {
            AuditMethod::Events => ("events", None),
            AuditMethod::Estimate { why } => ("estimate", Some(why.clone())),
        };
        let mut unavailable = Unavailable::new();
        let shares = match &audit.shares {
            Reading::Known(shares) => Some(shares.into()),
            Reading::Unavailable(why) => {
                unavailable.insert("shares".to_owned(), why.clone());
                None
            }
        };
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

impl From<&model::CpuShares> for CpuShares {
    fn from(shares: &model::CpuShares) -> Self {
        let Nanos(run_ns) = shares.run;
        Self {
            run_ns,
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
