//! Names of things: short texts that are unique for their kind.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The longest id (CLICS Contest API, type ID).
pub const ID_LENGTH_MAX: usize = 36;

/// The error for a text that is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no id: use 1 to 36 of a-z, A-Z, 0-9, '_', '.', '-', not first '-' or '.', not last '.'")]
pub struct IdError(String);

/// Returns whether a text is an id as the CLICS Contest API has it.
pub fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=ID_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(is_allowed)
        && !text.starts_with(['-', '.'])
        && !text.ends_with('.')
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(SmolStr);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                if is_id(&text) { Ok(Self(text.into())) } else { Err(IdError(text)) }
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                "ID".into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        }
    };
}

id!(/// A contest.
    ContestId);
id!(/// A problem in a contest: the name of its package's folder.
    ProblemId);
id!(/// A language, as in `languages/`.
    LanguageId);
id!(/// A team in a contest.
    TeamId);
id!(/// A group of teams in a contest.
    GroupId);
id!(/// An organization in a contest.
    OrganizationId);
id!(/// A person in a contest.
    PersonId);
id!(/// An account of the server: its user name.
    AccountId);
id!(/// An API token; not its secret.
    TokenId);
id!(/// A machine that judges.
    JudgehostId);
id!(/// A pool of machines of one hardware identity.
    PoolId);

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(/// A submission: its number in the contest, from 1.
    SubmissionNumber);
number!(/// A clarification: its number in the contest, from 1.
    ClarificationNumber);
number!(/// A commentary: its number in the contest, from 1.
    CommentaryNumber);
number!(/// A rejudging: its number in the contest, from 1.
    RejudgingNumber);

/// A judgement of a submission. Its id says nothing that its submission does not: verdicts may be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(u32, u32)", from = "(u32, u32)")]
pub struct JudgementKey {
    pub submission: SubmissionNumber,
    /// Which of its judgements, from 1.
    pub number: u32,
}

impl From<JudgementKey> for (u32, u32) {
    fn from(key: JudgementKey) -> Self {
        (key.submission.0, key.number)
    }
}

impl From<(u32, u32)> for JudgementKey {
    fn from((submission, number): (u32, u32)) -> Self {
        Self { submission: SubmissionNumber(submission), number }
    }
}

impl fmt::Display for JudgementKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.submission, self.number)
    }
}

/// The SHA-256 hash of a blob's content, as lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlobHash(pub Box<str>);
