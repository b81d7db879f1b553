//! The loop: what is, what to do, doing it.

use crate::act::Hands;
use crate::cluster::{Cluster, ConnectError, connect};
use crate::metrics::Metrics;
use crate::server::ContestServer;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use pools::{Memory, ServerSeen, Settings, plan};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often the contest server is asked.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often all is looked at even if nothing has changed: limits on time are some seconds at least.
const IDLE_EVERY: Duration = Duration::from_secs(5);
/// Rounds in which nothing is done are so far apart that they take a part of a core at most: on a large cluster, something changes
/// all the time.
const PART_OF_CORE: u32 = 20;
/// Changes that come together are looked at together.
const TOGETHER: Duration = Duration::from_millis(50);
/// The most actions of a round; the rest follows in the next. It bounds what a wrong decision can do, and the API server's load.
const ACTIONS_MAX: usize = 200;

pub struct Options {
    pub kubeconfig: Option<PathBuf>,
    /// By default the one of the kubeconfig or of the pod.
    pub namespace: Option<String>,
    pub settings: Settings,
    /// Where metrics and probes are answered, if anywhere.
    pub listener: Option<TcpListener>,
}

#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("cannot {action}")]
    System { action: &'static str, source: std::io::Error },
}

/// Keeps the pools of a namespace until `stop` is done.
pub async fn run(
    options: Options,
    server: ContestServer,
    stop: impl Future<Output = ()>,
) -> Result<(), OperatorError> {
    let (client, of_config) = connect(options.kubeconfig.as_deref()).await?;
    let namespace = options.namespace.unwrap_or(of_config);
    let metrics = Arc::new(Metrics::default());
    if let Some(listener) = options.listener {
        crate::metrics::serve(listener, Arc::clone(&metrics))
            .map_err(|source| OperatorError::System { action: "answer probes", source })?;
    }
    tracing::info!(%namespace, server = %options.settings.server, "keeping pools");
    tokio::select! {
        () = keep(client, &namespace, Arc::new(server), &options.settings, &metrics) => {}
        () = stop => {}
    }
    Ok(())
}

async fn keep(
    client: Client,
    namespace: &str,
    server: Arc<ContestServer>,
    settings: &Settings,
    metrics: &Metrics,
) {
    let cluster = Cluster::watch(&client, namespace);
    cluster.wait_until_listed().await;
    metrics.listed();
    let hands = Hands::new(&client, namespace, Arc::clone(&server));
    let (asked, mut answers) = watch::channel(None);
    tokio::spawn(ask_again_and_again(server, asked));
    let (began, mut memory) = (Instant::now(), Memory::default());
    // The first answer: until it is there, judgehosts would look as if the server did not know them.
    let _ = tokio::time::timeout(LOOK_EVERY * 10, answers.changed()).await;
    loop {
        let at_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let round = Instant::now();
        let mut seen = cluster.seen(at_ms);
        seen.server = answers.borrow_and_update().clone();
        let begun = Instant::now();
        let mut actions = plan(&seen, &mut memory, settings, Timestamp::now());
        metrics.planned(begun.elapsed(), &seen);
        let spent = round.elapsed();
        let more = actions.len() > ACTIONS_MAX;
        actions.truncate(ACTIONS_MAX);
        let acted = !actions.is_empty();
        for action in actions {
            let what = format!("{action:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned();
            tracing::debug!(action = ?action, "acting");
            match hands.act(action, &seen).await {
                Ok(()) => metrics.acted(&what),
                Err(error) => {
                    metrics.failed(&what);
                    tracing::warn!(%what, error = with_causes(&error), "it did not work, and is tried again");
                }
            }
        }
        if acted {
            // What was done is seen soon, by the watches: not again by what was seen before.
            tokio::time::sleep(TOGETHER * 4).await;
        }
        if more {
            continue;
        }
        tokio::select! {
            _ = answers.changed() => {}
            () = cluster.changed.notified() => {}
            () = tokio::time::sleep(IDLE_EVERY) => {}
        }
        let pause = if acted { TOGETHER } else { TOGETHER.max(spent * PART_OF_CORE).min(LOOK_EVERY * 2) };
        tokio::time::sleep(pause).await;
    }
}

/// Asks the contest server, and passes on what has changed.
async fn ask_again_and_again(server: Arc<ContestServer>, answers: watch::Sender<Option<ServerSeen>>) {
    let mut was_up = None;
    loop {
        let one = Arc::clone(&server);
        let looked = tokio::task::spawn_blocking(move || one.look()).await;
        let answer = match looked {
            Ok(Ok(seen)) => {
                if was_up != Some(true) {
                    tracing::info!("the contest server answers");
                }
                was_up = Some(true);
                Some(seen)
            }
            Ok(Err(error)) => {
                if was_up != Some(false) {
                    tracing::warn!(error = with_causes(&error), "the contest server does not answer");
                }
                was_up = Some(false);
                None
            }
            Err(_) => return,
        };
        answers.send_if_modified(|last| {
            let has_changed = *last != answer;
            *last = answer;
            has_changed
        });
        if answers.is_closed() {
            return;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Returns an error with what caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}
