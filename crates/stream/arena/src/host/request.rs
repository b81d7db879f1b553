//! One request for `/submit` in what a connection has brought so far.

use form_urlencoded::parse;
use std::io::Write;

/// Longest body: the longest answer and what a careless client sends with it.
const BODY_BYTES_MAX: usize = 4 << 10;
/// Longest request, with its body.
pub(crate) const REQUEST_BYTES_MAX: usize = 8 << 10;
const HEADERS_MAX: usize = 64;

/// What the first bytes of a connection are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed<'b> {
    Part,
    Whole(Request<'b>),
    /// Something else. The connection is of no use after it.
    Bad(Reply),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request<'b> {
    /// Its length with its body.
    pub length: usize,
    /// The target, which names the contestant.
    pub target: &'b str,
    pub body: &'b [u8],
    pub stays: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The answer was received. It is the same for right and wrong ones, else it would reveal the hidden number.
    Received,
    Bad,
    LengthRequired,
    TooLarge,
    /// There is nothing at that path.
    NotFound,
    NotPost,
    /// No contestant has that name and password.
    WrongPassword,
    NotBegun,
    Over,
    TooMany,
    NotRecorded,
}

impl Reply {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Received => ("200 OK", "received"),
            Self::Bad => (
                "400 Bad Request",
                "this is not a request for /submit: send POST /submit?user=NAME&passwd=PASSWORD",
            ),
            Self::LengthRequired => ("411 Length Required", "send the answer with a Content-Length"),
            Self::TooLarge => ("413 Content Too Large", "send the digits of one answer and nothing else"),
            Self::NotFound => ("404 Not Found", "answers go to /submit?user=NAME&passwd=PASSWORD"),
            Self::NotPost => ("405 Method Not Allowed", "send answers by POST"),
            Self::WrongPassword => ("403 Forbidden", "wrong name or password"),
            Self::NotBegun => ("403 Forbidden", "the contest has not begun"),
            Self::Over => ("403 Forbidden", "the contest is over"),
            Self::TooMany => ("429 Too Many Requests", "too many answers in a second"),
            Self::NotRecorded => {
                ("503 Service Unavailable", "the answer could not be recorded: send it again")
            }
        }
    }

    pub fn write_to(self, out: &mut Vec<u8>) {
        let (status, text) = self.words();
        let length = text.len() + 1;
        // Writing to memory does not fail.
        let _ = write!(
            out,
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{text}\n"
        );
    }
}

/// Reads the first request of what a connection has brought.
pub(crate) fn parse_request(bytes: &[u8]) -> Parsed<'_> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut headers);
    let head = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < REQUEST_BYTES_MAX => return Parsed::Part,
        Ok(httparse::Status::Partial) => return Parsed::Bad(Reply::TooLarge),
        Err(_) => return Parsed::Bad(Reply::Bad),
    };
    let target = request.path.unwrap_or_default();
    if target.split('?').next() != Some("/submit") {
        return Parsed::Bad(Reply::NotFound);
    }
    if request.method != Some("POST") {
        return Parsed::Bad(Reply::NotPost);
    }
    let mut length = None;
    let mut stays = request.version == Some(1);
    for header in request.headers.iter() {
        let text = std::str::from_utf8(header.value).unwrap_or_default().trim();
        if header.name.eq_ignore_ascii_case("content-length") {
            // Two lengths that differ would let a client hide a request in another's body.
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            match text.parse::<usize>().ok().filter(|_| is_number) {
                Some(value) if length.is_none_or(|before| before == value) => length = Some(value),
                _ => return Parsed::Bad(Reply::Bad),
            }
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            return Parsed::Bad(Reply::LengthRequired);
        } else if header.name.eq_ignore_ascii_case("connection") {
            let has = |word: &str| text.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
            stays = !has("close") && (stays || has("keep-alive"));
        }
    }
    let Some(length) = length else { return Parsed::Bad(Reply::LengthRequired) };
    if length > BODY_BYTES_MAX {
        return Parsed::Bad(Reply::TooLarge);
    }
    match bytes.get(head..head + length) {
        Some(body) => Parsed::Whole(Request { length: head + length, target, body, stays }),
        None => Parsed::Part,
    }
}

/// Returns the name and the password of a target.
pub(crate) fn credentials(target: &str) -> Option<(String, String)> {
    let query = target.split_once('?')?.1;
    let value = |wanted: &str| {
        parse(query.as_bytes()).find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
    };
    Some((value("user")?, value("passwd")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> (String, String, usize, bool) {
        match parse_request(text.as_bytes()) {
            Parsed::Whole(one) => {
                let body = String::from_utf8_lossy(one.body).into_owned();
                (one.target.to_owned(), body, one.length, one.stays)
            }
            other => panic!("{other:?} of {text}"),
        }
    }

    #[test]
    fn requests_of_all_kinds_of_clients() {
        let by_hand = "POST /submit?user=a&passwd=b HTTP/1.1\r\nContent-Length: 3\r\n\r\n123POST";
        assert_eq!(whole(by_hand), ("/submit?user=a&passwd=b".into(), "123".into(), by_hand.len() - 4, true));
        let curl = "POST /submit?user=a&passwd=b HTTP/1.1\r\nHost: x:1\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\nContent-Length: 2\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n12";
        assert_eq!(whole(curl).1, "12");
        let lower = "POST /submit?user=a&passwd=b HTTP/1.1\r\ncontent-length:1\r\nconnection: Close\r\n\r\n7";
        assert_eq!((whole(lower).1.as_str(), whole(lower).3), ("7", false));
        assert!(!whole("POST /submit HTTP/1.0\r\nCONTENT-LENGTH: 0\r\n\r\n").3);
        assert!(whole("POST /submit HTTP/1.0\r\nConnection: keep-alive\r\ncontent-length: 0\r\n\r\n").3);
    }

    #[test]
    fn a_request_may_come_in_pieces() {
        let text = "POST /submit?user=a&passwd=b HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345";
        for length in 0..text.len() {
            assert_eq!(parse_request(&text.as_bytes()[..length]), Parsed::Part, "{length}");
        }
    }

    #[test]
    fn request_that_is_no_answer_gets_instructions() {
        let with = |line: &str| format!("POST /submit HTTP/1.1\r\n{line}\r\n\r\n");
        for (text, reply) in [
            ("nonsense\r\n\r\n".to_owned(), Reply::Bad),
            ("GET /submit HTTP/1.1\r\n\r\n".to_owned(), Reply::NotPost),
            ("POST /other HTTP/1.1\r\n\r\n".to_owned(), Reply::NotFound),
            (with("Host: x"), Reply::LengthRequired),
            (with("Transfer-Encoding: chunked"), Reply::LengthRequired),
            (with("Content-Length: 5000"), Reply::TooLarge),
            (with("Content-Length: +5"), Reply::Bad),
            (with("Content-Length: 5\r\nContent-Length: 6"), Reply::Bad),
            (with("Content-Length: 99999999999999999999999"), Reply::Bad),
            (format!("POST /submit HTTP/1.1\r\nX: {}", "y".repeat(9000)), Reply::TooLarge),
        ] {
            assert_eq!(parse_request(text.as_bytes()), Parsed::Bad(reply), "{text}");
        }
    }

    #[test]
    fn target_names_the_contestant() {
        let pair = |name: &str, password: &str| Some((name.to_owned(), password.to_owned()));
        assert_eq!(credentials("/submit?user=ann&passwd=a%26b"), pair("ann", "a&b"));
        assert_eq!(credentials("/submit?passwd=x&user=ann&more=1"), pair("ann", "x"));
        assert_eq!(credentials("/submit?user=ann"), None);
        assert_eq!(credentials("/submit"), None);
    }
}
