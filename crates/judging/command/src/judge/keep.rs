//! The files of each case, kept for the user.

use anyhow::Context;
use judge::{CaseJudgement, TranscriptLine};
use package::{Package, TestCase};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Writes the files of cases to a folder.
pub struct Keeper<'p> {
    folder: PathBuf,
    cases: BTreeMap<&'p str, &'p TestCase>,
}

impl<'p> Keeper<'p> {
    pub fn open(folder: &Path, package: &'p Package) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| {
            terminal::failure::because(format!("cannot create {} of --keep", folder.display()))
        })?;
        let cases = package.cases().into_iter().map(|case| (case.name.as_str(), case)).collect();
        Ok(Self { folder: folder.to_owned(), cases })
    }

    pub fn case(&self, submission: &str, judged: &CaseJudgement) -> anyhow::Result<()> {
        let folder = self.folder.join(tame(submission)).join(tame(&judged.name));
        let kept = self.keep(&folder, judged);
        if kept.is_err() {
            // Incomplete files could be mistaken for complete ones; the error explains why there are none.
            let _ = fs::remove_dir_all(&folder);
        }
        kept
    }

    fn keep(&self, folder: &Path, judged: &CaseJudgement) -> anyhow::Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
        };
        if let Some(case) = self.cases.get(judged.name.as_str()) {
            copy(&case.input, &folder.join("input"))?;
            if let Some(answer) = &case.answer {
                copy(answer, &folder.join("answer"))?;
            }
        }
        write("output", &judged.stdout)?;
        write("stderr", &judged.stderr)?;
        if !judged.transcript.is_empty() {
            write("transcript", transcript(&judged.transcript).as_bytes())?;
        }
        let Some(checked) = &judged.checked else { return Ok(()) };
        for (name, text) in
            [("judgemessage.txt", &checked.judge_message), ("teammessage.txt", &checked.team_message)]
        {
            if !text.is_empty() {
                write(name, text.as_bytes())?;
            }
        }
        if !checked.feedback.files.is_empty() {
            // A folder of its own: the validator chose the names.
            let feedback = folder.join("feedback");
            fs::create_dir_all(&feedback).with_context(|| format!("cannot create {}", feedback.display()))?;
            for (name, bytes) in &checked.feedback.files {
                let path = feedback.join(tame(name));
                fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Reduces a name to characters that stay inside a folder.
fn tame(name: &str) -> PathBuf {
    let parts = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_)));
    let tamed: PathBuf = parts.collect();
    if tamed.as_os_str().is_empty() { PathBuf::from("unnamed") } else { tamed }
}

/// Prints which side sent what and when; `>` is the submission, `<` the interactor.
fn transcript(lines: &[TranscriptLine]) -> String {
    let mut text = String::new();
    for TranscriptLine { at, from_submission, bytes } in lines {
        let arrow = if *from_submission { '>' } else { '<' };
        let sent = String::from_utf8_lossy(bytes);
        for line in sent.lines() {
            text.push_str(&format!("{:>12.6} {arrow} {line}\n", at.as_secs_f64()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    #[test]
    fn names_stay_inside() {
        for (name, tamed) in
            [("accepted/a.c", "accepted/a.c"), ("../../etc/x", "etc/x"), ("/a/b", "a/b"), ("..", "unnamed")]
        {
            assert_eq!(tame(name), Path::new(tamed), "{name}");
        }
    }

    #[test]
    fn transcripts_show_sender_time_and_text() {
        let line = |millis, from_submission, text: &str| TranscriptLine {
            at: Nanos::from_millis(millis),
            from_submission,
            bytes: text.as_bytes().to_vec(),
        };
        let lines = [line(1, false, "10\n"), line(2500, true, "3\n4\n")];
        assert_eq!(transcript(&lines), "    0.001000 < 10\n    2.500000 > 3\n    2.500000 > 4\n");
    }
}
