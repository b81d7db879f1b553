//! The frame of every picture: size, looks, title.

use crate::markup::escape;
use std::fmt::Write;

/// Colours of series, light and dark, that people with the usual colour blindnesses can tell apart
/// (Okabe and Ito 2008, the dark ones lightened).
pub const PALETTE: [(&str, &str); 6] = [
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff9e4a"),
    ("#007a5a", "#3ccfa4"),
    ("#a3508a", "#e59fca"),
    ("#806600", "#e6c619"),
    ("#555555", "#bbbbbb"),
];

/// Dashes of series, so that colour is not all that tells them apart.
const DASHES: [&str; 6] = ["none", "8 4", "2 3", "12 3 2 3", "5 5", "1 5"];

/// Marks of series, as they go on from a place: so that colour is not all that tells them apart.
const MARKS: [&str; 6] =
    ["h0", "m-1.5 0h3", "m0 -1.5v3", "m-1.5 0h3m-1.5 -1.5v3", "m-1.5 -1.5l3 3", "m-1.5 1.5l3 -3"];

/// A picture that is being drawn. Coordinates are printed to a tenth.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Svg {
    /// Begins a picture of this size; the title is read out to those who cannot see it.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: title.to_owned(), body: String::new() }
    }

    /// Writes text; `class` is one of `title`, `label`, `small`, with `middle` or `end` after a blank for
    /// where it stands.
    pub fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        self.add(format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text)));
    }

    /// Draws a line; `class` is one of `axis`, `grid`, `mark`.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// Draws a filled rectangle in a series' colour, faintly.
    pub fn band(&mut self, series: usize, from: (f64, f64), to: (f64, f64)) {
        let (width, height) = (to.0 - from.0, to.1 - from.1);
        self.add(format_args!(
            "<rect class=\"band s{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
            series % PALETTE.len(),
            from.0,
            from.1,
        ));
    }

    /// Draws a round point in a series' colour; the note shows when it is pointed at.
    pub fn point(&mut self, series: usize, x: f64, y: f64, note: &str) {
        let series = series % PALETTE.len();
        self.add(format_args!(
            "<circle class=\"point s{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{}</title></circle>",
            escape(note)
        ));
    }

    /// Draws a line through points in a series' colour and dashes; the note shows when it is pointed at.
    pub fn curve(&mut self, series: usize, points: &[(f64, f64)], note: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(format_args!(
            "<polyline class=\"curve o{}\" stroke-dasharray=\"{}\" points=\"{}\"><title>{}</title></polyline>",
            series % PALETTE.len(),
            DASHES[series % DASHES.len()],
            points.join(" "),
            escape(note)
        ));
    }

    /// Draws many small marks in a series' colour and shape; the note shows when one is pointed at.
    pub fn marks(&mut self, series: usize, places: &[(f64, f64)], note: &str) {
        let mark = MARKS[series % MARKS.len()];
        let path: String = places.iter().map(|(x, y)| format!("M{x:.1} {y:.1}{mark}")).collect();
        self.add(format_args!(
            "<path class=\"marks o{}\" d=\"{path}\"><title>{}</title></path>",
            series % PALETTE.len(),
            escape(note)
        ));
    }

    /// Draws a hollow diamond in a series' colour: a point that lies apart.
    pub fn diamond(&mut self, series: usize, x: f64, y: f64, note: &str) {
        let series = series % PALETTE.len();
        self.add(format_args!(
            "<path class=\"odd o{series}\" d=\"M{x:.1} {:.1}l6 6l-6 6l-6 -6z\"><title>{}</title></path>",
            y - 6.0,
            escape(note)
        ));
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a text never fails.
        let _ = writeln!(self.body, "{element}");
    }

    /// Gives the picture as a file of its own.
    pub fn finish(&self) -> String {
        let Self { width, height, title, body } = self;
        let title = escape(title);
        let looks = looks();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n<style>\n{looks}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n"
        )
    }
}

fn looks() -> String {
    let mut light = String::from(
        ".paper{fill:#ffffff}\n\
         text{font-family:system-ui,\"DejaVu Sans\",sans-serif;fill:#222222}\n\
         .title{font-size:15px;font-weight:600}\n.label{font-size:13px}\n.small{font-size:11px;fill:#555555}\n\
         .middle{text-anchor:middle}\n.end{text-anchor:end}\n\
         .axis{stroke:#555555}\n.grid{stroke:#dddddd}\n.mark{stroke:#222222;stroke-width:2}\n\
         .point{fill-opacity:0.7}\n.band{fill-opacity:0.18}\n.odd{fill:none;stroke-width:2}\n\
         .marks{fill:none;stroke-width:2;stroke-linecap:round}\n\
         .curve{fill:none;stroke-width:1.7;stroke-linejoin:round}\n",
    );
    let mut dark = String::from(
        "@media (prefers-color-scheme:dark){\n.paper{fill:#16181c}\ntext{fill:#e6e6e6}\n.small{fill:#aaaaaa}\n\
         .axis{stroke:#aaaaaa}\n.grid{stroke:#3a3d42}\n.mark{stroke:#ffffff}\n",
    );
    for (series, (of_light, of_dark)) in PALETTE.iter().enumerate() {
        light.push_str(&format!(".s{series}{{fill:{of_light}}}\n.o{series}{{stroke:{of_light}}}\n"));
        dark.push_str(&format!(".s{series}{{fill:{of_dark}}}\n.o{series}{{stroke:{of_dark}}}\n"));
    }
    format!("{light}{dark}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_title_both_looks_and_no_markup_of_others() {
        let mut svg = Svg::new(100.0, 50.0, "<script>");
        svg.text(1.0, 2.0, "label", "a & b");
        svg.point(7, 1.04, 2.0, "\"7\"");
        let text = svg.finish();
        assert!(text.contains("<title>&lt;script&gt;</title>") && !text.contains("<script>"), "{text}");
        assert!(text.contains("prefers-color-scheme:dark"));
        assert!(text.contains("cx=\"1.0\"") && text.contains("s1\""), "the palette is used again");
        assert!(text.contains("<title>&quot;7&quot;</title>"));
    }
}
