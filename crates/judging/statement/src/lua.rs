//! Values as Lua source, which the filter reads.

/// Writes a text as a Lua string; every byte that could mean anything is written as its number.
pub(crate) fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b' ' | b'.' | b'-' | b'_' | b'/' => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\{byte:03}")),
        }
    }
    quoted.push('"');
    quoted
}

pub(crate) fn table<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!("[{}]={value}", text(name)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("{{{}}}", values.into_iter().collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_ends_a_string_early() {
        assert_eq!(super::text("a\"\\\n]]"), "\"a\\034\\092\\010\\093\\093\"");
        assert_eq!(super::table([("a", super::list([]))]), "{[\"a\"]={}}");
    }
}
