//! Hints by what the system says, by files, and by names that are near.

use rustix::io::Errno;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Returns what to do if a disk or a limit of this process has no more room.
pub(super) fn of_system(error: &Error) -> Option<String> {
    match Errno::from_io_error(error)? {
        Errno::NOSPC | Errno::DQUOT => Some("make room there, or name a place on another disk".to_owned()),
        Errno::ROFS => Some("that disk can only be read: name a place on another one".to_owned()),
        Errno::FBIG => {
            Some("start it without a limit on the size of files ('ulimit -H -f' shows it)".to_owned())
        }
        Errno::MFILE => {
            Some("start it with a higher limit on open files ('ulimit -H -n' shows it)".to_owned())
        }
        _ => None,
    }
}

/// Returns what to do about a file that cannot be used.
pub(super) fn of_place(path: &Path, error: &Error) -> Option<String> {
    match error.kind() {
        ErrorKind::NotFound => of_missing(path),
        ErrorKind::PermissionDenied => {
            Some("this user may not do that there: name another place, or use sudo".to_owned())
        }
        ErrorKind::IsADirectory => Some("name a file, not a folder".to_owned()),
        ErrorKind::NotADirectory => Some("a part of this path is a file, not a folder".to_owned()),
        _ => None,
    }
}

/// Returns what may be meant by the path of a file that is not there.
pub fn of_missing(path: &Path) -> Option<String> {
    /// Less similar names are other files.
    const LIKENESS_MIN: f64 = 0.85;
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.exists() {
        return Some(format!("there is no folder {}", folder.display()));
    }
    let names = folder.read_dir().ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let scored = names.map(|known| (strsim::jaro_winkler(name, &known), known));
    let nearest =
        scored.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).max_by(|(a, _), (b, _)| a.total_cmp(b));
    Some(match nearest {
        Some((_, known)) => format!("did you mean {}?", path.with_file_name(known).display()),
        None => format!("there is no such file in {}", folder.canonicalize().ok()?.display()),
    })
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
