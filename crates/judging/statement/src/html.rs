//! HTML: by pandoc, made safe, with all pictures in it.

use crate::inputs::{Files, Ready};
use crate::order::{Order, Output, variables};
use crate::pdf::{MARKDOWN, fill};
use crate::safe::{self, escape};
use crate::source::Kind;
use crate::tools::{self, PANDOC, PDFTOCAIRO, Runner, ToolRunner};
use crate::words::{Words, is_rtl};
use crate::{Fault, StatementError, fault};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const FILTER: &str = include_str!("../assets/filter.lua");
pub(crate) const COMMANDS: &str = include_str!("../assets/commands.tex");
pub(crate) const POLYGON: &str = include_str!("../assets/polygon.tex");
pub(crate) const TEMPLATE: &str = include_str!("../assets/statement.html");
pub(crate) const STYLE: &str = include_str!("../assets/statement.css");
/// What stands for the hash of the style until that is known.
const STYLE_HASH: &str = "hash-of-the-style";
/// What a page reads while it is opened.
const PAGE_BYTES_MAX: usize = 32 << 20;

pub(crate) fn build(
    order: &Order<'_>,
    parts: &[Ready],
    mut files: Files,
    words: &Words,
    runner: &mut dyn Runner,
) -> Result<(Vec<u8>, Vec<String>), StatementError> {
    let mut add = |name: &str, text: &str| files.insert(name.to_owned(), text.as_bytes().to_vec());
    add("tauto/filter.lua", FILTER);
    add("tauto/commands.tex", COMMANDS);
    add("tauto/polygon.tex", POLYGON);
    // A browser orders words itself.
    add("tauto/rtl.tex", "\\newcommand{\\LR}[1]{#1}\n");
    let template = order.template.as_ref();
    add("tauto/template.html", template.map_or(TEMPLATE, |template| &template.text));
    let mut tools = ToolRunner::new(runner, &files, parts.len())?;
    let mut warnings = Vec::new();
    let mut body = cover(order, parts, words);
    for part in parts {
        let (html, faults) = fragment(&mut tools, order, part)?;
        body.push_str(&html);
        warnings.extend(faults.iter().map(ToString::to_string));
        check_size(part, body.len())?;
    }
    if order.output == Output::Fragment && template.is_none() {
        return Ok((body.into_bytes(), warnings));
    }
    let mut variables = variables(order, parts, words, escape);
    variables.insert("body".to_owned(), body.into());
    variables.insert("style".to_owned(), STYLE.into());
    variables.insert("style-hash".to_owned(), STYLE_HASH.into());
    let defaults = json!({"template": "/program/tauto/template.html", "variables": Value::Object(variables)});
    tools.add("tauto/main.json", defaults.to_string().as_bytes())?;
    let page = fill(&mut tools, template, "html")?;
    Ok((with_style_hash(&String::from_utf8_lossy(&page)).into_bytes(), warnings))
}

/// Puts in the hash by which the page allows its own style and no other.
fn with_style_hash(page: &str) -> String {
    let style = page.split_once("<style>").and_then(|(_, rest)| Some(rest.split_once("</style>")?.0));
    page.replacen(STYLE_HASH, &STANDARD.encode(Sha256::digest(style.unwrap_or_default())), 1)
}

/// Returns the title and the contents of a set.
fn cover(order: &Order<'_>, parts: &[Ready], words: &Words) -> String {
    let Some(cover) = &order.cover else { return String::new() };
    let mut html = format!("<h1>{}</h1>\n", escape(&cover.title));
    for line in [&cover.subtitle, &cover.date].into_iter().flatten() {
        html.push_str(&format!("<p>{}</p>\n", escape(line)));
    }
    if cover.has_contents {
        let entry = |part: &Ready| {
            let label = if part.label.is_empty() { String::new() } else { format!("{}. ", part.label) };
            let text = escape(&format!("{label}{}", part.name));
            format!("<li><a href=\"#{}{}\">{text}</a></li>\n", safe::prefix(&part.folder), part.folder)
        };
        let entries: String = parts.iter().map(entry).collect();
        html.push_str(&format!(
            "<nav><h2>{}</h2><ol>\n{entries}</ol></nav>\n",
            escape(words.get("problems"))
        ));
    }
    html
}

/// Refuses a page that is too large, before it is in memory.
pub(crate) fn check_size(part: &Ready, bytes: usize) -> Result<(), Fault> {
    if bytes <= PAGE_BYTES_MAX {
        return Ok(());
    }
    let problem = "is too large as a page: more than 32 MiB with its pictures";
    Err(Fault::of(part.source.place(&part.source.name), None, problem))
}

/// Returns the safe HTML of a part.
fn fragment(
    tools: &mut ToolRunner<'_>,
    order: &Order<'_>,
    part: &Ready,
) -> Result<(String, Vec<Fault>), StatementError> {
    let data = format!("tauto-data:/program/{}", part.data);
    let prefix = format!("--id-prefix={}", safe::prefix(&part.folder));
    let formulas = if order.output == Output::Page { "--mathml" } else { "--katex" };
    let file = part.file();
    let format = if part.source.kind == Kind::Tex { "latex" } else { MARKDOWN };
    let mut command = vec![
        "--sandbox",
        "--verbose",
        "-f",
        format,
        "-t",
        "html4",
        "--wrap=preserve",
        "--no-highlight",
        formulas,
    ];
    command.extend(["-L", "tauto/filter.lua", "-M", &data, &prefix]);
    if part.source.kind == Kind::Tex {
        command.push("tauto/commands.tex");
    }
    if part.polygon.is_some() {
        command.push("tauto/polygon.tex");
    }
    if part.source.kind == Kind::Tex && is_rtl(&part.source.language) {
        command.push("tauto/rtl.tex");
    }
    command.push(&file);
    let ran = tools.run(PANDOC, &command)?;
    if let Some(failure) = ran.failure {
        return Err(fault::of_pandoc(part, &ran.stderr, &failure).into());
    }
    let raw = String::from_utf8_lossy(&ran.stdout);
    if safe::depth(&raw) > safe::DEPTH_MAX {
        let problem = format!("is nested more deeply than {} times", safe::DEPTH_MAX);
        return Err(Fault::of(part.source.place(&part.source.name), None, problem).into());
    }
    let mut html = safe::clean(&raw);
    for (name, target) in &part.images {
        let wanted = format!("src=\"{}{target}\"", safe::IMAGE);
        let times = html.matches(&wanted).count();
        if times > 0 {
            let source = format!("src=\"{}\"", embedded(tools, part, name, target)?);
            check_size(part, html.len() + times * source.len())?;
            html = html.replace(&wanted, &source);
        }
    }
    Ok((with_direction(html, &part.source.language), fault::warnings_of_pandoc(part, &ran.stderr)))
}

/// Encloses HTML of a language from right to left.
pub(crate) fn with_direction(mut html: String, language: &str) -> String {
    if !is_rtl(language) {
        return html;
    }
    // Code and formulas run from left to right all the same.
    for (element, begin) in [("<pre", ""), ("<code", ""), ("<span", " class=\"math")] {
        html = html.replace(&format!("{element}{begin}"), &format!("{element} dir=\"ltr\"{begin}"));
    }
    format!("<div dir=\"rtl\" lang=\"{language}\">\n{html}</div>\n")
}

/// Returns a picture as an address that contains it. Pictures that are PDF become SVG.
fn embedded(
    tools: &mut ToolRunner<'_>,
    part: &Ready,
    name: &str,
    target: &str,
) -> Result<String, StatementError> {
    if let Some(address) = embedded_as_it_is(part, name) {
        return Ok(address);
    }
    let svg = format!("{target}.svg");
    let file = format!("{}/{name}", part.folder);
    let ran = tools.run(PDFTOCAIRO, &["-svg", "-l", "1", &file, &tools::out(&svg)])?;
    let converted = if ran.failure.is_none() { tools.take(&svg)? } else { None };
    match converted {
        Some(content) => Ok(address("svg+xml", &content)),
        None => Err(Fault::of(part.source.place(name), None, "is no usable picture").into()),
    }
}

/// Returns a picture that browsers show, as an address that contains it; `None` for a PDF.
pub(crate) fn embedded_as_it_is(part: &Ready, name: &str) -> Option<String> {
    let kind = match name.rsplit_once('.') {
        Some((_, "png")) => "png",
        Some((_, "svg")) => "svg+xml",
        Some((_, "pdf")) => return None,
        _ => "jpeg",
    };
    Some(address(kind, part.source.files.get(name).map_or(&[][..], Vec::as_slice)))
}

fn address(kind: &str, content: &[u8]) -> String {
    format!("data:image/{kind};base64,{}", STANDARD.encode(content))
}
