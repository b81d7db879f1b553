//! The samples that a statement shows.

use crate::safe::escape;
use crate::words::Words;
use crate::{Fault, lua};
use package::Package;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Of one file, so that a sample does not fill a book; the zip of samples has all.
const SHOWN_BYTES_MAX: usize = 16 << 10;
const SHOWN_LINES_MAX: usize = 200;
pub(crate) const SAMPLES_MAX: usize = 100;
/// What has more lines than fit on a page stands below each other.
const BESIDE_LINES_MAX: usize = 40;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    /// Input and output.
    Pair(SampleText, SampleText),
    /// What the two sides of an interaction say, or the passes of several.
    Dialogue(Vec<Message>),
}

/// A file as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SampleText {
    text: String,
    is_cut: bool,
    /// The file, relative to the package, and its line with which this begins.
    origin: (String, usize),
}

impl SampleText {
    /// Returns a text as it is shown: printable, and not too much.
    pub(crate) fn of(file: impl Into<String>, line: usize, text: String) -> Self {
        let mut is_cut = text.len() > SHOWN_BYTES_MAX;
        let end = text.floor_char_boundary(SHOWN_BYTES_MAX);
        let printable = |c: char| if c == '\n' || c == '\t' || !c.is_control() { c } else { '\u{fffd}' };
        let mut lines: Vec<&str> = text[..end].lines().collect();
        if lines.len() > SHOWN_LINES_MAX {
            lines.truncate(SHOWN_LINES_MAX);
            is_cut = true;
        }
        Self { text: lines.join("\n").chars().map(printable).collect(), is_cut, origin: (file.into(), line) }
    }
}

/// A part of a dialogue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Read(SampleText),
    Write(SampleText),
    /// A pass begins, counted from 1.
    Pass(usize),
}

/// Reads the samples as the format wants them shown: `.interaction` before `.in.statement`, `.out`, `.ans.statement`
/// and the files with which submissions are judged.
pub(crate) fn read(package: &Package) -> Result<Vec<Sample>, Fault> {
    let folder = package.root.join("data/sample");
    let mut stems = BTreeSet::new();
    // A legacy package may show an interaction to which there is no case.
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".interaction").or_else(|| name.strip_suffix(".in"));
        stems.extend(stem.filter(|stem| !stem.starts_with(['.', '-'])).map(str::to_owned));
    }
    let text = |name: &str| text_of(&package.root, &folder.join(name));
    let is_hidden = package.kind.interactive && package.format.is_legacy();
    let samples = stems.iter().filter_map(|stem| {
        let dialogue = format!("{stem}.interaction");
        if let Some(text) = text(&dialogue) {
            return Some(messages(&format!("data/sample/{dialogue}"), &text).map(Sample::Dialogue));
        }
        let shown =
            |name: String| text(&name).map(|text| SampleText::of(format!("data/sample/{name}"), 1, text));
        let first = |endings: &[&str]| endings.iter().find_map(|ending| shown(format!("{stem}{ending}")));
        let input = first(&[".in.statement", ".in"]).filter(|_| !is_hidden)?;
        let output = first(&[".out", ".ans.statement", ".ans"]);
        let output = output.unwrap_or_else(|| SampleText::of("", 1, String::new()));
        Some(Ok(Sample::Pair(input, output)))
    });
    samples.take(SAMPLES_MAX).collect()
}

/// Returns the content of a file of the package, if there is one.
fn text_of(root: &Path, path: &Path) -> Option<String> {
    let real = path.canonicalize().ok().filter(|real| real.starts_with(root) && real.is_file())?;
    let mut bytes = Vec::new();
    File::open(real).ok()?.take(SHOWN_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads an `.interaction` file: `<` is what the submission reads, `>` what it writes, `---` the next pass.
fn messages(file: &str, text: &str) -> Result<Vec<Message>, Fault> {
    let mut messages = Vec::new();
    let mut open: Option<(bool, usize, String)> = None;
    let mut pass = 1;
    let close = |open: &mut Option<(bool, usize, String)>, messages: &mut Vec<Message>| {
        let Some((reads, line, text)) = open.take() else { return };
        let text = SampleText::of(file, line, text);
        messages.push(if reads { Message::Read(text) } else { Message::Write(text) });
    };
    for (at, line) in text.lines().enumerate() {
        if line.trim_end() == "---" {
            close(&mut open, &mut messages);
            if pass == 1 {
                messages.insert(0, Message::Pass(1));
            }
            pass += 1;
            messages.push(Message::Pass(pass));
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let Some((reads, stated)) = line
            .strip_prefix('<')
            .map(|stated| (true, stated))
            .or_else(|| line.strip_prefix('>').map(|stated| (false, stated)))
        else {
            let problem = "a line of an interaction begins with '<' (what the submission reads), with '>' (what it writes), or is '---'";
            return Err(Fault::of(file, Some(at + 1), problem));
        };
        let stated = stated.strip_prefix(' ').unwrap_or(stated);
        match &mut open {
            Some((before, _, text)) if *before == reads => {
                text.push('\n');
                text.push_str(stated);
            }
            _ => {
                close(&mut open, &mut messages);
                open = Some((reads, at + 1, stated.to_owned()));
            }
        }
    }
    close(&mut open, &mut messages);
    Ok(messages)
}

impl Sample {
    /// Returns the file and the line of the first text that has a sign.
    pub(crate) fn line_with(&self, sign: char) -> Option<(String, usize)> {
        let texts: Vec<&SampleText> = match self {
            Self::Pair(input, output) => vec![input, output],
            Self::Dialogue(messages) => messages.iter().filter_map(Message::text).collect(),
        };
        let found = |text: &&SampleText| text.text.lines().position(|line| line.contains(sign));
        texts.iter().find_map(|text| Some((text.origin.0.clone(), text.origin.1 + found(text)?)))
    }
}

impl Message {
    fn text(&self) -> Option<&SampleText> {
        match self {
            Self::Read(text) | Self::Write(text) => Some(text),
            Self::Pass(_) => None,
        }
    }
}

/// Writes samples for the filter.
pub(crate) fn as_lua(samples: &[Sample], words: &Words) -> String {
    let shown = |shown: &SampleText| {
        let mut fields = vec![("text", lua::text(&shown.text))];
        if shown.is_cut {
            fields.push(("note", lua::text(words.get("cut"))));
        }
        fields
    };
    let message = |message: &Message| {
        let (kind, stated) = match message {
            Message::Read(stated) => ("read", stated),
            Message::Write(stated) => ("write", stated),
            Message::Pass(pass) => return lua::table([("pass", pass.to_string())]),
        };
        let mut fields = shown(stated);
        fields.push(("kind", lua::text(kind)));
        lua::table(fields)
    };
    let sample = |(at, sample): (usize, &Sample)| {
        let number = ("number", (at + 1).to_string());
        match sample {
            Sample::Pair(input, output) => {
                let (input, output) = (lua::table(shown(input)), lua::table(shown(output)));
                lua::table([number, ("input", input), ("output", output)])
            }
            Sample::Dialogue(messages) => {
                lua::table([number, ("messages", lua::list(messages.iter().map(message)))])
            }
        }
    };
    lua::list(samples.iter().enumerate().map(sample))
}

/// Writes each sample as HTML, as the filter does.
pub(crate) fn as_html(samples: &[Sample], words: &Words) -> Vec<String> {
    let shown = |shown: &SampleText| {
        let note = if shown.is_cut { format!("<p>{}</p>", escape(words.get("cut"))) } else { String::new() };
        format!("<pre>{}</pre>{note}", escape(&shown.text))
    };
    let sample = |(at, sample): (usize, &Sample)| {
        let title = |name: &str| format!("<h3>{} {}</h3>", escape(words.get(name)), at + 1);
        match sample {
            Sample::Pair(input, output) => format!(
                "<div class=\"sample sample-pair\"><div>{}{}</div><div>{}{}</div></div>\n",
                title("sample-input"),
                shown(input),
                title("sample-output"),
                shown(output)
            ),
            Sample::Dialogue(messages) => {
                let (read, write) = (escape(words.get("read")), escape(words.get("write")));
                let message = |message: &Message| match message {
                    Message::Read(text) => format!("<div class=\"sample-read\">{}</div>", shown(text)),
                    Message::Write(text) => format!("<div class=\"sample-write\">{}</div>", shown(text)),
                    Message::Pass(pass) => {
                        format!("<div class=\"sample-pass\">{} {pass}</div>", escape(words.get("pass")))
                    }
                };
                let messages: String = messages.iter().map(message).collect();
                format!(
                    "<div class=\"sample\">{}<div class=\"sample-sides\"><span>{read}</span><span>{write}</span></div>{messages}</div>\n",
                    title("sample-interaction")
                )
            }
        }
    };
    samples.iter().enumerate().map(sample).collect()
}

/// Writes samples for TeX: the definitions, and the files that they name, as `add` takes them.
pub(crate) fn as_tex(
    samples: &[Sample],
    prefix: &str,
    words: &Words,
    mut add: impl FnMut(String, Vec<u8>),
) -> String {
    let mut all = String::new();
    let note = |shown: &SampleText| if shown.is_cut { words.get("cut") } else { "" };
    for (at, sample) in samples.iter().enumerate() {
        let mut file = |part: String, shown: &SampleText| {
            let name = format!("{prefix}-{}-{part}.txt", at + 1);
            let has_runs = shown.text.contains(is_rtl_letter);
            let text = if has_runs { with_runs(&shown.text) } else { shown.text.clone() };
            add(name.clone(), format!("{text}\n").into_bytes());
            if has_runs {
                add(format!("{name}.runs"), Vec::new());
            }
            name
        };
        let body = match sample {
            Sample::Pair(input, output) => {
                let lines = input.text.lines().count().max(output.text.lines().count());
                let command = if lines > BESIDE_LINES_MAX { "tautolong" } else { "tautobatch" };
                let (inputs, outputs) = (file("in".to_owned(), input), file("out".to_owned(), output));
                format!("\\{command}{{{inputs}}}{{{outputs}}}{{{}}}{{{}}}", note(input), note(output))
            }
            Sample::Dialogue(messages) => {
                let parts = messages.iter().enumerate().map(|(number, message)| match message {
                    Message::Read(stated) => format!("\\tautoread{{{}}}", file(number.to_string(), stated)),
                    Message::Write(stated) => format!("\\tautowrite{{{}}}", file(number.to_string(), stated)),
                    Message::Pass(pass) => format!("\\tautopass{{{pass}}}"),
                });
                format!("\\tautointeraction{{{}}}", parts.collect::<String>())
            }
        };
        all.push_str(&format!("\\tautosampledef{{{body}}}\n"));
    }
    all
}

fn is_rtl_letter(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Puts words from right to left, and the spaces between them, into a command; TeX's own signs are escaped.
fn with_runs(text: &str) -> String {
    let mut all = String::new();
    for line in text.split_inclusive('\n') {
        let mut run = String::new();
        let close = |run: &mut String, all: &mut String| {
            let words = run.trim_end();
            let gap = run[words.len()..].to_owned();
            if !words.is_empty() {
                all.push_str(&format!("\\tautoright{{{words}}}"));
            }
            all.push_str(&gap);
            run.clear();
        };
        for word in line.split_inclusive(char::is_whitespace) {
            // Digits go on with what is before them.
            let goes_on = match word.chars().find(|c| c.is_alphabetic()) {
                Some(letter) => is_rtl_letter(letter),
                None => !run.is_empty() && word.contains(|c: char| c.is_numeric()),
            };
            let escaped = word.replace('\\', "\0").replace('{', "\\{").replace('}', "\\}");
            let escaped = escaped.replace('\0', "\\textbackslash{}");
            match goes_on {
                true => run.push_str(&escaped),
                false => {
                    close(&mut run, &mut all);
                    all.push_str(&escaped);
                }
            }
        }
        close(&mut run, &mut all);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialogue_has_sides_and_passes() {
        let read = |text: &str| {
            let messages = messages("1.interaction", text).unwrap();
            let shown = |message: &Message| match message {
                Message::Read(text) => format!("reads {} {}", text.origin.1, text.text),
                Message::Write(text) => format!("writes {} {}", text.origin.1, text.text),
                Message::Pass(pass) => format!("pass {pass}"),
            };
            messages.iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(
            read("< 10 4\n< 5\n> 7\n---\n\n>\n"),
            ["pass 1", "reads 1 10 4\n5", "writes 3 7", "pass 2", "writes 6 "]
        );
        assert_eq!(read(">1\n<2"), ["writes 1 1", "reads 2 2"]);
        let fault = messages("1.interaction", "< 1\n2\n").unwrap_err();
        assert_eq!((fault.file.as_str(), fault.line), ("1.interaction", Some(2)));
    }

    #[test]
    fn signs_are_found_in_their_files() {
        let sample = Sample::Dialogue(messages("1.interaction", "< 1\n> a\n> \u{2264}\n").unwrap());
        assert_eq!(sample.line_with('\u{2264}'), Some(("1.interaction".to_owned(), 3)));
        assert_eq!(sample.line_with('b'), None);
    }

    #[test]
    fn words_from_right_to_left_stay_together() {
        assert_eq!(
            with_runs("3 אב 4 גד x{\n\\ א\n"),
            "3 \\tautoright{אב 4 גד} x\\{\n\\textbackslash{} \\tautoright{א}\n"
        );
    }

    #[test]
    fn long_and_unprintable_names_are_not_shown() {
        let cut = |text: String| SampleText::of("", 1, text);
        let long = cut("ж".repeat(SHOWN_BYTES_MAX));
        assert!(long.is_cut && long.text.len() <= SHOWN_BYTES_MAX);
        let high = cut("1\n".repeat(SHOWN_LINES_MAX + 1));
        assert!(high.is_cut && high.text.lines().count() == SHOWN_LINES_MAX);
        assert_eq!(cut("a\u{1b}b\r\n".to_owned()).text, "a\u{fffd}b");
    }
}
