//! Files in objects, and errors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A file of an object. Sent to the server, it has either `href` or `data`, and what follows from the content may be
/// absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FileReference {
    /// Where it is, relative to the API's base URL. Sent to the server: where the object's file is already, or an address
    /// elsewhere, such as of a camera.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// Its content in base64; only sent to the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    pub filename: String,
    /// The MD5 hash of its content, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    pub mime: String,
    /// The width of a picture in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height of a picture in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// What it is good for, such as `light` or `dark`.
    pub tag: Vec<String>,
}

/// A file that is sent inside an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileUpload {
    pub data: String,
    /// Its name; not needed for a zip of all files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Its media type: `application/zip` for a zip of all files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
}

/// Why a request failed (RFC 9457, and the `code` and `message` of CLICS).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemDetails {
    /// What kind of failure, such as `/problems/forbidden`.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    /// What is wrong with this request.
    pub detail: String,
    /// The same as `detail`, for other languages; absent for a text that is in English only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<super::Sentence>,
    /// The HTTP status, as CLICS has it.
    pub code: u16,
    /// The same as `detail`, as CLICS has it.
    pub message: String,
    /// The field that is wrong, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Every error of an import, by file and line; or every difference of a judgehost from its pool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ImportMessage>,
}

/// An error or a remark about an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportMessage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// In which line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub message: String,
}

/// A content that is to be uploaded in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewUpload {
    /// Its SHA-256 hash.
    pub sha256: String,
    pub size_bytes: u64,
}

/// How far an upload is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Upload {
    /// Its id; `null` once the content is there, and none need be sent.
    pub id: Option<String>,
    /// How many bytes were received: where the next part belongs.
    pub received_bytes: u64,
    pub size_bytes: u64,
}

/// Files of a contest package, to be imported all or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ImportFiles {
    /// The contest that they belong to; not needed if they have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest_id: Option<String>,
    /// The text of each file at the top of the package, by name, such as `contest.yaml`.
    pub files: BTreeMap<String, String>,
    /// The SHA-256 hash of each problem's package, by the problem's id; it was uploaded before.
    pub packages: BTreeMap<String, String>,
    /// The files of objects, such as logos.
    pub attachments: Vec<Attachment>,
}

/// A file of an object, by its hash or by its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The object: `contest`, or its endpoint and id, such as `teams/t1`.
    pub of: String,
    /// The property that the file is in, such as `logo`.
    pub property: String,
    /// The SHA-256 hash of its content, which was uploaded before; `null` for a file elsewhere.
    pub sha256: Option<String>,
    /// What else is known: its name, its media type, its tags, and where it is if that is elsewhere.
    pub file: FileReference,
}

/// What an import did, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportReport {
    /// Whether nothing was changed, because it was asked for so.
    pub dry_run: bool,
    pub contest_id: String,
    /// What was set, such as `teams: 12`, in words.
    pub changes: Vec<String>,
    /// What becomes of groups, organizations, teams, persons and accounts, each kind that the files have.
    #[serde(default)]
    pub objects: Vec<ImportedObjects>,
    pub warnings: Vec<ImportMessage>,
}

/// What an import makes of the objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedObjects {
    /// The endpoint, such as `teams`.
    pub kind: String,
    pub added: u64,
    pub changed: u64,
    /// How many are as they were.
    pub unchanged: u64,
    /// What is added and changed, in the order of the files; the first thousand.
    pub changes: Vec<ImportChange>,
}

/// An object that is added or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportChange {
    pub id: String,
    /// Empty for an account without one.
    pub name: String,
    /// Whether it is added.
    pub is_new: bool,
    pub fields: Vec<ChangedField>,
}

/// A property of an object that differs from what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedField {
    /// Such as `label`.
    pub name: String,
    /// What it was; `null` for nothing, and for passwords.
    pub before: Option<String>,
    /// What it becomes; `null` for nothing, and for passwords.
    pub after: Option<String>,
}
