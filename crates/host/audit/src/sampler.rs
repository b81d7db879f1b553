//! Samples where the run's threads are, for kernels without events.

use super::ownership::KnownTasks;
use super::report::THREADS_MAX;
use super::tasks::{self, Task};
use model::{CpuId, Nanos, Reading, ThreadUse};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use system::Roots;

/// The minimum time between two samples: each takes tens of microseconds per thread, on a helper's CPU.
pub const PERIOD: Duration = Duration::from_millis(20);
/// How many processes of a run are followed; a run may have more.
const PROCESSES_MAX: usize = 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    threads: BTreeMap<u32, Sampled>,
    pub looks: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sampled {
    task: Task,
    ran: Nanos,
    cpu_times: BTreeMap<CpuId, Nanos>,
    migrations: u64,
    forced: Reading<u64>,
    voluntary: Reading<u64>,
}

/// Samples repeatedly, in a thread of its own.
#[derive(Debug)]
pub struct Sampler {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: JoinHandle<Samples>,
}

impl Sampler {
    /// Begins to sample everything that the launchers and inits make; inherits the affinity of the calling thread.
    pub fn start(roots: Roots, known: KnownTasks, tick: Nanos) -> std::io::Result<Self> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let asked = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("tauto-sampler".to_owned()).spawn(move || {
            let mut samples = Samples::default();
            let (flag, condition) = &*asked;
            let mut stopped = flag.lock().unwrap_or_else(PoisonError::into_inner);
            while !*stopped {
                samples.take_all(&roots, &known, tick);
                stopped = condition.wait_timeout(stopped, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
            }
            samples
        })?;
        Ok(Self { stop, thread })
    }

    pub fn end(self) -> Samples {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_one();
        self.thread.join().unwrap_or_default()
    }
}

impl Samples {
    pub fn take_all(&mut self, roots: &Roots, known: &KnownTasks, tick: Nanos) {
        self.looks += 1;
        for process in descendants(roots, known) {
            for (thread, folder) in tasks::threads(&roots.proc.join(process.to_string())) {
                if self.threads.len() >= THREADS_MAX && !self.threads.contains_key(&thread) {
                    return;
                }
                // It may have just ended.
                let Some(task) = tasks::task(&folder, process) else { continue };
                self.take(thread, task, &folder, tick);
            }
        }
    }

    fn take(&mut self, thread: u32, task: Task, folder: &Path, tick: Nanos) {
        let ticks = tick.saturating_mul(task.user_ticks + task.system_ticks);
        let ran = tasks::clock(folder).map_or(ticks, |clock| clock.ran);
        let (forced, voluntary) = tasks::switches(folder);
        let seen = self.threads.entry(thread).or_insert_with(|| Sampled {
            task: task.clone(),
            ran: Nanos::ZERO,
            cpu_times: BTreeMap::new(),
            migrations: 0,
            forced: forced.clone(),
            voluntary: voluntary.clone(),
        });
        if seen.task.cpu != task.cpu {
            seen.migrations += 1;
        }
        let on_cpu = seen.cpu_times.entry(task.cpu).or_default();
        *on_cpu = *on_cpu + ran.saturating_sub(seen.ran);
        *seen = Sampled {
            task,
            ran: ran.max(seen.ran),
            forced,
            voluntary,
            ..std::mem::replace(seen, seen.clone())
        };
    }

    pub fn threads(&self, tick: Nanos) -> Vec<ThreadUse> {
        let table = self.threads.iter().map(|(thread, seen)| ThreadUse {
            thread: *thread,
            name: seen.task.name.clone(),
            cpu_times: seen.cpu_times.clone(),
            user_time: Reading::Known(tick.saturating_mul(seen.task.user_ticks)),
            system_time: Reading::Known(tick.saturating_mul(seen.task.system_ticks)),
            forced_switches: seen.forced.clone(),
            voluntary_switches: seen.voluntary.clone(),
            migrations: seen.migrations,
        });
        table.collect()
    }

    pub fn contains(&self, thread: u32) -> bool {
        self.threads.contains_key(&thread)
    }
}

/// Lists the processes below the launchers, without these and without their inits.
fn descendants(roots: &Roots, known: &KnownTasks) -> Vec<u32> {
    let mut parents = None;
    let mut children = |process| {
        children(roots, process).unwrap_or_else(|| {
            let parents: &mut Vec<_> = parents.get_or_insert_with(|| tasks::parents(roots));
            parents.iter().filter(|(_, parent)| *parent == process).map(|(child, _)| *child).collect()
        })
    };
    let mut found: Vec<u32> = Vec::new();
    let mut open: Vec<u32> = known.launchers.iter().flat_map(|launcher| children(*launcher)).collect();
    open.extend(&known.inits);
    while let Some(process) = open.pop() {
        for child in children(process) {
            if found.len() < PROCESSES_MAX && !found.contains(&child) {
                found.push(child);
                open.push(child);
            }
        }
    }
    found
}

/// Lists the children of a process; `None` on kernels without `CONFIG_PROC_CHILDREN`.
fn children(roots: &Roots, process: u32) -> Option<Vec<u32>> {
    let mut children = Vec::new();
    let mut known = false;
    for (_, folder) in tasks::threads(&roots.proc.join(process.to_string())) {
        let Ok(text) = fs::read_to_string(folder.join("children")) else { continue };
        known = true;
        children.extend(text.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    known.then_some(children)
}

#[cfg(test)]
mod tests {
    use super::super::tasks::tests::stat;
    use super::*;
    use test_tree::Tree;

    const TICK: Nanos = Nanos::from_millis(10);

    #[test]
    fn time_goes_to_the_cpu_on_which_a_thread_is_found() {
        let status = "nonvoluntary_ctxt_switches:\t3\nvoluntary_ctxt_switches:\t2\n";
        let thread = |ticks, cpu| stat(21, "worker", 10, 0, (ticks, 1), cpu);
        let tree = Tree::new(&[
            ("proc/10/stat", &stat(10, "launcher", 1, 0, (9, 9), 0)),
            ("proc/11/stat", &stat(11, "init", 10, 0, (9, 9), 0)),
            ("proc/11/task/11/stat", &stat(11, "init", 10, 0, (9, 9), 0)),
            ("proc/20/stat", &stat(20, "main", 11, 0, (0, 0), 1)),
            ("proc/20/task/21/stat", &thread(4, 1)),
            ("proc/20/task/21/status", status),
            ("proc/30/stat", &stat(30, "stranger", 1, 0, (5, 5), 1)),
            ("proc/30/task/30/stat", &stat(30, "stranger", 1, 0, (5, 5), 1)),
        ]);
        let mut samples = Samples::default();
        samples.take_all(
            &Roots::under(tree.path()),
            &KnownTasks { launchers: vec![10], ..KnownTasks::default() },
            TICK,
        );
        tree.write(&[("proc/20/task/21/stat", &thread(6, 0))]);
        samples.take_all(
            &Roots::under(tree.path()),
            &KnownTasks { launchers: vec![10], ..KnownTasks::default() },
            TICK,
        );
        let threads = samples.threads(TICK);
        assert_eq!(threads.len(), 1);
        assert_eq!(threads[0].name, "worker");
        let times = [(CpuId(0), Nanos::from_millis(20)), (CpuId(1), Nanos::from_millis(50))];
        assert_eq!(threads[0].cpu_times, times.into());
        assert_eq!(threads[0].migrations, 1);
        assert_eq!(threads[0].user_time, Reading::Known(Nanos::from_millis(60)));
        assert_eq!(threads[0].forced_switches, Reading::Known(3));
        assert!(samples.contains(21) && !samples.contains(30));
    }
}
