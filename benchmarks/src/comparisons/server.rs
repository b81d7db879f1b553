//! The contest server under load, part by part.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::host::Host;
use crate::figure::{Figure, table};
use xtask::process;

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Jobs claimed and finished, events appended and read, compared with the disk's own rate
    Store,
    /// A contest folded and its scoreboard requested, compared with a loop that sends the same bytes
    Http,
    /// Each collection of a contest of 1,000 teams, compared with a loop that sends the same bytes
    Collections,
    /// 2,000 clients that wait for events, and 50 that never read
    Events,
    /// The feed of 20,000 submissions read by one client, by 20, and next to 50 that never read
    Feed,
    /// A contest package with 8 GB of test data, imported and exported; takes 35 GB of disk, and runs only if named
    Package,
    /// From submission to verdict, with judgehosts that judge, and with ten that answer from a recording
    Judging,
}

impl Part {
    /// Without the one that takes minutes and much of a disk.
    const ALL: [Self; 6] =
        [Self::Store, Self::Http, Self::Collections, Self::Events, Self::Feed, Self::Judging];

    fn arm(self) -> &'static str {
        match self {
            Self::Store => "store-rates",
            Self::Http => "contest-http",
            Self::Collections => "contest-collections",
            Self::Events => "contest-events",
            Self::Feed => "contest-feed",
            Self::Package => "contest-package",
            Self::Judging => "judging",
        }
    }
}

pub fn run(arms: &Path, tauto: &Path, part: Option<Part>, json: bool) -> Result<bool> {
    let mut all_reached = true;
    let parts = part.map_or_else(|| Part::ALL.to_vec(), |part| vec![part]);
    for part in parts {
        let mut command = Command::new(arms);
        command.arg(part.arm());
        if matches!(part, Part::Judging | Part::Package) {
            command.arg("--tauto").arg(tauto);
        }
        all_reached &= show(&mut command, part.arm(), json)?;
    }
    Ok(all_reached)
}

/// Shows the figures that an arm of `tauto-bench` prints, and returns whether all bars are reached.
pub(super) fn show(command: &mut Command, arm: &str, json: bool) -> Result<bool> {
    let printed = process::read(command)?;
    let figures: Vec<Figure> =
        serde_json::from_str(&printed).with_context(|| format!("tauto-bench {arm}"))?;
    if json {
        print!("{printed}");
    } else {
        print!("{}\n\n{}\n", Host::read().sentence(), table(&figures));
    }
    Ok(figures.iter().all(|figure| figure.is_reached))
}
