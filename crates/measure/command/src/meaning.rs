//! What the errors of the crates below mean for the user.

use labs::exchange::ExchangeError;
use std::error::Error;
use terminal::failure::Failure;

/// Sets the hint by an error of an exchange.
pub fn meaning(failure: &mut Failure, cause: &(dyn Error + 'static)) -> bool {
    let Some(error) = cause.downcast_ref::<ExchangeError>() else { return false };
    failure.hint = match error {
        ExchangeError::Missing(_) | ExchangeError::Compile(_) => {
            Some("apt-get install openmpi-bin libopenmpi-dev".to_owned())
        }
        ExchangeError::TooLong(_) => Some("fewer --iterations, or a machine that is less busy".to_owned()),
        _ => None,
    };
    true
}
