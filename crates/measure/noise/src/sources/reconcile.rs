//! What the kernel's own counters say about each source.

use super::{Decomposition, Periodic, Rest, STALL_NS};
use crate::{GapTrace, KernelCounts, TickRate};
use model::{Nanos, Reading};
use std::fmt;

/// Around a detour an event still belongs to it: the kernel writes it down after entry and before exit.
const EVENT_SLACK_NS: f64 = 2_000.0;
/// This part of a source's detours must have an event of one name for the event to explain it.
const EVENTS_MIN: f64 = 0.9;
/// With fewer than this part nothing in this kernel brought them.
const EVENTS_MAX_OUTSIDE: f64 = 0.1;
/// Counts and frequencies agree to within this part.
const RATE_SLACK: f64 = 0.03;
/// A counter may have counted more than its combs: other timers use the same interrupt.
const RATE_MORE: f64 = 0.25;
/// A softirq that rides on the tick comes as often as the riding source to within this part.
const RIDING_SLACK: f64 = 0.06;
/// This part of a time must be counted for the counter to explain it.
const TIME_PART: f64 = 0.5;
/// The maximum number of events that are named for the rest, from this part of its time on.
const NAMES_MAX: usize = 3;
const PART_MIN: f64 = 0.01;
/// Up to this many combs all subsets are tried; a kernel has no more timers of its own.
const SUBSETS_OF_MAX: usize = 10;

/// What is known of where a source comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The kernel counted or traced it under this name.
    Explained {
        /// The kernel's name.
        by: String,
        /// What was compared.
        how: String,
    },
    /// The kernel counted things, but nothing that fits.
    Unexplained(String),
    /// The kernel counted nothing that could be it: the hypervisor, the firmware or the hardware.
    Outside(String),
    /// The counters could not be read.
    Unknown(String),
}

/// Origins of all sources of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Origins {
    /// Of each of [`Decomposition::periodic`].
    pub periodic: Vec<Origin>,
    /// Of [`Decomposition::rest`].
    pub rest: Option<Origin>,
    /// Of [`Decomposition::stalls`].
    pub stalls: Option<Origin>,
}

impl Origin {
    /// One word for a column of a document.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Explained { .. } => "explained",
            Self::Unexplained(_) => "unexplained",
            Self::Outside(_) => "outside",
            Self::Unknown(_) => "unknown",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Explained { by, how } => write!(f, "{by}: {how}"),
            Self::Unexplained(why) => write!(f, "unexplained: {why}"),
            Self::Outside(why) => write!(f, "from outside this kernel: {why}"),
            Self::Unknown(why) => write!(f, "not known: {why}"),
        }
    }
}

/// Compares sources with what the kernel counted over the same time: one by one where it wrote down when, else by
/// how often.
pub fn reconcile(found: &Decomposition, trace: &GapTrace, rate: TickRate) -> Origins {
    let counts = &trace.counts;
    let by_events = Events::of(trace, rate);
    let mut by_counts = counted(found, counts);
    let periodic = (found.periodic.iter().enumerate())
        .map(|(at, source)| {
            let traced = by_events.as_ref().and_then(|events| events.explain(&source.members));
            traced.unwrap_or_else(|| std::mem::replace(&mut by_counts[at], Origin::Unknown(String::new())))
        })
        .collect();
    Origins {
        periodic,
        rest: found.rest.as_ref().map(|rest| {
            let traced = by_events.as_ref().map(|events| events.explain_rest(found, trace, rate));
            traced.unwrap_or_else(|| of_rest(rest, found, counts))
        }),
        stalls: found.stalls.as_ref().map(|stalls| of_stalls(stalls, found, counts)),
    }
}

/// Which events lie in which detour.
struct Events<'t> {
    names: Vec<&'t str>,
    /// For each name, for each detour, whether there was one.
    within: Vec<Vec<bool>>,
    counts: Vec<usize>,
}

impl<'t> Events<'t> {
    /// None where the kernel wrote nothing down.
    fn of(trace: &'t GapTrace, rate: TickRate) -> Option<Self> {
        let events = trace.counts.events.known()?;
        if events.iter().all(|(_, times)| times.is_empty()) {
            return None;
        }
        let slack = (EVENT_SLACK_NS * rate.0 / 1e9) as u64;
        let within = events.iter().map(|(_, times)| {
            let mut next = 0;
            let is_within = trace.detours.iter().map(|detour| {
                while times.get(next).is_some_and(|time| time.0 + slack < detour.start.0) {
                    next += 1;
                }
                times.get(next).is_some_and(|time| time.0 <= detour.start.0 + detour.length.0 + slack)
            });
            is_within.collect()
        });
        Some(Self {
            within: within.collect(),
            names: events.iter().map(|(name, _)| name.as_str()).collect(),
            counts: events.iter().map(|(_, times)| times.len()).collect(),
        })
    }

    /// Returns of which part of the rest's time there are events, and of which names.
    fn explain_rest(&self, found: &Decomposition, trace: &GapTrace, rate: TickRate) -> Origin {
        let mut is_rest: Vec<bool> =
            trace.detours.iter().map(|detour| rate.nanos(detour.length) < STALL_NS).collect();
        for member in found.periodic.iter().flat_map(|source| &source.members) {
            is_rest[*member] = false;
        }
        let total = |is_in: &dyn Fn(usize) -> bool| {
            let those = (0..is_rest.len()).filter(|at| is_rest[*at] && is_in(*at));
            those.map(|at| rate.nanos(trace.detours[at].length)).sum::<f64>()
        };
        let all = total(&|_| true).max(1.0);
        let part = total(&|at| self.within.iter().any(|within| within[at])) / all;
        let mut names: Vec<(f64, &str)> = self
            .within
            .iter()
            .zip(&self.names)
            .map(|(within, name)| (total(&|at| within[at]) / all, *name))
            .collect();
        names.sort_by(|one, other| other.0.total_cmp(&one.0));
        let names: Vec<String> = names
            .iter()
            .take(NAMES_MAX)
            .filter(|(part, _)| *part >= PART_MIN)
            .map(|(part, name)| format!("{name} {:.0} %", part * 100.0))
            .collect();
        let list = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        let words =
            format!("{:.0} % of its time is in detours with an event of the kernel's{list}", part * 100.0);
        if part < TIME_PART { Origin::Outside(words) } else { Origin::Unexplained(words) }
    }

    /// Names the rarest event that nearly all of these detours have; none where some have and some have not.
    fn explain(&self, members: &[usize]) -> Option<Origin> {
        let of = members.len().max(1);
        let matched = |at: usize| members.iter().filter(|detour| self.within[at][**detour]).count();
        let best = (0..self.names.len())
            .filter(|at| matched(*at) as f64 >= EVENTS_MIN * of as f64)
            .min_by_key(|at| self.counts[*at]);
        if let Some(at) = best {
            let how = format!("{} of {of} detours have its event", matched(at));
            return Some(Origin::Explained { by: self.names[at].to_owned(), how });
        }
        let any = |detour: usize| self.within.iter().any(|within| within[detour]);
        let with_any = members.iter().filter(|detour| any(**detour)).count();
        ((with_any as f64) < EVENTS_MAX_OUTSIDE * of as f64)
            .then(|| Origin::Outside(format!("{with_any} of {of} detours have an event of the kernel's")))
    }
}

fn counted(found: &Decomposition, counts: &KernelCounts) -> Vec<Origin> {
    let seconds = counts.interval.0 as f64 / 1e9;
    let interrupts = match &counts.interrupts {
        Reading::Known(interrupts) if seconds > 0.0 => interrupts,
        Reading::Known(_) => {
            return vec![Origin::Unknown("nothing was counted".to_owned()); found.periodic.len()];
        }
        Reading::Unavailable(why) => return vec![Origin::Unknown(why.clone()); found.periodic.len()],
    };
    let mut counters: Vec<Counter> = interrupts
        .iter()
        .map(|(name, count)| Counter { name, rate_hz: *count as f64 / seconds, taken: 0.0 })
        .collect();
    counters.sort_by(|one, other| other.rate_hz.total_cmp(&one.rate_hz));
    // While the loop rests, a tick may rest, too; and while the CPU is away, ticks are lost.
    let stalled = found.stalls.as_ref().map_or(0.0, |stalls| stalls.share);
    let part_min =
        (found.watched_ns / 1e9 / seconds).min(1.0) * (1.0 - stalled).max(0.0) * (1.0 - RATE_SLACK);
    let mut origins = vec![None; found.periodic.len()];
    for counter in &mut counters {
        let open: Vec<usize> = (0..origins.len())
            .filter(|at| origins[*at].is_none() && found.periodic[*at].rides_on.is_none())
            .collect();
        let Some(chosen) = counter.fitting(&found.periodic, &open, part_min) else { continue };
        for at in chosen {
            counter.taken += found.periodic[at].frequency_hz;
            let how = format!("counted {:.1} a second", counter.rate_hz);
            origins[at] = Some(Origin::Explained { by: counter.name.to_owned(), how });
        }
    }
    let softirqs = counts.softirqs.known().map_or(&[][..], Vec::as_slice);
    let rest = |origin: Option<Origin>, source: &Periodic| {
        origin.unwrap_or_else(|| match source.rides_on {
            Some(_) => riding(source, softirqs, seconds),
            None => left_over(source, &counters, part_min),
        })
    };
    origins.into_iter().zip(&found.periodic).map(|(origin, source)| rest(origin, source)).collect()
}

struct Counter<'c> {
    name: &'c str,
    rate_hz: f64,
    /// What its combs bring.
    taken: f64,
}

impl Counter<'_> {
    /// Chooses combs that together come as often as was counted.
    fn fitting(&self, periodic: &[Periodic], open: &[usize], part_min: f64) -> Option<Vec<usize>> {
        let open = &open[..open.len().min(SUBSETS_OF_MAX)];
        let chosen =
            |set: usize| open.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1).map(|(_, at)| *at);
        let sum = |set: usize| chosen(set).map(|at| periodic[at].frequency_hz).sum::<f64>();
        let is_fit = |set: &usize| {
            let sum = sum(*set);
            sum * part_min <= self.rate_hz && self.rate_hz <= sum * (1.0 + RATE_MORE)
        };
        let off = |set: usize| (sum(set) - self.rate_hz).abs();
        (1..1_usize << open.len())
            .filter(is_fit)
            .min_by(|one, other| off(*one).total_cmp(&off(*other)))
            .map(|set| chosen(set).collect())
    }
}

fn riding(source: &Periodic, softirqs: &[(String, u64)], seconds: f64) -> Origin {
    let off = |count: u64| (count as f64 / seconds / source.frequency_hz - 1.0).abs();
    let nearest = softirqs.iter().min_by(|one, other| off(one.1).total_cmp(&off(other.1)));
    match nearest {
        Some((name, count)) if off(*count) <= RIDING_SLACK => Origin::Explained {
            by: format!("softirq {name}"),
            how: format!("counted {:.1} a second", *count as f64 / seconds),
        },
        _ => Origin::Unexplained(
            "it makes detours of another source longer; no softirq comes as often".to_owned(),
        ),
    }
}

fn left_over(source: &Periodic, counters: &[Counter<'_>], part_min: f64) -> Origin {
    let free = |counter: &Counter<'_>| (counter.rate_hz - counter.taken).max(0.0);
    let most = counters.iter().max_by(|one, other| free(one).total_cmp(&free(other)));
    let (name, rate_hz) = most.map_or(("none", 0.0), |most| (most.name, free(most)));
    if rate_hz < source.frequency_hz * part_min {
        return Origin::Outside(format!(
            "no interrupt was counted as often; the most not explained: {name}, {rate_hz:.1} a second"
        ));
    }
    Origin::Unexplained(format!("{name} was counted {rate_hz:.1} times a second more than is explained"))
}

fn of_rest(rest: &Rest, found: &Decomposition, counts: &KernelCounts) -> Origin {
    let seconds = counts.interval.0 as f64 / 1e9;
    let Reading::Known(interrupts) = &counts.interrupts else {
        let why = match &counts.interrupts {
            Reading::Unavailable(why) => why.clone(),
            Reading::Known(_) => String::new(),
        };
        return Origin::Unknown(why);
    };
    if seconds <= 0.0 {
        return Origin::Unknown("nothing was counted".to_owned());
    }
    let total: u64 = interrupts.iter().map(|(_, count)| count).sum();
    let explained: f64 = found
        .periodic
        .iter()
        .filter(|source| source.rides_on.is_none())
        .map(|source| source.frequency_hz)
        .sum();
    let left_hz = (total as f64 / seconds - explained).max(0.0);
    let switches_hz = counts.forced_switches.known().map_or(0.0, |count| *count as f64 / seconds);
    let words = format!(
        "{left_hz:.1} interrupts and {switches_hz:.1} involuntary context switches a second are left for it"
    );
    if left_hz + switches_hz < rest.rate_hz * TIME_PART {
        Origin::Outside(words)
    } else {
        Origin::Unexplained(words)
    }
}

fn of_stalls(stalls: &Rest, found: &Decomposition, counts: &KernelCounts) -> Origin {
    let total_ns = stalls.share * found.watched_ns;
    let seconds = |time: f64| format!("{:.3} s", time / 1e9);
    let is_it = |reading: &Reading<Nanos>| {
        reading.known().filter(|time| time.0 as f64 >= TIME_PART * total_ns).copied()
    };
    if let Some(steal) = is_it(&counts.steal) {
        let how = format!("{} of it counted, in ticks", seconds(steal.0 as f64));
        return Origin::Explained { by: "steal".to_owned(), how };
    }
    if let Some(delay) = is_it(&counts.run_delay) {
        let how = format!("the probe waited {} for its CPU while another task ran", seconds(delay.0 as f64));
        return Origin::Explained { by: "run delay".to_owned(), how };
    }
    match (&counts.steal, &counts.run_delay) {
        (Reading::Known(steal), Reading::Known(delay)) => Origin::Outside(format!(
            "of {} only {} are counted as steal and {} as waiting",
            seconds(total_ns),
            seconds(steal.0 as f64),
            seconds(delay.0 as f64)
        )),
        (Reading::Unavailable(why), _) | (_, Reading::Unavailable(why)) => Origin::Unknown(why.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ticks;
    use crate::sources::decompose;
    use crate::synthetic::{Comb, Recipe, Steal};

    fn reported(trace: &GapTrace, rate: TickRate) -> Vec<String> {
        let found = decompose(trace, rate);
        let origins = reconcile(&found, trace, rate);
        let periodic = found.periodic.iter().zip(&origins.periodic);
        let lines = periodic.map(|(source, origin)| format!("{:.0} Hz {origin}", source.frequency_hz));
        lines.chain(origins.stalls.iter().map(|origin| format!("stalls {origin}"))).collect()
    }

    fn recipe() -> Recipe {
        let mut recipe = Recipe::quiet(10);
        recipe.combs = vec![Comb::new(1000.0, 6_300.0), Comb { phase: 0.11, ..Comb::new(250.0, 6_300.0) }];
        recipe
    }

    fn interrupts(trace: &mut GapTrace, counts: &[(&str, u64)]) {
        trace.counts.interrupts =
            Reading::Known(counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect());
    }

    #[test]
    fn counters_tell_the_guests_tick_from_the_hosts() {
        let recipe = recipe();
        let mut trace = recipe.trace(1);
        interrupts(&mut trace, &[("LOC", 2_512), ("RES", 40)]);
        assert_eq!(
            reported(&trace, recipe.rate()),
            [
                "1000 Hz from outside this kernel: no interrupt was counted as often; the most not explained: RES, 4.0 a second",
                "250 Hz LOC: counted 251.2 a second",
            ]
        );
        interrupts(&mut trace, &[("LOC", 12_530)]);
        assert_eq!(
            reported(&trace, recipe.rate()),
            ["1000 Hz LOC: counted 1253.0 a second", "250 Hz LOC: counted 1253.0 a second"]
        );
        trace.counts.interrupts = Reading::unavailable("/proc/interrupts cannot be read");
        assert!(
            reported(&trace, recipe.rate())
                .iter()
                .all(|line| line.ends_with("not known: /proc/interrupts cannot be read"))
        );
    }

    #[test]
    fn events_tell_one_by_one() {
        let recipe = recipe();
        let mut trace = recipe.trace(1);
        let found = decompose(&trace, recipe.rate());
        let starts =
            |members: &[usize]| members.iter().map(|at| Ticks(trace.detours[*at].start.0 + 2_000)).collect();
        let events = vec![
            ("local_timer".to_owned(), starts(&found.periodic[1].members)),
            ("idle".to_owned(), Vec::new()),
        ];
        trace.counts.events = Reading::Known(events);
        let reported = reported(&trace, recipe.rate());
        assert_eq!(reported[1], "250 Hz local_timer: 2500 of 2500 detours have its event");
        assert!(reported[0].starts_with("1000 Hz from outside this kernel: "), "{reported:?}");
    }

    #[test]
    fn long_stalls_are_steal_where_it_was_counted() {
        let mut recipe = recipe();
        recipe.steal = Some(Steal { share: 0.3, mean_ns: 5e6 });
        let mut trace = recipe.trace(1);
        interrupts(&mut trace, &[("LOC", 1_900)]);
        trace.counts.steal = Reading::Known(Nanos::from_millis(2_900));
        trace.counts.run_delay = Reading::Known(Nanos(0));
        let reported_with = reported(&trace, recipe.rate());
        assert_eq!(
            reported_with[1], "250 Hz LOC: counted 190.0 a second",
            "ticks are lost while the CPU is away"
        );
        assert_eq!(reported_with[2], "stalls steal: 2.900 s of it counted, in ticks");
        trace.counts.steal = Reading::Known(Nanos(0));
        assert!(reported(&trace, recipe.rate())[2].starts_with("stalls from outside this kernel: of "));
    }
}
