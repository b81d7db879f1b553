//! Building by buildah (buildah.io).

use super::job::{Built, Job, absolute, alone, go_through};
use anyhow::Context;
use images::{Digest, Store};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Which of its images the store has: files with a digest each, by its own names of images.
const KNOWN: &str = "known";

/// Links to the store, by the digests of its images.
const BASES: &str = "bases";

fn link_to_store(link: &Path) -> anyhow::Result<()> {
    let made = fs::create_dir_all(link.parent().unwrap_or(link)).and_then(|()| symlink("../..", link));
    match made {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot make the link {}", link.display()))
        }
        _ => Ok(()),
    }
}

/// Builds an image; one that is as the last time is not taken out of buildah's storage again.
pub fn build(job: &Job<'_>, buildah: &Path, store: Option<&Store>) -> anyhow::Result<Built> {
    let arguments = job.arguments;
    let storage = |command: &str| {
        let mut alone = alone();
        // For the chroots of RUN.
        alone.args(["--mount-proc", "--"]).arg(buildah);
        alone.arg("--root").arg(job.cache.join("root")).arg("--runroot").arg(job.cache.join("run"));
        alone.args(["--storage-driver", "overlay", command]);
        alone
    };
    let id = job.cache.join("id");
    let mut build = storage("build");
    // A chroot, as there is no runtime to ask for more; and layers that are there are not built again.
    build.args(["--isolation", "chroot", "--layers", "--timestamp", &job.epoch.to_string()]);
    // Without a name: the next Dockerfile that stands on an image of this name gets the store's.
    build.arg("--file").arg(absolute(job.file)?).arg("--iidfile").arg(&id);
    for argument in &arguments.build_arguments {
        build.args(["--build-arg", argument]);
    }
    // It notes in the image, and keeps by that name, where its base was: this must say which it was, and not where the store is.
    build.current_dir(job.cache);
    for (name, digest) in &job.bases {
        let link = Path::new(BASES).join(digest.hex());
        let base = format!("{name}=container-image://oci:{}:{name}", link.display());
        link_to_store(&job.cache.join(link))?;
        build.arg("--build-context").arg(base);
    }
    if let Some(secret) = &arguments.secret {
        build.arg("--authfile").arg(absolute(secret)?);
    }
    go_through(build.arg(absolute(&arguments.context)?), job.interrupt)?;
    let id = fs::read_to_string(&id).with_context(|| format!("cannot read {}", id.display()))?;
    let id = id.trim().rsplit(':').next().unwrap_or_default();
    let note = job.cache.join(KNOWN).join(id);
    let noted = fs::read_to_string(&note).ok().and_then(|text| Digest::parse(&text));
    if let (Some(digest), Some(store)) = (noted, store)
        && let Ok(image) = store.open_image(&digest.to_string())
    {
        return Ok(Built::Known(image.image.names));
    }
    let mut to = OsString::from("oci:");
    to.push(job.stage);
    to.push(":image");
    go_through(storage("push").args(["--quiet", id]).arg(to), job.interrupt)?;
    Ok(Built::Staged { note: Some(note) })
}
