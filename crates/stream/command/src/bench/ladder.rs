//! The time for a digit of every rung of the ladder.

use super::figures::{Figure, quantile, short};
use super::stage::Stage;
use contest_command::output::table as table_of;
use serde_json::{Value, json};
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

/// What one rung took with one set of instructions.
pub struct Rung {
    pub method: Method,
    /// None where it uses no vector instructions of its own.
    pub instructions: Option<Instructions>,
    digits: usize,
    /// Of each round: ns that each digit waited.
    pub waited: Vec<f64>,
    /// Of each round: ns for each digit, with what is done in gaps.
    total: Vec<f64>,
    memory_bytes: Option<usize>,
    solver: Box<dyn Solver>,
    next: usize,
}

impl Rung {
    pub fn median(&self) -> f64 {
        quantile(&self.waited, 0.5)
    }

    pub fn document(&self) -> Value {
        json!({
            "method": self.method.name(),
            "instructions": self.instructions.map(Instructions::name),
            "digits_per_round": self.digits,
            "ns_per_digit": self.median(),
            "ns_per_digit_p10": quantile(&self.waited, 0.1),
            "ns_per_digit_p90": quantile(&self.waited, 0.9),
            "ns_per_digit_with_gaps": quantile(&self.total, 0.5),
            "memory_bytes": self.memory_bytes,
            "rounds": self.waited,
        })
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
) -> anyhow::Result<Vec<Rung>> {
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
    .map(|()| rungs)
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

fn best(rungs: &[Rung], method: Method) -> Option<&Rung> {
    let of_it = rungs.iter().filter(|rung| rung.method == method);
    of_it.min_by(|one, other| one.median().total_cmp(&other.median()))
}

/// Holds the ladder against its bars.
pub fn figures(rungs: &[Rung], l2_bytes: Option<u64>) -> Vec<Figure> {
    // They find in the same way.
    let tops = [best(rungs, Method::FixedPoint), best(rungs, Method::Prediction)];
    let top = tops.into_iter().flatten().min_by(|one, other| one.median().total_cmp(&other.median()));
    let found = (top, best(rungs, Method::Sample), best(rungs, Method::Simd), best(rungs, Method::Factor));
    let (Some(top), Some(sample), Some(simd), Some(factor)) = found else { return Vec::new() };
    let times = |slow: &Rung| slow.median() / top.median();
    let mut figures = vec![
        Figure::at_most("best rung, ns a digit", top.median(), "ns", 12.0),
        Figure::at_least("best rung against the sample", times(sample), "times", 40_000.0),
        Figure::at_least("against the recurrence with one factor each", times(factor), "times", 30.0),
        Figure::plain("against the recurrence with whole numbers", times(simd), "times"),
    ];
    let kib = |bytes: f64| bytes / 1024.0;
    if let Some(memory) = top.memory_bytes {
        let what = "memory of the best rung";
        figures.push(match l2_bytes {
            Some(l2) => Figure::at_most(what, kib(memory as f64), "KiB", kib(l2 as f64)),
            None => Figure::not_measured(what, "the kernel does not report the size of the L2 cache"),
        });
    }
    figures
}

pub fn table(rungs: &[Rung]) -> Option<String> {
    let sample = best(rungs, Method::Sample)?.median();
    let mut table =
        table_of(&["method", "instructions", ">a digit", ">p10 to p90", ">with gaps", ">times sample"]);
    for rung in rungs {
        let (low, high) = (quantile(&rung.waited, 0.1), quantile(&rung.waited, 0.9));
        table.row([
            Cell::from(rung.method.name()),
            Cell::from(rung.instructions.map_or("", Instructions::name)),
            Cell::from(fine_time(rung.median())),
            Cell::from(format!("{} to {}", fine_time(low), fine_time(high))),
            Cell::from(fine_time(quantile(&rung.total, 0.5))),
            Cell::from(short(sample / rung.median())),
        ]);
    }
    Some(table.render(Colour::for_stdout()))
}
