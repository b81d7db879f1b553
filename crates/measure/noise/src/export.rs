//! Profiles for other programs: CSV, logs of HdrHistogram, and noise traces of LogGOPSim.

use crate::{GapSummary, GapTrace, Profile, Ticks};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use model::Reading;
use std::fmt::Write;
use std::time::Duration;

/// Three digits are what programs that read these logs expect.
const DIGITS: u8 = 3;

/// Makes a table of everything that happened: a line for each call (`quantum`) and each detour (`gap`), times in
/// nanoseconds from the begin of their trace.
pub fn csv(profile: &Profile) -> String {
    let mut text = String::from("cpu,what,start_ns,length_ns\n");
    for cpu in &profile.cpus {
        let mut line = |what: &str, start: Ticks, length: Ticks| {
            let (start, length) = (profile.rate.nanos(start), profile.rate.nanos(length));
            // A text takes all that is written.
            let _ = writeln!(text, "{},{what},{start:.1},{length:.1}", cpu.cpu);
        };
        if let Reading::Known(quanta) = &cpu.quanta {
            quanta
                .starts
                .iter()
                .zip(&quanta.lengths)
                .for_each(|(start, length)| line("quantum", *start, *length));
        }
        if let Reading::Known(gaps) = &cpu.gaps {
            gaps.detours.iter().for_each(|detour| line("gap", detour.start, detour.length));
        }
    }
    text
}

/// Makes a log of HdrHistogram (version 1.2 of the log, V2 of the histograms), with an interval for each CPU's calls
/// (tag `cpu0-quantum`) and detours (`cpu0-gap`), in nanoseconds.
///
/// # Errors
/// When a length does not fit into a histogram.
pub fn hdr_log(profile: &Profile) -> Result<String, String> {
    let failed = |error: &dyn std::fmt::Display| format!("a histogram cannot be written: {error}");
    let mut bytes = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let comment =
        format!("tautochrone noise, {}, began_unix_s {}", profile.machine.host, profile.began_unix_s);
    let mut writer = IntervalLogWriterBuilder::new()
        // One line is one comment, whatever a host is called.
        .add_comment(&comment.replace(['\n', '\r'], " "))
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut bytes, &mut serializer)
        .map_err(|error| failed(&error))?;
    for cpu in &profile.cpus {
        let mut interval = |what: &str, from: Ticks, to: Ticks, lengths: &mut dyn Iterator<Item = Ticks>| {
            let mut histogram = Histogram::<u64>::new(DIGITS).map_err(|error| failed(&error))?;
            for length in lengths {
                histogram
                    .record(profile.rate.nanos(length).round() as u64)
                    .map_err(|error| failed(&error))?;
            }
            let time = |ticks: Ticks| Duration::from_nanos(profile.rate.nanos(ticks).round() as u64);
            let duration = time(to).saturating_sub(time(from));
            let tag = format!("cpu{}-{what}", cpu.cpu);
            writer
                .write_histogram(&histogram, time(from), duration, Tag::new(&tag))
                .map_err(|error| failed(&format!("{error:?}")))
        };
        if let Reading::Known(quanta) = &cpu.quanta
            && let (Some(from), Some(last), Some(length)) =
                (quanta.starts.first(), quanta.starts.last(), quanta.lengths.last())
        {
            let to = Ticks(last.0.saturating_add(length.0));
            interval("quantum", *from, to, &mut quanta.lengths.iter().copied())?;
        }
        if let Reading::Known(gaps) = &cpu.gaps
            && let (Some(first), Some(last)) = (gaps.bursts.first(), gaps.bursts.last())
        {
            interval("gap", first.begin, last.end, &mut gaps.detours.iter().map(|detour| detour.length))?;
        }
    }
    drop(writer);
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// Makes a noise trace for LogGOPSim (`--noise-trace`): start and length of each detour of the noisiest CPU, in the format of
/// netgauge's benchmark `selfish`. When the loop did not look is left out, since the simulator would take it for quiet.
///
/// # Errors
/// When no CPU has two detours, between which the simulator looks.
pub fn loggopsim(profile: &Profile) -> Result<String, String> {
    let traces = profile.cpus.iter().filter_map(|cpu| Some((cpu.cpu, cpu.gaps.known()?)));
    let share = |trace: &GapTrace| GapSummary::of(trace, profile.rate).share();
    let noisiest = traces
        .filter(|(_, trace)| trace.detours.len() >= 2)
        .max_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)));
    let Some((cpu, trace)) = noisiest else {
        return Err("a noise trace of LogGOPSim needs at least two detours on one CPU".to_owned());
    };
    let nanos = |ticks: u64| profile.rate.nanos(Ticks(ticks));
    let watched = trace.bursts.iter().map(|burst| burst.end.0 - burst.begin.0).sum();
    let mut lines = vec![
        format!("# Selfish Benchmark, measured by tauto on CPU {cpu}"),
        format!("# Minimal cycle length [ns]: {:.6}", nanos(trace.turn.0)),
        format!("# Measurement period: {:.2} s", nanos(watched) / 1e9),
        "# Time [ns]\tselfish duration [ns]".to_owned(),
    ];
    let (mut bursts, mut looked) = (trace.bursts.iter().peekable(), 0);
    for detour in &trace.detours {
        while let Some(over) = bursts.next_if(|burst| burst.end <= detour.start) {
            looked += over.end.0 - over.begin.0;
        }
        let begin = bursts.peek().map_or(detour.start, |burst| burst.begin);
        let start = looked + detour.start.0.saturating_sub(begin.0);
        lines.push(format!("{:.2}\t{:.2}", nanos(start), nanos(detour.length.0)));
    }
    // The simulator takes an empty last line for a detour, so there is no end of line behind the last one.
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Burst, CpuProfile, Detour, KernelCounts, MachineLine, NodeLoad, QuantumTrace, TickRate};
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use model::{CpuId, Nanos};

    fn profile() -> Profile {
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        let quanta = QuantumTrace {
            target: Nanos(100),
            starts: vec![Ticks(0), Ticks(200)],
            lengths: vec![Ticks(200), Ticks(210)],
        };
        let gaps = GapTrace {
            turn: Ticks(20),
            threshold: Ticks(220),
            bursts: vec![Burst { begin: Ticks(0), end: Ticks(4_000_000_000) }],
            detours: vec![detour(1_001, 12_000), detour(2_000_000, 400), detour(3_000_000, 12_000)],
            counts: KernelCounts::default(),
        };
        Profile {
            machine: MachineLine { host: "here\nthere".to_owned(), ..MachineLine::default() },
            began_unix_s: 7,
            load: NodeLoad::OneCpu,
            rate: TickRate(2e9),
            cpus: vec![
                CpuProfile { cpu: CpuId(3), quanta: Reading::Known(quanta), gaps: Reading::Known(gaps) },
                CpuProfile { cpu: CpuId(4), quanta: Reading::default(), gaps: Reading::default() },
            ],
            weaknesses: Vec::new(),
        }
    }

    #[test]
    fn a_line_for_each_call_and_detour() {
        let text = csv(&profile());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "cpu,what,start_ns,length_ns",
                "3,quantum,0.0,100.0",
                "3,quantum,100.0,105.0",
                "3,gap,500.5,6000.0",
                "3,gap,1000000.0,200.0",
                "3,gap,1500000.0,6000.0",
            ]
        );
    }

    #[test]
    fn a_noise_trace_leaves_out_unwatched_time_and_is_read_back() {
        let mut profile = profile();
        if let Reading::Known(gaps) = &mut profile.cpus[0].gaps {
            let burst = |begin, end| Burst { begin: Ticks(begin), end: Ticks(end) };
            gaps.bursts = vec![burst(1_000, 100_000), burst(1_000_000, 4_000_000)];
        }
        let text = loggopsim(&profile).unwrap();
        let end = "# Time [ns]\tselfish duration [ns]\n0.50\t6000.00\n549500.00\t200.00\n1049500.00\t6000.00";
        assert!(text.ends_with(end), "{text}");
        let read = crate::format::decode_any(text.as_bytes(), Default::default()).unwrap();
        let detours = &read.cpus[0].gaps.known().unwrap().detours;
        assert_eq!(detours[1], Detour { start: Ticks(549_500), length: Ticks(200) });
        profile.cpus.remove(0);
        assert!(loggopsim(&profile).is_err());
    }

    #[test]
    fn the_log_is_read_back_by_its_own_library() {
        let log = hdr_log(&profile()).unwrap();
        let mut found = Vec::new();
        for entry in IntervalLogIterator::new(log.as_bytes()) {
            let Ok(LogEntry::Interval(interval)) = entry else { continue };
            let bytes = base64_of(interval.encoded_histogram());
            let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
            let tag = interval.tag().unwrap().as_str().to_owned();
            found.push((
                tag,
                interval.duration().as_millis(),
                histogram.len(),
                histogram.value_at_quantile(0.5),
            ));
        }
        assert_eq!(found, [("cpu3-quantum".to_owned(), 0, 2, 100), ("cpu3-gap".to_owned(), 2_000, 3, 6_003)]);
    }

    /// Decodes base64 (RFC 4648): the log has its histograms in it.
    fn base64_of(text: &str) -> Vec<u8> {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
        for digit in text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte)) {
            bits = bits << 6 | digit as u32;
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held) as u8);
            }
        }
        bytes
    }
}
