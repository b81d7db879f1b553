//! By which rules the points of a package are computed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// By which rules results become points. Both read the same files of a legacy package.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ScoreRulesId")]
pub enum ScoreRules {
    /// Those in the text of the package's format.
    #[default]
    Format,
    /// Those by which DOMjudge reads a legacy package.
    Domjudge,
}

/// A name that is none of the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 'format' or 'domjudge', and not '{0}'")]
pub struct ScoreRulesParseError(String);

impl ScoreRules {
    pub const ALL: [Self; 2] = [Self::Format, Self::Domjudge];

    /// Returns the name that options, requests and records use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Domjudge => "domjudge",
        }
    }
}

impl fmt::Display for ScoreRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ScoreRules {
    type Err = ScoreRulesParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|rules| rules.name() == text);
        known.ok_or_else(|| ScoreRulesParseError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for rules in ScoreRules::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        let error = "Domjudge".parse::<ScoreRules>().unwrap_err();
        assert_eq!(error.to_string(), "expected 'format' or 'domjudge', and not 'Domjudge'");
    }
}
