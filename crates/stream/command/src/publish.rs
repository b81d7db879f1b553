//! Shows the board in a contest of a server, whose teams take part.

use anyhow::Context;
use arena::host::{Contestant, Host, LatestBoard};
use contest_command::arguments::OnServer;
use contest_command::client::Client;
use documents::contest::{StreamReport, StreamReported, Team};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(500);
/// How often reports are tried while the server does not answer.
const RETRY_EVERY: Duration = Duration::from_secs(3);

pub struct Publisher {
    client: Client,
    path: String,
}

/// Reports until it is dropped.
pub struct Publishing {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    pub fn open(server: &OnServer) -> anyhow::Result<Self> {
        let client = Client::open(server)?;
        let path = client.in_contest("stream")?;
        Ok(Self { client, path })
    }

    pub fn teams(&self) -> anyhow::Result<Vec<String>> {
        let teams: Vec<Team> = self.client.get(&self.client.in_contest("teams")?)?;
        Ok(teams.into_iter().map(|team| team.id.into()).collect())
    }

    /// Returns the port of the server, which this process has to reach.
    pub fn port(&self) -> u16 {
        self.client.port()
    }

    pub fn start(self, host: &Host, contestants: &[Contestant]) -> anyhow::Result<Publishing> {
        let passwords = contestants.iter().map(|one| (one.name.clone(), one.password.clone())).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let reporting = Reporting {
            publisher: self,
            show: host.show.clone(),
            input: host.input.to_string(),
            output: host.output.to_string(),
            passwords,
            stop: Arc::clone(&stop),
        };
        let thread = std::thread::Builder::new().name("publish".to_owned());
        let thread = thread.spawn(move || reporting.run()).context("cannot start a thread")?;
        Ok(Publishing { stop, thread: Some(thread) })
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

struct Reporting {
    publisher: Publisher,
    show: LatestBoard,
    input: String,
    output: String,
    passwords: BTreeMap<String, String>,
    stop: Arc<AtomicBool>,
}

impl Reporting {
    fn run(self) {
        let (mut has_passwords, mut was_told) = (false, false);
        while !self.stop.load(Ordering::Relaxed) {
            let wait = match self.report(has_passwords) {
                Ok(reported) => {
                    has_passwords = !reported.needs_passwords;
                    was_told = false;
                    if has_passwords { EVERY } else { Duration::ZERO }
                }
                Err(error) => {
                    has_passwords = false;
                    if !was_told {
                        tracing::warn!("the board is not shown at the contest server: {error:#}");
                    }
                    was_told = true;
                    RETRY_EVERY
                }
            };
            std::thread::park_timeout(wait);
        }
    }

    fn report(&self, has_passwords: bool) -> anyhow::Result<StreamReported> {
        let shown = self.show.latest();
        let board = std::str::from_utf8(&shown.json).context("the board is not text")?;
        let report = StreamReport {
            input: self.input.clone(),
            output: self.output.clone(),
            passwords: (!has_passwords).then(|| self.passwords.clone()),
            board: documents::from_json(board)?,
        };
        self.publisher.client.send_for("PUT", &self.publisher.path, &report)
    }
}
