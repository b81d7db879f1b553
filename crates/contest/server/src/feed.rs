//! The event feed of the CLICS Contest API (2026-01): what a client may see of a contest, and then each change of it.
//!
//! It is no copy of the log. A client gets the current state of the objects that its notices name, as the endpoints would
//! answer it now, so that several changes may come as one. A token is the position in the notices of the client's audiences.
//! See [`reader`] for the order in which objects come.

mod lines;
mod objects;
mod reader;
mod stream;

pub(crate) use lines::Lines;
pub(crate) use stream::event_feed;
