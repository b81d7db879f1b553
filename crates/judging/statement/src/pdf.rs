//! PDF: Markdown to LaTeX by pandoc, and all of it by XeLaTeX.

use crate::html::FILTER;
use crate::inputs::{self, Files, Ready};
use crate::order::{Order, Output, Template, variables};
use crate::source::Kind;
use crate::tools::{self, PANDOC, RSVG, Runner, ToolRunner, XELATEX};
use crate::words::Words;
use crate::{Fault, StatementError, fault, signs};
use serde_json::{Value, json};

pub(crate) const TEMPLATE: &str = include_str!("../assets/statement.tex");
pub(crate) const PACKAGE: &str = include_str!("../assets/tautostatement.sty");
/// Contents and numbers of pages settle in three; a document that never settles is printed as it is.
const PASSES_MAX: usize = 4;
/// What pandoc reads as Markdown: CommonMark with formulas, tables and footnotes; positions are for messages.
pub(crate) const MARKDOWN: &str = "commonmark_x-emoji+sourcepos";

pub(crate) fn build(
    order: &Order<'_>,
    parts: &[Ready],
    mut files: Files,
    words: &Words,
    runner: &mut dyn Runner,
) -> Result<(Vec<u8>, Vec<String>), StatementError> {
    let template = order.template.as_ref();
    let (mut tools, bodies) = ready(order, template, parts, &mut files, words, runner)?;
    typeset(&mut tools, parts, &bodies, template.map(|template| template.name.as_str()))
}

/// Reports what TeX finds wrong in statements of which HTML is wanted: pandoc leaves out what it does not know.
pub(crate) fn check(order: &Order<'_>, runner: &mut dyn Runner) -> Result<(), StatementError> {
    let (parts, mut files, words) = inputs::prepare(order, Output::Pdf)?;
    if !parts.iter().any(|part| part.source.kind == Kind::Tex || part.source.text().contains('$')) {
        return Ok(());
    }
    let (mut tools, bodies) = ready(order, None, &parts, &mut files, words, runner)?;
    run_tex(&mut tools, &parts, &bodies, None, &["-no-pdf"])?;
    Ok(())
}

/// Writes all that TeX reads; returns the TeX that was made from each part, too.
fn ready<'r>(
    order: &Order<'_>,
    template: Option<&Template>,
    parts: &[Ready],
    files: &mut Files,
    words: &Words,
    runner: &'r mut dyn Runner,
) -> Result<(ToolRunner<'r>, Vec<String>), StatementError> {
    let mut add = |name: &str, text: &str| files.insert(name.to_owned(), text.as_bytes().to_vec());
    add("tauto/tautostatement.sty", PACKAGE);
    add("tauto/filter.lua", FILTER);
    add("tauto/template.tex", template.map_or(TEMPLATE, |template| &template.text));
    let mut variables = variables(order, parts, words, escape);
    variables.insert("hyphenation".to_owned(), words.patterns.into());
    let defaults = json!({"template": "/program/tauto/template.tex", "variables": Value::Object(variables)});
    add("tauto/main.json", &defaults.to_string());
    let mut tools = ToolRunner::new(runner, files, parts.len())?;
    let mut bodies = Vec::with_capacity(parts.len());
    for part in parts {
        for (name, target) in part.used_images("svg") {
            convert_svg(&mut tools, part, name, target)?;
        }
        let body = body(&mut tools, part)?;
        if part.body != part.file() {
            tools.add(&part.body, body.as_bytes())?;
        }
        bodies.push(body);
    }
    tools.add("tauto/tautosigns.tex", signs::used(parts, files, &bodies).as_bytes())?;
    let filled = fill(&mut tools, template, "latex")?;
    tools.add("main.tex", &filled)?;
    Ok((tools, bodies))
}

/// Fills the template with the variables in `tauto/main.json`.
pub(crate) fn fill(
    tools: &mut ToolRunner<'_>,
    template: Option<&Template>,
    format: &str,
) -> Result<Vec<u8>, StatementError> {
    let filled =
        tools.run(PANDOC, &["--defaults=tauto/main.json", "-f", "markdown", "-t", format, "/dev/null"])?;
    let Some(failure) = filled.failure else { return Ok(filled.stdout) };
    let name = template.map_or("the template", |template| &template.name);
    let why = filled.stderr.lines().next().unwrap_or(&failure).to_owned();
    Err(Fault::of(name, None, why).into())
}

/// Runs TeX until nothing changes any more.
fn typeset(
    tools: &mut ToolRunner<'_>,
    parts: &[Ready],
    bodies: &[String],
    template: Option<&str>,
) -> Result<(Vec<u8>, Vec<String>), StatementError> {
    let mut before = None;
    let mut log = String::new();
    for _ in 0..PASSES_MAX {
        log = run_tex(tools, parts, bodies, template, &[])?;
        if let Some(lost) = signs::lost(parts, &log) {
            return Err(lost.into());
        }
        let notes = ["main.aux", "main.toc"].map(|name| tools.take(name).ok().flatten());
        if before.as_ref() == Some(&notes) {
            break;
        }
        before = Some(notes);
    }
    let content = tools.take("main.pdf")?.ok_or_else(|| {
        Fault::of(place(parts), None, format!("the PDF is larger than {}", tools::FILE_MAX))
    })?;
    let wide = fault::too_wide(parts, bodies, &log);
    Ok((content, wide.iter().map(ToString::to_string).collect()))
}

/// Runs TeX once, and returns its log.
fn run_tex(
    tools: &mut ToolRunner<'_>,
    parts: &[Ready],
    bodies: &[String],
    template: Option<&str>,
    options: &[&str],
) -> Result<String, StatementError> {
    let mut command = vec![
        "-no-shell-escape",
        "-no-mktex=tfm",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-file-line-error",
        "-output-directory=/box/out",
    ];
    command.extend(options);
    command.push("main.tex");
    let ran = tools.run(XELATEX, &command)?;
    let log = String::from_utf8_lossy(&ran.stdout).into_owned();
    let Some(failure) = ran.failure else { return Ok(log) };
    let fault = if ran.has_message { fault::of_tex(parts, bodies, template, &log) } else { None };
    Err(fault.unwrap_or_else(|| unexplained(parts, bodies, &log, failure)).into())
}

fn place(parts: &[Ready]) -> String {
    match parts {
        [only] => only.source.place(&only.source.name),
        _ => "the problem set".to_owned(),
    }
}

/// Returns the fault of a TeX that was ended: the file that it was reading is the last one opened in its log.
fn unexplained(parts: &[Ready], bodies: &[String], log: &str, failure: String) -> Fault {
    if let Some(fault) = fault::of_tex(parts, bodies, None, log) {
        return fault;
    }
    let last = parts.iter().filter_map(|part| {
        Some((
            log.rfind(&format!("({}", part.body)).or_else(|| log.rfind(&format!("(./{}", part.body)))?,
            part,
        ))
    });
    match last.max_by_key(|(at, _)| *at) {
        Some((_, part)) => Fault::of(part.source.place(&part.source.name), None, failure),
        None => Fault::of(place(parts), None, failure),
    }
}

/// Returns the TeX of a part.
fn body(tools: &mut ToolRunner<'_>, part: &Ready) -> Result<String, StatementError> {
    match part.source.kind {
        Kind::Tex if part.body == part.file() => Ok(part.source.text()),
        Kind::Tex => Ok(format!("\\problemname{{}}\n\\input{{{}}}\n", part.file())),
        Kind::Pdf => Ok(format!("\\tautopages{{{}}}\n", part.file())),
        Kind::Markdown => {
            let data = format!("tauto-data:/program/{}", part.data);
            let file = part.file();
            let command = [
                "--sandbox",
                "-f",
                MARKDOWN,
                "-t",
                "latex",
                "--wrap=preserve",
                "--no-highlight",
                "-L",
                "tauto/filter.lua",
                "-M",
                &data,
                &file,
            ];
            let ran = tools.run(PANDOC, &command)?;
            match ran.failure {
                Some(failure) => Err(fault::of_pandoc(part, &ran.stderr, &failure).into()),
                None => Ok(format!("\\problemname{{}}\n{}", String::from_utf8_lossy(&ran.stdout))),
            }
        }
    }
}

fn convert_svg(
    tools: &mut ToolRunner<'_>,
    part: &Ready,
    name: &str,
    target: &str,
) -> Result<(), StatementError> {
    let file = format!("{}/{name}", part.folder);
    let ran = tools.run(RSVG, &["--format=pdf", "--output", &tools::out(target), &file])?;
    let converted = if ran.failure.is_none() { tools.take(target)? } else { None };
    let Some(content) = converted else {
        let why = ran.stderr.lines().next().unwrap_or("it is damaged").to_owned();
        return Err(Fault::of(part.source.place(name), None, format!("is no usable picture: {why}")).into());
    };
    tools.add(&format!("tauto/{target}"), &content)?;
    // LaTeX names the picture itself: it takes what stands there as the PDF that it is now.
    tools.add(&file, &content)
}

/// Returns plain text as TeX prints it.
pub(crate) fn escape(text: &str) -> String {
    let mut tex = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => tex.extend(['\\', c]),
            '\\' => tex.push_str("\\textbackslash{}"),
            '~' => tex.push_str("\\textasciitilde{}"),
            '^' => tex.push_str("\\textasciicircum{}"),
            c if c.is_control() => tex.push(' '),
            c => tex.push(c),
        }
    }
    tex
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_is_no_command() {
        assert_eq!(super::escape("50% of \\input{x}\n"), "50\\% of \\textbackslash{}input\\{x\\} ");
    }
}
