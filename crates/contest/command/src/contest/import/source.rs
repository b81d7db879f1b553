//! A contest package on disk: a folder, or an archive that is unpacked.

use super::whole::is_part;
use anyhow::Context;
use contest_rules::files::{ContestFiles, is_read};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use terminal::failure::{cannot, input, input_with_hint};
use zip::ZipArchive;
use zip::result::ZipError;

/// A larger file at the top of a contest package is none that is read.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Unpacked: 20 GB of problems (CCS requirements).
const UNPACKED_BYTES_MAX: u64 = 24 << 30;
/// An archive that unpacks to more than this many times its size is a bomb, unless that is little.
const RATIO_MAX: u64 = 250;
const RATIO_FLOOR_BYTES: u64 = 256 << 20;
const ENTRIES_MAX: usize = 500_000;

/// Files of what has happened in a contest.
const RESULTS: [&str; 5] = ["state.json", "judgements.json", "runs.json", "awards.json", "commentary.json"];

pub struct Source {
    root: PathBuf,
    /// The folder that was given, or unpacked; nothing outside of it is taken unasked.
    whole: PathBuf,
    unpacked: Option<TempDir>,
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Source {
    /// Reads the files at the top.
    ///
    /// What is outside of a folder is only taken if `outside` says so; for an archive nothing is.
    pub fn open(path: &Path, outside: bool) -> anyhow::Result<Self> {
        let unpacked = if path.is_file() { Some(unpack(path)?) } else { None };
        let given = unpacked.as_ref().map_or(path, |folder| folder.path());
        let failed = || cannot("open", given);
        let whole = given.canonicalize().with_context(failed)?;
        let inside = Some(whole.as_path()).filter(|_| !outside || unpacked.is_some());
        let mut root = given.to_owned();
        let mut files = top(&root, inside)?;
        // An archive often has one folder with everything in it, and PC^2 has the files in a folder `config`.
        for _ in 0..2 {
            if files.keys().any(|name| is_read(name)) {
                break;
            }
            let Some(inner) =
                Some(root.join("config")).filter(|path| path.is_dir()).or_else(|| only_folder(&root))
            else {
                break;
            };
            files = top(&inner, inside)?;
            root = inner;
        }
        if !files.keys().any(|name| is_read(name)) {
            return Err(input_with_hint(
                format!(
                    "{} is not a contest package: it has no contest.yaml, problems.yaml, teams.yaml, ...",
                    path.display()
                ),
                "docs/contest.md lists the files",
            ));
        }
        Ok(Self { root, whole, unpacked, files })
    }

    /// Lists the packages in `problems`, by their names, where no file lists problems.
    pub fn list_packages(&mut self) {
        let is_list = |name: &String| name.starts_with("problems.") || name.starts_with("problemset.");
        let Ok(entries) = std::fs::read_dir(self.root.join("problems")) else { return };
        if self.files.keys().any(is_list) {
            return;
        }
        let id = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.to_owned();
            let is_folder = path.join("problem.yaml").is_file();
            let id = if is_folder { name } else { name.strip_suffix(".zip")?.to_owned() };
            contest_rules::is_id(&id).then_some(id)
        };
        let ids: BTreeSet<String> = entries.flatten().filter_map(|entry| id(entry.path())).collect();
        let list: String = ids.iter().map(|id| format!("- {{id: '{id}'}}\n")).collect();
        if !list.is_empty() {
            self.files.insert("problems.yaml".to_owned(), list.into_bytes());
        }
    }

    /// Returns a warning of what has happened in the contest by files that are read with its submissions only.
    pub fn unread_results(&self) -> Option<String> {
        let is_some = |name: &&str| self.files.get(*name).is_some_and(|bytes| has_results(bytes));
        let names: Vec<&str> = RESULTS.into_iter().filter(is_some).collect();
        (!names.is_empty()).then(|| {
            format!(
                "{}: not read, since there is no submissions.json or event-feed.ndjson: start, thaw and finalize the contest on \
                 the server",
                names.join(", ")
            )
        })
    }

    /// Finds the package of each problem: `problems/ID`, `problems/ID.zip`, `problems/ID/*.zip`, `ID`, `ID.zip`, or what the
    /// file names.
    ///
    /// What is outside of a folder is only taken if `outside` says so; for an archive nothing is.
    pub fn packages(&self, files: &ContestFiles, outside: bool) -> anyhow::Result<BTreeMap<String, PathBuf>> {
        let mut packages = BTreeMap::new();
        for problem in &files.problems {
            if let Some(path) = self.package(problem.id.as_str(), problem.package.as_deref()) {
                if !outside || self.unpacked.is_some() {
                    self.check_inside(problem.id.as_str(), &path)?;
                }
                packages.insert(problem.id.to_string(), path);
            }
        }
        let missing = without_package(files, &packages);
        if missing.is_empty() {
            return Ok(packages);
        }
        Err(input_with_hint(
            format!("these problems have no package: {}", missing.join(", ")),
            format!(
                "put each into {}/problems/ID or problems/ID.zip, or ID at the top, or name it with 'package:'",
                self.root.display()
            ),
        ))
    }

    /// Refuses a path that leads out of the package: otherwise the package's author would choose which of our files is published.
    fn check_inside(&self, id: &str, path: &Path) -> anyhow::Result<()> {
        if real(path)?.starts_with(&self.whole) {
            return Ok(());
        }
        let hint = match self.unpacked {
            Some(_) => "put it into the archive, as problems/ID.zip",
            None => "copy it into the folder, or take it with --outside if the folder is your own",
        };
        Err(input_with_hint(format!("problem '{id}': its package is outside: {}", path.display()), hint))
    }

    fn package(&self, id: &str, named: Option<&str>) -> Option<PathBuf> {
        let is_package = |path: &PathBuf| path.is_file() || path.join("problem.yaml").is_file();
        if let Some(named) = named {
            let paths = [self.root.join(named), self.root.join("problems").join(named)];
            return paths.into_iter().find(is_package);
        }
        let folder = self.root.join("problems").join(id);
        let archive = self.root.join("problems").join(format!("{id}.zip"));
        let inside = || {
            let mut archives = fs::read_dir(&folder).ok()?.flatten().map(|entry| entry.path());
            archives.find(|path| path.extension().is_some_and(|ending| ending == "zip"))
        };
        let at_top = [self.root.join(id), self.root.join(format!("{id}.zip"))];
        let below = [folder.clone(), archive].into_iter().find(is_package).or_else(inside);
        below.or_else(|| at_top.into_iter().find(is_package))
    }
}

/// Returns whether something has happened: an instant of the state is known, or a list has an entry; of awards, one with teams.
fn has_results(bytes: &[u8]) -> bool {
    let has_teams = |entry: &Value| {
        entry.get("team_ids").is_none_or(|ids| ids.as_array().is_some_and(|ids| !ids.is_empty()))
    };
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(values)) => values.values().any(|value| !value.is_null()),
        Ok(Value::Array(entries)) => entries.iter().any(has_teams),
        _ => true,
    }
}

fn only_folder(root: &Path) -> Option<PathBuf> {
    let mut folders =
        fs::read_dir(root).ok()?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.next().filter(|_| folders.next().is_none())
}

fn real(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| cannot("open", path))
}

/// Reads the files at the top of a folder, which do not lead out of another one, if so wanted.
fn top(root: &Path, inside: Option<&Path>) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let entries = fs::read_dir(root).with_context(|| cannot("open", root))?;
    for entry in entries {
        let path = entry.with_context(|| cannot("list", root))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || path.is_dir() {
            continue;
        }
        if !path.is_file() {
            if is_read(&name) {
                return Err(input(format!(
                    "{} is not an ordinary file: replace or remove it",
                    path.display()
                )));
            }
            continue;
        }
        if is_read(&name)
            && let Some(inside) = inside
            && !real(&path)?.starts_with(inside)
        {
            return Err(input_with_hint(
                format!("{} leads out of the folder", path.display()),
                "copy it into the folder, or take it with --outside if the folder is your own",
            ));
        }
        let failed = || cannot("read", &path);
        let file = File::open(&path).with_context(failed)?;
        if file.metadata().with_context(failed)?.len() > FILE_BYTES_MAX {
            if is_read(&name) {
                return Err(input(format!("{} is larger than {} MiB", path.display(), FILE_BYTES_MAX >> 20)));
            }
            continue;
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).with_context(failed)?;
        files.insert(name, bytes);
    }
    Ok(files)
}

/// Makes the error of a file that cannot be opened as an archive.
pub(super) fn no_archive(path: &Path, error: ZipError) -> anyhow::Error {
    if let ZipError::Io(error) = error {
        return anyhow::Error::new(error).context(cannot("read", path));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = path.display();
    if is_read(&name) || is_part(&name) {
        input_with_hint(
            format!("{file} is not a ZIP archive: {name} is a file of a package"),
            "give the folder that it is in",
        )
    } else {
        input_with_hint(
            format!("{file} is not a ZIP archive ({error})"),
            "expected the folder of a contest package, or that folder as a ZIP archive",
        )
    }
}

fn unpack(path: &Path) -> anyhow::Result<TempDir> {
    let failed = || cannot("unpack", path);
    let file = File::open(path).with_context(|| cannot("open", path))?;
    let size = file.metadata().with_context(failed)?.len();
    let mut archive = ZipArchive::new(file).map_err(|error| no_archive(path, error))?;
    if archive.len() > ENTRIES_MAX {
        return Err(input(format!("{} has more than {ENTRIES_MAX} entries", path.display())));
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut left = UNPACKED_BYTES_MAX.min(size.saturating_mul(RATIO_MAX).max(RATIO_FLOOR_BYTES));
    for at in 0..archive.len() {
        let entry = archive.by_index(at).with_context(failed)?;
        // Names that lead out of the folder have none.
        let Some(name) = entry.enclosed_name() else { continue };
        if entry.is_dir() || entry.is_symlink() {
            continue;
        }
        let target = folder.path().join(name);
        fs::create_dir_all(target.parent().unwrap_or(folder.path())).with_context(failed)?;
        let mut file = File::create(&target).with_context(failed)?;
        let copied =
            std::io::copy(&mut entry.take(left.saturating_add(1)), &mut file).with_context(failed)?;
        left = left
            .checked_sub(copied)
            .ok_or_else(|| input(format!("{} unpacks to too much", path.display())))?;
    }
    Ok(folder)
}

/// Returns the problems of the files that have no package.
pub(super) fn without_package<'f>(
    files: &'f ContestFiles,
    packages: &BTreeMap<String, std::path::PathBuf>,
) -> Vec<&'f str> {
    files
        .problems
        .iter()
        .map(|problem| problem.id.as_str())
        .filter(|id| !packages.contains_key(*id))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use terminal::failure::Failure;

    fn files(package: &str) -> BTreeMap<String, Vec<u8>> {
        let problems = format!("- {{id: p, label: A, package: {package}}}\n");
        BTreeMap::from([("problems.yaml".to_owned(), problems.into_bytes())])
    }

    #[test]
    fn packages_are_the_problems_where_no_file_lists_problems() {
        let room = tempfile::tempdir().unwrap();
        let check = |list: Option<&str>, expect: Option<&str>| {
            let folder = tempfile::tempdir_in(&room).unwrap();
            fs::write(folder.path().join("contest.yaml"), "id: demo\n").unwrap();
            for name in ["pears", "apples", "not an id", "empty"] {
                fs::create_dir_all(folder.path().join("problems").join(name)).unwrap();
            }
            for file in ["pears/problem.yaml", "apples/problem.yaml", "not an id/problem.yaml", "figs.zip"] {
                fs::write(folder.path().join("problems").join(file), "").unwrap();
            }
            if let Some(name) = list {
                fs::write(folder.path().join(name), "[]").unwrap();
            }
            let mut source = Source::open(folder.path(), false).unwrap();
            source.list_packages();
            let list = source.files.get("problems.yaml").map(|bytes| String::from_utf8_lossy(bytes));
            assert_eq!(list.as_deref(), expect);
        };
        check(None, Some("- {id: 'apples'}\n- {id: 'figs'}\n- {id: 'pears'}\n"));
        check(Some("problemset.yaml"), None);
        check(Some("problems.yaml"), Some("[]"));
    }

    #[test]
    fn results_without_submissions_are_reported() {
        let room = tempfile::tempdir().unwrap();
        let check = |files: &[(&str, &str)], expect: Option<&str>| {
            let folder = tempfile::tempdir_in(&room).unwrap();
            fs::write(folder.path().join("contest.yaml"), "id: demo\n").unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            let warning = Source::open(folder.path(), false).unwrap().unread_results();
            assert_eq!(
                warning.as_deref().and_then(|text| text.split_once(": ")).map(|(names, _)| names),
                expect
            );
        };
        check(&[], None);
        check(&[("state.json", r#"{"started": null, "ended": null}"#), ("runs.json", "[]")], None);
        check(
            &[("awards.json", r#"[{"id": "winner", "team_ids": []}, {"id": "hat", "team_ids": null}]"#)],
            None,
        );
        let state = ("state.json", r#"{"started": null, "finalized": "2026-11-23T14:00:00.000Z"}"#);
        check(&[state], Some("state.json"));
        let awards = ("awards.json", r#"[{"id": "winner", "citation": "x", "team_ids": ["1"]}]"#);
        check(
            &[state, awards, ("commentary.json", "no list")],
            Some("state.json, awards.json, commentary.json"),
        );
    }

    #[test]
    fn a_package_names_nothing_outside() {
        let room = tempfile::tempdir().unwrap();
        let secret = room.path().join("secret");
        let folder = room.path().join("spring");
        for (path, file) in [(&secret, "problem.yaml"), (&folder.join("own"), "problem.yaml")] {
            fs::create_dir_all(path).unwrap();
            fs::write(path.join(file), "name: P\n").unwrap();
        }
        std::os::unix::fs::symlink(&secret, folder.join("link")).unwrap();
        let absolute = secret.display().to_string();
        let up = format!("{}{absolute}", "../".repeat(20));
        for (name, is_inside) in
            [("own", true), ("../secret", false), ("link", false), (&absolute, false), (&up, false)]
        {
            let (read, _) = contest_rules::files::read(&files(name));
            fs::write(folder.join("problems.yaml"), &files(name)["problems.yaml"]).unwrap();
            let source = Source::open(&folder, false).unwrap();
            assert_eq!(source.packages(&read, false).is_ok(), is_inside, "{name}");
            assert!(source.packages(&read, true).is_ok(), "{name}");
            let zip = room.path().join("spring.zip");
            let mut writer = zip::ZipWriter::new(File::create(&zip).unwrap());
            writer.start_file("problems.yaml", zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(&files(name)["problems.yaml"]).unwrap();
            writer.finish().unwrap();
            let source = Source::open(&zip, true).unwrap();
            assert!(source.packages(&read, true).is_err(), "{name}");
        }
    }

    #[test]
    fn packages_lie_where_other_systems_put_them() {
        let room = tempfile::tempdir().unwrap();
        let config = room.path().join("sample/config");
        for folder in ["upper", "problems/lower"] {
            fs::create_dir_all(config.join(folder)).unwrap();
            fs::write(config.join(folder).join("problem.yaml"), "name: P\n").unwrap();
        }
        let list = "problemset:\n- {short-name: upper}\n- {short-name: lower}\n- {short-name: upper}\n";
        fs::write(config.join("problemset.yaml"), list).unwrap();
        let source = Source::open(&room.path().join("sample"), false).unwrap();
        let (read, _) = contest_rules::files::read(&source.files);
        let packages = source.packages(&read, false).unwrap();
        let found: Vec<_> =
            packages.iter().map(|(id, path)| (id.as_str(), path.strip_prefix(&config).unwrap())).collect();
        let expected = [("lower", "problems/lower"), ("upper", "upper"), ("upper-2", "upper")];
        assert_eq!(found, expected.map(|(id, path)| (id, Path::new(path))));
    }

    #[test]
    fn files_at_the_top_lead_nowhere_else() {
        let room = tempfile::tempdir().unwrap();
        let other = room.path().join("other/config");
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("contest.yaml"), "id: secret\n").unwrap();
        let folder = room.path().join("spring");
        fs::create_dir(&folder).unwrap();
        let check = |link: &str, target: &Path| {
            std::os::unix::fs::symlink(target, folder.join(link)).unwrap();
            let error = Source::open(&folder, false).err().unwrap().to_string();
            assert!(error.contains("leads out of the folder"), "{link}: {error}");
            assert_eq!(Source::open(&folder, true).unwrap().files.len(), 1, "{link}");
            fs::remove_file(folder.join(link)).unwrap();
        };
        check("groups.yaml", &other.join("contest.yaml"));
        check("config", &other);
    }

    #[test]
    fn archive_bomb_is_refused() {
        let room = tempfile::tempdir().unwrap();
        let zip = room.path().join("bomb.zip");
        let mut writer = zip::ZipWriter::new(File::create(&zip).unwrap());
        writer.start_file("problems/a.zip", zip::write::SimpleFileOptions::default()).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(RATIO_FLOOR_BYTES + 1), &mut writer).unwrap();
        writer.finish().unwrap();
        assert!(Source::open(&zip, false).err().unwrap().to_string().contains("unpacks to too much"));
    }

    #[test]
    fn file_that_is_no_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "- id: a\n").unwrap();
            let error = Source::open(&path, false).err().unwrap();
            Failure::of(&error).words().replace(&folder.path().display().to_string(), "DIR")
        };
        let words = message("accounts.yaml");
        assert!(
            words.contains("DIR/accounts.yaml is not a ZIP archive: accounts.yaml is a file of a package"),
            "{words}"
        );
        assert!(words.contains("give the folder that it is in"), "{words}");
        let words = message("contest.tar");
        assert!(words.contains("DIR/contest.tar is not a ZIP archive ("), "{words}");
        assert!(words.contains("expected the folder of a contest package"), "{words}");
    }
}
