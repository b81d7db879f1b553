//! The plan, as data.

use super::phase;
use model::{Bytes, CpuId, Nanos};
use noise::Source;
use std::collections::BTreeSet;
use std::time::Duration;

/// The MPI program's maximum.
pub const RANKS_MAX: u32 = 256;
/// Maximum number of injected sources in the MPI program.
pub const SOURCES_MAX: usize = 8;
/// How long each rank computes before measurements count: twenty slices of 50 ms.
const WARM_UP: Duration = Duration::from_secs(1);
/// Open MPI copies shorter messages into the receiver's memory at once; sending a longer one does not end before the
/// receiver calls MPI (measured with 4.1, see docs/noise-exchange.md).
const AT_ONCE: Bytes = Bytes(256);
/// The longest time for starting MPI.
const START_TIME_MAX: Duration = Duration::from_secs(60);
/// A machine that is this many times slower than planned is too busy for this benchmark.
const SLOWER_MAX: u32 = 20;
/// If ranks share CPUs, each exchange may wait for the scheduler.
const SHARED_EXCHANGE: Duration = Duration::from_millis(20);

/// A source of detours that the program adds to its own work.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    /// The period and the length.
    pub source: Source,
    /// The ranks; `None` for all.
    pub ranks: Option<BTreeSet<u32>>,
}

/// How the injected detours of different ranks are related in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phases {
    /// Independent for each rank, drawn again for each block.
    Own,
    /// At the same time on all ranks, drawn again for each block.
    Common,
}

/// One run of the MPI program.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The CPU of each rank; ranks may share one.
    pub cpus: Vec<CpuId>,
    /// The desired time of a call of the counting function: the article's T_C.
    pub target: Nanos,
    /// Steps of a call, if they are known from an earlier run.
    pub steps: Option<u64>,
    /// Size of a message.
    pub message: Bytes,
    /// How often each arm runs.
    pub rounds: u32,
    /// Iterations of a block, at whose beginning all ranks start together.
    pub iterations: u32,
    /// The part of a call that has to wait for the neighbours' messages, in thousandths.
    pub boundary_permille: u32,
    /// How often MPI is called while the rest of a call overlaps with messages. If it is never called, all messages are
    /// waited for when the work is done.
    pub tests: u32,
    /// Injected noise.
    pub injections: Vec<Injection>,
    /// How it is timed.
    pub phases: Phases,
    /// The seed of the phases.
    pub seed: u64,
}

impl Plan {
    /// Returns the number of processes.
    pub fn ranks(&self) -> u32 {
        self.cpus.len() as u32
    }

    /// Returns whether two ranks have the same CPU; then they also wait for each other's time slices.
    pub fn shares_cpus(&self) -> bool {
        self.cpus.iter().collect::<BTreeSet<_>>().len() < self.cpus.len()
    }

    /// Returns whether messages make progress while ranks compute; otherwise an exchange that overlaps waits for the
    /// computing rank.
    pub fn makes_progress(&self) -> bool {
        self.tests > 0 || self.message < AT_ONCE
    }

    /// Returns the program's arguments.
    pub fn arguments(&self) -> Vec<String> {
        let list: Vec<String> = self.cpus.iter().map(|cpu| cpu.0.to_string()).collect();
        let sources: Vec<String> = self.injections.iter().map(Injection::argument).collect();
        vec![
            format!("rounds={}", self.rounds),
            format!("iterations={}", self.iterations),
            format!("bytes={}", self.message.0),
            format!("target_ns={}", self.target.0),
            format!("steps={}", self.steps.unwrap_or(0)),
            format!("boundary_permille={}", self.boundary_permille),
            format!("tests={}", self.tests),
            format!("seed={}", self.seed),
            format!("common={}", u8::from(self.phases == Phases::Common)),
            format!("cpus={}", list.join(",")),
            format!("inject={}", sources.join(",")),
        ]
    }

    /// Returns how many blocks the program will report.
    pub fn blocks(&self) -> u64 {
        let quiet = if self.ranks() > 1 { 4 } else { 1 };
        let injected = if self.ranks() > 1 { 3 } else { 1 };
        u64::from(self.rounds) * (quiet + if self.injections.is_empty() { 0 } else { injected })
    }

    /// Returns the time by which the program must finish.
    pub(crate) fn time_max(&self) -> Duration {
        let taken: f64 = self.injections.iter().map(|injection| injection.source.share()).sum();
        let call = Duration::from_nanos(self.target.0).mul_f64(1.0 / (1.0 - taken.min(0.99)));
        let sharing = if self.shares_cpus() { self.ranks() } else { 1 };
        let exchange = Duration::from_micros(20) + Duration::from_nanos(2 * self.message.0);
        let exchange = if sharing > 1 { exchange + SHARED_EXCHANGE } else { exchange };
        let iterations = u32::try_from(self.blocks()).unwrap_or(u32::MAX).saturating_mul(self.iterations);
        START_TIME_MAX
            + WARM_UP * sharing
            + ((call * sharing + exchange) * SLOWER_MAX).saturating_mul(iterations)
    }

    /// Returns when a source's first detour is due on a rank, in ns from the beginning of a block.
    pub fn first_due_ns(&self, round: u32, source: usize, rank: u32) -> f64 {
        let of = if self.phases == Phases::Common { 0 } else { rank };
        self.injections[source].period_ns() * phase(self.seed, round.into(), source as u64, of.into())
    }
}

impl Injection {
    /// Returns whether a rank is disturbed by it.
    pub fn is_on(&self, rank: u32) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.contains(&rank))
    }

    /// Returns the time from one detour to the next.
    pub fn period_ns(&self) -> f64 {
        1e9 / self.source.frequency_hz()
    }

    fn argument(&self) -> String {
        let ranks = match &self.ranks {
            None => "all".to_owned(),
            Some(ranks) => ranks.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
        };
        format!("{}:{:.0}:{ranks}", self.period_ns(), self.source.length_ns)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use noise::Occurrence;

    /// Two ranks with a comb of 1000 Hz and 13 us.
    pub(crate) fn plan() -> Plan {
        Plan {
            cpus: vec![CpuId(0), CpuId(1)],
            target: Nanos::from_micros(75),
            steps: None,
            message: Bytes(1024),
            rounds: 2,
            iterations: 1000,
            boundary_permille: 100,
            tests: 4,
            injections: vec![injection(1000.0, 13_000.0)],
            phases: Phases::Own,
            seed: 1,
        }
    }

    pub(crate) fn injection(frequency_hz: f64, length_ns: f64) -> Injection {
        Injection {
            source: Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns },
            ranks: None,
        }
    }

    #[test]
    fn the_program_receives_all_arguments() {
        let mut plan = plan();
        plan.injections.push(Injection { ranks: Some([0, 5].into()), ..injection(8.0, 160_000.0) });
        assert_eq!(
            plan.arguments().join(" "),
            "rounds=2 iterations=1000 bytes=1024 target_ns=75000 steps=0 boundary_permille=100 tests=4 seed=1 common=0 \
             cpus=0,1 inject=1000000:13000:all,125000000:160000:0.5"
        );
        assert!(plan.injections[1].is_on(5) && !plan.injections[1].is_on(1));
    }

    #[test]
    fn long_messages_go_on_only_while_mpi_is_called() {
        let makes_progress = |tests, bytes| Plan { tests, message: Bytes(bytes), ..plan() }.makes_progress();
        assert!(makes_progress(4, 1024) && makes_progress(0, 8));
        assert!(!makes_progress(0, 1024));
    }

    #[test]
    fn blocks_are_counted_as_the_program_does() {
        let mut plan = plan();
        assert_eq!(plan.blocks(), 14);
        plan.injections.clear();
        assert_eq!(plan.blocks(), 8);
        plan.cpus.pop();
        assert_eq!(plan.blocks(), 2);
        plan.cpus = vec![CpuId(0); 3];
        assert!(plan.shares_cpus());
    }
}
