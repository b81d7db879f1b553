//! Names of an archive's entries: which are safe to make files from.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Most entries of an archive: far above any real package.
pub(super) const MAX_ENTRIES: usize = 100_000;

/// Longest name of one file or folder; file systems allow no more.
const MAX_NAME_BYTES: usize = 255;
/// Deepest folder.
const MAX_DEPTH: usize = 40;

/// The problem with a name, and how to fix it.
pub(crate) type Refusal = (&'static str, &'static str);

/// All names so far, with the folders that they imply.
#[derive(Default)]
pub(crate) struct Names {
    /// By the name in lower case: the name, whether it is a folder, and whether it has an entry of its own.
    seen: HashMap<String, SeenEntry>,
}

struct SeenEntry {
    name: String,
    is_folder: bool,
    has_entry: bool,
}

impl Names {
    /// Checks a name against the rules and all names before it, and returns it as a relative path.
    pub(crate) fn add(&mut self, raw: &[u8], is_folder: bool) -> Result<String, Refusal> {
        let name = std::str::from_utf8(raw).map_err(|_| {
            ("has a name that is not UTF-8", "rename it with letters, digits, '.', '-' and '_'")
        })?;
        let name = if is_folder { name.strip_suffix('/').unwrap_or(name) } else { name };
        let parts: Vec<_> = name.split('/').collect();
        if name.starts_with('/') || parts[0].len() == 2 && parts[0].ends_with(':') {
            return Err(("has an absolute path", "pack with paths relative to the package"));
        }
        if parts.len() > MAX_DEPTH {
            return Err(("is nested too deep", "use fewer folders inside each other"));
        }
        for part in &parts {
            if *part == ".." {
                return Err(("leads out of the package by '..'", "pack with paths inside the package"));
            }
            if part.is_empty() || *part == "." || part.len() > MAX_NAME_BYTES {
                return Err(("has an empty, a too long or a '.' name in its path", "pack the folder anew"));
            }
            if part.chars().any(|c| c.is_control() || c == '\\') {
                return Err((
                    "has a backslash or a control character in its name",
                    "rename it, or pack with a tool that writes '/' between folders",
                ));
            }
        }
        for end in 1..parts.len() {
            self.note(&parts[..end].join("/"), true, false)?;
        }
        self.note(name, is_folder, true)?;
        if self.seen.len() > MAX_ENTRIES {
            return Err(("has too many folders and files", "pack only what the package needs"));
        }
        Ok(name.to_owned())
    }

    fn note(&mut self, name: &str, is_folder: bool, has_entry: bool) -> Result<(), Refusal> {
        let seen = match self.seen.entry(name.to_lowercase()) {
            Entry::Vacant(place) => {
                place.insert(SeenEntry { name: name.to_owned(), is_folder, has_entry });
                return Ok(());
            }
            Entry::Occupied(place) => place.into_mut(),
        };
        if seen.name != name {
            return Err((
                "differs from another one only in upper and lower case",
                "rename one: not every system can tell them apart",
            ));
        }
        if seen.is_folder != is_folder {
            return Err(("is a file and a folder at once", "rename one of them"));
        }
        if seen.has_entry && has_entry {
            return Err(("is in the archive twice", "pack the folder anew"));
        }
        seen.has_entry |= has_entry;
        Ok(())
    }
}

/// Returns whether a link at `path` with this target stays inside the package, judged by its text alone.
pub(crate) fn stays_inside(path: &str, target: &str) -> bool {
    if target.is_empty() || target.starts_with('/') || target.contains(['\\', '\0']) {
        return false;
    }
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return false,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    fn check(names: &[(&str, bool)], expect: Result<(), &str>) {
        let mut seen = Names::default();
        let result =
            names.iter().try_for_each(|(name, is_folder)| seen.add(name.as_bytes(), *is_folder).map(drop));
        match (result, expect) {
            (Ok(()), Ok(())) => {}
            (Err((problem, _)), Err(part)) => assert!(problem.contains(part), "{names:?}: {problem}"),
            (result, _) => panic!("{names:?}: {result:?}"),
        }
    }

    #[test]
    fn ordinary_names_are_taken() {
        check(&[("a/", true), ("a/b.in", false), ("c/d/e", false), ("c/", true), ("ä.txt", false)], Ok(()));
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for (name, part) in [
            ("../a", "'..'"),
            ("a/../../b", "'..'"),
            ("/etc/passwd", "absolute"),
            ("C:/x", "absolute"),
            ("a//b", "empty"),
            ("a/./b", "'.'"),
            ("", "empty"),
            ("a\\..\\b", "backslash"),
            ("a\0b", "control"),
            ("a\nb", "control"),
        ] {
            check(&[(name, false)], Err(part));
        }
        check(&[(&"a/".repeat(100), false)], Err("deep"));
        check(&[(&"a".repeat(256), false)], Err("too long"));
        assert!(Names::default().add(b"a\xff", false).is_err());
    }

    #[test]
    fn names_that_collide_are_refused() {
        check(&[("a", false), ("a", false)], Err("twice"));
        check(&[("a/", true), ("a/", true)], Err("twice"));
        check(&[("A.in", false), ("a.in", false)], Err("case"));
        check(&[("Data/x", false), ("data/y", false)], Err("case"));
        check(&[("Ä", false), ("ä", false)], Err("case"));
        check(&[("a", false), ("a/b", false)], Err("at once"));
        check(&[("a/b", false), ("a", false)], Err("at once"));
    }

    #[test]
    fn folders_that_names_imply_count_like_entries() {
        let mut names = Names::default();
        // Each name makes two folders and a file.
        let last = MAX_ENTRIES / 3;
        for number in 0..last {
            names.add(format!("{number}/a/b").as_bytes(), false).unwrap();
        }
        let (problem, _) = names.add(format!("{last}/a/b").as_bytes(), false).unwrap_err();
        assert!(problem.contains("too many folders"), "{problem}");
    }

    #[test]
    fn links_are_measured_by_their_text() {
        for (path, target, inside) in [
            ("a", "b", true),
            ("a/b", "../c", true),
            ("a/b", "../../c", false),
            ("a", "/etc/passwd", false),
            ("a", "", false),
            ("a/b/c", "../../d/../e", true),
            ("a", "b/../../c", false),
        ] {
            assert_eq!(stays_inside(path, target), inside, "{path} -> {target}");
        }
    }

    proptest! {
        #[test]
        fn accepted_names_are_plain_relative_paths(raw in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(name) = Names::default().add(&raw, false) {
                prop_assert!(Path::new(&name).components().all(|part| matches!(part, Component::Normal(_))));
            }
        }

        #[test]
        fn paths_of_dots_and_slashes_never_lead_out(name in "[a./\\\\:]{0,12}") {
            if let Ok(name) = Names::default().add(name.as_bytes(), false) {
                prop_assert!(Path::new("/root").join(&name).starts_with("/root"));
                prop_assert!(!name.split('/').any(|part| part == ".."));
            }
        }
    }
}
