use super::*;

const MINIMAL: &str = "
id: brain
name: Brain
extensions: [b]
run: [/usr/bin/brain, '{path}/{mainfile}']
entry: {main_file: {}}
version: {command: [/usr/bin/brain, --version]}
debian: [brain]
seccomp: native
";

#[test]
fn every_embedded_definition_is_right() {
    for (file, yaml) in builtin::DEFINITIONS {
        match Language::parse(file, yaml) {
            Ok(language) => assert_eq!(format!("builtin:{}", language.id), file),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(Languages::builtin().iter().count(), JUDGED);
}

/// How many embedded languages are judged; the others are reported as no longer judged.
const JUDGED: usize = builtin::DEFINITIONS.len() - 1;

#[test]
fn every_code_means_one_language() {
    let languages = Languages::builtin();
    // DOMjudge's own codes, where they are not those of the package format.
    for (code, id) in [
        ("adb", "ada"),
        ("f95", "fortran"),
        ("hs", "haskell"),
        ("js", "javascript"),
        ("kt", "kotlin"),
        ("pas", "pascal"),
        ("pl", "perl"),
        ("plg", "prolog"),
        ("py3", "python3"),
        ("rb", "ruby"),
    ] {
        assert_eq!(languages.named(code).unwrap().id, id);
    }
    let mut seen = std::collections::BTreeSet::new();
    for language in languages.by_id.values() {
        for code in language.aliases.iter().chain([&language.id]) {
            assert!(seen.insert(code), "{code} means two languages");
        }
    }
}

#[test]
fn a_variant_is_judged_only_by_name() {
    let languages = Languages::builtin();
    let pypy = languages.named("pypy3").unwrap();
    assert_eq!(pypy.family(), "python3");
    let files = [SourceFile { name: "a.py".to_owned(), bytes: b"#!/usr/bin/pypy3\n".to_vec() }];
    assert_eq!(languages.detect(&files).unwrap().id, "python3");
    let plan = pypy.prepare(&files, Entry::default(), model::Bytes::from_mib(256)).unwrap();
    assert_eq!(plan.run, ["/usr/bin/pypy3", "/program/a.py"]);
}

#[test]
fn missing_statement_languages_are_reported() {
    let languages = Languages::builtin();
    for (id, message) in [
        ("python2", "Python 2 is judged no longer: nobody has maintained it"),
        ("py2", "Python 2 is judged no longer: "),
        ("pyhton3", "there is no language 'pyhton3'; did you mean python3?"),
        ("cobol", "there is no language 'cobol'; 'tauto languages' lists all of them"),
    ] {
        let error = languages.named(id).unwrap_err();
        let words = format!("{error}; {}", error.hint().unwrap_or_default());
        assert!(words.starts_with(message), "{words}");
    }
    let own = Language::parse("python2.yaml", &MINIMAL.replace("id: brain", "id: python2")).unwrap();
    let mut languages = languages;
    languages.put("python2.yaml", own).unwrap();
    assert_eq!(languages.named("python2").unwrap().name, "Brain", "an own definition brings it back");
}

#[test]
fn every_language_has_a_program_that_it_detects_and_prepares() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/languages");
    let languages = Languages::builtin();
    for language in languages.iter() {
        let folder = samples.join(&language.id);
        let mut programs = 0;
        for program in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let mut files = Vec::new();
            collect(&program, "", &mut files);
            assert_eq!(languages.detect(&files).unwrap().id, language.family(), "{}", program.display());
            language.prepare(&files, Entry::default(), model::Bytes::from_mib(256)).unwrap();
            programs += 1;
        }
        assert!(programs > 0, "{} has no sample program", language.name);
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push(SourceFile { name, bytes: std::fs::read(entry.path()).unwrap() });
        }
    }
}

#[test]
fn every_installable_language_says_how_well_it_is_counted() {
    let unmeasured = Languages::builtin();
    let unmeasured = unmeasured.iter().filter(|language| language.counts.is_none());
    // No package of Debian 12 has it.
    assert_eq!(unmeasured.map(|language| language.id.as_str()).collect::<Vec<_>>(), ["swift"]);
}

#[test]
fn what_is_counted_may_run_in_another_way() {
    let counted = |more: &str| {
        let language = Language::parse("brain.yaml", &format!("{MINIMAL}{more}")).unwrap();
        let counted = language.counted().map_err(|error| error.to_string())?;
        let source = SourceFile { name: "a.b".to_owned(), bytes: Vec::new() };
        let plan = counted.prepare(&[source], Entry::default(), model::Bytes::from_mib(64)).unwrap();
        Ok::<_, String>((plan.run.join(" "), plan.environment))
    };
    let run = "/usr/bin/brain /program/a.b";
    assert_eq!(counted("").unwrap().0, run);
    assert_eq!(counted("counts: exact\n").unwrap().0, run);
    let (options, environment) =
        counted("counted: {options: [-x, '{path}'], environment: {A: b}}\n").unwrap();
    assert_eq!(options, "/usr/bin/brain -x /program /program/a.b");
    assert_eq!(environment, [("A".to_owned(), "b".to_owned())]);
    let (other, _) = counted("counted: {run: [/usr/bin/other, '{mainfile}'], options: [-x]}\n").unwrap();
    assert_eq!(other, "/usr/bin/other -x a.b");
    assert_eq!(
        counted("counts: {none: it starts other programs}\n").unwrap_err(),
        "Brain cannot be judged by counted instructions: it starts other programs"
    );
}

#[test]
fn wrong_words_about_counts_are_named() {
    for (more, message) in [
        ("counts: {spread_percent: 0}\n", "brain.yaml: counts.spread_percent: must be above 0"),
        (
            "counts: {spread_percent: 51}\n",
            "brain.yaml: counts.spread_percent: must be above 0 and at most 50",
        ),
        ("counts: {none: ''}\n", "brain.yaml: counts.none: is empty; say in a few words"),
        ("counts: often\n", "brain.yaml: "),
        ("counted: {run: [brain]}\n", "brain.yaml: counted.run: 'brain' is not absolute"),
        (
            "counted: {options: ['{nothing}']}\n",
            "brain.yaml: counted.options: '{nothing}' is not a placeholder",
        ),
        ("counted: {environment: {'': x}}\n", "brain.yaml: counted.environment.: is not a name"),
        ("counted: {walk: x}\n", "brain.yaml: "),
    ] {
        let error = Language::parse("brain.yaml", &format!("{MINIMAL}{more}")).unwrap_err().to_string();
        assert!(error.starts_with(message), "{more}: {error}");
    }
}

#[test]
fn a_wrong_definition_names_file_field_and_fix() {
    assert!(Language::parse("brain.yaml", MINIMAL).is_ok());
    for (from, to, message) in [
        ("id: brain", "id: Brain!", "brain.yaml: id: must be lower-case"),
        ("extensions: [b]", "extensions: [.b]", "brain.yaml: extensions: are written without a dot"),
        ("extensions: [b]", "extensions: []", "brain.yaml: extensions: is empty"),
        (
            "run: [/usr/bin/brain,",
            "run: [brain,",
            "brain.yaml: run: 'brain' is not absolute; write /usr/bin/brain",
        ),
        (
            "{mainfile}",
            "{mainflie}",
            "brain.yaml: run: '{mainflie}' is not a placeholder; did you mean '{mainfile}'?",
        ),
        ("{mainfile}", "{heap_mib}", "brain.yaml: run: '{heap_mib}' needs the field 'heap'"),
        (
            "{mainfile}",
            "{mainclass}",
            "brain.yaml: run: uses {mainclass}, for which 'entry' must be main_class",
        ),
        ("entry: {main_file: {}}", "entry: all_files", "brain.yaml: run: uses {mainfile}, for which"),
        ("debian: [brain]", "debian: []", "brain.yaml: debian: is empty"),
        (
            "debian: [brain]",
            "debian: [brain]\nmounts: [etc]",
            "brain.yaml: mounts and needs: 'etc' is not absolute",
        ),
        ("debian: [brain]", "debian: [brain]\nneeds: [[]]", "brain.yaml: needs: holds an empty list"),
        ("debian: [brain]", "debian: [brain]\ntools: [[]]", "brain.yaml: tools[0]: is an empty list"),
        (
            "debian: [brain]",
            "debian: [brain]\ntools: [[/usr/bin/brain], [lib]]",
            "brain.yaml: tools[1]: 'lib' is not absolute",
        ),
        (
            "debian: [brain]",
            "debian: [brain]\ntools: [['/usr/[bin']]",
            "brain.yaml: tools[0]: '/usr/[bin' is not a pattern",
        ),
        (
            "debian: [brain]",
            "debian: [brain]\ntools_except: ['*/doc']",
            "brain.yaml: tools_except: needs 'tools'",
        ),
        ("id: brain", "id: brain\naliases: [B]", "brain.yaml: aliases: must be lower-case"),
        ("id: brain", "id: brain\ngone: ' '", "brain.yaml: gone: is empty"),
        ("id: brain", "id: brain\nvariant_of: c", "brain.yaml: extensions: belong to the language"),
        ("debian: [brain]", "debian: [brain]\nprocesses: 0", "brain.yaml: processes: is 0"),
        (
            "debian: [brain]",
            "debian: [brain]\ncompile_limits: {memory_mib: 0}",
            "brain.yaml: compile_limits.memory_mib: is 0",
        ),
        ("debian: [brain]", "debian: [brain]\ncompile: [[]]", "brain.yaml: compile[0]: is empty"),
        (
            "debian: [brain]",
            "debian: [brain]\ncompile: [['{binary}']]",
            "brain.yaml: compile[0]: runs the submission",
        ),
        (
            "debian: [brain]",
            "debian: [brain]\nenvironment: {A=B: c}",
            "brain.yaml: environment.A=B: is not a name",
        ),
        (
            "debian: [brain]",
            "debian: [brain]\nshared: {extensions: [c]}",
            "brain.yaml: shared: needs 'interpreters'",
        ),
        (
            "[/usr/bin/brain, --version]",
            "[]",
            "brain.yaml: version.command: must start with an absolute path",
        ),
    ] {
        assert!(MINIMAL.contains(from), "{from}");
        let error = Language::parse("brain.yaml", &MINIMAL.replace(from, to)).unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(!error.is_submission_fault());
    }
}

#[test]
fn yaml_errors_are_located() {
    for (yaml, word) in [
        (MINIMAL.replace("seccomp: native", "seccomp: nativ"), "nativ"),
        (MINIMAL.replace("name:", "nmae:"), "nmae"),
        (format!("{MINIMAL}name: Twice\n"), "name"),
        ("- 1".to_owned(), "line"),
        ("id: [".to_owned(), "line"),
        (String::new(), "brain.yaml"),
    ] {
        let error = Language::parse("brain.yaml", &yaml).unwrap_err().to_string();
        assert!(error.starts_with("brain.yaml: ") && error.contains(word), "{error}");
    }
}

#[test]
fn a_folder_adds_and_replaces_languages() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("brain.yaml", MINIMAL);
    let lua = builtin::DEFINITIONS.iter().find(|(file, _)| *file == "builtin:lua").unwrap().1;
    write("lua.yaml", &lua.replace("name: Lua", "name: LuaJIT"));
    write("README.md", "not a language");
    let languages = Languages::with_overrides(folder.path()).unwrap();
    assert_eq!(languages.get("lua").unwrap().name, "LuaJIT");
    assert_eq!(languages.get("brain").unwrap().name, "Brain");
    assert_eq!(languages.iter().count(), JUDGED + 1);
    let files = [SourceFile { name: "x.b".to_owned(), bytes: Vec::new() }];
    assert_eq!(languages.detect(&files).unwrap().id, "brain");

    write("second.yml", MINIMAL);
    let error = Languages::with_overrides(folder.path()).unwrap_err().to_string();
    assert!(error.contains("second.yml: id: 'brain' is defined in"), "{error}");
    write("second.yml", &MINIMAL.replace("id: brain", "id: other").replace("[b]", "[rs]"));
    let error = Languages::with_overrides(folder.path()).unwrap_err().to_string();
    assert!(error.contains("'rs' belongs to Rust already; give it under 'shared'"), "{error}");
    write("second.yml", &MINIMAL.replace("id: brain", "id: other\naliases: [py3]").replace("[b]", "[o]"));
    let error = Languages::with_overrides(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("second.yml: aliases: 'py3' is Python 3 already; give another one"), "{error}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = Languages::with_overrides(Path::new("/nonexistent/languages")).unwrap_err();
    assert!(error.to_string().contains("'/nonexistent/languages'"), "{error}");
    assert!(!error.is_submission_fault());
}

#[test]
fn missing_tools_name_their_install_command() {
    let languages = Languages::builtin();
    let kotlin = languages.get("kotlin").unwrap();
    assert_eq!(kotlin.missing(|_| true), None);
    let missing = kotlin.missing(|path| path != Path::new("/usr/bin/java")).unwrap();
    assert_eq!(missing.program, Path::new("/usr/bin/java"));
    assert_eq!(missing.install_hint, "apt-get install kotlin default-jdk-headless");
    let go = languages.get("go").unwrap();
    assert_eq!(go.missing(|path| path == Path::new("/usr/bin/go") || path == Path::new("/bin/sh")), None);
    assert_eq!(
        go.missing(|path| path == Path::new("/bin/sh")).unwrap().program,
        Path::new("/usr/local/go/bin/go")
    );
}

#[test]
fn versions_are_read_from_what_the_tools_print() {
    let languages = Languages::builtin();
    for (id, output, version) in [
        ("ada", "GNATMAKE 12.2.0\nCopyright (C) 1995-2022", "12.2.0"),
        ("awk", "GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1", "5.2.1"),
        ("csharp", "Mono JIT compiler version 6.8.0.105 (Debian 6.8.0.105+dfsg)", "6.8.0.105"),
        ("java", "openjdk version \"21\" 2023-09-19", "21"),
        ("kotlin", "warning: JDK 13\ninfo: kotlinc-jvm 1.3-SNAPSHOT (JRE 17.0.15)", "1.3-SNAPSHOT"),
        ("perl", "This is perl 5, version 36, subversion 0 (v5.36.0) built", "5.36.0"),
        ("r", "Rscript (R) version 4.2.2 Patched (2022-11-10 r83330)", "4.2.2"),
        ("lisp", "SBCL 2.2.9.debian", "2.2.9.debian"),
        ("pypy3", "Python 3.9.16 (7.3.11+dfsg-2+deb12u3)\n[PyPy 7.3.11 with GCC 12.2.0]", "7.3.11"),
        ("swift", "Swift version 5.9.2 (swift-5.9.2-RELEASE)\nTarget: x86_64", "5.9.2"),
        ("scala", "Scala compiler version 2.11.12 -- Copyright", "2.11.12"),
        ("sh", "0.5.12-2", "0.5.12-2"),
    ] {
        assert_eq!(languages.get(id).unwrap().parse_version(output).as_deref(), Some(version), "{id}");
    }
}

proptest::proptest! {
    #[test]
    fn no_file_makes_detection_or_planning_panic(
        name in "[a-zA-Z./ü-]{0,12}",
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64),
        code in "[a-z'\"/*{}()#@:;. \\\\\n-]{0,64}",
    ) {
        let languages = Languages::builtin();
        for content in [bytes, code.into_bytes()] {
            for language in languages.iter() {
                let extension = language.all_extensions().next().unwrap();
                let file = SourceFile { name: format!("{name}.{extension}"), bytes: content.clone() };
                let _ = languages.detect(std::slice::from_ref(&file));
                if let Ok(plan) = language.prepare(&[file], Entry::default(), model::Bytes::from_mib(64)) {
                    // No file of the submission becomes the program or an option.
                    proptest::prop_assert!(plan.run[0].starts_with('/'));
                    proptest::prop_assert!(plan.compile.iter().all(|command| command[0].starts_with('/')));
                }
            }
        }
    }
}

#[test]
fn recipes_of_images_have_the_packages_of_their_languages() {
    // Debian 12 has no compiler for these.
    const ELSEWHERE: [&str; 2] = ["python2", "swift"];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../languages/images");
    let languages = Languages::builtin();
    let mut missing: std::collections::BTreeSet<&str> =
        languages.by_id.keys().map(String::as_str).filter(|id| !ELSEWHERE.contains(id)).collect();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let file = entry.join("Dockerfile");
        if !entry.is_dir() || entry.ends_with("base") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let [about, base, label, packages] = text.lines().collect::<Vec<_>>()[..] else {
            panic!("{}: expected a comment, FROM, LABEL and RUN", file.display())
        };
        assert!(about.starts_with("# ") && base == "FROM judge/base:bookworm", "{}", file.display());
        let label =
            label.strip_prefix("LABEL org.tautochrone.languages=\"").and_then(|rest| rest.strip_suffix('"'));
        let mut expected = std::collections::BTreeSet::new();
        for id in label.unwrap_or_else(|| panic!("{}: no label", file.display())).split(' ') {
            let language = languages.named(id);
            let language = language.unwrap_or_else(|_| panic!("{}: no language {id}", file.display()));
            expected.extend(language.debian.iter().map(String::as_str));
            missing.retain(|one| *one != id);
        }
        let packages = packages.strip_prefix("RUN add-packages ").unwrap_or_default();
        let packages = packages.split(' ').collect::<std::collections::BTreeSet<_>>();
        assert_eq!(packages, expected, "{}", file.display());
    }
    assert!(missing.is_empty(), "no image has {missing:?}");
}
