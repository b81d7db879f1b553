//! The caller of a request: sessions, HTTP Basic and tokens.

mod attempts;
mod identify;
mod passwords;
mod verified;

pub use identify::{Auth, COOKIE, CSRF_HEADER, Means, Peer, out_of_date};
pub use passwords::{Passwords, hash as hash_password};

pub(crate) use attempts::{Attempts, network};
pub(crate) use identify::{
    check_code, check_origin, check_password, cookie, count_change, count_registration, is_from_proxy,
    session_cookie,
};
pub(crate) use verified::Verified;
