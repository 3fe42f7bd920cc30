//! How similar earlier work is to what is asked now: by the words of the prompt, by the words and files of the session
//! so far, and by files that the prompt names. Words alone: a hook has no time for more, and they tell well enough.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bm25::term_hash;
use crate::text::{Shape, analyze, terms};

/// The words of a text: sorted hashes with their frequencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bag(Vec<(u32, u8)>);

impl Bag {
    pub fn of(text: &str) -> Self {
        let mut counts: BTreeMap<u32, u8> = BTreeMap::new();
        for term in terms(text) {
            let count = counts.entry(term_hash(&term)).or_default();
            *count = count.saturating_add(1);
        }
        Bag(counts.into_iter().collect())
    }

    /// Five bytes for each word.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|(hash, count)| hash.to_le_bytes().into_iter().chain([*count])).collect()
    }

    /// What is not a whole word is left out.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let word = |five: &[u8]| (u32::from_le_bytes([five[0], five[1], five[2], five[3]]), five[4].max(1));
        Bag(bytes.chunks_exact(5).map(word).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of its words another text has.
    pub fn shared_with(&self, other: &Bag) -> usize {
        self.0.iter().filter(|(hash, _)| other.count(*hash).is_some()).count()
    }

    fn count(&self, hash: u32) -> Option<u8> {
        self.0.binary_search_by_key(&hash, |(known, _)| *known).ok().map(|at| self.0[at].1)
    }

    fn length(&self) -> f32 {
        self.0.iter().map(|(_, count)| weight(*count).powi(2)).sum::<f32>().sqrt().max(1.0)
    }
}

fn weight(count: u8) -> f32 {
    1.0 + f32::from(count).ln()
}

/// A file, by its whole path and by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileMark {
    pub path: u32,
    pub name: u32,
}

impl FileMark {
    pub fn of(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
        FileMark { path: term_hash(path), name: term_hash(&name) }
    }

    pub fn to_bytes(self) -> [u8; 8] {
        let (path, name) = (self.path.to_le_bytes(), self.name.to_le_bytes());
        [path[0], path[1], path[2], path[3], name[0], name[1], name[2], name[3]]
    }

    pub fn all_from_bytes(bytes: &[u8]) -> Vec<Self> {
        let number = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        bytes
            .chunks_exact(8)
            .map(|mark| FileMark { path: number(&mark[..4]), name: number(&mark[4..]) })
            .collect()
    }
}

/// Earlier work.
#[derive(Debug, Clone, Default)]
pub struct Story {
    pub words: Bag,
    pub files: Vec<FileMark>,
    /// How long ago it was.
    pub days: f32,
}

/// What is asked, and what the session has done so far.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    prompt: Bag,
    context: Bag,
    files: HashSet<u32>,
    named: HashSet<u32>,
    names: HashSet<u32>,
}

/// A file name shorter than this is a word like any other.
const SHORTEST_NAME: usize = 5;

impl Asked {
    /// `context` is what was asked and said before; `files` are those that the session has read or changed.
    pub fn new<'a>(prompt: &str, context: &str, files: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut context = context.to_owned();
        for file in files.clone() {
            context.push('\n');
            context.push_str(file);
        }
        let is_edge = |c: char| !c.is_alphanumeric() && c != '_';
        let names = prompt.split_whitespace().map(|word| word.trim_matches(is_edge));
        let names = names.filter(|word| word.len() >= SHORTEST_NAME && word.contains('.'));
        let is_name = |word: &str| word.len() >= SHORTEST_NAME && word.contains(char::is_alphabetic);
        let wholes = analyze(prompt).into_iter().filter(|token| token.shape == Shape::Whole);
        Asked {
            names: wholes.filter(|token| is_name(&token.term)).map(|token| term_hash(&token.term)).collect(),
            prompt: Bag::of(prompt),
            context: Bag::of(&context),
            files: files.map(|file| FileMark::of(file).path).collect(),
            named: names.map(|word| FileMark::of(word).name).collect(),
        }
    }

    /// Whether the prompt says enough to compare it with anything.
    pub fn says_enough(&self) -> bool {
        self.prompt.len() >= FEWEST_WORDS
    }
}

/// A prompt with fewer words of its own could mean anything.
const FEWEST_WORDS: usize = 3;

/// What is measured of each story, in this order.
pub const MEASURES: [&str; 8] =
    ["words", "context", "files", "named", "words_lead", "context_lead", "age", "names"];

/// Fitted on 210 turns of replayed sessions that were read and judged useful or not, each by a fit without its session;
/// `eval/hindsight` has the labels and the figures. Sharing the area of the code is not enough: words and names of the
/// problem count, and so does how recent it is.
const CONSTANT: f32 = -2.26;
const WEIGHTS: [f32; MEASURES.len()] = [2.67, 0.08, 0.08, 0.22, 0.03, 0.01, -0.54, 0.57];
/// The probability of being useful from which Hark mentions a story unasked, from which the session that it belongs to is
/// what a new one continues, and from which it is listed if somebody asks. They are low because few stories help:
/// of those above the first, a third does, and another third is about the same files.
pub const WORTH: f32 = 0.21;
pub const WORTH_CONTINUING: f32 = 0.12;
pub const WORTH_ASKED: f32 = 0.1;
/// Files count in relation to at least this much.
const FILES_FLOOR: f32 = 6.0;
/// Names of code that the prompt shares with a story; more say no more.
const MOST_NAMES: usize = 3;
/// Keeps a lead from exploding where all stories are alike.
const SPREAD_FLOOR: f32 = 0.02;

/// The probability that each story helps with what is asked.
pub fn likely(asked: &Asked, stories: &[Story]) -> Vec<f32> {
    let chance = |values: [f32; MEASURES.len()]| {
        let sum: f32 = values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum();
        1.0 / (1.0 + (-(CONSTANT + sum)).exp())
    };
    measures(asked, stories).into_iter().map(chance).collect()
}

/// The measurements behind [`likely`].
pub fn measures(asked: &Asked, stories: &[Story]) -> Vec<[f32; MEASURES.len()]> {
    let prompt = Weighed::of(&asked.prompt, stories);
    let context = Weighed::of(&asked.context, stories);
    let mut files: HashMap<u32, f32> = HashMap::new();
    for file in stories.iter().flat_map(|story| &story.files) {
        *files.entry(file.path).or_default() += 1.0;
    }
    let rarity =
        |file: &FileMark| information(files.get(&file.path).copied().unwrap_or(0.0), stories.len()).max(0.0);
    let mut found: Vec<[f32; MEASURES.len()]> = stories
        .iter()
        .map(|story| {
            let length = story.words.length();
            let all: f32 = story.files.iter().map(rarity).sum();
            let shared = story.files.iter().filter(|file| asked.files.contains(&file.path)).map(rarity);
            let named = story.files.iter().any(|file| asked.named.contains(&file.name));
            [
                prompt.along(&story.words) / length,
                context.along(&story.words) / length,
                shared.sum::<f32>() / all.max(FILES_FLOOR),
                if named { 1.0 } else { 0.0 },
                0.0,
                0.0,
                story.days.max(0.0).ln_1p(),
                asked.names.iter().filter(|name| story.words.count(**name).is_some()).count().min(MOST_NAMES)
                    as f32,
            ]
        })
        .collect();
    for (from, to) in [(0, 4), (1, 5)] {
        let count = found.len().max(1) as f32;
        let mean = found.iter().map(|values| values[from]).sum::<f32>() / count;
        let spread = (found.iter().map(|values| (values[from] - mean).powi(2)).sum::<f32>() / count).sqrt();
        for values in &mut found {
            values[to] = (values[from] - mean) / (spread + SPREAD_FLOOR);
        }
    }
    found
}

/// What a word tells that occurs in so many of all.
fn information(occurs: f32, all: usize) -> f32 {
    ((all as f32 + 1.0) / (occurs + 0.5)).ln()
}

/// The words of a question, weighed by how few stories have them.
struct Weighed(Vec<(u32, f32)>);

impl Weighed {
    fn of(bag: &Bag, stories: &[Story]) -> Self {
        let weighed = bag.0.iter().map(|(hash, count)| {
            let occurs = stories.iter().filter(|story| story.words.count(*hash).is_some()).count();
            (*hash, weight(*count) * information(occurs as f32, stories.len()))
        });
        let weighed: Vec<(u32, f32)> = weighed.collect();
        let length = weighed.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt().max(f32::EPSILON);
        Weighed(weighed.into_iter().map(|(hash, weight)| (hash, weight / length)).collect())
    }

    fn along(&self, words: &Bag) -> f32 {
        self.0.iter().filter_map(|(hash, share)| Some(share * weight(words.count(*hash)?))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(text: &str, files: &[&str]) -> Story {
        Story {
            words: Bag::of(text),
            files: files.iter().map(|file| FileMark::of(file)).collect(),
            days: 1.0,
        }
    }

    fn stories() -> Vec<Story> {
        let mut found = vec![
            story("add a flag to the resume command that skips checkpoints", &["cmd/resume.go"]),
            story("rename the session folder on every platform", &["session/folder.go"]),
            story("write a test for redacted transcripts", &["redact/redact_test.go"]),
            story("speed up the status line", &["ui/status.go"]),
        ];
        // Among a handful of stories nothing stands out.
        for n in 0..24 {
            found.push(story(
                &format!("task{n} about matter{n} and thing{n} on day{n}"),
                &[&format!("x{n}.go")],
            ));
        }
        found
    }

    #[test]
    fn the_same_task_in_other_words_stands_out() {
        let asked = Asked::new("the resume command ignores the checkpoints flag", "", std::iter::empty());
        let found = likely(&asked, &stories());
        assert!(found[0] > WORTH && found[1..].iter().all(|other| *other < found[0] / 2.0), "{found:?}");
    }

    #[test]
    fn files_of_the_session_and_names_in_the_prompt_count() {
        let plain = likely(&Asked::new("make it quicker now please", "", std::iter::empty()), &stories());
        let files = ["ui/status.go"];
        let busy = likely(&Asked::new("make it quicker now please", "", files.into_iter()), &stories());
        assert!(busy[3] > plain[3], "{busy:?} {plain:?}");
        let named = likely(&Asked::new("look at status.go again", "", std::iter::empty()), &stories());
        assert!(named[3] > named[0] && named[3] > named[1], "{named:?}");
    }

    #[test]
    fn bags_and_files_survive_being_stored() {
        let bag = Bag::of("one two two three");
        assert_eq!(Bag::from_bytes(&bag.to_bytes()), bag);
        assert_eq!(Bag::from_bytes(&[1, 2, 3]), Bag::default());
        let mark = FileMark::of("a/B.go");
        assert_eq!(FileMark::all_from_bytes(&mark.to_bytes()), [mark]);
        assert_eq!(mark.name, FileMark::of("c/b.go").name);
    }

    #[test]
    fn nothing_is_like_nothing() {
        assert!(likely(&Asked::default(), &[]).is_empty());
        let found = likely(&Asked::new("unrelated words entirely", "", std::iter::empty()), &stories());
        assert!(found.iter().all(|chance| *chance < WORTH), "{found:?}");
    }
}
