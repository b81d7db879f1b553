//! Contest packages as other systems write them.

use serde_json::{Value, json};
use test_support::Files;

pub const PNG: [u8; 33] = *b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x38\0\0\0\x38\x08\x06\0\0\0\0\0\0\0";

/// Returns a package as other systems make it: settings in files, what happened in the feed, older properties.
pub fn of_another_system() -> Files {
    let mut files: Files = Files::new();
    let mut add = |name: &str, content: &[u8]| drop(files.insert(format!("finals/{name}"), content.to_vec()));
    let contest = "id: finals\nname: Finals\nstart_time: 2025-03-01T10:00:00+01:00\nduration: 5:00:00\n\
        scoreboard_freeze_duration: 1:00:00\npenalty_time: 20\nscoreboard_thaw_time: 2025-03-01T17:00:00+01:00\n";
    add("contest.yaml", contest.as_bytes());
    let problems = "- {id: apples, label: A, name: Apples, ordinal: 1, rgb: '#00f', time_limit: 2, test_data_count: 3}\n\
        - {id: books, label: B, name: Books, ordinal: 2, time_limit: 1}\n";
    add("problems.yaml", problems.as_bytes());
    add(
        "groups.json",
        json!([{"id": "g1", "icpc_id": "1", "name": "Site", "hidden": false}]).to_string().as_bytes(),
    );
    let organizations = json!([{"id": "uni", "name": "Uni", "country": "DEU", "country_subdivision": "DE-BY",
        "location": {"latitude": 48.1, "longitude": 11.5}}]);
    add("organizations.json", organizations.to_string().as_bytes());
    let teams = json!([
        {"id": "t1", "name": "Ants", "label": "1", "organization_id": "uni", "group_ids": ["g1"], "hidden": false},
        {"id": "t2", "name": "Bees", "label": "2", "organization_id": "uni", "group_ids": ["g1"]},
    ]);
    add("teams.json", teams.to_string().as_bytes());
    add("accounts.yaml", b"- {id: team1, username: team1, type: team, team_id: t1, password: secret}\n");
    add("organizations/uni/logo.56x56.png", &PNG);
    add("teams/t1/photo.dark.svg", b"<svg viewBox=\"0 0 30 40\"></svg>");
    add("submissions/s7/files.zip", &test_support::zip([("a.py", "print(1)")]));
    let mut feed = Vec::new();
    let mut event = |kind: &str, id: &str, data: Value| {
        feed.push(json!({"type": kind, "id": id, "data": data, "token": "1"}).to_string())
    };
    for (id, penalty, solved) in [("AC", false, true), ("NO", true, false), ("CE", true, false)] {
        event("judgement-types", id, json!({"id": id, "name": id, "penalty": penalty, "solved": solved}));
    }
    event("persons", "p1", json!({"id": "p1", "name": "Eve", "role": "contestant", "team_id": "t2"}));
    let submissions = [
        ("s7", "t1", "apples", 10),
        ("s9", "t1", "apples", 30),
        ("s12", "t2", "apples", 45),
        ("s13", "t2", "books", 250),
    ];
    for (at, (id, team, problem, minute)) in submissions.into_iter().enumerate() {
        let verdict = ["NO", "AC", "CE", "AC"][at];
        let relative = format!("{}:{:02}:00.000", minute / 60, minute % 60);
        let time = format!("2025-03-01T{:02}:{:02}:00.000+01:00", 10 + minute / 60, minute % 60);
        event(
            "submissions",
            id,
            json!({"id": id, "language_id": "python3", "problem_id": problem, "team_id": team,
            "time": time, "contest_time": relative, "files": [{"href": format!("contests/finals/submissions/{id}/files"), "mime": "application/zip"}]}),
        );
        // First without a verdict: the last event of an object is what it is.
        let begun = json!({"id": format!("j{at}"), "submission_id": id, "start_time": time, "start_contest_time": relative, "judgement_type_id": null});
        event("judgements", &format!("j{at}"), begun.clone());
        let mut done = begun;
        done["judgement_type_id"] = verdict.into();
        done["end_time"] = time.clone().into();
        done["end_contest_time"] = relative.clone().into();
        done["valid"] = true.into();
        event("judgements", &format!("j{at}"), done);
        event(
            "runs",
            &format!("r{at}"),
            json!({"id": format!("r{at}"), "judgement_id": format!("j{at}"), "ordinal": 1,
            "judgement_type_id": verdict, "time": time, "contest_time": relative, "run_time": 0.25}),
        );
    }
    event(
        "clarifications",
        "c1",
        json!({"id": "c1", "from_team_id": "t1", "to_team_id": null, "text": "Why?",
        "time": "2025-03-01T10:05:00+01:00", "contest_time": "0:05:00"}),
    );
    event(
        "clarifications",
        "c2",
        json!({"id": "c2", "from_team_id": null, "to_team_id": "t1", "reply_to_id": "c1", "text": "So.",
        "time": "2025-03-01T10:06:00+01:00", "contest_time": "0:06:00"}),
    );
    event("awards", "winner", json!({"id": "winner", "citation": "Champion", "team_ids": ["t1"]}));
    event("awards", "best-hat", json!({"id": "best-hat", "citation": "Best hat", "team_ids": ["t2"]}));
    event(
        "state",
        "1",
        json!({"started": "2025-03-01T10:00:00+01:00", "frozen": "2025-03-01T14:00:00+01:00",
        "ended": "2025-03-01T15:00:00+01:00", "finalized": "2025-03-01T16:00:00+01:00", "thawed": "2025-03-01T17:00:00+01:00",
        "end_of_updates": "2025-03-01T17:00:00+01:00"}),
    );
    add("event-feed.ndjson", (feed.join("\n") + "\n\n").as_bytes());
    // As the CDS has it: minutes, and a rank of each team.
    let scoreboard = json!({"rows": [
        {"rank": 1, "team_id": "t1", "score": {"num_solved": 1, "total_time": 50}, "problems": []},
        {"rank": 2, "team_id": "t2", "score": {"num_solved": 1, "total_time": 251}, "problems": []},
    ]});
    add("scoreboard.json", scoreboard.to_string().as_bytes());
    files
}

/// Returns a contest that is over, with a hidden team `jury` that has solved the first problem before all others.
pub fn with_hidden_team() -> Files {
    let time = |minute: u32| format!("2026-11-20T09:{minute:02}:00.000Z");
    let mut files = Files::new();
    let mut add =
        |name: &str, value: Value| files.insert(format!("{name}.json"), value.to_string().into_bytes());
    add(
        "contest",
        json!({"id": "hid", "name": "Hid", "start_time": time(0), "duration": "5:00:00", "location": {"latitude": 1, "longitude": 2},
            "scoreboard_freeze_duration": "1:00:00", "penalty_time": "0:20:00"}),
    );
    add(
        "state",
        json!({"started": time(0), "frozen": "2026-11-20T13:00:00.000Z", "ended": "2026-11-20T14:00:00.000Z",
            "thawed": "2026-11-20T15:00:00.000Z", "finalized": "2026-11-20T15:00:00.000Z",
            "end_of_updates": "2026-11-20T15:00:01.000Z"}),
    );
    add(
        "problems",
        json!([{"id": "a", "label": "A", "name": "A", "ordinal": 0, "time_limit": 1, "test_data_count": 1}]),
    );
    add("groups", json!([{"id": "g", "name": "G"}, {"id": "ghosts", "name": "Ghosts", "hidden": true}]));
    add(
        "organizations",
        json!([{"id": "u", "name": "U", "url": "https://u.example"}, {"id": "secret", "name": "S"},
            {"id": "vault", "name": "Vault"}]),
    );
    add(
        "teams",
        json!([
            {"id": "t1", "name": "T1", "organization_id": "u", "group_ids": ["g"], "location": {"x": 1, "y": 2, "rotation": 3}},
            {"id": "t2", "name": "T2", "organization_id": "vault", "group_ids": ["ghosts"]},
            {"id": "jury", "name": "Jury", "organization_id": "secret", "hidden": true},
        ]),
    );
    add(
        "persons",
        json!([{"id": "p1", "name": "P1", "role": "contestant", "team_ids": ["t1", "jury"]},
            {"id": "spy", "name": "Spy", "role": "coach", "team_ids": ["jury"]}]),
    );
    add(
        "accounts",
        json!([{"id": "x", "username": "hidden-1", "type": "team", "team_id": "jury", "person_id": "spy"},
            {"id": "y", "username": "shown-1", "type": "team", "team_id": "t1", "person_id": "p1"}]),
    );
    let teams = ["jury", "t2", "t1"];
    let submission = |(at, team): (usize, &&str)| {
        json!({"id": (at + 1).to_string(), "language_id": "cpp", "problem_id": "a", "team_id": team,
            "time": time(at as u32 + 1), "contest_time": format!("0:0{}:00", at + 1), "files": []})
    };
    add("submissions", teams.iter().enumerate().map(submission).collect());
    let judgement = |at: usize| {
        json!({"id": format!("{at}00"), "submission_id": at.to_string(), "judgement_type_id": "AC",
            "start_time": time(at as u32), "start_contest_time": format!("0:0{at}:00"),
            "end_time": time(at as u32), "end_contest_time": format!("0:0{at}:00")})
    };
    add("judgements", (1..=3).map(judgement).collect());
    add(
        "clarifications",
        json!([
            {"id": "1", "text": "Am I hidden?", "from_team_id": "jury", "time": time(1), "contest_time": "0:01:00"},
            {"id": "2", "text": "Yes.", "to_team_ids": ["jury"], "reply_to_id": "1", "time": time(2), "contest_time": "0:02:00"},
            {"id": "3", "text": "Hello.", "to_team_ids": ["t1", "jury"], "time": time(3), "contest_time": "0:03:00"},
        ]),
    );
    files
}
