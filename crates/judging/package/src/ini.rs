//! `domjudge-problem.ini`, from which several judges besides DOMjudge read the time limit and the colour.

use crate::error::{Complaint, Warnings};
use crate::room::check_arguments;
use crate::{FileLocation, PackageError};
use located::meant;
use model::Nanos;

pub(crate) const DOMJUDGE_INI: &str = "domjudge-problem.ini";

/// Every key that DOMjudge reads or has read.
const KEYS: [&str; 14] = [
    "name",
    "timelimit",
    "color",
    "colour",
    "allow_submit",
    "allow_judge",
    "points",
    "special_run",
    "special_compare",
    "special_compare_args",
    "probid",
    "short-name",
    "shortname",
    "externalid",
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DomjudgeIni {
    pub(crate) name: Option<String>,
    pub(crate) time_limit: Option<Nanos>,
    pub(crate) colour: Option<String>,
    pub(crate) validator_args: Vec<String>,
}

/// Reads the file: `key = value` on each line, the value in quotes if it holds line ends.
pub(crate) fn parse(text: &str, warnings: &Warnings) -> Result<DomjudgeIni, PackageError> {
    let mut ini = DomjudgeIni::default();
    let mut lines = text.lines().enumerate();
    let mut seen = Vec::new();
    while let Some((index, line)) = lines.next() {
        let place = FileLocation::file(DOMJUDGE_INI).line(index as u64 + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#', '[']) {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            return Err(
                place.invalid("is not a line of the form 'key = value'", "write a '=' between key and value")
            );
        };
        let (key, mut value) = (key.trim().to_lowercase(), value.trim().to_owned());
        let place = place.field(key.clone());
        if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            // An opening quote that is followed only by space does not close itself.
            while value.trim_end().len() < 2 || !value.trim_end().ends_with(quote) {
                let Some((_, more)) = lines.next() else {
                    return Err(
                        place.invalid("has a quote that nothing closes", format!("add {quote} at its end"))
                    );
                };
                value.push('\n');
                value.push_str(more);
            }
            let trimmed = value.trim_end();
            value = trimmed[1..trimmed.len() - 1].to_owned();
        }
        if seen.contains(&key) {
            return Err(place.invalid("stands twice", "remove one of the two"));
        }
        match key.as_str() {
            "name" => ini.name = Some(value).filter(|name| !name.trim().is_empty()),
            "timelimit" => ini.time_limit = Some(read_seconds(&value, place)?),
            "color" | "colour" => ini.colour = Some(value).filter(|colour| !colour.is_empty()),
            "special_compare_args" => {
                ini.validator_args = value.split_whitespace().map(str::to_owned).collect();
                check_arguments(|| place, &ini.validator_args)?;
            }
            "special_run" | "special_compare" => warnings.push(place.warning(
                "names a program of a DOMjudge installation, not in the package",
                "put the program into the package as its output validator",
            )),
            known if KEYS.contains(&known) => {}
            unknown => {
                let remedy = match meant(unknown, &KEYS) {
                    Some(word) => format!("did you mean '{word}'?"),
                    None => "remove it".to_owned(),
                };
                warnings.push(place.warning("is not a key of DOMjudge", remedy));
            }
        }
        seen.push(key);
    }
    Ok(ini)
}

/// Reads a time limit in seconds, greater than zero.
pub(crate) fn read_seconds(text: &str, place: FileLocation) -> Result<Nanos, PackageError> {
    text.trim()
        .parse::<f64>()
        .ok()
        .and_then(Nanos::from_secs_f64)
        .filter(|time| *time > Nanos::ZERO)
        .ok_or_else(|| {
            place.invalid(
                format!("is '{}', expected a number of seconds above 0", located::shorten(text)),
                "write it without unit, such as 1.5",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(DomjudgeIni, Vec<String>), String> {
        let warnings = Warnings::default();
        match parse(text, &warnings) {
            Ok(ini) => Ok((ini, warnings.take().iter().map(ToString::to_string).collect())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn keys_may_be_spaced_and_quoted() {
        let (ini, warnings) = read(
            "; note\ntimelimit='1.5'\ncolor = #2f7fbf\nname=\"Two\nlines\"\npoints = 1\n\nTimelimits = 3\n",
        )
        .unwrap();
        assert_eq!(ini.time_limit, Some(Nanos::from_millis(1500)));
        assert_eq!((ini.colour.as_deref(), ini.name.as_deref()), (Some("#2f7fbf"), Some("Two\nlines")));
        assert_eq!(
            warnings,
            ["domjudge-problem.ini:8: timelimits: is not a key of DOMjudge; did you mean 'timelimit'?"]
        );
    }

    #[test]
    fn broken_lines_are_reported() {
        for text in [
            "timelimit",
            "timelimit = 0",
            "timelimit = -1",
            "timelimit = x",
            "timelimit = nan",
            "timelimit =",
            "timelimit = inf",
            "timelimit = 1e30",
            "name = 'x",
            "name = \"\n\n",
            "name = a\nname = b",
        ] {
            assert!(read(text).unwrap_err().starts_with("domjudge-problem.ini:"), "{text}");
        }
        assert_eq!(
            read("\ntimelimit = 2s\n").unwrap_err(),
            "domjudge-problem.ini:2: timelimit: is '2s', expected a number of seconds above 0; \
             write it without unit, such as 1.5"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z='\"\n #;.0-9é]{0,60}") {
            let _ = read(&text);
        }
    }
}
