//! A strict judgehost on a leased core and a fast one that shares the rest; the strict one is killed in the middle.

use super::real::Host;
use super::site::{Site, TRIVIAL};
use crate::figure::{Figure, figure};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

const SUBMISSIONS: usize = 20;
/// Everything is judged within this time, or lost.
const PATIENCE: Duration = Duration::from_secs(120);

/// Shows that nothing is lost, and how many submissions were judged by each.
pub fn two_hosts(tauto: &Path) -> Result<Vec<Figure>> {
    let site = Site::start()?;
    site.contest("strict", Some("fast"))?;
    let (strict_folder, fast_folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let strict = || {
        let terms = ["--id", "strict1", "--pool", "strict", "--places", "1"];
        Host::start(tauto, &site, &strict_folder, &terms)
    };
    let first = strict()?;
    let _fast = Host::start(tauto, &site, &fast_folder, &["--id", "fast1", "--pool", "fast", "--shared"])?;
    for number in 0..SUBMISSIONS {
        site.submit(number, if number % 4 == 3 { NEAR } else { TRIVIAL })?;
    }
    // Some are judged, some are open, and some wait.
    let begin = Instant::now();
    while judged(&site)?.len() < SUBMISSIONS / 4 && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(first);
    let _again = strict()?;
    while open(&site)? > 0 && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(200));
    }
    let judged = judged(&site)?;
    let right = judged.values().filter(|verdicts| verdicts.iter().all(|verdict| verdict == "AC")).count();
    let twice = judged.values().filter(|verdicts| verdicts.len() > 1).count();
    let what =
        |what: &str| format!("a strict and a fast judgehost, the strict one killed in the middle: {what}");
    Ok(vec![
        figure("pools_lost", what("lost of 20"), (SUBMISSIONS - right) as f64, "").under(0.5),
        figure("pools_strict_too", what("judged again by the strict one"), twice as f64, ""),
    ])
}

/// Returns the verdicts of each submission that has some.
fn judged(site: &Site) -> Result<BTreeMap<String, Vec<String>>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for judgement in site.judgements()? {
        if let (Some(submission), Some(verdict)) =
            (judgement["submission_id"].as_str(), judgement["judgement_type_id"].as_str())
        {
            found.entry(submission.to_owned()).or_default().push(verdict.to_owned());
        }
    }
    Ok(found)
}

/// Returns how many judgements are not made yet.
fn open(site: &Site) -> Result<usize> {
    Ok(site.judgements()?.iter().filter(|judgement| judgement["judgement_type_id"].is_null()).count())
}

/// Takes most of the limit of 3 s, so that a fast pool's word is not enough.
const NEAR: &str = "\
#include <stdio.h>
#include <time.h>
int main(void) {
  int n;
  scanf(\"%d\", &n);
  if (n == 2)
    while (clock() < 2.5 * CLOCKS_PER_SEC) {}
  printf(\"%d\\n\", n + 1);
}
";
