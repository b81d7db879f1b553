//! From a profile to one CBOR item.

use super::{FORMAT_VERSION, NAME};
use crate::{CpuProfile, GapTrace, KernelCounts, NodeLoad, Profile, QuantumTrace, Ticks};
use minicbor::Encoder;
use model::Reading;
use std::convert::Infallible;

/// Memory takes all that is written.
type Written = Result<(), minicbor::encode::Error<Infallible>>;
type Out = Encoder<Vec<u8>>;

/// Makes the item.
pub fn profile(profile: &Profile) -> Vec<u8> {
    let mut out = Encoder::new(Vec::new());
    whole(&mut out, profile).expect("memory takes all that is written");
    out.into_writer()
}

fn whole(out: &mut Out, profile: &Profile) -> Written {
    out.map(8)?;
    // These two first: who reads the begin of a broken file knows what it was to be.
    out.str("format")?.str(NAME)?;
    out.str("version")?.u32(FORMAT_VERSION)?;
    out.str("machine")?.map(4)?;
    for (key, text) in [
        ("identity", &profile.machine.identity),
        ("host", &profile.machine.host),
        ("processor", &profile.machine.processor),
        ("kernel", &profile.machine.kernel),
    ] {
        out.str(key)?.str(text)?;
    }
    out.str("began_unix_s")?.u64(profile.began_unix_s)?;
    out.str("load")?.str(match profile.load {
        NodeLoad::OneCpu => "one-cpu",
        NodeLoad::AllCpus => "all-cpus",
    })?;
    out.str("rate_hz")?.f64(profile.rate.0)?;
    out.str("weaknesses")?.array(profile.weaknesses.len() as u64)?;
    profile.weaknesses.iter().try_for_each(|weakness| out.str(weakness).map(drop))?;
    out.str("cpus")?.array(profile.cpus.len() as u64)?;
    profile.cpus.iter().try_for_each(|of_cpu| cpu(out, of_cpu))
}

fn cpu(out: &mut Out, cpu: &CpuProfile) -> Written {
    out.map(3)?;
    out.str("cpu")?.u32(cpu.cpu.0)?;
    out.str("quanta")?;
    reading(out, &cpu.quanta, quanta)?;
    out.str("gaps")?;
    reading(out, &cpu.gaps, gaps)
}

fn reading<T>(out: &mut Out, reading: &Reading<T>, write: impl FnOnce(&mut Out, &T) -> Written) -> Written {
    out.map(1)?;
    match reading {
        Reading::Known(value) => {
            out.str("known")?;
            write(out, value)
        }
        Reading::Unavailable(why) => out.str("unavailable")?.str(why).map(drop),
    }
}

fn quanta(out: &mut Out, trace: &QuantumTrace) -> Written {
    out.map(4)?;
    out.str("target_ns")?.u64(trace.target.0)?;
    out.str("pauses")?;
    let mut end = Ticks(0);
    let calls = trace.starts.iter().zip(&trace.lengths);
    differences(
        out,
        calls.map(|(start, length)| {
            let pause = (start.0, end.0);
            end = Ticks(start.0.wrapping_add(length.0));
            pause
        }),
    )?;
    out.str("shortest")?.u64(shortest(&trace.lengths))?;
    out.str("longer_by")?;
    let least = shortest(&trace.lengths);
    differences(out, trace.lengths.iter().map(|length| (length.0, least)))
}

/// Returns the least of them, or 0 of none.
fn shortest(lengths: &[Ticks]) -> u64 {
    lengths.iter().min().map_or(0, |least| least.0)
}

fn gaps(out: &mut Out, trace: &GapTrace) -> Written {
    out.map(6)?;
    out.str("turn")?.u64(trace.turn.0)?;
    out.str("threshold")?.u64(trace.threshold.0)?;
    out.str("bursts")?;
    times(out, trace.bursts.iter().flat_map(|burst| [burst.begin, burst.end]))?;
    out.str("detours")?;
    times(out, trace.detours.iter().map(|detour| detour.start))?;
    out.str("lengths")?;
    differences(out, trace.detours.iter().map(|detour| (detour.length.0, 0)))?;
    out.str("counts")?;
    counts(out, &trace.counts)
}

fn counts(out: &mut Out, counts: &KernelCounts) -> Written {
    out.map(7)?;
    out.str("interval_ns")?.u64(counts.interval.0)?;
    out.str("interrupts")?;
    reading(out, &counts.interrupts, |out, counts| named(out, counts))?;
    out.str("softirqs")?;
    reading(out, &counts.softirqs, |out, counts| named(out, counts))?;
    out.str("steal_ns")?;
    reading(out, &counts.steal, |out, steal| out.u64(steal.0).map(drop))?;
    out.str("run_delay_ns")?;
    reading(out, &counts.run_delay, |out, delay| out.u64(delay.0).map(drop))?;
    out.str("forced_switches")?;
    reading(out, &counts.forced_switches, |out, count| out.u64(*count).map(drop))?;
    out.str("events")?;
    reading(out, &counts.events, |out, events| {
        out.array(events.len() as u64)?;
        events.iter().try_for_each(|(name, when)| {
            out.array(2)?.str(name)?;
            times(out, when.iter().copied())
        })
    })
}

fn named(out: &mut Out, named: &[(String, u64)]) -> Written {
    out.array(named.len() as u64)?;
    named.iter().try_for_each(|(name, count)| out.array(2)?.str(name)?.u64(*count).map(drop))
}

/// Writes each time as what it differs from the one before.
fn times(out: &mut Out, times: impl Iterator<Item = Ticks>) -> Written {
    let mut before = 0;
    differences(out, times.map(|time| (time.0, std::mem::replace(&mut before, time.0))))
}

/// Writes what each first differs from its second; all of 64 bits wrap, so that nothing is lost.
fn differences(out: &mut Out, pairs: impl Iterator<Item = (u64, u64)>) -> Written {
    let values: Vec<i64> = pairs.map(|(value, base)| value.wrapping_sub(base) as i64).collect();
    out.array(values.len() as u64)?;
    values.iter().try_for_each(|value| out.i64(*value).map(drop))
}
