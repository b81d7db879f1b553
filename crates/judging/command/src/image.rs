//! `tauto image`: toolchain images, where they come from and what is there.

pub(crate) mod build;
mod contents;
mod entries;
mod import;
mod push;

use crate::arguments::{
    ExportArguments, ImageArguments, ImageCommand, IsolationName, NamedArguments, RootArguments,
    StoreArguments, usual_store,
};
use documents::{ImageReport, ImagesPruneReport, ImagesReport};
use entries::{entry, existing, report};
use host_command::machines;
use images::{ImageError, InUse, Limits, Store};
use judge::Disk;
use microvm::Machines;
use sandbox::RootView;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use terminal::failure::{input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::{Align, AtomicFile, Cell, Progress, Report, Table, print_result};

/// Digits of a digest that people see; enough to name it.
const DIGITS: usize = 12;

pub fn run(command: &ImageCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ImageCommand::Build(arguments) => build::run(arguments, json),
        ImageCommand::Import(arguments) => import::run(arguments, json),
        ImageCommand::List(arguments) => list(arguments, json),
        ImageCommand::Show(arguments) => contents::show(arguments, json),
        ImageCommand::Verify(arguments) => verify(arguments, json),
        ImageCommand::Export(arguments) => export(arguments, json),
        ImageCommand::Push(arguments) => push::run(arguments, json),
        ImageCommand::Remove(arguments) => remove(arguments, json),
        ImageCommand::Prune(arguments) => prune(arguments, json),
    }
}

/// A root file system that is seen in place of the host's toolchains. Its image is not removed as long as this lives.
#[derive(Debug)]
pub struct OpenRoot {
    pub path: PathBuf,
    /// The image as one file.
    pub disk: Option<Disk>,
    pub image: Option<Arc<InUse>>,
    /// What runs get machines of their own from, if they do.
    pub machines: Option<Arc<Machines>>,
}

impl ImageArguments {
    /// Opens the image that is named; `None` if none is.
    pub fn open(&self, interrupt: &Interrupt) -> anyhow::Result<Option<OpenRoot>> {
        let Some(name) = self.name()? else { return Ok(None) };
        let machines = self.machines()?;
        let store = existing(&usual_store())?;
        let image = Arc::new(store.open_image(digest_or_name(name))?);
        if let Some(machines) = &machines {
            let progress = Progress::on_stderr(true);
            progress.say(format!("reading the disk of {name}"));
            let disk = disk_of(&store, &image, interrupt, || {
                progress.say(format!("making the disk of {name}, once"))
            });
            interrupt.check()?;
            machines.use_disk(&image.root, &disk?);
        }
        let (path, of, interrupt) = (image.root.clone(), Arc::clone(&image), interrupt.clone());
        // It is compared with its digest once.
        let found = OnceLock::new();
        let disk = Disk::new(move || match found.get() {
            Some(path) => Ok(PathBuf::clone(path)),
            None => match disk_of(&store, &of, &interrupt, || ()) {
                Ok(path) => Ok(found.get_or_init(|| path).clone()),
                Err(ImageError::Stopped) => Err(io::ErrorKind::Interrupted.into()),
                Err(error) => Err(io::Error::other(error)),
            },
        });
        Ok(Some(OpenRoot { path, disk: Some(disk), image: Some(image), machines }))
    }

    /// Checks what can be checked before the image is fetched and opened.
    pub fn check(&self) -> anyhow::Result<()> {
        let Some(name) = self.name()? else { return Ok(()) };
        self.machines()?;
        if !name.contains('@') {
            existing(&usual_store())?.open_image(name)?;
        }
        Ok(())
    }

    /// Returns the image's name, without which there are no machines.
    fn name(&self) -> anyhow::Result<Option<&str>> {
        if self.image.is_none() && self.isolation == IsolationName::Microvm {
            return Err(input(
                "--isolation microvm: a virtual machine has no toolchains of this machine; add --image NAME ('tauto image list' \
                 shows them), or --root FOLDER where the command has it",
            ));
        }
        Ok(self.image.as_deref())
    }

    /// Gets the image from its registry, if it is named with one and a digest, and is not here.
    pub fn fetch(&self, interrupt: &Interrupt) -> anyhow::Result<()> {
        self.image.as_deref().map_or(Ok(()), |name| import::fetch(name, interrupt))
    }

    /// Finds what virtual machines need, if they are asked for.
    fn machines(&self) -> anyhow::Result<Option<Arc<Machines>>> {
        match self.isolation {
            IsolationName::Container => Ok(None),
            IsolationName::Microvm => {
                let found = machines::find().map_err(|why| input_with_hint(why, machines::FIX))?;
                Ok(Some(Arc::new(found)))
            }
        }
    }

    /// Returns the words of a command line that say the same.
    pub fn words(&self) -> Vec<String> {
        let isolation = match self.isolation {
            IsolationName::Container => None,
            IsolationName::Microvm => Some(["--isolation".to_owned(), "microvm".to_owned()]),
        };
        let image = self.image.iter().map(|name| ["--image".to_owned(), name.clone()]);
        image.chain(isolation).flatten().collect()
    }
}

impl RootArguments {
    /// Returns whether the host's toolchains are not seen.
    pub fn is_given(&self) -> bool {
        self.root.is_some() || self.image.image.is_some()
    }

    /// Opens what `--root` or `--image` names; `None` if neither is given.
    pub fn open(&self, interrupt: &Interrupt) -> anyhow::Result<Option<OpenRoot>> {
        match &self.root {
            Some(root) if !root.is_dir() => Err(input(format!("--root {} is not a folder", root.display()))),
            Some(root) => {
                let machines = self.image.machines()?;
                Ok(Some(OpenRoot { path: root.clone(), disk: None, image: None, machines }))
            }
            None => self.image.open(interrupt),
        }
    }
}

/// Returns the file that is an image's root, which is made and kept if there is none.
fn disk_of(
    store: &Store,
    image: &InUse,
    interrupt: &Interrupt,
    is_made: impl FnOnce(),
) -> Result<PathBuf, ImageError> {
    store.disk(image, is_made, &|| interrupt.check().is_err())
}

/// Returns the name by which an image is in the store: of one in a registry, its digest says which it is.
fn digest_or_name(name: &str) -> &str {
    name.split_once('@').map_or(name, |(_, digest)| digest)
}

/// Returns what runs see: this root, or the host's toolchains.
pub fn root_view(root: Option<&OpenRoot>) -> RootView {
    match root {
        Some(root) => RootView::Tree(root.path.clone()),
        None => RootView::Host { extra: Vec::new() },
    }
}

fn list(arguments: &StoreArguments, json: bool) -> anyhow::Result<ExitCode> {
    let folder = arguments.folder();
    let images = match Store::find(&folder, Limits::default())? {
        Some(store) => store.images()?,
        None => Vec::new(),
    };
    let document =
        ImagesReport { store: folder.display().to_string(), images: images.iter().map(entry).collect() };
    print_result(&document, json, |_| {
        let mut report = Report::default();
        if images.is_empty() {
            report.line(&format!("no images in {}; 'tauto image import' gets one", folder.display()));
            return report;
        }
        let columns = [
            ("image", Align::Left),
            ("digest", Align::Left),
            ("files", Align::Right),
            ("size", Align::Right),
            ("layers", Align::Right),
            ("as it came", Align::Right),
        ];
        let mut table = Table::new(&columns);
        for image in &images {
            let names: Vec<&str> = image.names.iter().map(String::as_str).collect();
            let cells = [
                names.join(", "),
                image.digest.hex()[..DIGITS].to_owned(),
                image.entries.to_string(),
                image.bytes.to_string(),
                image.layers.to_string(),
                image.compressed.to_string(),
            ];
            table.row(cells.map(Cell::from));
        }
        report.table("", table);
        report
    })?;
    Ok(ExitCode::SUCCESS)
}

fn verify(arguments: &NamedArguments, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let store = existing(&arguments.store.folder())?;
    let progress = Progress::on_stderr(true);
    progress.say(format!("comparing {} with its digest", arguments.image));
    let image = store.open_image(&arguments.image)?.image;
    let differences = store.verify(&arguments.image, &|| interrupt.check().is_err());
    interrupt.check()?;
    drop(progress);
    let document = ImageReport { differences: differences?, ..report(&store, &image, None) };
    print_result(&document, json, |document| {
        let mut report = Report::default();
        if document.differences.is_empty() {
            report.line(&format!(
                "{}: all {} files are as {} says",
                arguments.image, image.entries, image.digest
            ));
        } else {
            report.line(&format!("{} is not as {} says:", arguments.image, image.digest));
            report.sentences(document.differences.clone());
            report.line("remove it, prune, and import it again");
        }
        report
    })?;
    Ok(ExitCode::from(u8::from(!document.differences.is_empty())))
}

fn export(arguments: &ExportArguments, json: bool) -> anyhow::Result<ExitCode> {
    let store = existing(&arguments.named.store.folder())?;
    let mut file = AtomicFile::prepare(&arguments.file)?;
    let image = store.export(&arguments.named.image, &mut file)?;
    file.keep()?;
    let document = report(&store, &image, None);
    print_result(&document, json, |_| {
        let mut report = Report::default();
        report.line(&format!("{}: {}", arguments.file.display(), image.digest));
        report.line(&format!("on another machine: tauto image import oci:{}", arguments.file.display()));
        report
    })?;
    Ok(ExitCode::SUCCESS)
}

fn remove(arguments: &NamedArguments, json: bool) -> anyhow::Result<ExitCode> {
    let store = existing(&arguments.store.folder())?;
    let image = store.remove(&arguments.image)?;
    let document = report(&store, &image, None);
    print_result(&document, json, |_| {
        let mut report = Report::default();
        report.line(&format!("{} is no longer the name of {}", arguments.image, image.digest));
        report.line("'tauto image prune' removes what has no name");
        report
    })?;
    Ok(ExitCode::SUCCESS)
}

fn prune(arguments: &StoreArguments, json: bool) -> anyhow::Result<ExitCode> {
    let pruned = existing(&arguments.folder())?.prune()?;
    let document = ImagesPruneReport {
        roots: pruned.roots,
        blobs: pruned.blobs,
        blob_bytes: pruned.bytes.0,
        in_use: pruned.in_use,
    };
    print_result(&document, json, |_| {
        let mut report = Report::default();
        report.line(&format!(
            "removed {} roots and {} layers and documents of {}",
            pruned.roots, pruned.blobs, pruned.bytes
        ));
        if pruned.in_use > 0 {
            report.line(&format!("left {} roots that are in use", pruned.in_use));
        }
        report
    })?;
    Ok(ExitCode::SUCCESS)
}
