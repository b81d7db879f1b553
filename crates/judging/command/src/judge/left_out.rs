//! Submissions that are skipped while the others are judged.

use judge::JudgeError;
use terminal::failure::{Failure, input};
use terminal::{Colour, Style, prose, visible};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    name: String,
    cause: Cause,
    reason: String,
    hint: Option<String>,
}

/// Why a submission is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It cannot be read as a submission.
    Unusable,
    /// Its language is not installed, and the caller chose to skip such submissions.
    NotInstalled,
}

impl LeftOut {
    pub fn unusable(name: String, error: &anyhow::Error) -> Self {
        let failure = Failure::of(error);
        Self { name, cause: Cause::Unusable, reason: failure.reason(), hint: failure.hint.clone() }
    }

    /// Makes one from an error about a missing language; `None` for any other error.
    pub fn not_installed(name: &str, error: &JudgeError) -> Option<Self> {
        let JudgeError::MissingCompiler { language, missing, install } = error else { return None };
        Some(Self {
            name: name.to_owned(),
            cause: Cause::NotInstalled,
            reason: format!("{language} is not installed here ({} is absent)", missing.display()),
            hint: Some(format!("install it with: {install}")),
        })
    }

    pub fn line(&self) -> String {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
        visible(&format!("{}: {}{hint}", self.name, self.reason))
    }

    pub fn document(&self) -> documents::NotJudged {
        let cause = match self.cause {
            Cause::Unusable => "unusable",
            Cause::NotInstalled => "not_installed",
        };
        documents::NotJudged {
            name: self.name.clone(),
            cause: cause.to_owned(),
            reason: self.reason.clone(),
            hint: self.hint.clone(),
        }
    }
}

pub fn text(all: &[LeftOut], colour: Colour) -> String {
    let line =
        |one: &LeftOut| prose(&format!("{} ", colour.paint(Style::Caution, "not judged:")), 2, &one.line());
    all.iter().map(line).collect()
}

/// Makes the error if none of the named submissions can be judged.
pub fn none_usable(all: &[LeftOut]) -> anyhow::Error {
    let lines: Vec<_> = all.iter().map(LeftOut::line).collect();
    input(format!("none of the {} submissions can be judged: {}", all.len(), lines.join("; ")))
}

/// Returns the command's exit code from that of the judged submissions, if any.
pub fn exit_code(judged: Option<u8>, left_out: &[LeftOut]) -> u8 {
    const OURS: u8 = 3;
    const USAGE: u8 = 2;
    match judged {
        None | Some(OURS) => OURS,
        Some(_) if left_out.iter().any(|one| one.cause == Cause::Unusable) => USAGE,
        Some(code) => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::failure::input_with_hint;

    fn absent() -> LeftOut {
        let error = JudgeError::MissingCompiler {
            language: "Nim".to_owned(),
            missing: "/usr/bin/nim".into(),
            install: "apt-get install nim".to_owned(),
        };
        LeftOut::not_installed("a.nim", &error).unwrap()
    }

    fn wrong() -> LeftOut {
        LeftOut::unusable("b.py".to_owned(), &input_with_hint("it is empty", "write something"))
    }

    #[test]
    fn each_is_told_with_what_mends_it() {
        assert_eq!(
            text(&[absent(), wrong()], Colour::Off),
            "not judged: a.nim: Nim is not installed here (/usr/bin/nim is absent); install it with: apt-get \
             install nim\nnot judged: b.py: it is empty; write something\n"
        );
    }

    #[test]
    fn what_is_left_out_on_purpose_changes_no_exit_code() {
        for (judged, left_out, expected) in [
            (Some(0), vec![absent()], 0),
            (Some(1), vec![absent()], 1),
            (Some(0), vec![absent(), wrong()], 2),
            (Some(1), vec![wrong()], 2),
            (Some(3), vec![wrong()], 3),
            (None, vec![absent()], 3),
        ] {
            assert_eq!(exit_code(judged, &left_out), expected, "{judged:?} {left_out:?}");
        }
    }
}
