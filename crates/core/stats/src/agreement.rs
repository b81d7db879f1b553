//! The two-lowest-agree estimator: repeat until the two lowest of several times agree.
//!
//! Disturbance only ever adds time, so the lowest times are the least disturbed; that
//! two of them agree says that neither was a stroke of luck of a faulty clock or of a
//! lone quiet moment, and that there is a floor to be found at all.

/// When the two lowest of several times are taken to agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgreementRule {
    /// The second lowest may be above the lowest by this part of it.
    pub tolerance: f64,
    /// Times that differ by no more than this agree whatever part it is: what starting a program varies by.
    pub floor: f64,
    /// No agreement is believed before there are this many runs.
    pub runs_min: u32,
    /// With this many runs the search is over.
    pub runs_max: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Agreement {
    /// Another run may bring it about.
    NeedMore { runs: u32 },
    /// The two lowest agree.
    Agreed {
        value: f64,
        /// How many runs that took.
        runs: u32,
    },
    /// They do not, and there will be no more runs.
    GaveUp {
        lowest: f64,
        /// By which part of the lowest the second lowest is above it; none of a single run.
        gap: Option<f64>,
        runs: u32,
    },
}

/// The estimator: takes one run after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowestAgreement {
    rule: AgreementRule,
    lowest: f64,
    second: f64,
    /// The two lowest of those that may bear the lowest out.
    witnesses: [f64; 2],
    runs: u32,
    agreed: Option<Agreement>,
}

impl Default for AgreementRule {
    /// Returns what a verdict needs: within 1 per cent, however short the times are, after 3 to 10 runs.
    fn default() -> Self {
        Self { tolerance: 0.01, floor: 0.0, runs_min: 3, runs_max: 10 }
    }
}

impl AgreementRule {
    /// For a time that is to be reported, and not only held against a limit: within half a per cent, after 5 to 10 runs.
    /// Two of three runs that agree within one per cent may both be one per cent too long.
    pub const FOR_A_TIME: Self = Self { tolerance: 0.005, floor: 0.0, runs_min: 5, runs_max: 10 };
}

impl LowestAgreement {
    /// Begins without any run.
    ///
    /// # Panics
    /// When the rule asks for fewer than two runs or for more than it allows: two can never agree then.
    pub fn new(rule: AgreementRule) -> Self {
        assert!(rule.runs_min >= 2 && rule.runs_min <= rule.runs_max, "no runs can satisfy {rule:?}");
        Self {
            rule,
            lowest: f64::INFINITY,
            second: f64::INFINITY,
            witnesses: [f64::INFINITY; 2],
            runs: 0,
            agreed: None,
        }
    }

    /// Runs the estimator over times that are all there already.
    pub fn of(rule: AgreementRule, times: impl IntoIterator<Item = f64>) -> Agreement {
        let mut estimator = Self::new(rule);
        for time in times {
            if !matches!(estimator.add(time), Agreement::NeedMore { .. }) {
                break;
            }
        }
        estimator.state()
    }

    /// Takes one more time; once the search is over, further ones change nothing.
    ///
    /// # Panics
    /// When the time is negative or no number.
    pub fn add(&mut self, time: f64) -> Agreement {
        self.add_from(time, true)
    }

    /// The same of a time that may be known to be disturbed: it can be the lowest, but it bears out no other. On a slow
    /// core all runs can be slow alike, and agree.
    ///
    /// # Panics
    /// When the time is negative or no number.
    pub fn add_from(&mut self, time: f64, is_witness: bool) -> Agreement {
        assert!(time.is_finite() && time >= 0.0, "{time} is no time");
        if !matches!(self.state(), Agreement::NeedMore { .. }) {
            return self.state();
        }
        self.runs += 1;
        insert(&mut self.lowest, &mut self.second, time);
        if is_witness {
            let [first, second] = &mut self.witnesses;
            insert(first, second, time);
        }
        if self.runs >= self.rule.runs_min && self.agree() {
            self.agreed = Some(Agreement::Agreed { value: self.lowest, runs: self.runs });
        }
        self.state()
    }

    /// Returns the outcome of the runs so far.
    pub fn state(&self) -> Agreement {
        match self.agreed {
            Some(agreed) => agreed,
            None if self.runs < self.rule.runs_max => Agreement::NeedMore { runs: self.runs },
            None => self.given_up(),
        }
    }

    /// Returns the outcome if there are no more runs.
    pub fn conclude(&self) -> Agreement {
        match self.state() {
            Agreement::NeedMore { runs } if runs > 0 => self.given_up(),
            state => state,
        }
    }

    fn given_up(&self) -> Agreement {
        Agreement::GaveUp { lowest: self.lowest, gap: self.gap(self.second), runs: self.runs }
    }

    fn agree(&self) -> bool {
        let witness = self.witnesses[1];
        witness - self.lowest <= self.rule.floor
            || self.gap(witness).is_some_and(|gap| gap <= self.rule.tolerance)
    }

    /// Returns by which part of the lowest a time is above it; none where there is no such time.
    fn gap(&self, time: f64) -> Option<f64> {
        match time {
            time if !time.is_finite() => None,
            time if time == self.lowest => Some(0.0),
            time => Some((time - self.lowest) / self.lowest),
        }
    }
}

/// Keeps the two lowest of three times.
fn insert(lowest: &mut f64, second: &mut f64, time: f64) {
    if time < *lowest {
        *second = std::mem::replace(lowest, time);
    } else if time < *second {
        *second = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(times: &[f64], expected: Agreement) {
        assert_eq!(
            LowestAgreement::of(AgreementRule::default(), times.iter().copied()),
            expected,
            "{times:?}"
        );
    }

    #[test]
    fn a_table_of_runs() {
        check(&[], Agreement::NeedMore { runs: 0 });
        check(&[100.0, 100.0], Agreement::NeedMore { runs: 2 });
        check(&[100.0, 100.0, 200.0], Agreement::Agreed { value: 100.0, runs: 3 });
        check(&[101.0, 150.0, 100.0], Agreement::Agreed { value: 100.0, runs: 3 });
        check(&[100.0, 101.001, 130.0], Agreement::NeedMore { runs: 3 });
        check(&[130.0, 120.0, 110.0, 100.0, 100.5], Agreement::Agreed { value: 100.0, runs: 5 });
        check(&[0.0, 0.0, 0.0], Agreement::Agreed { value: 0.0, runs: 3 });
        check(&[0.0, 1.0, 1.0], Agreement::NeedMore { runs: 3 });
        let falling: Vec<f64> = (1..=12).map(|step| 200.0 - 10.0 * f64::from(step)).collect();
        check(&falling, Agreement::GaveUp { lowest: 100.0, gap: Some(0.1), runs: 10 });
    }

    #[test]
    fn short_times_agree_within_the_floor() {
        let rule = AgreementRule { floor: 1.0, ..AgreementRule::default() };
        let of = |times: [f64; 3]| LowestAgreement::of(rule, times);
        assert_eq!(of([5.0, 6.0, 9.0]), Agreement::Agreed { value: 5.0, runs: 3 });
        assert_eq!(of([5.0, 6.1, 9.0]), Agreement::NeedMore { runs: 3 });
    }

    #[test]
    fn disturbed_times_count_and_confirm_nothing() {
        let of = |times: &[(f64, bool)]| {
            let mut estimator = LowestAgreement::new(AgreementRule::default());
            for (time, is_witness) in times {
                estimator.add_from(*time, *is_witness);
            }
            estimator.state()
        };
        assert_eq!(of(&[(100.0, false); 9]), Agreement::NeedMore { runs: 9 });
        assert_eq!(of(&[(100.0, false); 10]), Agreement::GaveUp { lowest: 100.0, gap: Some(0.0), runs: 10 });
        let one = [(100.0, false), (101.0, true), (130.0, true)];
        assert_eq!(of(&one), Agreement::NeedMore { runs: 3 });
        let two = [&one[..], &[(100.5, true)]].concat();
        assert_eq!(of(&two), Agreement::Agreed { value: 100.0, runs: 4 });
    }

    #[test]
    fn decided_ruling_does_not_change_with_more_runs() {
        let mut estimator = LowestAgreement::new(AgreementRule::default());
        for time in [100.0, 100.0, 100.0] {
            estimator.add(time);
        }
        assert_eq!(estimator.add(50.0), Agreement::Agreed { value: 100.0, runs: 3 });
    }

    #[test]
    fn early_end_of_a_record_is_reported() {
        let mut estimator = LowestAgreement::new(AgreementRule::default());
        assert_eq!(estimator.conclude(), Agreement::NeedMore { runs: 0 });
        estimator.add(100.0);
        assert_eq!(estimator.conclude(), Agreement::GaveUp { lowest: 100.0, gap: None, runs: 1 });
        estimator.add(110.0);
        assert_eq!(estimator.conclude(), Agreement::GaveUp { lowest: 100.0, gap: Some(0.1), runs: 2 });
    }

    proptest! {
        #[test]
        fn the_value_is_the_lowest_of_the_runs_it_took(times in prop::collection::vec(1.0..2.0_f64, 0..15)) {
            let lowest = |runs: u32| times[..runs as usize].iter().copied().fold(f64::INFINITY, f64::min);
            match LowestAgreement::of(AgreementRule::default(), times.iter().copied()) {
                Agreement::NeedMore { runs } => prop_assert!(runs as usize == times.len() && runs < 10),
                Agreement::Agreed { value, runs } => {
                    prop_assert!((3..=10).contains(&runs));
                    prop_assert_eq!(value, lowest(runs));
                    let near = times[..runs as usize].iter().filter(|time| **time <= value * 1.01).count();
                    prop_assert!(near >= 2);
                }
                Agreement::GaveUp { lowest: value, gap, runs } => {
                    prop_assert_eq!(runs, 10);
                    prop_assert_eq!(value, lowest(10));
                    prop_assert!(gap.is_some_and(|gap| gap > 0.01));
                }
            }
        }
    }
}
