//! Replies to answers. They are not waited for, but read in the gaps, so that the other side's buffer stays empty.

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;

const HEADERS_MAX: usize = 64;
/// No reply is longer.
const REPLY_MAX: usize = 64 << 10;
/// Characters of a reply's text that are reported.
const TEXT_MAX: usize = 200;

#[derive(Default)]
pub(crate) struct Replies {
    bytes: Vec<u8>,
    pub counts: BTreeMap<u16, u64>,
    /// The last that refuses the contestant.
    pub refused: Option<(u16, String)>,
}

impl Replies {
    pub fn drain(&mut self, connection: &TcpStream) -> io::Result<()> {
        let mut piece = [0_u8; 4096];
        loop {
            match recv(connection, &mut piece, RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok((_, count)) => self.take(&piece[..count])?,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Forgets half a reply.
    pub fn begin_anew(&mut self) {
        self.bytes.clear();
    }

    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        let mut done = 0;
        while let Some((length, status, text)) = parse(&self.bytes[done..])? {
            *self.counts.entry(status).or_default() += 1;
            if matches!(status, 401 | 403) {
                self.refused = Some((status, text));
            }
            done += length;
        }
        self.bytes.drain(..done);
        if self.bytes.len() > REPLY_MAX {
            return Err(io::Error::other(format!("a reply has more than {REPLY_MAX} bytes")));
        }
        Ok(())
    }
}

/// Returns the length, the status and the text of the first whole reply.
fn parse(bytes: &[u8]) -> io::Result<Option<(usize, u16, String)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut response = httparse::Response::new(&mut headers);
    let parsed =
        response.parse(bytes).map_err(|error| io::Error::other(format!("no HTTP reply: {error}")))?;
    let httparse::Status::Complete(head) = parsed else { return Ok(None) };
    let length = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse().ok());
    let end = head + length.unwrap_or(0_usize).min(REPLY_MAX);
    if bytes.len() < end {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes[head..end.min(head + TEXT_MAX)]).trim().to_owned();
    Ok(Some((end, response.code.unwrap_or(0), text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_come_in_any_pieces_and_together() {
        let all = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes\
                    HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n\
                    HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nwrong\n";
        for size in 1..all.len() {
            let mut replies = Replies::default();
            all.chunks(size).for_each(|piece| replies.take(piece).unwrap());
            assert_eq!(replies.counts, BTreeMap::from([(200, 1), (403, 1), (429, 1)]), "{size}");
            assert_eq!(replies.refused, Some((403, "wrong".to_owned())));
        }
        assert!(Replies::default().take(b"nonsense\r\n\r\n").is_err());
    }
}
