//! Runs by a counter of the processor's, end to end: with page faults in place of instructions, which every machine counts. Needs root,
//! control groups of version 2 and `python3`.

#![allow(clippy::unwrap_used)]

use model::{InstructionCount, LimitKind, Nanos, Reading, RunEnd};
use sandbox::{
    ClockEvent, Counter, HardwareCounter, Input, Ran, RootView, RunIo, RunPlan, SingleRun, Slot, SlotOptions,
};

/// A function that runs a plan, for both kinds of places.
type Run<'r> = &'r mut dyn FnMut(&RunPlan) -> Ran;

fn main() {
    sandbox::become_launcher_if_asked();
    if !test_support::needs_root() || !test_support::needs_program("python3", "python3") {
        return;
    }
    let options = || SlotOptions::new(RootView::Host { extra: Vec::new() });
    println!("a single run");
    let mut single = |plan: &RunPlan| {
        SingleRun::open(options(), None).unwrap().run(plan, RunIo::captured(Input::Empty)).unwrap()
    };
    if matches!(&instructions(&single(&plan(1))), Reading::Unavailable(why) if why.contains("version 2")) {
        println!("skipped: no control groups of version 2");
        return;
    }
    check(&mut single);
    println!("runs of a slot");
    let mut slot = Slot::open(options()).unwrap();
    check(&mut |plan: &RunPlan| slot.run(plan, RunIo::captured(Input::Empty)).unwrap());
}

fn check(run: Run<'_>) {
    what_the_program_does_is_counted(run);
    the_limit_is_the_final_count(run);
    an_endless_program_is_ended_by_its_count(run);
    addresses_are_the_same(run);
    what_is_not_counted_is_unavailable(run);
}

/// Returns the plan of a program that uses this many new pages, on CPU 0.
fn plan(pages: u64) -> RunPlan {
    plan_of(
        "0",
        &format!(
            "import mmap\nm = mmap.mmap(-1, {pages} * 4096)\nfor at in range(0, len(m), 4096): m[at] = 1"
        ),
    )
}

fn plan_of(cpus: &str, script: &str) -> RunPlan {
    let mut plan = RunPlan::new(["python3", "-IS", "-c", script].map(str::to_owned).to_vec());
    plan.environment.push(("PYTHONHASHSEED".to_owned(), "0".to_owned()));
    plan.cpus = Some(cpus.parse().unwrap());
    plan.limits.cpu_time = Some(Nanos::from_millis(20_000));
    plan.limits.wall_time = Some(Nanos::from_millis(60_000));
    let counter = HardwareCounter { processor: "any".to_owned(), event: ClockEvent::PageFaults };
    plan.counter = Some(Counter::Hardware(counter));
    plan
}

fn instructions(ran: &Ran) -> Reading<InstructionCount> {
    ran.result.usage.instructions.clone()
}

fn count(ran: &Ran) -> u64 {
    instructions(ran).into_known().unwrap().0
}

fn what_the_program_does_is_counted(run: Run<'_>) {
    let (few, many) = (run(&plan(1_000)), run(&plan(11_000)));
    assert_eq!((few.result.end, many.result.end), (RunEnd::Exited(0), RunEnd::Exited(0)));
    let more = count(&many) - count(&few);
    println!("  {} and {} page faults", count(&few), count(&many));
    assert!((9_900..10_100).contains(&more), "10,000 more pages are {more} more page faults");
}

/// Whether a run was ended early or has ended by itself, its count decides.
fn the_limit_is_the_final_count(run: Run<'_>) {
    let mut plan = plan(20_000);
    let used = count(&run(&plan));
    plan.limits.instructions = Some(InstructionCount(used + 20));
    let ran = run(&plan);
    assert_eq!(ran.result.end, RunEnd::Exited(0), "{} of {}", count(&ran), used + 20);
    plan.limits.instructions = Some(InstructionCount(used - 20));
    let ran = run(&plan);
    assert_eq!(ran.result.end, RunEnd::Limit(LimitKind::Instructions));
    assert_eq!(count(&ran), used - 20, "how far beyond it got is chance");
}

/// No other limit is near, and nothing but the overflow of the count wakes anybody.
fn an_endless_program_is_ended_by_its_count(run: Run<'_>) {
    let cpus = test_support::allowed_cpus();
    let cpus = cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    for on in ["0", cpus.as_str()] {
        let script = "import mmap\nwhile True:\n m = mmap.mmap(-1, 1 << 20)\n for at in range(0, len(m), 4096): m[at] = 1\n m.close()";
        let mut plan = plan_of(on, script);
        plan.limits.instructions = Some(InstructionCount(200_000));
        let ran = run(&plan);
        let usage = &ran.result.usage;
        println!("  ended on CPUs {on} after {} of CPU time", usage.cpu_time);
        assert_eq!(ran.result.end, RunEnd::Limit(LimitKind::Instructions), "{usage:?}");
        assert_eq!(count(&ran), 200_000);
        assert!(usage.cpu_time < Nanos::from_millis(10_000), "{usage:?}");
    }
}

fn addresses_are_the_same(run: Run<'_>) {
    let plan = plan_of("0", "for line in open('/proc/self/maps'): print(line.split()[0])");
    let (one, other) = (run(&plan), run(&plan));
    assert!(!one.stdout.is_empty() && one.stdout == other.stdout);
}

fn what_is_not_counted_is_unavailable(run: Run<'_>) {
    let mut anywhere = plan(1);
    anywhere.cpus = None;
    let why = instructions(&run(&anywhere)).to_string();
    assert!(why.contains("they count on named CPUs"), "{why}");
    let mut uncounted = plan(1);
    uncounted.counter = None;
    let why = instructions(&run(&uncounted)).to_string();
    assert!(why.contains("they were not counted"), "{why}");
}
