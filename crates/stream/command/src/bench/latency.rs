//! From a chunk with an answer to the first byte of the answer, on loopback, as the sender sees it.
//!
//! Next to the contestant two programs only write back what they read: what they take is what the kernel takes.

use super::figures::{at_most, not_measured, quantile};
use super::stage::Stage;
use anyhow::{Context, bail};
use arena::contestant::{Io, Options, Report, take_part};
use contest_command::output::table as table_of;
use documents::{StreamBar, StreamLatency};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stream_rules::solve::{Method, Problem};
use stream_rules::{Generator, Rules};
use terminal::interrupt::Interrupt;
use terminal::numbers::in_us;
use terminal::{Cell, Colour, Progress};

const SEED: u64 = 3;
/// Turns of each arm.
const TURNS: u32 = 3;
/// The first answers of a turn are not counted: caches and connections are cold.
const COLD: usize = 20;
/// Between two chunks. A contest's are longer; the program sleeps in them all the same.
const GAP: Duration = Duration::from_millis(1);
/// An answer that takes longer does not come any more.
const LOST: Duration = Duration::from_secs(5);
/// Random digits between planted numbers, fewer than in a contest: nearly every chunk has an answer.
const APART: u16 = 50;
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nreceived\n";
const REQUEST: &[u8] = b"POST /";

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arm {
    BlockingEcho,
    SpinningEcho,
    Contestant(Io),
}

/// An arm while it is measured.
struct Row {
    arm: Arm,
    why_not: Option<String>,
    times_ns: Vec<f64>,
    /// p50 of the contestant's own part, of each turn.
    own_ns: Vec<f64>,
}

/// A chunk, and the different answers that it completes.
struct Step {
    digits: Vec<u8>,
    answers: Vec<Vec<u8>>,
}

impl Arm {
    fn name(self) -> String {
        match self {
            Self::BlockingEcho => "blocking echo".to_owned(),
            Self::SpinningEcho => "spinning echo".to_owned(),
            Self::Contestant(io) => io.name().to_owned(),
        }
    }

    fn why_not(self, stage: &Stage) -> Option<String> {
        let spins = matches!(self, Self::SpinningEcho | Self::Contestant(Io::BusyPoll));
        if spins && !stage.has_two() {
            return Some("it needs a CPU of its own in addition to the sender's".to_owned());
        }
        if let Self::Contestant(io) = self { io.unavailable() } else { None }
    }
}

impl Row {
    fn latency(self) -> StreamLatency {
        let quantile_of = |times: &[f64], part| (!times.is_empty()).then(|| quantile(times, part));
        StreamLatency {
            arm: self.arm.name(),
            unavailable: self.why_not,
            answers: self.times_ns.len() as u64,
            p50_ns: quantile_of(&self.times_ns, 0.5),
            p90_ns: quantile_of(&self.times_ns, 0.9),
            p99_ns: quantile_of(&self.times_ns, 0.99),
            own_p50_ns: quantile_of(&self.own_ns, 0.5),
        }
    }
}

pub fn measure(
    stage: &Stage,
    answers: u32,
    interrupt: &Interrupt,
    progress: &Progress,
) -> anyhow::Result<Vec<StreamLatency>> {
    let arms = [Arm::BlockingEcho, Arm::SpinningEcho].into_iter().chain(Io::ALL.map(Arm::Contestant));
    let row = |arm: Arm| Row { arm, why_not: arm.why_not(stage), times_ns: Vec::new(), own_ns: Vec::new() };
    let mut rows: Vec<Row> = arms.map(row).collect();
    let mut rules = Rules::default();
    rules.planting.apart = APART;
    let problem = Problem::new(&rules);
    let steps = steps(&rules, &problem, COLD + answers.div_ceil(TURNS) as usize);
    progress.expect(u64::from(TURNS) * rows.len() as u64);
    for turn in 1..=TURNS {
        for row in &mut rows {
            progress.say(format!("latency of {}, turn {turn} of {TURNS}", row.arm.name()));
            if row.why_not.is_none() {
                let context = || format!("cannot measure the latency of {}", row.arm.name());
                let (times, own) =
                    one_turn(stage, row.arm, &problem, &steps, interrupt).with_context(context)?;
                row.times_ns.extend(times);
                row.own_ns.extend(own);
            }
            progress.step();
        }
    }
    Ok(rows.into_iter().map(Row::latency).collect())
}

/// Makes chunks until `count` of them have answers.
fn steps(rules: &Rules, problem: &Problem, count: usize) -> Vec<Step> {
    let mut generator = Generator::new(rules, SEED);
    let mut solver = Method::FixedPoint.solver(problem);
    let mut sent = BTreeSet::new();
    let (mut steps, mut with_answers) = (Vec::new(), 0);
    while with_answers < count {
        let digits = generator.chunk().digits;
        let mut answers = Vec::new();
        solver.prepare();
        solver.take(&digits, &mut |_, text| {
            if sent.insert(text.to_vec()) {
                answers.push(text.to_vec());
            }
        });
        with_answers += usize::from(!answers.is_empty());
        steps.push(Step { digits, answers });
    }
    steps
}

/// Sends all chunks, and returns how long each answer took, and the contestant's own part.
fn one_turn(
    stage: &Stage,
    arm: Arm,
    problem: &Problem,
    steps: &[Step],
    interrupt: &Interrupt,
) -> anyhow::Result<(Vec<f64>, Option<f64>)> {
    let input = TcpListener::bind("127.0.0.1:0").context("cannot listen on loopback")?;
    let output = TcpListener::bind("127.0.0.1:0").context("cannot listen on loopback")?;
    let (to, from) = (input.local_addr()?, output.local_addr()?);
    let stop = Arc::new(AtomicBool::new(false));
    let (ended, stopped) = (&AtomicBool::new(false), &stop);
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            stage.measure_here()?;
            let report = match arm {
                Arm::BlockingEcho => echo(to, from, false).map(|()| None),
                Arm::SpinningEcho => echo(to, from, true).map(|()| None),
                Arm::Contestant(io) => contestant(io, problem, (to, from), &stop).map(Some),
            };
            ended.store(true, Ordering::Relaxed);
            report
        });
        // It has the listeners, so that a client that still connects when it ends gets an end.
        let sending = scope.spawn(move || {
            stage.send_here()?;
            // The contestant connects to the output first.
            let mut from = accept(&output, ended)?;
            let mut to = accept(&input, ended)?;
            begin(&mut to, &mut from)?;
            let is_echo = !matches!(arm, Arm::Contestant(_));
            let times = send(&mut to, &mut from, steps, is_echo, stage.has_two(), interrupt);
            stopped.store(true, Ordering::Relaxed);
            times
        });
        let times = sending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        stop.store(true, Ordering::Relaxed);
        let report = answering.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let own = report.and_then(|report| report.own.percentile_ns(50.0));
        Ok((times?, own.map(|ns| ns as f64)))
    })
}

/// Waits for a connection as long as one may still be made.
fn accept(listener: &TcpListener, ended: &AtomicBool) -> anyhow::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((connection, _)) => {
                connection.set_nonblocking(false)?;
                return Ok(connection);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && !ended.load(Ordering::Relaxed) => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => bail!("it ended before it had connected"),
            Err(error) => return Err(error.into()),
        }
    }
}

fn begin(to: &mut TcpStream, from: &mut TcpStream) -> anyhow::Result<()> {
    for connection in [&*to, &*from] {
        connection.set_nodelay(true)?;
        connection.set_read_timeout(Some(LOST))?;
    }
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        to.read_exact(&mut byte).context("no request for the feed")?;
        request.push(byte[0]);
    }
    to.write_all(HEAD)?;
    // So that it is not read together with the first digits.
    std::thread::sleep(GAP * 20);
    Ok(())
}

/// Sends the chunks, and waits for the answer to each.
fn send(
    to: &mut TcpStream,
    from: &mut TcpStream,
    steps: &[Step],
    is_echo: bool,
    spins: bool,
    interrupt: &Interrupt,
) -> anyhow::Result<Vec<f64>> {
    from.set_nonblocking(spins)?;
    let mut times = Vec::with_capacity(steps.len());
    let mut buffer = vec![0; 1 << 16];
    for step in steps {
        interrupt.check()?;
        std::thread::sleep(GAP);
        let sent = Instant::now();
        to.write_all(&step.digits)?;
        if step.answers.is_empty() && !is_echo {
            continue;
        }
        let mut got = read(from, &mut buffer, sent)?;
        times.push(sent.elapsed().as_nanos() as f64);
        if is_echo {
            while got < step.digits.len() {
                got += read(from, &mut buffer[got..], sent)?;
            }
            continue;
        }
        let (count, last) = (step.answers.len(), step.answers.last().map_or(&[][..], Vec::as_slice));
        while requests(&buffer[..got]) < count || !buffer[..got].ends_with(last) {
            got += read(from, &mut buffer[got..], sent)?;
        }
        if requests(&buffer[..got]) > count {
            bail!("{count} answers were expected to a chunk, and more came");
        }
        from.set_nonblocking(false)?;
        from.write_all(&REPLY.repeat(count))?;
        from.set_nonblocking(spins)?;
    }
    Ok(times.split_off(COLD.min(times.len())))
}

fn requests(bytes: &[u8]) -> usize {
    bytes.windows(REQUEST.len()).filter(|window| *window == REQUEST).count()
}

fn read(from: &mut TcpStream, buffer: &mut [u8], sent: Instant) -> anyhow::Result<usize> {
    loop {
        match from.read(buffer) {
            Ok(0) => bail!("it closed the connection for answers"),
            Ok(count) => return Ok(count),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if sent.elapsed() > LOST {
                    bail!("no answer for {} s", LOST.as_secs());
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        std::hint::spin_loop();
    }
}

/// Writes back what it reads, until the end.
fn echo(to: SocketAddr, from: SocketAddr, spins: bool) -> anyhow::Result<()> {
    let mut output = TcpStream::connect(from)?;
    let mut feed = TcpStream::connect(to)?;
    output.set_nodelay(true)?;
    feed.write_all(b"GET / HTTP/1.1\r\n\r\n")?;
    let mut buffer = vec![0; 1 << 16];
    feed.read_exact(&mut buffer[..HEAD.len()])?;
    feed.set_nonblocking(spins)?;
    loop {
        match feed.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => output.write_all(&buffer[..count])?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::hint::spin_loop(),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

fn contestant(
    io: Io,
    problem: &Problem,
    (to, from): (SocketAddr, SocketAddr),
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<Report> {
    let options = Options {
        input: to.to_string(),
        output: from.to_string(),
        user: "user".to_owned(),
        password: "passwd".to_owned(),
        problem: problem.clone(),
        method: Method::FixedPoint,
        io,
        predicts: false,
        window: Duration::from_secs(10),
        chunks: None,
        duration: None,
        owns_cpu: true,
        stop: Arc::clone(stop),
    };
    Ok(take_part(&options)?)
}

/// Holds latencies against their bars.
pub fn bars(latency: &[StreamLatency]) -> Vec<StreamBar> {
    let row = |arm: Arm| latency.iter().find(|row| row.arm == arm.name());
    let mut bars = Vec::new();
    let pairs = [
        (Io::Blocking, Arm::BlockingEcho, "blocking, p50 against the blocking echo", 3.0),
        (Io::BusyPoll, Arm::SpinningEcho, "busy-poll, p50 against the spinning echo", 4.0),
    ];
    for (io, echo, what, most) in pairs {
        let mine = row(Arm::Contestant(io));
        let p50s = (mine.and_then(|mine| mine.p50_ns), row(echo).and_then(|echo| echo.p50_ns));
        let (Some(p50), Some(echo)) = p50s else {
            bars.push(not_measured(what, "not measured here"));
            continue;
        };
        bars.push(at_most(what, p50 / echo, "times", most));
        if let Some(own) = mine.and_then(|mine| mine.own_p50_ns) {
            let what = format!("{}, own part (compute and write), p50", io.name());
            bars.push(at_most(&what, own / 1000.0, "us", 8.0));
        }
    }
    bars
}

pub fn table(latency: &[StreamLatency]) -> Option<String> {
    let mut table = table_of(&["chunk to answer, us", ">p50", ">p90", ">p99", ">own part, p50", ">answers"]);
    for row in latency {
        if let Some(why) = &row.unavailable {
            table.row([Cell::from(row.arm.as_str())]);
            table.note(None, &format!("unavailable: {why}"));
            continue;
        }
        let times = [row.p50_ns, row.p90_ns, row.p99_ns, row.own_p50_ns];
        let times = times.map(|time| Cell::from(time.map_or_else(|| "-".to_owned(), in_us)));
        let count = Cell::from(row.answers.to_string());
        table.row([Cell::from(row.arm.as_str())].into_iter().chain(times).chain([count]));
    }
    (!latency.is_empty()).then(|| table.render(Colour::for_stdout()))
}
