//! Packs a package's folder as a zip: the same files are the same bytes, so that an upload is known by its hash.

use crate::failure::{because, input};
use anyhow::Context;
use package::is_part_of_package;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;
use walkdir::WalkDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Packs a folder below its own name. What is no part of a package is left out.
///
/// # Errors
/// When a file cannot be read, or the archive cannot be written.
pub fn pack<W: Write + Seek>(folder: &Path, target: W) -> anyhow::Result<()> {
    let real = folder.canonicalize().with_context(|| because(format!("cannot open {}", folder.display())))?;
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !real.join("problem.yaml").is_file() {
        return Err(input(format!("{} is no problem package: it has no problem.yaml", folder.display())));
    }
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).unix_permissions(0o644);
    let mut archive = ZipWriter::new(BufWriter::new(target));
    for entry in WalkDir::new(&real)
        .follow_links(true)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() != 1 || is_part_of_package(entry.file_name()))
    {
        let entry = entry.with_context(|| because(format!("cannot list {}", folder.display())))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let shown = entry.path().display();
        let inner = entry.path().strip_prefix(&real).unwrap_or(entry.path());
        let inner = inner.to_str().ok_or_else(|| input(format!("{shown} has a name that is not UTF-8")))?;
        let mut file = File::open(entry.path()).with_context(|| because(format!("cannot open {shown}")))?;
        let is_executable = {
            use std::os::unix::fs::PermissionsExt;
            file.metadata().is_ok_and(|data| data.permissions().mode() & 0o100 != 0)
        };
        let options = if is_executable { options.unix_permissions(0o755) } else { options };
        archive.start_file(format!("{name}/{inner}"), options).context("cannot write the archive")?;
        std::io::copy(&mut file, &mut archive).with_context(|| because(format!("cannot pack {shown}")))?;
    }
    let mut target = archive.finish().context("cannot write the archive")?;
    target.flush().context("cannot write the archive")
}
