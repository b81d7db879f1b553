//! Where images are kept: an OCI image layout with a root of each image.

mod disk;

use crate::digest::{Digest, Hashing};
use crate::error::{ImageError, PartError, bad, io};
use crate::limits::Limits;
use crate::name::{DIGEST, is_hex, is_name};
use crate::registry::Remote;
use crate::source::{Blob, Blobs, Chosen, REF_NAME, blob_path};
use crate::tree::{compare, size_of};
use crate::unpack::{Unpacked, Unpacker};
use model::Bytes;
use oci_spec::image::{Descriptor, DescriptorBuilder, ImageIndex, ImageIndexBuilder, MediaType};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

const INDEX: &str = "index.json";
const BLOBS: &str = "blobs/sha256";
/// Roots of images, by the digests of their manifests.
const ROOTS: &str = "roots";
/// Roots that are being made.
const PARTIAL: &str = "partial";
const LOCK: &str = "lock";
const LAYOUT: &str = r#"{"imageLayoutVersion": "1.0.0"}"#;
/// What builds images keeps its own files in this folder of the store.
pub const BUILD: &str = "build";
const OCI_LAYOUT: &str = "oci-layout";
/// What annotations of the index say of an unpacked image.
const ENTRIES: &str = "org.tautochrone.entries";
const BYTES: &str = "org.tautochrone.bytes";
const COMPRESSED: &str = "org.tautochrone.compressed";
const LAYERS: &str = "org.tautochrone.layers";
/// How often it is tried to get the lock.
const WAIT: Duration = Duration::from_millis(100);

/// A folder with images.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    limits: Limits,
}

/// An image of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub names: BTreeSet<String>,
    /// That of its manifest, by which this content is meant and no other.
    pub digest: Digest,
    /// Files, folders and links of all layers.
    pub entries: u64,
    /// Files of all layers, unpacked.
    pub bytes: Bytes,
    /// Its layers, as they came.
    pub compressed: Bytes,
    pub layers: usize,
}

/// An image that is not removed as long as this lives.
#[derive(Debug)]
pub struct InUse {
    pub image: Image,
    /// Its root.
    pub root: PathBuf,
    _lock: File,
}

impl Store {
    /// Opens it, and makes it where there is none, for its owner alone: files of images may be writable for all.
    pub fn open(folder: &Path, limits: Limits) -> Result<Self, ImageError> {
        let store = Self { folder: folder.to_owned(), limits };
        fs::create_dir_all(folder).map_err(io("cannot make the folder", folder))?;
        if Self::find(folder, limits)?.is_none() {
            // The builder's cache may be there already, or another process just makes the store.
            let ours = [BUILD, BLOBS, ROOTS, PARTIAL, OCI_LAYOUT];
            if names(folder)?.iter().any(|name| ours.iter().all(|own| name != own)) {
                return Err(ImageError::NoStore { path: folder.to_owned() });
            }
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
                .map_err(io("cannot own", folder))?;
        }
        for part in [BLOBS, ROOTS, PARTIAL] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(io("cannot make the folder", &path))?;
        }
        let layout = folder.join(OCI_LAYOUT);
        if !layout.exists() {
            fs::write(&layout, LAYOUT).map_err(io("cannot write", &layout))?;
        }
        Ok(store)
    }

    /// Opens one that is there; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub fn find(folder: &Path, limits: Limits) -> Result<Option<Self>, ImageError> {
        match folder.join(OCI_LAYOUT).metadata() {
            Ok(_) => Ok(Some(Self { folder: folder.to_owned(), limits })),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(io("cannot read", folder)(error)),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds an image under a name. What the store has already is not copied again.
    pub fn import(
        &self,
        blobs: &dyn Blobs,
        chosen: &Chosen,
        name: &str,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(Image, Option<Unpacked>), ImageError> {
        if !is_name(name) {
            return Err(ImageError::Name { name: name.to_owned() });
        }
        let _lock = self.lock(is_stopped)?;
        let refused = |error: PartError| error.of(name, &self.folder);
        self.clear_partial();
        let mut added = Added { paths: Vec::new() };
        for (blob, _) in &chosen.layers {
            self.add_blob(blob, blobs, is_stopped, &mut added).map_err(refused)?;
        }
        for (digest, content) in
            [(&chosen.config.digest, &chosen.configuration), (&chosen.digest, &chosen.manifest)]
        {
            let blob = Blob { digest: digest.clone(), size: content.len() as u64 };
            self.add_blob(&blob, &Content(content), is_stopped, &mut added).map_err(refused)?;
        }
        let root = self.root(&chosen.digest);
        let is_there = root.is_dir();
        let left_out = if is_there { 0 } else { self.unpack(chosen, &root, is_stopped).map_err(refused)? };
        let (entries, bytes) = size_of(&root).map_err(io("cannot read", &root))?;
        let compressed = chosen.layers.iter().fold(0_u64, |sum, (blob, _)| sum.saturating_add(blob.size));
        let annotations = HashMap::from([
            (REF_NAME.to_owned(), name.to_owned()),
            (ENTRIES.to_owned(), entries.to_string()),
            (BYTES.to_owned(), bytes.0.to_string()),
            (COMPRESSED.to_owned(), compressed.to_string()),
            (LAYERS.to_owned(), chosen.layers.len().to_string()),
        ]);
        let descriptor = DescriptorBuilder::default()
            .media_type(MediaType::from(chosen.media_type.as_str()))
            .digest(oci_digest(&chosen.digest))
            .size(chosen.manifest.len() as u64)
            .annotations(annotations)
            .build()
            .expect("all that a descriptor needs is set");
        let mut descriptors = self.descriptors()?;
        descriptors.retain(|other| annotation(other, REF_NAME) != Some(name));
        descriptors.push(descriptor);
        self.write_index(descriptors)?;
        added.paths.clear();
        let unpacked = (!is_there).then_some(Unpacked { entries, bytes, left_out });
        let image = self.images()?.into_iter().find(|image| image.digest == chosen.digest);
        Ok((image.ok_or_else(|| self.unknown(name, &[]))?, unpacked))
    }

    /// Lists the images, by name.
    pub fn images(&self) -> Result<Vec<Image>, ImageError> {
        let mut images: BTreeMap<Digest, Image> = BTreeMap::new();
        for descriptor in self.descriptors()? {
            let name = annotation(&descriptor, REF_NAME).unwrap_or_default().to_owned();
            let digest =
                Digest::read(descriptor.digest().as_ref()).map_err(|error| error.of(&name, &self.folder))?;
            let number = |key| annotation(&descriptor, key).and_then(|text| text.parse().ok()).unwrap_or(0);
            let image = images.entry(digest.clone()).or_insert_with(|| Image {
                names: BTreeSet::new(),
                digest,
                entries: number(ENTRIES),
                bytes: Bytes(number(BYTES)),
                compressed: Bytes(number(COMPRESSED)),
                layers: usize::try_from(number(LAYERS)).unwrap_or(usize::MAX),
            });
            image.names.insert(name);
        }
        let mut images: Vec<Image> = images.into_values().collect();
        images.sort_by(|a, b| a.names.cmp(&b.names));
        Ok(images)
    }

    /// Opens the image of a name, a digest, or the beginning of a digest, for use.
    pub fn open_image(&self, name: &str) -> Result<InUse, ImageError> {
        let image = self.named(name)?;
        let root = self.root(&image.digest);
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&root, flags, Mode::empty());
        let opened =
            File::from(opened.map_err(|error| io("cannot open the image's root", &root)(error.into()))?);
        flock(&opened, FlockOperation::LockShared).map_err(|error| io("cannot lock", &root)(error.into()))?;
        // Without a name it may have been removed meanwhile by another process; then this is no longer its root.
        let of = |found: io::Result<fs::Metadata>| found.map(|found| (found.dev(), found.ino())).ok();
        if of(root.symlink_metadata()) != of(opened.metadata()) {
            return Err(self.unknown(name, &self.images()?));
        }
        Ok(InUse { image, root, _lock: opened })
    }

    /// Checks that an image is what its digest says: its blobs, and its root against another one that is made of them.
    /// Returns what differs.
    pub fn verify(&self, name: &str, is_stopped: &dyn Fn() -> bool) -> Result<Vec<String>, ImageError> {
        let _lock = self.lock(is_stopped)?;
        let image = self.open_image(name)?;
        let refused = |error: PartError| error.of(name, &self.folder);
        let mut differences = Vec::new();
        let chosen = match self.stored(&image.image.digest) {
            Ok(chosen) => chosen,
            Err(error) => return Ok(vec![format!("its manifest or its configuration is damaged: {error}")]),
        };
        for (blob, _) in &chosen.layers {
            let path = self.folder.join(blob_path(&blob.digest));
            let file = match File::open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    differences.push(format!("the layer {} is missing", blob.digest));
                    continue;
                }
                other => other.map_err(io("cannot read", &path))?,
            };
            let mut file = Hashing::new(file);
            io::copy(&mut file, &mut io::sink()).map_err(io("cannot read", &path))?;
            let (found, _) = file.finish();
            if found != blob.digest {
                differences.push(format!("the layer {} has the digest {found}", blob.digest));
            }
        }
        if differences.is_empty() {
            let folder = self.partial()?;
            let fresh = folder.path().join("root");
            self.unpack(&chosen, &fresh, is_stopped).map_err(refused)?;
            compare(&fresh, &image.root, &mut differences).map_err(io("cannot compare", &image.root))?;
        }
        Ok(differences)
    }

    /// Takes names from the index; what no name is left for is removed by `prune`. Returns the image.
    pub fn remove(&self, name: &str) -> Result<Image, ImageError> {
        let _lock = self.lock(&|| false)?;
        let image = self.named(name)?;
        let is_one_name = image.names.contains(name);
        let mut descriptors = self.descriptors()?;
        descriptors.retain(|other| {
            let is_other = other.digest().as_ref() != image.digest.to_string();
            is_other || (is_one_name && annotation(other, REF_NAME) != Some(name))
        });
        self.write_index(descriptors)?;
        Ok(image)
    }

    /// Removes roots and blobs that no image has, and what an import left that was killed. What is in use is left.
    /// Returns how many files and bytes.
    pub fn prune(&self) -> Result<Pruned, ImageError> {
        let _lock = self.lock(&|| false)?;
        self.clear_partial();
        let mut kept = BTreeSet::new();
        for image in self.images()? {
            kept.insert(OsString::from(image.digest.hex()));
            // Of one that is damaged, the root may still be used.
            let Ok(chosen) = self.stored(&image.digest) else { continue };
            kept.extend(chosen.layers.iter().map(|(blob, _)| OsString::from(blob.digest.hex())));
            kept.insert(OsString::from(chosen.config.digest.hex()));
        }
        let mut pruned = Pruned::default();
        for name in names(&self.folder.join(ROOTS))? {
            let path = self.folder.join(ROOTS).join(&name);
            if kept.contains(&name) {
                continue;
            }
            let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = rustix::fs::open(&path, flags, Mode::empty());
            if let Ok(opened) = &opened
                && flock(opened, FlockOperation::NonBlockingLockExclusive).is_err()
            {
                pruned.in_use += 1;
                continue;
            }
            // Its name first, so that half a root is never found.
            let gone = self.folder.join(PARTIAL).join(&name);
            fs::rename(&path, &gone).map_err(io("cannot rename", &path))?;
            remove(&gone).map_err(io("cannot remove", &gone))?;
            pruned.roots += 1;
        }
        self.prune_disks()?;
        for name in names(&self.folder.join(BLOBS))? {
            if !kept.contains(&name) {
                let path = self.folder.join(BLOBS).join(name);
                let size = path.symlink_metadata().map_or(0, |found| found.len());
                remove(&path).map_err(io("cannot remove", &path))?;
                pruned.blobs += 1;
                pruned.bytes = Bytes(pruned.bytes.0.saturating_add(size));
            }
        }
        // What a killed import had not put into its place.
        for name in names(&self.folder)?.iter().filter(|name| name.as_encoded_bytes().starts_with(b".tmp")) {
            let path = self.folder.join(name);
            remove(&path).map_err(io("cannot remove", &path))?;
        }
        Ok(pruned)
    }

    /// Writes an image into an archive, as an OCI image layout.
    pub fn export(&self, name: &str, into: &mut dyn Write) -> Result<Image, ImageError> {
        let image = self.open_image(name)?.image;
        let refused = |error: PartError| error.of(name, &self.folder);
        let chosen = self.stored(&image.digest).map_err(refused)?;
        let descriptor =
            self.descriptors()?.into_iter().find(|one| one.digest().as_ref() == image.digest.to_string());
        let index = self.index(descriptor.into_iter().collect());
        let mut archive = tar::Builder::new(into);
        let written = || -> io::Result<()> {
            add(&mut archive, OCI_LAYOUT, LAYOUT.len() as u64, LAYOUT.as_bytes())?;
            add(&mut archive, INDEX, index.len() as u64, index.as_bytes())?;
            let mut blobs = vec![image.digest.clone(), chosen.config.digest];
            blobs.extend(chosen.layers.into_iter().map(|(blob, _)| blob.digest));
            blobs.sort();
            blobs.dedup();
            for digest in blobs {
                let path = blob_path(&digest);
                let file = File::open(self.folder.join(&path))?;
                add(&mut archive, &path.to_string_lossy(), file.metadata()?.len(), file)?;
            }
            archive.finish()
        };
        written().map_err(io("cannot export from", &self.folder))?;
        Ok(image)
    }

    /// Returns where an image's root is.
    fn root(&self, digest: &Digest) -> PathBuf {
        self.folder.join(ROOTS).join(digest.hex())
    }

    fn named(&self, name: &str) -> Result<Image, ImageError> {
        let images = self.images()?;
        let unknown = || self.unknown(name, &images);
        // A digest is never looked for among the names.
        if name.starts_with(DIGEST) {
            let digest = Digest::parse(name).ok_or_else(unknown)?;
            return images.iter().find(|image| image.digest == digest).cloned().ok_or_else(unknown);
        }
        if let Some(image) = images.iter().find(|image| image.names.contains(name)) {
            return Ok(image.clone());
        }
        let mut begins = images.iter().filter(|image| is_hex(name) && image.digest.hex().starts_with(name));
        match (begins.next(), begins.next()) {
            (Some(image), None) => Ok(image.clone()),
            _ => Err(unknown()),
        }
    }

    fn unknown(&self, name: &str, images: &[Image]) -> ImageError {
        ImageError::Unknown {
            name: name.to_owned(),
            store: self.folder.clone(),
            known: images.iter().flat_map(|image| image.names.clone()).collect(),
        }
    }

    /// Reads what is stored of an image.
    /// Sends an image to a registry, under the name that the registry was asked by. Returns the name with the digest, by which
    /// others get exactly this image.
    pub fn push(&self, name: &str, to: Remote, is_stopped: &dyn Fn() -> bool) -> Result<Pushed, ImageError> {
        let image = self.open_image(name)?.image;
        let refused = |error: PartError| error.of(name, &self.folder);
        let chosen = self.stored(&image.digest).map_err(refused)?;
        let to = to.for_pushing();
        let mut sent = 0;
        for blob in chosen.layers.iter().map(|(blob, _)| blob).chain([&chosen.config]) {
            let file = self.folder.join(blob_path(&blob.digest));
            if to.put_blob(blob, &file, is_stopped).map_err(refused)? {
                sent += blob.size;
            }
        }
        to.put_manifest(&chosen).map_err(refused)?;
        Ok(Pushed { image, name: to.exact_name(&chosen), sent: Bytes(sent) })
    }

    fn stored(&self, digest: &Digest) -> Result<Chosen, PartError> {
        let own = Own(&self.folder);
        let size = self.folder.join(blob_path(digest)).metadata()?.len();
        let manifest = own.document(&Blob { digest: digest.clone(), size }, self.limits)?;
        Chosen::of(manifest, &own, self.limits)
    }

    /// Unpacks an image; returns how much was left out.
    fn unpack(&self, chosen: &Chosen, root: &Path, is_stopped: &dyn Fn() -> bool) -> Result<u64, PartError> {
        let folder = tempfile::tempdir_in(self.folder.join(PARTIAL))?;
        let made = folder.path().join("root");
        fs::create_dir(&made)?;
        rustix::fs::chmod(&made, Mode::from_raw_mode(0o755)).map_err(io::Error::from)?;
        let mut unpacker = Unpacker::new(&made, self.limits, is_stopped)?;
        for (blob, content) in &chosen.layers {
            unpacker.layer(File::open(self.folder.join(blob_path(&blob.digest)))?, content)?;
        }
        let left_out = unpacker.finish()?;
        // A compiler that a loss of power cut short would give other verdicts.
        rustix::fs::syncfs(File::open(&made)?)?;
        fs::rename(&made, root)?;
        Ok(left_out)
    }

    /// Copies a blob, unless it is there.
    fn add_blob(
        &self,
        blob: &Blob,
        from: &dyn Blobs,
        is_stopped: &dyn Fn() -> bool,
        added: &mut Added,
    ) -> Result<(), PartError> {
        let path = self.folder.join(blob_path(&blob.digest));
        if let Ok(found) = path.symlink_metadata() {
            if found.len() == blob.size {
                return Ok(());
            }
            let mut stored = Hashing::new(File::open(&path)?);
            io::copy(&mut stored, &mut io::sink())?;
            if stored.finish().0 == blob.digest {
                let (should, has) = (blob.size, found.len());
                return Err(bad(format!("{} should have {should} bytes, and has {has}", blob.digest)));
            }
            // It is damaged, and comes again.
            fs::remove_file(&path)?;
        }
        // Without a name until it is complete, so that nothing is left of one that is not.
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let file =
            File::from(rustix::fs::open(self.folder.join(BLOBS), flags, mode).map_err(io::Error::from)?);
        let mut copied = Hashing::new(Sized { file, left: blob.size, is_stopped });
        from.copy(blob, &mut copied)
            .map_err(|error| if is_stopped() { PartError::Stopped } else { error })?;
        let file = copied.get_ref().file.try_clone()?;
        let (digest, bytes) = copied.finish();
        if bytes != blob.size || digest != blob.digest {
            return Err(bad(format!(
                "{} should have {} bytes; what came has {bytes} and the digest {digest}",
                blob.digest, blob.size
            )));
        }
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, opened, CWD, &path, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)?;
        added.paths.push(path);
        Ok(())
    }

    fn partial(&self) -> Result<tempfile::TempDir, ImageError> {
        let folder = self.folder.join(PARTIAL);
        tempfile::tempdir_in(&folder).map_err(io("cannot make a folder in", &folder))
    }

    /// Removes what killed processes left, as far as that works. The caller has the lock, without which nothing is made there.
    fn clear_partial(&self) {
        for name in names(&self.folder.join(PARTIAL)).unwrap_or_default() {
            // What cannot be removed is only in the way of space.
            let _ = remove(&self.folder.join(PARTIAL).join(name));
        }
    }

    /// Waits until no other process changes the store.
    fn lock(&self, is_stopped: &dyn Fn() -> bool) -> Result<File, ImageError> {
        lock(&self.folder.join(LOCK), is_stopped)
    }

    fn descriptors(&self) -> Result<Vec<Descriptor>, ImageError> {
        let path = self.folder.join(INDEX);
        match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            other => {
                let index = ImageIndex::from_reader(other.map_err(io("cannot read", &path))?);
                let index = index.map_err(|why| ImageError::Bad {
                    image: path.display().to_string(),
                    what: format!("it is damaged ({why}); remove it, and import the images again: their files are still there"),
                })?;
                Ok(index.manifests().clone())
            }
        }
    }

    fn index(&self, descriptors: Vec<Descriptor>) -> String {
        let index = ImageIndexBuilder::default()
            .schema_version(2_u32)
            .media_type(MediaType::ImageIndex)
            .manifests(descriptors)
            .build()
            .expect("all that an index needs is set");
        let mut json = serde_json::to_value(&index).expect("it has no keys that are not text");
        // The same file for the same images.
        json.sort_all_objects();
        format!("{json:#}\n")
    }

    fn write_index(&self, descriptors: Vec<Descriptor>) -> Result<(), ImageError> {
        let path = self.folder.join(INDEX);
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(self.index(descriptors).as_bytes())?;
            rustix::fs::fchmod(file.as_file(), Mode::from_raw_mode(0o644))?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(io("cannot write", &path))
    }
}

/// An image that a registry has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    pub image: Image,
    /// By which others get exactly this image.
    pub name: String,
    /// What the registry did not have.
    pub sent: Bytes,
}

/// What `prune` removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub roots: u64,
    pub blobs: u64,
    /// Of the blobs.
    pub bytes: Bytes,
    /// Roots without a name that were left, since they are in use.
    pub in_use: u64,
}

/// Waits until no other process has this lock.
fn lock(path: &Path, is_stopped: &dyn Fn() -> bool) -> Result<File, ImageError> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let failed = |error: rustix::io::Errno| io("cannot lock", path)(error.into());
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if is_stopped() => return Err(ImageError::Stopped),
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(WAIT),
            other => return other.map(|()| File::from(file)).map_err(failed),
        }
    }
}

fn add(
    archive: &mut tar::Builder<&mut dyn Write>,
    name: &str,
    size: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_size(size);
    header.set_mode(0o644);
    // The same archive for the same image.
    header.set_mtime(0);
    archive.append_data(&mut header, name, content)
}

fn names(folder: &Path) -> Result<Vec<OsString>, ImageError> {
    let listed = || -> io::Result<Vec<OsString>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
    };
    listed().map_err(io("cannot list", folder))
}

/// Removes a folder with all it has, or a file.
fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Blobs that are removed again unless the image is complete.
struct Added {
    paths: Vec<PathBuf>,
}

impl Drop for Added {
    fn drop(&mut self) {
        for path in &self.paths {
            // `prune` removes what is left.
            let _ = fs::remove_file(path);
        }
    }
}

fn annotation<'a>(descriptor: &'a Descriptor, key: &str) -> Option<&'a str> {
    descriptor.annotations().as_ref()?.get(key).map(String::as_str)
}

fn oci_digest(digest: &Digest) -> oci_spec::image::Digest {
    digest.to_string().parse().expect("it is 'sha256:' and 64 digits")
}

/// The store's own blobs.
struct Own<'a>(&'a Path);

impl Blobs for Own<'_> {
    fn copy(&self, blob: &Blob, into: &mut dyn Write) -> Result<(), PartError> {
        io::copy(&mut File::open(self.0.join(blob_path(&blob.digest)))?, into)?;
        Ok(())
    }
}

/// A document that was read already.
struct Content<'a>(&'a [u8]);

impl Blobs for Content<'_> {
    fn copy(&self, _: &Blob, into: &mut dyn Write) -> Result<(), PartError> {
        Ok(into.write_all(self.0)?)
    }
}

/// A file that takes as much as was announced.
struct Sized<'a> {
    file: File,
    left: u64,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Write for Sized<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.is_stopped)() {
            return Err(io::Error::other("stopped"));
        }
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a layer is larger than its manifest says",
            ));
        };
        self.left = left;
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
