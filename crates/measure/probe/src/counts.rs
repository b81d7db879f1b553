//! The kernel's counters of one CPU, by name, before and after.

use audit::switches;
use model::{CpuId, CpuSet, Nanos, Reading};
use noise::KernelCounts;
use system::{CpuCounters, Roots, files};

/// Where the calling thread finds itself (`Documentation/filesystems/proc.rst`).
const THIS_THREAD: &str = "thread-self";

#[derive(Debug)]
pub(super) struct Before(Counted);

#[derive(Debug)]
struct Counted {
    cpu: CpuCounters,
    interrupts: Reading<Vec<(String, u64)>>,
    softirqs: Reading<Vec<(String, u64)>>,
    run_delay: Reading<Nanos>,
    forced_switches: Reading<u64>,
}

impl Before {
    /// Reads the counters of `cpu`, and those of the calling thread.
    pub(super) fn read(roots: &Roots, cpu: CpuId) -> Self {
        Self(Counted::read(roots, cpu))
    }

    /// Reads them again and says what was counted over `interval`.
    pub(super) fn counts_since(self, roots: &Roots, cpu: CpuId, interval: Nanos) -> KernelCounts {
        let (then, now) = (self.0, Counted::read(roots, cpu));
        let steal = now.cpu.since(&then.cpu).steal;
        KernelCounts {
            interval,
            interrupts: since(then.interrupts, now.interrupts),
            softirqs: since(then.softirqs, now.softirqs),
            steal,
            run_delay: both(then.run_delay, now.run_delay, |then, now| Ok(now.saturating_sub(then))),
            forced_switches: both(then.forced_switches, now.forced_switches, |then, now| {
                now.checked_sub(then).ok_or_else(|| "the counter went back".to_owned())
            }),
            events: Reading::default(),
        }
    }
}

impl Counted {
    fn read(roots: &Roots, cpu: CpuId) -> Self {
        let rows = |name: &str| files::and_then(files::text(&roots.proc.join(name)), |text| rows(&text, cpu));
        let thread = roots.proc.join(THIS_THREAD);
        Self {
            cpu: CpuCounters::read(roots, &CpuSet::from_iter([cpu])),
            interrupts: rows("interrupts"),
            softirqs: rows("softirqs"),
            run_delay: files::and_then(files::text(&thread.join("schedstat")), |text| waited(&text)),
            forced_switches: switches(&thread).0,
        }
    }
}

/// Reads one CPU's column of `/proc/interrupts` or `/proc/softirqs`: `LOC Local timer interrupts` and its count.
fn rows(text: &str, cpu: CpuId) -> Result<Vec<(String, u64)>, String> {
    let mut lines = text.lines();
    // The header names the columns, since an offline CPU has none.
    let columns: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let wanted = format!("CPU{cpu}");
    let column = columns
        .iter()
        .position(|column| *column == wanted)
        .ok_or_else(|| format!("CPU {cpu} has no column: it is offline"))?;
    let row = |line: &str| {
        let (label, rest) = line.split_once(':')?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let numbers = words.get(..columns.len())?;
        // A row with fewer numbers, such as `ERR`, counts for the whole machine.
        numbers.iter().all(|word| word.parse::<u64>().is_ok()).then_some(())?;
        let name = std::iter::once(label.trim()).chain(words[columns.len()..].iter().copied());
        Some((name.collect::<Vec<_>>().join(" "), numbers[column].parse().ok()?))
    };
    Ok(lines.filter_map(row).collect())
}

/// Reads how long the thread was ready and did not run, the second number of its `schedstat`.
fn waited(text: &str) -> Result<Nanos, String> {
    let number = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    number.map(Nanos).ok_or_else(|| format!("schedstat holds '{}', not three numbers", files::cut(text)))
}

/// Returns what came between; what did not come is left out.
fn since(then: Reading<Vec<(String, u64)>>, now: Reading<Vec<(String, u64)>>) -> Reading<Vec<(String, u64)>> {
    both(then, now, |then, now| {
        let before = |name: &str| then.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count);
        Ok(now
            .into_iter()
            .map(|(name, count)| {
                let came = count.saturating_sub(before(&name));
                (name, came)
            })
            .filter(|(_, came)| *came > 0)
            .collect())
    })
}

fn both<T, U>(
    then: Reading<T>,
    now: Reading<T>,
    difference: impl FnOnce(T, T) -> Result<U, String>,
) -> Reading<U> {
    files::and_then(then, |then| match now {
        Reading::Known(now) => difference(then, now),
        Reading::Unavailable(why) => Err(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    const STAT: &str = "cpu  1 0 1 1 0 0 0 9 0 0\ncpu1 200 0 40 100 5 2 3 5 0 0\n";
    const INTERRUPTS: &str = "           CPU0       CPU1\n 24:         1         20   IO-APIC 5-edge 7 ACPI:Ged\n\
        LOC:        10        200   Local timer interrupts\nRES: 1 2 Rescheduling interrupts\nERR:          5\n";
    const SOFTIRQS: &str = "       CPU0 CPU1\n HI:  1 2\n TIMER: 10 20\n";

    #[test]
    fn what_came_between_is_reported_by_name() {
        let tree = Tree::new(&[
            ("proc/stat", STAT),
            ("proc/interrupts", INTERRUPTS),
            ("proc/softirqs", SOFTIRQS),
            ("proc/thread-self/schedstat", "500 70 3\n"),
            (
                "proc/thread-self/status",
                "Name:\tprobe\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t4\n",
            ),
        ]);
        let before = Before::read(&Roots::under(tree.path()), CpuId(1));
        tree.write(&[
            ("proc/stat", &STAT.replace(" 3 5 0 0", " 3 8 0 0")),
            ("proc/interrupts", &INTERRUPTS.replace(" 200 ", " 233 ").replace(" 20 ", " 21 ")),
            ("proc/softirqs", &SOFTIRQS.replace("10 20", "99 24")),
            ("proc/thread-self/schedstat", "900 110 5\n"),
        ]);
        let counts = before.counts_since(&Roots::under(tree.path()), CpuId(1), Nanos(7));
        let named = |rows: &[(&str, u64)]| {
            Reading::Known(rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Vec<_>>())
        };
        assert_eq!(
            counts.interrupts,
            named(&[("24 IO-APIC 5-edge 7 ACPI:Ged", 1), ("LOC Local timer interrupts", 33)])
        );
        assert_eq!(counts.softirqs, named(&[("TIMER", 4)]));
        assert_eq!(counts.steal, Reading::Known(Nanos::from_millis(30)));
        assert_eq!(counts.run_delay, Reading::Known(Nanos(40)));
        assert_eq!(counts.forced_switches, Reading::Known(0));
        assert_eq!(counts.interval, Nanos(7));
    }

    #[test]
    fn an_offline_cpu_has_no_counts() {
        let tree =
            Tree::new(&[("proc/stat", STAT), ("proc/interrupts", INTERRUPTS), ("proc/softirqs", SOFTIRQS)]);
        let counts = Before::read(&Roots::under(tree.path()), CpuId(7)).counts_since(
            &Roots::under(tree.path()),
            CpuId(7),
            Nanos(1),
        );
        assert_eq!(counts.interrupts, Reading::unavailable("CPU 7 has no column: it is offline"));
        assert!(counts.steal.known().is_none() && counts.run_delay.known().is_none());
    }
}
