//! Text inside SVG and HTML.

/// Makes a text harmless inside elements and quoted attributes; control characters, which XML does not
/// allow, become blanks.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_is_left() {
        assert_eq!(escape("a<b> & \"c\"\n'd'\u{7}"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ");
    }
}
