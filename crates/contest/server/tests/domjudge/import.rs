//! What `import-contest` sends.

use super::support::{Client, FORM, Server, form, set_up};
use super::{DEMO, package, send, zip_form};
use serde_json::{Value, json};

/// A picture of 160 x 56 pixels, or its beginning.
const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="160" height="56"/>"#;

/// Returns the same with a folder that packages do not have.
fn odd_package() -> Vec<u8> {
    let mut files = test_support::unzip(&package());
    files.insert("strange/a.txt".to_owned(), Vec::new());
    test_support::zip(&files)
}

#[test]
fn import_contest_sends_its_files_one_by_one() {
    let server = Server::start();
    let admin = server.admin();
    let send = |client: &Client, path: &str, field: &str, text: &str| {
        client.send("POST", path, Some(FORM), &form(&[], &[(field, "file", text)]))
    };
    let groups = r#"[{"id": "3", "name": "Participants"}]"#;
    assert_eq!(send(&admin, "/api/v4/users/groups", "json", groups).status, 409, "there is no contest yet");
    let yaml = "id: demo\nname: Demo\nduration: 5:00:00\n";
    assert_eq!(send(&admin, "/api/v4/contests", "yaml", yaml).expect(200), json!("demo"));
    let answer = send(&admin, "/api/v4/users/groups", "json", groups).expect(200);
    assert!(answer.as_str().unwrap().starts_with("demo: groups: 1"), "{answer}");
    let organizations = r#"[{"id": "uni", "name": "Uni"}]"#;
    send(&admin, "/api/v4/users/organizations", "json", organizations).expect(200);
    let teams = r#"[{"id": "1", "name": "Ants", "group_ids": ["3"], "organization_id": "uni"}]"#;
    send(&admin, "/api/v4/users/teams", "json", teams).expect(200);
    let accounts =
        "- id: ants\n  username: ants\n  password: secret-of-the-ants\n  type: team\n  team_id: \"1\"\n";
    send(&admin, "/api/v4/users/accounts", "yaml", accounts).expect(200);
    let user = server.by_password("ants", "secret-of-the-ants").get("/api/v4/user").expect(200);
    assert_eq!(user["team_id"], "1");
    assert_eq!(send(&admin, "/api/v4/users/teams", "csv", teams).status, 400);
    assert_eq!(send(&admin, "/api/v4/users/other", "json", teams).status, 404);
    let ants = server.by_password("ants", "secret-of-the-ants");
    assert_eq!(send(&ants, "/api/v4/users/teams", "json", teams).status, 403);
    assert_eq!(send(&ants, "/api/v4/contests", "yaml", yaml).status, 403);
}

#[test]
fn import_contest_sends_pictures() {
    let server = Server::with_demo();
    let (admin, ants) = (server.admin(), server.by_name("ants"));
    let next = json!({"id": "next", "name": "Next", "duration": "5:00:00"});
    admin.post("/api/contests", &next).expect(201);
    admin.put("/api/contests/next/organizations", &json!([{"id": "uni", "name": "Uni"}])).expect(204);
    admin.put("/api/contests/next/teams", &json!([{"id": "1", "name": "Ants"}])).expect(204);
    let logo = ("logo", "logo.64x64.svg", SVG);
    let named = |object: &Value, property: &str| -> Vec<String> {
        let files = object[property].as_array().unwrap();
        files.iter().map(|file| file["filename"].as_str().unwrap().to_owned()).collect()
    };
    // They are those of the next contest, as all that has no contest in its path.
    assert_eq!(send(&admin, "/api/v4/organizations/uni/logo", &[], ("logo", "old.svg", SVG)).status, 204);
    assert_eq!(send(&admin, "/api/v4/organizations/uni/logo", &[], logo).status, 204);
    assert_eq!(send(&admin, "/api/v4/teams/1/photo", &[], ("photo", "photo.svg", SVG)).status, 204);
    assert_eq!(send(&admin, "/api/v4/contests/next/banner", &[], ("banner", "banner.svg", SVG)).status, 204);
    let uni = admin.get("/api/contests/next/organizations/uni").expect(200);
    assert_eq!(named(&uni, "logo"), ["logo.64x64.svg"], "DOMjudge has one logo: it replaces the other");
    assert_eq!((&uni["logo"][0]["width"], &uni["logo"][0]["mime"]), (&json!(160), &json!("image/svg+xml")));
    assert_eq!(named(&admin.get("/api/contests/next/teams/1").expect(200), "photo"), ["photo.svg"]);
    assert_eq!(named(&admin.get("/api/contests/next").expect(200), "banner"), ["banner.svg"]);
    assert_eq!(send(&admin, &format!("{DEMO}/organizations/uni/logo"), &[], logo).status, 204);
    assert_eq!(send(&admin, &format!("{DEMO}/teams/ants/photo"), &[], ("photo", "a.svg", SVG)).status, 204);
    // What our own paths refuse is refused.
    let path = "/api/v4/organizations/uni/logo";
    for (client, path, file, status) in [
        (&admin, "/api/v4/organizations/none/logo", logo, 404),
        (&admin, "/api/v4/contests/none/banner", ("banner", "a.svg", SVG), 404),
        (&admin, path, ("picture", "a.svg", SVG), 400),
        (&admin, path, ("logo", "../a.svg", SVG), 400),
        (&admin, path, ("logo", "", SVG), 400),
        (&admin, path, ("logo", "a.svg", "<html><script>alert(1)</script></html>"), 400),
        (&ants, path, logo, 403),
        (&server.by_name("judge"), path, logo, 403),
        (&server.public(), path, logo, 401),
        (&admin.with("origin", "https://evil.test"), path, logo, 403),
    ] {
        assert_eq!(send(client, path, &[], file).status, status, "{path} {file:?}");
    }
    assert_eq!(send(&admin, path, &[("tag", "dark")], logo).status, 400, "a field that is dropped");
    let two = form(&[], &[logo, ("logo", "b.svg", SVG)]);
    assert_eq!(admin.send("POST", path, Some(FORM), &two).status, 400);
    assert_eq!(admin.send("POST", path, Some(FORM), &two[..two.len() / 2]).status, 400, "cut off");
    assert_eq!(admin.send("POST", path, Some("text/plain"), &two).status, 415);
    assert_eq!(
        named(&admin.get("/api/contests/next/organizations/uni").expect(200), "logo"),
        ["logo.64x64.svg"]
    );
}

#[test]
fn import_contest_sends_the_list_of_problems_and_then_their_packages() {
    let server = Server::with_demo();
    let (admin, ants) = (server.admin(), server.by_name("ants"));
    let list = "- {id: hello, label: H, rgb: '#FF0000', color: red, name: Hi, time_limit: 7, memory_limit: 99, languages: [cpp]}\n- {id: other, label: O, colour: blue}\n";
    let path = format!("{DEMO}/problems/add-data");
    let answer = send(&admin, &path, &[], ("data", "problems.yaml", list));
    assert_eq!(answer.expect(200), json!(["hello", "other"]));
    // Its client shows the answer only.
    let warning = answer.header("tautochrone-warning").unwrap();
    assert!(warning.starts_with("problems.yaml:2: [1]: 'colour'"), "{warning}");
    let state = |id: &str| admin.get(&format!("problems/{id}/state")).expect(200);
    let waiting = state("hello");
    assert_eq!(
        (&waiting["is_paused"], &waiting["pause_reason"]),
        (&json!(true), &json!("its package is missing"))
    );
    let not_paused = "- {id: other, label: O, ordinal: 2, is_paused: false}\n";
    send(&admin, &path, &[], ("data", "problems.yaml", not_paused)).expect(200);
    assert_eq!(state("other")["pause_reason"], "its package is missing", "nothing can be judged without it");
    let path = format!("{DEMO}/problems");
    let post = |client: &Client, body: &[u8]| client.send("POST", &path, Some(FORM), body);
    let added = post(&admin, &zip_form(&[("problem", "hello")], "hello.zip", &package())).expect(200);
    assert_eq!((&added["problem_id"], &added["messages"]["warning"]), (&json!("hello"), &json!([])));
    let problem = admin.get("problems/hello").expect(200);
    assert_eq!(
        (&problem["label"], &problem["rgb"], &problem["color"]),
        (&json!("H"), &json!("#FF0000"), &json!("red"))
    );
    assert_eq!(
        (&problem["name"], &problem["time_limit"], &problem["memory_limit"]),
        (&json!("Hi"), &json!(7.0), &json!(99)),
        "what the list said"
    );
    assert_eq!(state("hello")["languages"], json!(["cpp"]));
    assert_eq!(state("hello")["pause_reason"], Value::Null);
    assert_eq!((&state("hello")["is_paused"], &state("other")["is_paused"]), (&json!(false), &json!(true)));
    // Paused by hand, it stays so with another package; the list again changes only what it has.
    let pause = json!({"is_paused": true, "pause_reason": "a mistake"});
    admin.patch("problems/hello", &pause).expect(200);
    // The field may come after the file.
    let whole = zip_form(&[("problem", "hello")], "x.zip", &package());
    let end = whole.windows(14).position(|part| part == b"--4f2d9a41c6\r\n").unwrap();
    let second =
        end + 14 + whole[end + 14..].windows(14).position(|part| part == b"--4f2d9a41c6\r\n").unwrap();
    let (field, rest) = (&whole[..second], &whole[second..whole.len() - 16]);
    post(&admin, &[rest, field, b"--4f2d9a41c6--\r\n"].concat()).expect(200);
    assert_eq!(state("hello")["pause_reason"], "a mistake");
    let again = "[{\"id\": \"hello\", \"label\": \"HH\"}]";
    send(&admin, &format!("{path}/add-data"), &[], ("data", "problems.json", again)).expect(200);
    assert_eq!(admin.get("problems/hello").expect(200)["label"], "HH");
    assert_ne!(state("hello")["package"], state("other")["package"], "its package stays");
    let odd = post(&admin, &zip_form(&[("problem", "hello")], "hello.zip", &odd_package())).expect(200);
    let warning = odd["messages"]["warning"][0].as_str().unwrap();
    assert!(warning.starts_with("strange"), "the client prints it: {warning}");
    let odd = [&b"not a zip"[..], &package()[9..]].concat();
    for (client, body, status) in [
        (&admin, zip_form(&[("problem", "a b")], "hello.zip", &package()), 400),
        (&admin, zip_form(&[("problem", "hello"), ("force", "1")], "hello.zip", &package()), 400),
        (&admin, zip_form(&[], "hello.zip", &odd), 422),
        (&admin, form(&[("problem", "hello")], &[]), 400),
        (&ants, whole.clone(), 403),
        (&server.public(), whole.clone(), 401),
    ] {
        assert_eq!(post(client, &body).status, status);
    }
    assert_eq!(post(&admin, &whole[..whole.len() - 40]).status, 400, "cut off");
    let path = "/api/v4/contests/none/problems";
    assert_eq!(admin.send("POST", path, Some(FORM), &whole).status, 404);
    assert_eq!(
        send(&ants, &format!("{DEMO}/problems/add-data"), &[], ("data", "problems.yaml", list)).status,
        403
    );
    let refused = send(&admin, &format!("{DEMO}/problemset"), &[], ("problemset", "contest.pdf", "%PDF-"));
    assert!(refused.expect(404)["detail"].as_str().unwrap().contains("statements.pdf is made of"));
}

#[test]
fn packages_are_as_long_as_those_sent_otherwise() {
    let server = Server::start_with(|config| config.limits.package_bytes = 1 << 19);
    set_up(&server);
    let path = format!("{DEMO}/problems");
    // Of a body that is refused at once the server reads one MiB more: after that the client is cut off, maybe before it sees why.
    let long = zip_form(&[("problem", "long")], "long.zip", &vec![b'x'; 900_000]);
    assert_eq!(server.admin().send("POST", &path, Some(FORM), &long).status, 413);
}

#[test]
fn warnings_of_a_contest_file_are_headers() {
    let server = Server::start();
    let odd: String = (0..30).map(|number| format!("ödd{number}: 1\n")).collect();
    let yaml =
        format!("id: demo\nname: Demo\nduration: 5:00:00\n{odd}problems:\n- {{id: hello, label: A}}\n");
    let answer = send(&server.admin(), "/api/v4/contests", &[], ("yaml", "contest.yaml", &yaml));
    assert_eq!(answer.expect(200), json!("demo"), "the client goes on with the id");
    let warnings: Vec<&String> = answer
        .headers
        .iter()
        .filter(|(name, _)| name == "tautochrone-warning")
        .map(|(_, text)| text)
        .collect();
    assert_eq!((warnings.len(), warnings[20].as_str()), (21, "and 10 more, which are in the server's log"));
    let problem = server.admin().get("problems/hello/state").expect(200);
    assert_eq!(problem["is_paused"], true);
}
