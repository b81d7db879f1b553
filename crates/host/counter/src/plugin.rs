//! The plugin's code.

use rustix::fs::{MemfdFlags, SealFlags};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

const CODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/count.so"));

/// Returns whether this program was built with a C compiler.
pub(crate) fn is_built() -> bool {
    !CODE.is_empty()
}

/// Returns a file in memory with the plugin, which is made once and cannot be changed.
pub fn plugin() -> io::Result<BorrowedFd<'static>> {
    static FILE: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file.as_fd());
    }
    let made = make()?;
    Ok(FILE.get_or_init(|| made).as_fd())
}

fn make() -> io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create("count.so", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = File::from(file);
    file.write_all(CODE)?;
    rustix::fs::fchmod(&file, rustix::fs::Mode::from_raw_mode(0o555))?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}
