//! What an error of a cluster means for who asked.

use operator::ViewError;
use terminal::failure::input_with_hint;

/// Says what to do about an error.
pub fn meant(error: ViewError) -> anyhow::Error {
    match &error {
        ViewError::NoNode { known, .. } => {
            let hint = match known.as_slice() {
                [] => "it has none: 'kubectl get judgepools' shows whether a pool takes machines".to_owned(),
                known => format!("it has {}", known.join(", ")),
            };
            input_with_hint(error.to_string(), hint)
        }
        ViewError::NoPod { .. } => input_with_hint(
            error.to_string(),
            "'kubectl get pods -A' lists them; --namespace names another namespace",
        ),
        ViewError::NotInstalled { .. } => {
            input_with_hint(error.to_string(), "tauto fleet resources | kubectl apply -f -")
        }
        _ => error.into(),
    }
}
