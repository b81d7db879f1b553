//! Imports of small sources, and what is said of wrong ones.

use super::*;
use crate::trace::{Head, JobRecord, Reader};
use sched::fleet::Level;

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

/// Checks what is said of a good text with a part of it changed.
fn check(good: &str, import: fn(&str) -> Result<(), ImportError>, part: &str, other: &str, expect: &str) {
    import(good).unwrap();
    assert!(good.contains(part), "{part}");
    let said = import(&good.replacen(part, other, 1)).expect_err(other).to_string();
    assert_eq!(said, expect, "{part} -> {other}");
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
    let summary =
        openb::import(input("nodes.csv", NODES), input("pods.csv", PODS), &about(), &mut bytes).unwrap();
    assert_eq!((summary.hosts, summary.jobs), (2, 4));
    assert_eq!(summary.remarks, ["1 pods that lived for 0 s are left out"]);
    let (head, hosts, jobs) = read(&bytes);
    assert!(head.note.ends_with("1 pods that lived for 0 s are left out."), "{}", head.note);
    assert_eq!((hosts[0].labels.len(), &hosts[1].labels[..]), (0, &["T4".to_owned()][..]));
    let times =
        |job: &JobRecord| (job.name.clone(), job.at_ms, job.for_ms, job.level, job.request.memory_mib);
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
fn wrong_lists_of_openb_are_refused() {
    fn pods(text: &str) -> Result<(), ImportError> {
        openb::import(input("nodes.csv", NODES), input("pods.csv", text), &about(), Vec::new()).map(|_| ())
    }
    fn nodes(text: &str) -> Result<(), ImportError> {
        openb::import(input("nodes.csv", text), input("pods.csv", PODS), &about(), Vec::new()).map(|_| ())
    }
    let cpu = "expected thousandths of a CPU from 1 to 4096000";
    check(
        PODS,
        pods,
        "p1,2000",
        "p1,-3",
        &format!("pods.csv, line 3, field 'cpu_milli': '-3' is below 1; {cpu}"),
    );
    check(
        NODES,
        nodes,
        "96000",
        "a lot",
        &format!("nodes.csv, line 3, field 'cpu_milli': 'a lot' is no whole number; {cpu}"),
    );
    check(
        NODES,
        nodes,
        "n2",
        "n1",
        "nodes.csv, line 3, field 'host': 'n1' came before; give each host a name of its own",
    );
    check(
        NODES,
        nodes,
        "T4",
        "",
        "nodes.csv, line 3, field 'model': '' is no name; expected a name of 1 to 256 bytes without control characters",
    );
    check(
        PODS,
        pods,
        "LS",
        "SL",
        "pods.csv, line 3, field 'qos': 'SL' is no quality of service; expected LS, Guaranteed, Burstable or BE",
    );
    check(
        PODS,
        pods,
        "20,50,25",
        "20,50,60",
        "pods.csv, line 2, field 'deletion_time': '50' is before its start; expected 60 or later",
    );
    check(
        PODS,
        pods,
        "late,",
        "late,,",
        "pods.csv, line 2: has 12 fields; expected 11: as many as the first line",
    );
    let columns = "name, cpu_milli, memory_mib, qos, creation_time, deletion_time, scheduled_time";
    check(
        PODS,
        pods,
        ",creation_time",
        ",created",
        &format!(
            "pods.csv, line 1: the table, which begins with 'name', has no column 'creation_time'; expected {columns}"
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
    let days = || vec![input("a.csv", &day), input("b.csv", &day)];
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
fn wrong_days_of_planetlab_are_refused() {
    fn import(text: &str) -> Result<(), ImportError> {
        let options = planetlab::Options::default();
        planetlab::import(vec![input("a.csv", text)], &options, &about(), Vec::new()).map(|_| ())
    }
    let good = day();
    check(
        &good,
        import,
        "rising,0,",
        "rising,101,",
        "a.csv, line 1, field 'value 1': '101' is above 100; expected per cent of a CPU from 0 to 100",
    );
    check(
        &good,
        import,
        "idle,",
        "idle,,",
        "a.csv, line 2: has 290 fields; expected 289: the name of a machine, and its load every 5 minutes of a day",
    );
    check(
        &good,
        import,
        "idle",
        "rising",
        "a.csv, line 2, field 'name': 'rising' came before; expected a row for each machine",
    );
    let options = planetlab::Options { requests: vec![4097], ..planetlab::Options::default() };
    let refused = planetlab::import(vec![input("a.csv", &good)], &options, &about(), Vec::new()).unwrap_err();
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
        "1 jobs with a run time of 0 are left out",
        "1 jobs with an unknown run time are left out",
        "1 jobs with an unknown number of processors are left out",
        "1 jobs with more processors than a host can have are left out",
        "1 jobs request more CPUs than a host has",
    ];
    assert_eq!(summary.remarks, expect);
    let (_, hosts, jobs) = read(&bytes);
    assert_eq!((hosts[6].name.as_str(), hosts[6].cpu_milli, hosts[6].noise_permille), ("h7", 16_000, None));
    let amount = |job: &JobRecord| {
        (job.name.clone(), job.at_ms, job.for_ms.unwrap(), job.request, job.service.clone())
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
fn wrong_logs_are_refused() {
    fn import(text: &str) -> Result<(), ImportError> {
        swf::import(input("log.swf", text), &swf::Options::default(), &about(), Vec::new()).map(|_| ())
    }
    check(
        LOG,
        import,
        " 100  4",
        " -7  4",
        "log.swf, line 3, field 'run time': '-7' is below 0; expected seconds from 0 to 316224000",
    );
    check(LOG, import, "  5 -1", "  5 ", "log.swf, line 3: has 17 fields; expected 18 numbers of a job");
    check(
        LOG,
        import,
        "MaxProcs: 100",
        "MaxProcs: many",
        "log.swf, line 2, field 'MaxProcs': 'many' is no whole number; expected processors from 0 to 4294967295",
    );
    check(
        LOG,
        import,
        "MaxProcs",
        "Procs",
        "option 'hosts': the log does not tell the number of processors in a comment 'MaxProcs'; say how many hosts",
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

    let hosts = MadeUpHosts { count: Some(40), noise: groups, ..MadeUpHosts::default() };
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
        let expect =
            format!("speeds.csv, line 3, field 'value': '{wrong}' is no speed; expected a number above 0");
        check(SPEEDS, import, "speed,80", &format!("speed,{wrong}"), &expect);
    }
    check(
        SPEEDS,
        import,
        "speed,80",
        "memory,80",
        "speeds.csv, line 3, field 'metric': 'memory' is another measure than above; expected 'speed'",
    );
}

#[test]
fn a_row_without_an_end_is_not_held() {
    let endless = format!("time,\"{}", "x\n".repeat(table::ROW_BYTES_MAX));
    let said = azure::read(input("speeds.csv", &endless)).unwrap_err();
    assert!(
        matches!(&said, ImportError::Read { line: 1, source, .. } if source.to_string().contains("longer than")),
        "{said:?}"
    );
    let said = swf::import(
        input("log.swf", &endless.replace('\n', " ")),
        &swf::Options::default(),
        &about(),
        Vec::new(),
    );
    assert!(said.unwrap_err().to_string().contains("line 1: is longer than 1048576 bytes"));
}
