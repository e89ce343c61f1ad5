//! Typed indices and the arenas they index: the storage of every intermediate form.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A `u32` handle of a `T` in an [`Arena<T>`].
pub struct Id<T>(u32, PhantomData<fn() -> T>);

impl<T> Id<T> {
    /// The handle of the element at `index`; arenas never hold more than `u32::MAX` elements.
    #[inline]
    pub fn new(index: usize) -> Self {
        Id(
            u32::try_from(index).expect("an arena holds fewer than 2^32 elements"),
            PhantomData,
        )
    }
    /// The position in the arena.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl<T> Clone for Id<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Id<T> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What addresses the elements of a [`Table`].
pub trait Handle: Copy {
    /// The handle of the element at `index`.
    fn new(index: usize) -> Self;
    /// The position in the table.
    fn index(self) -> usize;
}

impl<T> Handle for Id<T> {
    #[inline]
    fn new(index: usize) -> Self {
        Id::new(index)
    }
    #[inline]
    fn index(self) -> usize {
        Id::index(self)
    }
}

/// A growing table of `T`, addressed by [`Id<T>`]; elements are never removed.
pub type Arena<T> = Table<Id<T>, T>;

/// A growing table of `V`, addressed by `K`; elements are never removed.
pub struct Table<K, V> {
    items: Vec<V>,
    keys: PhantomData<fn(K)>,
}

impl<K, V: Clone> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        Table::from(self.items.clone())
    }
}

impl<K, V: fmt::Debug> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<K, V: PartialEq> PartialEq for Table<K, V> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<K, V: Eq> Eq for Table<K, V> {}

impl<K, V> Default for Table<K, V> {
    #[inline]
    fn default() -> Self {
        Table::from(Vec::new())
    }
}

impl<K, V> From<Vec<V>> for Table<K, V> {
    #[inline]
    fn from(items: Vec<V>) -> Self {
        Table {
            items,
            keys: PhantomData,
        }
    }
}

impl<K: Handle, V> FromIterator<V> for Table<K, V> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = V>>(items: I) -> Self {
        Table::from(Vec::from_iter(items))
    }
}

impl<K: Handle, V> Table<K, V> {
    /// An empty table.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an element and returns its handle.
    #[inline]
    pub fn push(&mut self, item: V) -> K {
        let id = K::new(self.items.len());
        self.items.push(item);
        id
    }
    /// All elements with their handles, in order.
    #[inline]
    pub fn into_entries(self) -> impl Iterator<Item = (K, V)> {
        let items = self.items.into_iter().enumerate();
        items.map(|(index, item)| (K::new(index), item))
    }
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether the table holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The element of a handle that may belong to another table.
    #[inline]
    pub fn get(&self, id: K) -> Option<&V> {
        self.items.get(id.index())
    }
    /// Handles and elements in order of creation.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (K::new(i), t))
    }
    /// Handles in order of creation.
    #[inline]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::new)
    }
    /// Elements in order of creation.
    #[inline]
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
    /// Elements in order of creation, mutable.
    #[inline]
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }
}

impl<K: Handle, V> Index<K> for Table<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, id: K) -> &V {
        &self.items[id.index()]
    }
}
impl<K: Handle, V> IndexMut<K> for Table<K, V> {
    #[inline]
    fn index_mut(&mut self, id: K) -> &mut V {
        &mut self.items[id.index()]
    }
}
