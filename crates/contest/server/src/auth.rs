//! Who asks: sessions, HTTP Basic and tokens.

mod attempts;
mod identify;
mod passwords;
mod sessions;
mod verified;

pub use identify::{Auth, COOKIE, Means, Peer};
pub use passwords::{Passwords, hash as hash_password};
pub use sessions::{Session, Sessions};

pub(crate) use attempts::Attempts;
pub(crate) use identify::{blocked, check_password, session_cookie};
pub(crate) use verified::Verified;
