//! Server-sent events: what has changed, so that clients ask for it.
//!
//! A notice names an object and has nothing of it; what a client may see, it reads from the API. Each notice is serialised
//! once. A client has only its positions, so a slow one costs nothing and delays no other.

mod hub;
mod positions;
mod ring;
mod stream;
mod words;

pub(crate) use hub::{Channel, Hub};
pub(crate) use positions::{read as read_positions, write as write_positions};
pub(crate) use stream::{Source, Streams, events, stream};
pub(crate) use words::{balloon_id, name};
