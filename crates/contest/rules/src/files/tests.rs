use super::*;
use crate::{CountedScore, Instant, JudgingMode, LanguageId, Medals, Role, Scoring};
use model::Nanos;
use proptest::prelude::*;

const CONTEST: &str = "\
id: spring
name: Spring
formal_name: Spring Contest
start_time: 2026-11-23T09:00:00+01:00
duration: 5:00:00
scoreboard_freeze_duration: 60
penalty_time: 20
languages: [cpp, python3]
medals: {gold: 1, silver: 1, bronze: 2}
";
const PROBLEMS: &str = "\
- {id: catenary, label: A, rgb: '#AC00FF', color: purple}
- {id: harvest, label: B, time_limit: 1.5, memory_limit: 256}
";
const TEAMS: &str = r#"[
  {"id": "1", "name": "Ada", "organization_id": "u1", "group_ids": ["g1"], "location": {"x": 1.5, "y": 2, "rotation": 90}},
  {"id": "2", "name": "加法", "group_ids": ["g1"], "hidden": true}
]
"#;
const ACCOUNTS: &str = "\
- {id: ada, username: ada, type: team, team_id: '1', person_id: p1, password: sesame}
- {username: jury, type: judge, name: The Jury, ip: 10.0.0.0/8}
";

fn set(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

fn whole() -> BTreeMap<String, Vec<u8>> {
    set(&[
        ("contest.yaml", CONTEST),
        ("problems.yaml", PROBLEMS),
        ("teams.json", TEAMS),
        ("groups.yaml", "- {id: g1, name: Site 1}\n"),
        (
            "organizations.json",
            r#"[{"id": "u1", "name": "U1", "country": "DEU", "url": "https://u1.example", "logo": []}]"#,
        ),
        (
            "persons.yaml",
            "- {id: p1, name: Ada, role: contestant, team_id: '1', sex: female, email: ada@u1.example}\n",
        ),
        ("accounts.yaml", ACCOUNTS),
    ])
}

/// Returns the findings of these files as text.
fn findings_of(files: &[(&str, &str)]) -> Vec<String> {
    let text = |finding: &Finding| format!("{}{finding}", if finding.is_warning { "warning: " } else { "" });
    read(&set(files)).1.iter().map(text).collect()
}

#[test]
fn a_package_is_read() {
    let (files, findings) = read(&whole());
    assert_eq!(findings, []);
    let (id, contest) = files.contest.as_ref().unwrap();
    assert_eq!((id.as_str(), contest.name.as_str()), ("spring", "Spring"));
    assert_eq!(contest.start.unwrap().to_string(), "2026-11-23T08:00:00.000Z");
    assert_eq!((contest.duration, contest.freeze), (Millis::minutes(300), Some(Millis::minutes(60))));
    assert_eq!(contest.scoring, Scoring::PassFail { penalty: Millis::minutes(20), compile_penalty: false });
    assert_eq!(contest.medals, Medals { gold: 1, silver: 1, bronze: 2 });
    assert_eq!((contest.judging, contest.is_public), (JudgingMode::Lazy, true));
    assert_eq!(files.problems[1].time_limit, Some(Nanos(1_500_000_000)));
    assert_eq!((files.problems[0].ordinal, files.problems[1].ordinal), (1, 2));
    assert_eq!((files.teams[1].name.as_str(), files.teams[1].is_hidden), ("加法", true));
    assert_eq!(
        files.accounts[0].settings.contests.iter().map(ContestId::as_str).collect::<Vec<_>>(),
        ["spring"]
    );
    assert_eq!(files.accounts[0].password.as_deref(), Some("sesame"));
    assert_eq!(files.accounts[1].settings.ip, ["10.0.0.0/8"]);
    assert!(!format!("{files:?}").contains("sesame"));
}

#[test]
fn written_files_read_back_with_the_same_bytes() {
    let (mut files, _) = read(&whole());
    let written = write(&files);
    assert!(!written.values().any(|bytes| String::from_utf8_lossy(bytes).contains("sesame")));
    let (again, findings) = read(&written);
    assert_eq!(findings, []);
    files.accounts.iter_mut().for_each(|account| account.password = None);
    assert_eq!(again, files);
    assert_eq!(write(&again), written);
    let (_, contest) = files.contest.as_mut().unwrap();
    contest.scoring = Scoring::Points { counted: CountedScore::BestOfSubtasks };
    contest.removed = vec![crate::RemovedInterval { begin: crate::Instant(5), end: None }];
    contest.feedback = crate::Feedback::Cases;
    contest.shows_compiler_output = false;
    assert_eq!(read(&write(&files)).0, files);
}

#[test]
fn every_mistake_is_reported_with_its_place() {
    let found = findings_of(&[
        (
            "contest.yaml",
            "id: a b\nname: 5\nduration: five\nstart_time: tomorrow\nscoreboard_freeze_duration: 1:00:00\nmain_scoreboard_group_id: g9\npraktice: true\nmedals: 3\n",
        ),
        (
            "teams.yaml",
            "- id: '1'\n  name: A\n- id: '1'\n  name: B\n  group_ids: [g1, g 2]\n- name: C\n  hidden: maybe\n",
        ),
        (
            "accounts.json",
            "[{\"username\": \"a\",\n\"type\": \"king\"}, {\"username\": \"b\", \"type\": \"team\"}]",
        ),
        ("groups.yaml", "- {id: g1: 2}\n"),
        ("problems.yaml", "- {id: a, label: A, rgb: red}\n- {id: b, label: A, ordinal: 1, time_limit: -1}\n"),
    ]);
    assert_eq!(
        found,
        [
            "accounts.json:2: [0].type: is 'king', expected one of admin, judge, analyst, staff, balloon, team, spectator, judgehost, operator",
            "accounts.json:2: [1].team_id: is missing: an account of type team needs it",
            "contest.yaml:1: id: 'a b' is no id: use 1 to 36 of a-z, A-Z, 0-9, '_', '.', '-', not first '-' or '.', not last '.'",
            "contest.yaml:3: duration: is 'five', expected a duration as h:mm:ss such as 5:00:00, or minutes such as 300",
            "contest.yaml:4: start_time: 'tomorrow' is no time: write it as 2026-11-23T09:00:00+01:00, with 'Z' for UTC",
            "warning: contest.yaml:7: 'praktice' is not known here and is left out; did you mean 'practice'?",
            "contest.yaml:8: medals: is 3, expected a map of keys and values; write one 'key: value' on each line",
            "groups.yaml:1: is not valid YAML: while parsing a flow mapping, did not find expected ',' or '}' at line 1, column 10",
            "problems.yaml:1: [0].rgb: is 'red', expected a colour such as '#AC00FF' or '#fff', in quotes",
            "problems.yaml:2: [1].time_limit: is -1, expected a number from 0.001 to 100000; raise it",
            "problems.yaml:2: label: 'A' is also in line 1; each must be there once",
            "problems.yaml:2: ordinal: '1' is also in line 1; each must be there once",
            "teams.yaml:3: id: '1' is also in line 1; each must be there once",
            "teams.yaml:5: [1].group_ids[1]: 'g 2' is no id: use 1 to 36 of a-z, A-Z, 0-9, '_', '.', '-', not first '-' or '.', not last '.'",
            "teams.yaml:6: [2].id: is missing",
            "teams.yaml:7: [2].hidden: is 'maybe', expected true or false; write it without quotes",
        ]
    );
}

#[test]
fn references_are_checked_where_a_contest_is() {
    let team = "- {id: '1', name: A, group_ids: [g2], organization_id: u2}\n";
    assert_eq!(findings_of(&[("teams.yaml", team)]), [""; 0], "they may be on the server");
    assert_eq!(
        findings_of(&[
            ("contest.yaml", CONTEST),
            ("teams.yaml", team),
            ("groups.yaml", "- {id: g1, name: G}\n")
        ]),
        [
            "teams.yaml:1: group_ids: there is no group 'g2'; there are g1",
            "teams.yaml:1: organization_id: there is no organization 'u2'; there are none",
        ]
    );
}

#[test]
fn older_files_are_read() {
    let (files, findings) = read(&set(&[
        (
            "contest.yaml",
            "short-name: old\nname: Old\nduration: '4:59:59'\nscoreboard-freeze-length: 1:00:00\npenalty-time: 15\n\
             languages:\n- id: c\n  name: C\nclar-answers: ['No comment.']\n",
        ),
        ("problemset.yaml", "problems:\n- {letter: X, short-name: apples, color: green}\n"),
        ("groups.tsv", "File_Version\t1\ng1\tSite\n"),
        (
            "teams.tsv",
            "teams\t1\n1\t99\tg1\tAda\tUniversity One\tU1\tdeu\tINST-42\r\n2\t\t\tBob\tUniversity One\tU1\tDEU\tINST-42\n",
        ),
        ("accounts.tsv", "accounts\t1\nteam\tAda\tteam-001\tsesame\njudge\tJury\tjury\tsecret\n"),
    ]));
    assert_eq!(findings, []);
    let (id, contest) = files.contest.unwrap();
    assert_eq!((id.as_str(), contest.freeze), ("old", Some(Millis::minutes(60))));
    assert_eq!(contest.canned_answers, ["No comment."]);
    assert_eq!((files.problems[0].label.as_str(), files.problems[0].id.as_str()), ("X", "apples"));
    assert_eq!((files.teams[0].icpc_id.as_deref(), files.teams.len()), (Some("99"), 2));
    assert_eq!(files.organizations.len(), 1);
    assert_eq!(
        (files.organizations[0].id.as_str(), files.organizations[0].country.as_deref()),
        ("42", Some("DEU"))
    );
    let account = &files.accounts[0].settings;
    assert_eq!((account.role, account.team.as_ref().unwrap().as_str()), (Role::Team, "1"));
}

/// Returns id, name, full name, country and ICPC id of the institutions of a table of teams, and those of the teams.
fn institutions(rows: &[&str]) -> (Vec<String>, Vec<String>) {
    let table = format!("teams\t1\n{}\n", rows.join("\n"));
    let (files, _) = read(&set(&[("teams.tsv", &table)]));
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let organization = |one: &OrganizationSettings| {
        let parts = [&one.formal_name, &one.country, &one.icpc_id].map(text).join(" ");
        format!("{}: {} {parts}", one.id, one.name)
    };
    let team = |team: &TeamSettings| text(&team.organization.as_ref().map(ToString::to_string));
    (files.organizations.iter().map(organization).collect(), files.teams.iter().map(team).collect())
}

#[test]
fn institutions_in_tables_get_distinct_ids() {
    let rows = [
        "33\t1\t3\tA\tUni Nord\tUN\tNLD\tINST-2625",
        "34\t\t3\tB\tUni Nord\tUN\tNLD\tINST-2625",
        "35\tnull\t3\tC\tUni Sud\tUS\tNLD\tnull",
        "36\t\t3\tD\t清华大学\t清华\tCHN\t",
        "37\t\t3\tE\t清华附中\t附中\tCHN\t",
        "38\t\t3\tF\tUniversiteit van A\tUVA\tNLD\t",
        "39\t\t3\tG\tUniversity of V\tUVA\tUSA\t",
        "40\t\t3\tH\tМосква\tМГУ\tRUS\tINST-77 5",
        "41\t\t3\tI\tUni Sud\tUS\tNLD\t",
        "42\t\t3\tJ\t\t\tNLD\t",
    ];
    let (all, of_teams) = institutions(&rows);
    assert_eq!(
        all,
        [
            "2625: UN Uni Nord NLD 2625",
            "us: US Uni Sud NLD ",
            "org-fe7a5300: 清华 清华大学 CHN ",
            "org-59d73cf1: 附中 清华附中 CHN ",
            "uva-ae0b27ba: UVA Universiteit van A NLD ",
            "uva-8593335d: UVA University of V USA ",
            "org-d469e692: МГУ Москва RUS 77 5",
        ]
    );
    let id = |at: usize| all[at].split(':').next().unwrap().to_owned();
    let places = [0, 0, 1, 2, 3, 4, 5, 6, 1];
    assert_eq!(of_teams, places.into_iter().map(id).chain([String::new()]).collect::<Vec<_>>());
    // The same ids, whatever comes first.
    let mut reversed = rows;
    reversed.reverse();
    let mut again = institutions(&reversed).0;
    again.sort();
    let mut sorted = all;
    sorted.sort();
    assert_eq!(again, sorted);
}

#[test]
fn files_of_objects_need_a_whole_package() {
    let team = "- {id: t, name: T, webcam: [{href: 'https://cam'}], photo: null, colour: red}\n";
    assert_eq!(
        findings_of(&[("teams.yaml", team)]),
        [
            "warning: teams.yaml:1: [0]: 'colour' is not known here and is left out",
            "warning: teams.yaml:1: [0]: 'webcam' is left out: files are taken from a whole package, where they are in folders such as 'teams/ID'",
        ]
    );
    assert_eq!(read_whole(&set(&[("teams.yaml", team)]), &|_| None).1.len(), 1);
}

#[test]
fn languages_have_names() {
    let check = |languages: &str, expect: &[&str]| {
        let text = format!("id: c\nname: C\nduration: 60\nlanguages: {languages}\n");
        let (files, findings) = read(&set(&[("contest.yaml", &text)]));
        assert_eq!(findings, [], "{languages}");
        let ids = files.contest.unwrap().1.languages;
        assert_eq!(ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(), expect, "{languages}");
    };
    check("[{name: C++}, {name: 'Python 3'}]", &["cpp", "python3"]);
    check("[C, 'C#', {id: java, name: Whatever}, kotlin]", &["c", "csharp", "java", "kotlin"]);
    check("['Python 3 (PyPy)', POSIX shell]", &["pypy3", "sh"]);
    check("C++", &["cpp"]);
    check(
        "[{name: GNU C++, clics-id: x}, {name: python}, {clics-id: c}, {name: Java, active: false}]",
        &["c", "cpp", "python3"],
    );
    assert_eq!(
        findings_of(&[(
            "languages.yaml",
            "- {name: C, compilerCmd: gcc}\n- {name: C++, compilerCmd: g++}\n"
        )]),
        ["warning: languages.yaml:1: [0]: 'compilerCmd' is not known here and is left out"]
    );
    assert!(
        findings_of(&[("contest.yaml", "id: c\nname: C\nduration: 60\nlanguages: ['!']\n")])[0]
            .contains("languages[0]")
    );
}

#[test]
fn tables_of_other_systems_are_read() {
    for header in ["File_Version\t2", "teams2\t2", "teams\t1"] {
        let table = format!("{header}\n33\tnull\tnull\tAlpha\tUni\tU\tnl\t\n");
        let accounts = "accounts\t1\nteam\tAlpha\tteam-033\ta\nteam\tAlpha\tteam033b\tb\n";
        let (files, findings) = read(&set(&[("teams2.tsv", &table), ("accounts.tsv", accounts)]));
        let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["teams2.tsv:2: country: is 'nl', expected three letters of ISO 3166-1; it is left out"]
        );
        let team = &files.teams[0];
        assert_eq!((team.icpc_id.as_deref(), team.groups.len()), (None, 0));
        let teams = files.accounts.iter().map(|one| one.settings.team.as_ref().unwrap().as_str());
        assert_eq!(teams.collect::<Vec<_>>(), ["33", "33"]);
    }
}

#[test]
fn folders_of_other_systems_are_read() {
    let contest = "short-name: ACM 2011\nname: Old\nstart-time: 2016-11-04 18:30:00 PDT\nduration: 5:00:00\n\
                   scoreboard-freeze: 4:00:00\nproblemset:\n- {letter: A, short-name: apl}\n";
    let system = "clar-categories: [General]\ndefault-clars: [No comment]\nlanguages:\n- {id: c, name: C}\n";
    let set = set(&[
        ("Contest.yaml", contest),
        ("system.yaml", system),
        ("groups.tsv", "groups\t1\n"),
        ("teams.tsv", "Teams\t1\n7\t99\t0\tAda\tUni 1\tU1\tUSA\tXXX\n8\t98\t0\tBob\tUni 2\tU2\tUSA\tXXX\n"),
        ("accounts.tsv", "team\tAda\tteam7\tsesame\n"),
        ("problems.yaml", "- {id: zero, label: Z}\n"),
        ("problemset.yaml", "problemset:\n- {letter: A, short-name: apl}\n"),
    ]);
    let (files, findings) = read(&set);
    assert_eq!(
        findings.iter().map(Finding::to_string).collect::<Vec<_>>(),
        [
            "Contest.yaml:1: short-name: is 'ACM 2011', the contest's id is 'ACM_2011'",
            "Contest.yaml:5: scoreboard-freeze: the board freezes 4:00:00 after the start, as DOMjudge takes it; PC^2 \
             takes it as the time before the end, which is scoreboard_freeze_duration",
            "Contest.yaml:6: problemset: is ignored, since problems.yaml has the problems",
            "accounts.tsv:1: has no header, expected the first line to be 'accounts', a tab, and the version; all its \
             lines are read",
            "problemset.yaml: is ignored, since problems.yaml has the same kind",
        ]
    );
    assert!(findings.iter().all(|finding| finding.is_warning));
    let (id, contest) = files.contest.unwrap();
    assert_eq!((id.as_str(), contest.freeze), ("ACM_2011", Some(Millis::minutes(60))));
    assert_eq!(contest.start.unwrap().to_string(), "2016-11-05T01:30:00.000Z");
    assert_eq!(
        (contest.clarification_categories, contest.canned_answers),
        (vec!["General".to_owned()], vec!["No comment".to_owned()])
    );
    assert_eq!(contest.languages.iter().map(LanguageId::as_str).collect::<Vec<_>>(), ["c"]);
    assert_eq!((files.teams[0].groups.len(), files.accounts.len(), files.problems.len()), (0, 1, 1));
    assert_eq!(files.organizations.len(), 2);
}

#[test]
fn problems_of_one_letter_or_folder_get_distinct_names() {
    let (files, findings) = read(&set(&[(
        "problemset.yaml",
        "problemset:\n- {letter: A, short-name: sum}\n- {letter: A, short-name: sum2}\n- {letter: B, short-name: sum}\n",
    )]));
    assert_eq!(
        findings.iter().map(Finding::to_string).collect::<Vec<_>>(),
        [
            "problemset.yaml:3: [1].letter: 'A' is used above, so this one is 'A2'",
            "problemset.yaml:4: [2].short-name: 'sum' is used above, so this one is 'sum-2'",
        ]
    );
    let read: Vec<_> = files
        .problems
        .iter()
        .map(|one| (one.id.as_str(), one.label.as_str(), one.package.as_deref()))
        .collect();
    assert_eq!(read, [("sum", "A", None), ("sum2", "A2", None), ("sum-2", "B", Some("sum"))]);
}

#[test]
fn many_warnings_hide_no_error() {
    let lines: String = (1..=1200).map(|number| format!("{number}\t\t\tTeam\tUni\tU\tDE\n")).collect();
    let table = format!("teams\t1\n{lines}5\t\t\tAgain\n");
    let (_, findings) = read(&set(&[("teams.tsv", &table)]));
    let errors: Vec<_> = findings.iter().filter(|finding| !finding.is_warning).collect();
    assert_eq!((errors.len(), errors[0].place.line), (1, Some(1202)), "{errors:?}");
    assert!(findings.last().unwrap().message.ends_with("200 more warnings are left out"));
}

#[test]
fn many_problems_of_one_name_are_read_at_once() {
    let text = format!("problemset:\n{}", "- {short-name: a, letter: A}\n".repeat(5000));
    let (files, _) = read(&set(&[("problemset.yaml", &text)]));
    let last = files.problems.last().unwrap();
    assert_eq!((last.id.as_str(), last.label.as_str()), ("a-5000", "A5000"));
}

#[test]
fn settings_that_a_file_leaves_out_stay() {
    let old = ContestSettings {
        is_public: false,
        verification_required: true,
        practice: true,
        languages: BTreeSet::from(["c".parse().unwrap()]),
        clarification_categories: vec!["general".to_owned()],
        canned_answers: vec!["No.".to_owned()],
        start: Some(Instant(5)),
        freeze: Some(Millis::minutes(60)),
        medals: Medals { gold: 1, silver: 2, bronze: 3 },
        replicas: 2,
        ..ContestSettings::usual("Old", Millis::minutes(300))
    };
    let check = |files: &[(&str, &str)], expect: ContestSettings| {
        let (read, findings) = read_over(&set(files), None, &|id| {
            let contest = (id.as_str() == "a").then(|| (id.clone(), old.clone()));
            Some(ContestFiles { contest: Some(contest?), ..Default::default() })
        });
        assert_eq!((read.contest.unwrap().1, findings), (expect, vec![]), "{files:?}");
    };
    let short = "id: a\nname: New\nduration: 5:00:00\n";
    let new = ContestSettings { name: "New".to_owned(), ..old.clone() };
    check(&[("contest.yaml", short)], new.clone());
    let duration = Millis::minutes(30);
    let shorter = ContestSettings { duration, freeze: None, ..new.clone() };
    check(&[("contest.yaml", "id: a\nname: New\nduration: 0:30:00\n")], shorter);
    let paused = ContestSettings { start: None, countdown_pause: Some(Millis(60_000)), ..new.clone() };
    check(&[("contest.yaml", &format!("{short}countdown-pause-time: 0:01:00"))], paused);
    let points = Scoring::Points { counted: CountedScore::Best };
    let points = ContestSettings { scoring: points, languages: BTreeSet::new(), ..new.clone() };
    check(&[("contest.yaml", &format!("{short}scoreboard_type: score\nlanguages: []"))], points);
    let texts = ContestSettings {
        languages: BTreeSet::from(["cpp".parse().unwrap()]),
        canned_answers: vec!["Yes.".to_owned()],
        ..new.clone()
    };
    let system = "languages: [cpp]\nclar-answers: ['Yes.']\n";
    check(&[("contest.yaml", short), ("system.yaml", system)], texts);
    let other = ContestSettings::usual("New", Millis::minutes(300));
    let (read, _) = read_over(&set(&[("contest.yaml", &short.replace("id: a", "id: b"))]), None, &|_| None);
    assert_eq!(read.contest.unwrap().1, other);
}

#[test]
fn mistakes_in_tables_are_reported_with_their_line() {
    assert_eq!(
        findings_of(&[
            ("teams.tsv", "1\tAda\n"),
            ("groups.tsv", ""),
            ("accounts.tsv", "accounts\t1\nking\tA\ta\tb\nteam\tA\tada\tb\nteam\n")
        ]),
        [
            "accounts.tsv:2: type: is 'king', expected one of admin, judge, analyst, staff, balloon, team, spectator, judgehost, operator",
            "accounts.tsv:3: username: is 'ada', expected the team's number at its end, such as team-001",
            "accounts.tsv:4: password: is missing, expected it in column 4",
            "accounts.tsv:4: team_id: is missing: an account of type team needs it",
            "accounts.tsv:4: username: is missing",
            "groups.tsv: is empty, expected the first line to be 'groups', a tab, and the version",
            "teams.tsv:1: expected the first line to be 'teams', a tab, and the version",
        ]
    );
}

#[test]
fn names_in_tables_can_be_shown() {
    let long = format!("teams\t1\n1\t\t\t{}\n", "x".repeat(256));
    assert_eq!(
        findings_of(&[("teams.tsv", &long), ("groups.tsv", "groups\t1\ng\t\u{7}\n")]),
        [
            "groups.tsv:2: name: is '\\u{7}', expected one line of 1 to 255 bytes; shorten it, or write it on one line",
            "teams.tsv:2: name: is 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected one line of 1 to 255 bytes; shorten it, or write it on one line",
        ]
    );
}

#[test]
fn files_of_one_kind_are_refused_and_unknown_ones_are_named() {
    assert_eq!(
        findings_of(&[
            ("teams.yaml", "[]"),
            ("teams.json", "[]"),
            ("notes.txt", "x"),
            ("submissions.json", "[]"),
            ("teams.xml", "")
        ]),
        [
            "warning: notes.txt: is not a file of a contest package, and is ignored",
            "warning: teams.xml: is not a file of a contest package, and is ignored",
            "teams.yaml: has the same kind as teams.json; remove one of them",
        ]
    );
    assert_eq!(findings_of(&[("teams.yaml", "x: [\n")]).len(), 1);
    let (_, findings) = read(&BTreeMap::from([("teams.yaml".to_owned(), b"- id\n- \xff".to_vec())]));
    assert_eq!(findings[0].to_string(), "teams.yaml:2: is not UTF-8; save the file as UTF-8");
}

#[test]
fn one_file_may_have_any_name() {
    let (files, findings) = read_one("here/new.yaml", "teams", b"- {id: '7', name: Seven}\n");
    assert_eq!((files.teams.len(), findings.len()), (1, 0));
    let (_, findings) = read_one("here/new.json", "teams", b"[{\"id\": 7}]");
    assert_eq!(findings[0].to_string(), "here/new.json:1: [0].name: is missing");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A package with random changes is read or refused, and what is read can be written and read again.
    #[test]
    fn any_changed_package_is_read_or_refused(
        file in 0_usize..7,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..8),
    ) {
        let mut files = whole();
        let bytes = files.values_mut().nth(file).unwrap();
        for (place, byte, how) in changes {
            if bytes.is_empty() { break }
            let place = place.index(bytes.len());
            match how {
                0 => bytes[place] = byte,
                1 => { bytes.remove(place); }
                2 => bytes.insert(place, b"-:[]{},'\" \n\t0"[usize::from(byte) % 13]),
                _ => bytes.truncate(place),
            }
        }
        let (read_files, findings) = read(&files);
        if findings.iter().all(|finding| finding.is_warning) {
            let written = write(&read_files);
            let (again, findings) = read(&written);
            prop_assert_eq!(&findings, &[]);
            prop_assert_eq!(write(&again), written);
        }
    }

    #[test]
    fn any_table_is_read_or_refused(text in "(teams|accounts|groups)\t1\n([a-z0-9\t\n -]{0,200})") {
        for name in ["teams.tsv", "accounts.tsv", "groups.tsv"] {
            let _ = read(&set(&[(name, &text)]));
        }
    }
}

#[test]
fn a_file_of_too_many_values_is_not_read() {
    let text = format!("[{}0]", "0,".repeat(VALUES_MAX));
    assert_eq!(findings_of(&[("teams.json", &text)]), ["teams.json: has more than 2000000 values"]);
}

/// What the contest `c` has: two groups, an organization, two teams and an account.
fn present() -> ContestFiles {
    let (files, findings) = read(&set(&[
        ("groups.yaml", "- {id: g1, name: 'North, Hall 1'}\n- {id: g2, name: South}\n"),
        ("organizations.yaml", "- {id: 'uva', name: UvA, formal_name: Universiteit van A, country: NLD}\n"),
        (
            "teams.yaml",
            "- {id: '1', name: Ada, display_name: Ada!, label: A1, organization_id: uva, group_ids: [g1], hidden: true, \
             location: {x: 1.5, y: 2, rotation: 90}}\n- {id: '2', name: Bob}\n",
        ),
        ("accounts.yaml", "- {username: ada, type: team, team_id: '1', ip: 10.0.0.1}\n"),
    ]));
    assert_eq!(findings, []);
    files
}

/// Reads a table over what the contest has; returns the findings, too.
fn read_csv(name: &str, text: &str) -> (ContestFiles, Vec<String>) {
    let contest = "c".parse().unwrap();
    let files = set(&[(name, text)]);
    let (files, findings) = read_over(&files, Some(&contest), &|_| Some(present()));
    let text = |finding: &Finding| format!("{}{finding}", if finding.is_warning { "warning: " } else { "" });
    (files, findings.iter().map(text).collect())
}

/// Returns what a table changes, a line for each object.
fn changes_of(name: &str, text: &str) -> Vec<String> {
    let (files, findings) = read_csv(name, text);
    assert_eq!(findings, [""; 0]);
    let mut lines = Vec::new();
    for objects in compare(&present(), &files) {
        let documents::contest::ImportedObjects { kind, added, changed, unchanged, changes } = objects;
        lines.push(format!("{kind}: {added} {changed} {unchanged}"));
        for change in changes {
            let sign = if change.is_new { '+' } else { '~' };
            let field = |field: &documents::contest::ChangedField| {
                let text = |text: &Option<String>| text.clone().unwrap_or_default();
                format!(" {}={}>{}", field.name, text(&field.before), text(&field.after))
            };
            let fields: String = change.fields.iter().map(field).collect();
            lines.push(format!("{sign} {} {}{fields}", change.id, change.name));
        }
    }
    lines
}

#[test]
fn a_spreadsheet_changes_what_it_has_columns_for() {
    assert_eq!(
        changes_of("teams.csv", "\u{feff}ID;Label\r\n1;A2\r\n2;\r\n"),
        ["teams: 0 1 1", "~ 1 Ada label=A1>A2"]
    );
    // Without ids by name, and new ones get the first free number; by any name of a file.
    assert_eq!(
        changes_of(
            "spring.CSV",
            "Team name,Affiliation,Groups,Hidden\nada,uva,\"North, Hall 1\",yes\nEve,TU  B,\"South;g1\",\n"
        ),
        [
            "organizations: 1 0 0",
            "+ tub TU  B",
            "teams: 1 1 0",
            "~ 1 ada name=Ada>ada",
            "+ 3 Eve group_ids=>g1, g2 organization_id=>tub",
        ]
    );
    assert_eq!(
        changes_of(
            "teams.csv",
            "id,name,location,x,affiliation,group\n1,Ada,,,UVA,\n9,'=1+1,\"1,5 2 0\",,,\n"
        ),
        [
            "teams: 1 1 0",
            "~ 1 Ada group_ids=g1> location=x 1.5, y 2.0, rotation 90.0>",
            "+ 9 =1+1 location=>x 1.5, y 2.0, rotation 0.0",
        ]
    );
}

#[test]
fn a_spreadsheet_of_logins_makes_accounts() {
    let logins =
        "team_id,label,team,login,password,address\n1,A1,Ada!,ada,abcd,http://h\n2,,Bob,bob,\"'=1+1\",\n";
    assert_eq!(
        changes_of("c-logins.csv", logins),
        ["teams: 0 0 2", "accounts: 1 1 0", "~ ada  password=>", "+ bob  password=> team_id=>2 type=>team"]
    );
    let (files, _) = read_csv("c-logins.csv", logins);
    assert_eq!(files.accounts[1].password.as_deref(), Some("=1+1"));
    assert_eq!(files.accounts[0].settings.ip, ["10.0.0.1/32"], "what the table does not say stays");
    let (files, _) = read_csv("teams.csv", "name,password\nEve,secret\nEve,secret\nBob,secret\n");
    let ids: Vec<&str> = files.teams.iter().map(|team| team.id.as_str()).collect();
    assert_eq!(ids, ["3", "4", "2"], "rows of the same name are teams of their own");
    assert_eq!(files.accounts[0].settings.id.as_str(), "3", "without a login it is the team's id");
}

#[test]
fn other_spreadsheets_are_read() {
    assert_eq!(
        changes_of(
            "organizations.csv",
            "shortname,country,latitude,longitude\nUvA,NLD,\"52,3\",4.9\nTU B,DEU,,\n"
        ),
        ["organizations: 1 1 0", "~ uva UvA location=>latitude 52.3, longitude 4.9", "+ 1 TU B country=>DEU",]
    );
    assert_eq!(changes_of("groups.csv", "id,name\ng2,South\n"), ["groups: 0 0 1"]);
    assert_eq!(
        changes_of("persons.csv", "name,team\nAda L,1\n"),
        ["persons: 1 0 0", "+ 1 Ada L role=>contestant team_ids=>1"]
    );
    assert_eq!(
        changes_of("accounts.csv", "login,type,password\njury,judge,x\n"),
        ["accounts: 1 0 0", "+ jury  password=> type=>judge"]
    );
}

#[test]
fn mistakes_of_spreadsheets_name_line_and_column() {
    let (_, found) = read_csv(
        "teams.csv",
        "Nr,Team,Affilation,Seat,Group,Hidden\n1,Ada,,,Sooth,\n1,Bob,,,g1,maybe\n\na b,,,,,\n4,D,,,,,more\n5,E,,\"x\ny\",,\n",
    );
    assert_eq!(
        found,
        [
            "warning: teams.csv:1: Affilation: is not a known column and is left out; did you mean 'affiliation'?",
            "teams.csv:2: Group: there is no group 'Sooth'; did you mean 'South'?",
            "teams.csv:3: Hidden: is 'maybe', expected yes or no",
            "teams.csv:3: id: '1' is also in line 2; each must be there once",
            "teams.csv:5: Nr: 'a b' is no id: use 1 to 36 of a-z, A-Z, 0-9, '_', '.', '-', not first '-' or '.', not last '.'",
            "teams.csv:5: Team: is missing",
            "teams.csv:6: 'more' has no column: the first line has 6 cells; a text with the separator needs quotes",
            "teams.csv:7: Seat: is 'x\\ny', expected one line of 1 to 255 bytes; shorten it, or write it on one line",
        ]
    );
    let check = |name: &str, text: &str, expect: &str| assert_eq!(read_csv(name, text).1, [expect]);
    check("teams.csv", "id,ID\n", "teams.csv:1: ID: is a second column for 'id'; remove one of them");
    check("teams.csv", "id,name\n1,\"Ada\n", "teams.csv:2: this row opens quotes that are never closed");
    check(
        "rooms.csv",
        "room,floor\n",
        "warning: rooms.csv: is ignored, since its first line has no columns of teams; name it teams.csv, organizations.csv, \
         groups.csv, persons.csv or accounts.csv",
    );
    // The command does not know what the server has.
    assert_eq!(findings_of(&[("teams.csv", "id,label,group\n7,A7,Somewhere\n")]), [""; 0]);
    assert_eq!(read_one("list.csv", "teams", b"id,label\n7,A7\n").1, []);
}

#[test]
fn tables_of_others_are_not_searched_for_hints() {
    let (_, found) = read_csv("teams.csv", &format!("name{}\nA\n", ",x".repeat(200)));
    assert_eq!(found, ["teams.csv:1: has 201 columns, expected at most 200"]);
    let groups = "Sooth,".repeat(300);
    let (_, found) = read_csv("teams.csv", &format!("name,group_ids\nA,\"{groups}\"\n"));
    let of = |end: &str| found.iter().filter(|text| text.ends_with(end)).count();
    assert_eq!(
        (of("did you mean 'South'?"), of("there is no group 'Sooth'")),
        (200, 100),
        "{:?}",
        found.last()
    );
}
