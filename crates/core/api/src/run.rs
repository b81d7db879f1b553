//! What one run of a program did: the document of `tauto run`.

use crate::document::Document;
use crate::machines::audit::Audit;
use crate::values::{LimitName, Unavailable, value_or_reason};
use model::{LimitKind, Reading, RunEnd, RunResult};
use ruling::RuleNumbers;
use serde::{Deserialize, Serialize};

/// The report of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// What it might use.
    pub limits: Limits,
    /// How it ended.
    pub end: End,
    /// What that comes to.
    pub status: RunStatus,
    /// What it used.
    pub usage: Usage,
    /// What went on around it.
    pub evidence: Evidence,
    /// Who else ran on its CPUs, and where its threads ran; `null` unless it was isolated.
    pub audit: Option<Audit>,
    /// Whether CPUs were to be leased and are shared, since others had them: times are not its own then.
    pub shared_cpus: bool,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// What a run's end comes to; the ids are those of verdicts, as far as they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunStatus {
    /// The program left with code 0, within its limits.
    #[serde(rename = "OK")]
    Ok,
    /// The program crashed or left with another code.
    #[serde(rename = "RTE")]
    RunTimeError,
    /// The CPU time was over the limit.
    #[serde(rename = "TLE")]
    TimeLimitExceeded,
    /// The wall time was over the limit.
    #[serde(rename = "WTL")]
    WallTimeLimitExceeded,
    /// The memory was over the limit.
    #[serde(rename = "MLE")]
    MemoryLimitExceeded,
    /// The output was over the limit.
    #[serde(rename = "OLE")]
    OutputLimitExceeded,
}

/// How a run ended; of `code`, `signal` and `limit` the one that `kind` names is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Which of the three it was.
    pub kind: EndKind,
    /// The exit code.
    pub code: Option<u8>,
    /// The signal's number.
    pub signal: Option<u8>,
    /// The limit that was passed.
    pub limit: Option<LimitName>,
}

/// The ways to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// The main process left with a code.
    Exit,
    /// The main process died by a signal.
    Signal,
    /// A limit was passed, at which most runs are ended.
    Limit,
}

/// What a run may use; `null` is not limited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// User and system time of all processes.
    pub cpu_time_ns: Option<u64>,
    /// Time on the clock.
    pub wall_time_ns: Option<u64>,
    /// Memory of all processes, files in the box included.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u32>,
    /// Standard output and standard error together.
    pub output_bytes: Option<u64>,
    /// The largest file.
    pub file_size_bytes: Option<u64>,
    /// Descriptors open at once in one process.
    pub open_files: Option<u32>,
    /// The main thread's stack.
    pub stack_bytes: Option<u64>,
    /// All files in the box together.
    pub box_size_bytes: u64,
    /// Files and directories in the box.
    pub box_files: u32,
}

/// What a run used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// User and system time of all processes.
    pub cpu_time_ns: u64,
    /// The user part; counted by ticks.
    pub user_time_ns: Option<u64>,
    /// The system part; counted by ticks.
    pub system_time_ns: Option<u64>,
    /// Time on the clock.
    pub wall_time_ns: u64,
    /// The most memory held at once by all processes, without page cache.
    pub memory_peak_bytes: Option<u64>,
    /// The largest resident set of one process.
    pub max_rss_bytes: Option<u64>,
    /// Standard output and standard error together.
    pub output_bytes: Option<u64>,
    /// Context switches because something else wanted the CPU.
    pub forced_switches: Option<u64>,
    /// Context switches because the program waited.
    pub voluntary_switches: Option<u64>,
    /// Page faults served without a device.
    pub minor_faults: Option<u64>,
    /// Page faults that waited for a device.
    pub major_faults: Option<u64>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What of ours ran on other CPUs while a run went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbours {
    /// What helped, by kind: `compiler`, `checker`, `grader`.
    pub helpers: Vec<String>,
    /// The CPUs on which others were timed, as in `0-3,8`.
    pub timed_cpus: String,
}

/// What went on around a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The CPUs on which the run was allowed, as in `0-3,8`.
    pub cpus: String,
    /// Time that the hypervisor took from them.
    pub steal_ns: Option<u64>,
    /// Interrupts served on them.
    pub interrupts: Option<u64>,
    /// Soft interrupts served on them.
    pub softirqs: Option<u64>,
    /// Time for which a quota stopped the run.
    pub throttled_ns: Option<u64>,
    /// Time for which the run was ready and waited for a CPU.
    pub cpu_pressure_ns: Option<u64>,
    /// CPU time that others used on them.
    pub others_cpu_time_ns: Option<u64>,
    /// How often its tasks moved from one CPU to another.
    pub migrations: Option<u64>,
    /// The lowest clock frequency of its CPUs, read when it had ended.
    pub frequency_hz: Option<u64>,
    /// How often heat slowed its CPUs down.
    pub heat_throttles: Option<u64>,
    /// How much slower than at its best its core was just before or after, in thousandths, but no more than a guard saw
    /// while it went on.
    pub core_slowdown_permille: Option<u32>,
    /// What a guard on its CPU saw and did; `null` if it had none.
    #[serde(default)]
    pub guard: Option<Guard>,
    /// What of ours ran on other CPUs meanwhile; `null` if that was not noted.
    #[serde(default)]
    pub neighbours: Option<Neighbours>,
    /// How far it had its CPUs for itself: `none`, `affinity`, `cpuset` or `partition`; why it is no more than
    /// that is under `unavailable`.
    pub isolation: String,
    /// What the kernel said when it took that isolation away during the run; `null` if it did not.
    pub isolation_lost: Option<String>,
    /// What came more often than is usual on its CPUs by their stored profile, or took more, a phrase each; `null` if it
    /// was not compared. It is no disturbance and decides nothing.
    #[serde(default)]
    pub unusual: Option<Vec<String>>,
    /// What is seen to have taken time from the run, a phrase each; empty means "none seen".
    pub disturbances: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What a guard saw of a run's core while the run went on, and did about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// How often it looked.
    pub looks: u64,
    /// At how many looks the core was slower than at its best by a tenth or more.
    pub slow_looks: u64,
    /// How much slower it was on average while the run went on, in thousandths: a look after which the run was held until
    /// the core was calm counts as calm.
    pub slowdown_permille: u32,
    /// For how long it held the run; neither its CPU time nor its wall time has this in it.
    pub held_ns: u64,
}

impl Document for RunReport {
    const SCHEMA: &'static str = "tautochrone/run/1";
}

impl RunReport {
    /// Makes the report of one run.
    pub fn new(argv: Vec<String>, limits: &model::Limits, result: &RunResult, warnings: Vec<String>) -> Self {
        Self {
            argv,
            limits: limits.into(),
            end: result.end.into(),
            status: result.end.into(),
            usage: (&result.usage).into(),
            evidence: (&result.evidence).into(),
            audit: None,
            shared_cpus: false,
            warnings,
        }
    }
}

impl From<RunEnd> for RunStatus {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Exited(0) => Self::Ok,
            RunEnd::Exited(_) | RunEnd::Signaled(_) => Self::RunTimeError,
            RunEnd::Limit(LimitKind::CpuTime) => Self::TimeLimitExceeded,
            RunEnd::Limit(LimitKind::WallTime) => Self::WallTimeLimitExceeded,
            RunEnd::Limit(LimitKind::Memory) => Self::MemoryLimitExceeded,
            RunEnd::Limit(LimitKind::Output) => Self::OutputLimitExceeded,
        }
    }
}

impl From<RunEnd> for End {
    fn from(end: RunEnd) -> Self {
        let none = Self { kind: EndKind::Exit, code: None, signal: None, limit: None };
        match end {
            RunEnd::Exited(code) => Self { code: Some(code), ..none },
            RunEnd::Signaled(signal) => Self { kind: EndKind::Signal, signal: Some(signal), ..none },
            RunEnd::Limit(limit) => Self { kind: EndKind::Limit, limit: Some(limit.into()), ..none },
        }
    }
}

impl From<&model::Limits> for Limits {
    fn from(limits: &model::Limits) -> Self {
        Self {
            cpu_time_ns: limits.cpu_time.map(|time| time.0),
            wall_time_ns: limits.wall_time.map(|time| time.0),
            memory_bytes: limits.memory.map(|memory| memory.0),
            processes: limits.processes,
            output_bytes: limits.output.map(|output| output.0),
            file_size_bytes: limits.file_size.map(|size| size.0),
            open_files: limits.open_files,
            stack_bytes: limits.stack.map(|stack| stack.0),
            box_size_bytes: limits.box_size.0,
            box_files: limits.box_files,
        }
    }
}

impl From<&model::Usage> for Usage {
    fn from(usage: &model::Usage) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        Self {
            cpu_time_ns: usage.cpu_time.0,
            user_time_ns: value_or_reason(&usage.user_time, "user_time_ns", reasons),
            system_time_ns: value_or_reason(&usage.system_time, "system_time_ns", reasons),
            wall_time_ns: usage.wall_time.0,
            memory_peak_bytes: value_or_reason(&usage.memory_peak, "memory_peak_bytes", reasons),
            max_rss_bytes: value_or_reason(&usage.max_rss, "max_rss_bytes", reasons),
            output_bytes: value_or_reason(&usage.output, "output_bytes", reasons),
            forced_switches: value_or_reason(&usage.forced_switches, "forced_switches", reasons),
            voluntary_switches: value_or_reason(&usage.voluntary_switches, "voluntary_switches", reasons),
            minor_faults: value_or_reason(&usage.minor_faults, "minor_faults", reasons),
            major_faults: value_or_reason(&usage.major_faults, "major_faults", reasons),
            unavailable,
        }
    }
}

impl From<model::Guard> for Guard {
    fn from(guard: model::Guard) -> Self {
        Self {
            looks: guard.looks,
            slow_looks: guard.slow_looks,
            slowdown_permille: guard.slowdown.0,
            held_ns: guard.held.0,
        }
    }
}

impl From<&model::Neighbours> for Neighbours {
    fn from(neighbours: &model::Neighbours) -> Self {
        Self {
            helpers: neighbours.helpers.iter().cloned().collect(),
            timed_cpus: neighbours.timed_cpus.to_string(),
        }
    }
}

impl From<&model::Evidence> for Evidence {
    fn from(evidence: &model::Evidence) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        if let Some(why) = &evidence.isolation.weaker_because {
            reasons.insert("isolation".to_owned(), why.clone());
        }
        Self {
            cpus: evidence.cpus.to_string(),
            steal_ns: value_or_reason(&evidence.steal, "steal_ns", reasons),
            interrupts: value_or_reason(&evidence.interrupts, "interrupts", reasons),
            softirqs: value_or_reason(&evidence.softirqs, "softirqs", reasons),
            throttled_ns: value_or_reason(&evidence.throttled, "throttled_ns", reasons),
            cpu_pressure_ns: value_or_reason(&evidence.cpu_pressure, "cpu_pressure_ns", reasons),
            others_cpu_time_ns: value_or_reason(&evidence.others_cpu_time, "others_cpu_time_ns", reasons),
            migrations: value_or_reason(&evidence.migrations, "migrations", reasons),
            frequency_hz: value_or_reason(&evidence.frequency, "frequency_hz", reasons),
            heat_throttles: value_or_reason(&evidence.heat_throttles, "heat_throttles", reasons),
            core_slowdown_permille: value_or_reason(
                &evidence.core_slowdown,
                "core_slowdown_permille",
                reasons,
            ),
            guard: match &evidence.guard {
                Reading::Known(guard) => Some((*guard).into()),
                Reading::Unavailable(why) => {
                    reasons.insert("guard".to_owned(), why.clone());
                    None
                }
            },
            neighbours: match &evidence.neighbours {
                Reading::Known(neighbours) => Some(neighbours.into()),
                Reading::Unavailable(why) => {
                    reasons.insert("neighbours".to_owned(), why.clone());
                    None
                }
            },
            unusual: match &evidence.unusual {
                Reading::Known(unusual) => Some(unusual.iter().map(ToString::to_string).collect()),
                Reading::Unavailable(why) => {
                    reasons.insert("unusual".to_owned(), why.clone());
                    None
                }
            },
            isolation: evidence.isolation.kind.to_string(),
            isolation_lost: evidence.isolation.lost.clone(),
            disturbances: RuleNumbers::CURRENT
                .disturbances(evidence)
                .iter()
                .map(ToString::to_string)
                .collect(),
            unavailable,
        }
    }
}
