use super::super::{LanguageError, Languages};
use super::*;
use crate::SeccompClass;

fn files(names_and_texts: &[(&str, &str)]) -> Vec<SourceFile> {
    let file = |(name, text): &(&str, &str)| SourceFile {
        name: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    names_and_texts.iter().map(file).collect()
}

fn prepare(language: &str, given: &[(&str, &str)], main: Option<&str>) -> Result<BuildPlan, LanguageError> {
    let entry = Entry { main: main.map(str::to_owned), ..Entry::default() };
    Languages::builtin().get(language).unwrap().prepare(&files(given), entry, Bytes::from_mib(256))
}

fn entry_point(language: &str, given: &[(&str, &str)]) -> Option<String> {
    prepare(language, given, None).unwrap().entry_point
}

#[test]
fn all_source_files_are_compiled_and_headers_are_not() {
    let plan = prepare("c", &[("z.c", ""), ("a b.c", ""), ("a.h", ""), ("notes.txt", "")], None).unwrap();
    let command = plan.compile.concat();
    let sources: Vec<_> =
        command.iter().filter(|argument| argument.contains(".c") || argument.contains(".h")).collect();
    assert_eq!(sources, ["a b.c", "z.c"]);
    assert_eq!(command.last().map(String::as_str), Some("-lm"));
    assert_eq!(plan.run, ["/program/program.bin"]);
    assert_eq!(plan.entry_point, None);
    assert_eq!(plan.seccomp, SeccompClass::Native);
    assert_eq!(plan.compile_limits.memory, Some(Bytes::from_mib(2048)));
}

#[test]
fn the_order_of_sending_changes_nothing() {
    let one = prepare("cpp", &[("a.cc", ""), ("b.cc", "")], None).unwrap();
    let other = prepare("cpp", &[("b.cc", ""), ("a.cc", "")], None).unwrap();
    assert_eq!(one, other);
}

#[test]
fn memory_flags_follow_the_limit() {
    let java = [("Main.java", "class Main { public static void main(String[] a) {} }")];
    let plan = prepare("java", &java, None).unwrap();
    assert!(plan.run.contains(&"-Xmx160m".to_owned()), "{:?}", plan.run);
    let languages = Languages::builtin();
    let java = languages.get("java").unwrap();
    let text = files(&[("Main.java", "class Main { public static void main(String[] a) {} }")]);
    let small = java.prepare(&text, Entry::default(), Bytes::from_mib(64)).unwrap();
    assert!(small.run.contains(&"-Xmx32m".to_owned()), "{:?}", small.run);
    let go = prepare("go", &[("a.go", "package main")], None).unwrap();
    assert!(go.environment.contains(&("GOMEMLIMIT".to_owned(), "224MiB".to_owned())));
}

#[test]
fn the_main_file_is_asked_for_alone_named_marked_or_first() {
    let two = [("b.py", ""), ("sub/c.py", "")];
    assert_eq!(prepare("python3", &two, Some("sub/c.py")).unwrap().entry_point.as_deref(), Some("sub/c.py"));
    assert_eq!(prepare("python3", &two, Some("c.py")).unwrap().entry_point.as_deref(), Some("sub/c.py"));
    assert_eq!(entry_point("python3", &[("x.py", "")]).as_deref(), Some("x.py"));
    assert_eq!(entry_point("python3", &[("a.py", ""), ("main.py", "")]).as_deref(), Some("main.py"));
    assert_eq!(entry_point("python3", &[("b.py", ""), ("a.py", "")]).as_deref(), Some("a.py"));
    assert_eq!(entry_point("python3", &[("a/a.py", ""), ("b.py", "")]).as_deref(), Some("b.py"));
    assert_eq!(
        entry_point("rust", &[("a.rs", "// fn main() {}\npub fn f() {}"), ("b.rs", "fn main() {}")])
            .as_deref(),
        Some("b.rs")
    );
    assert_eq!(
        entry_point("pascal", &[("a.pas", "unit a;"), ("z.pas", "PROGRAM z;")]).as_deref(),
        Some("z.pas")
    );
    assert_eq!(
        entry_point("ada", &[("a.ads", ""), ("a.adb", ""), ("run.adb", "procedure Run is")]).as_deref(),
        Some("run.adb")
    );
    assert_eq!(entry_point("perl", &[("A.pm", ""), ("z.pl", "")]).as_deref(), Some("z.pl"));
}

#[test]
fn python_modules_start_at_the_named_entry() {
    let module = [("__init__.py", ""), ("__main__.py", ""), ("a.py", "")];
    assert_eq!(entry_point("python3", &module).as_deref(), Some("__main__.py"));
    assert_eq!(entry_point("python3", &[("__init__.py", ""), ("a.py", "")]).as_deref(), Some("a.py"));
    assert_eq!(entry_point("python3", &[("__init__.py", "")]).as_deref(), Some("__init__.py"));
    let both = [("__main__.py", ""), ("main.py", "")];
    assert_eq!(entry_point("python3", &both).as_deref(), Some("main.py"));
}

#[track_caller]
fn check_with_included(language: &str, own: &[(&str, &str)], included: &[(&str, &str)], expect: &str) {
    let given = [own, included].concat();
    let included = included.iter().map(|(name, _)| (*name).to_owned()).collect();
    let entry = Entry { included, ..Entry::default() };
    let languages = Languages::builtin();
    let plan = languages.get(language).unwrap().prepare(&files(&given), entry, Bytes::from_mib(256));
    assert_eq!(plan.unwrap().entry_point.as_deref(), Some(expect), "{language}");
}

#[test]
fn an_included_file_does_not_become_the_program() {
    let languages = Languages::builtin();
    let mut by_file = 0;
    for language in languages.iter() {
        let EntryRule::MainFile(rule) = &language.entry else { continue };
        by_file += 1;
        let extension =
            rule.extensions.first().or(language.all_extensions().next()).map_or("", String::as_str);
        let [grader, solution] = ["grader", "solution"].map(|stem| format!("{stem}.{extension}"));
        // Also if both could be started, and if neither could.
        for text in ["", "fn main() {}\nfunc main() {}\nmain = 1\nprogram x;\nmain :- a."] {
            check_with_included(&language.id, &[(&solution, text)], &[(&grader, text)], &solution);
        }
    }
    assert!(by_file > 10, "{by_file}");
    let java = |class: &str| format!("class {class} {{ public static void main(String[] a) {{}} }}");
    let (solution, grader) = (java("Solution"), java("Grader"));
    check_with_included("java", &[("Solution.java", &solution)], &[("Grader.java", &grader)], "Solution");
    let main = "fun main() {}";
    check_with_included("kotlin", &[("solution.kt", main)], &[("grader.kt", main)], "SolutionKt");
    let scala = |object: &str| format!("object {object} extends App");
    check_with_included(
        "scala",
        &[("Solution.scala", &scala("Solution"))],
        &[("Grader.scala", &scala("Grader"))],
        "Solution",
    );
}

#[test]
fn an_included_driver_is_the_program() {
    check_with_included("python3", &[("solution.py", "")], &[("main.py", ""), ("a.py", "")], "main.py");
    check_with_included("python3", &[("__main__.py", "")], &[("main.py", "")], "main.py");
    check_with_included("python3", &[("a.py", "")], &[("lib/main.py", "")], "a.py");
    check_with_included("javascript", &[("a.js", "")], &[("main.js", "")], "main.js");
    let main = "class Main { public static void main(String[] a) {} }";
    let own = "class A { public static void main(String[] a) {} }";
    check_with_included("java", &[("A.java", own)], &[("Main.java", main)], "Main");
    // The submitted files need not contain a program.
    check_with_included("rust", &[("a.rs", "pub fn f() {}")], &[("grader.rs", "fn main() {}")], "grader.rs");
    check_with_included("perl", &[("Solution.pm", "")], &[("grader.pl", "")], "grader.pl");
    let grader = "class Grader { public static void main(String[] a) {} }";
    check_with_included("java", &[("A.java", "class A {}")], &[("Grader.java", grader)], "Grader");
}

#[test]
fn an_unknown_entry_point_names_those_there_are() {
    let error = prepare("python3", &[("a.py", ""), ("b.py", "")], Some("c.py")).unwrap_err();
    assert_eq!(error.to_string(), "the entry point 'c.py' is not among the files: a.py, b.py");
    let twice = prepare("python3", &[("a/x.py", ""), ("b/x.py", "")], Some("x.py"));
    assert!(matches!(twice, Err(LanguageError::MainNotFound { .. })));
    for option in ["-agentlib:x", "", "a b", "A..B", "a/B"] {
        let java = prepare("java", &[("A.java", "")], Some(option));
        assert!(matches!(java, Err(LanguageError::NotAClassName { .. })), "{option}");
    }
    assert_eq!(
        prepare("java", &[("A.java", "")], Some("p.A$B")).unwrap().entry_point.as_deref(),
        Some("p.A$B")
    );
}

#[test]
fn a_language_needs_its_own_files() {
    let error = prepare("cpp", &[("a.py", "")], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "none of the files is C++ source; its files end in .cc, .cpp, .cxx, .c++, .C"
    );
    assert!(error.is_submission_fault());
    assert!(prepare("c", &[("a.h", "")], None).is_err());
}

#[test]
fn a_program_that_starts_itself_is_not_started_twice() {
    let goals = |text: &str| {
        let run = prepare("prolog", &[("a.pl", text)], None).unwrap().run;
        run.iter().filter(|argument| *argument == "main").count()
    };
    assert_eq!(goals("main :- true."), 1);
    assert_eq!(goals(":- initialization(main).\nmain :- true."), 0);
    assert_eq!(goals("% :- initialization(main).\nmain :- true."), 1);
}

#[test]
fn interpreted_files_are_checked_one_by_one() {
    let plan = prepare("ruby", &[("a.rb", ""), ("main.rb", "")], None).unwrap();
    assert_eq!(plan.compile, [["/usr/bin/ruby", "-c", "a.rb"], ["/usr/bin/ruby", "-c", "main.rb"]]);
    assert_eq!(plan.run.last().map(String::as_str), Some("/program/main.rb"));
}

#[test]
fn non_text_sources_are_still_planned() {
    let latin = SourceFile { name: "a.rs".to_owned(), bytes: b"// \xe9\nfn main() {}".to_vec() };
    let languages = Languages::builtin();
    let plan = languages.get("rust").unwrap().prepare(&[latin], Entry::default(), Bytes::from_mib(64));
    assert_eq!(plan.unwrap().entry_point.as_deref(), Some("a.rs"));
}
