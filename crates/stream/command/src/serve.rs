//! `tauto stream serve` and `tauto stream mock`.

use super::contestants::{self, Accounts};
use super::publish::Publisher;
use super::rules;
use crate::arguments::{StreamMockArguments, StreamPorts, StreamServeArguments};
use anyhow::Context;
use arena::host::{Contestant, Host, HostError, HostOptions, Limits};
use contest_command::serve::{
    Confinement, begin_log, bind, confine, give_away, make_folder, reachable, warn,
};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::json;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{because, input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::{Progress, print};

/// The record in the folder.
const RECORD: &str = "record.ndjson";
const NS_PER_MS: u64 = 1_000_000;

pub fn serve(arguments: &StreamServeArguments, json: bool) -> anyhow::Result<ExitCode> {
    let rules = rules::read(arguments.rules.as_deref())?;
    let folder = make_folder(&arguments.data, arguments.user.as_deref())?;
    let publisher = arguments.publish.then(|| Publisher::open(&arguments.server)).transpose()?;
    let teams = publisher.as_ref().map(Publisher::teams).transpose()?.unwrap_or_default();
    let names = [arguments.names.clone(), teams].concat();
    let found = contestants::gather(&folder, arguments.contestants.as_deref(), &names)?;
    if found.all.is_empty() {
        return Err(input_with_hint(
            "no contestants are configured",
            "name them by --contestant NAME, or give a file with names and passwords by --contestants FILE",
        ));
    }
    let ports = Ports::open(&arguments.ports)?;
    let is_root = rustix::process::geteuid().is_root();
    if !is_root && arguments.user.is_some() {
        return Err(input_with_hint("only root can serve as another user (--user)", "run it with sudo"));
    }
    let owner = is_root.then(|| give_away(&folder, arguments.user.as_deref())).transpose()?;
    let secret = secret()?;
    let for_server = publisher.iter().map(Publisher::port).collect();
    let confinement = Confinement { owner, data: folder.clone(), ports: for_server, folders: Vec::new() };
    warn(confine(&confinement)?);

    let options = HostOptions {
        rules,
        seed: arguments.seed.unwrap_or_else(|| u64::from_le_bytes(secret.1)),
        begins_unix_ns: arguments.start.map_or(0, |start| (start.0.max(0) as u64) * NS_PER_MS),
        duration: arguments.duration,
        record: folder.join(RECORD),
        contestants: found.all.clone(),
        input: ports.input,
        output: ports.output,
        board: ports.board,
        page: server::stream_page(),
        limits: Limits {
            of_address: arguments.of_address as usize,
            answers_per_second: arguments.answers_per_second,
            ..Limits::default()
        },
        secret: secret.0,
    };
    run(options, &found, Some(&folder), publisher, json)
}

/// Serves a contest to practise with until a stop is requested.
pub fn mock(arguments: &StreamMockArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut rules = rules::read(arguments.rules.as_deref())?;
    if let Some(gap) = arguments.gap {
        let most = (gap.0 / 1000).max(1);
        rules.chunks.gap_us = (most / 10, most);
        rules.check().with_context(|| because("--gap cannot be used"))?;
    }
    let folder =
        tempfile::Builder::new().prefix("tauto-stream-").tempdir().context("cannot make a folder")?;
    let ports = Ports::open(&arguments.ports)?;
    let practising = Contestant { name: "user".to_owned(), password: "passwd".to_owned() };
    let found = Accounts { all: vec![practising.clone()], new: vec![practising] };
    let options = HostOptions {
        rules,
        seed: arguments.seed,
        begins_unix_ns: 0,
        duration: None,
        record: folder.path().join(RECORD),
        contestants: found.all.clone(),
        input: ports.input,
        output: ports.output,
        board: ports.board,
        page: server::stream_page(),
        limits: Limits::default(),
        secret: secret()?.0,
    };
    run(options, &found, None, None, json)
}

fn run(
    options: HostOptions,
    found: &Accounts,
    keep_in: Option<&Path>,
    publisher: Option<Publisher>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let _log = begin_log(json);
    let record = options.record.clone();
    let host = Host::open(options).map_err(as_input)?;
    // Not before: the folder may be another server's, whose contestants these are not.
    keep_in.map(|folder| contestants::keep(folder, &found.all)).transpose()?;
    say(&host, &record, found, json)?;
    let publishing = publisher.map(|publisher| publisher.start(&host, &found.all)).transpose()?;
    let stop = interrupt.stop();
    while interrupt.check().is_ok() {
        // A signal interrupts it, too.
        let _ = poll(&mut [PollFd::new(&*stop, PollFlags::IN)], None);
    }
    let progress = Progress::on_stderr(!json);
    progress.say("stopping; the contest goes on when it is served again");
    drop(publishing);
    host.close();
    Ok(ExitCode::SUCCESS)
}

fn say(host: &Host, record: &Path, found: &Accounts, json: bool) -> anyhow::Result<()> {
    let http = |address: SocketAddr, path: &str| format!("http://{}{path}", reachable(address));
    let (input, output) = (http(host.input, "/"), http(host.output, "/submit?user=NAME&passwd=PASSWORD"));
    let board = http(host.board, "/");
    if json {
        let new: Vec<_> =
            found.new.iter().map(|one| json!({ "name": one.name, "password": one.password })).collect();
        let document = json!({
            "input": input, "output": output, "board": board, "record": record, "goes_on": host.goes_on,
            "contestants": found.all.len(), "new": new,
        });
        return Ok(print(&format!("{document}\n"))?);
    }
    let begins = if host.goes_on { "goes on" } else { "begins" };
    let mut text = format!(
        "the contest {begins}, with {} contestants\n  digits   GET {input}\n  answers  POST {output}\n  board    {board}\n",
        found.all.len()
    );
    for one in &found.new {
        text += &format!("  {}  password {}\n", one.name, one.password);
    }
    text += &format!(
        "to try: tauto stream solve --input {} --output {} --user NAME --password-file FILE\n",
        reachable(host.input),
        reachable(host.output)
    );
    Ok(print(&text)?)
}

struct Ports {
    input: TcpListener,
    output: TcpListener,
    board: TcpListener,
}

impl Ports {
    fn open(at: &StreamPorts) -> anyhow::Result<Self> {
        let open =
            |option: &str, address: &str| bind(address).with_context(|| because(format!("--{option}")));
        Ok(Self {
            input: open("input", &at.input)?,
            output: open("output", &at.output)?,
            board: open("board", &at.board)?,
        })
    }
}

/// Returns bytes that cannot be guessed: for the host, and for a seed.
fn secret() -> anyhow::Result<([u8; 48], [u8; 8])> {
    let mut bytes = ([0; 48], [0; 8]);
    for part in [&mut bytes.0[..], &mut bytes.1[..]] {
        getrandom::fill(part).context("the system has no randomness")?;
    }
    Ok(bytes)
}

fn as_input(error: HostError) -> anyhow::Error {
    match error {
        HostError::Thread(_) | HostError::Listen(_) | HostError::Record(..) => error.into(),
        HostError::InUse(_) | HostError::Contestants(_) | HostError::Contestant(..) => {
            input(error.to_string())
        }
        HostError::Rules(_) | HostError::NoRecord(..) => {
            anyhow::Error::new(error).context(because("this contest cannot be served"))
        }
    }
}
