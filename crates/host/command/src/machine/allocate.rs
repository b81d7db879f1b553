//! `tauto machine allocate`: what would be granted, and why.

mod map;
mod picture;
mod report;
mod state;

use crate::arguments::{AllocateArguments, AllocateClass, AllocateSiblings};
use allocator::defragment::{Limits, NoPlan, Plan, Prices, gather, make_room};
use allocator::{
    Class, Holder, Lease, LeaseId, NoFit, Placement, Request, ShareError, SharedSet, Siblings, Why, allocate,
};
use anyhow::Context;
use model::Nanos;
use picture::{Axis, Change, timeline};
use state::State;
use std::num::NonZeroU32;
use std::process::ExitCode;
use terminal::failure::{because, input_with_hint};
use terminal::print_result;

struct Answer {
    granted: Option<Grant>,
    refused: Option<Box<NoFit>>,
    no_share: Option<ShareError>,
    plan: Option<Plan>,
    no_plan: Option<NoPlan>,
    /// Whether the grant includes the core that is kept for everything else.
    takes_housekeeping: bool,
}

enum Grant {
    Own(Box<Placement>),
    /// A place in a shared set, in its new state.
    Shared {
        set: LeaseId,
        lease: Box<Lease>,
        shared: SharedSet,
        name: LeaseId,
    },
}

impl Answer {
    const NOTHING: Self = Self {
        granted: None,
        refused: None,
        no_share: None,
        plan: None,
        no_plan: None,
        takes_housekeeping: false,
    };

    fn is_no(&self) -> bool {
        self.granted.is_none() && (self.refused.is_some() || self.no_share.is_some())
    }
}

/// Returns what would be granted, and draws it if requested.
pub fn run(arguments: &AllocateArguments, json: bool) -> anyhow::Result<ExitCode> {
    let state = State::read(arguments)?;
    let answer = answer(arguments, &state)?;
    if let Some(path) = &arguments.svg {
        let drawing = draw(&state, &answer);
        std::fs::write(path, drawing).with_context(|| because(format!("cannot write {}", path.display())))?;
    }
    let document = report::document(&state, &answer);
    print_result(&document, json, |document| report::report_of(&state, &answer, document))?;
    Ok(ExitCode::from(u8::from(answer.is_no())))
}

fn answer(arguments: &AllocateArguments, state: &State) -> anyhow::Result<Answer> {
    let limits = Limits { moves_max: arguments.moves, price_max: arguments.price.unwrap_or(u64::MAX) };
    let prices = Prices::default();
    let Some(cpus) = arguments.cpus else {
        return Ok(Answer { plan: Some(gather(&state.leases, &prices, limits)), ..Answer::NOTHING });
    };
    if let Some(set) = &arguments.join {
        return Ok(join(state, set, cpus, arguments.weight));
    }
    let request = request(arguments, state, cpus)?;
    let no_fit = match allocate(&state.leases, &request) {
        Ok(placement) => {
            return Ok(Answer { granted: Some(Grant::Own(Box::new(placement))), ..Answer::NOTHING });
        }
        Err(no_fit) => no_fit,
    };
    if let Some(placement) =
        state.with_housekeeping.as_ref().and_then(|leases| allocate(leases, &request).ok())
    {
        let granted = Some(Grant::Own(Box::new(placement)));
        return Ok(Answer { granted, takes_housekeeping: true, ..Answer::NOTHING });
    }
    if matches!(no_fit.why, Why::NoSuchKind | Why::NoSuchNumaNode(_) | Why::NoSuchSpan) {
        return Err(input_with_hint(no_fit.to_string(), no_fit.remedy()));
    }
    let (plan, no_plan) =
        match arguments.defragment.then(|| make_room(&state.leases, &request, &prices, limits)) {
            None => (None, None),
            Some(Ok(plan)) => (Some(plan), None),
            Some(Err(no_plan)) => (None, Some(no_plan)),
        };
    let granted = plan.as_ref().and_then(|plan| plan.placement(&request).ok());
    let granted = granted.map(|placement| Grant::Own(Box::new(placement)));
    Ok(Answer { granted, refused: Some(no_fit), plan, no_plan, ..Answer::NOTHING })
}

fn join(state: &State, set: &str, cpus: NonZeroU32, weight: NonZeroU32) -> Answer {
    let (set, name) = (LeaseId::new(set), LeaseId::new("this request"));
    let mut leases = state.leases.clone();
    if let Err(error) = leases.join(&set, name.clone(), Holder { cpus, weight }) {
        return Answer { no_share: Some(error), ..Answer::NOTHING };
    }
    let granted = leases.shared(&set).zip(leases.get(&set)).map(|(shared, lease)| Grant::Shared {
        lease: Box::new(lease.clone()),
        shared: shared.clone(),
        set: set.clone(),
        name,
    });
    Answer { granted, ..Answer::NOTHING }
}

fn request(arguments: &AllocateArguments, state: &State, cpus: NonZeroU32) -> anyhow::Result<Request> {
    let kinds = state.leases.machine().kinds();
    let kind = arguments.kind.as_ref().map(|name| {
        kinds.iter().position(|kind| kind == name).ok_or_else(|| {
            let hint = match kinds {
                [] | [_] => "all cores of this machine are alike; leave --kind out".to_owned(),
                kinds => format!("its kinds are {}", kinds.join(", ")),
            };
            input_with_hint(format!("the machine has no kind of core '{name}'"), hint)
        })
    });
    Ok(Request {
        cpus,
        siblings: match arguments.siblings {
            AllocateSiblings::Idle => Siblings::Idle,
            AllocateSiblings::Used => Siblings::Used,
        },
        class: match arguments.class {
            AllocateClass::Compute => Class::Compute,
            AllocateClass::MemoryBound => Class::MemoryBound { per_l3_max: arguments.neighbours },
        },
        kind: kind.transpose()?,
        numa_node: arguments.numa_node,
        within: arguments.within.into(),
    })
}

/// Draws the state's history, or else the present leases, and each move of a plan as a step.
fn draw(state: &State, answer: &Answer) -> String {
    let machine = state.leases.machine();
    if !state.history.is_empty() && answer.plan.is_none() {
        let last = state.history.iter().map(|change| change.at.0).max().unwrap_or(0);
        // The last change gets some length, otherwise it would be invisible.
        let end = Nanos(last + (last / 10).max(1));
        return timeline(machine, &state.history, end, Axis::Time);
    }
    let whole = |lease: &Lease| lease.cpus.iter().chain(lease.idle.iter()).collect();
    let mut changes: Vec<Change> = state
        .leases
        .iter()
        .map(|lease| Change { at: Nanos(0), lease: lease.id.clone(), cpus: whole(lease) })
        .collect();
    let mut step = 0;
    for made in answer.plan.iter().flat_map(|plan| &plan.moves) {
        step += 1;
        let cpus = made.to.iter().chain(made.to_idle.iter()).collect();
        changes.push(Change { at: Nanos(step), lease: made.lease.clone(), cpus });
    }
    if let Some(Grant::Own(placement)) = &answer.granted {
        step += 1;
        let cpus = placement.cpus.iter().chain(placement.idle.iter()).collect();
        changes.push(Change { at: Nanos(step), lease: LeaseId::new("this request"), cpus });
    }
    timeline(machine, &changes, Nanos(step + 1), Axis::Steps)
}
