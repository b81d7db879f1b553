//! What a record adds up to.
#![allow(clippy::unwrap_used)]

use documents::{StreamBoard, StreamPhase, StreamPoints, StreamRow};
use stream_rules::record::{Line, RecordError, VERSION, replay};
use stream_rules::{Contest, Dice, Generator, MultipleOf, Rules};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

fn rules() -> Rules {
    let number = |value: &str| MultipleOf { value: value.to_owned(), hidden: false, primes: Vec::new() };
    Rules { digits_max: 6, multiples_of: vec![number("823"), number("108")], ..Rules::default() }
}

/// A contest in which the digits of the source's sample appear at a time.
struct Play {
    contest: Contest,
    chunks: u64,
}

impl Play {
    fn new(rules: &Rules) -> Self {
        Self { contest: Contest::new(rules), chunks: 0 }
    }

    fn appears(&mut self, at_ns: u64, digits: &str) {
        let number = self.chunks;
        self.chunks += 1;
        self.contest.apply(Line::Chunk { number, digits: digits.to_owned() });
        self.contest.apply(Line::Sent { number, first_ns: at_ns, last_ns: at_ns + 1000, clients: 2 });
    }

    fn answer(&mut self, at_ns: u64, by: &str, text: &str) {
        self.contest.apply(Line::Answer { at_ns, by: by.to_owned(), text: text.to_owned() });
    }

    fn board_at(&mut self, at_ns: u64) -> StreamBoard {
        self.contest.apply(Line::Continued { at_ns: at_ns + SECOND });
        board(&self.contest)
    }

    fn row(&mut self, name: &str) -> StreamRow {
        let board = self.board_at(1000 * SECOND);
        board.rows.into_iter().find(|row| row.name == name).unwrap()
    }
}

fn board(contest: &Contest) -> StreamBoard {
    contest.board(StreamPhase::Running)
}

#[test]
fn points_go_by_the_order_of_receipt() {
    let mut play = Play::new(&rules());
    play.appears(SECOND, "123456789987654321");
    // Later lines that were received earlier come first.
    for place in (0..12_u64).rev() {
        play.answer(SECOND + place * MS, &format!("team{place:02}"), "12345");
    }
    let board = play.board_at(100 * SECOND);
    let scores: Vec<i64> = board.rows.iter().map(|row| row.score).collect();
    assert_eq!(scores, [7, 3, 3, 1, 1, 1, 0, 0, 0, 0, -1, -1]);
    let names: Vec<&str> = board.rows.iter().map(|row| row.name.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    let by_points: Vec<_> = board.rows[0].by_points.iter().map(|one| (one.points, one.count)).collect();
    assert_eq!(by_points, [(8, 1), (4, 0), (2, 0), (1, 0)]);
    assert_eq!(board.rows[11].beyond, 1);
    let last = board.last.iter().find(|answer| answer.digits == "12345").unwrap();
    assert_eq!((last.given.len(), last.given[3].points, last.given[3].latency_ns), (12, 2, 3 * MS as i64));
    assert_eq!((board.answers, board.missed, board.digits), (4, 3, 18));
}

#[test]
fn each_kind_of_submission_is_counted_apart() {
    let mut play = Play::new(&rules());
    play.appears(10 * SECOND, "123456789987654321");
    for (at_ns, text) in [
        (10 * SECOND, "12345"),
        (11 * SECOND, "12345"),   // again
        (15 * SECOND, "3456"),    // the last instant
        (15 * SECOND + 1, "432"), // too late
        (12 * SECOND, "12346"),   // no multiple
        (12 * SECOND, "823"),     // did not appear
        (12 * SECOND, "0432"),
        (12 * SECOND, "1234567"),
        (12 * SECOND, ""),
        (12 * SECOND, "12 45"),
    ] {
        play.answer(at_ns, "a", text);
    }
    let row = play.row("a");
    let counts = (row.late, row.wrong, row.duplicate, row.malformed, row.early, row.submitted);
    assert_eq!(counts, (1, 2, 1, 4, 0, 10));
    assert_eq!(row.score, 8 + 8 - 10);
    // Quantiles are exact to three digits.
    let longest_ns = row.p99_ns.unwrap();
    assert!(longest_ns.abs_diff(5 * SECOND as i64) <= 5 * SECOND / 1000, "{longest_ns}");
}

#[test]
fn predictions_count_if_the_rules_allow_them() {
    for (prediction, score, early) in [(true, 8 - 3, 0), (false, -3, 1)] {
        let mut play = Play::new(&Rules { prediction, ..rules() });
        play.answer(4 * SECOND, "a", "9876"); // too early by an instant less than a second
        play.answer(5 * SECOND + MS, "a", "12345");
        play.answer(6 * SECOND, "a", "12345");
        play.appears(10 * SECOND, "123456789987654321");
        play.answer(10 * SECOND + MS, "b", "12345");
        let b = play.row("b");
        assert_eq!(b.score, if prediction { 3 } else { 7 });
        let a = play.row("a");
        assert_eq!((a.score, a.wrong, a.early + a.duplicate), (score, 1, early + 1), "{prediction}");
        assert_eq!(a.p10_ns.is_some_and(|latency| latency < 0), prediction);
    }
}

#[test]
fn a_chunk_whose_line_comes_late_does_not_make_its_answers_early() {
    let mut play = Play::new(&Rules { prediction: false, ..rules() });
    play.answer(10 * SECOND + MS, "a", "12345");
    play.answer(9 * SECOND, "b", "12345");
    play.board_at(11 * SECOND);
    play.appears(10 * SECOND, "123456789987654321");
    assert_eq!((play.row("a").score, play.row("a").early), (7, 0));
    assert_eq!((play.row("b").score, play.row("b").early), (-1, 1));
}

#[test]
fn an_answer_is_not_on_the_board_while_it_counts() {
    let mut play = Play::new(&rules());
    play.appears(10 * SECOND, "5823");
    play.answer(11 * SECOND, "a", "823");
    let board = play.board_at(14 * SECOND);
    assert!(
        board.answers == 1 && board.last.is_empty() && !play.contest.text(&board).contains("823 "),
        "{board:?}"
    );
    let board = play.board_at(16 * SECOND);
    assert_eq!((board.last[0].digits.as_str(), board.last[0].given.len()), ("823", 1));
}

#[test]
fn equal_digits_count_once_in_a_window() {
    let mut play = Play::new(&rules());
    play.appears(10 * SECOND, "5823");
    play.appears(12 * SECOND, "5823");
    play.answer(10 * SECOND, "a", "823");
    play.answer(13 * SECOND, "a", "823");
    play.appears(20 * SECOND, "5823");
    play.answer(21 * SECOND, "a", "823");
    let row = play.row("a");
    assert_eq!((row.by_points[0], row.duplicate, row.score), (StreamPoints { points: 8, count: 2 }, 1, 13));
}

#[test]
fn answers_may_go_over_chunks_and_be_given_for_several_numbers() {
    let mut rules = rules();
    rules.multiples_of[1].value = "4115".to_owned();
    let mut play = Play::new(&rules);
    play.appears(SECOND, "1234");
    play.appears(2 * SECOND, "5");
    play.answer(3 * SECOND, "a", "12345");
    let board = play.board_at(100 * SECOND);
    assert_eq!(board.last[0].multiple_of, [1, 2]);
    assert_eq!(board.last[0].at_ns, 2 * SECOND);
    assert_eq!(board.answers, 1);
}

#[test]
fn points_are_worth_more_later() {
    let mut play = Play::new(&Rules { factors: vec![(60, 2), (120, 4)], ..rules() });
    for at in [50, 60, 130] {
        play.appears(at * SECOND, "5823");
        play.answer(at * SECOND + 1, "a", "823");
    }
    let row = play.row("a");
    assert_eq!(row.score, 8 + 16 + 32 - 3);
    assert_eq!(row.growth[..3], [7, 22, 53]);
}

/// A made-up contest of the source's rules, as a record.
fn record(seed: u64, chunks: u64) -> String {
    let rules = Rules::default();
    let mut text =
        Line::Contest { version: VERSION, rules: Box::new(rules.clone()), seed, began_unix_ns: 0 }.to_text();
    let mut generator = Generator::new(&rules, seed);
    let mut dice = Dice::new(seed);
    let mut recent: Vec<String> = Vec::new();
    let mut at_ns = 0;
    let problem = stream_rules::solve::Problem::new(&rules);
    let mut solver = stream_rules::solve::Method::FixedPoint.solver(&problem);
    for number in 0..chunks {
        let chunk = generator.chunk();
        at_ns += chunk.gap_us * 1000;
        text += &Line::Chunk { number, digits: String::from_utf8(chunk.digits.clone()).unwrap() }.to_text();
        solver.take(&chunk.digits, &mut |_, text| recent.push(String::from_utf8(text.to_vec()).unwrap()));
        for _ in 0..dice.below(20) {
            let Some(text_of) = recent.len().checked_sub(1 + dice.below(12) as usize) else { continue };
            let by = format!("team{}", dice.below(15));
            let at_ns = at_ns + dice.below(100 * MS);
            text += &Line::Answer { at_ns, by, text: recent[text_of].clone() }.to_text();
        }
        text += &Line::Sent { number, first_ns: at_ns, last_ns: at_ns + 40_000, clients: 3 }.to_text();
    }
    text
}

#[test]
fn the_board_follows_from_the_record_bit_for_bit() {
    let text = record(5, 400);
    let mut live = Contest::new(&Rules::default());
    for line in text.lines() {
        live.apply(serde_json::from_str(line).unwrap());
        // Reading the board changes nothing.
        board(&live);
    }
    let shown = board(&live);
    let is_active = |row: &StreamRow| row.submitted > 50 && row.by_points[0].count > 0;
    assert!(shown.rows.iter().all(is_active), "{}", live.text(&shown));
    let again = replay(&text).unwrap();
    assert_eq!(board(&again), shown);
    assert_eq!(again.text(&shown), live.text(&shown));
}

#[test]
fn a_torn_line_is_left_out_and_others_are_named() {
    let text = record(6, 5);
    let whole = board(&replay(&text).unwrap());
    assert_eq!(board(&replay(&format!("{text}{{\"answer\":{{\"at_n")).unwrap()), whole);
    assert!(matches!(replay(""), Err(RecordError::Order(1))));
    assert!(matches!(replay(&text.replacen("version\":1", "version\":9", 1)), Err(RecordError::Version(9))));
    let after_first = text.find('\n').unwrap() + 1;
    assert!(matches!(replay(&text[after_first..]), Err(RecordError::Order(1))));
    assert!(matches!(replay(&format!("{text}nothing\n")), Err(RecordError::Line(..))));
}

#[test]
fn a_made_up_record_is_added_up_or_refused() {
    let first = Line::Contest { version: VERSION, rules: Box::default(), seed: 1, began_unix_ns: 0 };
    let problem_of = |lines: &[Line]| {
        let text: String = std::iter::once(&first).chain(lines).map(Line::to_text).collect();
        let add_up = |contest: Contest| drop(contest.text(&board(&contest)));
        replay(&text).map(add_up).map_err(|error| error.to_string()).err()
    };
    let chunk = |number| Line::Chunk { number, digits: "20220217214410".to_owned() };
    let sent = |number, at_ns| Line::Sent { number, first_ns: at_ns, last_ns: at_ns, clients: 2 };
    let answer = |at_ns| Line::Answer { at_ns, by: "ann".to_owned(), text: "20220217214410".to_owned() };
    let refused = |at_ns, count| Line::Refused { at_ns, reason: "many".to_owned(), count };
    let century = 100 * 365 * 24 * 3600 * SECOND;
    let words = "not at most 200 printable";
    for (lines, problem) in [
        (vec![chunk(0), sent(0, century), answer(0), answer(century), refused(0, u64::MAX)], None),
        (vec![answer(0), refused(century, u64::MAX), refused(0, u64::MAX)], None),
        (vec![chunk(0), chunk(0), sent(0, SECOND), answer(SECOND), answer(0)], None),
        (vec![answer(u64::MAX)], Some("line 2: a time is later")),
        (vec![chunk(0), sent(0, u64::MAX)], Some("line 3: a time is later")),
        (vec![Line::Continued { at_ns: century + 1 }], Some("a time is later")),
        (vec![Line::Ping { by: "ann".to_owned(), round_trip_ns: u64::MAX }], Some("a time is later")),
        // Going on would make all chunks up to this anew.
        (vec![chunk(u64::MAX), sent(u64::MAX, 1)], Some("line 2: a chunk before it is missing")),
        (vec![sent(0, 1)], Some("a chunk before it is missing")),
        (vec![chunk(0), sent(0, 1), sent(0, 2)], Some("line 4: a chunk before it is missing")),
        (vec![Line::Contestant { name: "\u{1b}[2J".to_owned() }], Some(words)),
        (vec![Line::Refused { at_ns: 0, reason: "a\nb".to_owned(), count: 1 }], Some(words)),
        (
            (0..4001).map(|at| Line::Contestant { name: format!("a{at}") }).collect(),
            Some("more than 4000 contestants"),
        ),
    ] {
        let found = problem_of(&lines);
        let is_it = problem
            .map_or(found.is_none(), |problem| found.as_ref().is_some_and(|found| found.contains(problem)));
        assert!(is_it, "{found:?} instead of {problem:?}");
    }
}

#[test]
fn the_board_is_text_without_what_is_hidden() {
    let contest = replay(&record(7, 60)).unwrap();
    let text = contest.text(&board(&contest));
    assert!(text.contains("M4 = hidden, primes 3 7 11") && !text.contains("1088573203821"));
    let head = "contestant  score  +8  +4  +2  +1  +0  >5s  wrong  dup  bad  early  submit";
    assert!(text.contains(head), "{text}");
    assert!(text.lines().all(|line| line.len() < 180), "{text}");
}
