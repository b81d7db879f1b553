//! Files of objects.

use contest_rules::view::View;
use contest_rules::{FileContent, FileEntry, FileOwner, FileProperty};
use documents::contest as wire;
use std::collections::BTreeMap;

/// Returns where an object is, relative to the API's base.
pub fn place_of(contest: &str, owner: &FileOwner) -> String {
    match owner {
        FileOwner::Contest => format!("contests/{contest}"),
        FileOwner::Organization(id) => format!("contests/{contest}/organizations/{id}"),
        FileOwner::Team(id) => format!("contests/{contest}/teams/{id}"),
        FileOwner::Person(id) => format!("contests/{contest}/persons/{id}"),
        FileOwner::Submission(number) => format!("contests/{contest}/submissions/{number}"),
    }
}

/// Returns where a file of an object is, relative to the API's base.
pub fn href(place: &str, property: FileProperty, filename: &str) -> String {
    format!("{place}/files/{}/{filename}", property.name())
}

pub fn reference(place: &str, property: FileProperty, file: &FileEntry) -> wire::FileReference {
    let (href, hash) = match &file.content {
        FileContent::Stored { md5, .. } => (href(place, property, &file.filename), Some(md5.clone())),
        FileContent::External { href } => (href.clone(), None),
    };
    wire::FileReference {
        href: Some(href),
        data: None,
        filename: file.filename.clone(),
        hash,
        mime: file.mime.clone(),
        width: file.width,
        height: file.height,
        tag: file.tags.iter().cloned().collect(),
    }
}

/// The files of an object for the wire, by property.
pub struct WireFiles(BTreeMap<FileProperty, Vec<wire::FileReference>>);

impl WireFiles {
    /// Returns those that a viewer may see.
    pub fn new(view: &View<'_>, owner: &FileOwner) -> Self {
        let files = view.files(owner);
        if files.is_empty() {
            return Self(BTreeMap::new());
        }
        let place = place_of(view.id().as_str(), owner);
        let list = |(property, files): (FileProperty, &[FileEntry])| {
            (property, files.iter().map(|file| reference(&place, property, file)).collect())
        };
        Self(files.into_iter().map(list).collect())
    }

    pub fn take(&mut self, property: FileProperty) -> Option<Vec<wire::FileReference>> {
        self.0.remove(&property)
    }
}
