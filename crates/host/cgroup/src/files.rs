//! Reading and writing control files.

use crate::CgroupError;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A control file that is kept open, so that reading it costs one system call.
#[derive(Debug)]
pub struct OpenFile {
    path: PathBuf,
    file: File,
}

/// Longer than any control file that is read here (`memory.stat` has about 2.5 KiB).
const CONTROL_FILE_BYTES_MAX: usize = 16 * 1024;

impl AsFd for OpenFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl OpenFile {
    pub fn open(path: PathBuf) -> Result<Self, CgroupError> {
        match File::open(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(CgroupError::Read { path, source }),
        }
    }

    pub fn descriptor(&self) -> i32 {
        std::os::fd::AsRawFd::as_raw_fd(&self.file)
    }

    pub fn read(&self) -> Result<String, CgroupError> {
        let mut buffer = vec![0; CONTROL_FILE_BYTES_MAX];
        let length = self
            .file
            .read_at(&mut buffer, 0)
            .map_err(|source| CgroupError::Read { path: self.path.clone(), source })?;
        buffer.truncate(length);
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }

    /// Reads the numbers behind `keys`, which must all be there, in a file of `key value` lines.
    pub fn required<const N: usize>(&self, keys: [&'static str; N]) -> Result<[u64; N], CgroupError> {
        required(&self.path, &self.read()?, keys)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn number(&self) -> Result<u64, CgroupError> {
        let content = self.read()?;
        parse_number(&self.path, &content)
    }
}

pub fn required<const N: usize>(
    path: &Path,
    content: &str,
    keys: [&'static str; N],
) -> Result<[u64; N], CgroupError> {
    let found = keyed(content, &keys);
    let mut numbers = [0; N];
    for ((number, found), key) in numbers.iter_mut().zip(found).zip(keys) {
        *number = found.ok_or_else(|| CgroupError::NoKey { path: path.to_owned(), key })?;
    }
    Ok(numbers)
}

pub fn keyed(content: &str, keys: &[&str]) -> Vec<Option<u64>> {
    keys.iter()
        .map(|key| {
            content.lines().find_map(|line| {
                let (name, value) = line.split_once(' ')?;
                (name == *key).then(|| value.trim().parse().ok())?
            })
        })
        .collect()
}

/// Reads a kernel file in large steps. Its size is reported as 0, and the kernel would generate its text again for each
/// small step.
pub fn read_at_once(path: &Path) -> io::Result<String> {
    let mut content = Vec::with_capacity(CONTROL_FILE_BYTES_MAX);
    File::open(path)?.read_to_end(&mut content)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}

pub fn read(path: &Path) -> Result<String, CgroupError> {
    read_at_once(path).map_err(|source| CgroupError::Read { path: path.to_owned(), source })
}

pub fn parse_number(path: &Path, content: &str) -> Result<u64, CgroupError> {
    content.trim().parse().map_err(|_| CgroupError::Parse {
        path: path.to_owned(),
        content: content.trim().to_owned(),
        expected: "a number",
    })
}

pub fn write(path: &Path, value: &str) -> Result<(), CgroupError> {
    fs::write(path, value).map_err(|source| CgroupError::Write {
        path: path.to_owned(),
        value: value.to_owned(),
        source,
    })
}
