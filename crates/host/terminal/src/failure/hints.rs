//! Hints by limits of the process, and by names that are near.

use rustix::io::Errno;

/// Returns what to do if this process was started with a limit that it has reached.
pub(super) fn hint_of_limit(error: &std::io::Error) -> Option<String> {
    match Errno::from_io_error(error)? {
        Errno::FBIG => {
            Some("start it without a limit on the size of files ('ulimit -H -f' shows it)".to_owned())
        }
        Errno::MFILE => {
            Some("start it with a higher limit on open files ('ulimit -H -n' shows it)".to_owned())
        }
        _ => None,
    }
}

/// Lists those of `known` that are similar to the input, the most similar first.
pub fn near<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    /// More suggestions would not be read.
    const NAMES_MAX: usize = 5;
    /// Less similar words are not typing errors.
    const LIKENESS_MIN: f64 = 0.7;
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| {
            let base = name.rsplit('/').next().unwrap_or(name);
            (strsim::jaro_winkler(written, name).max(strsim::jaro_winkler(written, base)), name)
        })
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(NAMES_MAX).map(|(_, name)| name).collect()
}
