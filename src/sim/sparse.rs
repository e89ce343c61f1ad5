//! Memories that cost what is touched: elements in pages, each of which is made when an element of it is set.

/// Elements of a page.
const PAGE: usize = 64;
/// Pages of a part of the table.
const PART: usize = 4096;

/// The elements of a memory that were set, each `stride` values of `T`.
#[derive(Clone, Debug, Default)]
pub struct Sparse<T> {
    length: usize,
    stride: usize,
    /// By the position of a page: one more than its number in [`Sparse::pages`], 0 if there is none. The parts without
    /// a page are empty, and so is the whole without a part.
    table: Vec<Vec<u32>>,
    /// In the order in which they were made.
    pages: Vec<Page>,
    values: Vec<T>,
}

#[derive(Clone, Debug)]
struct Page {
    /// Its position among all pages of the memory.
    position: usize,
    /// Where its values begin.
    start: usize,
    /// The elements that were set, one bit each.
    present: u64,
}

impl<T: Clone + Default> Sparse<T> {
    /// A memory of `length` elements of which none was set.
    pub fn new(length: usize, stride: usize) -> Sparse<T> {
        Sparse {
            length,
            stride,
            table: Vec::new(),
            pages: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The element, if it was set.
    pub fn get(&self, position: usize) -> Option<&[T]> {
        let page = self.number(position / PAGE)?;
        let page = &self.pages[page];
        let at = position % PAGE;
        let start = page.start + at * self.stride;
        (page.present >> at & 1 != 0).then(|| &self.values[start..start + self.stride])
    }

    /// The element, to be set. It counts as set; before it was, its values are the default ones.
    ///
    /// Panics if the position is not below the length.
    pub fn set(&mut self, position: usize) -> &mut [T] {
        assert!(position < self.length, "an element of the memory");
        let page = match self.number(position / PAGE) {
            Some(page) => page,
            None => self.make(position / PAGE),
        };
        let page = &mut self.pages[page];
        let at = position % PAGE;
        page.present |= 1 << at;
        let start = page.start + at * self.stride;
        &mut self.values[start..start + self.stride]
    }

    fn number(&self, page: usize) -> Option<usize> {
        let number = *self.table.get(page / PART)?.get(page % PART)?;
        (number as usize).checked_sub(1)
    }

    fn make(&mut self, page: usize) -> usize {
        let pages = self.length.div_ceil(PAGE);
        if self.table.is_empty() {
            self.table.resize(pages.div_ceil(PART), Vec::new());
        }
        let part = &mut self.table[page / PART];
        if part.is_empty() {
            part.resize(PART.min(pages - page / PART * PART), 0);
        }
        let start = self.values.len();
        let elements = PAGE.min(self.length - page * PAGE);
        let values = start + elements * self.stride;
        self.values.resize(values, T::default());
        self.pages.push(Page {
            position: page,
            start,
            present: 0,
        });
        part[page % PART] =
            u32::try_from(self.pages.len()).expect("memory ends before there are 2^32 pages");
        self.pages.len() - 1
    }

    /// Forgets everything that was set.
    pub fn clear(&mut self) {
        *self = Sparse::new(self.length, self.stride);
    }

    /// The positions that were set, in order.
    pub fn positions(&self) -> impl Iterator<Item = usize> {
        let mut pages: Vec<(usize, u64)> =
            self.pages.iter().map(|p| (p.position, p.present)).collect();
        pages.sort_unstable();
        pages.into_iter().flat_map(|(page, present)| {
            let set = (0..PAGE).filter(move |at| present >> at & 1 != 0);
            set.map(move |at| page * PAGE + at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_far_apart_take_few_pages() {
        let mut memory = Sparse::<u64>::new(1 << 36, 2);
        let places = [(1 << 36) - 1, 0, 64, 63, 1 << 20, 1 << 30];
        for (value, &place) in places.iter().enumerate() {
            memory.set(place)[1] = value as u64 + 1;
        }
        assert_eq!(memory.pages.len(), 5);
        for (value, &place) in places.iter().enumerate() {
            assert_eq!(memory.get(place), Some(&[0, value as u64 + 1][..]));
        }
        assert_eq!(memory.get(1), None);
        assert_eq!(memory.get(1 << 36), None);
        let mut sorted = places;
        sorted.sort_unstable();
        assert!(memory.positions().eq(sorted));
        memory.clear();
        assert_eq!((memory.get(0), memory.positions().count()), (None, 0));
    }

    #[test]
    fn the_last_page_is_as_short_as_its_memory() {
        let mut memory = Sparse::<u8>::new(67, 1);
        memory.set(66)[0] = 3;
        memory.set(2)[0] = 4;
        assert_eq!(memory.values.len(), 3 + 64);
        assert_eq!(
            (memory.get(66), memory.get(2)),
            (Some(&[3][..]), Some(&[4][..]))
        );
    }
}
