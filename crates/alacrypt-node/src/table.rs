//! Native objects that script names by number.

use core::mem::size_of;

use crate::memory::Footprint;

/// A bounded table: an object's number is its place, and places are used again.
pub(crate) struct Table<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
    capacity: u32,
}

impl<T> Table<T> {
    pub(crate) const fn new(capacity: u32) -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            capacity,
        }
    }

    /// Puts `object` in and returns its number, or drops it and returns `None` when the table is
    /// full or memory is short.
    pub(crate) fn insert(&mut self, object: T) -> Option<u32> {
        if let Some(id) = self.free.pop() {
            *self.places.get_mut(usize::try_from(id).ok()?)? = Some(object);
            return Some(id);
        }
        let id = u32::try_from(self.places.len())
            .ok()
            .filter(|id| *id < self.capacity)?;
        self.places.try_reserve(1).ok()?;
        // `remove` must not allocate: keep room for every number.
        self.free.try_reserve(self.places.len() + 1).ok()?;
        self.places.push(Some(object));
        Some(id)
    }

    /// Whether the bound is reached, so that an object need not be made.
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.places.len() >= self.capacity as usize
    }

    pub(crate) fn get(&self, id: u32) -> Option<&T> {
        self.places.get(usize::try_from(id).ok()?)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        self.places.get_mut(usize::try_from(id).ok()?)?.as_mut()
    }

    /// How many objects there are, and the bytes of all places and of what each object has elsewhere.
    pub(crate) fn footprint(&self, heap_len_bytes: impl Fn(&T) -> usize) -> Footprint {
        let places = self.places.capacity() * size_of::<Option<T>>();
        let mut footprint = Footprint {
            count: 0,
            bytes: places + self.free.capacity() * size_of::<u32>(),
        };
        for object in self.places.iter().flatten() {
            footprint.count += 1;
            footprint.bytes += heap_len_bytes(object);
        }
        footprint
    }

    pub(crate) fn remove(&mut self, id: u32) -> Option<T> {
        let object = self.places.get_mut(usize::try_from(id).ok()?)?.take()?;
        self.free.push(id);
        Some(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_used_again_and_the_bound_holds() {
        let mut table = Table::new(2);
        assert_eq!(table.insert('a'), Some(0));
        assert!(!table.is_full());
        assert_eq!(table.insert('b'), Some(1));
        assert!(table.is_full());
        assert_eq!(table.insert('c'), None);
        assert_eq!(table.remove(0), Some('a'));
        assert!(!table.is_full());
        assert_eq!(table.remove(0), None);
        assert_eq!(table.get(0), None);
        assert_eq!(table.insert('d'), Some(0));
        assert_eq!(table.get(0), Some(&'d'));
        assert_eq!(table.get(7), None);
        let Footprint { count, bytes } = table.footprint(|_| 100);
        assert_eq!(count, 2);
        assert!((200..400).contains(&bytes), "{bytes}");
    }
}
