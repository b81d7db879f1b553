//! Runs both programs once.

use super::peer::shared_clock;
use super::threads::{self, Interval, Watch};
use crate::child::Measured;
use crate::{LabError, Stop};
use cgroup::ShareGroup;
use documents::LabThread;
use model::{CpuId, Nanos};
use std::path::PathBuf;
use std::time::Duration;

/// Added to the time after which both end by themselves.
const GRACE: Duration = Duration::from_secs(20);

/// With or without pinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// On any CPU that the kernel chooses.
    Unpinned,
    /// Each on a dedicated CPU.
    Pinned {
        /// The receiver's CPU.
        receiver: CpuId,
        /// The sender's CPU.
        sender: CpuId,
    },
}

/// The results of both in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOfPair {
    /// Messages sent in each interval.
    pub sent: Vec<u64>,
    /// Messages received in each interval.
    pub received: Vec<u64>,
    /// The activity of the receiver's threads in each interval.
    pub receiver: Vec<Interval>,
    /// The activity of the sender's threads in each interval.
    pub sender: Vec<Interval>,
    /// Each thread over the whole run.
    pub threads: Vec<LabThread>,
}

/// Runs both for this many intervals, in the caller's group if there is one.
pub fn measure(
    arm: Arm,
    interval: Nanos,
    intervals: usize,
    group: Option<&ShareGroup>,
    stop: Stop,
) -> Result<RunOfPair, LabError> {
    let (receiver_cpu, sender_cpu) = match arm {
        Arm::Unpinned => (None, None),
        Arm::Pinned { receiver, sender } => (Some(receiver), Some(sender)),
    };
    let arguments = |port: Option<&str>, cpu: Option<CpuId>| {
        let mut arguments = vec!["peer".to_owned()];
        let mut add = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        add("--interval-ns", interval.0.to_string());
        add("--intervals", intervals.to_string());
        if let Some(port) = port {
            add("--port", port.to_owned());
        }
        if let Some(cpu) = cpu {
            add("--cpu-list", cpu.to_string());
        }
        arguments
    };
    let (mut receiver, ready) = Measured::start("receiver", &arguments(None, receiver_cpu), stop)?;
    let Some(port) = ready.strip_prefix("ready ") else {
        return Err(receiver.broken(format!("output '{ready}', expected 'ready PORT'")));
    };
    let (mut sender, _) = Measured::start("sender", &arguments(Some(port), sender_cpu), stop)?;
    if let Some(group) = group {
        group.enter(receiver.process())?;
        group.enter(sender.process())?;
    }
    let tasks = |child: &Measured| PathBuf::from(format!("/proc/{}/task", child.process()));
    let (receiver_tasks, sender_tasks) = (tasks(&receiver), tasks(&sender));
    let (mut of_receiver, mut of_sender) = (Watch::default(), Watch::default());
    receiver.begin()?;
    sender.begin()?;
    let mut look = || {
        of_receiver.look(shared_clock(), threads::read(&receiver_tasks));
        of_sender.look(shared_clock(), threads::read(&sender_tasks));
    };
    look();
    let every = interval.to_duration();
    let time_max = every * intervals as u32 + GRACE;
    let output = sender.finish(every, time_max, stop, |_| {
        look();
        Ok(())
    })?;
    let received = receiver.finish(every, time_max, stop, |_| Ok(()))?;
    let sent = counts("sender", &output, intervals)?;
    let received = counts("receiver", &received, intervals)?;
    let mut threads = of_receiver.threads("receiver");
    threads.extend(of_sender.threads("sender"));
    let aligned = |watch: Watch, begin| by_interval(&watch.intervals, begin, interval, intervals);
    Ok(RunOfPair {
        receiver: aligned(of_receiver, received.0),
        sender: aligned(of_sender, sent.0),
        sent: sent.1,
        received: received.1,
        threads,
    })
}

/// Parses a peer's output: when it began, and the messages of each interval.
fn counts(what: &'static str, output: &str, intervals: usize) -> Result<(Nanos, Vec<u64>), LabError> {
    let numbers: Option<Vec<u64>> = output.lines().map(|line| line.parse().ok()).collect();
    match numbers.as_deref() {
        Some([begin, counts @ ..]) if counts.len() == intervals => Ok((Nanos(*begin), counts.to_vec())),
        _ => Err(LabError::Child { what, why: format!("did not say {intervals} counts of messages") }),
    }
}

/// Assigns what was seen between samples to the interval with the largest overlap.
fn by_interval(looks: &[Interval], begin: Nanos, interval: Nanos, intervals: usize) -> Vec<Interval> {
    let end = |at: usize| Nanos(begin.0 + interval.0 * (at as u64 + 1));
    let known = looks.iter().all(|look| look.migrations.is_some());
    let mut put: Vec<_> = (0..intervals)
        .map(|at| Interval { end: end(at), migrations: known.then_some(0), ..Interval::default() })
        .collect();
    for look in looks {
        // A sample is taken when its interval has just ended.
        let middle = look.end.saturating_sub(Nanos(interval.0 / 2)).saturating_sub(begin);
        let Some(into) = put.get_mut((middle.0 / interval.0.max(1)) as usize) else { continue };
        into.migrations = into.migrations.zip(look.migrations).map(|(sum, more)| sum + more);
        into.cpu = look.cpu;
        into.voluntary += look.voluntary;
        into.forced += look.forced;
        into.waited = into.waited + look.waited;
    }
    put
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_or_refused() {
        assert_eq!(counts("sender", "17\n1\n2\n", 2).unwrap(), (Nanos(17), vec![1, 2]));
        for output in ["17\n1\n", "17\n1\nx\n", ""] {
            let error = counts("sender", output, 2).unwrap_err().to_string();
            assert_eq!(error, "the sender did not say 2 counts of messages");
        }
    }

    #[test]
    fn looks_fall_into_their_intervals() {
        let look =
            |end, forced| Interval { end: Nanos(end), forced, migrations: Some(1), ..Interval::default() };
        let put = by_interval(
            &[look(1_103, 1), look(1_205, 2), look(1_290, 4), look(9_999, 8)],
            Nanos(1_000),
            Nanos(100),
            3,
        );
        let forced: Vec<_> = put.iter().map(|interval| (interval.end.0, interval.forced)).collect();
        assert_eq!(forced, [(1_100, 1), (1_200, 2), (1_300, 4)]);
        assert_eq!(put[0].migrations, Some(1));
        let unknown = Interval { migrations: None, ..look(1_103, 1) };
        assert_eq!(by_interval(&[unknown], Nanos(1_000), Nanos(100), 1)[0].migrations, None);
    }
}
