//! Files of objects: what they are, from their content, and how they are stored.

use crate::auth::Auth;
use crate::contest_package::BlobImporter;
use crate::package_files::md5_of;
use crate::wire::{href, id as id_in, place_of, reference};
use crate::{Problem, Shared};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contest_rules::view::View;
use contest_rules::{Action, BlobHash, FileContent, FileEntry, FileOwner, FileProperty};
use documents::contest::{Attachment, FileReference};
use model::{Bytes, Message, message};
use std::collections::BTreeMap;
use std::io::Read;

/// A short video, or the backup of a team.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
/// Files inside JSON: some pictures. Longer ones are sent as bytes.
pub const JSON_BYTES_MAX: usize = 24 << 20;
/// A picture and a logo for each of 5,000 teams.
const ATTACHMENTS_MAX: usize = 20_000;
/// Longer files are no drawings.
const SVG_BYTES_MAX: usize = 4 << 20;

/// A file whose content is known.
pub struct Recognised {
    mime: &'static str,
    size: Option<(u32, u32)>,
}

/// What is served. Anything else could be a page that runs something.
const SERVED: [&str; 9] = [
    "image/png",
    "image/jpeg",
    "image/svg+xml",
    "application/zip",
    "video/mp4",
    "video/webm",
    "video/ogg",
    "application/vnd.apple.mpegurl",
    "text/plain",
];

/// Returns the media type with which a stored file is sent.
pub fn served_as(mime: &str) -> &'static str {
    SERVED.into_iter().find(|one| *one == mime).unwrap_or("application/octet-stream")
}

/// Returns what a content is; `None` for what is not served.
pub fn recognise(content: &[u8]) -> Option<Recognised> {
    let picture = |mime| {
        let size = imagesize::blob_size(content).ok()?;
        let size = (u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?);
        Some(Recognised { mime, size: Some(size) })
    };
    let other = |mime| Some(Recognised { mime, size: None });
    if content.starts_with(b"\x89PNG\r\n\x1a\n") {
        return picture("image/png");
    }
    if content.starts_with(b"\xff\xd8\xff") {
        return picture("image/jpeg");
    }
    if content.starts_with(b"PK\x03\x04") || content.starts_with(b"PK\x05\x06") {
        return other("application/zip");
    }
    if content.get(4..8) == Some(b"ftyp") {
        return other("video/mp4");
    }
    if content.starts_with(b"\x1a\x45\xdf\xa3") {
        return other("video/webm");
    }
    if content.starts_with(b"OggS") {
        return other("video/ogg");
    }
    if content.starts_with(b"#EXTM3U") {
        return other("application/vnd.apple.mpegurl");
    }
    let text = std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))?;
    if let Some(size) = svg_size(text) {
        return Some(Recognised { mime: "image/svg+xml", size: Some(size) });
    }
    // A page of markup would be rendered as one by some browser.
    let is_markup = text.trim_start().starts_with('<');
    if is_markup { None } else { other("text/plain") }
}

/// Returns the size of an SVG's viewport, if it is one: from its width and height in pixels, or else in the ratio of its view box.
fn svg_size(text: &str) -> Option<(u32, u32)> {
    if text.len() > SVG_BYTES_MAX || !text.contains("<svg") {
        return None;
    }
    // Entities of entities would fill the memory.
    if text.contains("<!ENTITY") {
        return None;
    }
    // Drawing programs write a document type.
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options).ok()?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return None;
    }
    let pixels = |name: &str| {
        let text = root.attribute(name)?.trim();
        text.strip_suffix("px").unwrap_or(text).trim().parse::<f64>().ok()
    };
    let of_box = || -> Option<(f64, f64)> {
        let text = root.attribute("viewBox")?;
        let numbers: Vec<f64> = text.split([' ', ',']).filter_map(|part| part.parse().ok()).collect();
        Some((*numbers.get(2)?, *numbers.get(3)?))
    };
    let (width, height) = pixels("width").zip(pixels("height")).or_else(of_box).unwrap_or((100.0, 100.0));
    let whole = |size: f64| if (1.0..=1e5).contains(&size) { size.round() as u32 } else { 1 };
    Some((whole(width), whole(height)))
}

/// Returns the entry of a file whose content is stored.
pub fn entry(
    property: FileProperty,
    filename: String,
    content: &[u8],
    declared: &str,
    tags: Vec<String>,
) -> Result<FileEntry, Problem> {
    let name = property.name();
    let Some(Recognised { mime, size }) = recognise(content) else {
        let detail = message!(
            "unknown-file-type",
            "'{filename}' is none of PNG, JPEG, SVG, MP4, WebM, Ogg, M3U8, zip and text",
            filename
        );
        return Err(Problem::invalid_field(name, detail));
    };
    let is_alike = declared.is_empty()
        || declared == mime
        || (mime.starts_with("video/") && (declared.starts_with("video/") || declared.starts_with("audio/")));
    if !is_alike {
        return Err(Problem::invalid_field(
            name,
            message!("file-type-differs", "'{filename}' is {mime}, not {declared}", filename, mime, declared),
        ));
    }
    Ok(FileEntry {
        filename,
        mime: mime.to_owned(),
        content: FileContent::Stored {
            blob: BlobHash(store::BlobHash::of(content).to_string().into_boxed_str()),
            size: Bytes(content.len() as u64),
            md5: md5_of(content),
        },
        width: size.map(|(width, _)| width),
        height: size.map(|(_, height)| height),
        tags: tags.into_iter().collect(),
    })
}

/// A list of files from the wire: contents that are to be stored, and entries.
pub struct Received {
    contents: Vec<Vec<u8>>,
    entries: Vec<FileEntry>,
}

impl Received {
    /// Reads the files of a property: with contents, elsewhere, or as they are.
    pub fn read(
        view: &View<'_>,
        of: &FileOwner,
        property: FileProperty,
        files: Vec<FileReference>,
    ) -> Result<Self, Problem> {
        let name = property.name();
        let invalid = |message: Message| Problem::invalid_field(name, message);
        let (mut contents, mut entries) = (Vec::new(), Vec::new());
        for (number, file) in (1..).zip(files) {
            let filename = if file.filename.is_empty() { format!("{name}-{number}") } else { file.filename };
            if let Some(data) = file.data {
                let content = STANDARD.decode(data.as_bytes());
                let content =
                    content.map_err(|error| invalid(format!("'{filename}' is no base64: {error}").into()))?;
                entries.push(entry(property, filename, &content, &file.mime, file.tag)?);
                contents.push(content);
                continue;
            }
            let Some(place) = file.href else {
                return Err(invalid(message!(
                    "file-without-data",
                    "'{filename}' needs 'data', or 'href' to where it is",
                    filename
                )));
            };
            let known = view.file(of, property, &filename).ok();
            let own = href(&place_of(view.id().as_str(), of), property, &filename);
            let is_own = place == own || place.ends_with(&format!("/{own}"));
            match known.filter(|_| is_own) {
                Some(known) => {
                    entries.push(FileEntry { tags: file.tag.into_iter().collect(), ..known.clone() });
                }
                None => entries.push(FileEntry {
                    filename,
                    mime: file.mime,
                    content: FileContent::External { href: place },
                    width: file.width,
                    height: file.height,
                    tags: file.tag.into_iter().collect(),
                }),
            }
        }
        Ok(Self { contents, entries })
    }

    /// Stores the contents, and returns the entries.
    pub fn store(self, importer: &BlobImporter<'_>) -> Result<Vec<FileEntry>, Problem> {
        for content in self.contents {
            importer.put(&mut content.as_slice(), FILE_BYTES_MAX)?;
        }
        Ok(self.entries)
    }
}

/// Returns the files of a contest and of its objects, with the hashes of their contents.
pub fn exported(view: &View<'_>) -> Vec<Attachment> {
    let mut owners = vec![("contest".to_owned(), FileOwner::Contest)];
    let owner_path = |kind: &str, id: &dyn std::fmt::Display| format!("{kind}/{id}");
    owners.extend(
        view.organizations()
            .map(|one| (owner_path("organizations", &one.id), FileOwner::Organization(one.id.clone()))),
    );
    owners
        .extend(view.teams().into_iter().map(|one| (owner_path("teams", &one.id), FileOwner::Team(one.id))));
    owners.extend(view.persons().map(|one| (owner_path("persons", &one.id), FileOwner::Person(one.id))));
    let mut all = Vec::new();
    for (of, owner) in owners {
        for (property, files) in view.files(&owner) {
            all.extend(files.iter().map(|file| Attachment {
                of: of.clone(),
                property: property.name().to_owned(),
                sha256: match &file.content {
                    FileContent::Stored { blob, .. } => Some(blob.0.to_string()),
                    FileContent::External { .. } => None,
                },
                file: reference(&place_of(view.id().as_str(), &owner), property, file),
            }));
        }
    }
    all
}

/// Returns what sets files by the hashes of their contents, which the caller may name, and by their addresses.
pub async fn imported(
    app: &Shared,
    auth: &Auth,
    attachments: Vec<Attachment>,
) -> Result<Vec<Action>, Problem> {
    if attachments.len() > ATTACHMENTS_MAX {
        return Err(Problem::invalid_field(
            "attachments",
            message!("too-many-attachments", "at most {max} at once", max = ATTACHMENTS_MAX),
        ));
    }
    let mut found: BTreeMap<(FileOwner, FileProperty), Vec<FileEntry>> = BTreeMap::new();
    for Attachment { of, property, sha256, file } in attachments {
        let invalid = |message: Message| Problem::invalid_field("attachments", message);
        let owner = owner_named(&of)?;
        let property = FileProperty::named(&property).ok_or_else(|| {
            invalid(message!("property-without-files", "'{property}' is no property with files", property))
        })?;
        let entry = match sha256 {
            Some(hash) => {
                let stored = crate::handlers::blobs::stored(app, auth, "attachments", &hash).await?;
                let FileReference { filename, mime, tag, .. } = file;
                app.blocking(move |app| {
                    let mut content = Vec::new();
                    let blob = app.blobs.get(&stored.hash, None)?;
                    blob.take(FILE_BYTES_MAX + 1).read_to_end(&mut content).map_err(Problem::internal)?;
                    if content.len() as u64 > FILE_BYTES_MAX {
                        let detail = message!(
                            "file-too-large",
                            "'{filename}' has more than {max} bytes",
                            filename,
                            max = FILE_BYTES_MAX
                        );
                        return Err(Problem::invalid_field("attachments", detail));
                    }
                    entry(property, filename, &content, &mime, tag)
                })
                .await?
            }
            None => FileEntry {
                content: FileContent::External {
                    href: file.href.ok_or_else(|| {
                        invalid(message!(
                            "file-without-content",
                            "'{filename}' of {of} needs 'sha256' or 'file.href'",
                            filename = file.filename,
                            of
                        ))
                    })?,
                },
                filename: file.filename,
                mime: file.mime,
                width: file.width,
                height: file.height,
                tags: file.tag.into_iter().collect(),
            },
        };
        found.entry((owner, property)).or_default().push(entry);
    }
    let action = |((of, property), files)| Action::SetFiles { of, property, files };
    Ok(found.into_iter().map(action).collect())
}

fn owner_named(of: &str) -> Result<FileOwner, Problem> {
    match of.split_once('/') {
        None if of == "contest" => Ok(FileOwner::Contest),
        Some(("organizations", id)) => Ok(FileOwner::Organization(id_in("attachments", id)?)),
        Some(("teams", id)) => Ok(FileOwner::Team(id_in("attachments", id)?)),
        Some(("persons", id)) => Ok(FileOwner::Person(id_in("attachments", id)?)),
        _ => {
            let detail = message!(
                "owner-without-files",
                "'{of}' has no files; expected 'contest', 'organizations/ID', 'teams/ID' or 'persons/ID'",
                of
            );
            Err(Problem::invalid_field("attachments", detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_recognised() {
        let check = |content: &[u8], expect: Option<(&str, Option<(u32, u32)>)>| {
            let found = recognise(content);
            assert_eq!(found.map(|known| (known.mime, known.size)), expect);
        };
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\xa0\0\0\0\x38\x08\x06\0\0\0";
        check(png, Some(("image/png", Some((160, 56)))));
        check(b"\x89PNG\r\n\x1a\n", None);
        let svg = |attributes: &str| {
            format!("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" {attributes}/>")
        };
        check(svg("width=\"56px\" height='57'").as_bytes(), Some(("image/svg+xml", Some((56, 57)))));
        check(svg("viewBox=\"0 0 12.4 30\"").as_bytes(), Some(("image/svg+xml", Some((12, 30)))));
        check(svg("width=\"100%\"").as_bytes(), Some(("image/svg+xml", Some((100, 100)))));
        check(b"<html><script>alert(1)</script><svg></svg></html>", None);
        check(b"PK\x03\x04rest", Some(("application/zip", None)));
        check(b"\0\0\0\x18ftypmp42", Some(("video/mp4", None)));
        check(b"what was typed\n", Some(("text/plain", None)));
        check(b"\x7fELF\x02\x01\x01\0", None);
    }
}
