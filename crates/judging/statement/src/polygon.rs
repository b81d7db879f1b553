//! Statements of Polygon, which are LaTeX with the commands of `olymp.sty`: what neither TeX's nor pandoc's macros can
//! do is replaced in the source. Lines stay where they are.

use crate::Fault;
use crate::check::{is_commented, line_at};
use crate::samples::{SAMPLES_MAX, SampleText};
use crate::source::Source;

const BEGIN: &str = "\\begin{problem}";
/// Names of files that say that there are none.
const STANDARD: [&str; 9] = [
    "",
    "standard input",
    "standard output",
    "stdin",
    "stdout",
    "стандартный ввод",
    "стандартный вывод",
    "标准输入",
    "标准输出",
];

/// What a statement of Polygon says outside of its text.
#[derive(Debug, Default)]
pub(crate) struct Polygon {
    /// The examples that it has itself: input and output.
    pub(crate) examples: Vec<(SampleText, SampleText)>,
    /// The line of the heading, the time limit and the memory limit in it.
    pub(crate) limits: Option<(usize, String, String)>,
    /// How many samples the package has, if the examples are shown instead.
    pub(crate) samples: Option<usize>,
}

/// Reads and replaces Polygon's commands in a statement; returns nothing if it has none.
pub(crate) fn replace(source: &mut Source) -> Result<Option<Polygon>, Fault> {
    let text = source.text();
    let Some(at) = find(&text, BEGIN, 0) else { return Ok(None) };
    let line = line_at(&text, at);
    let fault = |line, problem: &str| Fault::of(source.place(&source.name), Some(line), problem);
    let Some((heading, end)) = arguments::<5>(&text, at + BEGIN.len()) else {
        return Err(fault(
            line,
            "problem takes five arguments: title, input, output, time limit, memory limit",
        ));
    };
    let [title, input, output, time, memory] = heading;
    let mut found =
        Polygon { limits: Some((line, time.trim().into(), memory.trim().into())), ..Polygon::default() };
    let mut begin = format!("\\tautopolygon\\problemname{{{}}}", title.replace('\n', " "));
    let (input, output) = (input.trim(), output.trim());
    if ![input, output].iter().all(|name| STANDARD.contains(&name.to_lowercase().as_str())) {
        begin.push_str(&format!("\\tautofilenames{{{input}}}{{{output}}}"));
    }
    begin.push_str(&newlines(&text[at..end]));
    let mut all = format!("{}{begin}", &text[..at]);
    let mut rest = end;
    while let Some(at) = find(&text, "\\exmp", rest) {
        let line = line_at(&text, at);
        let is_file = text[at..].starts_with("\\exmpfile");
        let begin = at + if is_file { "\\exmpfile".len() } else { "\\exmp".len() };
        let Some(([input, output], mut end)) = arguments::<2>(&text, begin) else {
            return Err(fault(line, "an example takes two arguments, the input and the output"));
        };
        // Files have a third one, which is not used.
        if is_file && let Some(([_], third)) = arguments::<1>(&text, end) {
            end = third;
        }
        let shown = |argument: &str| match is_file {
            false => Ok(SampleText::of(source.place(&source.name), line, verbatim(argument))),
            true => match source.files.get(argument.trim()) {
                Some(bytes) => {
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    Ok(SampleText::of(source.place(argument.trim()), 1, text))
                }
                None => Err(fault(
                    line,
                    &format!("the file '{}' is not in the folder of the statement", argument.trim()),
                )),
            },
        };
        if found.examples.len() == SAMPLES_MAX {
            return Err(fault(line, &format!("a statement shows at most {SAMPLES_MAX} examples")));
        }
        found.examples.push((shown(input)?, shown(output)?));
        all.push_str(&text[rest..at]);
        all.push_str("\\nextsample{}");
        all.push_str(&newlines(&text[at..end]));
        rest = end;
    }
    all.push_str(&text[rest..]);
    let all = all.replace("\\end{problem}", "").replace("\"---", "---");
    source.files.insert(source.name.clone(), with_interaction(&all).into_bytes());
    Ok(Some(found))
}

/// Gives the heading `\Interaction` a name that the environment does not have.
fn with_interaction(text: &str) -> String {
    let mut parts = text.split("\\Interaction");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        all.push_str(if part.starts_with(|c: char| c.is_ascii_alphabetic()) {
            "\\Interaction"
        } else {
            "\\InteractionText"
        });
        all.push_str(part);
    }
    all
}

/// Finds a command that is in no comment.
fn find(text: &str, wanted: &str, from: usize) -> Option<usize> {
    let mut from = from;
    loop {
        let at = from + text[from..].find(wanted)?;
        if !is_commented(text, at) {
            return Some(at);
        }
        // The rest of the line is a comment, too.
        from = at + text[at..].find('\n')?;
    }
}

fn newlines(text: &str) -> String {
    "\n".repeat(text.matches('\n').count())
}

/// Reads arguments in braces; returns where they end.
fn arguments<const N: usize>(text: &str, mut at: usize) -> Option<([&str; N], usize)> {
    let mut all = [""; N];
    for argument in &mut all {
        // A line may end in a comment before the next one.
        loop {
            let rest = text[at..].trim_start();
            at = text.len() - rest.len();
            if !rest.starts_with('%') {
                break;
            }
            at += rest.find('\n')?;
        }
        let inside = text[at..].strip_prefix('{')?;
        let mut depth = 1;
        let mut is_escaped = false;
        let end = inside.find(|c: char| {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        *argument = &inside[..end];
        at += end + 2;
    }
    Some((all, at))
}

/// Returns the text that an argument of `\exmp` prints, line by line.
fn verbatim(argument: &str) -> String {
    let mut text = argument
        .trim_matches('\n')
        .replace("\\textbackslash{}", "\\\u{0}")
        .replace("\\textbackslash ", "\\\u{0}");
    for sign in ['_', '%', '#', '$', '&', '{', '}'] {
        text = text.replace(&format!("\\{sign}"), &sign.to_string());
    }
    for (tex, sign) in
        [("\\^{}", "^"), ("\\~{}", "~"), ("\\textasciicircum{}", "^"), ("\\textasciitilde{}", "~")]
    {
        text = text.replace(tex, sign);
    }
    let lines = text.replace('\u{0}', "");
    lines.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Kind;
    use std::collections::BTreeMap;

    #[test]
    fn a_statement_has_a_hundred_examples_at_most() {
        let read = |count: usize| {
            let examples = "\\exmp{1}{2}\n".repeat(count);
            let text = format!("\\begin{{problem}}{{A}}{{}}{{}}{{1 s}}{{1 MB}}\n{examples}\\end{{problem}}");
            let name = "problem.en.tex".to_owned();
            let files = BTreeMap::from([(name.clone(), text.into_bytes())]);
            let (kind, language, folder) = (Kind::Tex, "en".to_owned(), "statement");
            replace(&mut Source { kind, language, name, folder, files })
        };
        assert_eq!(read(SAMPLES_MAX).unwrap().unwrap().examples.len(), 100);
        let fault = read(SAMPLES_MAX + 1).unwrap_err();
        let expect =
            Fault::of("statement/problem.en.tex", Some(102), "a statement shows at most 100 examples");
        assert_eq!(fault, expect);
    }

    #[test]
    fn arguments_are_read_over_lines_and_escaped_braces() {
        assert_eq!(arguments::<2>("{a\\}b} %x\n {{c}}d", 0), Some((["a\\}b", "{c}"], 16)));
        assert_eq!(arguments::<2>("{a}b", 0), None);
        assert_eq!(verbatim("\n3 \\_ \\%\n\\textbackslash{}n  \n"), "3 _ %\n\\n");
        assert_eq!(
            with_interaction("\\Interaction\\begin{Interaction}\\InteractionX"),
            "\\InteractionText\\begin{Interaction}\\InteractionX"
        );
    }
}
