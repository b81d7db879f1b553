//! What can be found wrong in the source of a statement before any program reads it.

use crate::Fault;
use crate::source::{Kind, Source};

/// Returns the line of a place in a text, counted from 1.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// Returns whether a place in LaTeX is in a comment.
pub(crate) fn is_commented(text: &str, at: usize) -> bool {
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    comment(&text[begin..at]).is_some()
}

/// Returns where a line's comment begins.
fn comment(line: &str) -> Option<usize> {
    let mut is_escaped = false;
    line.find(|c: char| {
        let is_comment = c == '%' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_comment
    })
}

/// Checks a statement whose constants were put in.
pub(crate) fn check(source: &Source) -> Result<(), Fault> {
    let text = source.text();
    let found = match source.kind {
        Kind::Markdown => unknown_constant(&text),
        Kind::Tex => swallowed(&text),
        Kind::Pdf => None,
    };
    found.map_or(Ok(()), |(line, what)| Err(Fault::of(source.place(&source.name), Some(line), what)))
}

/// Finds `{{name}}` that is no constant. Braces in code are code, and in formulas they may be TeX's.
fn unknown_constant(text: &str) -> Option<(usize, String)> {
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            continue;
        }
        for (at, _) in line.match_indices("{{") {
            let Some((name, _)) = line[at + 2..].split_once("}}") else { continue };
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
            let before = &line[..at];
            let is_code = before.matches('`').count() % 2 == 1;
            let is_tex =
                before.ends_with(|c: char| "^_}\\{".contains(c) || c.is_alphabetic()) && before.contains('$');
            if is_name && !is_code && !is_tex && !["nextsample", "remainingsamples"].contains(&name) {
                return Some((number + 1, format!("problem.yaml has no constant '{name}'")));
            }
        }
    }
    None
}

/// Finds a `%` that was meant as a percent sign, and makes a comment of the rest of the line.
fn swallowed(text: &str) -> Option<(usize, String)> {
    const QUOTES: [(&str, &str); 5] = [
        ("\u{201c}", "\u{201d}"),
        ("\u{ab}", "\u{bb}"),
        ("\u{201e}", "\u{201c}"),
        ("``", "''"),
        ("<<", ">>"),
    ];
    let mut verbatim: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(name) = &verbatim {
            if line.contains(&format!("\\end{{{name}}}")) {
                verbatim = None;
            }
            continue;
        }
        verbatim = ["verbatim", "lstlisting", "Verbatim"].map(str::to_owned).into_iter().find(|name| {
            line.contains(&format!("\\begin{{{name}}}")) && !line.contains(&format!("\\end{{{name}}}"))
        });
        let Some(at) = comment(line) else { continue };
        let (before, after) = (&line[..at], &line[at + 1..]);
        let is_percent = before
            .trim_end_matches("\\,")
            .trim_end_matches(['$', '~'])
            .ends_with(|c: char| c.is_ascii_digit())
            && after.trim() != "";
        let is_quoted = QUOTES.iter().any(|(open, close)| {
            before.rfind(open).is_some_and(|open| !before[open..].contains(close)) && after.contains(close)
        });
        // \verb|%| and addresses have it as it is.
        let is_literal = before.contains("\\verb") || before.contains("\\url{") || before.contains("\\href{");
        if (is_percent || is_quoted) && !is_literal {
            let what = "this % makes a comment of the rest of the line: a percent sign is \\%";
            return Some((number + 1, what.to_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_constants_are_found() {
        let line = |text: &str| unknown_constant(text).map(|(line, _)| line);
        for fine in
            ["{{nextsample}}", "$x^{{n}}$ $\\frac{{a}}{{b}}$", "`{{x}}`", "```\n{{x}}\n```\n", "{{ x }}"]
        {
            assert_eq!(line(fine), None, "{fine}");
        }
        for (text, at) in [("a\n{{most}}", 2), ("$n \\le {{most}}$", 1), ("```\n```\n{{a.b}}", 3)] {
            assert_eq!(line(text), Some(at), "{text}");
        }
    }

    #[test]
    fn percent_signs_that_swallow_text_are_found() {
        let line = |text: &str| swallowed(text).map(|(line, _)| line);
        for fine in [
            "50\\% of",
            "a % comment",
            "$n$ % comment",
            "\\foo{a}% b",
            "1%\n2",
            "\\begin{verbatim}\n5% a\n\\end{verbatim}",
            "\\verb|5% a|",
            "“a” % “b”",
        ] {
            assert_eq!(line(fine), None, "{fine}");
        }
        for text in [
            "a\nthe “50% Rule” holds",
            "\n$50$% of all",
            "\n50\\,% of all",
            "\n``half% Rule'' here",
            "\n«50 % правило»",
        ] {
            assert_eq!(line(text), Some(2), "{text}");
        }
    }
}
