//! Answers on their way: requests that are prepared but for the length and the digits, and what was sent before.

use super::io::Link;
use std::collections::{HashSet, VecDeque};
use std::io::{self, IoSlice};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Answers of one write.
const TOGETHER: usize = 8;
/// Head, length and digits.
const PARTS: usize = 3;
/// Texts that are remembered; a contest has some hundreds within its windows.
const REMEMBERED_MAX: usize = 100_000;

pub(crate) struct Posts {
    head: Vec<u8>,
    /// The end of the head for each length.
    lengths: Vec<Vec<u8>>,
    digits: Vec<u8>,
    waiting: Vec<Range<usize>>,
    /// What was sent, and would only cost if it were sent again.
    sent: HashSet<Box<[u8]>>,
    ages: VecDeque<(Instant, Box<[u8]>)>,
    window: Duration,
}

impl Posts {
    pub fn new(output: &str, user: &str, password: &str, digits_max: usize, window: Duration) -> Self {
        let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let (user, password) = (encoded(user), encoded(password));
        let head = format!(
            "POST /submit?user={user}&passwd={password} HTTP/1.1\r\nHost: {output}\r\nContent-Length: "
        );
        Self {
            head: head.into_bytes(),
            lengths: (0..=digits_max).map(|length| format!("{length}\r\n\r\n").into_bytes()).collect(),
            digits: Vec::with_capacity(digits_max * TOGETHER),
            waiting: Vec::with_capacity(TOGETHER),
            sent: HashSet::new(),
            ages: VecDeque::new(),
            window,
        }
    }

    /// Adds an answer, unless the same digits wait or were sent.
    pub fn add(&mut self, text: &[u8]) {
        let waits = self.waiting.iter().any(|range| &self.digits[range.clone()] == text);
        if waits || text.len() >= self.lengths.len() || self.sent.contains(text) {
            return;
        }
        let start = self.digits.len();
        self.digits.extend_from_slice(text);
        self.waiting.push(start..self.digits.len());
    }

    pub fn count(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Writes all that wait, as few writes as possible.
    pub fn write(&self, link: &mut dyn Link) -> io::Result<()> {
        for together in self.waiting.chunks(TOGETHER) {
            let mut parts = [IoSlice::new(&[]); TOGETHER * PARTS];
            for (range, parts) in together.iter().zip(parts.chunks_exact_mut(PARTS)) {
                parts[0] = IoSlice::new(&self.head);
                parts[1] = IoSlice::new(&self.lengths[range.len()]);
                parts[2] = IoSlice::new(&self.digits[range.clone()]);
            }
            link.write(&mut parts[..together.len() * PARTS])?;
        }
        Ok(())
    }

    /// Notes what was written, and forgets what may be sent again.
    pub fn settle(&mut self, now: Instant) {
        for range in self.waiting.drain(..) {
            let text: Box<[u8]> = self.digits[range].into();
            self.sent.insert(text.clone());
            self.ages.push_back((now, text));
        }
        self.digits.clear();
        let is_old = |at: &Instant| now.saturating_duration_since(*at) > self.window;
        while self.ages.len() > REMEMBERED_MAX || self.ages.front().is_some_and(|(at, _)| is_old(at)) {
            let Some((_, text)) = self.ages.pop_front() else { break };
            self.sent.remove(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    #[derive(Default)]
    struct Written(Vec<Vec<u8>>);

    impl Link for Written {
        fn read(&mut self) -> io::Result<Option<&[u8]>> {
            Ok(None)
        }

        fn write(&mut self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
            self.0.push(parts.iter().flat_map(|part| part.to_vec()).collect());
            Ok(())
        }

        fn set_output(&mut self, _: TcpStream) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn answers_that_are_found_together_are_one_write() {
        let mut posts = Posts::new("h:1", "a b", "p&q", 20, Duration::from_secs(10));
        ["12", "345", "12"].iter().for_each(|text| posts.add(text.as_bytes()));
        let mut written = Written::default();
        posts.write(&mut written).unwrap();
        let head = "POST /submit?user=a+b&passwd=p%26q HTTP/1.1\r\nHost: h:1\r\nContent-Length: ";
        let expect = format!("{head}2\r\n\r\n12{head}3\r\n\r\n345");
        assert_eq!(
            written.0.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect::<Vec<_>>(),
            [expect]
        );
    }

    #[test]
    fn equal_digits_are_sent_once_in_a_window() {
        let mut posts = Posts::new("h:1", "a", "p", 20, Duration::from_secs(10));
        let began = Instant::now();
        let count_at = |posts: &mut Posts, seconds: u64| {
            posts.add(b"77");
            let count = posts.count();
            posts.settle(began + Duration::from_secs(seconds));
            count
        };
        // At 11 seconds it is forgotten behind the answer, at 12 it is sent again.
        let counts = [0, 1, 10, 11, 12, 13].map(|at| count_at(&mut posts, at));
        assert_eq!(counts, [1, 0, 0, 0, 1, 0]);
    }
}
