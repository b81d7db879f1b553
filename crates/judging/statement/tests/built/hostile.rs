//! Packages that attack the machine, the judge or the reader.

use crate::support::{Sample, html, printed};
use crate::trial;
use libtest_mimic::Trial;
use statement::{Output, StatementError};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const MARK: &str = "secret-of-the-host";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("tex_reads_no_file_of_the_host", tex_reads_no_file_of_the_host),
        trial("tex_runs_nothing", tex_runs_nothing),
        trial("tex_writes_beside_nothing", tex_writes_beside_nothing),
        trial("an_endless_statement_ends", an_endless_statement_ends),
        trial("a_large_statement_ends", a_large_statement_ends),
        trial("images_come_from_the_package", images_come_from_the_package),
        trial("drawings_include_nothing", drawings_include_nothing),
        trial("pandoc_includes_nothing", pandoc_includes_nothing),
        trial("a_page_acts_and_loads_nothing", a_page_acts_and_loads_nothing),
        trial("a_page_does_not_explode", a_page_does_not_explode),
    ]
}

fn tex(text: &str) -> Sample {
    Sample::legacy(&[("problem_statement/problem.tex", text.as_bytes())])
}

/// Returns the outcome: the document or the message.
fn outcome(sample: &Sample, output: Output) -> String {
    match sample.build(output) {
        Ok(built) if output == Output::Pdf => crate::support::text(&built),
        Ok(built) => html(&built),
        Err(error @ StatementError::Fault(_)) => error.to_string(),
        Err(error) => panic!("{error}"),
    }
}

fn tex_reads_no_file_of_the_host() {
    let host = tempfile::Builder::new().prefix("statement-host-").tempdir_in("/var/tmp").unwrap();
    let secret = host.path().join("secret.tex");
    fs::write(&secret, MARK).unwrap();
    let secret = secret.display();
    for text in [
        format!("\\input{{{secret}}}"),
        format!("\\input{{../../../../../..{secret}}}"),
        format!("\\newread\\f\\openin\\f={secret} \\read\\f to\\x \\x"),
        format!("\\lstinputlisting{{{secret}}}"),
        format!("\\VerbatimInput{{{secret}}}"),
        format!("\\input{{|cat {secret}}}"),
    ] {
        for output in [Output::Pdf, Output::Page] {
            let came = outcome(&tex(&text), output);
            // A message may name the file, but has nothing of what is in it.
            assert!(!came.contains(MARK), "{text}: {came}");
        }
    }
    for file in ["/etc/passwd", "/etc/shadow", "/proc/1/environ", "/root/.ssh/id_rsa"] {
        let came = outcome(&tex(&format!("\\lstinputlisting{{{file}}}")), Output::Pdf);
        assert!(!came.contains("root:"), "{came}");
    }
}

fn tex_runs_nothing() {
    let witness = Path::new("/tmp/statement-was-run");
    for text in [
        "\\immediate\\write18{touch /tmp/statement-was-run; echo ran > /box/out/ran.tex}\\IfFileExists{/box/out/ran.tex}{it-ran}{}",
        "\\immediate\\openout3=\"|touch /tmp/statement-was-run\"\\immediate\\closeout3",
        "\\input{|\"echo it-ran\"}",
    ] {
        let came = outcome(&tex(text), Output::Pdf);
        assert!(!came.contains("it-ran"), "{came}");
        assert!(!witness.exists());
    }
}

fn tex_writes_beside_nothing() {
    for name in ["/tmp/statement-written.txt", "../statement-written.txt", "/program/statement-written.txt"] {
        let came = outcome(
            &tex(&format!("\\newwrite\\f\\immediate\\openout\\f={name} \\immediate\\write\\f{{x}}a")),
            Output::Pdf,
        );
        assert!(!Path::new("/tmp/statement-written.txt").exists(), "{came}");
    }
}

fn an_endless_statement_ends() {
    let reported = tex("\\problemname{A}\\def\\x{\\x}\\x").refused(Output::Pdf);
    // On a busy machine it may be the limit on wall time.
    let begin = "problem_statement/problem.tex: xelatex was ended at its ";
    assert!(reported.starts_with(begin) && reported.ends_with(" time limit"), "{reported}");
}

fn a_large_statement_ends() {
    for text in [
        // A gigabyte of pages, of a file, of messages and of memory.
        "\\newwrite\\f\\immediate\\openout\\f=a.txt \\def\\x{\\immediate\\write\\f{0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789}\\x}\\x",
        "\\def\\x{\\message{0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789}\\x}\\x",
        "\\def\\x#1{\\x{#1#1}}\\x{0123456789}",
    ] {
        let reported = tex(text).refused(Output::Pdf);
        assert!(reported.starts_with("problem_statement/problem.tex"), "{reported}");
    }
}

fn images_come_from_the_package() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("host.png"), MARK).unwrap();
    let host = outside.path().join("host.png").display().to_string();
    for source in [
        &host,
        "../../../../../../etc/passwd",
        "../problem.yaml",
        "../data/secret/1.ans",
        "file:///etc/passwd",
        "https://example.org/a.png",
        "data:image/png;base64,AAAA",
        "linked.png",
    ] {
        let markdown =
            Sample::legacy(&[("problem_statement/problem.md", format!("a\n\n![]({source})\n").as_bytes())]);
        symlink(&host, markdown.path("problem_statement/linked.png")).unwrap();
        for output in [Output::Page, Output::Pdf] {
            let reported = markdown.refused(output);
            assert!(
                reported.starts_with("problem_statement/problem.md:3: the image"),
                "{source}: {reported}"
            );
        }
        let came = outcome(&tex(&format!("a\\includegraphics{{{source}}}")), Output::Pdf);
        assert!(!came.contains(MARK), "{came}");
    }
}

fn drawings_include_nothing() {
    // The converters see this file: it has the settings of fonts, and always this word.
    let (file, word) = ("/etc/fonts/fonts.conf", "fontconfig");
    assert!(fs::read_to_string(file).unwrap().contains(word));
    let drawing = |inside: &str| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xi=\"http://www.w3.org/2001/XInclude\" \
             xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"400\" height=\"200\">\
             <text y=\"20\">drawn {inside}</text>\
             <image xlink:href=\"file://{file}\" width=\"9\" height=\"9\"/></svg>"
        )
    };
    for drawing in [
        drawing(&format!("<xi:include href=\"file://{file}\" parse=\"text\"><xi:fallback/></xi:include>")),
        drawing(&format!("<xi:include href=\"../../..{file}\" parse=\"text\"><xi:fallback/></xi:include>")),
        format!("<!DOCTYPE svg [<!ENTITY x SYSTEM \"file://{file}\">]>{}", drawing("&x;")),
    ] {
        let markdown = Sample::legacy(&[
            ("problem_statement/problem.md", b"a\n\n![](drawing.svg)\n"),
            ("problem_statement/drawing.svg", drawing.as_bytes()),
        ]);
        let came = match markdown.build(Output::Pdf) {
            Ok(built) => printed(&built),
            Err(error) => error.to_string(),
        };
        // An entity from a file is none, and what is left of the drawing is drawn or refused.
        assert!(came.contains("drawn") || came.contains("is no usable picture"), "{came}");
        assert!(!came.contains(word), "{came}");
    }
}

fn pandoc_includes_nothing() {
    for text in [
        "---\ninclude-before: /etc/passwd\ntemplate: /etc/passwd\nbibliography: /etc/passwd\ntauto-data: /etc/passwd\n---\na\n",
        "```{include=/etc/passwd}\n```\n",
        "a\n\n!include /etc/passwd\n\n```{=latex}\n\\input{/etc/passwd}\n```\n",
        "`\\input{/etc/passwd}`{=latex} <!--#include file=\"/etc/passwd\" -->\n",
    ] {
        let markdown = Sample::legacy(&[("problem_statement/problem.md", text.as_bytes())]);
        for output in [Output::Page, Output::Pdf] {
            let came = outcome(&markdown, output);
            assert!(!came.contains("root:") && !came.contains("runner:"), "{came}");
        }
    }
}

fn a_page_acts_and_loads_nothing() {
    let text = "<script>alert(1)</script><img src=\"https://example.org/x.png\" onerror=\"alert(1)\">\n\n\
                [a](javascript:alert(1)) <iframe src=\"https://example.org\"></iframe>\n\n\
                <p onclick=\"alert(1)\" style=\"background:url(https://example.org)\">b</p>\n\n\
                `<script>alert(2)</script>`{=html} $\\href{javascript:alert(1)}{x}$\n";
    let markdown = Sample::legacy(&[
        ("problem_statement/problem.md", text.as_bytes()),
        ("data/sample/1.in", b"<script>alert(3)</script>\n"),
    ]);
    for output in [Output::Page, Output::Fragment] {
        let page = html(&markdown.build(output).unwrap());
        for bad in ["<script", "onerror", "onclick", "example.org", "<iframe", "href=\"javascript"] {
            assert!(!page.contains(bad), "{bad} in {page}");
        }
        assert!(page.contains("&lt;script&gt;alert(3)"), "{page}");
    }
}

/// Elements of text that are not closed are repeated in each block that follows.
fn a_page_does_not_explode() {
    let open: String = (0..3000).map(|number| format!("<b id=\"b{number}\">a\n\n")).collect();
    let block: String =
        (0..3000).map(|number| format!("<div>\n<i id=\"i{number}\" <b>\n</div>\n\n")).collect();
    let text = format!("x<sup>2</sup><br>\n\n{open}\n\n{block}\n\n<b>c</b>\n");
    let sample = Sample::present(&[("statement/problem.en.md", text.as_bytes())]);
    let page = html(&sample.build(Output::Fragment).unwrap());
    assert!(page.contains("x<sup>2</sup><br>") && page.contains("<b>c</b>"), "{page}");
    assert_eq!((page.matches("<b").count(), page.matches("<i").count()), (2, 0), "<br> and <b>");
    let deep = Sample::present(&[("statement/problem.en.md", "<div>\n\n".repeat(3000).as_bytes())]);
    assert!(deep.refused(Output::Fragment).contains("is nested more deeply than"));
}
