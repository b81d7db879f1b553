//! What the errors of a client mean for the user.

use crate::client::ClientError;
use std::error::Error;
use terminal::failure::{Failure, OURS, USAGE};

/// Sets exit code and hint by an error of a client.
pub fn meaning(failure: &mut Failure, cause: &(dyn Error + 'static)) -> bool {
    let Some(error) = cause.downcast_ref::<ClientError>() else { return false };
    failure.exit_code = if error.is_of_input() { USAGE } else { OURS };
    failure.hint = error.hint();
    true
}
