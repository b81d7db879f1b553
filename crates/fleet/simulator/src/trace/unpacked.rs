//! Input that may be compressed, and lines of it that have a limit.

use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// How gzip begins. No text that is read here begins so, and one byte is what a reader has at least.
const GZIP: u8 = 0x1f;
/// What is unpacked at once.
const BUFFER_BYTES: usize = 1 << 16;

/// Input without its compression.
pub enum Unpacked<R: BufRead> {
    /// It has none.
    Plain(R),
    Gzip(Box<BufReader<MultiGzDecoder<R>>>),
}

impl<R: BufRead> Unpacked<R> {
    /// Looks at the first byte.
    pub fn new(mut reader: R) -> io::Result<Self> {
        Ok(if reader.fill_buf()?.first() == Some(&GZIP) {
            Self::Gzip(Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(reader))))
        } else {
            Self::Plain(reader)
        })
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Gzip(reader) => reader.read(buffer),
        }
    }
}

impl<R: BufRead> BufRead for Unpacked<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Plain(reader) => reader.fill_buf(),
            Self::Gzip(reader) => reader.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::Plain(reader) => reader.consume(amount),
            Self::Gzip(reader) => reader.consume(amount),
        }
    }
}

/// Reads a line with its end into `line`, and at most one byte more than `max`.
pub fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>, max: usize) -> io::Result<()> {
    line.clear();
    source.take(max as u64 + 1).read_until(b'\n', line).map(|_| ())
}
