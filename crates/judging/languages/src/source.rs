//! The files of a submission, and which names are allowed.

use super::error::FILES_MAX;
use super::jvm::simple_name;
use super::language::{EntryRule, JvmLanguage};
use super::template::BINARY_NAME;
use super::{Language, LanguageError};
use model::SOURCE_NAMES_BYTES_MAX;
use std::collections::BTreeSet;
use std::ffi::OsStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name relative to the submission, with `/` between folders.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// No file system that tauto writes to accepts a longer component.
const NAME_COMPONENT_MAX_BYTES: usize = 255;
/// Paths get a prefix where files are written, and must stay short enough to be opened.
const NAME_MAX_BYTES: usize = 1024;
/// Maximum depth of a submission's file: far more than any package of classes has.
pub const DEPTH_MAX: usize = 32;

impl SourceFile {
    /// Makes a file with a name of the file system.
    ///
    /// # Errors
    ///
    /// When the name is not UTF-8: it could be neither passed to a compiler nor shown.
    pub fn from_os(name: &OsStr, bytes: Vec<u8>) -> Result<Self, LanguageError> {
        match name.to_str() {
            Some(name) => Ok(Self { name: name.to_owned(), bytes }),
            None => Err(LanguageError::FileName {
                name: name.to_string_lossy().into_owned(),
                problem: "is not UTF-8; rename it",
            }),
        }
    }

    /// Returns the text after the last dot of the base name, or an empty text.
    pub fn extension(&self) -> &str {
        split_name(&self.name).1
    }

    /// Returns the base name without its extension.
    pub(super) fn stem(&self) -> &str {
        split_name(&self.name).0
    }

    /// Returns the content as text; invalid UTF-8 is replaced, since only words are searched for.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

fn split_name(name: &str) -> (&str, &str) {
    let base = name.rsplit('/').next().unwrap_or(name);
    match base.rsplit_once('.') {
        // A leading dot hides a file; it does not start an extension.
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (base, ""),
    }
}

impl Language {
    /// Gives files of a submission that is known to be in this language the extension that its compiler expects, where no file has
    /// one: those that have it in other letters' cases, or else the only file. Returns the files and the new name of the entry point.
    pub fn adopt(
        &self,
        mut files: Vec<SourceFile>,
        entry_point: Option<String>,
    ) -> (Vec<SourceFile>, Option<String>) {
        let known = |extension: &str| self.all_extensions().any(|own| own == extension);
        let Some(usual) = self.extensions.first() else { return (files, entry_point) };
        if files.iter().any(|file| known(file.extension())) {
            return (files, entry_point);
        }
        let same = |file: &SourceFile| {
            let extension = file.extension();
            self.all_extensions().find(|own| own.eq_ignore_ascii_case(extension)).cloned()
        };
        let is_only = files.len() == 1;
        let mut entry_point = entry_point;
        for file in &mut files {
            let Some(extension) = same(file).or_else(|| is_only.then(|| usual.clone())) else { continue };
            let own = file.extension().len();
            let stem = &file.name[..file.name.len() - own - usize::from(own > 0)];
            let named =
                SourceFile { name: format!("{stem}.{extension}"), bytes: std::mem::take(&mut file.bytes) };
            let named = SourceFile { name: self.name_by_class(&named), ..named };
            if entry_point.as_ref() == Some(&file.name) {
                entry_point = Some(named.name.clone());
            }
            *file = named;
        }
        (files, entry_point)
    }

    /// Returns the name that a file must have whose main class is public.
    fn name_by_class(&self, file: &SourceFile) -> String {
        let EntryRule::MainClass(rule) = &self.entry else { return file.name.clone() };
        let found = rule.rules.main_class(&self.name, &self.syntax, &[file], &rule.default);
        match (rule.rules, found) {
            (JvmLanguage::Java, Ok(class)) if !file.name.contains('/') => {
                format!("{}.{}", simple_name(&class), file.extension())
            }
            _ => file.name.clone(),
        }
    }
}

/// Checks number and names of a submission's files.
pub(super) fn check_files(files: &[SourceFile]) -> Result<(), LanguageError> {
    if files.is_empty() {
        return Err(LanguageError::Empty);
    }
    if files.len() > FILES_MAX {
        return Err(LanguageError::TooManyFiles { count: files.len() });
    }
    let bytes = files.iter().map(|file| file.name.len()).sum();
    if bytes > SOURCE_NAMES_BYTES_MAX {
        return Err(LanguageError::LongNames { bytes });
    }
    check_names(files)
}

/// Checks that the files of a submission can be written under their names.
pub fn check_names(files: &[SourceFile]) -> Result<(), LanguageError> {
    let mut seen = BTreeSet::new();
    for file in files {
        if let Some(problem) = name_problem(&file.name) {
            return Err(LanguageError::FileName { name: file.name.escape_debug().to_string(), problem });
        }
        if !seen.insert(file.name.as_str()) {
            return Err(LanguageError::SameName { name: file.name.clone() });
        }
    }
    for file in files {
        let mut folders = file.name.match_indices('/').map(|(end, _)| &file.name[..end]);
        if let Some(folder) = folders.find(|folder| seen.contains(folder)) {
            return Err(LanguageError::FileAndFolder { file: folder.to_owned(), below: file.name.clone() });
        }
    }
    Ok(())
}

fn name_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("is empty; give the file a name");
    }
    if name.starts_with('/') {
        return Some("is absolute; give it relative to the submission's folder");
    }
    if name.chars().any(char::is_control) {
        return Some("holds a control character; rename it");
    }
    if name.contains('\\') {
        return Some("holds a backslash; separate folders by '/'");
    }
    if name.len() > NAME_MAX_BYTES {
        return Some("is longer than 1024 bytes with its folders; shorten it");
    }
    if name.split('/').count() > DEPTH_MAX {
        return Some("is more than 31 folders deep; nest less");
    }
    if name == BINARY_NAME {
        return Some("is kept for the compiled program; rename it");
    }
    for component in name.split('/') {
        match component {
            "" | "." => {
                return Some("has an empty folder name; write a/b.c instead of a//b.c or ./b.c");
            }
            ".." => return Some("leads out of the submission by '..'; put the file inside"),
            _ if component.len() > NAME_COMPONENT_MAX_BYTES => {
                return Some("is longer than 255 bytes; shorten it");
            }
            // Compilers would take these for options or for files with arguments.
            _ if component.starts_with(['-', '@']) => {
                return Some("starts with '-' or '@', which compilers take for an option; rename it");
            }
            // GCC takes such a file, or one in such a folder, in place of the header, and continues with the memory in it.
            _ if component.ends_with(".gch") => {
                return Some("is a precompiled header, which is not compiled again; give the header itself");
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Languages};
    use model::Bytes;
    use std::os::unix::ffi::OsStrExt;

    fn file(name: &str) -> SourceFile {
        SourceFile { name: name.to_owned(), bytes: Vec::new() }
    }

    #[test]
    fn names_that_escape_or_confuse_are_refused() {
        for (name, word) in [
            ("", "empty"),
            ("/etc/passwd.c", "absolute"),
            ("../a.c", ".."),
            ("a/../b.c", ".."),
            ("a//b.c", "empty folder"),
            ("./a.c", "empty folder"),
            ("-o.c", "option"),
            ("sub/@a.c", "option"),
            ("a.h.gch", "precompiled"),
            ("a.h.gch/any", "precompiled"),
            ("a\n.c", "control"),
            ("a\\b.c", "backslash"),
            ("program.bin", "kept"),
        ] {
            let message = check_files(&[file(name)]).unwrap_err().to_string();
            assert!(message.contains(word), "{name}: {message}");
        }
        assert!(check_files(&[file(&"x".repeat(256))]).is_err());
        assert!(check_files(&[file("a b/ünï.c"), file("program.bin.c")]).is_ok());
    }

    #[test]
    fn number_and_doubles_are_checked() {
        assert_eq!(
            check_files(&[]).unwrap_err().to_string(),
            "the submission is empty; it needs at least one source file"
        );
        assert_eq!(
            check_files(&[file("a.c"), file("a.c")]).unwrap_err().to_string(),
            "two files are named 'a.c'; rename one"
        );
        let many: Vec<_> = (0..=FILES_MAX).map(|number| file(&format!("{number}.c"))).collect();
        assert!(check_files(&many).unwrap_err().to_string().contains("files; at most"));
        assert!(check_files(&many[1..]).is_ok());
    }

    #[test]
    fn names_that_could_not_be_laid_out_are_refused() {
        let deep = |folders: usize| file(&format!("{}a.c", "d/".repeat(folders)));
        assert!(check_files(&[deep(31)]).is_ok());
        assert!(check_files(&[deep(32)]).unwrap_err().to_string().contains("31 folders deep"));
        let long = file(&format!("{0}/{0}/{0}/{0}/{0}/a.c", "x".repeat(204)));
        assert!(check_files(&[long]).unwrap_err().to_string().contains("longer than 1024 bytes"));
        let many: Vec<_> = (0..80).map(|number| file(&format!("{}{number}.c", "x".repeat(250)))).collect();
        assert_eq!(
            check_files(&many).unwrap_err().to_string(),
            "the names of the files have 20310 bytes together, at most 16384 are possible; shorten them"
        );
        // Files that the problem adds to a submission are checked with it.
        for (one, other) in [("grader.h", "grader.h/x.c"), ("a/b", "a/b/c/d.c")] {
            let reported = format!(
                "'{one}' is a file, of the submission or of the problem, so '{other}' cannot lie below it; rename one"
            );
            assert_eq!(check_files(&[file(one), file(other)]).unwrap_err().to_string(), reported);
            assert_eq!(check_files(&[file(other), file(one)]).unwrap_err().to_string(), reported);
        }
        assert!(check_files(&[file("a.c"), file("a.c.d/b.c"), file("a/b.c")]).is_ok());
    }

    #[test]
    fn names_that_are_not_text_are_refused() {
        let error = SourceFile::from_os(OsStr::from_bytes(b"a\xff.c"), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("is not UTF-8"), "{error}");
        assert!(error.is_submission_fault());
    }

    #[test]
    fn extensions_come_from_the_base_name() {
        for (name, extension, stem) in
            [("a.b/c.tar.cc", "cc", "c.tar"), ("a.b/c", "", "c"), (".c", "", ".c"), ("x.C", "C", "x")]
        {
            assert_eq!((file(name).extension(), file(name).stem()), (extension, stem), "{name}");
        }
    }

    #[test]
    fn a_named_language_decides_whatever_the_extension() {
        let languages = Languages::builtin();
        let adopted = |id: &str, name: &str, text: &str, entry: Option<&str>| {
            let file = SourceFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
            let language = languages.get(id).unwrap();
            let (files, entry) = language.adopt(vec![file], entry.map(str::to_owned));
            assert_eq!(files[0].bytes, text.as_bytes());
            language
                .prepare(&files, Entry { main: entry.clone(), ..Entry::default() }, Bytes::from_mib(64))
                .unwrap();
            (files[0].name.clone(), entry)
        };
        for (id, name, text, expected) in [
            ("python3", "sol.txt", "", "sol.py"),
            ("python3", "SOL.PY", "", "SOL.py"),
            ("python3", "sol.py", "", "sol.py"),
            ("c", "SOL.C", "", "SOL.c"),
            ("cpp", "SOL.CPP", "", "SOL.cpp"),
            ("cpp", "SOL", "", "SOL.cc"),
            ("cpp", "a/SOL.C", "", "a/SOL.C"),
            (
                "java",
                "MAIN.JAVA",
                "public class Main { public static void main(String[] a) {} }",
                "Main.java",
            ),
        ] {
            assert_eq!(adopted(id, name, text, None).0, expected, "{id} {name}");
        }
        assert_eq!(adopted("python3", "sol.txt", "", Some("sol.txt")).1.as_deref(), Some("sol.py"));
        // Of several files only those with the extension in other cases are sources.
        let files = ["A.PY", "data.txt"].map(file).to_vec();
        let (files, _) = languages.get("python3").unwrap().adopt(files, None);
        assert_eq!(files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["A.py", "data.txt"]);
    }
}
