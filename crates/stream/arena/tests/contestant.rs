//! A contestant, and a feed and a port for answers that are written by hand.
#![allow(clippy::unwrap_used, clippy::disallowed_macros)]

use arena::contestant::{ContestantError, Io, Options, Report, take_part};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use stream_rules::solve::{Method, Problem};
use stream_rules::{Generator, Rules};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";

/// Digits in chunks, and what is to be found in them.
fn planted(chunks: usize) -> (Vec<Vec<u8>>, BTreeSet<String>) {
    let rules = Rules::default();
    let mut generator = Generator::new(&rules, 5);
    let chunks: Vec<Vec<u8>> = (0..chunks).map(|_| generator.chunk().digits).collect();
    let mut solver = Method::Prefix.solver(&Problem::new(&rules));
    let mut texts = BTreeSet::new();
    solver.take(&chunks.concat(), &mut |_, text| {
        texts.insert(String::from_utf8(text.to_vec()).unwrap());
    });
    assert!(texts.len() > chunks.len() / 10, "{}", texts.len());
    (chunks, texts)
}

fn anywhere() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    (listener, address.to_string())
}

/// Sends the pieces to the first client. The second proves that the first has read all: then it stops.
fn serve_feed(pieces: Vec<Vec<u8>>, stop: Arc<AtomicBool>) -> (String, JoinHandle<()>) {
    let (listener, address) = anywhere();
    let serving = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.set_nodelay(true).unwrap();
        assert!(read_head(&mut client).starts_with("GET / HTTP/1.1\r\n"));
        for piece in pieces {
            client.write_all(&piece).unwrap();
            std::thread::yield_now();
        }
        drop(client);
        let _ = listener.accept().unwrap();
        stop.store(true, Ordering::Relaxed);
    });
    (address, serving)
}

/// Takes answers of one connection after the other, and replies to each.
fn serve_output(reply: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let (listener, address) = anywhere();
    let answers = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&answers);
    std::thread::spawn(move || {
        while let Ok((mut client, _)) = listener.accept() {
            while let Some(answer) = read_answer(&mut client) {
                all.lock().unwrap().push(answer);
                client.write_all(reply.as_bytes()).unwrap();
            }
        }
    });
    (address, answers)
}

const RECEIVED: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Reads up to the empty line, or nothing at the end of the connection.
fn read_head(client: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

fn read_answer(client: &mut TcpStream) -> Option<String> {
    let head = read_head(client);
    let first = head.lines().next()?;
    assert_eq!(first, "POST /submit?user=ann&passwd=p%20w HTTP/1.1".replace("%20", "+"));
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "))?;
    let mut body = vec![0; length.parse().unwrap()];
    client.read_exact(&mut body).unwrap();
    Some(String::from_utf8(body).unwrap())
}

fn options(input: &str, output: &str, io: Io, stop: &Arc<AtomicBool>) -> Options {
    Options {
        input: input.to_owned(),
        output: output.to_owned(),
        user: "ann".to_owned(),
        password: "p w".to_owned(),
        problem: Problem::new(&Rules::default()),
        method: Method::FixedPoint,
        io,
        predicts: false,
        window: Duration::from_secs(10),
        chunks: None,
        duration: Some(Duration::from_secs(60)),
        owns_cpu: true,
        stop: Arc::clone(stop),
    }
}

/// Takes part in a contest of these pieces, and returns what was posted.
fn take_part_in(pieces: Vec<Vec<u8>>, change: impl FnOnce(&mut Options)) -> (Report, Vec<String>) {
    let stop = Arc::new(AtomicBool::new(false));
    let (input, serving) = serve_feed(pieces, Arc::clone(&stop));
    let (output, answers) = serve_output(RECEIVED);
    let mut options = options(&input, &output, Io::Blocking, &stop);
    change(&mut options);
    let report = take_part(&options).unwrap();
    serving.join().unwrap();
    let answers = answers.lock().unwrap().clone();
    assert_eq!(report.ended, "it was stopped");
    assert_eq!(report.replies.get(&200), Some(&(answers.len() as u64)), "{report:?}");
    (report, answers)
}

fn with_head(chunks: &[Vec<u8>]) -> Vec<Vec<u8>> {
    std::iter::once(HEAD.to_vec()).chain(chunks.iter().cloned()).collect()
}

#[test]
fn every_way_of_reading_posts_exactly_what_is_planted() {
    let (chunks, expect) = planted(60);
    for io in Io::ALL {
        if let Some(why) = io.unavailable() {
            eprintln!("not tested: {} is unavailable: {why}", io.name());
            continue;
        }
        let (report, answers) = take_part_in(with_head(&chunks), |options| options.io = io);
        assert_eq!(report.digits, chunks.concat().len() as u64, "{}", io.name());
        assert_eq!(report.answers, expect.len() as u64, "{}", io.name());
        assert_eq!(answers.len(), expect.len(), "{}", io.name());
        assert_eq!(answers.into_iter().collect::<BTreeSet<_>>(), expect, "{}", io.name());
    }
}

#[test]
fn a_head_in_pieces_with_digits_behind_it() {
    let (chunks, expect) = planted(20);
    let mut whole = HEAD.to_vec();
    whole.extend(chunks.concat());
    let mut pieces: Vec<Vec<u8>> = whole[..HEAD.len() - 2].chunks(3).map(<[u8]>::to_vec).collect();
    pieces.push(whole[HEAD.len() - 2..].to_vec());
    let (_, answers) = take_part_in(pieces, |_| ());
    assert_eq!(answers.into_iter().collect::<BTreeSet<_>>(), expect);
}

#[test]
fn predictions_are_posted_once_and_not_again_when_they_have_come() {
    let (chunks, expect) = planted(60);
    // In pieces of 40 digits some are complete but for a few digits.
    let pieces: Vec<Vec<u8>> = chunks.concat().chunks(40).map(<[u8]>::to_vec).collect();
    let (report, answers) = take_part_in(with_head(&pieces), |options| {
        options.method = Method::Prediction;
        options.predicts = true;
    });
    let all: BTreeSet<String> = answers.iter().cloned().collect();
    assert_eq!(all.len(), answers.len(), "some digits were posted twice");
    assert!(expect.is_subset(&all));
    assert_eq!(report.answers + report.predictions, answers.len() as u64);
}

#[test]
fn end_of_feed_is_reported() {
    let (chunks, expect) = planted(20);
    let stop = Arc::new(AtomicBool::new(false));
    let (listener, input) = anywhere();
    let digits = chunks.concat();
    let sent = digits.len();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        drop(listener);
        read_head(&mut client);
        client.write_all(HEAD).unwrap();
        client.write_all(&digits).unwrap();
    });
    let (output, answers) = serve_output(RECEIVED);
    let report = take_part(&options(&input, &output, Io::Blocking, &stop)).unwrap();
    let expect_told =
        format!("the feed at {input} ended after {sent} digits, and no new connection was possible");
    assert!(report.ended.starts_with(&expect_told), "{}", report.ended);
    assert_eq!(answers.lock().unwrap().len(), expect.len());
}

#[test]
fn a_broken_connection_for_answers_is_made_again() {
    let (chunks, expect) = planted(60);
    let stop = Arc::new(AtomicBool::new(false));
    let (input, serving) = serve_feed(with_head(&chunks), Arc::clone(&stop));
    let (listener, output) = anywhere();
    let answers = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&answers);
    std::thread::spawn(move || {
        // The first connection takes nothing.
        drop(listener.accept().unwrap());
        let (mut client, _) = listener.accept().unwrap();
        while let Some(answer) = read_answer(&mut client) {
            all.lock().unwrap().insert(answer);
            client.write_all(RECEIVED.as_bytes()).unwrap();
        }
    });
    let report = take_part(&options(&input, &output, Io::Blocking, &stop)).unwrap();
    serving.join().unwrap();
    assert_eq!(report.output_again, 1);
    // What was written before the end was noticed is lost, at most one chunk's.
    let got = answers.lock().unwrap().clone();
    let lost = expect.len() - got.len();
    assert!(got.is_subset(&expect) && lost <= 8, "{lost} lost");
}

#[test]
fn wrong_password_is_reported() {
    let (chunks, _) = planted(60);
    let stop = Arc::new(AtomicBool::new(false));
    let (input, _) = serve_feed(with_head(&chunks), Arc::clone(&stop));
    let (output, _) =
        serve_output("HTTP/1.1 403 Forbidden\r\nContent-Length: 23\r\n\r\nwrong name or password\n");
    let error = take_part(&options(&input, &output, Io::Blocking, &stop)).unwrap_err();
    let expect = format!(
        "the port for answers at {output} refuses the answers of 'ann' with status 403: wrong name or password"
    );
    assert_eq!(error.to_string(), expect);
}

#[test]
fn address_without_a_contest_is_reported() {
    let stop = Arc::new(AtomicBool::new(false));
    let unused = anywhere().1;
    let error = take_part(&options(&unused, &unused, Io::Blocking, &stop)).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot connect to the port for answers at {unused}"));
    let (output, _) = serve_output(RECEIVED);
    let (input, _) = serve_feed(vec![b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec()], Arc::clone(&stop));
    let error = take_part(&options(&input, &output, Io::Blocking, &stop)).unwrap_err();
    assert!(error.to_string().ends_with("is not a feed of digits: it answers 404 Not Found"), "{error}");
    let (input, _) = serve_feed(vec![HEAD.to_vec(), b"12x4".to_vec()], Arc::clone(&stop));
    let error = take_part(&options(&input, &output, Io::Blocking, &stop)).unwrap_err();
    assert!(error.to_string().contains("the byte 0x78 where a digit was expected"), "{error}");
}

#[test]
fn busy_polling_needs_a_cpu() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut options = options("127.0.0.1:1", "127.0.0.1:1", Io::BusyPoll, &stop);
    options.owns_cpu = false;
    assert!(matches!(take_part(&options), Err(ContestantError::NoCpu)));
    let xdp = Io::AfXdp.unavailable().unwrap();
    assert!(xdp.contains("AF_XDP") || xdp.contains("TCP"), "{xdp}");
}
