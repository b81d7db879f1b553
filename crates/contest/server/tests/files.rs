//! Statements, samples, attachments, and what a jury takes away of submissions.

#![allow(clippy::unwrap_used)]

mod support;

use lopdf::{Document, Object, dictionary};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use support::{Server, judge, program, registration, set_up, zip_of};

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
    let mut writer = zip::ZipWriter::new_append(Cursor::new(zip_of(&folder))).unwrap();
    for (name, content) in more {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns the files of a zip.
fn unzip(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        files.insert(entry.name().unwrap().into_owned(), content);
    }
    files
}

fn md5(bytes: &[u8]) -> String {
    use md5::Digest;
    md5::Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn files_of_problems_come_from_their_packages() {
    let server = Server::start();
    set_up(&server);
    let admin = server.admin();
    // Of a problem without a statement as PDF there is none, and none of the whole set.
    let plain = admin.get("/api/contests/demo/problems/different").expect(200);
    assert_eq!((&plain["statement"], &plain["attachments"]), (&json!(null), &json!(null)));
    server.public().get("/api/contests/demo/problems/different/statement").expect(404);
    assert!(
        admin.get("/api/contests/demo/statements.pdf").expect(404)["detail"].to_string().contains("PDF: A")
    );

    let add = |id: &str, label: &str, package: &[u8]| {
        let path = format!("/api/packages?name={id}.zip");
        let report = admin.send("POST", &path, Some("application/zip"), package).expect(201);
        let problem = json!({"package": report["package"], "id": id, "label": label});
        admin.post("/api/contests/demo/problems", &problem).expect(201)
    };
    let statement = pdf();
    let more: [(&str, &[u8]); 3] = [
        ("problem_statement/problem.en.pdf", &statement),
        ("attachments/tool.py", b"print(1)\n"),
        ("attachments/more/notes.bin", b"\0"),
    ];
    let different = package("different", &more);
    let object = add("different", "A", &different);
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
    add("catenary", "B", &package("catenary", &[("statement/problem.en.pdf", &statement)]));

    let public = server.public();
    for file in [&object["statement"][0], &object["attachments"][1]] {
        let answer = public.get(&format!("/api/{}", file["href"].as_str().unwrap()));
        assert_eq!(answer.status, 200);
        assert_eq!(md5(&answer.body), file["hash"].as_str().unwrap());
        assert_eq!(answer.header("content-type"), file["mime"].as_str());
    }
    assert_eq!(public.get("/api/contests/demo/problems/different/statement").body, statement);
    public.get("/api/contests/demo/problems/different/statement?language=de").expect(404);
    public.get("/api/contests/demo/problems/different/files/problem.yaml").expect(404);
    let all = public.get("/api/contests/demo/statements.pdf");
    assert_eq!(Document::load_mem(&all.body).unwrap().get_pages().len(), 2);
    let tag = all.header("etag").unwrap();
    assert_eq!(public.with("if-none-match", tag).get("/api/contests/demo/statements.pdf").status, 304);

    let samples = unzip(&public.get("/api/contests/demo/problems/different/samples.zip").body);
    assert_eq!(samples.keys().collect::<Vec<_>>(), ["01-near.ans", "01-near.in", "02-far.ans", "02-far.in"]);
    let whole = unzip(&public.get("/api/contests/demo/samples.zip").body);
    assert_eq!(whole["A-different/01-near.in"], samples["01-near.in"]);
    assert!(whole.keys().any(|name| name.starts_with("B-catenary/")));
}

#[test]
fn nobody_has_a_statement_before_the_start() {
    let server = Server::start();
    set_up(&server);
    let admin = server.admin();
    let settings = json!({"start_time": support::at(3600)});
    admin.patch("/api/contests/demo/settings", &settings).expect(200);
    let statement = pdf();
    let bytes = package("different", &[("problem_statement/problem.en.pdf", &statement)]);
    let report = admin.send("POST", "/api/packages", Some("application/zip"), &bytes).expect(201);
    let problem = json!({"package": report["package"], "id": "different", "label": "A"});
    admin.post("/api/contests/demo/problems", &problem).expect(201);
    for client in
        [server.public(), server.by_password("ants", "secret"), server.by_password("staff", "secret")]
    {
        for path in [
            "problems/different/statement",
            "problems/different/samples.zip",
            "statements.pdf",
            "samples.zip",
        ] {
            client.get(&format!("/api/contests/demo/{path}")).expect(404);
        }
    }
    assert_eq!(admin.get("/api/contests/demo/problems/different/statement").body, statement);
}

#[test]
fn a_jury_takes_submissions_away() {
    let server = Server::start();
    set_up(&server);
    let (ants, bees, host) =
        (server.by_password("ants", "secret"), server.by_password("bees", "secret"), server.judgehost());
    host.put("/api/judgehosts/h1", &registration("1", &["cpu: x"])).expect(200);
    for (client, text, verdict) in [(&ants, "one", "WA"), (&bees, "two", "WA"), (&ants, "three", "AC")] {
        client.post("/api/contests/demo/submissions", &program(text)).expect(201);
        judge(&host, "h1", verdict);
    }
    let analyst = server.by_password("analyst", "secret");
    ants.get("/api/contests/demo/submissions/1/debug.zip").expect(403);
    let debug = analyst.get("/api/contests/demo/submissions/3/debug.zip");
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
    let with_package = unzip(&analyst.get("/api/contests/demo/submissions/3/debug.zip?package=true").body);
    let problem = analyst.get("/api/contests/demo/problems/different/package").body;
    assert_eq!(with_package["different.zip"], problem);

    let moss = |query: &str| {
        let answer = analyst.get(&format!("/api/contests/demo/moss.zip{query}"));
        assert_eq!(answer.status, 200);
        unzip(&answer.body).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(moss(""), ["different/cpp/ants_3/a.cpp", "different/cpp/bees_2/a.cpp"]);
    assert_eq!(moss("?which=all").len(), 3);
    assert_eq!(moss("?which=all&solved=true"), ["different/cpp/ants_3/a.cpp"]);
    assert!(moss("?problem_id=other").is_empty());
    analyst.get("/api/contests/demo/moss.zip?which=some").expect(400);
    bees.get("/api/contests/demo/moss.zip").expect(403);
}
