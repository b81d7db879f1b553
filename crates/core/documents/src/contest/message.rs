//! Sentences that a page says in its own language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An English text as a code with parameters, so that a client can say it in another language. `docs/messages.json` lists the
/// sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sentence {
    /// Which sentence, such as `contest-not-started`.
    pub code: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, SentenceParameter>,
}

/// A number, such as of things; a text, such as an id or a time; names; or sentences within the sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SentenceParameter {
    Number(i64),
    Text(String),
    Names(Vec<String>),
    Sentences(Vec<InnerSentence>),
}

/// A sentence within a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InnerSentence {
    /// In English.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<Sentence>,
}

impl Sentence {
    /// Returns the sentence of a message; `None` for one that is in English only.
    pub fn of(message: &model::Message) -> Option<Self> {
        let parameters = message.parameters.iter();
        let parameters = parameters.map(|(name, value)| (name.to_string(), value.into())).collect();
        (!message.code.is_empty()).then(|| Self { code: message.code.to_string(), parameters })
    }
}

impl From<&model::Parameter> for SentenceParameter {
    fn from(parameter: &model::Parameter) -> Self {
        use model::Parameter as P;
        match parameter {
            P::Number(number) => Self::Number(*number),
            P::Text(text) => Self::Text(text.clone()),
            P::Names(names) => Self::Names(names.clone()),
            P::Messages(messages) => Self::Sentences(messages.iter().map(InnerSentence::from).collect()),
        }
    }
}

impl From<&model::Message> for InnerSentence {
    fn from(message: &model::Message) -> Self {
        Self { text: message.text.clone(), sentence: Sentence::of(message) }
    }
}
