//! The decisions of `placement` and of the `allocator` as messages, for programs in other languages.
//!
//! A [`Fleet`] decides which node a pod gets, a [`Node`] which cores of it. Each receives what changes, one message at a time,
//! and answers one. Messages are JSON objects with one field, which names what is asked ([`fleet::Request`],
//! [`node::Request`]); so are the answers. What cannot be done is the answer `error` with a sentence, and changes nothing.
//!
//! # Files
//!
//! `fleet.rs` has a fleet's messages and its state, `recorder.rs` what happened to it as a trace that `tauto sim` replays.
//! `node.rs` has a node's messages and its state. `c-interface` carries the messages over the border to C.
//!
//! # Invariants
//!
//! - Nothing is decided here: which host is best is `placement`'s answer, which core the `allocator`'s.
//! - Times of a fleet never go back and no two changes have the same, so that its trace has one order.

#![forbid(unsafe_code)]

pub mod fleet;
pub mod node;
mod recorder;
#[cfg(test)]
mod tests;

pub use fleet::Fleet;
pub use node::Node;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the messages. Both sides of the border must have the same.
pub const VERSION: u32 = 1;
/// The longest message: the XML of a machine of 1,024 CPUs has 2 MB.
pub const MESSAGE_BYTES_MAX: usize = 8 << 20;

/// Why something cannot be done, in one sentence: what was found, what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(message: T) -> Self {
        Self(message.into())
    }
}

/// What answers messages.
pub trait Desk {
    type Request: DeserializeOwned;
    type Answer: Serialize;

    fn answer(&mut self, request: Self::Request) -> Result<Self::Answer, Refusal>;
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome<A> {
    Error(String),
    #[serde(untagged)]
    Answer(A),
}

/// Answers one message with another; both are JSON.
pub fn answer<D: Desk>(desk: &mut D, message: &[u8]) -> Vec<u8> {
    let outcome = if message.len() > MESSAGE_BYTES_MAX {
        Err(Refusal(format!("the message has {} bytes; expected at most {MESSAGE_BYTES_MAX}", message.len())))
    } else {
        serde_json::from_slice(message)
            .map_err(|error| Refusal(format!("the message is not understood: {error}")))
            .and_then(|request| desk.answer(request))
    };
    let outcome = outcome.map_or_else(|refusal| Outcome::Error(refusal.0), Outcome::Answer);
    serde_json::to_vec(&outcome).unwrap_or_else(|_| br#"{"error":"the answer cannot be written"}"#.to_vec())
}
