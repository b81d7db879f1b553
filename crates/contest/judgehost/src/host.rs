//! A judgehost at work: threads around a [`Desk`], which decides.

mod core;
mod shared;
mod workers;

use crate::cache::Cache;
use crate::client::Client;
use crate::desk::Desk;
use crate::error::JudgehostError;
use crate::judges::Judges;
use crate::operator_events::{Connection, EventSink, OperatorEvent};
use crate::outbox::Answered;
use crate::sender::{Post, ReportListener};
use documents::judgehost::Register;
pub use shared::Ending;
pub(crate) use shared::{Event, Ready, Shared, register_with};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long reports are still sent after the end.
const FAREWELL: Duration = Duration::from_secs(10);

pub struct HostOptions {
    pub client: Client,
    pub cache: Arc<Cache>,
    pub register: Register,
    /// How long open judgings may go on after it was asked to end.
    pub drain_max: Duration,
    /// How often the reference program runs while nothing else does.
    pub reference_every: Duration,
    pub on_event: Arc<EventSink>,
}

impl<J: Judges> ReportListener for Arc<Shared<J>> {
    fn answered(&self, answers: Vec<Answered>) {
        self.send(Event::Answered(answers));
    }

    fn unknown(&self, registrations: u64) {
        self.send(Event::Unknown(registrations));
    }

    fn registrations(&self) -> u64 {
        Shared::registrations(self)
    }
}

/// Registers, and works until it is asked to end.
pub fn run<J: Judges>(judges: Arc<J>, options: HostOptions, ending: Ending) -> Result<(), JudgehostError> {
    let HostOptions { client, cache, register, drain_max, reference_every, on_event } = options;
    let (events, happens) = channel();
    let users = Arc::strong_count(&judges);
    // A job for each place is fetched ahead, so that none waits for the network.
    let jobs_max = judges.open_max() + judges.places() as usize;
    let desk = Desk::new(jobs_max, &register.self_test.languages);
    let shared = Arc::new(Shared {
        judges: Arc::downgrade(&judges),
        client,
        cache,
        on_event,
        connection: Connection::default(),
        post: Post::default(),
        ending,
        held: Mutex::default(),
        untested: Mutex::new(desk.untested()),
        machine: register.machine.clone(),
        judging: AtomicUsize::new(0),
        making: Mutex::default(),
        is_draining: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
        registrations: AtomicU64::new(0),
        events,
    });
    let Some(registered) = register_with(&shared, &register)? else { return Ok(()) };
    let threads = workers::start(&shared, &registered, reference_every)?;
    let core = core::Core::new(Arc::clone(&shared), Arc::clone(&judges), desk, register, drain_max);
    let (judged, doubt) = core.run(&happens, &threads)?;
    shared.is_over.store(true, Ordering::SeqCst);
    shared.post.end_by(Instant::now() + FAREWELL);
    let undelivered = threads.join();
    // What a thread is making ready would keep them open; then the next judgehost cleans up.
    let until = Instant::now() + FAREWELL;
    while Arc::strong_count(&judges) > users && Instant::now() < until {
        std::thread::sleep(shared::CHECK_EVERY);
    }
    drop(judges);
    shared.emit(OperatorEvent::Ended { judged, undelivered });
    doubt.map_or(Ok(()), |why| Err(JudgehostError::Doubted(why)))
}
