//! The page of a board: one file with its style, without scripts.

use documents::contest::{
    Award, Contest, Problem, ProblemScore, RelTime, Scoreboard, ScoreboardRow, ScoreboardType, Team,
};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

pub struct Page<'a> {
    pub contest: &'a Contest,
    pub logo: Option<&'a str>,
    /// The name of the group whose teams are on the board, if not all are.
    pub group: Option<&'a str>,
    /// Whether it has what the freeze hides.
    pub is_jury: bool,
    pub board: &'a Scoreboard,
    pub problems: Vec<Problem>,
    pub teams: BTreeMap<&'a str, &'a Team>,
    /// Names and logos of the organizations by their ids.
    pub organizations: &'a BTreeMap<String, (String, Option<String>)>,
    pub awards: &'a [Award],
}

/// Returns a text as HTML, also for attributes.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// Returns a name as HTML whose direction of writing does not reach beyond it.
fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(text))
}

fn minutes(time: Option<RelTime>) -> i64 {
    time.map_or(0, |time| time.0 / 60_000)
}

fn tries(count: u32) -> String {
    format!("{count} {}", if count == 1 { "try" } else { "tries" })
}

impl Page<'_> {
    pub fn html(&self) -> String {
        let title = self.contest.formal_name.as_ref().unwrap_or(&self.contest.name);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<title>Scoreboard: {}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<h1>",
            escape(title)
        );
        if let Some(logo) = self.logo {
            let _ = write!(page, "<img src=\"{}\" alt=\"\">", escape(logo));
        }
        let _ = writeln!(page, "{}</h1>", name(title));
        self.state(&mut page);
        self.table(&mut page);
        self.legend(&mut page);
        self.cited(&mut page);
        page.push_str(
            "<p class=\"soft\">The same as data: <a href=\"scoreboard.json\">scoreboard</a>, \
             <a href=\"awards.json\">awards</a>, <a href=\"teams.json\">teams</a>.</p>\n</body>\n</html>\n",
        );
        page
    }

    fn is_pass_fail(&self) -> bool {
        self.contest.scoreboard_type == ScoreboardType::PassFail
    }

    /// Returns whether nothing of this board can change: what is hidden from the public comes later.
    fn is_final(&self) -> bool {
        let state = &self.board.state;
        let is_hidden = !self.is_jury && state.frozen.is_some() && state.thawed.is_none();
        state.finalized.is_some() && !is_hidden
    }

    fn state(&self, page: &mut String) {
        let state = &self.board.state;
        let phase = match state {
            _ if self.is_final() => "Final results",
            state if state.ended.is_some() => "The contest is over",
            state if state.started.is_some() => "The contest is running",
            _ => "The contest has not started",
        };
        let group = self.group.map(|group| format!(" · only {}", name(group))).unwrap_or_default();
        let _ = write!(page, "<p>{phase}{group}");
        if state.started.is_some() {
            let time = self.board.time.to_string();
            let second = time.split(['.', 'Z']).next().unwrap_or_default().replacen('T', " ", 1);
            let _ = write!(page, " · <span class=\"soft\">last change {second} UTC</span>");
        }
        page.push_str("</p>\n");
        if !self.is_final() {
            page.push_str("<p class=\"note\"><strong>Not final</strong>: what is shown may change.</p>\n");
        }
        match (self.board.freeze_sentence(self.contest), self.is_jury) {
            (Some(sentence), false) => {
                let _ = writeln!(page, "<p class=\"note\">{}</p>", escape(&sentence));
            }
            (Some(_), true) => page.push_str(
                "<p class=\"note\"><strong>The jury's board</strong>: it shows what the public board does not show \
                 while it is frozen.</p>\n",
            ),
            (None, _) => {}
        }
    }

    fn table(&self, page: &mut String) {
        page.push_str(
            "<div class=\"box\" role=\"region\" aria-label=\"Scoreboard\" tabindex=\"0\">\n<table>\n<thead><tr>\
             <th scope=\"col\">Rank</th><th scope=\"col\" class=\"team\">Team</th>",
        );
        let totals: &[&str] = if self.is_pass_fail() { &["Solved", "Time"] } else { &["Score"] };
        for total in totals {
            let _ = write!(page, "<th scope=\"col\">{total}</th>");
        }
        for problem in &self.problems {
            let (title, label) = (escape(&problem.name), escape(&problem.label));
            let ball = ball(problem);
            let _ = write!(page, "<th scope=\"col\" title=\"{title}\">{ball}{label}</th>");
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.board.rows {
            self.row(page, row);
        }
        page.push_str("</tbody>\n</table>\n</div>\n");
        if self.board.rows.is_empty() {
            page.push_str("<p>There are no teams.</p>\n");
        }
    }

    fn team(&self, id: &str) -> String {
        let team = self.teams.get(id);
        name(team.map_or(id, |team| team.display_name.as_ref().unwrap_or(&team.name)))
    }

    fn row(&self, page: &mut String, row: &ScoreboardRow) {
        let rank = match row.is_hidden {
            Some(true) => "hidden".to_owned(),
            _ => row.rank.to_string(),
        };
        let _ = write!(page, "<tr><td>{rank}</td><th scope=\"row\" class=\"team\">");
        let organization =
            self.teams.get(row.team_id.as_str()).and_then(|team| team.organization_id.as_ref());
        let organization = organization.and_then(|id| self.organizations.get(id.as_str()));
        if let Some((_, Some(logo))) = organization {
            let _ = write!(page, "<img src=\"{}\" alt=\"\">", escape(logo));
        }
        page.push_str(&self.team(&row.team_id));
        if let Some((named, _)) = organization {
            let _ = write!(page, "<small>{}</small>", name(named));
        }
        page.push_str("</th>");
        if self.is_pass_fail() {
            let (solved, time) = (row.score.num_solved.unwrap_or(0), minutes(row.score.total_time));
            let _ = write!(page, "<td><strong>{solved}</strong></td><td>{time}</td>");
        } else {
            let _ = write!(page, "<td><strong>{}</strong></td>", row.score.score.unwrap_or(0.0));
        }
        for problem in &self.problems {
            let score = row.problems.iter().find(|score| score.problem_id == problem.id);
            page.push_str(&score.map_or_else(|| "<td></td>".to_owned(), |score| self.cell(score)));
        }
        page.push_str("</tr>\n");
    }

    fn cell(&self, score: &ProblemScore) -> String {
        let (judged, pending) = (score.num_judged, score.num_pending);
        let first = if score.first_to_solve == Some(true) { ("★ ", " first") } else { ("", "") };
        let count = match (judged, pending) {
            (judged, 0) => tries(judged),
            (0, pending) => tries(pending),
            (judged, pending) => format!("{judged} + {pending} tries"),
        };
        let points = score.score.filter(|_| !self.is_pass_fail());
        let is_better = points.is_some_and(|points| points > 0.0);
        match (judged, pending) {
            _ if score.solved == Some(true) => {
                let time = minutes(score.time);
                format!("<td class=\"good{}\">{}✓ {time}<small>{count}</small></td>", first.1, first.0)
            }
            (0, 0) if !is_better => "<td></td>".to_owned(),
            (_, pending) if is_better => {
                let (class, mark) = if pending > 0 { ("wait", "? ") } else { ("good", "") };
                let points = points.unwrap_or(0.0);
                format!(
                    "<td class=\"{class}{}\">{}{mark}{points}<small>{count}</small></td>",
                    first.1, first.0
                )
            }
            (_, 1..) => format!("<td class=\"wait\">?<small>{count}</small></td>"),
            _ if points.is_some() => format!("<td class=\"bad\">0<small>{count}</small></td>"),
            _ => format!("<td class=\"bad\">✗<small>{count}</small></td>"),
        }
    }

    fn legend(&self, page: &mut String) {
        page.push_str(if self.is_pass_fail() {
            "<p class=\"soft\">✓ 43: solved in minute 43; ★ the first to solve it; ✗ not solved; ? waits for a verdict, \
             with 1 + 2 tries: 1 that was judged, 2 that wait.</p>\n"
        } else {
            "<p class=\"soft\">A number: the points; ★ the first to solve it; ? waits for a verdict, with 1 + 2 tries: 1 \
             that was judged, 2 that wait.</p>\n"
        });
        if self.problems.is_empty() {
            return;
        }
        page.push_str("<h2>Problems</h2>\n<ul>\n");
        for problem in &self.problems {
            let (ball, label) = (ball(problem), escape(&problem.label));
            let _ = writeln!(page, "<li>{ball}{label}: {}</li>", name(&problem.name));
        }
        page.push_str("</ul>\n");
    }

    /// Before the result is final awards change with each verdict.
    fn cited(&self, page: &mut String) {
        let of = |award: &Award| award.team_ids.as_ref().is_some_and(|teams| !teams.is_empty());
        if !self.is_final() || !self.awards.iter().any(of) {
            return;
        }
        page.push_str("<h2>Awards</h2>\n<ul>\n");
        for award in self.awards.iter().filter(|award| of(award)) {
            let teams: Vec<String> = award.team_ids.iter().flatten().map(|id| self.team(id)).collect();
            let _ = writeln!(page, "<li>{}: {}</li>", name(&award.citation), teams.join(", "));
        }
        page.push_str("</ul>\n");
    }
}

/// Returns the colour of a problem's balloon, if it has one.
fn ball(problem: &Problem) -> String {
    let is_colour = |rgb: &&String| {
        rgb.strip_prefix('#').is_some_and(|digits| {
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    let rgb = problem.rgb.as_ref().filter(is_colour);
    rgb.map(|rgb| format!("<span class=\"ball\" style=\"background:{rgb}\"></span>")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    fn html(kind: &str, rows: &Value) -> String {
        let contest: Contest =
            from_value(json!({"id": "c", "name": "C", "duration": "5:00:00", "start_time": null, "scoreboard_type": kind}))
                .unwrap();
        let board: Scoreboard = from_value(json!({
            "time": "2026-11-23T13:30:00.000Z", "contest_time": "4:30:00.000",
            "state": {"started": "2026-11-23T09:00:00.000Z"}, "rows": rows,
        }))
        .unwrap();
        let problem = |(id, rgb): (&str, &str)| {
            let value = json!({"id": id, "label": id, "name": id, "ordinal": 1, "memory_limit": 1, "rgb": rgb,
                               "output_limit": 1, "code_limit": 1, "test_data_count": 1});
            from_value(value).unwrap()
        };
        let page = Page {
            contest: &contest,
            logo: None,
            group: None,
            is_jury: false,
            board: &board,
            problems: [("a", "#AC00FF"), ("b", "red;}"), ("c", "#1"), ("d", "#fff")].map(problem).into(),
            teams: BTreeMap::new(),
            organizations: &BTreeMap::new(),
            awards: &[],
        };
        page.html()
    }

    #[test]
    fn cells_have_a_sign_and_not_a_colour_alone() {
        let page = html(
            "pass-fail",
            &json!([{"rank": 1, "team_id": "1", "score": {"num_solved": 1, "total_time": "1:03:00"}, "problems": [
                {"problem_id": "a", "num_judged": 2, "num_pending": 0, "solved": true, "time": "0:43:12",
                 "first_to_solve": true},
                {"problem_id": "b", "num_judged": 3, "num_pending": 0, "solved": false},
                {"problem_id": "c", "num_judged": 1, "num_pending": 2, "solved": false},
                {"problem_id": "d", "num_judged": 0, "num_pending": 0, "solved": false}]}]),
        );
        for part in [
            "<td><strong>1</strong></td><td>63</td>",
            "<td class=\"good first\">★ ✓ 43<small>2 tries</small></td><td class=\"bad\">✗<small>3 tries</small></td>\
             <td class=\"wait\">?<small>1 + 2 tries</small></td><td></td></tr>",
            "background:#AC00FF",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("red;"), "a colour is no style");
    }

    #[test]
    fn points_are_numbers() {
        let page = html(
            "score",
            &json!([{"rank": 1, "team_id": "1", "score": {"score": 72.5}, "problems": [
                {"problem_id": "a", "num_judged": 1, "num_pending": 0, "score": 72.5},
                {"problem_id": "b", "num_judged": 2, "num_pending": 0, "score": 0.0},
                {"problem_id": "c", "num_judged": 0, "num_pending": 1, "score": 0.0},
                {"problem_id": "d", "num_judged": 1, "num_pending": 1, "score": 5.0}]}]),
        );
        let cells = "<td><strong>72.5</strong></td><td class=\"good\">72.5<small>1 try</small></td><td class=\"bad\">0\
                     <small>2 tries</small></td><td class=\"wait\">?<small>1 try</small></td><td class=\"wait\">? 5\
                     <small>1 + 1 tries</small></td>";
        assert!(page.contains(cells), "{page}");
    }
}
