//! A contest over TCP: what clients get, what answers count, what hostile clients cannot do, and what is left after a restart.
#![allow(clippy::unwrap_used)]

mod support;

use hyper::body::Body;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use stream_rules::{Generator, Rules};
use support::{Arena, answer, connect, get, post, read_replies, reply_to, rules};

#[test]
fn all_clients_get_the_same_digits() {
    let arena = Arena::open("same", |_| {});
    let mut feeds: Vec<TcpStream> = (0..5).map(|_| arena.feed()).collect();
    let mut all: Vec<Vec<u8>> = Vec::new();
    for feed in &mut feeds {
        let mut digits = vec![0; 3000];
        feed.read_exact(&mut digits).unwrap();
        assert!(digits.iter().all(u8::is_ascii_digit));
        all.push(digits);
    }
    // Later ones begin at a later chunk of the same stream.
    let stream = stream_of(&arena.host.rules, 40_000);
    for digits in &all {
        let text = std::str::from_utf8(digits).unwrap();
        assert!(stream.contains(text), "{text}");
    }
    let board = arena.board_when(|board| board["fairness"]["p50_ns"].is_u64());
    assert_eq!(board["fairness"]["clients"], 5);
}

fn stream_of(rules: &Rules, digits: usize) -> String {
    let mut generator = Generator::new(rules, support::SEED);
    let mut stream = String::new();
    while stream.len() < digits {
        stream += std::str::from_utf8(&generator.chunk().digits).unwrap();
    }
    stream
}

#[test]
fn replies_do_not_reveal_which_answers_count() {
    let arena = Arena::open("count", |_| {});
    let mut feed = arena.feed();
    let found = arena.next_answer(&mut feed);
    let mut connection = connect(arena.host.output);
    let replies: Vec<String> = [found.as_str(), "13", "x", ""]
        .into_iter()
        .map(|text| {
            connection.write_all(answer("ann", "pw-ann", text).as_bytes()).unwrap();
            read_replies(&mut connection, 1).remove(0)
        })
        .collect();
    assert!(replies.iter().all(|reply| *reply == replies[0] && reply.starts_with("HTTP/1.1 200 OK\r\n")));
    let board = arena.board_when(|board| support::row(board, "ann")["wrong"] == 1);
    let row = support::row(&board, "ann");
    assert_eq!((&row["submitted"], &row["malformed"]), (&4.into(), &2.into()), "{row}");
    let given = row["by_points"].as_array().unwrap();
    assert_eq!(given.iter().map(|one| one["count"].as_u64().unwrap()).sum::<u64>(), 1, "{row}");
    assert!(row["p50_ns"].as_i64().unwrap() > 0);
    let text = get(arena.host.board, "/board.txt");
    assert!(text.contains("ann") && text.contains("M1 = 7"), "{text}");
    assert!(get(arena.host.board, "/record.ndjson").contains("403 Forbidden"));
}

#[test]
fn requests_come_as_clients_send_them() {
    let arena = Arena::open("requests", |_| {});
    let one = answer("ann", "pw-ann", "14");
    // Several in one write.
    let mut connection = connect(arena.host.output);
    connection.write_all(one.repeat(100).as_bytes()).unwrap();
    assert_eq!(read_replies(&mut connection, 100).len(), 100);
    // One in many pieces, with headers in any case, on the same connection.
    let odd = "POST /submit?passwd=pw-ann&user=ann HTTP/1.1\r\nhOsT: x\r\ncontent-LENGTH: 2\r\n\r\n21";
    for byte in odd.bytes() {
        connection.write_all(&[byte]).unwrap();
    }
    assert!(read_replies(&mut connection, 1)[0].contains("200 OK"));
    // The connection ends when asked to.
    connection.write_all(one.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    assert!(read_replies(&mut connection, 1)[0].contains("200 OK"));
    assert_eq!(connection.read(&mut [0; 9]).unwrap(), 0);
    let board = arena.board_when(|board| support::row(board, "ann")["submitted"] == 102);
    assert_eq!(board["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn a_client_may_end_its_half_before_it_has_the_replies() {
    let arena = Arena::open("half", |_| {});
    let mut connection = connect(arena.host.output);
    connection.write_all(answer("ann", "pw-ann", "14").repeat(300).as_bytes()).unwrap();
    connection.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(read_replies(&mut connection, 300).iter().all(|reply| reply.contains("200 OK")));
    assert_eq!(connection.read(&mut [0; 9]).unwrap(), 0);
}

#[test]
fn unprintable_output_takes_no_more_room_in_the_record() {
    let arena = Arena::open("room", |_| {});
    post(arena.host.output, "ann", "pw-ann", "1\0\u{661}7");
    post(arena.host.output, "ann", "pw-ann", &"\u{1}".repeat(4000));
    let record = std::fs::read_to_string(&arena.record).unwrap();
    assert!(record.contains("\"text\":\"1???7\"") && record.contains("\"text\":\"?????\""), "{record}");
    let board = arena.board_when(|board| support::row(board, "ann")["submitted"] == 2);
    assert_eq!(support::row(&board, "ann")["malformed"], 2);
}

#[test]
fn refused_clients_are_answered_and_counted() {
    let arena = Arena::open("refused", |options| options.limits.answers_per_second = 10);
    for (request, status) in [
        (answer("ann", "pw-bob", "14"), "403"),
        (answer("eve", "x", "14"), "403"),
        ("POST /submit HTTP/1.1\r\nContent-Length: 1\r\n\r\n7".to_owned(), "403"),
        ("GET /submit HTTP/1.1\r\n\r\n".to_owned(), "405"),
        ("rubbish\r\n\r\n".to_owned(), "400"),
        (answer("ann", "pw-ann", &"7".repeat(5000)), "413"),
        (format!("POST /submit HTTP/1.1\r\nX: {}", "y".repeat(20_000)), "413"),
    ] {
        let reply = reply_to(arena.host.output, &request);
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{reply} to {request:.80}");
    }
    // Pipelined behind rubbish, nothing counts.
    assert!(
        reply_to(arena.host.output, &format!("rubbish\r\n\r\n{}", answer("ann", "pw-ann", "14")))
            .starts_with("HTTP/1.1 400")
    );
    // Too many at once.
    let mut connection = connect(arena.host.output);
    connection.write_all(answer("bob", "pw-bob", "14").repeat(60).as_bytes()).unwrap();
    let replies = read_replies(&mut connection, 60);
    assert!(replies[0].contains("200 OK") && replies[59].contains("429"), "{}", replies[59]);

    let board = arena.board_when(|board| board["refused"].as_array().is_some_and(|all| all.len() >= 4));
    let reasons: Vec<&str> =
        board["refused"].as_array().unwrap().iter().map(|one| one["reason"].as_str().unwrap()).collect();
    for reason in
        ["wrong name or password", "bad request", "request too large", "too many answers in a second"]
    {
        assert!(reasons.contains(&reason), "{reasons:?}");
    }
    assert_eq!(support::row(&board, "ann")["submitted"], 0);
}

#[test]
fn only_the_slow_reader_is_dropped() {
    let arena = Arena::open("slow", |options| {
        options.rules.chunks.digits = (4000, 4096);
        // Buffers of the kernel hold seconds of this, for a reader that only has no processor.
        options.rules.chunks.gap_us = (40_000, 50_000);
    });
    let slow = arena.feed();
    let mut quick = arena.feed();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut digits = vec![0; 1 << 16];
            let mut count = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let read = quick.read(&mut digits).unwrap();
                assert!(read > 0, "the quick one was dropped");
                count += read;
            }
            count
        });
        let board = arena.board_when(|board| support::refused(board, "slow reader of the feed") == 1);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(reading.join().unwrap() > 0);
        assert!(board["fairness"]["clients"].as_u64().unwrap() >= 1);
    });
    drop(slow);
}

#[test]
fn floods_leave_room_for_others() {
    let arena = Arena::open("flood", |options| {
        options.limits.of_address = 20;
        options.limits.answer_connections = 1000;
    });
    let connections: Vec<TcpStream> = (0..60).map(|_| connect(arena.host.output)).collect();
    arena.board_when(|board| support::refused(board, "too many connections of one address") >= 40);
    drop(connections);
    // Places are free again once the kernel has reported the end of the connections.
    let reply = loop {
        let mut connection = connect(arena.host.output);
        let sent = connection.write_all(answer("ann", "pw-ann", "14").as_bytes());
        let mut reply = String::new();
        connection.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut bytes = [0; 200];
        if sent.is_ok()
            && let Ok(count @ 1..) = connection.read(&mut bytes)
        {
            reply += &String::from_utf8_lossy(&bytes[..count]);
            break reply;
        }
    };
    assert!(reply.contains("200 OK"), "{reply}");
}

#[test]
fn a_contest_goes_on_where_it_was() {
    let mut arena = Arena::open("restart", |_| {});
    let mut feed = arena.feed();
    let found = arena.next_answer(&mut feed);
    post(arena.host.output, "ann", "pw-ann", &found);
    let before = arena.board_when(|board| support::row(board, "ann")["submitted"] == 1);
    let score = support::row(&before, "ann")["score"].as_i64().unwrap();
    let record = std::fs::read_to_string(&arena.record).unwrap();
    arena.close();
    // As a kill leaves it: the last line is torn.
    let whole = std::fs::read_to_string(&arena.record).unwrap();
    assert!(whole.starts_with(&record) && whole.ends_with('\n'));
    std::fs::write(&arena.record, format!("{whole}{{\"answer\":{{\"at_")).unwrap();

    arena.open_again();
    assert!(arena.host.goes_on);
    let board = arena.board_when(|board| board["digits"].as_u64() > before["digits"].as_u64());
    let row = support::row(&board, "ann");
    assert_eq!((row["score"].as_i64().unwrap(), &row["submitted"]), (score, &1.into()));
    // The digits that were sent, before and after, are the stream of the seed without a gap.
    arena.close();
    let record = std::fs::read_to_string(&arena.record).unwrap();
    let sent = support::digits_sent(&record);
    assert!(stream_of(&arena.rules, sent.len()).starts_with(&sent));
    // And the record gives the same board.
    let again = arena::host::read_record(&arena.record).unwrap().contest;
    let shown = again.board(documents::StreamPhase::Running);
    let live: serde_json::Value = serde_json::from_slice(&arena.last.json).unwrap();
    let recomputed = serde_json::to_value(shown).unwrap();
    assert_eq!(recomputed["rows"], live["rows"]);
    assert_eq!(recomputed["last"], live["last"]);
}

#[test]
fn a_record_belongs_to_one_server() {
    let arena = Arena::open("owner", |_| {});
    let error = support::try_open(&arena.record, rules()).err().unwrap().to_string();
    assert!(error.contains("another server has this contest"), "{error}");
    let other = arena.record.with_file_name("other.ndjson");
    std::fs::write(&other, "{\"hello\":1}\n").unwrap();
    let error = support::try_open(&other, rules()).err().unwrap().to_string();
    assert!(error.contains("is not the record of a contest"), "{error}");
}

#[test]
fn only_what_a_kill_leaves_is_cut_off() {
    let mut arena = Arena::open("torn", |_| {});
    arena.close();
    let record = std::fs::read(&arena.record).unwrap();
    let file = arena.record.with_file_name("other.ndjson");
    let long = [&record[..], b"{\"contestant\":{\"name\":\"", &[b'a'; 1 << 20], b"\"}}\n", &record].concat();
    for text in [b"{\"hello\":1}".to_vec(), b"mine".to_vec(), long] {
        std::fs::write(&file, &text).unwrap();
        let error = support::try_open(&file, rules()).err().unwrap().to_string();
        assert!(error.contains("is not the record of a contest"), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), text, "it was changed");
    }
    // In the middle of a letter, and of the first line.
    let letter = [&record[..], b"{\"answer\":{\"by\":\"\xc3"].concat();
    for (text, goes_on) in [(letter, true), (record[..5].to_vec(), false), (record[..99].to_vec(), false)] {
        std::fs::write(&file, &text).unwrap();
        assert_eq!(support::try_open(&file, rules()).unwrap().goes_on, goes_on);
    }
}

#[test]
fn a_contest_ends() {
    let arena = Arena::open("end", |options| {
        options.duration = Some(Duration::from_millis(300));
        options.rules.after_ms = 200;
    });
    let mut feed = arena.feed();
    let mut digits = String::new();
    feed.read_to_string(&mut digits).unwrap();
    arena.board_when(|board| board["phase"] == "over");
    // Late answers are reported; the record can be read once none counts any more.
    let record = loop {
        let text = get(arena.host.board, "/record.ndjson");
        if text.starts_with("HTTP/1.1 200") {
            break text;
        }
    };
    assert!(record.contains("{\"contest\":{\"version\":1"));
    assert!(reply_to(arena.host.output, &answer("ann", "pw-ann", "14")).contains("the contest is over"));
}

#[test]
fn before_the_start_there_are_no_digits_and_no_answers() {
    let arena = Arena::open("before", |options| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        options.begins_unix_ns = (now + Duration::from_secs(3600)).as_nanos() as u64;
    });
    let _feed = arena.feed();
    assert!(
        reply_to(arena.host.output, &answer("ann", "pw-ann", "14")).contains("the contest has not begun")
    );
    let board = arena.board_when(|board| board["phase"] == "before");
    assert_eq!(board["digits"], 0);
}

#[test]
fn a_client_of_hyper_is_understood() {
    let arena = Arena::open("hyper", |_| {});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let socket = tokio::net::TcpStream::connect(arena.host.output).await.unwrap();
        let (mut client, connection) =
            hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(socket)).await.unwrap();
        tokio::spawn(connection);
        // Names of its headers are in lower case, and the connection is kept.
        for _ in 0..3 {
            let request =
                hyper::Request::post("/submit?user=ann&passwd=pw-ann").body("14".to_owned()).unwrap();
            assert_eq!(client.send_request(request).await.unwrap().status(), 200);
            client.ready().await.unwrap();
        }
        let feed = tokio::net::TcpStream::connect(arena.host.input).await.unwrap();
        let (mut client, connection) =
            hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(feed)).await.unwrap();
        tokio::spawn(connection);
        let request = hyper::Request::get("/").body(String::new()).unwrap();
        let mut body = client.send_request(request).await.unwrap().into_body();
        let frame = std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).await;
        let digits = frame.unwrap().unwrap().into_data().unwrap();
        assert!(digits.iter().all(u8::is_ascii_digit));
    });
    arena.board_when(|board| support::row(board, "ann")["submitted"] == 3);
}
