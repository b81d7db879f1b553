//! Connections: their number, their time, and the graceful end.

use crate::auth::{Peer, network};
use crate::config::Limits;
use crate::paced::Paced;
use crate::remainder::WithRemainder;
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// For the headers of a request, and between requests.
const HEADERS_WITHIN: Duration = Duration::from_secs(30);
/// All headers of a request.
const HEADER_BYTES_MAX: usize = 32 << 10;
/// A client that acknowledges nothing for so long is gone. Events are sent more often.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(20);
/// Requests that last longer are cut at the end of the server.
const END_WITHIN: Duration = Duration::from_secs(10);
/// After an error of `accept`, such as too many open files.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// How many connections there are.
#[derive(Default)]
struct Connections {
    counts: Mutex<(usize, HashMap<IpAddr, usize>)>,
}

struct Place {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    fn enter(self: &Arc<Self>, address: IpAddr, limits: &Limits) -> Option<Place> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = counts.1.get(&address).copied().unwrap_or(0);
        if counts.0 >= limits.connections || of_address >= limits.connections_per_address {
            return None;
        }
        counts.0 += 1;
        counts.1.insert(address, of_address + 1);
        Some(Place { connections: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.connections.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 -= 1;
        if let Some(count) = counts.1.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.1.remove(&self.address);
            }
        }
    }
}

/// Answers requests until `stop` is done, and then those that have begun.
pub async fn listen(listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let connections = Arc::new(Connections::default());
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
        let Some(place) = connections.enter(network(address), &limits) else {
            tracing::debug!(%address, "too many connections");
            continue;
        };
        let connection = connection(stream, address, router.clone());
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // An error is a client's: it went away, or sent no HTTP.
            if let Err(error) = watched.await {
                tracing::debug!(%error, %address, "a connection ended");
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(END_WITHIN, graceful.shutdown()).await.is_err() {
        tracing::info!("connections were cut at the end");
    }
}

fn connection(
    stream: TcpStream,
    address: IpAddr,
    router: Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    // A verdict is a small packet that must not wait for the next one.
    let _ = stream.set_nodelay(true);
    // The kernel may hold much of what a client does not take, and a client that is gone acknowledges nothing.
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, UNCONFIRMED_MAX.as_millis() as u32);
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(address));
        let mut router = router.clone();
        async move {
            tower_service::Service::call(
                &mut router,
                request.map(|body| axum::body::Body::new(WithRemainder::new(body))),
            )
            .await
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(Paced::new(stream)), service)
}
