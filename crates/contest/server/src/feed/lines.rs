//! Lines of a feed: notifications of the CLICS Contest API.

use crate::Problem;
use serde::Serialize;

#[derive(Debug, Default)]
pub struct Lines(Vec<u8>);

impl Lines {
    /// Adds an object as it is now. A singleton has no id.
    pub fn put<T: Serialize>(&mut self, kind: &str, id: Option<&str>, object: &T) -> Result<(), Problem> {
        self.begin(kind, id);
        serde_json::to_writer(&mut self.0, object).map_err(Problem::internal)?;
        self.0.extend_from_slice(b"}\n");
        Ok(())
    }

    pub fn delete(&mut self, kind: &str, id: &str) {
        self.begin(kind, Some(id));
        self.0.extend_from_slice(b"null}\n");
    }

    /// Adds that a collection has no objects from now on.
    pub fn clear(&mut self, kind: &str) {
        self.begin(kind, None);
        self.0.extend_from_slice(b"[]}\n");
    }

    fn begin(&mut self, kind: &str, id: Option<&str>) {
        // Neither has a character that JSON escapes.
        self.0.extend_from_slice(b"{\"type\":\"");
        self.0.extend_from_slice(kind.as_bytes());
        match id {
            Some(id) => {
                self.0.extend_from_slice(b"\",\"id\":\"");
                self.0.extend_from_slice(id.as_bytes());
                self.0.extend_from_slice(b"\",\"data\":");
            }
            None => self.0.extend_from_slice(b"\",\"id\":null,\"data\":"),
        }
    }

    /// Gives the last line a token.
    pub fn set_token(&mut self, token: &str) {
        if self.0.ends_with(b"}\n") {
            self.0.truncate(self.0.len() - 2);
            self.0.extend_from_slice(b",\"token\":\"");
            self.0.extend_from_slice(token.as_bytes());
            self.0.extend_from_slice(b"\"}\n");
        }
    }

    /// Adds the first of other lines at the end, about `bytes` bytes of them.
    pub fn take_from(&mut self, lines: &mut Self, bytes: usize) {
        let rest = lines.0.get(bytes..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(lines.0.len(), |at| bytes + at + 1);
        self.0.extend(lines.0.drain(..end));
        if lines.0.is_empty() {
            lines.0 = Vec::new();
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_notifications() {
        let mut lines = Lines::default();
        lines.set_token("p1");
        lines.put("state", None, &serde_json::json!({"ended": null})).unwrap();
        lines.delete("teams", "t1");
        lines.clear("runs");
        lines.set_token("p7");
        let (mut begin, mut rest) = (Lines::default(), lines);
        begin.take_from(&mut rest, 60);
        assert!(begin.0.ends_with(b"\n") && rest.0.starts_with(b"{\"type\""), "between lines");
        begin.take_from(&mut rest, 9999);
        assert!(rest.is_empty());
        let lines = begin;
        let text = String::from_utf8(lines.into_bytes()).unwrap();
        let expect = "{\"type\":\"state\",\"id\":null,\"data\":{\"ended\":null}}\n\
                      {\"type\":\"teams\",\"id\":\"t1\",\"data\":null}\n\
                      {\"type\":\"runs\",\"id\":null,\"data\":[],\"token\":\"p7\"}\n";
        assert_eq!(text, expect);
    }
}
