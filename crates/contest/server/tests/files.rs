//! Statements, samples, attachments, and what a jury takes away of submissions.

#![allow(clippy::unwrap_used)]

mod support;

use lopdf::{Document, Object, dictionary};
use serde_json::{Value, json};
use std::path::Path;
use support::{Server, judge, program, registration};
use test_support::{files_of, unzip, zip, zip_of};

/// Returns a document of one page.
fn pdf() -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let root = document.new_object_id();
    let size: Vec<Object> = vec![0.into(), 0.into(), 595.into(), 842.into()];
    let page = document.add_object(dictionary! { "Type" => "Page", "Parent" => root, "MediaBox" => size });
    let kids: Vec<Object> = vec![page.into()];
    document.objects.insert(root, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1 }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

/// Returns a sample package of the tree with more files.
fn package(name: &str, more: &[(&str, &[u8])]) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../problems").join(name);
    let mut files = files_of(&folder);
    files.extend(more.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())));
    zip(&files)
}

fn md5(bytes: &[u8]) -> String {
    use md5::Digest;
    md5::Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn files_of_problems_come_from_their_packages() {
    let server = Server::with_demo();
    let admin = server.admin();
    // Of a problem without a statement as PDF there is none, and none of the whole set.
    let plain = admin.get("problems/different").expect(200);
    assert_eq!((&plain["statement"], &plain["attachments"]), (&json!(null), &json!(null)));
    server.public().get("problems/different/statement").expect(404);
    assert!(admin.get("statements.pdf").expect(404)["detail"].to_string().contains("PDF: A"));

    let statement = pdf();
    let more: [(&str, &[u8]); 3] = [
        ("problem_statement/problem.en.pdf", &statement),
        ("attachments/tool.py", b"print(1)\n"),
        ("attachments/more/notes.bin", b"\0"),
    ];
    let different = package("different", &more);
    let object = admin.add_problem("different", "A", &different);
    assert_eq!(object["package"][0]["hash"], md5(&different));
    assert_eq!(object["statement"][0]["hash"], md5(&statement));
    assert_eq!(object["statement"][0]["mime"], "application/pdf");
    let names: Vec<&str> = object["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["filename"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["more_notes.bin", "tool.py"]);
    admin.add_problem("catenary", "B", &package("catenary", &[("statement/problem.en.pdf", &statement)]));

    let public = server.public();
    for file in [&object["statement"][0], &object["attachments"][1]] {
        let answer = public.get(&format!("/api/{}", file["href"].as_str().unwrap()));
        assert_eq!(answer.status, 200);
        assert_eq!(md5(&answer.body), file["hash"].as_str().unwrap());
        assert_eq!(answer.header("content-type"), file["mime"].as_str());
    }
    assert_eq!(public.get("problems/different/statement").body, statement);
    public.get("problems/different/statement?language=de").expect(404);
    public.get("problems/different/files/problem.yaml").expect(404);
    let all = public.get("statements.pdf");
    assert_eq!(Document::load_mem(&all.body).unwrap().get_pages().len(), 2);
    let tag = all.header("etag").unwrap();
    assert_eq!(public.with("if-none-match", tag).get("statements.pdf").status, 304);

    let samples = unzip(&public.get("problems/different/samples.zip").body);
    assert_eq!(samples.keys().collect::<Vec<_>>(), ["01-near.ans", "01-near.in", "02-far.ans", "02-far.in"]);
    let whole = unzip(&public.get("samples.zip").body);
    assert_eq!(whole["A-different/01-near.in"], samples["01-near.in"]);
    assert!(whole.keys().any(|name| name.starts_with("B-catenary/")));
}

#[test]
fn statements_are_hidden_before_the_start() {
    let server = Server::with_demo();
    let admin = server.admin();
    let settings = json!({"start_time": support::at(3600)});
    admin.patch("settings", &settings).expect(200);
    let statement = pdf();
    let bytes = package("different", &[("problem_statement/problem.en.pdf", &statement)]);
    admin.add_problem("different", "A", &bytes);
    for client in [server.public(), server.by_name("ants"), server.by_name("staff")] {
        for path in [
            "problems/different/statement",
            "problems/different/samples.zip",
            "statements.pdf",
            "samples.zip",
        ] {
            client.get(path).expect(404);
        }
    }
    assert_eq!(admin.get("problems/different/statement").body, statement);
}

#[test]
fn a_jury_takes_submissions_away() {
    let server = Server::with_demo();
    let (ants, bees, host) = (server.by_name("ants"), server.by_name("bees"), server.registered_judgehost());
    for (client, text, verdict) in [(&ants, "one", "WA"), (&bees, "two", "WA"), (&ants, "three", "AC")] {
        client.post("submissions", &program(text)).expect(201);
        judge(&host, "h1", verdict);
    }
    let analyst = server.by_name("analyst");
    ants.get("submissions/1/debug.zip").expect(403);
    let debug = analyst.get("submissions/3/debug.zip");
    assert_eq!((debug.status, debug.header("content-type")), (200, Some("application/zip")));
    let files = unzip(&debug.body);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "README.md",
            "judgements/3-1/cases.ndjson",
            "judgements/3-1/compile-output.txt",
            "judgements/3-1/judgement.json",
            "problem.json",
            "source/a.cpp",
            "submission.json",
        ]
    );
    assert_eq!(files["source/a.cpp"], b"three");
    assert_eq!(files["judgements/3-1/compile-output.txt"], b"a warning");
    let readme = String::from_utf8_lossy(&files["README.md"]).into_owned();
    assert!(
        readme.contains("sudo tauto judge different.zip source/a.cpp --lang cpp --all --keep"),
        "{readme}"
    );
    let with_package = unzip(&analyst.get("submissions/3/debug.zip?package=true").body);
    let problem = analyst.get("problems/different/package").body;
    assert_eq!(with_package["different.zip"], problem);

    let moss = |query: &str| {
        let answer = analyst.get(&format!("moss.zip{query}"));
        assert_eq!(answer.status, 200);
        unzip(&answer.body).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(moss(""), ["different/cpp/ants_3/a.cpp", "different/cpp/bees_2/a.cpp"]);
    assert_eq!(moss("?which=all").len(), 3);
    assert_eq!(moss("?which=all&solved=true"), ["different/cpp/ants_3/a.cpp"]);
    assert!(moss("?problem_id=other").is_empty());
    analyst.get("moss.zip?which=some").expect(400);
    bees.get("moss.zip").expect(403);
}

#[test]
fn a_jury_reads_cases_and_how_far_submissions_are() {
    let server = Server::with_demo();
    let (admin, ants, host) = (server.admin(), server.by_name("ants"), server.registered_judgehost());
    let case = "problems/different/case?name=secret/01-small";
    let input = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../problems/different/data/secret/01-small.in"
    ));
    let input = input.unwrap();
    let texts = admin.get(case).expect(200);
    assert_eq!(texts["input"], json!({"size_bytes": input.len(), "is_cut": false, "text": input}));
    let cut = admin.get(&format!("{case}&max_bytes=3")).expect(200);
    assert_eq!(cut["input"], json!({"size_bytes": input.len(), "is_cut": true, "text": &input[..3]}));
    for name in ["secret/none", "../problem.yaml", ""] {
        admin.get(&format!("problems/different/case?name={name}")).expect(404);
    }
    ants.get(case).expect(403);
    ants.post("submissions", &program("1")).expect(201);
    let state = || admin.get("submission-states?submission_id=1").expect(200)[0].clone();
    assert_eq!((&state()["progress"], &state()["ignored"]), (&json!("waiting"), &json!(null)));
    judge(&host, "h1", "WA");
    assert_eq!((&state()["progress"], &state()["judgehost"]), (&json!("done"), &json!("h1")));
    let ignored = json!({"is_ignored": true, "reason": "a test of the network"});
    admin.post("submissions/1/ignore", &ignored).expect(204);
    assert_eq!(state()["ignored"], "a test of the network");
    ants.get("submission-states").expect(403);
    let problem = admin.get("problems/different/state").expect(200);
    assert_eq!((&problem["added_by"], &problem["is_paused"]), (&json!("admin"), &json!(false)));
    let change = |patch: Value| admin.patch("problems/different", &patch).expect(200);
    change(json!({"is_paused": true, "pause_reason": "the checker is wrong"}));
    let states = admin.get("problem-states").expect(200);
    let paused = states.as_array().unwrap().iter().find(|problem| problem["id"] == "different").unwrap();
    assert_eq!(paused["pause_reason"], "the checker is wrong");
    ants.get("problem-states").expect(403);
    change(json!({"is_paused": false}));
    let state = admin.get("problems/different/state").expect(200);
    assert_eq!((&state["is_paused"], &state["pause_reason"]), (&json!(false), &json!(null)));

    // What was set is taken back by null; the limit is then the package's.
    let limit = admin.get("problems/different").expect(200)["time_limit"].clone();
    let changed = change(json!({"time_limit": 7.5, "rgb": "#123456", "color": "ink", "languages": ["cpp"]}));
    assert_eq!((&changed["time_limit"], &changed["color"]), (&json!(7.5), &json!("ink")));
    let back = change(json!({"time_limit": null, "rgb": null, "color": null}));
    assert_eq!((&back["time_limit"], &back["rgb"], &back["color"]), (&limit, &json!(null), &json!(null)));
    let again = json!({"id": "different", "package": state["package"]});
    admin.post("problems", &again).expect(201);
    let state = admin.get("problems/different/state").expect(200);
    assert_eq!(state["languages"], json!(["cpp"]), "a new package does not change what the jury set");
}

#[test]
fn statements_that_were_made_elsewhere_are_set_one_by_one() {
    let server = Server::with_demo();
    let (admin, public) = (server.admin(), server.public());
    let path = |query: &str| format!("/api/contests/demo/problems/different/statement?{query}");
    let put = |query: &str, content: &[u8]| {
        admin.send("PUT", &path(query), Some("application/octet-stream"), content)
    };
    let (first, part) = (pdf(), "<p>Две <span class=\"math inline\">x</span></p>".as_bytes());
    put("language=ru&format=html", b"<p>old</p>").expect(200);
    let object = put("language=ru&format=html", part).expect(200);
    assert_eq!(object["statement_pages"].as_array().unwrap().len(), 1, "the new one replaces the old one");
    let page = &object["statement_pages"][0];
    assert_eq!(
        (&page["mime"], &page["tag"][0], &page["hash"]),
        (&json!("text/html"), &json!("ru"), &json!(md5(part)))
    );
    let object = put("language=ru&format=pdf", &first).expect(200);
    assert_eq!(object["statement"][0]["mime"], "application/pdf");
    let object = put("language=en", &first).expect(200);
    assert_eq!(object["statement"][0]["filename"], "different.en.pdf", "the English one is first");

    let answer = public.get(&format!("/api/{}", page["href"].as_str().unwrap()));
    assert_eq!((answer.status, answer.body.as_slice()), (200, part));
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(answer.header("content-security-policy").unwrap().contains("sandbox"));
    assert_eq!(public.get(&path("language=ru")).body, first);
    public.get(&path("language=en&format=html")).expect(404);

    put("language=ru&format=pdf", b"<p>no PDF</p>").expect(400);
    put("language=ru&format=html", b"\xff").expect(400);
    put("language=../x&format=html", part).expect(400);
    put("format=html", part).expect(400);
    let judge = server.by_name("judge");
    judge.send("PUT", &path("language=ru"), Some("application/pdf"), &first).expect(403);
    public.send("PUT", &path("language=ru"), Some("application/pdf"), &first).expect(401);
    // The package again brings its own files: those that were made of the old one go.
    let report =
        admin.send("POST", "/api/packages?name=x.zip", Some("application/zip"), &package("different", &[]));
    let problem = json!({"package": report.expect(201)["package"], "id": "different", "label": "A"});
    assert_eq!(admin.post("problems", &problem).expect(201)["statement_pages"], json!(null));
}

/// Returns a package whose points DOMjudge and the text of its format read differently: 10 points for two cases.
fn package_with_points() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("problem.yaml", "name: Sum\ntype: scoring\n"),
        ("data/testdata.yaml", "on_reject: continue\n"),
        ("data/secret/testdata.yaml", "accept_score: 10\n"),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", "1\n"),
        ("data/secret/2.in", "1\n"),
        ("data/secret/2.ans", "1\n"),
        ("submissions/accepted/a.py", "# @EXPECTED_SCORE@: 10\nprint(1)\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    zip_of(folder.path())
}

#[test]
fn rules_of_points_go_from_the_package_to_the_judgehost() {
    let server = Server::with_demo();
    let (admin, ants, host) = (server.admin(), server.by_name("ants"), server.judgehost());
    let zip = package_with_points();
    let report = admin.send("POST", "/api/packages?name=sum.zip", Some("application/zip"), &zip).expect(201);
    let shown =
        json!({"rules": "domjudge", "reason": "submissions/accepted/a.py has a tag @EXPECTED_SCORE@"});
    assert_eq!((&report["scores"], &report["max_score"]), (&shown, &json!(10.0)));
    host.put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
    for (number, (named, rules)) in
        [(json!(null), "domjudge"), (json!("format"), "format"), (json!("domjudge"), "domjudge")]
            .into_iter()
            .enumerate()
    {
        let mut problem = json!({"package": report["package"], "id": "sum", "label": "S"});
        if !named.is_null() {
            problem["scores"] = named;
        }
        admin.post("problems", &problem).expect(201);
        let states = admin.get("problem-states").expect(200);
        let state = states.as_array().unwrap().iter().find(|state| state["id"] == "sum").unwrap();
        assert_eq!(state["scores"], rules);
        let mut submission = program(&format!("{number}"));
        submission["problem_id"] = json!("sum");
        ants.post("submissions", &submission).expect(201);
        let mut wish = json!({"max": 1, "wait_s": 0});
        let claim = || host.post("/api/judgehosts/h1/claim", &wish).expect(200)["jobs"].clone();
        if rules == "domjudge" {
            assert_eq!(claim(), json!([]), "a judgehost that names no rules would compute other points");
            let shown = admin.get("/api/judgehosts/h1").expect(200);
            assert_eq!(shown["unknown_scores"], json!(["domjudge"]));
            wish["scores"] = json!(["format", "domjudge", "of later"]);
        }
        let claim = || host.post("/api/judgehosts/h1/claim", &wish).expect(200)["jobs"].clone();
        assert_eq!(claim()[0]["scores"], rules);
    }
    // A problem without points has no rules for them.
    let pass_fail =
        admin.send("POST", "/api/packages?name=x.zip", Some("application/zip"), &package("different", &[]));
    let mut problem = json!({"package": pass_fail.expect(201)["package"], "id": "x", "label": "X"});
    problem["scores"] = json!("domjudge");
    let refused = admin.post("problems", &problem).expect(422);
    assert!(refused["detail"].as_str().unwrap().contains("pass-fail problem"), "{refused}");
}
