//! Connections: their number, their time, and the graceful end.

use crate::auth::{Peer, network};
use crate::config::Limits;
use crate::drain_rest::DrainRest;
use crate::names::OverTls;
use crate::ops::Metrics;
use crate::paced::Paced;
use crate::places::Places;
use crate::problem::Problem;
use crate::tls::Tls;
use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use prometheus_client::metrics::counter::Counter;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// For the headers of a request, and between requests.
const HEADERS_WITHIN: Duration = Duration::from_secs(30);
/// All headers of a request.
const HEADER_BYTES_MAX: usize = 32 << 10;
/// A client that acknowledges nothing for so long is gone. Events are sent more often.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(20);
/// After an error of `accept`, such as too many open files.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// What all connections of a listener share.
pub struct Serving<'a> {
    pub router: Router,
    pub limits: &'a Limits,
    /// The certificate, if they have TLS.
    pub tls: Option<Arc<Tls>>,
    pub metrics: &'a Metrics,
}

/// Answers requests until `stop` is done, and then those that have begun.
pub async fn listen(listener: TcpListener, serving: Serving<'_>, stop: impl Future<Output = ()>) {
    let Serving { router, limits, tls, metrics } = serving;
    let connections = Arc::new(Places::default());
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let address = peer.ip().to_canonical();
        let Some(place) =
            connections.enter(network(address), limits.connections, limits.connections_per_address)
        else {
            metrics.connections_refused.inc();
            tracing::debug!(%address, "too many connections");
            continue;
        };
        // A verdict is a small packet that must not wait for the next one.
        let _ = stream.set_nodelay(true);
        // The kernel may hold much of what a client does not take, and a client that is gone acknowledges nothing.
        let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, UNCONFIRMED_MAX.as_millis() as u32);
        let (router, cut, watcher) = (router.clone(), metrics.clients_cut.clone(), graceful.watcher());
        let acceptor = tls.as_ref().map(|tls| tls.acceptor());
        tokio::spawn(async move {
            match acceptor {
                None => connection(stream, address, false, router, cut, watcher).await,
                Some(acceptor) => {
                    let accepted = async {
                        if has_plain_http(&stream).await? {
                            return Ok(Err(stream));
                        }
                        acceptor.accept(stream).await.map(Ok)
                    };
                    // A client that says nothing has no longer than for the headers of a request.
                    match tokio::time::timeout(HEADERS_WITHIN, accepted).await {
                        Ok(Ok(Ok(stream))) => connection(stream, address, true, router, cut, watcher).await,
                        Ok(Ok(Err(plain))) => {
                            connection(plain, address, false, https_only(), cut, watcher).await;
                        }
                        Ok(Err(error)) => tracing::debug!(%error, %address, "no TLS"),
                        Err(_) => tracing::debug!(%address, "no TLS in time"),
                    }
                }
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.end_within, graceful.shutdown()).await.is_err() {
        tracing::info!("connections were cut at the end");
    }
}

/// Returns whether a client of the port with TLS begins with a letter, as all methods of HTTP do and no record of TLS.
async fn has_plain_http(stream: &TcpStream) -> std::io::Result<bool> {
    let mut first = [0];
    Ok(stream.peek(&mut first).await? == 1 && first[0].is_ascii_alphabetic())
}

/// Answers each request without TLS on the port with TLS.
fn https_only() -> Router {
    let answer = async |headers: HeaderMap| {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("HOST:PORT");
        let detail = format!("this port speaks HTTPS only: https://{host}");
        ([(header::CONNECTION, "close")], Problem::new(StatusCode::BAD_REQUEST, "https-only", detail))
    };
    Router::new().fallback(answer)
}

async fn connection<S>(
    stream: S,
    address: IpAddr,
    has_tls: bool,
    router: Router,
    cut: Counter,
    watcher: Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(address));
        if has_tls {
            request.extensions_mut().insert(OverTls);
        }
        let mut router = router.clone();
        async move {
            tower_service::Service::call(
                &mut router,
                request.map(|body| axum::body::Body::new(DrainRest::new(body))),
            )
            .await
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(Paced::new(stream, cut)), service);
    // An error is a client's: it went away, or sent no HTTP.
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, %address, "a connection ended");
    }
}
