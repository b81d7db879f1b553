//! Rust source as tokens: enough of the language to find a path or a keyword, and to leave out
//! comments, literals and tests.

/// A word, `::`, or one other character, with its line. Literals are the empty text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// A path such as `std::fs::read`, in an expression or out of a `use`, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePath {
    pub segments: Vec<String>,
    pub line: usize,
}

/// Splits source into tokens without comments.
pub fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let start = at;
        let token_line = line;
        let next = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
        let mut text = String::new();
        match chars[at] {
            '/' if next(1) == '/' => at = find(&chars, at, '\n'),
            '/' if next(1) == '*' => at = block_comment_end(&chars, at),
            '"' => at = string_end(&chars, at),
            '\'' if next(1) == '\\' || (next(2) == '\'' && next(1) != '\'') => at = char_end(&chars, at),
            c if is_word(c) => {
                while at < chars.len() && is_word(chars[at]) {
                    at += 1;
                }
                text.extend(&chars[start..at]);
                if let Some(end) = literal_end(&chars, at, &text) {
                    at = end;
                    text.clear();
                }
            }
            ':' if next(1) == ':' => {
                text.push_str("::");
                at += 2;
            }
            c => {
                text.push(c);
                at += 1;
            }
        }
        line += chars[start..at].iter().filter(|c| **c == '\n').count();
        let comment = chars[start] == '/' && text.is_empty();
        if !comment && !chars[start].is_whitespace() {
            tokens.push(Token { text, line: token_line });
        }
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn find(chars: &[char], from: usize, wanted: char) -> usize {
    chars[from..].iter().position(|c| *c == wanted).map_or(chars.len(), |offset| from + offset)
}

/// Block comments nest.
fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

fn char_end(chars: &[char], start: usize) -> usize {
    let after = if chars[start + 1] == '\\' { start + 3 } else { start + 2 };
    if after >= chars.len() {
        chars.len()
    } else {
        find(chars, after, '\'').saturating_add(1).min(chars.len())
    }
}

/// The end of a literal that starts with the word just read: `r"..."`, `b'x'`, `br#"..."#`, `c"..."`.
fn literal_end(chars: &[char], at: usize, word: &str) -> Option<usize> {
    let raw = match word {
        "r" | "br" | "cr" => true,
        "b" | "c" => false,
        _ => return None,
    };
    match chars.get(at)? {
        '"' if !raw => Some(string_end(chars, at)),
        '\'' if word == "b" => Some(char_end(chars, at)),
        '"' | '#' if raw => {
            let quote = at + chars[at..].iter().take_while(|c| **c == '#').count();
            // `r#type` is a word, not a literal.
            if chars.get(quote) != Some(&'"') {
                return None;
            }
            let hashes = quote - at;
            let closes = |end: &usize| {
                chars[*end] == '"'
                    && chars[end + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
            };
            Some((quote + 1..chars.len()).find(closes).map_or(chars.len(), |end| end + 1 + hashes))
        }
        _ => None,
    }
}

/// Source without its tests, and the modules in other files that are tests.
pub struct Code {
    pub tokens: Vec<Token>,
    pub test_modules: Vec<String>,
}

/// Leaves out every item under `#[cfg(test)]` or `#[test]`.
pub fn code(source: &str) -> Code {
    let all = tokens(source);
    let mut code = Code { tokens: Vec::new(), test_modules: Vec::new() };
    let mut at = 0;
    while at < all.len() {
        if !is(&all, at, "#") || !is(&all, at + 1, "[") {
            code.tokens.push(all[at].clone());
            at += 1;
            continue;
        }
        let attribute_end = group_end(&all, at + 1);
        if !is_test_attribute(&all[at + 2..attribute_end.saturating_sub(1).max(at + 2)]) {
            code.tokens.extend_from_slice(&all[at..attribute_end]);
            at = attribute_end;
            continue;
        }
        let mut item = attribute_end;
        while is(&all, item, "#") && is(&all, item + 1, "[") {
            item = group_end(&all, item + 1);
        }
        at = item_end(&all, item);
        if let Some(name) =
            all[item..at].windows(3).find(|window| window[0].text == "mod" && window[2].text == ";")
        {
            code.test_modules.push(name[1].text.clone());
        }
    }
    code
}

fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
}

fn is_test_attribute(attribute: &[Token]) -> bool {
    match attribute.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().as_slice() {
        ["test"] | ["cfg", "(", "test", ")"] => true,
        ["cfg", "(", "all", "(", rest @ ..] => rest.contains(&"test") && !rest.contains(&"not"),
        _ => false,
    }
}

/// The index after the group that opens at `open`.
fn group_end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// The index after the item that starts at `start`: after its body or its semicolon.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "{" => return group_end(tokens, at),
            ";" => return at + 1,
            "(" | "[" => at = group_end(tokens, at),
            _ => at += 1,
        }
    }
    tokens.len()
}

/// Every path in the code; those of a `use` are written out, and a lone word is a path of one segment.
pub fn paths(tokens: &[Token]) -> Vec<CodePath> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].text == "use" {
            at = use_tree(tokens, at + 1, &[], &mut paths);
        } else if is_name(&tokens[at]) {
            let mut path = CodePath { segments: vec![tokens[at].text.clone()], line: tokens[at].line };
            at += 1;
            while is(tokens, at, "::") && tokens.get(at + 1).is_some_and(is_name) {
                path.segments.push(tokens[at + 1].text.clone());
                at += 2;
            }
            paths.push(path);
        } else {
            at += 1;
        }
    }
    paths
}

fn is_name(token: &Token) -> bool {
    token.text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// Writes one branch of a `use` out and gives the index after it.
fn use_tree(tokens: &[Token], start: usize, prefix: &[String], paths: &mut Vec<CodePath>) -> usize {
    let mut segments = prefix.to_vec();
    let mut at = start;
    let line = tokens.get(at).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while at < tokens.len() && !is(tokens, at, "}") {
                    at = if is(tokens, at, ",") {
                        at + 1
                    } else {
                        use_tree(tokens, at, &segments, paths).max(at + 1)
                    };
                }
                return at + 1;
            }
            // A new name changes nothing about what is used.
            "as" => at += 2,
            "*" => at += 1,
            _ if is_name(token) => {
                // `use a::{self}` is `use a`.
                if token.text != "self" || segments.is_empty() {
                    segments.push(token.text.clone());
                }
                at += 1;
            }
            _ => break,
        }
    }
    paths.push(CodePath { segments, line });
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> String {
        let texts = tokens(source)
            .into_iter()
            .map(|token| if token.text.is_empty() { "_".into() } else { token.text });
        texts.collect::<Vec<String>>().join(" ")
    }

    fn written_out(source: &str) -> Vec<String> {
        paths(&code(source).tokens).into_iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        for (source, expect) in [
            ("a // unsafe\nb", "a b"),
            ("a /* x /* unsafe */ y */ b", "a b"),
            ("a \"un\\\"safe\" b", "a _ b"),
            ("a r\"\\\" b", "a _ b"),
            ("a r#\"x\" unsafe\"# b", "a _ b"),
            ("a br##\"x\"# \"## b c\"z\" b\"\\\"\" d", "a _ b _ _ d"),
            ("a 'x' '\\'' b'\\\\' '\"' 'a: b", "a _ _ _ _ ' a : b"),
            ("fn f<'a>(x: &'a str) {}", "fn f < ' a > ( x : & ' a str ) { }"),
            ("a / b", "a / b"),
            ("\"open", "_"),
            ("/* open", ""),
            ("'\\", "_"),
        ] {
            assert_eq!(words(source), expect, "{source}");
        }
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let lines: Vec<_> = tokens("a\n/* \n */ b \"x\ny\" c\n// d\ne").into_iter().map(|t| t.line).collect();
        assert_eq!(lines, [1, 3, 3, 4, 6]);
    }

    #[test]
    fn tests_are_left_out() {
        let source = "use a::b;\n#[cfg(test)]\nuse std::fs;\n#[test]\nfn t() { std::fs::read(); }\n\
                      #[cfg(test)]\n#[allow(dead_code)]\nmod tests { mod x { fn y() { z::w } } }\n\
                      #[cfg(test)]\nmod outside;\n#[cfg(all(test, unix))]\nfn u(a: [u8; 2]) { v::w }\n\
                      #[cfg(not(test))]\nfn kept() {}";
        let found = written_out(source);
        assert_eq!(found, ["a::b", "cfg", "not", "test", "fn", "kept"]);
        assert_eq!(code(source).test_modules, ["outside"]);
    }

    #[test]
    fn uses_are_written_out() {
        let source = "pub use std::{fs::{self, File as F}, time::*, env as e};\nuse ::x::y;\nlet a = ::std::net::Ip::new;";
        let found = written_out(source);
        assert_eq!(
            found,
            [
                "pub",
                "std::fs",
                "std::fs::File",
                "std::time",
                "std::env",
                "x::y",
                "let",
                "a",
                "std::net::Ip::new"
            ]
        );
        for unfinished in ["use", "use {", "use a::{b", "use a::{;}", "use ;", "#[", "#[cfg(test)]"] {
            written_out(unfinished);
        }
    }
}
