//! What went wrong: printed in place of any other document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error in place of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorReport {
    pub message: String,
    /// What caused it, the nearest cause first.
    pub causes: Vec<String>,
    /// What to do about it; `null` if nothing is known.
    pub hint: Option<String>,
}

impl ErrorReport {
    /// Makes an error with neither causes nor a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), causes: Vec::new(), hint: None }
    }

    /// Takes an error with all its causes.
    pub fn from_error(error: &(dyn std::error::Error + 'static)) -> Self {
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        Self { causes: causes.map(ToString::to_string).collect(), ..Self::new(error.to_string()) }
    }

    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
