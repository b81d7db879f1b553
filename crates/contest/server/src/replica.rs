//! Several servers of one database: those that follow the log pass on to the writer what it alone can answer.
//!
//! A follower answers what the log says, after it has read what was written before it was asked: boards, feeds, streams of events,
//! objects. What changes something, or is about
//! judgehosts, logins by password and uploads, goes to the writer, with the client's address. The writer believes that address
//! only from who knows its secret, which is in the database.

use crate::auth::{Peer, network};
use crate::names;
use crate::places::Place;
use crate::writer::{Role, no_writer, too_many_wait, unknown};
use crate::{App, Shared};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::net::IpAddr;
use std::time::Duration;
use store::WriterPlace;
use subtle::ConstantTimeEq;
use tokio::net::TcpStream;
use tokio::time::Instant;

/// The secret of the writer, of a request that was passed on.
const SECRET: HeaderName = HeaderName::from_static("x-tautochrone-replica");
/// The address of the connection over which it came.
const PEER: HeaderName = HeaderName::from_static("x-tautochrone-peer");
/// The number of the last event when the writer answered.
const SEQ: HeaderName = HeaderName::from_static("x-tautochrone-seq");

/// A writer on the same network answers at once, or is gone.
const CONNECT_WITHIN: Duration = Duration::from_secs(1);
/// While no server writes, requests wait so long: another one takes over within less.
const WRITER_WITHIN: Duration = Duration::from_secs(8);
/// How soon a writer that was not there is tried again.
const AGAIN: Duration = Duration::from_millis(100);
/// A client that has changed something sees that in what it asks next: so long its answer waits for the log.
const SEEN_WITHIN: Duration = Duration::from_secs(2);
/// The writer answers all but uploads within a minute, or says that it does not.
const ANSWER_WITHIN: Duration = Duration::from_secs(75);
/// The longest upload: the writer ends those that are too slow.
const LONG_WITHIN: Duration = Duration::from_secs(24 * 3600);
/// A body that is no upload.
const SHORT_BYTES: u64 = 1 << 20;
/// Nothing that was sent is acknowledged for so long: the writer's machine is gone.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(5);

/// Questions whose answers are in the memory of the writer alone.
const OF_WRITER: [&str; 13] = [
    "/api/jobs",
    "/api/judgehosts",
    "/api/judgehosts/{judgehost}",
    "/api/judgehosts/{judgehost}/machine",
    "/api/blobs/{hash}",
    "/api/uploads/{upload}",
    "/api/oidc/login",
    "/api/oidc/callback",
    "/api/contests/{contest}/registration",
    "/api/contests/{contest}/stream",
    "/api/contests/{contest}/check",
    "/api/contests/{contest}/submission-states",
    "/api/contests/{contest}/judgements/{judgement}/details",
];

/// Answers a request here, or passes it on.
pub async fn route(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let from_replica = request.headers_mut().remove(&SECRET);
    let peer = request.headers_mut().remove(&PEER);
    if let Some(secret) = from_replica {
        return match (is_ours(&app, &secret), peer.as_ref().and_then(address)) {
            (true, Some(peer)) => {
                request.extensions_mut().insert(Peer(peer));
                let mut response = next.run(request).await;
                response.headers_mut().insert(SEQ, HeaderValue::from(app.published.state().seq()));
                response
            }
            // It is of an earlier start of this server, or this is no writer any more.
            _ => no_writer().into_response(),
        };
    }
    if app.published.is_writer() {
        return next.run(request).await;
    }
    // Before the writer takes it for a name that it knows: it sees the path alone.
    if let Some(refused) = names::refusal(&app, &request) {
        return refused;
    }
    if !is_of_writer(&request) {
        // Who was answered by another server is not shown less than that here.
        if is_of_log(&request) {
            let _ = tokio::time::timeout(SEEN_WITHIN, app.writer.look()).await;
        }
        return next.run(request).await;
    }
    let limits = &app.config.limits;
    let of = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
    let place = app.passed_on.enter(network(of), limits.passed_on, limits.passed_on_per_address);
    let Some(held) = place else { return too_many_wait().into_response() };
    let until = Instant::now() + WRITER_WITHIN;
    let mut role = app.published.role();
    loop {
        let now = role.borrow_and_update().clone();
        let place = match now {
            Role::Writer => return next.run(request).await,
            Role::Follower(place) => place,
        };
        if let Some(place) = &place
            && let Some(stream) = connect(place).await
        {
            return pass_on(&app, place, stream, request, held).await;
        }
        if Instant::now() >= until {
            return no_writer().into_response();
        }
        let _ = tokio::time::timeout(AGAIN, role.changed()).await;
    }
}

fn is_ours(app: &App, secret: &HeaderValue) -> bool {
    let ours = app.config.replica.as_ref().filter(|_| app.published.is_writer());
    ours.is_some_and(|ours| ours.secret.as_bytes().ct_eq(secret.as_bytes()).into())
}

fn address(value: &HeaderValue) -> Option<IpAddr> {
    value.to_str().ok()?.parse().ok()
}

/// Returns whether the writer has to answer.
fn is_of_writer(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    // Wrong passwords are counted in one place.
    let has_password = request.headers().get(header::AUTHORIZATION).is_some_and(|value| {
        value.as_bytes().get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic "))
    });
    !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS)
        || has_password
        || route.is_some_and(|route| OF_WRITER.contains(&route))
}

/// Returns whether the answer depends on the log: probes and the page's files do not.
fn is_of_log(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    route.is_some_and(|route| route.starts_with("/api") || route.contains("{"))
}

/// Returns a connection to the writer; `None` if it does not answer.
async fn connect(place: &WriterPlace) -> Option<TcpStream> {
    let at = place.address.strip_prefix("http://")?;
    let stream = match tokio::time::timeout(CONNECT_WITHIN, TcpStream::connect(at)).await.ok()? {
        Ok(stream) => stream,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            tracing::warn!(
                at,
                "this server may connect to its own port alone: give all servers the same one"
            );
            return None;
        }
        Err(_) => return None,
    };
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, UNCONFIRMED_MAX.as_millis() as u32);
    Some(stream)
}

/// Sends a request to the writer, and returns its answer once this server knows as much.
async fn pass_on(
    app: &Shared,
    place: &WriterPlace,
    stream: TcpStream,
    mut request: Request,
    held: Place,
) -> Response {
    let lost = |error: hyper::Error| {
        tracing::debug!(%error, "the writer did not answer what was passed on to it");
        unknown().into_response()
    };
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
    let (Ok(peer), Ok(secret)) =
        (HeaderValue::try_from(peer.to_string()), HeaderValue::try_from(place.secret.as_str()))
    else {
        return no_writer().into_response();
    };
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let Ok(uri) = path.parse() else { return no_writer().into_response() };
    *request.uri_mut() = uri;
    remove_hop_headers(request.headers_mut());
    request.headers_mut().insert(PEER, peer);
    request.headers_mut().insert(SECRET, secret);
    let (mut sender, connection) = match http1::handshake(TokioIo::new(stream)).await {
        Ok(both) => both,
        Err(error) => return lost(error),
    };
    tokio::spawn(connection);
    let within = if is_long(&request) { LONG_WITHIN } else { ANSWER_WITHIN };
    let mut answer = match tokio::time::timeout(within, sender.send_request(request)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return lost(error),
        Err(_) => return unknown().into_response(),
    };
    remove_hop_headers(answer.headers_mut());
    let seq = answer.headers_mut().remove(&SEQ).and_then(|seq| seq.to_str().ok()?.parse::<u64>().ok());
    if let Some(seq) = seq {
        let mut version = app.published.version();
        let _ = tokio::time::timeout(SEEN_WITHIN, version.wait_for(|version| *version >= seq)).await;
    }
    // Its place is taken until its end, also of a stream.
    answer.map(|body| {
        let pieces = tokio_stream::StreamExt::map(Body::new(body).into_data_stream(), move |piece| {
            let _held = &held;
            piece
        });
        Body::from_stream(pieces)
    })
}

/// Returns whether a request has a body that may take long.
fn is_long(request: &Request) -> bool {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let is_short = length.is_some_and(|length| length.parse::<u64>().is_ok_and(|bytes| bytes <= SHORT_BYTES));
    !is_short && (length.is_some() || request.headers().contains_key(header::TRANSFER_ENCODING))
}

/// Removes what is about one connection (RFC 9110, section 7.6.1).
fn remove_hop_headers(headers: &mut HeaderMap) {
    for name in [header::CONNECTION, header::TRANSFER_ENCODING, header::TE, header::TRAILER, header::UPGRADE]
    {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_of_the_writer_is_an_endpoint() {
        let document = crate::document();
        for path in OF_WRITER {
            assert!(document["paths"].get(path).is_some_and(|path| path.get("get").is_some()), "{path}");
        }
    }
}
