//! fs-verity: a file whose content the kernel compares with a digest whenever it reads it from the disk (docs.kernel.org/filesystems/fsverity.html).

#![allow(unsafe_code)]

use linux_raw_sys::ioctl::{FS_IOC_ENABLE_VERITY, FS_IOC_MEASURE_VERITY};
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// FS_VERITY_HASH_ALG_SHA256.
const SHA256: u32 = 1;
const DIGEST_BYTES: usize = 32;

/// `struct fsverity_enable_arg` of linux/fsverity.h.
#[repr(C)]
#[derive(Default)]
struct Enable {
    version: u32,
    hash_algorithm: u32,
    block_size: u32,
    salt_size: u32,
    salt: u64,
    signature_size: u32,
    reserved: u32,
    signature: u64,
    reserved_too: [u64; 11],
}

/// `struct fsverity_digest` of linux/fsverity.h, with room for a SHA-256.
#[repr(C)]
struct Measured {
    algorithm: u16,
    size: u16,
    digest: [u8; DIGEST_BYTES],
}

/// Makes a file read-only for ever, and the kernel check what it reads of it. Nothing must have it open for writing.
///
/// # Errors
/// Where the kernel or the file system has no fs-verity.
pub fn seal(file: &File) -> io::Result<()> {
    let enable = Enable { version: 1, hash_algorithm: SHA256, block_size: 4096, ..Enable::default() };
    // SAFETY: the kernel reads a value of this type, which lives until then.
    let sealed = unsafe { libc::ioctl(file.as_raw_fd(), u64::from(FS_IOC_ENABLE_VERITY), &raw const enable) };
    if sealed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the digest of a sealed file in hexadecimal, which the kernel has at once; `None` if it is not sealed.
pub fn sealed(file: &File) -> Option<String> {
    let mut measured = Measured { algorithm: 0, size: DIGEST_BYTES as u16, digest: [0; DIGEST_BYTES] };
    // SAFETY: the kernel writes no more than the size says, which is that of the digest here.
    let found = unsafe { libc::ioctl(file.as_raw_fd(), u64::from(FS_IOC_MEASURE_VERITY), &raw mut measured) };
    let is_known = found == 0 && u32::from(measured.algorithm) == SHA256;
    is_known.then(|| {
        measured.digest.iter().fold(String::new(), |mut text, byte| {
            // A string takes all.
            let _ = write!(text, "{byte:02x}");
            text
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_sealed_cannot_be_changed_and_has_its_digest() {
        let here =
            tempfile::tempdir_in(std::env::var_os("TAUTO_SEAL_IN").unwrap_or_else(|| "/tmp".into())).unwrap();
        let path = here.path().join("file");
        fs::write(&path, "content").unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(sealed(&file), None);
        if let Err(error) = seal(&file) {
            eprintln!(
                "skipped: no fs-verity here ({error}); 'mkfs.ext4 -O verity' makes a file system with it"
            );
            assert_eq!(sealed(&file), None);
            return;
        }
        // fsverity digest --hash-alg=sha256 --block-size=4096
        let expected = "c15b6e6213ea5aecdaf96900db4aac4e602757f6dbf13d2aab21919d21dfddfb";
        assert_eq!(sealed(&file).unwrap(), expected);
        assert!(fs::write(&path, "other").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "content");
    }
}
