//! Files of objects, clarifications and commentary.

use crate::{
    AccountId, BlobHash, ClarificationNumber, CommentaryNumber, GroupId, Instant, OrganizationId, PersonId,
    ProblemId, SubmissionNumber, TeamId,
};
use model::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOwner {
    Contest,
    Organization(OrganizationId),
    Team(TeamId),
    Person(PersonId),
    /// A submission's, in addition to its source.
    Submission(SubmissionNumber),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileProperty {
    /// A contest's picture, about 8:1.
    Banner,
    /// A contest's or an organization's picture, about 1:1.
    Logo,
    /// The flag of an organization's country.
    CountryFlag,
    CountrySubdivisionFlag,
    Photo,
    Video,
    /// What a team's screen shows.
    Desktop,
    /// What a team's camera shows.
    Webcam,
    /// Sound of a team's microphone.
    Audio,
    /// The latest copy of a team's files.
    Backup,
    KeyLog,
    /// What a team's tools were.
    ToolData,
    /// The team's camera around a submission's verdict.
    Reaction,
}

impl FileProperty {
    pub const ALL: [Self; 13] = [
        Self::Banner,
        Self::Logo,
        Self::CountryFlag,
        Self::CountrySubdivisionFlag,
        Self::Photo,
        Self::Video,
        Self::Desktop,
        Self::Webcam,
        Self::Audio,
        Self::Backup,
        Self::KeyLog,
        Self::ToolData,
        Self::Reaction,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Banner => "banner",
            Self::Logo => "logo",
            Self::CountryFlag => "country_flag",
            Self::CountrySubdivisionFlag => "country_subdivision_flag",
            Self::Photo => "photo",
            Self::Video => "video",
            Self::Desktop => "desktop",
            Self::Webcam => "webcam",
            Self::Audio => "audio",
            Self::Backup => "backup",
            Self::KeyLog => "key_log",
            Self::ToolData => "tool_data",
            Self::Reaction => "reaction",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.name() == name)
    }

    /// Returns the media types that it can have; one that ends in `/` stands for all that begin so.
    pub const fn media_types(self) -> &'static [&'static str] {
        match self {
            Self::Banner | Self::Logo | Self::CountryFlag | Self::CountrySubdivisionFlag | Self::Photo => {
                &IMAGES
            }
            Self::Video | Self::Desktop | Self::Webcam | Self::Reaction => {
                &["video/", "application/vnd.apple.mpegurl"]
            }
            Self::Audio => &["audio/", "video/", "application/vnd.apple.mpegurl"],
            Self::Backup => &["application/zip"],
            Self::KeyLog | Self::ToolData => &["text/plain"],
        }
    }

    pub fn takes(self, mime: &str) -> bool {
        self.media_types().iter().any(|one| *one == mime || (one.ends_with('/') && mime.starts_with(one)))
    }

    /// Returns whether the public sees it only while the board is not frozen.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Desktop | Self::Webcam | Self::Reaction)
    }

    /// Returns whether only the jury sees it: it has a team's programs, or what it typed.
    pub const fn is_private(self) -> bool {
        matches!(self, Self::Backup | Self::KeyLog | Self::ToolData)
    }
}

pub const IMAGES: [&str; 3] = ["image/png", "image/jpeg", "image/svg+xml"];

impl fmt::Display for FileOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contest => f.write_str("the contest"),
            Self::Organization(id) => write!(f, "organization {id}"),
            Self::Team(id) => write!(f, "team {id}"),
            Self::Person(id) => write!(f, "person {id}"),
            Self::Submission(number) => write!(f, "submission {number}"),
        }
    }
}

impl FileOwner {
    pub const fn properties(&self) -> &'static [FileProperty] {
        use FileProperty as P;
        match self {
            Self::Contest => &[P::Banner, P::Logo],
            Self::Organization(_) => &[P::Logo, P::CountryFlag, P::CountrySubdivisionFlag],
            Self::Team(_) => {
                &[P::Photo, P::Video, P::Desktop, P::Webcam, P::Audio, P::Backup, P::KeyLog, P::ToolData]
            }
            Self::Person(_) => &[P::Photo],
            Self::Submission(_) => &[P::Reaction],
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name, unique in its object.
    pub filename: String,
    pub mime: String,
    pub content: FileContent,
    /// Its width in pixels, if it is a picture.
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// What it is good for, such as `light` or `dark`.
    pub tags: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileContent {
    /// With us.
    Stored {
        blob: BlobHash,
        size: Bytes,
        /// The MD5 hash of its content, as CLICS wants it.
        md5: String,
    },
    /// Elsewhere, such as a camera's stream.
    External { href: String },
}

pub type Files = BTreeMap<FileProperty, Vec<FileEntry>>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commentary {
    pub number: CommentaryNumber,
    /// Its text, which can name objects such as `{teams:t1}`.
    pub message: String,
    /// What it is about, such as `submission-medal`.
    pub tags: BTreeSet<String>,
    pub source: Option<PersonId>,
    pub by: Option<AccountId>,
    pub teams: BTreeSet<TeamId>,
    pub problems: BTreeSet<ProblemId>,
    pub submissions: BTreeSet<SubmissionNumber>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    pub number: ClarificationNumber,
    /// From which team; `None` for the jury.
    pub from_team: Option<TeamId>,
    /// To which teams; with `to_groups` empty too: to all, if from the jury.
    pub to_teams: BTreeSet<TeamId>,
    pub to_groups: BTreeSet<GroupId>,
    pub reply_to: Option<ClarificationNumber>,
    pub problem: Option<ProblemId>,
    /// About which category, if about no problem.
    pub category: Option<String>,
    pub text: String,
    /// When it was sent, if not when the event was.
    #[serde(default)]
    pub time: Option<Instant>,
}

/// The endpoints whose objects have ids; what others refer to comes before them.
pub const ENDPOINTS: [&str; 14] = [
    "judgement-types",
    "languages",
    "problems",
    "groups",
    "organizations",
    "teams",
    "persons",
    "accounts",
    "submissions",
    "judgements",
    "runs",
    "clarifications",
    "awards",
    "commentary",
];

/// Returns what a commentary's message names: pairs of an endpoint and an id. A backslash takes away the meaning of `{`.
pub fn named_in(message: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = message[at..].find(['\\', '{']) {
        let here = at + next;
        if message[here..].starts_with('\\') {
            let skipped = message[here + 1..].chars().next().map_or(0, char::len_utf8);
            at = here + 1 + skipped;
            continue;
        }
        let inside = &message[here + 1..];
        let named = inside.find('}').and_then(|end| inside[..end].split_once(':'));
        found.extend(named);
        at = here + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_objects() {
        let check = |text: &str, expect: &[(&str, &str)]| assert_eq!(named_in(text), expect, "{text}");
        check("nothing", &[]);
        check("{teams:t1} solves {problems:a}!", &[("teams", "t1"), ("problems", "a")]);
        check("a \\{teams:t1} and \\\\{teams:t2}", &[("teams", "t2")]);
        check("{teams:", &[]);
        check("{} { } {x}", &[]);
        check("ends with \\", &[]);
        check("\\é{teams:t}", &[("teams", "t")]);
    }

    #[test]
    fn media_types_are_of_a_property() {
        assert!(FileProperty::Photo.takes("image/png") && !FileProperty::Photo.takes("image/gif"));
        assert!(FileProperty::Webcam.takes("video/mp4") && !FileProperty::Webcam.takes("text/html"));
        for property in FileProperty::ALL {
            assert_eq!(FileProperty::named(property.name()), Some(property));
        }
    }
}
