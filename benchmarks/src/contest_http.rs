//! How fast a contest is folded and its scoreboard answered, compared with a server that sends the same bytes and does nothing else.

use crate::figure::{Figure, figure};
use anyhow::{Context, Result, anyhow};
use contest_rules::board::BoardSide;
use contest_rules::{
    AccountId, Actor, Body, Caller, ContestId, Event, Instant as Moment, Judged, JudgehostId, JudgementKey,
    JudgementReason, NewJudgehost, NewToken, Outcome, ProblemId, Run, State, StoredVerdict, SubmissionNumber,
    Submitted, TeamId, sample,
};
use model::{Nanos, Verdict};
use server::{Config, Options};
use stats::Sample;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use store::StoreAddress;

/// On a disk wherever `/tmp` is in memory.
pub const DISK: &str = "/var/tmp";
const PROBLEMS: u32 = 15;
pub const SUBMISSIONS: u32 = 20_000;
/// A token of the admin, for nothing but these contests.
pub const TOKEN: &str = "bench";
/// The SHA-256 hash of it.
const TOKEN_HASH: &str = "1b32c28cb38c05480eccc1bd60ff97029b57a05c96718b96dad7e9d84894f549";
const REQUESTS_A_SECOND: u32 = 100;
const REQUESTS: u32 = 1_000;
/// Each takes every fourth request, so that a slow one does not delay the next.
const CLIENTS: u32 = 4;
const BARS_MS: [(&str, f64); 3] = [("fold", 100.0), ("event", 1.0), ("p99", 10.0)];
/// How often something changes meanwhile, so that boards are built anew.
const CHANGE_EVERY: Duration = Duration::from_millis(100);

fn id<T: std::str::FromStr>(text: &str) -> T
where
    T::Err: std::fmt::Debug,
{
    text.parse().expect("an id")
}

pub fn contest_id() -> ContestId {
    id("demo")
}

fn problem(number: u32) -> ProblemId {
    id(&format!("p{number}"))
}

fn team(number: u32) -> TeamId {
    id(&format!("t{number}"))
}

/// Returns the events of a contest in which every submission was judged, with `runs` runs each.
fn events(teams: u32, runs: u32) -> Vec<Event> {
    let mut events = Vec::new();
    let mut at = sample::START;
    let mut add = |at: Moment, actor: Actor, contest: Option<ContestId>, body: Body| {
        events.push(Event { time: at, actor, contest, body });
    };
    let server = || Actor::System;
    add(at, server(), None, Body::PoolSet(sample::pool("strict")));
    add(at, server(), Some(contest_id()), Body::ContestSet(Box::new(sample::contest())));
    let account = contest_rules::AccountSettings::new(id("admin"), contest_rules::Role::Admin);
    add(at, server(), None, Body::AccountSet(account));
    let token = Body::TokenIssued(NewToken {
        id: id("1"),
        account: id("admin"),
        hash: TOKEN_HASH.to_owned(),
        note: String::new(),
        expires: None,
    });
    add(at, server(), None, token);
    for number in 0..PROBLEMS {
        let settings = sample::problem(&format!("p{number}"), number);
        add(at, server(), Some(contest_id()), Body::ProblemSet(Box::new(settings)));
    }
    for number in 0..teams {
        add(at, server(), Some(contest_id()), Body::TeamSet(sample::team(&format!("t{number}"))));
    }
    let host: JudgehostId = id("h1");
    let sender: AccountId = id("admin");
    let joined = Body::JudgehostJoined(NewJudgehost {
        id: host.clone(),
        pool: id("strict"),
        identity: vec!["cpu: x".to_owned()],
        compilers: vec![],
        places: 1,
        awaits_admission: false,
        instance: String::new(),
    });
    add(at, Actor::Account(sender.clone(), None), None, joined);
    for number in 1..=SUBMISSIONS {
        at = Moment(sample::START.0 + i64::from(number) * 700);
        // Spread without a pattern, the same each time.
        let drawn = number.wrapping_mul(2_654_435_761);
        let key = JudgementKey { submission: SubmissionNumber(number), number: 1 };
        let submitted = Submitted {
            account: None,
            time: None,
            number: key.submission,
            team: Some(team(drawn % teams)),
            problem: problem((drawn >> 12) % PROBLEMS),
            language: id("cpp"),
            entry_point: None,
            files: vec![],
        };
        let verdict = if drawn >> 24 & 3 == 0 { Verdict::Accepted } else { Verdict::WrongAnswer };
        let run = |ordinal| Run {
            ordinal,
            verdict: StoredVerdict(if ordinal == runs { verdict } else { Verdict::Accepted }),
            cpu_time: Nanos(1_000_000),
            memory_peak: None,
            at_ms: 5 * ordinal,
            for_jury: false,
        };
        let judged = Judged {
            judgement: key,
            outcome: Outcome { verdict: StoredVerdict(verdict), score: None },
            max_run_time: Some(Nanos(1_000_000)),
            subtasks: vec![],
            evidence: None,
            compile_output: None,
            nondeterministic: std::collections::BTreeSet::new(),
            for_jury: std::collections::BTreeSet::new(),
        };
        let by_host = || Actor::Judgehost(host.clone());
        let contest = || Some(contest_id());
        let opened =
            Body::JudgementOpened { judgement: key, reason: JudgementReason::First, pool: id("strict") };
        add(at, Actor::Account(sender.clone(), None), contest(), Body::Submitted(Box::new(submitted)));
        add(at, server(), contest(), opened);
        add(at, by_host(), contest(), Body::JudgingBegun { judgement: key });
        add(
            at,
            by_host(),
            contest(),
            Body::RunsJudged { judgement: key, runs: (1..=runs).map(run).collect() },
        );
        add(at, by_host(), contest(), Body::Judged(Box::new(judged)));
    }
    events
}

fn row(key: &str, teams: u32, what: &str, ms: f64) -> Figure {
    let figure = figure(format!("{key}-{teams}"), format!("{teams} teams: {what}"), ms, "ms");
    match BARS_MS.iter().find(|(of, _)| *of == key) {
        Some((_, bar)) => figure.under(*bar),
        None => figure,
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub fn times() -> Result<Vec<Figure>> {
    let mut rows = Vec::new();
    for teams in [200, 1_000] {
        fold(teams, &mut rows)?;
        over_http(teams, &mut rows)?;
    }
    Ok(rows)
}

fn fold(teams: u32, rows: &mut Vec<Figure>) -> Result<()> {
    let events = events(teams, 1);
    let texts = events.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    let begin = Instant::now();
    for text in &texts {
        std::hint::black_box(serde_json::from_str::<Event>(text)?);
    }
    rows.push(row("read", teams, &format!("{} events read from JSON", texts.len()), ms(begin.elapsed())));
    let (before, last) = events.split_at(events.len() - 1000);
    let begin = Instant::now();
    let mut state = State::default();
    for (seq, event) in (1..).zip(before) {
        state.apply(seq, event);
    }
    rows.push(row("fold", teams, &format!("{} events folded", before.len()), ms(begin.elapsed())));
    let mut times = Vec::new();
    let mut boards = Vec::new();
    for (seq, event) in (before.len() as u64 + 1..).zip(last) {
        let begin = Instant::now();
        state.apply(seq, event);
        times.push(ms(begin.elapsed()));
        if boards.len() < 100 {
            let begin = Instant::now();
            let view =
                state.view(&Caller::system(), &contest_id()).map_err(|refusal| anyhow!("{refusal}"))?;
            std::hint::black_box(
                view.board(BoardSide::Public, None).map_err(|refusal| anyhow!("{refusal}"))?,
            );
            boards.push(ms(begin.elapsed()));
        }
    }
    rows.push(row("event", teams, "one more event, p99", Sample::new(times)?.quantile(0.99)));
    rows.push(row("board", teams, "a board worked out, p99", Sample::new(boards)?.quantile(0.99)));
    let begin = Instant::now();
    let bytes = state.checkpoint();
    rows.push(row("checkpoint", teams, "a checkpoint written", ms(begin.elapsed())));
    let begin = Instant::now();
    State::restore(&bytes).context("a checkpoint that was just written is not read")?;
    let what = format!("a checkpoint of {} KiB read", bytes.len() / 1024);
    rows.push(row("restore", teams, &what, ms(begin.elapsed())));
    let view = state.view(&Caller::system(), &contest_id()).map_err(|refusal| anyhow!("{refusal}"))?;
    let begin = Instant::now();
    std::hint::black_box(view.analysis(None).map_err(|refusal| anyhow!("{refusal}"))?);
    rows.push(row("analysis", teams, "the jury's analysis worked out", ms(begin.elapsed())));
    Ok(())
}

fn over_http(teams: u32, rows: &mut Vec<Figure>) -> Result<()> {
    let folder = tempfile::tempdir_in(DISK).context("make a folder on the disk to measure")?;
    fill(folder.path(), teams, 1)?;
    let begin = Instant::now();
    let serving = Serving::start(folder.path())?;
    rows.push(row("start", teams, "a server starts from its log", ms(begin.elapsed())));
    let address = serving.address;
    let target = "/api/contests/demo/scoreboard";
    let (bytes, _) = Client::open(address)?.get(target)?;
    let changes = Changes::begin(serving.ready.app.clone());
    let times = requests(address, target)?;
    changes.end();
    let size = format!("{} KiB", bytes.len() / 1024);
    let what = |share: &str| format!("scoreboard of {size}, {REQUESTS_A_SECOND} a second, {share}");
    rows.push(row("p50", teams, &what("p50"), times.median()));
    rows.push(row("p99", teams, &what("p99"), times.quantile(0.99)));
    serving.end()?;
    let plain = plain_server(bytes)?;
    let times = requests(plain, "/")?;
    let what = format!("the same bytes, sent by a loop, {REQUESTS_A_SECOND} a second, p99");
    rows.push(row("baseline", teams, &what, times.quantile(0.99)));
    Ok(())
}

pub struct Serving {
    pub address: SocketAddr,
    pub ready: server::Ready,
    stop: tokio::sync::oneshot::Sender<()>,
    thread: std::thread::JoinHandle<Result<()>>,
}

impl Serving {
    pub fn start(folder: &Path) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let mut config = Config::new(address, folder.join("tmp"));
        // All clients have one address here.
        config.limits.connections_per_address = config.limits.connections;
        let options = Options { data: folder.to_owned(), database: None, config };
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || -> Result<()> {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            let until = async { drop(stopped.await) };
            let report = move |ready: server::Ready| drop(sender.send(ready));
            Ok(runtime.block_on(server::run(options, listener, report, until))?)
        });
        let ready = receiver.recv().context("the server does not start")?;
        Ok(Self { address, ready, stop, thread })
    }

    pub fn end(self) -> Result<()> {
        let Self { ready, stop, thread, .. } = self;
        drop((ready, stop));
        thread.join().map_err(|_| anyhow!("the server panicked"))?
    }
}

/// Writes the log of a contest, whose submissions have `runs` runs each. Its admin has the token [`TOKEN`].
pub fn fill(folder: &Path, teams: u32, runs: u32) -> Result<()> {
    let mut opened = store::open(&StoreAddress::Folder(folder.to_owned()))?;
    opened.store.events_after(0, 1)?;
    let texts = events(teams, runs).iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    for part in texts.chunks(10_000) {
        opened.store.transact(&mut |transaction| transaction.append(part).map(|_| ()))?;
    }
    Ok(())
}

/// Changes something public.
pub async fn change(app: &server::Shared, number: u32) {
    let settings = contest_rules::TeamSettings { name: format!("Team {number}"), ..sample::team("t1") };
    let command = contest_rules::Command::In(contest_id(), contest_rules::Action::SetTeam(settings));
    let done = app.writer.act(Caller::system(), command).await;
    done.unwrap_or_else(|problem| panic!("{}", problem.detail()));
}

/// Changes what is on the board, again and again.
struct Changes {
    stop: mpsc::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl Changes {
    fn begin(app: server::Shared) -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            for number in 0_u32.. {
                if !matches!(stopped.recv_timeout(CHANGE_EVERY), Err(mpsc::RecvTimeoutError::Timeout)) {
                    return;
                }
                runtime.block_on(change(&app, number));
            }
        });
        Self { stop, thread }
    }

    fn end(self) {
        drop(self.stop);
        // A panic has been printed.
        let _ = self.thread.join();
    }
}

/// Asks at fixed times, and returns how many ms each answer took from the time at which it was due.
fn requests(address: SocketAddr, target: &'static str) -> Result<Sample> {
    let begin = Instant::now() + Duration::from_millis(50);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            std::thread::spawn(move || -> Result<Vec<f64>> {
                let mut connection = Client::open(address)?;
                let numbers = (client..REQUESTS).step_by(CLIENTS as usize);
                numbers
                    .map(|number| {
                        let due = begin + Duration::from_secs(1) * number / REQUESTS_A_SECOND;
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        connection.get(target)?;
                        Ok(ms(due.elapsed()))
                    })
                    .collect()
            })
        })
        .collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.join().map_err(|_| anyhow!("a client panicked"))??);
    }
    Ok(Sample::new(times)?)
}

pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::with_capacity(1 << 20, stream) })
    }

    pub fn get(&mut self, target: &str) -> Result<(Vec<u8>, String)> {
        self.get_with(target, "")
    }

    /// Asks with more lines of headers.
    pub fn get_with(&mut self, target: &str, headers: &str) -> Result<(Vec<u8>, String)> {
        write!(self.stream.get_mut(), "GET {target} HTTP/1.1\r\nHost: bench\r\n{headers}\r\n")?;
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
            head.push_str(&line);
        }
        anyhow::ensure!(head.starts_with("HTTP/1.1 200"), "the server answered {head}");
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            return Ok((self.chunks()?, head));
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((body, head))
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let (length, begin) = (usize::from_str_radix(line.trim(), 16)?, body.len());
            body.resize(begin + length, 0);
            self.stream.read_exact(&mut body[begin..])?;
            self.stream.read_line(&mut line)?;
            if length == 0 {
                return Ok(body);
            }
        }
    }
}

/// Starts a server that answers every request with the same bytes; it ends with this process.
pub fn plain_server(body: Vec<u8>) -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    response.extend(body);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let response = response.clone();
            std::thread::spawn(move || -> std::io::Result<()> {
                stream.set_nodelay(true)?;
                let mut reader = BufReader::new(stream.try_clone()?);
                let mut stream = stream;
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line)? == 0 {
                        return Ok(());
                    }
                    if line == "\r\n" {
                        stream.write_all(&response)?;
                    }
                }
            });
        }
    });
    Ok(address)
}
