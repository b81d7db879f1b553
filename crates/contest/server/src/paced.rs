//! A connection whose client has to take what it is sent.

use crate::pace::Pace;
use prometheus_client::metrics::counter::Counter;
use std::io::{Error, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection that fails when its client takes too little for too long.
pub struct Paced<S> {
    stream: S,
    pace: Pace,
    /// Counts clients that were too slow.
    cut: Counter,
}

impl<S> Paced<S> {
    pub fn new(stream: S, cut: Counter) -> Self {
        Self { stream, pace: Pace::default(), cut }
    }

    fn written(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<Result<usize, Error>>,
    ) -> Poll<Result<usize, Error>> {
        match &written {
            Poll::Ready(Ok(bytes)) => self.pace.moved(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                if let Poll::Ready(slow) = self.pace.poll_waited(context) {
                    self.cut.inc();
                    return Poll::Ready(Err(Error::new(ErrorKind::TimedOut, slow)));
                }
            }
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<Result<usize, Error>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<Result<usize, Error>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
