//! A reader that can be stopped.

use std::io::{self, Read, Seek, SeekFrom};

/// Before each read it asks whether to go on; if not, the read fails.
pub(super) struct Stoppable<'a, R> {
    inner: R,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a, R> Stoppable<'a, R> {
    pub(super) fn new(inner: R, is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self { inner, is_stopped }
    }
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.is_stopped)() {
            // Not `Interrupted`, after which callers read again.
            true => Err(io::Error::other("stopped on request")),
            false => self.inner.read(buffer),
        }
    }
}

impl<R: Seek> Seek for Stoppable<'_, R> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.inner.seek(place)
    }
}
