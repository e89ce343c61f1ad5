//! Mutations of kernel files that keep most of the grammar: of tokens, lines, and blocks of lines.
//!
//! Everything is a function of the seed. A donor, another file or the same, gives the material.

/// What the language is made of; a word replaces or joins any token.
const WORDS: &str = "\
    ( ) [ ] { } : , . * ** = += -= *= == != < <= > >= - + ~ / // % & | ^ << >> -> @ := \" ' \\ # ; \
    and or not in is if else elif for while return def class lambda pass break continue match case with as \
    try except finally raise assert del global nonlocal yield import from async await None True False _ ... \
    @kernel @kernel(T) @consteval @dataclass kernel consteval constexpr Template KernelOptions options= \
    typing_style=\"cpp\" enable_tensor=True fast_math=True subnormals=\"ftz\" acc= name= ordered= propagate_nan=True signed=True \
    i2 i8 i32 i33 i64 i256 u1 u8 u32 u64 index bool f16 bf16 f32 f64 f8e4m3 f8e5m2 hif8 f4e2m1 apint apfloat Int UInt \
    \"i32[4]\" \"f32[2,3]\" \"u8[]\" \"T[N]\" T N x y i out \
    allo allo.grid allo.range range arith math linalg add sub mul div matmul dot exp sqrt pow cast min max abs len \
    print static_assert int float round sum sorted zip enumerate map filter list dict tuple set str super self \
    isinstance getattr property staticmethod Enum functools.partial itertools.chain np.array np.zeros np.arange .astype \
    .reshape .T .shape .append .format .join f\"{x}\" \"%d\" __init__ __add__ __iter__ __getitem__ __eq__ __hash__";

/// Numbers at the edges of what types, shapes and the evaluator take.
const NUMBERS: &str = "0 -1 1 2 3 7 8 31 32 33 63 64 127 128 255 256 1000 4096 4097 65536 1e400 0.5 1e-46 nan 0x7fffffff \
    9223372036854775807 9223372036854775808 (10**30) (-1)";

/// A small generator of pseudo-random numbers (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn new(seed: u32) -> Random {
        let mut random = Random(seed.into());
        random.below(1);
        random
    }

    /// A number below `n`; 0 if there is none.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn of<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// One of the words of a list.
    fn word(&mut self, list: &'static str) -> &'static str {
        let words: Vec<&'static str> = list.split_whitespace().collect();
        words[self.below(words.len())]
    }

    /// A part of at most `most` of `len` items.
    fn part(&mut self, len: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(len);
        start..(start + 1 + self.below(most)).min(len)
    }
}

/// A file as tokens: words, runs of spaces, and single characters.
type Tokens = Vec<String>;

fn tokens(text: &str) -> Tokens {
    let mut found: Tokens = Vec::new();
    for c in text.chars() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        match found.last_mut() {
            Some(last) if word(c) && last.chars().all(word) => last.push(c),
            Some(last) if c == ' ' && last.chars().all(|c| c == ' ') => last.push(c),
            _ => found.push(c.to_string()),
        }
    }
    found
}

/// The lines of a file, each with its line end.
fn lines(file: &Tokens) -> Vec<Tokens> {
    file.split_inclusive(|t| t == "\n")
        .map(<[String]>::to_vec)
        .collect()
}

fn depth(line: &Tokens) -> usize {
    match line.first() {
        Some(first) if first.starts_with(' ') => first.len(),
        _ => 0,
    }
}

/// A line and those below it that are indented more; decorators stand before a block, not in it.
fn block(lines: &[Tokens], r: &mut Random) -> std::ops::Range<usize> {
    let start = r.below(lines.len());
    let Some(head) = lines.get(start) else {
        return 0..0;
    };
    let inside = |line: &&Tokens| line.len() == 1 || depth(line) > depth(head);
    let more = lines[start + 1..].iter().take_while(inside).count();
    start..start + 1 + more
}

/// Moves lines by so many columns, none beyond the margin.
fn indent(lines: &mut [Tokens], columns: isize) {
    for line in lines {
        let now = depth(line);
        let then = " ".repeat(now.saturating_add_signed(columns));
        match line.first_mut() {
            Some(first) if now > 0 => *first = then,
            _ => line.insert(0, then),
        }
    }
}

fn places(file: &Tokens, fits: impl Fn(char) -> bool) -> Vec<usize> {
    let starts = |t: &String| t.starts_with(&fits);
    (0..file.len()).filter(|i| starts(&file[*i])).collect()
}

type Edit = fn(&mut Tokens, &Tokens, &mut Random);

/// The mutations: of a file that is not empty, with another as donor.
const EDITS: [Edit; 14] = [
    |file, _, r| {
        let at = r.below(file.len());
        file[at] = r.word(WORDS).to_owned();
    },
    |file, _, r| file.insert(r.below(file.len()), r.word(WORDS).to_owned() + " "),
    |file, donor, r| {
        let at = r.below(file.len());
        file[at].clone_from(r.of(donor));
    },
    |file, donor, r| file.insert(r.below(file.len()), r.of(donor).clone()),
    |file, _, r| drop(file.drain(r.part(file.len(), 3))),
    |file, _, r| {
        let (a, b) = (r.below(file.len()), r.below(file.len()));
        file.swap(a, b);
    },
    |file, donor, r| {
        let (to, from) = (r.part(file.len(), 12), r.part(donor.len(), 24));
        file.splice(to, donor[from].to_vec());
    },
    |file, _, r| {
        let numerals = places(file, |c| c.is_ascii_digit());
        if !numerals.is_empty() {
            file[*r.of(&numerals)] = r.word(NUMBERS).to_owned();
        }
    },
    // One name for another.
    |file, donor, r| {
        let (to, from) = (
            places(file, char::is_alphabetic),
            places(donor, char::is_alphabetic),
        );
        if !to.is_empty() && !from.is_empty() {
            file[*r.of(&to)].clone_from(&donor[*r.of(&from)]);
        }
    },
    |file, _, r| {
        let mut lines = lines(file);
        let (a, b) = (r.below(lines.len()), r.below(lines.len()));
        lines.swap(a, b);
        *file = lines.concat();
    },
    |file, _, r| {
        let mut lines = lines(file);
        lines.drain(r.part(lines.len(), 2));
        *file = lines.concat();
    },
    // A block less.
    |file, _, r| {
        let mut lines = lines(file);
        lines.drain(block(&lines, r));
        *file = lines.concat();
    },
    // A block more, indented as the place where it goes.
    |file, donor, r| {
        let (mut lines, other) = (lines(file), lines(donor));
        let mut more = other[block(&other, r)].to_vec();
        let at = r.below(lines.len() + 1);
        let here = lines.get(at).or(lines.last()).map_or(0, depth);
        let there = more.first().map_or(0, depth);
        indent(&mut more, here as isize - there as isize);
        lines.splice(at..at, more);
        *file = lines.concat();
    },
    // One level of indentation more or less.
    |file, _, r| {
        let mut lines = lines(file);
        let part = block(&lines, r);
        indent(&mut lines[part], *r.of(&[-4, 4]));
        *file = lines.concat();
    },
];

/// The text after one to five edits.
pub fn mutant(text: &str, donor: &str, seed: u32) -> String {
    let (mut file, donor) = (tokens(text), tokens(donor));
    let mut r = Random::new(seed);
    for _ in 0..=r.below(5) {
        if file.is_empty() {
            file = tokens("@kernel\ndef f(x: i32) -> i32:\n    return x\n");
        } else if !donor.is_empty() {
            let edit = *r.of(&EDITS);
            edit(&mut file, &donor, &mut r);
        }
    }
    file.concat()
}

/// The text with a part of another in place of one of its own, or beside it.
pub fn crossed(text: &str, donor: &str, seed: u32) -> String {
    let (mut lines, other) = (lines(&tokens(text)), lines(&tokens(donor)));
    let mut r = Random::new(seed);
    if r.below(3) == 0 || lines.is_empty() || other.is_empty() {
        return mutant(text, donor, seed);
    }
    let mut more = other[block(&other, &mut r)].to_vec();
    let to = match r.below(2) {
        0 => block(&lines, &mut r),
        _ => {
            let at = r.below(lines.len());
            at..at
        }
    };
    let shift = depth(&lines[to.start]) as isize - depth(&more[0]) as isize;
    indent(&mut more, shift);
    lines.splice(to, more);
    lines.concat().concat()
}
