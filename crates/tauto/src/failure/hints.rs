//! Hints that need a look at what was asked for.

use rustix::io::Errno;
use std::io::ErrorKind;
use std::path::Path;

/// Returns what to do if a program cannot be executed.
pub(super) fn exec_hint(program: &str, source: &std::io::Error) -> String {
    match source.kind() {
        ErrorKind::NotFound if program.contains('/') => {
            let (path, shows) = (
                Path::new(program),
                "the sandbox shows the host's toolchains and, as /program, the current folder",
            );
            let name = path.file_name().unwrap_or_default().display();
            if path.exists() && (path.is_absolute() || is_outside(path)) {
                format!(
                    "{shows}; go to its folder and run ./{name}, or mount it: '--mount {program} -- /box/{name}'"
                )
            } else if path.exists() {
                "the file is there, so the interpreter in its '#!' line or a library is not: --mount shows more".to_owned()
            } else {
                format!(
                    "there is no such file here; {shows}, so go to the program's folder, or mount it: '--mount PATH/{name} -- /box/{name}'"
                )
            }
        }
        ErrorKind::NotFound => {
            format!(
                "it is looked for in /usr/local/bin, /usr/bin and /bin; from the current folder it is ./{program}"
            )
        }
        ErrorKind::PermissionDenied => {
            "the program runs as a separate user, so file and folder must be readable for all: chmod a+rx"
                .to_owned()
        }
        _ => "is it a program for this machine, or a script with a '#!' line?".to_owned(),
    }
}

/// Returns whether a file is not in the current folder, or is a link that leads out of it.
fn is_outside(path: &Path) -> bool {
    let folder = std::env::current_dir().and_then(std::fs::canonicalize);
    match (folder, path.canonicalize()) {
        (Ok(folder), Ok(real)) => !real.starts_with(folder),
        _ => false,
    }
}

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
