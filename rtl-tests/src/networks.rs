//! Random networks as text: chains, forks, joins, feedback, rates that differ, elements by condition, grids of workers,
//! arrays and state beside streams.
//!
//! Every process gets and puts constant numbers of elements, so that nothing waits in vain but where paths that meet again
//! hold fewer elements than one of them needs.

use crate::generate::Kernel;
use allo_hls::sim::vectors::Rng;
use std::fmt::Write as _;

/// Types of elements.
const INTS: [&str; 8] = ["u1", "u4", "i8", "u8", "i16", "i32", "u32", "i64"];
const FLOATS: [&str; 2] = ["f16", "f32"];

/// A stream with elements that nobody gets yet.
#[derive(Clone, Debug)]
struct Open {
    name: String,
    ty: &'static str,
    count: u64,
}

impl Open {
    fn is_float(&self) -> bool {
        FLOATS.contains(&self.ty)
    }
}

struct Gen {
    rng: Rng,
    kernels: String,
    /// Of the top kernel.
    params: Vec<String>,
    declarations: String,
    body: String,
    open: Vec<Open>,
    counter: usize,
    /// Whether the last thing in the body is no call.
    inline: bool,
    /// The last statement.
    tail: String,
}

/// The network of a seed.
pub fn network(seed: u64) -> Kernel {
    let mut g = Gen {
        rng: Rng::new(seed ^ 0x6e77),
        kernels: String::new(),
        params: Vec::new(),
        declarations: String::new(),
        body: String::new(),
        open: Vec::new(),
        counter: 0,
        inline: false,
        tail: String::new(),
    };
    for _ in 0..1 + g.rng.below(2) {
        g.source();
    }
    for _ in 0..1 + g.rng.below(5) {
        g.step();
    }
    for stream in std::mem::take(&mut g.open) {
        g.sink(&stream);
    }
    Kernel {
        text: g.file(),
        top: "top",
    }
}

/// Lines, one level further in.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

impl Gen {
    fn file(self) -> String {
        let result = if self.tail.is_empty() { "" } else { " -> i32" };
        let params = self.params.join(", ");
        let body = indented(&(self.declarations + &self.body + &self.tail));
        format!(
            "from allo import *\n\nu4 = apint(4)\n\n{}@kernel\ndef top({params}){result}:\n{body}",
            self.kernels
        )
    }

    fn name(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    fn ty(&mut self) -> &'static str {
        match self.rng.one_in(6) {
            true => self.rng.pick(&FLOATS),
            false => self.rng.pick(&INTS),
        }
    }

    /// A type that elements of another one are cast to without an unspecified value.
    fn ty_after(&mut self, is_float: bool) -> &'static str {
        match is_float {
            true => self.rng.pick(&FLOATS),
            false => self.ty(),
        }
    }

    fn declare(&mut self, ty: &'static str, count: u64) -> Open {
        let name = self.name("s");
        let depth = match self.rng.below(6) {
            0 | 1 => String::new(),
            // About where a queue becomes another kind.
            2 => format!(", {}", self.rng.pick(&[15, 16, 17, 33, 64, 70])),
            _ => format!(", {}", self.rng.below(5) + 1),
        };
        writeln!(self.declarations, "{name}: Stream[{ty}{depth}]").expect("a string");
        Open { name, ty, count }
    }

    /// One of the open streams, which is open no more; sometimes it stays, for one more process to get all of it.
    fn take(&mut self) -> Open {
        let at = self.rng.below(self.open.len() as u64) as usize;
        let is_inside = self.open[at].name.starts_with('s');
        match is_inside && self.open.len() < 4 && self.rng.one_in(6) {
            true => self.open[at].clone(),
            false => self.open.swap_remove(at),
        }
    }

    /// An expression over values of one kind.
    fn expr(&mut self, values: &[&str], is_float: bool) -> String {
        let one = self.rng.pick(values).to_string();
        let other = match (self.rng.one_in(3), is_float) {
            (true, true) => self.rng.pick(&["1.5", "-0.25", "3.0"]).to_string(),
            (true, false) => self.rng.pick(&["1", "3", "7", "100"]).to_string(),
            _ => self.rng.pick(values).to_string(),
        };
        match (self.rng.below(7), is_float) {
            (0, _) => one,
            (1, _) => format!("{one} - {other}"),
            (2, _) => format!("{one} * {other}"),
            (3, _) => format!("max({one}, {other})"),
            (4, false) => format!("({one} ^ {other}) + 1"),
            // A number beside a narrow stream may be out of its range.
            (5, false) => format!("({one} if {other} > 3 else {})", self.rng.pick(values)),
            _ => format!("{one} + {other}"),
        }
    }

    /// A kernel of its own that is called, or statements between the calls.
    fn process(&mut self, gets: &[&Open], puts: &[&Open], arrays: &[String], body: &str) {
        let may_be_inline = !self.inline && arrays.is_empty() && !body.contains("Stateful");
        self.inline = may_be_inline && self.rng.one_in(3);
        if self.inline {
            self.body += body;
            return;
        }
        let name = self.name("k");
        let streams = gets.iter().chain(puts);
        let params = streams.map(|s| format!("{}: Stream[{}]", local(&s.name), s.ty));
        let params: Vec<String> = params.chain(arrays.iter().cloned()).collect();
        let mut own = body.to_string();
        for stream in gets.iter().chain(puts) {
            own = own.replace(
                &format!("{}.", stream.name),
                &format!("{}.", local(&stream.name)),
            );
        }
        let body = indented(&own);
        write!(
            self.kernels,
            "@kernel\ndef {name}({}):\n{body}\n",
            params.join(", ")
        )
        .expect("a string");
        let names = gets.iter().chain(puts).map(|stream| stream.name.clone());
        let given = arrays
            .iter()
            .map(|param| param.split(':').next().unwrap_or_default().to_string());
        let args: Vec<String> = names.chain(given).collect();
        writeln!(self.body, "{name}({})", args.join(", ")).expect("a string");
    }

    // Ends -----------------------------------------------------------------------------------------

    fn source(&mut self) {
        let count = 2 + self.rng.below(12);
        let ty = self.ty();
        if self.rng.one_in(2) {
            let name = self.name("a");
            self.params.push(format!("{name}: Stream[{ty}]"));
            return self.open.push(Open { name, ty, count });
        }
        let name = self.name("x");
        let param = format!("{name}: \"{ty}[{count}]\"");
        self.params.push(param.clone());
        let to = self.declare(ty, count);
        let body = format!("for i in range({count}):\n    {}.put({name}[i])\n", to.name);
        self.process(&[], &[&to], &[param], &body);
        self.open.push(to);
    }

    fn sink(&mut self, from: &Open) {
        let Open { name, ty, count } = from;
        match self.rng.below(4) {
            0 if !from.is_float() && self.tail.is_empty() => self.total(from),
            0 | 1 => {
                let out = Open {
                    name: self.name("o"),
                    ..from.clone()
                };
                self.params.push(format!("{}: Stream[{ty}]", out.name));
                let body = format!(
                    "for i in range({count}):\n    {}.put({name}.get())\n",
                    out.name
                );
                self.process(&[from], &[&out], &[], &body);
            }
            _ => {
                let array = self.name("y");
                let param = format!("{array}: \"{ty}[{count}]\"");
                self.params.push(param.clone());
                let body = format!("for i in range({count}):\n    {array}[i] = {name}.get()\n");
                self.process(&[from], &[], &[param], &body);
            }
        }
    }

    /// The sum of all elements is returned.
    fn total(&mut self, from: &Open) {
        let [kernel, total] = ["k", "total"].map(|prefix| self.name(prefix));
        writeln!(
            self.kernels,
            "@kernel\ndef {kernel}(s: Stream[{}]) -> i32:\n    t: i32 = 0\n    for i in range({}):\n        t += s.get()\n    \
             return t\n",
            from.ty, from.count
        )
        .expect("a string");
        writeln!(self.body, "{total} = {kernel}({})", from.name).expect("a string");
        self.inline = false;
        self.tail = format!("return {total}\n");
    }

    // Processes between ----------------------------------------------------------------------------

    fn step(&mut self) {
        match self.rng.below(15) {
            12 => self.polls(),
            13 | 14 => self.in_turns(),
            0..3 => self.map(),
            3 => self.fewer(),
            4 => self.more(),
            5 => self.split(),
            6 | 7 => self.join(),
            8 => self.reversed(),
            9 => self.feedback(),
            10 => self.grid(),
            _ => self.pairs(),
        }
    }

    /// An element for each, perhaps with what is carried on.
    fn map(&mut self) {
        let from = self.take();
        let ty = self.ty_after(from.is_float());
        let to = self.declare(ty, from.count);
        let [v, acc, i] = ["v", "acc", "at"].map(|prefix| self.name(prefix));
        let is_float = from.is_float();
        let values: &[&str] = &[&v, &acc];
        let (put, next) = (self.expr(values, is_float), self.expr(values, is_float));
        let put = if is_float {
            put
        } else {
            format!("({put}) - {i}")
        };
        let kept = if is_float { "f32" } else { "i32" };
        let start = match self.rng.below(3) {
            0 => format!("{acc}: Stateful[{kept}] = 1\n"),
            _ => format!("{acc}: {kept} = 1\n"),
        };
        let (n, from_name, to_name) = (from.count, &from.name, &to.name);
        let work = format!("{v} = {from_name}.get()\n{acc} = {next}\n{to_name}.put({put})\n");
        let body = match self.rng.below(4) {
            0 => format!(
                "{i}: i32 = 0\nwhile {i} < {n}:\n{}    {i} += 1\n",
                indented(&work)
            ),
            1 if n > 2 => format!(
                "{to_name}.put({from_name}.get())\nfor {i} in range(1, {n}):\n{}",
                indented(&work)
            ),
            _ => format!("for {i} in range({n}):\n{}", indented(&work)),
        };
        self.process(&[&from], &[&to], &[], &(start + &body));
        self.open.push(to);
    }

    /// The same elements, asked for and offered until it can be done: how often it is tried is all that depends on timing.
    fn polls(&mut self) {
        let from = self.take();
        let to = self.declare(from.ty, from.count);
        let [v, i, ok] = ["v", "at", "ok"].map(|prefix| self.name(prefix));
        let (n, ty, from_name, to_name) = (from.count, from.ty, &from.name, &to.name);
        let offered = match self.rng.below(3) {
            0 => format!("{to_name}.put({v})\n{i} += 1\n"),
            1 => format!(
                "done_{v}: u1 = 0\nwhile not done_{v}:\n    done_{v} = {to_name}.try_put({v})\n{i} += 1\n"
            ),
            _ => format!("while {to_name}.full():\n    {i} += 0\n{to_name}.put({v})\n{i} += 1\n"),
        };
        let work = indented(&offered);
        let body = match self.rng.below(3) {
            0 => format!("if not {from_name}.empty():\n    {v}: {ty} = {from_name}.get()\n{work}"),
            1 => format!("{ok}, {v} = {from_name}.try_get()\nif {ok}:\n{work}"),
            _ => format!("{v}: {ty} = {from_name}.get()\n{offered}"),
        };
        let body = format!("{i}: i32 = 0\nwhile {i} < {n}:\n{}", indented(&body));
        self.process(&[&from], &[&to], &[], &body);
        self.open.push(to);
    }

    /// One element for several.
    fn fewer(&mut self) {
        let from = self.take();
        let each = 2 + self.rng.below(3);
        let (count, rest) = (from.count / each, from.count % each);
        if count == 0 {
            return self.open.push(from);
        }
        let to = self.declare(from.ty, count);
        let [sum, i, j] = ["sum", "at", "of"].map(|prefix| self.name(prefix));
        let (from_name, to_name) = (&from.name, &to.name);
        let kept = if from.is_float() { "f32" } else { "i32" };
        let n = count * each;
        let body = match self.rng.below(3) {
            0 => format!(
                "for {i} in range({count}):\n    {sum}: {kept} = 0\n    for {j} in range({each}):\n        {sum} += \
                 {from_name}.get()\n    {to_name}.put({sum})\n"
            ),
            1 => format!(
                "{sum}: {kept} = 0\nfor {i} in range({n}):\n    {sum} += {from_name}.get()\n    if {i} % {each} == {each} - 1:\n        \
                 {to_name}.put({sum})\n"
            ),
            _ => {
                let gets = vec![format!("{from_name}.get()"); each as usize].join(" - ");
                format!("for {i} in range({count}):\n    {to_name}.put({gets})\n")
            }
        };
        let rest = match rest {
            0 => String::new(),
            rest => format!("for {j} in range({rest}):\n    {sum}_rest = {from_name}.get()\n"),
        };
        self.process(&[&from], &[&to], &[], &(body + &rest));
        self.open.push(to);
    }

    /// Several elements of one stream an iteration, and between them what an iteration that takes turns has to hold, to carry,
    /// or to leave to one of them: loads, a sum, stores under a condition, elements that are put at once.
    fn in_turns(&mut self) {
        let from = self.take();
        let each = 2 + self.rng.below(3);
        let (count, rest) = (from.count / each, from.count % each);
        let puts_between = self.rng.one_in(2);
        if count == 0 {
            return self.open.push(from);
        }
        let is_float = from.is_float();
        let ty = self.ty_after(is_float);
        let to = self.declare(ty, count * (1 + u64::from(puts_between)));
        let [x, y, w, acc, i] = ["x", "y", "w", "acc", "at"].map(|prefix| self.name(prefix));
        let kept = if is_float { "f32" } else { "i32" };
        let arrays = [&x, &y].map(|name| format!("{name}: \"{kept}[{count}]\""));
        self.params.extend(arrays.clone());
        let (from_name, to_name) = (&from.name, &to.name);
        let got: Vec<String> = (0..each).map(|_| self.name("v")).collect();
        let mut known: Vec<&str> = vec![&acc];
        let mut work = String::new();
        let loaded = self.rng.below(each);
        let between = self.rng.below(each - 1);
        for (number, v) in (0..).zip(&got) {
            writeln!(work, "{v} = {from_name}.get()").expect("a string");
            known.push(v);
            if number == loaded {
                writeln!(work, "{w} = {x}[{i}]").expect("a string");
                known.push(&w);
            }
            if number == between && puts_between {
                let put = self.expr(&known, is_float);
                writeln!(work, "{to_name}.put({put})").expect("a string");
            }
            if self.rng.one_in(3) {
                let (kept, array) = (self.rng.pick(&known), self.rng.pick(&[&x, &y]));
                writeln!(work, "if {v} < {kept}:\n    {array}[{i}] = {kept}").expect("a string");
            }
        }
        let (next, put) = (self.expr(&known, is_float), self.expr(&known, is_float));
        writeln!(work, "{acc} = {next}\n{to_name}.put({put})").expect("a string");
        let mut body = format!(
            "{acc}: {kept} = 1\nfor {i} in range({count}):\n{}",
            indented(&work)
        );
        if rest > 0 {
            writeln!(
                body,
                "for {i} in range({rest}):\n    {w}_rest = {from_name}.get()"
            )
            .expect("a string");
        }
        self.process(&[&from], &[&to], &arrays, &body);
        self.open.push(to);
    }

    /// Several elements for one.
    fn more(&mut self) {
        let from = self.take();
        let each = 2 + self.rng.below(2);
        if from.count * each > 24 {
            return self.open.push(from);
        }
        let ty = self.ty_after(from.is_float());
        let to = self.declare(ty, from.count * each);
        let [v, i, j] = ["v", "at", "of"].map(|prefix| self.name(prefix));
        let put = self.expr(&[&v], from.is_float());
        let put = if from.is_float() {
            put
        } else {
            format!("({put}) + {i}")
        };
        let (n, from_name, to_name) = (from.count, &from.name, &to.name);
        let body = match self.rng.below(3) {
            0 => format!(
                "for {i} in range({n}):\n    {v} = {from_name}.get()\n    for {j} in range({each}):\n        {to_name}.put({put})\n"
            ),
            1 => format!(
                "{v}: {} = 0\nfor {i} in range({}):\n    if {i} % {each} == 0:\n        {v} = {from_name}.get()\n    \
                 {to_name}.put({put})\n",
                from.ty, to.count
            ),
            _ => {
                let puts = format!("    {to_name}.put({put})\n").repeat(each as usize);
                format!("for {i} in range({n}):\n    {v} = {from_name}.get()\n{puts}")
            }
        };
        self.process(&[&from], &[&to], &[], &body);
        self.open.push(to);
    }

    /// Elements go one way or the other, as they are themselves, and come together again in order.
    fn split(&mut self) {
        let from = self.take();
        if from.is_float() {
            return self.open.push(from);
        }
        let count = from.count;
        let ways = [
            self.declare("u1", count),
            self.declare(from.ty, count),
            self.declare("i32", count),
        ];
        let [which, one, other] = &ways;
        let [v, w, i] = ["v", "w", "at"].map(|prefix| self.name(prefix));
        let test = self.rng.pick(&["& 1 == 1", "> 5", "> 0"]);
        let (a, b, c) = (&which.name, &one.name, &other.name);
        let body = format!(
            "for {i} in range({count}):\n    {v} = {}.get()\n    {a}.put({v} {test})\n    if {v} {test}:\n        {b}.put({v})\n    \
             else:\n        {c}.put({v} * 3 - {i})\n",
            from.name
        );
        self.process(&[&from], &[which, one, other], &[], &body);
        let to = self.declare("i32", count);
        let to_name = &to.name;
        let i = self.name("at");
        let body = match self.rng.one_in(2) {
            true => format!(
                "for {i} in range({count}):\n    {w}: i32 = 0\n    if {a}.get() == 1:\n        {w} = {b}.get()\n    else:\n        \
                 {w} = {c}.get()\n    {to_name}.put({w} + {i})\n"
            ),
            false => format!(
                "for {i} in range({count}):\n    {w} = {a}.get()\n    if {w} == 1:\n        {to_name}.put({b}.get())\n    else:\n        \
                 {to_name}.put({c}.get())\n"
            ),
        };
        self.process(&[which, one, other], &[&to], &[], &body);
        self.open.push(to);
    }

    /// Two streams become one; the longer one is got to its end.
    fn join(&mut self) {
        if self.open.len() < 2 {
            return self.map();
        }
        let (a, b) = (self.take(), self.take());
        if a.name == b.name {
            return self.open.push(a);
        }
        let is_float = a.is_float() || b.is_float();
        let ty = self.ty_after(is_float);
        let count = a.count.min(b.count);
        let to = self.declare(ty, count);
        let [v, w, i] = ["v", "w", "at"].map(|prefix| self.name(prefix));
        let values: &[&str] = &[&v, &w];
        let put = self.expr(values, is_float);
        let mut body = format!(
            "for {i} in range({count}):\n    {v} = {}.get()\n    {w} = {}.get()\n    {}.put({put})\n",
            a.name, b.name, to.name
        );
        for (stream, value) in [(&a, &v), (&b, &w)] {
            if stream.count > count {
                let rest = stream.count - count;
                write!(
                    body,
                    "for {i} in range({rest}):\n    {value}_rest = {}.get()\n",
                    stream.name
                )
                .expect("a string");
            }
        }
        self.process(&[&a, &b], &[&to], &[], &body);
        self.open.push(to);
    }

    /// By way of an array inside.
    fn reversed(&mut self) {
        let from = self.take();
        let to = self.declare(from.ty, from.count);
        let [kept, i] = ["kept", "at"].map(|prefix| self.name(prefix));
        let Open { name, ty, count } = &from;
        let body = format!(
            "{kept}: {ty}[{count}]\nfor {i} in range({count}):\n    {kept}[{i}] = {name}.get()\nfor {i} in range({count}):\n    \
             {}.put({kept}[{count} - 1 - {i}])\n",
            to.name
        );
        self.process(&[&from], &[&to], &[], &body);
        self.open.push(to);
    }

    /// What goes round begins with elements that are there.
    fn feedback(&mut self) {
        let from = self.take();
        if from.is_float() {
            return self.open.push(from);
        }
        let tokens = 1 + self.rng.below(3);
        let [back, there] = ["b", "s"].map(|prefix| self.name(prefix));
        let start: Vec<String> = (0..tokens).map(|t| (5 * t + 1).to_string()).collect();
        writeln!(
            self.declarations,
            "{back}: Stream[i32] = [{}]",
            start.join(", ")
        )
        .expect("a string");
        writeln!(self.declarations, "{there}: Stream[i32]").expect("a string");
        let to = self.declare("i32", from.count);
        let open = |name: &str| Open {
            name: name.into(),
            ty: "i32",
            count: from.count,
        };
        let (back, there) = (open(&back), open(&there));
        let [v, i] = ["v", "at"].map(|prefix| self.name(prefix));
        let body = format!(
            "for {i} in range({}):\n    {}.put({}.get() + {}.get())\n",
            from.count, there.name, from.name, back.name
        );
        self.process(&[&from, &back], &[&there], &[], &body);
        let next = self.expr(&[&v], false);
        let i = self.name("at");
        let body = format!(
            "for {i} in range({}):\n    {v} = {}.get()\n    {}.put({next})\n    {}.put({v})\n",
            from.count, there.name, back.name, to.name
        );
        self.process(&[&there], &[&back, &to], &[], &body);
        self.open.push(to);
    }

    /// A chain of workers.
    fn grid(&mut self) {
        let from = self.take();
        let workers = 2 + self.rng.below(3);
        let [kernel, chain, w, v, i, acc] =
            ["k", "chain", "w", "v", "at", "acc"].map(|prefix| self.name(prefix));
        let (ty, count) = (from.ty, from.count);
        writeln!(self.declarations, "{chain}: Stream[{ty}][{}]", workers + 1).expect("a string");
        let first = Open {
            name: format!("{chain}[0]"),
            ..from.clone()
        };
        let body = format!(
            "for {i} in range({count}):\n    {}.put({}.get())\n",
            first.name, from.name
        );
        self.process(&[&from], &[&first], &[], &body);
        let kept = if from.is_float() { "f32" } else { "i32" };
        let put = self.expr(&[&v, &acc], from.is_float());
        let kind = match self.rng.one_in(3) {
            true => format!("Stateful[{kept}]"),
            false => kept.to_string(),
        };
        write!(
            self.kernels,
            "@kernel(mapping=[{workers}])\ndef {kernel}(f: Stream[{ty}][{}]):\n    {w} = get_wid(0)\n    {acc}: {kind} = 2\n    for {i} in \
             range({count}):\n        {v} = f[{w}].get()\n        {acc} += {v}\n        f[{w} + 1].put({put})\n\n",
            workers + 1
        )
        .expect("a string");
        writeln!(self.body, "{kernel}({chain})").expect("a string");
        self.inline = false;
        self.open.push(Open {
            name: format!("{chain}[{workers}]"),
            ty,
            count,
        });
    }

    /// Two streams in turn, and together again.
    fn pairs(&mut self) {
        let from = self.take();
        let half = from.count / 2;
        if half == 0 || from.count % 2 == 1 {
            return self.open.push(from);
        }
        let (a, b) = (self.declare(from.ty, half), self.declare(from.ty, half));
        let to = self.declare(from.ty, from.count);
        let [i, j] = ["at", "of"].map(|prefix| self.name(prefix));
        let (n, a_name, b_name) = (from.count, &a.name, &b.name);
        let body = format!(
            "for {i} in range({n}):\n    if {i} & 1 == 0:\n        {a_name}.put({name}.get())\n    else:\n        {b_name}.put({name}.get())\n",
            name = from.name
        );
        self.process(&[&from], &[&a, &b], &[], &body);
        let to_name = &to.name;
        let body = format!(
            "for {j} in range({half}):\n    {to_name}.put({b_name}.get())\n    {to_name}.put({a_name}.get())\n"
        );
        self.process(&[&a, &b], &[&to], &[], &body);
        self.open.push(to);
    }
}

/// The name of a stream inside of a kernel that takes it.
fn local(name: &str) -> String {
    name.replace('[', "_").replace(']', "")
}
