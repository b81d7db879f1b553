//! The archive format of a Linux initramfs ("newc" cpio), written from memory.
//!
//! Writing it here needs no root for device nodes, and the same input yields the same bytes.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use walkdir::WalkDir;

const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;
const CHARACTER_DEVICE: u32 = 0o020_000;
const TRAILER: &str = "TRAILER!!!";

#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    inode: u32,
}

impl Archive {
    /// Adds a directory; parents come first, since the kernel does not create them.
    pub fn directory(&mut self, path: &str) -> Result<()> {
        self.entry(path, DIRECTORY | 0o755, (0, 0), &[])
    }

    pub fn file(&mut self, path: &str, executable: bool, content: &[u8]) -> Result<()> {
        self.entry(path, REGULAR | if executable { 0o755 } else { 0o644 }, (0, 0), content)
    }

    pub fn symlink(&mut self, path: &str, target: &str) -> Result<()> {
        self.entry(path, SYMLINK | 0o777, (0, 0), target.as_bytes())
    }

    pub fn character_device(&mut self, path: &str, major: u32, minor: u32) -> Result<()> {
        self.entry(path, CHARACTER_DEVICE | 0o600, (major, minor), &[])
    }

    /// Adds a host directory's whole content below `destination`.
    pub fn tree(&mut self, source: &Path, destination: &str) -> Result<()> {
        self.directory(destination)?;
        for entry in WalkDir::new(source).min_depth(1).sort_by_file_name() {
            let entry = entry.with_context(|| format!("cannot read the directory {}", source.display()))?;
            let relative =
                entry.path().strip_prefix(source).context("an entry lies outside its directory")?;
            let Some(relative) = relative.to_str() else {
                bail!("{} is not a UTF-8 name; rename it", entry.path().display());
            };
            let path = format!("{destination}/{relative}");
            let metadata = entry
                .metadata()
                .with_context(|| format!("cannot read what {} is", entry.path().display()))?;
            if metadata.is_dir() {
                self.directory(&path)?;
            } else if metadata.is_symlink() {
                let target = std::fs::read_link(entry.path())
                    .with_context(|| format!("cannot read the link {}", entry.path().display()))?;
                self.symlink(&path, &target.to_string_lossy())?;
            } else if metadata.is_file() {
                let content = std::fs::read(entry.path())
                    .with_context(|| format!("cannot read {}", entry.path().display()))?;
                self.file(&path, metadata.permissions().mode() & 0o111 != 0, &content)?;
            } else {
                bail!("{} is neither a file, a directory nor a link; remove it", entry.path().display());
            }
        }
        Ok(())
    }

    /// Ends the archive and returns its bytes.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.entry(TRAILER, 0, (0, 0), &[])?;
        Ok(self.bytes)
    }

    fn entry(&mut self, path: &str, mode: u32, (major, minor): (u32, u32), content: &[u8]) -> Result<()> {
        let name = path.trim_start_matches('/');
        let size = u32::try_from(content.len())
            .with_context(|| format!("{path} is over 4 GiB, more than the archive format holds"))?;
        let name_size = u32::try_from(name.len() + 1).context("a file name is over 4 GiB")?;
        self.inode += 1;
        let links = if mode & DIRECTORY == DIRECTORY { 2 } else { 1 };
        // inode, mode, uid, gid, links, mtime, size, device, device number, name size, check sum.
        let fields = [self.inode, mode, 0, 0, links, 0, size, 0, 0, major, minor, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
        Ok(())
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_the_layout_of_the_format() {
        let mut archive = Archive::default();
        archive.file("/etc/name", false, b"hello").unwrap();
        let bytes = archive.finish().unwrap();
        let header = "070701000000010000";
        assert_eq!(&bytes[..header.len()], header.as_bytes());
        assert_eq!(&bytes[14..22], b"000081a4", "regular file, mode 644");
        assert_eq!(&bytes[54..62], b"00000005", "size");
        assert_eq!(&bytes[94..102], b"00000009", "length of the name with its end");
        assert_eq!(&bytes[110..120], b"etc/name\0\0");
        assert_eq!(&bytes[120..128], b"hello\0\0\0");
        assert_eq!(bytes.len() % 4, 0);
        assert!(bytes.windows(TRAILER.len()).any(|window| window == TRAILER.as_bytes()));
    }

    #[test]
    fn a_tree_keeps_links_and_execute_bits() {
        let source = tempfile::tempdir().unwrap();
        std::fs::create_dir(source.path().join("bin")).unwrap();
        std::fs::write(source.path().join("bin/tool"), "x").unwrap();
        std::fs::set_permissions(source.path().join("bin/tool"), std::fs::Permissions::from_mode(0o700))
            .unwrap();
        std::os::unix::fs::symlink("tool", source.path().join("bin/alias")).unwrap();
        let mut archive = Archive::default();
        archive.tree(source.path(), "suite").unwrap();
        let text = String::from_utf8_lossy(&archive.finish().unwrap()).into_owned();
        for expected in
            ["suite\0", "suite/bin\0", "suite/bin/tool\0", "suite/bin/alias\0", "000081ed", "0000a1ff"]
        {
            assert!(text.contains(expected), "{expected:?} is missing");
        }
    }
}
