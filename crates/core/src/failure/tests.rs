//! Output of real tools, one row each: the command, its output, the expected result.

use super::*;

struct Case {
    line: &'static str,
    ok: Option<bool>,
    output: &'static str,
    class: Class,
    files: &'static [&'static str],
    symbol: &'static str,
}

fn place() -> Place {
    Place::new("/srv/app", "/srv/app")
}

const FAILURES: &[Case] = &[
    Case {
        line: "pytest -q tests/test_auth.py",
        ok: Some(false),
        output: "F\n=================================== FAILURES ===================================\n__________________________________ test_login __________________________________\n\n    def test_login():\n>       assert login({\"name\": \"a\"})\n\ntests/test_auth.py:5: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n\nuser = {'name': 'a'}\n\n    def login(user):\n>       return user['id']\nE       KeyError: 'id'\n\nsrc/auth.py:2: KeyError\n=========================== short test summary info ============================\nFAILED tests/test_auth.py::test_login - KeyError: 'id'\n1 failed in 0.03s",
        class: Class::Value,
        files: &["src/auth.py", "tests/test_auth.py"],
        symbol: "test_login",
    },
    Case {
        line: "python -m unittest",
        ok: Some(false),
        output: "E\n======================================================================\nERROR: test_parse (tests.test_conf.TestConf.test_parse)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/srv/app/tests/test_conf.py\", line 8, in test_parse\n    parse('x')\n  File \"/srv/app/src/conf.py\", line 3, in parse\n    return int(text)\n           ^^^^^^^^^\nValueError: invalid literal for int() with base 10: 'x'\n\n----------------------------------------------------------------------\nRan 1 test in 0.001s\n\nFAILED (errors=1)",
        class: Class::Value,
        files: &["src/conf.py", "tests/test_conf.py"],
        symbol: "parse",
    },
    Case {
        line: "python manage.py migrate",
        ok: Some(false),
        output: "Traceback (most recent call last):\n  File \"/srv/app/manage.py\", line 22, in <module>\n    main()\n  File \"/srv/app/.venv/lib/python3.12/site-packages/django/core/management/__init__.py\", line 442, in execute\n    x()\nModuleNotFoundError: No module named 'psycopg2'",
        class: Class::Import,
        files: &["manage.py"],
        symbol: "",
    },
    Case {
        line: "python app.py",
        ok: None,
        output: "  File \"/srv/app/app.py\", line 10\n    def broken(:\n               ^\nSyntaxError: invalid syntax",
        class: Class::Syntax,
        files: &["app.py"],
        symbol: "",
    },
    Case {
        line: "cargo test -p core 2>&1 | tail -30",
        ok: Some(true),
        output: "failures:\n\n---- parse::tests::reads_tabs stdout ----\n\nthread 'parse::tests::reads_tabs' panicked at crates/core/src/parse.rs:120:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\nfailures:\n    parse::tests::reads_tabs\n\ntest result: FAILED. 10 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `-p core --lib`",
        class: Class::Test,
        files: &["crates/core/src/parse.rs"],
        symbol: "reads_tabs",
    },
    Case {
        line: "cargo build",
        ok: Some(false),
        output: "   Compiling app v0.1.0 (/srv/app)\nerror[E0308]: mismatched types\n --> src/main.rs:4:18\n  |\n4 |     let x: u32 = \"a\";\n  |            ---   ^^^ expected `u32`, found `&str`\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `app` (bin \"app\") due to 1 previous error",
        class: Class::Type,
        files: &["src/main.rs"],
        symbol: "",
    },
    Case {
        line: "cargo clippy --all -- -D warnings",
        ok: Some(false),
        output: "error: this `if` has identical blocks\n  --> src/lib.rs:10:8\n   |\n   = note: `-D clippy::if-same-then-else` implied by `-D warnings`\n\nerror: could not compile `app` (lib) due to 1 previous error",
        class: Class::Lint,
        files: &["src/lib.rs"],
        symbol: "",
    },
    Case {
        line: "npm test",
        ok: Some(false),
        output: "FAIL src/cart.test.js\n  ● cart › adds up\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: NaN\n\n      4 |\n    > 5 |   expect(total([1, 2])).toBe(3);\n\n      at Object.<anonymous> (src/cart.test.js:5:25)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nnpm ERR! Test failed.  See above for more details.",
        class: Class::Test,
        files: &["src/cart.test.js"],
        symbol: "adds_up",
    },
    Case {
        line: "npx jest",
        ok: Some(false),
        output: " FAIL  src/user.test.ts\n  ● loads\n\n    TypeError: Cannot read properties of undefined (reading 'name')\n\n      at load (src/user.ts:3:15)\n      at Object.<anonymous> (src/user.test.ts:8:3)\n\nTests:       1 failed, 1 total",
        class: Class::Type,
        files: &["src/user.ts", "src/user.test.ts"],
        symbol: "loads",
    },
    Case {
        line: "pnpm vitest run",
        ok: Some(false),
        output: " FAIL  src/date.test.ts > format > pads days\nAssertionError: expected '2026-1-5' to be '2026-01-05' // Object.is equality\n ❯ src/date.test.ts:6:28\n      4|\n ❯ src/date.ts:12:3\n\n Test Files  1 failed (1)\n      Tests  1 failed (1)",
        class: Class::Test,
        files: &["src/date.test.ts", "src/date.ts"],
        symbol: "pads_days",
    },
    Case {
        line: "npx tsc --noEmit",
        ok: Some(false),
        output: "src/api/client.ts(14,7): error TS2322: Type 'string' is not assignable to type 'number'.",
        class: Class::Type,
        files: &["src/api/client.ts"],
        symbol: "",
    },
    Case {
        line: "node server.js",
        ok: Some(false),
        output: "/srv/app/server.js:3\n  throw new Error('port in use');\n  ^\n\nError: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle [as _listen2] (node:net:1897:16)\n    at start (/srv/app/server.js:3:9)\n    at Object.<anonymous> (/srv/app/server.js:9:1)\n\nNode.js v22.1.0",
        class: Class::Network,
        files: &[],
        symbol: "",
    },
    Case {
        line: "npx eslint src",
        ok: Some(false),
        output: "\n/srv/app/src/index.js\n  3:7   error    'unused' is assigned a value but never used  no-unused-vars\n  9:1   warning  Unexpected console statement                 no-console\n\n✖ 2 problems (1 error, 1 warning)",
        class: Class::Lint,
        files: &["src/index.js"],
        symbol: "",
    },
    Case {
        line: "go test ./...",
        ok: Some(false),
        output: "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3, want 4\nFAIL\nFAIL\texample.com/app/sum\t0.002s\nok  \texample.com/app/other\t0.001s\nFAIL",
        class: Class::Test,
        files: &["sum_test.go"],
        symbol: "TestSum",
    },
    Case {
        line: "go build ./...",
        ok: Some(false),
        output: "# example.com/app/auth\nauth/token.go:12:9: undefined: jwtKey\nauth/token.go:15:2: declared and not used: x",
        class: Class::Name,
        files: &["auth/token.go"],
        symbol: "",
    },
    Case {
        line: "go run .",
        ok: Some(false),
        output: "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\ngoroutine 1 [running]:\nmain.load(...)\n\t/srv/app/store/load.go:14 +0x1d\nmain.main()\n\t/srv/app/main.go:8 +0x20\nexit status 2",
        class: Class::Value,
        files: &["store/load.go", "main.go"],
        symbol: "",
    },
    Case {
        line: "mvn -q test",
        ok: Some(false),
        output: "[ERROR] Failures: \n[ERROR]   CartTest.addsUp:17 expected:<3> but was:<4>\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
        class: Class::Test,
        files: &["CartTest.java"],
        symbol: "addsUp",
    },
    Case {
        line: "mvn compile",
        ok: Some(false),
        output: "[ERROR] COMPILATION ERROR : \n[ERROR] /srv/app/src/main/java/shop/Cart.java:[12,9] cannot find symbol\n  symbol:   variable totl\n[INFO] BUILD FAILURE",
        class: Class::Name,
        files: &["src/main/java/shop/Cart.java"],
        symbol: "totl",
    },
    Case {
        line: "./gradlew test",
        ok: Some(false),
        output: "> Task :test FAILED\n\nshop.CartTest > addsUp() FAILED\n    java.lang.NullPointerException: Cannot invoke \"shop.Item.price()\" because \"item\" is null\n        at shop.Cart.total(Cart.java:21)\n        at shop.CartTest.addsUp(CartTest.java:15)\n\nBUILD FAILED in 3s",
        class: Class::Test,
        files: &["shop/Cart.java", "shop/CartTest.java"],
        symbol: "addsUp",
    },
    Case {
        line: "java -jar app.jar",
        ok: Some(false),
        output: "Exception in thread \"main\" java.lang.IllegalStateException: no config\n\tat shop.Main.start(Main.java:30)\n\tat shop.Main.main(Main.java:9)",
        class: Class::Value,
        files: &["shop/Main.java"],
        symbol: "start",
    },
    Case {
        line: "make -j4",
        ok: Some(false),
        output: "gcc -c src/ring.c -o ring.o\nsrc/ring.c: In function 'push':\nsrc/ring.c:20:12: error: 'cap' undeclared (first use in this function)\n   20 |   if (n == cap) return;\nmake: *** [Makefile:4: ring.o] Error 1",
        class: Class::Name,
        files: &["src/ring.c"],
        symbol: "",
    },
    Case {
        line: "cmake --build build",
        ok: Some(false),
        output: "/usr/bin/ld: CMakeFiles/app.dir/src/main.cpp.o: in function `main':\nmain.cpp:(.text+0x1a): undefined reference to `render(int)'\ncollect2: error: ld returned 1 exit status\nninja: build stopped: subcommand failed.",
        class: Class::Link,
        files: &["main.cpp"],
        symbol: "render",
    },
    Case {
        line: "./build/tests",
        ok: Some(false),
        output: "[ RUN      ] Ring.Wraps\n/srv/app/tests/ring_test.cc:14: Failure\nExpected equality of these values:\n  r.size()\n    Which is: 2\n[  FAILED  ] Ring.Wraps (0 ms)",
        class: Class::Test,
        files: &["tests/ring_test.cc"],
        symbol: "Ring.Wraps",
    },
    Case {
        line: "npm install",
        ok: Some(false),
        output: "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: react@18.2.0",
        class: Class::Dependency,
        files: &[],
        symbol: "",
    },
    Case {
        line: "pip install -r requirements.txt",
        ok: Some(false),
        output: "ERROR: Could not find a version that satisfies the requirement flask==99 (from versions: 3.0.0)\nERROR: No matching distribution found for flask==99",
        class: Class::Dependency,
        files: &[],
        symbol: "",
    },
    Case {
        line: "bash scripts/deploy.sh",
        ok: Some(false),
        output: "scripts/deploy.sh: line 12: terraform: command not found",
        class: Class::Command,
        files: &[],
        symbol: "",
    },
    Case {
        line: "mypy src",
        ok: Some(false),
        output: "src/model.py:20: error: Argument 1 to \"load\" has incompatible type \"int\"; expected \"str\"  [arg-type]\nFound 1 error in 1 file (checked 9 source files)",
        class: Class::Type,
        files: &["src/model.py"],
        symbol: "",
    },
    Case {
        line: "ruff check .",
        ok: Some(false),
        output: "src/a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.",
        class: Class::Lint,
        files: &["src/a.py"],
        symbol: "",
    },
    Case {
        line: "git merge feature",
        ok: Some(false),
        output: "Auto-merging src/a.rs\nCONFLICT (content): Merge conflict in src/a.rs\nAutomatic merge failed; fix conflicts and then commit the result.",
        class: Class::Other,
        files: &["src/a.rs"],
        symbol: "",
    },
    Case {
        line: "cd web && npm run build",
        ok: Some(false),
        output: "Module not found: Error: Can't resolve './Buton' in '/srv/app/web/src'\n",
        class: Class::Import,
        files: &[],
        symbol: "",
    },
    Case {
        line: "go test ./...",
        ok: Some(false),
        output: "--- FAIL: TestResume (0.46s)\n    hooks.go:155: Hook stop output: INFO stop component=hooks\n        Copied transcript to: .meta/full.jsonl\n    resume_test.go:265: existing log was overwritten, got: {}\n    resume_test.go:270: Note: Expected another message\nFAIL\nFAIL\texample.com/app/cli\t17.738s\nFAIL",
        class: Class::Test,
        files: &["resume_test.go"],
        symbol: "TestResume",
    },
    Case {
        line: "go test -v ./... 2>&1 | tail -60",
        ok: Some(true),
        output: "=== NAME  TestOther\n    other_test.go:9: expected nothing, got nothing\n--- PASS: TestOther (0.1s)\n=== NAME  TestPhase\n    phase_test.go:107: Phase 2: should start a turn\n    phase_test.go:222: StepCount should be 0, got 1\n    phase_test.go:239: completed successfully\n--- FAIL: TestPhase (0.95s)\nFAIL\nFAIL\texample.com/app/it\t1.6s",
        class: Class::Test,
        files: &["phase_test.go"],
        symbol: "TestPhase",
    },
    Case {
        line: "go test ./strategy/...",
        ok: Some(false),
        output: "--- FAIL: TestShadow (0.21s)\n    post_test.go:255: \n        \tError Trace:\t/srv/app/strategy/post_test.go:255\n        \tError:      \tReceived unexpected error:\n        \t            \treference not found\n        \tTest:       \tTestShadow\n        \tMessages:   \tthe branch should be kept\nFAIL",
        class: Class::Test,
        files: &["post_test.go"],
        symbol: "TestShadow",
    },
    Case {
        line: "mise run fmt && mise run lint 2>&1 | tail -20",
        ok: Some(true),
        output: "[lint:go] $ ~/app/tasks/lint/go\n[lint:go] cmd/a.go:1: : # example.com/app/cmd [example.com/app/cmd.test]\n[lint:go] cmd/hooks.go:975:2: declared and not used: analyzer (typecheck)\n[lint:go] 1 issues:\n[lint:go] * typecheck: 1\n[lint:go] ERROR task failed",
        class: Class::Lint,
        files: &["cmd/hooks.go"],
        symbol: "",
    },
    Case {
        line: "go build ./...",
        ok: Some(false),
        output: "# example.com/app\ncli/resume.go:156:23: undefined: strategy\ncli/resume.go:522:13: too many errors",
        class: Class::Name,
        files: &["cli/resume.go"],
        symbol: "",
    },
    Case {
        line: "go test ./id",
        ok: Some(false),
        output: "--- FAIL: TestID (0.05s)\npanic: invalid ID \"x\": must be 12 hex characters [recovered, repanicked]\n\ngoroutine 20 [running]:\ntesting.tRunner.func1.2({0x1004e2fc0, 0x14000358840})\n\t/usr/local/go/src/testing/testing.go:1872 +0x190\nexample.com/app/id.Must({0x1003dff53, 0xc})\n\t/srv/app/id/id.go:43 +0x64\nFAIL\texample.com/app/id\t0.395s",
        class: Class::Crash,
        files: &["id/id.go"],
        symbol: "",
    },
    Case {
        line: "mix test test/live_test.exs",
        ok: Some(false),
        output: "Running ExUnit with seed: 1, max_cases: 32\n\n  1) test mount shows the list (App.LiveTest)\n     test/live_test.exs:93\n     Assertion with == failed\n     code:  assert length(rows) == 2\n     left:  4\n     right: 2\n     stacktrace:\n       test/live_test.exs:99: (test)\n\nFinished in 1.2 seconds\n5 tests, 1 failure",
        class: Class::Test,
        files: &["test/live_test.exs"],
        symbol: "test_mount_shows_the_list",
    },
    Case {
        line: "mix credo --strict",
        ok: Some(false),
        output: "  Software Design\n┃ \n┃ [D] ↘ Nested modules could be aliased at the top of the invoking module.\n┃       lib/app/registry.ex:135:5 #(App.Registry.check)\n\n40 mods/funs, found 1 software design suggestion.",
        class: Class::Lint,
        files: &["lib/app/registry.ex"],
        symbol: "",
    },
    Case {
        line: "go run ./cmd/server",
        ok: Some(false),
        output: "2026/01/02 10:00:00 listen tcp :8080: bind: address already in use\nexit status 1",
        class: Class::Network,
        files: &[],
        symbol: "",
    },
];

#[test]
fn failures_are_understood() {
    for case in FAILURES {
        let judged =
            judge(case.line, case.ok, case.output, &place()).unwrap_or_else(|| panic!("{}", case.line));
        let Verdict::Failed(found) = &judged.verdict else { panic!("{}: {:?}", case.line, judged.verdict) };
        let first = found.first().unwrap_or_else(|| panic!("{}: nothing found", case.line));
        let files: Vec<&str> = first.files.iter().map(String::as_str).collect();
        assert_eq!((first.class, files.as_slice()), (case.class, case.files), "{}: {first:?}", case.line);
        assert_eq!(first.symbols.first().map_or("", String::as_str), case.symbol, "{}: {first:?}", case.line);
        assert!(!first.message.is_empty() && first.message.chars().count() <= 200, "{first:?}");
    }
}

/// Neither failures nor anything else that deserves a memory.
const NOT_FAILURES: &[(&str, Option<bool>, &str)] = &[
    ("grep -rn TODO src", Some(false), ""),
    ("test -f config.toml", Some(false), ""),
    ("diff a.txt b.txt", Some(false), "1c1\n< error\n---\n> errors"),
    ("rg 'fn main' src | head", Some(false), ""),
    ("cat build.log", Some(true), "error[E0308]: mismatched types\n --> src/main.rs:4:18"),
    ("git diff --exit-code", Some(false), "-error: x\n+error: y"),
    ("ls missing", Some(false), "ls: cannot access 'missing': No such file or directory"),
    ("echo 'test result: FAILED'", Some(true), "test result: FAILED"),
    ("cargo test", Some(true), "test error_is_shown ... ok\ntest result: ok. 12 passed; 0 failed"),
    ("npm run lint", Some(true), "0 errors, 3 warnings"),
    ("npm test | tail -5", Some(true), "Tests:       12 passed, 12 total"),
    ("pytest -q | tail -1", Some(true), "41 passed, 2 skipped in 3.1s"),
    ("npx tsc --noEmit", None, ""),
    ("go vet ./...", None, ""),
    (
        "cargo build 2>&1 | tail -3",
        Some(true),
        "warning: unused variable: `error`\n    Finished `dev` profile in 1.2s",
    ),
    (
        "python report.py",
        Some(true),
        "Error rate: 0.1 %\nTraceback (most recent call last): is how Python begins",
    ),
    ("make", None, "gcc -o error error.c\nlinking errors.o"),
    (
        "npm test",
        Some(false),
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
    ),
    (
        "cargo test && git push",
        Some(false),
        "test result: ok. 3 passed; 0 failed\n ! [rejected] main -> main (fetch first)",
    ),
    ("curl -sf localhost:3000", Some(false), "curl: (7) Failed to connect"),
    ("npm test", Some(false), "<tool_use_error>Sibling tool call errored</tool_use_error>"),
    ("cd web && npm test", Some(false), "Exit code 1\n(eval):cd:1: no such file or directory: web"),
    ("./app status --bad; echo \"Exit code: $?\"", Some(true), "Error: unknown flag: --bad\nExit code: 1"),
    ("go test ./... 2>&1 | grep FAIL", Some(false), "Exit code 1"),
    (
        "go test -v ./... | head",
        Some(true),
        "    a_test.go:3: logged, not an error\nok  \texample.com/app\t0.1s",
    ),
];

#[test]
fn what_is_no_failure() {
    for (line, ok, output) in NOT_FAILURES {
        let judged = judge(line, *ok, output, &place());
        let failed = matches!(judged.as_ref().map(|j| &j.verdict), Some(Verdict::Failed(_)));
        assert!(!failed, "{line}: {judged:?}");
    }
}

/// Failed, but the output does not say why.
const SAYS_NOTHING: &[(&str, &str)] = &[
    ("go test ./... 2>&1 | tail -3", "FAIL\nFAIL\texample.com/app/strategy\t3.2s\nFAIL"),
    (
        "go test ./... | grep FAIL",
        "--- FAIL: TestShadow_CommitBeforeStop (1.15s)\nFAIL\texample.com/app\t23.6s",
    ),
    ("mise run lint | tail -4", "\t\treturn nil\n6 issues:\n* nilerr: 6\n[lint] ERROR task failed"),
];

#[test]
fn a_failure_without_words_has_no_finding() {
    for (line, output) in SAYS_NOTHING {
        let judged = judge(line, Some(true), output, &place()).expect("a run");
        assert_eq!(judged.verdict, Verdict::Failed(Vec::new()), "{line}");
    }
}

#[test]
fn the_check_that_reports_is_the_one_that_failed() {
    let lint = "a.go:3:1: Error return value is not checked (errcheck)\n1 issues:";
    let judged = judge("mise run test && mise run lint", Some(false), lint, &place()).unwrap();
    assert_eq!(judged.ran.key, "mise run lint");
    let passed = judge("mise run test && mise run lint", Some(true), "", &place()).unwrap();
    let other = command::main_of("mise run lint").unwrap();
    assert!(passed.ran.answers_for(&other.family, &other.key, other.step, &[]), "{:?}", passed.ran);
}

#[test]
fn the_same_failure_has_one_signature() {
    let of = |output: &str, root: &str| {
        let judged = judge("cargo test", Some(false), output, &Place::new(root, root)).unwrap();
        let Verdict::Failed(found) = judged.verdict else { panic!() };
        found[0].signature.clone()
    };
    let at = |line: u32, root: &str| {
        format!("thread 'tests::slow' panicked at {root}/src/lib.rs:{line}:9:\ntook {line}ms at 0x7ff{line}a")
    };
    assert_eq!(of(&at(10, "/srv/app"), "/srv/app"), of(&at(222, "/srv/b/app"), "/srv/b/app"));
}

proptest::proptest! {
    #[test]
    fn any_output_is_judged(line in "[a-z ./&|>-]{0,60}", output in "(\\PC{0,60}\\n){0,12}") {
        for ok in [None, Some(true), Some(false)] {
            let _ = judge(&line, ok, &output, &place());
        }
    }

    #[test]
    fn torn_outputs_are_judged(at in 0usize..FAILURES.len(), cut in 0usize..600) {
        let case = &FAILURES[at];
        let mut cut = cut.min(case.output.len());
        while !case.output.is_char_boundary(cut) {
            cut -= 1;
        }
        let _ = judge(case.line, case.ok, &case.output[..cut], &place());
        let _ = judge(case.line, None, &case.output[cut..], &place());
    }
}
