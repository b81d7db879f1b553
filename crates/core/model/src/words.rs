//! Messages for people.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_nothing_that_the_words_do_not() {
        let error = std::io::Error::from_raw_os_error(16);
        assert_eq!(without_error_numbers(&format!("a: {error}, b")), "a: Device or resource busy, b");
        assert_eq!(without_error_numbers("an (os error code)"), "an (os error code)");
        assert_eq!(without_error_numbers(""), "");
    }
}
