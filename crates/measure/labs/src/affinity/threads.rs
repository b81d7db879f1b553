//! The kernel's counters of a process's threads: where they run, how often they were migrated and preempted.

use documents::LabThread;
use model::{CpuId, CpuSet, Nanos};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A thread's counters since its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ThreadCounters {
    name: String,
    cpu: Option<CpuId>,
    /// How often it moved to another CPU; `None` if the kernel has no `sched` files.
    migrations: Option<u64>,
    voluntary: u64,
    forced: u64,
    ran: Nanos,
    /// For how long it was ready without a CPU.
    waited: Nanos,
}

/// The combined activity of a process's threads in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// When it ended, by the clock that all processes share.
    pub end: Nanos,
    /// Where the first of them was at the end; `None` if the kernel does not report it.
    pub cpu: Option<CpuId>,
    /// How often they moved to another CPU; `None` if the kernel does not report it.
    pub migrations: Option<u64>,
    /// How often they gave up the CPU voluntarily, to wait for something.
    pub voluntary: u64,
    /// How often they were preempted.
    pub forced: u64,
    /// For how long they were ready without a CPU.
    pub waited: Nanos,
}

/// Observes the threads of one process.
#[derive(Debug, Default)]
pub(super) struct Watch {
    first: BTreeMap<u32, ThreadCounters>,
    last: BTreeMap<u32, ThreadCounters>,
    seen_on: BTreeMap<u32, BTreeSet<CpuId>>,
    pub(super) intervals: Vec<Interval>,
}

impl Watch {
    /// Takes a sample: the activity since the last one becomes an interval.
    pub(super) fn look(&mut self, now: Nanos, threads: BTreeMap<u32, ThreadCounters>) {
        if threads.is_empty() {
            return;
        }
        for (thread, counters) in &threads {
            self.first.entry(*thread).or_insert_with(|| counters.clone());
            self.seen_on.entry(*thread).or_default().extend(counters.cpu);
        }
        if !self.last.is_empty() {
            let cpu = threads.values().next().and_then(|thread| thread.cpu);
            let mut interval = Interval { end: now, cpu, migrations: Some(0), ..Interval::default() };
            for (thread, counters) in &threads {
                let before = self.last.get(thread).cloned().unwrap_or_default();
                let moved = moved(counters, &before);
                interval.migrations = interval.migrations.zip(moved).map(|(sum, moved)| sum + moved);
                interval.voluntary += counters.voluntary.saturating_sub(before.voluntary);
                interval.forced += counters.forced.saturating_sub(before.forced);
                interval.waited = interval.waited + counters.waited.saturating_sub(before.waited);
            }
            self.intervals.push(interval);
        }
        self.last = threads;
    }

    /// Returns each thread's activity from the first sample to the last.
    pub(super) fn threads(&self, program: &str) -> Vec<LabThread> {
        let of = |(thread, last): (&u32, &ThreadCounters)| {
            let first = self.first.get(thread).cloned().unwrap_or_default();
            let cpus = self.seen_on.get(thread).into_iter().flatten().copied();
            LabThread {
                program: program.to_owned(),
                thread: *thread,
                name: last.name.clone(),
                cpus: cpus.collect::<CpuSet>().to_string(),
                migrations: moved(last, &first),
                voluntary_switches: last.voluntary.saturating_sub(first.voluntary),
                forced_switches: last.forced.saturating_sub(first.forced),
                ran_ns: last.ran.saturating_sub(first.ran).0,
                waited_ns: last.waited.saturating_sub(first.waited).0,
            }
        };
        self.last.iter().map(of).collect()
    }
}

fn moved(now: &ThreadCounters, before: &ThreadCounters) -> Option<u64> {
    now.migrations.map(|moved| moved.saturating_sub(before.migrations.unwrap_or(0)))
}

/// Reads the counters of all threads below `/proc/PID/task`; a thread that ends meanwhile is skipped.
pub(super) fn read(tasks: &Path) -> BTreeMap<u32, ThreadCounters> {
    let entries = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let thread = entry.file_name().to_str()?.parse().ok()?;
            let text = |name: &str| std::fs::read_to_string(entry.path().join(name)).ok();
            Some((thread, parse(&text("stat")?, &text("status")?, text("schedstat"), text("sched"))?))
        })
        .collect()
}

fn parse(
    stat: &str,
    status: &str,
    schedstat: Option<String>,
    sched: Option<String>,
) -> Option<ThreadCounters> {
    // proc_pid_stat(5): the name is in parentheses and may hold any character; after it, field 39 is the CPU.
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let cpu = rest.split_whitespace().nth(36).and_then(|number| number.parse().ok()).map(CpuId);
    let after = |text: &str, key: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            if name.trim() == key { value.trim().parse().ok() } else { None }
        })
    };
    let times: Vec<u64> = schedstat
        .iter()
        .flat_map(|text| text.split_whitespace())
        .filter_map(|number| number.parse().ok())
        .collect();
    let time = |at: usize| Nanos(times.get(at).copied().unwrap_or(0));
    Some(ThreadCounters {
        name,
        cpu,
        migrations: sched.and_then(|text| after(&text, "se.nr_migrations")),
        voluntary: after(status, "voluntary_ctxt_switches").unwrap_or(0),
        forced: after(status, "nonvoluntary_ctxt_switches").unwrap_or(0),
        ran: time(0),
        waited: time(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(cpu: u32, migrations: Option<u64>, forced: u64, waited: u64) -> ThreadCounters {
        ThreadCounters {
            name: "x".to_owned(),
            cpu: Some(CpuId(cpu)),
            migrations,
            forced,
            voluntary: 2 * forced,
            ran: Nanos(forced),
            waited: Nanos(waited),
        }
    }

    #[test]
    fn the_kernels_files_are_read() {
        let mut fields: Vec<String> = (3..=45).map(|field| field.to_string()).collect();
        fields[36] = "7".to_owned();
        let stat = format!("12 (a) b) {}", fields.join(" "));
        let status = "Name:\ta\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n";
        let sched = "tauto (12, #threads: 1)\nse.nr_migrations      :      9\n".to_owned();
        let read = parse(&stat, status, Some("100 20 3\n".to_owned()), Some(sched)).unwrap();
        let expected = ThreadCounters {
            name: "a) b".to_owned(),
            cpu: Some(CpuId(7)),
            migrations: Some(9),
            voluntary: 5,
            forced: 6,
            ran: Nanos(100),
            waited: Nanos(20),
        };
        assert_eq!(read, expected);
        assert_eq!(parse(&stat, status, None, None).unwrap().migrations, None);
        assert_eq!(parse("", "", None, None), None);
    }

    #[test]
    fn this_process_has_threads() {
        let own = read(Path::new("/proc/self/task"));
        assert!(own.values().any(|thread| thread.cpu.is_some()), "{own:?}");
        assert!(read(Path::new("/proc/no-such-process/task")).is_empty());
    }

    #[test]
    fn interval_has_the_activity_between_two_samples() {
        let mut watch = Watch::default();
        for (now, cpu, moved, forced) in [(1, 0, 4, 10), (2, 1, 5, 13), (3, 1, 5, 14)] {
            let one = counters(cpu, Some(moved), forced, 100 * forced);
            watch.look(Nanos(now), [(9, one)].into());
        }
        // It has ended, and subtracts nothing.
        watch.look(Nanos(4), BTreeMap::new());
        let found: Vec<_> =
            watch.intervals.iter().map(|i| (i.end.0, i.migrations, i.forced, i.waited.0)).collect();
        assert_eq!(found, [(2, Some(1), 3, 300), (3, Some(0), 1, 100)]);
        let threads = watch.threads("sender");
        assert_eq!(threads.len(), 1);
        assert_eq!(
            (threads[0].migrations, threads[0].forced_switches, threads[0].voluntary_switches),
            (Some(1), 4, 8)
        );
        assert_eq!(threads[0].cpus, "0-1");
    }

    #[test]
    fn migrations_that_the_kernel_does_not_report_are_unknown() {
        let mut watch = Watch::default();
        watch.look(Nanos(1), [(9, counters(0, None, 0, 0))].into());
        watch.look(Nanos(2), [(9, counters(1, None, 0, 0))].into());
        assert_eq!(watch.intervals[0].migrations, None);
        assert_eq!(watch.threads("sender")[0].migrations, None);
    }
}
