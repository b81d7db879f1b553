//! The kernel's counters of each CPU, read before and after a run.
//!
//! Every run uses this. The files stay open and are read into one reused buffer; without errors nothing is allocated.

mod parse;

use crate::Roots;
use model::{CpuSet, Evidence, Hertz, Nanos, Reading};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The files have some MiB on machines with hundreds of CPUs and interrupts; a larger file is not a counter file.
const FILE_BYTES_MAX: usize = 64 << 20;
/// Initial capacity, enough for the files of a small machine.
const BUFFER_BYTES: usize = 32 << 10;

/// Reads the counters of one set of CPUs repeatedly.
#[derive(Debug)]
pub struct CounterReader {
    cpus: CpuSet,
    tick: Nanos,
    stat: Reading<File>,
    interrupts: Reading<File>,
    softirqs: Reading<File>,
    schedstat: Reading<File>,
    frequencies: Reading<Vec<File>>,
    heat: Reading<Vec<File>>,
    buffer: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuCounters {
    cpus: u64,
    ticks: Reading<CpuTicks>,
    tick: Nanos,
    interrupts: Reading<u64>,
    softirqs: Reading<u64>,
    scheduled: Reading<Nanos>,
    heat_throttles: Reading<u64>,
}

/// Ticks of `/proc/stat`, summed over the CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuTicks {
    /// User, nice, system, interrupt and soft interrupt time.
    pub(crate) busy: u64,
    /// Idle time and time waiting for a device.
    pub(crate) idle: u64,
    /// Time that the hypervisor took; kernels before 2.6.11 do not have it.
    pub(crate) steal: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterDelta {
    pub cpus: u64,
    /// Time that the hypervisor took, in whole ticks of [`CounterDelta::tick`].
    pub steal: Reading<Nanos>,
    /// Interrupts served.
    pub interrupts: Reading<u64>,
    /// Soft interrupts served.
    pub softirqs: Reading<u64>,
    /// Time in which the CPUs were not idle.
    pub busy: Reading<Nanos>,
    /// The resolution of `busy`: one nanosecond from the scheduler's own counter, otherwise one tick.
    pub busy_resolution: Nanos,
    /// The resolution of `steal`.
    pub tick: Nanos,
    /// How often the CPUs were throttled because of heat.
    pub heat_throttles: Reading<u64>,
}

impl CounterReader {
    /// Opens the files; if one cannot be opened, every reading contains the reason.
    pub fn open(roots: &Roots, cpus: &CpuSet) -> Self {
        let open = |name: &str| {
            let path = roots.proc.join(name);
            match File::open(&path) {
                Ok(file) => Reading::Known(file),
                Err(error) => Reading::unavailable(format!("cannot open {}: {error}", path.display())),
            }
        };
        Self {
            cpus: cpus.clone(),
            tick: tick(),
            stat: open("stat"),
            interrupts: open("interrupts"),
            softirqs: open("softirqs"),
            schedstat: open("schedstat"),
            frequencies: open_of_each(roots, cpus, "cpufreq/scaling_cur_freq"),
            heat: open_of_each(roots, cpus, "thermal_throttle/core_throttle_count"),
            buffer: vec![0; BUFFER_BYTES],
        }
    }

    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    pub fn read(&mut self) -> CpuCounters {
        let (cpus, buffer) = (&self.cpus, &mut self.buffer);
        CpuCounters {
            cpus: cpus.len() as u64,
            tick: self.tick,
            ticks: parse_file(&self.stat, buffer, |text| parse::stat(text, cpus)),
            interrupts: parse_file(&self.interrupts, buffer, |text| parse::columns(text, cpus)),
            softirqs: parse_file(&self.softirqs, buffer, |text| parse::columns(text, cpus)),
            scheduled: parse_file(&self.schedstat, buffer, |text| parse::schedstat(text, cpus)),
            heat_throttles: fold(&self.heat, |sum, count| sum + count),
        }
    }

    /// Reads the lowest frequency at which any of the CPUs runs now.
    pub fn frequency(&self) -> Reading<Hertz> {
        /// The file is in kHz (`Documentation/admin-guide/pm/cpufreq.rst`).
        const KILO: u64 = 1000;
        fold(&self.frequencies, u64::min).map(|khz| Hertz(khz.saturating_mul(KILO)))
    }
}

impl CpuCounters {
    /// Reads once; [`CounterReader`] keeps the files open for more.
    pub fn read(roots: &Roots, cpus: &CpuSet) -> Self {
        CounterReader::open(roots, cpus).read()
    }

    pub fn since(&self, earlier: &Self) -> CounterDelta {
        let in_ticks = |count: u64| Nanos(count.saturating_mul(self.tick.0));
        let busy_ticks = difference(&earlier.ticks, &self.ticks, |then, now| now.busy.checked_sub(then.busy));
        let scheduled =
            difference(&earlier.scheduled, &self.scheduled, |then, now| now.0.checked_sub(then.0).map(Nanos));
        let (busy, busy_resolution) = match scheduled {
            Reading::Known(_) => (scheduled, Nanos(1)),
            Reading::Unavailable(_) => (busy_ticks.map(in_ticks), self.tick),
        };
        CounterDelta {
            cpus: self.cpus,
            steal: match (&earlier.ticks, &self.ticks) {
                (Reading::Known(CpuTicks { steal: None, .. }), _)
                | (_, Reading::Known(CpuTicks { steal: None, .. })) => Reading::unavailable(parse::NO_STEAL),
                (then, now) => {
                    difference(then, now, |then, now| now.steal?.checked_sub(then.steal?)).map(in_ticks)
                }
            },
            interrupts: difference(&earlier.interrupts, &self.interrupts, |then, now| now.checked_sub(*then)),
            softirqs: difference(&earlier.softirqs, &self.softirqs, |then, now| now.checked_sub(*then)),
            busy,
            busy_resolution,
            tick: self.tick,
            heat_throttles: difference(&earlier.heat_throttles, &self.heat_throttles, |then, now| {
                now.checked_sub(*then)
            }),
        }
    }
}

impl CounterDelta {
    /// Returns the CPU time of everything except the run that used `own_cpu_time`, in whole steps of `busy_resolution`.
    ///
    /// The tick-based counter charges a whole tick to the task that runs at its end, so a difference of one step on
    /// each CPU means nothing.
    pub fn others_cpu_time(&self, own_cpu_time: Nanos) -> Reading<Nanos> {
        let step = self.busy_resolution.0.max(1);
        self.busy.clone().map(|busy| Nanos(busy.saturating_sub(own_cpu_time).0 / step * step))
    }

    /// Returns the steal within this wall time, or why it is not known.
    ///
    /// A tickless idle CPU does not count; its steal is added when it wakes up, for a run that may be shorter than
    /// that.
    fn steal_within(&self, wall_time: Nanos) -> Reading<Nanos> {
        let possible = Nanos(wall_time.0.saturating_add(self.tick.0).saturating_mul(self.cpus));
        match &self.steal {
            Reading::Known(steal) if *steal > possible => Reading::unavailable(format!(
                "the kernel counted {steal} in {wall_time}: some of it is of the time before"
            )),
            steal => steal.clone(),
        }
    }

    /// Adds the values of these counters to the evidence of a run with these times.
    pub fn fill(&self, evidence: &mut Evidence, cpu_time: Nanos, wall_time: Nanos) {
        evidence.steal = self.steal_within(wall_time);
        evidence.interrupts = self.interrupts.clone();
        evidence.softirqs = self.softirqs.clone();
        evidence.others_cpu_time = self.others_cpu_time(cpu_time);
        evidence.heat_throttles = self.heat_throttles.clone();
    }
}

/// Returns the length of a tick in `/proc/stat`; this is the unit for user space, not the kernel's own tick.
pub fn tick() -> Nanos {
    Nanos(1_000_000_000 / rustix::param::clock_ticks_per_second().max(1))
}

/// Opens one file in each CPU's folder; if any is missing there is no reading.
fn open_of_each(roots: &Roots, cpus: &CpuSet, name: &str) -> Reading<Vec<File>> {
    let open = |cpu| {
        let path = roots.sys.join(format!("devices/system/cpu/cpu{cpu}/{name}"));
        File::open(&path).map_err(|error| format!("cannot open {}: {error}", path.display()))
    };
    match cpus.iter().map(open).collect() {
        Ok(files) => Reading::Known(files),
        Err(why) => Reading::Unavailable(why),
    }
}

/// Reads one number from each file and combines them.
fn fold(files: &Reading<Vec<File>>, join: impl Fn(u64, u64) -> u64) -> Reading<u64> {
    /// A number and its line end.
    const NUMBER_BYTES_MAX: usize = 32;
    crate::files::and_then(files.as_ref(), |files| {
        let mut result = None;
        for file in files {
            let mut text = [0; NUMBER_BYTES_MAX];
            let length = file.read_at(&mut text, 0).map_err(|error| format!("cannot read: {error}"))?;
            let text = String::from_utf8_lossy(&text[..length]);
            let number: u64 = text.trim().parse().map_err(|_| format!("'{}' is no number", text.trim()))?;
            result = Some(result.map_or(number, |sum| join(sum, number)));
        }
        result.ok_or_else(|| "no CPU is named".to_owned())
    })
}

fn difference<T, U>(
    then: &Reading<T>,
    now: &Reading<T>,
    subtract: impl FnOnce(&T, &T) -> Option<U>,
) -> Reading<U> {
    match (then, now) {
        // A counter decreases if a CPU or a device was removed in between, or after 32 bits overflowed.
        (Reading::Known(then), Reading::Known(now)) => crate::files::known_or(subtract(then, now), || {
            "the counter went back between the two readings".to_owned()
        }),
        (Reading::Unavailable(why), _) | (_, Reading::Unavailable(why)) => Reading::Unavailable(why.clone()),
    }
}

fn parse_file<T>(
    file: &Reading<File>,
    buffer: &mut Vec<u8>,
    parse: impl FnOnce(&[u8]) -> Result<T, String>,
) -> Reading<T> {
    match file {
        Reading::Known(file) => {
            let parsed = fill_buffer(file, buffer)
                .map_err(|error| format!("cannot read: {error}"))
                .and_then(|length| parse(&buffer[..length]));
            match parsed {
                Ok(value) => Reading::Known(value),
                Err(why) => Reading::Unavailable(why),
            }
        }
        Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
    }
}

/// Reads a whole file from its start, for which the kernel generates the text again.
fn fill_buffer(file: &File, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut length = 0;
    loop {
        if length == buffer.len() {
            if length >= FILE_BYTES_MAX {
                return Err(io::Error::other("the file does not end"));
            }
            buffer.resize(length * 2, 0);
        }
        match file.read_at(&mut buffer[length..], length as u64) {
            Ok(0) => return Ok(length),
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    const STAT: &str = "cpu  300 0 60 400 10 4 6 9 0 0\n\
        cpu0 100 0 20 300 5 2 3 4 0 0\n\
        cpu1 200 0 40 100 5 2 3 5 0 0\n\
        intr 5 0 0\nctxt 9\n";
    const INTERRUPTS: &str = "           CPU0       CPU1\n 24:         1         20   IO-APIC 5-edge 7 ACPI:Ged\n\
        LOC:        10        200   Local timer interrupts\nERR:          5\n";
    const SOFTIRQS: &str = "       CPU0 CPU1\n HI:  1 2\n TIMER: 10 20\n";

    fn tree() -> Tree {
        Tree::new(&[("proc/stat", STAT), ("proc/interrupts", INTERRUPTS), ("proc/softirqs", SOFTIRQS)])
    }

    fn cpus(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    #[test]
    fn a_difference_fills_the_evidence() {
        let tree = tree();
        let mut reader = CounterReader::open(&Roots::under(tree.path()), &cpus("1"));
        let before = reader.read();
        tree.write(&[
            ("proc/stat", &STAT.replace("cpu1 200 0 40 100 5 2 3 5", "cpu1 290 0 50 100 5 2 4 8")),
            ("proc/interrupts", &INTERRUPTS.replace(" 200 ", " 233 ")),
            ("proc/softirqs", &SOFTIRQS.replace("10 20", "99 24")),
        ]);
        let delta = reader.read().since(&before);
        let mut evidence = Evidence { cpus: cpus("1"), ..Evidence::default() };
        // 101 ticks of 10 ms were busy; 973 ms of them were the run's own.
        let second = Nanos::from_millis(1000);
        delta.fill(&mut evidence, Nanos::from_millis(973), second);
        assert_eq!(evidence.steal, Reading::Known(Nanos::from_millis(30)));
        assert_eq!(evidence.interrupts, Reading::Known(33));
        assert_eq!(evidence.softirqs, Reading::Known(4));
        assert_eq!(delta.busy_resolution, Nanos::from_millis(10));
        assert_eq!(evidence.others_cpu_time, Reading::Known(Nanos::from_millis(30)), "37 ms in whole ticks");
        assert_eq!(evidence.throttled, Evidence::default().throttled, "not ours to fill");
    }

    #[test]
    fn excess_steal_belongs_to_the_time_before() {
        let tree = tree();
        let mut reader = CounterReader::open(&Roots::under(tree.path()), &cpus("0-1"));
        let before = reader.read();
        // Seven ticks of 10 ms.
        tree.write(&[("proc/stat", &STAT.replace("3 5", "3 12"))]);
        let delta = reader.read().since(&before);
        let steal = |wall_ms| {
            let mut evidence = Evidence::default();
            let wall_time = Nanos::from_millis(wall_ms);
            delta.fill(&mut evidence, Nanos::ZERO, wall_time);
            evidence.steal
        };
        assert_eq!(steal(25), Reading::Known(Nanos::from_millis(70)), "two CPUs for 25 ms, and a tick each");
        let why = "the kernel counted 70.0 ms in 1.0 ms: some of it is of the time before";
        assert_eq!(steal(1), Reading::unavailable(why));
    }

    #[test]
    fn the_schedulers_counter_is_preferred() {
        let tree = tree();
        let line = |cpu1_ns: u64| {
            format!(
                "version 16\ntimestamp 1\ncpu0 0 0 1 1 1 1 500 7 1\ndomain0 3 1\ncpu1 0 0 1 1 1 1 {cpu1_ns} 7 1\n"
            )
        };
        tree.write(&[("proc/schedstat", &line(1_000))]);
        let mut reader = CounterReader::open(&Roots::under(tree.path()), &cpus("1"));
        let before = reader.read();
        tree.write(&[("proc/schedstat", &line(6_500))]);
        let delta = reader.read().since(&before);
        assert_eq!(delta.busy_resolution, Nanos(1));
        assert_eq!(delta.others_cpu_time(Nanos(5_000)), Reading::Known(Nanos(500)));
        assert_eq!(delta.others_cpu_time(Nanos(9_000)), Reading::Known(Nanos::ZERO));
    }

    #[test]
    fn unreadable_counters_have_a_reason() {
        let tree = tree();
        tree.remove("proc/softirqs");
        let mut reader = CounterReader::open(&Roots::under(tree.path()), &cpus("0,7"));
        let before = reader.read();
        let delta = reader.read().since(&before);
        let why = |reading: &Reading<u64>| match reading {
            Reading::Unavailable(why) => why.clone(),
            Reading::Known(value) => panic!("{value} is out of nowhere"),
        };
        assert!(why(&delta.softirqs).starts_with("cannot open "));
        assert_eq!(why(&delta.interrupts), "CPU 7 has no column in the header 'CPU0 CPU1'");
        assert_eq!(delta.steal, Reading::unavailable("CPU 7 has no line in stat: it is offline"));
    }

    #[test]
    fn a_counter_that_goes_back_is_no_number() {
        let tree = tree();
        let mut reader = CounterReader::open(&Roots::under(tree.path()), &cpus("0-1"));
        let before = reader.read();
        tree.write(&[("proc/interrupts", "CPU0 CPU1\nLOC: 1 1 Local\n")]);
        let delta = reader.read().since(&before);
        assert_eq!(delta.interrupts, Reading::unavailable("the counter went back between the two readings"));
        assert_eq!(delta.steal, Reading::Known(Nanos::ZERO));
    }

    #[test]
    fn a_file_longer_than_the_buffer_is_read_whole() {
        let tree = tree();
        let rows: String = (0..5_000).map(|row| format!("{row}: 1 2 some device\n")).collect();
        tree.write(&[("proc/interrupts", &format!("CPU0 CPU1\n{rows}"))]);
        let counters = CpuCounters::read(&Roots::under(tree.path()), &cpus("0-1"));
        assert_eq!(counters.interrupts, Reading::Known(15_000));
    }

    #[test]
    fn frequency_is_the_lowest_and_heat_is_counted() {
        let tree = tree();
        let cpu = |number: u32, file: &str| format!("sys/devices/system/cpu/cpu{number}/{file}");
        let (frequency, heat) = ("cpufreq/scaling_cur_freq", "thermal_throttle/core_throttle_count");
        tree.write(&[(&cpu(0, frequency), "2500000\n"), (&cpu(1, frequency), "1200000\n")]);
        tree.write(&[(&cpu(0, heat), "7\n"), (&cpu(1, heat), "1\n")]);
        let mut reader = CounterReader::open(&Roots::under(tree.path()), &cpus("0-1"));
        assert_eq!(reader.frequency(), Reading::Known(Hertz(1_200_000_000)));
        let before = reader.read();
        tree.write(&[(&cpu(1, heat), "3\n")]);
        assert_eq!(reader.read().since(&before).heat_throttles, Reading::Known(2));
        assert!(matches!(
            CounterReader::open(&Roots::under(tree.path()), &cpus("0-2")).frequency(),
            Reading::Unavailable(why) if why.contains("cpu2")
        ));
    }
}
