//! What one run of a program did: the document of `tauto run`.

use crate::machines::audit::Audit;
use crate::values::{Unavailable, reading, value_or_reason};
use model::{Isolation, IsolationKind, LimitKind, Nanos, Reading, RunEnd, RunResult};
use ruling::RuleNumbers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReport {
    pub argv: Vec<String>,
    pub limits: Limits,
    pub end: End,
    /// The outcome as an id.
    pub status: RunStatus,
    pub usage: Usage,
    pub evidence: Evidence,
    /// What else ran on its CPUs and where its threads ran, as in `tautochrone/audit/1`; `null` if it was run without
    /// `--isolate`, or nothing is known.
    pub audit: Option<Audit>,
    /// Whether CPUs were to be leased and are shared, since others had them, so that times vary more.
    pub shared_cpus: bool,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// The outcome of a run; the ids are those of verdicts, as far as they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RunStatus {
    /// The program left with code 0, within its limits.
    #[serde(rename = "OK")]
    Ok,
    /// The program crashed or left with another code.
    #[serde(rename = "RTE")]
    RunTimeError,
    #[serde(rename = "TLE")]
    TimeLimitExceeded,
    #[serde(rename = "WTL")]
    WallTimeLimitExceeded,
    #[serde(rename = "MLE")]
    MemoryLimitExceeded,
    #[serde(rename = "OLE")]
    OutputLimitExceeded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// Which of `code`, `signal` and `limit` is there.
    pub kind: EndKind,
    /// Exit code of the main process; `null` unless `kind` is `exit`.
    pub code: Option<u8>,
    /// Number of the signal that killed the main process; `null` unless `kind` is `signal`.
    pub signal: Option<u8>,
    /// The limit that was passed; `null` unless `kind` is `limit`.
    pub limit: Option<LimitKind>,
}

/// The ways to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// The main process left with a code.
    Exit,
    /// The main process died by a signal.
    Signal,
    /// A limit was passed, at which most runs are ended.
    Limit,
}

/// What a run may use; `null` means unlimited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// User and system time of all processes together.
    pub cpu_time_ns: Option<u64>,
    pub wall_time_ns: Option<u64>,
    /// Instructions that all processes execute together.
    #[serde(default)]
    pub instructions: Option<u64>,
    /// Memory of all processes, files in the box included.
    pub memory_bytes: Option<u64>,
    pub processes: Option<u32>,
    /// Standard output and standard error together.
    pub output_bytes: Option<u64>,
    /// The largest file.
    pub file_size_bytes: Option<u64>,
    /// Descriptors open at once in one process.
    pub open_files: Option<u32>,
    /// Stack of the main thread; `null` leaves it to the memory limit.
    pub stack_bytes: Option<u64>,
    /// All files in the box together.
    pub box_size_bytes: u64,
    pub box_files: u32,
}

/// What a run used. Only its init knows the largest process, output to files, switches and faults. These are not
/// readable where init had to be killed: where processes do not die, and without cgroup v2 at every limit that ends a
/// run. In documents that were written before this was reported they are 0, which `max_rss_bytes` of a program that ran
/// never is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// User and system time of all processes together; exact.
    pub cpu_time_ns: u64,
    /// The user part; kernels split by ticks, so it is coarser than the sum. Not readable without cgroup v2.
    pub user_time_ns: Option<u64>,
    /// The system part, like the user part.
    pub system_time_ns: Option<u64>,
    /// Wall-clock time from the first instruction until the main process is reaped; 0 if the program was never
    /// executed.
    pub wall_time_ns: u64,
    /// Instructions that all processes together have executed in user mode; of a run that was ended at its limit on them,
    /// that limit.
    #[serde(default)]
    pub instructions: Option<u64>,
    /// Most memory held at once by all processes, without page cache.
    pub memory_peak_bytes: Option<u64>,
    pub max_rss_bytes: Option<u64>,
    /// Written to standard output and standard error, and what its files take where it may write any.
    pub output_bytes: Option<u64>,
    pub forced_switches: Option<u64>,
    /// Context switches because the program waited.
    pub voluntary_switches: Option<u64>,
    /// Page faults that did not wait for a device.
    pub minor_faults: Option<u64>,
    pub major_faults: Option<u64>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// What else of `tauto` ran on other CPUs during a run, and shared caches and memory with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbours {
    /// What helped, by kind: `compiler`, `checker`, `grader`; without those that were paused for a repeat.
    pub helpers: Vec<String>,
    /// CPUs on which other submissions were timed, as in `0-3,8`.
    pub timed_cpus: String,
}

/// What was observed around a run: only causes outside the run itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// CPUs on which the run was allowed, as in `0-3,8`.
    pub cpus: String,
    /// Time that the hypervisor took from those CPUs; the kernel counts in steps of 10 ms. Also not known if it is more
    /// than the run can have lost, so that some of it is from before.
    pub steal_ns: Option<u64>,
    /// Interrupts served on those CPUs, the timer's included.
    pub interrupts: Option<u64>,
    /// Soft interrupts served on those CPUs.
    pub softirqs: Option<u64>,
    /// Time for which a CPU quota stopped the run.
    pub throttled_ns: Option<u64>,
    /// Run-queue wait: time for which the run was ready and had no CPU.
    pub cpu_pressure_ns: Option<u64>,
    /// CPU time that others used on those CPUs: busy time less the run's own. It is in steps of 10 ms unless the kernel
    /// has `/proc/schedstat`; one step on each CPU more or less means nothing.
    pub others_cpu_time_ns: Option<u64>,
    /// How often its tasks moved from one CPU to another; always 0 where there is only one CPU.
    pub migrations: Option<u64>,
    /// Lowest clock frequency of those CPUs, read when the run had ended.
    pub frequency_hz: Option<u64>,
    /// How often heat slowed those CPUs down during the run.
    pub heat_throttles: Option<u64>,
    /// Core contention: how much longer than its best a loop that needs a whole core took on those CPUs just before or
    /// just after the run, in thousandths, but at most what a guard saw during the run. Not measured if the run was
    /// within its limit.
    pub core_slowdown_permille: Option<u32>,
    /// What a guard saw and did on its CPU; `null` if it had none.
    #[serde(default)]
    pub guard: Option<Guard>,
    /// What else of `tauto` ran on other CPUs during the run; not recorded outside `tauto judge`.
    #[serde(default)]
    pub neighbours: Option<Neighbours>,
    /// How well those CPUs were isolated: `none`, `affinity`, `cpuset` or `partition`. If it could be better,
    /// `unavailable` says why it is not.
    pub isolation: String,
    /// The kernel's message when it removed that isolation during the run; `null` if it did not.
    pub isolation_lost: Option<String>,
    /// What occurred more often, or took more, than is usual on those CPUs, a phrase each. It is no disturbance, and no
    /// verdict depends on it. `null` if it was not compared, usually because there is no stored profile.
    #[serde(default)]
    pub unusual: Option<Vec<String>>,
    /// What the processor's counters saw of the run; `null` where they cannot be read. No verdict depends on it.
    #[serde(default)]
    pub hardware: Option<HardwareCounts>,
    /// The virtual machine around it, seen from outside; absent if it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
    /// Those of the above that are large enough to change the time, a phrase each; empty means "none seen", not
    /// "undisturbed".
    pub disturbances: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// A run's virtual machine, seen from outside. The run's own times are those from inside, and `cpu_time_ns` here is their upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineUse {
    /// Whether a program executed its instructions, and not the processor; then times say nothing about any machine.
    pub is_emulated: bool,
    /// User and system time of the hypervisor, the guest and its start included.
    pub cpu_time_ns: u64,
    /// From its creation until it had what to run.
    pub start_time_ns: u64,
    /// Most memory of the hypervisor, the guest's included; `null` where the kernel does not say.
    pub memory_peak_bytes: Option<u64>,
}

impl From<model::MachineUse> for MachineUse {
    fn from(machine: model::MachineUse) -> Self {
        Self {
            is_emulated: machine.is_emulated,
            cpu_time_ns: machine.cpu_time.0,
            start_time_ns: machine.start_time.0,
            memory_peak_bytes: machine.memory_peak.map(|bytes| bytes.0),
        }
    }
}

impl From<MachineUse> for model::MachineUse {
    fn from(machine: MachineUse) -> Self {
        Self {
            is_emulated: machine.is_emulated,
            cpu_time: Nanos(machine.cpu_time_ns),
            start_time: Nanos(machine.start_time_ns),
            memory_peak: machine.memory_peak_bytes.map(model::Bytes),
        }
    }
}

/// What a guard saw of a run's core while the run went on, and did about it. Its looks are among the run's interrupts
/// and involuntary context switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Guard {
    /// How often it looked.
    pub looks: u64,
    /// Looks at which the loop took at least a tenth longer than its best.
    pub slow_looks: u64,
    /// How much longer it took on average during the run, in thousandths; a look after which the run was held counts as
    /// undisturbed.
    pub slowdown_permille: u32,
    /// For how long it held the run: part of `cpu_pressure_ns`, but neither of CPU time nor of wall time.
    pub held_ns: u64,
}

/// What the processor's counters saw of a run, in user mode and of its control group alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HardwareCounts {
    /// Instructions retired.
    pub instructions: u64,
    /// Cycles at the frequency of the moment.
    pub cycles: u64,
    /// Cycles of a clock whose frequency does not change; `null` where the processor has no such counter.
    pub reference_cycles: Option<u64>,
    /// Misses of the last-level cache; `null` where the processor has no such counter.
    pub cache_misses: Option<u64>,
    /// For how long they were to count, all CPUs together.
    pub enabled_ns: u64,
    /// For how long they counted; where that is less, the counts are scaled up.
    pub running_ns: u64,
}

impl From<model::HardwareCounts> for HardwareCounts {
    fn from(counts: model::HardwareCounts) -> Self {
        let model::HardwareCounts { instructions, cycles, reference_cycles, cache_misses, .. } = counts;
        let (enabled_ns, running_ns) = (counts.enabled.0, counts.running.0);
        Self { instructions, cycles, reference_cycles, cache_misses, enabled_ns, running_ns }
    }
}

impl From<HardwareCounts> for model::HardwareCounts {
    fn from(counts: HardwareCounts) -> Self {
        let HardwareCounts { instructions, cycles, reference_cycles, cache_misses, .. } = counts;
        let (enabled, running) = (model::Nanos(counts.enabled_ns), model::Nanos(counts.running_ns));
        Self { instructions, cycles, reference_cycles, cache_misses, enabled, running }
    }
}

/// Why a document does not describe a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARun {
    /// The field that the kind of end names is `null`.
    #[error("its end has no {0}")]
    End(&'static str),
    /// The CPUs are no list.
    #[error("its CPUs '{text}' are no list of CPUs")]
    Cpus {
        /// What stands there.
        text: String,
        /// Why it is none.
        source: model::ParseCpuSetError,
    },
    /// The isolation has an unknown name.
    #[error("its isolation '{0}' is none of none, affinity, cpuset and partition")]
    Isolation(String),
}

impl RunReport {
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
            RunEnd::Limit(LimitKind::CpuTime | LimitKind::Instructions) => Self::TimeLimitExceeded,
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
            RunEnd::Limit(limit) => Self { kind: EndKind::Limit, limit: Some(limit), ..none },
        }
    }
}

impl TryFrom<&End> for RunEnd {
    type Error = NotARun;

    fn try_from(end: &End) -> Result<Self, NotARun> {
        match end.kind {
            EndKind::Exit => end.code.map(Self::Exited).ok_or(NotARun::End("code")),
            EndKind::Signal => end.signal.map(Self::Signaled).ok_or(NotARun::End("signal")),
            EndKind::Limit => end.limit.map(Self::Limit).ok_or(NotARun::End("limit")),
        }
    }
}

impl From<&model::Limits> for Limits {
    fn from(limits: &model::Limits) -> Self {
        Self {
            cpu_time_ns: limits.cpu_time.map(|time| time.0),
            wall_time_ns: limits.wall_time.map(|time| time.0),
            instructions: limits.instructions.map(|count| count.0),
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
            instructions: value_or_reason(&usage.instructions, "instructions", reasons),
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

impl From<model::Neighbours> for Neighbours {
    fn from(neighbours: model::Neighbours) -> Self {
        Self {
            helpers: neighbours.helpers.into_iter().collect(),
            timed_cpus: neighbours.timed_cpus.to_string(),
        }
    }
}

impl From<&model::Evidence> for Evidence {
    fn from(evidence: &model::Evidence) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        let phrases =
            |unusual: &Vec<model::Unusual>| unusual.iter().map(ToString::to_string).collect::<Vec<_>>();
        let unusual = evidence.unusual.as_ref().map(phrases);
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
            guard: value_or_reason(&evidence.guard, "guard", reasons),
            neighbours: value_or_reason(&evidence.neighbours, "neighbours", reasons),
            unusual: value_or_reason(&unusual, "unusual", reasons),
            hardware: value_or_reason(&evidence.hardware, "hardware", reasons),
            machine: evidence.machine.map(Into::into),
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

impl TryFrom<&Evidence> for model::Evidence {
    type Error = NotARun;

    fn try_from(evidence: &Evidence) -> Result<Self, NotARun> {
        let why = &evidence.unavailable;
        let time = |value: Option<u64>, field| reading(value.map(Nanos), field, why);
        let count = |value, field| reading(value, field, why);
        let known =
            [IsolationKind::None, IsolationKind::Affinity, IsolationKind::CpuSet, IsolationKind::Partition];
        let kind = known.into_iter().find(|kind| kind.name() == evidence.isolation);
        let cpus =
            |text: &str| text.parse().map_err(|source| NotARun::Cpus { text: text.to_owned(), source });
        let neighbours = evidence.neighbours.as_ref().map(|neighbours| {
            let helpers = neighbours.helpers.iter().cloned().collect();
            Ok(model::Neighbours { helpers, timed_cpus: cpus(&neighbours.timed_cpus)? })
        });
        Ok(Self {
            cpus: cpus(&evidence.cpus)?,
            steal: time(evidence.steal_ns, "steal_ns"),
            interrupts: count(evidence.interrupts, "interrupts"),
            softirqs: count(evidence.softirqs, "softirqs"),
            throttled: time(evidence.throttled_ns, "throttled_ns"),
            cpu_pressure: time(evidence.cpu_pressure_ns, "cpu_pressure_ns"),
            others_cpu_time: time(evidence.others_cpu_time_ns, "others_cpu_time_ns"),
            migrations: count(evidence.migrations, "migrations"),
            frequency: reading(evidence.frequency_hz.map(model::Hertz), "frequency_hz", why),
            heat_throttles: count(evidence.heat_throttles, "heat_throttles"),
            core_slowdown: reading(
                evidence.core_slowdown_permille.map(model::Slowdown),
                "core_slowdown_permille",
                why,
            ),
            guard: reading(
                evidence.guard.map(|guard| model::Guard {
                    looks: guard.looks,
                    slow_looks: guard.slow_looks,
                    slowdown: model::Slowdown(guard.slowdown_permille),
                    held: Nanos(guard.held_ns),
                }),
                "guard",
                why,
            ),
            neighbours: reading(neighbours.transpose()?, "neighbours", why),
            // Phrases are not read back, and no rule asks for them.
            unusual: Reading::unavailable(match (&evidence.unusual, why.get("unusual")) {
                (None, Some(why)) => why.as_str(),
                _ => "recorded as phrases, which are not read back",
            }),
            hardware: reading(evidence.hardware.map(Into::into), "hardware", why),
            machine: evidence.machine.map(Into::into),
            isolation: Isolation {
                kind: kind.ok_or_else(|| NotARun::Isolation(evidence.isolation.clone()))?,
                weaker_because: why.get("isolation").cloned(),
                lost: evidence.isolation_lost.clone(),
            },
        })
    }
}
