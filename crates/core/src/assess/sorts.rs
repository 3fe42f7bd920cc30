//! The language of a file, by its ending, and the sort of a task, by the words of its request.

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskSort {
    Fix,
    Test,
    Docs,
    Refactor,
    Add,
    Other,
}

impl TaskSort {
    pub const fn name(self) -> &'static str {
        match self {
            TaskSort::Fix => "fix",
            TaskSort::Test => "test",
            TaskSort::Docs => "docs",
            TaskSort::Refactor => "refactor",
            TaskSort::Add => "add",
            TaskSort::Other => "other",
        }
    }
}

/// Beginnings of words, the most telling sort first: "fix the test" is a fix.
const WORDS: &[(TaskSort, &[&str])] = &[
    (
        TaskSort::Fix,
        &[
            "fix", "bug", "broke", "crash", "fail", "repair", "regress", "debug", "hotfix", "wrong",
            "revert", "undo", "error", "doesn't", "behebe", "fehler", "kaputt",
        ],
    ),
    (TaskSort::Test, &["test", "spec", "coverage"]),
    (TaskSort::Docs, &["doc", "readme", "changelog", "comment", "guide"]),
    (
        TaskSort::Refactor,
        &[
            "refactor",
            "rename",
            "clean",
            "simplif",
            "extract",
            "split",
            "move",
            "restructur",
            "dedup",
            "inline",
        ],
    ),
    (
        TaskSort::Add,
        &[
            "add",
            "implement",
            "create",
            "build",
            "introduc",
            "support",
            "write",
            "new",
            "feature",
            "make",
            "extend",
        ],
    ),
];

/// How many words of a request say what it is about.
const HEAD: usize = 40;

/// The sort of a request: that of the most telling word near its beginning.
pub fn task_of(asked: &str) -> TaskSort {
    let lower = asked.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(HEAD)
        .collect();
    let is_in = |starts: &[&str]| words.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    WORDS.iter().find(|(_, starts)| is_in(starts)).map_or(TaskSort::Other, |(sort, _)| *sort)
}

const LANGUAGES: &[(&str, &[&str])] = &[
    ("C", &["c", "h"]),
    ("C#", &["cs"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("CSS", &["css", "less", "sass", "scss"]),
    ("Clojure", &["clj", "cljs"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Erlang", &["erl"]),
    ("Go", &["go"]),
    ("HTML", &["htm", "html"]),
    ("Haskell", &["hs"]),
    ("Java", &["java"]),
    ("JavaScript", &["cjs", "js", "jsx", "mjs"]),
    ("Julia", &["jl"]),
    ("Kotlin", &["kt", "kts"]),
    ("Lua", &["lua"]),
    ("Markdown", &["md", "mdx"]),
    ("Nix", &["nix"]),
    ("OCaml", &["ml", "mli"]),
    ("Objective-C", &["m", "mm"]),
    ("PHP", &["php"]),
    ("Perl", &["pl", "pm"]),
    ("Python", &["py", "pyi"]),
    ("R", &["r"]),
    ("Ruby", &["rb"]),
    ("Rust", &["rs"]),
    ("SQL", &["sql"]),
    ("Scala", &["scala"]),
    ("Shell", &["bash", "fish", "sh", "zsh"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("Terraform", &["tf"]),
    ("TypeScript", &["cts", "mts", "ts", "tsx"]),
    ("Vue", &["vue"]),
    ("Zig", &["zig"]),
];

/// The language of a file. Data such as JSON and YAML has none.
pub fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    LANGUAGES.iter().find(|(_, endings)| endings.contains(&ending.as_str())).map(|(language, _)| *language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_sort() {
        for (asked, sort) in [
            ("Fix the failing login test", TaskSort::Fix),
            ("the cart is wrong again, please repair it", TaskSort::Fix),
            ("Add a test for the parser", TaskSort::Test),
            ("Update the README", TaskSort::Docs),
            ("rename Foo to Bar everywhere", TaskSort::Refactor),
            ("Implement coupons in the cart", TaskSort::Add),
            ("bump serde to 1.0.200", TaskSort::Other),
            ("", TaskSort::Other),
        ] {
            assert_eq!(task_of(asked), sort, "{asked}");
        }
    }

    #[test]
    fn a_file_has_a_language() {
        assert_eq!(language_of("src/pay.py"), Some("Python"));
        assert_eq!(language_of("web/App.TSX"), Some("TypeScript"));
        assert_eq!(
            (language_of("Makefile"), language_of("config.yaml"), language_of("a.d/x")),
            (None, None, None)
        );
    }

    #[test]
    fn no_ending_belongs_to_two_languages() {
        let mut all: Vec<&str> = LANGUAGES.iter().flat_map(|(_, endings)| endings.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
