//! The board as an archive with a page.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::{Client, Server, at, judge, program};
use test_support::{Files, unzip};

const ZIP: &str = "/api/contests/demo/scoreboard.zip";
const FREEZE: &str = "The scoreboard was frozen with 60 minutes remaining - submissions in the last 60 minutes of the \
                      contest are still shown as pending.";

/// Returns the files of an archive.
fn files(client: &Client, path: &str) -> Files {
    let answer = client.get(path);
    assert_eq!(answer.status, 200);
    unzip(&answer.body)
}

fn page(client: &Client, path: &str) -> String {
    String::from_utf8(files(client, path).remove("index.html").unwrap()).unwrap()
}

#[test]
fn a_board_is_a_page_that_needs_no_server() {
    let server = Server::with_demo();
    let (admin, public) = (server.admin(), server.public());
    // It freezes after four hours.
    admin.patch("settings", &json!({"start_time": at(-4 * 3600 - 60)})).expect(200);
    let evil = json!([
        {"id": "ants", "name": "<script>alert(\"&\")</script>", "organization_id": "uni", "group_ids": ["site"]},
        {"id": "bees", "name": "Bees", "group_ids": ["site"]},
    ]);
    admin.put("teams", &evil).expect(204);
    let logo = br#"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"></svg>"#;
    let logo_path = "/api/contests/demo/organizations/uni/files/logo/uni.svg";
    assert!(admin.send("PUT", logo_path, Some("image/svg+xml"), logo).status < 300);
    // An SVG could run scripts as the site where the board is published.
    assert!(!files(&server.public(), ZIP).contains_key("logos/organizations/uni.svg"));
    let logo = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x38\0\0\0\x38\x08\x06\0\0\0\0\0\0\0";
    let logo_path = "/api/contests/demo/organizations/uni/files/logo/uni.png";
    assert!(admin.send("PUT", logo_path, Some("image/png"), logo).status < 300);

    let host = server.registered_judgehost();
    let mut early = program("1");
    (early["team_id"], early["time"]) = (json!("ants"), json!(at(-3600)));
    admin.post("submissions", &early).expect(201);
    judge(&host, "h1", "AC");
    let before = public.get(ZIP).body;
    server.by_name("bees").post("submissions", &program("2")).expect(201);
    let waiting = public.get(ZIP).body;
    assert_ne!(before, waiting, "it is pending");
    judge(&host, "h1", "AC");
    assert_eq!(public.get(ZIP).body, waiting, "the freeze hides the verdict");

    let found = files(&public, ZIP);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["awards.json", "index.html", "logos/organizations/uni.png", "scoreboard.json", "teams.json"]
    );
    assert_eq!(found["logos/organizations/uni.png"], logo);
    for name in ["scoreboard", "awards", "teams"] {
        let packed: Value = serde_json::from_slice(&found[&format!("{name}.json")]).unwrap();
        assert_eq!(packed, public.get(name).expect(200), "{name}");
    }
    let shown = page(&public, ZIP);
    assert!(shown.contains(FREEZE) && shown.contains("Not final"), "{shown}");
    assert!(shown.contains("&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;"), "{shown}");
    for never in ["<script", "http:", "https:", "<link"] {
        assert!(!shown.contains(never), "{never} in {shown}");
    }
    assert!(shown.contains("★ ✓ 18") && shown.contains("?<small>1 try"), "{shown}");
    assert!(shown.contains("src=\"logos/organizations/uni.png\""));

    let of_jury = page(&admin, ZIP);
    assert!(!of_jury.contains(FREEZE) && of_jury.contains("The jury's board"), "{of_jury}");
    assert!(of_jury.contains(">✓ 24"), "{of_jury}");
    assert_eq!(admin.get(&format!("{ZIP}?public=true")).body, waiting);
    assert_eq!(server.by_name("bees").get(ZIP).body, waiting);
    assert!(page(&public, &format!("{ZIP}?group_id=site")).contains("only <bdi>Site</bdi>"));
    public.get(&format!("{ZIP}?group_id=none")).expect(404);

    let over = json!({"start_time": at(-5 * 3600 - 60)});
    admin.patch("settings", &over).expect(200);
    assert!(page(&public, ZIP).contains("Not final"));
    admin.post("finalize", &json!({"extra_bronze": 0, "comment": "done"})).expect(200);
    let hidden = page(&public, ZIP);
    assert!(hidden.contains("Not final") && !hidden.contains("<h2>Awards</h2>"), "it is frozen: {hidden}");
    let shown = page(&admin, ZIP);
    assert!(shown.contains("Final results") && !shown.contains("Not final"), "{shown}");
    assert!(shown.contains("<h2>Awards</h2>"), "{shown}");
}
