//! The options. The documentation of an option is its help text; a type has none, since it would replace its command's.

mod clock;
mod image;
mod judge;

pub use clock::ClockArguments;
pub use image::{
    BuildArguments, EngineName, ExportArguments, ImageArguments, ImageCommand, ImportArguments,
    IsolationName, NamedArguments, PushArguments, RootArguments, ShowArguments, StoreArguments, usual_store,
};
pub use judge::{CheckerProtocol, JUDGE_EXAMPLES, JudgeArguments, OverLimit};

use clap::{Args, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

// Options of `tauto languages`.
#[derive(Debug, Args)]
pub struct LanguagesArguments {
    /// Folder of YAML files that replace or add languages
    #[arg(long = "languages", value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

impl JudgeArguments {
    /// Reads them from words, as `tauto judge` does.
    pub fn of(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words = std::iter::once("judge".into()).chain(words);
        let command = Self::augment_args(clap::Command::new("judge"));
        Self::from_arg_matches(&command.try_get_matches_from(words)?)
    }
}
