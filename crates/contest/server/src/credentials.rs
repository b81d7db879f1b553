//! What teams log in with: passwords, and the sheets and tables that organisers hand out.

use crate::Problem;
use documents::contest::Credential;
use qrcode::{EcLevel, QrCode, render::svg};
use std::fmt::Write;

/// Without signs that look alike on paper: no 0 and o, no 1, i and l.
const SIGNS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Three groups of four signs are 59 bits: more than all guesses that the limit on attempts lets through.
const GROUPS: usize = 3;
const GROUP_SIGNS: usize = 4;

const STYLE: &str = "@page{margin:12mm}body{font:11pt system-ui,sans-serif;margin:0}\
main{display:grid;grid-template-columns:1fr 1fr;gap:6mm}\
section{border:1px dashed #777;padding:5mm;break-inside:avoid;display:grid;grid-template-columns:1fr auto;gap:4mm}\
h2{font-size:13pt;margin:0 0 3mm;grid-column:1/-1;overflow-wrap:anywhere}\
dl{display:grid;grid-template-columns:auto 1fr;gap:1mm 4mm;margin:0;align-content:start}\
dd{margin:0;overflow-wrap:anywhere}.secret{font:bold 13pt ui-monospace,monospace}svg{width:26mm;height:26mm}";

/// Returns a random password that can be typed from paper.
///
/// # Panics
///
/// When the system has no randomness: nothing safe can be done then.
pub fn password() -> String {
    let mut text = String::new();
    while text.len() < GROUPS * (GROUP_SIGNS + 1) - 1 {
        if text.len() % (GROUP_SIGNS + 1) == GROUP_SIGNS {
            text.push('-');
        }
        let mut byte = [0];
        getrandom::fill(&mut byte).expect("the system has randomness");
        // What is above the largest multiple would make some signs likelier than others.
        if usize::from(byte[0]) < 256 / SIGNS.len() * SIGNS.len() {
            text.push(char::from(SIGNS[usize::from(byte[0]) % SIGNS.len()]));
        }
    }
    text
}

/// Returns a table with a line for each account (RFC 4180).
pub fn csv(credentials: &[Credential], address: &str) -> Result<String, Problem> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let header = ["team_id", "label", "team", "login", "password", "address"];
    table.write_record(header).map_err(Problem::internal)?;
    for Credential { team_id, label, team, username, password, .. } in credentials {
        let label = label.as_deref().unwrap_or_default();
        let line = [team_id, label, team, username, password, address].map(contest_rules::files::as_csv_text);
        table.write_record(line).map_err(Problem::internal)?;
    }
    String::from_utf8(table.into_inner().map_err(Problem::internal)?).map_err(Problem::internal)
}

/// Returns a page to print and cut, with a part for each account. It needs nothing from elsewhere.
pub fn sheets(contest: &str, credentials: &[Credential], address: &str) -> Result<String, Problem> {
    let code = match address {
        "" => String::new(),
        address => {
            let code = QrCode::with_error_correction_level(address, EcLevel::M).map_err(Problem::internal)?;
            let text = code.render::<svg::Color<'_>>().quiet_zone(false).build();
            // What stands before the element is for files of their own.
            text[text.find("<svg").unwrap_or(0)..].to_owned()
        }
    };
    let title = escape(contest);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}: logins</title><style>{STYLE}</style><main>\n"
    );
    for Credential { label, team, username, password, .. } in credentials {
        let mut facts = String::new();
        let mut fact = |name: &str, value: &str, class: &str| {
            if !value.is_empty() {
                let _ = write!(facts, "<dt>{name}</dt><dd{class}>{}</dd>", escape(value));
            }
        };
        fact("Contest", contest, "");
        fact("Seat", label.as_deref().unwrap_or_default(), "");
        fact("Address", address, "");
        fact("Login", username, " class=\"secret\"");
        fact("Password", password, " class=\"secret\"");
        let team = escape(team);
        let _ = writeln!(page, "<section><h2 dir=\"auto\">{team}</h2><dl>{facts}</dl>{code}</section>");
    }
    page.push_str("</main></html>\n");
    Ok(page)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(team: &str) -> Credential {
        Credential {
            account_id: "t1".to_owned(),
            team_id: "t1".to_owned(),
            label: Some("A7".to_owned()),
            team: team.to_owned(),
            username: "t1".to_owned(),
            password: "abcd-efgh-jkmn".to_owned(),
        }
    }

    #[test]
    fn passwords_can_be_typed_from_paper_and_differ() {
        let passwords: std::collections::BTreeSet<String> = (0..200).map(|_| password()).collect();
        assert_eq!(passwords.len(), 200);
        for password in &passwords {
            let groups: Vec<&str> = password.split('-').collect();
            assert_eq!(groups.iter().map(|group| group.len()).collect::<Vec<_>>(), [4, 4, 4], "{password}");
            assert!(groups.concat().bytes().all(|sign| SIGNS.contains(&sign)), "{password}");
        }
        let used: std::collections::BTreeSet<u8> = passwords.iter().flat_map(|one| one.bytes()).collect();
        assert_eq!(used.len(), SIGNS.len() + 1, "all signs are used");
    }

    #[test]
    fn names_of_teams_are_neither_formulas_nor_markup() {
        let all = [credential("=HYPERLINK(\"x\")"), credential("a, <b>\"")];
        let table = csv(&all, "http://h").unwrap();
        assert_eq!(
            table,
            "team_id,label,team,login,password,address\n\
             t1,A7,\"'=HYPERLINK(\"\"x\"\")\",t1,abcd-efgh-jkmn,http://h\n\
             t1,A7,\"a, <b>\"\"\",t1,abcd-efgh-jkmn,http://h\n"
        );
        let page = sheets("C & D", &all, "http://h").unwrap();
        assert!(page.contains("a, &lt;b&gt;&quot;") && page.contains("C &amp; D: logins"));
        assert_eq!((page.matches("<section>").count(), page.matches("<svg").count()), (2, 2));
        assert!(!sheets("C", &all, "").unwrap().contains("<svg"), "without an address there is no code");
    }
}
