//! A whole contest by the command line only: five teams, the sample packages, real judging. Needs root.

#![allow(clippy::unwrap_used)]

mod common;

use common::real::sandbox_folder;
use common::{failed, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The server, which ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.0),
            rustix::process::Signal::INT,
        );
        let _ = self.0.wait();
    }
}

/// A user of the command line, with logins of its own.
struct User<'u> {
    home: PathBuf,
    server: &'u str,
}

impl User<'_> {
    fn run(&self, arguments: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_tauto"))
            .args(arguments)
            .current_dir(root())
            .env("XDG_CONFIG_HOME", &self.home)
            .env("COLUMNS", "160")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        println!("$ tauto {}\n{}", arguments.join(" "), text(&output.stdout));
        eprintln!("{}", text(&output.stderr));
        output
    }

    /// Runs a command that must succeed, and returns what it prints.
    #[track_caller]
    fn does(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    #[track_caller]
    fn document(&self, arguments: &[&str]) -> Value {
        let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.does(&all)).unwrap()
    }

    #[track_caller]
    fn login(&self, name: &str, password: &Path) {
        self.does(&["login", self.server, "--user", name, "--password-file", password.to_str().unwrap()]);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Starts a server on a free port, and returns its address.
fn serve(data: &Path, more: &[&str]) -> (Server, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tauto"))
        .args(["serve", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"])
        .args(more)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let server = Server(child);
    let mut lines = stdout.lines();
    let address = lines.by_ref().find_map(|line| {
        let line = line.unwrap();
        println!("server: {line}");
        let at = line.find("http://")?;
        Some(line[at..].split_whitespace().next()?.trim_end_matches(['/', '.', ',']).to_owned())
    });
    // What it prints later must not fill the pipe.
    std::thread::spawn(move || lines.for_each(|line| println!("server: {}", line.unwrap_or_default())));
    (server, address.expect("the server prints its address"))
}

/// Returns the board without times, which depend on the machine.
fn board(document: &Value) -> String {
    let mut board = String::new();
    for row in document["rows"].as_array().unwrap() {
        write!(
            board,
            "{} team {} solved {}:",
            row["rank"],
            row["team_id"].as_str().unwrap(),
            row["score"]["num_solved"]
        )
        .unwrap();
        for problem in row["problems"].as_array().unwrap() {
            let judged = problem["num_judged"].as_u64().unwrap();
            let sign = match (problem["solved"].as_bool(), problem["first_to_solve"].as_bool()) {
                (Some(true), Some(true)) => "first ",
                (Some(true), _) => "+",
                _ if judged > 0 => "-",
                _ => continue,
            };
            write!(board, " {} {sign}{judged}", problem["problem_id"].as_str().unwrap()).unwrap();
        }
        board.push('\n');
    }
    board
}

/// Answers requests like a contest server before the start, and returns method, path and body of each.
fn recording(answers: usize) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for _ in 0..answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let name = "content-length: ";
                if line.to_ascii_lowercase().starts_with(name) {
                    length = line[name.len()..].trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
                head = if head.is_empty() { line } else { head };
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let words: Vec<&str> = head.split_whitespace().collect();
            requests.push(format!("{} {} {}", words[0], words[1], text(&body)).trim_end().to_owned());
            let answer = r#"{"id": "c", "name": "C", "duration": "5:00:00", "scoreboard_type": "pass-fail",
                "countdown_pause_time": "0:10:00"}"#;
            let length = answer.len();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            write!(reader.get_mut(), "{head}\r\nContent-Length: {length}\r\n\r\n{answer}").unwrap();
        }
        requests
    });
    (address, thread)
}

#[test]
fn the_clock_of_a_client_starts_no_contest() {
    let here = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], expected: &[&str]| {
        let (address, requests) = recording(expected.len());
        let user = User { home: here.path().to_owned(), server: &address };
        user.does(&[&["contest"], arguments, &["--server", &address, "--contest", "c"]].concat());
        assert_eq!(requests.join().unwrap(), expected, "{arguments:?}");
    };
    let countdown = |body: &str| format!("POST /api/contests/c/countdown {body}");
    check(&["start"], &["POST /api/contests/c/start {}"]);
    check(&["start", "--in", "10"], &[&countdown(r#"{"remaining":"0:10:00.000","is_paused":false}"#)]);
    check(&["resume"], &["GET /api/contests/c", &countdown(r#"{"is_paused":false}"#)]);
    check(&["pause"], &["GET /api/contests/c/state", &countdown(r#"{"is_paused":true}"#)]);
}

#[test]
fn a_contest_from_import_to_final_results() {
    // The server has no rights, and has to reach its folder.
    let Some(here) = sandbox_folder() else { return };
    let data = here.path().join("data");
    let (_server, address) = serve(&data, &[]);
    let user = |name: &str| User { home: here.path().join(name), server: &address };
    let admin = user("admin");
    admin.login("admin", &data.join("admin-password"));

    // Import: a mistake changes nothing, nor does a dry run.
    let broken = here.path().join("broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("contest.yaml"), "id: x\nname: X\nduration: long\n").unwrap();
    let refused = admin.run(&["contest", "import", broken.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("contest.yaml:3: duration: is 'long'"),
        "{}",
        text(&refused.stderr)
    );
    admin.does(&["contest", "import", "fixtures/demo-contest", "--outside", "--dry-run"]);
    assert_eq!(admin.document(&["contest", "list"]), Value::Array(Vec::new()));
    let imported = admin.does(&["contest", "import", "fixtures/demo-contest", "--outside"]);
    assert!(!imported.contains("warning: problems"), "{imported}");
    // A judgehost makes them.
    let pdfs = || {
        let catenary = &admin.document(&["problem", "list"])[0];
        let statements = catenary["statement"].as_array().into_iter().flatten();
        statements.filter(|file| file["mime"] == "application/pdf").count()
    };
    test_support::until("statements in en, ru and zh", || pdfs() == 3);
    assert!(admin.does(&["problem", "list"]).contains("HTML, PDF"));
    let people = [
        ("organization", "organizations.yaml", "- {id: uni, name: Uni}\n- {id: gone, name: Gone}\n"),
        (
            "person",
            "persons.json",
            r#"[{"id": "gone", "name": "Eve", "role": "staff"}, {"id": "ada", "name": "Ada", "role": "staff"}]"#,
        ),
    ];
    for (what, name, content) in people {
        let file = here.path().join(name);
        std::fs::write(&file, content).unwrap();
        admin.does(&[what, "import", file.to_str().unwrap()]);
        admin.does(&[what, "remove", "gone"]);
        let listed = admin.does(&[what, "list"]);
        let name = if what == "person" { "Ada" } else { "Uni" };
        assert!(listed.contains(name) && !listed.contains("gone"), "{what}: {listed}");
    }
    admin.does(&["contest", "start"]);

    // The teams submit; the exit code depends on the verdict.
    let passwords = std::fs::read_to_string(root().join("fixtures/demo-contest/accounts.yaml")).unwrap();
    let submissions = std::fs::read_to_string(root().join("fixtures/demo-contest/submissions.txt")).unwrap();
    let mut logged_in = BTreeSet::new();
    for line in submissions.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (name, problem, verdict) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let team = user(name);
        if logged_in.insert(name) {
            let line = passwords.lines().find(|line| line.contains(&format!("username: {name},"))).unwrap();
            let password = line.split("password: ").nth(1).unwrap().trim_end_matches('}');
            let file = here.path().join(format!("{name}.password"));
            std::fs::write(&file, password).unwrap();
            team.login(name, &file);
        }
        let files: Vec<String> = words.map(|file| format!("problems/{file}")).collect();
        let mut arguments = vec!["submit", "--problem", problem, "--wait"];
        arguments.extend(files.iter().map(String::as_str));
        let output = team.run(&arguments);
        assert_eq!(
            output.status.code(),
            Some(i32::from(verdict != "AC")),
            "{line}: {}",
            text(&output.stderr)
        );
        let last = text(&output.stdout);
        assert!(last.contains(&format!("({verdict})")), "{line}: {last}");
    }

    // A team sees its own submissions, and no other team's verdicts but on the board.
    let own = user("emmy").document(&["submissions"]);
    assert!(own.as_array().unwrap().iter().any(|one| one["team_id"] == "5"));

    // A question and its answer; a rejudging that changes nothing.
    user("emmy").does(&["clarification", "ask", "Is the empty tree a tree?", "--problem", "A"]);
    admin.does(&["clarification", "answer", "1", "Read the statement again."]);
    let rejudging = admin.document(&["rejudge", "--problem", "B"]);
    assert_eq!(rejudging["changes"].as_array().map_or(0, Vec::len), 0, "{rejudging}");
    admin.does(&["rejudge", "1", "--apply"]);

    // What a jury does with one submission, and undoes again.
    let shown = admin.does(&["submission", "show", "1"]);
    assert!(shown.contains("1-1") && shown.contains("local-1"), "{shown}");
    let (source, record) = (here.path().join("1.zip"), here.path().join("1.jsonl"));
    admin.does(&["submission", "source", "1", "--out", source.to_str().unwrap()]);
    assert!(std::fs::read(&source).unwrap().starts_with(b"PK"));
    admin.does(&["submission", "evidence", "1", "--out", record.to_str().unwrap()]);
    assert!(admin.does(&["judge", "--verify", record.to_str().unwrap()]).contains("The record holds"));
    for change in [
        &["ignore", "1", "--reason", "a test"][..],
        &["count", "1", "--reason", "a test"],
        &["override", "1", "--verdict", "wa", "--reason", "a test"],
        &["override", "1", "--undo", "--reason", "a test"],
        &["verify", "1", "--comment", "as it should be"],
    ] {
        admin.does(&[&["submission"], change].concat());
    }
    assert!(admin.does(&["submission", "show", "1"]).contains("admin"), "who verified it");
    let unknown = admin.run(&["submission", "evidence", "9999"]);
    assert!(text(&unknown.stderr).contains("9999"), "{}", text(&unknown.stderr));

    // The end comes at once: the file's start is not set, so the contest's stays.
    let contest = admin.document(&["contest", "list"])[0].clone();
    let start: contest_rules::Instant = contest["start_time"].as_str().unwrap().parse().unwrap();
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let elapsed = contest_rules::Millis(i64::try_from(since).unwrap() - start.0 + 1000);
    let ended = format!("id: demo\nname: Demo\nduration: '{elapsed}'\npenalty_time: 0\n");
    std::fs::write(here.path().join("contest.yaml"), ended).unwrap();
    admin.does(&["contest", "create", here.path().join("contest.yaml").to_str().unwrap()]);
    while !admin.does(&["contest", "list"]).contains("over") {
        std::thread::yield_now();
    }
    admin.does(&["contest", "check"]);
    admin.does(&["contest", "finalize"]);
    admin.does(&["contest", "unfinalize", "--reason", "a test"]);
    admin.does(&["contest", "finalize"]);
    let public = user("nobody");
    let found = public.document(&["contest", "scoreboard", "--server", &address]);
    let expected = std::fs::read_to_string(root().join("fixtures/demo-contest/scoreboard.txt")).unwrap();
    assert_eq!(board(&found), expected);

    // What is exported is the same each time, and nothing is imported into a final result.
    let (first, second) = (here.path().join("first"), here.path().join("second"));
    admin.does(&["contest", "export", "--out", first.to_str().unwrap()]);
    admin.does(&["contest", "export", "--out", second.to_str().unwrap()]);
    for entry in std::fs::read_dir(&first).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let again = std::fs::read(second.join(entry.file_name())).unwrap();
        assert_eq!(std::fs::read(entry.path()).unwrap(), again, "{}", entry.path().display());
    }
    let refused = admin.run(&["contest", "import", first.to_str().unwrap(), "--dry-run"]);
    failed(&refused, 2, "the result is final");
    // An empty server makes the same of it, and its feed agrees with its endpoints.
    let (whole, again) = (here.path().join("whole.zip"), here.path().join("again.zip"));
    admin.does(&["contest", "export", "--out", whole.to_str().unwrap()]);
    let other = here.path().join("other");
    let (_other, other_address) = serve(&other, &[]);
    let reader = User { home: here.path().join("reader"), server: &other_address };
    reader.login("admin", &other.join("admin-password"));
    reader.does(&["contest", "import", whole.to_str().unwrap()]);
    reader.does(&["contest", "export", "--out", again.to_str().unwrap()]);
    assert!(std::fs::read(&whole).unwrap() == std::fs::read(&again).unwrap(), "not the same bytes");
    let contest = format!("{other_address}/api/contests/demo");
    for arguments in [&["contest", "follow"][..], &["contest", "follow", &contest]] {
        let report = reader.document(arguments);
        assert_eq!((&report["fault_count"], &report["difference_count"]), (&0.into(), &0.into()), "{report}");
        assert_eq!(report["is_over"], true);
    }
    // Its judgehost judges although another one of the same name is on this machine.
    let next = here.path().join("next");
    std::fs::create_dir(&next).unwrap();
    std::fs::write(next.join("contest.yaml"), "id: next\nname: Next\nduration: '1:00:00'\n").unwrap();
    std::fs::write(next.join("teams.yaml"), "- {id: '1', name: Ada}\n").unwrap();
    reader.does(&["contest", "import", next.to_str().unwrap()]);
    reader.does(&["problem", "add", "--contest", "next", "problems/different"]);
    reader.does(&["contest", "start", "--contest", "next"]);
    let program = "problems/different/submissions/accepted/different.c";
    reader.does(&["submit", "--contest", "next", "--problem", "A", "--team", "1", "--wait", program]);
    assert!(admin.does(&["audit", "--kind", "final"]).contains("admin"));
    assert!(admin.does(&["audit", "--kind", "contest"]).contains("duration 5:00:00 -> "));

    // An account is replaced only by the word, a token ends with its login, and a machine that is taken out says why.
    let again = admin.run(&["user", "add", "emmy", "--type", "team", "--team", "5"]);
    assert!(text(&again.stderr).contains("--replace"), "{}", text(&again.stderr));
    user("emmy").does(&["logout"]);
    assert_eq!(user("emmy").run(&["submissions"]).status.code(), Some(2));
    assert!(!admin.does(&["user", "tokens"]).contains("emmy"));
    admin.does(&["judging", "take-out", "local-1", "--reason", "the contest is over"]);
    assert!(admin.does(&["judging", "status"]).contains("    the contest is over\n"));
    admin.does(&["judging", "take-in", "local-1"]);
    let refused = admin.run(&["contest", "remove", "demo"]);
    assert!(
        text(&refused.stderr).contains("the contest has submissions of teams"),
        "{}",
        text(&refused.stderr)
    );
}

/// What `tauto problem new` writes, uploaded as the page does it, a team can read.
#[test]
fn a_new_problem_is_read_by_a_team() {
    if sandbox_folder().is_none() {
        return;
    }
    let missing = statement::what_is_missing();
    let words = missing.as_ref().map(ToString::to_string).unwrap_or_default();
    if !test_support::needs(missing.is_none(), &words) {
        return;
    }
    let here = tempfile::tempdir().unwrap();
    let data = here.path().join("data");
    let (_server, address) = serve(&data, &["--judgehosts", "1"]);
    let admin = User { home: here.path().join("admin"), server: &address };
    let path = |name: &str| here.path().join(name).to_str().unwrap().to_owned();
    // Nothing is packed or sent for those who are not logged in.
    let stranger = User { home: here.path().join("stranger"), server: &address };
    let contest = here.path().join("spring");
    std::fs::create_dir(&contest).unwrap();
    std::fs::write(contest.join("contest.yaml"), "id: spring\nname: Spring\nduration: '1:00:00'\n").unwrap();
    std::fs::write(contest.join("teams.yaml"), "- {id: '1', name: Ada}\n").unwrap();
    let accounts = "- {username: ada, password: secret-of-ada, type: team, team_id: '1'}\n";
    std::fs::write(contest.join("accounts.yaml"), accounts).unwrap();
    admin.login("admin", &data.join("admin-password"));
    admin.does(&["contest", "import", contest.to_str().unwrap()]);
    admin.does(&["problem", "new", "hello", "--in", here.path().to_str().unwrap()]);
    let refused =
        stranger.run(&["problem", "add", &path("hello"), "--server", &address, "--contest", "spring"]);
    failed(&refused, 2, "log in");

    // The page sends the package, and then makes a problem of it.
    let password = std::fs::read_to_string(data.join("admin-password")).unwrap();
    let basic = |name: &str, password: &str| {
        use base64::Engine;
        let both = format!("{name}:{}", password.trim());
        format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(both))
    };
    let post = |path: &str, kind: &str, body: &[u8]| -> Value {
        let request =
            ureq::post(format!("{address}/api/{path}")).header("authorization", basic("admin", &password));
        let mut answer = request.content_type(kind).send(body).unwrap();
        serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap()
    };
    let package = test_support::zip_of(&here.path().join("hello"));
    let report = post("packages?name=hello.zip", "application/zip", &package);
    let problem = serde_json::json!({"id": "hello", "package": report["package"]});
    post("contests/spring/problems", "application/json", problem.to_string().as_bytes());

    // A judgehost makes it, and a team reads it from the start on.
    admin.does(&["contest", "start", "--contest", "spring"]);
    let read = |format: &str| {
        let url =
            format!("{address}/api/contests/spring/problems/hello/statement?language=en&format={format}");
        let read = ureq::get(url).header("authorization", basic("ada", "secret-of-ada")).call();
        read.ok().map(|mut answer| answer.body_mut().read_to_vec().unwrap())
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(300);
    let (html, pdf) = loop {
        if let (Some(html), Some(pdf)) = (read("html"), read("pdf")) {
            break (text(&html), pdf);
        }
        assert!(std::time::Instant::now() < until, "no judgehost has made the statement");
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    assert!(html.contains("<p>") && html.contains("class=\"sample"), "{html}");
    assert!(pdf.starts_with(b"%PDF-"));
    assert!(!admin.does(&["contest", "check", "--contest", "spring"]).contains("made the statement yet"));

    // What is wrong is named with its line, and the exit code tells.
    let file = here.path().join("hello/statement/problem.en.md");
    std::fs::write(&file, "A formula: $\\fraq$.\n").unwrap();
    let added =
        admin.run(&["problem", "add", &path("hello"), "--contest", "spring", "--id", "wrong", "--wait"]);
    assert_eq!(added.status.code(), Some(2));
    let printed = text(&added.stdout);
    assert!(printed.contains("statement/problem.en.md:1: TeX knows no command \\fraq"), "{printed}");
}
