//! A server that has jobs in memory, and can be made to fail.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

use documents::judgehost::{
    BlobRef, ClaimRequest, ClaimResponse, Heartbeat, HeartbeatAnswer, Job, JobCases, JobFile, JobLimits,
    JobMode, Register, Registered, Report, ReportAnswer, ReportKind, ReportState, ReportsAnswer,
    ReportsRequest, SelfTest, StatementOutcome, StatementResult, StatementTask,
};
use judgehost::{Cache, Client, Ending, HostOptions, Judges, OperatorEvent, Token};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A test that waits longer than this has failed.
pub const LONG: Duration = Duration::from_secs(60);

#[derive(Default)]
pub struct State {
    /// What claims give away, in order.
    pub jobs: VecDeque<Job>,
    /// What can be fetched, by its hash.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// Every report that was taken, in order.
    pub taken: Vec<Report>,
    /// Reports that came, with repetitions.
    pub came: Vec<(String, u64, u32)>,
    /// Jobs that others have by now.
    pub stale: BTreeSet<String>,
    /// Jobs that the next claim or heartbeat cancels.
    pub cancel: Vec<String>,
    pub cancelled: BTreeSet<String>,
    /// How many answers are cut off after the request was carried out.
    pub answers_to_lose: usize,
    /// How many requests of any kind are refused with this status.
    pub refusals: VecDeque<u16>,
    /// How many more answers with a blob are cut short.
    pub cuts: usize,
    pub is_down: bool,
    /// Claims and heartbeats say that it is to end.
    pub drain: bool,
    /// Heartbeats request the description of the machine.
    pub wants_machine: bool,
    /// The time limit that reports of one are answered with.
    pub derived_ns: Option<u64>,
    pub registered: Vec<Register>,
    pub beats: Vec<Heartbeat>,
    pub requests: Vec<String>,
    /// The requested ranges of blobs.
    pub ranges: Vec<String>,
    pub tokens: BTreeSet<String>,
    pub claims: Vec<ClaimRequest>,
    /// What claims of judgehosts without a job are to make, in order.
    pub statements: VecDeque<StatementTask>,
    /// What became of these, by their number.
    pub made: BTreeMap<u64, StatementOutcome>,
    over: bool,
}

#[derive(Clone)]
pub struct Server {
    pub url: String,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, state: Arc::default() };
        let one = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let one = one.clone();
                std::thread::spawn(move || one.serve(stream));
            }
        });
        server
    }

    /// Returns what it has, which others cannot change meanwhile.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap()
    }

    /// Changes the state, and lets waiting claims see it.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.state.1.notify_all();
        result
    }

    pub fn wait(&self, what: &str, is_there: impl Fn(&State) -> bool) {
        let end = Instant::now() + LONG;
        let mut state = self.lock();
        while !is_there(&state) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} did not happen: {:?}", state.taken);
            state = self.state.1.wait_timeout(state, left).unwrap().0;
        }
    }

    pub fn put(&self, bytes: &[u8]) -> BlobRef {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        self.change(|state| state.blobs.insert(hash.clone(), bytes.to_vec()));
        BlobRef { hash, size_bytes: bytes.len() as u64 }
    }

    pub fn add(&self, number: u32, package: &BlobRef) -> Job {
        let job = self.job(number, package);
        self.change(|state| state.jobs.push_back(job.clone()));
        job
    }

    pub fn job(&self, number: u32, package: &BlobRef) -> Job {
        let source = self.put(format!("source {number}").as_bytes());
        Job {
            job: format!("demo/{number}-1"),
            fence: u64::from(number) * 10,
            contest: "demo".to_owned(),
            judgement: format!("{number}-1"),
            problem: "sum".to_owned(),
            package: package.clone(),
            limits: JobLimits::default(),
            language: Some("c".to_owned()),
            entry_point: None,
            files: vec![JobFile { name: "a.c".to_owned(), hash: source.hash, size_bytes: source.size_bytes }],
            mode: JobMode::Strict,
            cases: JobCases::Lazy,
            scores: None,
        }
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while let Some(request) = Request::read(&mut reader) {
            if self.lock().is_down {
                return;
            }
            let Some((status, body)) = self.answer(&request) else { return };
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", body.len());
            let cut = self.change(|state| match request.path.starts_with("/api/blobs/") && state.cuts > 0 {
                true => {
                    state.cuts -= 1;
                    true
                }
                false => false,
            });
            if cut {
                let _ = stream.write_all(head.as_bytes());
                let _ = stream.write_all(&body[..body.len() / 2]);
                return;
            }
            let lost = self.change(|state| {
                let lost = state.answers_to_lose > 0 && request.path.ends_with("/reports");
                state.answers_to_lose -= usize::from(lost);
                lost
            });
            if lost || stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).is_err() {
                return;
            }
        }
    }

    fn answer(&self, request: &Request) -> Option<(u16, Vec<u8>)> {
        let refusal = self.change(|state| {
            state.requests.push(format!("{} {}", request.method, request.path));
            state.tokens.insert(request.token.clone());
            state.refusals.pop_front()
        });
        if let Some(status) = refusal {
            return Some((status, b"{\"detail\":\"not now\"}".to_vec()));
        }
        let json = |value: &dyn Fn() -> String| Some((200, value().into_bytes()));
        let path = request.path.as_str();
        if let Some(hash) = path.strip_prefix("/api/blobs/") {
            return Some(self.blob(request, hash));
        }
        if path.ends_with("/claim") {
            let claim: ClaimRequest = serde_json::from_slice(&request.body).unwrap();
            let answer = self.claim(&claim)?;
            return json(&|| serde_json::to_string(&answer).unwrap());
        }
        if path.ends_with("/statement") {
            let result: StatementResult = serde_json::from_slice(&request.body).unwrap();
            self.change(|state| state.made.insert(result.task, result.outcome));
            return Some((204, Vec::new()));
        }
        if path.ends_with("/reports") {
            let reports: ReportsRequest = serde_json::from_slice(&request.body).unwrap();
            let answers = reports.reports.into_iter().map(|report| self.take(report)).collect();
            return json(&|| {
                serde_json::to_string(&ReportsAnswer { answers: Vec::clone(&answers) }).unwrap()
            });
        }
        if path.ends_with("/heartbeat") {
            let beat: Heartbeat = serde_json::from_slice(&request.body).unwrap();
            let answer = self.change(|state| {
                let stale = beat.jobs.iter().map(|held| held.job.clone());
                let stale = stale.filter(|job| state.stale.contains(job)).collect();
                state.beats.push(beat.clone());
                let cancel = state.cancel.drain(..).collect();
                let wants_machine = state.wants_machine;
                HeartbeatAnswer { cancel, stale, drain: state.drain, drain_reason: None, wants_machine }
            });
            return json(&|| serde_json::to_string(&answer).unwrap());
        }
        let register: Register = serde_json::from_slice(&request.body).unwrap();
        self.change(|state| state.registered.push(register));
        json(&|| {
            let registered = Registered { pool: "strict".to_owned(), heartbeat_s: 1, lease_s: 30 };
            serde_json::to_string(&registered).unwrap()
        })
    }

    fn claim(&self, claim: &ClaimRequest) -> Option<ClaimResponse> {
        // Shorter than requested, so that a test that ends is not kept waiting.
        let end = Instant::now() + Duration::from_secs(2);
        let mut state = self.lock();
        state.claims.push(claim.clone());
        loop {
            if state.over || state.is_down {
                return None;
            }
            let left = end.saturating_duration_since(Instant::now());
            if state.jobs.is_empty() && claim.statements.is_some() && !state.statements.is_empty() {
                let statement = state.statements.pop_front();
                return Some(ClaimResponse { statement, ..ClaimResponse::default() });
            }
            if !state.jobs.is_empty() || state.drain || left.is_zero() {
                let count = state.jobs.len().min(claim.max as usize);
                let jobs = state.jobs.drain(..count).collect();
                let cancel = state.cancel.drain(..).collect();
                return Some(ClaimResponse { jobs, cancel, drain: state.drain, ..ClaimResponse::default() });
            }
            state = self.state.1.wait_timeout(state, left).unwrap().0;
        }
    }

    fn take(&self, report: Report) -> ReportAnswer {
        self.change(|state| {
            state.came.push((report.job.clone(), report.fence, report.number));
            let is_known = state.taken.iter().any(|one| one.job == report.job && one.number == report.number);
            let answer = if state.stale.contains(&report.job) {
                ReportState::Stale
            } else if state.cancelled.contains(&report.job) {
                ReportState::Cancelled
            } else {
                ReportState::Taken
            };
            let is_limit = matches!(report.what, ReportKind::TimeLimit(_));
            if !is_known && answer == ReportState::Taken {
                state.taken.push(report);
            }
            ReportAnswer { state: answer, time_limit_ns: state.derived_ns.filter(|_| is_limit) }
        })
    }

    fn blob(&self, request: &Request, hash: &str) -> (u16, Vec<u8>) {
        if request.method == "PUT" {
            assert_eq!(self.put(&request.body).hash, hash);
            return (201, Vec::new());
        }
        let mut state = self.lock();
        let Some(bytes) = state.blobs.get(hash).cloned() else {
            return (404, b"{\"title\":\"no such blob\"}".to_vec());
        };
        match &request.range {
            Some(range) => {
                state.ranges.push(range.clone());
                let from: usize = range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap();
                (206, bytes[from..].to_vec())
            }
            None => (200, bytes),
        }
    }
}

struct Request {
    method: String,
    path: String,
    token: String,
    range: Option<String>,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        let mut request = Self { method, path, token: String::new(), range: None, body: Vec::new() };
        let mut length = 0;
        let mut is_chunked = false;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            let value = value.trim().to_owned();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "transfer-encoding" => is_chunked = true,
                "authorization" => request.token = value,
                "range" => request.range = Some(value),
                _ => {}
            }
        }
        assert!(!is_chunked, "the length of every body is known");
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }
}

pub struct Host {
    pub ending: Ending,
    /// The events that it emitted.
    pub events: Arc<Mutex<Vec<OperatorEvent>>>,
    thread: JoinHandle<Result<(), String>>,
    _folder: tempfile::TempDir,
}

pub fn start<J: Judges>(server: &Server, judges: J) -> Host {
    start_with(server, judges, |_| {})
}

pub fn start_with<J: Judges>(server: &Server, judges: J, change: impl FnOnce(&mut HostOptions)) -> Host {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "secret").unwrap();
    let (token, _) = Token::read(&path).unwrap();
    let events: Arc<Mutex<Vec<OperatorEvent>>> = Arc::default();
    let received = Arc::clone(&events);
    let mut options = HostOptions {
        client: Client::new(&server.url, "host1".to_owned(), token, Default::default()).unwrap(),
        cache: Cache::open(&folder.path().join("cache"), 1 << 20).unwrap(),
        register: Register {
            protocol: 1,
            tauto_version: "0".to_owned(),
            instance: "1".to_owned(),
            pool: None,
            identity: Vec::new(),
            compilers: Vec::new(),
            places: judges.places(),
            jobs_max: 4,
            is_shared: false,
            awaits_admission: false,
            self_test: SelfTest::default(),
            machine: Some(Box::default()),
        },
        drain_max: LONG,
        reference_every: LONG,
        on_event: Arc::new(move |what| received.lock().unwrap().push(what)),
    };
    change(&mut options);
    let ending = Ending::default();
    let asked = ending.clone();
    let thread = std::thread::spawn(move || {
        judgehost::run(Arc::new(judges), options, asked).map_err(|error| error.to_string())
    });
    Host { ending, events, thread, _folder: folder }
}

impl Host {
    pub fn wait_for(&self, is_wanted: impl Fn(&OperatorEvent) -> bool) {
        while !self.events.lock().unwrap().iter().any(&is_wanted) {
            std::thread::yield_now();
        }
    }

    /// Asks it to end, and waits for that.
    pub fn end(self) -> Vec<OperatorEvent> {
        self.ending.ask();
        self.join().unwrap()
    }

    /// Waits for its end.
    pub fn join(self) -> Result<Vec<OperatorEvent>, String> {
        let end = Instant::now() + LONG;
        while !self.thread.is_finished() {
            assert!(Instant::now() < end, "it does not end: {:?}", self.events.lock().unwrap());
            std::thread::sleep(Duration::from_millis(5));
        }
        self.thread.join().unwrap()?;
        let events = self.events.lock().unwrap().clone();
        Ok(events)
    }
}

/// Lists what was reported of a job, in words.
pub fn reported(state: &State, job: &Job) -> String {
    let word = |report: &Report| match &report.what {
        ReportKind::Begun => "begun".to_owned(),
        ReportKind::TimeLimit(limit) => format!("limit {}", limit.time_limit_ns),
        ReportKind::Runs { runs } => {
            runs.iter().map(|run| format!("run {}", run.ordinal)).collect::<Vec<_>>().join(" ")
        }
        ReportKind::Done(done) => format!("done {}", done.verdict.0.clics_id()),
        ReportKind::Failed(failed) => format!("failed {:?}", failed.scope),
        ReportKind::Returned { .. } => "returned".to_owned(),
    };
    let of_job = |report: &&Report| report.job == job.job && report.fence == job.fence;
    let words: Vec<String> = state.taken.iter().filter(of_job).map(word).collect();
    words.join(" ")
}

pub fn is_ended(state: &State, job: &Job) -> bool {
    state.taken.iter().any(|report| report.job == job.job && report.what.is_last())
}
