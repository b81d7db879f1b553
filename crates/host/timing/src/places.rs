//! How many places for timed runs a machine has.

use crate::{Choice, HostCpus, IfTaken, PlaceError, TimedCpus};
use cpus::LeaseError;
use model::CpuSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::sync::Arc;

/// How many places are used at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// One in each L3 domain, as long as a core is left for everything else: runs that share a cache and a path to
    /// memory disturb each other.
    #[default]
    PerL3,
    /// This many, one core each.
    Number(NonZeroUsize),
    /// One on every core that can be leased.
    All,
}

impl FromStr for Places {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "per-l3" => Ok(Self::PerL3),
            "all" => Ok(Self::All),
            number => number.parse().map(Self::Number).map_err(|_| {
                format!("'{number}' is not a number of places from 1 on; use a number, per-l3 or all")
            }),
        }
    }
}

impl Places {
    /// Takes the CPUs of places from their owner: the first by the choice, each further one on a leased core, as many
    /// as requested, but no more than `most`.
    ///
    /// # Errors
    /// When the first is not available, or fewer than the requested number.
    pub fn take(
        self,
        host: &Arc<dyn HostCpus>,
        (first, if_taken): (&Choice, &IfTaken),
        most: NonZeroUsize,
    ) -> Result<Vec<TimedCpus>, PlaceError> {
        if let IfTaken::Wait(queue) = if_taken {
            // All or none: two processes that each hold a place and wait for another would wait for ever.
            return queue.wait(&**host, first, || self.take(host, (first, &IfTaken::Refuse), most));
        }
        let mut taken = vec![TimedCpus::take(Arc::clone(host), first, if_taken)?];
        let another =
            || TimedCpus::take(Arc::clone(host), &Choice::Leased(NonZeroU32::MIN), &IfTaken::Refuse);
        match self {
            Self::PerL3 => {
                for domain in &host.topology().l3_domains {
                    let is_timed = taken.iter().any(|place| place.cpus().meets(&domain.cpus));
                    if !is_timed && taken.len() < most.get() {
                        taken.extend(in_domain(host, &domain.cpus, &taken)?);
                    }
                }
            }
            Self::Number(number) => {
                while taken.len() < number.min(most).get() {
                    match another() {
                        Ok(place) => taken.push(place),
                        Err(PlaceError::Lease(why)) => {
                            let (wanted, got) = (number.get(), taken.len());
                            return Err(PlaceError::TooMany { wanted, got, why });
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            Self::All => {
                while taken.len() < most.get() {
                    match another() {
                        Ok(place) => taken.push(place),
                        Err(PlaceError::Lease(LeaseError::NoFit(..))) => break,
                        Err(PlaceError::Lease(error)) if error.is_taken() => break,
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(taken)
    }
}

/// Leases a core of a domain, if one is free there and another is left for everything else.
fn in_domain(
    host: &Arc<dyn HostCpus>,
    domain: &CpuSet,
    taken: &[TimedCpus],
) -> Result<Option<TimedCpus>, PlaceError> {
    let allowed = &host.topology().allowed;
    // The lowest CPUs serve most interrupts.
    for cpu in domain.intersection(allowed).iter().rev() {
        let choice = Choice::Named([cpu].into_iter().collect());
        match TimedCpus::take(Arc::clone(host), &choice, &IfTaken::Refuse) {
            Ok(place) => {
                let is_room = {
                    let mut used: Vec<_> = place.whole_cores().iter().collect();
                    used.extend(
                        taken.iter().flat_map(|other| other.whole_cores().iter().collect::<Vec<_>>()),
                    );
                    used.extend(taken.iter().flat_map(|other| other.cpus().iter().collect::<Vec<_>>()));
                    let held =
                        host.holders()?.into_iter().flat_map(|holder| holder.cpus.iter().collect::<Vec<_>>());
                    used.extend(held);
                    !allowed.difference(&used.into_iter().collect()).is_empty()
                };
                return Ok(is_room.then_some(place));
            }
            Err(PlaceError::Lease(LeaseError::NoFit(..))) => {}
            Err(PlaceError::Lease(error)) if error.is_taken() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::TestRegistry;
    use allocator::Regular;
    use cpus::Registry;

    const FIRST: (&Choice, &IfTaken) = (&Choice::Leased(NonZeroU32::MIN), &IfTaken::Share);

    /// Takes places on a machine; returns their CPUs and the helpers' CPUs, or the error.
    fn taken(shape: Regular, places: &str, most: usize) -> Result<(Vec<String>, String), String> {
        let folder = tempfile::tempdir().unwrap();
        let host: Arc<dyn HostCpus> = Arc::new(TestRegistry(Registry::new(folder.path(), shape.topology())));
        let most = NonZeroUsize::new(most).unwrap();
        let taken = places.parse::<Places>()?.take(&host, FIRST, most).map_err(|error| error.to_string())?;
        let helpers = taken[0].helpers().cpus().to_string();
        Ok((taken.iter().map(|place| place.cpus().to_string()).collect(), helpers))
    }

    const FOUR_DOMAINS: Regular = Regular { packages: 1, numa_nodes: 1, l3_domains: 4, cores: 2, threads: 2 };
    const TWO_CORES: Regular = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 2, threads: 1 };

    #[test]
    fn one_place_in_each_domain_is_the_default() {
        let (cpus, _) = taken(FOUR_DOMAINS, "per-l3", 99).unwrap();
        assert_eq!(cpus.len(), 4, "{cpus:?}");
        let domains = FOUR_DOMAINS.topology().l3_domains;
        for domain in &domains {
            let inside = cpus.iter().filter(|cpus| domain.cpus.meets(&cpus.parse().unwrap()));
            assert_eq!(inside.count(), 1, "{cpus:?}");
        }
        assert_eq!(taken(FOUR_DOMAINS, "per-l3", 2).unwrap().0.len(), 2, "no more than there is work for");
        assert_eq!(taken(TWO_CORES, "per-l3", 99).unwrap(), (vec!["1".to_owned()], "0".to_owned()));
        let bare = Regular { l3_domains: 2, cores: 1, ..TWO_CORES };
        let (cpus, helpers) = taken(bare, "per-l3", 99).unwrap();
        assert_eq!((cpus.len(), helpers.is_empty()), (1, false), "a core is left for all else");
    }

    #[test]
    fn requested_number_of_places_is_taken_or_refused() {
        assert_eq!(taken(TWO_CORES, "2", 99).unwrap().0, ["1", "0"]);
        assert_eq!(taken(TWO_CORES, "2", 1).unwrap().0, ["1"]);
        assert_eq!(taken(TWO_CORES, "all", 99).unwrap().0, ["1", "0"]);
        let refused = taken(TWO_CORES, "3", 99).unwrap_err();
        assert!(refused.starts_with("3 timed places are wanted, and there are cores for 2: "), "{refused}");
        for wrong in ["0", "-1", "many", ""] {
            assert!(taken(TWO_CORES, wrong, 9).unwrap_err().ends_with("use a number, per-l3 or all"));
        }
    }
}
