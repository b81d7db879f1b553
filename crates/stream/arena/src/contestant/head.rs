//! The head of the feed's answer, which may come in any pieces.

/// No head is longer.
const HEAD_MAX: usize = 16 << 10;
const HEADERS_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct Head {
    bytes: Vec<u8>,
    is_read: bool,
}

impl Head {
    /// Takes the next bytes, and returns those behind the head.
    pub fn take<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], String> {
        if self.is_read {
            return Ok(bytes);
        }
        let before = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let length = match response.parse(&self.bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if self.bytes.len() <= HEAD_MAX => return Ok(&[]),
            Ok(httparse::Status::Partial) => {
                return Err(format!("the head of its answer has more than {HEAD_MAX} bytes"));
            }
            Err(error) => return Err(format!("it does not answer by HTTP ({error})")),
        };
        let status = response.code.unwrap_or(0);
        if status != 200 {
            return Err(format!("it answers {status} {}", response.reason.unwrap_or_default()));
        }
        let is_coded = |header: &httparse::Header<'_>| header.name.eq_ignore_ascii_case("transfer-encoding");
        if response.headers.iter().any(is_coded) {
            return Err("it sends digits in chunks of HTTP, where plain digits are expected".to_owned());
        }
        self.is_read = true;
        self.bytes.clear();
        Ok(&bytes[length - before..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_comes_in_any_pieces() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n123";
        for cut in 1..whole.len() {
            let mut head = Head::default();
            let mut digits = head.take(&whole[..cut]).unwrap().to_vec();
            digits.extend(head.take(&whole[cut..]).unwrap());
            assert_eq!(digits, b"123", "{cut}");
        }
    }

    #[test]
    fn malformed_feed_head_is_refused() {
        let refusal = |text: &str| Head::default().take(text.as_bytes()).unwrap_err();
        assert!(refusal("HTTP/1.1 503 Service Unavailable\r\n\r\n").contains("503 Service Unavailable"));
        assert!(refusal("SSH-2.0-OpenSSH\r\n").contains("does not answer by HTTP"));
        assert!(refusal("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").contains("chunks of HTTP"));
        assert!(refusal(&format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(HEAD_MAX))).contains("more than"));
    }
}
