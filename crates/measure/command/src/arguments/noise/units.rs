//! Frequencies and times as they are written in `tauto noise`.

use model::Nanos;

/// Reads a time that has a unit: a bare number is seconds elsewhere, and here nearly always a forgotten `us`.
pub fn time_with_unit(what: &str, text: &str) -> Result<Nanos, String> {
    let text = text.trim();
    // 0 is 0 in any unit, and refused where the range is known.
    if text.parse::<f64>().is_ok_and(|number| number != 0.0) {
        return Err(format!("the {what} '{text}' has no unit; write {text}us (or {text}ns, {text}ms)"));
    }
    text.parse().map_err(|_| {
        format!("the {what} '{text}' is not a time; write a number with ns, us, ms, s or min, such as 160us")
    })
}

/// Reads how often and how long detours are, such as `8Hz:160us`.
pub fn frequency_and_length(text: &str) -> Result<(f64, Nanos), String> {
    let Some((frequency, length)) = text.split_once(':') else {
        return Err(format!(
            "'{text}' is not a frequency and a length; write both with a colon between them, such as 1000Hz:13us"
        ));
    };
    let frequency = frequency.trim();
    let hz = frequency.strip_suffix("Hz").unwrap_or(frequency).trim_end().parse().map_err(|_| {
        format!("the frequency '{frequency}' is not a number of hertz; write for example 1000Hz")
    })?;
    Ok((hz, time_with_unit("length", length)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_that_is_wrong_is_named_with_a_remedy() {
        let check = |text, expect: &str| assert_eq!(frequency_and_length(text), Err(expect.to_owned()));
        check("8Hz:160", "the length '160' has no unit; write 160us (or 160ns, 160ms)");
        check("8Hz:1.5 ", "the length '1.5' has no unit; write 1.5us (or 1.5ns, 1.5ms)");
        check(
            "8Hz:long",
            "the length 'long' is not a time; write a number with ns, us, ms, s or min, such as 160us",
        );
        check("8kHz:1us", "the frequency '8kHz' is not a number of hertz; write for example 1000Hz");
        check(
            "8Hz",
            "'8Hz' is not a frequency and a length; write both with a colon between them, such as 1000Hz:13us",
        );
        assert_eq!(frequency_and_length("8 Hz : 160us"), Ok((8.0, Nanos::from_micros(160))));
        assert_eq!(frequency_and_length("8:160us"), Ok((8.0, Nanos::from_micros(160))));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time_with_unit("T_C", "75us"), Ok(Nanos::from_micros(75)));
        assert_eq!(time_with_unit("T_C", "0"), Ok(Nanos::ZERO));
        assert_eq!(
            time_with_unit("T_C", "75"),
            Err("the T_C '75' has no unit; write 75us (or 75ns, 75ms)".to_owned())
        );
    }
}
