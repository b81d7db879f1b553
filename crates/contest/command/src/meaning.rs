//! What the errors of a client mean for the user.

use crate::client::ClientError;
use judgehost::JudgehostError;
use std::error::Error;
use std::io::ErrorKind;
use store::StoreError;
use terminal::failure::{Failure, OURS, USAGE};

/// What to do if the server refuses something, by how its sentence begins.
const REMEDIES: [(&str, &str); 12] = [
    ("there is no contest", "'tauto contest list' lists them"),
    (
        "there is no rejudging",
        "'tauto rejudge --list' lists them; a new one is 'tauto rejudge --problem LABEL'",
    ),
    ("there is no clarification", "'tauto clarification list' lists them; the id comes before the answer"),
    ("there is no submission", "'tauto submissions' lists them"),
    ("there is no account", "'tauto user list' lists them"),
    ("there is no group", "the contest's groups.yaml has their ids"),
    (
        "the user name or the password is wrong",
        "the first password of 'admin' is in DATA/admin-password on the server",
    ),
    ("this needs one of these roles", "log in as another account: tauto login URL --user NAME"),
    ("this is for", "log in as another account: tauto login URL --user NAME"),
    ("the new start is past", "leave out --at to start at once"),
    ("the package has no contest", "a contest has a contest.yaml; a problem is added by 'tauto problem add'"),
    ("the result cannot be final", "'tauto contest check' lists what is missing"),
];

/// Sets exit code and hint by an error of a client.
pub fn meaning(failure: &mut Failure, cause: &(dyn Error + 'static)) -> bool {
    if let Some(error) = cause.downcast_ref::<ClientError>() {
        failure.exit_code = if error.is_of_input() { USAGE } else { OURS };
        failure.hint = error.hint().or_else(|| remedy(&error.to_string()));
    } else if let Some(JudgehostError::Cache { source, .. }) = cause.downcast_ref()
        && source.kind() == ErrorKind::PermissionDenied
    {
        failure.hint = Some("a judgehost needs root: run it with sudo".to_owned());
    } else if let Some(error) = cause.downcast_ref::<StoreError>() {
        failure.hint = match error {
            StoreError::Locked { .. } => Some("stop it first, or name another folder with --data".to_owned()),
            StoreError::Full { .. } => {
                Some("make room there, or name a folder on another disk with --data".to_owned())
            }
            _ => None,
        };
    } else {
        return false;
    }
    true
}

fn remedy(message: &str) -> Option<String> {
    let found = REMEDIES.iter().find(|(begin, _)| message.starts_with(begin));
    found.map(|(_, remedy)| (*remedy).to_owned())
}
