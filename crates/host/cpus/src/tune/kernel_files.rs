//! Reading and writing the kernel's files.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use system::Roots;

/// Larger than any file that is written: they hold one value each.
const VALUE_BYTES_MAX: u64 = 64 << 10;

pub type Writer<'w> = Box<dyn FnMut(&Path, &str) -> io::Result<()> + 'w>;

pub(super) struct KernelFiles<'w> {
    roots: Roots,
    writer: Writer<'w>,
}

impl<'w> KernelFiles<'w> {
    pub(super) fn new(roots: Roots, writer: Writer<'w>) -> Self {
        Self { roots, writer }
    }

    /// Reads a file, given by the kernel's path, as trimmed text.
    pub(super) fn read(&self, path: &str) -> io::Result<String> {
        let place = self.roots.resolve(Path::new(path));
        if !fs::metadata(&place)?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut text = String::new();
        File::open(place)?.take(VALUE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text.trim().to_owned())
    }

    pub(super) fn write(&mut self, path: &str, value: &str) -> io::Result<()> {
        (self.writer)(&self.roots.resolve(Path::new(path)), value)
    }
}

/// Writes the real file: in one call, since the kernel takes each call for a whole value.
pub(super) fn write(place: &Path, value: &str) -> io::Result<()> {
    let line = format!("{value}\n");
    let written = File::options().write(true).open(place)?.write(line.as_bytes())?;
    if written == line.len() {
        Ok(())
    } else {
        Err(io::Error::other(format!("the kernel took {written} of {} bytes", line.len())))
    }
}
