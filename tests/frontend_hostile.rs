//! Hostile and mutated inputs: every one ends in a result or a diagnostic, never in a panic, and
//! what compiles is valid.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::check;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const HEAD: &str = "import allo\nfrom allo import *\n@kernel\ndef f(x: i32) -> i32:\n";

/// Longest time on a processor for one input in an optimised build.
const PATIENCE: Duration = Duration::from_secs(3);

/// Most memory of the process during one input in an optimised build, in MB. The frames of others are several times larger.
const MEMORY: u64 = 300;

/// One input at a time where time and memory are measured.
static ALONE: Mutex<()> = Mutex::new(());

/// Time that this process has spent on processors, whatever else the machine does; the time of day where Linux is not.
fn busy() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses come 11 fields, and then hundredths of a second for the user and for the system.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Vec<u64> = ticks.filter_map(|t| t.parse().ok()).collect();
    match ticks[..] {
        [user, system] => Duration::from_millis(10 * (user + system)),
        _ => SystemTime::now().duration_since(UNIX_EPOCH).unwrap(),
    }
}

/// Peak memory of this process in MB since the last call; 0 where Linux is not.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|kilobytes| kilobytes.split_whitespace().next()?.parse::<u64>().ok());
    // 5 forgets the peak; without the right to do so, the peak is that of all inputs so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak.unwrap_or(0) / 1024
}

/// Checks that a text ends in diagnostics, and in an optimised build, that it does so in time and within the memory.
fn refused(text: &str) {
    let timed = !cfg!(debug_assertions);
    let _alone = timed.then(|| ALONE.lock());
    peak_memory();
    let start = busy();
    let mut sources = SourceMap::default();
    let file = sources.add("hostile.py", text);
    let result = check(&mut sources, file);
    let shown: String = text.chars().take(80).collect();
    let errors = result.expect_err(&shown);
    assert!(!errors.render(&sources, false).is_empty());
    let taken = busy() - start;
    let memory = peak_memory();
    assert!(!timed || taken < PATIENCE, "slow: {shown}: {taken:?}");
    assert!(!timed || memory < MEMORY, "{memory} MB: {shown}");
    if std::env::var_os("SHOW_TIMES").is_some() {
        eprintln!("{taken:>8.0?} {memory:>4} MB {shown:?}");
    }
}

/// A line many times, with the number of each in place of `@`.
fn lines(count: usize, line: &str) -> String {
    (0..count)
        .map(|i| line.replace('@', &i.to_string()))
        .collect()
}

#[test]
fn hostile_inputs_are_refused_quickly() {
    let n = 100_000;
    for text in [
        format!("{HEAD}    return {}x\n", "-".repeat(n)),
        format!("{HEAD}    return {}x\n", "not ".repeat(n)),
        format!("{HEAD}    return {}x{}\n", "(".repeat(n), ")".repeat(n)),
        format!("{HEAD}    return x{}\n", " + x".repeat(n)),
        format!("{HEAD}    return x{}\n", "[0]".repeat(n)),
        format!("{HEAD}    return x{}\n", ".a".repeat(n)),
        format!("{HEAD}    return {}x\n", "lambda a, b: ".repeat(n)),
        format!("{HEAD}    return {}x\n", "x if x else ".repeat(n)),
        format!("{HEAD}    return {}\n", "x ** ".repeat(n) + "x"),
        format!("{HEAD}    y: \"{}i32\"\n    return x\n", "(".repeat(n)),
        format!("{HEAD}    y: \"i32[{}1]\"\n    return x\n", "-".repeat(n)),
        format!("{HEAD}    y: \"i32[1{}]\"\n    return x\n", ", 9".repeat(n)),
        format!("{HEAD}    return {}\n", "9".repeat(1_000_000)),
        format!("{HEAD}    return x + 10 ** 10 ** 8\n"),
        format!("{HEAD}    return x + (1 << 10 ** 9)\n"),
        format!("{HEAD}    return q{}\n", "q".repeat(10_000_000)),
        format!("{HEAD}    y: constexpr = [0] * 10 ** 9\n    return x\n"),
        format!(
            "{HEAD}{}",
            (0..300).fold(String::new(), |s, i| {
                s + &format!("    {}if x > {i}:\n", " ".repeat(i))
            })
        ),
        format!(
            "{HEAD}{}",
            "    if x == 1:\n        return 1\n".repeat(1000)
        ),
        format!(
            "{HEAD}    if x == 1:\n        x = 2\n{}",
            "    elif x == 3:\n        x = 4\n".repeat(1000)
        ),
        format!(
            "{HEAD}    y: constexpr = {}1{}\n    return x\n",
            "[".repeat(n),
            "]".repeat(n)
        ),
        format!(
            "{HEAD}    y: constexpr = '{}' * 10\n    return y\n",
            "q".repeat(10_000_000)
        ),
        format!(
            "x = {}\n{HEAD}    return y\n",
            "1 + ".repeat(1_000_000) + "1"
        ),
        // Unknown names, each of which could be one of as many others.
        format!(
            "{}{HEAD}    y: i32 = 0\n{}    return y\n",
            lines(5000, "value_number_@ = @\n"),
            lines(5000, "    y += valeu_numbre_@\n")
        ),
        format!(
            "{HEAD}{}{}    return x\n",
            lines(2000, "    value_number_@: i32 = x\n"),
            lines(5000, "    x += valeu_numbre_@\n")
        ),
        "x = 1\0".to_owned(),
        "\u{feff}def".to_owned(),
        "def f(:\r\r\n\x0c  \t 'abc".to_owned(),
    ] {
        refused(&text);
    }
}

/// Text that binds `x` in hostile ways at compile time; a kernel then uses it.
const BOMBS: &[&str] = &[
    // Endless.
    "while True: pass",
    "x = [i for i in iter(int, 1)]",
    "def f():\n    while True: yield 1\nx = list(f())",
    "def f():\n    while True: yield 1\nx = sum(f())",
    "import itertools\nx = list(itertools.count())",
    "import itertools\nx = max(itertools.cycle([1]))",
    "class A:\n    def __iter__(self): return self\n    def __next__(self): return 1\nx = list(A())",
    "x = 0\nfor i in range(10**18): x += i",
    "a = [1]\nfor v in a: a.append(v)",
    // Memory.
    "a = [0]\nwhile True: a = a + a",
    "a = [0]\nwhile True: a += a",
    "a = [0]\nwhile True: a.extend(a)",
    "a = 'ab'\nwhile True: a = a + a",
    "a = 'ab'\nwhile True: a = a.replace('a', 'ab' * 9)",
    "a = []\nwhile True: a.append([0] * 100)",
    "a = {}\ni = 0\nwhile True:\n    a[i] = i\n    i += 1",
    "a = set()\ni = 0\nwhile True:\n    a.add(i)\n    i += 1",
    "a = ()\nwhile True: a = (a, a)",
    "a = ()\nwhile True: a = (a,)",
    "a = []\nwhile True: a = [a]",
    "a = {}\nwhile True: a = {1: a}",
    "a = [1]\nfor i in range(60): a = [a, a]\nx = str(a)",
    "a = (1,)\nfor i in range(60): a = (a, a)\nx = hash_of = {a: 1}",
    "a, b = (1,), (1,)\nfor i in range(60): a, b = (a, a), (b, b)\nx = a == b",
    "a, b = [1], [1]\nfor i in range(60): a, b = [a, a], [b, b]\nx = a < b",
    "f = lambda: 0\nwhile True: f = (lambda g: lambda: g)(f)",
    "class A: pass\na = A()\nwhile True:\n    b = A()\n    b.next = a\n    a = b",
    "x = 'a' * 10**10",
    "x = [0] * 10**10",
    "x = (0,) * 10**10",
    "x = 10**10**8",
    "x = 1 << 10**9",
    "x = 3\nwhile True: x = x * x",
    "x = 3\nwhile True: x = x ** x",
    "x = pow(3, 10**5000 % 2**131000, 2**131000 - 1)",
    "import math\nx = math.factorial(10**6)",
    "import math\nx = math.comb(10**7, 5 * 10**6)",
    "x = [1 << 131000 for i in range(10**6)]",
    "x = [[[i for i in range(1000)] for j in range(1000)] for k in range(1000)]",
    "import itertools\nx = list(itertools.product(range(10), repeat=20))",
    "import itertools\nx = list(itertools.permutations(range(20)))",
    "x = str(10**5000)",
    "x = int('9' * 10**6)",
    "x = f'{1:>{10**9}}'",
    "x = 'x'.ljust(10**10)",
    "x = '%1000000000d' % 1",
    "x = '{:>1000000000}'.format(1)",
    "x = ','.join(['x' * 1000] * 10000)",
    "x = list(range(10**12))",
    "x = sorted(range(10**12))",
    "x = dict.fromkeys(range(10**9))",
    "x = bin(1 << 131000) * 1000",
    // Arrays.
    "import numpy as np\nx = np.zeros(10**10)",
    "import numpy as np\nx = np.zeros((10**6, 10**6, 10**6))",
    "import numpy as np\nx = np.arange(10**12)",
    "import numpy as np\nx = np.arange(0, 1, 1e-300)",
    "import numpy as np\nx = np.linspace(0, 1, 10**12)",
    "import numpy as np\nx = np.outer(np.arange(10**5), np.arange(10**5))",
    "import numpy as np\nx = np.array([[0] * 10**5] * 10**5)",
    "import numpy as np\na = np.arange(1000)\nwhile True: a = np.concatenate([a, a])",
    "import numpy as np\nx = np.tile([1, 2], 10**12)",
    "import numpy as np\nx = np.zeros(5).reshape([1] * 1000 + [5])",
    "import numpy as np\nx = np.convolve(np.arange(10**5), np.arange(10**5))",
    "import numpy as np\nx = np.eye(2**11, dtype=int) @ np.eye(2**11, dtype=int)",
    // Recursion.
    "def f(n): return f(n + 1)\nx = f(0)",
    "x = (lambda f: f(f))(lambda f: f(f))",
    "class A:\n    def __repr__(self): return repr(self)\nx = repr(A())",
    "class A:\n    def __getattr__(self, n): return getattr(self, n + 'a')\nx = A().a",
    "class A:\n    def __add__(self, o): return self + o\nx = A() + 1",
    "def f():\n    yield from f()\nx = list(f())",
    "a = iter([1])\nfor i in range(10**5): a = map(int, a)\nx = list(a)",
    "a = iter([1])\nfor i in range(10**5): a = (v for v in a)\nx = list(a)",
    "class A: pass\nfor i in range(3000):\n    class A(A): pass\nx = A.y",
    "try:\n    while True: pass\nexcept BaseException:\n    x = 1",
    "def f():\n    try:\n        return f()\n    except BaseException:\n        return f()\nx = f()",
    // The world outside.
    "x = open('/etc/passwd').read()",
    "import os\nx = os.system('touch /tmp/allo_hls_was_here')",
    "import sys\nx = sys.argv",
    "import subprocess\nx = subprocess.run(['true'])",
    "import socket\nx = socket.socket()",
    "x = eval('1')",
    "exec('x = 1')\nx = x",
    "x = __import__('os').getcwd()",
    "x = compile('1', '', 'eval')",
    "x = globals()['x']",
    "x = ().__class__.__bases__[0].__subclasses__()",
    "x = (lambda: 0).__globals__",
    "x = ''.__class__.__mro__[1]",
    "x = (1).__class__",
    "x = [].append.__self__",
    "import math\nx = math.__loader__",
    "import numpy as np\nx = np.load('/etc/passwd')",
    "import numpy as np\nx = np.random.rand(3)",
    "from pathlib import Path\nx = Path('/etc/passwd').read_text()",
    "x = input()",
    "x = getattr(getattr(int, '__class__', 5), '__base__')",
];

#[test]
fn hostile_python_is_bounded_and_touches_nothing() {
    // One after the other where memory is measured.
    let threads = if cfg!(debug_assertions) { 4 } else { 1 };
    std::thread::scope(|scope| {
        for part in BOMBS.chunks(BOMBS.len().div_ceil(threads)) {
            scope.spawn(move || part.iter().for_each(|bomb| defused(bomb)));
        }
    });
    assert!(!Path::new("/tmp/allo_hls_was_here").exists());
}

/// Checks that a kernel that uses what a bomb binds is refused.
fn defused(bomb: &str) {
    refused(&format!(
        "{bomb}\nfrom allo import *\n@kernel\ndef f(q: i32) -> i32:\n    return q + x\n"
    ));
}

#[test]
fn many_bombs_in_one_file_are_bounded_together() {
    let text: String = (0..2000)
        .map(|i| format!("def f{i}():\n    while True: pass\nx{i} = f{i}()\n"))
        .collect();
    refused(&(text + HEAD + "    return x + x1\n"));
}

#[test]
fn templates_cannot_make_a_million_nests() {
    refused(
        "from allo import *\nT = Template(\"T\")\n@kernel(T)\ndef f(x: i32) -> i32:\n    y: i32 = 0\n\
         \x20   for i in range(T):\n        y += f[T + 1](x)\n    return y\n\
         @kernel\ndef g(x: i32) -> i32:\n    return f[1](x)\n",
    );
    let calls: String = (0..1000).map(|i| format!("    y += f[{i}](x)\n")).collect();
    refused(&format!(
        "from allo import *\nT = Template(\"T\")\n@kernel(T)\ndef f(x: i32) -> i32:\n    y: i32 = 0\n\
         \x20   for i in range(T):\n        for j in range(T):\n            y += x\n    return y\n\
         @kernel\ndef g(x: i32) -> i32:\n    y: i32 = 0\n{calls}    return y\n"
    ));
}

#[test]
fn huge_tables_are_refused() {
    for declaration in [
        "t: \"i8[60000, 60000]\" = [[0] * 60000] * 60000",
        "t: \"i8[4000000000]\" = [0] * 4000000000",
        "t: \"i8[100000, 100000, 100000]\" = 0",
    ] {
        refused(&format!("{HEAD}    {declaration}\n    return x\n"));
    }
}
