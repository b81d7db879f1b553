//! The body of a request: how slowly it may come, and the rest of it when it was answered early.
//!
//! A connection that is closed with bytes unread is reset, and the client may never see why it was refused.

use crate::pace::Pace;
use axum::BoxError;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// More than any JSON but a bulk of objects; a client that sends more than that unasked may be cut off.
const BYTES_MAX: u64 = 1 << 20;
const WITHIN: Duration = Duration::from_secs(5);

/// A body that fails when it comes too slowly, and whose rest is read and dropped.
pub struct DrainRest {
    body: Option<Incoming>,
    pace: Pace,
}

impl DrainRest {
    pub fn new(body: Incoming) -> Self {
        Self { body: Some(body), pace: Pace::default() }
    }
}

impl Body for DrainRest {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Self { body: Some(body), pace } = &mut *self else { return Poll::Ready(None) };
        match Pin::new(body).poll_frame(context) {
            Poll::Ready(frame) => {
                let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref().map(Bytes::len));
                pace.moved(bytes.unwrap_or(0));
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => pace.poll_waited(context).map(|slow| Some(Err(slow.into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl Drop for DrainRest {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(tokio::time::timeout(WITHIN, read(body)));
    }
}

async fn read(mut body: Incoming) {
    let mut left = BYTES_MAX;
    while let Some(Ok(frame)) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
    {
        let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
        let Some(rest) = left.checked_sub(bytes) else { return };
        left = rest;
    }
}
