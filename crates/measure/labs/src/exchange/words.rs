//! Parses the MPI program's output.

use super::{ExchangeError, Plan, phase};

/// The work of ranks in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// They compute without communication: the article's T_1.
    Alone,
    /// They exchange messages without computing.
    Bare,
    /// They compute, then exchange messages and wait for them: the article's program.
    Blocking,
    /// They compute what neighbours need, send it, compute the rest, and then wait.
    Overlapped,
}

/// The work of ranks, with or without injected noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arm {
    pub work: Work,
    /// Whether noise is injected.
    pub injected: bool,
}

/// One block: every rank does all iterations once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Which round, from 0.
    pub round: u32,
    pub arm: Arm,
    /// The ranks' mean time for it.
    pub mean_ns: f64,
    /// The last rank's time for it.
    pub max_ns: f64,
    /// The ranks' mean time in the counting function, injected detours included.
    pub work_ns: f64,
    /// Detours injected on all ranks together.
    pub detours: u64,
    /// How long they took.
    pub detour_ns: f64,
    /// Detours that were due while a rank waited or communicated.
    pub absorbed: u64,
    /// Ranks that ended on another CPU than their own.
    pub moved: u64,
}

/// The measurements of one run of the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The MPI library.
    pub library: String,
    /// Steps of a call of the counting function.
    pub steps: u64,
    /// How long reading the clock takes.
    pub clock_ns: f64,
    /// For each rank, the median call in each slice from the beginning of load, in ns.
    pub warm_up: Vec<Vec<f64>>,
    pub blocks: Vec<Block>,
    /// Whether it finished.
    pub is_complete: bool,
}

impl Work {
    /// All kinds of work.
    pub const ALL: [Self; 4] = [Self::Alone, Self::Bare, Self::Blocking, Self::Overlapped];

    /// Returns the name in the program and in documents.
    pub fn id(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Bare => "bare",
            Self::Blocking => "blocking",
            Self::Overlapped => "overlapped",
        }
    }
}

impl Run {
    /// Processes one more line; returns whether it completed a block.
    pub(crate) fn receive(&mut self, line: &str, plan: &Plan) -> Result<bool, ExchangeError> {
        let refused = || ExchangeError::Words(format!("'{}'", line.chars().take(100).collect::<String>()));
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split_ascii_whitespace();
        match kind {
            "ready" => self.library = rest.to_owned(),
            "warm" => {
                // The rank and the steps of a call.
                words.nth(1).ok_or_else(refused)?;
                let medians: Result<_, _> = words.map(str::parse).collect();
                self.warm_up.push(medians.map_err(|_| refused())?);
            }
            "begin" => {
                self.steps = number(words.next()).ok_or_else(refused)?;
                self.clock_ns = number(words.next()).ok_or_else(refused)?;
                let drawn: f64 = number(words.next()).ok_or_else(refused)?;
                if drawn != phase(plan.seed, 0, 0, u64::from(plan.ranks()) - 1) {
                    return Err(ExchangeError::Words(format!("its phase {drawn} is not ours")));
                }
            }
            "block" => {
                self.blocks.push(block(&mut words).ok_or_else(refused)?);
                return Ok(true);
            }
            "end" => self.is_complete = true,
            _ => return Err(refused()),
        }
        Ok(false)
    }
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

fn block<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Block> {
    let round = number(words.next())?;
    let name = words.next()?;
    let work = Work::ALL.into_iter().find(|work| work.id() == name)?;
    let injected = number::<u8>(words.next())? == 1;
    Some(Block {
        round,
        arm: Arm { work, injected },
        mean_ns: number(words.next())?,
        max_ns: number(words.next())?,
        work_ns: number(words.next())?,
        detours: number(words.next())?,
        detour_ns: number(words.next())?,
        absorbed: number(words.next())?,
        moved: number(words.next())?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;

    #[test]
    fn lines_become_a_run() {
        let mut run = Run::default();
        let plan = plan();
        for line in [
            "ready Open MPI v4.1.4",
            "warm 0 183375 81517 69774",
            "warm 1 183375 67902 68612",
            &format!("begin 201160 30.1 {}", phase(1, 0, 0, 1)),
        ] {
            assert!(!run.receive(line, &plan).unwrap(), "{line}");
        }
        assert!(
            run.receive("block 1 overlapped 1 144051086 144051134 124917005 249 3319513 39 0", &plan)
                .unwrap()
        );
        assert_eq!(
            (run.steps, run.warm_up[1][0], run.library.as_str()),
            (201_160, 67_902.0, "Open MPI v4.1.4")
        );
        let block = run.blocks[0];
        assert_eq!(block.arm, Arm { work: Work::Overlapped, injected: true });
        assert_eq!((block.round, block.detours, block.absorbed), (1, 249, 39));
        assert!(!run.is_complete);
        run.receive("end", &plan).unwrap();
        assert!(run.is_complete);
    }

    #[test]
    fn other_words_are_refused() {
        for line in ["", "hello", "block 1 overlapped 1 1", "block 1 idle 0 1 1 1 1 1 1 0", "begin 7 30 0.5"]
        {
            assert!(Run::default().receive(line, &plan()).is_err(), "{line}");
        }
    }
}
