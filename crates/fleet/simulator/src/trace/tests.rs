//! Traces that are written and read, and the errors of wrong ones.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::io::Write;

const GOOD: &str = r#"{"trace":1,"name":"small","made_by":"hand","separate_days":true,"note":"two hosts"}
{"host":"h1","cpu_milli":32000,"memory_mib":131072,"numa_nodes":2,"threads":2,"pool":"p","labels":["ssd"],"noise_permille":12,"price":100}
{"host":"h2","cpu_milli":16000,"memory_mib":65536}
{"job":"j1","at_ms":1000,"cpu_milli":2000,"memory_mib":4096,"level":"strict","service":"web","pool":"p","cluster":"main","needs":["ssd"],"apart":true,"noise_max_permille":20,"for_ms":3600000,"use":[[0,500],[300000,900]]}
{"change":"h1","at_ms":5000,"to":"drain"}
{"memory_mib":1,"cpu_milli":1,"at_ms":5000,"job":"j2","elastic":true}
{"end":5}
"#;

fn read(bytes: &[u8]) -> Result<(Head, Vec<Record>), TraceError> {
    let mut reader = Reader::open(bytes)?;
    let mut records = Vec::new();
    while let Some(record) = reader.next()? {
        records.push(record);
    }
    Ok((reader.head().clone(), records))
}

fn write(head: &Head, records: &[Record]) -> Result<Vec<u8>, TraceError> {
    let mut writer = Writer::create(Vec::new(), head)?;
    records.iter().try_for_each(|record| writer.write(record))?;
    writer.finish()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn all_fields_are_read() {
    let (head, records) = read(GOOD.as_bytes()).unwrap();
    let (name, made_by, note) = ("small".to_owned(), "hand".to_owned(), "two hosts".to_owned());
    assert_eq!(head, Head { name, made_by, separate_days: true, note });
    let first = HostRecord {
        numa_nodes: 2,
        threads: 2,
        pool: "p".to_owned(),
        labels: vec!["ssd".to_owned()],
        noise_permille: Some(12),
        price: 100,
        ..HostRecord::new("h1", Amount { cpu_milli: 32_000, memory_mib: 131_072 })
    };
    let second = HostRecord::new("h2", Amount { cpu_milli: 16_000, memory_mib: 65_536 });
    assert_eq!((&second.pool[..], &second.cluster[..]), ("default", "main"));
    let job = JobRecord {
        level: Level::Strict,
        service: Some("web".to_owned()),
        pool: Some("p".to_owned()),
        cluster: Some("main".to_owned()),
        needs: vec!["ssd".to_owned()],
        apart: true,
        noise_max_permille: Some(20),
        for_ms: Some(3_600_000),
        uses: vec![(0, 500), (300_000, 900)],
        ..JobRecord::new("j1", 1000, Amount { cpu_milli: 2000, memory_mib: 4096 })
    };
    let change = ChangeRecord { host: "h1".to_owned(), at_ms: 5000, to: Standing::Drain };
    let small = Amount { cpu_milli: 1, memory_mib: 1 };
    let batch = JobRecord { elastic: true, ..JobRecord::new("j2", 5000, small) };
    let expect = [
        Record::Host(first),
        Record::Host(second),
        Record::Job(job),
        Record::Change(change),
        Record::Job(batch),
    ];
    assert_eq!(records, expect);
    assert_eq!(read(&write(&head, &records).unwrap()).unwrap(), (head, records));
}

#[test]
fn the_hash_is_that_of_the_lines_also_where_they_are_compressed() {
    let halves = GOOD.as_bytes().split_at(200);
    let members = [packed(halves.0), packed(halves.1)].concat();
    for bytes in [GOOD.as_bytes(), &packed(GOOD.as_bytes()), &members] {
        let mut reader = Reader::open(bytes).unwrap();
        while reader.next().unwrap().is_some() {}
        assert_eq!(reader.line(), 7);
        assert!(reader.next().unwrap().is_none(), "the end stays the end");
        assert_eq!(reader.hash()[..], Sha256::digest(GOOD.as_bytes())[..]);
    }
}

/// Checks the error of the good trace with a part of it changed.
fn check(part: &str, other: &str, expect: &str) {
    assert!(GOOD.contains(part), "{part}");
    let changed = GOOD.replacen(part, other, 1);
    let stated = read(changed.as_bytes()).expect_err(&changed).to_string();
    assert_eq!(stated, expect, "{part} -> {other}");
}

#[test]
fn errors_name_line_and_field() {
    let cpu = "expected thousandths of a CPU from 1 to 4096000";
    check(r#""cpu_milli":2000"#, r#""cpu_milli":-3"#, &format!("line 4: cpu_milli: '-3' is below 1; {cpu}"));
    check(r#""cpu_milli":2000"#, r#""cpu_milli":0"#, &format!("line 4: cpu_milli: '0' is below 1; {cpu}"));
    check(
        r#""cpu_milli":32000"#,
        r#""cpu_milli":4096001"#,
        &format!("line 2: cpu_milli: '4096001' is above 4096000; {cpu}"),
    );
    check(
        r#""cpu_milli":2000"#,
        r#""cpu_milli":99999999999999999999"#,
        "line 4: cpu_milli: '1e+20' is above 4096000; expected thousandths of a CPU from 1 to 4096000",
    );
    check(
        r#""cpu_milli":2000,"#,
        "",
        "line 4: cpu_milli: is missing; expected thousandths of a CPU from 1 to 4096000",
    );
    check(
        r#""memory_mib":131072"#,
        r#""memory_mib":"2 GiB""#,
        "line 2: memory_mib: '2 GiB' cannot be used; expected MiB from 0 to 67108864",
    );
    check(
        "\"strict\"",
        "\"strikt\"",
        "line 4: level: 'strikt' is no level; did you mean 'strict'? expected one of strict, standard, best-effort",
    );
    check(
        "\"drain\"",
        "\"gone\"",
        "line 5: to: 'gone' is nothing a host can be; expected one of down, drain, up",
    );
    check(
        "\"price\"",
        "\"prize\"",
        "line 2: prize: a host has no such field; did you mean 'price'? expected one of host, at_ms, cpu_milli, \
         memory_mib, numa_nodes, threads, pool, cluster, labels, noise_permille, price",
    );
    check(r#""apart":true"#, r#""apart":1"#, "line 4: apart: '1' cannot be used; expected true or false");
    check(
        "\"host\":\"h2\"",
        "\"host\":\"h1\"",
        "line 3: host: 'h1' came before; give each host a name of its own",
    );
    check(
        "\"change\":\"h1\"",
        "\"change\":\"h9\"",
        "line 5: change: no host 'h9' comes before it; name a host above",
    );
    check(
        r#""service":"web","pool":"p""#,
        r#""service":"web","pool":"q""#,
        "line 4: pool: no host of pool 'q' comes before it; add one above, or leave the field out",
    );
    check(
        r#""cluster":"main""#,
        r#""cluster":"m""#,
        "line 4: cluster: no host of cluster 'm' comes before it; add one above, or leave the field out",
    );
    check(
        r#""cluster":"main""#,
        r#""host":"h9""#,
        "line 4: host: no host 'h9' comes before it; add it above, or leave the field out",
    );
    check(
        r#""at_ms":5000,"to""#,
        r#""at_ms":999,"to""#,
        "line 5: at_ms: '999' is before the record above, which is at 1000; sort the records by time",
    );
    check(
        r#""at_ms":5000,"job""#,
        r#""at_ms":316224000001,"job""#,
        "line 6: at_ms: '316224000001' is above 316224000000; expected milliseconds from 0 to 316224000000",
    );
    check("[[0,500]", "[[1,500]", "line 4: use: begins at offset '1'; expected 0, the start of the job");
    check(
        "[300000,900]",
        "[0,900]",
        "line 4: use: offset '0' does not come after the one before; sort the offsets",
    );
    check(
        "[300000,900]",
        "[3600000,900]",
        "line 4: use: offset '3600000' is not before the job's end; leave it out, or make for_ms longer",
    );
    check(
        "[300000,900]",
        "[300000,-1]",
        "line 4: use: '[300000,-1]' cannot be used; expected a list of [offset in milliseconds, thousandths of a CPU \
         from 0 to 4096000]",
    );
    check(
        "\"for_ms\":3600000",
        "\"for_ms\":0",
        "line 4: for_ms: '0' is below 1; expected milliseconds from 1 to 316224000000",
    );
    check(
        "\"job\":\"j1\"",
        "\"job\":\"\"",
        "line 4: job: '' is no name; expected a name of 1 to 256 bytes without control characters",
    );
}

#[test]
fn malformed_record_is_reported() {
    check(
        "{\"change\":\"h1\"",
        "{\"chance\":\"h1\"",
        "line 5: is no record; expected one of the fields 'host', 'change', 'job' and 'end'",
    );
    check(
        "{\"change\":\"h1\",",
        "{\"change\":\"h1\",,",
        "line 5: is not JSON (key must be a string in column 16); expected one record",
    );
    check(
        "{\"change\"",
        "[],{\"change\"",
        "line 5: is not JSON (invalid type: sequence, expected a map in column 0); expected one record",
    );
    check("\"elastic\":true", "\"job\":\"j3\"", "line 6: job: stands twice; remove one of them");
    check(
        "{\"change\":\"h1\"",
        "\n{\"change\":\"h1\"",
        "line 5: is not JSON (EOF while parsing a value in column 0); expected one record",
    );
    check(
        "{\"end\":5}",
        "{\"end\":6}",
        "line 7: end: '6' is not the number of records before it, which is 5; lines were lost or added; copy or make the trace again",
    );
    check(
        "{\"end\":5}",
        "{\"end\":5}\n{}",
        "line 8: stands after the end of the trace; remove it, or the {\"end\":N} before it",
    );
    check("{\"end\":5}", "{\"trace\":1}", "line 7: is a first line again; a file holds one trace");
}

#[test]
fn malformed_trace_is_reported() {
    let about = "a trace's first line is {\"trace\":1,...}; `tauto sim import` makes one";
    check(
        "{\"trace\":1,",
        "{",
        &format!(
            "this is no trace: it begins with '{{\"name\":\"small\",\"made_by\":\"hand\",\"separa...'; {about}"
        ),
    );
    check(
        "{\"trace\":1,",
        "sn,cpu_milli\n",
        &format!("this is no trace: it begins with 'sn,cpu_milli'; {about}"),
    );
    check(
        "{\"trace\":1,",
        "{\"trace\":2,",
        "line 1: trace: '2' is a version that this tauto does not read; expected 1; use another tauto",
    );
    check(
        "\"separate_days\":true",
        "\"separate_days\":0",
        "line 1: separate_days: '0' cannot be used; expected true or false",
    );
    check(
        "small",
        "",
        "line 1: name: '' is no name; expected a name of 1 to 256 bytes without control characters",
    );
    let empty = read(b"").unwrap_err().to_string();
    assert_eq!(empty, format!("this is no trace: it begins with ''; {about}"));
    let endless = read(&vec![b'x'; check::LINE_BYTES_MAX + 10]).unwrap_err().to_string();
    assert!(endless.starts_with("this is no trace: it begins with 'xxxxx"), "{endless}");
}

#[test]
fn a_torn_trace_is_noticed_wherever_it_is_cut() {
    let first = GOOD.find('\n').unwrap() + 1;
    let last = GOOD.rfind('}').unwrap();
    for end in first..=last {
        let error = read(&GOOD.as_bytes()[..end]).unwrap_err();
        assert!(matches!(error, TraceError::Torn { .. }), "{end}: {error}");
    }
    assert!(read(&GOOD.as_bytes()[..=last]).is_ok(), "the last end of a line is not needed");
    let gzip = packed(GOOD.as_bytes());
    for end in 0..gzip.len() {
        assert!(read(&gzip[..end]).is_err(), "{end} of {} bytes of gzip", gzip.len());
    }
    let mut torn = gzip.clone();
    torn.truncate(gzip.len() - 1);
    let stated = read(&torn).unwrap_err().to_string();
    assert!(stated.contains("the trace is torn"), "{stated}");
}

#[test]
fn a_line_has_a_limit() {
    let long = " ".repeat(check::LINE_BYTES_MAX);
    check(
        "{\"change\"",
        &(long + "{\"change\""),
        "line 5: is longer than 8388608 bytes; give the job fewer changes of its use",
    );
}

#[test]
fn a_long_word_is_compared_with_nothing() {
    // Its distance to all names of fields would take a gigabyte.
    let long = "x".repeat(check::LINE_BYTES_MAX - 200);
    let stated = read(GOOD.replacen("\"to\"", &format!("\"{long}\""), 1).as_bytes()).unwrap_err().to_string();
    let shown = format!("{}...", &long[..40]);
    assert_eq!(
        stated,
        format!("line 5: {shown}: a change has no such field; expected one of change, at_ms, to")
    );
}

#[test]
fn labels_and_uses_have_limits() {
    let head = Head { name: "n".to_owned(), ..Head::default() };
    let mut writer = Writer::create(Vec::new(), &head).unwrap();
    let host = |number: u32| HostRecord {
        labels: vec![format!("l{number}")],
        ..HostRecord::new(format!("h{number}"), Amount { cpu_milli: 1000, memory_mib: 1 })
    };
    (0..64).for_each(|number| writer.write(&Record::Host(host(number))).unwrap());
    let refused = writer.write(&Record::Host(host(64))).unwrap_err().to_string();
    assert_eq!(refused, "line 66: labels: there are more than 64 labels in the trace; use fewer");
    let mut job = JobRecord::new("j", 0, Amount { cpu_milli: 1000, memory_mib: 1 });
    job.needs.push("l63".to_owned());
    job.uses = (0..100_001).map(|offset| (offset, 1)).collect();
    let refused = writer.write(&Record::Job(job.clone())).unwrap_err().to_string();
    assert_eq!(refused, "line 66: use: 100001 changes are more than 100000; join some");
    job.uses.pop();
    writer.write(&Record::Job(job)).unwrap();
    let written = writer.finish().unwrap();
    assert_eq!(read(&written).unwrap().1.len(), 65, "what was refused has left no mark");
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "[^\\p{Cc}]{1,12}"]
}

fn host() -> impl Strategy<Value = HostRecord> {
    let sizes = (1..=4_096_000_u32, 0..=67_108_864_u32, 1..=1024_u32, 1..=8_u32);
    let places = (prop_oneof!["default", "p"], prop_oneof!["main", "c"]);
    let rest =
        (proptest::collection::vec(name(), 0..3), proptest::option::of(0..=1_000_000_u32), 0..1000_u32);
    (name(), sizes, places, rest).prop_map(|(name, sizes, places, rest)| HostRecord {
        name,
        at_ms: 0,
        cpu_milli: sizes.0,
        memory_mib: sizes.1,
        numa_nodes: sizes.2,
        threads: sizes.3,
        pool: places.0,
        cluster: places.1,
        labels: rest.0,
        noise_permille: rest.1,
        price: rest.2,
    })
}

fn job() -> impl Strategy<Value = JobRecord> {
    let names = (name(), proptest::option::of(name()), proptest::collection::vec(name(), 0..3));
    let amount = (1..=4_096_000_u32, 0..=67_108_864_u32);
    let flags = (0..3_usize, any::<bool>(), any::<bool>(), any::<bool>());
    let uses = proptest::collection::btree_map(1..1000_u64, 0..=4_096_000_u32, 0..5);
    let rest = (proptest::option::of(1000..1_000_000_u64), proptest::option::of(0..=1_000_000_u32));
    (names, amount, flags, uses, rest).prop_map(|(names, amount, flags, uses, rest)| JobRecord {
        name: names.0,
        at_ms: 0,
        cpu_milli: amount.0,
        memory_mib: amount.1,
        level: Level::ALL[flags.0],
        service: names.1,
        pool: flags.1.then(|| "default".to_owned()),
        cluster: None,
        host: flags.3.then(|| "first".to_owned()),
        needs: names.2,
        apart: flags.2,
        idle_siblings: flags.1,
        noise_max_permille: rest.1,
        for_ms: rest.0,
        uses: if uses.is_empty() { Vec::new() } else { [(0, 7)].into_iter().chain(uses).collect() },
        elastic: flags.3,
    })
}

fn trace() -> impl Strategy<Value = Vec<Record>> {
    let hosts = proptest::collection::btree_map(name(), host(), 1..4);
    let later = prop_oneof![
        3 => job().prop_map(Record::Job),
        1 => (0..3_usize).prop_map(|to| Record::Change(ChangeRecord { host: "first".to_owned(), at_ms: 0, to: Standing::ALL[to] })),
    ];
    let later = proptest::collection::vec((later, 0..1_000_000_u64), 0..12);
    (hosts, later).prop_map(|(hosts, later)| {
        let first = HostRecord::new("first", Amount { cpu_milli: 1, memory_mib: 0 });
        let others = hosts.into_iter().map(|(name, host)| HostRecord { name: name + "!", ..host });
        let mut records: Vec<_> = [first].into_iter().chain(others).map(Record::Host).collect();
        let mut now_ms = 0;
        for (mut record, after_ms) in later {
            now_ms += after_ms;
            match &mut record {
                Record::Host(host) => host.at_ms = now_ms,
                Record::Change(change) => change.at_ms = now_ms,
                Record::Job(job) => job.at_ms = now_ms,
            }
            records.push(record);
        }
        records
    })
}

proptest! {
    #[test]
    fn written_values_are_read_back(records in trace(), separate_days: bool, note in "[^\\p{Cc}]{0,40}") {
        let head = Head { name: "n".to_owned(), made_by: String::new(), separate_days, note };
        let written = write(&head, &records).unwrap();
        prop_assert_eq!(&read(&packed(&written)).unwrap(), &(head.clone(), records.clone()));
        prop_assert_eq!(read(&written).unwrap(), (head, records));
    }

    #[test]
    fn a_changed_byte_makes_a_trace_or_an_error(at: prop::sample::Index, byte: u8, is_packed: bool) {
        let mut bytes = if is_packed { packed(GOOD.as_bytes()) } else { GOOD.as_bytes().to_vec() };
        let place = at.index(bytes.len());
        bytes[place] = byte;
        if let Ok((head, records)) = read(&bytes) {
            let written = write(&head, &records).unwrap();
            prop_assert_eq!(read(&written).unwrap(), (head, records));
        }
    }
}
