//! What a statement has wrong, and where: in the package's own files, from what pandoc and TeX say of those made from them.

use crate::Fault;
use crate::inputs::Ready;
use crate::source::Kind;

/// What precedes the line in comments that the filter leaves in TeX.
const MARK: &str = "%tauto-line ";
/// What precedes the filter's own message.
const REFUSED: &str = "tauto-refused:";

pub(crate) fn of_pandoc(part: &Ready, stderr: &str, failure: &str) -> Fault {
    let place = part.source.place(&part.source.name);
    if let Some(refused) = stderr.lines().find_map(|line| line.strip_prefix(REFUSED)) {
        let (line, why) = refused.split_once(':').unwrap_or(("", refused));
        let line = line.parse().ok().or_else(|| line_with(&part.source.text(), quoted(why)));
        return Fault::of(place, line, why);
    }
    // Error at "problem.en.tex" (line 4, column 2):
    let stated = stderr.lines().skip_while(|line| !line.starts_with("Error at"));
    let mut stated = stated.map(str::trim).filter(|line| !line.is_empty() && *line != "^");
    let head = stated.next().unwrap_or_default();
    let line = head.split("(line ").nth(1).and_then(|rest| rest.split(',').next()?.parse().ok());
    let why = stated.filter(|line| line.contains(' ')).take(2).collect::<Vec<_>>().join(", ");
    let why = if why.is_empty() { failure.to_owned() } else { format!("pandoc cannot read this: {why}") };
    match unclosed(&part.source.text()) {
        Some((line, what)) if part.source.kind == Kind::Tex => Fault::of(place, Some(line), what),
        _ => Fault::of(place, line, why),
    }
}

/// What pandoc reports as left out, though nothing of the text is: space, and the names of environments whose content stays.
const LAYOUT: [&str; 16] = [
    "\\bgroup",
    "\\egroup",
    "\\begingroup",
    "\\endgroup",
    "\\begin{",
    "\\end{",
    "\\vspace",
    "\\hspace",
    "\\setlength",
    "\\vskip",
    "\\hskip",
    "\\setcounter",
    "\\addtolength",
    "\\Needspace",
    "\\pagestyle",
    "\\thispagestyle",
];

/// Returns warnings that pandoc prints about formulas and about what it leaves out, with their lines.
pub(crate) fn warnings_of_pandoc(part: &Ready, stderr: &str) -> Vec<Fault> {
    let text = part.source.text();
    let formulas = stderr.lines().filter_map(|line| {
        line.strip_prefix("[WARNING] Could not convert TeX math ")?.split(", rendering as TeX").next()
    });
    let warn = |formula: &str| {
        let first = formula.lines().next().unwrap_or_default();
        let problem = format!("the formula '{first}' is shown as TeX, since it cannot be converted");
        Fault::of(part.source.place(&part.source.name), line_with(&text, first), problem)
    };
    let left_out = stderr.lines().filter_map(|line| {
        let (what, place) = line.strip_prefix("[INFO] Skipped '")?.rsplit_once("' at ")?;
        let line = place.split(" line ").nth(1)?.split(' ').next()?.parse().ok();
        let is_own = !place.contains(&part.source.name);
        let is_layout = LAYOUT.iter().any(|begin| what.starts_with(begin)) || !what.starts_with('\\');
        (!is_own && !is_layout).then(|| {
            let problem = format!("HTML has no {}: it is left out", what.trim());
            Fault::of(part.source.place(&part.source.name), line, problem)
        })
    });
    let mut all: Vec<Fault> = formulas.map(warn).chain(left_out).collect();
    all.dedup();
    all
}

/// What sticks out by less is not seen.
const WIDTH_POINTS: f64 = 10.0;

/// Returns warnings about what is wider than its place, from TeX's log.
pub(crate) fn too_wide(parts: &[Ready], bodies: &[String], log: &str) -> Vec<Fault> {
    let mut all = Vec::new();
    let mut at: Option<usize> = None;
    let mut sample = "";
    for line in log.lines() {
        if let Some(folder) = line.strip_prefix("tauto-reads:") {
            at = parts.iter().position(|part| part.folder == folder.trim());
        } else if let Some(number) = line.strip_prefix("tauto-sample:") {
            sample = number.trim();
        }
        let (Some(at), Some((_, rest))) = (at, line.split_once("Overfull \\hbox (")) else { continue };
        let Some((width, place)) = rest.split_once("pt too wide)") else { continue };
        let Some(width) = width.parse::<f64>().ok().filter(|width| *width > WIDTH_POINTS) else { continue };
        let (part, body) = (&parts[at], &bodies[at]);
        let numbers = place.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
        let number = numbers.collect::<Vec<usize>>().first().copied();
        let (what, line) = match (sample, number) {
            ("", Some(number)) => ("this".to_owned(), source_line(part, body, number)),
            ("", None) => continue,
            (sample, _) => (format!("sample {sample}"), None),
        };
        let millimetres = (width * 0.351_46).ceil();
        let problem = format!("{what} is {millimetres} mm wider than its place in the PDF");
        all.push(Fault::of(part.source.place(&part.source.name), line, problem));
    }
    all.dedup();
    all
}

/// Returns the line of the statement from which a line of its TeX was made.
fn source_line(part: &Ready, body: &str, number: usize) -> Option<usize> {
    if part.source.kind == Kind::Tex {
        return Some(number);
    }
    let marks = body.lines().take(number).filter_map(|line| line.split(MARK).nth(1));
    marks.filter_map(|line| line.trim().parse().ok()).last()
}

/// Returns what TeX says, at the line of the statement. `bodies` has the TeX that was made from each part.
pub(crate) fn of_tex(parts: &[Ready], bodies: &[String], template: Option<&str>, log: &str) -> Option<Fault> {
    let lines: Vec<&str> = log.lines().collect();
    let (at, file, number, message) = lines.iter().enumerate().find_map(|(at, line)| {
        let (file, rest) = line.split_once(".tex:").or_else(|| line.split_once(".sty:"))?;
        let (number, message) = rest.split_once(':')?;
        let file = format!("{}.tex", file.trim_start_matches("/program/").trim_start_matches("./"));
        Some((at, file, number.parse::<usize>().ok()?, message.trim()))
    })?;
    // After 'l.12 ' TeX shows the line up to what it stumbled over.
    let shown = lines[at..].iter().find(|line| line.starts_with("l.")).copied().unwrap_or_default();
    let command = shown.rsplit('\\').next().filter(|_| shown.contains('\\'));
    let command =
        command.map(|name| name.chars().take_while(|c| c.is_alphabetic() || *c == '@').collect::<String>());
    let problem = in_plain_words(message, command.as_deref());
    for (part, body) in parts.iter().zip(bodies) {
        if let Some(own) = file.strip_prefix(&format!("{}/", part.folder)) {
            return Some(Fault::of(part.source.place(own), Some(number), problem));
        }
        if file == part.body {
            let place = part.source.place(&part.source.name);
            let line = source_line(part, body, number)
                .map(|from| exact(&part.source.text(), from, command.as_deref()));
            return Some(Fault::of(place, line, problem));
        }
    }
    for part in parts.iter().filter(|part| part.source.kind == Kind::Tex) {
        if let Some((line, what)) = unclosed(&part.source.text()) {
            return Some(Fault::of(part.source.place(&part.source.name), Some(line), what));
        }
    }
    Some(Fault::of(
        template.unwrap_or("the template"),
        None,
        format!("{problem} (line {number} after filling)"),
    ))
}

fn absent_image(name: &str) -> String {
    format!("the image '{name}' is not in the folder of the statement: images come from there alone")
}

fn in_plain_words(message: &str, command: Option<&str>) -> String {
    match (message, command) {
        ("Undefined control sequence.", Some(name)) => format!("TeX knows no command \\{name}"),
        ("Missing $ inserted.", _) => "a formula stands here without its $, or does not end".to_owned(),
        (_, Some("includegraphics"))
            if message.contains("not found") || message.starts_with("Unable to load") =>
        {
            // With its folder it was found.
            match quoted(&message.replace('`', "'")).rsplit_once("//") {
                Some((_, name)) => format!("the image '{name}' is no usable picture"),
                None => absent_image(quoted(&message.replace('`', "'"))),
            }
        }
        _ => {
            let message = message
                .trim_start_matches("LaTeX Error: ")
                .trim_start_matches("Package tautostatement Error: ");
            format!("TeX: {}", message.trim_end_matches('.'))
        }
    }
}

/// Returns the line at or after `from` that has the command, since a mark stands before a whole formula.
fn exact(text: &str, from: usize, command: Option<&str>) -> usize {
    let Some(command) = command.filter(|name| !name.is_empty()) else { return from };
    let wanted = format!("\\{command}");
    let lines = text.lines().enumerate().skip(from.saturating_sub(1)).take(50);
    lines.into_iter().find(|(_, line)| line.contains(&wanted)).map_or(from, |(at, _)| at + 1)
}

fn quoted(text: &str) -> &str {
    text.split('\'').nth(1).unwrap_or_default()
}

fn line_with(text: &str, wanted: &str) -> Option<usize> {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return None;
    }
    text.lines().position(|line| line.contains(wanted)).map(|at| at + 1)
}

/// Finds the first brace or environment of TeX that does not end, which TeX itself notices at the end of the file only.
fn unclosed(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(usize, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some((_, name)) = open.last().filter(|(_, name)| is_verbatim(name)) {
            if line.contains(&format!("\\end{{{name}}}")) {
                open.pop();
            }
            continue;
        }
        // The two halves of an environment are in braces of their own.
        if line.contains("newenvironment{") {
            continue;
        }
        let mut rest = line;
        while let Some(position) = rest.find(['\\', '{', '}', '%']) {
            let (found, after) = (rest.as_bytes()[position], &rest[position + 1..]);
            rest = after;
            match found {
                b'%' => break,
                b'{' => open.push((at + 1, String::new())),
                b'}' => {
                    if open.pop().is_none_or(|(_, name)| !name.is_empty()) {
                        return Some((at + 1, "this brace closes nothing".to_owned()));
                    }
                }
                _ => {
                    let name = |begin: &str| after.strip_prefix(begin)?.split_once('}');
                    if let Some((name, left)) = name("begin{") {
                        open.push((at + 1, name.to_owned()));
                        rest = left;
                    } else if let Some((name, left)) = name("end{") {
                        match open.pop() {
                            Some((_, begun)) if begun == name => {}
                            Some((line, begun)) if begun.is_empty() => {
                                return Some((line, "this brace is not closed".to_owned()));
                            }
                            Some((line, begun)) => {
                                return Some((
                                    line,
                                    format!("the environment {begun} that begins here does not end"),
                                ));
                            }
                            None => {
                                return Some((
                                    at + 1,
                                    format!("no environment {name} begins before this end"),
                                ));
                            }
                        }
                        rest = left;
                    } else {
                        let mut left = after.chars();
                        left.next();
                        rest = left.as_str();
                    }
                }
            }
        }
    }
    let (line, name) = open.into_iter().next()?;
    Some((
        line,
        match name.is_empty() {
            true => "this brace is not closed".to_owned(),
            false => format!("the environment {name} that begins here does not end"),
        },
    ))
}

fn is_verbatim(name: &str) -> bool {
    ["verbatim", "lstlisting", "Verbatim"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_folders_are_detected() {
        let check = |text: &str, expect: Option<(usize, &str)>| {
            assert_eq!(unclosed(text), expect.map(|(line, what)| (line, what.to_owned())), "{text}");
        };
        check(
            "\\textbf{a} \\{ % {\n\\begin{verbatim}\n{\n\\end{verbatim}\n\\begin{Input}x\\end{Input}",
            None,
        );
        check("a\n\\textbf{b\nc", Some((2, "this brace is not closed")));
        check(
            "\\begin{itemize}\n\\item {a}\n",
            Some((1, "the environment itemize that begins here does not end")),
        );
        check("\\begin{Input}\n{\n\\end{Input}", Some((2, "this brace is not closed")));
        check("a}\n", Some((1, "this brace closes nothing")));
        check("\\end{Input}", Some((1, "no environment Input begins before this end")));
    }

    #[test]
    fn the_line_is_that_of_the_command() {
        assert_eq!(exact("a\n$b\n\\foo$\n", 2, Some("foo")), 3);
        assert_eq!(exact("a\n", 1, None), 1);
        assert_eq!(in_plain_words("Undefined control sequence.", Some("foo")), "TeX knows no command \\foo");
        assert_eq!(in_plain_words("LaTeX Error: File `x' not found.", None), "TeX: File `x' not found");
    }
}
