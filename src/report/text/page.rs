//! Lines of text of a given width: headings, wrapped words, tables, bars.

use crate::report::words::shortened;
use std::fmt::Write as _;

/// A column of a table.
pub struct Column {
    title: &'static str,
    is_right: bool,
}

impl Column {
    /// Of words.
    pub fn left(title: &'static str) -> Column {
        let is_right = false;
        Column { title, is_right }
    }
    /// Of numbers.
    pub fn right(title: &'static str) -> Column {
        let is_right = true;
        Column { title, is_right }
    }
}

/// Between two columns.
const GAP: usize = 2;

/// A letter from a cycle up to another one.
pub type Mark = (u64, u64, char);

/// A text in the making.
pub struct Page {
    out: String,
    width: usize,
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A source may have anything in its names: nothing that steers a terminal.
fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(plain).collect()
}

impl Page {
    /// An empty one.
    pub fn new(width: usize) -> Page {
        let out = String::new();
        Page { out, width }
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.out
    }

    fn line(&mut self, text: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "{}", plain(text).trim_end());
    }

    /// The first line.
    pub fn title(&mut self, text: &str) {
        self.line(text);
        let rule = "=".repeat(length(text).min(self.width));
        self.line(&rule);
    }

    /// The beginning of a section.
    pub fn heading(&mut self, text: &str) {
        self.line("");
        self.line(text);
        let rule = "-".repeat(length(text).min(self.width));
        self.line(&rule);
    }

    /// A paragraph.
    pub fn words(&mut self, text: &str) {
        self.indented(0, text);
    }

    /// A paragraph, further lines two columns further in.
    pub fn indented(&mut self, indent: usize, text: &str) {
        // What is deep inside keeps some room.
        let indent = indent.min(self.width / 2);
        let mut line = " ".repeat(indent);
        let mut is_empty = true;
        for word in text.split_whitespace() {
            if !is_empty && length(&line) + 1 + length(word) > self.width {
                self.line(&line);
                line = " ".repeat(indent + 2);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line += word;
            is_empty = false;
        }
        self.line(&line);
    }

    /// A name and what is to be said of it.
    pub fn pair(&mut self, name: &str, text: &str) {
        const NAMES: usize = 15;
        let width = self.width.saturating_sub(NAMES).max(20);
        let mut name = plain(name);
        let mut lines = Page::new(width);
        lines.words(text);
        for line in lines.out.lines() {
            let text = format!("{name:<NAMES$}{line}");
            self.line(&text);
            name = String::new();
        }
    }

    /// Rows below titles; the last column is cut where there is no room.
    pub fn table(&mut self, columns: &[Column], rows: Vec<Vec<String>>) {
        let titles = columns.iter().map(|column| column.title.to_string());
        let titles: Vec<String> = titles.collect();
        let widths = (0..columns.len()).map(|at| {
            let cells = rows.iter().chain([&titles]).filter_map(|row| row.get(at));
            cells.map(|cell| length(cell)).max().unwrap_or(0)
        });
        let widths: Vec<usize> = widths.collect();
        for row in [titles].iter().chain(&rows) {
            let mut line = String::new();
            for ((cell, column), width) in row.iter().zip(columns).zip(&widths) {
                if !line.is_empty() || length(cell) == 0 && *width > 0 && !column.is_right {
                    line += &" ".repeat(if line.is_empty() { 0 } else { GAP });
                }
                line += &match column.is_right {
                    true => format!("{cell:>width$}"),
                    false => format!("{cell:<width$}"),
                };
            }
            let line = shortened(line.trim_end(), self.width);
            self.line(&line);
        }
    }

    /// Bars from a cycle up to another one, of so many cycles.
    pub fn bars(&mut self, rows: Vec<(String, u64, u64)>, end: u64) {
        let bar = |(name, from, to)| (name, vec![(from, to, '#')]);
        self.strips(rows.into_iter().map(bar).collect(), end);
    }

    /// Names, each with marks from a cycle up to another one, of so many cycles; later marks lie over earlier ones.
    pub fn strips(&mut self, rows: Vec<(String, Vec<Mark>)>, end: u64) {
        let names = rows.iter().map(|(name, _)| length(name)).max();
        let names = names.unwrap_or(0).min(self.width / 3);
        let room = self.width.saturating_sub(names + GAP).max(10);
        let columns = usize::try_from(end).unwrap_or(usize::MAX).min(room);
        let at = |cycle: u64| (u128::from(cycle) * columns as u128 / u128::from(end)) as usize;
        for (name, marks) in rows {
            let mut strip = vec![' '; columns];
            for (from, to, mark) in marks {
                let from = at(from.min(end)).min(columns.saturating_sub(1));
                let to = at(to.min(end)).max(from + 1);
                strip[from..to.min(columns)].fill(mark);
            }
            let strip: String = strip.into_iter().collect();
            let name = shortened(&plain(&name), names);
            self.line(&format!("{name:<names$}{:GAP$}{strip}", ""));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_nothing_steers_a_terminal() {
        let mut page = Page::new(20);
        page.indented(2, "one two three four \u{1b}[31mfive");
        assert_eq!(
            page.finish(),
            "  one two three four\n    \u{fffd}[31mfive\n"
        );
    }

    #[test]
    fn bars_are_as_long_as_what_they_show() {
        let mut page = Page::new(40);
        let rows = vec![("a".to_string(), 0, 2), ("b".into(), 2, 4)];
        page.bars(rows, 4);
        assert_eq!(page.finish(), "a  ##\nb    ##\n");
    }

    #[test]
    fn many_cycles_share_a_column_and_every_mark_is_seen() {
        let mut page = Page::new(13);
        let marks = vec![(0, 100, '.'), (5, 6, 'l'), (90, 100, 's')];
        page.strips(vec![("a".to_string(), marks)], 100);
        assert_eq!(page.finish(), "a  l........s\n");
    }
}
