//! A server in this process, with a contest of one problem.

use crate::contest_http::{DISK, Serving};
use anyhow::{Context, Result, bail};
use base64::Engine;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

/// Teams that submit in turns, so that no limit on a single one matters.
pub const TEAMS: usize = 130;

/// The problem: one number comes, and one more goes.
const PACKAGE: &[(&str, &str)] = &[
    ("problem.yaml", "problem_format_version: legacy\nname: Next\nlimits:\n  memory: 256\n  output: 1\n"),
    ("problem_statement/problem.en.tex", "\\problemname{Next}\n"),
    (".timelimit", "3\n"),
    ("data/sample/1.in", "1\n"),
    ("data/sample/1.ans", "2\n"),
    ("data/secret/1.in", "2\n"),
    ("data/secret/1.ans", "3\n"),
    ("data/secret/2.in", "9\n"),
    ("data/secret/2.ans", "10\n"),
    ("submissions/accepted/a.c", TRIVIAL),
];

pub const TRIVIAL: &str =
    "#include <stdio.h>\nint main(void) { int n; scanf(\"%d\", &n); printf(\"%d\\n\", n + 1); }\n";

pub struct Site {
    pub url: String,
    agent: ureq::Agent,
    package: Value,
    /// `None` once it has ended.
    serving: Option<Serving>,
    _data: TempDir,
}

impl Site {
    pub fn start() -> Result<Self> {
        let data = tempfile::tempdir_in(DISK).context("make a folder on the disk")?;
        let serving = Serving::start(data.path())?;
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
        let agent = config.timeout_global(Some(Duration::from_secs(60))).build().into();
        let mut site = Self {
            url: format!("http://{}", serving.address),
            agent,
            package: Value::Null,
            serving: Some(serving),
            _data: data,
        };
        let zip = zip()?;
        let sent = site.send("POST", "/api/packages?name=next.zip", "application/zip", &zip)?;
        site.package = sent["package"].clone();
        Ok(site)
    }

    /// Makes a running contest with these pools.
    pub fn contest(&self, strict: &str, fast: Option<&str>) -> Result<()> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        let start = documents::contest::Time(i64::try_from(now.as_millis())? - 60_000).to_string();
        let contest = json!({
            "id": "load", "name": "Load", "duration": "5:00:00", "start_time": start,
            "strict_pool": strict, "fast_pool": fast,
            "submission_limits": {"per_minute": 1000, "in_all": 100_000, "files": 10, "kib": 100},
        });
        self.json("POST", "/api/contests", &contest)?;
        let problem = json!({"package": self.package, "id": "next", "label": "A"});
        self.json("POST", "/api/contests/load/problems", &problem)?;
        let teams: Vec<Value> = (0..TEAMS)
            .map(|team| json!({"id": format!("t{team}"), "name": format!("Team {team}")}))
            .collect();
        self.json("PUT", "/api/contests/load/teams", &json!(teams))?;
        Ok(())
    }

    /// Adds a problem to the contest.
    pub fn add_problem(&self, id: &str, label: &str, zip: &[u8]) -> Result<()> {
        let sent = self.send("POST", &format!("/api/packages?name={id}.zip"), "application/zip", zip)?;
        let problem = json!({"package": sent["package"], "id": id, "label": label});
        self.json("POST", "/api/contests/load/problems", &problem).map(drop)
    }

    pub fn submit(&self, team: usize, source: &str) -> Result<String> {
        self.submit_file(team, "next", "c", "a.c", source.as_bytes())
    }

    pub fn submit_file(
        &self,
        team: usize,
        problem: &str,
        language: &str,
        name: &str,
        source: &[u8],
    ) -> Result<String> {
        let data = base64::engine::general_purpose::STANDARD.encode(source);
        let submission = json!({
            "language_id": language, "problem_id": problem, "team_id": format!("t{}", team % TEAMS),
            "files": [{"filename": name, "data": data}],
        });
        let sent = self.json("POST", "/api/contests/load/submissions", &submission)?;
        sent["id"].as_str().map(str::to_owned).context("a submission without an id")
    }

    pub fn judgements(&self) -> Result<Vec<Value>> {
        let found = self.send("GET", "/api/contests/load/judgements", "", b"")?;
        Ok(found.as_array().cloned().unwrap_or_default())
    }

    /// Returns the record of a judgement.
    pub fn record(&self, judgement: &str) -> Result<String> {
        self.fetch("GET", &format!("/api/contests/load/judgements/{judgement}/evidence"), "", b"")
    }

    fn ready(&self) -> Result<&server::Ready> {
        Ok(&self.serving.as_ref().context("the server has ended")?.ready)
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        self.send(method, path, "application/json", body.to_string().as_bytes())
    }

    fn send(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Result<Value> {
        let text = self.fetch(method, path, kind, body)?;
        Ok(if text.is_empty() { Value::Null } else { serde_json::from_str(&text)? })
    }

    fn fetch(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Result<String> {
        let password = self.ready()?.admin_password.clone().unwrap_or_default();
        let login = format!("admin:{password}");
        let login = base64::engine::general_purpose::STANDARD.encode(login);
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("authorization", format!("Basic {login}"));
        let mut response = match kind {
            "" => self.agent.run(request.body(())?)?,
            kind => self.agent.run(request.header("content-type", kind).body(body)?)?,
        };
        let status = response.status();
        let text = response.body_mut().with_config().limit(64 << 20).read_to_string()?;
        if !status.is_success() {
            bail!("{method} {path}: {status}: {text}");
        }
        Ok(text)
    }

    pub fn token_in(&self, folder: &TempDir) -> Result<PathBuf> {
        let path = folder.path().join("token");
        std::fs::write(&path, &self.ready()?.judgehost_token)?;
        Ok(path)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.serving.take().map(Serving::end);
    }
}

fn zip() -> Result<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in PACKAGE {
        writer.start_file(*name, SimpleFileOptions::default())?;
        writer.write_all(text.as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}
