//! Detects from a validator's sources which protocol it uses.
//!
//! A checker with the original testlib.h exits with 0, 1, 2 or 3; there are also modified copies of the header that use
//! Kattis' protocol. A validator uses testlib's protocol if one of its sources includes testlib.h and nothing in its
//! folder makes the header exit with 42.

use super::{Program, Protocol};
use crate::PackageError;
use crate::tree::read_limited;

/// Largest source that is searched; testlib.h itself has about 200 KiB.
const MAX_SOURCE_BYTES: u64 = 4 << 20;
/// Extensions of files that can include or configure the header.
const ENDINGS: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp"];
/// Definitions that modified copies of the header check.
const KATTIS_MODES: [&str; 3] = ["DOMJUDGE", "KATTIS", "TESTLIB_KATTIS"];

pub(super) fn detect(program: &Program) -> Result<Protocol, PackageError> {
    let (mut includes_testlib, mut speaks_kattis) = (false, false);
    for file in &program.files {
        let ending = file.name.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_script = file.name.as_os_str() == "build";
        if !is_script && !ENDINGS.contains(&ending.as_str()) {
            continue;
        }
        let Ok(bytes) = read_limited(&file.path, &file.name.to_string_lossy(), MAX_SOURCE_BYTES) else {
            continue;
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let line = line.trim_start();
            if is_script {
                speaks_kattis |= KATTIS_MODES.iter().any(|mode| line.contains(&format!("-D{mode}")));
            } else {
                includes_testlib |= is_include(line);
                speaks_kattis |= is_kattis_definition(line);
            }
        }
    }
    Ok(if includes_testlib && !speaks_kattis { Protocol::Testlib } else { Protocol::Kattis })
}

fn is_include(line: &str) -> bool {
    let Some(rest) = directive(line, "include") else { return false };
    let name: String =
        rest.trim_start_matches(['"', '<']).chars().take_while(|c| !matches!(c, '"' | '>')).collect();
    name == "testlib.h" || name.ends_with("/testlib.h")
}

fn is_kattis_definition(line: &str) -> bool {
    let Some(rest) = directive(line, "define") else { return false };
    let mut words = rest.split_whitespace();
    match (words.next(), words.next()) {
        (Some("OK_EXIT_CODE"), Some("42")) => true,
        (Some(name), _) => KATTIS_MODES.contains(&name),
        _ => false,
    }
}

/// Returns what follows a preprocessor directive, which may have spaces around its `#`.
fn directive<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix(name)?;
    rest.starts_with([' ', '\t', '"', '<']).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PackageFile;
    use crate::testing::Folder;

    fn check(files: &[(&str, &str)], expect: Protocol) {
        let folder = Folder::new(files);
        let files = files
            .iter()
            .map(|(name, _)| PackageFile { name: name.into(), path: folder.path(name) })
            .collect();
        let program = Program {
            name: "v".into(),
            path: folder.root().to_path_buf(),
            files,
            has_build_script: false,
            has_run_script: false,
        };
        assert_eq!(detect(&program).unwrap(), expect);
    }

    #[test]
    fn sources_tell_the_protocol() {
        check(&[("v.cpp", "#include \"testlib.h\"\n")], Protocol::Testlib);
        check(&[("v.cpp", "  # include <lib/testlib.h>\n")], Protocol::Testlib);
        check(
            &[("v.cpp", "#include \"testlib.h\"\n"), ("testlib.h", "#define OK_EXIT_CODE 0\n")],
            Protocol::Testlib,
        );
        check(
            &[("v.cpp", "#include \"testlib.h\"\n"), ("testlib.h", "#  define OK_EXIT_CODE 42\n")],
            Protocol::Kattis,
        );
        check(&[("v.cpp", "#define KATTIS\n#include \"testlib.h\"\n")], Protocol::Kattis);
        check(
            &[("v.cpp", "#include \"testlib.h\"\n"), ("build", "c++ -DDOMJUDGE v.cpp -o run\n")],
            Protocol::Kattis,
        );
        check(&[("v.cpp", "// #include \"testlib.h\"\n#include \"validate.h\"\n")], Protocol::Kattis);
        check(&[("v.py", "#include \"testlib.h\"\n")], Protocol::Kattis);
    }
}
