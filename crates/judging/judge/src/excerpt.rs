//! The lines of a crashed program's standard error that explain the crash best.

/// What is kept of a line.
const CHARACTERS_MAX: usize = 200;
/// How the messages of languages name an error: exceptions, panics, failed assertions, sanitizers.
const ERROR_WORDS: [&str; 8] =
    ["error", "exception", "panic", "fatal", "assert", "terminate called", "fault", "overflow"];

/// Returns the first line that names an error, and the last line: which of them says more depends on the language.
pub(crate) fn excerpt(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let names_error = |line: &&str| {
        let line = line.to_lowercase();
        ERROR_WORDS.iter().any(|word| line.contains(word))
    };
    let last = lines.clone().next_back()?;
    let first = lines.clone().find(names_error).or_else(|| lines.next())?;
    let shown = |line: &str| match line.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    Some(if first == last { shown(last) } else { format!("{} … {}", shown(first), shown(last)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_have_the_first_error_and_the_last_line() {
        let check =
            |stderr: &str, expect: &str| assert_eq!(excerpt(stderr.as_bytes()).as_deref(), Some(expect));
        check("Traceback (most recent call last):\n  File \"a.py\"\nValueError: x\n\n", "ValueError: x");
        check(
            "Exception in thread \"main\" java.lang.Error: x\n\tat Main.f(Main.java:5)\n\tat Main.main(Main.java:9)\n",
            "Exception in thread \"main\" java.lang.Error: x … at Main.main(Main.java:9)",
        );
        check(
            "reading\npanic: index out of range\n\ngoroutine 1\nexit status 2\n",
            "panic: index out of range … exit status 2",
        );
        check("first\nsecond\nthird\n", "first … third");
        check(&format!("{}\n", "ä".repeat(CHARACTERS_MAX)), &"ä".repeat(CHARACTERS_MAX));
        check(&format!("{}\n", "ä".repeat(1000)), &format!("{}…", "ä".repeat(CHARACTERS_MAX)));
        assert_eq!(excerpt(b"\n \n"), None);
    }

    #[test]
    fn the_error_is_found_however_long_the_trace_is() {
        let trace = "\tat Main.deeper(Main.java:3)\n".repeat(1024);
        let text = format!("Exception in thread \"main\" java.lang.StackOverflowError\n{trace}");
        let expect =
            "Exception in thread \"main\" java.lang.StackOverflowError … at Main.deeper(Main.java:3)";
        assert_eq!(excerpt(text.as_bytes()).as_deref(), Some(expect));
    }
}
