//! What the runs of a case wrote.

use crate::written::{OtherOutput, Written, begins_alike, is_other};
use model::{RunEnd, RunResult};
use ruling::TimeRule;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct RunOutput {
    run: RunResult,
    /// Whether it was over the limit.
    is_over: bool,
    /// Which run of its pass it is, or which conversation, from 1.
    number: u32,
    pub stdout: Arc<Vec<u8>>,
    pub stderr: Vec<u8>,
    /// Identifies the whole output, once there is another to compare it with.
    written: Option<Written>,
    /// What the interactor sent to it.
    received: Option<Written>,
}

/// What the runs of a case wrote, so that an accepted output can be compared with those of runs over the limit.
#[derive(Debug)]
pub(crate) struct Outputs {
    rule: TimeRule,
    pass: u32,
    /// How many conversations began; 0 where there are none.
    conversations: u32,
    /// Those of the present pass, since it began.
    present: Vec<RunOutput>,
    /// Runs over the limit after which a conversation began anew, with their passes.
    before: Vec<(u32, RunOutput)>,
    /// Those that differ, of earlier passes.
    others: Vec<OtherOutput>,
}

impl RunOutput {
    /// Takes what a run wrote, which was over the limit or not.
    pub fn new((run, is_over): (RunResult, bool), stdout: Vec<u8>, stderr: Vec<u8>) -> Self {
        Self { run, is_over, number: 0, stdout: Arc::new(stdout), stderr, written: None, received: None }
    }

    /// Adds what the interactor and it sent in a conversation.
    pub fn sending(self, [received, sent]: [Written; 2]) -> Self {
        Self { written: Some(sent), received: Some(received), ..self }
    }

    fn written(&mut self) -> &Written {
        self.written.get_or_insert_with(|| Written::of(&self.stdout))
    }

    fn other(&mut self, pass: u32, is_other: bool) -> OtherOutput {
        let (run, end, cpu_time) = (self.number, self.run.end, self.run.usage.cpu_time);
        let mut written = self.written().clone();
        written.shorten();
        OtherOutput { pass, run, is_other, cpu_time, end, written }
    }
}

impl Outputs {
    pub fn new(rule: TimeRule) -> Self {
        let (present, before, others) = (Vec::new(), Vec::new(), Vec::new());
        Self { rule, pass: 1, conversations: 0, present, before, others }
    }

    /// Keeps what a run wrote. Without `keeps_all`, of earlier ones only what identifies them stays: of a run that is
    /// followed by another no output is checked.
    pub fn keep(&mut self, output: RunOutput, keeps_all: bool) {
        if let Some(former) = self.present.last_mut() {
            former.written();
            if !keeps_all {
                former.stdout = Arc::default();
            }
        }
        let number = if self.conversations > 0 { self.conversations } else { self.present.len() as u32 + 1 };
        self.present.push(RunOutput { number, ..output });
    }

    /// Returns the whole output of a run of the present pass, from 0.
    pub fn stdout(&self, run: usize) -> Option<Arc<Vec<u8>>> {
        Some(Arc::clone(&self.present.get(run)?.stdout))
    }

    /// Takes a run of the present pass out, from 0, or the last.
    pub fn take(mut self, run: Option<usize>) -> Option<RunOutput> {
        match run {
            Some(run) => self.present.into_iter().nth(run),
            None => self.present.pop(),
        }
    }

    /// Begins the next pass: the last run of the present one counted.
    pub fn begin_pass(&mut self, pass: u32) {
        self.compare();
        self.present.clear();
        self.pass = pass;
    }

    /// Begins a conversation; if there was one, its last run did not count.
    pub fn begin_conversation(&mut self) {
        self.conversations += 1;
        self.others.clear();
        if let Some(mut last) = self.present.pop().filter(|last| last.is_over) {
            last.written();
            last.written.iter_mut().chain(&mut last.received).for_each(Written::shorten);
            self.before.push((self.pass, last));
        }
        self.present.clear();
        self.pass = 1;
    }

    /// Compares the last run of the present pass with those over the limit before it.
    fn compare(&mut self) {
        let Some((accepted, earlier)) = self.present.split_last_mut() else { return };
        let (whole, accepted_run) = (Arc::clone(&accepted.stdout), accepted.run.clone());
        let accepted_received = accepted.received.clone();
        let accepted = accepted.written();
        // Of a conversation there is the beginning.
        let at_hand = if accepted.bytes == whole.len() as u64 { whole.as_slice() } else { &accepted.start };
        let before = self.before.iter_mut().filter(|(pass, _)| *pass == self.pass).map(|(_, output)| output);
        for output in before.chain(earlier).filter(|output| output.is_over) {
            // An interactor that draws what it sends gives each run another try.
            let received = output.received.as_ref().zip(accepted_received.as_ref());
            let was_told_other = received.is_some_and(|(one, accepted)| !begins_alike(one, accepted));
            let is_other = was_told_other || is_other((output.run.end, output.written()), accepted, at_hand);
            if is_other || self.rule.is_luck_after(&accepted_run, &output.run) {
                self.others.push(output.other(self.pass, is_other));
            }
        }
    }

    /// Returns the runs over the limit that wrote something else than the accepted ones, or whose time makes those a matter of
    /// luck, and then what the last accepted one
    /// wrote.
    pub fn others(&mut self) -> (Vec<OtherOutput>, Option<Written>) {
        self.compare();
        // The accepted conversation ended before it came to this pass.
        for (pass, output) in self.before.iter_mut().filter(|(pass, _)| *pass > self.pass) {
            self.others.push(output.other(*pass, true));
        }
        let others = std::mem::take(&mut self.others);
        let accepted = self.present.last_mut().filter(|_| !others.is_empty()).map(|output| {
            let mut written = output.written().clone();
            written.shorten();
            written
        });
        (others, accepted)
    }

    /// Returns whether runs of the present pass that ended by themselves ended or wrote differently.
    pub fn differ(&mut self) -> bool {
        if self.present.len() < 2 {
            return false;
        }
        let own_ends = self.present.iter_mut().filter(|output| !matches!(output.run.end, RunEnd::Limit(_)));
        let mut own_ends = own_ends.map(|output| (output.run.end, output.written().sha256));
        let Some(first) = own_ends.next() else { return false };
        own_ends.any(|other| other != first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, LimitKind, Nanos, Usage};

    const KILLED: RunEnd = RunEnd::Limit(LimitKind::CpuTime);

    fn run(end: RunEnd, cpu_ms: u64) -> RunResult {
        let cpu_time = Nanos::from_millis(cpu_ms);
        let usage = Usage { cpu_time, ..Usage::default() };
        RunResult { end, usage, evidence: Evidence::default() }
    }

    fn over(end: RunEnd, wrote: &str) -> RunOutput {
        RunOutput::new((run(end, 1200), true), wrote.into(), Vec::new())
    }

    fn within(wrote: &str) -> RunOutput {
        RunOutput::new((run(RunEnd::Exited(0), 900), false), wrote.into(), Vec::new())
    }

    fn outputs() -> Outputs {
        Outputs::new(TimeRule::new(Nanos::from_millis(1000)))
    }

    fn sent(output: RunOutput, wrote: &str) -> RunOutput {
        talked(output, "", wrote)
    }

    fn talked(output: RunOutput, received: &str, wrote: &str) -> RunOutput {
        output.sending([received, wrote].map(|text| Written::of(text.as_bytes())))
    }

    fn reported(mut outputs: Outputs) -> Vec<(u32, u32)> {
        outputs.others().0.iter().map(|other| (other.pass, other.run)).collect()
    }

    #[test]
    fn runs_over_the_limit_are_compared_with_the_accepted_one() {
        for keeps_all in [false, true] {
            let mut outputs = outputs();
            for output in
                [over(KILLED, "1"), over(RunEnd::Exited(0), "sorry"), over(RunEnd::Exited(0), "1\n")]
            {
                outputs.keep(output, keeps_all);
            }
            outputs.keep(within("1\n"), keeps_all);
            let (others, accepted) = outputs.others();
            assert_eq!(accepted, Some(Written::of(b"1\n")));
            let expected = OtherOutput {
                pass: 1,
                run: 2,
                is_other: true,
                cpu_time: Nanos::from_millis(1200),
                end: RunEnd::Exited(0),
                written: Written::of(b"sorry"),
            };
            assert_eq!(others, [expected]);
        }
    }

    #[test]
    fn agreeing_runs_are_not_shown() {
        let mut outputs = outputs();
        outputs.keep(over(KILLED, ""), false);
        outputs.keep(within("1\n"), false);
        assert_eq!(outputs.others(), (Vec::new(), None));
    }

    #[test]
    fn a_time_that_nothing_explains_is_shown_whatever_was_written() {
        let mut outputs = outputs();
        let slow = run(RunEnd::Exited(0), 1500);
        outputs.keep(RunOutput::new((slow, true), b"1\n".to_vec(), Vec::new()), false);
        outputs.keep(within("1\n"), false);
        let (others, accepted) = outputs.others();
        assert!(matches!(others[..], [OtherOutput { run: 1, is_other: false, .. }]), "{others:?}");
        assert_eq!(accepted, Some(Written::of(b"1\n")));
    }

    #[test]
    fn each_pass_is_compared_by_itself() {
        let mut outputs = outputs();
        outputs.keep(over(RunEnd::Exited(0), "b"), false);
        outputs.keep(within("a"), false);
        outputs.begin_pass(2);
        outputs.keep(over(RunEnd::Exited(0), "a"), false);
        outputs.keep(within("a"), false);
        assert_eq!(reported(outputs), [(1, 1)]);
    }

    #[test]
    fn another_secret_of_the_interactor_is_another_try() {
        for (received, expected) in [("no\n", vec![]), ("no\nno\n", vec![]), ("yes\n", vec![(1, 1)])] {
            let mut outputs = outputs();
            outputs.begin_conversation();
            outputs.keep(talked(over(RunEnd::Exited(0), ""), received, "5\n"), false);
            outputs.begin_conversation();
            outputs.keep(talked(within(""), "no\n", "5\n"), false);
            assert_eq!(reported(outputs), expected, "{received:?}");
        }
    }

    #[test]
    fn a_conversation_that_began_anew_is_compared_pass_by_pass() {
        let talk = |last: &str, third: Option<&str>| {
            let mut outputs = outputs();
            outputs.begin_conversation();
            outputs.keep(sent(within(""), "a"), false);
            outputs.begin_pass(2);
            outputs.keep(sent(over(KILLED, ""), "b"), false);
            outputs.begin_conversation();
            outputs.keep(sent(within(""), "a"), false);
            outputs.begin_pass(2);
            outputs.keep(sent(within(""), "bc"), false);
            outputs.begin_pass(3);
            outputs.keep(sent(over(RunEnd::Exited(0), ""), "d"), false);
            outputs.begin_conversation();
            outputs.keep(sent(within(""), "a"), false);
            outputs.begin_pass(2);
            outputs.keep(sent(within(""), last), false);
            if let Some(third) = third {
                outputs.begin_pass(3);
                outputs.keep(sent(within(""), third), false);
            }
            reported(outputs)
        };
        assert_eq!(talk("bc", Some("d")), []);
        assert_eq!(talk("bc", Some("e")), [(3, 2)]);
        assert_eq!(talk("cb", Some("d")), [(2, 1)]);
        assert_eq!(talk("bc", None), [(3, 2)]);
    }
}
