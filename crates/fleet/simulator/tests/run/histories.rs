//! Random histories, also over checkpoints.

use super::*;

fn records() -> impl Strategy<Value = Vec<Value>> {
    let one = (
        0..6 * HOUR_MS,
        1..4_u32,
        1..3 * HOUR_MS,
        prop::sample::select(vec!["strict", "standard", "best-effort"]),
        any::<bool>(),
        prop::collection::vec((1..HOUR_MS, 0..3000_u32), 0..4),
        0..4_u32,
    );
    (prop::collection::vec(one, 1..40), 1..4_u32).prop_map(|(mut jobs, hosts)| {
        jobs.sort_by_key(|job| job.0);
        let hosts = (0..hosts).map(|at| with(host(&format!("h{at}"), 4), json!({"numa_nodes": 2})));
        let numbered = jobs.into_iter().enumerate();
        let jobs = numbered.map(|(at, (at_ms, cpus, for_ms, level, elastic, changes, service))| {
            let mut offset = 0;
            let mut uses = vec![json!([0, 700])];
            for (after, milli) in changes {
                offset += after;
                if offset < for_ms {
                    uses.push(json!([offset, milli]));
                }
            }
            let fields =
                json!({"level": level, "elastic": elastic, "use": uses, "service": format!("s{service}")});
            with(job(&format!("j{at}"), at_ms, cpus, for_ms), fields)
        });
        hosts.chain(jobs).collect()
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    prop::sample::select(Policy::BUILT_IN.to_vec()).prop_map(|name| {
        let promise = Promise { cpu_permille: 2000, ..Promise::default() };
        let pools = BTreeMap::from([("default".to_owned(), promise)]);
        Policy { pools, limits: Limits::default(), ..built_in(name) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// What hosts gave is what jobs got; nothing is lost between the two.
    #[test]
    fn cpu_time_is_conserved(records in records(), policy in policies(), failures in 0..4000_u32) {
        let options = SimOptions { failures_per_1000_host_days: failures, ..plain_options() };
        let ran = run_with(&trace(&records), policy, options);
        let got: f64 = ran.jobs.values().map(|job| job.wanted_s - job.missed_s).sum();
        let moves: f64 = ran.jobs.values().map(|job| f64::from(job.moves)).sum();
        let (mut end_ms, mut used) = (0, 0.0);
        for line in ran.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if let SimLine::Sample(sample) = serde_json::from_slice(line).expect("a line") {
                used += sample.used_cpus * 60.0;
                end_ms = sample.at_ms;
            }
        }
        // Samples end at the last whole minute, and what a move's pause costs a job the host has all the same.
        let rest_s = (ran.summary.length_ms - end_ms) as f64 / 1000.0;
        let most = 12.0 * rest_s + 4.0 * moves + 0.01;
        prop_assert!((used - got).abs() <= most, "used {used}, got {got}, rest {rest_s}");
        let jobs = records.iter().filter(|record| record.get("job").is_some()).count();
        prop_assert_eq!(ran.jobs.len(), jobs);
    }

    /// A run that went on from a checkpoint writes what one without it writes.
    #[test]
    fn a_checkpoint_changes_nothing(
        records in records(), policy in policies(), part in 0..100_u64, stale in 0..2_u64
    ) {
        let options =
            SimOptions { failures_per_1000_host_days: 5000, stale_ms: stale * 420_000, ..plain_options() };
        let text = trace(&records);
        let whole = run_with(&text, policy.clone(), options.clone());
        let again = run_with(&text, policy.clone(), options.clone());
        prop_assert_eq!(&whole.bytes, &again.bytes, "the same run gives the same bytes");
        let mut bytes = Vec::new();
        let mut first = Run::start(open(&text), policy.clone(), options.clone(), "t.trace", &mut bytes)
            .expect("it starts");
        first.advance(whole.summary.length_ms * part / 100).expect("it runs");
        let checkpoint = first.checkpoint().expect("it is kept");
        drop(first);
        let checkpoint = Checkpoint::read(&checkpoint).expect("it is whole");
        let written = checkpoint.written();
        prop_assert!(written.is_in(bytes.as_slice()).expect("it is read"));
        bytes.truncate(written.bytes as usize);
        let rest = Run::resume(checkpoint, open(&text), &policy, &options, Vec::new()).expect("it goes on");
        let (summary, _, rest) = rest.finish().expect("it ends");
        bytes.extend(rest);
        prop_assert_eq!(summary, whole.summary);
        prop_assert!(bytes == whole.bytes, "the file differs");
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused_and_a_damaged_one_too() {
    let text = trace(&[host("h", 1), job("a", 0, 1, HOUR_MS), job("b", 2 * HOUR_MS, 1, 1000)]);
    let mut bytes = Vec::new();
    let mut run =
        Run::start(open(&text), built_in("pack"), plain_options(), "", &mut bytes).expect("it starts");
    run.advance(HOUR_MS).expect("it runs");
    let checkpoint = run.checkpoint().expect("it is kept");
    drop(run);
    let refused = |text: &str, policy: &str, options: SimOptions, bytes: &[u8]| {
        let run = Checkpoint::read(bytes).and_then(|checkpoint| {
            Run::resume(checkpoint, open(text), &built_in(policy), &options, Vec::new())
        });
        run.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let refused_here = |bytes: &[u8]| refused(&text, "pack", plain_options(), bytes);
    assert_eq!(refused_here(&checkpoint), "");
    let other = trace(&[host("h", 2), job("a", 0, 1, HOUR_MS), job("b", 2 * HOUR_MS, 1, 1000)]);
    assert!(refused(&other, "pack", plain_options(), &checkpoint).contains("another trace"));
    assert!(refused(&text, "spread", plain_options(), &checkpoint).contains("another policy"));
    let seed = SimOptions { seed: 2, ..plain_options() };
    assert!(refused(&text, "pack", seed, &checkpoint).contains("another seed"));
    assert!(refused_here(&checkpoint[..20]).contains("damaged"));
    for at in 0..checkpoint.len() {
        let mut flipped = checkpoint.clone();
        flipped[at] ^= 1;
        assert!(refused_here(&flipped).contains("damaged"), "byte {at}");
    }
    let written = Checkpoint::read(&checkpoint).expect("it is whole").written();
    bytes[10] ^= 1;
    assert!(!written.is_in(bytes.as_slice()).expect("it is read"), "another file");
    assert!(!written.is_in(&b"short"[..]).expect("it is read"));
}
