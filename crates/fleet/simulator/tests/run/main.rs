//! Whole runs of small traces.

mod courses;
mod decisions;
mod histories;

use documents::{SimJob, SimLine, SimOptions, SimSummary};
use placement::policy::{Limits, Policy, Promise};
use proptest::prelude::*;
use serde_json::{Value, json};
use simulator::run::{Checkpoint, Run, plain_options};
use simulator::source::Source;
use simulator::trace::Reader;
use std::collections::BTreeMap;
use std::io::Cursor;

const HOUR_MS: u64 = 3_600_000;

fn trace(records: &[Value]) -> String {
    let mut text = json!({"trace": 1, "name": "t", "made_by": "test"}).to_string();
    for record in records.iter().chain([&json!({"end": records.len()})]) {
        text.push('\n');
        text.push_str(&record.to_string());
    }
    text + "\n"
}

fn open(text: &str) -> impl Source + use<> {
    Reader::open(Cursor::new(text.as_bytes().to_vec())).expect("the trace begins well")
}

fn host(name: &str, cpus: u32) -> Value {
    json!({"host": name, "cpu_milli": cpus * 1000, "memory_mib": cpus * 4096})
}

fn job(name: &str, at_ms: u64, cpus: u32, for_ms: u64) -> Value {
    json!({"job": name, "at_ms": at_ms, "cpu_milli": cpus * 1000, "memory_mib": 100, "level": "standard", "for_ms": for_ms})
}

fn with(mut job: Value, fields: Value) -> Value {
    let fields = fields.as_object().expect("fields").clone();
    job.as_object_mut().expect("a record").extend(fields);
    job
}

fn built_in(name: &str) -> Policy {
    Policy::built_in(name).expect("it is built in")
}

/// First fit, with requests up to a multiple of the CPUs.
fn overcommitted(cpu_permille: u32) -> Policy {
    let pools = BTreeMap::from([("default".to_owned(), Promise { cpu_permille, ..Promise::default() })]);
    Policy { pools, ..built_in("first-fit") }
}

struct Ran {
    summary: SimSummary,
    jobs: BTreeMap<String, SimJob>,
    bytes: Vec<u8>,
}

fn run_with(text: &str, policy: Policy, options: SimOptions) -> Ran {
    let run = Run::start(open(text), policy, options, "t.trace", Vec::new()).expect("it starts");
    let (summary, _, bytes) = run.finish().expect("it ends");
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let jobs = lines.filter_map(|line| match serde_json::from_slice(line).expect("a line") {
        SimLine::Job(job) => Some((job.name.clone(), job)),
        _ => None,
    });
    Ran { jobs: jobs.collect(), summary, bytes }
}

fn run(records: &[Value], policy: Policy) -> Ran {
    run_with(&trace(records), policy, plain_options())
}
