//! Which language a submission is in.

use super::plan::dotted;
use super::source::{SourceFile, check_files};
use super::{Language, LanguageError, Languages};
use std::collections::BTreeSet;

/// Only the start of a file is looked at for a `#!` line and telling line starts.
const LINES_READ_MAX: usize = 400;

impl Languages {
    /// Says in which language the files are, by extension; where two languages share an extension,
    /// by the other files, the `#!` line, or the starts of lines.
    ///
    /// Files of no language (data, notes) go along with the others.
    ///
    /// # Errors
    ///
    /// When the files are in no known language or in several; all of it is the submission's fault.
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
            Some((_, language)) => Ok(language),
            None => Err(self.nothing_known(files)),
        }
    }

    fn claim<'l, 'f>(&'l self, file: &'f SourceFile) -> Option<Claim<'l, 'f>> {
        let extension = file.extension();
        let owner = self.iter().find(|language| language.extensions.iter().any(|own| own == extension));
        let sharing = self.iter().filter(|language| language.shares(extension)).collect::<Vec<_>>();
        if let Some(language) = sharing.iter().find(|language| language.recognises(file)) {
            return Some(Claim { file, language, certain: true, others: Vec::new() });
        }
        match owner {
            Some(language) => Some(Claim { file, language, certain: sharing.is_empty(), others: sharing }),
            // Without an owner, the first that shares it has no rival that proved itself.
            None => sharing.first().map(|&language| Claim {
                file,
                language,
                certain: false,
                others: sharing.clone(),
            }),
        }
    }

    fn nothing_known(&self, files: &[SourceFile]) -> LanguageError {
        let companion = |file: &&SourceFile| {
            self.iter()
                .any(|language| language.definition.companions.iter().any(|own| own == file.extension()))
        };
        if let Some(file) = files.iter().find(companion) {
            let languages = self
                .iter()
                .filter(|language| language.definition.companions.iter().any(|own| own == file.extension()));
            let extensions = languages.flat_map(|language| language.extensions.iter().map(String::as_str));
            return LanguageError::OnlyCompanions { name: file.name.clone(), expected: dotted(extensions) };
        }
        let known: BTreeSet<&str> = self
            .iter()
            .flat_map(|language| language.definition.all_extensions().map(String::as_str))
            .collect();
        let name = &files[0].name;
        let extension = files[0].extension();
        let near = known
            .iter()
            .map(|known| {
                (strsim::damerau_levenshtein(&extension.to_lowercase(), &known.to_lowercase()), known)
            })
            .min()
            // A hint that shares nothing with what was written would mislead.
            .filter(|(distance, _)| *distance <= 1 && extension.len() > *distance);
        LanguageError::UnknownExtension {
            name: name.clone(),
            suggestion: near.map(|(_, known)| (*known).to_owned()),
            known: dotted(known.into_iter()),
        }
    }
}

/// Which language one file is in, as far as it says by itself.
struct Claim<'l, 'f> {
    file: &'f SourceFile,
    language: &'l Language,
    /// Whether no other language comes into question.
    certain: bool,
    others: Vec<&'l Language>,
}

impl Language {
    fn shares(&self, extension: &str) -> bool {
        self.definition.shared.iter().any(|shared| shared.extensions.iter().any(|own| own == extension))
    }

    /// Says whether a file with a shared extension shows that it is in this language.
    fn recognises(&self, file: &SourceFile) -> bool {
        let Some(shared) = &self.definition.shared else {
            return false;
        };
        let text = file.text();
        if let Some(interpreter) = interpreter(&text) {
            // `perl5.36` and `python3.11` are perl and python3.
            let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
            return shared
                .interpreters
                .iter()
                .any(|known| interpreter.strip_prefix(known.as_str()).is_some_and(is_version));
        }
        let mut lines = text.lines().take(LINES_READ_MAX).map(str::trim_start);
        lines.any(|line| shared.line_starts.iter().any(|start| line.starts_with(start.as_str())))
    }
}

/// Gives the base name of the program in a `#!` line, seen through `env`.
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
    fn shared_extensions_are_told_apart() {
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
        ] {
            assert_eq!(detect(&[(name, text)]).as_deref(), Ok(expected), "{name}: {text}");
        }
        assert_eq!(detect(&[("main.pl", "print 1;"), ("Util.pm", "")]).as_deref(), Ok("perl"));
        assert_eq!(detect(&[("a.pl", "a(1)."), ("b.pl", "main :- a(X).")]).as_deref(), Ok("prolog"));
    }

    #[test]
    fn what_cannot_be_decided_is_said_in_a_sentence() {
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
