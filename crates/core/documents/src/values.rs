//! Small values that several documents share.

use model::{Reading, Verdict};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Names of fields that are `null`, with the reason.
pub type Unavailable = BTreeMap<String, String>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerdictId(pub Verdict);

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

/// Returns the value for the document, or puts the reason under `field`.
pub(crate) fn value_or_reason<T: Clone, U: From<T>>(
    reading: &Reading<T>,
    field: &str,
    unavailable: &mut Unavailable,
) -> Option<U> {
    match reading {
        Reading::Known(value) => Some(value.clone().into()),
        Reading::Unavailable(why) => {
            unavailable.insert(field.to_owned(), why.clone());
            None
        }
    }
}

/// Returns the value of a document as a reading, with the reason under `field` if there is none.
pub(crate) fn reading<T>(value: Option<T>, field: &str, unavailable: &Unavailable) -> Reading<T> {
    value.map_or_else(
        || Reading::Unavailable(unavailable.get(field).cloned().unwrap_or_else(|| "not recorded".to_owned())),
        Reading::Known,
    )
}

pub(crate) fn yes() -> bool {
    true
}

pub(crate) fn one() -> u32 {
    1
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
