//! Every endpoint while the database is away, or takes connections and answers nothing.

use crate::support::{self, Server, judge, program};
use crate::{client, prepare, requests};
use std::thread;
use std::time::{Duration, Instant};
use test_database::{Proxy, url};

/// Longer than anything may take here: the address of the database shortens the waits to seconds.
const PATIENCE: Duration = Duration::from_secs(45);

#[test]
fn without_the_database_no_endpoint_fails_for_good_or_waits_long() {
    let database = match test_database::Server::start(&["fsync=off"]) {
        Ok(database) => database,
        Err(reason) => return test_support::skipped("without_the_database", &reason),
    };
    let proxy = Proxy::start(database.socket_folder()).expect("a proxy");
    let name = database.new_database().expect("a database");
    let address = url(proxy.folder(), &name) + "?connect_timeout=1";
    let server = Server::start_on(&address);
    prepare(&server);
    let document = server::document();
    let paths = document["paths"].as_object().expect("paths");
    let operations: Vec<(String, &str)> = paths
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods");
            methods.keys().map(|method| (method.to_uppercase(), path.as_str()))
        })
        .collect();
    let (admin, host, ants) = (server.admin(), server.judgehost(), client(&server, "ants"));
    for is_hung in [false, true] {
        if is_hung {
            proxy.hang(true)
        } else {
            proxy.away(true)
        }
        let begin = Instant::now();
        let refused = thread::scope(|scope| {
            let ask = |(method, path): &(String, &str)| {
                let client = if path.starts_with("/api/judgehosts/{judgehost}/") { &host } else { &admin };
                let answer = requests::send(client, method, path);
                let what = format!("{method} {path}, is_hung: {is_hung}, after {:?}", begin.elapsed());
                let is_temporary = answer.status == 503 && answer.header("retry-after").is_some();
                assert!(answer.status < 500 || is_temporary, "{what}: {}", answer.status);
                is_temporary
            };
            let threads: Vec<_> = operations.iter().map(|one| scope.spawn(move || ask(one))).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().expect("an answer"))).sum::<usize>()
        });
        let elapsed = begin.elapsed();
        eprintln!("is_hung: {is_hung}: {refused} of {} refused, within {elapsed:?}", operations.len());
        assert!(refused > 40, "{refused} were refused");
        assert!(elapsed < PATIENCE, "the last answer came after {elapsed:?}");
        let board = ants.get("scoreboard");
        assert_eq!(board.status, 200, "what is in memory is served");
        if is_hung {
            proxy.hang(false)
        } else {
            proxy.away(false)
        }
        let (begin, source) = (Instant::now(), format!("int main() {{}} // {is_hung}"));
        loop {
            let answer = ants.post("submissions", &program(&source));
            if answer.status == 201 {
                break;
            }
            let text = String::from_utf8_lossy(&answer.body);
            assert!(begin.elapsed() < PATIENCE, "the database is back, and the answer is {text}");
            thread::sleep(Duration::from_millis(50));
        }
        host.put("/api/judgehosts/h1", &support::registration("1", &["cpu: x"])).expect(200);
        judge(&host, "h1", "AC");
    }
}
