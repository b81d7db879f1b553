//! The rest of a request that was answered early.
//!
//! A connection that is closed with bytes unread is reset, and the client may never see why it was refused.

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// More than any JSON but a bulk of things; who sends more than that unasked may be cut off.
const BYTES_MAX: u64 = 1 << 20;
const WITHIN: Duration = Duration::from_secs(5);

/// A body whose rest is read when nobody wants it.
pub struct WithRemainder(Option<Incoming>);

impl WithRemainder {
    /// Makes it of what comes from the network.
    pub fn new(body: Incoming) -> Self {
        Self(Some(body))
    }
}

impl Body for WithRemainder {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl Drop for WithRemainder {
    fn drop(&mut self) {
        let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) else { return };
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
