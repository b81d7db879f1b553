//! The endpoint of server-sent events.

mod streams;
use super::hub::{Channel, Cursor};
use crate::auth::{Auth, network};
use crate::extract::Path;
use crate::wire::named;
use crate::{Problem, Shared};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use contest_rules::view::View;
use contest_rules::{AccountId, Audience, ContestId};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
pub use streams::Streams;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::watch;
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::ReceiverStream;

/// Proxies cut a connection without bytes after 30 s or more.
const PING_EVERY: Duration = Duration::from_secs(15);
/// Notices that follow each other faster are sent together.
const GATHER: Duration = Duration::from_millis(50);
/// How long a browser waits before it connects again.
const RETRY_MS: u32 = 2000;
/// For servers behind nginx, which would keep events back.
const ACCEL: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a stream sends to one client.
pub(crate) trait Source: Send + 'static {
    /// Whether its pieces take long to make.
    const IS_LONG: bool;

    /// What is sent while nothing happens.
    const PING: &'static str;

    /// Returns whose notices the client gets.
    fn audiences(&self) -> &[Audience];

    /// Returns the next piece; empty if there is nothing new.
    fn next(&mut self, view: &View<'_>) -> Result<Bytes, Problem>;

    /// Returns whether more is to be sent at once.
    fn has_more(&self) -> bool;

    /// Returns whether nothing more is sent once there is nothing new.
    fn ends(&self) -> bool {
        false
    }
}

/// Streams the changes of a contest that the caller can see.
pub async fn events(
    State(app): State<Shared>,
    auth: Auth,
    Path(contest): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let last_id = headers.get("last-event-id").map(|value| value.to_str().unwrap_or(""));
    let open = |channel: Arc<Channel>, view: &View<'_>| {
        let cursor = channel.cursor(view.audiences(), last_id, |audience| view.last_notice(audience));
        // The position comes first, so that a connection that is cut before the first event misses nothing.
        let begin = format!("retry: {RETRY_MS}\nid: {}\ndata: {{\"type\":\"connected\"}}\n\n", cursor.id());
        Ok(Notices { channel, cursor, begin: begin.into() })
    };
    stream(&app, auth, &contest, "text/event-stream", open)
}

pub(crate) fn stream<S: Source>(
    app: &Shared,
    auth: Auth,
    contest: &str,
    content_type: &'static str,
    open: impl FnOnce(Arc<Channel>, &View<'_>) -> Result<S, Problem>,
) -> Result<Response, Problem> {
    let id: ContestId = named("contest", contest)?;
    let place = Streams::enter(app, &auth)?;
    let channel_of = app.published.hub().channel(&id);
    let source = {
        let state = app.published.state();
        open(channel_of.clone(), &state.view(&auth.caller, &id)?)?
    };
    let (version, stopping) = (channel_of.version(), app.published.hub().stopping());
    let (pieces, body) = channel(1);
    tokio::spawn(Client { place, auth, contest: id, source, pieces }.serve(version, stopping));
    let body = Body::from_stream(ReceiverStream::new(body));
    let headers = [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-store"), (ACCEL, "no")];
    Ok((headers, body).into_response())
}

/// The source of server-sent events.
struct Notices {
    channel: Arc<Channel>,
    cursor: Cursor,
    begin: Bytes,
}

impl Source for Notices {
    const IS_LONG: bool = false;
    const PING: &'static str = ":\n\n";

    fn audiences(&self) -> &[Audience] {
        self.cursor.audiences()
    }

    fn next(&mut self, _: &View<'_>) -> Result<Bytes, Problem> {
        if !self.begin.is_empty() {
            return Ok(std::mem::take(&mut self.begin));
        }
        Ok(self.channel.next(&mut self.cursor).into())
    }

    fn has_more(&self) -> bool {
        false
    }
}

struct Client<S> {
    place: StreamSlot,
    auth: Auth,
    contest: ContestId,
    source: S,
    pieces: Sender<Result<Bytes, Infallible>>,
}

impl<S: Source> Client<S> {
    async fn serve(mut self, mut version: watch::Receiver<u64>, mut stopping: watch::Receiver<bool>) {
        let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
        loop {
            version.borrow_and_update();
            loop {
                let app = self.place.app.clone();
                let turn = if S::IS_LONG { app.long_pieces.acquire().await.ok() } else { None };
                let piece = self.next();
                drop(turn);
                let Some(piece) = piece else { return };
                if piece.is_empty() {
                    break;
                }
                // Waits until the client has taken what came before.
                if self.pieces.send(Ok(piece)).await.is_err() || *stopping.borrow() {
                    return;
                }
                if !self.source.has_more() {
                    tokio::time::sleep(GATHER).await;
                }
            }
            if self.source.ends() {
                return;
            }
            tokio::select! {
                changed = version.changed() => if changed.is_err() { return },
                _ = pings.tick() => {
                    let ping = Bytes::from_static(S::PING.as_bytes());
                    if self.pieces.send(Ok(ping)).await.is_err() {
                        return;
                    }
                }
                () = self.pieces.closed() => return,
                () = async { drop(stopping.wait_for(|stopping| *stopping).await) } => return,
            }
        }
    }

    /// Returns the next piece; `None` if the caller's proof or rights have changed since the stream began.
    fn next(&mut self) -> Option<Bytes> {
        let app = &self.place.app;
        let caller = self.auth.again(app)?;
        let state = app.published.state();
        let view = state.view(&caller, &self.contest).ok()?;
        if view.audiences() != self.source.audiences() {
            return None;
        }
        match self.source.next(&view) {
            Ok(piece) => Some(piece),
            Err(problem) => {
                tracing::warn!(problem = problem.detail(), contest = %self.contest, "a stream was cut");
                None
            }
        }
    }
}

/// A stream's place. It is free again when this is dropped.
struct StreamSlot {
    app: Shared,
    address: IpAddr,
    account: Option<AccountId>,
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.app.streams.lock().remove(&self.address, self.account.as_ref());
    }
}

impl Streams {
    fn enter(app: &Shared, auth: &Auth) -> Result<StreamSlot, Problem> {
        let limits = &app.config.limits;
        let mut counts = app.streams.lock();
        let address = network(auth.address);
        counts.add(limits, address, auth.caller.account.as_ref())?;
        drop(counts);
        Ok(StreamSlot { app: app.clone(), address, account: auth.caller.account.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::streams::Counts;
    use super::*;
    use crate::config::Limits;
    use std::net::IpAddr;

    #[test]
    fn streams_are_limited() {
        let limits = Limits {
            streams: 4,
            streams_anonymous: 1,
            streams_per_address: 2,
            streams_per_account: 1,
            ..Limits::default()
        };
        let (here, there) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let (a, b): (AccountId, AccountId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let mut counts = Counts::default();
        counts.add(&limits, here, Some(&a)).unwrap();
        assert!(counts.add(&limits, there, Some(&a)).is_err(), "one of an account");
        counts.add(&limits, here, None).unwrap();
        assert!(counts.add(&limits, here, Some(&b)).is_err(), "two of an address");
        counts.add(&limits, there, Some(&b)).unwrap();
        assert!(counts.add(&limits, there, None).is_err(), "two without an account");
        counts.remove(&here, Some(&a));
        counts.add(&limits, there, Some(&a)).unwrap();
        assert_eq!((counts.all, counts.addresses.len(), counts.accounts.len()), (3, 2, 2));
        let other = IpAddr::from([10, 0, 0, 3]);
        counts.add(&limits, other, Some(&"c".parse().unwrap())).unwrap();
        assert!(counts.add(&limits, other, Some(&"d".parse().unwrap())).is_err(), "five in all");
    }
}
