//! The archive of a contest package, which may come from anybody: names are checked before anything is read, and what is
//! read is no longer than the archive says.

use crate::Problem;
use axum::http::StatusCode;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Error, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use zip::ZipArchive;

/// Submissions of the largest contest, pictures, and problems that are folders.
const ENTRIES_MAX: usize = 500_000;
/// An archive that unpacks to more than this many times its size is a bomb.
const RATIO_MAX: u64 = 250;
/// Below this total the ratio does not matter.
const RATIO_FLOOR_BYTES: u64 = 1 << 30;
const MODE_TYPE: u32 = 0o170_000;
const MODE_FILE: u32 = 0o100_000;
const MODE_FOLDER: u32 = 0o040_000;
/// What other systems made of the same contest; links are allowed there, and nothing of it is read.
const OTHER_SYSTEMS: &str = "other-systems/";

/// Of the list of entries, which is in memory before it can be counted.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// An archive whose names are safe.
pub struct Archive {
    zip: ZipArchive<BufReader<Capped>>,
    entries: BTreeMap<String, usize>,
    is_over: Arc<AtomicBool>,
}

/// A file that ends with an error after `left` bytes.
struct Capped {
    file: File,
    left: Arc<AtomicU64>,
}

impl Read for Capped {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let count = self.file.read(buffer)?;
        let take = |left: u64| left.checked_sub(count as u64);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map_err(|_| Error::other("its list of entries is too long"))?;
        Ok(count)
    }
}

impl Seek for Capped {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, Error> {
        self.file.seek(to)
    }
}

/// Returns a refusal of an archive.
pub fn refused(detail: impl Into<model::Message>) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "package", detail)
}

impl Archive {
    /// Opens it and checks all names. Nothing more is read from it once `is_over` is set.
    pub fn open(file: File, bytes_max: u64, is_over: Arc<AtomicBool>) -> Result<Self, Problem> {
        let size = file.metadata().map_err(Problem::internal)?.len();
        let unreadable = |error: zip::result::ZipError| refused(format!("the zip cannot be read: {error}"));
        let left = Arc::new(AtomicU64::new(LIST_BYTES_MAX));
        let capped = Capped { file, left: left.clone() };
        let mut zip = ZipArchive::new(BufReader::new(capped)).map_err(unreadable)?;
        left.store(u64::MAX, Ordering::Relaxed);
        if zip.len() > ENTRIES_MAX {
            return Err(refused(format!(
                "the zip has {} entries; at most {ENTRIES_MAX} are allowed",
                zip.len()
            )));
        }
        if zip.has_duplicate_names() {
            return Err(refused("a name stands twice in the zip"));
        }
        let (mut entries, mut total) = (BTreeMap::new(), 0_u64);
        for at in 0..zip.len() {
            let entry = zip.by_index_raw(at).map_err(unreadable)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            if is_ignored(&name) {
                continue;
            }
            let mode = entry.unix_mode().unwrap_or(0) & MODE_TYPE;
            if entry.is_symlink() || !matches!(mode, 0 | MODE_FILE | MODE_FOLDER) {
                return Err(refused(format!("'{}' is a link or no plain file", name.escape_debug())));
            }
            if entry.encrypted() {
                return Err(refused(format!("'{}' is encrypted", name.escape_debug())));
            }
            check_name(&name)?;
            if entry.is_dir() {
                continue;
            }
            total = total.saturating_add(entry.size());
            entries.insert(name, at);
        }
        if total > bytes_max.min(size.saturating_mul(RATIO_MAX).max(RATIO_FLOOR_BYTES)) {
            let allowed =
                format!("at most {} MiB and {RATIO_MAX} times its size are allowed", bytes_max >> 20);
            return Err(refused(format!("the zip unpacks to {} MiB; {allowed}", total >> 20)));
        }
        Ok(Self { zip, entries: below_top(entries), is_over })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the names of the files in a folder, which ends in a slash, and in those below.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.entries.range(folder.to_owned()..);
        from.map(|(name, _)| name.as_str()).take_while(move |name| name.starts_with(folder))
    }

    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Opens a file. It is an error to read more from it than the archive says that it has.
    pub fn read(&mut self, name: &str) -> Result<(u64, impl Read + '_), Problem> {
        let at = self.entries.get(name).ok_or_else(|| refused(format!("there is no file '{name}'")))?;
        let entry =
            self.zip.by_index(*at).map_err(|error| refused(format!("'{name}' cannot be read: {error}")))?;
        let size = entry.size();
        Ok((size, Limited { content: entry, left: size, is_over: &self.is_over }))
    }

    pub fn read_at_most(&mut self, name: &str, max: u64) -> Result<impl Read + '_, Problem> {
        let (size, content) = self.read(name)?;
        if size > max {
            return Err(refused(format!("'{name}' has {size} bytes; at most {max} are allowed")));
        }
        Ok(content)
    }

    pub fn bytes(&mut self, name: &str, max: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        self.read_at_most(name, max)?
            .read_to_end(&mut bytes)
            .map_err(|error| refused(format!("'{name}' cannot be read: {error}")))?;
        Ok(bytes)
    }
}

struct Limited<'a, R> {
    content: R,
    left: u64,
    is_over: &'a AtomicBool,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Error::other("the sender has closed the connection"));
        }
        let count = self.content.read(buffer)?;
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| Error::other("it is longer than the zip says"))?;
        Ok(count)
    }
}

/// Returns whether an entry is none of the package, such as what macOS adds.
fn is_ignored(name: &str) -> bool {
    let in_other = name.starts_with(OTHER_SYSTEMS) || name.contains(&format!("/{OTHER_SYSTEMS}"));
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    (in_other && !name.split('/').any(|part| part == ".."))
        || name.starts_with("__MACOSX/")
        || last == ".DS_Store"
}

fn check_name(name: &str) -> Result<(), Problem> {
    let path = name.strip_suffix('/').unwrap_or(name);
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let has_odd =
        path.contains(['\\', '\0']) || path.chars().any(char::is_control) || path.contains('\u{fffd}');
    if !has_odd && path.len() <= 1000 && path.split('/').all(is_part) {
        return Ok(());
    }
    Err(refused(format!("'{}' is no name of a file in a package", name.escape_debug())))
}

/// Returns names without the only folder at the top, if there is one.
fn below_top(entries: BTreeMap<String, usize>) -> BTreeMap<String, usize> {
    let mut tops = entries.keys().map(|name| name.split_once('/').map(|(top, _)| top.to_owned()));
    let first = tops.next().flatten();
    let Some(top) = first.filter(|first| tops.all(|top| top.as_ref() == Some(first))) else { return entries };
    if super::FOLDERS.contains(&top.as_str()) {
        return entries;
    }
    entries.into_iter().map(|(name, at)| (name[top.len() + 1..].to_owned(), at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn archive(names: &[&str]) -> Result<Archive, Problem> {
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = zip::ZipWriter::new(&mut file);
        for name in names {
            match name.strip_prefix("link:") {
                Some(name) => writer.add_symlink(name, "/etc/passwd", SimpleFileOptions::default()).unwrap(),
                None => {
                    writer.start_file(*name, SimpleFileOptions::default()).unwrap();
                    writer.write_all(b"content").unwrap();
                }
            }
        }
        writer.finish().unwrap();
        file.rewind().unwrap();
        Archive::open(file, 1 << 20, Arc::default())
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let check = |names: &[&str], expect: &str| {
            let problem = archive(names).err().unwrap_or_else(|| panic!("{names:?} is taken"));
            assert!(problem.detail().contains(expect), "{}", problem.detail());
        };
        for name in ["../a", "/etc/passwd", "a/../../b", "a\\b", "a//b", "./a"] {
            check(&[name], "is no name");
        }
        check(&["link:a"], "is a link");
        check(&["other-systems/../../a"], "is no name");
        let fine =
            archive(&["contest.json", "link:other-systems/x/contest.json", "__MACOSX/a", "teams/.DS_Store"]);
        assert_eq!(fine.unwrap().names().collect::<Vec<_>>(), ["contest.json"]);
    }

    #[test]
    fn a_folder_at_the_top_is_left_out() {
        assert!(
            archive(&["spring/contest.json", "spring/teams/a/photo.png"]).unwrap().has("teams/a/photo.png")
        );
        assert!(archive(&["problems/a.zip"]).unwrap().has("problems/a.zip"));
        // Ids that differ in case only are two; nothing is unpacked to a disk.
        assert!(archive(&["teams/a/photo.png", "teams/A/photo.png"]).unwrap().has("teams/A/photo.png"));
    }

    #[test]
    fn a_long_list_of_entries_is_not_read() {
        let mut file = tempfile::tempfile().unwrap();
        let entry = [&b"PK\x01\x02"[..], &[0; 42]].concat();
        let count = LIST_BYTES_MAX as usize / entry.len() + 100_000;
        file.write_all(&entry.repeat(count)).unwrap();
        let length = (entry.len() * count) as u64;
        let (all, at) = ((count as u64).to_le_bytes(), length.to_le_bytes());
        let end =
            [&b"PK\x06\x06"[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8], &all, &all, &at, &[0; 8]];
        file.write_all(&end.concat()).unwrap();
        file.write_all(&[&b"PK\x06\x07"[..], &[0; 4], &at, &[1, 0, 0, 0]].concat()).unwrap();
        file.write_all(&[&b"PK\x05\x06"[..], &[0; 4], &[0xff; 12], &[0; 2]].concat()).unwrap();
        file.rewind().unwrap();
        let refused = Archive::open(file, 1 << 40, Arc::default()).err().unwrap();
        assert!(refused.detail().contains("list of entries is too long"), "{}", refused.detail());
    }

    #[test]
    fn nothing_is_read_after_the_sender_has_gone() {
        let mut archive = archive(&["contest.json"]).unwrap();
        archive.is_over.store(true, Ordering::Relaxed);
        assert!(archive.bytes("contest.json", 100).is_err());
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = zip::ZipWriter::new(&mut file);
        writer.start_file("runs.json", SimpleFileOptions::default()).unwrap();
        writer.write_all(&vec![b' '; 2 << 20]).unwrap();
        writer.finish().unwrap();
        file.rewind().unwrap();
        assert!(
            Archive::open(file, 1 << 20, Arc::default()).err().unwrap().detail().contains("unpacks to 2 MiB")
        );
    }
}
