//! Prints numbers for display.

use plot::Unit;

/// Returns a time in a suitable unit, with three digits.
pub fn time(ns: u64) -> String {
    fine_time(ns as f64)
}

/// Returns a time with three digits, which may include fractions of a nanosecond.
pub fn fine_time(ns: f64) -> String {
    let unit = Unit::fitting(Unit::TIME_NS, ns);
    let value = ns / unit.size;
    let decimals = match value {
        value if unit.size == 1.0 && value.fract() == 0.0 => 0,
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", unit.name)
}

/// Returns a time in microseconds, whatever its size.
pub fn us(ns: f64) -> String {
    format!("{} us", in_us(ns))
}

pub fn in_us(ns: f64) -> String {
    format!("{:.2}", ns / 1e3)
}

/// Returns a fraction as per cent.
pub fn percent(part: f64) -> String {
    // An empty sum is -0.0, which would be printed with its sign.
    format!("{:.2} %", part * 100.0 + 0.0)
}

/// Returns a small fraction of all time.
pub fn share(part: f64) -> String {
    format!("{:.3} %", part * 100.0 + 0.0)
}

/// Returns how much slower something was.
pub fn slower(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// Returns a large number with separated thousands.
pub fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (ns, expected) in [
            (0.0, "0 ns"),
            (9.24, "9.24 ns"),
            (87.0, "87 ns"),
            (123.4, "123 ns"),
            (6_312.0, "6.31 us"),
            (56_780.0, "56.8 us"),
            (1e6, "1.00 ms"),
            (23.45e6, "23.4 ms"),
            (10e9, "10.0 s"),
        ] {
            assert_eq!(fine_time(ns), expected);
        }
        assert_eq!((time(87), us(1_234.0)), ("87 ns".into(), "1.23 us".into()));
        assert_eq!([count(7.0), count(1_000.0), count(1_234_567.4)], ["7", "1,000", "1,234,567"]);
        assert_eq!(
            (percent(0.1234), share(0.00512), slower(1.78)),
            ("12.34 %".into(), "0.512 %".into(), "+78.0 %".into())
        );
        assert_eq!((percent(-0.0), share(-0.0)), ("0.00 %".into(), "0.000 %".into()));
    }
}
