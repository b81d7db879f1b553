//! The samples that a statement shows.

use crate::lua;
use crate::words::Words;
use package::Package;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Of one file, so that a sample does not fill a book; the zip of samples has all.
const SHOWN_BYTES_MAX: usize = 16 << 10;
const SHOWN_LINES_MAX: usize = 200;
const SAMPLES_MAX: usize = 100;
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
pub(crate) fn read(package: &Package) -> Vec<Sample> {
    let folder = package.root.join("data/sample");
    let mut stems = BTreeSet::new();
    // A legacy package may show an interaction to which there is no case.
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".interaction").or_else(|| name.strip_suffix(".in"));
        stems.extend(stem.filter(|stem| !stem.starts_with(['.', '-'])).map(str::to_owned));
    }
    let shown = |stem: &str, ending: &str| shown(&package.root, &folder.join(format!("{stem}{ending}")));
    let is_hidden = package.kind.interactive && package.format.is_legacy();
    let samples = stems.iter().filter_map(|stem| {
        if let Some(dialogue) = text_of(&package.root, &folder.join(format!("{stem}.interaction"))) {
            return Some(Sample::Dialogue(messages(&dialogue)));
        }
        let first = |endings: &[&str]| endings.iter().find_map(|ending| shown(stem, ending));
        let input = first(&[".in.statement", ".in"]).filter(|_| !is_hidden)?;
        let output = first(&[".out", ".ans.statement", ".ans"]);
        Some(Sample::Pair(input, output.unwrap_or_else(|| cut(String::new()))))
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

fn shown(root: &Path, path: &Path) -> Option<SampleText> {
    text_of(root, path).map(cut)
}

/// Returns a text as it is shown: printable, and not too much.
fn cut(text: String) -> SampleText {
    let mut is_cut = text.len() > SHOWN_BYTES_MAX;
    let end = text.floor_char_boundary(SHOWN_BYTES_MAX);
    let printable = |c: char| if c == '\n' || c == '\t' || !c.is_control() { c } else { '\u{fffd}' };
    let mut lines: Vec<&str> = text[..end].lines().collect();
    if lines.len() > SHOWN_LINES_MAX {
        lines.truncate(SHOWN_LINES_MAX);
        is_cut = true;
    }
    SampleText { text: lines.join("\n").chars().map(printable).collect(), is_cut }
}

/// Reads an `.interaction` file: `<` is what the submission reads, `>` what it writes, `---` the next pass.
fn messages(text: &str) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut open: Option<(bool, String)> = None;
    let mut pass = 1;
    let close = |open: &mut Option<(bool, String)>, messages: &mut Vec<Message>| match open.take() {
        Some((true, text)) => messages.push(Message::Read(cut(text))),
        Some((false, text)) => messages.push(Message::Write(cut(text))),
        None => {}
    };
    for line in text.lines() {
        if line.trim_end() == "---" {
            close(&mut open, &mut messages);
            if pass == 1 {
                messages.insert(0, Message::Pass(1));
            }
            pass += 1;
            messages.push(Message::Pass(pass));
            continue;
        }
        let Some((reads, stated)) = line
            .strip_prefix('<')
            .map(|stated| (true, stated))
            .or_else(|| line.strip_prefix('>').map(|stated| (false, stated)))
        else {
            continue;
        };
        let stated = stated.strip_prefix(' ').unwrap_or(stated);
        match &mut open {
            Some((before, text)) if *before == reads => {
                text.push('\n');
                text.push_str(stated);
            }
            _ => {
                close(&mut open, &mut messages);
                open = Some((reads, stated.to_owned()));
            }
        }
    }
    close(&mut open, &mut messages);
    messages
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
            add(name.clone(), format!("{}\n", shown.text).into_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialogue_has_sides_and_passes() {
        let stated = |text: &str| cut(text.to_owned());
        assert_eq!(
            messages("< 10 4\n< 5\n> 7\n---\n>\n"),
            [
                Message::Pass(1),
                Message::Read(stated("10 4\n5")),
                Message::Write(stated("7")),
                Message::Pass(2),
                Message::Write(stated("")),
            ]
        );
        assert_eq!(messages(">1\n<2"), [Message::Write(stated("1")), Message::Read(stated("2"))]);
    }

    #[test]
    fn long_and_unprintable_names_are_not_shown() {
        let long = cut("ж".repeat(SHOWN_BYTES_MAX));
        assert!(long.is_cut && long.text.len() <= SHOWN_BYTES_MAX);
        let high = cut("1\n".repeat(SHOWN_LINES_MAX + 1));
        assert!(high.is_cut && high.text.lines().count() == SHOWN_LINES_MAX);
        assert_eq!(cut("a\u{1b}b\r\n".to_owned()).text, "a\u{fffd}b");
    }
}
