//! Contents: receiving and sending them, streamed.

use crate::auth::Auth;
use crate::etag::has_tag;
use crate::extract::Path;
use crate::{App, Problem, Shared};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contest_rules::roles::Resource;
use contest_rules::{BlobHash, JudgehostId};
use model::message;
use std::io::{Error, ErrorKind, Read};
use std::ops::Range;
use std::time::Duration;
use store::StoredBlob;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// How long a content waits until others have been received.
const PLACE_WITHIN: Duration = Duration::from_secs(20);
const PIECE_BYTES: usize = 256 << 10;
/// Pieces between the network and the disk.
const PIECES: usize = 4;

/// A body as a reader for a thread that blocks.
struct Pieces {
    pieces: mpsc::Receiver<Result<Bytes, axum::Error>>,
    piece: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(error)) => return Err(Error::other(error)),
                None => return Ok(0),
            }
        }
        let count = self.piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}

/// Stores a body as a blob. Nothing is kept of one that is too long or has another hash.
pub async fn receive(
    app: &Shared,
    auth: &Auth,
    request: Request,
    limit_bytes: u64,
    expected: Option<store::BlobHash>,
) -> Result<StoredBlob, Problem> {
    app.may_store(auth)?;
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced: Option<u64> = announced.and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length| length > limit_bytes) {
        return Err(crate::extract::too_large());
    }
    let stored = with_body(app, request, move |app, content| {
        app.blobs.put(content, limit_bytes, expected.as_ref()).map_err(Into::into)
    });
    let stored = stored.await?;
    app.note_sent(auth, stored);
    Ok(stored)
}

/// Lets a thread that may block read a body.
pub async fn with_body<T: Send + 'static>(
    app: &Shared,
    request: Request,
    work: impl FnOnce(&App, &mut dyn Read) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let _place = place(app).await?;
    let (sender, pieces) = mpsc::channel(PIECES);
    let mut body = request.into_body().into_data_stream();
    let feed = async move {
        while let Some(piece) = body.next().await {
            let is_last = piece.is_err();
            // The reader has ended early: it knows why.
            if sender.send(piece).await.is_err() || is_last {
                return;
            }
        }
    };
    let store = app.blocking(move |app| work(app, &mut Pieces { pieces, piece: Bytes::new() }));
    let (stored, ()) = tokio::join!(store, feed);
    stored
}

/// Waits for one of the places for contents that hold a thread.
pub async fn place(app: &Shared) -> Result<tokio::sync::OwnedSemaphorePermit, Problem> {
    let place = tokio::time::timeout(PLACE_WITHIN, app.transfers.clone().acquire_owned()).await;
    let busy = |_| {
        Problem::unavailable(message!("too-many-transfers", "too many contents are being sent or received"))
    };
    place.map_err(busy)?.map_err(Problem::internal)
}

/// Finds a blob that a field names.
pub async fn stored(app: &Shared, auth: &Auth, field: &str, hash: &str) -> Result<StoredBlob, Problem> {
    let none = || {
        Problem::invalid_field(field, message!("content-missing", "there is no such content: send it first"))
    };
    let hash: store::BlobHash = hash.parse().map_err(|_| none())?;
    if !app.may_name(auth, &hash) {
        return Err(none());
    }
    // It is used from now on, so it must not be collected before the event that says so.
    let size = app.blocking(move |app| Ok(app.blobs.renew(&hash)?)).await?;
    size.map(|size_bytes| StoredBlob { hash, size_bytes }).ok_or_else(none)
}

/// Reads `Range: bytes=A-B`, `A-` or `-N`; anything else is no range. One that has nothing in it is empty.
fn range(headers: &HeaderMap, size: u64) -> Option<Range<u64>> {
    let text = headers.get(header::RANGE)?.to_str().ok()?.strip_prefix("bytes=")?;
    let (begin, end) = text.split_once('-')?;
    if begin.is_empty() {
        let last: u64 = end.parse().ok()?;
        return Some(size.saturating_sub(last)..size);
    }
    let begin: u64 = begin.parse().ok()?;
    let end = if end.is_empty() { size } else { end.parse::<u64>().ok()?.checked_add(1)?.min(size) };
    Some(begin.min(end)..end)
}

/// Returns the next piece of a content, empty at its end.
fn next_piece(content: &mut impl Read) -> Result<Bytes, Error> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match content.read(&mut piece) {
            Ok(count) => {
                piece.truncate(count);
                return Ok(piece.into());
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Sends a blob, or the range of it that was asked for.
pub async fn send(
    app: &Shared,
    hash: &BlobHash,
    headers: &HeaderMap,
    media_type: &'static str,
    filename: &str,
) -> Result<Response, Problem> {
    let hash: store::BlobHash = hash.0.parse().map_err(|_| Problem::not_found("blob", &hash.0))?;
    let tag = format!("\"{hash}\"");
    if has_tag(headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let size = app.blocking(move |app| Ok(app.blobs.size(&hash)?)).await?;
    let size = size.ok_or_else(|| Problem::not_found("blob", hash))?;
    let part = range(headers, size);
    if part.as_ref().is_some_and(|part| part.is_empty()) {
        let detail = format!("the content has {size} bytes");
        return Err(Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, "range", detail));
    }
    let wanted = part.clone();
    let mut reader = app.blocking(move |app| Ok(app.blobs.get(&hash, wanted)?)).await?;
    let length = reader.range.end - reader.range.start;
    let (sender, pieces) = mpsc::channel::<Result<Bytes, Error>>(PIECES);
    tokio::spawn(async move {
        // No thread waits while the client takes nothing.
        while let Ok(place) = sender.reserve().await {
            let read = tokio::task::spawn_blocking(move || {
                let piece = next_piece(&mut reader);
                (reader, piece)
            });
            let Ok((back, piece)) = read.await else { return };
            reader = back;
            match piece {
                Ok(piece) if piece.is_empty() => return,
                Ok(piece) => place.send(Ok(piece)),
                Err(error) => {
                    tracing::error!(%error, %hash, "a blob cannot be read");
                    // Cuts the connection: the reader sees that something is missing.
                    place.send(Err(error));
                    return;
                }
            }
        }
    });
    let body = Body::from_stream(ReceiverStream::new(pieces));
    let mut response = Response::new(body);
    let set = response.headers_mut();
    let mut put = |name, text: &str| {
        if let Ok(value) = HeaderValue::from_str(text) {
            set.insert(name, value);
        }
    };
    put(header::CONTENT_TYPE, media_type);
    put(header::CONTENT_LENGTH, &length.to_string());
    put(header::ETAG, &tag);
    put(header::ACCEPT_RANGES, "bytes");
    put(header::CONTENT_DISPOSITION, &format!("attachment; filename=\"{}\"", safe_name(filename)));
    if let Some(part) = part {
        put(header::CONTENT_RANGE, &format!("bytes {}-{}/{size}", part.start, part.end - 1));
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    Ok(response)
}

/// Returns a file's name without what could break out of a header.
pub fn safe_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

/// Returns a blob to a judgehost, if one of its account has to do with it; or to an admin.
pub async fn get(
    State(app): State<Shared>,
    auth: Auth,
    Path(hash): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let name = format!("{hash}.bin");
    let blob = BlobHash(hash.into());
    let was_given = |host: &JudgehostId| app.hosts.were_given(std::iter::once(host), &blob.0);
    contest_rules::roles::may_read_blob(&app.published.state(), &auth.caller, &blob, was_given)
        .map_err(|refusal| auth.explain(refusal))?;
    send(&app, &blob, request.headers(), "application/octet-stream", &name).await
}

/// Takes a judgehost's record of all runs.
pub async fn put(
    State(app): State<Shared>,
    auth: Auth,
    Path(hash): Path<String>,
    request: Request,
) -> Result<StatusCode, Problem> {
    auth.may_read(Resource::Blobs)?;
    let expected = hash.parse().map_err(|_| Problem::not_found("blob", &hash))?;
    receive(&app, &auth, request, app.config.limits.evidence_bytes, Some(expected)).await?;
    Ok(StatusCode::CREATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let check = |text: &'static str, expect: Option<Range<u64>>| {
            let headers = HeaderMap::from_iter([(header::RANGE, HeaderValue::from_static(text))]);
            assert_eq!(range(&headers, 100), expect, "{text}");
        };
        check("bytes=0-9", Some(0..10));
        check("bytes=90-", Some(90..100));
        check("bytes=-10", Some(90..100));
        check("bytes=90-1000", Some(90..100));
        check("bytes=200-", Some(100..100));
        check("bytes=5-2", Some(3..3));
        check("lines=1-2", None);
        check("bytes=1-2,4-5", None);
    }
}
