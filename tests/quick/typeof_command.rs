//! `allo-hls typeof`: its answers on the command line and line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn typeof_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allo-hls"));
    command.arg("typeof");
    command
}

/// Exit status, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let output = typeof_command().args(args).output().expect("runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("a status");
    (status, text(output.stdout), text(output.stderr))
}

#[test]
fn one_question() {
    let answers = [
        (&["a + b - 3", "a=u8", "b=i8"][..], "i11\n"),
        (&["a + b - 3", "a=u8", "b=i8", "--style", "cpp"], "u8\n"),
        (
            &["m[i, 0] + s[()]", "m=i8[4, 2]", "i=index", "s=i8[]"],
            "i9\n",
        ),
        (&["m + 1", "m=u8[4, 2]"], "u9[4, 2]\n"),
        (
            &["tcvt(x, i8, rnd='rz', sat=True)", "x=f32", "--style", "pto"],
            "i8\n",
        ),
        (
            &["vcmp(v, v, 'lt')", "v=vreg[f32]", "--style", "pto"],
            "mask[64]\n",
        ),
        (
            &["t", "t=tile(f32, 16, 16, loc='mat')", "--style", "pto"],
            "tile[f32, 16, 16] (mat, nz)\n",
        ),
        (&["x * 0.5", "x=apint(40)"], "f64\n"),
        (&["exp(x) if x else erf(y)", "x=i8", "y=f16"], "f32\n"),
        (&["2 ** 10"], "int\n"),
        (&["--style", "hwarith", "add", "ui3", "si4"], "si5\n"),
        (&["--style", "hwarith", "mod", "ui9", "ui4"], "ui4\n"),
    ];
    for (args, answer) in answers {
        assert_eq!(run(args), (0, answer.to_owned(), String::new()), "{args:?}");
    }
}

#[test]
fn explanations_name_rules_and_widths() {
    let (_, text, _) = run(&["a + b - 3 < c", "a=u8", "b=i8", "c=u4", "--explain"]);
    let wanted = "u1
  the constant 3 beside u8 is u8
  sub(u8, i8, -u8): n-ary rule, signed as a term is, max(8 + 1, 8, 8 + 1) + ceil(log2 3) = 11 bits; i11
  lt(i11, u4): compared in the common numeric type, i11; the result is u1
";
    assert_eq!(text, wanted);
    let (_, text, _) = run(&["--style", "hwarith", "icmp", "si3", "ui6", "--explain"]);
    assert!(text.starts_with("ui1\n  icmp(si3, ui6): "), "{text}");
    assert!(text.contains("si7"), "{text}");
}

#[test]
fn what_is_wrong_is_shown_in_its_place() {
    let (status, _, message) = run(&["i + x", "i=index", "x=f32"]);
    assert_eq!(status, 1);
    let wanted = "expression:1:1: error: No hls type promotion rule for operator 'add' with operand types index, f32
1 | i + x
  | ^^^^^
help: cast the index to an integer type first: `allo.arith.cast(i, i32)`
";
    assert_eq!(message, wanted);
    assert_eq!(run(&["a + b", "a=u8"]).0, 1);
    assert_eq!(run(&["a +", "a=u8"]).0, 1);
    assert_eq!(run(&["a", "a"]).0, 1);
    assert_eq!(run(&["a", "a=u0"]).0, 1);
    assert_eq!(run(&["--style", "hwarith", "add", "i3", "ui4"]).0, 1);
    assert_eq!(run(&[]).0, 2);
}

#[test]
fn each_line_is_answered_before_the_next_is_asked() {
    let mut child = typeof_command()
        .arg("--stdin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut questions = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    let deep = format!(
        "{{\"expr\": \"{}a\", \"types\": {{\"a\": \"u8\"}}}}",
        "(".repeat(5000)
    );
    let dialogue = [
        (
            r#"{"style": "hls", "expr": "x0 + x1 - 3", "types": {"x0": "u8", "x1": "i8"}}"#,
            r#"{"result":"i11"}"#,
        ),
        (
            r#"{"style": "hwarith", "op": "add", "types": ["ui3", "si4"]}"#,
            r#"{"result":"si5"}"#,
        ),
        (
            r#"{"style": "cpp", "expr": "-a", "types": {"a": "u8"}, "explain": true}"#,
            r#"{"result":"u8","explanation":["neg(u8): the operand's type; u8"]}"#,
        ),
        (
            r#"{"expr": "f + i", "types": {"f": "f32", "i": "index"}}"#,
            r#"{"error":"No hls type promotion rule for operator 'add' with operand types f32, index"}"#,
        ),
        (
            r#"{"style": "hwarith", "op": "add", "types": ["ui3"]}"#,
            r#"{"error":"'add' takes 2 types or more, not (ui3)"}"#,
        ),
        (
            r#"{"style": "pascal", "expr": "a", "types": {}}"#,
            r#"{"error":"there is no typing style 'pascal'; the styles are hls, cpp, pto and hwarith"}"#,
        ),
        (&deep, r#"{"error":"the expression is nested too deeply"}"#),
    ];
    for (question, answer) in dialogue {
        writeln!(questions, "{question}").expect("a reader");
        let mut line = String::new();
        answers.read_line(&mut line).expect("an answer");
        assert_eq!(line.trim_end(), answer, "{question:.80}");
    }
    writeln!(questions, "what?").expect("a reader");
    let mut line = String::new();
    answers.read_line(&mut line).expect("an answer");
    assert!(
        line.starts_with(r#"{"error":"the line is not a question"#),
        "{line}"
    );
    drop(questions);
    assert!(child.wait().expect("ends").success());
}
