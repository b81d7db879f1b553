//! Where an image comes from: an OCI image layout, as a folder or as an archive (`oci-archive`).

use crate::digest::Digest;
use crate::error::{ImageError, PartError, bad, io};
use crate::limits::Limits;
use model::Bytes;
use oci_spec::image::{Arch, Descriptor, ImageConfiguration, ImageIndex, ImageManifest};
use rustix::fs::{Mode, OFlags};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use tar::{Archive, EntryType};

/// An annotation of OCI's specification: the name of an image in an index.
pub(crate) const REF_NAME: &str = "org.opencontainers.image.ref.name";
const INDEX: &str = "index.json";
/// An index may name indexes, one for each platform.
const INDEXES_MAX: usize = 3;

/// A part of an image, by its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub digest: Digest,
    /// As its descriptor says.
    pub size: u64,
}

impl Blob {
    fn of(descriptor: &Descriptor) -> Result<Self, PartError> {
        Ok(Self { digest: Digest::read(descriptor.digest().as_ref())?, size: descriptor.size() })
    }
}

/// What has the blobs of an image.
pub trait Blobs {
    /// Copies a blob; what is copied may be anything.
    ///
    /// # Errors
    /// If it is not there, cannot be read, or cannot be written.
    fn copy(&self, blob: &Blob, into: &mut dyn Write) -> Result<(), PartError>;

    /// Reads a blob that is a document, and compares it with its digest.
    fn document(&self, blob: &Blob, limits: Limits) -> Result<Vec<u8>, PartError> {
        if blob.size > limits.document.0 {
            return Err(bad(format!("{} has {} bytes; {} at most", blob.digest, blob.size, limits.document)));
        }
        let mut content = Capped { content: Vec::new(), left: limits.document.0 };
        self.copy(blob, &mut content)?;
        let found = Digest::of(&content.content);
        if content.content.len() as u64 != blob.size {
            return Err(bad(format!(
                "{} should have {} bytes, and has {}",
                blob.digest,
                blob.size,
                content.content.len()
            )));
        }
        if found == blob.digest {
            Ok(content.content)
        } else {
            Err(bad(format!("{} has another content, of the digest {found}", blob.digest)))
        }
    }
}

/// The image for this machine that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The manifest, as it is.
    pub(crate) manifest: Vec<u8>,
    pub(crate) media_type: String,
    pub(crate) digest: Digest,
    pub(crate) config: Blob,
    pub(crate) configuration: Vec<u8>,
    /// The layers, with the digest of their content without compression.
    pub(crate) layers: Vec<(Blob, Digest)>,
    /// The name that the source gives it, if any.
    pub name: Option<String>,
}

impl Chosen {
    /// Finds the image for this machine: a document is a manifest, or an index of manifests.
    pub(crate) fn of(document: Vec<u8>, blobs: &dyn Blobs, limits: Limits) -> Result<Self, PartError> {
        let mut document = document;
        for _ in 0..INDEXES_MAX {
            let json: serde_json::Value = serde_json::from_slice(&document)
                .map_err(|why| bad(format!("a manifest is not JSON: {why}")))?;
            if json.get("layers").is_some() {
                return Self::of_manifest(document, blobs, limits);
            }
            let index: ImageIndex = serde_json::from_value(json).map_err(|why| {
                bad(format!("it has neither an image's manifest nor an index of manifests: {why}"))
            })?;
            let ours = index.manifests().iter().find(|descriptor| is_for_this_machine(descriptor));
            let ours = ours.or(if let [only] = &index.manifests()[..] { Some(only) } else { None });
            let Some(ours) = ours else {
                let platforms =
                    index.manifests().iter().filter_map(|descriptor| descriptor.platform().as_ref());
                let platforms: Vec<_> = platforms
                    .map(|platform| format!("{}/{}", platform.os(), platform.architecture()))
                    .collect();
                return Err(bad(format!(
                    "no image in it is for linux/{}, only {}",
                    Arch::default(),
                    if platforms.is_empty() { "none".to_owned() } else { platforms.join(", ") }
                )));
            };
            document = blobs.document(&Blob::of(ours)?, limits)?;
        }
        Err(bad("its index names an index, which names an index"))
    }

    fn of_manifest(document: Vec<u8>, blobs: &dyn Blobs, limits: Limits) -> Result<Self, PartError> {
        let manifest: ImageManifest = serde_json::from_slice(&document)
            .map_err(|why| bad(format!("its manifest is not valid: {why}")))?;
        let config = Blob::of(manifest.config())?;
        let configuration = blobs.document(&config, limits)?;
        let read: ImageConfiguration = serde_json::from_slice(&configuration)
            .map_err(|why| bad(format!("its configuration is not valid: {why}")))?;
        let ours = Arch::default();
        if *read.architecture() != ours || read.os().to_string() != "linux" {
            return Err(bad(format!(
                "it is for {}/{}, and this machine is linux/{ours}",
                read.os(),
                read.architecture()
            )));
        }
        let layers: Vec<Blob> = manifest.layers().iter().map(Blob::of).collect::<Result<_, _>>()?;
        let contents =
            read.rootfs().diff_ids().iter().map(|id| Digest::read(id)).collect::<Result<Vec<_>, _>>()?;
        if layers.len() != contents.len() {
            return Err(bad(format!(
                "its manifest has {} layers, its configuration {}",
                layers.len(),
                contents.len()
            )));
        }
        if layers.is_empty() || layers.len() > limits.layers {
            return Err(bad(format!("it has {} layers; expected 1 to {}", layers.len(), limits.layers)));
        }
        let compressed = layers.iter().fold(0_u64, |sum, layer| sum.saturating_add(layer.size));
        if compressed > limits.bytes.0 {
            return Err(bad(format!("its layers have {}; {} at most", Bytes(compressed), limits.bytes)));
        }
        let media_type = manifest.media_type().as_ref().map_or_else(
            || oci_spec::image::MediaType::ImageManifest.to_string(),
            std::string::ToString::to_string,
        );
        Ok(Self {
            digest: Digest::of(&document),
            media_type,
            manifest: document,
            config,
            configuration,
            layers: layers.into_iter().zip(contents).collect(),
            name: None,
        })
    }
}

fn is_for_this_machine(descriptor: &Descriptor) -> bool {
    descriptor.platform().as_ref().is_some_and(|platform| {
        *platform.architecture() == Arch::default() && platform.os().to_string() == "linux"
    })
}

/// An OCI image layout.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    place: Place,
    limits: Limits,
}

#[derive(Debug)]
enum Place {
    Folder,
    /// A file with where in it each file is, and how long.
    Archive(File, HashMap<PathBuf, (u64, u64)>),
}

impl Source {
    /// Opens a layout, which is a folder or an archive.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, ImageError> {
        let found = path.metadata().map_err(io("cannot read the image", path))?;
        let place = if found.is_dir() {
            Place::Folder
        } else {
            let file = open_file(path).map_err(io("cannot read the image", path))?;
            let files = list(&file, limits).map_err(|error| error.of(&path.display().to_string(), path))?;
            Place::Archive(file, files)
        };
        Ok(Self { path: path.to_owned(), place, limits })
    }

    /// Chooses the image of a name, or the only one.
    pub fn choose(&self, name: Option<&str>) -> Result<Chosen, ImageError> {
        self.find(name).map_err(|error| error.of(&self.path.display().to_string(), &self.path))
    }

    fn find(&self, name: Option<&str>) -> Result<Chosen, PartError> {
        let mut index = Capped { content: Vec::new(), left: self.limits.document.0 };
        self.copy_file(Path::new(INDEX), &mut index).map_err(|error| match error {
            PartError::Bad(why) => bad(format!("it is no OCI image layout: {why}")),
            error => error,
        })?;
        let index: ImageIndex = serde_json::from_slice(&index.content)
            .map_err(|why| bad(format!("{INDEX} is not valid: {why}")))?;
        let named = |descriptor: &Descriptor| {
            descriptor.annotations().as_ref().and_then(|all| all.get(REF_NAME)).cloned()
        };
        let all = index.manifests();
        let chosen = match name {
            Some(name) => all.iter().find(|descriptor| named(descriptor).as_deref() == Some(name)),
            // Several without names are one image for several platforms.
            None if all.len() == 1 || all.iter().all(|one| named(one).is_none()) => {
                all.iter().find(|descriptor| is_for_this_machine(descriptor)).or(all.first())
            }
            None => None,
        };
        let Some(chosen) = chosen else {
            let names: Vec<_> = all.iter().filter_map(named).collect();
            return Err(bad(match (name, names.is_empty()) {
                (_, true) => format!("{INDEX} names no image"),
                (Some(name), false) => format!("it has no image '{name}', but {}", names.join(", ")),
                (None, false) => {
                    format!("it has several images: {}; add one of them as ':NAME'", names.join(", "))
                }
            }));
        };
        let document = self.document(&Blob::of(chosen)?, self.limits)?;
        Ok(Chosen { name: named(chosen), ..Chosen::of(document, self, self.limits)? })
    }

    fn copy_file(&self, name: &Path, into: &mut dyn Write) -> Result<(), PartError> {
        let mut content: Box<dyn Read> = match &self.place {
            Place::Folder => {
                let opened = open_file(&self.path.join(name));
                Box::new(opened.map_err(|why| bad(format!("cannot read '{}' of it: {why}", name.display())))?)
            }
            Place::Archive(file, files) => {
                let (at, length) =
                    *files.get(name).ok_or_else(|| bad(format!("'{}' is not in it", name.display())))?;
                let mut file = file;
                file.seek(SeekFrom::Start(at))?;
                Box::new(file.take(length))
            }
        };
        io::copy(&mut content, into)?;
        Ok(())
    }
}

impl Blobs for Source {
    fn copy(&self, blob: &Blob, into: &mut dyn Write) -> Result<(), PartError> {
        self.copy_file(&blob_path(&blob.digest), into)
    }
}

/// Opens a file, and nothing else: a pipe would make this wait for ever.
fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

/// Where a layout has a blob.
pub(crate) fn blob_path(digest: &Digest) -> PathBuf {
    Path::new("blobs/sha256").join(digest.hex())
}

/// Lists where in an archive its files are.
fn list(file: &File, limits: Limits) -> Result<HashMap<PathBuf, (u64, u64)>, PartError> {
    // Without the cause, which has what is in the file.
    let not_one = |_: io::Error| {
        bad("it is not an OCI image layout: expected a folder, or an archive that is not compressed")
    };
    let mut files = HashMap::new();
    let mut archive = Archive::new(file);
    for entry in archive.entries_with_seek().map_err(not_one)?.raw(true) {
        let entry = entry.map_err(not_one)?;
        if files.len() as u64 > limits.entries {
            return Err(bad(format!("it has more than {} files", limits.entries)));
        }
        if entry.header().entry_type() == EntryType::Regular {
            let path = entry.path().map_err(not_one)?;
            let parts = path.components().filter(|part| *part != Component::CurDir);
            files.insert(parts.collect(), (entry.raw_file_position(), entry.size()));
        }
    }
    Ok(files)
}

/// Content of a document, which must not be larger than documents are.
struct Capped {
    content: Vec<u8>,
    left: u64,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a document of it is too large"));
        };
        self.left = left;
        self.content.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
