//! Scoreboards that were built, so that a thousand readers cost one build.

use crate::{Problem, random};
use axum::body::Bytes;
use contest_rules::GroupId;
use contest_rules::board::BoardSide;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Groups of all contests, times the sides; then all are built anew.
const BOARDS_MAX: usize = 1000;

/// Whose board of what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub contest: String,
    pub group: Option<GroupId>,
    /// Frozen or not.
    pub side: BoardSide,
    /// The jury sees more of teams and problems.
    pub viewer: BoardSide,
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    Standard,
    /// DOMjudge's, with the teams that are out of the ranking or without them.
    Domjudge {
        with_hidden: bool,
    },
}

/// A board as bytes.
#[derive(Debug)]
pub struct Board {
    pub bytes: Bytes,
    /// Its tag, which depends on the bytes alone.
    pub etag: String,
    /// The same with gzip, made for the first client that takes it: a contest hall asks for each change of the board within a second.
    zipped: OnceLock<Bytes>,
}

impl Board {
    pub fn zipped(&self) -> Bytes {
        self.zipped
            .get_or_init(|| {
                // The fastest: the best makes it a third shorter and takes ten times as long.
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&self.bytes).expect("memory takes all");
                encoder.finish().expect("memory takes all").into()
            })
            .clone()
    }
}

/// Boards, each with how many changes its viewers had seen when it was built.
#[derive(Default)]
pub struct BoardCache {
    boards: Mutex<HashMap<Key, Slot>>,
}

/// One is built at a time for a key; others wait for it.
type Slot = Arc<Mutex<Option<(u64, Arc<Board>)>>>;

impl BoardCache {
    /// Returns a board, built if there were changes since it was built.
    pub fn get(
        &self,
        key: Key,
        changes: u64,
        build: impl FnOnce() -> Result<Vec<u8>, Problem>,
    ) -> Result<Arc<Board>, Problem> {
        let slot = {
            let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
            if boards.len() >= BOARDS_MAX && !boards.contains_key(&key) {
                boards.clear();
            }
            boards.entry(key.clone()).or_default().clone()
        };
        let mut built = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, board)) = built.as_ref()
            && *at == changes
        {
            return Ok(board.clone());
        }
        let bytes = build().inspect_err(|_| {
            // Groups that are not there must not take the places of those that are.
            self.boards.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        })?;
        let etag = format!("\"{}\"", &random::sha256_hex(&bytes)[..32]);
        let board = match built.take() {
            Some((_, board)) if board.etag == etag => board,
            _ => Arc::new(Board { bytes: bytes.into(), etag, zipped: OnceLock::new() }),
        };
        *built = Some((changes, board.clone()));
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn refused_submissions_take_no_place() {
        let cache = BoardCache::default();
        let key = |group: Option<&str>| Key {
            contest: "c".to_owned(),
            group: group.map(|group| group.parse().unwrap()),
            side: BoardSide::Public,
            viewer: BoardSide::Public,
            form: Form::Standard,
        };
        let kept = cache.get(key(None), 1, || Ok(b"a".to_vec())).unwrap();
        for number in 0..2 * BOARDS_MAX {
            let group = format!("g{number}");
            let refused = cache.get(key(Some(&group)), 1, || Err(Problem::not_found("group", &group)));
            assert!(refused.is_err());
        }
        let again = cache.get(key(None), 1, || panic!("it was built before")).unwrap();
        assert!(Arc::ptr_eq(&kept, &again));
    }

    #[test]
    fn a_board_is_built_when_something_changed() {
        let cache = BoardCache::default();
        let get = |changes, content: &str| {
            let key = Key {
                contest: "c".to_owned(),
                group: None,
                side: BoardSide::Public,
                viewer: BoardSide::Public,
                form: Form::Standard,
            };
            cache.get(key, changes, || Ok(content.as_bytes().to_vec())).unwrap()
        };
        let first = get(1, "a");
        assert_eq!(get(1, "b").bytes, "a");
        let same = get(2, "a");
        assert!(Arc::ptr_eq(&first, &same), "the tag depends on the content");
        assert_eq!(get(3, "b").bytes, "b");
        let mut text = String::new();
        GzDecoder::new(&*first.zipped()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a");
    }
}
