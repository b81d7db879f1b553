//! By which rules the points of a package are computed.

use schemars::JsonSchema;
use std::fmt;
use std::str::FromStr;

crate::words! {
    /// By which rules results become points. Both read the same files of a legacy package.
    #[derive(Default, PartialOrd, Ord, Hash, JsonSchema)]
    #[schemars(rename = "ScoreRulesId")]
    pub enum ScoreRules, name {
        /// Those in the text of the package's format.
        #[default]
        Format = "format",
        /// Those by which DOMjudge reads a legacy package.
        Domjudge = "domjudge",
    }
}

/// A name that is none of the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 'format' or 'domjudge', and not '{0}'")]
pub struct ScoreRulesParseError(String);

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
