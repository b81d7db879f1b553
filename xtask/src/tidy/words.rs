//! Words that the project does not use: they sound translated, or name a program as if it were a person.

use super::Finding;
use super::tree::{Tree, is_sample_program};

/// A phrase in lower case, and what to say instead.
const REFUSED: &[(&str, &str)] = &[
    ("whoever", "anyone who; or the process, the client, a program that"),
    ("somebody else", "someone else; or another process, another client"),
    ("is told", "is reported, receives"),
    ("are told", "are reported, receive"),
    ("what it comes to", "the result"),
    ("what they come to", "the results"),
    ("what came of", "the result of"),
    ("came of it", "resulted"),
    ("broken off", "interrupted, ended early"),
    ("nobody told", "not measured, not reported"),
];

/// Where the words of others stand, or these are listed.
const EXEMPT: &[&str] = &["xtask/src/tidy/words.rs", "Cargo.lock", "web/package-lock.json"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let is_checked = |path: &str| {
        let written = [".rs", ".md", ".ts", ".svelte", ".css", ".html", ".sh", ".toml"];
        written.iter().any(|end| path.ends_with(end)) && !EXEMPT.contains(&path) && !is_sample_program(path)
    };
    let mut findings = Vec::new();
    for (path, text) in tree.texts(is_checked) {
        for (index, line) in text.lines().enumerate() {
            let line = line.to_ascii_lowercase();
            for (phrase, instead) in REFUSED.iter().filter(|(phrase, _)| has_phrase(&line, phrase)) {
                let message = format!("'{phrase}' is a word that the project does not use");
                findings.push(Finding::error(path, index + 1, &message, format!("say: {instead}")));
            }
        }
    }
    findings
}

/// Returns whether a line has a phrase as whole words.
fn has_phrase(line: &str, phrase: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + phrase.len()..]);
        !before.ends_with(is_letter) && !after.starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_refused_where_people_read() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "//! Fine.\n// Whoever reads this.\n"),
            ("docs/a.md", "It is told. It is toldx. `is_told`\n"),
            ("docs/b.md", "The basis told.\n"),
            ("problems/a/statement.md", "somebody else\n"),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(found, [("crates/a/src/lib.rs".to_owned(), 2), ("docs/a.md".to_owned(), 1)]);
    }
}
