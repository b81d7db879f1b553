//! `tauto image build`: an image from a Dockerfile, by buildah, which needs no daemon.

use super::contents;
use super::import::{import_layout, report_import};
use crate::arguments::BuildArguments;
use anyhow::Context;
use images::{BUILD, ImageError};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use terminal::failure::{because, input, input_with_hint};
use terminal::interrupt::Interrupt;

/// The image as buildah gives it, in that folder.
const STAGE: &str = "stage";
/// The name of an image that is compared with what it should be.
const CANDIDATE: &str = "tauto/candidate";
/// Times of files in an image, unless SOURCE_DATE_EPOCH names others (reproducible-builds.org).
const EPOCH: &str = "SOURCE_DATE_EPOCH";

pub fn run(arguments: &BuildArguments, json: bool) -> anyhow::Result<ExitCode> {
    if !images::is_name(&arguments.tag) {
        return Err(ImageError::Name { name: arguments.tag.clone() }.into());
    }
    let context = &arguments.context;
    if !context.is_dir() {
        return Err(input(format!("{} is not a folder with a Dockerfile", context.display())));
    }
    let file = dockerfile(arguments)?;
    let Some(buildah) = find("buildah") else {
        return Err(input_with_hint(
            "buildah is not installed, and it builds images",
            "apt-get install buildah",
        ));
    };
    let epoch = std::env::var(EPOCH).unwrap_or_else(|_| "0".to_owned());
    if epoch.parse::<u64>().is_err() {
        return Err(input(format!("{EPOCH} is '{epoch}'; expected seconds since 1970")));
    }
    let cache = arguments.store.folder().join(BUILD);
    // One build at a time, and what a killed one left goes.
    fs::create_dir_all(&cache)
        .with_context(|| because(format!("cannot make the folder {}", cache.display())))?;
    let lock = File::open(&cache)
        .and_then(|folder| Ok(flock(&folder, FlockOperation::LockExclusive).map(|()| folder)?));
    let _lock = lock.with_context(|| format!("cannot lock {}", cache.display()))?;
    let stage = cache.join(STAGE);
    if stage.exists() {
        fs::remove_dir_all(&stage).with_context(|| format!("cannot remove {}", stage.display()))?;
    }
    // A signal ends buildah, and then this command says so.
    let interrupt = Interrupt::listen()?;
    let storage = |command: &str| {
        // What it mounts is gone when it ends.
        let mut alone = Command::new("unshare");
        alone.args(["--mount", "--propagation", "private", "--"]).arg(&buildah);
        alone.arg("--root").arg(cache.join("root")).arg("--runroot").arg(cache.join("run"));
        alone.args(["--storage-driver", "overlay", command]);
        alone
    };
    let mut build = storage("build");
    // A chroot, as there is no runtime to ask for more; and layers that are there are not built again.
    build.args(["--isolation", "chroot", "--layers", "--timestamp", &epoch]);
    build.args(["--tag", &arguments.tag, "--file"]).arg(&file);
    for argument in &arguments.build_arguments {
        build.args(["--build-arg", argument]);
    }
    if let Some(secret) = &arguments.secret {
        build.arg("--authfile").arg(secret);
    }
    go_through(build.arg(context), &interrupt)?;
    let mut to = OsString::from("oci:");
    to.push(&stage);
    to.push(":image");
    go_through(storage("push").args(["--quiet", &arguments.tag]).arg(to), &interrupt)?;
    let import = |name| import_layout(&stage, None, Some(name), &arguments.store);
    let mut differences = Vec::new();
    let mut imported = None;
    if let Some(path) = &arguments.lock {
        // It gets its name once it is as it should be.
        let candidate = import(CANDIDATE)?;
        differences = contents::lock(path, &candidate.store.open_image(CANDIDATE)?)?;
        imported = Some(candidate);
    }
    if differences.is_empty() {
        let named = import(&arguments.tag)?;
        imported.get_or_insert(named);
    }
    let mut imported = imported.context("it was imported")?;
    imported.tag.clone_from(&arguments.tag);
    if arguments.lock.is_some() {
        imported.store.remove(CANDIDATE)?;
    }
    fs::remove_dir_all(&stage).with_context(|| format!("cannot remove {}", stage.display()))?;
    if let Some(registry) = arguments.push.as_ref().filter(|_| differences.is_empty()) {
        let mut push = storage("push");
        if let Some(secret) = &arguments.secret {
            push.arg("--authfile").arg(secret);
        }
        go_through(push.args(["--quiet", &arguments.tag]).arg(format!("docker://{registry}")), &interrupt)?;
    }
    report_import(&imported, differences, json)
}

fn dockerfile(arguments: &BuildArguments) -> anyhow::Result<PathBuf> {
    if let Some(file) = &arguments.file {
        return Ok(file.clone());
    }
    let names = ["Containerfile", "Dockerfile"];
    let there = names.into_iter().map(|name| arguments.context.join(name)).find(|path| path.is_file());
    there.ok_or_else(|| {
        input(format!(
            "{} has no Dockerfile or Containerfile; -f names another file",
            arguments.context.display()
        ))
    })
}

/// buildah failed, and has said why.
#[derive(Debug, thiserror::Error)]
#[error("the image was not built: buildah failed, and says why above")]
pub struct NotBuilt;

/// Runs a command whose progress and errors people see.
fn go_through(command: &mut Command, interrupt: &Interrupt) -> anyhow::Result<()> {
    let program = Path::new(command.get_program()).to_owned();
    // The standard output is for the result.
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    let status = command.status().with_context(|| format!("cannot start {}", program.display()))?;
    interrupt.check()?;
    if status.success() { Ok(()) } else { Err(NotBuilt.into()) }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}
