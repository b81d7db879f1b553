//! One tool in a comparison: how it is run, and what a sample of it is.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use xtask::process;

#[derive(Clone, Debug, Serialize)]
pub struct Arm {
    pub name: String,
    /// What one sample covers, for the reader of the table.
    pub covers: String,
    pub method: Method,
    /// Text that the first run must print, for tools that exit with 0 when they have failed.
    #[serde(skip)]
    proof: Option<&'static str>,
}

/// Where an arm's times come from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A sample is the wall time from starting this command to having collected it.
    Process(Vec<String>),
    /// The command, given a count, measures that often by itself and prints a JSON array of nanoseconds.
    Batch(Vec<String>),
    /// Nothing to run, and what would change that.
    Missing(String),
}

impl Arm {
    pub fn process(name: &str, covers: &str, command: &[&str]) -> Self {
        Self::new(name, covers, Method::Process(owned(command)))
    }

    pub fn batch(name: &str, covers: &str, command: &[&str]) -> Self {
        Self::new(name, covers, Method::Batch(owned(command)))
    }

    pub fn missing(name: &str, covers: &str, fix: &str) -> Self {
        Self::new(name, covers, Method::Missing(fix.to_owned()))
    }

    fn new(name: &str, covers: &str, method: Method) -> Self {
        Self { name: name.to_owned(), covers: covers.to_owned(), method, proof: None }
    }

    /// The same arm, whose first run must print a text.
    pub fn proven_by(self, proof: &'static str) -> Self {
        Self { proof: Some(proof), ..self }
    }

    /// Takes `count` samples, in nanoseconds.
    pub fn sample(&self, count: usize) -> Result<Vec<u64>> {
        match &self.method {
            Method::Process(command) => (0..count).map(|_| time_process(command)).collect(),
            Method::Batch(command) => {
                let count_text = count.to_string();
                let printed = process::read(words(command)?.arg(count_text))?;
                parse_batch(&printed, count)
            }
            Method::Missing(fix) => bail!("not installed: {fix}"),
        }
    }

    /// Runs the arm once with its error output kept, so that a failure can say why.
    pub fn try_once(&self) -> Result<()> {
        match &self.method {
            Method::Process(command) => {
                let output = process::capture(&mut words(command)?)?;
                let printed = String::from_utf8_lossy(&output.stdout);
                if !output.status.success() || self.proof.is_some_and(|proof| !printed.contains(proof)) {
                    bail!("ended with {}: {}", output.status, process::tail(&output.stderr));
                }
                Ok(())
            }
            Method::Batch(_) | Method::Missing(_) => self.sample(1).map(|_| ()),
        }
    }
}

fn owned(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}

fn words(command: &[String]) -> Result<Command> {
    let (program, arguments) = command.split_first().context("an arm has an empty command")?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

fn time_process(words_of: &[String]) -> Result<u64> {
    let mut command = words(words_of)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {}", words_of[0]))?;
    let time_ns = u64::try_from(begin.elapsed().as_nanos()).context("a run took centuries")?;
    if !status.success() {
        bail!("ended with {status}");
    }
    Ok(time_ns)
}

fn parse_batch(printed: &str, count: usize) -> Result<Vec<u64>> {
    let samples: Vec<u64> = serde_json::from_str(printed.trim())
        .with_context(|| format!("expected one JSON array of nanoseconds, not {:?}", shorten(printed)))?;
    if samples.len() != count {
        bail!("requested {count} samples, got {}", samples.len());
    }
    Ok(samples)
}

fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_gives_one_time_each() {
        let samples = Arm::process("true", "", &["true"]).sample(3).unwrap();
        assert_eq!(samples.len(), 3);
        assert!(samples.iter().all(|time_ns| *time_ns > 0));
    }

    #[test]
    fn failures_say_why() {
        let failing = Arm::process("sh", "", &["sh", "-c", "echo cause >&2; exit 1"]);
        assert!(format!("{:#}", failing.try_once().unwrap_err()).contains("cause"));
        assert!(failing.sample(1).unwrap_err().to_string().contains("exit status: 1"));
        let silent = Arm::process("sh", "", &["sh", "-c", "echo printed; echo cause >&2"]);
        assert!(format!("{:#}", silent.clone().proven_by("proof").try_once().unwrap_err()).contains("cause"));
        assert!(silent.proven_by("printed").try_once().is_ok());
        let missing = Arm::missing("x", "", "apt-get install x");
        assert!(missing.try_once().unwrap_err().to_string().contains("apt-get install x"));
    }

    #[test]
    fn a_batch_is_a_json_array_of_the_right_length() {
        let arm = |script: &str| Arm::batch("sh", "", &["sh", "-c", script, "sh"]);
        assert_eq!(arm("test $1 = 2 && echo '[5, 7]'").sample(2).unwrap(), [5, 7]);
        assert!(arm("echo '[5]'").sample(2).unwrap_err().to_string().contains("requested 2"));
        assert!(arm("echo 5 ms").sample(1).unwrap_err().to_string().contains("5 ms"));
    }
}
