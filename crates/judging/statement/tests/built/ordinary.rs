//! Statements as people write them, in three languages.

use crate::support::{Sample, html, make, pages, printed, text};
use crate::trial;
use libtest_mimic::Trial;
use statement::{Cache, Cover, Order, Output, Part, Programs, Template};

const PIXEL: &[u8] = include_bytes!("pixel.png");

const MARKDOWN: &[u8] = b"Chains[^1] of at most ${{most}}$ links.\n\n\
    ## Input\n\nOne line with $a$ and $b$:\n\n$$ a + \\frac{b}{2} $$\n\n\
    | a | b |\n|---|--:|\n| 1 | **2** |\n\n{{nextsample}}\n\n![a chain](pixel.png){width=50%}\n\n[^1]: Of iron.\n";

const TEX: &[u8] = b"\\problemname{Cha\\^ine $x^2$}\nText with ``quotes'' and $a$.\\illustration{0.3}{pixel}{A chain}\n\
    \\begin{Input}One line\\footnote{A note.}\\end{Input}\n\\begin{Output}\\begin{tabular}{|l|r|}\\hline a & b\\\\\\hline\\end{tabular}\\end{Output}\n";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("markdown_to_a_page", markdown_to_a_page),
        trial("markdown_to_a_fragment", markdown_to_a_fragment),
        trial("markdown_to_pdf_in_three_languages", markdown_to_pdf_in_three_languages),
        trial("tex_to_both", tex_to_both),
        trial("a_dialogue_is_shown", a_dialogue_is_shown),
        trial("a_set_has_a_cover_and_contents", a_set_has_a_cover_and_contents),
        trial("a_template_of_ones_own", a_template_of_ones_own),
        trial("what_was_built_is_found_again", what_was_built_is_found_again),
        trial("the_failing_line_is_named", the_failing_line_is_named),
        trial("warnings_name_the_line", warnings_name_the_line),
        trial("signs_without_a_font_are_named", signs_without_a_font_are_named),
        trial("polygon_has_the_words_of_its_language", polygon_has_the_words_of_its_language),
        trial("a_language_that_is_not_there", a_language_that_is_not_there),
    ]
}

fn markdown() -> Sample {
    Sample::present(&[
        ("statement/problem.en.md", MARKDOWN),
        ("statement/problem.ru.md", "Цепи из $n$ звеньев.\n".as_bytes()),
        ("statement/problem.zh.md", "每条铁链有$n$个环。\n".as_bytes()),
        ("statement/pixel.png", PIXEL),
    ])
}

fn markdown_to_a_page() {
    let page = html(&markdown().build(Output::Page).unwrap());
    for part in [
        "<title>Slack Chain</title>",
        "Slack Chain</h1>",
        "Time limit: 1.5 s",
        "Memory limit: 256 MiB",
        "<math",
        "<mn>1000</mn>",
        "<pre>3 4</pre>",
        "<pre>the first answer</pre>",
        "Of iron.",
        "<img src=\"data:image/png;base64,",
        "width=\"50%\"",
        "<strong>2</strong>",
        "prefers-color-scheme: dark",
        "Content-Security-Policy",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let (sample, image) = (page.find("<pre>3 4").unwrap(), page.find("<img").unwrap());
    assert!(sample < image, "the sample stands where the statement wants it");
    assert_eq!(page.matches("<pre>3 4").count(), 1);
}

fn markdown_to_a_fragment() {
    let part = html(&markdown().build(Output::Fragment).unwrap());
    assert!(part.contains("<span class=\"math inline\">1000</span>"), "{part}");
    assert!(part.contains("<span class=\"math display\">"), "{part}");
    for absent in ["<html", "<h1", "<math", "style="] {
        assert!(!part.contains(absent), "{absent} in {part}");
    }
}

fn markdown_to_pdf_in_three_languages() {
    let sample = markdown();
    for (language, words) in [
        ("en", ["Slack Chain", "Time limit: 1.5 s", "the first answer"]),
        ("ru", ["Провисшая цепь", "Ограничение времени: 1.5 с", "the first answer"]),
        ("zh", ["松弛的链条", "时间限制", "每条铁链有"]),
    ] {
        let built = sample.build_in(Some(language), Output::Pdf, None).unwrap();
        let text = text(&built).replace('\n', "");
        for word in words {
            assert!(text.contains(word), "no {word} in {text}");
        }
    }
}

fn tex_to_both() {
    let sample =
        Sample::legacy(&[("problem_statement/problem.tex", TEX), ("problem_statement/pixel.png", PIXEL)]);
    let page = html(&sample.build(Output::Page).unwrap());
    for part in [
        "Cha\u{ee}ne <math",
        "Input</h2>",
        "A note.",
        "A chain",
        "width=\"30%\"",
        "<pre>3 4</pre>",
        "<th align=\"right\">b",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let printed = text(&sample.build(Output::Pdf).unwrap());
    for part in ["Sample Input 1", "the first answer", "A chain"] {
        assert!(printed.contains(part), "no {part} in {printed}");
    }
}

fn a_dialogue_is_shown() {
    let sample = Sample::present(&[
        ("statement/problem.en.md", b"Guess.\n"),
        ("data/sample/1.interaction", b"< 10 4\n> 5\n---\n< deeper\n"),
    ]);
    let page = html(&sample.build(Output::Page).unwrap());
    for part in ["Sample Interaction 1", "sample-read\"><pre>10 4", "sample-write\"><pre>5", "Pass 2"] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    assert!(!page.contains("the first answer"));
    let printed = text(&sample.build(Output::Pdf).unwrap());
    assert!(printed.contains("deeper") && printed.contains("Pass 2"), "{printed}");
}

fn a_set_has_a_cover_and_contents() {
    let (first, second) =
        (markdown(), Sample::legacy(&[("problem_statement/problem.tex", b"\\problemname{Second} b")]));
    let packages = [first.open(), second.open()];
    let parts = packages.iter().zip(["A", "B"]);
    let parts =
        parts.map(|(package, label)| Part { package, label: Some(label.to_owned()), time_limit: None });
    let cover = Cover {
        title: "Spring & Autumn".to_owned(),
        subtitle: Some("Final".to_owned()),
        date: Some("2026-11-24".to_owned()),
        has_contents: true,
    };
    let mut order = Order {
        parts: parts.collect(),
        language: None,
        output: Output::Pdf,
        cover: Some(cover),
        template: None,
        programs: Programs::ALL,
    };
    let built = make(&order, None).unwrap();
    let printed = text(&built);
    for part in ["Spring & Autumn", "Final", "2026-11-24", "Problem A. Slack Chain", "Problem B. Second"] {
        assert!(printed.contains(part), "no {part} in {printed}");
    }
    assert_eq!(pages(&built), 4);
    order.output = Output::Page;
    let page = html(&make(&order, None).unwrap());
    for part in
        ["Spring &amp; Autumn</h1>", "href=\"#statement-p2-p2\"", "id=\"statement-p2-p2\"", "Problem B. "]
    {
        assert!(page.contains(part), "no {part} in {page}");
    }
}

fn a_template_of_ones_own() {
    let sample = markdown();
    let package = sample.open();
    let mut order = Order {
        parts: vec![Part { package: &package, label: None, time_limit: None }],
        language: Some("ru"),
        output: Output::Page,
        cover: None,
        programs: Programs::ALL,
        template: Some(Template {
            name: "mine.html".to_owned(),
            text: "<b>$pagetitle$|$lang$|</b>$body$".to_owned(),
        }),
    };
    let page = html(&make(&order, None).unwrap());
    assert!(page.starts_with("<b>Провисшая цепь|ru|</b>"), "{page}");
    order.output = Output::Pdf;
    let tex = "\\documentclass{article}\\usepackage{fontspec,amsmath}\\usepackage{graphicx,fvextra,hyperref,enumitem,calc,xcolor,listings,wrapfig,float,needspace,unicode-math}\n\
               \\nosuchcommand\\begin{document}a\\end{document}";
    order.template = Some(Template { name: "mine.tex".to_owned(), text: tex.to_owned() });
    let reported = make(&order, None).unwrap_err().to_string();
    assert_eq!(reported, "mine.tex: TeX knows no command \\nosuchcommand (line 2 after filling)");
}

fn what_was_built_is_found_again() {
    let (sample, folder) = (markdown(), tempfile::tempdir().unwrap());
    let cache = Cache::new(folder.path());
    let built = |output| sample.build_in(Some("ru"), output, Some(&cache)).unwrap();
    let (first, second) = (built(Output::Pdf), built(Output::Pdf));
    assert!(!first.is_from_cache && second.is_from_cache);
    assert_eq!(first.content, second.content);
    assert!(!built(Output::Page).is_from_cache, "another kind is another statement");
    sample.write("statement/problem.en.md", b"Changed.\n");
    assert!(!built(Output::Pdf).is_from_cache, "a file beside it changed");
    sample.write("data/sample/1.in", b"5\n");
    assert!(!built(Output::Pdf).is_from_cache, "a sample changed");
    let again = sample.build_in(Some("ru"), Output::Pdf, None).unwrap();
    assert_eq!(again.content, built(Output::Pdf).content, "the same sources make the same bytes");
}

fn the_failing_line_is_named() {
    let check = |name: &str, text: &str, output: Output, expect: &str| {
        let sample = Sample::legacy(&[(&format!("problem_statement/{name}"), text.as_bytes())]);
        assert_eq!(sample.refused(output), format!("problem_statement/{expect}"));
    };
    let (md, tex) = ("problem.en.md", "problem.en.tex");
    // HTML has the mistakes of the PDF.
    for output in [Output::Pdf, Output::Page, Output::Fragment] {
        let nope = "TeX knows no command \\nope";
        check(md, "a\n\n- b\n- $c$ and\n  $\\nope$\n", output, &format!("problem.en.md:5: {nope}"));
        check(tex, "\\problemname{A}\na\n\\nope{b}\n", output, &format!("problem.en.tex:3: {nope}"));
    }
    check(md, "a\n\n$$\nb\n\\nope\n$$\n", Output::Pdf, "problem.en.md:5: TeX knows no command \\nope");
    check(
        tex,
        "\\problemname{A}\n\\textbf{a\nb\n",
        Output::Pdf,
        "problem.en.tex:2: this brace is not closed",
    );
    check(
        tex,
        "\\problemname{A}\n\\begin{itemize}\n\\item a\n",
        Output::Page,
        "problem.en.tex:2: the environment itemize that begins here does not end",
    );
    check(tex, "a\n\\constant{x}\n", Output::Page, "problem.en.tex:2: problem.yaml has no constant 'x'");
    let no_sample = "problem.en.md:3: {{nextsample}} stands here, but no sample is left";
    check(
        md,
        "a {{nextsample}}\n\n{{nextsample}}\n\n{{nextsample}}\n",
        Output::Page,
        &no_sample.replace(":3:", ":5:"),
    );
    let image = "the image 'no.png' is not in the folder of the statement: images come from there alone";
    for output in [Output::Page, Output::Pdf] {
        check(md, "a\n\nb ![](no.png)\n", output, &format!("problem.en.md:3: {image}"));
    }
    for output in [Output::Page, Output::Pdf] {
        check(tex, "a\n\n\\includegraphics{no.png}\n", output, &format!("problem.en.tex:3: {image}"));
    }
    check(md, "a\n\nb {{most}}\n", Output::Page, "problem.en.md:3: problem.yaml has no constant 'most'");
    let percent = "this % makes a comment of the rest of the line: a percent sign is \\%";
    check(tex, "a\nThe “50% Rule” holds.\n", Output::Page, &format!("problem.en.tex:2: {percent}"));
    let heading = "problem takes five arguments: title, input, output, time limit, memory limit";
    check(
        tex,
        "\n\\begin{problem}{A}{b}{c}{1 s}\nText\\end{problem}",
        Output::Page,
        &format!("problem.en.tex:2: {heading}"),
    );
    let latin = Sample::legacy(&[("problem_statement/problem.en.md", b"a\n\xe9\n")]);
    assert_eq!(latin.refused(Output::Pdf), "problem_statement/problem.en.md:2: is not UTF-8");
}

fn warnings_name_the_line() {
    let check = |name: &str, text: &str, output: Output, expect: &str| {
        let sample = Sample::present(&[(&format!("statement/{name}"), text.as_bytes())]);
        assert_eq!(sample.build(output).unwrap().warnings, [format!("statement/{name}:{expect}")]);
    };
    let (md, tex) = ("problem.en.md", "problem.en.tex");
    check(
        md,
        "a\n\n$\\mathchoice{a}{b}{c}{d}$\n",
        Output::Page,
        "3: the formula '\\mathchoice{a}{b}{c}{d}' is shown as TeX, since it cannot be converted",
    );
    check(
        tex,
        "a\n\n\\rotatebox{90}{b}\n",
        Output::Page,
        "3: HTML has no \\rotatebox{90}{b}: it is left out",
    );
    let wide = "a\n\n\\begin{tabular}{l}\\rule{20cm}{1cm}\\end{tabular}\n";
    check(tex, wide, Output::Pdf, "3: this is 39 mm wider than its place in the PDF");
    check(
        md,
        "a\n\nb\n\n$\\rule{20cm}{1cm}$\n",
        Output::Pdf,
        "5: this is 34 mm wider than its place in the PDF",
    );
    check(
        tex,
        "\\begin{problem}{A}{}{}{1.5 s}{256 MB}\n\\exmp{1}{2}\\exmp{1}{2}\\end{problem}",
        Output::Page,
        "1: examples here: 2, which are shown; samples of the package: 1",
    );
    check(
        tex,
        "\\begin{problem}{A}{}{}{2 seconds}{256 megabytes}\na\\end{problem}",
        Output::Page,
        "1: the time limit here is '2 seconds', but the package's, which is shown, is 1.5 s",
    );
}

fn signs_without_a_font_are_named() {
    let sign = "no font that is installed has the sign '\u{13000}' (U+13000)";
    let check = |files: &[(&str, &[u8])], expect: &str| {
        assert_eq!(Sample::present(files).refused(Output::Pdf), format!("{expect}: {sign}"));
    };
    let fine = ("statement/problem.en.md", &b"a\n"[..]);
    check(&[("statement/problem.en.md", "a\n\n**b** \u{13000}\n".as_bytes())], "statement/problem.en.md:3");
    check(&[("statement/problem.en.tex", "a\n$b_{\u{13000}}$\n".as_bytes())], "statement/problem.en.tex:2");
    check(&[fine, ("data/sample/1.in", "1\n2 \u{13000}\n".as_bytes())], "data/sample/1.in:2");
    let sample = Sample::present(&[fine, ("data/sample/1.interaction", b"< 1\n2\n")]);
    assert!(
        sample.refused(Output::Page).starts_with("data/sample/1.interaction:2: a line of an interaction")
    );
}

fn polygon_has_the_words_of_its_language() {
    let text = "\\begin{problem}{Цепи}{chain.in}{chain.out}{1.5 с}{256 МБ}\n\\Interaction\nа\n\\Scoring\nб\n\\Note\nв\\end{problem}\n";
    let sample = Sample::present(&[("statement/problem.ru.tex", text.as_bytes())]);
    let words = ["Цепи", "Имя входного файла: chain.in", "Взаимодействие", "Система оценки", "Замечание"];
    let shown = printed(&sample.build(Output::Pdf).unwrap());
    let page = html(&sample.build(Output::Page).unwrap()).replace("<code>", "").replace('\n', " ");
    for word in words {
        assert!(shown.contains(&word.replace(' ', "")), "no {word} in {shown}");
        assert!(page.contains(word), "no {word} in {page}");
    }
}

fn a_language_that_is_not_there() {
    let reported = markdown().build_in(Some("de"), Output::Pdf, None).unwrap_err().to_string();
    assert!(reported.contains("has no statement in 'de', but in: en, ru, zh"), "{reported}");
    let built = markdown().build_in(Some("zh-CN"), Output::Page, None).unwrap();
    assert!(html(&built).contains("每条铁链有"), "a related language is taken");
}
