//! Imports of small sources, and the errors of wrong ones.

use super::azure::NoiseGroup;
use super::planetlab::Day;
use super::*;
use crate::trace::{Head, JobRecord, Reader};
use ::noise::{CpuProfile, MachineLine, NodeLoad, Profile, QuantumTrace, TickRate, Ticks, format};
use model::{CpuId, Nanos, Reading};
use placement::Level;
use std::io::Cursor;

fn input<'a>(name: &str, text: &'a str) -> Input<&'a [u8]> {
    Input { name: name.to_owned(), reader: text.as_bytes() }
}

fn about() -> About {
    About { name: "t".to_owned(), made_by: "test".to_owned() }
}

fn read(bytes: &[u8]) -> (Head, Vec<HostRecord>, Vec<JobRecord>) {
    let mut reader = Reader::open(bytes).unwrap();
    let (mut hosts, mut jobs) = (Vec::new(), Vec::new());
    while let Some(record) = reader.next().unwrap() {
        match record {
            Record::Host(host) => hosts.push(host),
            Record::Job(job) => jobs.push(job),
            Record::Change(change) => panic!("{change:?}"),
        }
    }
    (reader.head().clone(), hosts, jobs)
}

/// Checks the error of a good text with a part of it changed.
fn check(good: &str, import: fn(&str) -> Result<(), ImportError>, part: &str, other: &str, expect: &str) {
    import(good).unwrap();
    assert!(good.contains(part), "{part}");
    let stated = import(&good.replacen(part, other, 1)).expect_err(other).to_string();
    assert_eq!(stated, expect, "{part} -> {other}");
}

const NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\nn1,32000,262144,0,\nn2,96000,393216,8,T4\n";
const PODS: &str = "\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
late,4000,1024,0,0,,BE,Running,20,50,25
p1,2000,0,1,460,,LS,Running,10,40,10
waits,1000,1,0,0,,Burstable,Pending,10,12,
never,1000,1,0,0,,Guaranteed,Failed,11,30,30
stays,1000,1,0,0,,Guaranteed,Running,12,,13
";

#[test]
fn openb_pods_are_sorted_and_keep_their_times() {
    let mut bytes = Vec::new();
    let summary = openb::import(
        input("nodes.csv", NODES),
        input("pods.csv", PODS),
        openb::Options::default(),
        &about(),
        &mut bytes,
    )
    .unwrap();
    assert_eq!((summary.hosts, summary.jobs), (2, 4));
    assert_eq!(summary.remarks, ["pods that lived for 0 s are left out: 1"]);
    let (head, hosts, jobs) = read(&bytes);
    assert!(head.note.ends_with("pods that lived for 0 s are left out: 1."), "{}", head.note);
    assert_eq!((hosts[0].labels.len(), &hosts[1].labels[..]), (0, &["T4".to_owned()][..]));
    let times = |job: &JobRecord| (job.name.clone(), job.at_ms, job.for_ms, job.level, job.memory_mib);
    let times: Vec<_> = jobs.iter().map(times).collect();
    let expect = [
        ("p1".to_owned(), 10_000, Some(30_000), Level::Standard, 1),
        ("waits".to_owned(), 10_000, Some(2_000), Level::Standard, 1),
        ("stays".to_owned(), 12_000, None, Level::Standard, 1),
        ("late".to_owned(), 20_000, Some(25_000), Level::BestEffort, 1024),
    ];
    assert_eq!(times, expect);
}

#[test]
fn openb_nodes_are_taken_evenly() {
    let nodes: String = (1..=10).map(|node| format!("n{node},1000,1024,0,\n")).collect();
    let nodes = format!("sn,cpu_milli,memory_mib,gpu,model\n{nodes}");
    let import = |hosts| {
        let (nodes, pods) = (input("nodes.csv", &nodes), input("pods.csv", PODS));
        let mut bytes = Vec::new();
        let options = openb::Options { hosts: Some(hosts) };
        openb::import(nodes, pods, options, &about(), &mut bytes).map(|summary| (summary, bytes))
    };
    let check = |hosts, expect: &[&str]| {
        let (summary, bytes) = import(hosts).unwrap();
        let (head, hosts, jobs) = read(&bytes);
        let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!((names, summary.hosts, jobs.len()), (expect.to_vec(), expect.len() as u64, 4));
        let remark = format!("{} of 10 nodes are hosts, spread evenly over the list", expect.len());
        assert_eq!(head.note.contains(&remark), expect.len() < 10, "{}", head.note);
    };
    check(1, &["n10"]);
    check(2, &["n5", "n10"]);
    check(3, &["n4", "n7", "n10"]);
    check(9, &["n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10"]);
    check(10, &["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10"]);
    for wrong in [0, 11] {
        let stated = import(wrong).unwrap_err().to_string();
        let expect = format!(
            "option 'hosts': '{wrong}' nodes cannot be taken; expected 1 to 10, as many as there are"
        );
        assert_eq!(stated, expect);
    }
}

#[test]
fn wrong_lists_of_openb_are_refused() {
    fn pods(text: &str) -> Result<(), ImportError> {
        let options = openb::Options::default();
        openb::import(input("nodes.csv", NODES), input("pods.csv", text), options, &about(), Vec::new())
            .map(|_| ())
    }
    fn nodes(text: &str) -> Result<(), ImportError> {
        let options = openb::Options::default();
        openb::import(input("nodes.csv", text), input("pods.csv", PODS), options, &about(), Vec::new())
            .map(|_| ())
    }
    let cpu = "expected thousandths of a CPU from 1 to 4096000";
    check(PODS, pods, "p1,2000", "p1,-3", &format!("pods.csv:3: cpu_milli: '-3' is below 1; {cpu}"));
    check(
        NODES,
        nodes,
        "96000",
        "a lot",
        &format!("nodes.csv:3: cpu_milli: 'a lot' is no whole number; {cpu}"),
    );
    check(NODES, nodes, "n2", "n1", "nodes.csv:3: host: 'n1' came before; give each host a name of its own");
    check(
        NODES,
        nodes,
        "T4",
        "",
        "nodes.csv:3: model: '' is no name; expected a name of 1 to 256 bytes without control characters",
    );
    check(
        PODS,
        pods,
        "LS",
        "SL",
        "pods.csv:3: qos: 'SL' is no quality of service; expected LS, Guaranteed, Burstable or BE",
    );
    check(
        PODS,
        pods,
        "20,50,25",
        "20,50,60",
        "pods.csv:2: deletion_time: '50' is before its start; expected 60 or later",
    );
    check(PODS, pods, "late,", "late,,", "pods.csv:2: has 12 fields; expected 11: as many as the first line");
    let columns = "name, cpu_milli, memory_mib, qos, creation_time, deletion_time, scheduled_time";
    check(
        PODS,
        pods,
        ",creation_time",
        ",created",
        &format!(
            "pods.csv:1: the table, which begins with 'name', has no column 'creation_time'; expected {columns}"
        ),
    );
}

/// Returns a day of two machines: one with a load that rises every hour, one that is idle.
fn day() -> String {
    let rising: Vec<_> = (0..288).map(|step| (step / 12).to_string()).collect();
    format!("rising,{}\nidle{}\n", rising.join(","), ",0".repeat(288))
}

#[test]
fn planetlab_files_are_days() {
    let day = day();
    let days = || vec![Day::Table(input("a.csv", &day)), Day::Table(input("b.csv", &day))];
    let options =
        planetlab::Options { requests: vec![8], allocation_permille: 500, ..planetlab::Options::default() };
    let mut bytes = Vec::new();
    let summary = planetlab::import(days(), &options, &about(), &mut bytes).unwrap();
    assert_eq!((summary.hosts, summary.jobs), (2, 4), "16 CPUs are half of two hosts");
    let (head, _, jobs) = read(&bytes);
    assert!(head.separate_days);
    let names: Vec<_> =
        jobs.iter().map(|job| (&job.name[..], job.service.as_deref().unwrap(), job.at_ms)).collect();
    let midnight = 86_400_000;
    let expect = [
        ("rising@1", "rising", 0),
        ("idle@1", "idle", 0),
        ("rising@2", "rising", midnight),
        ("idle@2", "idle", midnight),
    ];
    assert_eq!(names, expect);
    assert_eq!(jobs[0].uses.len(), 24, "equal neighbours are joined");
    assert_eq!(jobs[0].uses[23], (23 * 3_600_000, 8 * 230));
    assert_eq!(jobs[1].uses, [(0, 0)]);

    let options = planetlab::Options { spread_minutes: 600, ..options };
    let mut bytes = Vec::new();
    planetlab::import(days(), &options, &about(), &mut bytes).unwrap();
    for job in read(&bytes).2.iter().filter(|job| job.service.as_deref() == Some("rising")) {
        let arrival = job.at_ms % midnight;
        assert_eq!(job.for_ms, Some(midnight - arrival));
        let hours = arrival / 3_600_000;
        assert_eq!(job.uses[0], (0, 80 * hours as u32), "the load of the hour in which it arrives");
        assert_eq!(job.uses[1], ((hours + 1) * 3_600_000 - arrival, 80 * (hours as u32 + 1)));
    }
}

#[test]
fn a_day_of_planetlab_may_be_a_file_for_each_machine() {
    let lines =
        |text: &str| text.trim().split(',').skip(1).map(|load| format!("{load}\n")).collect::<String>();
    let day = day();
    let machines: Vec<(&str, String)> =
        day.lines().map(|row| (row.split(',').next().unwrap(), lines(row))).collect();
    let import = |days| {
        let mut bytes = Vec::new();
        planetlab::import(days, &planetlab::Options::default(), &about(), &mut bytes).map(|_| bytes)
    };
    let files = |machines: &[(&str, String)]| {
        let file = |(name, text): &(&str, String)| {
            (
                name.to_string(),
                Input { name: format!("day/{name}"), reader: Cursor::new(text.clone().into_bytes()) },
            )
        };
        vec![Day::Machines(machines.iter().map(file).collect())]
    };
    let table = Input { name: "a.csv".to_owned(), reader: Cursor::new(day.clone().into_bytes()) };
    let expect = import(vec![Day::Table(table)]).unwrap();
    assert_eq!(import(files(&machines)).unwrap(), expect, "the same trace as of the table");

    let check = |change: fn(&str) -> String, expect: &str| {
        let changed = [(machines[0].0, change(&machines[0].1))];
        assert_eq!(import(files(&changed)).unwrap_err().to_string(), expect);
    };
    check(
        |text| text.replacen('0', "", 1),
        "day/rising: has 287 loads; expected 288, one for every 5 minutes of a day, a line each",
    );
    check(
        |text| format!("{text}1\n"),
        "day/rising: has 289 loads; expected 288, one for every 5 minutes of a day, a line each",
    );
    check(
        |text| text.replacen('0', "x", 1),
        "day/rising:1: load: 'x' is no whole number; expected per cent of a CPU from 0 to 100",
    );
    let table =
        Input { name: "machine1".to_owned(), reader: Cursor::new(machines[0].1.clone().into_bytes()) };
    let stated = import(vec![Day::Table(table)]).unwrap_err().to_string();
    assert!(
        stated.starts_with("machine1:1: has one field;")
            && stated.ends_with("give the folder with the files of that day"),
        "{stated}"
    );
}

#[test]
fn wrong_days_of_planetlab_are_refused() {
    fn import(text: &str) -> Result<(), ImportError> {
        let options = planetlab::Options::default();
        planetlab::import(vec![Day::Table(input("a.csv", text))], &options, &about(), Vec::new()).map(|_| ())
    }
    let good = day();
    check(
        &good,
        import,
        "rising,0,",
        "rising,101,",
        "a.csv:1: value 1: '101' is above 100; expected per cent of a CPU from 0 to 100",
    );
    check(
        &good,
        import,
        "idle,",
        "idle,,",
        "a.csv:2: has 290 fields; expected 289: the name of a machine, and its load every 5 minutes of a day",
    );
    check(
        &good,
        import,
        "idle",
        "rising",
        "a.csv:2: name: 'rising' came before; expected a row for each machine",
    );
    let options = planetlab::Options { requests: vec![4097], ..planetlab::Options::default() };
    let refused = planetlab::import(vec![Day::Table(input("a.csv", &good))], &options, &about(), Vec::new())
        .unwrap_err();
    assert_eq!(refused.to_string(), "option 'requests': '4097' CPUs cannot be requested; expected 1 to 4096");
}

const LOG: &str = "\
; Version: 2.2
; MaxProcs: 100
 1  5 -1 100  4 -1 -1 -1  960 524288 -1 1 2 -1 -1 1 -1 -1
 2  3 -1   7 -1 -1 -1  2  960     -1 -1 9 2 -1 -1 1 -1 -1

 3  9 -1   0  1 -1 -1  2  960     -1 -1 9 2 -1 -1 1 -1 -1
 4  9 -1  -1  1 -1 -1  2  960     -1 -1 9 2 -1 -1 1 -1 -1
 5  9 -1   1 -1 -1 -1 -1  960     -1 -1 9 2 -1 -1 1 -1 -1
 6  9 -1   1 -1 -1 -1 9999 960    -1 -1 9 2 -1 -1 1 -1 -1
 7  9 -1   1 20 -1 -1 -1  960     -1 -1 -1 2 -1 -1 1 -1 -1
";

#[test]
fn jobs_of_a_log_that_ran_are_imported() {
    let mut bytes = Vec::new();
    let summary = swf::import(input("log.swf", LOG), &swf::Options::default(), &about(), &mut bytes).unwrap();
    assert_eq!((summary.hosts, summary.jobs), (7, 3));
    let expect = [
        "jobs with a run time of 0 are left out: 1",
        "jobs with an unknown run time are left out: 1",
        "jobs with an unknown number of processors are left out: 1",
        "jobs with more processors than a host can have are left out: 1",
        "1 jobs request more CPUs than a host has",
    ];
    assert_eq!(summary.remarks, expect);
    let (_, hosts, jobs) = read(&bytes);
    assert_eq!((hosts[6].name.as_str(), hosts[6].cpu_milli, hosts[6].noise_permille), ("h7", 16_000, None));
    let amount = |job: &JobRecord| {
        (job.name.clone(), job.at_ms, job.for_ms.unwrap(), job.request(), job.service.clone())
    };
    let user = |user: &str| Some(user.to_owned());
    let cpus = |cpu_milli, memory_mib| Amount { cpu_milli, memory_mib };
    let expect = [
        ("j2".to_owned(), 3000, 7000, cpus(2000, 2048), user("user-9")),
        ("j1".to_owned(), 5000, 100_000, cpus(4000, 2048), user("user-1")),
        ("j7".to_owned(), 9000, 1000, cpus(20_000, 20_480), None),
    ];
    assert_eq!(jobs.iter().map(amount).collect::<Vec<_>>(), expect);
    assert!(jobs.iter().all(|job| job.elastic && job.level == Level::Standard));
}

#[test]
fn times_of_logs_may_have_decimals() {
    let log = "; MaxProcs: 16\n\
        8 90.25 1 10.5 2 12.5 -1 2 -1 4096.5 1 3 1 1 1 -1 -1 -1\n\
        9 91 1 0.0001 2 -1 -1 2 -1 -1 1 3 1 1 1 -1 -1 -1\n";
    let mut bytes = Vec::new();
    swf::import(input("log.swf", log), &swf::Options::default(), &about(), &mut bytes).unwrap();
    let jobs = read(&bytes).2;
    let times: Vec<_> = jobs.iter().map(|job| (job.at_ms, job.for_ms.unwrap(), job.memory_mib)).collect();
    assert_eq!(times, [(90_250, 10_500, 9), (91_000, 1, 2048)]);
    for wrong in ["10.", ".5", "10.5.1", "1e1", "10,5", "-0.5"] {
        let log = log.replace("10.5", wrong);
        let stated = swf::import(input("log.swf", &log), &swf::Options::default(), &about(), Vec::new());
        let stated = stated.unwrap_err().to_string();
        assert!(stated.starts_with(&format!("log.swf:2: run time: '{wrong}' is ")), "{stated}");
    }
}

#[test]
fn lines_with_one_number_are_one_job() {
    let check = |lines: &[&str], at_ms: u64, for_ms: u64, remark: Option<&str>| {
        let whole = |line: &&str| format!("{} 3 1 1 1 -1 -1 -1\n", line.replace("...", "2 -1 -1 2 -1 -1"));
        let log = format!("; MaxProcs: 16\n{}", lines.iter().map(whole).collect::<String>());
        let mut bytes = Vec::new();
        let summary =
            swf::import(input("log.swf", &log), &swf::Options::default(), &about(), &mut bytes).unwrap();
        let jobs: Vec<_> =
            read(&bytes).2.iter().map(|job| (job.name.clone(), job.at_ms, job.for_ms.unwrap())).collect();
        assert_eq!(jobs, [("j9".to_owned(), at_ms, for_ms)], "{log}");
        assert_eq!(summary.remarks, remark.into_iter().collect::<Vec<_>>(), "{log}");
    };
    // Partial executions: 2 goes on, 3 and 4 are the last; only the first has to have a submit time.
    check(&["9 100 1 10 ... 2", "9 105 1 10.5 ... 3"], 100_000, 20_500, None);
    check(&["9 100 1 10 ... 2", "9 -1 5 7 ... 2", "9 -1 5 0 ... 4"], 100_000, 17_000, None);
    // A line for the whole job counts, and its parts do not.
    check(&["9 100 1 17 ... 1", "9 100 1 10 ... 2", "9 -1 5 7 ... 3"], 100_000, 17_000, None);
    check(&["9 100 1 10 ... 2", "9 -1 5 7 ... 4", "9 100 1 17 ... 0"], 100_000, 17_000, None);
    let repeated = "jobs with the number of another job are left out: 1";
    check(&["9 0 5 100 ... 1", "9 10 1 200 ... 1"], 0, 100_000, Some(repeated));
}

#[test]
fn wrong_logs_are_refused() {
    fn import(text: &str) -> Result<(), ImportError> {
        swf::import(input("log.swf", text), &swf::Options::default(), &about(), Vec::new()).map(|_| ())
    }
    check(
        LOG,
        import,
        " 100  4",
        " -7  4",
        "log.swf:3: run time: '-7' is below 0; expected seconds from 0 to 316224000",
    );
    check(LOG, import, "  5 -1", "  5 ", "log.swf:3: expected 18 numbers of a job, found 17");
    check(
        LOG,
        import,
        "MaxProcs: 100",
        "MaxProcs: many",
        "log.swf:2: MaxProcs: 'many' is no whole number; expected processors from 0 to 4294967295",
    );
    check(
        LOG,
        import,
        "MaxProcs",
        "Procs",
        "option 'hosts': the log does not contain the number of processors in a comment 'MaxProcs'; say how many hosts",
    );
}

const SPEEDS: &str = "\
time,vm_id,size,lifespan,metric,value
t,1,D8,short,speed,100.0
t,2,D8,short,speed,80
t,3,D8,short,speed,125
t,4,D8,short,speed,99.0
t,5,D8,short,speed,101.0
t,1,B8,long,speed,50
t,1,B8,long,speed,40
t,1,B8,long,speed,60
t,1,B8,long,speed,55
";

/// Makes up hosts with the noise of a file.
fn made_up_with(name: &str, bytes: &[u8]) -> MadeUpHosts {
    let noise = noise::read(Input { name: name.to_owned(), reader: bytes }).unwrap();
    MadeUpHosts { count: Some(40), noise, ..MadeUpHosts::default() }
}

#[test]
fn noise_is_the_slowdown_against_the_middle() {
    let groups = azure::read(input("speeds.csv", SPEEDS)).unwrap();
    assert_eq!(groups.iter().map(NoiseGroup::name).collect::<Vec<_>>(), ["B8 long", "D8 short"]);
    assert_eq!(groups[0].median(), 52.5);
    assert_eq!(groups[1].slowdowns_permille(), [-200, -10, 0, 10, 250]);
    assert_eq!(groups[1].figures(), [0, 0, 0, 10, 250], "a machine each");
    assert_eq!(groups[0].figures(), [313], "one machine, measured again and again");
    let written = serde_json::to_string(&groups[1].summary()).unwrap();
    assert!(
        written.contains(r#"{"percent":75,"permille":10}"#) && written.ends_with(r#""noise_permille":250}"#),
        "{written}"
    );

    let hosts = made_up_with("speeds.csv", SPEEDS.as_bytes());
    let options = swf::Options { hosts, ..swf::Options::default() };
    let mut bytes = Vec::new();
    swf::import(input("log.swf", LOG), &options, &about(), &mut bytes).unwrap();
    let (head, hosts, _) = read(&bytes);
    assert!(head.note.contains("(B8 long, D8 short)"), "{}", head.note);
    assert!(hosts.iter().step_by(2).all(|host| host.noise_permille == Some(313)));
    for figure in [0, 10, 250] {
        assert!(hosts.iter().skip(1).step_by(2).any(|host| host.noise_permille == Some(figure)), "{figure}");
    }
}

#[test]
fn wrong_speeds_are_refused() {
    fn import(text: &str) -> Result<(), ImportError> {
        azure::read(input("speeds.csv", text)).map(|_| ())
    }
    for wrong in ["-80", "0", "nan", "inf", ""] {
        let expect = format!("speeds.csv:3: value: '{wrong}' is no speed; expected a number above 0");
        check(SPEEDS, import, "speed,80", &format!("speed,{wrong}"), &expect);
    }
    check(
        SPEEDS,
        import,
        "speed,80",
        "memory,80",
        "speeds.csv:3: metric: 'memory' is another measure than above; expected 'speed'",
    );
}

#[test]
fn a_row_without_an_end_is_not_held() {
    let endless = format!("time,\"{}", "x\n".repeat(table::ROW_BYTES_MAX));
    let stated = azure::read(input("speeds.csv", &endless)).unwrap_err();
    assert!(
        matches!(&stated, ImportError::Read { line: 1, source, .. } if source.to_string().contains("longer than")),
        "{stated:?}"
    );
    let stated = swf::import(
        input("log.swf", &endless.replace('\n', " ")),
        &swf::Options::default(),
        &about(),
        Vec::new(),
    );
    assert!(stated.unwrap_err().to_string().contains(":1: is longer than 1048576 bytes"));
}

/// Makes a profile of CPUs whose calls took these ticks each.
fn profile(cpus: &[&[u64]]) -> Profile {
    let cpu = |(cpu, lengths): (u32, &&[u64])| {
        let starts = (0..).map(|call| Ticks(call * 1_000_000)).take(lengths.len()).collect();
        let lengths = lengths.iter().copied().map(Ticks).collect();
        let quanta = Reading::Known(QuantumTrace { target: Nanos::from_micros(100), starts, lengths });
        CpuProfile { cpu: CpuId(cpu), quanta, gaps: Reading::unavailable("not measured") }
    };
    Profile {
        machine: MachineLine { processor: "Made up 2000".to_owned(), ..MachineLine::default() },
        began_unix_s: 1,
        load: NodeLoad::AllCpus,
        rate: TickRate(1e9),
        cpus: (0..).zip(cpus).map(cpu).collect(),
        weaknesses: Vec::new(),
    }
}

/// Returns lengths of `count` calls, some of them long.
fn calls(count: usize, long: usize) -> Vec<u64> {
    (0..count).map(|call| if call < long { 130_000 } else { 100_000 }).collect()
}

#[test]
fn hosts_draw_the_noise_of_a_profiles_cpus() {
    // The 99th of a hundred in order: with one long call it is short, with two it is long.
    let bytes = format::encode(&profile(&[&calls(100, 1), &calls(100, 2), &calls(99, 50), &calls(1000, 11)]));
    let hosts = made_up_with("a.noise", &bytes);
    assert_eq!(hosts.noise[0].figures(), [0, 300, 300], "a CPU with fewer than 100 calls does not count");
    let options = swf::Options { hosts, ..swf::Options::default() };
    let import = || {
        let mut bytes = Vec::new();
        swf::import(input("log.swf", LOG), &options, &about(), &mut bytes).unwrap();
        bytes
    };
    let (head, hosts, _) = read(&import());
    assert!(head.note.contains("(Made up 2000, 3 CPUs)"), "{}", head.note);
    let with = |figure| hosts.iter().filter(|host| host.noise_permille == Some(figure)).count();
    assert!(with(0) > 5 && with(300) > with(0) && with(0) + with(300) == 40, "{} and {}", with(0), with(300));
    assert_eq!(import(), import());
}

#[test]
fn a_file_that_has_no_noise_is_refused() {
    let check = |bytes: &[u8], expect: &str| {
        let stated = noise::read(Input { name: "a".to_owned(), reader: bytes }).unwrap_err().to_string();
        assert_eq!(stated, expect);
    };
    let both = "expected a profile as 'tauto noise probe -o FILE' writes it, or a table with the columns vm_id, size, lifespan, metric, value";
    check(b"", &format!("a: begins with '', {both}"));
    check(b"vm_id,size\n1,2\n", &format!("a: begins with 'vm_id,size', {both}"));
    check(
        b"vm_id,size,lifespan,metric,value\n",
        "a: has no measurements; expected rows below the names of the columns",
    );
    let few =
        "a: has no CPU with 100 calls of equal work; measure with 'tauto noise probe' without '--calls 0'";
    check(&format::encode(&profile(&[])), few);
    check(&format::encode(&profile(&[&calls(99, 0)])), few);
    check(&format::encode(&profile(&[&[0; 200]])), few);
    let whole = format::encode(&profile(&[&calls(1000, 9)]));
    let torn = noise::read(Input { name: "a".to_owned(), reader: &whole[..whole.len() / 2] }).unwrap_err();
    assert!(torn.to_string().starts_with("a: "), "{torn}");
}
