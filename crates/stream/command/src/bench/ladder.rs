//! The time for a digit of every rung of the ladder.

use super::figures::{at_least, at_most, not_measured, plain, quantile, short};
use super::stage::Stage;
use contest_command::output::table as table_of;
use documents::{StreamBar, StreamSolverTimes};
use std::time::Instant;
use stream_rules::solve::{Method, Problem, Solver};
use stream_rules::{Generator, Instructions, Rules};
use terminal::interrupt::Interrupt;
use terminal::numbers::fine_time;
use terminal::{Cell, Colour, Progress};

const SEED: u64 = 1;
/// Digits before the first round: more than the longest answer, so that all substrings are there.
const WARM_UP: usize = 600;
/// More than any round takes.
const CHUNKS: usize = 600;

/// A solver with one set of instructions while it is measured.
struct Rung {
    method: Method,
    /// None where it uses no vector instructions of its own.
    instructions: Option<Instructions>,
    digits: usize,
    /// Of each round: ns that each digit waited.
    waited: Vec<f64>,
    /// Of each round: ns for each digit, with what is done in gaps.
    total: Vec<f64>,
    memory_bytes: Option<usize>,
    solver: Box<dyn Solver>,
    next: usize,
}

impl Rung {
    fn times(self) -> StreamSolverTimes {
        StreamSolverTimes {
            method: self.method.name().to_owned(),
            instructions: self.instructions.map(|with| with.name().to_owned()),
            digits_per_round: self.digits as u64,
            ns_per_digit: quantile(&self.waited, 0.5),
            ns_per_digit_p10: quantile(&self.waited, 0.1),
            ns_per_digit_p90: quantile(&self.waited, 0.9),
            ns_per_digit_with_gaps: quantile(&self.total, 0.5),
            memory_bytes: self.memory_bytes.map(|bytes| bytes as u64),
            rounds: self.waited,
        }
    }

    /// Solves one round: chunks as a contest sends them, and what is done in the gaps between them. What it takes to read the
    /// clock for each chunk is measured in the same round, and left out.
    fn round(&mut self, chunks: &[Vec<u8>]) -> (f64, f64) {
        let mut found = 0_u64;
        let (mut left, mut waited, mut read) = (self.digits, 0, 0);
        let began = Instant::now();
        while left > 0 {
            let chunk = &chunks[self.next % chunks.len()];
            let chunk = &chunk[..chunk.len().min(left)];
            self.next += 1;
            left -= chunk.len();
            let came = Instant::now();
            self.solver.take(chunk, &mut |_, _| found += 1);
            waited += came.elapsed().as_nanos();
            self.solver.prepare();
            read += 1;
        }
        let total = began.elapsed().as_nanos();
        std::hint::black_box(found);
        let clock: u128 = (0..read).map(|_| Instant::now().elapsed().as_nanos()).sum();
        let waited = waited.saturating_sub(clock);
        (waited as f64 / self.digits as f64, total as f64 / self.digits as f64)
    }
}

/// Digits of a round: some milliseconds of the slow rungs, fewer of the fast ones, so that most rounds are not interrupted.
fn digits_of(method: Method) -> usize {
    match method {
        Method::Sample => 30,
        Method::Recurrence => 100,
        Method::FixedWidth => 300,
        Method::Simd | Method::Factor => 1_000,
        Method::Prefix => 3_000,
        Method::Tables => 10_000,
        Method::FixedPoint | Method::Prediction => 50_000,
    }
}

fn uses_vectors(method: Method) -> bool {
    matches!(method, Method::Simd | Method::Factor | Method::FixedPoint | Method::Prediction)
}

pub fn measure(
    stage: &Stage,
    rounds: u32,
    interrupt: &Interrupt,
    progress: &Progress,
) -> anyhow::Result<Vec<StreamSolverTimes>> {
    let rules = Rules::default();
    let mut generator = Generator::new(&rules, SEED);
    let chunks: Vec<Vec<u8>> = (0..CHUNKS).map(|_| generator.chunk().digits).collect();
    let mut rungs = rungs(&Problem::new(&rules));
    progress.expect(u64::from(rounds) + 1);
    std::thread::scope(|scope| {
        let measuring = scope.spawn(|| {
            stage.measure_here()?;
            let warm_up: Vec<u8> = chunks.iter().flatten().copied().take(WARM_UP).collect();
            for rung in &mut rungs {
                rung.solver.take(&warm_up, &mut |_, _| ());
            }
            for round in 0..=rounds {
                progress.say(format!("the ladder, round {round} of {rounds}"));
                for rung in &mut rungs {
                    interrupt.check()?;
                    // It brings back into the caches what the rung before has driven out.
                    if uses_vectors(rung.method) {
                        rung.round(&chunks);
                    }
                    let (waited, total) = rung.round(&chunks);
                    // The first is not warm.
                    if round > 0 {
                        rung.waited.push(waited);
                        rung.total.push(total);
                    }
                }
                progress.step();
            }
            Ok(())
        });
        measuring.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
    .map(|()| rungs.into_iter().map(Rung::times).collect())
}

fn rungs(problem: &Problem) -> Vec<Rung> {
    let mut rungs = Vec::new();
    for method in Method::LADDER {
        let all = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable];
        let there = all.into_iter().filter(|with| with.is_there()).map(Some);
        let sets: Vec<_> = if uses_vectors(method) { there.collect() } else { vec![None] };
        for instructions in sets {
            let solver = method.solver_with(problem, instructions.unwrap_or(Instructions::Portable));
            rungs.push(Rung {
                method,
                instructions,
                digits: digits_of(method),
                waited: Vec::new(),
                total: Vec::new(),
                memory_bytes: solver.memory_bytes(),
                solver,
                next: 0,
            });
        }
    }
    rungs
}

fn best(ladder: &[StreamSolverTimes], method: Method) -> Option<&StreamSolverTimes> {
    let of_it = ladder.iter().filter(|times| times.method == method.name());
    of_it.min_by(|one, other| one.ns_per_digit.total_cmp(&other.ns_per_digit))
}

/// Holds the ladder against its bars.
pub fn bars(ladder: &[StreamSolverTimes], l2_bytes: Option<u64>) -> Vec<StreamBar> {
    let best = |method| best(ladder, method);
    // They find in the same way.
    let tops = [best(Method::FixedPoint), best(Method::Prediction)];
    let top = tops.into_iter().flatten().min_by(|one, other| one.ns_per_digit.total_cmp(&other.ns_per_digit));
    let found = (top, best(Method::Sample), best(Method::Simd), best(Method::Factor));
    let (Some(top), Some(sample), Some(simd), Some(factor)) = found else { return Vec::new() };
    let times = |slow: &StreamSolverTimes| slow.ns_per_digit / top.ns_per_digit;
    let mut bars = vec![
        at_most("best rung, ns a digit", top.ns_per_digit, "ns", 12.0),
        at_least("best rung against the sample", times(sample), "times", 40_000.0),
        at_least("against the recurrence with one factor each", times(factor), "times", 30.0),
        plain("against the recurrence with whole numbers", times(simd), "times"),
    ];
    let kib = |bytes: u64| bytes as f64 / 1024.0;
    if let Some(memory) = top.memory_bytes {
        let what = "memory of the best rung";
        bars.push(match l2_bytes {
            Some(l2) => at_most(what, kib(memory), "KiB", kib(l2)),
            None => not_measured(what, "the kernel does not report the size of the L2 cache"),
        });
    }
    bars
}

pub fn table(ladder: &[StreamSolverTimes]) -> Option<String> {
    let sample = best(ladder, Method::Sample)?.ns_per_digit;
    let mut table =
        table_of(&["method", "instructions", ">a digit", ">p10 to p90", ">with gaps", ">times sample"]);
    for times in ladder {
        let (low, high) = (fine_time(times.ns_per_digit_p10), fine_time(times.ns_per_digit_p90));
        table.row([
            Cell::from(times.method.as_str()),
            Cell::from(times.instructions.as_deref().unwrap_or_default()),
            Cell::from(fine_time(times.ns_per_digit)),
            Cell::from(format!("{low} to {high}")),
            Cell::from(fine_time(times.ns_per_digit_with_gaps)),
            Cell::from(short(sample / times.ns_per_digit)),
        ]);
    }
    Some(table.render(Colour::for_stdout()))
}
