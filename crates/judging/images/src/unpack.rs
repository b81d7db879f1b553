//! Makes a root of layers (OCI image specification, "Image Layer Filesystem Changeset").

use crate::digest::{Digest, Hashing};
use crate::error::{PartError, bad};
use crate::limits::Limits;
use crate::tree::{Tree, inside, times};
use model::Bytes;
use rustix::fs::Mode;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Bound;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use tar::{Archive, Entry, EntryType, PaxExtensions};

const CHUNK_BYTES: usize = 256 << 10;
/// Decompressed content that waits to be written.
const CHUNKS: usize = 16;
/// Names that do not fit into a header come before it.
const EXTENSION_BYTES_MAX: u64 = 1 << 20;
const HEADER_BYTES: u64 = 512;
/// A name with this before it says that a lower layer's file of the rest of the name is gone.
const WHITEOUT: &[u8] = b".wh.";
/// That all of lower layers in its folder is gone.
const OPAQUE: &[u8] = b".wh..wh..opq";

/// What was unpacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Files, folders and links.
    pub entries: u64,
    pub bytes: Bytes,
    /// Devices, pipes and sockets: a run has its own devices.
    pub left_out: u64,
}

pub(crate) struct Unpacker<'a> {
    tree: Tree,
    limits: Limits,
    /// Headers of all layers, also of what is left out.
    headers: u64,
    bytes: Bytes,
    left_out: u64,
    /// Bytes of the names of all files.
    names: Bytes,
    /// Content without compression that may still come.
    stream_left: u64,
    /// Folders with their times, which change while files are made there.
    folders: BTreeMap<PathBuf, u64>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(root: &Path, limits: Limits, is_stopped: &'a dyn Fn() -> bool) -> io::Result<Self> {
        Ok(Self {
            tree: Tree::open(root, limits)?,
            limits,
            headers: 0,
            bytes: Bytes(0),
            left_out: 0,
            names: Bytes(0),
            stream_left: limits.bytes.0.saturating_add(limits.entries * 2 * HEADER_BYTES),
            folders: BTreeMap::new(),
            is_stopped,
        })
    }

    /// Puts a layer onto those before it. Its content without compression must have the digest that is expected.
    pub(crate) fn layer(&mut self, layer: File, expected: &Digest) -> Result<(), PartError> {
        let (sender, receiver) = sync_channel(CHUNKS);
        let stream_left = self.stream_left;
        std::thread::scope(|scope| {
            // Decompressing takes as long as writing.
            let decoder = scope.spawn(move || -> Result<(Digest, u64), PartError> {
                let mut content = Hashing::new(decompressed(layer)?.take(stream_left));
                loop {
                    let mut chunk = vec![0; CHUNK_BYTES];
                    let length =
                        content.read(&mut chunk).map_err(|why| bad(format!("a layer is damaged: {why}")))?;
                    chunk.truncate(length);
                    // The other side has found a fault, which counts.
                    if length == 0 || sender.send(chunk).is_err() {
                        break;
                    }
                }
                drop(sender);
                Ok(content.finish())
            });
            let mut chunks = Chunks { receiver, chunk: Vec::new(), at: 0 };
            let written = self.entries(&mut chunks);
            let drained = written.and_then(|()| self.drain(&mut chunks));
            drop(chunks);
            let found = decoder.join().map_err(|_| bad("the decoder of its layers failed"))?;
            // A decoder that failed ended the archive early.
            let (found, bytes) = found?;
            drained?;
            self.stream_left = self.stream_left.saturating_sub(bytes);
            if found == *expected {
                Ok(())
            } else {
                Err(bad(format!(
                    "a layer's content has the digest {found}; the configuration says {expected}"
                )))
            }
        })
    }

    /// Reads what comes after an archive, which has a digest, too.
    fn drain(&self, chunks: &mut Chunks) -> Result<(), PartError> {
        let mut buffer = vec![0; CHUNK_BYTES];
        while chunks.read(&mut buffer)? > 0 {
            if (self.is_stopped)() {
                return Err(PartError::Stopped);
            }
        }
        Ok(())
    }

    /// Sets the times of folders, once nothing is written any more; returns what was left out.
    pub(crate) fn finish(self) -> Result<u64, PartError> {
        // The same on each machine, also of folders about which no layer says a time.
        let implied = self.tree.implied.iter().map(PathBuf::as_path).chain([Path::new("")]);
        for folder in implied.filter(|folder| !self.folders.contains_key(*folder)) {
            self.tree.set_folder_time(folder, 0)?;
        }
        for (folder, time) in &self.folders {
            self.tree.set_folder_time(folder, *time)?;
        }
        Ok(self.left_out)
    }

    /// Forgets the times of a folder that is gone, and of those in it.
    fn forget(&mut self, path: &Path) {
        let gone = self.folders.range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        let gone: Vec<PathBuf> =
            gone.map(|(folder, _)| folder).take_while(|folder| folder.starts_with(path)).cloned().collect();
        for folder in gone {
            self.folders.remove(&folder);
        }
    }

    fn entries(&mut self, content: &mut impl Read) -> Result<(), PartError> {
        let mut archive = Archive::new(content);
        let mut layer = InLayer::default();
        let mut long = Extension::default();
        let damaged = |why: io::Error| bad(format!("a layer is not a tar archive: {why}"));
        // Raw, since otherwise a name of any length is read into memory.
        for entry in archive.entries().map_err(damaged)?.raw(true) {
            if (self.is_stopped)() {
                return Err(PartError::Stopped);
            }
            let mut entry = entry.map_err(damaged)?;
            if long.read(&mut entry)? {
                continue;
            }
            let long = std::mem::take(&mut long);
            let path = inside(&long.path(&entry).map_err(damaged)?, self.limits)?;
            self.headers += 1;
            self.names = Bytes(self.names.0.saturating_add(path.as_os_str().len() as u64));
            self.entry(&mut entry, &path, &long, &mut layer)?;
            if self.headers + self.tree.implied.len() as u64 > self.limits.entries {
                return Err(bad(format!("it has more than {} files", self.limits.entries)));
            }
            if self.names.0.saturating_add(self.tree.implied_names) > self.limits.names.0 {
                return Err(bad(format!("the names of its files have more than {}", self.limits.names)));
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        entry: &mut Entry<'_, impl Read>,
        path: &Path,
        long: &Extension,
        layer: &mut InLayer,
    ) -> Result<(), PartError> {
        let name = path.file_name().map_or(&[][..], OsStrExt::as_bytes);
        if let Some(gone) = name.strip_prefix(WHITEOUT) {
            let folder = path.parent().unwrap_or(Path::new(""));
            if name == OPAQUE {
                // What is there since then is of this layer.
                if !layer.emptied.insert(folder.to_owned()) {
                    return Ok(());
                }
                return self.tree.empty(folder, &|path| layer.made.contains(path));
            }
            // Others that begin so are a storage driver's own.
            if gone.starts_with(WHITEOUT) {
                return Ok(());
            }
            if matches!(gone, b"" | b"." | b"..") {
                return Err(bad(format!(
                    "'{}' says that '{}' is gone",
                    path.display(),
                    String::from_utf8_lossy(gone)
                )));
            }
            let gone = folder.join(std::ffi::OsStr::from_bytes(gone));
            if layer.made.contains(&gone) {
                return Ok(());
            }
            self.forget(&gone);
            return self.tree.remove(&gone);
        }
        let damaged = |why: io::Error| bad(format!("'{}': {why}", path.display()));
        let header = entry.header();
        // No bits that give rights: no setuid, no setgid.
        let mode = header.mode().map_err(damaged)?;
        let mode = if header.entry_type().is_dir() { mode & 0o1777 } else { mode & 0o777 };
        let mode = Mode::from_raw_mode(mode);
        let time = header.mtime().map_err(damaged)?;
        let kind = header.entry_type();
        match kind {
            EntryType::Regular | EntryType::Continuous => {
                let bytes = header.entry_size().map_err(damaged)?;
                self.bytes = Bytes(self.bytes.0.saturating_add(bytes));
                if self.bytes > self.limits.bytes {
                    return Err(bad(format!("its files have more than {}", self.limits.bytes)));
                }
                let mut file = self.tree.file(path)?;
                let copied = copy(entry, &mut file)?;
                if copied != bytes {
                    return Err(bad(format!("'{}' ends after {copied} of {bytes} bytes", path.display())));
                }
                rustix::fs::fchmod(&file, mode).map_err(io::Error::from)?;
                rustix::fs::futimens(&file, &times(time)).map_err(io::Error::from)?;
            }
            EntryType::Directory => {
                self.tree.folder(path, mode)?;
                self.folders.insert(path.to_owned(), time);
            }
            EntryType::Symlink => {
                let to = long.link(entry).map_err(damaged)?;
                if to.as_os_str().is_empty() || to.as_os_str().len() > self.limits.name {
                    return Err(bad(format!("'{}' is a link without a name", path.display())));
                }
                self.tree.symbolic_link(path, &to)?;
                self.tree.set_time(path, time)?;
            }
            EntryType::Link => {
                let to = inside(&long.link(entry).map_err(damaged)?, self.limits)?;
                self.tree.hard_link(path, &to)?;
            }
            EntryType::Char | EntryType::Block | EntryType::Fifo => {
                self.left_out += 1;
                return Ok(());
            }
            _ => {
                return Err(bad(format!(
                    "'{}' is of the kind '{}'; expected a file, a folder or a link",
                    path.display(),
                    char::from(kind.as_byte()).escape_default()
                )));
            }
        }
        if kind != EntryType::Directory {
            self.forget(path);
        }
        layer.made.insert(path.to_owned());
        Ok(())
    }
}

/// What a layer has done so far.
#[derive(Default)]
struct InLayer {
    /// Not taken away by its own whiteouts.
    made: HashSet<PathBuf>,
    /// Folders without what lower layers have in them.
    emptied: HashSet<PathBuf>,
}

/// Copies without the standard library's own buffer of 8 KiB.
fn copy(from: &mut impl Read, to: &mut File) -> Result<u64, PartError> {
    let mut buffer = vec![0; 64 << 10];
    let mut copied = 0;
    loop {
        let length = from.read(&mut buffer).map_err(|why| bad(format!("a layer is damaged: {why}")))?;
        if length == 0 {
            return Ok(copied);
        }
        io::Write::write_all(to, &buffer[..length])?;
        copied += length as u64;
    }
}

/// Reads a layer by its first bytes: media types have been seen to lie.
fn decompressed(layer: File) -> io::Result<Box<dyn Read + Send>> {
    let mut layer = BufReader::with_capacity(CHUNK_BYTES, layer);
    Ok(match layer.fill_buf()? {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(layer)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::Decoder::with_buffer(layer)?),
        _ => Box::new(layer),
    })
}

/// What a header that follows has no room for.
#[derive(Default)]
struct Extension {
    path: Option<PathBuf>,
    link: Option<PathBuf>,
}

impl Extension {
    /// Returns whether an entry is about the next one.
    fn read(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<bool, PartError> {
        let kind = entry.header().entry_type();
        if !matches!(
            kind,
            EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader | EntryType::XGlobalHeader
        ) {
            return Ok(false);
        }
        let size =
            entry.header().entry_size().map_err(|why| bad(format!("a layer is not a tar archive: {why}")))?;
        if size > EXTENSION_BYTES_MAX {
            return Err(bad(format!("the name of a file has {size} bytes")));
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|why| bad(format!("a layer is damaged: {why}")))?;
        let path = |content: &[u8]| Some(PathBuf::from(std::ffi::OsString::from_vec(content.to_vec())));
        match kind {
            EntryType::GNULongName => self.path = path(content.strip_suffix(b"\0").unwrap_or(&content)),
            EntryType::GNULongLink => self.link = path(content.strip_suffix(b"\0").unwrap_or(&content)),
            EntryType::XHeader => {
                for record in PaxExtensions::new(&content) {
                    let record = record.map_err(|why| bad(format!("a layer is damaged: {why}")))?;
                    match record.key_bytes() {
                        b"path" => self.path = path(record.value_bytes()),
                        b"linkpath" => self.link = path(record.value_bytes()),
                        b"size" => return Err(bad("a file of more than 8 GiB is in it")),
                        key if key.starts_with(b"GNU.sparse.") => {
                            return Err(bad("a file with holes is in it"));
                        }
                        _ => {}
                    }
                }
            }
            // Comments.
            _ => {}
        }
        Ok(true)
    }

    fn path(&self, entry: &Entry<'_, impl Read>) -> io::Result<PathBuf> {
        self.path.clone().map_or_else(|| Ok(entry.path()?.into_owned()), Ok)
    }

    fn link(&self, entry: &Entry<'_, impl Read>) -> io::Result<PathBuf> {
        let in_header = || Ok(entry.link_name()?.map(|name| name.into_owned()).unwrap_or_default());
        self.link.clone().map_or_else(in_header, Ok)
    }
}

/// Reads chunks that another thread has made.
struct Chunks {
    receiver: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() {
            // At the end the sender is gone.
            let Ok(chunk) = self.receiver.recv() else { return Ok(0) };
            (self.chunk, self.at) = (chunk, 0);
        }
        let length = buffer.len().min(self.chunk.len() - self.at);
        buffer[..length].copy_from_slice(&self.chunk[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
