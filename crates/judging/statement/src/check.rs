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

/// Checks a statement whose constants were put in. Returns what may be a mistake.
pub(crate) fn check(source: &Source) -> Result<Vec<Fault>, Fault> {
    let text = source.text();
    let fault = |line, what: String| Fault::of(source.place(&source.name), Some(line), what);
    match source.kind {
        Kind::Markdown => {
            unknown_constant(&text).map_or(Ok(Vec::new()), |(line, what)| Err(fault(line, what)))
        }
        Kind::Tex => {
            let what = "this % makes a comment of the rest of the line: a percent sign is \\%";
            let found = swallowed(&text);
            match found.iter().find(|found| found.is_certain) {
                Some(Swallowed { line, .. }) => Err(fault(*line, what.to_owned())),
                None => Ok(found.iter().map(|found| fault(found.line, what.to_owned())).collect()),
            }
        }
        Kind::Pdf => Ok(Vec::new()),
    }
}

/// A `%` that may be meant as a percent sign.
#[derive(Debug, PartialEq)]
struct Swallowed {
    line: usize,
    /// Whether it cannot be meant as a comment: it swallows the end of a quotation.
    is_certain: bool,
}

/// Returns whether a line ends in code: within backticks of which the same number has not come again.
fn ends_in_code(line: &str) -> bool {
    let mut open = 0;
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let run = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        rest = &rest[at + run..];
        open = match open {
            0 => run,
            open if open == run => 0,
            open => open,
        };
    }
    open > 0
}

/// Finds `{{name}}` that is no constant. Braces in code are code, and in formulas they may be TeX's.
fn unknown_constant(text: &str) -> Option<(usize, String)> {
    let mut fence: Option<&str> = None;
    let mut is_after_blank = true;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let sign = start.chars().next().filter(|sign| "`~".contains(*sign)).unwrap_or('`');
        let mark = &start[..start.len() - start.trim_start_matches(sign).len()];
        let is_indented = is_after_blank && (line.starts_with("    ") || line.starts_with('\t'));
        is_after_blank = start.is_empty() || is_indented;
        match fence {
            // It ends with as many of its signs, or more.
            Some(open) if mark.starts_with(open) && start == mark => fence = None,
            None if mark.len() >= 3 => fence = Some(mark),
            None if !is_indented => {}
            _ => continue,
        }
        if fence.is_some() || mark.len() >= 3 {
            continue;
        }
        for (at, _) in line.match_indices("{{") {
            let Some((name, _)) = line[at + 2..].split_once("}}") else { continue };
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
            let before = &line[..at];
            let is_code = ends_in_code(before);
            let is_tex =
                before.ends_with(|c: char| "^_}\\{".contains(c) || c.is_alphabetic()) && before.contains('$');
            if is_name && !is_code && !is_tex && !["nextsample", "remainingsamples"].contains(&name) {
                return Some((number + 1, format!("problem.yaml has no constant '{name}'")));
            }
        }
    }
    None
}

/// Finds each `%` that was meant as a percent sign, and makes a comment of the rest of the line.
fn swallowed(text: &str) -> Vec<Swallowed> {
    const QUOTES: [(&str, &str); 5] = [
        ("\u{201c}", "\u{201d}"),
        ("\u{ab}", "\u{bb}"),
        ("\u{201e}", "\u{201c}"),
        ("``", "''"),
        ("<<", ">>"),
    ];
    let mut all = Vec::new();
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
            all.push(Swallowed { line: number + 1, is_certain: is_quoted });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_constants_are_found() {
        let line = |text: &str| unknown_constant(text).map(|(line, _)| line);
        for fine in [
            "{{nextsample}}",
            "$x^{{n}}$ $\\frac{{a}}{{b}}$",
            "`{{x}}`",
            "`` a`b {{x}} ``",
            "```\n{{x}}\n```\n",
            "~~~~\n~~~\n{{x}}\n~~~~\n",
            "a\n\n    {{x}}\n    {{y}}\n",
            "{{ x }}",
        ] {
            assert_eq!(line(fine), None, "{fine}");
        }
        for (text, at) in [
            ("a\n{{most}}", 2),
            ("$n \\le {{most}}$", 1),
            ("```\n```\n{{a.b}}", 3),
            ("`a` {{x}}", 1),
            ("a\n    {{x}}", 2),
        ] {
            assert_eq!(line(text), Some(at), "{text}");
        }
    }

    #[test]
    fn percent_signs_that_swallow_text_are_found() {
        let found = |text: &str| swallowed(text).first().map(|found| (found.line, found.is_certain));
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
            assert_eq!(found(fine), None, "{fine}");
        }
        for (text, is_certain) in [
            ("a\nthe “50% Rule” holds", true),
            ("\n$50$% of all", false),
            ("\n50\\,% of all", false),
            ("\n``half% Rule'' here", true),
            ("\n«50 % правило»", true),
        ] {
            assert_eq!(found(text), Some((2, is_certain)), "{text}");
        }
    }
}
