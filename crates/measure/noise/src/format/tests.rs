use super::*;
use crate::{
    Burst, CpuProfile, Detour, GapTrace, KernelCounts, MachineLine, NodeLoad, QuantumTrace, TickRate, Ticks,
};
use minicbor::Encoder;
use model::{CpuId, Nanos, Reading};
use proptest::prelude::*;

fn ticks(values: &[u64]) -> Vec<Ticks> {
    values.iter().copied().map(Ticks).collect()
}

fn profile() -> Profile {
    let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
    let counts = KernelCounts {
        interval: Nanos(10_000_000_000),
        interrupts: Reading::Known(vec![("LOC Local timer interrupts".to_owned(), 2503)]),
        softirqs: Reading::Known(Vec::new()),
        steal: Reading::Known(Nanos::from_millis(20)),
        run_delay: Reading::unavailable("no schedstat"),
        forced_switches: Reading::Known(3),
        events: Reading::Known(vec![("local_timer".to_owned(), ticks(&[5, 10_000_005]))]),
    };
    Profile {
        machine: MachineLine {
            identity: "0123456789abcdef".to_owned(),
            host: "here".to_owned(),
            processor: "Fast CPU".to_owned(),
            kernel: "6.18.0".to_owned(),
        },
        began_unix_s: 1_795_000_000,
        load: NodeLoad::AllCpus,
        rate: TickRate(2_499_998_765.5),
        cpus: vec![
            CpuProfile {
                cpu: CpuId(0),
                quanta: Reading::Known(QuantumTrace {
                    target: Nanos::from_micros(155),
                    starts: ticks(&[0, 387_500, 775_002]),
                    lengths: ticks(&[387_500, 387_502, 403_000]),
                }),
                gaps: Reading::Known(GapTrace {
                    turn: Ticks(23),
                    threshold: Ticks(273),
                    bursts: vec![
                        Burst { begin: Ticks(0), end: Ticks(1_000_000) },
                        Burst { begin: Ticks(2_000_000), end: Ticks(3_000_000) },
                    ],
                    detours: vec![detour(100, 15_000), detour(900_000, 300), detour(2_000_000, 1_000_000)],
                    counts,
                }),
            },
            CpuProfile {
                cpu: CpuId(3),
                quanta: Reading::unavailable("the CPU went offline"),
                gaps: Reading::unavailable("the CPU went offline"),
            },
        ],
        weaknesses: vec!["memory could not be locked".to_owned()],
    }
}

/// Packs an item as a file is packed.
fn packed(item: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(item).unwrap();
    packed.finish().unwrap()
}

#[track_caller]
fn refused(bytes: &[u8], words: &str) {
    let error = decode(bytes).unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn what_is_written_is_read() {
    let profile = profile();
    let bytes = encode(&profile);
    assert_eq!(decode(&bytes).unwrap(), profile);
    assert_eq!(encode(&profile), bytes, "the same profile makes the same bytes");
}

#[test]
fn a_file_without_its_end_is_reported() {
    let bytes = encode(&profile());
    refused(&[], "the file is empty");
    for length in 1..bytes.len() {
        refused(&bytes[..length], "ends in the middle");
    }
    let item = super::write::profile(&profile());
    refused(&packed(&item[..item.len() - 1]), "ends in the middle");
}

#[test]
fn more_than_one_profile_is_reported() {
    let one = encode(&profile());
    refused(&[one.clone(), one].concat(), "something stands behind its end");
    let mut item = write::profile(&profile());
    item.push(0);
    refused(&packed(&item), "something stands behind its end");
}

#[test]
fn a_foreign_file_is_reported() {
    refused(b"cpu,what,start_ns\n", "not a .noise file");
    refused(&packed(b"hello, world"), "not a .noise file");
    refused(&packed(b""), "ends in the middle");
    let mut other = Encoder::new(Vec::new());
    other.map(2).unwrap().str("format").unwrap().str("else").unwrap().str("version").unwrap().u8(1).unwrap();
    refused(&packed(other.writer()), "not a .noise file");
    let mut empty = Encoder::new(Vec::new());
    empty.map(0).unwrap();
    refused(&packed(empty.writer()), "not a .noise file");
}

#[test]
fn a_newer_file_is_reported_whatever_else_it_has() {
    let mut newer = Encoder::new(Vec::new());
    newer.map(3).unwrap().str("format").unwrap().str(NAME).unwrap();
    newer.str("version").unwrap().u8(7).unwrap().str("cpus").unwrap().bool(true).unwrap();
    refused(&packed(newer.writer()), "version 7");
}

#[test]
fn unknown_fields_are_skipped() {
    let profile = profile();
    let item = super::write::profile(&profile);
    // A map of eight entries becomes one of nine.
    assert_eq!(item[0], 0xa8);
    let mut more = Encoder::new(Vec::new());
    more.str("colour").unwrap().array(2).unwrap().u8(1).unwrap().str("blue").unwrap();
    let item = [&[0xa9], &item[1..], more.writer()].concat();
    assert_eq!(decode(&packed(&item)).unwrap(), profile);
}

#[test]
fn what_readers_rely_on_is_checked() {
    let check = |change: fn(&mut GapTrace), words: &str| {
        let mut profile = profile();
        let Reading::Known(gaps) = &mut profile.cpus[0].gaps else { panic!("it is known") };
        change(gaps);
        refused(&encode(&profile), words);
    };
    check(|gaps| gaps.detours.swap(0, 1), "not in order");
    check(|gaps| gaps.detours[0].length = Ticks(950_000), "overlap");
    check(|gaps| gaps.detours[2].length = Ticks(1_000_001), "outside of the bursts");
    check(|gaps| gaps.detours[1].length = Ticks(u64::MAX), "has no end");
    check(|gaps| gaps.bursts.swap(0, 1), "bursts are not in order");
    let no_rate = Profile { rate: TickRate(0.0), ..profile() };
    refused(&encode(&no_rate), "no rate");
    let mut flipped = encode(&profile());
    // The last eight bytes are gzip's checksum and length.
    let at = flipped.len() - 8;
    flipped[at] ^= 1;
    refused(&flipped, "damaged");
}

#[test]
fn a_tick_takes_few_bytes() {
    let mut profile = profile();
    let Reading::Known(gaps) = &mut profile.cpus[0].gaps else { panic!("it is known") };
    gaps.bursts = vec![Burst { begin: Ticks(0), end: Ticks(25_000_000_000) }];
    gaps.detours = (0..9_999)
        .map(|at| Detour {
            start: Ticks(at * 2_500_000 + at * at % 1000),
            length: Ticks(15_000 + at * 31 % 500),
        })
        .collect();
    let bytes = encode(&profile);
    assert!(bytes.len() < 6 * 10_000, "{} bytes", bytes.len());
    assert_eq!(decode(&bytes).unwrap(), profile);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode(&bytes);
        let _ = decode(&packed(&bytes));
    }

    /// What is read of another program's trace, whatever its numbers, is a profile that can be kept.
    #[test]
    fn no_text_makes_it_panic(
        head in prop::sample::select(vec![
            "", "# cpu_mhz: 9\n", "# Time [ns]\n", "# Compute-Cycle Duration: 18446744073709551615 usec\n# Fixed Time Quantum Benchmark\n",
            "# Fixed Work Quantum Benchmark\n", "# Frequency 1e-300\n",
        ]),
        lines in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![
            "0", "1", "7", "200000", "18446744073709551615", "1.5", "-1", "\n",
            "x-1 [3] d.h. 1.5: irq_noise: local_timer:236 start 1.000000005 duration 18446744072709551610 ns\n",
            "x-1 [3] d.h. 1.5: thread_noise: [a b]:9 start 1.000000004 duration 7 ns\n",
            "x-1 [4] .... 1.5: sample_threshold: start 18446744073.709551 duration 1 ns interference 1\n",
            "x-1 [4] .... 2.000001: 1000000 12 99.9 9 18 0 1007 18 1\n", "CPU:9 [LOST 7 EVENTS]\n",
        ]), 0..5), 0..12),
    ) {
        let lines: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
        let text = format!("{head}{}", lines.join("\n"));
        if let Ok(profile) = decode_any(text.as_bytes(), ForeignHints::default()) {
            prop_assert_eq!(decode(&encode(&profile)).unwrap(), profile);
        }
    }

    #[test]
    fn a_changed_byte_is_refused_or_read(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut item = super::write::profile(&profile());
        let at = at.index(item.len());
        item[at] = to;
        let _ = decode(&packed(&item));
    }

    #[test]
    fn calls_are_kept_as_they_are(pauses in prop::collection::vec((0_u64..1 << 40, 0_u64..1 << 40), 0..50)) {
        let mut end = 0;
        let (mut starts, mut lengths) = (Vec::new(), Vec::new());
        for (pause, length) in pauses {
            starts.push(Ticks(end + pause));
            lengths.push(Ticks(length));
            end += pause + length;
        }
        let mut profile = profile();
        let target = Nanos(1);
        profile.cpus[0].quanta = Reading::Known(QuantumTrace { target, starts, lengths });
        prop_assert_eq!(decode(&encode(&profile)).unwrap(), profile);
    }
}
