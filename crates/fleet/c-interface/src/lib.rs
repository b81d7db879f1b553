//! The decisions of a fleet as a static library with a C interface: `tautochrone.h`.
//!
//! Messages are bytes in and bytes out ([`decisions`] has their fields), so that the border has five functions and no layout of
//! structures. No panic crosses it: a desk that panics is lost, each later call says so, and its owner opens another and tells
//! that what there is.

#![expect(unsafe_code, reason = "what C calls has fixed names and takes pointers")]

use decisions::{Fleet, Node, answer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// A fleet's or a node's decisions. One thread at a time may use it.
pub struct TautochroneDesk(Option<Kind>);

enum Kind {
    Fleet(Box<Fleet>),
    Node(Box<Node>),
}

/// Bytes that [`tautochrone_free`] takes back.
#[repr(C)]
pub struct TautochroneBytes {
    pub data: *mut u8,
    pub length: usize,
}

/// What a call answers after a panic; the caller tells it apart from a refusal by the field.
const LOST: &[u8] =
    br#"{"lost":"the decisions failed inside; open another desk, and tell it what there is"}"#;

/// Returns the version of the messages.
#[unsafe(no_mangle)]
pub extern "C" fn tautochrone_version() -> u32 {
    decisions::VERSION
}

/// Opens the decisions of a fleet.
#[unsafe(no_mangle)]
pub extern "C" fn tautochrone_open_fleet() -> *mut TautochroneDesk {
    open(|| Kind::Fleet(Box::default()))
}

/// Opens the decisions of a node.
#[unsafe(no_mangle)]
pub extern "C" fn tautochrone_open_node() -> *mut TautochroneDesk {
    open(|| Kind::Node(Box::default()))
}

fn open(make: impl FnOnce() -> Kind) -> *mut TautochroneDesk {
    let made = catch_unwind(AssertUnwindSafe(make)).ok();
    Box::into_raw(Box::new(TautochroneDesk(made)))
}

/// Answers a message.
///
/// # Safety
/// `desk` is open and no other thread uses it; `message` has `length` bytes that do not change meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tautochrone_call(
    desk: *mut TautochroneDesk,
    message: *const u8,
    length: usize,
) -> TautochroneBytes {
    // SAFETY: the caller gives a desk of its own that is open, or nothing.
    let Some(desk) = (unsafe { desk.as_mut() }) else { return bytes(LOST.to_vec()) };
    let message = match message.is_null() {
        true => &[],
        // SAFETY: the caller gives as many bytes as it says.
        false => unsafe { std::slice::from_raw_parts(message, length) },
    };
    bytes(call(desk, message))
}

fn call(desk: &mut TautochroneDesk, message: &[u8]) -> Vec<u8> {
    let Some(mut kind) = desk.0.take() else { return LOST.to_vec() };
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let found = match &mut kind {
            Kind::Fleet(fleet) => answer(&mut **fleet, message),
            Kind::Node(node) => answer(&mut **node, message),
        };
        (kind, found)
    }));
    match answered {
        Ok((kind, found)) => {
            desk.0 = Some(kind);
            found
        }
        Err(_) => LOST.to_vec(),
    }
}

fn bytes(answer: Vec<u8>) -> TautochroneBytes {
    let answer = answer.into_boxed_slice();
    let length = answer.len();
    TautochroneBytes { data: Box::into_raw(answer).cast(), length }
}

/// Takes back the bytes of an answer.
///
/// # Safety
/// They are an answer's, and were not given back before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tautochrone_free(answer: TautochroneBytes) {
    if !answer.data.is_null() {
        // SAFETY: data and length are those that `bytes` made of a box.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(answer.data, answer.length)) });
    }
}

/// Closes a desk.
///
/// # Safety
/// It is open, no thread uses it, and none will.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tautochrone_close(desk: *mut TautochroneDesk) {
    if !desk.is_null() {
        // SAFETY: `open` made it of a box, and it is closed once.
        drop(unsafe { Box::from_raw(desk) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(desk: *mut TautochroneDesk, message: &[u8]) -> String {
        // SAFETY: the desk is open and of this thread alone; the answer is given back once.
        unsafe {
            let found = tautochrone_call(desk, message.as_ptr(), message.len());
            let text =
                String::from_utf8_lossy(std::slice::from_raw_parts(found.data, found.length)).into_owned();
            tautochrone_free(found);
            text
        }
    }

    #[test]
    fn messages_cross_the_border_and_are_given_back() {
        let desk = tautochrone_open_fleet();
        let host = br#"{"host":{"host":"n1","at_ms":1000,"cpu_milli":4000,"memory_mib":1024}}"#;
        assert_eq!(ask(desk, host), r#"{"done":{}}"#);
        let decide =
            br#"{"decide":{"job":{"job":"p","at_ms":1001,"cpu_milli":1000,"memory_mib":64},"most":2}}"#;
        assert!(ask(desk, decide).starts_with(r#"{"decided":{"hosts":[{"host":"n1","value":"#));
        assert!(ask(desk, b"{").starts_with(r#"{"error":"the message is not understood"#));
        // SAFETY: it is open, and not used afterwards.
        unsafe { tautochrone_close(desk) };
        let node = tautochrone_open_node();
        assert_eq!(
            ask(node, br#"{"state":{}}"#),
            r#"{"error":"the machine was not named yet; send 'machine' first"}"#
        );
        // SAFETY: as above.
        unsafe { tautochrone_close(node) };
        assert_eq!(ask(ptr::null_mut(), b""), String::from_utf8_lossy(LOST));
    }

    #[test]
    fn a_desk_that_panicked_says_so_and_no_more() {
        let mut desk = TautochroneDesk(None);
        assert_eq!(call(&mut desk, b"{}"), LOST);
    }
}
