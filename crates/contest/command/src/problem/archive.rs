//! Packs a package's folder as a zip: the same files are the same bytes, so that an upload is known by its hash.

use anyhow::Context;
use package::{PackageFile, Warning, check_archive, contents};
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;
use terminal::failure::{cannot, input};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A package as an archive, with a warning for each file of the folder that is left out.
pub fn zip_of(path: &Path) -> anyhow::Result<(File, Vec<String>)> {
    if path.is_file() {
        let file = File::open(path).with_context(|| cannot("open", path))?;
        check_archive(path)?;
        return Ok((file, Vec::new()));
    }
    let archive = tempfile::tempfile().context("cannot make a temporary file")?;
    let left_out = pack(path, archive.try_clone().context("cannot make a temporary file")?)?;
    Ok((archive, left_out.iter().map(Warning::to_string).collect()))
}

/// Packs the files that reading the folder finds, below its own name. Returns what was left out.
fn pack<W: Write + Seek>(folder: &Path, target: W) -> anyhow::Result<Vec<Warning>> {
    let real = folder.canonicalize().with_context(|| cannot("open", folder))?;
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !real.join("problem.yaml").is_file() {
        return Err(input(format!("{} is not a problem package: it has no problem.yaml", folder.display())));
    }
    let (files, left_out) = contents(&real, &|| false)?;
    let mut archive = ZipWriter::new(BufWriter::new(target));
    for PackageFile { name: inner, path } in files {
        add(&mut archive, &format!("{name}/{}", inner.display()), &path)?;
    }
    let mut target = archive.finish().context("cannot write the archive")?;
    target.flush().context("cannot write the archive")?;
    Ok(left_out)
}

/// Adds a file to an archive: without its time and owner, but executable if it is.
pub fn add<W: Write + Seek>(archive: &mut ZipWriter<W>, name: &str, path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let failed = || cannot("pack", path);
    // The path was resolved before: a link that is here now was put here since.
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let mut file = File::options().read(true).custom_flags(no_link).open(path).with_context(failed)?;
    let data = file.metadata().with_context(failed)?;
    let mode = if data.permissions().mode() & 0o100 != 0 { 0o755 } else { 0o644 };
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .unix_permissions(mode)
        .large_file(data.len() > u64::from(u32::MAX) / 2);
    archive.start_file(name, options).context("cannot write the archive")?;
    std::io::copy(&mut file, archive).with_context(failed)?;
    Ok(())
}
