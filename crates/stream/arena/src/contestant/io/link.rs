//! The connections of a contestant, however they are read.

use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::time::Duration;

/// How long a read waits before the caller checks whether it should stop.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// More than any chunk has.
pub(crate) const READ_BYTES: usize = 1 << 16;

/// The two connections of a contestant.
pub(crate) trait Link {
    /// Waits for the next bytes of the feed; `None` if nothing has come for [`PATIENCE`], and no bytes at its end.
    fn read(&mut self) -> io::Result<Option<&[u8]>>;

    /// Writes all parts to the output.
    fn write(&mut self, parts: &mut [IoSlice<'_>]) -> io::Result<()>;

    /// Writes to another connection from now on.
    fn set_output(&mut self, output: TcpStream) -> io::Result<()>;
}

/// Returns whether a read should just be tried again later.
pub(crate) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Writes all parts by a call that may take fewer.
pub(crate) fn write_all(
    mut parts: &mut [IoSlice<'_>],
    mut write: impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<()> {
    while !parts.is_empty() {
        match write(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut parts, count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
