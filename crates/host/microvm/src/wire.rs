//! What the host and the guest say to each other, over one port.
//!
//! A frame is its kind, the length of its content (4 bytes, little-endian), and the content. What comes from a guest is not trusted:
//! a run may have taken it over.

use model::{Bytes, Nanos, Reading, RunEnd, Usage};
use sandbox::{Emulator, RunPlan};
use serde::{Deserialize, Serialize};
use std::io::{self, Error, ErrorKind, Read, Write};

/// The name of this program in the guest, by which it knows where it is.
pub const PROGRAM: &str = "tauto-guest";
/// Where the guest's modules lie, in the order in which they are loaded.
pub const MODULES: &str = "modules";
/// By this name the guest finds its port.
pub const PORT: &str = "tauto";
/// Content of one frame. A message fits into one: a plan's texts are limited.
pub const FRAME_BYTES_MAX: usize = 1 << 20;
/// How much of a stream is sent at once.
pub const CHUNK_BYTES: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// From the guest: it waits for a request.
    Ready = 1,
    /// To the guest: what to run.
    Request,
    /// From the guest: it has all that it needs, and begins to run it.
    Begun,
    /// An entry of a folder; empty at the folder's end.
    Entry,
    /// A piece of a file's content.
    Tree,
    /// A piece of the program's input, empty at its end; or of its output.
    Stdin,
    Stdout,
    Stderr,
    /// From the guest, the last: how the run ended.
    Answer,
}

/// What to run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Its paths are the host's; the guest puts its own in their place.
    pub plan: RunPlan,
    /// One for each mount of the plan, then one for each of its copies.
    pub trees: Vec<TreeTerms>,
    /// The emulator of the guest's root under which its instructions are counted, if they are.
    pub emulator: Option<Emulator>,
    /// How many processors it may use.
    pub cpus: u32,
    pub stdin: Feed,
    pub stdout: Collect,
    pub stderr: Collect,
    /// For the guest's random numbers, which are else those of every machine of its template.
    pub seed: [u8; 32],
    /// The time of day, since 1970.
    pub time: Nanos,
}

/// What a folder or a file needs in the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeTerms {
    pub is_folder: bool,
    pub bytes: Bytes,
    pub files: u32,
    /// Whether it is sent back after the run.
    pub writable: bool,
}

/// Where the program's input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Feed {
    Empty,
    /// This much, which is there before the program begins.
    Whole(u64),
    /// A pipe.
    Live,
}

/// What becomes of an output of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Collect {
    Capture,
    Cut {
        fails: bool,
    },
    /// It is sent as it comes; `counted` against the output limit.
    Live {
        counted: bool,
    },
    Discard,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    Ran(Box<Ended>),
    /// The program cannot be executed; with the kernel's error.
    CannotExecute {
        program: String,
        errno: i32,
    },
    /// A field of the plan is not usable.
    Plan {
        why: String,
    },
    /// What a run left in its folder cannot be sent back: why.
    LeftBehind {
        why: String,
    },
    Failed(String),
}

/// An entry of a folder.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry {
    pub path: Vec<u8>,
    pub mode: u32,
    pub kind: EntryKind,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum EntryKind {
    Folder,
    Link(Vec<u8>),
    /// A file of this size, whose content follows.
    File(u64),
}

/// How a run ended, as the sandbox in the guest saw it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ended {
    pub end: RunEnd,
    pub usage: Usage,
    pub throttled: Reading<Nanos>,
    pub cpu_pressure: Reading<Nanos>,
    pub migrations: Reading<u64>,
    /// Time that the hypervisor took from the guest's processors.
    pub steal: Reading<Nanos>,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        let all = [
            Self::Ready,
            Self::Request,
            Self::Begun,
            Self::Entry,
            Self::Tree,
            Self::Stdin,
            Self::Stdout,
            Self::Stderr,
            Self::Answer,
        ];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

pub fn send(to: &mut impl Write, kind: Kind, content: &[u8]) -> io::Result<()> {
    if content.len() > FRAME_BYTES_MAX {
        return Err(invalid("a message of the run is too long"));
    }
    let mut frame = Vec::with_capacity(5 + content.len());
    frame.push(kind as u8);
    frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
    frame.extend_from_slice(content);
    to.write_all(&frame)
}

pub fn send_message(to: &mut impl Write, kind: Kind, message: &impl Serialize) -> io::Result<()> {
    send(to, kind, &postcard::to_allocvec(message).map_err(Error::other)?)
}

/// Receives a frame; `None` at the end of the stream.
pub fn receive(from: &mut impl Read, content: &mut Vec<u8>) -> io::Result<Option<Kind>> {
    let mut head = [0; 5];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let [kind, length @ ..] = head;
    let length = u32::from_le_bytes(length) as usize;
    let kind = Kind::of(kind).ok_or_else(|| invalid("a frame of an unknown kind"))?;
    if length > FRAME_BYTES_MAX {
        return Err(invalid("a frame that is too long"));
    }
    content.resize(length, 0);
    from.read_exact(content)?;
    Ok(Some(kind))
}

pub fn read<'a, M: Deserialize<'a>>(content: &'a [u8]) -> io::Result<M> {
    postcard::from_bytes(content).map_err(|error| invalid(&format!("a message that cannot be read: {error}")))
}

pub fn invalid(why: &str) -> Error {
    Error::new(ErrorKind::InvalidData, why)
}

/// Writes frames of one kind.
pub struct Frames<'a, W> {
    pub to: &'a mut W,
    pub kind: Kind,
}

impl<W: Write> Write for Frames<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = &bytes[..bytes.len().min(CHUNK_BYTES)];
        if !piece.is_empty() {
            send(self.to, self.kind, piece)?;
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads frames of one kind up to an empty one.
pub struct Pieces<'a, R> {
    from: &'a mut R,
    kind: Kind,
    content: Vec<u8>,
    at: usize,
    is_over: bool,
}

impl<'a, R: Read> Pieces<'a, R> {
    pub fn new(from: &'a mut R, kind: Kind) -> Self {
        Self { from, kind, content: Vec::new(), at: 0, is_over: false }
    }
}

impl<R: Read> Read for Pieces<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.content.len() && !self.is_over {
            match receive(self.from, &mut self.content)? {
                Some(kind) if kind == self.kind => {}
                Some(_) => return Err(invalid("a frame out of turn")),
                None => return Err(ErrorKind::UnexpectedEof.into()),
            }
            self.at = 0;
            self.is_over = self.content.is_empty();
        }
        let piece = &self.content[self.at..];
        let length = piece.len().min(into.len());
        into[..length].copy_from_slice(&piece[..length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_arrive_in_pieces_and_end() {
        let mut sent = Vec::new();
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
        io::copy(&mut &bytes[..], &mut Frames { to: &mut sent, kind: Kind::Stdin }).unwrap();
        send(&mut sent, Kind::Stdin, &[]).unwrap();
        send(&mut sent, Kind::Begun, &[]).unwrap();
        let mut from = &sent[..];
        let mut pieces = Pieces::new(&mut from, Kind::Stdin);
        let mut received = vec![0; 10];
        pieces.read_exact(&mut received).unwrap();
        assert_eq!(received, bytes[..10]);
        io::copy(&mut pieces, &mut io::sink()).unwrap();
        assert_eq!(receive(&mut from, &mut received).unwrap(), Some(Kind::Begun));
        assert_eq!(receive(&mut from, &mut received).unwrap(), None);
    }

    #[test]
    fn frames_of_a_hostile_guest_are_refused() {
        let refusal = |bytes: &[u8]| receive(&mut &bytes[..], &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(refusal(&[0, 0, 0, 0, 0]), "a frame of an unknown kind");
        assert_eq!(refusal(&[10, 0, 0, 0, 0]), "a frame of an unknown kind");
        assert_eq!(refusal(&[6, 1, 0, 16, 0]), "a frame that is too long");
        assert_eq!(receive(&mut &[6, 1][..], &mut Vec::new()).unwrap(), None);
        let out_of_turn = Pieces::new(&mut &[7, 0, 0, 0, 0][..], Kind::Stdin).read(&mut [0]).unwrap_err();
        assert_eq!(out_of_turn.to_string(), "a frame out of turn");
        assert!(read::<Answer>(&[200]).is_err());
    }
}
