//! The languages of files, by the endings of their names.

/// A language and its endings, the usual first.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("javascript", &["js", "jsx", "mjs", "cjs"]),
    ("python", &["py", "pyi"]),
    ("rust", &["rs"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("kotlin", &["kt", "kts"]),
    ("swift", &["swift"]),
    ("ruby", &["rb", "rake"]),
    ("php", &["php"]),
    ("c", &["c", "h"]),
    ("cpp", &["cpp", "cc", "cxx", "hpp", "hh"]),
    ("csharp", &["cs"]),
    ("elixir", &["ex", "exs"]),
    ("scala", &["scala"]),
    ("dart", &["dart"]),
    ("lua", &["lua"]),
    ("shell", &["sh", "bash", "zsh"]),
    ("sql", &["sql"]),
    ("vue", &["vue"]),
    ("svelte", &["svelte"]),
    ("html", &["html", "htm"]),
    ("css", &["css", "scss", "less"]),
    ("terraform", &["tf", "tfvars"]),
    ("markdown", &["md", "mdx"]),
    ("yaml", &["yml", "yaml"]),
    ("toml", &["toml"]),
    ("json", &["json"]),
];

/// The language of a file.
pub fn of(path: &str) -> Option<&'static str> {
    let ending = ending(path)?.to_ascii_lowercase();
    LANGUAGES.iter().find(|(_, endings)| endings.contains(&ending.as_str())).map(|(name, _)| *name)
}

/// What follows the last dot of a file's name.
pub fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.')
        .filter(|(stem, ending)| !stem.is_empty() && !ending.is_empty() && ending.len() <= 8)
        .map(|(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_languages() {
        assert_eq!(of("src/a.tsx"), Some("typescript"));
        assert_eq!(of("lib/A.RS"), Some("rust"));
        assert_eq!(of("Makefile"), None);
        assert_eq!(of(".gitignore"), None);
    }
}
