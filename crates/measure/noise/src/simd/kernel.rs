//! One iteration of some rows.
#![allow(unsafe_code)]

use super::lanes::Lanes;
use crate::model::SOURCES_MAX;
use crate::simulate::{Aligned, Rule};

/// Numbers that share what is known of their next rare detours: few, so that none is near mostly, and many, so that
/// looking at it is cheap.
pub(crate) const BLOCK: usize = 128;
/// No vector has more lanes.
pub(crate) const WIDEST: usize = 16;
/// No stencil has nodes that see more.
pub(crate) const SEES_MAX: usize = 4;
/// Up to this many frequent sources have code of their own; with more, every vector is done carefully.
pub(super) const FREQUENT_MAX: usize = 3;
/// Stands for more frequent sources than that.
pub(super) const ANY: usize = FREQUENT_MAX + 1;

pub(super) const OWN_FINISH: u8 = 0;
pub(super) const COMPUTING: u8 = 1;
pub(super) const LENGTHENED: u8 = 2;

/// Rows of nodes before and after an iteration.
pub struct Rows<'r> {
    /// Times before in rows of which a node sees three places.
    pub around: &'r [u32],
    /// How far the two others are from the one in the middle.
    pub shift: usize,
    /// Times before in rows of which a node sees one place.
    pub sees: &'r [u32],
    /// Times after.
    pub to: &'r mut [u32],
    /// When the next detour of each source begins.
    pub next: &'r mut [Aligned],
    /// Before when no rare source strikes in each block of a row, apart for each lane of the widest vector: replicas
    /// that are adjacent are not equally far.
    pub soon: &'r mut [u32],
    /// Numbers of a row, whole vectors of any kind.
    pub full: usize,
    /// From a row of times to the next one of a run.
    pub stride: usize,
    /// From the number of a row's first node to that of the next one of a run.
    pub width: u64,
    /// Where the rows lie.
    pub runs: &'r [Run],
}

/// Rows that follow each other, and where the numbers of the first one begin in each part of [`Rows`].
#[derive(Clone, Copy, Default)]
pub struct Run {
    /// How many rows.
    pub count: usize,
    /// [`WIDEST`] numbers before the first.
    pub around: usize,
    /// Of each row of which a node sees one place. If there is one only, it is the nodes' own; else `around` is.
    pub sees: [usize; SEES_MAX],
    /// Of times after.
    pub to: usize,
    /// Of next detours, for each source.
    pub next: usize,
    /// Of what is known of rare sources.
    pub soon: usize,
    /// The first node's number.
    pub first: u64,
}

/// Numbers at which next detours begin, one place for each source.
pub(super) type Next = [*mut u32; SOURCES_MAX];

/// Does one vector with all its sources: of nodes that finished at `own` and may begin at `begin`.
pub(super) type Careful = unsafe fn(
    rule: &Rule,
    own: *const u32,
    begin: *const u32,
    next: &Next,
    from: usize,
    to: *mut u32,
    node: u64,
);
/// Finds the first detours of rare sources in this many numbers, for each lane.
pub(super) type Soonest = unsafe fn(rule: &Rule, next: &Next, from: usize, count: usize, soon: *mut u32);

/// Advances rows: whole vectors of what is frequent, and carefully those in which a rare source may strike, or two
/// detours of a source pass, or a random source has one.
///
/// # Safety
/// The processor must have the instructions of `L`, which `careful` and `soonest` must take too; each row must
/// lie within the parts, with the first `K` that it sees, and there must be one part of next detours for each of the
/// rule's beats, of which `F` must be frequent unless it is [`ANY`].
#[inline(always)]
pub(super) unsafe fn advance<L: Lanes, const K: usize, const F: usize, const W: u8>(
    rule: &Rule,
    rows: &mut Rows,
    careful: Careful,
    soonest: Soonest,
) {
    let mut all: Next = [std::ptr::null_mut(); SOURCES_MAX];
    for (all, next) in all.iter_mut().zip(rows.next.iter_mut()) {
        *all = next.as_mut_ptr();
    }
    let mut frequent = [std::ptr::null_mut::<u32>(); F];
    // SAFETY: the caller says that the processor has the instructions.
    let (mut period, mut length) = unsafe { ([L::splat(0); F], [L::splat(0); F]) };
    if F != ANY {
        for (s, source) in rule.frequent().enumerate() {
            let beat = rule.beats()[source];
            frequent[s] = all[source];
            // SAFETY: as above.
            (period[s], length[s]) = unsafe { (L::splat(beat.step()), L::splat(beat.length())) };
        }
    }
    // SAFETY: as above.
    let (times, shift) = unsafe { (Times::<L>::of(rule), L::shift(rows.shift)) };
    let (mut rare, mut rare_count) = ([std::ptr::null_mut::<u32>(); SOURCES_MAX], 0);
    for source in rule.rare() {
        rare[rare_count] = all[source];
        rare_count += 1;
    }
    let blocks = rows.full.div_ceil(BLOCK);
    for run in rows.runs {
        for row in 0..run.count {
            for block in 0..blocks {
                let from = block * BLOCK;
                let count = (rows.full - from).min(BLOCK);
                let (time, event) = (row * rows.stride + from, run.next + row * rows.full + from);
                let around = rows.around.as_ptr().wrapping_add(run.around + time + WIDEST);
                let sees: [*const u32; K] =
                    std::array::from_fn(|at| rows.sees.as_ptr().wrapping_add(run.sees[at] + time));
                let frequent = frequent.map(|part| part.wrapping_add(event));
                let to = rows.to.as_mut_ptr().wrapping_add(run.to + time);
                let soon = rows.soon.as_mut_ptr().wrapping_add(run.soon + (row * blocks + block) * WIDEST);
                let node = run.first + row as u64 * rows.width + from as u64;
                if F == 0 {
                    let own = if K == 1 { sees[0] } else { around };
                    // SAFETY: as below.
                    unsafe {
                        if !is_quiet::<L, K>(around, &sees, to, soon, count, times, shift) {
                            strike(rule, careful, own, to, &all, event, count, soon, times, node);
                        }
                    }
                    continue;
                }
                let mut is_passed = false;
                let mut at = 0;
                // SAFETY: all that is read and written lies in a row, and so within every part; the rest is the caller's word.
                unsafe {
                    let mut due = L::load(soon);
                    let (mut before, mut here) = (L::load(around.sub(L::COUNT)), L::load(around));
                    while at < count {
                        let (mut begin, behind) = L::highest_around(before, here, around.add(at), shift);
                        let own = if K == 1 { L::load(sees[0].add(at)) } else { here };
                        if K > 1 {
                            for other in &sees {
                                begin = begin.max(L::load(other.add(at)));
                            }
                        }
                        (before, here) = (here, behind);
                        let (mut end, mut late, mut after) = (begin, L::none(), [own; F]);
                        if F != ANY {
                            let mut events = [own; F];
                            for s in 0..F {
                                events[s] = L::load(frequent[s].add(at));
                            }
                            (end, late) = struck::<L, F, W>(own, begin, times, &events, &length);
                            for s in 0..F {
                                after[s] = events[s].add_where(events[s].at_most(end), period[s]);
                                late = L::or(late, after[s].at_most(end));
                            }
                            if L::COUNT < WIDEST {
                                due = L::load(soon.add(at % WIDEST));
                            }
                        }
                        if F == ANY || L::any(L::or(late, due.at_most(end))) {
                            for rare in &rare[..rare_count] {
                                late = L::or(late, L::load(rare.add(event + at)).at_most(end));
                            }
                            if F == ANY || L::any(late) {
                                let (mut owns, mut begins) = ([0_u32; WIDEST], [0_u32; WIDEST]);
                                own.store(owns.as_mut_ptr());
                                begin.store(begins.as_mut_ptr());
                                let node = node + at as u64;
                                careful(
                                    rule,
                                    owns.as_ptr(),
                                    begins.as_ptr(),
                                    &all,
                                    event + at,
                                    to.add(at),
                                    node,
                                );
                                is_passed = true;
                                at += L::COUNT;
                                continue;
                            }
                        }
                        end.store(to.add(at));
                        for s in 0..F {
                            after[s].store(frequent[s].add(at));
                        }
                        at += L::COUNT;
                    }
                    if F != ANY && is_passed {
                        soonest(rule, &all, event, count, soon);
                    }
                }
            }
        }
    }
}

/// Numbers that a vector of the widest kind has more than one of fewer lanes, at most: such look at its lanes by turns.
const TURNS: usize = 2;

/// Does a block as if no rare source struck in it, and returns whether none did; else [`strike`] is to follow.
///
/// # Safety
/// As [`advance`].
#[inline(always)]
unsafe fn is_quiet<L: Lanes, const K: usize>(
    around: *const u32,
    sees: &[*const u32; K],
    to: *mut u32,
    soon: *const u32,
    count: usize,
    times: Times<L>,
    shift: L::Shift,
) -> bool {
    // SAFETY: the caller's word.
    unsafe {
        let (mut before, mut here) = (L::load(around.sub(L::COUNT)), L::load(around));
        let mut latest = [L::splat(0); TURNS];
        for at in (0..count).step_by(L::COUNT) {
            let (mut begin, behind) = L::highest_around(before, here, around.add(at), shift);
            if K > 1 {
                for other in sees {
                    begin = begin.max(L::load(other.add(at)));
                }
            }
            (before, here) = (here, behind);
            let end = begin.add(times.both);
            let turn = at % WIDEST / L::COUNT;
            latest[turn] = latest[turn].max(end);
            end.store(to.add(at));
        }
        let mut late = L::none();
        for (turn, latest) in latest.into_iter().take(WIDEST / L::COUNT).enumerate() {
            late = L::or(late, L::load(soon.add(turn * L::COUNT)).at_most(latest));
        }
        !L::any(late)
    }
}

/// Does again the vectors of a block in which rare sources strike, where there are no others, and finds the next strike.
///
/// # Safety
/// As [`advance`]; the block must have been done as if none struck.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a part of the loop over blocks")]
unsafe fn strike<L: Lanes>(
    rule: &Rule,
    careful: Careful,
    own: *const u32,
    to: *mut u32,
    all: &Next,
    event: usize,
    count: usize,
    soon: *mut u32,
    times: Times<L>,
    node: u64,
) {
    let all_sources = &all[..rule.beats().len()];
    // SAFETY: the caller's word.
    unsafe {
        let mut least = [L::splat(u32::MAX); TURNS];
        for at in (0..count).step_by(L::COUNT) {
            let end = L::load(to.add(at));
            let mut late = L::none();
            for next in all_sources {
                late = L::or(late, L::load(next.add(event + at)).at_most(end));
            }
            if L::any(late) {
                let mut begins = [0_u32; WIDEST];
                end.sub(times.both).store(begins.as_mut_ptr());
                careful(rule, own.add(at), begins.as_ptr(), all, event + at, to.add(at), node + at as u64);
            }
            let turn = at % WIDEST / L::COUNT;
            for next in all_sources {
                least[turn] = least[turn].min(L::load(next.add(event + at)));
            }
        }
        for (turn, least) in least.into_iter().take(WIDEST / L::COUNT).enumerate() {
            least.store(soon.add(turn * L::COUNT));
        }
    }
}

/// What all nodes need alike.
#[derive(Clone, Copy)]
struct Times<L> {
    compute: L,
    message: L,
    both: L,
}

impl<L: Lanes> Times<L> {
    /// Reads them.
    ///
    /// # Safety
    /// The processor must have the instructions of `L`.
    #[inline(always)]
    unsafe fn of(rule: &Rule) -> Self {
        let (compute, message) = (rule.compute(), rule.message());
        // SAFETY: the caller's word.
        unsafe {
            Self { compute: L::splat(compute), message: L::splat(message), both: L::splat(compute + message) }
        }
    }
}

/// Returns the end of an iteration with the detours that begin in its window, and says where one does only because others
/// made the window longer.
///
/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn struck<L: Lanes, const S: usize, const W: u8>(
    own: L,
    begin: L,
    times: Times<L>,
    events: &[L; S],
    length: &[L; S],
) -> (L, L::Mask) {
    // SAFETY: the caller's word.
    unsafe {
        let mut missed = L::none();
        if W == LENGTHENED {
            let mut end = begin.add(times.compute);
            let mut seen = [missed; S];
            for s in 0..S {
                seen[s] = events[s].at_most(end);
                end = end.add_where(L::and_not(seen[s], events[s].at_most(begin)), length[s]);
            }
            for s in 0..S {
                missed = L::or(missed, L::and_not(events[s].at_most(end), seen[s]));
            }
            (end.add(times.message), missed)
        } else {
            let mut end = begin.add(times.both);
            let window_end = (if W == OWN_FINISH { own } else { begin }).add(times.compute);
            for s in 0..S {
                let mut hit = events[s].at_most(window_end);
                if W == COMPUTING {
                    hit = L::and_not(hit, events[s].at_most(begin));
                }
                end = end.add_where(hit, length[s]);
            }
            (end, missed)
        }
    }
}

/// See [`Careful`].
///
/// # Safety
/// The processor must have the instructions of `L`; there must be a vector's numbers at every pointer, of `next` from `from` on, and no more than
/// `S` sources.
#[inline(always)]
pub(super) unsafe fn with_care<L: Lanes, const S: usize, const W: u8>(
    rule: &Rule,
    own: *const u32,
    begin: *const u32,
    next: &Next,
    from: usize,
    to: *mut u32,
    node: u64,
) {
    let beats = rule.beats();
    // SAFETY: the caller's word.
    unsafe {
        let (mut events, mut length) = ([L::splat(u32::MAX); S], [L::splat(0); S]);
        for (s, beat) in beats.iter().take(S).enumerate() {
            events[s] = L::load(next[s].add(from));
            length[s] = L::splat(beat.length());
        }
        let times = Times::of(rule);
        let (end, mut missed) = struck::<L, S, W>(L::load(own), L::load(begin), times, &events, &length);
        for (s, beat) in beats.iter().take(S).enumerate() {
            let after = events[s].add_where(events[s].at_most(end), L::splat(beat.step()));
            missed = L::or(missed, after.at_most(end));
            after.store(next[s].add(from));
        }
        end.store(to);
        let mut missed = L::bits(missed);
        if missed == 0 {
            return;
        }
        let mut before = [[0_u32; WIDEST]; S];
        for (before, events) in before.iter_mut().zip(events) {
            events.store(before.as_mut_ptr());
        }
        while missed != 0 {
            let lane = missed.trailing_zeros() as usize;
            missed &= missed - 1;
            let mut one = before.map(|before| before[lane]);
            let one = &mut one[..beats.len()];
            *to.add(lane) = rule.advance(*own.add(lane), *begin.add(lane), one, node + lane as u64);
            for (next, one) in next.iter().zip(one) {
                *next.add(from + lane) = *one;
            }
        }
    }
}

/// See [`Soonest`].
///
/// # Safety
/// The processor must have the instructions of `L`; there must be `count` numbers from `from` on at every pointer, whole vectors of
/// the widest kind, and one such at `soon`.
#[inline(always)]
pub(super) unsafe fn soonest<L: Lanes>(rule: &Rule, next: &Next, from: usize, count: usize, soon: *mut u32) {
    // SAFETY: the caller's word.
    unsafe {
        for lane in (0..WIDEST).step_by(L::COUNT) {
            let mut least = L::splat(u32::MAX);
            for source in rule.rare() {
                for at in (lane..count).step_by(WIDEST) {
                    least = least.min(L::load(next[source].add(from + at)));
                }
            }
            least.store(soon.add(lane));
        }
    }
}
