//! A resolver, as the ICPC's shows results: it knows the event feed of a package alone. It begins with the board as the
//! freeze left it; from the last place upwards each first pending problem is resolved, and the team moves to its new place.

use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy)]
struct Try {
    at_ms: i64,
    is_solved: bool,
    has_penalty: bool,
    is_frozen: bool,
}

/// What a board has of a team's problem.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cell {
    judged: u64,
    pending: u64,
    solved_ms: Option<i64>,
    cost_ms: i64,
    /// The place of the first pending or the solving submission among all.
    place: Option<usize>,
}

/// A team on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub team: String,
    pub rank: u64,
    solved: u64,
    time_ms: i64,
    last_ms: Option<i64>,
    cells: BTreeMap<String, Cell>,
}

type Order = (Reverse<u64>, i64, i64);

/// Teams of the same order share a rank.
fn order(row: &Row) -> Order {
    (Reverse(row.solved), row.time_ms, row.last_ms.unwrap_or(0).div_euclid(MINUTE_MS))
}

pub struct Show {
    problems: Vec<String>,
    teams: BTreeSet<String>,
    tries: BTreeMap<(String, String), Vec<(usize, Try)>>,
    penalty_ms: i64,
    resolved: BTreeSet<(String, String)>,
    pub awards: BTreeMap<String, Vec<String>>,
    /// How many cells were resolved.
    pub steps: usize,
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Returns the milliseconds of a RELTIME.
fn reltime(value: &Value) -> i64 {
    let text = value.as_str().unwrap_or("0:00:00");
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let seconds = text.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap());
    sign * (seconds * 1000.0).round() as i64
}

const MINUTE_MS: i64 = 60_000;

impl Show {
    /// Reads a feed to its end, of which the ICPC's resolver needs `end_of_updates`.
    pub fn new(feed: &str) -> Self {
        let mut copy = follower::Copy::default();
        let wrong: Vec<String> = feed.lines().flat_map(|line| copy.apply(line)).collect();
        assert_eq!(wrong, Vec::<String>::new());
        assert!(copy.is_over(), "the feed has no end of updates");
        let mut all: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
        for line in feed.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let id = text(&line, "id").to_owned();
            all.entry(text(&line, "type").to_owned()).or_default().insert(id, line["data"].clone());
        }
        let of = |kind: &str| all.get(kind).cloned().unwrap_or_default();
        let contest = &all["contest"][""];
        let duration_ms = reltime(&contest["duration"]);
        let freeze_ms = duration_ms - reltime(&contest["scoreboard_freeze_duration"]);
        let hidden: BTreeSet<String> =
            of("groups").into_iter().filter(|(_, one)| one["hidden"] == true).map(|(id, _)| id).collect();
        let main = contest["main_scoreboard_group_id"].as_str();
        let takes_part = |team: &Value| {
            let groups: Vec<&str> =
                team["group_ids"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            team["hidden"] != true
                && !groups.iter().any(|group| hidden.contains(*group))
                && main.is_none_or(|main| groups.contains(&main))
        };
        let mut problems: Vec<Value> = of("problems").into_values().collect();
        problems.sort_by_key(|one| (one["ordinal"].as_i64(), text(one, "id").to_owned()));
        let types = of("judgement-types");
        let judgements = of("judgements");
        let counted = judgements.values().filter(|one| one["current"] != false);
        let counted: BTreeMap<&str, &Value> = counted
            .filter_map(|one| Some((text(one, "submission_id"), types.get(text(one, "judgement_type_id"))?)))
            .collect();
        let mut submissions: Vec<Value> = of("submissions").into_values().collect();
        submissions
            .sort_by_key(|one| (reltime(&one["contest_time"]), text(one, "id").parse::<u64>().unwrap()));
        let mut tries: BTreeMap<(String, String), Vec<(usize, Try)>> = BTreeMap::new();
        for (place, one) in submissions.iter().enumerate() {
            let at_ms = reltime(&one["contest_time"]);
            let Some(kind) = counted.get(text(one, "id")).filter(|_| (0..duration_ms).contains(&at_ms))
            else {
                continue;
            };
            let tried = Try {
                at_ms,
                is_solved: kind["solved"] == true,
                has_penalty: kind["penalty"] == true,
                is_frozen: at_ms >= freeze_ms,
            };
            let key = (text(one, "team_id").to_owned(), text(one, "problem_id").to_owned());
            tries.entry(key).or_default().push((place, tried));
        }
        Self {
            problems: problems.iter().map(|one| text(one, "id").to_owned()).collect(),
            teams: of("teams").into_iter().filter(|(_, one)| takes_part(one)).map(|(id, _)| id).collect(),
            tries,
            penalty_ms: reltime(&contest["penalty_time"]),
            resolved: BTreeSet::new(),
            awards: of("awards").into_iter().map(|(id, one)| (id, team_ids(&one))).collect(),
            steps: 0,
        }
    }

    fn cell(&self, team: &str, problem: &str) -> Cell {
        let key = (team.to_owned(), problem.to_owned());
        let is_resolved = self.resolved.contains(&key);
        let mut cell = Cell::default();
        for (place, tried) in self.tries.get(&key).into_iter().flatten() {
            if tried.is_frozen && !is_resolved {
                cell.pending += 1;
                cell.place.get_or_insert(*place);
                continue;
            }
            if tried.is_solved {
                let minutes = tried.at_ms.div_euclid(MINUTE_MS) * MINUTE_MS;
                cell.cost_ms = minutes + self.penalty_ms * cell.judged as i64;
                cell.judged += 1;
                (cell.solved_ms, cell.place) = (Some(tried.at_ms), Some(*place));
                break;
            }
            cell.judged += u64::from(tried.has_penalty);
        }
        cell
    }

    /// Returns the board as it is shown now.
    pub fn rows(&self) -> Vec<Row> {
        let row = |team: &String| {
            let cells: BTreeMap<String, Cell> =
                self.problems.iter().map(|problem| (problem.clone(), self.cell(team, problem))).collect();
            Row {
                team: team.clone(),
                rank: 0,
                solved: cells.values().filter(|cell| cell.solved_ms.is_some()).count() as u64,
                time_ms: cells.values().map(|cell| cell.cost_ms).sum(),
                last_ms: cells.values().filter_map(|cell| cell.solved_ms).max(),
                cells,
            }
        };
        let mut rows: Vec<Row> = self.teams.iter().map(row).collect();
        rows.sort_by_key(|row| (order(row), row.team.clone()));
        let mut last: Option<(Order, u64)> = None;
        for (place, row) in (1..).zip(&mut rows) {
            let rank = last.filter(|(same, _)| *same == order(row)).map_or(place, |(_, rank)| rank);
            last = Some((order(row), rank));
            row.rank = rank;
        }
        rows
    }

    /// Resolves everything, one cell after the other.
    pub fn resolve(&mut self) {
        let mut rows = self.rows();
        let mut cursor = rows.len();
        while cursor > 0 {
            let row = &rows[cursor - 1];
            let pending = self.problems.iter().find(|problem| row.cells[*problem].pending > 0);
            let Some(problem) = pending.cloned() else {
                cursor -= 1;
                continue;
            };
            let team = row.team.clone();
            self.resolved.insert((team.clone(), problem.clone()));
            self.steps += 1;
            let after = self.rows();
            let place = |rows: &[Row]| rows.iter().position(|row| row.team == team).unwrap();
            assert!(place(&after) <= place(&rows), "{team} falls by {problem}");
            for (before, now) in rows[cursor..].iter().zip(&after[cursor..]) {
                // Who shared a rank with a team that rises is behind it now.
                let rank = if order(before) == order(&rows[cursor - 1]) { now.rank } else { before.rank };
                assert_eq!(*now, Row { rank, ..before.clone() }, "what is resolved stays");
            }
            rows = after;
        }
    }

    /// Compares the board with one of the API, hidden teams left out.
    pub fn assert_is(&self, scoreboard: &Value, what: &str) {
        let rows = self.rows();
        let first = |problem: &str| {
            let of_it = || rows.iter().map(|row| (&row.team, &row.cells[problem]));
            let solved = of_it().filter(|(_, cell)| cell.solved_ms.is_some());
            let (team, cell) = solved.min_by_key(|(_, cell)| cell.place)?;
            let pending =
                of_it().filter(|(_, cell)| cell.pending > 0).filter_map(|(_, cell)| cell.place).min();
            pending.is_none_or(|pending| Some(pending) > cell.place).then_some(team)
        };
        let own: BTreeMap<&str, Value> = rows
            .iter()
            .map(|row| {
                let cell = |(problem, cell): (&String, &Cell)| {
                    let is_first = first(problem) == Some(&row.team);
                    let value = serde_json::json!([
                        cell.judged,
                        cell.pending,
                        cell.solved_ms.is_some(),
                        cell.solved_ms,
                        is_first
                    ]);
                    (problem.clone(), value)
                };
                let cells: BTreeMap<String, Value> = row.cells.iter().map(cell).collect();
                let value = serde_json::json!([row.rank, row.solved, row.time_ms, row.last_ms, cells]);
                (row.team.as_str(), value)
            })
            .collect();
        let shown = scoreboard["rows"].as_array().unwrap().iter().filter(|row| row["is_hidden"] != true);
        let time = |value: &Value| (!value.is_null()).then(|| reltime(value));
        let theirs: BTreeMap<&str, Value> = shown
            .map(|row| {
                let cell = |cell: &Value| {
                    let value = serde_json::json!([
                        cell["num_judged"],
                        cell["num_pending"],
                        cell["solved"],
                        time(&cell["time"]),
                        cell["first_to_solve"] == true
                    ]);
                    (text(cell, "problem_id").to_owned(), value)
                };
                let cells: BTreeMap<String, Value> =
                    row["problems"].as_array().unwrap().iter().map(cell).collect();
                let score = &row["score"];
                let total = reltime(&score["total_time"]);
                let value =
                    serde_json::json!([row["rank"], score["num_solved"], total, time(&score["time"]), cells]);
                (text(row, "team_id"), value)
            })
            .collect();
        assert_eq!(own, theirs, "{what}");
    }

    /// Compares the awards with those that follow from the board, but for those that were edited by hand.
    pub fn assert_awards(&self, awards: &Value, is_edited: impl Fn(&str) -> bool) {
        let listed = awards.as_array().unwrap().iter();
        let listed: BTreeMap<String, Vec<String>> =
            listed.map(|one| (text(one, "id").to_owned(), team_ids(one))).collect();
        assert_eq!(self.awards, listed);
        let rows = self.rows();
        let with_rank = |most: u64| -> BTreeSet<&str> {
            let found = rows.iter().filter(|row| row.solved > 0 && row.rank <= most);
            found.map(|row| row.team.as_str()).collect()
        };
        let has = |id: &str| -> BTreeSet<&str> {
            self.awards.get(id).into_iter().flatten().map(String::as_str).collect()
        };
        if !is_edited("winner") {
            assert_eq!(has("winner"), with_rank(1));
        }
        let mut so_far = BTreeSet::new();
        for medal in ["gold-medal", "silver-medal", "bronze-medal"].into_iter().filter(|id| !is_edited(id)) {
            so_far.extend(has(medal));
            let last = rows.iter().filter(|row| so_far.contains(row.team.as_str())).map(|row| row.rank).max();
            assert_eq!(so_far, with_rank(last.unwrap_or(0)), "{medal}");
        }
    }
}

fn team_ids(award: &Value) -> Vec<String> {
    award["team_ids"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
