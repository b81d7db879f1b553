//! Random changes of persons, files and commentary.

use super::World;
use super::steps::team_name;
use contest_rules::*;
use std::collections::BTreeSet;

pub fn file(property: FileProperty, number: usize) -> FileEntry {
    let (mime, size) = match property {
        FileProperty::Photo | FileProperty::Logo | FileProperty::Banner => ("image/png", Some(56)),
        FileProperty::Backup => ("application/zip", None),
        FileProperty::KeyLog => ("text/plain", None),
        _ => ("video/mp4", None),
    };
    FileEntry {
        filename: format!("{}.bin", property.name()),
        mime: mime.to_owned(),
        content: FileContent::Stored {
            blob: BlobHash(format!("{number:064x}").into()),
            size: model::Bytes(1),
            md5: format!("{number:032x}"),
        },
        width: size,
        height: size,
        tags: BTreeSet::new(),
    }
}

impl World {
    pub(super) fn change_people(&mut self, what: u8, which: u8) -> Result<(), Refusal> {
        let team = team_name(which);
        let person = format!("p{}", which % 3);
        match what {
            0 => self.admin(Action::SetPerson(sample::person(&person, &team))),
            1 => self.admin(Action::SetPerson(PersonSettings {
                role: PersonRole::Staff,
                teams: BTreeSet::new(),
                ..sample::person(&person, &team)
            })),
            2 => {
                let teams = BTreeSet::from([sample::id("t1"), sample::id(&team)]);
                self.admin(Action::SetPerson(PersonSettings { teams, ..sample::person(&person, &team) }))
            }
            3 => self.admin(Action::RemovePerson(sample::id(&person))),
            4..=6 => {
                let comment = Comment {
                    message: if what == 4 { format!("{{teams:{team}}} leads") } else { "hm".to_owned() },
                    teams: (what == 5).then(|| sample::id(&team)).into_iter().collect(),
                    problems: (what == 6).then(|| sample::id("a")).into_iter().collect(),
                    submissions: (what == 5).then_some(SubmissionNumber(1)).into_iter().collect(),
                    ..Comment::default()
                };
                self.by("analyst", Action::Comment(comment))
            }
            _ => {
                let (of, property) = match which % 6 {
                    0 => (FileOwner::Contest, FileProperty::Logo),
                    1 => (FileOwner::Team(sample::id(&team)), FileProperty::Webcam),
                    2 => (FileOwner::Team(sample::id("t4")), FileProperty::Desktop),
                    3 => (FileOwner::Team(sample::id(&team)), FileProperty::Backup),
                    4 => (FileOwner::Person(sample::id(&person)), FileProperty::Photo),
                    _ => (FileOwner::Submission(SubmissionNumber(1)), FileProperty::Reaction),
                };
                let number = self.events.len();
                let files = (what == 7).then(|| file(property, number)).into_iter().collect();
                self.admin(Action::SetFiles { of, property, files })
            }
        }
    }
}
