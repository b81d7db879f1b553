//! Facts of a machine as text, from which its identity is made.

use model::Reading;

pub(super) type Facts = Vec<(&'static str, Reading<String>)>;

pub(super) fn shown<T: ToString>(reading: &Reading<T>) -> Reading<String> {
    match reading {
        Reading::Known(value) => Reading::Known(value.to_string()),
        Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
    }
}
