//! Small values that several documents share.

use model::{Bytes, Caveat, Hertz, LimitKind, Nanos, Reading, ScoreRules, Slowdown, Verdict};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Names of fields that are `null`, with the reason.
pub type Unavailable = BTreeMap<String, String>;

/// A verdict by its CLICS id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerdictId(pub Verdict);

/// What makes a verdict that rests on time weaker than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictCaveat {
    /// Others may have timed on the same CPU.
    SharedCpu,
    /// It is over the limit by one run, with `--quick`.
    OneRun,
}

impl From<VerdictCaveat> for Caveat {
    fn from(caveat: VerdictCaveat) -> Self {
        match caveat {
            VerdictCaveat::SharedCpu => Self::SharedCpu,
            VerdictCaveat::OneRun => Self::OneRun,
        }
    }
}

impl From<Caveat> for VerdictCaveat {
    fn from(caveat: Caveat) -> Self {
        match caveat {
            Caveat::SharedCpu => Self::SharedCpu,
            Caveat::OneRun => Self::OneRun,
        }
    }
}

/// By which rules results become points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreRulesId {
    /// Those in the text of the package's format.
    Format,
    /// Those by which DOMjudge reads a legacy package.
    Domjudge,
}

impl From<ScoreRulesId> for ScoreRules {
    fn from(rules: ScoreRulesId) -> Self {
        match rules {
            ScoreRulesId::Format => Self::Format,
            ScoreRulesId::Domjudge => Self::Domjudge,
        }
    }
}

impl From<ScoreRules> for ScoreRulesId {
    fn from(rules: ScoreRules) -> Self {
        match rules {
            ScoreRules::Format => Self::Format,
            ScoreRules::Domjudge => Self::Domjudge,
        }
    }
}

/// The name of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    /// CPU time.
    CpuTime,
    /// Wall time.
    WallTime,
    /// Memory.
    Memory,
    /// Output bytes.
    Output,
}

impl From<Verdict> for VerdictId {
    fn from(verdict: Verdict) -> Self {
        Self(verdict)
    }
}

impl Serialize for VerdictId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.clics_id())
    }
}

impl JsonSchema for VerdictId {
    fn schema_name() -> Cow<'static, str> {
        "VerdictId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A verdict by its CLICS id: `AC` accepted, `WA` wrong answer, `TLE` time limit exceeded, \
                            `RTE` run-time error, `CE` compile error, `MLE` memory limit exceeded, `OLE` output limit \
                            exceeded, `WTL` wall time limit exceeded, `JE` judging error.",
            "type": "string",
            "enum": Verdict::ALL.map(Verdict::clics_id)
        })
    }
}

impl<'de> Deserialize<'de> for VerdictId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

impl From<LimitKind> for LimitName {
    fn from(kind: LimitKind) -> Self {
        match kind {
            LimitKind::CpuTime => Self::CpuTime,
            LimitKind::WallTime => Self::WallTime,
            LimitKind::Memory => Self::Memory,
            LimitKind::Output => Self::Output,
        }
    }
}

/// A value as a number without its unit; the field's name carries it.
pub(crate) trait Raw {
    /// What stands in the document.
    type Number;
    /// Takes the unit off.
    fn raw(&self) -> Self::Number;
}

impl Raw for Nanos {
    type Number = u64;
    fn raw(&self) -> u64 {
        self.0
    }
}

impl Raw for Bytes {
    type Number = u64;
    fn raw(&self) -> u64 {
        self.0
    }
}

impl Raw for Hertz {
    type Number = u64;
    fn raw(&self) -> u64 {
        self.0
    }
}

impl Raw for Slowdown {
    type Number = u32;
    fn raw(&self) -> u32 {
        self.0
    }
}

impl Raw for u64 {
    type Number = u64;
    fn raw(&self) -> u64 {
        *self
    }
}

impl Raw for u32 {
    type Number = u32;
    fn raw(&self) -> u32 {
        *self
    }
}

impl Raw for String {
    type Number = String;
    fn raw(&self) -> String {
        self.clone()
    }
}

/// Returns the value for the document, or puts the reason under `field`.
pub(crate) fn value_or_reason<T: Raw>(
    reading: &Reading<T>,
    field: &str,
    unavailable: &mut Unavailable,
) -> Option<T::Number> {
    match reading {
        Reading::Known(value) => Some(value.raw()),
        Reading::Unavailable(why) => {
            unavailable.insert(field.to_owned(), why.clone());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_clics_ids() {
        for verdict in Verdict::ALL {
            let text = serde_json::to_string(&VerdictId(verdict)).unwrap();
            assert_eq!(text, format!("\"{}\"", verdict.clics_id()));
            assert_eq!(serde_json::from_str::<VerdictId>(&text).unwrap(), VerdictId(verdict));
        }
        assert!(serde_json::from_str::<VerdictId>("\"RE\"").is_err());
    }
}
