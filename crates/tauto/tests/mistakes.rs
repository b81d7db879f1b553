//! What newcomers get wrong, and that the answer is one sentence and, where the sentence does not say it, a hint how to fix it.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::folder;
use common::{put, text};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A command line, words of the sentence, and words of the hint; none if the sentence says how to fix it.
type Mistake<'m> = (&'m str, &'m str, &'m str);

const OF_WORDS: &[Mistake<'_>] = &[
    ("contst start", "unrecognized subcommand 'contst'", "did you mean contest?"),
    ("contest strat", "unrecognized subcommand 'strat'", "did you mean start?"),
    ("start", "unrecognized subcommand 'start'", "did you mean tauto contest start?"),
    ("version", "unrecognized subcommand 'version'", "tauto --version"),
    ("help jugde", "unrecognized subcommand 'jugde'", "did you mean judge?"),
    ("server --data d", "unexpected argument '--data'", "a server is started by 'tauto serve'"),
    ("-v", "unexpected argument '-v'", "did you mean --version?"),
    ("judge p --languges x", "unexpected argument '--languges'", "did you mean --languages?"),
    ("judge p --cpu 2s", "unexpected argument '--cpu'", "--cpu is an option of 'tauto run'"),
    ("stream server", "unrecognized subcommand 'server'", "did you mean serve?"),
    ("judge p --time 2sec", "unexpected argument '--time'", "did you mean --time-limit?"),
    ("judge p --lang", "a value is required for '--lang <ID>'", "for example: tauto judge"),
    ("submit", "required arguments were not provided: <FILE>...", "for example: tauto submit a.cpp"),
    ("submit a.c -p B", "unexpected argument '-p'", "did you mean --problem?"),
    ("serve", "not provided: --data <DIR>", "for example: sudo tauto serve --data"),
    ("completions powershel", "invalid value 'powershel'", "did you mean powershell?"),
    ("doctor --fix", "unexpected argument '--fix'", "'tauto doctor --help'"),
    ("schema jduge", "there is no document 'jduge'", "did you mean judge"),
    ("run ls -l", "unexpected argument 'ls'", "put -- before the command: tauto run -- ls -l"),
    ("run --cpu 1s --cpu 2s -- true", "cannot be used multiple times", "give it once"),
    ("user add eve --type teem", "invalid value 'teem'", "did you mean team?"),
    ("login --user ada", "not provided: <URL>", "for example: tauto login http://127.0.0.1:8080"),
    (
        "login ada http://127.0.0.1:8080",
        "unexpected argument 'http:",
        "for example: tauto login http://127.0.0.1:8080",
    ),
    (
        "login localhost --user ada --password x",
        "unexpected argument '--password'",
        "did you mean --password-file?",
    ),
    ("contest start spring", "unexpected argument 'spring'", "--contest spring"),
    ("contest start at 10:00", "unexpected argument 'at'", "did you mean --at?"),
];

const OF_VALUES: &[Mistake<'_>] = &[
    ("run --cpu 2sec -- true", "'sec' is not a unit; use one of ns, us, ms, s, min", ""),
    ("run --cpu -1s -- true", "invalid value '-1s' for '--cpu <TIME>'", ""),
    ("run --memory 64 -- true", "give at least 1.0 MiB; did you mean 64MiB?", ""),
    ("run --memory 64mo -- true", "'mo' is not a unit; use one of B, KiB, MiB, GiB", ""),
    ("run --cpus 0 -- true", "invalid value '0' for '--cpus <N>': give at least 1", ""),
    (
        "run --counter emulated -- true",
        "--counter is for a clock of instructions; add --clock instructions",
        "",
    ),
    ("judge p --counter hardware", "--counter is for a clock of instructions; add --clock instructions", ""),
    (
        "run --clock instructions --counter qemu -- true",
        "invalid value 'qemu' for '--counter <COUNTER>'",
        "did you mean emulated?",
    ),
    ("run --cpus two -- true", "invalid value 'two' for '--cpus <N>': give a whole number", ""),
    ("contest start --at tomorrow", "write 10:00 or '2026-11-23 10:00' by this machine's clock", ""),
    ("contest start --at 25:00", "write 10:00 or", ""),
    (
        "contest start --in -5min",
        "write minutes, such as 10, or hours, minutes and seconds, such as 0:10:00",
        "",
    ),
    ("contest extend 10m", "write minutes, such as 10, or", ""),
    ("serve --data d --judgehosts -1", "use 'auto' or 0 to 64", ""),
    (
        "serve --data d --public-url https://a --oidc-client c --oidc-issuer http://login.example",
        "'http://login.example' is no address of HTTPS",
        "such as https://login.example",
    ),
    (
        "serve --data d --oidc-issuer https://login.example",
        "not provided: --oidc-client <ID>",
        "for example:",
    ),
    ("serve --data d --listen localhost", "the port is missing, as in localhost:8080", ""),
    ("serve --data d --listen :8080", "127.0.0.1:8080 for this machine alone, or 0.0.0.0:8080", ""),
    ("serve --data d --listen http://127.0.0.1:8080", "leave the scheme out", ""),
    ("serve --data d --listen 127.0.0.1:99999", "the port is a number up to 65535", ""),
    ("serve --data d --listen 192.0.2.1:0", "cannot listen at 192.0.2.1:0", "0.0.0.0 stands for all"),
    ("serve --data d --public-url contest.example", "such as https://contest.example", ""),
    (
        "serve --data d --tls-cert c.pem",
        "not provided: --tls-key <FILE>",
        "--tls-cert chain.pem --tls-key key.pem",
    ),
    (
        "login http:/127.0.0.1 --user ada",
        "is not the address of a server",
        "write it as http://127.0.0.1:8080",
    ),
    ("login localhost:99999 --user ada", "is not the address of a server", "with a port of at most 65535"),
    ("login localhost:1 --user ada", "there is no terminal to ask for it", "--password-file FILE"),
    ("login localhost:1 --user ada --password-file pw", "cannot reach http://localhost:1", "is it running?"),
    ("login localhost:1 --user ada --password-file p", "cannot read p", "name a file, not a folder"),
    (
        "login localhost:1 --user ada --password-file empty.py",
        "must have one line, with the secret alone",
        "",
    ),
    ("contest list", "no contest server is named", "log in: tauto login URL --user NAME"),
    ("problem new 'My Problem'", "is no id: use 1 to 36 of", ""),
    ("problem new p", "p exists", "choose another name"),
    ("problem new ./p", "p exists", "choose another name"),
];

const OF_FILES: &[Mistake<'_>] = &[
    ("judge good.py p", "the arguments seem swapped", "tauto judge p good.py"),
    ("judge parent", "parent is no problem package: it has no problem.yaml", "did you mean parent/p?"),
    ("judge p/problem.yaml", "is no problem package, which is a folder", "the folder that it is in: p"),
    (
        "judge p.tar.gz",
        "is no problem package, which is a folder",
        "unpack it, and name its folder: tar xf p.tar.gz",
    ),
    ("judge contest", "contest is no problem package", "tauto contest import contest"),
    ("judge empty", "empty is no problem package", "tauto problem new NAME"),
    ("judge nowhere", "cannot open nowhere", "there is no such file in"),
    ("judge parnt", "cannot open parnt", "did you mean parent?"),
    ("judge text.zip", "is no ZIP archive that can be read", ""),
    ("judge p god.py", "cannot open the submission god.py", "did you mean good.py?"),
    ("judge p empty.py", "the submission empty.py is empty", ""),
    ("judge p notes.odt", "is in no known language; known extensions:", ""),
    ("judge p good.py --lang pyton3", "there is no language 'pyton3'", "did you mean python3?"),
    ("judge p good.py --test 99", "there is no test case or group '99'", "such as"),
    (
        "judge p good.py --record none/r.jsonl",
        "cannot open the record none/r.jsonl",
        "in a folder that exists",
    ),
    ("judge unit good.py", "problem.yaml:3: limits.time_limit: is '2s'", ""),
    ("problem verify parent", "parent is no problem package", "did you mean parent/p?"),
    ("contest import nowhere", "cannot open nowhere", "there is no such file in"),
    ("contest import empty", "empty is not a contest package", "docs/contest.md lists the files"),
    ("contest import text.zip", "text.zip is not a ZIP archive", "expected the folder of a contest package"),
    (
        "contest import key",
        "contest.yaml:3: 'duraton' is not known here and is left out; did you mean 'duration'?",
        "",
    ),
    ("contest import tab", "contest.yaml:1: is not valid YAML", ""),
    ("contest import colon", "write each field as 'key: value'", ""),
    ("contest import latin", "contest.yaml:2: is not UTF-8; save the file as UTF-8", ""),
    ("contest import time", "contest.yaml:4: start_time: '28.12.2026 10:00' is no time: write it as", ""),
    ("contest import unit", "unit is not a contest package", "docs/contest.md"),
    ("contest create contest", "cannot read contest", "name a file, not a folder"),
    ("contest create nowhere.yaml", "cannot read nowhere.yaml", "there is no such file in"),
    ("team import teams.txt", "it is neither YAML, JSON, CSV nor TSV", "docs/contest.md has examples"),
    ("policy check nowhere.yaml", "cannot read nowhere.yaml", "there is no such file in"),
    ("server backup --data empty --output b", "empty has no data of a server", "tauto serve"),
    ("serve --data notes.odt --listen 0", "cannot use notes.odt as the data folder: it is a file", ""),
];

/// What only root gets as far as.
const OF_PROGRAMS: &[Mistake<'_>] = &[
    ("run --cpus 99 -- true", "99 CPUs were requested, but only", ""),
    ("run -- 'ls -l'", "cannot execute 'ls -l'", "tauto run -- ls -l"),
    ("run -- ./good.py", "cannot execute './good.py'", "chmod a+rx ./good.py"),
    ("run -- ./p", "cannot execute './p'", "it is a folder"),
    ("run -- ./none", "cannot execute './none'", "there is no such file here"),
];

/// What a server answers to its admin; `-` is its port.
const OF_SERVER: &[Mistake<'_>] = &[
    (
        "login localhost:- --user admin --password-file pw",
        "the user name or the password is wrong",
        "admin-password",
    ),
    ("login https://localhost:- --user admin --password-file pw", "cannot reach https://localhost:-", ""),
    ("serve --data d --listen -", "cannot listen at 127.0.0.1:-", "another port"),
    (
        "serve --data data --listen 0 --judgehosts 0",
        "writes to this store already",
        "name another folder with --data",
    ),
    ("contest check --contest summer", "there is no contest 'summer'", "'tauto contest list' lists them"),
    ("contest start --at 2020-01-01T00:00:00Z", "the new start is past", "leave out --at"),
    ("contest finalize", "the result cannot be final", "'tauto contest check'"),
    ("contest import p", "the package has no contest", "tauto problem add"),
    ("submit none.py --problem A", "cannot read none.py", "there is no such file in"),
    ("submit good.py B", "there is no file B", "if it is the problem: --problem B"),
    ("submit p --problem A", "p is not a file; name each file of the submission", ""),
    ("submit good.py --problem Q", "the contest has no problem 'Q'", "the contest has"),
    ("rejudge A", "there is no rejudging 'A'", "tauto rejudge --problem LABEL"),
    ("clarification answer Yes. 3", "there is no clarification 'Yes.'", "the id comes before the answer"),
    ("submission show 999", "there is no submission '999'", "'tauto submissions' lists them"),
    ("user password evee --password-file pw", "there is no account 'evee'", "'tauto user list' lists them"),
];

fn set_up(here: &Path) {
    const CONTEST: &str = "id: spring\nname: Spring\nduration: 5:00:00\n";
    for (name, content) in [
        ("p/problem.yaml", "name: P\n"),
        ("p/domjudge-problem.ini", "timelimit = 1\n"),
        ("p/problem_statement/problem.en.md", "Say 1.\n"),
        ("p/data/secret/01-one.in", "\n"),
        ("p/data/secret/01-one.ans", "1\n"),
        ("p/submissions/accepted/a.py", "print(1)\n"),
        ("parent/p/problem.yaml", "name: P\n"),
        ("unit/problem.yaml", "name: P\nlimits:\n  time_limit: 2s\n"),
        ("contest/contest.yaml", CONTEST),
        ("key/contest.yaml", &CONTEST.replace("duration", "duraton")),
        ("tab/contest.yaml", "id: spring\n\tname: Spring\n"),
        ("colon/contest.yaml", "id: spring\nname Spring\n"),
        ("time/contest.yaml", &format!("{CONTEST}start_time: 28.12.2026 10:00\n")),
        ("teams.txt", "id,name\n1,Ada\n"),
        ("text.zip", "text"),
        ("p.tar.gz", "text"),
        ("good.py", "print(1)\n"),
        ("empty.py", ""),
        ("notes.odt", "1"),
        ("pw", "wrong\n"),
    ] {
        put(here, name, content);
    }
    put(here, "latin/contest.yaml", b"id: spring\nname: Fr\xfchling\n");
    std::fs::create_dir(here.join("empty")).unwrap();
    std::fs::set_permissions(here.join("good.py"), PermissionsExt::from_mode(0o644)).unwrap();
}

/// Splits a command line at its blanks, but not within quotes.
fn arguments(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let each = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    each.collect()
}

fn tauto(here: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tauto"));
    command
        .current_dir(here)
        .stdin(Stdio::null())
        .env("XDG_CONFIG_HOME", here.join("config"))
        .env_remove("TAUTO_SERVER");
    command
}

/// Returns what is wrong with the answer.
fn wrong_answer(here: &Path, (line, sentence, hint): Mistake<'_>) -> Option<String> {
    let output = tauto(here).args(arguments(line)).output().unwrap();
    let stderr = text(&output.stderr);
    // A server has a log before the sentence.
    let answer = stderr.split_once("error: ").map(|(_, answer)| answer.replace('\n', " ").replace("  ", " "));
    let answer = answer.unwrap_or_default();
    let (said, advice) = answer.split_once(" hint: ").unwrap_or((&answer, ""));
    let is_right = matches!(output.status.code(), Some(2 | 3))
        && said.contains(sentence)
        && advice.contains(hint)
        && !["Usage:", "For more", "error: "].iter().any(|words| answer.contains(words));
    (!is_right).then(|| format!("$ tauto {line}\n{stderr}expected: {sentence}\n    hint: {hint}\n"))
}

#[track_caller]
fn check(here: &Path, mistakes: &[Mistake<'_>]) {
    let wrong: Vec<String> = mistakes.iter().filter_map(|mistake| wrong_answer(here, *mistake)).collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn wrong_words_are_answered_by_the_right_ones() {
    check(folder().path(), OF_WORDS);
}

#[test]
fn wrong_values_are_answered_by_an_example() {
    let here = folder();
    set_up(here.path());
    check(here.path(), OF_VALUES);
}

/// Most virtual machines have no counters; where one works, it is no mistake.
#[test]
fn a_missing_counter_is_answered_by_its_reason() {
    let here = folder();
    let words = ["run", "--dry-run", "--clock", "instructions", "--counter", "hardware", "--", "true"];
    let output = tauto(here.path()).args(words).output().unwrap();
    if output.status.success() {
        assert!(text(&output.stdout).contains("counted  by instructions:u of "), "{}", text(&output.stdout));
    } else {
        let words = text(&output.stderr);
        assert!(
            words.starts_with("error: the processor's counter of instructions is unavailable: "),
            "{words}"
        );
        assert!(words.contains("leave out --counter hardware"), "{words}");
    }
}

#[test]
fn wrong_files_are_answered_by_what_is_meant() {
    let here = folder();
    set_up(here.path());
    check(here.path(), OF_FILES);
    let output = tauto(here.path()).args(["judge", "nowhere"]).env("LC_ALL", "C").output().unwrap();
    assert!(text(&output.stderr).starts_with("error: cannot open nowhere: No such file"));
}

#[test]
fn wrong_programs_are_answered_by_how_to_run_them() {
    if !test_support::needs_root() {
        return;
    }
    let here = folder();
    set_up(here.path());
    check(here.path(), OF_PROGRAMS);
}

/// The server, which ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server, and returns its address.
fn serve(here: &Path, more: &[&str]) -> (Server, String) {
    let mut command = tauto(here);
    command.args(["serve", "--listen", "0", "--judgehosts", "0", "--metrics", "none"]).args(more);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.into_iter().find_map(|line| Some(line.split_once("serving at ")?.1.to_owned()));
    (Server(child), address.unwrap())
}

#[test]
fn what_a_server_refuses_has_a_remedy() {
    let here = folder();
    let here = here.path();
    set_up(here);
    let (_server, address) = serve(here, &["--data", "data"]);
    let does = |line: &str| {
        let output = tauto(here).args(arguments(line)).output().unwrap();
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    // Without a scheme.
    let (_, place) = address.split_once("//").unwrap();
    does(&format!("login {place} --user admin --password-file data/admin-password"));
    does("contest import contest");
    // The next time of day is in the future, unless it is within seconds.
    let started = does("contest start --at '2126-11-23 10:00'");
    assert!(started.contains("the contest starts at 2126-11-2"), "{started}");
    assert!(does("contest extend -1:15:00").contains("lasts 1:15:00 shorter, 3:45:00 in all"));
    let (_, port) = place.rsplit_once(':').unwrap();
    let with_port = |text: &str| text.replace(":-", &format!(":{port}")).replace(" -", &format!(" {port}"));
    let mut wrong = String::new();
    for (line, sentence, hint) in OF_SERVER {
        // Options begin with two.
        let line = with_port(&line.replace("--", "\u{1}")).replace('\u{1}', "--");
        wrong += &wrong_answer(here, (&line, &with_port(sentence), hint)).unwrap_or_default();
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn http_at_a_port_of_https_names_the_address() {
    let here = folder();
    let here = here.path();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    put(here, "chain.pem", made.cert.pem());
    put(here, "key.pem", made.signing_key.serialize_pem());
    put(here, "pw", "wrong\n");
    let (_server, address) =
        serve(here, &["--data", "data", "--tls-cert", "chain.pem", "--tls-key", "key.pem"]);
    let (_, place) = address.split_once("https://").unwrap();
    let mut stream = TcpStream::connect(place).unwrap();
    write!(stream, "GET /contests/spring HTTP/1.1\r\nHost: {place}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains(&format!("this port speaks HTTPS only: https://{place}")), "{answer}");
    let line = format!("login http://{place} --user admin --password-file pw");
    assert_eq!(
        wrong_answer(here, (&line, &format!("this port speaks HTTPS only: https://{place}"), "")),
        None
    );
}

#[test]
fn a_port_in_use_names_its_process() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let here = folder();
    let line = format!("serve --data d --metrics none --listen {}", address.port());
    let hint = format!("process {} (", std::process::id());
    assert_eq!(wrong_answer(here.path(), (&line, &format!("cannot listen at {address}"), &hint)), None);
}
