//! The record on disk. A line is there before it is confirmed to a client, so that killing the server loses no answer.

use super::HostError;
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use stream_rules::record::{Begun, Line, RecordError, Replay};

/// Lines that wait to be added up. Then the writer of the next one waits, too.
const WAITING_MAX: usize = 65_536;
/// No line is as long: a chunk has at most 4096 digits, rules 100 factors and 8 numbers.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// How every record begins.
const FIRST: &[u8] = b"{\"contest\":";

/// Writes the record. Its lines are added up in the order in which they are in the file.
pub(crate) struct Journal {
    open: Mutex<Open>,
}

struct Open {
    /// Shared rather than duplicated for waiting: a flood may have taken all descriptors.
    file: Arc<File>,
    length: u64,
    /// None when the server ends.
    added_up: Option<SyncSender<Line>>,
}

impl Journal {
    /// Opens a record, or makes it. Returns what it has if it has anything, and the lines that are written from now on.
    ///
    /// Fails if another server writes it.
    pub fn open(path: &Path) -> Result<(Self, Option<Begun>, Receiver<Line>), HostError> {
        let io = |error| HostError::Record(path.to_owned(), error);
        // The first line has the hidden numbers.
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).mode(0o600);
        let file = options.open(path).map_err(io)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| HostError::InUse(path.to_owned()))?;
        let (begun, length) = read(&file).map_err(|error| match error {
            ReadError::Io(error) => io(error),
            ReadError::Record(error) => HostError::NoRecord(path.to_owned(), error),
        })?;
        // What a kill has left of a last line.
        file.set_len(length).map_err(io)?;
        let (added_up, lines) = sync_channel(WAITING_MAX);
        Ok((
            Self { open: Mutex::new(Open { file: Arc::new(file), length, added_up: Some(added_up) }) },
            begun,
            lines,
        ))
    }

    /// Writes lines.
    ///
    /// On an error none of them is in the record.
    pub fn write(&self, lines: Vec<Line>) -> io::Result<()> {
        let text: String = lines.iter().map(Line::to_text).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let length = open.length;
        if let Err(error) = open.file.write_all_at(text.as_bytes(), length) {
            // What is written over the next time is no line until then.
            let _ = open.file.set_len(length);
            return Err(error);
        }
        open.length += text.len() as u64;
        if let Some(added_up) = &open.added_up {
            // Nothing is added up once the server stops; the record is what counts.
            lines.into_iter().for_each(|line| drop(added_up.send(line)));
        }
        Ok(())
    }

    /// Nothing more is written or added up, and another server may go on.
    pub fn end(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.added_up = None;
        let _ = flock(&open.file, FlockOperation::Unlock);
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let file = Arc::clone(&open.file);
        drop(open);
        file.sync_data()
    }
}

enum ReadError {
    Io(io::Error),
    Record(RecordError),
}

pub fn read_record(path: &Path) -> Result<Begun, HostError> {
    let io = |error| HostError::Record(path.to_owned(), error);
    let file = File::open(path).map_err(io)?;
    match read(&file) {
        Ok((Some(begun), _)) => Ok(begun),
        Ok((None, _)) => Err(HostError::NoRecord(path.to_owned(), RecordError::Order(1))),
        Err(ReadError::Io(error)) => Err(io(error)),
        Err(ReadError::Record(error)) => Err(HostError::NoRecord(path.to_owned(), error)),
    }
}

/// Returns what the whole lines of a file add up to, and how long they are together. What is behind them is cut off by the
/// next server, so it must be what a kill can leave: the beginning of one line.
fn read(file: &File) -> Result<(Option<Begun>, u64), ReadError> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut replay = Replay::default();
    let (mut length, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let count = io::Read::take(&mut reader, LINE_BYTES_MAX)
            .read_until(b'\n', &mut line)
            .map_err(ReadError::Io)?;
        let Some(whole) = line.strip_suffix(b"\n") else { break };
        replay.take(whole).map_err(ReadError::Record)?;
        length += count as u64;
    }
    let is_first = length == 0;
    let is_torn = !is_first || line.starts_with(FIRST) || FIRST.starts_with(&line);
    if line.len() as u64 == LINE_BYTES_MAX || !is_torn {
        replay.take(&line).map_err(ReadError::Record)?;
        return Err(ReadError::Record(RecordError::Order(1)));
    }
    if is_first {
        return Ok((None, 0));
    }
    replay.finish().map(|begun| (Some(begun), length)).map_err(ReadError::Record)
}
