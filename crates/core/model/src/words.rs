//! Messages for people.

use std::fmt::Display;

/// Returns a message without the system's error numbers, whose words stand before them.
pub fn without_error_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => words.push_str(rest),
            _ => words.extend([" (os error ", part]),
        }
    }
    words
}

/// Returns a count with its thing: `1 process`, `2 processes`.
pub fn counted<N: From<bool> + PartialEq + Display>(count: N, thing: &str) -> String {
    let ending = match thing {
        _ if count == N::from(true) => "",
        thing if thing.ends_with('s') => "es",
        _ => "s",
    };
    format!("{count} {thing}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_has_no_ending() {
        assert_eq!(counted(1_u32, "CPU"), "1 CPU");
        assert_eq!(counted(0_usize, "CPU"), "0 CPUs");
        assert_eq!(counted(12_i64, "process"), "12 processes");
    }

    #[test]
    fn error_numbers_are_removed_from_messages() {
        let error = std::io::Error::from_raw_os_error(16);
        assert_eq!(without_error_numbers(&format!("a: {error}, b")), "a: Device or resource busy, b");
        assert_eq!(without_error_numbers("an (os error code)"), "an (os error code)");
        assert_eq!(without_error_numbers(""), "");
    }
}
