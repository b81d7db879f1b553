//! Patterns of `submissions.yaml`: `*` within one name, and `{a,b}`.

/// Most alternatives that braces may expand to.
const MAX_ALTERNATIVES: usize = 1000;

/// A pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// One for each choice from the braces.
    alternatives: Vec<String>,
    text: String,
}

impl Pattern {
    /// Parses a pattern, or returns why it is invalid.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("is empty, expected a path or a pattern".into());
        }
        if text.contains("**") {
            return Err("contains '**', which the format does not have".into());
        }
        let mut alternatives = Vec::new();
        unfold(text, &mut alternatives)?;
        for alternative in &mut alternatives {
            alternative.truncate(alternative.trim_end_matches('/').len());
        }
        Ok(Self { alternatives, text: text.to_owned() })
    }

    /// Returns whether the path itself or a folder around it matches.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.into_iter().any(|end| self.matches_itself(&path[..end]))
    }

    pub(crate) fn matches_itself(&self, path: &str) -> bool {
        self.alternatives.iter().any(|pattern| matches(pattern.as_bytes(), path.as_bytes()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern is just this text.
    pub(crate) fn is_exactly(&self, text: &str) -> bool {
        self.alternatives == [text]
    }
}

/// Expands the first pair of braces, then the rest.
fn unfold(text: &str, result: &mut Vec<String>) -> Result<(), String> {
    let Some(open) = text.find(['{', '}']) else {
        if result.len() >= MAX_ALTERNATIVES {
            return Err(format!("unfolds to more than {MAX_ALTERNATIVES} paths"));
        }
        result.push(text.to_owned());
        return Ok(());
    };
    let unbalanced = || "has a brace without its partner".to_owned();
    let (mut depth, mut start, mut parts) = (0_usize, open + 1, Vec::new());
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1).ok_or_else(unbalanced)?,
            _ => {}
        }
        let ends = byte == b',' && depth == 1 || depth == 0;
        if ends {
            parts.push(&text[start..at]);
            start = at + 1;
        }
        if depth == 0 {
            return parts
                .iter()
                .try_for_each(|part| unfold(&format!("{}{part}{}", &text[..open], &text[start..]), result));
        }
    }
    Err(unbalanced())
}

/// Matches with `*` for any bytes but `/`, going back to the last star on a mismatch.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < path.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p + 1, t));
            p += 1;
        } else if p < pattern.len() && pattern[p] == path[t] {
            p += 1;
            t += 1;
        } else if let Some((after, from)) = star.filter(|(_, from)| path[*from] != b'/') {
            star = Some((after, from + 1));
            p = after;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_match_paths_and_what_lies_below() {
        for (pattern, path, expect) in [
            ("accepted", "accepted/a.py", true),
            ("accepted/", "accepted/a.py", true),
            ("accepted/*", "accepted/a.py", true),
            ("accepted/*.py", "accepted/a.cpp", false),
            ("*", "accepted/a.py", true),
            ("*/a.py", "accepted/a.py", true),
            ("*.py", "accepted/a.py", false),
            ("acc", "accepted/a.py", false),
            ("accepted/a", "accepted/a.py", false),
            ("{accepted,wrong_answer}/a.{py,cpp}", "wrong_answer/a.cpp", true),
            ("{accepted,wrong_answer}/a.{py,cpp}", "wrong_answer/a.rs", false),
            ("a{,b{c,d}}", "abd", true),
            ("secret/*-hard", "secret/07-hard", true),
            ("secret/group*", "secret/group1/3", true),
            ("secret/*1", "secret/a1b1", true),
            ("secret/*1*2", "secret/12122", true),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().matches(path), expect, "{pattern} {path}");
        }
    }

    #[test]
    fn broken_patterns_are_refused() {
        for pattern in ["", "{a", "a}", "a/**/b", "}{", &"{a,b}".repeat(12)] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn every_path_matches_itself_and_a_star(path in "[a-z]{1,5}/[a-z.]{1,8}") {
            prop_assert!(Pattern::new(&path).unwrap().matches(&path));
            prop_assert!(Pattern::new("*/*").unwrap().matches(&path));
        }

        #[test]
        fn any_pattern_is_read_or_refused(pattern in "[a*{},/]{0,20}", path in "[a/]{0,12}") {
            if let Ok(pattern) = Pattern::new(&pattern) {
                pattern.matches(&path);
            }
        }
    }
}
