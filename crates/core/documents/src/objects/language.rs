//! Languages of a contest.

use super::LanguageId;
use located::{Field, Report, Reported, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Language {
    pub id: String,
    pub name: String,
    /// Whether a submission must name its main file or class.
    pub entry_point_required: bool,
    /// What that is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_point_name: Option<String>,
    /// Extensions of its files, without the dot.
    pub extensions: Vec<String>,
    /// How it is compiled, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<LanguageCommand>,
    /// How it is run, if by a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<LanguageCommand>,
}

/// How programs of a language are compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageCommand {
    /// The program.
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

/// Names from which the id does not follow.
const NAMES: [(&str, &str); 6] = [
    ("python3pypy", "pypy3"),
    ("commonlisp", "lisp"),
    ("posixshell", "sh"),
    ("python", "python3"),
    ("gnuc", "c"),
    ("gnucpp", "cpp"),
];
/// Follows from the language.
const NOT_KEPT: [&str; 5] = ["name", "clics-id", "extensions", "entry_point_required", "entry_point_name"];

impl Language {
    /// Reads a language: its id, its name, or a map with one of them; none if the map says that it is not used.
    pub fn read(report: &Report, field: &Field<'_>) -> Option<LanguageId> {
        if !matches!(field.node.value, Value::Map(_)) {
            return read_id(report, field, false);
        }
        let mut object = field.object().reported(report)?;
        let is_used = object.boolean(report, &["active", "allow_submit"]).unwrap_or(true);
        let keys = [("id", false), ("name", true), ("clics-id", false)];
        let named = keys.into_iter().find_map(|(key, is_name)| Some((object.take_any(&[key])?, is_name)));
        let id = match named {
            Some((field, is_name)) => read_id(report, &field, is_name),
            None => {
                let expected =
                    "is missing, expected a language's id, such as cpp; 'tauto languages' lists them";
                object.error(report, "id", expected);
                None
            }
        };
        object.finish(report, &NOT_KEPT);
        id.filter(|_| is_used)
    }

    pub fn read_all<C: FromIterator<LanguageId>>(report: &Report, field: &Field<'_>) -> C {
        field.each().iter().filter_map(|item| Self::read(report, item)).collect()
    }

    /// Returns the id of the language with a name: `cpp` of `C++`, `python3` of `Python 3`.
    pub fn id_of(name: &str) -> String {
        let name = name.to_ascii_lowercase().replace('+', "p").replace('#', "sharp");
        let id: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        NAMES.iter().find(|(known, _)| *known == id).map_or(id.clone(), |(_, id)| (*id).to_owned())
    }
}

fn read_id(report: &Report, field: &Field<'_>, is_name: bool) -> Option<LanguageId> {
    // Ids have no capitals.
    let is_id = |text: &str| super::is_id(text) && !text.bytes().any(|byte| byte.is_ascii_uppercase());
    match field.trimmed().reported(report)? {
        id if !is_name && is_id(&id) => field.parse(report),
        name => {
            let id = Language::id_of(&name).parse().ok();
            if id.is_none() {
                field.reject(report, "a language's id, such as cpp, or its name, such as 'Python 3'");
            }
            id
        }
    }
}
