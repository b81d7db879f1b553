//! Splits source text into words, without comments and with strings kept whole.
//!
//! Enough of a lexer to find an entry point: a `main` inside a comment or a string is not one.

use serde::Deserialize;

/// How a language writes comments and strings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Syntax {
    /// What starts a comment up to the end of the line.
    line_comments: Vec<String>,
    /// What begins and ends other comments.
    block_comments: Vec<[String; 2]>,
    /// Whether those nest.
    nested_comments: bool,
    /// Characters that begin and end a string.
    quotes: Vec<char>,
    /// Whether a backslash in a string escapes the next character.
    backslash: bool,
    /// Whether three quotes open a longer string, and whether a backslash counts there.
    triple_quotes: TripleQuotes,
    /// Whether `'x'` is a character; `'` alone may be a lifetime, a type variable or an attribute.
    characters: bool,
}

/// What three quotes in a row mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TripleQuotes {
    /// An empty string and the start of another.
    #[default]
    No,
    /// A string in which a backslash is an ordinary character.
    Raw,
    /// A string in which a backslash escapes the next character.
    Escaped,
}

/// A piece of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Name(String),
    /// A string's content, escapes not resolved.
    Text(String),
    /// Any other character that is not blank.
    Sign(char),
}

impl Word {
    /// Returns whether this is the name or sign `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Self::Name(name) => name == text,
            Self::Sign(sign) => text.chars().eq([*sign]),
            Self::Text(_) => false,
        }
    }

    /// Returns the name, if this is one.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl Syntax {
    /// Splits source text into words.
    pub(super) fn words(&self, text: &str) -> Vec<Word> {
        let mut words = Vec::new();
        let mut rest = text.trim_start_matches('\u{feff}');
        while let Some(first) = rest.chars().next() {
            rest = if first.is_whitespace() {
                rest.trim_start()
            } else if let Some(after) = self.skip_comment(rest) {
                after
            } else if let Some((content, after)) = self.take_string(rest, first) {
                words.push(Word::Text(content.to_owned()));
                after
            } else if is_name_character(first) {
                let end = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
                words.push(Word::Name(rest[..end].to_owned()));
                &rest[end..]
            } else {
                words.push(Word::Sign(first));
                &rest[first.len_utf8()..]
            };
        }
        words
    }

    /// Returns whether the words of `mark` follow each other somewhere in the code.
    pub(super) fn contains(&self, code: &[Word], mark: &str) -> bool {
        self.count(code, mark) > 0
    }

    /// Counts the places in the code where the words of `mark` follow each other.
    pub(super) fn count(&self, code: &[Word], mark: &str) -> usize {
        let mark = Self::default().words(mark);
        if mark.is_empty() {
            return 0;
        }
        code.windows(mark.len()).filter(|window| *window == mark.as_slice()).count()
    }

    fn skip_comment<'t>(&self, text: &'t str) -> Option<&'t str> {
        // Blocks first: in Lua and Haskell they begin like a line comment.
        for [open, close] in &self.block_comments {
            let Some(mut rest) = text.strip_prefix(open.as_str()) else {
                continue;
            };
            let mut depth = 1;
            while depth > 0 {
                if let Some(after) = rest.strip_prefix(close.as_str()) {
                    depth -= 1;
                    rest = after;
                } else if let Some(after) = rest.strip_prefix(open.as_str()).filter(|_| self.nested_comments)
                {
                    depth += 1;
                    rest = after;
                } else {
                    // An unclosed comment extends to the end; the compiler will report it.
                    let Some(first) = rest.chars().next() else {
                        break;
                    };
                    rest = &rest[first.len_utf8()..];
                }
            }
            return Some(rest);
        }
        let starts = self.line_comments.iter().any(|start| text.starts_with(start.as_str()));
        starts.then(|| text.find('\n').map_or("", |end| &text[end..]))
    }

    fn take_string<'t>(&self, text: &'t str, first: char) -> Option<(&'t str, &'t str)> {
        if first == '\'' && self.characters {
            return take_character(text);
        }
        if !self.quotes.contains(&first) {
            return None;
        }
        let triple = [first; 3].iter().collect::<String>();
        if self.triple_quotes != TripleQuotes::No && text.starts_with(&triple) {
            let escapes = self.triple_quotes == TripleQuotes::Escaped;
            return Some(take_until(&text[triple.len()..], &triple, escapes));
        }
        let close = first.to_string();
        Some(take_until(&text[close.len()..], &close, self.backslash))
    }
}

/// Splits at `close`; without one the rest ends with the text.
fn take_until<'t>(text: &'t str, close: &str, backslash_escapes: bool) -> (&'t str, &'t str) {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && backslash_escapes {
            characters.next();
        } else if text[at..].starts_with(close) {
            return (&text[..at], &text[at + close.len()..]);
        }
    }
    (text, "")
}

/// Takes `'x'` or `'\n'`; anything else that starts with `'` is not a character.
fn take_character(text: &str) -> Option<(&str, &str)> {
    let inner = &text[1..];
    let mut characters = inner.char_indices();
    let (_, first) = characters.next()?;
    let end = if first == '\\' {
        characters.next()?;
        // Long escapes such as '\u{1F600}' or '\x41' stay within a few characters.
        characters.take(10).find(|(_, character)| *character == '\'')?.0
    } else {
        characters.next().filter(|(_, character)| *character == '\'')?.0
    };
    Some((&inner[..end], &inner[end + 1..]))
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn java() -> Syntax {
        Syntax {
            line_comments: vec!["//".to_owned()],
            block_comments: vec![["/*".to_owned(), "*/".to_owned()]],
            quotes: vec!['"'],
            backslash: true,
            triple_quotes: TripleQuotes::Escaped,
            characters: true,
            ..Syntax::default()
        }
    }

    fn shown(syntax: &Syntax, text: &str) -> String {
        let words: Vec<String> = syntax
            .words(text)
            .into_iter()
            .map(|word| match word {
                Word::Name(name) => name,
                Word::Text(text) => format!("<{text}>"),
                Word::Sign(sign) => sign.to_string(),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn comments_vanish_and_strings_stay_whole() {
        for (text, expected) in [
            ("a // b\nc", "a c"),
            ("a /* b */ c", "a c"),
            ("a /* b", "a"),
            ("a /* b /* c */ d", "a d"),
            (r#"x = "a // \" b"; y"#, r#"x = <a // \" b> ; y"#),
            (r#"""" a " \""" b """ c"#, r#"< a " \""" b > c"#),
            (r"'{' '\'' '\u0041' x", r"<{> <\'> <\u0041> x"),
            ("a$b1_ü.c", "a$b1_ü . c"),
            ("\"open", "<open>"),
        ] {
            assert_eq!(shown(&java(), text), expected, "{text}");
        }
    }

    #[test]
    fn nested_comments_need_all_their_ends() {
        let nested = Syntax { nested_comments: true, ..java() };
        assert_eq!(shown(&nested, "a /* b /* c */ d */ e"), "a e");
    }

    #[test]
    fn an_apostrophe_may_be_something_else() {
        assert_eq!(shown(&java(), "fn f<'a>(x: &'a str)"), "fn f < ' a > ( x : & ' a str )");
        assert_eq!(shown(&java(), "X'First = 'c'"), "X ' First = <c>");
        assert_eq!(shown(&java(), "'"), "'");
        assert_eq!(shown(&java(), "'é'"), "<é>");
    }

    #[test]
    fn marks_are_found_as_words() {
        let syntax = java();
        let code = syntax.words("domain () ; fn  main/* x */( ) {}");
        assert!(syntax.contains(&code, "fn main ("));
        assert!(!syntax.contains(&code, "fn mai"));
        assert!(!syntax.contains(&syntax.words("// fn main()"), "fn main"));
        assert!(!syntax.contains(&syntax.words("\"fn main\""), "fn main"));
        assert!(!syntax.contains(&code, ""));
    }

    #[test]
    fn no_text_makes_it_stop_or_panic() {
        for text in ["\\", "'\\", "\"\\", "'", "/*", "é'é", "\u{feff}a", "'\\é", "\"\"\""] {
            java().words(text);
        }
    }
}
