//! Arguments of `tauto problem statement`.

use super::client::OnServer;
use clap::Args;
use std::path::PathBuf;

pub const STATEMENT_EXAMPLES: &str = "\
Markdown and LaTeX become a PDF by pandoc and XeLaTeX, or a page that needs nothing else, in the sandbox. Several packages, or \
--set, make a problem set with a cover and contents. What was made before of the same sources is not made again.

A template of your own is --template FILE, or the file statement-template.tex (or .html) in the folder around the first package.

Where no such file or folder is, the name is a problem of the server, whose PDF is saved.

Exit code: 0, 2 if the statement has something wrong (the line is named), 3 internal or system error.

Examples:
  tauto problem statement apples
  tauto problem statement apples --html --lang ru -o apples.html
  tauto problem statement apples pears plums --set --title \"Spring Contest\" --date 2027-05-01
  tauto problem statement apples --publish B --contest spring
  tauto problem statement B --contest spring";

#[derive(Debug, Args)]
pub struct StatementArguments {
    /// Problem packages, folders or ZIP archives; or a problem of the server: its label or id
    #[arg(value_name = "PACKAGE", required = true)]
    pub problems: Vec<PathBuf>,
    /// Make a PDF; this is the default
    #[arg(long, conflicts_with_all = ["html", "fragment"])]
    pub pdf: bool,
    /// Make a page that needs nothing else
    #[arg(long, conflicts_with = "fragment")]
    pub html: bool,
    /// Make HTML to be part of a page, with formulas for KaTeX
    #[arg(long)]
    pub fragment: bool,
    /// Its language, such as 'ru'; by default English, or the first that there is
    #[arg(long = "lang", value_name = "LANGUAGE")]
    pub language: Option<String>,
    /// A template of your own, as pandoc fills it
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// The problem's letter; letters of a set go on from it
    #[arg(long)]
    pub label: Option<String>,
    /// Make a problem set, with a cover, even of one package
    #[arg(long)]
    pub set: bool,
    /// The set's title
    #[arg(long)]
    pub title: Option<String>,
    /// What stands below the title
    #[arg(long)]
    pub subtitle: Option<String>,
    /// The date on the cover, as it is to be printed
    #[arg(long)]
    pub date: Option<String>,
    /// Leave out the contents of a set
    #[arg(long)]
    pub no_contents: bool,
    /// Make all statements of the package, and give them to this problem of the server: its label or id
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["html", "fragment", "language", "template", "label", "set", "title", "subtitle", "date", "out"])]
    pub publish: Option<String>,
    /// The new file; by default named after the package
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}
