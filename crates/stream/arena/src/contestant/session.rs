//! From the bytes of the feed to answers that wait.

use super::head::Head;
use super::posts::Posts;
use super::replies::Replies;
use super::{Options, OwnTimes};
use std::time::Instant;
use stream_rules::solve::Solver;

pub(crate) struct Session {
    head: Head,
    solver: Box<dyn Solver>,
    predicts: bool,
    pub posts: Posts,
    pub replies: Replies,
    pub own: OwnTimes,
}

impl Session {
    pub fn new(options: &Options) -> Self {
        let digits_max = options.problem.digits_max();
        let posts = Posts::new(&options.output, &options.user, &options.password, digits_max, options.window);
        Self {
            head: Head::default(),
            solver: options.method.solver(&options.problem),
            predicts: options.predicts,
            posts,
            replies: Replies::default(),
            own: OwnTimes::default(),
        }
    }

    /// Begins a new stream. What was sent stays sent.
    pub fn begin_anew(&mut self, options: &Options) {
        self.head = Head::default();
        self.solver = options.method.solver(&options.problem);
    }

    /// Takes bytes of the feed, and returns how many digits they have.
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let digits = self.head.take(bytes)?;
        if let Some(other) = digits.iter().find(|byte| !byte.is_ascii_digit()) {
            return Err(format!("it sent the byte 0x{other:02x} where a digit was expected"));
        }
        let Self { solver, posts, .. } = self;
        solver.take(digits, &mut |_, text| posts.add(text));
        Ok(digits.len())
    }

    pub fn settle(&mut self, now: Instant) {
        self.posts.settle(now);
    }

    /// Does what the next digits would have to wait for, and predicts.
    pub fn prepare(&mut self) {
        self.solver.prepare();
        if self.predicts {
            let Self { solver, posts, .. } = self;
            solver.predict(&mut |text| posts.add(text));
        }
    }
}
