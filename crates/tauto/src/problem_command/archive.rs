//! Packs a package's folder as a zip: the same files are the same bytes, so that an upload is known by its hash.

use crate::failure::{because, input};
use anyhow::Context;
use package::{Warning, check_archive, contents};
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A package as an archive, with a warning for each file of the folder that is left out.
///
/// # Errors
/// When a file cannot be read, or is no archive.
pub fn zip_of(path: &Path) -> anyhow::Result<(File, Vec<String>)> {
    if path.is_file() {
        let file = File::open(path).with_context(|| because(format!("cannot open {}", path.display())))?;
        check_archive(path)?;
        return Ok((file, Vec::new()));
    }
    let archive = tempfile::tempfile().context("cannot make a temporary file")?;
    let left_out = pack(path, archive.try_clone().context("cannot make a temporary file")?)?;
    Ok((archive, left_out.iter().map(Warning::to_string).collect()))
}

/// Packs the files that reading the folder finds, below its own name. Returns what was left out.
///
/// # Errors
/// When a file cannot be read, or the archive cannot be written.
fn pack<W: Write + Seek>(folder: &Path, target: W) -> anyhow::Result<Vec<Warning>> {
    let real = folder.canonicalize().with_context(|| because(format!("cannot open {}", folder.display())))?;
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !real.join("problem.yaml").is_file() {
        return Err(input(format!("{} is no problem package: it has no problem.yaml", folder.display())));
    }
    let (files, left_out) = contents(&real, &|| false)?;
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).unix_permissions(0o644);
    let mut archive = ZipWriter::new(BufWriter::new(target));
    for package::PackageFile { name: inner, path } in files {
        let mut file =
            File::open(&path).with_context(|| because(format!("cannot open {}", path.display())))?;
        let data = file.metadata().with_context(|| because(format!("cannot look at {}", path.display())))?;
        let is_executable = {
            use std::os::unix::fs::PermissionsExt;
            data.permissions().mode() & 0o100 != 0
        };
        let options = if is_executable { options.unix_permissions(0o755) } else { options };
        let options = options.large_file(data.len() > u64::from(u32::MAX) / 2);
        let inner = inner.to_string_lossy();
        archive.start_file(format!("{name}/{inner}"), options).context("cannot write the archive")?;
        std::io::copy(&mut file, &mut archive)
            .with_context(|| because(format!("cannot pack {}", path.display())))?;
    }
    let mut target = archive.finish().context("cannot write the archive")?;
    target.flush().context("cannot write the archive")?;
    Ok(left_out)
}
