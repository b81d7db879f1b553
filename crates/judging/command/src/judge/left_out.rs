//! Submissions that are skipped while the others are judged.

use documents::NotJudged;
use judge::JudgeError;
use terminal::failure::{Failure, input};
use terminal::{Colour, Style, prose, visible};

/// The cause of a submission that cannot be read as one.
const UNUSABLE: &str = "unusable";

pub fn unusable(name: String, error: &anyhow::Error) -> NotJudged {
    let failure = Failure::of(error);
    NotJudged { name, cause: UNUSABLE.to_owned(), reason: failure.reason(), hint: failure.hint.clone() }
}

/// Makes one from an error about a language that cannot be judged here; `None` for any other error.
pub fn not_judgeable(name: &str, error: &JudgeError) -> Option<NotJudged> {
    let (language, missing, install) = match error {
        JudgeError::MissingCompiler { language, missing, install } => (language, missing, install),
        JudgeError::NotCounted(why) => {
            let (cause, reason) = ("not_counted".to_owned(), why.to_string());
            let hint = Some("judge it by CPU time: leave out --clock instructions".to_owned());
            return Some(NotJudged { name: name.to_owned(), cause, reason, hint });
        }
        _ => return None,
    };
    Some(NotJudged {
        name: name.to_owned(),
        cause: "not_installed".to_owned(),
        reason: format!("{language} is not installed here ({} is absent)", missing.display()),
        hint: Some(format!("install it with: {install}")),
    })
}

pub fn line(one: &NotJudged) -> String {
    let hint = one.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
    visible(&format!("{}: {}{hint}", one.name, one.reason))
}

pub fn text(all: &[NotJudged], colour: Colour) -> String {
    let mark = format!("{} ", colour.paint(Style::Caution, "not judged:"));
    all.iter().map(|one| prose(&mark, 2, &line(one))).collect()
}

/// Makes the error if none of the named submissions can be judged.
pub fn none_usable(all: &[NotJudged]) -> anyhow::Error {
    let lines: Vec<_> = all.iter().map(line).collect();
    input(format!("none of the {} submissions can be judged: {}", all.len(), lines.join("; ")))
}

/// Returns the command's exit code from that of the judged submissions, if any.
pub fn exit_code(judged: Option<u8>, left_out: &[NotJudged]) -> u8 {
    const OURS: u8 = 3;
    const USAGE: u8 = 2;
    match judged {
        None | Some(OURS) => OURS,
        Some(_) if left_out.iter().any(|one| one.cause == UNUSABLE) => USAGE,
        Some(code) => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::failure::input_with_hint;

    fn absent() -> NotJudged {
        let error = JudgeError::MissingCompiler {
            language: "Nim".to_owned(),
            missing: "/usr/bin/nim".into(),
            install: "apt-get install nim".to_owned(),
        };
        not_judgeable("a.nim", &error).unwrap()
    }

    fn wrong() -> NotJudged {
        unusable("b.py".to_owned(), &input_with_hint("it is empty", "write something"))
    }

    #[test]
    fn each_problem_is_reported_with_its_fix() {
        assert_eq!(
            text(&[absent(), wrong()], Colour::Off),
            "not judged: a.nim: Nim is not installed here (/usr/bin/nim is absent); install it with: apt-get \
             install nim\nnot judged: b.py: it is empty; write something\n"
        );
    }

    #[test]
    fn intentional_omissions_do_not_change_the_exit_code() {
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
