//! The guest's root: a static busybox, the command, and a directory to work on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cpio::Archive;
use xtask::process;

const INIT: &str = include_str!("init.sh");
const DIRECTORIES: &[&str] = &[
    "bin",
    "dev",
    "etc",
    "lib",
    "lib64",
    "proc",
    "root",
    "run",
    "sbin",
    "sys",
    "tmp",
    "usr",
    "usr/bin",
    "usr/lib",
    "usr/lib64",
    "usr/sbin",
    "var",
    "var/tmp",
];
/// The applets used by the first script and by a person at the console.
const APPLETS: &[&str] = &[
    "cat",
    "chmod",
    "cp",
    "cut",
    "df",
    "dmesg",
    "echo",
    "env",
    "false",
    "find",
    "grep",
    "head",
    "id",
    "ip",
    "kill",
    "ln",
    "ls",
    "mkdir",
    "mount",
    "mv",
    "nproc",
    "poweroff",
    "printf",
    "ps",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sh",
    "sleep",
    "sort",
    "stat",
    "switch_root",
    "sync",
    "tail",
    "taskset",
    "timeout",
    "tr",
    "true",
    "umount",
    "uname",
    "wc",
];

pub struct Content<'a> {
    /// Copied to `/suite`.
    pub suite: Option<&'a Path>,
    /// A program on the host, copied to `/bin` under its own name.
    pub binary: Option<&'a Path>,
    /// The command and its arguments.
    pub command: &'a [String],
}

pub fn build(content: &Content) -> Result<Vec<u8>> {
    let busybox = static_busybox()?;
    let mut archive = Archive::default();
    for directory in DIRECTORIES {
        archive.directory(directory)?;
    }
    // The kernel opens the console before the first program could mount /dev.
    archive.character_device("dev/console", 5, 1)?;
    archive.character_device("dev/null", 1, 3)?;
    archive.file("bin/busybox", true, &busybox)?;
    for applet in APPLETS {
        archive.symlink(&format!("bin/{applet}"), "busybox")?;
    }
    archive.file(
        "etc/passwd",
        false,
        b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    )?;
    archive.file("etc/group", false, b"root:x:0:\nnogroup:x:65534:\n")?;
    archive.file("init", true, INIT.as_bytes())?;
    archive.file("command", false, command_line(content.command).as_bytes())?;
    if let Some(binary) = content.binary {
        let name =
            binary.file_name().and_then(|name| name.to_str()).context("the program has no plain name")?;
        archive.file(&format!("bin/{name}"), true, &read(binary)?)?;
        for library in libraries(binary)? {
            let place =
                library.strip_prefix("/").with_context(|| format!("{} is no path", library.display()))?;
            make_folders(&mut archive, place)?;
            archive.file(&place.display().to_string(), true, &read(&library)?)?;
        }
    }
    if let Some(suite) = content.suite {
        archive.tree(suite, "suite")?;
    }
    archive.finish()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Lists the shared libraries of one of our programs and its loader, where they are on the host.
fn libraries(binary: &Path) -> Result<Vec<PathBuf>> {
    let listed = process::read(Command::new("ldd").arg(binary))?;
    Ok(paths_of(&listed))
}

/// Returns the paths in what `ldd` prints: `libc.so.6 => /lib/libc.so.6 (0x7f...)`, and the loader's alone.
fn paths_of(listed: &str) -> Vec<PathBuf> {
    let path = |line: &str| line.split_whitespace().find(|word| word.starts_with('/')).map(PathBuf::from);
    listed.lines().filter_map(path).collect()
}

/// Makes the folders of a file that the guest does not have yet.
fn make_folders(archive: &mut Archive, file: &Path) -> Result<()> {
    let above: Vec<&Path> =
        file.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
    for folder in above.into_iter().rev() {
        let name = folder.display().to_string();
        if !DIRECTORIES.contains(&name.as_str()) {
            archive.directory(&name)?;
        }
    }
    Ok(())
}

fn command_line(command: &[String]) -> String {
    let quoted: Vec<String> = command.iter().map(|word| process::shell_quote(word)).collect();
    format!("{}\n", quoted.join(" "))
}

fn static_busybox() -> Result<Vec<u8>> {
    let path = ["/bin/busybox", "/usr/bin/busybox"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.is_file())
        .context("busybox is missing; install it as root: apt-get install busybox-static")?;
    let bytes = read(&path)?;
    // Of a dynamically linked one the guest's only message would be "not found".
    match has_interpreter(&bytes) {
        Some(false) => Ok(bytes),
        Some(true) => bail!(
            "{} is dynamically linked, and the guest has no libraries for it; install busybox-static",
            path.display()
        ),
        None => bail!("{} is not a 64-bit ELF program; the guest is x86_64", path.display()),
    }
}

/// Returns whether a 64-bit little-endian ELF file needs a dynamic loader (a program header PT_INTERP).
fn has_interpreter(elf: &[u8]) -> Option<bool> {
    const PT_INTERP: u32 = 3;
    let number = |offset: usize, length: usize| -> Option<usize> {
        let bytes = elf.get(offset..offset.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
    };
    if elf.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for index in 0..count {
        if number(table.checked_add(index * size)?, 4)? == PT_INTERP as usize {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_in_what_ldd_prints() {
        let listed = "\tlinux-vdso.so.1 (0x7f)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x7f)\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n";
        let paths = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from);
        assert_eq!(paths_of(listed), paths);
        assert!(paths_of("\tstatically linked\n").is_empty());
    }

    #[test]
    fn dynamic_and_static_programs_are_distinguished() {
        let mut elf = vec![0u8; 64 + 2 * 56];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (elf[32], elf[54], elf[56]) = (64, 56, 2);
        elf[64] = 1;
        elf[64 + 56] = 6;
        assert_eq!(has_interpreter(&elf), Some(false));
        elf[64 + 56] = 3;
        assert_eq!(has_interpreter(&elf), Some(true));
        elf[56] = 200;
        elf[64 + 56] = 6;
        assert_eq!(has_interpreter(&elf), None, "a table that runs past the end");
        assert_eq!(has_interpreter(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn the_command_is_quoted_for_the_guests_shell() {
        let command = ["printf".to_owned(), "%s\n".to_owned(), "it's".to_owned()];
        assert_eq!(command_line(&command), "printf '%s\n' 'it'\\''s'\n");
    }
}
