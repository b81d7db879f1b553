//! From a recorded run back to the run that the rule judges.

use crate::judging::judge::Repeat;
use crate::run::{End, EndKind, Evidence};
use crate::values::Unavailable;
use model::{Isolation, IsolationKind, Nanos, Reading, RunEnd, RunResult};

/// The reason why a recorded run is none.
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

impl TryFrom<&Repeat> for RunResult {
    type Error = NotARun;

    /// Takes back all that a document has of a run; what it has not, such as page faults, is unavailable.
    fn try_from(run: &Repeat) -> Result<Self, NotARun> {
        Ok(Self {
            end: (&run.end).try_into()?,
            usage: model::Usage {
                memory_peak: reading(
                    run.memory_peak_bytes.map(model::Bytes),
                    "memory_peak_bytes",
                    &run.unavailable,
                ),
                ..model::Usage::of_times(Nanos(run.cpu_time_ns), Nanos(run.wall_time_ns), "not recorded")
            },
            evidence: (&run.evidence).try_into()?,
        })
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
            isolation: Isolation {
                kind: kind.ok_or_else(|| NotARun::Isolation(evidence.isolation.clone()))?,
                weaker_because: why.get("isolation").cloned(),
                lost: evidence.isolation_lost.clone(),
            },
        })
    }
}

fn reading<T>(value: Option<T>, field: &str, unavailable: &Unavailable) -> Reading<T> {
    value.map_or_else(
        || Reading::Unavailable(unavailable.get(field).cloned().unwrap_or_else(|| "not recorded".to_owned())),
        Reading::Known,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::LimitKind;

    fn run(end: RunEnd) -> RunResult {
        RunResult {
            end,
            usage: model::Usage::of_times(Nanos(7), Nanos(9), "not recorded"),
            evidence: model::Evidence {
                cpus: "1-2".parse().unwrap(),
                steal: Reading::Known(Nanos::from_millis(20)),
                heat_throttles: Reading::Known(1),
                throttled: Reading::unavailable("no controller"),
                isolation: Isolation {
                    kind: IsolationKind::Partition,
                    weaker_because: None,
                    lost: Some("a CPU went".to_owned()),
                },
                ..model::Evidence::default()
            },
        }
    }

    #[test]
    fn a_recorded_run_is_the_run_that_was_judged() {
        for end in [
            RunEnd::Exited(3),
            RunEnd::Signaled(11),
            RunEnd::Limit(LimitKind::CpuTime),
            RunEnd::Limit(LimitKind::WallTime),
            RunEnd::Limit(LimitKind::Memory),
            RunEnd::Limit(LimitKind::Output),
        ] {
            let text = serde_json::to_string(&Repeat::from(&run(end))).unwrap();
            let back: Repeat = serde_json::from_str(&text).unwrap();
            assert_eq!(RunResult::try_from(&back), Ok(run(end)));
        }
    }

    #[test]
    fn malformed_recorded_run_is_refused() {
        let refused = |change: fn(&mut Repeat)| {
            let mut recorded = Repeat::from(&run(RunEnd::Exited(0)));
            change(&mut recorded);
            RunResult::try_from(&recorded).unwrap_err().to_string()
        };
        assert_eq!(refused(|run| run.end.code = None), "its end has no code");
        assert_eq!(refused(|run| run.evidence.cpus = "x".to_owned()), "its CPUs 'x' are no list of CPUs");
        assert_eq!(
            refused(|run| run.evidence.isolation = "full".to_owned()),
            "its isolation 'full' is none of none, affinity, cpuset and partition"
        );
    }
}
