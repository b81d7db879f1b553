//! Reading a trace.

use super::check::{self, Checker, LINE_BYTES_MAX, Wrong, shown};
use super::explain::{Kind, explain, syntax};
use super::line::{EndLine, HeadLine};
use super::unpacked::{Unpacked, read_line};
use super::{Head, Record, TraceError, VERSION};
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// Reads a trace, plain or gzip, a record at a time. It holds one line and the names of the hosts.
pub struct Reader<R: BufRead> {
    source: Unpacked<R>,
    buffer: Vec<u8>,
    line: u64,
    head: Head,
    checker: Checker,
    hash: Sha256,
    has_ended: bool,
}

impl<R: BufRead> Reader<R> {
    pub fn open(reader: R) -> Result<Self, TraceError> {
        let source = Unpacked::new(reader).map_err(|source| TraceError::Read { line: 1, source })?;
        let (buffer, head, hash) = (Vec::new(), Head::default(), Sha256::new());
        let mut opened =
            Self { source, buffer, line: 0, head, checker: Checker::default(), hash, has_ended: false };
        match opened.read_line() {
            Ok(_) | Err(TraceError::TooLong { .. }) => {}
            Err(error) => return Err(error),
        }
        opened.head = opened.read_head()?;
        Ok(opened)
    }

    fn read_head(&self) -> Result<Head, TraceError> {
        #[derive(Deserialize)]
        struct Version {
            trace: u64,
        }
        let line = &self.buffer;
        let Ok(Version { trace }) = serde_json::from_slice(line) else {
            // The first characters are enough to recognise it.
            let begin: String = String::from_utf8_lossy(line).chars().take(200).collect();
            return Err(TraceError::NotATrace { begin: shown(begin.trim_end()) });
        };
        if trace != VERSION {
            let message = format!(
                "'{trace}' is a version that this tauto does not read; expected {VERSION}; use another tauto"
            );
            return Err(self.wrong(Wrong::new("trace", message)));
        }
        let head = self.parse::<HeadLine>(Kind::Head)?.into();
        check::head(&head).map_err(|wrong| TraceError::at(self.line, wrong))?;
        Ok(head)
    }

    /// Returns what the trace says of itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the number of the line that was read last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the SHA-256 of the lines that were read, without their compression: at the end, of the whole trace.
    pub fn hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// Returns the next record; `None` after the last line.
    ///
    /// # Errors
    /// When a line is wrong or the end is missing. What follows is not to be read then.
    #[expect(clippy::should_implement_trait, reason = "errors end the reading, so `?` is what callers want")]
    pub fn next(&mut self) -> Result<Option<Record>, TraceError> {
        if self.has_ended {
            return Ok(None);
        }
        if !self.read_line()? {
            return Err(self.torn());
        }
        let kind = self.kind()?;
        let record = match kind {
            Kind::Job => Record::Job(self.parse(kind)?),
            Kind::Host => Record::Host(self.parse(kind)?),
            Kind::Change => Record::Change(self.parse(kind)?),
            Kind::Head => {
                return Err(self.wrong(Wrong::line("is a first line again; a file holds one trace")));
            }
            Kind::End => return self.end().map(|()| None),
        };
        self.checker.check(&record).map_err(|wrong| self.wrong(wrong))?;
        Ok(Some(record))
    }

    fn end(&mut self) -> Result<(), TraceError> {
        let EndLine { end } = self.parse(Kind::End)?;
        let (line, came) = (self.line, self.checker.records());
        if end != came {
            let message = format!(
                "'{end}' is not the number of records before it, which is {came}; lines were lost or added; copy or \
                 make the trace again"
            );
            return Err(self.wrong(Wrong::new("end", message)));
        }
        // Looking behind the end also checks gzip's own sum.
        if self.read_line()? {
            let message = "stands after the end of the trace; remove it, or the {\"end\":N} before it";
            return Err(self.wrong(Wrong::line(message)));
        }
        self.line = line;
        self.has_ended = true;
        Ok(())
    }

    fn read_line(&mut self) -> Result<bool, TraceError> {
        self.line += 1;
        let line = self.line;
        read_line(&mut self.source, &mut self.buffer, LINE_BYTES_MAX).map_err(|source| {
            match source.kind() {
                io::ErrorKind::UnexpectedEof => self.torn(),
                _ => TraceError::Read { line, source },
            }
        })?;
        if self.buffer.len() > LINE_BYTES_MAX {
            return Err(TraceError::TooLong { line });
        }
        self.hash.update(&self.buffer);
        Ok(!self.buffer.is_empty())
    }

    fn kind(&self) -> Result<Kind, TraceError> {
        let kinds = [
            ("job", Kind::Job),
            ("host", Kind::Host),
            ("change", Kind::Change),
            ("end", Kind::End),
            ("trace", Kind::Head),
        ];
        let is_first = |name: &str| {
            let rest = self.buffer.strip_prefix(b"{\"").and_then(|rest| rest.strip_prefix(name.as_bytes()));
            rest.is_some_and(|rest| rest.starts_with(b"\":"))
        };
        if let Some((_, kind)) = kinds.iter().find(|(name, _)| is_first(name)) {
            return Ok(*kind);
        }
        // Programs that sort the fields put others first.
        let fields: BTreeMap<Cow<'_, str>, IgnoredAny> = serde_json::from_slice(&self.buffer)
            .map_err(|error| if self.is_cut() { self.torn() } else { self.wrong(syntax(&error)) })?;
        let found = kinds.iter().find(|(name, _)| fields.contains_key(*name));
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            self.wrong(Wrong::line(
                "is no record; expected one of the fields 'host', 'change', 'job' and 'end'",
            ))
        })
    }

    fn parse<'a, T: Deserialize<'a>>(&'a self, kind: Kind) -> Result<T, TraceError> {
        serde_json::from_slice(&self.buffer).map_err(|error| {
            if error.is_eof() && self.is_cut() {
                self.torn()
            } else {
                self.wrong(explain(kind, &self.buffer, &error))
            }
        })
    }

    /// Whether the file ends within the line.
    fn is_cut(&self) -> bool {
        self.line > 1 && !self.buffer.ends_with(b"\n")
    }

    fn torn(&self) -> TraceError {
        TraceError::Torn { line: self.line, records: self.checker.records() }
    }

    fn wrong(&self, wrong: Wrong) -> TraceError {
        TraceError::at(self.line, wrong)
    }
}
