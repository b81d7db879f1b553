//! The parent of `tauto serve`: starts the processes and waits for what happens to them. It has one thread, and reads
//! nothing that comes from a network.

use super::channel::{self, Listeners, Settings, Start};
use super::http::SCRATCH;
use super::owner::Owner;
use super::supervision::{Action, Ending, Event, Part, Supervision};
use super::tls::TlsFiles;
use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use terminal::interrupt::{Interrupt, hang_ups, signal_name};
use terminal::{Standard, prose, visible};

/// This very binary, even if the file has been replaced.
const OURSELVES: &str = "/proc/self/exe";
/// What `ps` shows as the program.
const NAME: &str = "tauto";
/// A program reads its standard input at this path.
const STANDARD_INPUT: &str = "/dev/stdin";
/// What the server may see of the environment: how to write, and which C library settings to use. Others could be secrets.
const SERVER_VARIABLES: [&str; 8] =
    ["RUST_LOG", "RUST_BACKTRACE", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS", "LANG"];
/// The exit code if a process cannot be started.
const OURS: u8 = 3;

#[derive(Debug)]
pub struct Parent {
    pub listeners: Listeners,
    /// The files of the certificate, if the server speaks HTTPS itself.
    pub tls: Option<TlsFiles>,
    pub settings: Settings,
    pub owner: Owner,
    /// What each judgehost is started with besides its server.
    pub judgehost_options: Vec<String>,
}

struct Running {
    child: Child,
    /// Becomes readable when the process ends.
    pidfd: OwnedFd,
    channel: Option<OwnedFd>,
}

impl Parent {
    /// Runs server and judgehosts until a stop is requested; returns the exit code.
    pub fn run(&self, judgehosts: u32) -> anyhow::Result<ExitCode> {
        // A new certificate is announced by SIGHUP.
        let (interrupt, hang_ups) = match self.tls {
            Some(_) => (Interrupt::listen_but_hang_up()?, Some(hang_ups()?)),
            None => (Interrupt::listen()?, None),
        };
        let begin = Instant::now();
        let (mut supervision, first) = Supervision::start(begin.elapsed(), judgehosts);
        let (mut running, mut actions) = (BTreeMap::new(), vec![first]);
        loop {
            let mut events = Vec::new();
            for action in actions.drain(..) {
                if let Action::Exit(code) = action {
                    end_all(&mut running);
                    return Ok(ExitCode::from(code));
                }
                events.extend(self.act(action, &mut running));
            }
            if events.is_empty() {
                let patience = supervision.due_at().map(|at| at.saturating_sub(begin.elapsed()));
                events = wait(&interrupt, hang_ups.as_ref(), &mut running, patience)?;
                if hang_ups.as_ref().is_some_and(was_readable) {
                    self.renew(&running);
                }
            }
            for event in events {
                actions.extend(supervision.on(begin.elapsed(), event));
            }
            actions.extend(supervision.due(begin.elapsed()));
        }
    }

    fn act(&self, action: Action, running: &mut BTreeMap<Part, Running>) -> Option<Event> {
        match action {
            Action::Start(part) => match self.start(part) {
                Ok(process) => {
                    running.insert(part, process);
                }
                Err(error) => {
                    self.report(&format!("{} cannot be started: {error:#}", name(part)));
                    return Some(Event::Ended(part, Ending::Code(OURS)));
                }
            },
            Action::Terminate(part) => signal(running.get(&part), Signal::TERM),
            Action::Kill(part) => {
                self.report(&format!("{} has not ended in time and is killed", name(part)));
                signal(running.get(&part), Signal::KILL);
            }
            Action::Report(part, ending, again) => self.report(&ended_text(part, ending, again)),
            Action::Exit(_) => {}
        }
        None
    }

    /// Gives the server the certificate that its files have now.
    fn renew(&self, running: &BTreeMap<Part, Running>) {
        let channel = running.get(&Part::Server).and_then(|process| process.channel.as_ref());
        let (Some(tls), Some(channel)) = (&self.tls, channel) else { return };
        match tls.read().and_then(|certificate| channel::send_certificate(channel, &certificate)) {
            Ok(()) => self.report("the certificate was read again"),
            Err(error) => self.report(&format!("the certificate of before stays: {error:#}")),
        }
    }

    fn report(&self, text: &str) {
        report(self.settings.is_log_json, text);
    }

    fn start(&self, part: Part) -> anyhow::Result<Running> {
        let mut command = Command::new(OURSELVES);
        // Ctrl-C on a terminal reaches only the parent, which then ends the others in order.
        command.process_group(0).arg0(NAME);
        let (child, channel) = match part {
            Part::Server => {
                let (ours, theirs) = channel::pair()?;
                command.args(["internal", "contest-server"]).stdin(Stdio::from(theirs)).env_clear();
                command
                    .envs(SERVER_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
                command.env("TMPDIR", self.settings.data.join(SCRATCH));
                let child = command.spawn()?;
                let mut settings = self.settings.clone();
                settings.certificate = self.tls.as_ref().map(TlsFiles::read).transpose()?;
                let start = Start {
                    settings,
                    owner: self.owner,
                    parent: std::process::id(),
                    has_operations: self.listeners.operations.is_some(),
                    has_local: self.listeners.local.is_some(),
                };
                channel::send_start(&ours, &start, &self.listeners)?;
                (child, Some(ours))
            }
            Part::Judgehost(number) => {
                let token = self.settings.judgehost_token.as_deref().context("there is no token")?;
                let listener = self.listeners.local.as_ref().unwrap_or(&self.listeners.api);
                let url = format!("http://{}", reachable(listener.local_addr()?));
                command.args([
                    "internal",
                    "tied",
                    "--parent",
                    &std::process::id().to_string(),
                    "--",
                    OURSELVES,
                ]);
                command.args(["judgehost", "--server", &url, "--token", STANDARD_INPUT]);
                command.args(["--id", &format!("local-{number}")]).stdin(Stdio::piped());
                command.args(self.settings.is_log_json.then_some("--json")).args(&self.judgehost_options);
                let mut child = command.spawn()?;
                // Far less than a pipe holds, so this does not wait.
                child.stdin.take().context("no standard input")?.write_all(token.as_bytes())?;
                (child, None)
            }
        };
        let pid = Pid::from_child(&child);
        Ok(Running { child, pidfd: rustix::process::pidfd_open(pid, PidfdFlags::empty())?, channel })
    }
}

/// Waits for a signal, the end of a process or the server's message.
fn wait(
    interrupt: &Interrupt,
    hang_ups: Option<&OwnedFd>,
    running: &mut BTreeMap<Part, Running>,
    patience: Option<Duration>,
) -> anyhow::Result<Vec<Event>> {
    let stop = interrupt.stop();
    let mut descriptors = vec![PollFd::new(&stop, PollFlags::IN)];
    descriptors.extend(hang_ups.map(|hang_ups| PollFd::new(hang_ups, PollFlags::IN)));
    for process in running.values() {
        descriptors.push(PollFd::new(&process.pidfd, PollFlags::IN));
        descriptors.extend(process.channel.as_ref().map(|channel| PollFd::new(channel, PollFlags::IN)));
    }
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match poll(&mut descriptors, patience.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error).context("cannot wait for the processes"),
    }
    let mut events = Vec::new();
    let mut requests = [0; 16];
    if let Ok(count) = rustix::io::read(&stop, &mut requests) {
        events.extend(std::iter::repeat_n(Event::Stop, count));
    }
    for (part, process) in running.iter_mut() {
        // First whether it has ended: what it sent before can be read afterwards.
        let ended = process.child.try_wait()?;
        match process.channel.as_ref().map(channel::receive_ready) {
            Some(Some(true)) => events.push(Event::Ready),
            Some(None) => process.channel = None,
            _ => {}
        }
        if let Some(status) = ended {
            events.push(Event::Ended(*part, ending(status)));
        }
    }
    for event in &events {
        if let Event::Ended(part, _) = event {
            running.remove(part);
        }
    }
    Ok(events)
}

fn ending(status: ExitStatus) -> Ending {
    let number = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Code(number(code)),
        (None, signal) => Ending::Signal(signal.map_or(0, number)),
    }
}

/// A process that has just ended needs no signal.
fn signal(process: Option<&Running>, signal: Signal) {
    let Some(process) = process else { return };
    if signal == Signal::KILL {
        // With what it has started.
        let _ = rustix::process::kill_process_group(Pid::from_child(&process.child), signal);
    }
    let _ = rustix::process::pidfd_send_signal(process.pidfd.as_fd(), signal);
}

fn end_all(running: &mut BTreeMap<Part, Running>) {
    for process in running.values_mut() {
        signal(Some(process), Signal::KILL);
        let _ = process.child.wait();
    }
}

/// Returns whether a pipe of signals has some, and empties it.
fn was_readable(pipe: &OwnedFd) -> bool {
    matches!(rustix::io::read(pipe, &mut [0; 16]), Ok(1..))
}

fn report(is_json: bool, text: &str) {
    if is_json {
        let time = humantime::format_rfc3339_micros(std::time::SystemTime::now()).to_string();
        // As the server's own lines are.
        let line = serde_json::json!({
            "timestamp": time, "level": "WARN", "fields": { "message": text }, "target": "tauto::serve",
        });
        let _ = Standard::error().write(&format!("{line}\n"));
        return;
    }
    // Without standard error it cannot be reported.
    let _ = Standard::error().write(&prose::wrap("", 2, &visible(text), prose::error_columns()));
}

fn name(part: Part) -> String {
    match part {
        Part::Server => "the server".to_owned(),
        Part::Judgehost(number) => format!("judgehost local-{number}"),
    }
}

fn ended_text(part: Part, ending: Ending, again: Option<Duration>) -> String {
    let how = match ending {
        Ending::Code(code) => format!("ended with exit code {code}"),
        Ending::Signal(number) => format!("was ended by {}", signal_name(number)),
    };
    let then = match again {
        Some(wait) => format!("starts again in {} s", wait.as_secs_f32()),
        None => "is not started again".to_owned(),
    };
    format!("{} {how}; it {then}", name(part))
}

/// Returns an address at which this machine reaches a socket that listens there.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Checks that the binary can be executed again.
pub fn check_ourselves() -> anyhow::Result<()> {
    anyhow::ensure!(Path::new(OURSELVES).exists(), "{OURSELVES} is absent: mount /proc");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_described() {
        let wait = Some(Duration::from_millis(400));
        assert_eq!(
            ended_text(Part::Server, Ending::Signal(9), wait),
            "the server was ended by SIGKILL; it starts again in 0.4 s"
        );
        assert_eq!(
            ended_text(Part::Judgehost(2), Ending::Code(2), None),
            "judgehost local-2 ended with exit code 2; it is not started again"
        );
    }

    #[test]
    fn a_socket_for_all_addresses_is_reached_on_this_machine() {
        for (listens, reached) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("10.0.0.7:80", "10.0.0.7:80")]
        {
            assert_eq!(reachable(listens.parse().unwrap()), reached.parse().unwrap());
        }
    }
}
