//! Output of real tools, stored as it was printed, for languages that the labelled sessions do not reach. Each file
//! comes from a run of the tool on a small project in `/srv/app`.

use super::*;

struct Fixture {
    line: &'static str,
    output: &'static str,
    class: Class,
    /// The file to blame; empty for none.
    file: &'static str,
    symbol: &'static str,
    message: &'static str,
}

const FIXTURES: &[Fixture] = &[
    Fixture {
        line: "javac Cart.java",
        output: include_str!("fixtures/javac.txt"),
        class: Class::Name,
        file: "Cart.java",
        symbol: "totl",
        message: "cannot find symbol: variable totl",
    },
    Fixture {
        line: "rustc a.rs",
        output: include_str!("fixtures/rustc.txt"),
        class: Class::Type,
        file: "a.rs",
        symbol: "",
        message: "error[E0308]: mismatched types",
    },
    Fixture {
        line: "python3 app.py",
        output: include_str!("fixtures/python-key.txt"),
        class: Class::Value,
        file: "app.py",
        symbol: "rate",
        message: "KeyError: 'price' in rate",
    },
    Fixture {
        line: "python3 -m unittest",
        output: include_str!("fixtures/python-unittest.txt"),
        class: Class::Test,
        file: "test_app.py",
        symbol: "test_price",
        message: "AssertionError: 3 != 4 in test_price",
    },
    Fixture {
        line: "python3 -m pytest -q test_rate.py",
        output: include_str!("fixtures/pytest.txt"),
        class: Class::Test,
        file: "test_rate.py",
        symbol: "test_price",
        message: "AssertionError: assert 3 == 4",
    },
    Fixture {
        line: "mix test",
        output: include_str!("fixtures/exunit.txt"),
        class: Class::Test,
        file: "test/cart_test.exs",
        symbol: "test_adds_up",
        message: "Assertion with == failed: assert Cart.total([1, 2]) == 3 (left: 2, right: 3)",
    },
    Fixture {
        line: "mix compile",
        output: include_str!("fixtures/elixir-compile.txt"),
        class: Class::Name,
        file: "lib/cart.ex",
        symbol: "",
        message: "undefined function itms/0",
    },
    Fixture {
        line: "python3 bad.py",
        output: include_str!("fixtures/python-syntax.txt"),
        class: Class::Syntax,
        file: "bad.py",
        symbol: "",
        message: "SyntaxError: invalid syntax",
    },
    Fixture {
        line: "python3 serve.py",
        output: include_str!("fixtures/python-port.txt"),
        class: Class::Network,
        file: "",
        symbol: "",
        message: "OSError: [Errno 98] Address already in use",
    },
    Fixture {
        line: "node --test",
        output: include_str!("fixtures/node-test.txt"),
        class: Class::Type,
        file: "rate.js",
        symbol: "reads_the_price",
        message: "Cannot read properties of undefined (reading 'price')",
    },
    Fixture {
        line: "node serve.js",
        output: include_str!("fixtures/node-port.txt"),
        class: Class::Network,
        file: "",
        symbol: "",
        message: "Error: listen EADDRINUSE: address already in use",
    },
    Fixture {
        line: "npm install leftpad",
        output: include_str!("fixtures/npm-registry.txt"),
        class: Class::Network,
        file: "",
        symbol: "",
        message: "npm error code ECONNREFUSED FetchError: request to",
    },
    Fixture {
        line: "gcc -c ring.c",
        output: include_str!("fixtures/gcc-header.txt"),
        class: Class::Import,
        file: "ring.c",
        symbol: "",
        message: "ringg.h: No such file or directory",
    },
    Fixture {
        line: "gcc -c ring2.c",
        output: include_str!("fixtures/gcc-name.txt"),
        class: Class::Name,
        file: "ring2.c",
        symbol: "",
        message: "‘cap’ undeclared (first use in this function)",
    },
    Fixture {
        line: "gcc main.c",
        output: include_str!("fixtures/gcc-link.txt"),
        class: Class::Link,
        file: "main.c",
        symbol: "render",
        message: "undefined reference to `render'",
    },
    Fixture {
        line: "./as",
        output: include_str!("fixtures/c-assert.txt"),
        class: Class::Test,
        file: "as.c",
        symbol: "",
        message: "Assertion `total(1, 2) == 3' failed",
    },
    Fixture {
        line: "gcc as.c -o app",
        output: include_str!("fixtures/disk-full.txt"),
        class: Class::Environment,
        file: "",
        symbol: "",
        message: "final link failed: No space left on device",
    },
];

#[test]
fn real_output_is_understood() {
    for fixture in FIXTURES {
        let judged = judge(fixture.line, Some(false), fixture.output, &Place::new("/srv/app", "/srv/app"));
        let Some(Judged { verdict: Verdict::Failed(found), .. }) = judged else { panic!("{}", fixture.line) };
        let first = found.first().unwrap_or_else(|| panic!("{}: nothing found", fixture.line));
        assert_eq!(first.class, fixture.class, "{}: {first:?}", fixture.line);
        assert_eq!(
            first.files.first().map_or("", String::as_str),
            fixture.file,
            "{}: {first:?}",
            fixture.line
        );
        assert_eq!(
            first.symbols.first().map_or("", String::as_str),
            fixture.symbol,
            "{}: {first:?}",
            fixture.line
        );
        assert!(first.message.contains(fixture.message), "{}: {first:?}", fixture.line);
    }
}
