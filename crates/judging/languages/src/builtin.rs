//! The built-in definitions.

use super::Languages;
use std::sync::OnceLock;

macro_rules! definitions {
    ($($id:literal),* $(,)?) => {
        [$((concat!("builtin:", $id), include_str!(concat!("../../../../languages/", $id, ".yaml")))),*]
    };
}

/// The origin of each, and its text.
pub(super) const DEFINITIONS: [(&str, &str); 30] = definitions![
    "ada",
    "awk",
    "bash",
    "c",
    "cpp",
    "csharp",
    "fortran",
    "fortran77",
    "go",
    "haskell",
    "java",
    "javascript",
    "kotlin",
    "lisp",
    "lua",
    "ocaml",
    "pascal",
    "perl",
    "php",
    "prolog",
    "pypy3",
    "python2",
    "python3",
    "r",
    "ruby",
    "rust",
    "scala",
    "sh",
    "swift",
    "typescript",
];

/// Returns the embedded languages, parsed once.
pub(super) fn languages() -> &'static Languages {
    static LANGUAGES: OnceLock<Languages> = OnceLock::new();
    LANGUAGES.get_or_init(|| {
        Languages::from_yaml(DEFINITIONS.into_iter())
            .expect("the embedded definitions are tested to be right")
    })
}
