//! Steps that fail, and what they are given.

use crate::protocol::Step;
use crate::sys::c_string;
use std::io;

pub const SOCKET_DESCRIPTOR: i32 = 3;

pub(crate) type StepResult<T> = Result<T, (Step, io::Error)>;

pub(crate) fn at<E: Into<io::Error>>(step: Step) -> impl FnOnce(E) -> (Step, io::Error) {
    move |error| (step, error.into())
}

pub(crate) fn c_strings(texts: impl IntoIterator<Item = String>) -> io::Result<Vec<std::ffi::CString>> {
    texts.into_iter().map(|text| c_string(&text)).collect()
}
