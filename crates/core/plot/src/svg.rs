//! The frame of every picture: size, looks, title.

use crate::plain;
use maud::{Markup, PreEscaped, html};

/// Colours of series, light and dark, that people with the usual colour blindnesses can distinguish (Okabe and Ito
/// 2008, the dark ones lightened).
pub(crate) const PALETTE: [(&str, &str); 6] = [
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff9e4a"),
    ("#007a5a", "#3ccfa4"),
    ("#a3508a", "#e59fca"),
    ("#806600", "#e6c619"),
    ("#555555", "#bbbbbb"),
];

/// Faint fills, light and dark, on which a text can be read.
const TINTS: [(&str, &str); 7] = [
    ("#ffffff", "#0d1117"),
    ("#eaeef2", "#21262d"),
    ("#f1e8f7", "#33263f"),
    ("#dff1e3", "#17341f"),
    ("#fdf1d3", "#3a3014"),
    ("#fbe3dc", "#43231b"),
    ("#dbe9fb", "#1b2f4a"),
];

/// Dash patterns of series, so that they differ by more than colour.
const DASHES: [&str; 6] = ["none", "8 4", "2 3", "12 3 2 3", "5 5", "1 5"];

/// Marks of series as SVG path segments, so that series differ by more than colour.
const MARKS: [&str; 6] =
    ["h0", "m-1.5 0h3", "m0 -1.5v3", "m-1.5 0h3m-1.5 -1.5v3", "m-1.5 -1.5l3 3", "m-1.5 1.5l3 -3"];

/// Patterns over fills: five patterns and six colours repeat together only after 30 series.
const PATTERNS: [&str; 5] =
    ["", "M0,8 L8,0 M-2,2 L2,-2 M6,10 L10,6", "M0,0 L8,8 M-2,6 L2,10 M6,-2 L10,2", "M0,4 L8,4", "M4,0 L4,8"];

/// The light version's style, without the colours of series.
const LIGHT: &str = "\
.paper{fill:#ffffff}
text{font-family:system-ui,\"DejaVu Sans\",sans-serif;fill:#222222}
.title{font-size:15px;font-weight:600}
.label{font-size:13px}
.small{font-size:11px;fill:#555555}
.mono{font:12px \"DejaVu Sans Mono\",\"Liberation Mono\",monospace}
.strong{font-weight:bold}
.halo{paint-order:stroke;stroke:#ffffff;stroke-width:3px;pointer-events:none}
.middle{text-anchor:middle}
.end{text-anchor:end}
.axis{stroke:#555555}
.grid{stroke:#dddddd}
.tick{stroke:#8a8a8a;stroke-width:0.5}
.mark{stroke:#222222;stroke-width:2}
.point{fill-opacity:0.7}
.band{fill-opacity:0.18}
.odd{fill:none;stroke-width:2}
.marks{fill:none;stroke-width:2;stroke-linecap:round}
.curve{fill:none;stroke-width:1.7;stroke-linejoin:round}
.row{fill:#f1f1f1}
.off{fill:#c9c9c9}
.edge{stroke:#ffffff}
.box{stroke:#57606a;rx:3px}
.dashed{stroke-dasharray:5 3;stroke-width:2}
.dotted{stroke-dasharray:1 3;stroke-width:2}
";

const DARK: &str = "\
.paper{fill:#16181c}
text{fill:#e6e6e6}
.small{fill:#aaaaaa}
.halo{stroke:#16181c}
.axis{stroke:#aaaaaa}
.grid{stroke:#3a3d42}
.mark{stroke:#ffffff}
.row{fill:#24272d}
.off{fill:#4a4d54}
.edge{stroke:#16181c}
.box{stroke:#9aa4af}
";

/// A picture that is being drawn. Coordinates are printed with one decimal.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Svg {
    /// Begins a picture of this size; screen readers read the title aloud.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: plain(title), body: String::new() }
    }

    /// Writes text; `class` is one of `title`, `label`, `small`, `mono`, followed by a blank and `middle` or `end` for
    /// another alignment.
    pub fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        self.add(&html! { text class=(class) x=(tenth(x)) y=(tenth(y)) { (plain(text)) } });
    }

    /// Draws a line; `class` is one of `axis`, `grid`, `tick`, `mark`.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.add(&html! {
            line class=(class) x1=(tenth(from.0)) y1=(tenth(from.1)) x2=(tenth(to.0)) y2=(tenth(to.1)) {}
        });
    }

    /// Draws a rectangle with its upper left corner at a place; `class` is `row`, `off`, or one of the other methods'.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.add(&html! {
            rect class=(class) x=(tenth(x)) y=(tenth(y)) width=(tenth(width)) height=(tenth(height)) {}
        });
    }

    /// Draws a filled rectangle in a series' colour, faintly.
    pub fn band(&mut self, series: usize, from: (f64, f64), to: (f64, f64)) {
        let class = format!("band s{}", series % PALETTE.len());
        self.rect(&class, from, (to.0 - from.0, to.1 - from.1));
    }

    /// Draws a filled rectangle in a series' colour and pattern; the note is a tooltip.
    pub fn block(&mut self, series: usize, (x, y): (f64, f64), (width, height): (f64, f64), note: &str) {
        let pattern = series % PATTERNS.len();
        let pattern = (pattern > 0).then(|| format!("p{pattern}"));
        let classes = std::iter::once(format!("edge s{}", series % PALETTE.len())).chain(pattern);
        self.add(&html! {
            g { (title(note)) @for class in classes {
                rect class=(class) x=(tenth(x)) y=(tenth(y)) width=(tenth(width)) height=(tenth(height)) {}
            } }
        });
    }

    /// Draws a box with a faint fill and a border; `class` is empty, `dashed` or `dotted`.
    pub fn tinted(&mut self, tint: usize, class: &str, at: (f64, f64), size: (f64, f64)) {
        self.rect(format!("box t{} {class}", tint % TINTS.len()).trim_end(), at, size);
    }

    /// Draws a round point in a series' colour; the note is a tooltip.
    pub fn point(&mut self, series: usize, x: f64, y: f64, note: &str) {
        let class = format!("point s{}", series % PALETTE.len());
        self.add(&html! { circle class=(class) cx=(tenth(x)) cy=(tenth(y)) r="3.5" { (title(note)) } });
    }

    /// Draws a line through points in a series' colour and dashes; the note is a tooltip.
    pub fn curve(&mut self, series: usize, points: &[(f64, f64)], note: &str) {
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", tenth(*x), tenth(*y))).collect();
        let (class, dashes) = (format!("curve o{}", series % PALETTE.len()), DASHES[series % DASHES.len()]);
        self.add(&html! {
            polyline class=(class) stroke-dasharray=(dashes) points=(points.join(" ")) { (title(note)) }
        });
    }

    /// Draws many small marks in a series' colour and shape; the note is a tooltip.
    pub fn marks(&mut self, series: usize, places: &[(f64, f64)], note: &str) {
        let mark = MARKS[series % MARKS.len()];
        let path: String =
            places.iter().map(|(x, y)| format!("M{} {}{mark}", tenth(*x), tenth(*y))).collect();
        self.path(&format!("marks o{}", series % PALETTE.len()), &path, note);
    }

    /// Draws a hollow diamond in a series' colour, for an outlier.
    pub fn diamond(&mut self, series: usize, x: f64, y: f64, note: &str) {
        let path = format!("M{} {}l6 6l-6 6l-6 -6z", tenth(x), tenth(y - 6.0));
        self.path(&format!("odd o{}", series % PALETTE.len()), &path, note);
    }

    fn path(&mut self, class: &str, path: &str, note: &str) {
        self.add(&html! { path class=(class) d=(path) { (title(note)) } });
    }

    fn add(&mut self, element: &Markup) {
        self.body.push_str(&element.0);
        self.body.push('\n');
    }

    /// Returns the picture as a complete file.
    pub fn finish(&self) -> String {
        let (width, height) = (self.width.round(), self.height.round());
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width)
                height=(height) role="img" aria-label=(self.title) {
                "\n" title { (self.title) } "\n"
                style { "\n" (PreEscaped(looks())) } "\n"
                (patterns(&self.body))
                rect .paper width="100%" height="100%" {} "\n"
                (PreEscaped(&self.body))
            }
            "\n"
        };
        svg.0
    }
}

/// Rounds to one decimal; the eye sees no more.
fn tenth(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

fn title(note: &str) -> Markup {
    html! { @if !note.is_empty() { title { (plain(note)) } } }
}

/// Returns the patterns that a picture uses.
fn patterns(body: &str) -> Markup {
    html! {
        @for (at, path) in PATTERNS.iter().enumerate().filter(|(at, _)| body.contains(&format!("class=\"p{at}\""))) {
            pattern id={ "p" (at) } width="8" height="8" patternUnits="userSpaceOnUse" {
                path d=(path) stroke="#000000" stroke-opacity="0.45" stroke-width="1.5" {}
            } "\n"
        }
    }
}

/// Returns the style sheet. Its quotes are not markup, so nothing is escaped.
fn looks() -> String {
    let of_series = |at: usize, colour: &str| format!(".s{at}{{fill:{colour}}}.o{at}{{stroke:{colour}}}\n");
    let of_tint = |at: usize, colour: &str| format!(".t{at}{{fill:{colour}}}\n");
    let (mut light, mut dark) = (LIGHT.to_owned(), DARK.to_owned());
    for (at, colours) in PALETTE.iter().enumerate() {
        light.push_str(&of_series(at, colours.0));
        dark.push_str(&of_series(at, colours.1));
    }
    for (at, colours) in TINTS.iter().enumerate() {
        light.push_str(&of_tint(at, colours.0));
        dark.push_str(&of_tint(at, colours.1));
    }
    let patterns: String = (1..PATTERNS.len()).map(|at| format!(".p{at}{{fill:url(#p{at})}}\n")).collect();
    format!("{light}{patterns}@media (prefers-color-scheme:dark){{\n{dark}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_title_both_looks_and_no_markup_of_others() {
        let mut svg = Svg::new(100.0, 50.0, "<script>");
        svg.text(1.0, 2.0, "label", "a & b\u{7}");
        svg.point(7, 1.04, 2.0, "\"7\"");
        let text = svg.finish();
        assert!(text.contains("<title>&lt;script&gt;</title>") && !text.contains("<script>"), "{text}");
        assert!(text.contains("prefers-color-scheme:dark"));
        assert!(text.contains("cx=\"1\"") && text.contains("s1\""), "the palette is used again");
        assert!(
            text.contains("<title>&quot;7&quot;</title>") && text.contains("a &amp; b </text>"),
            "{text}"
        );
    }
}
