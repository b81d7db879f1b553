//! Slots, one for each root that programs see.

use crate::JudgeError;
use sandbox::RootView;

/// How many compiler slots a place has, one for each root. Each has a launcher, control groups and users on the
/// machine; opening one again takes some ms.
pub(crate) const ROOTS_MAX: usize = 4;

/// What was opened for each root; the one used last is at the end.
#[derive(Debug)]
pub(crate) struct Roots<S>(Vec<(RootView, S)>);

impl<S> Default for Roots<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Clone> Roots<S> {
    /// Returns the value for a root, and opens it if there is none. If there are too many, the least recently used one
    /// is closed.
    pub fn get(
        &mut self,
        root: &RootView,
        open: impl FnOnce(RootView) -> Result<S, JudgeError>,
    ) -> Result<S, JudgeError> {
        let known = self.0.iter().position(|(known, _)| known == root);
        let slot = match known {
            Some(at) => self.0.remove(at).1,
            None => {
                if self.0.len() >= ROOTS_MAX {
                    self.0.remove(0);
                }
                open(root.clone())?
            }
        };
        self.0.push((root.clone(), slot.clone()));
        Ok(slot)
    }

    pub fn iter(&self) -> impl Iterator<Item = &S> {
        self.0.iter().map(|(_, slot)| slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_slot_is_opened_once_for_each_root_and_the_one_not_used_for_longest_goes() {
        let mut roots: Roots<Rc<String>> = Roots::default();
        let mut opened: Vec<String> = Vec::new();
        let mut get = |roots: &mut Roots<Rc<String>>, name: &str| {
            let root = RootView::Tree(name.into());
            let slot = roots.get(&root, |_| {
                opened.push(name.to_owned());
                Ok(Rc::new(name.to_owned()))
            });
            assert_eq!(**slot.as_ref().unwrap(), name);
            Rc::downgrade(&slot.unwrap())
        };
        let first = get(&mut roots, "/a");
        for name in ["/b", "/c", "/0", "/a", "/c", "/0", "/d"] {
            get(&mut roots, name);
        }
        assert!(first.upgrade().is_some(), "it was used since");
        let names = |roots: &Roots<Rc<String>>| roots.iter().map(|slot| (**slot).clone()).collect::<Vec<_>>();
        assert_eq!(names(&roots), ["/a", "/c", "/0", "/d"]);
        get(&mut roots, "/b");
        assert!(first.upgrade().is_none(), "it was closed");
        assert_eq!(names(&roots), ["/c", "/0", "/d", "/b"]);
        assert_eq!(opened, ["/a", "/b", "/c", "/0", "/d", "/b"]);
        let failed = roots.get(&RootView::Tree("/e".into()), |_| Err(JudgeError::Cancelled));
        assert!(failed.is_err());
        assert_eq!(names(&roots), ["/0", "/d", "/b"], "room was made for it first: slots are scarce");
    }
}
