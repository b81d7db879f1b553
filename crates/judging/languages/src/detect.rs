//! Detects a submission's language.

use super::plan::dotted;
use super::source::{SourceFile, check_files};
use super::{Language, LanguageError, Languages};
use std::collections::BTreeSet;

/// Only the beginning of a file is searched for signs of its language.
const LINES_READ_MAX: usize = 400;

impl Languages {
    /// Returns the language of the files, by extension; if two languages share an extension, by the `#!` line, by which
    /// has more signs in the content, or by the other files.
    ///
    /// Files of no language (data, notes) are ignored.
    ///
    /// # Errors
    ///
    /// When the files are in no known language, in several, or in one that tauto no longer judges; all of it is the
    /// submission's fault.
    pub fn detect(&self, files: &[SourceFile]) -> Result<&Language, LanguageError> {
        check_files(files)?;
        let claims: Vec<Claim<'_, '_>> = files.iter().filter_map(|file| self.claim(file)).collect();
        let decided: BTreeSet<&str> =
            claims.iter().filter(|claim| claim.certain).map(|claim| claim.language.id.as_str()).collect();
        let mut first: Option<(&SourceFile, &Language)> = None;
        for claim in &claims {
            let other = claim.others.iter().find(|other| decided.contains(other.id.as_str()));
            let language = match other {
                Some(other) if !claim.certain && !decided.contains(claim.language.id.as_str()) => other,
                _ => claim.language,
            };
            match first {
                None => first = Some((claim.file, language)),
                Some((file, known)) if known.id != language.id => {
                    return Err(LanguageError::Mixed {
                        first: file.name.clone(),
                        first_language: known.name.clone(),
                        second: claim.file.name.clone(),
                        second_language: language.name.clone(),
                    });
                }
                Some(_) => {}
            }
        }
        match first {
            Some((_, language)) => language.not_gone(),
            None => Err(self.nothing_known(files)),
        }
    }

    fn claim<'l, 'f>(&'l self, file: &'f SourceFile) -> Option<Claim<'l, 'f>> {
        let extension = file.extension();
        let owns = |language: &&Language| language.extensions.iter().any(|own| own == extension);
        let owner = self.by_id.values().find(owns);
        let is_rival = |language: &&Language| language.shares(extension) && !owns(language);
        let others: Vec<&Language> = self.by_id.values().filter(is_rival).collect();
        // The owner of the extension comes first, and wins unless another has more signs.
        let candidates: Vec<&Language> = owner.into_iter().chain(others.iter().copied()).collect();
        let &first = candidates.first()?;
        if others.is_empty() {
            return Some(Claim { file, language: first, certain: true, others });
        }
        let shown = match LanguageHint::of(file) {
            LanguageHint::Interpreter(program) => {
                candidates.iter().find(|language| language.is_run_by(&program)).copied()
            }
            LanguageHint::Content(text) => {
                let points: Vec<usize> = candidates.iter().map(|language| language.points(&text)).collect();
                let most = points.iter().max().copied().filter(|most| *most > 0);
                let language = most.and_then(|most| points.iter().position(|points| *points == most));
                language.map(|at| candidates[at])
            }
        };
        Some(Claim { file, language: shown.unwrap_or(first), certain: shown.is_some(), others })
    }

    fn nothing_known(&self, files: &[SourceFile]) -> LanguageError {
        let companion = |file: &&SourceFile| {
            self.iter().any(|language| language.companions.iter().any(|own| own == file.extension()))
        };
        if let Some(file) = files.iter().find(companion) {
            let languages =
                self.iter().filter(|language| language.companions.iter().any(|own| own == file.extension()));
            let extensions = languages.flat_map(|language| language.extensions.iter().map(String::as_str));
            return LanguageError::OnlyCompanions { name: file.name.clone(), expected: dotted(extensions) };
        }
        let known: BTreeSet<&str> =
            self.iter().flat_map(|language| language.all_extensions().map(String::as_str)).collect();
        let name = &files[0].name;
        let extension = files[0].extension();
        let near = known
            .iter()
            .map(|known| {
                (strsim::damerau_levenshtein(&extension.to_lowercase(), &known.to_lowercase()), known)
            })
            .min()
            // A hint that has nothing in common with the extension would mislead.
            .filter(|(distance, _)| *distance <= 1 && extension.len() > *distance);
        LanguageError::UnknownExtension {
            name: name.clone(),
            suggestion: near.map(|(_, known)| (*known).to_owned()),
            known: dotted(known.into_iter()),
        }
    }
}

/// The possible languages of one file, judged by itself.
struct Claim<'l, 'f> {
    file: &'f SourceFile,
    language: &'l Language,
    /// Whether no other language is possible.
    certain: bool,
    others: Vec<&'l Language>,
}

/// What identifies the language of a file whose extension does not.
enum LanguageHint {
    /// The `#!` line names this program, which takes precedence over the content.
    Interpreter(String),
    Content(String),
}

impl LanguageHint {
    fn of(file: &SourceFile) -> Self {
        let text = file.text();
        match interpreter(&text) {
            Some(program) => Self::Interpreter(program.to_owned()),
            None => Self::Content(text.lines().take(LINES_READ_MAX).collect::<Vec<_>>().join("\n")),
        }
    }
}

impl Language {
    /// Returns whether files of this language may have another language's extension. A variant is used only on request.
    fn shares(&self, extension: &str) -> bool {
        let shared = self.shared.iter().flat_map(|shared| &shared.extensions);
        self.variant_of.is_none() && shared.into_iter().any(|own| own == extension)
    }

    /// Returns whether a program of a `#!` line belongs to this language.
    fn is_run_by(&self, interpreter: &str) -> bool {
        // `perl5.36` means perl, and `python2.7` python2.
        let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
        let interpreters = self.shared.iter().flat_map(|shared| &shared.interpreters);
        interpreters.into_iter().any(|known| interpreter.strip_prefix(known.as_str()).is_some_and(is_version))
    }

    /// Counts the signs of this language in a file's content.
    fn points(&self, text: &str) -> usize {
        let Some(shared) = &self.shared else { return 0 };
        let starts = |line: &&str| {
            let line = line.trim_start();
            shared.line_starts.iter().any(|start| line.starts_with(start.as_str()))
        };
        let lines = text.lines().filter(starts).count();
        if shared.marks.is_empty() && shared.ends.is_empty() {
            return lines;
        }
        let syntax = &self.syntax;
        let code = syntax.words(text);
        let marks: usize = shared.marks.iter().map(|mark| syntax.count(&code, mark)).sum();
        let ends = code.last().is_some_and(|last| shared.ends.iter().any(|end| last.is(end)));
        lines + marks + usize::from(ends)
    }
}

/// Returns the base name of the program in a `#!` line, seen through `env`.
fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    match words.next()? {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('=')),
        program => Some(program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(files: &[(&str, &str)]) -> Result<String, String> {
        let files: Vec<SourceFile> = files
            .iter()
            .map(|(name, text)| SourceFile { name: (*name).to_owned(), bytes: text.as_bytes().to_vec() })
            .collect();
        Languages::builtin()
            .detect(&files)
            .map(|language| language.id.clone())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_extension_means_its_language() {
        let languages = Languages::builtin();
        for language in languages.iter() {
            for extension in &language.extensions {
                assert_eq!(detect(&[(&format!("a.{extension}"), "")]).as_deref(), Ok(language.id.as_str()));
            }
        }
        assert_eq!(detect(&[("a.C", "")]).as_deref(), Ok("cpp"));
    }

    #[test]
    fn headers_and_data_go_along() {
        assert_eq!(detect(&[("a.h", ""), ("a.c", "")]).as_deref(), Ok("c"));
        assert_eq!(detect(&[("a.h", ""), ("sub/a.cc", "")]).as_deref(), Ok("cpp"));
        assert_eq!(detect(&[("table.txt", ""), ("Makefile", ""), ("a.py", "")]).as_deref(), Ok("python3"));
    }

    #[test]
    fn shared_extensions_are_distinguished() {
        for (name, text, expected) in [
            ("a.sh", "echo", "bash"),
            ("a.sh", "#!/bin/bash\n", "bash"),
            ("a.sh", "#!/bin/sh\n", "sh"),
            ("a.sh", "#!/usr/bin/env -S dash -e\n", "sh"),
            ("a.pl", ":- initialization(main).", "prolog"),
            ("a.pl", "main :- read(X), print(X).", "prolog"),
            ("a.pl", "#!/usr/bin/perl -w\n", "perl"),
            ("a.pl", "#!/usr/bin/env perl5.36\n", "perl"),
            ("a.pl", "#!/usr/bin/swipl\nmy $x", "prolog"),
            ("a.pl", "\n  my ($a, $b) = split ' ', <>;", "perl"),
            ("a.pl", "use strict;\n", "perl"),
            ("a.pl", "my($a,$b)=split(/ /,<STDIN>);print($a+$b);", "perl"),
            ("a.pl", "($a, $b) = split / /, <>;\nif ($a) { print($b) }\n", "perl"),
            ("a.pl", "# a(X) :- b(X).\nprint 3; # ends.\n", "perl"),
            ("a.pl", "print $x ? 1 :-1;\n", "perl"),
            ("a.pl", "/*\n use this to add\n for all\n*/\na(1).\nb(X) :- a(X).\nc :- b(2).\n", "prolog"),
            ("a.pl", "a(1).\nb(1).\n% for all; see below;\n", "prolog"),
            ("a.pl", "greeting --> [hello], name.\nname --> [_].\n", "prolog"),
            ("a.pl", "", "prolog"),
        ] {
            assert_eq!(detect(&[(name, text)]).as_deref(), Ok(expected), "{name}: {text}");
        }
        assert_eq!(detect(&[("main.pl", "print 1;"), ("Util.pm", "")]).as_deref(), Ok("perl"));
        assert_eq!(detect(&[("a.pl", "a(1)."), ("b.pl", "main :- a(X).")]).as_deref(), Ok("prolog"));
    }

    #[test]
    fn every_extension_of_the_lists_is_known() {
        // The extensions in DOMjudge, the package format and CLICS of the languages that tauto judges.
        for (extensions, id) in [
            ("adb ads", "ada"),
            ("awk", "awk"),
            ("sh bash", "bash"),
            ("c", "c"),
            ("cc cpp cxx c++ C", "cpp"),
            ("cs csharp", "csharp"),
            ("f90 f95", "fortran"),
            ("f for", "fortran77"),
            ("go", "go"),
            ("hs lhs", "haskell"),
            ("java", "java"),
            ("js", "javascript"),
            ("kt", "kotlin"),
            ("lisp cl", "lisp"),
            ("lua", "lua"),
            ("ml", "ocaml"),
            ("pas p", "pascal"),
            ("pm", "perl"),
            ("php", "php"),
            ("pl plg", "prolog"),
            ("py py3", "python3"),
            ("R", "r"),
            ("rb", "ruby"),
            ("rs", "rust"),
            ("scala sc", "scala"),
            ("swift", "swift"),
            ("ts", "typescript"),
        ] {
            for extension in extensions.split(' ') {
                assert_eq!(detect(&[(&format!("a.{extension}"), "")]).as_deref(), Ok(id), "{extension}");
            }
        }
    }

    #[test]
    fn python_2_is_never_taken_for_python_3() {
        for files in [
            &[("a.py2", "print 1")][..],
            &[("a.py", "#!/usr/bin/env python2\nprint 1")],
            &[("a.py", "#!/usr/bin/python2.7\n")],
            &[("a.py", "#!/usr/bin/pypy2\n")],
            &[("a.py", "#!/usr/bin/python2\n"), ("b.py", "x = 1\n")],
        ] {
            let error = detect(files).unwrap_err();
            assert!(error.starts_with("Python 2 is judged no longer: "), "{error}");
        }
        for text in ["", "#!/usr/bin/python\n", "#!/usr/bin/env python3\n", "#!/usr/bin/pypy3\n"] {
            assert_eq!(detect(&[("a.py", text)]).as_deref(), Ok("python3"), "{text}");
        }
    }

    #[test]
    fn undecided_cases_are_explained_in_a_sentence() {
        assert_eq!(
            detect(&[("a.c", ""), ("b.cpp", "")]).unwrap_err(),
            "'a.c' is C and 'b.cpp' is C++; a submission must be in one language"
        );
        let unknown = detect(&[("a.pyy", "")]).unwrap_err();
        assert!(
            unknown
                .starts_with("'a.pyy' is in no known language (did you mean .py?); known extensions: .C, ")
        );
        let unknown = detect(&[("README", "")]).unwrap_err();
        assert!(unknown.starts_with("'README' is in no known language; known extensions: "), "{unknown}");
        let header = detect(&[("a.h", "")]).unwrap_err();
        assert!(
            header.starts_with(
                "'a.h' belongs to another source file and there is none; add one that ends in .c"
            ),
            "{header}"
        );
        assert!(detect(&[]).is_err());
        assert!(detect(&[("../a.c", "")]).is_err());
    }
}
