//! `tauto stream solve`: takes part in a contest.

use super::rules::read_published;
use crate::arguments::StreamSolveArguments;
use anyhow::Context;
use arena::contestant::{ContestantError, Io, Options, OwnTimes, Report, take_part};
use contest_command::client::secret_of;
use host_command::here::stay_on;
use model::{CpuSet, without_error_numbers};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};
use std::fmt::Write;
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stream_rules::solve::{Method, Problem};
use stream_rules::{MultipleOf, Rules};
use terminal::failure::{NegativeAnswer, because, input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::numbers::time;
use terminal::{Progress, print, prose};
use timing::{Choice, IfTaken, PlaceError, TimedCpus};

/// The password of the sample program in the source, and of `tauto stream mock`.
const PRACTISE: &str = "passwd";

/// Takes part until a stop is requested, or the feed or the given time ends.
pub fn run(arguments: &StreamSolveArguments, json: bool) -> anyhow::Result<ExitCode> {
    if let Some(why) = arguments.io.unavailable() {
        let unavailable = format!("--io {} is unavailable: {why}", arguments.io.name());
        return Err(input_with_hint(unavailable, "the fastest that works everywhere is blocking"));
    }
    let (rules, hidden) = rules_of(arguments)?;
    let password = match &arguments.password_file {
        Some(file) => secret_of(file)?,
        None => PRACTISE.to_owned(),
    };
    let interrupt = Interrupt::listen()?;
    let stop = stop_of(&interrupt);
    let cpus = own_cpu(arguments, &interrupt)?;
    if let Some(cpus) = &cpus {
        stay_on(cpus.cpus())?;
    }
    let options = Options {
        input: arguments.input.clone(),
        output: arguments.output.clone(),
        user: arguments.user.clone(),
        password,
        problem: Problem::new(&rules),
        method: arguments.method,
        io: arguments.io,
        predicts: arguments.method == Method::Prediction && rules.prediction,
        window: Duration::from_millis(rules.before_ms + rules.after_ms),
        chunks: arguments.chunks,
        duration: arguments.duration.map(|duration| Duration::from_nanos(duration.0)),
        owns_cpu: cpus.as_ref().is_some_and(|cpus| !cpus.is_shared()),
        stop,
    };
    let progress = Progress::on_stderr(!json);
    progress.say(format!(
        "taking part at {}, {} by {}",
        arguments.input,
        searched(&rules),
        arguments.method.name()
    ));
    let report = take_part(&options).map_err(explained)?;
    drop(progress);
    if json {
        print(&(document(arguments, &report, cpus.as_ref().map(TimedCpus::cpus)).to_string() + "\n"))?;
    } else {
        print(&text(&report, hidden))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Becomes true with the first signal. A thread waits for it, so that the contestant need not.
fn stop_of(interrupt: &Interrupt) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let (asked, stops) = (interrupt.stop(), Arc::clone(&stop));
    std::thread::spawn(move || {
        while poll(&mut [PollFd::new(&*asked, PollFlags::IN)], None).is_err() {}
        stops.store(true, Ordering::Relaxed);
    });
    stop
}

/// Leases the CPU that is asked for, or any for busy polling.
fn own_cpu(arguments: &StreamSolveArguments, interrupt: &Interrupt) -> anyhow::Result<Option<TimedCpus>> {
    let choice = match (arguments.cpu, arguments.io) {
        (Some(cpu), _) => Choice::Named(CpuSet::from_iter([cpu])),
        (None, Io::BusyPoll) => Choice::Leased(NonZeroU32::MIN),
        (None, _) => return Ok(None),
    };
    let if_taken = arguments.lease.if_taken(interrupt);
    if arguments.io == Io::BusyPoll && matches!(if_taken, IfTaken::Share) {
        return Err(input("busy polling needs a CPU of its own: leave --shared out, or choose another --io"));
    }
    let host = timing::host_cpus().map_err(PlaceError::from)?;
    Ok(Some(TimedCpus::take(host, &choice, &if_taken)?))
}

/// Returns the rules without hidden numbers, and how many of these there are.
fn rules_of(arguments: &StreamSolveArguments) -> anyhow::Result<(Rules, usize)> {
    let mut rules = Rules::default();
    if let Some(file) = &arguments.rules {
        rules = read_published(file)?;
    } else if !arguments.multiple_of.is_empty() {
        rules.multiples_of.clear();
    }
    let all = rules.multiples_of.len();
    rules.multiples_of.retain(|number| !number.value.is_empty());
    let hidden = all - rules.multiples_of.len();
    let known = |value: &String| MultipleOf { value: value.clone(), hidden: false, primes: Vec::new() };
    rules.multiples_of.extend(arguments.multiple_of.iter().map(known));
    if rules.multiples_of.is_empty() {
        return Err(input_with_hint(
            "the rules name no number",
            "give those that you know by --multiple-of N",
        ));
    }
    rules.check().with_context(|| because("these rules cannot be solved"))?;
    Ok((rules, hidden))
}

fn searched(rules: &Rules) -> String {
    match rules.multiples_of.len() {
        1 => "multiples of one number".to_owned(),
        count => format!("multiples of {count} numbers"),
    }
}

fn explained(error: ContestantError) -> anyhow::Error {
    match error {
        ContestantError::Refused { .. } => {
            let hint = Some("check --user and --password-file".to_owned());
            NegativeAnswer { message: error.to_string(), hint }.into()
        }
        ContestantError::Connect(..) | ContestantError::Feed { .. } => {
            let hint =
                "is 'tauto stream serve' or 'tauto stream mock' running there? check --input and --output";
            let cause =
                std::error::Error::source(&error).map_or_else(String::new, |cause| format!(": {cause}"));
            input_with_hint(format!("{error}{cause}"), hint)
        }
        other => other.into(),
    }
}

fn text(report: &Report, hidden: usize) -> String {
    let Report { chunks, digits, answers, predictions, .. } = report;
    let replies: Vec<String> =
        report.replies.iter().map(|(status, count)| format!("{count} with {status}")).collect();
    let replies = if replies.is_empty() { "none".to_owned() } else { replies.join(", ") };
    let mut text = prose("", 0, &format!("Ended: {}.", without_error_numbers(&report.ended)));
    let _ = write!(text, "\n  read      {digits} digits in {chunks} chunks\n");
    let _ = writeln!(text, "  sent      {answers} answers, {predictions} predictions");
    let _ = writeln!(text, "  replies   {replies}");
    let (feed, output) = (report.feed_again, report.output_again);
    if feed + output > 0 {
        let _ = writeln!(text, "  again     connected to the feed {feed} times, for answers {output} times");
    }
    let _ = writeln!(text, "  own part  {}", own_text(&report.own));
    if hidden > 0 {
        let which = if hidden == 1 { "One number is".to_owned() } else { format!("{hidden} numbers are") };
        let hint = format!("{which} hidden, and not searched: give what you know by --multiple-of N.");
        text += &prose("", 0, &hint);
    }
    text
}

fn own_text(own: &OwnTimes) -> String {
    let Some([p50, p90, p99]) = quantiles(own) else {
        return format!(
            "no times: the first {} chunks with answers do not count, since nothing is warm",
            own.cold()
        );
    };
    let longest = own.longest_ns().unwrap_or(0);
    format!(
        "p50 {}, p90 {}, p99 {}, longest {}, of {} chunks with answers",
        time(p50),
        time(p90),
        time(p99),
        time(longest),
        own.count()
    )
}

fn quantiles(own: &OwnTimes) -> Option<[u64; 3]> {
    Some([own.percentile_ns(50.0)?, own.percentile_ns(90.0)?, own.percentile_ns(99.0)?])
}

fn document(arguments: &StreamSolveArguments, report: &Report, cpus: Option<&CpuSet>) -> Value {
    let [p50, p90, p99] = quantiles(&report.own).map_or([None; 3], |all| all.map(Some));
    json!({
        "method": arguments.method.name(),
        "io": arguments.io.name(),
        "cpus": cpus.map(ToString::to_string),
        "ended": report.ended,
        "chunks": report.chunks,
        "digits": report.digits,
        "answers": report.answers,
        "predictions": report.predictions,
        "replies": report.replies,
        "feed_connected_again": report.feed_again,
        "output_connected_again": report.output_again,
        "own": {
            "chunks": report.own.count(),
            "left_out": report.own.cold(),
            "p50_ns": p50,
            "p90_ns": p90,
            "p99_ns": p99,
            "longest_ns": report.own.longest_ns(),
        },
    })
}
