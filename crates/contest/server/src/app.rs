//! What all requests share.

use crate::auth::{Attempts, Passwords, Verified};
use crate::blob_collector::SentBlobs;
use crate::boards::BoardCache;
use crate::config::Limits;
use crate::events::Streams;
use crate::guard::ResponseBudget;
use crate::hosts::Hosts;
use crate::oidc::Oidc;
use crate::ops::Health;
use crate::places::Places;
use crate::setup::Unstored;
use crate::submission_gate::SubmissionGate;
use crate::writer::{Published, Writer};
use crate::{Config, Problem};
use std::sync::Arc;
use store::Blobs;
use tokio::sync::Semaphore;

/// What all requests share.
pub type Shared = Arc<App>;

/// A server without its listener.
pub struct App {
    pub config: Config,
    pub writer: Writer,
    pub published: Arc<Published>,
    /// Contents.
    pub blobs: Arc<dyn Blobs>,
    pub(crate) passwords: Passwords,
    pub(crate) attempts: Attempts,
    pub(crate) unstored: Unstored,
    pub(crate) verified: Verified,
    pub(crate) boards: BoardCache,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) statements: crate::statements::StatementLeases,
    pub(crate) streams: Streams,
    pub(crate) response_budget: ResponseBudget,
    pub(crate) submission_gate: SubmissionGate,
    pub(crate) sent_blobs: SentBlobs,
    pub(crate) combined_files: crate::handlers::problem_files::CombinedFiles,
    pub(crate) live: crate::live::LiveContests,
    pub(crate) health: Health,
    /// The OpenID provider, if there is one.
    pub(crate) oidc: Option<Arc<Oidc>>,
    /// Passwords for teams are made one request at a time.
    pub(crate) credentials: tokio::sync::Mutex<()>,
    /// One import is read at a time: it may take much memory.
    pub(crate) imports: Arc<Semaphore>,
    /// KiB that long bodies may still take.
    pub(crate) bodies: Semaphore,
    /// One long piece of a stream is made at a time, so that the other threads are for those who submit.
    pub(crate) long_pieces: Semaphore,
    /// Contents that may still be received at once.
    pub(crate) transfers: Arc<Semaphore>,
    /// Requests that are passed on to the server that writes.
    pub(crate) passed_on: Arc<Places>,
}

impl App {
    pub fn new(
        config: Config,
        writer: Writer,
        published: Arc<Published>,
        blobs: Arc<dyn Blobs>,
    ) -> Result<Self, argon2::password_hash::Error> {
        let Limits { body_bytes, transfers, .. } = config.limits;
        let oidc = config.oidc.clone().map(|settings| Arc::new(Oidc::new(settings)));
        Ok(Self {
            config,
            writer,
            published,
            blobs,
            passwords: Passwords::new()?,
            attempts: Attempts::default(),
            unstored: Unstored::default(),
            verified: Verified::new(),
            boards: BoardCache::default(),
            hosts: Arc::new(Hosts::new(crate::clock::system_now())),
            statements: Default::default(),
            streams: Streams::default(),
            response_budget: ResponseBudget::default(),
            submission_gate: SubmissionGate::default(),
            sent_blobs: SentBlobs::default(),
            combined_files: Default::default(),
            live: Default::default(),
            health: Health::new(),
            oidc,
            credentials: tokio::sync::Mutex::default(),
            imports: Arc::new(Semaphore::new(1)),
            bodies: Semaphore::new(body_bytes >> 10),
            long_pieces: Semaphore::new(1),
            transfers: Arc::new(Semaphore::new(transfers)),
            passed_on: Arc::default(),
        })
    }

    /// Returns whether this server knows what is now: one of several that has had no word of the database for a while may have
    /// been replaced, and does not know whose rights have ended.
    pub(crate) fn is_up_to_date(&self) -> bool {
        self.config.replica.is_none() || self.published.confirmed_ago() < self.config.limits.confirmed_within
    }

    /// Ends all streams of events: their clients connect again, to the next server.
    pub fn end_streams(&self) {
        self.published.hub().stop();
    }

    /// Does something that blocks, such as reading a blob, on a thread for that.
    pub(crate) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.clone();
        tokio::task::spawn_blocking(move || work(&app)).await.map_err(Problem::internal)?
    }
}
