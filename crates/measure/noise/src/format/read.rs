//! From one CBOR item to a profile.
//!
//! Keys may stand in any order and unknown ones are skipped: within one version fields are only ever added.
//! Lengths in the file are not believed: memory grows with what is really there.

use super::{BEHIND, FORMAT_VERSION, FormatError, NAME};
use crate::{
    Burst, CpuProfile, Detour, GapTrace, KernelCounts, MachineLine, NodeLoad, Profile, QuantumTrace,
    TickRate, Ticks,
};
use minicbor::Decoder;
use minicbor::decode::Error;
use model::{CpuId, Nanos, Reading};

type Read<T> = Result<T, Error>;

pub fn profile(item: &[u8]) -> Result<Profile, FormatError> {
    if let Some(foreign) = foreign(item) {
        return Err(foreign);
    }
    let mut decoder = Decoder::new(item);
    let profile = whole(&mut decoder).map_err(|error| {
        if error.is_end_of_input() { FormatError::Truncated } else { FormatError::Damaged(error.to_string()) }
    })?;
    if decoder.position() < item.len() {
        return Err(FormatError::Damaged(BEHIND.to_owned()));
    }
    check(&profile).map_err(FormatError::Damaged)?;
    Ok(profile)
}

/// Returns what is wrong already with how it begins: it is not ours, or too new for us.
pub fn foreign(item: &[u8]) -> Option<FormatError> {
    let mut decoder = Decoder::new(item);
    let mut version = None;
    let read = read_map(&mut decoder, |key, decoder| {
        match key {
            "format" => {
                if decoder.str()? != NAME {
                    return Err(Error::message("another format"));
                }
            }
            "version" => version = Some(decoder.u64()?),
            _ => decoder.skip()?,
        }
        Ok(())
    });
    let not_ours = |why: &str| Some(FormatError::Foreign(why.to_owned()));
    match (version, read) {
        (Some(version), _) if version > u64::from(FORMAT_VERSION) => Some(FormatError::Newer(version)),
        (Some(_), Ok(())) => None,
        // What is wrong further on is reported when all of it is read.
        (Some(_), Err(error)) if !error.is_message() => None,
        (None, Err(error)) if error.is_end_of_input() => None,
        _ => not_ours("it is packed as one, but does not say that it is a profile of noise"),
    }
}

fn whole(decoder: &mut Decoder) -> Read<Profile> {
    let mut profile = Profile {
        machine: MachineLine::default(),
        began_unix_s: 0,
        load: NodeLoad::OneCpu,
        rate: TickRate(0.0),
        cpus: Vec::new(),
        weaknesses: Vec::new(),
    };
    read_map(decoder, |key, decoder| {
        match key {
            "machine" => profile.machine = machine(decoder)?,
            "began_unix_s" => profile.began_unix_s = decoder.u64()?,
            "load" => {
                profile.load = match decoder.str()? {
                    "one-cpu" => NodeLoad::OneCpu,
                    "all-cpus" => NodeLoad::AllCpus,
                    _ => return Err(Error::message("its load is neither one-cpu nor all-cpus")),
                }
            }
            "rate_hz" => profile.rate = TickRate(decoder.f64()?),
            "weaknesses" => profile.weaknesses = list(decoder, |decoder| Ok(decoder.str()?.to_owned()))?,
            "cpus" => profile.cpus = list(decoder, cpu)?,
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    Ok(profile)
}

fn machine(decoder: &mut Decoder) -> Read<MachineLine> {
    let mut machine = MachineLine::default();
    read_map(decoder, |key, decoder| {
        let place = match key {
            "identity" => &mut machine.identity,
            "host" => &mut machine.host,
            "processor" => &mut machine.processor,
            "kernel" => &mut machine.kernel,
            _ => return decoder.skip(),
        };
        decoder.str()?.clone_into(place);
        Ok(())
    })?;
    Ok(machine)
}

fn cpu(decoder: &mut Decoder) -> Read<CpuProfile> {
    let mut cpu = CpuProfile { cpu: CpuId(0), quanta: Reading::default(), gaps: Reading::default() };
    read_map(decoder, |key, decoder| {
        match key {
            "cpu" => cpu.cpu = CpuId(decoder.u32()?),
            "quanta" => cpu.quanta = reading(decoder, quanta)?,
            "gaps" => cpu.gaps = reading(decoder, gaps)?,
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    Ok(cpu)
}

fn reading<T>(decoder: &mut Decoder, read: impl Fn(&mut Decoder) -> Read<T>) -> Read<Reading<T>> {
    let mut reading = Reading::default();
    read_map(decoder, |key, decoder| {
        match key {
            "known" => reading = Reading::Known(read(decoder)?),
            "unavailable" => reading = Reading::unavailable(decoder.str()?),
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    Ok(reading)
}

fn quanta(decoder: &mut Decoder) -> Read<QuantumTrace> {
    let (mut target, mut pauses, mut shortest, mut longer) = (Nanos::ZERO, Vec::new(), 0_u64, Vec::new());
    read_map(decoder, |key, decoder| {
        match key {
            "target_ns" => target = Nanos(decoder.u64()?),
            "pauses" => pauses = differences(decoder)?,
            "shortest" => shortest = decoder.u64()?,
            "longer_by" => longer = differences(decoder)?,
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    if pauses.len() != longer.len() {
        return Err(Error::message("it has not as many lengths of calls as begins"));
    }
    let lengths: Vec<Ticks> = longer.iter().map(|longer| Ticks(shortest.wrapping_add(*longer))).collect();
    let mut end = 0_u64;
    let start = |(pause, length): (&u64, &Ticks)| {
        let start = end.wrapping_add(*pause);
        end = start.wrapping_add(length.0);
        Ticks(start)
    };
    let starts = pauses.iter().zip(&lengths).map(start).collect();
    Ok(QuantumTrace { target, starts, lengths })
}

fn gaps(decoder: &mut Decoder) -> Read<GapTrace> {
    let mut trace = GapTrace {
        turn: Ticks(0),
        threshold: Ticks(0),
        bursts: Vec::new(),
        detours: Vec::new(),
        counts: KernelCounts::default(),
    };
    let (mut starts, mut lengths) = (Vec::new(), Vec::new());
    read_map(decoder, |key, decoder| {
        match key {
            "turn" => trace.turn = Ticks(decoder.u64()?),
            "threshold" => trace.threshold = Ticks(decoder.u64()?),
            "bursts" => {
                let ends = times(decoder)?;
                let (pairs, rest) = ends.as_chunks();
                if !rest.is_empty() {
                    return Err(Error::message("its last burst has no end"));
                }
                trace.bursts = pairs.iter().map(|[begin, end]| Burst { begin: *begin, end: *end }).collect();
            }
            "detours" => starts = times(decoder)?,
            "lengths" => lengths = differences(decoder)?,
            "counts" => trace.counts = counts(decoder)?,
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    if starts.len() != lengths.len() {
        return Err(Error::message("it has not as many lengths of detours as begins"));
    }
    let detours = starts.into_iter().zip(lengths);
    trace.detours = detours.map(|(start, length)| Detour { start, length: Ticks(length) }).collect();
    Ok(trace)
}

fn counts(decoder: &mut Decoder) -> Read<KernelCounts> {
    let mut counts = KernelCounts::default();
    read_map(decoder, |key, decoder| {
        match key {
            "interval_ns" => counts.interval = Nanos(decoder.u64()?),
            "interrupts" => counts.interrupts = reading(decoder, |decoder| list(decoder, named))?,
            "softirqs" => counts.softirqs = reading(decoder, |decoder| list(decoder, named))?,
            "steal_ns" => counts.steal = reading(decoder, nanos)?,
            "run_delay_ns" => counts.run_delay = reading(decoder, nanos)?,
            "forced_switches" => counts.forced_switches = reading(decoder, |decoder| decoder.u64())?,
            "events" => counts.events = reading(decoder, |decoder| list(decoder, event))?,
            _ => decoder.skip()?,
        }
        Ok(())
    })?;
    Ok(counts)
}

fn nanos(decoder: &mut Decoder) -> Read<Nanos> {
    decoder.u64().map(Nanos)
}

fn named(decoder: &mut Decoder) -> Read<(String, u64)> {
    pair(decoder)?;
    Ok((decoder.str()?.to_owned(), decoder.u64()?))
}

fn event(decoder: &mut Decoder) -> Read<(String, Vec<Ticks>)> {
    pair(decoder)?;
    Ok((decoder.str()?.to_owned(), times(decoder)?))
}

fn pair(decoder: &mut Decoder) -> Read<()> {
    match decoder.array()? {
        Some(2) => Ok(()),
        _ => Err(Error::message("a name and its values are not an array of two")),
    }
}

fn times(decoder: &mut Decoder) -> Read<Vec<Ticks>> {
    let mut now = 0_u64;
    let add = |step: u64| {
        now = now.wrapping_add(step);
        Ticks(now)
    };
    Ok(differences(decoder)?.into_iter().map(add).collect())
}

/// Reads differences as what wraps around 64 bits.
fn differences(decoder: &mut Decoder) -> Read<Vec<u64>> {
    list(decoder, |decoder| decoder.i64().map(|value| value as u64))
}

fn list<T>(decoder: &mut Decoder, mut read: impl FnMut(&mut Decoder) -> Read<T>) -> Read<Vec<T>> {
    let Some(count) = decoder.array()? else {
        return Err(Error::message("an array does not say its length"));
    };
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(read(decoder)?);
    }
    Ok(values)
}

fn read_map(decoder: &mut Decoder, mut entry: impl FnMut(&str, &mut Decoder) -> Read<()>) -> Read<()> {
    let Some(count) = decoder.map()? else {
        return Err(Error::message("a map does not say its length"));
    };
    for _ in 0..count {
        let key = decoder.str()?;
        entry(key, decoder)?;
    }
    Ok(())
}

/// Checks what every reader of a profile relies on.
fn check(profile: &Profile) -> Result<(), String> {
    if !(profile.rate.0.is_finite() && profile.rate.0 > 0.0) {
        return Err("its counter has no rate".to_owned());
    }
    for cpu in &profile.cpus {
        if let Reading::Known(gaps) = &cpu.gaps {
            check_gaps(gaps).map_err(|what| format!("CPU {}: {what}", cpu.cpu))?;
        }
        if let Reading::Known(quanta) = &cpu.quanta
            && !quanta.starts.is_sorted()
        {
            return Err(format!("CPU {}: its calls are not in order", cpu.cpu));
        }
    }
    Ok(())
}

fn check_gaps(gaps: &GapTrace) -> Result<(), &'static str> {
    let ends: Vec<Ticks> = gaps.bursts.iter().flat_map(|burst| [burst.begin, burst.end]).collect();
    if !ends.is_sorted() {
        return Err("its bursts are not in order, or overlap");
    }
    let mut bursts = gaps.bursts.iter().peekable();
    let mut before = Ticks(0);
    for detour in &gaps.detours {
        let end = detour.start.0.checked_add(detour.length.0).ok_or("a detour has no end")?;
        if detour.start < before {
            return Err("its detours are not in order, or overlap");
        }
        before = Ticks(end);
        while bursts.next_if(|burst| burst.end <= detour.start).is_some() {}
        if bursts.peek().is_none_or(|burst| detour.start < burst.begin || burst.end.0 < end) {
            return Err("a detour lies outside of the bursts");
        }
    }
    Ok(())
}
