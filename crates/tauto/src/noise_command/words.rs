//! Times and parts as people read them.

/// Writes nanoseconds with three digits.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let digits = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// Writes a part of all time.
pub fn share(part: f64) -> String {
    format!("{:.3} %", part * 100.0)
}

/// Writes how much slower something was.
pub fn slower(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        for (ns, expected) in [
            (9.24, "9.24 ns"),
            (123.4, "123 ns"),
            (6_312.0, "6.31 us"),
            (23.45e6, "23.4 ms"),
            (10e9, "10.0 s"),
        ] {
            assert_eq!(time(ns), expected);
        }
        assert_eq!((share(0.00512), slower(1.78)), ("0.512 %".to_owned(), "+78.0 %".to_owned()));
    }
}
