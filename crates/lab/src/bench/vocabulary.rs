//! Words with a frequency each, as in real notes: few are everywhere, most are rare.

use super::rng::Rng;

/// Distinct words; with identifiers and paths made from them a large store holds several times more.
const SIZE: usize = 40_000;

const COMMON: &[&str] = &[
    "service",
    "test",
    "build",
    "error",
    "config",
    "request",
    "user",
    "file",
    "branch",
    "deploy",
    "cache",
    "database",
    "query",
    "token",
    "client",
    "server",
    "timeout",
    "release",
    "migration",
    "index",
    "worker",
    "queue",
    "retry",
    "header",
    "session",
    "login",
    "password",
    "payment",
    "invoice",
    "order",
    "customer",
    "schema",
    "table",
    "column",
    "record",
    "message",
    "event",
    "log",
    "metric",
    "alert",
    "dashboard",
    "cluster",
    "container",
    "image",
    "network",
    "port",
    "address",
    "certificate",
    "key",
    "secret",
    "variable",
    "setting",
    "option",
    "flag",
    "version",
    "package",
    "module",
    "function",
    "method",
    "class",
    "type",
    "value",
    "field",
    "review",
    "merge",
    "commit",
    "rebase",
    "pipeline",
    "stage",
    "production",
    "staging",
    "local",
    "remote",
    "memory",
    "thread",
    "process",
    "lock",
    "race",
    "deadlock",
    "crash",
    "panic",
    "exception",
    "stack",
    "trace",
    "latency",
    "throughput",
    "limit",
    "budget",
    "cost",
    "price",
    "report",
    "export",
    "import",
    "format",
    "parser",
    "lexer",
    "compiler",
    "linter",
    "editor",
    "plugin",
    "theme",
    "layout",
    "button",
    "form",
    "page",
    "route",
];

const SYLLABLES: &[&str] = &[
    "ba", "ber", "bo", "cal", "cen", "cor", "da", "den", "dor", "el", "en", "er", "fa", "fin", "fo", "ga",
    "gen", "gra", "ha", "hel", "in", "ir", "ka", "ker", "la", "len", "lo", "ma", "men", "mi", "na", "nel",
    "no", "ol", "pa", "per", "pro", "ra", "ren", "ri", "sa", "sen", "sta", "ta", "ten", "tor", "tri", "ul",
    "va", "ver", "vi", "wa", "wen", "za", "zer",
];

pub(super) struct Vocabulary {
    words: Vec<String>,
    /// Share of all words up to and including this one.
    cumulative: Vec<f64>,
}

impl Vocabulary {
    /// `code_words`: real words of programming, one per line, which get the ranks after the
    /// commonest.
    pub(super) fn new(code_words: &str) -> Self {
        let mut rng = Rng::new(0x766f_6361_6275_6c61);
        let mut words: Vec<String> = COMMON.iter().map(|w| (*w).to_owned()).collect();
        words.extend(code_words.lines().map(str::trim).filter(|w| w.len() > 2).map(str::to_owned));
        let mut seen: std::collections::HashSet<String> = words.iter().cloned().collect();
        while words.len() < SIZE {
            let count = rng.between(2, 4);
            let word: String = (0..count).map(|_| SYLLABLES[rng.below(SYLLABLES.len())]).collect();
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        let weights: Vec<f64> = (0..words.len()).map(|rank| 1.0 / (rank as f64 + 6.0)).collect();
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let cumulative = weights.iter().map(|weight| {
            sum += weight / total;
            sum
        });
        Vocabulary { cumulative: cumulative.collect(), words }
    }

    pub(super) fn draw(&self, rng: &mut Rng) -> &str {
        let wanted = rng.unit();
        let at = self.cumulative.partition_point(|share| *share < wanted);
        &self.words[at.min(self.words.len() - 1)]
    }
}
