//! `tauto noise predict`: what noise does to a program of many nodes.

mod profile;
mod report;

use crate::arguments::{
    PredictArguments, PredictEnds, PredictPhases, PredictReported, PredictStencil, PredictWindow,
};
use anyhow::Context;
use model::CpuId;
use noise::closed::{ClosedForm, closed_form};
use noise::model::{Ends, Phases, Preset, Reported, Scenario, Stencil, Window};
use noise::simd::Instructions;
use noise::simulate::{Plan, Point, Reference, SimulateError, StopRule, seen_nodes, simulate};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use terminal::failure::{because, input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::{Colour, Progress, print};

/// An extra time below this part of T_C is not given in per cent.
const FLOOR: f64 = 1e-5;
/// A bar of this many steps for each number of nodes.
const STEPS: u64 = 20;

/// The validated request.
struct Prediction {
    scenario: Scenario,
    preset: Option<&'static Preset>,
    /// From which profile its sources are, in words.
    from: Option<String>,
    plan: Plan,
    reference: u64,
    nodes: Vec<u64>,
    /// Node-iterations for all numbers of nodes together.
    units_max: u64,
}

/// The result for one number of nodes.
struct Answer {
    nodes: u64,
    closed: ClosedForm,
    closed_difference_ns: f64,
    simulated: Option<Point>,
}

/// Predicts, and prints.
pub fn run(arguments: &PredictArguments, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let prediction = Prediction::of(arguments)?;
    let mut answers = prediction.closed();
    let colour = Colour::for_stdout();
    if !json {
        print(&report::formulas(&prediction, &answers).text(colour))?;
    }
    let mut interrupted = false;
    if !arguments.closed {
        let progress = Progress::on_stderr(true);
        interrupted = prediction.simulate(&mut answers, &progress, &interrupt)?;
    }
    if let Some(path) = &arguments.svg {
        let drawing = report::draw(&prediction, &answers);
        std::fs::write(path, drawing).with_context(|| because(format!("cannot write {}", path.display())))?;
    }
    if json {
        print(&documents::to_json(&report::document(&prediction, &answers, interrupted)))?;
    } else if !arguments.closed {
        print(&format!("\n{}", report::simulated(&prediction, &answers).text(colour)))?;
    }
    interrupt.check()?;
    Ok(ExitCode::SUCCESS)
}

impl Prediction {
    fn of(arguments: &PredictArguments) -> anyhow::Result<Self> {
        let preset = arguments.preset.as_deref().and_then(Preset::find);
        let mut scenario = match preset {
            Some(preset) => preset.scenario(arguments.stencil.into()),
            None => Scenario::article(0.0, Vec::new()),
        };
        let mut from = None;
        if let Some(path) = &arguments.profile {
            let taken = profile::sources(path, arguments.cpu.map(CpuId))?;
            scenario.sources = taken.sources;
            from = Some(taken.words);
        }
        if !arguments.sources.is_empty() {
            scenario.sources.clone_from(&arguments.sources);
        }
        if let Some(tc) = arguments.tc {
            scenario.compute_ns = tc.0 as f64;
        }
        let latency_ns = arguments.latency.map(|latency| latency.0 as f64);
        let bytes_ns = arguments
            .message
            .zip(arguments.bandwidth)
            .map(|(message, bandwidth)| message.0 as f64 / bandwidth.0 as f64 * 1e9);
        if let Some(message_ns) = latency_ns.or(bytes_ns) {
            scenario.message_ns = message_ns + latency_ns.and(bytes_ns).unwrap_or(0.0);
        }
        if arguments.message.is_some() && latency_ns.is_none() && bytes_ns.is_none() && preset.is_none() {
            return Err(input_with_hint(
                "how long a message of that size takes is not known",
                "give --latency with what it takes, or --bandwidth",
            ));
        }
        scenario = Scenario {
            stencil: arguments.stencil.into(),
            ends: match arguments.ends {
                PredictEnds::Open => Ends::Open,
                PredictEnds::Periodic => Ends::Periodic,
            },
            window: match arguments.window {
                PredictWindow::OwnFinish => Window::OwnFinish,
                PredictWindow::Computing => Window::Computing,
                PredictWindow::Lengthened => Window::Lengthened,
            },
            phases: match arguments.phases {
                PredictPhases::OneOffset => Phases::OneOffset,
                PredictPhases::Own => Phases::Own,
                PredictPhases::Common => Phases::Common,
            },
            iterations: arguments.iterations,
            warm_up: arguments.warm_up,
            ..scenario
        };
        scenario.check().map_err(|error| input(error.to_string()))?;
        let mut nodes: Vec<u64> = Vec::new();
        for count in &arguments.nodes.0 {
            scenario.check_nodes(*count).map_err(|error| input(error.to_string()))?;
            let there = scenario.stencil.lattice(*count).nodes();
            if !nodes.contains(&there) {
                nodes.push(there);
            }
        }
        let plan = Plan {
            reported: match arguments.reported {
                PredictReported::Edge => Reported::Edge,
                PredictReported::Maximum => Reported::Maximum,
                PredictReported::Mean => Reported::Mean,
            },
            seed: arguments.seed,
            stop: StopRule {
                precision: arguments.precision / 100.0,
                replicas_max: arguments.replicas as usize,
                floor_ns: scenario.compute_ns * FLOOR,
                ..StopRule::default()
            },
            instructions: Instructions::best(),
        };
        let reference = arguments.reference;
        Ok(Self { scenario, preset, from, plan, reference, nodes, units_max: arguments.work })
    }

    fn closed(&self) -> Vec<Answer> {
        let iteration = |nodes| closed_form(&self.scenario, nodes, self.plan.reported);
        let reference = iteration(self.reference);
        let answer = |nodes: &u64| {
            let closed = iteration(*nodes);
            let closed_difference_ns = closed.iteration_ns - reference.iteration_ns;
            Answer { nodes: *nodes, closed, closed_difference_ns, simulated: None }
        };
        self.nodes.iter().map(answer).collect()
    }

    /// Simulates all numbers of nodes, those of least work first, and returns whether it was stopped.
    ///
    /// Each gets an equal part of the work that those before have left.
    fn simulate(
        &self,
        answers: &mut [Answer],
        progress: &Progress,
        interrupt: &Interrupt,
    ) -> anyhow::Result<bool> {
        progress.expect(STEPS * answers.len() as u64);
        let (mut reference, mut units_left) = (Reference::new(self.reference), self.units_max);
        let mut order: Vec<usize> = (0..answers.len()).collect();
        order.sort_by_key(|at| answers[*at].nodes);
        let mut before: Option<(u64, Point)> = None;
        for (count, at) in order.iter().enumerate() {
            let nodes = answers[*at].nodes;
            let seen = seen_nodes(&self.scenario, nodes, self.plan.reported);
            if let Some((_, point)) =
                before.as_ref().filter(|(same, _)| *same == seen && nodes != self.reference)
            {
                answers[*at].simulated = Some(Point { nodes, ..point.clone() });
                (0..STEPS).for_each(|_| progress.step());
                continue;
            }
            let units_max = units_left / (order.len() - count) as u64;
            let mut plan = self.plan;
            plan.stop.units_max = units_max;
            progress.say(format!("{nodes} nodes"));
            let done = AtomicU64::new(0);
            // Several threads report at once: each makes the steps that its own part passes.
            let steps = |done: u64| (done / units_max.div_ceil(STEPS)).min(STEPS);
            let go_on = |units: u64| {
                let before = done.fetch_add(units, Ordering::Relaxed);
                (steps(before)..steps(before + units)).for_each(|_| progress.step());
                interrupt.check().is_ok()
            };
            let point =
                simulate(&self.scenario, nodes, &mut reference, &plan, go_on).map_err(
                    |error| match error {
                        SimulateError::Scenario(error) => input(error.to_string()),
                        error @ SimulateError::Apart => input(error.to_string()),
                    },
                )?;
            let done = done.into_inner();
            (steps(done)..STEPS).for_each(|_| progress.step());
            units_left = units_left.saturating_sub(done);
            before = point.clone().map(|point| (seen, point));
            answers[*at].simulated = point;
            if interrupt.check().is_err() {
                break;
            }
        }
        for point in answers.iter_mut().filter_map(|answer| answer.simulated.as_mut()) {
            reference.settle(point, self.plan.stop.confidence);
        }
        Ok(interrupt.check().is_err())
    }
}

impl From<PredictStencil> for Stencil {
    fn from(stencil: PredictStencil) -> Self {
        match stencil {
            PredictStencil::Line => Self::Line,
            PredictStencil::Square4 => Self::Square4,
            PredictStencil::Square8 => Self::Square8,
            PredictStencil::Cube6 => Self::Cube6,
        }
    }
}
