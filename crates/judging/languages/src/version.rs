//! Finds version numbers in the output of compilers.

/// Finds the first word after `marker` that starts with a digit; without a `marker`, anywhere.
pub(super) fn find(output: &str, marker: &str) -> Option<String> {
    let rest = &output[output.find(marker)? + marker.len()..];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '~');
    let mut before = ' ';
    for (at, character) in rest.char_indices() {
        if character.is_ascii_digit() && !is_part(before) {
            let word = &rest[at..];
            let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
            return Some(word[..end].trim_end_matches(['.', '-']).to_owned());
        }
        before = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn versions_are_found_in_compilers_words() {
        for (output, marker, expected) in [
            ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022", ") ", Some("12.2.0")),
            ("openjdk version \"17.0.15\" 2025-04-15", "version", Some("17.0.15")),
            ("go version go1.26.8 linux/amd64", "version go", Some("1.26.8")),
            ("GNU bash, version 5.2.15(1)-release", "version", Some("5.2.15")),
            ("This is perl 5, version 36, subversion 0 (v5.36.0) built", "(v", Some("5.36.0")),
            ("9.0.2\n", "", Some("9.0.2")),
            ("0.5.12-2", "", Some("0.5.12-2")),
            ("v20.20.2", "v", Some("20.20.2")),
            ("no such file", "version", None),
            ("version unknown", "version", None),
            ("", "", None),
        ] {
            assert_eq!(find(output, marker).as_deref(), expected, "{output}");
        }
    }
}
