//! A judgehost that answers by a rule: the verdict follows from the source. It speaks the protocol and nothing else, so that
//! tests can do what a real one never would.

use crate::client::{Answer, Client};
use documents::VerdictId;
use documents::judgehost::{ClaimResponse, Job, JobDone, JobRun, JobSpent, Report, ReportKind, ReportState};
use model::Verdict;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// The argument that makes this program a judgehost.
pub const JUDGE: &str = "--judge";
const CASES: u32 = 3;
const CASE: Duration = Duration::from_millis(5);
const RETRY: Duration = Duration::from_millis(50);
const CLAIM_MAX: u32 = 4;

/// Returns the verdict of a source: any judgehost gives the same.
pub fn verdict(source_hash: &str) -> Verdict {
    match source_hash.as_bytes()[0] {
        b'0'..=b'7' => Verdict::Accepted,
        b'8' | b'9' | b'a' | b'b' => Verdict::WrongAnswer,
        b'c' | b'd' => Verdict::TimeLimitExceeded,
        _ => Verdict::RunTimeError,
    }
}

/// A judgehost's side of the protocol.
pub struct Host {
    client: Client,
    id: String,
}

impl Host {
    pub fn new(port: u16, token: &str, id: &str) -> Self {
        Self { client: Client::new(port, token.to_owned()), id: id.to_owned() }
    }

    fn path(&self, what: &str) -> String {
        format!("/api/judgehosts/{}{what}", self.id)
    }

    pub fn register(&self) -> Answer {
        let body = json!({
            "protocol": 1, "tauto_version": "0", "instance": std::process::id().to_string(), "pool": null,
            "identity": ["machine: made up"], "compilers": ["c: 1", "cpp: 1"], "places": 1, "jobs_max": CLAIM_MAX,
            "is_shared": false, "self_test": { "programs": [], "languages": [] },
        });
        self.client.send("PUT", &self.path(""), &body)
    }

    pub fn claim(&self, max: u32, wait_s: u32) -> Result<Vec<Job>, String> {
        let answer = self.client.send("POST", &self.path("/claim"), &json!({ "max": max, "wait_s": wait_s }));
        match answer? {
            (200, body) => Ok(serde_json::from_value::<ClaimResponse>(body).unwrap().jobs),
            (status, body) => Err(format!("{status}: {body}")),
        }
    }

    /// Sends reports, and returns what became of them.
    pub fn report(&self, reports: &[Report]) -> Result<Vec<ReportState>, String> {
        let body = json!({ "reports": reports });
        match self.client.send("POST", &self.path("/reports"), &body)? {
            (200, body) => Ok(states(&body)),
            (status, body) => Err(format!("{status}: {body}")),
        }
    }

    pub fn heartbeat(&self, jobs: &[Job]) -> Answer {
        let held: Vec<Value> = jobs.iter().map(|job| json!({ "job": job.job, "fence": job.fence })).collect();
        self.client.send("POST", &self.path("/heartbeat"), &json!({ "jobs": held, "state": "working" }))
    }

    /// Returns whether a blob can be fetched.
    pub fn has_blob(&self, hash: &str) -> Result<bool, String> {
        Ok(self.client.get(&format!("/api/blobs/{hash}"))?.0 == 200)
    }
}

fn states(body: &Value) -> Vec<ReportState> {
    serde_json::from_value::<documents::judgehost::ReportsAnswer>(body.clone())
        .unwrap()
        .answers
        .iter()
        .map(|answer| answer.state)
        .collect()
}

/// Returns all reports of a job that is judged.
pub fn reports(job: &Job) -> Vec<Report> {
    let verdict: VerdictId = verdict(&job.files[0].hash).into();
    let run = |ordinal| JobRun {
        ordinal,
        verdict: if ordinal == CASES { verdict } else { Verdict::Accepted.into() },
        cpu_time_ns: 1_000_000,
        memory_peak_bytes: None,
        at_ms: ordinal * 5,
        for_jury: false,
    };
    let done = JobDone {
        verdict,
        score: None,
        subtasks: Vec::new(),
        max_run_time_ns: Some(1_000_000),
        compile_output: None,
        evidence: None,
        nondeterministic: Vec::new(),
        for_jury: Vec::new(),
        spent: JobSpent::default(),
    };
    let kinds = [
        ReportKind::Begun,
        ReportKind::Runs { runs: (1..=CASES).map(run).collect() },
        ReportKind::Done(Box::new(done)),
    ];
    (1..)
        .zip(kinds)
        .map(|(number, what)| Report { job: job.job.clone(), fence: job.fence, number, what })
        .collect()
}

/// Judges until it is killed.
pub fn judge(port: &str, token: &str, id: &str) -> ExitCode {
    let host = Host::new(port.parse().unwrap(), token, id);
    loop {
        if !matches!(host.register(), Ok((200, _))) {
            std::thread::sleep(RETRY);
            continue;
        }
        while let Ok(jobs) = host.claim(CLAIM_MAX, 5) {
            for (index, job) in jobs.iter().enumerate() {
                judge_one(&host, job, &jobs[index..]);
            }
        }
        std::thread::sleep(RETRY);
    }
}

fn judge_one(host: &Host, job: &Job, held: &[Job]) {
    let _ = host.heartbeat(held);
    let mut reports = reports(job);
    match host.has_blob(&job.package.hash) {
        Ok(true) => {}
        Ok(false) => {
            let failed = json!({
                "job": job.job, "fence": job.fence, "number": 1, "kind": "failed", "scope": "package",
                "reason": "the package is not there",
            });
            reports = vec![serde_json::from_value(failed).unwrap()];
        }
        // Nobody knows: its lease ends, or the next start gives it back.
        Err(_) => return,
    }
    for report in reports {
        std::thread::sleep(CASE);
        // Until it is answered, however long the server is away.
        loop {
            match host.report(std::slice::from_ref(&report)) {
                Ok(states) if states == [ReportState::Taken] => break,
                Ok(_) => return,
                Err(error) if error.starts_with("409") || error.starts_with("404") => {
                    let _ = host.register();
                }
                Err(_) => {}
            }
            std::thread::sleep(RETRY);
        }
    }
}
