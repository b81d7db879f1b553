//! The host of live stream contests under load: how far apart its clients get a chunk compared with as many bare writes, whether answers are
//! lost, how old the board is, what hostile clients change for others, and how fast a record is added up.

mod clients;

use crate::figure::{Figure, figure};
use anyhow::{Context, Result, ensure};
use arena::host::{Contestant, Host, HostOptions, Limits, read_record};
use clients::{Answering, Listening, PairsOfSockets, attack};
use serde_json::Value;
use stats::Sample;
use std::io::{BufWriter, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stream_rules::record::{Line, VERSION};
use stream_rules::solve::{Method, Problem};
use stream_rules::{Dice, Generator, Rules};

/// Contestants, each with a client of the feed and a connection for answers.
const CONTESTANTS: usize = 200;
const ANSWERS_PER_SECOND: u32 = 500;
/// How long each measurement takes.
const MEASURED: Duration = Duration::from_secs(30);
/// Answers in the record that is added up.
const RECORDED: u64 = 1_000_000;

pub fn run() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let record = folder.path().join("record.ndjson");
    let host = Host::open(options(&record)?)?;
    let listening = Listening::start(host.input, CONTESTANTS)?;
    let answering = Answering::start(host.output, CONTESTANTS)?;
    let bare = PairsOfSockets::open(CONTESTANTS)?;

    let mut figures = Vec::new();
    let quiet = measure(&host, &answering, &bare, None)?;
    let hostile = measure(&host, &answering, &bare, Some(&AtomicBool::new(false)))?;
    let sent = answering.replied();
    let received = listening.stop();
    let recorded = count_answers(&host, sent)?;
    figures.extend(of_fairness(&quiet)?);
    figures.push(figure("answers", "answers sent in all", sent as f64, ""));
    let lost = sent as f64 - recorded as f64;
    figures.push(figure("lost", "of these not in the record", lost, "").under(1.0));
    let board_ms = Sample::new(quiet.board_s.clone())?.max() * 1e3;
    figures.push(figure("board", "longest from a reply to the board", board_ms, "ms").under(1000.0));
    figures.push(figure("clients", "clients of the feed that got all digits", received as f64, ""));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        for (when, measured) in [("quiet", &quiet), ("attacked", &hostile)] {
            let key = format!("reply-{name}-{when}");
            let what = format!("from an answer to its reply, {name}, {when}");
            figures.push(figure(key, what, measured.reply_s(share)? * 1e6, "us"));
        }
        let moved = hostile.reply_s(share)? / quiet.reply_s(share)?;
        figures.push(figure(format!("moved-{name}"), format!("attacked to quiet, {name}"), moved, "x"));
    }
    let spread = Sample::new(hostile.spreads_s)?.median() * 1e6;
    figures.push(figure("spread-attacked", "spread of a chunk, median, attacked", spread, "us"));
    host.close();
    figures.extend(recompute(folder.path())?);
    Ok(figures)
}

/// What was measured in one time.
struct Measured {
    /// From the first client's copy to the last one's, of each chunk.
    spreads_s: Vec<f64>,
    bare_s: Vec<f64>,
    /// From an answer to its reply.
    replies_s: Vec<f64>,
    /// From a reply to the board that has it.
    board_s: Vec<f64>,
}

impl Measured {
    fn reply_s(&self, share: f64) -> Result<f64> {
        Ok(Sample::new(self.replies_s.clone())?.quantile(share))
    }
}

fn options(record: &Path) -> Result<HostOptions> {
    let anywhere = || TcpListener::bind("127.0.0.1:0").context("cannot listen on loopback");
    let contestants =
        (0..CONTESTANTS).map(|at| Contestant { name: format!("c{at}"), password: "pw".to_owned() });
    let mut secret = [0; 48];
    getrandom::fill(&mut secret).context("the system has no randomness")?;
    Ok(HostOptions {
        rules: Rules::default(),
        seed: 1,
        begins_unix_ns: 0,
        duration: None,
        record: record.to_owned(),
        contestants: contestants.collect(),
        input: anywhere()?,
        output: anywhere()?,
        board: anywhere()?,
        page: axum::Router::new(),
        // All clients have one address here.
        limits: Limits { of_address: 600, ..Limits::default() },
        secret,
    })
}

fn measure(
    host: &Host,
    answering: &Answering,
    bare: &PairsOfSockets,
    attacked: Option<&AtomicBool>,
) -> Result<Measured> {
    let mut measured =
        Measured { spreads_s: Vec::new(), bare_s: Vec::new(), replies_s: Vec::new(), board_s: Vec::new() };
    answering.take_times();
    std::thread::scope(|scope| {
        let attacking = attacked.map(|stop| scope.spawn(|| attack(host.input, host.output, stop)));
        let result = watch(host, answering, bare, &mut measured);
        if let Some(stop) = attacked {
            stop.store(true, Ordering::Relaxed);
        }
        if let Some(attacking) = attacking {
            attacking.join().map_err(|_| anyhow::anyhow!("the attack failed"))??;
        }
        result
    })?;
    measured.replies_s = answering.take_times();
    Ok(measured)
}

/// Looks at the board while others send answers at their rate; bare writes take turns with the feed's chunks.
fn watch(host: &Host, answering: &Answering, bare: &PairsOfSockets, measured: &mut Measured) -> Result<()> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| answering.send_at(ANSWERS_PER_SECOND, &stop));
        let outcome = poll(host, answering, bare, measured);
        stop.store(true, Ordering::Relaxed);
        sending.join().map_err(|_| anyhow::anyhow!("answers cannot be sent"))??;
        outcome
    })
}

fn poll(host: &Host, answering: &Answering, bare: &PairsOfSockets, measured: &mut Measured) -> Result<()> {
    let (start, mut version, mut digits_before) = (Instant::now(), 0, 0);
    while start.elapsed() < MEASURED {
        measured.bare_s.push(bare.write_to_all()?);
        // All that have a reply by now have to be on the board soon.
        let (replied, asked) = (answering.replied(), Instant::now());
        loop {
            let shown = host.show.latest();
            if shown.version != version {
                version = shown.version;
                let board: Value = serde_json::from_slice(&shown.json)?;
                let digits = board["digits"].as_u64().unwrap_or(0);
                if digits != digits_before {
                    digits_before = digits;
                    measured.spreads_s.push(board["fairness"]["last_ns"].as_f64().unwrap_or(0.0) / 1e9);
                }
                if submitted(&board) >= replied {
                    measured.board_s.push(asked.elapsed().as_secs_f64());
                    break;
                }
            }
            ensure!(asked.elapsed() < Duration::from_secs(30), "the board does not show {replied} answers");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(())
}

fn submitted(board: &Value) -> u64 {
    let rows = board["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().filter_map(|row| row["submitted"].as_u64()).sum()
}

fn count_answers(host: &Host, sent: u64) -> Result<u64> {
    let start = Instant::now();
    loop {
        let board: Value = serde_json::from_slice(&host.show.latest().json)?;
        let recorded = submitted(&board);
        if recorded >= sent || start.elapsed() > Duration::from_secs(10) {
            return Ok(recorded);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn of_fairness(measured: &Measured) -> Result<Vec<Figure>> {
    let (spread, bare) = (Sample::new(measured.spreads_s.clone())?, Sample::new(measured.bare_s.clone())?);
    let mut figures = Vec::new();
    for (name, share) in [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        for (source, values) in [("feed", &spread), ("bare", &bare)] {
            let what = if source == "feed" { "spread of a chunk" } else { "as many bare writes" };
            let (key, what) = (format!("{source}-{name}"), format!("{what}, {name}"));
            figures.push(figure(key, what, values.quantile(share) * 1e6, "us"));
        }
    }
    let what = "spread of a chunk to that of bare writes, medians";
    figures.push(figure("fairness", what, spread.median() / bare.median(), "x").under(1.3));
    Ok(figures)
}

/// Writes the record of a long contest, and adds it up.
fn recompute(folder: &Path) -> Result<Vec<Figure>> {
    let path = folder.join("long.ndjson");
    let mut out = BufWriter::new(std::fs::File::create(&path)?);
    let rules = Rules::default();
    let first = Line::Contest { version: VERSION, rules: Box::new(rules.clone()), seed: 2, began_unix_ns: 0 };
    out.write_all(first.to_text().as_bytes())?;
    let (mut generator, mut dice) = (Generator::new(&rules, 2), Dice::new(3));
    let mut solver = Method::FixedPoint.solver(&Problem::new(&rules));
    let (mut recent, mut written, mut at_ns, mut number) = (Vec::<String>::new(), 0, 0, 0);
    while written < RECORDED {
        let chunk = generator.chunk();
        at_ns += chunk.gap_us * 1000;
        let digits = String::from_utf8_lossy(&chunk.digits).into_owned();
        out.write_all(Line::Chunk { number, digits }.to_text().as_bytes())?;
        solver.prepare();
        solver.take(&chunk.digits, &mut |_, text| recent.push(String::from_utf8_lossy(text).into_owned()));
        recent.drain(..recent.len().saturating_sub(20));
        let sent =
            Line::Sent { number, first_ns: at_ns, last_ns: at_ns + 200_000, clients: CONTESTANTS as u32 };
        out.write_all(sent.to_text().as_bytes())?;
        for _ in 0..dice.below(100) {
            let Some(text) = recent.get(dice.below(recent.len().max(1) as u64) as usize) else { break };
            let by = format!("c{}", dice.below(CONTESTANTS as u64));
            let at_ns = at_ns + dice.below(100_000_000);
            out.write_all(Line::Answer { at_ns, by, text: text.clone() }.to_text().as_bytes())?;
            written += 1;
        }
        number += 1;
    }
    out.flush()?;
    drop(out);
    let length = std::fs::metadata(&path)?.len();
    let start = Instant::now();
    let board = read_record(&path)?.contest.board(documents::StreamPhase::Over);
    let seconds = start.elapsed().as_secs_f64();
    let submitted: u64 = board.rows.iter().map(|row| row.submitted).sum();
    ensure!(submitted + 10_000 > written, "the board has {submitted} of {written} answers");
    Ok(vec![
        figure("record", "record of 1,000,000 answers", length as f64 / f64::from(1 << 20), "MiB"),
        figure("recompute", "added up in", seconds, "s").under(10.0),
    ])
}
