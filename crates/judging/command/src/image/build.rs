//! `tauto image build`: an image from a Dockerfile, by buildah, which needs no daemon.

use super::contents;
use super::entries::check_name;
use super::import::{import_layout, report_import};
use crate::arguments::BuildArguments;
use anyhow::Context;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use terminal::failure::{input, input_with_hint};

/// Where buildah keeps the layers of earlier builds, next to the images.
const CACHE: &str = "build";
/// Times of files in an image, unless SOURCE_DATE_EPOCH names others (reproducible-builds.org).
const EPOCH: &str = "SOURCE_DATE_EPOCH";

pub fn run(arguments: &BuildArguments, json: bool) -> anyhow::Result<ExitCode> {
    check_name(&arguments.tag)?;
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
    let cache = arguments.store.folder().join(CACHE);
    let storage = |command: &str| {
        let mut buildah = Command::new(&buildah);
        buildah.arg("--root").arg(cache.join("root")).arg("--runroot").arg(cache.join("run"));
        buildah.args(["--storage-driver", "overlay", command]);
        buildah
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
    go_through(build.arg(context))?;
    let folder = tempfile::tempdir().context("cannot make a folder for the image")?;
    let layout = folder.path().join("layout");
    let mut to = OsString::from("oci:");
    to.push(&layout);
    to.push(":image");
    go_through(storage("push").args(["--quiet", &arguments.tag]).arg(to))?;
    let imported = import_layout(&layout, None, Some(&arguments.tag), &arguments.store)?;
    let differences = match &arguments.lock {
        Some(path) => contents::lock(path, &imported.store.open_image(&arguments.tag)?)?,
        None => Vec::new(),
    };
    if let Some(registry) = arguments.push.as_ref().filter(|_| differences.is_empty()) {
        let mut push = storage("push");
        if let Some(secret) = &arguments.secret {
            push.arg("--authfile").arg(secret);
        }
        go_through(push.args(["--quiet", &arguments.tag]).arg(format!("docker://{registry}")))?;
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
fn go_through(command: &mut Command) -> anyhow::Result<()> {
    let program = Path::new(command.get_program()).to_owned();
    // The standard output is for the result.
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    let status = command.status().with_context(|| format!("cannot start {}", program.display()))?;
    if status.success() { Ok(()) } else { Err(NotBuilt.into()) }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}
