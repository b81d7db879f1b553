//! `tauto image import`: an image from a layout or a registry.

use super::entries::{or_signal, report};
use super::push;
use crate::arguments::{ImportArguments, StoreArguments, usual_store};
use documents::ImageReport;
use images::{Blobs, Chosen, Image, Limits, Pushed, Remote, Source, Store, Unpacked};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::input_with_hint;
use terminal::interrupt::Interrupt;
use terminal::{Progress, Report, print_result};

/// An OCI image layout, and the name of an image in it.
fn layout(source: &str) -> Option<(&Path, Option<&str>)> {
    let rest = source.strip_prefix("oci:").or_else(|| source.strip_prefix("oci-archive:"))?;
    if Path::new(rest).exists() {
        return Some((Path::new(rest), None));
    }
    // A name may have colons, and so may a path.
    let named = rest.match_indices(':').map(|(at, _)| (Path::new(&rest[..at]), &rest[at + 1..]));
    let there = named.into_iter().find(|(path, _)| path.exists());
    Some(there.map_or((Path::new(rest), None), |(path, name)| (path, Some(name))))
}

pub fn run(arguments: &ImportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (source, tag) = (&arguments.source, arguments.tag.as_deref());
    if let Some((path, name)) = layout(source) {
        let imported = import_layout(path, name, tag, &arguments.store)?;
        return report_import(&imported, Vec::new(), None, json);
    }
    if Path::new(source).exists() && !source.contains(':') {
        return Err(input_with_hint(
            format!("'{source}' is a file here, and no name of an image in a registry"),
            format!("oci:{source}"),
        ));
    }
    let progress = Progress::on_stderr(true);
    progress.say(format!("asking for {source}"));
    let (remote, chosen) = Remote::choose(
        source,
        &crate::authority::registries(arguments.secret.as_deref())?,
        Limits::default(),
    )?;
    drop(progress);
    report_import(&take(&remote, &chosen, tag, &arguments.store)?, Vec::new(), None, json)
}

/// An image that was just imported.
pub struct Imported {
    pub store: Store,
    image: Image,
    pub tag: String,
    /// `None` if it was there already.
    unpacked: Option<Unpacked>,
}

impl Imported {
    pub fn digest(&self) -> String {
        self.image.digest.to_string()
    }
}

pub fn import_layout(
    path: &Path,
    name: Option<&str>,
    tag: Option<&str>,
    store: &StoreArguments,
) -> anyhow::Result<Imported> {
    let layout = Source::open(path, Limits::default())?;
    let chosen = layout.choose(name)?;
    if tag.or(chosen.name.as_deref()).is_none() {
        return Err(input_with_hint(
            format!("the image in {} has no name", path.display()),
            "-t NAME gives it one, such as -t judge/cpp:2026-1",
        ));
    }
    take(&layout, &chosen, tag, store)
}

fn take(
    blobs: &dyn Blobs,
    chosen: &Chosen,
    tag: Option<&str>,
    store: &StoreArguments,
) -> anyhow::Result<Imported> {
    let tag = tag.or(chosen.name.as_deref()).unwrap_or_default().to_owned();
    import(blobs, chosen, tag, Store::open(&store.folder(), Limits::default())?, &Interrupt::listen()?)
}

/// Gets an image of a registry, named `REGISTRY/NAME@sha256:DIGEST`, unless it is in the store.
pub fn fetch(source: &str, interrupt: &Interrupt) -> anyhow::Result<()> {
    let Some((name, digest)) = source.split_once('@') else { return Ok(()) };
    let store = Store::open(&usual_store(), Limits::default())?;
    if store.open_image(digest).is_ok() {
        return Ok(());
    }
    let progress = Progress::on_stderr(true);
    progress.say(format!("asking for {source}"));
    let (remote, chosen) = Remote::choose(source, &crate::authority::registries(None)?, Limits::default())?;
    drop(progress);
    import(&remote, &chosen, name.to_owned(), store, interrupt).map(drop)
}

fn import(
    blobs: &dyn Blobs,
    chosen: &Chosen,
    tag: String,
    store: Store,
    interrupt: &Interrupt,
) -> anyhow::Result<Imported> {
    let progress = Progress::on_stderr(true);
    progress.say(format!("unpacking {tag}"));
    let imported = store.import(blobs, chosen, &tag, &|| interrupt.check().is_err());
    let (image, unpacked) = imported.map_err(|error| or_signal(interrupt, error))?;
    Ok(Imported { store, image, tag, unpacked })
}

/// Reports an import; fails if the image is not as it should be.
pub fn report_import(
    imported: &Imported,
    differences: Vec<String>,
    pushed: Option<Pushed>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let Imported { store, image, tag, unpacked } = imported;
    let name = pushed.as_ref().map(|pushed| pushed.name.clone());
    let document = ImageReport { differences, pushed: name, ..report(store, image, *unpacked) };
    print_result(&document, json, |document| {
        let mut words = Report::default();
        let size = format!("{} files, {}, {} layers", image.entries, image.bytes, image.layers);
        let mut facts = vec![
            ("image", tag.clone()),
            ("digest", image.digest.to_string()),
            (if unpacked.is_some() { "unpacked" } else { "was there" }, size),
        ];
        facts.extend(pushed.iter().flat_map(push::facts));
        words.facts(facts);
        if document.left_out > 0 {
            words.line(&format!("left out: {} devices, pipes and sockets", document.left_out));
        }
        if document.differences.is_empty() {
            words.line(&format!("judge with it: tauto judge PROBLEM --image {tag}"));
        } else {
            words.line("it is not as the file of --lock says; remove the file if that is right:");
            words.sentences(document.differences.clone());
        }
        words
    })?;
    Ok(ExitCode::from(u8::from(!document.differences.is_empty())))
}
