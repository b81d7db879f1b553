//! What the guest's kernel begins with: this program, and the kernel's modules.

use crate::kernel::GuestKernel;
use crate::wire::{MODULES, PROGRAM};
use cpio::newc::{Builder, ModeFileType, trailer};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Error, Write};
use std::path::{Path, PathBuf};

/// The guest mounts its own file systems on these.
const FOLDERS: [&str; 6] = ["dev", "proc", "sys", "tmp", "run", MODULES];

/// Makes it, compressed: what is unpacked from it remains in the guest's memory.
pub fn make(kernel: &GuestKernel) -> io::Result<Vec<u8>> {
    // Its code and data. What is not loaded, such as symbols, can be larger than the rest.
    let program = loaded_part(fs::read("/proc/self/exe")?);
    let mut archive = Archive(zstd::stream::write::Encoder::new(Vec::new(), 1)?);
    for folder in FOLDERS {
        archive.folder(folder)?;
    }
    // The kernel opens the console before the first program could mount /dev.
    let console = Builder::new("dev/console").mode(0o600).set_mode_file_type(ModeFileType::Char);
    archive.add(console.rdev_major(5).rdev_minor(1), &[])?;
    archive.file(PROGRAM, 0o755, &program)?;
    for (path, content) in libraries()? {
        for above in path.ancestors().skip(1).collect::<Vec<_>>().into_iter().rev() {
            archive.folder(&relative(above))?;
        }
        archive.file(&relative(&path), 0o755, &content)?;
    }
    for (number, module) in kernel.modules.iter().enumerate() {
        archive.file(&format!("{MODULES}/{number:03}.ko"), 0o644, &fs::read(module)?)?;
    }
    trailer(archive.0)?.finish()
}

struct Archive<W: Write>(W);

impl<W: Write> Archive<W> {
    fn add(&mut self, entry: Builder, content: &[u8]) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(Error::other)?;
        let mut writer = entry.write(&mut self.0, size);
        writer.write_all(content)?;
        writer.finish().map(drop)
    }

    fn file(&mut self, name: &str, mode: u32, content: &[u8]) -> io::Result<()> {
        self.add(Builder::new(name).mode(mode).set_mode_file_type(ModeFileType::Regular), content)
    }

    /// The kernel makes no folder for what is in it, and a second time does no harm.
    fn folder(&mut self, name: &str) -> io::Result<()> {
        if name.is_empty() {
            return Ok(());
        }
        self.add(Builder::new(name).mode(0o755).nlink(2).set_mode_file_type(ModeFileType::Directory), &[])
    }
}

fn relative(path: &Path) -> String {
    path.strip_prefix("/").unwrap_or(path).to_string_lossy().into_owned()
}

/// Returns the libraries of this program and its loader; the one that is built to be used has none.
fn libraries() -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let program = fs::read_link("/proc/self/exe")?;
    let maps = fs::read_to_string("/proc/self/maps")?;
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])));
    let paths: BTreeSet<PathBuf> =
        paths.filter(|path| *path != program && path.to_string_lossy().contains(".so")).collect();
    let mut libraries = Vec::new();
    for path in paths {
        let content = fs::read(&path)?;
        // The loader's path in programs is a link to where it is.
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux")) {
            libraries.push((Path::new("/lib64").join(path.file_name().unwrap_or_default()), content));
        } else {
            libraries.push((path, content));
        }
    }
    Ok(libraries)
}

/// Cuts off what the kernel does not load of an ELF file: sections behind the last segment, which a debugger would use.
fn loaded_part(mut elf: Vec<u8>) -> Vec<u8> {
    const LOAD: u64 = 1;
    let number = |offset: usize, length: usize| -> Option<u64> {
        let bytes = elf.get(offset..offset.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    };
    let end = || -> Option<u64> {
        let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
        let mut end = 0;
        for index in 0..count {
            let header = usize::try_from(table + index * size).ok()?;
            let (kind, offset, length) =
                (number(header, 4)?, number(header + 8, 8)?, number(header + 32, 8)?);
            if kind == LOAD {
                end = end.max(offset.checked_add(length)?);
            }
        }
        Some(end)
    };
    if let Some(end) = end().and_then(|end| usize::try_from(end).ok()).filter(|end| *end > 64) {
        elf.truncate(end);
        // Without a table of sections (e_shoff, e_shnum, e_shstrndx).
        elf[40..48].fill(0);
        elf[60..64].fill(0);
    }
    elf
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaded_part_of_a_program_runs() {
        let whole = fs::read("/proc/self/exe").unwrap();
        let part = loaded_part(whole.clone());
        assert!(part.len() < whole.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, part).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let status =
            std::process::Command::new(&path).arg("--list").stdout(std::process::Stdio::null()).status();
        assert!(status.unwrap().success());
        assert_eq!(loaded_part(b"#!/bin/sh".to_vec()), b"#!/bin/sh");
    }
}
