//! Languages of a contest.

use crate::LanguageId;
use located::{Field, Report, Value};

/// Names from which the id does not follow.
const NAMES: [(&str, &str); 3] = [("python3pypy", "pypy3"), ("commonlisp", "lisp"), ("posixshell", "sh")];

/// Reads a language: its id, its name, or a map with one of them.
pub fn language(report: &Report, field: &Field<'_>) -> Option<LanguageId> {
    if !matches!(field.node.value, Value::Map(_)) {
        return read(report, field);
    }
    let mut object = field.object(report)?;
    match object.take(&["id"]).or_else(|| object.take(&["name"])) {
        Some(field) => read(report, &field),
        None => {
            let expected = "is missing, expected a language's id, such as cpp; 'tauto languages' lists them";
            object.error(report, "id", expected);
            None
        }
    }
}

/// Reads languages.
pub fn languages<C: FromIterator<LanguageId>>(report: &Report, field: &Field<'_>) -> C {
    field.items().iter().filter_map(|item| language(report, item)).collect()
}

fn read(report: &Report, field: &Field<'_>) -> Option<LanguageId> {
    match field.text(report)? {
        // Ids have no capitals.
        id if crate::is_id(&id) && !id.bytes().any(|byte| byte.is_ascii_uppercase()) => field.parse(report),
        name => {
            let id = id_of(&name).parse().ok();
            if id.is_none() {
                field.wrong(report, "a language's id, such as cpp, or its name, such as 'Python 3'");
            }
            id
        }
    }
}

/// Returns the id of the language with a name: `cpp` of `C++`, `python3` of `Python 3`.
pub fn id_of(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace('+', "p").replace('#', "sharp");
    let id: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    NAMES.iter().find(|(known, _)| *known == id).map_or(id.clone(), |(_, id)| (*id).to_owned())
}
