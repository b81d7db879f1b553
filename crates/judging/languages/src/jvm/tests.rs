use super::super::Languages;
use super::*;

/// Checks which class is started for files of `language`, passed as names and texts.
fn check(language: &str, files: &[(&str, &str)], expected: Option<&str>) {
    let languages = Languages::builtin();
    let language = languages.get(language).unwrap();
    let files: Vec<SourceFile> = files
        .iter()
        .map(|(name, text)| SourceFile { name: (*name).to_owned(), bytes: text.as_bytes().to_vec() })
        .collect();
    let plan = language.prepare(&files, super::super::Entry::default(), model::Bytes::from_mib(256));
    assert_eq!(plan.ok().and_then(|plan| plan.entry_point).as_deref(), expected, "{files:?}");
}

#[test]
fn java_main_is_found_in_its_class_and_package() {
    check("java", &[("A.java", "public class A { public static void main(String[] a) {} }")], Some("A"));
    check(
        "java",
        &[(
            "org/x/A.java",
            "package org . x ; import y; final class A { static public void main(String... a) {} }",
        )],
        Some("org.x.A"),
    );
    check("java", &[("A.java", "class B {} interface C { static void main(String[] a) {} }")], Some("C"));
    check(
        "java",
        &[("A.java", "class A { static class In { public static void main(String[] a) {} } }")],
        Some("A$In"),
    );
    check("java", &[("A.java", "record P(int x) { public static void main(String[] a) {} }")], Some("P"));
    check(
        "java",
        &[("A.java", "enum E { X { void f() {} }; public static void main(String[] a) {} }")],
        Some("E"),
    );
}

#[test]
fn java_main_in_comments_strings_or_methods_does_not_count() {
    check(
        "java",
        &[(
            "A.java",
            r#"// class No { public static void main(String[] a) {} }
            /* class Neither { public static void main(String[] a) {} } */
            class Text { String s = "class X { public static void main(String[] a) {} } {"; char c = '{'; char d = '"'; }
            class Block { String s = """
               class Y { public static void main(String[] a) {} \""" { """; }
            class Yes { int main; Class<?> k = Yes.class; void f() { g(); main(); }
               @SuppressWarnings({"x", "}"}) public static void main(final String[] a) throws Exception {} }"#,
        )],
        Some("Yes"),
    );
    check("java", &[("A.java", "class A { void f() {} }")], None);
    check("java", &[("A.java", "class A { static int main(String[] a) { return 1; } }")], None);
}

#[test]
fn java_prefers_main_then_the_first_file() {
    let main = "{ public static void main(String[] a) {} }";
    let with = |name: &str| format!("public class {name} {main}");
    check("java", &[("Zed.java", &with("Zed")), ("Alpha.java", &with("Alpha"))], Some("Alpha"));
    check("java", &[("Alpha.java", &with("Alpha")), ("Main.java", &with("Main"))], Some("Main"));
    // A class that every version can start takes precedence over one that only later versions can.
    check("java", &[("A.java", "class A { void main() {} }"), ("B.java", &with("B"))], Some("B"));
    check("java", &[("Compact.java", "void main() { }")], Some("Compact"));
}

#[test]
fn java_main_is_public_and_takes_strings() {
    let main = "public static void main(String[] args) {}";
    for other in [
        "public static void main(int a) {}",
        "public static void main(Integer[] a) {}",
        "public static void main(String a) {}",
        "public static void main(String[][] a) {}",
        "public static void main(String[] a, int b) {}",
        "private static void main(String[] a) {}",
        "static void main(String[] a) {}",
        "public void main(String[] a) {}",
        "public static void main() {}",
    ] {
        // Each is a method like any other next to one that every version starts.
        let text = format!("class A {{ {other} }} class Z {{ {main} }}");
        check("java", &[("A.java", &text)], Some("Z"));
    }
    for other in [
        "public static void main(int a) {}",
        "private static void main(String[] a) {}",
        "void main(int[] a) {}",
    ] {
        check("java", &[("A.java", &format!("class A {{ {other} }}"))], None);
    }
    for arguments in [
        "String a[]",
        "String... a",
        "java.lang.String[] a",
        "final java . lang . String ... a",
        "@Deprecated final String[] a",
        "String /* [] */ [ ] a",
    ] {
        let text =
            format!("class B {{ void main() {{}} }} class A {{ static public void main({arguments}) {{}} }}");
        check("java", &[("B.java", &text)], Some("A"));
    }
    let overloads = format!("class A {{ public static void main(int a) {{}} {main} }}");
    check("java", &[("A.java", &overloads)], Some("A"));
    let both = format!("class Test {{ {main} }} public class Answer {{ {main} }}");
    check("java", &[("Answer.java", &both)], Some("Answer"));
}

#[test]
fn kotlin_and_scala_mains_take_strings_and_return_nothing() {
    for (text, expected) in [
        ("fun main(n: Int) {}\nobject Run { @JvmStatic fun main(a: Array<String>) {} }", Some("Run")),
        ("private fun main() {}\nobject Run { @JvmStatic fun main(vararg a: String) {} }", Some("Run")),
        (
            "fun main(): Int = 1\nobject Run { @JvmStatic fun main(a: Array<out String>): Unit {} }",
            Some("Run"),
        ),
        ("object Run { fun main(a: Array<String>) {} }\nsuspend fun main() {}", Some("XKt")),
        ("class K { companion object { fun main(a: Array<String>) {} } }", None),
        ("fun main(a: List<String>) {}", None),
        ("fun main(args: kotlin.Array<kotlin.String>,): kotlin.Unit {}", Some("XKt")),
        ("fun main() = println(1)", Some("XKt")),
    ] {
        check("kotlin", &[("x.kt", text)], expected);
    }
    let main = "def main(args: Array[String]): Unit = {}";
    for other in [
        "def main(n: Int): Unit = {}",
        "def main(a: Array[Int]) {}",
        "private def main(a: Array[String]): Unit = {}",
        "def main(a: Array[String]): Int = 1",
        "def main = 1",
    ] {
        let text = format!("object A {{ {other} }}\nobject Z {{ {main} }}");
        check("scala", &[("a.scala", &text)], Some("Z"));
    }
    check("scala", &[("a.scala", "object A { def main(a: scala.Array[java.lang.String]) { } }")], Some("A"));
}

#[test]
fn kotlin_classes_are_named_after_files() {
    check("kotlin", &[("main.kt", "fun main() {}")], Some("MainKt"));
    check(
        "kotlin",
        &[("my-sum.kt", "package a.b\nimport c.d\nfun main(args: Array<String>) {}")],
        Some("a.b.My_sumKt"),
    );
    check("kotlin", &[("1st.kt", "fun main() {}")], Some("_1stKt"));
    check("kotlin", &[("x.kt", "@file:JvmName(\"Start\")\nfun main() {}")], Some("Start"));
    check("kotlin", &[("x.kt", "object Run { @JvmStatic fun main(a: Array<String>) {} }")], Some("Run"));
    check(
        "kotlin",
        &[("x.kt", "class K { companion object { @JvmStatic fun main(a: Array<String>) {} } }")],
        Some("K"),
    );
    check("kotlin", &[("x.kt", "class K { fun main() {} }")], None);
    check(
        "kotlin",
        &[("x.kt", "/* /* fun main() {} */ fun main() {} */ val s = \"\"\"\\\"\"\"\nfun main() {}")],
        Some("XKt"),
    );
    check("kotlin", &[("a.kt", "fun main() {}"), ("main.kt", "fun main() {}")], Some("MainKt"));
    check("kotlin", &[("a.kt", "fun f(x: Int) { fun main() {} }"), ("b.kt", "fun main() {}")], Some("BKt"));
}

#[test]
fn scala_objects_are_found() {
    check("scala", &[("a.scala", "object A { def main(args: Array[String]): Unit = {} }")], Some("A"));
    check(
        "scala",
        &[("a.scala", "package p\nclass A\nobject B extends Base with App { println(1) }")],
        Some("p.B"),
    );
    check("scala", &[("a.scala", "object A extends App\n{ }")], Some("A"));
    check("scala", &[("a.scala", "class A { def main(args: Array[String]): Unit = {} }")], None);
    check("scala", &[("a.scala", "@main def run() = println(1)")], Some("run"));
    check(
        "scala",
        &[("a.scala", "object A { object In { def main(args: Array[String]): Unit = {} } }")],
        None,
    );
    check(
        "scala",
        &[("a.scala", "class A extends App\nobject Main { def f = 'sym; def main(a: Array[String]) {} }")],
        Some("Main"),
    );
}
