//! `tauto image build`: an image from a Dockerfile, by what needs no daemon.

mod buildah;
mod job;
mod kaniko;

pub use job::NotBuilt;

use job::{Built, Job, absolute, clear};

use super::import::{import_layout, report_import};
use super::{contents, push};
use crate::arguments::{BuildArguments, EngineName};
use anyhow::Context;
use images::{BUILD, Digest, ImageError, Limits, Remote, Store};
use rustix::fs::{FlockOperation, flock};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::ExitCode;
use terminal::failure::{because, input, input_with_hint};
use terminal::interrupt::Interrupt;

/// The image as it was built, in that folder.
const STAGE: &str = "stage";
/// The name of an image that is compared with what it should be.
const CANDIDATE: &str = "tauto/candidate";
/// What the recipes in languages/images stand on.
const BASE: &str = "judge/base:bookworm";
/// Times of files in an image, unless SOURCE_DATE_EPOCH names others (reproducible-builds.org).
const EPOCH: &str = "SOURCE_DATE_EPOCH";

pub fn run(arguments: &BuildArguments, json: bool) -> anyhow::Result<ExitCode> {
    if !images::is_name(&arguments.tag) {
        return Err(ImageError::Name { name: arguments.tag.clone() }.into());
    }
    if !arguments.context.is_dir() {
        return Err(input(format!("{} is not a folder with a Dockerfile", arguments.context.display())));
    }
    let file = dockerfile(arguments)?;
    let text =
        fs::read_to_string(&file).map_err(|why| because(format!("cannot read {}: {why}", file.display())))?;
    let engine = engine(arguments.engine)?;
    let epoch = std::env::var(EPOCH).unwrap_or_else(|_| "0".to_owned());
    let Ok(epoch) = epoch.parse() else {
        return Err(input(format!("{EPOCH} is '{epoch}'; expected seconds since 1970")));
    };
    // Before an hour of building.
    let access = crate::authority::registries(arguments.secret.as_deref())?;
    let registry = |name: &String| Remote::named(name, &access, Limits::default());
    let registry = arguments.push.as_ref().map(registry).transpose()?;
    let folder = arguments.store.folder();
    let cache = folder.join(BUILD);
    // One build at a time, and what a killed one left goes.
    fs::create_dir_all(&cache)
        .with_context(|| because(format!("cannot make the folder {}", cache.display())))?;
    let cache = absolute(&cache)?;
    let lock = File::open(&cache)
        .and_then(|folder| Ok(flock(&folder, FlockOperation::LockExclusive).map(|()| folder)?));
    let _lock = lock.with_context(|| format!("cannot lock {}", cache.display()))?;
    let stage = cache.join(STAGE);
    clear(&stage)?;
    // A signal ends what builds, and then this command says so.
    let interrupt = Interrupt::listen()?;
    let store = Store::find(&folder, Limits::default())?;
    let named = named(&text, &arguments.build_arguments);
    let bases = bases(store.as_ref())?;
    if named.contains(BASE) && !bases.iter().any(|(name, _)| name == BASE) {
        return Err(input_with_hint(
            format!("{} stands on {BASE}, which is not in {}", file.display(), folder.display()),
            format!("languages/images/base/make FOLDER, and then: tauto image build FOLDER -t {BASE}"),
        ));
    }
    let job = Job {
        arguments,
        file: &file,
        epoch,
        named,
        bases,
        cache: &cache,
        stage: &stage,
        interrupt: &interrupt,
    };
    let built = match &engine {
        Engine::Buildah(buildah) => buildah::build(&job, buildah, store.as_ref())?,
        Engine::Kaniko(kaniko) => kaniko::build(&job, kaniko)?,
    };
    let import = |name: &str| match &built {
        Built::Known(names) => {
            let known = names.first().map(String::as_str);
            import_layout(&folder, known, Some(name), &arguments.store)
        }
        Built::Staged { .. } => import_layout(&stage, None, Some(name), &arguments.store),
    };
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
    if let Built::Staged { note: Some(note) } = &built {
        let folder = note.parent().unwrap_or(&cache);
        let noted = fs::create_dir_all(folder).and_then(|()| fs::write(note, imported.digest()));
        noted.with_context(|| format!("cannot write {}", note.display()))?;
    }
    clear(&stage)?;
    let pushed = match registry.filter(|_| differences.is_empty()) {
        Some(registry) => Some(push::push(&imported.store, &arguments.tag, registry, &interrupt)?),
        None => None,
    };
    report_import(&imported, differences, pushed, json)
}

/// What builds, and where it is.
enum Engine {
    Buildah(PathBuf),
    Kaniko(PathBuf),
}

fn engine(wanted: EngineName) -> anyhow::Result<Engine> {
    let buildah = || find("buildah").map(Engine::Buildah);
    let usual = || Some(PathBuf::from(kaniko::USUAL)).filter(|path| path.is_file());
    let kaniko = || find("kaniko").or_else(usual).map(Engine::Kaniko);
    let install = "apt-get install buildah";
    let (found, missing, hint) = match wanted {
        EngineName::Auto => (
            buildah().or_else(kaniko),
            "neither buildah nor kaniko is installed, and one of them builds images",
            install,
        ),
        EngineName::Buildah => (buildah(), "buildah is not installed", install),
        EngineName::Kaniko => (
            kaniko(),
            "kaniko's executor is neither 'kaniko' in PATH nor /kaniko/executor",
            "put it there, or leave out --engine",
        ),
    };
    found.ok_or_else(|| input_with_hint(missing, hint))
}

/// Returns the images of the store by their names.
fn bases(store: Option<&Store>) -> anyhow::Result<Vec<(String, Digest)>> {
    let Some(store) = store else { return Ok(Vec::new()) };
    let all = store.images()?.into_iter();
    Ok(all.flat_map(|image| image.names.into_iter().map(move |name| (name, image.digest.clone()))).collect())
}

/// Returns what a Dockerfile may name as an image: what is after FROM and `--from=`, and all values that could stand there.
fn named<'a>(dockerfile: &'a str, arguments: &'a [String]) -> BTreeSet<&'a str> {
    let mut named: BTreeSet<&str> = arguments.iter().filter_map(|one| Some(one.split_once('=')?.1)).collect();
    for line in dockerfile.lines() {
        let mut words = line.split_ascii_whitespace();
        let instruction = words.next().unwrap_or_default();
        if instruction.eq_ignore_ascii_case("FROM") {
            named.extend(words.filter(|word| !word.starts_with("--")));
        } else if instruction.eq_ignore_ascii_case("ARG") {
            named.extend(words.filter_map(|word| Some(word.split_once('=')?.1.trim_matches('"'))));
        } else {
            named.extend(words.filter_map(|word| word.strip_prefix("--from=")));
        }
    }
    named
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

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_a_dockerfile_are_found() {
        let text = "ARG BASE=judge/base:1\nfrom --platform=linux/amd64 ${BASE} AS one\n# FROM other\nRUN echo FROM x\n\
                    COPY --from=judge/tools:2 /a /b\n";
        let arguments = ["VERSION=14".to_owned(), "BASE=judge/base:3".to_owned()];
        let expected = ["${BASE}", "14", "AS", "judge/base:1", "judge/base:3", "judge/tools:2", "one"];
        assert_eq!(named(text, &arguments), BTreeSet::from(expected));
    }
}
