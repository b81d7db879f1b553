//! `tauto contest follow`: applies the feed of any server, and says what is wrong with it.

use crate::arguments::FollowArguments;
use crate::client::{Client, base64, secret_of};
use crate::interrupt::Interrupt;
use crate::output::{Progress, print, visible};
use follower::Copy;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// More of the same help nobody.
const FAULTS_MAX: usize = 20;
/// Lines between the network and the copy.
const LINES: usize = 4096;
/// How often a stop is looked for.
const LOOK: Duration = Duration::from_millis(200);

struct Following {
    client: Client,
    contest: String,
    copy: Copy,
    faults: Vec<String>,
    count: usize,
}

/// Follows a feed until nothing comes for a while, and compares what it made with the endpoints.
///
/// # Errors
/// When the server cannot be reached, or refuses the feed.
pub fn run(arguments: &FollowArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (client, contest) = match &arguments.url {
        Some(url) => {
            let basic = match (&arguments.user, &arguments.password_file) {
                (Some(user), Some(file)) => {
                    Some(format!("Basic {}", base64(format!("{user}:{}", secret_of(file)?).as_bytes())))
                }
                _ => None,
            };
            let client = Client::of_server(url, basic, arguments.server.ca_file.as_deref())?;
            (client, url.trim_end_matches('/').to_owned())
        }
        None => {
            let client = Client::open(&arguments.server)?;
            let contest = client.url(&client.in_contest("")?);
            (client, contest)
        }
    };
    let interrupt = Interrupt::listen()?;
    let mut all = Following { client, contest, copy: Copy::default(), faults: Vec::new(), count: 0 };
    let feed = BufReader::new(all.client.stream(&format!("{}/event-feed", all.contest))?);
    let (sender, lines) = sync_channel(LINES);
    std::thread::spawn(move || feed.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
    let progress = Progress::on_stderr(!json);
    let began = Instant::now();
    all.take(&lines, arguments.idle, &interrupt, &progress);
    let time = began.elapsed().saturating_sub(arguments.idle);
    let mut differences = all.differences()?;
    if !differences.is_empty() {
        // What changed while the endpoints were asked has come by now.
        all.take(&lines, arguments.idle, &interrupt, &progress);
        let again = all.differences()?;
        differences.retain(|one| again.contains(one));
    }
    drop(progress);
    all.tell(&differences, time, json)
}

impl Following {
    /// Takes lines until none comes for so long, the feed ends, or a stop is requested.
    fn take(&mut self, lines: &Receiver<String>, idle: Duration, interrupt: &Interrupt, progress: &Progress) {
        let mut last = Instant::now();
        while last.elapsed() < idle && interrupt.check().is_ok() && !self.copy.is_over() {
            match lines.recv_timeout(LOOK.min(idle)) {
                Ok(line) => {
                    let faults = self.copy.apply(&line);
                    self.count += faults.len();
                    self.faults.extend(faults);
                    self.faults.truncate(FAULTS_MAX);
                    if !line.is_empty() {
                        last = Instant::now();
                    }
                    if self.copy.lines().is_multiple_of(1000) {
                        progress.say(format!("{} lines", self.copy.lines()));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Returns what the endpoints answer otherwise than the feed said.
    fn differences(&self) -> anyhow::Result<Vec<String>> {
        let mut differences = Vec::new();
        for endpoint in ["contest", "state"].into_iter().chain(Copy::collections()) {
            let url = match endpoint {
                "contest" => self.contest.clone(),
                _ => format!("{}/{endpoint}", self.contest),
            };
            let answer: Value = self.client.get_url(&url)?.unwrap_or_else(|| json!([]));
            differences.extend(self.copy.compare(endpoint, &answer));
        }
        Ok(differences)
    }

    fn tell(&self, differences: &[String], time: Duration, json: bool) -> anyhow::Result<ExitCode> {
        let is_right = self.count == 0 && differences.is_empty();
        let lines = self.copy.lines();
        if json {
            let report = json!({
                "lines": lines, "seconds": time.as_secs_f64(), "is_over": self.copy.is_over(),
                "faults": self.faults, "fault_count": self.count,
                "differences": differences.iter().take(FAULTS_MAX).collect::<Vec<_>>(),
                "difference_count": differences.len(),
            });
            print(&format!("{report}\n"))?;
            return Ok(ExitCode::from(u8::from(!is_right)));
        }
        let end = if self.copy.is_over() { ", with the end of updates" } else { "" };
        let mut text = format!("{lines} lines in {:.1} s{end}\n", time.as_secs_f64());
        let mut section = |what: &str, count: usize, list: &[String]| {
            text.push_str(&format!("{what}: {count}\n"));
            list.iter().take(FAULTS_MAX).for_each(|one| text.push_str(&format!("  {}\n", visible(one))));
        };
        section("against the rules", self.count, &self.faults);
        section("other than at the endpoints", differences.len(), differences);
        print(&text)?;
        Ok(ExitCode::from(u8::from(!is_right)))
    }
}
