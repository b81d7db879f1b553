//! Memory that is there before anything is measured, so that no page fault is.

use rustix::io::Errno;

/// Room for this many values, touched, and locked where that is allowed.
#[derive(Debug)]
pub(super) struct Buffer<T> {
    values: Vec<T>,
    locked: bool,
}

impl<T: Copy> Buffer<T> {
    /// Makes the room. `touch` is written everywhere; what it is does not matter. Says why memory could not be locked.
    pub(super) fn new(
        count: usize,
        touch: T,
    ) -> Result<(Self, Option<Errno>), std::collections::TryReserveError> {
        let mut values = Vec::new();
        values.try_reserve_exact(count)?;
        values.resize(count, touch);
        // The compiler must not see that what was written is not read.
        std::hint::black_box(values.as_ptr());
        let why = lock(&values).err();
        values.clear();
        Ok((Self { values, locked: why.is_none() }, why))
    }

    /// Adds a value; false if there is no room left.
    #[inline(always)]
    pub(super) fn push(&mut self, value: T) -> bool {
        let has_room = self.values.len() < self.values.capacity();
        if has_room {
            self.values.push(value);
        }
        has_room
    }

    /// Returns what was added.
    pub(super) fn into_values(mut self) -> Vec<T> {
        if self.locked {
            unlock(&self.values);
        }
        let mut values = std::mem::take(&mut self.values);
        values.shrink_to_fit();
        values
    }
}

#[allow(unsafe_code)]
fn lock<T>(values: &Vec<T>) -> rustix::io::Result<()> {
    let length = values.capacity() * size_of::<T>();
    // SAFETY: the range is the vector's own allocation; locking changes nothing in it.
    unsafe { rustix::mm::mlock(values.as_ptr().cast_mut().cast(), length) }
}

#[allow(unsafe_code)]
fn unlock<T>(values: &Vec<T>) {
    let length = values.capacity() * size_of::<T>();
    // SAFETY: as above. That it fails means that it was not locked, which is what is wanted.
    let _ = unsafe { rustix::mm::munlock(values.as_ptr().cast_mut().cast(), length) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_as_much_room_as_was_asked_for() {
        let (mut buffer, _) = Buffer::new(3, 7_u64).unwrap();
        assert!([1, 2, 3].into_iter().all(|value| buffer.push(value)));
        assert!(!buffer.push(4));
        assert_eq!(buffer.into_values(), [1, 2, 3]);
        assert!(Buffer::new(usize::MAX, 0_u64).is_err());
    }
}
