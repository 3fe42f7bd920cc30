//! Memories for measuring, written in the documented file format.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde_json::json;

use super::rng::Rng;
use super::vocabulary::Vocabulary;
use crate::failure::{Failure, Outcome};
use crate::machine::rfc3339;
use crate::workspace;

const KINDS: &[&str] =
    &["decision", "fact", "lesson", "procedure", "failure", "fix", "convention", "task", "event"];
const PROJECTS: &[&str] =
    &["github.com/acme/shop", "github.com/acme/billing", "github.com/acme/infra", "notes"];
const GLUE: &[&str] = &["the", "a", "in", "of", "for", "because", "when", "and", "is", "to", "with", "we"];
const STEMS: &[&str] = &["src", "tests", "docs", "services", "lib"];
const ENDINGS: &[&str] = &["rs", "ts", "py", "go", "md", "toml", "sql"];
/// 2026-01-01, in milliseconds; memories follow at intervals of two minutes.
const FIRST: i64 = 1_767_225_600_000;
const STEP: i64 = 120_000;

pub(crate) struct Corpus {
    vocabulary: Vocabulary,
}

impl Corpus {
    pub(crate) fn new(root: &Path) -> Outcome<Self> {
        let words = workspace::read(&root.join("models/code_words.txt"))?;
        Ok(Corpus { vocabulary: Vocabulary::new(&words) })
    }

    /// Fills a data directory; the index is left to `hark reindex`.
    pub(crate) fn write(&self, home: &Path, count: usize) -> Outcome {
        let memories = home.join("memories");
        for kind in KINDS {
            let folder = memories.join(kind);
            fs::create_dir_all(&folder).map_err(|e| Failure::io(&folder, &e))?;
        }
        for number in 0..count {
            let (file, text) = self.memory(number);
            let path = memories.join(file);
            fs::write(&path, text).map_err(|e| Failure::io(&path, &e))?;
        }
        Ok(())
    }

    /// The same as an export of another store, one record a line.
    pub(super) fn export(&self, path: &Path, count: usize) -> Outcome {
        let fail = |e| Failure::io(path, &e);
        let mut out = BufWriter::new(fs::File::create(path).map_err(fail)?);
        writeln!(out, "{}", json!({ "format": "hark-export", "version": 1 })).map_err(fail)?;
        for number in 0..count {
            let (file, text) = self.memory(number);
            let id = field(&text, "id: ");
            let record = json!({ "type": "memory", "id": id, "file": file, "text": text });
            writeln!(out, "{record}").map_err(fail)?;
        }
        out.flush().map_err(fail)
    }

    pub(super) fn title(&self, number: usize) -> String {
        let (_, text) = self.memory(number);
        serde_json::from_str(field(&text, "title: ")).unwrap_or_default()
    }

    /// What the memory of this number says; numbers beyond the store's size are news to it.
    pub(super) fn body(&self, number: usize) -> String {
        let mut rng = Rng::new(number as u64 ^ 0x626f_6479_0000_0000);
        let long = rng.below(25) == 0;
        let sentences = if long { rng.between(12, 30) } else { rng.between(2, 4) };
        (0..sentences).map(|_| self.sentence(&mut rng)).collect::<Vec<_>>().join(" ")
    }

    /// A few words that a person might type to find the memory of this number.
    pub(crate) fn question(&self, number: usize) -> String {
        let mut rng = Rng::new(number as u64 ^ 0x6173_6b00_0000_0000);
        let body = self.body(number);
        let words: Vec<&str> = body.split([' ', '.', ',']).filter(|w| w.len() > 3).collect();
        let count = rng.between(3, 6);
        (0..count).map(|_| words[rng.below(words.len())]).collect::<Vec<_>>().join(" ")
    }

    /// Forty words as in a prompt, common ones included; the same for every store.
    pub(super) fn prompt(&self, number: usize) -> String {
        let mut rng = Rng::new(number as u64 ^ 0x7072_6f6d_7074_0000);
        (0..40)
            .map(|i| if i % 3 == 0 { GLUE[rng.below(GLUE.len())] } else { self.vocabulary.draw(&mut rng) })
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn sentence(&self, rng: &mut Rng) -> String {
        let count = rng.between(7, 14);
        let mut text = String::new();
        for i in 0..count {
            if i > 0 {
                text.push(' ');
            }
            match rng.below(20) {
                0 => text.push_str(&self.identifier(rng)),
                1 => text.push_str(&self.path(rng)),
                2..=6 => text.push_str(GLUE[rng.below(GLUE.len())]),
                _ => text.push_str(self.vocabulary.draw(rng)),
            }
        }
        text.push('.');
        text
    }

    fn identifier(&self, rng: &mut Rng) -> String {
        let (first, second) = (self.vocabulary.draw(rng), self.vocabulary.draw(rng));
        let mut letters = second.chars();
        let head = letters.next().map(|c| c.to_ascii_uppercase()).into_iter();
        first.chars().chain(head).chain(letters).collect()
    }

    fn path(&self, rng: &mut Rng) -> String {
        let (stem, ending) = (STEMS[rng.below(STEMS.len())], ENDINGS[rng.below(ENDINGS.len())]);
        format!("{stem}/{}/{}.{ending}", self.vocabulary.draw(rng), self.vocabulary.draw(rng))
    }

    /// File name below `memories/` and contents.
    fn memory(&self, number: usize) -> (String, String) {
        let mut rng = Rng::new(number as u64 ^ 0x6d65_6d00_0000_0000);
        let body = self.body(number);
        let millis = FIRST + STEP * number as i64;
        let id = Id::new(millis, &mut rng);
        let kind = KINDS[rng.below(KINDS.len())];
        let project = PROJECTS[rng.below(PROJECTS.len()).min(rng.below(PROJECTS.len()))];
        let title: String = body.split('.').next().unwrap_or_default().chars().take(70).collect();
        let tag = self.vocabulary.draw(&mut rng);
        let mut text = String::with_capacity(body.len() + 400);
        let time = rfc3339(millis);
        let _ = write!(
            text,
            "---\nid: {}\nkind: {kind}\ntitle: \"{title}\"\nstatus: active\nproject: {project}\nconfidence: 0.8\n\
             origin: assistant\ntags: [\"{tag}\"]\ncreated: {time}\nupdated: {time}\nrevision: 1\n---\n\n{body}\n",
            id.full()
        );
        let slug: String =
            title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        (format!("{kind}/{}_{}.md", slug.to_ascii_lowercase(), id.tail()), text)
    }
}

/// A UUIDv7 as the product writes it.
struct Id([u8; 16]);

impl Id {
    fn new(millis: i64, rng: &mut Rng) -> Self {
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        bytes[6..14].copy_from_slice(&rng.next().to_be_bytes());
        bytes[8..].copy_from_slice(&rng.next().to_be_bytes());
        bytes[6] = 0x70 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        Id(bytes)
    }

    fn full(&self) -> String {
        let hex: String = self.0.iter().map(|b| format!("{b:02x}")).collect();
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }

    /// The last forty bits in Crockford's base 32.
    fn tail(&self) -> String {
        let bits = self.0[11..].iter().fold(0u64, |acc, b| (acc << 8) | u64::from(*b));
        let alphabet = b"0123456789abcdefghjkmnpqrstvwxyz";
        (0..8).rev().map(|i| char::from(alphabet[(bits >> (5 * i)) as usize & 31])).collect()
    }
}

fn field<'t>(text: &'t str, name: &str) -> &'t str {
    text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default()
}
