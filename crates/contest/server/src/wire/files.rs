//! Files of objects, and places.

use crate::Problem;
use api::contest as wire;
use contest::view::View;
use contest::{Decimal, FileContent, FileEntry, FileOwner, FileProperty, Location, Seat};
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

/// Returns a file for the wire.
fn reference(place: &str, property: FileProperty, file: &FileEntry) -> wire::FileReference {
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

    /// Returns those of a property.
    pub fn take(&mut self, property: FileProperty) -> Option<Vec<wire::FileReference>> {
        self.0.remove(&property)
    }
}

fn decimal(field: &str, number: f64) -> Result<Decimal, Problem> {
    Decimal::new(number).ok_or_else(|| Problem::invalid_field(field, "a number of at most 1e9 was expected"))
}

/// Returns a place on earth from the wire.
pub fn location(place: Option<wire::Location>) -> Result<Option<Location>, Problem> {
    let read = |place: wire::Location| {
        let latitude = decimal("location", place.latitude)?;
        Ok(Location { latitude, longitude: decimal("location", place.longitude)? })
    };
    place.map(read).transpose()
}

/// Returns a place on earth for the wire.
pub fn wire_location(place: &Location) -> wire::Location {
    wire::Location { latitude: place.latitude.get(), longitude: place.longitude.get() }
}

/// Returns a seat from the wire.
pub fn seat(seat: Option<wire::Seat>) -> Result<Option<Seat>, Problem> {
    let read = |seat: wire::Seat| {
        let (x, y) = (decimal("location", seat.x)?, decimal("location", seat.y)?);
        Ok(Seat { x, y, rotation: decimal("location", seat.rotation)? })
    };
    seat.map(read).transpose()
}

/// Returns a seat for the wire.
pub fn wire_seat(seat: &Seat) -> wire::Seat {
    wire::Seat { x: seat.x.get(), y: seat.y.get(), rotation: seat.rotation.get() }
}
