//! Decides which process of `tauto serve` is started, stopped or started again, and when. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

/// The wait before a process is started again for the first time; doubles each time.
const WAIT_MIN: Duration = Duration::from_millis(100);
/// The longest such wait: once its cause is fixed, it should not take minutes.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// A process that ran for this time starts with the shortest wait again.
const STEADY: Duration = Duration::from_secs(60);
/// How long judgehosts may go on with what they judge after a request to stop. With [`STOP_MAX`] it stays below the 90 s
/// after which systemd kills a service.
const DRAIN_MAX: Duration = Duration::from_secs(60);
const STOP_MAX: Duration = Duration::from_secs(20);
/// The exit code for a wrong option or configuration, which a restart does not change.
const USAGE: u8 = 2;
/// The exit code if a process had to be killed.
const UNCLEAN: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Speaks HTTP, without any rights.
    Server,
    /// Judges, with the rights of the sandbox; numbered from 1.
    Judgehost(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Code(u8),
    Signal(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Ready,
    Ended(Part, Ending),
    /// A stop was requested; the second request is impatient.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Start(Part),
    Terminate(Part),
    Kill(Part),
    /// Say that a process ended, and in how long it starts again; `None` for never.
    Report(Part, Ending, Option<Duration>),
    Exit(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The server has not served yet. If it ends now, starting it again would not help.
    Starting,
    Serving,
    /// Judgehosts finish what they judge.
    Draining {
        until: Duration,
    },
    Stopping {
        until: Duration,
    },
}

#[derive(Clone, Copy, Debug, Default)]
struct Process {
    running_since: Option<Duration>,
    start_at: Option<Duration>,
    /// Starts after short runs, in a row.
    failures: u32,
}

/// All processes. Times are since any fixed instant.
#[derive(Debug)]
pub struct Supervision {
    phase: Phase,
    processes: BTreeMap<Part, Process>,
    is_unclean: bool,
}

impl Supervision {
    /// Returns the state before anything runs, and the first action.
    pub fn start(now: Duration, judgehosts: u32) -> (Self, Action) {
        let mut processes: BTreeMap<Part, Process> =
            (1..=judgehosts).map(|number| (Part::Judgehost(number), Process::default())).collect();
        processes.insert(Part::Server, Process { running_since: Some(now), ..Process::default() });
        (Self { phase: Phase::Starting, processes, is_unclean: false }, Action::Start(Part::Server))
    }

    pub fn on(&mut self, now: Duration, event: Event) -> Vec<Action> {
        match event {
            Event::Ready if self.phase == Phase::Starting => {
                self.phase = Phase::Serving;
                let hosts: Vec<Part> = self.judgehosts().map(|(part, _)| part).collect();
                hosts.into_iter().map(|part| self.begin(now, part)).collect()
            }
            Event::Ready => Vec::new(),
            Event::Ended(part, ending) => self.ended(now, part, ending),
            Event::Stop => self.stop(now),
        }
    }

    pub fn due(&mut self, now: Duration) -> Vec<Action> {
        match self.phase {
            Phase::Starting | Phase::Serving => {
                let due = |process: &Process| process.start_at.is_some_and(|at| at <= now);
                let parts: Vec<Part> = self
                    .processes
                    .iter()
                    .filter(|(_, process)| due(process))
                    .map(|(part, _)| *part)
                    .collect();
                parts.into_iter().map(|part| self.begin(now, part)).collect()
            }
            Phase::Draining { until } if until <= now => self.kill_judgehosts(),
            Phase::Stopping { until } if until <= now => self.kill_server(),
            Phase::Draining { .. } | Phase::Stopping { .. } => Vec::new(),
        }
    }

    pub fn due_at(&self) -> Option<Duration> {
        match self.phase {
            Phase::Starting | Phase::Serving => {
                self.processes.values().filter_map(|process| process.start_at).min()
            }
            Phase::Draining { until } | Phase::Stopping { until } => Some(until),
        }
    }

    fn judgehosts(&self) -> impl Iterator<Item = (Part, &Process)> {
        self.processes
            .iter()
            .map(|(part, process)| (*part, process))
            .filter(|(part, _)| *part != Part::Server)
    }

    fn running_judgehosts(&self) -> Vec<Part> {
        self.judgehosts()
            .filter(|(_, process)| process.running_since.is_some())
            .map(|(part, _)| part)
            .collect()
    }

    fn begin(&mut self, now: Duration, part: Part) -> Action {
        let process = self.processes.entry(part).or_default();
        process.running_since = Some(now);
        process.start_at = None;
        Action::Start(part)
    }

    fn ended(&mut self, now: Duration, part: Part, ending: Ending) -> Vec<Action> {
        let process = self.processes.entry(part).or_default();
        let ran = process.running_since.take().map_or(Duration::ZERO, |since| now.saturating_sub(since));
        match (self.phase, part) {
            (Phase::Starting, Part::Server) => vec![Action::Exit(code(ending))],
            (Phase::Starting | Phase::Serving, Part::Judgehost(_)) if ending == Ending::Code(USAGE) => {
                vec![Action::Report(part, ending, None)]
            }
            (Phase::Starting | Phase::Serving, _) => {
                process.failures = if ran >= STEADY { 0 } else { process.failures };
                let wait = WAIT_MIN.saturating_mul(1 << process.failures.min(16)).min(WAIT_MAX);
                process.failures += 1;
                process.start_at = Some(now + wait);
                vec![Action::Report(part, ending, Some(wait))]
            }
            (Phase::Draining { .. }, Part::Server) => {
                // Without it judgehosts cannot report, and all that is not reported is judged again.
                self.is_unclean = true;
                let mut actions = vec![Action::Report(part, ending, None)];
                actions.extend(self.kill_judgehosts());
                actions
            }
            (Phase::Draining { .. }, Part::Judgehost(_)) => self.stop_server_if_drained(now),
            (Phase::Stopping { .. }, _) => {
                let code = if ending == Ending::Code(0) { 0 } else { UNCLEAN };
                vec![Action::Exit(if self.is_unclean { UNCLEAN } else { code })]
            }
        }
    }

    fn stop(&mut self, now: Duration) -> Vec<Action> {
        match self.phase {
            Phase::Starting | Phase::Serving => {
                self.phase = Phase::Draining { until: now + DRAIN_MAX };
                let mut actions: Vec<Action> =
                    self.running_judgehosts().into_iter().map(Action::Terminate).collect();
                actions.extend(self.stop_server_if_drained(now));
                actions
            }
            Phase::Draining { .. } => self.kill_judgehosts(),
            Phase::Stopping { .. } => self.kill_server(),
        }
    }

    fn stop_server_if_drained(&mut self, now: Duration) -> Vec<Action> {
        if !self.running_judgehosts().is_empty() {
            return Vec::new();
        }
        if self.processes.get(&Part::Server).is_none_or(|server| server.running_since.is_none()) {
            return vec![Action::Exit(if self.is_unclean { UNCLEAN } else { 0 })];
        }
        self.phase = Phase::Stopping { until: now + STOP_MAX };
        vec![Action::Terminate(Part::Server)]
    }

    fn kill_judgehosts(&mut self) -> Vec<Action> {
        self.phase = Phase::Draining { until: Duration::MAX };
        let running = self.running_judgehosts();
        self.is_unclean |= !running.is_empty();
        if running.is_empty() {
            return vec![Action::Exit(UNCLEAN)];
        }
        running.into_iter().map(Action::Kill).collect()
    }

    fn kill_server(&mut self) -> Vec<Action> {
        self.phase = Phase::Stopping { until: Duration::MAX };
        self.is_unclean = true;
        vec![Action::Kill(Part::Server)]
    }
}

fn code(ending: Ending) -> u8 {
    match ending {
        Ending::Code(code) => code,
        Ending::Signal(signal) => 128 + signal,
    }
}

#[cfg(test)]
mod tests;
