//! Why a ruling is as it is, run by run, in words.

use crate::TimeRule;
use model::{LimitKind, RunEnd, RunResult};

impl TimeRule {
    /// Describes one run: its time, how that compares with the limit, and the disturbances that were seen.
    pub fn describe(&self, run: &RunResult) -> String {
        if self.clock.is_instructions() {
            return self.describe_counted(run);
        }
        let used = run.usage.cpu_time;
        let time = match run.end {
            RunEnd::Limit(LimitKind::CpuTime) => {
                format!("killed after {used} of CPU time, limit {}", self.limit)
            }
            RunEnd::Limit(LimitKind::WallTime) => {
                format!("killed after {} of wall-clock time, {used} of it CPU time", run.usage.wall_time)
            }
            _ if used > self.limit => {
                let over = (used.0 as f64 / self.limit.0.max(1) as f64 - 1.0) * 100.0;
                format!("{used} of CPU time, {over:.1} % over the limit {}", self.limit)
            }
            _ => format!("{used} of CPU time, within the limit {}", self.limit),
        };
        let end = match run.end {
            RunEnd::Exited(0) | RunEnd::Limit(LimitKind::CpuTime | LimitKind::WallTime) => String::new(),
            end => format!(", {end}"),
        };
        format!("{time}{end}; {}{}{}{}", self.disturbances(run), guarded(run), neighbours(run), unusual(run))
    }

    /// Returns the disturbances that were seen; "none seen" does not prove that there was none.
    pub(crate) fn disturbances(&self, run: &RunResult) -> String {
        let causes = self.numbers.disturbances(&run.evidence);
        let causes: Vec<String> = causes.iter().map(ToString::to_string).collect();
        if causes.is_empty() { "no disturbance seen".to_owned() } else { causes.join(" and ") }
    }
}

/// Returns which work of tauto's own ran at the same time, if any.
fn neighbours(run: &RunResult) -> String {
    let neighbours = run.evidence.neighbours.known().filter(|neighbours| !neighbours.is_empty());
    neighbours.map_or_else(String::new, |neighbours| format!("; {neighbours}"))
}

/// Returns what a guard saw and did.
fn guarded(run: &RunResult) -> String {
    run.evidence.guard.known().map_or_else(String::new, |guard| format!("; {guard}"))
}

/// Returns what was unusual for these CPUs. No ruling depends on it.
fn unusual(run: &RunResult) -> String {
    let unusual = run.evidence.unusual.known().map_or(&[][..], Vec::as_slice);
    unusual.iter().map(|unusual| format!("; {unusual}")).collect()
}
