//! What the host believes of what a guest says: a run may have taken over its machine.

use crate::relay::is_only_its_end;
use crate::template::last_words;
use crate::wire::Ended;
use model::{Bytes, LimitKind, MachineUse, Nanos, Reading, RunEnd, Usage};
use sandbox::{Ran, RunPlan, SandboxError};
use std::io;

/// CPU time that a machine uses by itself, besides parts of the run's and of the time it takes.
const BY_ITSELF: Nanos = Nanos::from_millis(500);

/// What the host knows of a run's machine.
pub struct View {
    pub began: Nanos,
    pub begun_at: Option<Nanos>,
    pub answered_at: Nanos,
    pub cpus: u64,
    /// What the hypervisor used in all.
    pub cpu_time: Nanos,
    pub memory: Bytes,
}

impl View {
    /// Returns how long the run can have taken.
    fn interval(&self) -> Nanos {
        self.answered_at.saturating_sub(self.begun_at.unwrap_or(self.began))
    }

    /// Returns the CPU time that the machine used at least since the run had begun: before, it cannot have used more than there was.
    fn used_since(&self) -> Nanos {
        let before = self.begun_at.unwrap_or(self.answered_at).saturating_sub(self.began);
        self.cpu_time.saturating_sub(Nanos(before.0.saturating_mul(self.cpus)))
    }

    /// Returns the CPU time of a run that claims to have used this much. A machine uses more by itself; one that uses much more has
    /// another clock than ours.
    fn believed(&self, claimed: Nanos) -> Nanos {
        let claimed = claimed.min(self.cpu_time);
        let by_itself =
            Nanos(BY_ITSELF.0.saturating_add(claimed.0 / 2).saturating_add(self.interval().0 / 10));
        let used = self.used_since();
        if used.saturating_sub(claimed) > by_itself { used } else { claimed }
    }
}

/// Returns the result of a run whose machine has not answered.
pub fn unanswered(
    ran: Ran,
    plan: &RunPlan,
    view: &View,
    (is_ended, is_late): (bool, bool),
    errors: [Option<io::Error>; 2],
) -> Result<Ran, SandboxError> {
    let mut result = ran.result;
    let errors = errors.into_iter().flatten().filter(|error| !is_only_its_end(error));
    let errors: Vec<String> = errors.map(|error| short(&error.to_string())).collect();
    let said = short(&last_words(&ran.stderr));
    let no_answer = |why: &str| Err(SandboxError::Machine(format!("gave no answer: {why}{said}")));
    match result.end {
        _ if is_ended => {}
        _ if !errors.is_empty() => return no_answer(&errors.join(", ")),
        // The sandbox inside would have ended it long before; whatever keeps it from that is the run's doing.
        _ if is_late => result.end = RunEnd::Limit(LimitKind::WallTime),
        RunEnd::Limit(LimitKind::WallTime) if view.begun_at.is_some() => {}
        RunEnd::Limit(LimitKind::WallTime) => return no_answer("it did not begin in time"),
        RunEnd::Limit(LimitKind::Memory) => {
            return Err(SandboxError::Machine("was ended for want of memory on this machine".to_owned()));
        }
        end => return no_answer(&format!("it ended with {end}")),
    }
    // The rest was the machine's own.
    let wall_time = view.interval();
    let why = "its virtual machine gave no answer";
    result.usage = Usage::of_times(
        view.used_since(),
        plan.limits.wall_time.map_or(wall_time, |limit| wall_time.min(limit)),
        why,
    );
    Ok(Ran { result, stdout: Vec::new(), stderr: Vec::new(), ..ran })
}

/// Returns what both sides saw together. Times are the guest's as far as the host's bound them: the guest's clock goes on while
/// another has its CPU, and a run may have taken over the guest.
pub fn combined(
    outer: Ran,
    ended: Ended,
    plan: &RunPlan,
    view: &View,
    machine: MachineUse,
    (stdout, stderr): (Vec<u8>, Vec<u8>),
) -> Ran {
    let mut result = outer.result;
    let interval = view.interval();
    let within = |time: Reading<Nanos>, most: Nanos| time.map(|time| time.min(most));
    let mut usage = ended.usage;
    let cpu_time = view.believed(usage.cpu_time);
    result.end = match (ended.end, plan.limits.cpu_time) {
        (RunEnd::Exited(_) | RunEnd::Signaled(_), Some(limit))
            if cpu_time > usage.cpu_time && cpu_time > limit =>
        {
            RunEnd::Limit(LimitKind::CpuTime)
        }
        (end, _) => end,
    };
    if cpu_time != usage.cpu_time {
        usage.system_time = Reading::unavailable("the virtual machine says something else than its host");
    }
    usage.cpu_time = cpu_time;
    usage.user_time = within(usage.user_time, cpu_time);
    usage.system_time = within(usage.system_time, cpu_time);
    usage.wall_time = usage.wall_time.min(interval);
    usage.memory_peak = usage.memory_peak.map(|peak| peak.min(view.memory));
    usage.max_rss = usage.max_rss.map(|size| size.min(view.memory));
    result.usage = usage;
    let of_cpus = Nanos(interval.0.saturating_mul(view.cpus));
    result.evidence.throttled = within(ended.throttled, of_cpus);
    result.evidence.cpu_pressure = within(ended.cpu_pressure, of_cpus);
    result.evidence.steal = within(ended.steal, of_cpus);
    result.evidence.migrations = ended.migrations;
    result.evidence.machine = Some(machine);
    Ran { result, stdout, stderr, ended_at: view.answered_at, guard_cpu_time: Nanos::ZERO }
}

/// Shortens a text of a guest to one line.
pub fn short(text: &str) -> String {
    const LETTERS: usize = 500;
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that took 1 s to start, on one CPU, and answered 4 s later.
    fn view(cpu_ms: u64) -> View {
        View {
            began: Nanos::from_millis(10_000),
            begun_at: Some(Nanos::from_millis(11_000)),
            answered_at: Nanos::from_millis(15_000),
            cpus: 1,
            cpu_time: Nanos::from_millis(cpu_ms),
            memory: Bytes::from_mib(512),
        }
    }

    #[test]
    fn a_guest_is_believed_as_far_as_its_host_can_see() {
        let believed =
            |cpu_ms, claimed_ms| view(cpu_ms).believed(Nanos::from_millis(claimed_ms)).0 / 1_000_000;
        assert_eq!(believed(4_800, 3_000), 3_000);
        assert_eq!(believed(1_500, 20), 20, "it started, and then did little");
        assert_eq!(believed(2_000, 3_000), 2_000, "it had no more");
        assert_eq!(believed(4_900, 0), 3_900, "its clock stood still");
    }

    fn ended(cpu_ms: u64) -> Ended {
        let most = || Reading::Known(Nanos(u64::MAX));
        let usage = Usage {
            user_time: most(),
            memory_peak: Reading::Known(Bytes(u64::MAX)),
            ..Usage::of_times(Nanos::from_millis(cpu_ms), Nanos(u64::MAX), "not told")
        };
        let migrations = Reading::Known(0);
        Ended {
            end: RunEnd::Exited(0),
            usage,
            throttled: most(),
            cpu_pressure: most(),
            migrations,
            steal: most(),
        }
    }

    #[test]
    fn impossible_values_are_not_taken_over() {
        let run = |cpu_ms, claimed_ms| {
            let mut plan = RunPlan::new(Vec::new());
            plan.limits.cpu_time = Some(Nanos::from_millis(1_000));
            let result =
                model::RunResult::never_executed(RunEnd::Signaled(9), model::CpuSet::new(), "a test");
            let outer = Ran {
                result,
                stdout: Vec::new(),
                stderr: Vec::new(),
                ended_at: Nanos::ZERO,
                guard_cpu_time: Nanos::ZERO,
            };
            let machine = MachineUse {
                is_emulated: true,
                cpu_time: Nanos::from_millis(cpu_ms),
                start_time: Nanos::ZERO,
                memory_peak: None,
            };
            combined(outer, ended(claimed_ms), &plan, &view(cpu_ms), machine, (Vec::new(), Vec::new())).result
        };
        let honest = run(1_900, 900);
        assert_eq!((honest.end, honest.usage.cpu_time), (RunEnd::Exited(0), Nanos::from_millis(900)));
        assert_eq!(honest.usage.wall_time, Nanos::from_millis(4_000));
        assert_eq!(honest.usage.memory_peak, Reading::Known(Bytes::from_mib(512)));
        assert_eq!(honest.usage.user_time, Reading::Known(Nanos::from_millis(900)));
        assert_eq!(honest.evidence.steal, Reading::Known(Nanos::from_millis(4_000)));
        assert_eq!(run(4_900, 0).end, RunEnd::Limit(LimitKind::CpuTime), "it used 3.9 s and said 0");
        assert_eq!(short("a\nb\u{1b}[31m"), "a b [31m");
    }
}
