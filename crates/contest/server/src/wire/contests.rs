//! Contests.

use super::files::WireFiles;
use crate::Problem;
use contest_rules::files::Reported;
use contest_rules::view::View;
use contest_rules::{ContestId, ContestSettings, FileOwner, FileProperty, Millis};
use documents::contest as wire;
use serde_json::{Map, Value};

pub fn wire_contest(view: &View<'_>) -> wire::Contest {
    let mut files = WireFiles::new(view, &FileOwner::Contest);
    wire::Contest {
        banner: files.take(FileProperty::Banner),
        logo: files.take(FileProperty::Logo),
        ..view.contest().object
    }
}

/// Reads all settings of a contest from a request. What it does not name is as usual.
pub fn contest_settings(settings: &Map<String, Value>) -> Result<(ContestId, ContestSettings), Problem> {
    let usual = |_: &ContestId| ContestSettings::usual("", Millis::ZERO);
    super::from_closed_request(settings, |report, field| {
        let mut object = field.object().reported(report)?;
        let read = ContestSettings::read(report, &mut object, usual);
        object.finish(report, &[]);
        read
    })
}
