//! What is usual on a run's CPUs by their stored profile, and what of the run differs from it.

use crate::{Nanos, Reading, RunResult};
use std::fmt;

/// What happens in a second on CPUs that only a probe uses, all of them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    pub interrupts: Reading<f64>,
    pub softirqs: Reading<f64>,
    /// How often the probe was made to leave its CPU.
    pub forced_switches: Reading<f64>,
    /// What the hypervisor took, in ns.
    pub steal_ns: Reading<f64>,
}

/// Something that came more often during a run, or took more, than is usual on its CPUs. A program may well have caused
/// it itself: it is reported, and decides nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unusual {
    pub what: UnusualKind,
    /// In a second of the run.
    pub seen: f64,
    /// In a second by the stored profile.
    pub usual: f64,
}

/// What is counted both by a probe and around a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusualKind {
    Interrupts,
    Softirqs,
    ForcedSwitches,
    /// Time taken by the hypervisor, in ns.
    Steal,
}

impl UnusualKind {
    /// What a run may have beyond the usual before it is reported: starting and ending it causes some of it, and time is
    /// counted in ticks of 10 ms.
    const fn allowance(self) -> f64 {
        match self {
            Self::Interrupts | Self::Softirqs => 200.0,
            Self::ForcedSwitches => 20.0,
            Self::Steal => 20e6,
        }
    }
}

impl Baseline {
    /// What is this many times the usual, and more than the allowance beyond it, stands out.
    const TIMES: f64 = 2.0;

    /// Returns that nothing is known, and why.
    pub fn unknown(why: &str) -> Self {
        let unknown = || Reading::unavailable(why);
        Self { interrupts: unknown(), softirqs: unknown(), forced_switches: unknown(), steal_ns: unknown() }
    }

    /// Adds up what is usual on several CPUs; what is not known of one is not known of all.
    pub fn of_all(cpus: impl IntoIterator<Item = Self>) -> Option<Self> {
        cpus.into_iter().reduce(|one, other| Self {
            interrupts: sum(one.interrupts, other.interrupts),
            softirqs: sum(one.softirqs, other.softirqs),
            forced_switches: sum(one.forced_switches, other.forced_switches),
            steal_ns: sum(one.steal_ns, other.steal_ns),
        })
    }

    /// Lists what stands out of a run on these CPUs, as far as both counted it.
    pub fn unusual_in(&self, run: &RunResult) -> Vec<Unusual> {
        let seconds = run.usage.wall_time.0 as f64 / 1e9;
        if seconds <= 0.0 {
            return Vec::new();
        }
        let count = |reading: &Reading<u64>| reading.known().map(|count| *count as f64);
        let time = |reading: &Reading<Nanos>| reading.known().map(|time| time.0 as f64);
        let evidence = &run.evidence;
        let each = [
            (UnusualKind::Interrupts, &self.interrupts, count(&evidence.interrupts)),
            (UnusualKind::Softirqs, &self.softirqs, count(&evidence.softirqs)),
            (UnusualKind::ForcedSwitches, &self.forced_switches, count(&run.usage.forced_switches)),
            (UnusualKind::Steal, &self.steal_ns, time(&evidence.steal)),
        ];
        let stands_out = |(what, usual, seen): (UnusualKind, &Reading<f64>, Option<f64>)| {
            let (usual, seen) = (*usual.known()?, seen?);
            (seen > Self::TIMES * usual * seconds + what.allowance()).then_some(Unusual {
                what,
                seen: seen / seconds,
                usual,
            })
        };
        each.into_iter().filter_map(stands_out).collect()
    }
}

fn sum(one: Reading<f64>, other: Reading<f64>) -> Reading<f64> {
    match (one, other) {
        (Reading::Known(one), Reading::Known(other)) => Reading::Known(one + other),
        (unavailable @ Reading::Unavailable(_), _) | (_, unavailable) => unavailable,
    }
}

impl fmt::Display for Unusual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seen, usual, .. } = self;
        match self.what {
            UnusualKind::Interrupts => write!(f, "{seen:.0} interrupts a second, {usual:.0} are usual"),
            UnusualKind::Softirqs => write!(f, "{seen:.0} soft interrupts a second, {usual:.0} are usual"),
            UnusualKind::ForcedSwitches => {
                write!(f, "{seen:.0} involuntary context switches a second, {usual:.0} are usual")
            }
            UnusualKind::Steal => write!(
                f,
                "the hypervisor took {:.1} ms a second, {:.1} ms are usual",
                seen / 1e6,
                usual / 1e6
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, RunEnd, Usage};

    fn usual() -> Baseline {
        Baseline {
            interrupts: Reading::Known(260.0),
            softirqs: Reading::Known(80.0),
            forced_switches: Reading::Known(0.5),
            steal_ns: Reading::Known(1e6),
        }
    }

    fn run(seconds: u64, interrupts: u64, forced_switches: u64, steal_ms: u64) -> RunResult {
        RunResult {
            end: RunEnd::Exited(0),
            usage: Usage {
                wall_time: Nanos::from_millis(seconds * 1000),
                forced_switches: Reading::Known(forced_switches),
                ..Usage::default()
            },
            evidence: Evidence {
                interrupts: Reading::Known(interrupts),
                steal: Reading::Known(Nanos::from_millis(steal_ms)),
                ..Evidence::default()
            },
        }
    }

    #[track_caller]
    fn check(run: &RunResult, expected: &[&str]) {
        let reported: Vec<String> = usual().unusual_in(run).iter().map(ToString::to_string).collect();
        assert_eq!(reported, expected);
    }

    #[test]
    fn only_unusual_counts_are_reported() {
        check(&run(2, 560, 8, 10), &[]);
        check(&run(2, 5200, 8, 10), &["2600 interrupts a second, 260 are usual"]);
        check(
            &run(2, 560, 400, 300),
            &[
                "200 involuntary context switches a second, 0 are usual",
                "the hypervisor took 150.0 ms a second, 1.0 ms are usual",
            ],
        );
    }

    #[test]
    fn a_short_run_may_have_what_starting_it_causes() {
        let mut short = run(1, 150, 15, 10);
        short.usage.wall_time = Nanos::from_millis(1);
        check(&short, &[]);
        short.usage.wall_time = Nanos::ZERO;
        short.evidence.interrupts = Reading::Known(1_000_000);
        check(&short, &[]);
    }

    #[test]
    fn uncounted_events_are_not_compared() {
        let mut many = run(2, 5200, 0, 0);
        many.evidence.interrupts = Reading::unavailable("cannot read");
        check(&many, &[]);
        many.usage.forced_switches = Reading::unavailable("not measured");
        check(&many, &[]);
        let unknown = Baseline { interrupts: Reading::unavailable("not counted"), ..usual() };
        assert_eq!(unknown.unusual_in(&run(2, 5200, 0, 0)), []);
        let both = Baseline::of_all([usual(), unknown]).unwrap();
        assert_eq!(both.softirqs, Reading::Known(160.0));
        assert!(both.interrupts.known().is_none());
        assert_eq!(Baseline::of_all([]), None);
    }
}
