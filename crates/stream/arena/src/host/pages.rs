//! The board's port: the board as document and as text, the rules, the record when the contest is over, and the page.

use super::door::REQUEST_TIME_MAX;
use super::limit::ConnectionLimit;
use super::refusals::Refusals;
use super::show::LatestBoard;
use super::sockets::notice_silence;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::io::ReaderStream;

#[derive(Clone)]
pub(crate) struct Pages {
    pub show: LatestBoard,
    /// The published rules as a document.
    pub rules: Arc<Vec<u8>>,
    pub record: PathBuf,
    /// Whether the contest is over, so that the record may be read: it has the hidden numbers.
    pub is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Pages {
    /// Serves until `stop` is done. What is not here is answered by `page`.
    pub fn run(
        self,
        listener: TcpListener,
        page: Router,
        limit: &ConnectionLimit,
        refusals: &Refusals,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let routes = Router::new()
            .route("/board.json", get(board_json))
            .route("/board.txt", get(board_text))
            .route("/rules.json", get(rules))
            .route("/record.ndjson", get(record))
            .route("/healthz", get(async || "ok\n"))
            .with_state(self)
            .fallback_service(page);
        listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let accept = async {
                loop {
                    let Ok((socket, address)) = listener.accept().await else {
                        // Without descriptors; some are free again soon.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    };
                    let place = match limit.take(address.ip().to_canonical()) {
                        Ok(place) => place,
                        Err(refusal) => {
                            refusals.count(refusal);
                            continue;
                        }
                    };
                    if notice_silence(&socket).is_err() {
                        continue;
                    }
                    let service = TowerToHyperService::new(routes.clone());
                    tokio::spawn(async move {
                        let _place = place;
                        // A client that goes away is no error of ours.
                        let _ = hyper::server::conn::http1::Builder::new()
                            .timer(TokioTimer::new())
                            .header_read_timeout(REQUEST_TIME_MAX)
                            .serve_connection(TokioIo::new(socket), service)
                            .await;
                    });
                }
            };
            tokio::select! {
                () = stop => {}
                () = accept => {}
            }
            Ok(())
        })
    }
}

async fn board_json(State(pages): State<Pages>, headers: HeaderMap) -> Response {
    let shown = pages.show.latest();
    tagged(&headers, shown.version, "application/json", || shown.json.clone())
}

async fn board_text(State(pages): State<Pages>, headers: HeaderMap) -> Response {
    let shown = pages.show.latest();
    tagged(&headers, shown.version, "text/plain; charset=utf-8", || shown.text.clone())
}

fn tagged(headers: &HeaderMap, version: u64, kind: &str, body: impl FnOnce() -> Vec<u8>) -> Response {
    let tag = format!("\"{version}\"");
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| known.contains(&tag));
    let answer = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::ETAG, tag),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*".to_owned()),
    ];
    if is_known {
        (StatusCode::NOT_MODIFIED, answer).into_response()
    } else {
        (answer, body()).into_response()
    }
}

async fn rules(State(pages): State<Pages>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], pages.rules.as_ref().clone()).into_response()
}

async fn record(State(pages): State<Pages>, _request: Request) -> Response {
    if !(pages.is_over)() {
        let text = "the record has the hidden numbers, so it is here when the contest is over\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    match tokio::fs::File::open(&pages.record).await {
        Ok(file) => {
            let headers = [
                (header::CONTENT_TYPE, "application/x-ndjson"),
                (header::CONTENT_DISPOSITION, "attachment; filename=\"record.ndjson\""),
            ];
            (headers, Body::from_stream(ReaderStream::with_capacity(file, 64 << 10))).into_response()
        }
        Err(error) => {
            tracing::error!("the record cannot be read: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, "the record cannot be read\n").into_response()
        }
    }
}
