//! What goes wrong between a judgehost, its server and its files.

use documents::judgehost::{FailureScopeId, IdentityDifference, JobFailed, REASON_BYTES_MAX};
use judge::{JudgeError, Responsible};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum JudgehostError {
    #[error("'{url}' is not the address of a server: {why}")]
    BadServer { url: String, why: &'static str },
    #[error("cannot read the token in {path}")]
    Token { path: PathBuf, source: io::Error },
    #[error("{path} has no token: expected one line of printable characters")]
    NoToken { path: PathBuf },
    #[error("cannot {what} {path}")]
    Cache { what: &'static str, path: PathBuf, source: io::Error },
    #[error("another judgehost uses the cache {path}")]
    CacheTaken { path: PathBuf },
    #[error("the self-test failed: {0}")]
    SelfTest(String),
    #[error(
        "this judgehost has taken itself out: {0}; find out what has changed on this machine, and start it again"
    )]
    Doubted(String),
    #[error("the server refuses this judgehost: {detail}{}", shown(differences))]
    Refused {
        detail: String,
        /// In what it differs from its pool.
        differences: Vec<IdentityDifference>,
    },
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

fn shown(differences: &[IdentityDifference]) -> String {
    let line = |difference: &IdentityDifference| {
        let word = |line: &Option<String>| line.clone().unwrap_or_else(|| "no such line".to_owned());
        format!("\n  pool: {}\n  here: {}", word(&difference.pool), word(&difference.judgehost))
    };
    differences.iter().map(line).collect()
}

/// A judgement that could not be made, through no fault of the submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub scope: FailureScopeId,
    pub reason: String,
}

impl Failure {
    pub fn new(scope: FailureScopeId, reason: impl Into<String>) -> Self {
        Self { scope, reason: cut(reason.into(), REASON_BYTES_MAX) }
    }

    pub fn judgement(reason: impl Into<String>) -> Self {
        Self::new(FailureScopeId::Judgement, reason)
    }

    pub fn package(reason: impl Into<String>) -> Self {
        Self::new(FailureScopeId::Package, reason)
    }

    pub fn machine(reason: impl Into<String>) -> Self {
        Self::new(FailureScopeId::Machine, reason)
    }
}

impl From<&JudgeError> for Failure {
    fn from(error: &JudgeError) -> Self {
        let scope = match error.responsible() {
            Responsible::Package => FailureScopeId::Package,
            Responsible::Language => FailureScopeId::Language,
            Responsible::Machine => FailureScopeId::Machine,
            Responsible::Ours | Responsible::Caller => FailureScopeId::Judgement,
        };
        let why = reason(error);
        Self::new(scope, error.hint().map_or_else(|| why.clone(), |hint| format!("{why}; {hint}")))
    }
}

impl From<Failure> for JobFailed {
    fn from(failure: Failure) -> Self {
        Self { scope: failure.scope, reason: failure.reason }
    }
}

/// Joins an error with its causes.
pub fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}

/// Cuts the end of a text that is too long.
pub fn cut(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        let end = (0..=bytes_max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_letters() {
        assert_eq!(cut("aää".to_owned(), 4), "aä");
        assert_eq!(cut("aää".to_owned(), 5), "aää");
        assert_eq!(Failure::judgement("x".repeat(1 << 20)).reason.len(), REASON_BYTES_MAX);
    }

    #[test]
    fn the_scope_of_an_error_is_as_small_as_possible() {
        let source = std::io::Error::from_raw_os_error(11);
        let few = sandbox::SandboxError::StartHelper { path: "/proc/self/exe".into(), source };
        let few = Failure::from(&JudgeError::from(few));
        assert!(few.reason.contains("; a limit on processes is reached: allow"), "{}", few.reason);
        let scope = |error: JudgeError| Failure::from(&error).scope;
        assert_eq!(scope(JudgeError::NoTimeLimit("x".to_owned())), FailureScopeId::Package);
        assert_eq!(scope(JudgeError::Cancelled), FailureScopeId::Judgement);
        assert_eq!(scope(JudgeError::Bug("x".to_owned())), FailureScopeId::Judgement);
        let missing = JudgeError::MissingCompiler {
            language: "C".to_owned(),
            missing: "/usr/bin/gcc".into(),
            install: String::new(),
        };
        assert_eq!(scope(missing), FailureScopeId::Language);
        let file = JudgeError::File { what: "read", path: "/x".into(), source: io::ErrorKind::Other.into() };
        assert_eq!(scope(file), FailureScopeId::Machine);
    }

    #[test]
    fn a_refusal_shows_what_differs() {
        let differences = vec![IdentityDifference {
            pool: Some("cores: 4".to_owned()),
            judgehost: Some("cores: 2".to_owned()),
        }];
        let error = JudgehostError::Refused { detail: "another machine".to_owned(), differences };
        assert_eq!(
            error.to_string(),
            "the server refuses this judgehost: another machine\n  pool: cores: 4\n  here: cores: 2"
        );
    }
}
