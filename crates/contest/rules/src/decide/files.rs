//! Decisions about the files of objects.

use super::{InContest, check_hash, check_length, check_name, find};
use crate::objects::IMAGES;
use crate::{Body, FileContent, FileEntry, FileOwner, FileProperty, Refusal};
use model::{Message, message};

/// The most files of one property: some sizes of a logo, or some cameras.
const FILES_MAX: usize = 20;
const TAGS_MAX: usize = 20;
/// The longest name of a file, and the longest tag.
const FILENAME_LENGTH_MAX: usize = 100;
const HREF_LENGTH_MAX: usize = 2000;
const PIXELS_MAX: u32 = 100_000;

impl InContest<'_> {
    pub(super) fn set_files(
        &self,
        of: FileOwner,
        property: FileProperty,
        files: Vec<FileEntry>,
    ) -> Result<Vec<Body>, Refusal> {
        match &of {
            FileOwner::Contest => Ok(()),
            FileOwner::Organization(id) => find("organization", &self.contest.organizations, id).map(drop),
            FileOwner::Team(id) => find("team", &self.contest.teams, id).map(drop),
            FileOwner::Person(id) => find("person", &self.contest.persons, id).map(drop),
            FileOwner::Submission(number) => self.submission(*number).map(drop),
        }?;
        let name = property.name();
        if !of.properties().contains(&property) {
            return Err(Refusal::invalid(name, message!("wrong-property", "{of} has no '{name}'", of, name)));
        }
        if files.len() > FILES_MAX {
            return Err(Refusal::invalid(
                name,
                message!(
                    "too-many-files-of-property",
                    "'{name}' has more than {max} files",
                    name,
                    max = FILES_MAX
                ),
            ));
        }
        files.iter().try_for_each(|file| check_file(property, file))?;
        let others =
            self.contest.files.get(&of).into_iter().flatten().filter(|(other, _)| **other != property);
        let mut names: Vec<&str> = others.flat_map(|(_, files)| files).map(|file| &*file.filename).collect();
        for file in &files {
            if names.contains(&file.filename.as_str()) {
                let message = message!(
                    "same-filename",
                    "{of} has more than one file '{filename}'",
                    of,
                    filename = file.filename
                );
                return Err(Refusal::invalid(name, message));
            }
            names.push(&file.filename);
        }
        Ok(vec![Body::FilesSet { of, property, files }])
    }
}

fn check_file(property: FileProperty, file: &FileEntry) -> Result<(), Refusal> {
    let name = property.name();
    let invalid = |message: Message| Err(Refusal::invalid(name, message));
    if !is_filename(&file.filename) {
        return invalid(message!(
            "wrong-filename",
            "'{filename}' is not a file name: 1 to {max} of a-z, A-Z, 0-9, '_', '.', '-', not first '-' or '.'",
            filename = file.filename,
            max = FILENAME_LENGTH_MAX
        ));
    }
    if !property.takes(&file.mime) {
        let known = property.media_types().join(", ");
        return invalid(message!(
            "wrong-file-type",
            "'{name}' cannot be '{mime}'; it can be {known}",
            name,
            mime = file.mime,
            known
        ));
    }
    let is_size = |size: Option<u32>| size.is_some_and(|size| (1..=PIXELS_MAX).contains(&size));
    if IMAGES.contains(&&*file.mime) && !(is_size(file.width) && is_size(file.height)) {
        return invalid(message!(
            "picture-without-size",
            "picture '{filename}' needs its width and height in pixels",
            filename = file.filename
        ));
    }
    if file.tags.len() > TAGS_MAX {
        return invalid(message!(
            "too-many-tags",
            "'{filename}' has more than {max} tags",
            filename = file.filename,
            max = TAGS_MAX
        ));
    }
    for tag in &file.tags {
        check_name(name, tag)?;
        check_length(name, tag, FILENAME_LENGTH_MAX)?;
    }
    match &file.content {
        FileContent::Stored { blob, md5, .. } => {
            check_hash(name, &blob.0)?;
            if md5.len() != 32 || !md5.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return invalid(message!("wrong-md5", "'{md5}' is not an MD5 hash", md5));
            }
        }
        FileContent::External { href } => {
            check_length(name, href, HREF_LENGTH_MAX)?;
            let has_spaces = href.chars().any(|c| c.is_control() || c.is_whitespace());
            if has_spaces || !["http://", "https://", "rtsp://"].iter().any(|scheme| href.starts_with(scheme))
            {
                return invalid(message!(
                    "wrong-href",
                    "'{href}' is not an address that begins with http://, https:// or rtsp://",
                    href
                ));
            }
        }
    }
    Ok(())
}

fn is_filename(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=FILENAME_LENGTH_MAX).contains(&name.len())
        && name.bytes().all(is_allowed)
        && !name.starts_with(['-', '.'])
}
