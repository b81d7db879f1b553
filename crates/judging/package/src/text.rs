//! Cutting texts between characters.

/// Longest character of UTF-8.
const CHARACTER_BYTES_MAX: usize = 4;

/// Cuts the end of a text that is too long; a character that does not fit is left out as a whole. Bytes that are no UTF-8
/// are characters of their own.
pub fn cut(bytes: &[u8], max: usize) -> &[u8] {
    if bytes.len() <= max {
        return bytes;
    }
    &bytes[..character_start(bytes, max)]
}

/// Cuts the start of a text, so that it begins at `from` or at the start of the character that is there.
pub fn cut_start(bytes: &[u8], from: usize) -> &[u8] {
    &bytes[character_start(bytes, from.min(bytes.len()))..]
}

/// Returns where the character begins that has the byte at `at`.
fn character_start(bytes: &[u8], at: usize) -> usize {
    let is_continuation = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    let starts = (at.saturating_sub(CHARACTER_BYTES_MAX - 1)..=at).rev();
    let start = starts.into_iter().find(|start| bytes.get(*start).is_none_or(|byte| !is_continuation(*byte)));
    let Some(start) = start.filter(|start| *start < at) else { return at };
    // It is one character only if all of it is valid.
    let whole = &bytes[start..bytes.len().min(start + CHARACTER_BYTES_MAX)];
    let length = match std::str::from_utf8(whole) {
        Ok(text) => text.chars().next().map_or(0, char::len_utf8),
        Err(error) => {
            let valid = std::str::from_utf8(&whole[..error.valid_up_to()]).unwrap_or_default();
            valid.chars().next().map_or(0, char::len_utf8)
        }
    };
    if start + length > at { start } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let text = "aä€😀b";
        for max in 0..=text.len() + 1 {
            let start = std::str::from_utf8(cut(text.as_bytes(), max)).unwrap();
            assert!(start.len() <= max && start.len() + CHARACTER_BYTES_MAX > max.min(text.len()), "{max}");
            let rest = std::str::from_utf8(cut_start(text.as_bytes(), max)).unwrap();
            assert_eq!(rest, &text[text.floor_char_boundary(max)..], "{max}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_cut_where_they_are() {
        assert_eq!(cut(b"\xff\x80\x80\x80\x80\x80", 4), b"\xff\x80\x80\x80");
        assert_eq!(cut(b"a\xe2\x82x", 2), b"a\xe2", "an incomplete character");
        assert_eq!(cut_start(b"\x80\x80\x80", 2), b"\x80");
    }
}
