//! The guest's kernel: Debian's cloud kernel, taken from the archive once and kept.
//!
//! The archive removes old kernels, so the package is cached by its version, and a machine without network uses the
//! newest cached one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use xtask::process;

/// A package that always depends on the current cloud kernel of the installed Debian.
const META_PACKAGE: &str = "linux-image-cloud-amd64";
const CACHE_MEMBER: &str = ".cache/tautochrone/kernel";

/// Returns the path of a bootable kernel image, and prints on stderr where it comes from.
pub fn image(deb: Option<&Path>) -> Result<PathBuf> {
    let cache = cache_directory()?;
    let deb = match deb {
        Some(path) if path.is_file() => path.to_path_buf(),
        Some(path) => bail!("--kernel-deb {}: no such file; expected a linux-image-*.deb", path.display()),
        None => from_archive(&cache).or_else(|error| newest_cached(&cache, &error))?,
    };
    extract(&deb, &cache)
}

fn cache_directory() -> Result<PathBuf> {
    let home =
        std::env::var_os("HOME").context("HOME is not set; it says where kernels are cached: set it")?;
    let cache = Path::new(&home).join(CACHE_MEMBER);
    fs::create_dir_all(&cache).with_context(|| format!("cannot make the cache {}", cache.display()))?;
    Ok(cache)
}

fn from_archive(cache: &Path) -> Result<PathBuf> {
    let depends = process::read(Command::new("apt-cache").args(["depends", META_PACKAGE]))?;
    let package = dependency(&depends).with_context(|| {
        format!("apt-cache names no kernel that {META_PACKAGE} depends on; run `apt-get update` as root")
    })?;
    let uris = process::read(Command::new("apt-get").args(["--print-uris", "download", package]))?;
    let file =
        file_name(&uris).with_context(|| format!("apt-get does not say where {package} is: {uris:?}"))?;
    let cached = cache.join(file);
    if !cached.is_file() {
        eprintln!("vm: downloading {file}");
        // To a separate directory, then renamed: an interrupted download must not look like a package.
        let partial = tempfile::tempdir_in(cache).context("cannot make a directory for the download")?;
        process::read(
            Command::new("apt-get").args(["-qq", "download", package]).current_dir(partial.path()),
        )?;
        let downloaded = sole_file(partial.path())?;
        fs::rename(&downloaded, &cached).with_context(|| format!("cannot keep {}", cached.display()))?;
    }
    Ok(cached)
}

fn newest_cached(cache: &Path, error: &anyhow::Error) -> Result<PathBuf> {
    let mut debs = Vec::new();
    for entry in fs::read_dir(cache).with_context(|| format!("cannot list {}", cache.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", cache.display()))?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
            debs.push((
                modified.with_context(|| format!("cannot read the age of {}", path.display()))?,
                path,
            ));
        }
    }
    debs.sort();
    let Some((_, newest)) = debs.pop() else {
        bail!(
            "no kernel from Debian's archive ({error:#}) and none in {}; \
             give one with --kernel-deb linux-image-6.1.0-NN-cloud-amd64_VERSION_amd64.deb",
            cache.display()
        );
    };
    eprintln!("vm: {error:#}; using the cached {}", newest.display());
    Ok(newest)
}

/// Unpacks the one file that the machine boots from; the guest needs no modules.
fn extract(deb: &Path, cache: &Path) -> Result<PathBuf> {
    let stem = deb.file_stem().context("the kernel package has no file name")?;
    let image = cache.join(format!("{}.vmlinuz", stem.to_string_lossy()));
    if image.is_file() {
        return Ok(image);
    }
    let unpacked = tempfile::tempdir_in(cache).context("cannot make a directory to unpack the kernel in")?;
    let mut archive = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start dpkg-deb; install it: apt-get install dpkg")?;
    let tar = archive.stdout.take().context("dpkg-deb has no output")?;
    let selected = Command::new("tar")
        .args(["-x", "--wildcards", "--strip-components=2", "-C"])
        .arg(unpacked.path())
        .arg("./boot/vmlinuz-*")
        .stdin(tar)
        .status()
        .context("cannot start tar")?;
    archive.wait().context("cannot wait for dpkg-deb")?;
    if !selected.success() {
        bail!("{} holds no ./boot/vmlinuz-*; expected a linux-image-*.deb", deb.display());
    }
    let kernel = sole_file(unpacked.path())?;
    fs::rename(&kernel, &image).with_context(|| format!("cannot keep {}", image.display()))?;
    Ok(image)
}

fn sole_file(directory: &Path) -> Result<PathBuf> {
    let mut entries =
        fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    match (entries.next(), entries.next()) {
        (Some(Ok(entry)), None) => Ok(entry.path()),
        _ => bail!("{} should hold exactly one file", directory.display()),
    }
}

/// Returns the real package behind a meta package, from `apt-cache depends`.
fn dependency(depends: &str) -> Option<&str> {
    depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|package| package.starts_with("linux-image-"))
}

/// Returns the second word of `apt-get --print-uris`: the name of the downloaded file.
fn file_name(uris: &str) -> Option<&str> {
    uris.split_whitespace().nth(1).filter(|name| name.ends_with(".deb") && !name.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_apt_is_parsed() {
        let depends = "linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-56-cloud-amd64\n";
        assert_eq!(dependency(depends), Some("linux-image-6.1.0-56-cloud-amd64"));
        assert_eq!(dependency("linux-image-cloud-amd64\n"), None);
        let uris = "'http://a/b/linux_1_amd64.deb' linux_1_amd64.deb 26713492 SHA256:e7\n";
        assert_eq!(file_name(uris), Some("linux_1_amd64.deb"));
        assert_eq!(file_name("'http://a/b.deb' ../b.deb 3\n"), None);
        assert_eq!(file_name(""), None);
    }

    #[test]
    fn without_archive_the_newest_in_the_cache_serves() {
        let cache = tempfile::tempdir().unwrap();
        let error = anyhow::anyhow!("no network");
        let refusal = newest_cached(cache.path(), &error).unwrap_err();
        assert!(format!("{refusal:#}").contains("--kernel-deb"));
        for (name, age_s) in [("a.deb", 10), ("b.deb", 1000), ("c.vmlinuz", 0)] {
            let file = fs::File::create(cache.path().join(name)).unwrap();
            file.set_modified(
                std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(10_000 - age_s),
            )
            .unwrap();
        }
        assert_eq!(newest_cached(cache.path(), &error).unwrap(), cache.path().join("a.deb"));
    }
}
