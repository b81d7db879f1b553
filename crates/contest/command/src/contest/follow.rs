//! `tauto contest follow`: applies the feed of any server, and says what is wrong with it.

use crate::arguments::FollowArguments;
use crate::client::{Client, base64, secret_of};
use follower::Copy;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use terminal::interrupt::Interrupt;
use terminal::{Progress, print, visible};

/// Faults that are printed; more of the same do not help.
const FAULTS_MAX: usize = 20;
/// Lines between the network and the copy.
const LINES: usize = 16;
/// The longest line: collections of 5,000 teams come in one.
const LINE_BYTES_MAX: u64 = 64 << 20;
/// How often a stop is looked for.
const LOOK: Duration = Duration::from_millis(200);

struct Following {
    client: Client,
    contest: String,
    copy: Copy,
    faults: Vec<String>,
    count: usize,
    /// Why no more lines come, if the server did not simply end the feed.
    broken: Option<String>,
}

/// Follows a feed until nothing comes for a while, and compares what it made with the endpoints.
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
    let mut all =
        Following { client, contest, copy: Copy::default(), faults: Vec::new(), count: 0, broken: None };
    let feed = BufReader::new(all.client.stream(&format!("{}/event-feed", all.contest))?);
    let (sender, lines) = sync_channel(LINES);
    std::thread::spawn(move || self::lines(feed).all(|line| sender.send(line).is_ok()));
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
    all.report(&differences, time, json)
}

/// Returns the lines of a feed, and last why it cannot be read on.
fn lines(mut feed: impl BufRead) -> impl Iterator<Item = Result<String, String>> {
    let mut is_over = false;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let mut line = Vec::new();
        let read = feed.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) => return None,
            Ok(_) if line.len() as u64 == LINE_BYTES_MAX => {
                Err(format!("a line has {} MiB or more", LINE_BYTES_MAX >> 20))
            }
            Ok(_) => String::from_utf8(line).map_err(|_| "a line is not in UTF-8".to_owned()),
            Err(error) => Err(format!("the feed was interrupted: {error}")),
        };
        is_over = line.is_err();
        Some(line.map(|line| line.trim_end_matches(['\r', '\n']).to_owned()))
    })
}

impl Following {
    /// Takes lines until none comes for `idle`, the feed ends, or a stop is requested.
    fn take(
        &mut self,
        lines: &Receiver<Result<String, String>>,
        idle: Duration,
        interrupt: &Interrupt,
        progress: &Progress,
    ) {
        let mut last = Instant::now();
        while last.elapsed() < idle && interrupt.check().is_ok() && !self.copy.is_over() {
            match lines.recv_timeout(LOOK.min(idle)) {
                Ok(Err(why)) => {
                    self.broken = Some(why);
                    return;
                }
                Ok(Ok(line)) => {
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

    /// Returns where the endpoints differ from the feed.
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

    fn report(&self, differences: &[String], time: Duration, json: bool) -> anyhow::Result<ExitCode> {
        let is_right = self.count == 0 && differences.is_empty() && self.broken.is_none();
        let lines = self.copy.lines();
        if json {
            let document = json!({
                "lines": lines, "seconds": time.as_secs_f64(), "is_over": self.copy.is_over(), "broken": self.broken,
                "faults": self.faults, "fault_count": self.count,
                "differences": differences.iter().take(FAULTS_MAX).collect::<Vec<_>>(),
                "difference_count": differences.len(),
            });
            print(&format!("{document}\n"))?;
            return Ok(ExitCode::from(u8::from(!is_right)));
        }
        let end = if self.copy.is_over() { ", with the end of updates" } else { "" };
        let mut text = format!("{lines} lines in {:.1} s{end}\n", time.as_secs_f64());
        if let Some(why) = &self.broken {
            text.push_str(&format!("then nothing more could be read: {}\n", visible(why)));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_feed_is_reported_with_its_reason() {
        let read = |feed: &[u8]| lines(feed).collect::<Vec<_>>();
        let line = |text: &str| Ok(text.to_owned());
        assert_eq!(read(b""), []);
        assert_eq!(read(b"a\r\n\nb"), [line("a"), line(""), line("b")]);
        assert_eq!(read(b"a\n\xff\nb\n"), [line("a"), Err("a line is not in UTF-8".to_owned())]);
        let endless = BufReader::new(b"a\n".chain(std::io::repeat(b'x')));
        assert_eq!(
            lines(endless).collect::<Vec<_>>(),
            [line("a"), Err("a line has 64 MiB or more".to_owned())]
        );
    }
}
