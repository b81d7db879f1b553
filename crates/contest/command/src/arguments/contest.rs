//! Arguments of the commands that a contest server answers.

use super::attach::{ATTACH_EXAMPLES, AttachArguments};
use super::client::OnServer;
use super::saved::{MOSS_EXAMPLES, MossArguments, SavedArguments};
use super::team::{FOLLOW_EXAMPLES, FollowArguments, NameArguments};
use clap::{Args, Subcommand};
use contest_rules::Millis;
use jiff::ZonedDateTime;
use jiff::civil::{DateTime, Time};
use std::path::PathBuf;

pub const SUBMIT_EXAMPLES: &str = "\
Several files are one submission. The problem follows from the name of the first file (a.cpp, apples.py) or its folder, \
the language from the content.

Exit code: 0 if it was sent, with --wait if it was accepted; 1 with --wait for any other verdict; 2 if the server \
refuses it; 3 if it cannot be reached or could not judge.

Examples:
  tauto submit a.cpp --contest spring --wait
  tauto submit solution.py --problem B
  tauto submit Main.java Helper.java --problem apples --lang java";

pub const REJUDGE_EXAMPLES: &str = "\
Without an id a rejudging is opened, judged, and shown: which verdicts would change. Nothing counts before --apply. \
With --repeat each submission is judged that often, and the spread of verdicts and times is shown.

Exit code: 0, 2 if the server refuses it, 3 if it cannot be reached.

Examples:
  tauto rejudge --problem B
  tauto rejudge --problem B --repeat 5
  tauto rejudge 3 --apply
  tauto rejudge 3 --cancel";

const IMPORT_EXAMPLES: &str = "\
A folder or zip has contest.yaml, problems.yaml, teams.yaml, accounts.yaml, groups.yaml, organizations.yaml (or .json; \
all but contest and problems also .csv, teams, accounts and groups also .tsv), and problem packages in problems/ID/ or problems/ID.zip. A package with results, \
as this or another system exports it, is imported with them, and nothing is judged. All of it is imported, or nothing. Every mistake is named with its file and line.

Exit code: 0, 2 if the files have a mistake or the server refuses them, 3 if it cannot be reached.

Examples:
  tauto contest import problems/demo-contest --dry-run
  tauto contest import spring.zip";

const SCOREBOARD_EXAMPLES: &str = "\
Examples:
  tauto contest scoreboard --contest spring
  tauto contest scoreboard --watch
  tauto contest scoreboard -o board.zip
  tauto contest scoreboard --jury --json | jq '.rows[0]'";

/// What to do with a contest.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ContestCommand {
    /// Make a contest from contest.yaml, or change it
    Create(CreateArguments),
    /// Import a contest package: a folder or a ZIP archive
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportArguments),
    /// Export a contest with its results as a package, without passwords
    Export(ExportArguments),
    /// Check whether a contest can begin, or its result be made final
    ///
    /// Exit code: 0 if it can, 1 if something prevents it.
    Check(OnServer),
    /// List the contests
    List(OnServer),
    /// Start a contest: now, after a while, or at a time
    ///
    /// Now is by the server's clock, not by this machine's.
    Start(StartArguments),
    /// Pause a contest: its clock stands still; before the start, the countdown does
    Pause(OnServer),
    /// Resume a paused contest
    Resume(OnServer),
    /// Make a contest longer, or shorter
    Extend(ExtendArguments),
    /// Freeze the public scoreboard now
    Freeze(OnServer),
    /// Thaw the public scoreboard, now or at a time
    Thaw(AtArguments),
    /// Make the result final
    Finalize(FinalizeArguments),
    /// Open a final result again
    Unfinalize(ReasonArguments),
    /// Remove a contest in which no team has submitted anything
    Remove(NameArguments),
    /// Show the scoreboard
    #[command(after_help = SCOREBOARD_EXAMPLES)]
    Scoreboard(ScoreboardArguments),
    /// Save the statements of all problems as one PDF
    Statements(SavedArguments),
    /// Save the samples of all problems as a ZIP archive
    Samples(SavedArguments),
    /// Save sources for a search for copies
    #[command(after_help = MOSS_EXAMPLES)]
    Moss(MossArguments),
    /// Give a team, a person, an organization or the contest a picture or another file
    #[command(after_help = ATTACH_EXAMPLES)]
    Attach(AttachArguments),
    /// Follow the event feed of any server, and report what is wrong with it
    #[command(after_help = FOLLOW_EXAMPLES)]
    Follow(FollowArguments),
    /// List the machines that judge
    Machines(OnServer),
}

// Why something is done.
#[derive(Debug, Args)]
pub struct ReasonArguments {
    /// Why; it goes into the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct CreateArguments {
    /// The file
    #[arg(value_name = "contest.yaml")]
    pub file: PathBuf,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct ImportArguments {
    /// The package
    #[arg(value_name = "DIR_OR_ZIP")]
    pub source: PathBuf,
    /// Check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Take problem packages from outside of the folder, where it names them: for a folder of your own
    #[arg(long)]
    pub outside: bool,
    /// The server.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Folder, or a file that ends in .zip; by default a folder named as the contest
    #[arg(short, long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// For the ICPC resolver, which waits for the end of all updates: of a final result, before the public sees the thaw
    #[arg(long)]
    pub resolver: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

// An optional time.
#[derive(Debug, Args)]
pub struct AtArguments {
    /// When: 10:00 is the next one on this machine's clock, 2026-11-23T09:00:00+01:00 any; by default at once
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: Option<contest_rules::Instant>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct StartArguments {
    /// When: 10:00 is the next one on this machine's clock, 2026-11-23T09:00:00+01:00 any; by default at once
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: Option<contest_rules::Instant>,
    /// After how long, such as 0:10:00 or 10 (minutes), by the server's clock
    #[arg(long = "in", value_name = "DURATION", value_parser = span, conflicts_with = "at")]
    pub after: Option<Millis>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct ExtendArguments {
    /// How long, such as 0:10:00 or 10 (minutes); shorter with a minus
    #[arg(value_name = "DURATION", value_parser = span)]
    pub by: Millis,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct FinalizeArguments {
    /// Bronze medals in addition to the planned ones (the ICPC's B)
    #[arg(short = 'b', long = "extra-bronze", value_name = "B", default_value_t = 0)]
    pub extra_bronze: u32,
    /// The jury's comment
    #[arg(long, default_value = "")]
    pub comment: String,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct ScoreboardArguments {
    /// Show it again whenever it changes, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// The board that the jury sees, while the public one is frozen
    #[arg(long)]
    pub jury: bool,
    /// Only the teams of a group, ranked on their own
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,
    /// Save it as a ZIP archive with a page that any browser opens without a server
    #[arg(short, long, value_name = "FILE", conflicts_with = "watch")]
    pub out: Option<PathBuf>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct SubmitArguments {
    /// Its files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The problem: its label or id
    #[arg(long, value_name = "LABEL")]
    pub problem: Option<String>,
    /// The language (see 'tauto languages')
    #[arg(long = "lang", value_name = "ID")]
    pub language: Option<String>,
    /// Main file or class, where the language needs one that is not obvious
    #[arg(long, value_name = "NAME")]
    pub entry_point: Option<String>,
    /// For which team, if by staff
    #[arg(long, value_name = "ID")]
    pub team: Option<String>,
    /// Wait for the verdict, and show each test as it is judged
    #[arg(long)]
    pub wait: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct SubmissionsArguments {
    /// Only of this problem: its label or id
    #[arg(long, value_name = "LABEL")]
    pub problem: Option<String>,
    /// Only of this team
    #[arg(long, value_name = "ID")]
    pub team: Option<String>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct RejudgeArguments {
    /// List all rejudgings
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// A rejudging that was opened before
    #[arg(value_name = "ID", conflicts_with_all = ["problem", "submission", "team", "language", "verdict", "repeat", "reason"])]
    pub id: Option<String>,
    /// Only of this problem: its label or id
    #[arg(long, value_name = "LABEL")]
    pub problem: Vec<String>,
    /// Only this submission
    #[arg(long, value_name = "ID")]
    pub submission: Vec<String>,
    /// Only of this team
    #[arg(long, value_name = "ID")]
    pub team: Vec<String>,
    /// Only in this language
    #[arg(long = "lang", value_name = "ID")]
    pub language: Vec<String>,
    /// Only with this verdict, such as WA
    #[arg(long, value_name = "ID")]
    pub verdict: Vec<String>,
    /// How often each is judged
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
    /// Why; it goes into the audit log
    #[arg(long, default_value = "asked for on the command line")]
    pub reason: String,
    /// Let the new verdicts count
    #[arg(long, conflicts_with = "cancel")]
    pub apply: bool,
    /// Drop the new verdicts
    #[arg(long, requires = "id")]
    pub cancel: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

/// What to do with clarifications.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ClarificationCommand {
    /// List them
    List(OnServer),
    /// Ask the jury, or announce something to all teams if you are the jury
    Ask(AskArguments),
    /// Answer a question
    Answer(AnswerArguments),
}

#[derive(Debug, Args)]
pub struct AskArguments {
    /// The text
    pub text: String,
    /// About which problem: its label or id
    #[arg(long, value_name = "LABEL", conflicts_with = "category")]
    pub problem: Option<String>,
    /// About which category
    #[arg(long)]
    pub category: Option<String>,
    /// Only to this team, if by the jury
    #[arg(long, value_name = "ID")]
    pub team: Vec<String>,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct AnswerArguments {
    /// The question
    pub id: String,
    /// The answer
    pub text: String,
    /// To all teams, not only to the one that asked
    #[arg(long)]
    pub all: bool,
    /// Answer although it has an answer
    #[arg(long)]
    pub again: bool,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

#[derive(Debug, Args)]
pub struct AuditLogArguments {
    /// Only what this account did
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// Only this kind
    #[arg(long, value_parser = contest_rules::AUDIT_KINDS)]
    pub kind: Option<String>,
    /// Only entries with this text
    #[arg(long)]
    pub text: Option<String>,
    /// How many, the newest first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub max: u32,
    /// The server and the contest.
    #[command(flatten)]
    pub server: OnServer,
}

/// Reads a duration: h:mm:ss, or minutes.
fn span(text: &str) -> Result<Millis, String> {
    match text.parse::<i64>() {
        Ok(minutes) if minutes.abs() <= 100_000 => Ok(Millis::minutes(minutes)),
        Ok(_) => Err("that is more than two months".to_owned()),
        Err(_) => text.parse().map_err(|_: model::DurationError| {
            "write minutes, such as 10, or hours, minutes and seconds, such as 0:10:00".to_owned()
        }),
    }
}

/// Reads a time of the API, or one on this machine's clock.
fn moment(text: &str) -> Result<contest_rules::Instant, String> {
    let read = text.parse().ok().or_else(|| on_the_clock(text, &ZonedDateTime::now()));
    read.ok_or_else(|| {
        "write 10:00 or '2026-11-23 10:00' by this machine's clock, or 2026-11-23T10:00:00+01:00".to_owned()
    })
}

/// Reads the next time of day, or a day and a time, in the zone of `now`.
fn on_the_clock(text: &str, now: &ZonedDateTime) -> Option<contest_rules::Instant> {
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, ':' | '-' | '.' | ' ' | 'T');
    if !text.contains(':') || !text.chars().all(is_plain) || text.matches('-').count() > 2 {
        return None;
    }
    let zone = now.time_zone();
    let of_day = |time: Time| {
        let today = zone.to_zoned_datetime(now.date().to_datetime(time)).ok()?;
        if today > *now {
            Some(today)
        } else {
            zone.to_zoned_datetime(now.date().tomorrow().ok()?.to_datetime(time)).ok()
        }
    };
    let zoned = match text.contains('-') {
        true => zone.to_zoned_datetime(text.parse::<DateTime>().ok()?).ok()?,
        false => of_day(Time::strptime("%H:%M", text).or_else(|_| Time::strptime("%H:%M:%S", text)).ok()?)?,
    };
    Some(contest_rules::Instant(zoned.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_the_next_one_here() {
        let now: ZonedDateTime = "2026-11-23T09:30:00+01:00[+01:00]".parse().unwrap();
        for (text, time) in [
            ("10:00", "2026-11-23T09:00:00.000Z"),
            ("9:30", "2026-11-24T08:30:00.000Z"),
            ("09:30:01", "2026-11-23T08:30:01.000Z"),
            ("00:00", "2026-11-23T23:00:00.000Z"),
            ("2026-11-28 10:00", "2026-11-28T09:00:00.000Z"),
            ("2026-11-28T10:00:00", "2026-11-28T09:00:00.000Z"),
        ] {
            assert_eq!(on_the_clock(text, &now).unwrap().to_string(), time, "{text}");
        }
        for text in [
            "",
            "10",
            "25:00",
            "tomorrow",
            "2026-11-28",
            "28.11.2026 10:00",
            "2026-13-01 10:00",
            "10:00+01:00",
        ] {
            assert_eq!(on_the_clock(text, &now), None, "{text}");
        }
    }

    #[test]
    fn durations_are_minutes_or_a_clock() {
        assert_eq!(span("-1:15:00"), Ok(Millis(-4_500_000)));
        assert_eq!(span("+10"), Ok(Millis::minutes(10)));
        assert!(span("10m").unwrap_err().contains("0:10:00"));
    }
}
