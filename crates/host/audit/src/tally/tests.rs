use super::super::ownership::KnownTasks;
use super::super::parse::events;
use super::*;

const LINUX_6_1: &str = include_str!("../recorded/linux-6.1.txt");
const LINUX_6_18: &str = include_str!("../recorded/linux-6.18.txt");

const fn us(count: u64) -> Nanos {
    Nanos(count * 1_000)
}

/// One line of a trace: the task on the CPU, the time, and the event.
fn line(task: u32, at_us: u64, event: &str) -> String {
    format!("{:>16}-{task:<7} [001] d..2.     0.{at_us:06}: {event}\n", "some name")
}

fn switch(task: u32, at_us: u64, state: &str, next: u32) -> String {
    let event = format!(
        "sched_switch: prev_comm=t{task} prev_pid={task} prev_prio=120 prev_state={state} ==> next_comm=t{next} \
         next_pid={next} next_prio=120"
    );
    line(task, at_us, &event)
}

fn of_texts(texts: &[(u32, String)], ownership: &Ownership, end: Nanos) -> Tally {
    let recorded: Vec<_> = texts
        .iter()
        .map(|(cpu, text)| CpuEvents { cpu: CpuId(*cpu), events: events(text.as_bytes()).collect(), lost: 0 })
        .collect();
    let tally = tally(Nanos::ZERO, end, &recorded, ownership);
    assert_eq!(
        tally.shares.sum(),
        end.saturating_mul(texts.len() as u64),
        "no moment is lost or counted twice"
    );
    tally
}

/// Tasks 10 to 19 belong to the run, 1 is its launcher.
fn ownership() -> Ownership {
    let known = KnownTasks { launchers: vec![1], ours: vec![2], ..KnownTasks::default() };
    Ownership::new(&known, [(1, 3)].into_iter().chain((10..20).map(|task| (3, task))))
}

#[test]
fn each_moment_counts_for_the_task_on_the_cpu() {
    let text = [
        switch(1, 100, "S", 10),
        line(10, 150, "local_timer_entry: vector=236"),
        line(10, 153, "local_timer_exit: vector=236"),
        line(10, 153, "softirq_entry: vec=9 [action=RCU]"),
        line(10, 155, "irq_handler_entry: irq=24 name=disk"),
        line(10, 159, "irq_handler_exit: irq=24 ret=handled"),
        line(10, 160, "softirq_exit: vec=9 [action=RCU]"),
        switch(10, 200, "R+", 50),
        switch(50, 260, "S", 10),
        switch(10, 300, "S", 0),
        line(0, 310, "reschedule_entry: vector=253"),
        line(0, 311, "reschedule_exit: vector=253"),
    ]
    .concat();
    let tally = of_texts(&[(1, text)], &ownership(), us(400));
    let shares = CpuShares {
        run: us(50 + 40 + 40),
        ours: us(100),
        others: us(60),
        interrupts: us(3 + 4 + 1),
        soft_interrupts: us(3),
        idle: us(99),
        unknown: us(0),
    };
    assert_eq!(tally.shares, shares);
    let run = &tally.tasks[&10];
    assert_eq!((run.stints.count, run.stints.total, run.stints.longest), (2, us(130), us(90)));
    assert_eq!((run.forced, run.voluntary, run.migrations), (1, 1, 0));
    assert_eq!(run.name.as_deref(), Some("t10"));
    let other = &tally.tasks[&50].stints;
    assert_eq!((other.count, other.total, other.taken), (1, us(60), us(60)), "the run was put off for it");
    let interrupted = |name| {
        let stints = &tally.interruptions[&name];
        (stints.count, stints.total, stints.taken)
    };
    assert_eq!(interrupted(InterruptionName::Local("local_timer".into())), (1, us(3), us(3)));
    assert_eq!(interrupted(InterruptionName::Device(24, "disk".into())), (1, us(4), us(4)));
    assert_eq!(interrupted(InterruptionName::Soft("RCU".into())), (1, us(3), us(3)));
    assert_eq!(interrupted(InterruptionName::Local("reschedule".into())), (1, us(1), us(0)), "it was idle");
}

#[test]
fn run_that_continues_elsewhere_has_migrated_and_no_longer_waits() {
    let first = [switch(10, 100, "R+", 50), switch(50, 300, "S", 0)].concat();
    let second = [switch(0, 150, "R", 10), switch(10, 250, "Z", 0)].concat();
    let tally = of_texts(&[(0, first), (1, second)], &ownership(), us(400));
    assert_eq!(tally.tasks[&10].migrations, 1);
    assert_eq!(tally.tasks[&10].cpu_times, [(CpuId(0), us(100)), (CpuId(1), us(100))].into());
    assert_eq!(tally.tasks[&50].stints.taken, us(50), "only until it went on elsewhere");
}

#[test]
fn incomplete_stints_are_counted_within_the_recording() {
    // The end of an interrupt that began before, the begin of one that ends after, a switch in between.
    let text = [
        line(50, 10, "softirq_exit: vec=9 [action=RCU]"),
        line(50, 20, "local_timer_entry: vector=236"),
        switch(50, 30, "S", 51),
        line(51, 40, "local_timer_entry: vector=236"),
    ]
    .concat();
    let tally = of_texts(&[(1, text)], &Ownership::default(), us(50));
    let timer = &tally.interruptions[&InterruptionName::Local("local_timer".into())];
    assert_eq!((timer.count, timer.total), (2, us(20)));
    assert_eq!(tally.shares.others, us(30));
}

#[test]
fn a_cpu_without_events_or_with_lost_ones_is_unknown() {
    let tally = of_texts(&[(0, String::new()), (1, switch(50, 10, "S", 0))], &Ownership::default(), us(100));
    assert_eq!((tally.shares.unknown, tally.shares.others, tally.shares.idle), (us(100), us(10), us(90)));
    let text = switch(50, 10, "S", 0);
    let recorded = CpuEvents { cpu: CpuId(0), events: events(text.as_bytes()).collect(), lost: 7 };
    let tally = super::tally(Nanos::ZERO, us(100), &[recorded], &Ownership::default());
    assert_eq!((tally.shares.unknown, tally.lost), (us(90), 7));
}

#[test]
fn missing_switch_makes_the_time_unknown() {
    let text =
        [switch(50, 10, "S", 51), line(52, 40, "local_timer_entry: vector=236"), switch(52, 50, "S", 0)];
    let tally = of_texts(&[(1, text.concat())], &Ownership::default(), us(60));
    assert_eq!((tally.missed_switches, tally.shares.unknown), (1, us(30)));
    assert_eq!((tally.tasks[&51].stints.total, tally.tasks[&52].stints.count), (us(0), 1));
}

/// Reads a recording in which the descendants of `init` are the run; returns a line for everything that ran.
fn recorded(text: &str, init: u32, made_before: &[u32]) -> String {
    let events: Vec<_> = events(text.as_bytes()).collect();
    let (first, last) = (events[0].time, events[events.len() - 1].time);
    const LAUNCHER: u32 = 1_000_000;
    let before = [(LAUNCHER, init)].into_iter().chain(made_before.iter().map(|task| (init, *task)));
    let forks = events.iter().filter_map(|event| match event.what {
        What::Fork { child } => Some((event.task, child)),
        _ => None,
    });
    let known = KnownTasks { launchers: vec![LAUNCHER], ..KnownTasks::default() };
    let ownership = Ownership::new(&known, before.chain(forks));
    let cpu = CpuEvents { cpu: CpuId(1), events, lost: 0 };
    let tally = tally(first, last, &[cpu], &ownership);
    assert_eq!(tally.shares.sum(), last.saturating_sub(first));
    let line = |owner: &str, name: &str, stints: &Stints| {
        let Stints { count, total, longest, taken, .. } = stints;
        format!("{owner:<9} {name:<16} {count:>3} x, total {total}, longest {longest}, taken {taken}\n")
    };
    let tasks = tally.tasks.iter().map(|(task, tallied)| {
        let name = format!("{} {task}", tallied.name.as_deref().unwrap_or("?"));
        line(&format!("{:?}", ownership.of(*task)), &name, &tallied.stints)
    });
    let interrupts = tally.interruptions.iter().map(|(name, stints)| match name {
        InterruptionName::Device(number, name) => line("irq", &format!("{name} {number}"), stints),
        InterruptionName::Local(name) => line("local", name, stints),
        InterruptionName::Soft(name) => line("soft", name, stints),
    });
    let unknown = format!("{} switches left out, unknown {}\n", tally.missed_switches, tally.shares.unknown);
    tasks.chain(interrupts).chain([unknown]).collect()
}

#[test]
fn a_recording_of_linux_6_1_is_read() {
    insta::assert_snapshot!(recorded(LINUX_6_1, 1, &[171]), @"
    Others    kworker/1:1 73     1 x, total 719 us, longest 719 us, taken 719 us
    Run       busybox 171        9 x, total 100.6 ms, longest 16.8 ms, taken 0 s
    Run       sh 172             6 x, total 83.0 ms, longest 15.8 ms, taken 0 s
    local     call_function_single   1 x, total 7 us, longest 7 us, taken 0 s
    local     local_timer       51 x, total 3.2 ms, longest 704 us, taken 2.9 ms
    local     reschedule         1 x, total 519 us, longest 519 us, taken 0 s
    soft      RCU                9 x, total 284 us, longest 75 us, taken 265 us
    soft      SCHED              9 x, total 509 us, longest 114 us, taken 447 us
    soft      TIMER              2 x, total 473 us, longest 422 us, taken 473 us
    0 switches left out, unknown 0 s
    ");
}

#[test]
fn a_recording_of_linux_6_18_is_read() {
    insta::assert_snapshot!(recorded(LINUX_6_18, 519, &[]), @"
    Others    ksoftirqd/1 22     1 x, total 6 us, longest 6 us, taken 6 us
    Others    tokio-rt-worker 69   2 x, total 0 s, longest 0 s, taken 0 s
    Others    lto cgu.0.rcgu. 468  11 x, total 44.6 ms, longest 4.7 ms, taken 40.6 ms
    Others    rustc 499         10 x, total 34.6 ms, longest 4.8 ms, taken 29.8 ms
    Others    cargo 515         17 x, total 38.3 ms, longest 4.0 ms, taken 34.0 ms
    Ours      bash 519           2 x, total 83 us, longest 83 us, taken 0 s
    Others    rustc 526          4 x, total 9.4 ms, longest 4.0 ms, taken 9.3 ms
    Run       sh 533            20 x, total 44.7 ms, longest 4.6 ms, taken 0 s
    Others    rustc 534          5 x, total 10.2 ms, longest 7.5 ms, taken 7.9 ms
    Run       true 535           2 x, total 512 us, longest 456 us, taken 0 s
    Run       true 536           2 x, total 485 us, longest 447 us, taken 0 s
    Run       true 537           2 x, total 457 us, longest 421 us, taken 0 s
    Others    rustc 539          6 x, total 2.3 ms, longest 1.9 ms, taken 2.3 ms
    Others    kworker/1:0 20028   1 x, total 16 us, longest 16 us, taken 16 us
    Others    program-of-mine 20732   4 x, total 127 us, longest 34 us, taken 95 us
    irq       virtio1-req.0 36   2 x, total 8 us, longest 5 us, taken 0 s
    irq       virtio3-tx 42      1 x, total 5 us, longest 5 us, taken 5 us
    local     call_function_single   3 x, total 4 us, longest 2 us, taken 4 us
    local     local_timer       53 x, total 524 us, longest 13 us, taken 467 us
    local     reschedule         1 x, total 0 s, longest 0 s, taken 0 s
    soft      BLOCK              2 x, total 17 us, longest 10 us, taken 0 s
    soft      RCU               35 x, total 269 us, longest 27 us, taken 230 us
    soft      SCHED              4 x, total 30 us, longest 9 us, taken 15 us
    soft      TIMER              3 x, total 8 us, longest 3 us, taken 6 us
    2 switches left out, unknown 4.1 ms
    ");
}
