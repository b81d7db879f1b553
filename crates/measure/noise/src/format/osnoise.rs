//! The kernel's osnoise events (`include/trace/events/osnoise.h`) in a text of ftrace: what `rtla osnoise --trace` and `rtla
//! timerlat --trace` save, and the file `trace` has.
//!
//! A line of `sample_threshold` is a detour as the tracer's loop saw it. The others are what took the time; they are
//! events of the kernel, and detours of their own where no sample has them.

use super::FormatError;
use super::foreign::{CpuReadings, Line, gaps, no_calls, profile};
use crate::{NodeLoad, Profile, Ticks};
use model::CpuId;
use std::collections::BTreeMap;

const EXPECTED: &str = "'NAME start SECONDS.NANOSECONDS duration N ns' behind the event";
const NO_DURATIONS: &str = "'irq_noise:', 'thread_noise:', 'softirq_noise:', 'nmi_noise:' or 'sample_threshold:' in some line; \
                            enable the tracer's events by 'echo 1 > events/osnoise/enable'";
/// The processor's own interrupts, by the kernel's names; others are those of devices.
const LOCAL: [&str; 11] = [
    "local_timer",
    "reschedule",
    "call_function",
    "call_function_single",
    "irq_work",
    "spurious_apic",
    "error_apic",
    "thermal_apic",
    "threshold_apic",
    "deferred_error_apic",
    "x86_platform_ipi",
];

/// What took the time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sample,
    Nmi,
    Interrupt,
    Soft,
    Thread,
}

const KINDS: [(&str, Kind); 5] = [
    (" sample_threshold:", Kind::Sample),
    (" nmi_noise:", Kind::Nmi),
    (" irq_noise:", Kind::Interrupt),
    (" softirq_noise:", Kind::Soft),
    (" thread_noise:", Kind::Thread),
];

/// One CPU's lines, in nanoseconds.
#[derive(Default)]
struct Lines {
    samples: Vec<(u64, u64)>,
    causes: Vec<(u64, u64)>,
    events: BTreeMap<String, Vec<Ticks>>,
    /// When the tracer's loop began and ended, by its line for each period.
    period: Option<(u64, u64)>,
}

/// Returns whether a line is of such a text: an event of osnoise, or the name of the tracer.
pub(super) fn is_line(line: &str) -> bool {
    line.starts_with("# tracer: osnoise")
        || line.starts_with("# tracer: timerlat")
        || split(line).is_some_and(|(_, _, stated)| stated.contains("duration"))
}

pub(super) fn read(text: &str) -> Result<Profile, FormatError> {
    let mut cpus: BTreeMap<CpuId, Lines> = BTreeMap::new();
    let mut lost = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("CPU:") && line.contains("[LOST ") {
            lost.push(line.trim().to_owned());
            continue;
        }
        let Some((cpu, kind, stated)) = split(line) else {
            if let Some((cpu, from, to)) = period(line) {
                let span = cpus.entry(cpu).or_default().period.get_or_insert((from, to));
                *span = (span.0.min(from), span.1.max(to));
            }
            continue;
        };
        let wrong = || Line::new(at + 1, line).wrong(EXPECTED);
        let (name, start, length) = event(stated).ok_or_else(wrong)?;
        let lines = cpus.entry(cpu).or_default();
        if kind == Kind::Sample {
            lines.samples.push((start, length));
        } else if let Some(name) = named(kind, name) {
            lines.events.entry(name).or_default().push(Ticks(start));
            lines.causes.push((start, length));
        }
    }
    if cpus.values().all(|lines| lines.samples.is_empty() && lines.causes.is_empty()) {
        let found = text.lines().next().unwrap_or_default();
        return Err(Line::new(1, found).wrong(NO_DURATIONS));
    }
    let origin = cpus.values().filter_map(Lines::begin).min().unwrap_or_default();
    let mut weaknesses = vec![
        "osnoise measures the parts of a detour without what lies between them; a sample has all of it"
            .to_owned(),
    ];
    // What a trace of thousands of gaps says in as many lines is reported as their number.
    if let Some(first) = lost.first() {
        weaknesses.push(format!("the kernel lost events in {} places, the first is '{first}'", lost.len()));
    }
    let all = cpus.into_iter().map(|(cpu, lines)| (cpu, no_calls(), gaps(lines.found(origin))));
    Ok(profile(all, NodeLoad::AllCpus, weaknesses))
}

impl Lines {
    /// Returns when this CPU was first sampled.
    fn begin(&self) -> Option<u64> {
        let starts = self.samples.iter().chain(&self.causes).map(|(start, _)| *start);
        starts.chain(self.period.map(|(from, _)| from)).min()
    }

    fn found(mut self, origin: u64) -> CpuReadings {
        let begin_ns = self.begin().unwrap_or(origin) - origin;
        let detours = self.detours().into_iter().map(|(start, length)| (start - origin, length)).collect();
        let since = |time: Ticks| Ticks(time.0 - origin);
        let events = std::mem::take(&mut self.events).into_iter().map(|(name, mut times)| {
            times.sort_unstable();
            (name, times.into_iter().map(since).collect())
        });
        CpuReadings {
            begin_ns,
            end_ns: self.period.map_or(begin_ns, |(_, to)| to.saturating_sub(origin)),
            detours,
            turn_ns: 0,
            threshold_ns: 0,
            events: Some(events.collect()),
        }
    }

    /// Returns the samples, and what took time outside of them.
    fn detours(&mut self) -> Vec<(u64, u64)> {
        self.samples.sort_unstable();
        self.causes.sort_unstable();
        let mut detours = std::mem::take(&mut self.samples);
        let samples = detours.len();
        let mut sample = 0;
        for (start, length) in std::mem::take(&mut self.causes) {
            while sample < samples && detours[sample].0 + detours[sample].1 <= start {
                sample += 1;
            }
            if sample < samples && detours[sample].0 <= start {
                continue;
            }
            match detours[samples..].last_mut() {
                // Durations are net: what interrupts another is not in the other's.
                Some((outer, taken)) if start < outer.saturating_add(*taken) => {
                    *taken = taken.saturating_add(length)
                }
                _ => detours.push((start, length)),
            }
        }
        detours
    }
}

/// Splits a line into its CPU, its kind, and what it says behind that.
fn split(line: &str) -> Option<(CpuId, Kind, &str)> {
    let (at, name, kind) =
        KINDS.iter().find_map(|(name, kind)| line.find(name).map(|at| (at, *name, *kind)))?;
    Some((cpu(&line[..at])?, kind, &line[at + name.len()..]))
}

/// Returns the CPU, which stands in brackets; names of tasks may have brackets, too, and stand before it.
fn cpu(before: &str) -> Option<CpuId> {
    let (_, rest) = before.rsplit_once('[')?;
    rest.split_once(']')?.0.parse().ok().map(CpuId)
}

/// Returns name, start and length.
fn event(stated: &str) -> Option<(&str, u64, u64)> {
    let stated = stated.trim();
    let at = stated.rfind("start ")?;
    let (name, rest) = (stated[..at].trim(), &stated[at + "start ".len()..]);
    let mut words = rest.split_whitespace();
    let start = nanos(words.next()?)?;
    let length = (words.next()? == "duration").then(|| words.next())??.parse().ok()?;
    (words.next()? == "ns" && u64::checked_add(start, length).is_some()).then_some((name, start, length))
}

/// Reads seconds with nanoseconds behind a point, to the last of them.
fn nanos(text: &str) -> Option<u64> {
    let (seconds, rest) = text.split_once('.')?;
    if rest.is_empty() || rest.len() > 9 || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest: u64 = format!("{rest:0<9}").parse().ok()?;
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(rest)
}

/// Returns the name of an event, as a probe of our own has it; none of what takes no time from anybody.
fn named(kind: Kind, name: &str) -> Option<String> {
    let (what, number) = name.rsplit_once(':').unwrap_or((name, ""));
    Some(match kind {
        Kind::Nmi => "nmi".to_owned(),
        Kind::Interrupt if LOCAL.contains(&what) => what.to_owned(),
        Kind::Interrupt => format!("interrupt {number} {what}"),
        Kind::Soft => format!("softirq {what}"),
        Kind::Thread if what.starts_with("swapper/") || what.starts_with("timerlat/") => return None,
        Kind::Thread => format!("switch to {what}"),
        Kind::Sample => return None,
    })
}

/// Reads the tracer's line at the end of a period: the time at its end, the microseconds that it looked.
fn period(line: &str) -> Option<(CpuId, u64, u64)> {
    let (before, stated) = line.split_once(": ")?;
    let columns: Vec<&str> = stated.split_whitespace().collect();
    if columns.len() < 9 || !columns.iter().all(|column| column.parse::<f64>().is_ok()) {
        return None;
    }
    let end = nanos(before.split_whitespace().last()?)?;
    let looked = columns[0].parse::<u64>().ok()?.checked_mul(1000)?;
    Some((cpu(before)?, end.checked_sub(looked)?, end))
}

#[cfg(test)]
mod tests {
    use super::super::{ForeignHints, decode_any};
    use super::*;
    use crate::Detour;
    use model::Reading;

    /// From `Documentation/trace/osnoise-tracer.rst` and `timerlat-tracer.rst`, with a line for each other event.
    const TEXT: &str = "\
# tracer: osnoise
#
#           TASK-PID      CPU# ||||   TIMESTAMP    IN US       IN US  AVAILABLE  IN US     HW    NMI    IRQ   SIRQ THREAD
       osnoise/8-961     [008] d.h.  5789.857532: irq_noise: local_timer:236 start 5789.857529929 duration 1845 ns
       osnoise/8-961     [008] dNh.  5789.858408: irq_noise: local_timer:236 start 5789.858404871 duration 2848 ns
     migration/8-54      [008] d...  5789.858413: thread_noise: migration/8:54 start 5789.858409300 duration 3068 ns
       osnoise/8-961     [008] ....  5789.858413: sample_threshold: start 5789.858404555 duration 8812 ns interferences 2
             cc1-87882   [009] dNLh2..  5789.858503: irq_noise: qxl:21 start 5789.858500000 duration 1000 ns
             cc1-87882   [009] d...3..  5789.858509: thread_noise:      cc1:87882 start 5789.858499000 duration 3000 ns
             cc1-87882   [009] d.s....  5789.858609: softirq_noise:    TIMER:1 start 5789.858600000 duration 500 ns
             cc1-87882   [009] d.Z....  5789.858709: nmi_noise: start 5789.858700000 duration 700 ns
CPU:9 [LOST 7 EVENTS]
           <...>-962     [009] ....  5789.859000: 1000        12  99.98100       9     18      0   1007     18      1
";

    fn read_text(text: &str) -> Result<Profile, FormatError> {
        decode_any(text.as_bytes(), ForeignHints::default())
    }

    #[test]
    fn samples_are_detours_and_the_rest_is_what_took_them() {
        let profile = read_text(TEXT).unwrap();
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        let gaps = |at: usize| profile.cpus[at].gaps.known().unwrap();
        // The origin is the begin of CPU 9's period, 5789.858000000 less what CPU 8 saw before it.
        assert_eq!(profile.cpus[0].cpu, CpuId(8));
        assert_eq!(gaps(0).detours, [detour(0, 1845), detour(874_626, 8812)]);
        assert_eq!(gaps(0).counts.events.known().unwrap()[0].0, "local_timer");
        // The interrupt within the thread's time is added to it, since durations are net.
        assert_eq!(gaps(1).detours, [detour(969_071, 4000), detour(1_070_071, 500), detour(1_170_071, 700)]);
        let names: Vec<_> =
            gaps(1).counts.events.known().unwrap().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["interrupt 21 qxl", "nmi", "softirq TIMER", "switch to cc1"]);
        assert_eq!(gaps(1).bursts[0].begin, Ticks(470_071));
        assert_eq!(gaps(1).bursts[0].end, Ticks(1_470_071));
        assert!(profile.weaknesses[1].contains("CPU:9 [LOST 7 EVENTS]"), "{:?}", profile.weaknesses);
    }

    #[test]
    fn a_profile_of_it_is_one_that_its_own_format_takes() {
        let profile = read_text(TEXT).unwrap();
        assert_eq!(super::super::decode(&super::super::encode(&profile)).unwrap(), profile);
    }

    #[test]
    fn one_sample_without_a_period_is_too_few() {
        let sample = TEXT.lines().nth(6).unwrap();
        let lost = "# tracer: osnoise\nCPU:8 [LOST 125 EVENTS]\n";
        let gaps = |text: &str| read_text(text).unwrap().cpus[0].gaps.clone();
        let expect = "too few samples: 1, and the trace does not say how long it was; record for longer";
        assert_eq!(gaps(&format!("{lost}{sample}\n")).known(), None);
        assert_eq!(gaps(&format!("{lost}{sample}\n")), Reading::unavailable(expect));
        let later = sample.replace("5789.858404555", "5790.858404555");
        assert!(gaps(&format!("{lost}{sample}\n{later}\n")).known().is_some());
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = read_text(&TEXT.replace("1845 ns", "1845 us")).unwrap_err().to_string();
        assert!(error.starts_with("line 4: expected 'NAME start SECONDS.NANOSECONDS"), "{error}");
        let idle =
            "# tracer: timerlat\n <idle>-0 [000] d.h1 54.029328: #1 context irq timer_latency 932 ns\n";
        let error = read_text(idle).unwrap_err().to_string();
        assert!(error.contains("enable the tracer's events by"), "{error}");
    }
}
