//! Reads the outcome of a run from its output, for when the exit code is unknown or hidden behind a pipe.
//! Uses only the words of the runners themselves: prose that says "error" decides nothing.

use super::Step;

/// Line beginnings of a failed run, of any program.
const FAILED_LINES: &[&str] = &[
    "test result: FAILED",
    "error: could not compile",
    "error: test failed",
    "error: aborting due to",
    "error: test run failed",
    "error[E",
    "FAILED tests/",
    "FAILED test",
    "FAILED (failures=",
    "FAILED (errors=",
    "FAILED (",
    "ERROR collecting",
    "E   ",
    "--- FAIL:",
    "FAIL\t",
    "FAIL ",
    "make: *** [",
    "make[1]: *** [",
    "gmake: *** [",
    "ninja: build stopped",
    "CMake Error",
    "collect2: error",
    "ld: symbol(s) not found",
    "npm ERR! code",
    "npm error code",
    "npm ERR! Test failed",
    "npm ERR! Missing script",
    "npm error Missing script",
    "error Command failed with exit code",
    "ERR_PNPM_",
    "ELIFECYCLE",
    "ERROR: Could not find a version",
    "ERROR: No matching distribution",
    "ERROR: ResolutionImpossible",
    "ERROR: Failed building wheel",
    "E: Unable to locate package",
    "[ERROR] BUILD FAILURE",
    "[INFO] BUILD FAILURE",
    "BUILD FAILURE",
    "BUILD FAILED",
    "FAILURES!",
    "Build FAILED.",
    "Failed!  - Failed:",
    "not ok ",
    "SUMMARY: AddressSanitizer",
    "error TS",
    "ERROR in ",
    "Error: Cannot find module",
    "Segmentation fault",
    "error: linking with",
    "fatal error: all goroutines are asleep",
    "[  FAILED  ]",
    "Summary: 0 passed",
    "ERROR task failed",
    "** (Mix)",
    "** (CompileError)",
    "== Compilation error in file",
    "done (warnings were emitted)",
    "Halting VM with exit status",
];

const PASSED_LINES: &[&str] = &[
    "test result: ok",
    "OK (",
    "ok  \t",
    "PASS",
    "BUILD SUCCESS",
    "[INFO] BUILD SUCCESS",
    "BUILD SUCCESSFUL",
    "Build succeeded.",
    "Passed!  - Failed:     0",
    "100% tests passed",
    "[  PASSED  ]",
    "All checks passed!",
    "Success: no issues found",
    "Successfully installed",
    "Requirement already satisfied",
    "found 0 vulnerabilities",
    "Found 0 errors",
    "All files pass linting",
    "All matched files use Prettier code style!",
    "Compiled successfully",
    "✓ built in",
    "0 issues.",
    "done (passed successfully)",
];

/// The first bytes of the marks: most lines begin with none of them.
const fn beginnings(marks: &[&str]) -> [bool; 256] {
    let mut known = [false; 256];
    let mut at = 0;
    while at < marks.len() {
        known[marks[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    known
}

static FAILED_BEGINNINGS: [bool; 256] = beginnings(FAILED_LINES);
static PASSED_BEGINNINGS: [bool; 256] = beginnings(PASSED_LINES);

fn begins_with_one(line: &str, marks: &[&str], beginnings: &[bool; 256]) -> bool {
    line.as_bytes().first().is_some_and(|first| beginnings[usize::from(*first)])
        && marks.iter().any(|mark| line.starts_with(mark))
}

/// Whether the output reports success; `None` if it reports neither.
pub(super) fn told(output: &str, step: Step) -> Option<bool> {
    let mut passed = false;
    let mut finished = false;
    let mut last_trace = None;
    let complains = output.contains("error");
    for (at, raw) in output.lines().enumerate() {
        let line = raw.trim_start();
        let is_frame = line.starts_with("File \"") && line.contains(", line ");
        if is_frame
            || line.starts_with("Traceback (most recent call last)")
            || line.starts_with("panic: ")
            || is_panic(line)
        {
            last_trace = Some(at);
        }
        if step == Step::Other {
            if is_shell_complaint(raw)
                || line.starts_with("npm ERR! code")
                || line.starts_with("npm error code")
            {
                return Some(false);
            }
            continue;
        }
        if let Some(outcome) = counted(line) {
            if !outcome {
                return Some(false);
            }
            passed = true;
        }
        if begins_with_one(line, FAILED_LINES, &FAILED_BEGINNINGS)
            || (complains && is_diagnostic(line))
            || is_go_diagnostic(raw)
            || is_shell_complaint(raw)
        {
            return Some(false);
        }
        passed |= line == "OK" || begins_with_one(line, PASSED_LINES, &PASSED_BEGINNINGS);
        finished |= line.starts_with("Finished `")
            || line.starts_with("Finished dev")
            || line.starts_with("Finished release");
    }
    let died = last_trace.is_some_and(|at| ends_in_trace(output, at));
    if died || is_last_word_of_node(output) {
        return Some(false);
    }
    (passed || (finished && step != Step::Test)).then_some(true)
}

fn is_panic(line: &str) -> bool {
    line.starts_with("thread '") && line.contains("' panicked at ")
}

/// Node prints its version after the trace of a fatal error, and only then.
fn is_last_word_of_node(output: &str) -> bool {
    let mut lines = output.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| line.starts_with("Node.js v"))
        && lines.take(40).any(|line| line.starts_with("at "))
}

/// A trace that the program survived is a log line; one at the end of the output is fatal.
fn ends_in_trace(output: &str, from: usize) -> bool {
    let behind = output.lines().skip(from).filter(|l| !l.trim().is_empty());
    let last: Vec<&str> = behind.collect();
    let tail = last.iter().rev().take(3);
    last.len() < 80
        && tail.clone().any(|line| {
            let line = line.trim_start();
            line.split([':', ' ']).next().is_some_and(|name| {
                (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Exit"))
                    && name.chars().next().is_some_and(char::is_alphabetic)
            }) || line.starts_with("goroutine ")
                || line.starts_with("exit status ")
                || line.starts_with("note: run with `RUST_BACKTRACE")
                || line.starts_with('/')
                || line.contains("panicked at")
        })
}

/// `src/a.c:10:5: error: …`, `a.ts(3,1): error TS…`, `a.ts:3:1 - error TS…`.
fn is_diagnostic(line: &str) -> bool {
    let Some(at) = line.find("error") else { return false };
    let before = line[..at].trim_end();
    let located = before.ends_with([':', '-']) && before.bytes().any(|b| b.is_ascii_digit());
    located && (before.contains('.') || before.contains('('))
}

/// `src/a.go:10:5: …`: the Go compiler and its linters print nothing else in this form. Indented, it is a trace or
/// what a test says.
fn is_go_diagnostic(line: &str) -> bool {
    let Some((path, rest)) = line.split_once(".go:") else { return false };
    let mut numbers = rest.split(':');
    let is_number =
        |n: Option<&str>| n.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    !path.starts_with([' ', '\t'])
        && !path.contains(' ')
        && is_number(numbers.next())
        && is_number(numbers.next())
        && numbers.next().is_some_and(|message| message.starts_with(' '))
}

/// The line failed before its run began: the folder to run in does not exist.
pub(super) fn never_began(output: &str) -> bool {
    let mut lines = output.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("Exit code "));
    let first = lines.next().unwrap_or("");
    let missing = first.contains("no such file or directory") || first.contains("No such file or directory");
    lines.next().is_none() && missing && (first.contains(":cd:") || first.contains(" cd: "))
}

/// Totals at the end of a run: `2 failed, 3 passed`, `Tests: 1 failed`, `✖ 3 problems (2 errors…`.
fn counted(line: &str) -> Option<bool> {
    let summary = line.starts_with("Tests:")
        || line.starts_with("Test Suites:")
        || line.starts_with("Test Files")
        || line.starts_with("Tests ")
        || line.starts_with("===")
        || line.starts_with("✖ ")
        || line.starts_with("Found ")
        || line.starts_with("# fail")
        || line.starts_with("ℹ fail")
        || line.starts_with("Summary [")
        || (line.starts_with(|c: char| c.is_ascii_digit())
            && (line.contains(" passed")
                || line.contains(" failed")
                || line.contains(" passing")
                || line.contains(" failing")
                || line.contains(" examples,")
                || line.contains(" tests, ")
                || line.contains(" issues:")
                || line.contains(" mods/funs, found ")
                || line.contains("% tests passed")));
    if !summary {
        return None;
    }
    let words: Vec<&str> =
        line.split([' ', ',', '(', ')', ';', ':', '=', '%']).filter(|w| !w.is_empty()).collect();
    let mut good = false;
    for (at, word) in words.iter().enumerate() {
        let count = at.checked_sub(1).and_then(|before| words[before].parse::<u64>().ok());
        let after = words.get(at + 1).and_then(|w| w.parse::<u64>().ok());
        match *word {
            "failed" | "failing" | "failures" | "failure" | "errors" | "error" | "issues" | "opportunity"
            | "suggestion" => match count {
                Some(0) => good = true,
                Some(_) => return Some(false),
                None => {}
            },
            "fail" => match after {
                Some(0) => good = true,
                Some(_) => return Some(false),
                None => {}
            },
            "passed" | "passing" | "examples" => good |= count.is_some_and(|n| n > 0),
            _ => {}
        }
    }
    good.then_some(true)
}

fn is_shell_complaint(line: &str) -> bool {
    let from_shell = ["bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: ", "-bash: "]
        .iter()
        .any(|s| line.starts_with(s));
    from_shell
        && ["not found", "No such file or directory", "Permission denied", "syntax error"]
            .iter()
            .any(|w| line.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_from_the_words_of_runners() {
        for (text, told_) in [
            ("running 2 tests\ntest result: ok. 2 passed; 0 failed", Some(true)),
            ("test result: ok. 1 passed; 0 failed\ntest result: FAILED. 0 passed; 1 failed", Some(false)),
            ("=== 1 failed, 3 passed in 0.12s ===", Some(false)),
            ("3 passed in 0.02s", Some(true)),
            ("Tests:       3 passed, 3 total", Some(true)),
            ("Tests:       1 failed, 2 passed, 3 total", Some(false)),
            ("✖ 2 problems (0 errors, 2 warnings)", Some(true)),
            ("Found 0 errors. Watching for file changes.", Some(true)),
            ("Found 2 errors in 1 file.", Some(false)),
            ("ok  \texample.com/app\t0.01s", Some(true)),
            ("compiling… 0 errors, handled error: retrying\nerror handling is tested here", None),
            ("5 passing (12ms)", Some(true)),
            ("4 passing\n1 failing", Some(false)),
            ("12 examples, 0 failures", Some(true)),
            ("14 doctests, 297 tests, 0 failures", Some(true)),
            ("5 tests, 4 failures", Some(false)),
            ("3 issues:\n* errcheck: 3", Some(false)),
            ("0 issues.", Some(true)),
            ("# example.com/app\na.go:3:1: missing return", Some(false)),
            ("    a_test.go:3: logged\nok  \texample.com/app\t0.1s", Some(true)),
            ("src/a.c:3:1: error: expected ';'", Some(false)),
            ("src/a.c:3:1: warning: unused variable", None),
            ("", None),
        ] {
            assert_eq!(told(text, Step::Test), told_, "{text}");
        }
    }

    #[test]
    fn a_trace_before_the_end_is_a_log_line() {
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'";
        assert_eq!(told(trace, Step::Other), Some(false));
        let survived = format!("{trace}\nretrying\nretrying\nall 20 rows written\ndone");
        assert_eq!(told(&survived, Step::Other), None);
        let node = "TypeError: x is undefined\n    at rate (/srv/app/rate.cjs:1:59)\n    at node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2\n";
        assert_eq!(told(node, Step::Other), Some(false));
        assert_eq!(told(&format!("{node}started\n"), Step::Other), None);
        assert_eq!(told("Node.js v20.20.2\n", Step::Other), None);
    }
}
