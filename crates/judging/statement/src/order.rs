//! What is wanted, and what comes of it.

mod wanted;
use crate::cache::{Cache, Key};
use crate::inputs;
use crate::source::{self, Kind};
use crate::tools::{self, Runner};
use crate::{StatementError, html, pdf, plain};
use package::Package;
pub(crate) use wanted::variables;
pub use wanted::{Built, Cover, Order, Output, Part, Template};

/// Returns the languages of a package's statements, English first.
pub fn languages(package: &Package) -> Vec<String> {
    source::languages(package)
}

/// Builds statements, or takes them from the cache. `runner` is asked for only if something has to be built.
pub fn build<R: Runner, E: From<StatementError>>(
    order: &Order<'_>,
    runner: impl FnOnce() -> Result<R, E>,
    cache: Option<&Cache>,
) -> Result<Built, E> {
    let (parts, files, words) = inputs::prepare(order, order.output)?;
    if let [only] = parts.as_slice()
        && only.source.kind == Kind::Pdf
        && order.cover.is_none()
    {
        let content = only.source.bytes().to_vec();
        return Ok(Built { content, warnings: Vec::new(), is_plain: false, is_from_cache: false });
    }
    let is_markdown = parts.iter().all(|part| part.source.kind == Kind::Markdown);
    if order.output == Output::Fragment && !order.programs.pandoc && is_markdown {
        let (content, mut warnings) = plain::build(&parts, words).map_err(StatementError::from)?;
        warnings.extend(parts.iter().flat_map(|part| &part.cautions).map(ToString::to_string));
        return Ok(Built { content, warnings, is_plain: true, is_from_cache: false });
    }
    order.programs.require(order.output == Output::Pdf)?;
    let template = order.template.as_ref().map(|template| template.text.as_str());
    let output =
        format!("{:?} {:?} {:?} {}", order.output, order.cover, order.programs, env!("CARGO_PKG_VERSION"));
    let versions = tools::versions();
    let assets = [
        pdf::TEMPLATE,
        pdf::PACKAGE,
        html::FILTER,
        html::COMMANDS,
        html::POLYGON,
        html::TEMPLATE,
        html::STYLE,
    ];
    let named = parts.iter().flat_map(|part| {
        [&part.label, &part.name, &part.time_limit, &part.memory_limit].map(String::as_bytes)
    });
    let key = Key::of(
        [output.as_bytes(), versions.as_bytes(), template.unwrap_or_default().as_bytes()]
            .into_iter()
            .chain(assets.map(str::as_bytes))
            .chain(named)
            .chain(files.iter().flat_map(|(name, content)| [name.as_bytes(), content.as_slice()])),
    );
    if let Some(found) = cache.and_then(|cache| cache.find(&key)) {
        return Ok(found);
    }
    let mut runner = runner()?;
    let (content, mut warnings) = match order.output {
        Output::Pdf => pdf::build(order, &parts, files, words, &mut runner)?,
        Output::Page | Output::Fragment => {
            if order.programs.xelatex {
                pdf::check(order, &mut runner)?;
            }
            html::build(order, &parts, files, words, &mut runner)?
        }
    };
    let doubts = parts.iter().flat_map(|part| part.cautions.iter().cloned().chain(part.differences()));
    warnings.extend(doubts.map(|fault| fault.to_string()));
    let built = Built { content, warnings, is_plain: false, is_from_cache: false };
    if let Some(cache) = cache {
        cache.keep(&key, &built)?;
    }
    Ok(built)
}
