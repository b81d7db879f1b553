//! ResponseBudget that wait for slow readers.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;

/// Long answers that clients have not taken yet, in bytes: in all, and of each address.
#[derive(Default)]
pub struct ResponseBudget(pub(super) Mutex<(usize, HashMap<IpAddr, usize>)>);
