//! Arguments of `tauto contest attach`.

use super::client::OnServer;
use clap::Args;
use std::path::PathBuf;

pub const ATTACH_EXAMPLES: &str = "\
A contest has banner and logo; an organization logo, country_flag and country_subdivision_flag; a team photo, video, \
desktop, webcam, audio, backup, key_log and tool_data; a person photo; a submission reaction. A file of the same name is \
replaced.

Exit code: 0, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto contest attach teams/t1 photo ants.jpg
  tauto contest attach organizations/uni logo uni-160.png --tag dark
  tauto contest attach contest banner spring.svg
  tauto contest attach teams/t1 photo ants.jpg --remove";

#[derive(Debug, Args)]
pub struct AttachArguments {
    /// Whose file it is: contest, organizations/ID, teams/ID, persons/ID or submissions/ID
    pub object: String,
    /// Which property it is in, such as photo or logo
    pub property: String,
    /// The file, by its name on the server too
    pub file: PathBuf,
    /// What it is good for, such as light or dark
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Remove the file of this name from the server
    #[arg(long, conflicts_with = "tag")]
    pub remove: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}
