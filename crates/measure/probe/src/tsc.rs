//! What time is read from: the processor's time-stamp counter, or the kernel's clock where that is not steady.

use super::NoiseError;
use model::{CpuId, Nanos, Reading};
use noise::TickRate;
use rustix::time::{ClockId, clock_gettime};
use system::{Roots, files};

/// An anchor whose two readings of the counter are further apart was interrupted; the best of as many is taken.
const ANCHOR_TRIES: u32 = 64;
/// What the counter and the kernel's clock may differ over a probe before it is reported, in parts of a million. The
/// crystal's own drift with heat is below one.
const DRIFT_PPM_MAX: f64 = 2.0;
/// What the clock that the network disciplines may differ. The kernel slews it by at most 500.
const SLEW_PPM_MAX: f64 = 600.0;

/// A clock in ticks.
pub(super) trait Clock: Copy + Send + Sync {
    /// Reads it as fast as can be; neighbouring instructions may be executed before or after.
    fn now(self) -> u64;

    /// Reads it when all instructions before are done and none after has begun, and says on which CPU.
    fn stamp(self) -> (u64, CpuId);
}

/// The processor's counter.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter;

/// `CLOCK_MONOTONIC_RAW`, whose ticks are nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelClock;

#[cfg(target_arch = "x86_64")]
impl Clock for Counter {
    #[inline(always)]
    #[allow(unsafe_code)]
    fn now(self) -> u64 {
        // SAFETY: the instruction reads a register; every processor of this architecture has it, and the kernel
        // lets programs use it unless asked not to, which ends the program with a signal and harms no memory.
        unsafe { std::arch::x86_64::_rdtsc() }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn stamp(self) -> (u64, CpuId) {
        /// Linux puts the CPU's number here and the NUMA node's above (`arch/x86/include/asm/segment.h`).
        const CPU_BITS: u32 = 0xfff;
        let mut place = 0;
        // SAFETY: as above; `Counter` is made only where the processor says that it has `rdtscp`.
        let ticks = unsafe { std::arch::x86_64::__rdtscp(&raw mut place) };
        // `rdtscp` waits for what is before it; this keeps back what is after it.
        // SAFETY: the fence belongs to the architecture's first version.
        unsafe { std::arch::x86_64::_mm_lfence() };
        (ticks, CpuId(place & CPU_BITS))
    }
}

impl Clock for KernelClock {
    #[inline(always)]
    fn now(self) -> u64 {
        let time = clock_gettime(ClockId::MonotonicRaw);
        (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
    }

    #[inline(always)]
    fn stamp(self) -> (u64, CpuId) {
        let cpu = rustix::thread::sched_getcpu();
        (self.now(), CpuId(cpu as u32))
    }
}

/// Returns why the counter cannot be used as a clock; none where it can.
pub(super) fn unsteady(roots: &Roots) -> Option<String> {
    let text = match files::text(&roots.proc.join("cpuinfo")) {
        Reading::Known(text) => text,
        Reading::Unavailable(why) => return Some(why),
    };
    let Some(flags) = files::field(&text, "flags") else {
        return Some(
            "this processor lists no flags, so it is not known whether it has a steady counter".to_owned(),
        );
    };
    let missing: Vec<&str> = ["constant_tsc", "nonstop_tsc", "rdtscp"]
        .into_iter()
        .filter(|flag| !flags.split_whitespace().any(|has| has == *flag))
        .collect();
    if !missing.is_empty() {
        return Some(format!("the processor's flags lack {}", missing.join(" and ")));
    }
    // The kernel takes the counter off this list when it finds that it is not steady, or differs between CPUs.
    let sources = roots.sys.join("devices/system/clocksource/clocksource0/available_clocksource");
    match files::text(&sources) {
        Reading::Known(list) if list.split_whitespace().all(|source| source != "tsc") => {
            Some(format!("the kernel does not list it among its clocks, which are {list}"))
        }
        _ => None,
    }
}

/// The counter and the kernel's clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    ticks: u64,
    raw: Nanos,
    disciplined: Nanos,
}

impl Anchor {
    /// Takes the one of many tries that was interrupted least.
    pub(super) fn take(clock: impl Clock) -> Self {
        let read = |id| {
            let time = clock_gettime(id);
            Nanos((time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64))
        };
        let attempt = || {
            let (begin, _) = clock.stamp();
            let raw = read(ClockId::MonotonicRaw);
            let (middle, _) = clock.stamp();
            let disciplined = read(ClockId::Monotonic);
            let (end, _) = clock.stamp();
            let width = end.wrapping_sub(begin);
            (width, Self { ticks: begin.wrapping_add(middle.wrapping_sub(begin) / 2), raw, disciplined })
        };
        let tries = (0..ANCHOR_TRIES).map(|_| attempt());
        tries.min_by_key(|(width, _)| *width).map_or_else(|| attempt().1, |(_, anchor)| anchor)
    }

    /// Returns the rate between `earlier` and now.
    pub(super) fn rate_since(self, earlier: Self) -> Result<TickRate, NoiseError> {
        self.rate_by(earlier, |anchor| anchor.raw)
    }

    fn rate_by(self, earlier: Self, clock: impl Fn(&Self) -> Nanos) -> Result<TickRate, NoiseError> {
        let ticks = self.ticks.checked_sub(earlier.ticks).filter(|ticks| *ticks > 0);
        let time = clock(&self).saturating_sub(clock(&earlier)).as_secs_f64();
        match ticks {
            Some(ticks) if time > 0.0 => Ok(TickRate(ticks as f64 / time)),
            _ => Err(NoiseError::NoClock),
        }
    }
}

/// Finds the rate over all anchors, in order, and says what speaks against it.
pub(super) fn rate(anchors: &[Anchor]) -> Result<(TickRate, Vec<String>), NoiseError> {
    let [first, .., last] = anchors else { return Err(NoiseError::NoClock) };
    let rate = last.rate_since(*first)?;
    let mut against = Vec::new();
    let ppm = |other: TickRate| (other.0 / rate.0 - 1.0) * 1e6;
    /// Over less, the anchors' own width of some 50 ns is more than what is looked for.
    const SPAN_MIN: Nanos = Nanos::from_millis(500);
    let mut worst = 0.0_f64;
    for pair in anchors.windows(2) {
        if pair[1].raw.saturating_sub(pair[0].raw) >= SPAN_MIN {
            let drift = ppm(pair[1].rate_since(pair[0])?);
            worst = if drift.abs() > worst.abs() { drift } else { worst };
        }
    }
    if worst.abs() > DRIFT_PPM_MAX {
        against.push(format!(
            "the time-stamp counter ran {worst:+.1} parts of a million off its mean rate for a part of the probe"
        ));
    }
    let disciplined = ppm(last.rate_by(*first, |anchor| anchor.disciplined)?);
    if disciplined.abs() > SLEW_PPM_MAX {
        against.push(format!(
            "the kernel's raw clock and its disciplined one differ by {disciplined:+.0} parts of a million"
        ));
    }
    Ok((rate, against))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    #[test]
    fn a_counter_must_be_steady() {
        let sources = "sys/devices/system/clocksource/clocksource0/available_clocksource";
        let good = "processor: 0\nflags\t: fpu rdtscp constant_tsc nonstop_tsc\n";
        let check = |cpuinfo: &str, list: &str, expect: Option<&str>| {
            let tree = Tree::new(&[("proc/cpuinfo", cpuinfo), (sources, list)]);
            let why = unsteady(&Roots::under(tree.path()));
            match expect {
                None => assert_eq!(why, None),
                Some(part) => assert!(why.as_ref().is_some_and(|why| why.contains(part)), "{why:?}"),
            }
        };
        check(good, "tsc hpet\n", None);
        check(&good.replace("nonstop_tsc", ""), "tsc\n", Some("lack nonstop_tsc"));
        check(&good.replace("_tsc", ""), "tsc\n", Some("lack constant_tsc and nonstop_tsc"));
        check(good, "hpet acpi_pm\n", Some("does not list it"));
        check("processor: 0\n", "tsc\n", Some("lists no flags"));
    }

    #[test]
    fn a_rate_is_over_the_whole_and_its_drift_is_reported() {
        let at = |second: u64, ticks: u64| Anchor {
            ticks,
            raw: Nanos::from_millis(second * 1000),
            disciplined: Nanos::from_millis(second * 1000),
        };
        let steady = [at(0, 7), at(1, 2_400_000_507), at(2, 4_800_001_007)];
        let (found, against) = rate(&steady).unwrap();
        assert!((found.0 - 2_400_000_500.0).abs() < 1e-3 && against.is_empty(), "{found:?} {against:?}");
        let (_, against) = rate(&[at(0, 0), at(1, 2_400_000_000), at(2, 4_800_100_000)]).unwrap();
        assert!(against[0].contains("20.8 parts of a million"), "{against:?}");
        assert!(rate(&[at(0, 5), at(1, 5)]).is_err() && rate(&steady[..1]).is_err());
    }
}
