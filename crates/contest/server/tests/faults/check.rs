//! What must hold after each fault.

use crate::world::{PATIENCE, ServerData, World, start_server};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(50);
const BOARD: &str = "/api/contests/c/scoreboard";

impl World {
    /// Waits until everything is judged, and checks all of it.
    pub fn check(&mut self, context: &str) {
        self.wait_until_judged(context);
        let submissions = self.admin.must_get("/api/contests/c/submissions");
        let there: Vec<&str> = list(&submissions).map(|one| text(one, "id")).collect();
        for id in self.acknowledged.keys() {
            assert!(
                there.contains(&id.as_str()),
                "{context}: submission {id} was acknowledged and is not there"
            );
        }
        let judgements = self.admin.must_get("/api/contests/c/judgements");
        let mut current: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for judgement in list(&judgements).filter(|judgement| judgement["current"] == true) {
            current.entry(text(judgement, "submission_id")).or_default().push(judgement);
        }
        for id in there {
            let found = current.get(id).map_or(0, Vec::len);
            assert_eq!(found, 1, "{context}: submission {id} has {found} current judgements");
        }
        self.check_board(context);
    }

    /// Notes the verdicts that a viewer sees: none of them may change or vanish later.
    pub fn look(&mut self, context: &str) -> bool {
        let Ok((200, judgements)) = self.admin.get("/api/contests/c/judgements") else { return false };
        let now: BTreeMap<String, String> = list(&judgements)
            .filter_map(|judgement| {
                let verdict = judgement["judgement_type_id"].as_str()?;
                Some((text(judgement, "id").to_owned(), verdict.to_owned()))
            })
            .collect();
        for (id, verdict) in &self.seen {
            assert_eq!(now.get(id), Some(verdict), "{context}: judgement {id} was {verdict} before");
        }
        let submissions = match self.admin.get("/api/contests/c/submissions") {
            Ok((200, submissions)) => list(&submissions).count(),
            _ => return false,
        };
        let judged: std::collections::BTreeSet<&str> = list(&judgements)
            .filter(|judgement| judgement["judgement_type_id"].is_string() && judgement["current"] == true)
            .map(|judgement| text(judgement, "submission_id"))
            .collect();
        let is_complete = judged.len() == submissions && submissions >= self.acknowledged.len();
        self.seen = now;
        is_complete
    }

    fn wait_until_judged(&mut self, context: &str) {
        let begin = Instant::now();
        while !self.look(context) {
            assert!(begin.elapsed() < PATIENCE, "{context}: not everything is judged");
            std::thread::sleep(POLL);
        }
    }

    /// Compares the board with that of a server which has only the log.
    fn check_board(&self, context: &str) {
        let board = self.admin.must_get(BOARD);
        let solved: i64 = list(&board["rows"]).filter_map(|row| row["score"]["num_solved"].as_i64()).sum();
        assert!(solved > 0, "{context}: an empty board shows nothing: {board}");
        if !self.place.database.is_empty() {
            return;
        }
        let copy = tempfile::tempdir().unwrap();
        copy_log(&self.place.data, copy.path());
        let place = ServerData::at(copy.path().to_owned());
        let port = crate::world::free_port();
        let (_server, ..) = start_server(&place, port).unwrap();
        let rebuilt = self.admin.at_port(port).must_get(BOARD);
        let rows = |board: &Value| board["rows"].clone();
        assert_eq!(rows(&rebuilt), rows(&board), "{context}: the board is not the one that the log gives");
    }
}

/// Copies the log into another store, without its checkpoints.
fn copy_log(data: &Path, copy: &Path) {
    let source = rusqlite::Connection::open(data.join("contest.sqlite")).unwrap();
    let path = copy.join("contest.sqlite");
    source.execute("VACUUM INTO ?", [path.display().to_string()]).unwrap();
    rusqlite::Connection::open(path).unwrap().execute("DELETE FROM checkpoint", []).unwrap();
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}
