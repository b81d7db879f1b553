//! The threads that wait for the server, or for a package: claims, fetches, heartbeats, reports, the reference program.

use super::shared::CHECK_EVERY;
use super::{Event, Ready, Shared};
use crate::backoff::{Backoff, chance};
use crate::cache::hash_of;
use crate::client::CallError;
use crate::download::{self, Wanted};
use crate::error::{Failure, JudgehostError};
use crate::judges::{Judges, Prepared, ProblemKey, Ticket};
use crate::operator_events::OperatorEvent;
use crate::statements::MadeStatement;
use documents::judgehost::{
    ClaimRequest, Heartbeat, HeartbeatState, Job, ReferenceTime, Registered, StatementOutcome,
    StatementResult, StatementTask,
};
use judge::Cancel;
use model::Nanos;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Threads that fetch sources: a request takes a millisecond, so they are few.
const FETCHERS: usize = 4;
/// Threads that fetch packages and make them ready: a slow one must not keep the others waiting.
const LOADERS: usize = 3;
/// How long a statement is sent again to a server that does not answer.
const DELIVERED_WITHIN: Duration = Duration::from_secs(60);
/// The first heartbeat comes sooner: an operator may wait for what it has.
const FIRST_BEAT: Duration = Duration::from_secs(1);
/// While programs are judged, the reference program runs between two of them, this many times less often.
const BUSY_TIMES: u32 = 4;
/// Most times in a heartbeat; older ones are dropped while the server does not answer.
const REFERENCES_MAX: usize = 128;
/// The shortest and the longest time between heartbeats, whatever the server asks for.
const BEAT_S: std::ops::RangeInclusive<u32> = 1..=60;

pub(super) struct Threads {
    claims: Sender<ClaimRequest>,
    fetches: Sender<(Ticket, Arc<Job>)>,
    loads: Sender<(ProblemKey, Arc<Job>)>,
    tests: Sender<String>,
    statements: Sender<StatementTask>,
    wanted: Arc<Mutex<HashSet<Ticket>>>,
    sender: JoinHandle<usize>,
}

impl Threads {
    /// Asks for jobs; returns whether there is still a thread for that.
    pub fn claim(&self, request: ClaimRequest) -> bool {
        self.claims.send(request).is_ok()
    }

    pub fn fetch(&self, ticket: Ticket, job: Arc<Job>) {
        lock(&self.wanted).insert(ticket);
        let _ = self.fetches.send((ticket, job));
    }

    pub fn load(&self, key: ProblemKey, job: Arc<Job>) {
        let _ = self.loads.send((key, job));
    }

    pub fn test(&self, language: String) {
        let _ = self.tests.send(language);
    }

    pub fn make(&self, task: StatementTask) {
        let _ = self.statements.send(task);
    }

    pub fn cancel(&self, ticket: Ticket) {
        lock(&self.wanted).remove(&ticket);
    }

    /// Waits until the last report is delivered or given up; returns how many were not delivered.
    pub fn join(self) -> u64 {
        // Other threads may wait for the server for half a minute; they end with the process.
        self.sender.join().unwrap_or(0) as u64
    }
}

pub(super) fn start<J: Judges>(
    shared: &Arc<Shared<J>>,
    registered: &Registered,
    reference_every: Duration,
) -> Result<Threads, JudgehostError> {
    let (claims, asked) = channel();
    let (fetches, to_fetch) = channel();
    let (loads, to_load) = channel();
    let (tests, to_test) = channel();
    let (statements, to_make) = channel();
    let wanted: Arc<Mutex<HashSet<Ticket>>> = Arc::default();
    let references: Arc<Mutex<Vec<ReferenceTime>>> = Arc::default();
    let (to_fetch, to_load) = (Arc::new(Mutex::new(to_fetch)), Arc::new(Mutex::new(to_load)));
    let one = Arc::clone(shared);
    spawn("claims", move || claim(&one, &asked))?;
    for _ in 0..FETCHERS {
        let (one, to_fetch, wanted) = (Arc::clone(shared), Arc::clone(&to_fetch), Arc::clone(&wanted));
        spawn("fetch", move || fetch(&one, &to_fetch, &wanted))?;
    }
    for _ in 0..LOADERS {
        let (one, to_load) = (Arc::clone(shared), Arc::clone(&to_load));
        spawn("load", move || load(&one, &to_load))?;
    }
    let one = Arc::clone(shared);
    spawn("tests", move || test(&one, to_test))?;
    let one = Arc::clone(shared);
    spawn("statements", move || make_all(&one, to_make))?;
    let every = Duration::from_secs(registered.heartbeat_s.clamp(*BEAT_S.start(), *BEAT_S.end()).into());
    let (one, times) = (Arc::clone(shared), Arc::clone(&references));
    spawn("heartbeat", move || beat(&one, every, &times))?;
    let one = Arc::clone(shared);
    spawn("reference", move || refer(&one, reference_every, &references))?;
    let one = Arc::clone(shared);
    let sender =
        spawn("reports", move || one.post.deliver(&one.client, &one.connection, &*one.on_event, &one))?;
    Ok(Threads { claims, fetches, loads, tests, statements, wanted, sender })
}

fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, JudgehostError> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(JudgehostError::Thread)
}

fn claim<J: Judges>(shared: &Shared<J>, asked: &Receiver<ClaimRequest>) {
    let mut backoff = Backoff::default();
    for request in asked {
        let registrations = shared.registrations();
        let result = shared.client.claim(&request);
        shared.connection.note("asking for jobs", &result, &*shared.on_event);
        match &result {
            Ok(_) => backoff.reset(),
            Err(_) => pause(shared, backoff.next(chance())),
        }
        shared.send(Event::Claimed(result, registrations));
    }
}

/// Whether a fetch is still of use.
struct Needed<'s, J: Judges> {
    shared: &'s Shared<J>,
    /// For which job; none for a package, which other jobs may need.
    ticket: Option<(Ticket, &'s Mutex<HashSet<Ticket>>)>,
}

impl<J: Judges> Wanted for Needed<'_, J> {
    fn is_wanted(&self) -> bool {
        !self.shared.is_over() && self.ticket.is_none_or(|(ticket, wanted)| lock(wanted).contains(&ticket))
    }

    fn pause(&self, duration: Duration) {
        wait_while(duration, || self.is_wanted());
    }

    fn need_room(&self) {
        self.shared.send(Event::NeedRoom);
    }
}

fn fetch<J: Judges>(
    shared: &Shared<J>,
    to_fetch: &Mutex<Receiver<(Ticket, Arc<Job>)>>,
    wanted: &Mutex<HashSet<Ticket>>,
) {
    loop {
        let Ok((ticket, job)) = lock(to_fetch).recv() else { return };
        let needed = Needed { shared, ticket: Some((ticket, wanted)) };
        if needed.is_wanted() {
            let files = download::sources(&shared.client, &job, &needed);
            lock(wanted).remove(&ticket);
            shared.send(Event::Fetched(ticket, files));
        }
    }
}

fn load<J: Judges>(shared: &Shared<J>, to_load: &Mutex<Receiver<(ProblemKey, Arc<Job>)>>) {
    loop {
        let Ok((key, job)) = lock(to_load).recv() else { return };
        // A package that makes us panic must not take the judgehost with it.
        let loaded = catch_unwind(AssertUnwindSafe(|| load_one(shared, &key, &job)));
        let loaded = loaded
            .unwrap_or_else(|_| Err(Failure::package("reading the package failed; please report this")));
        shared.send(Event::Loaded(key, Box::new(loaded)));
    }
}

fn load_one<J: Judges>(
    shared: &Shared<J>,
    key: &ProblemKey,
    job: &Job,
) -> Result<Prepared<Ready<J>>, Failure> {
    let needed = Needed { shared, ticket: None };
    let cached = Arc::new(download::package(&shared.client, &shared.cache, &job.package, &needed)?);
    let judges = shared.judges.upgrade().ok_or_else(|| Failure::machine("the judgehost ends"))?;
    let Prepared { problem, derived, warnings } = judges.prepare(&cached, key)?;
    Ok(Prepared { problem: Ready { problem, _cached: cached }, derived, warnings })
}

fn test<J: Judges>(shared: &Shared<J>, languages: Receiver<String>) {
    for language in languages {
        let Some(judges) = shared.judges.upgrade() else { return };
        let result = judges.test_language(&language);
        drop(judges);
        shared.send(Event::Tested(language, result));
    }
}

/// Makes statements, one at a time, and sends them.
fn make_all<J: Judges>(shared: &Shared<J>, tasks: Receiver<StatementTask>) {
    for task in tasks {
        let Ok(stop) = Cancel::new() else { continue };
        *lock(&shared.making) = Some(stop.clone());
        // What came between the offer and now counts too.
        if shared.is_draining.load(Ordering::SeqCst) || shared.judging.load(Ordering::SeqCst) > 0 {
            stop.set();
        }
        // A package that makes us panic must not take the judgehost with it.
        let made = catch_unwind(AssertUnwindSafe(|| make_one(shared, &task, &stop)));
        let failed = |_| MadeStatement::Failed("making it failed; please report this".to_owned());
        let made = made.unwrap_or_else(failed);
        *lock(&shared.making) = None;
        let (content, outcome) = match made {
            MadeStatement::Made { content, text, lacking } => {
                let hash = hash_of(&content);
                (Some((hash.clone(), content)), StatementOutcome::Made { hash, text, lacking })
            }
            MadeStatement::Impossible { text, lacking } => {
                (None, StatementOutcome::Impossible { text, lacking })
            }
            MadeStatement::Failed(reason) => (None, StatementOutcome::Failed { reason }),
            MadeStatement::Stopped => (None, StatementOutcome::Returned),
        };
        deliver(shared, content, &StatementResult { task: task.task, outcome });
    }
}

fn make_one<J: Judges>(shared: &Shared<J>, task: &StatementTask, stop: &Cancel) -> MadeStatement {
    let cached = match download::package(
        &shared.client,
        &shared.cache,
        &task.package,
        &NeededUnlessStopped { shared, stop },
    ) {
        Ok(cached) => cached,
        Err(_) if stop.is_set() => return MadeStatement::Stopped,
        Err(failure) => return MadeStatement::Failed(failure.reason),
    };
    match shared.judges.upgrade() {
        Some(judges) if !stop.is_set() => judges.make_statement(&cached, task, stop),
        _ => MadeStatement::Stopped,
    }
}

/// Sends a statement and what became of it. If the server does not answer for long, its offer ends, and it offers it again.
fn deliver<J: Judges>(shared: &Shared<J>, content: Option<(String, Vec<u8>)>, result: &StatementResult) {
    let mut backoff = Backoff::default();
    let until = Instant::now() + DELIVERED_WITHIN;
    loop {
        let sent = match &content {
            Some((hash, bytes)) => shared.client.put_blob(hash, bytes),
            None => Ok(()),
        };
        let sent = sent.and_then(|()| shared.client.statement(result));
        shared.connection.note("sending a statement", &sent, &*shared.on_event);
        match sent {
            Err(error) if error.may_pass() && Instant::now() < until && !shared.is_over() => {
                pause(shared, backoff.next(chance()));
            }
            Err(error @ CallError::Refused { status, .. }) if status != 409 => {
                return shared.emit(OperatorEvent::Warning { message: format!("a statement: {error}") });
            }
            _ => return,
        }
    }
}

/// A package is fetched for a statement only while there is nothing to judge.
struct NeededUnlessStopped<'s, J: Judges> {
    shared: &'s Shared<J>,
    stop: &'s Cancel,
}

impl<J: Judges> Wanted for NeededUnlessStopped<'_, J> {
    fn is_wanted(&self) -> bool {
        !self.shared.is_over() && !self.stop.is_set()
    }

    fn pause(&self, duration: Duration) {
        wait_while(duration, || self.is_wanted());
    }

    fn need_room(&self) {
        self.shared.send(Event::NeedRoom);
    }
}

fn beat<J: Judges>(shared: &Shared<J>, every: Duration, references: &Mutex<Vec<ReferenceTime>>) {
    let (mut busy, mut since) = (Nanos(0), Instant::now());
    let mut wants_machine = false;
    let mut wait = every.min(FIRST_BEAT);
    while !shared.is_over() {
        pause(shared, wait);
        wait = every;
        let reference = lock(references).clone();
        let Some(judges) = shared.judges.upgrade() else { return };
        let (busy_now, now) = (judges.busy(), Instant::now());
        let (count, places) = (u128::from(judges.places()).max(1), judges.now());
        drop(judges);
        let passed = now.duration_since(since).as_nanos().max(1) * count;
        let permille = u128::from(busy_now.0.saturating_sub(busy.0)) * 1000 / passed;
        let state = match shared.is_draining.load(Ordering::SeqCst) {
            true => HeartbeatState::Draining,
            false => HeartbeatState::Working,
        };
        let heartbeat = Heartbeat {
            jobs: lock(&shared.held).clone(),
            reference,
            state,
            busy_permille: u32::try_from(permille.min(1000)).unwrap_or(1000),
            places,
            untested_languages: lock(&shared.untested).clone(),
            machine: shared.machine.clone().filter(|_| wants_machine),
        };
        let registrations = shared.registrations();
        let result = shared.client.heartbeat(&heartbeat);
        shared.connection.note("heartbeat", &result, &*shared.on_event);
        match result {
            Ok(answer) => {
                (busy, since) = (busy_now, now);
                wants_machine = answer.wants_machine;
                lock(references).drain(..heartbeat.reference.len());
                let stale = heartbeat.jobs.into_iter().filter(|held| answer.stale.contains(&held.job));
                let drain = answer.drain.then_some(answer.drain_reason);
                shared.send(Event::Beat(answer.cancel, stale.collect(), drain));
            }
            Err(error) if error.is_unknown() => shared.send(Event::Unknown(registrations)),
            Err(error @ CallError::Refused { .. }) => {
                shared.emit(OperatorEvent::Warning { message: format!("heartbeat: {error}") });
            }
            Err(CallError::Unreachable(_)) => {}
        }
    }
}

fn refer<J: Judges>(shared: &Shared<J>, every: Duration, references: &Mutex<Vec<ReferenceTime>>) {
    let mut last: Option<Instant> = None;
    loop {
        let is_idle = shared.judging.load(Ordering::SeqCst) == 0;
        let wait = if is_idle { every } else { every * BUSY_TIMES };
        if last.is_some_and(|last| last.elapsed() < wait) {
            pause(shared, every.min(Duration::from_secs(1)));
        }
        if shared.is_over() {
            return;
        }
        if last.is_some_and(|last| last.elapsed() < wait) {
            continue;
        }
        last = Some(Instant::now());
        let Some(judges) = shared.judges.upgrade() else { return };
        let time = judges.run_reference();
        drop(judges);
        let Some(time) = time else { continue };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_unix_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        shared.emit(OperatorEvent::Reference { cpu_time_ns: time.0 });
        let mut references = lock(references);
        // The heartbeat that is on its way takes away from the front only what it has.
        if references.len() < REFERENCES_MAX {
            references.push(ReferenceTime { cpu_time_ns: time.0, at_unix_ms });
        }
    }
}

/// Waits, but not after the end.
fn pause<J: Judges>(shared: &Shared<J>, duration: Duration) {
    wait_while(duration, || !shared.is_over());
}

fn wait_while(duration: Duration, is_needed: impl Fn() -> bool) {
    let until = Instant::now() + duration;
    while is_needed() && Instant::now() < until {
        std::thread::sleep(until.saturating_duration_since(Instant::now()).min(CHECK_EVERY));
    }
}

/// A panic while one of these is locked leaves no partial change.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
