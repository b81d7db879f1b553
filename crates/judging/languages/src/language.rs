//! One language.

use super::definition::Definition;

#[derive(Clone, Debug)]
pub struct Language {
    /// The code in packages and on the command line, such as `python3`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// Other codes in packages and on the command line, such as `py3`.
    pub aliases: Vec<String>,
    /// Extensions, without the dot, that mean this language.
    pub extensions: Vec<String>,
    /// The file in which it is defined, or `builtin:ID`; for messages.
    pub(super) file: String,
    pub(super) definition: Definition,
}
