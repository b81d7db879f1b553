//! What is made where pandoc or XeLaTeX is missing.

use crate::support::{Sample, html};
use crate::trial;
use libtest_mimic::Trial;
use statement::{Output, Programs};

const NONE: Programs = Programs { pandoc: false, xelatex: false };
const PANDOC: Programs = Programs { pandoc: true, xelatex: false };

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("markdown_without_pandoc", markdown_without_pandoc),
        trial("large_pages_without_pandoc", large_pages_without_pandoc),
        trial("mistakes_without_pandoc", mistakes_without_pandoc),
        trial("hostile_markdown_without_pandoc", hostile_markdown_without_pandoc),
        trial("what_needs_pandoc_names_it", what_needs_pandoc_names_it),
    ]
}

pub(crate) fn trials_in_the_sandbox() -> Vec<Trial> {
    vec![trial("html_without_xelatex", html_without_xelatex)]
}

fn markdown(text: &str) -> Sample {
    Sample::present(&[
        ("statement/problem.en.md", text.as_bytes()),
        ("statement/pixel.png", include_bytes!("pixel.png")),
    ])
}

fn markdown_without_pandoc() {
    let text = "# Task\n\nAt most $n \\le {{most}}$ and\n$$\\sum_i a_i < 3$$\n\n{{nextsample}}\n\n|a|b|\n|-|-|\n|1|2|\n\n\
                ![a chain](pixel.png){width=50%} of `x < y`\n";
    let built = markdown(text).build_with(NONE, Output::Fragment).unwrap();
    assert!(built.is_plain);
    let page = html(&built);
    for part in [
        "<span class=\"math inline\">n \\le 1000</span>",
        "<span class=\"math display\">\\sum_i a_i &lt; 3</span>",
        "<div class=\"sample sample-pair\"><div><h3>Sample Input 1</h3><pre>3 4</pre></div>",
        "<pre>the first answer</pre>",
        "<td>2</td>",
        "<img src=\"data:image/png;base64,",
        "alt=\"a chain\"> of <code>x &lt; y</code>",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    assert!(page.find("<pre>3 4").unwrap() < page.find("<table>").unwrap(), "{page}");
    assert_eq!(page.matches("<pre>3 4").count(), 1);
    let after = html(&markdown("Text.\n").build_with(NONE, Output::Fragment).unwrap());
    assert!(after.starts_with("<p>Text.</p>") && after.contains("<pre>3 4</pre>"), "{after}");
}

/// A picture that stands in a page often makes it large: that is refused before it is in memory.
fn large_pages_without_pandoc() {
    let large = [&include_bytes!("pixel.png")[..], &[0; 1 << 20]].concat();
    let text = "![a](large.png) ".repeat(40);
    let sample =
        Sample::present(&[("statement/problem.en.md", text.as_bytes()), ("statement/large.png", &large)]);
    let outcome = sample.build_with(NONE, Output::Fragment).map(|built| built.content.len());
    let outcome = outcome.expect_err("it has to be refused");
    assert!(outcome.to_string().contains("is too large as a page: more than 32 MiB"), "{outcome}");
}

fn mistakes_without_pandoc() {
    let wrong = |text: &str| {
        let outcome = markdown(text).build_with(NONE, Output::Fragment);
        outcome.expect_err("it has to be refused").to_string()
    };
    let absent = wrong("a\n\n![b](absent.png)\n");
    assert!(absent.starts_with("statement/problem.en.md:3: the image 'absent.png' is not in"), "{absent}");
    let second = wrong("{{nextsample}}\n\n{{nextsample}}\n");
    assert!(second.starts_with("statement/problem.en.md:3: {{nextsample}} stands here"), "{second}");
    assert!(wrong("\n{{least}}\n").starts_with("statement/problem.en.md:2: problem.yaml has no constant"));
}

fn hostile_markdown_without_pandoc() {
    let hostile = "<script>alert(1)</script>\n\n[a](javascript:alert(1))\n\n<img src=x onerror=alert(1)>\n\n$</span><script>$\n\n\
                   <p style=\"position:fixed\">a</p>\n";
    let page = html(&markdown(hostile).build_with(NONE, Output::Fragment).unwrap());
    for absent in ["<script", "javascript:", "<img", "<p style"] {
        assert!(!page.contains(absent), "{absent} in {page}");
    }
    // As deep as a text can be: neither time nor stack are used up.
    let depth = 1 << 16;
    for deep in [">".repeat(depth), format!("{}a", "- ".repeat(depth))] {
        let error = markdown(&deep).build_with(NONE, Output::Fragment).unwrap_err().to_string();
        assert!(error.contains("is nested more deeply than"), "{error}");
    }
    for wide in ["[".repeat(depth), "*a ".repeat(depth), "<b id=a>\n\na\n\n".repeat(depth)] {
        markdown(&wide).build_with(NONE, Output::Fragment).unwrap();
    }
}

fn what_needs_pandoc_names_it() {
    let tex = Sample::legacy(&[("problem_statement/problem.tex", b"Text.\n")]);
    for (sample, output) in [(&tex, Output::Fragment), (&tex, Output::Pdf), (&markdown("a"), Output::Pdf)] {
        let error = sample.build_with(NONE, output).unwrap_err();
        assert_eq!(error.to_string(), "pandoc is not installed, which statements need");
        assert!(!error.is_of_input());
    }
    assert_eq!(NONE.missing().collect::<Vec<_>>(), ["pandoc", "xelatex"]);
}

fn html_without_xelatex() {
    let tex = Sample::legacy(&[("problem_statement/problem.tex", b"At most $n$.\n")]);
    let built = tex.build_with(PANDOC, Output::Fragment).unwrap();
    assert!(html(&built).contains("<span class=\"math inline\">n</span>") && !built.is_plain);
    let error = tex.build_with(PANDOC, Output::Pdf).unwrap_err();
    assert_eq!(error.to_string(), "xelatex is not installed, which statements need");
}
