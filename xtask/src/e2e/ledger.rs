//! Compares the ledger of a session with the requests that reached its model, in both directions: every
//! entry was delivered to the byte, and everything that was delivered has an entry.

use std::collections::BTreeMap;

use hark_testkit::model::Asked;
use serde_json::Value;

/// A text that hark says it injected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) surface: String,
    pub(super) bytes: usize,
    pub(super) items: Vec<String>,
}

/// The entries in `hark ledger --session ID --json`, oldest first.
pub(super) fn entries(ledger: &Value) -> Vec<Entry> {
    let texts = |value: &Value| {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let entry = |row: &Value| Entry {
        surface: row["surface"].as_str().unwrap_or_default().to_owned(),
        bytes: usize::try_from(row["bytes"].as_u64().unwrap_or(0)).unwrap_or(usize::MAX),
        items: texts(&row["items"]),
    };
    ledger["entries"].as_array().into_iter().flatten().rev().map(entry).collect()
}

impl Entry {
    /// Whether this is the text that the ledger speaks of.
    pub(super) fn is(&self, text: &str) -> bool {
        // Texts that leave together are joined by a line break, which counts for the second.
        let same_length = text.len() == self.bytes || text.len() + 1 == self.bytes;
        // A failure is named by its memory; its own number is for the ledger.
        let is_said = |item: &&String| *item != "boot" && !item.starts_with("f-");
        same_length && self.items.iter().filter(is_said).all(|item| text.contains(item.as_str()))
    }
}

/// What is in one of them and not in the other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// In the ledger, but in no request.
    pub(super) undelivered: Vec<Entry>,
    /// In a request, but not in the ledger.
    pub(super) unrecorded: Vec<String>,
}

/// Compares the entries of a session with its conversation, and those of its subagents with theirs.
pub(super) fn compare(entries: &[Entry], conversations: &[Vec<&Asked>]) -> Difference {
    let mut delivered: Vec<Delivery> =
        conversations.iter().flat_map(|requests| deliveries(requests)).collect();
    // What is certain first, so that what may be left over from before is not missed.
    delivered.sort_by_key(|delivery| delivery.uncertain);
    let mut difference = Difference::default();
    for entry in entries {
        match delivered.iter().position(|delivery| entry.is(&delivery.text)) {
            Some(at) => drop(delivered.remove(at)),
            None => difference.undelivered.push(entry.clone()),
        }
    }
    let unrecorded = delivered.into_iter().filter(|delivery| !delivery.uncertain);
    difference.unrecorded = unrecorded.map(|delivery| delivery.text).collect();
    difference
}

/// A text of hark that was added to a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) text: String,
    /// It need not be new: it was there before a compaction or before the session was resumed, and the client
    /// may have kept it or not; or it is not quoted memory, and others could have written it.
    uncertain: bool,
}

/// The texts of hark in a conversation, each as often as it was added. A client sends everything again with
/// each request, so only what a request has more than the one before counts.
pub(super) fn deliveries(requests: &[&Asked]) -> Vec<Delivery> {
    let mut found = Vec::new();
    let mut before: BTreeMap<String, usize> = BTreeMap::new();
    let mut previous: Option<&Asked> = None;
    for request in requests {
        let is_cut = previous.is_some_and(|before| before.summarises || before.script != request.script);
        let mut now: BTreeMap<String, usize> = BTreeMap::new();
        for text in ours(request) {
            *now.entry(text).or_default() += 1;
        }
        for (text, count) in &now {
            let old = before.get(text).copied().unwrap_or(0).min(*count);
            let add = |old: bool| Delivery { text: text.clone(), uncertain: old || !text.contains(OPEN) };
            // Gemini CLI repeats results of tools when it resumes a session.
            found.extend(std::iter::repeat_n(add(is_cut && old > 0), count - old));
            found.extend(std::iter::repeat_n(add(true), if is_cut { old } else { 0 }));
        }
        before = now;
        previous = Some(request);
    }
    found
}

const OPEN: &str = "<hark-memory";
const CLOSE: &str = "</hark-memory>";
/// How texts of hark begin that are not quoted memory.
const PLAIN: &str = "hark: ";

/// What hark said in a request, from the first byte to the last. Gemini CLI writes `&lt;` for `<`.
pub(super) fn ours(request: &Asked) -> Vec<String> {
    let mut found = Vec::new();
    for text in request.texts() {
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        let mut rest = text.as_str();
        while let Some(start) = [rest.find(OPEN), rest.find(PLAIN)].into_iter().flatten().min() {
            let from = &rest[start..];
            let close = || from.find(CLOSE).map(|at| at + CLOSE.len());
            // Some clients put an end of their own right behind it.
            let line =
                || [from.find('\n'), from.find("</")].into_iter().flatten().min().unwrap_or(from.len());
            let end = match from.starts_with(OPEN) {
                true => close(),
                // A notice and the memory below it are one text.
                false if from[line()..].starts_with(&format!("\n{OPEN}")) => close(),
                false => Some(line()),
            };
            let Some(end) = end else { break };
            found.push(from[..end].to_owned());
            rest = &from[end..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(texts: &[&str]) -> Asked {
        Asked::new("", json!(texts))
    }

    fn block(text: &str) -> String {
        format!("<hark-memory note=\"x\">\n{text}\n</hark-memory>")
    }

    fn entry(surface: &str, text: &str, items: &[&str]) -> Entry {
        let items = items.iter().map(|item| (*item).to_owned()).collect();
        Entry { surface: surface.to_owned(), bytes: text.len(), items }
    }

    #[test]
    fn texts_that_are_sent_again_were_delivered_once() {
        let (boot, told) = (block("boot"), block("m-1 told"));
        let (first, second) = (asked(&[&boot]), asked(&[&boot, &format!("You asked:\n{told} ok")]));
        let entries = [entry("boot", &boot, &["boot"]), entry("prompt", &told, &["m-1"])];
        assert_eq!(compare(&entries, &[vec![&first, &second, &second]]), Difference::default());
        let after = asked(&["a summary"]);
        let again = compare(&entries, &[vec![&first, &second, &after, &second]]);
        assert_eq!(again.unrecorded, [boot, told], "it had gone");
    }

    #[test]
    fn after_a_compaction_a_text_may_be_new_or_kept() {
        let told = block("m-1 told");
        let first = asked(&[&told]);
        let mut summary = first.clone();
        summary.summarises = true;
        let conversation = [vec![&first, &summary, &first, &first]];
        let once = [entry("prompt", &told, &["m-1"])];
        assert_eq!(compare(&once, &conversation), Difference::default());
        assert_eq!(compare(&[once.clone(), once.clone()].concat(), &conversation), Difference::default());
        let thrice = [once.clone(), once.clone(), once].concat();
        assert_eq!(compare(&thrice, &conversation).undelivered.len(), 1);
    }

    #[test]
    fn both_directions_are_noticed() {
        let (boot, told) = (block("boot"), block("m-1 told"));
        let request = asked(&[&told]);
        let difference = compare(&[entry("boot", &boot, &["boot"])], &[vec![&request]]);
        assert_eq!(difference.undelivered, [entry("boot", &boot, &["boot"])]);
        assert_eq!(difference.unrecorded, std::slice::from_ref(&told));
        let other = entry("prompt", &told, &["m-2"]);
        assert_eq!(compare(&[other], &[vec![&request]]).undelivered.len(), 1, "of another memory");
    }

    #[test]
    fn notices_and_reminders_are_texts_too() {
        let remind = "hark: 20 tool calls since the last checkpoint.";
        let notice = format!("hark: 1 hook event could not be handled.\n{}", block("boot"));
        let (first, second) =
            (asked(&[&notice]), asked(&[&notice, &format!("The hook said: {remind}</context>")]));
        assert_eq!(ours(&second), [notice.clone(), remind.to_owned()]);
        let mut joined = entry("remind", remind, &[]);
        joined.bytes += 1;
        let entries = [entry("notice", &notice, &["boot"]), joined];
        assert_eq!(compare(&entries, &[vec![&first, &second]]), Difference::default());
        let other = asked(&["hark: this is a log of something else"]);
        assert_eq!(compare(&[], &[vec![&other]]), Difference::default());
    }

    #[test]
    fn the_ledger_lists_the_newest_first() {
        let row = |surface: &str| json!({ "surface": surface, "bytes": 3, "items": ["a"] });
        let found = entries(&json!({ "entries": [row("prompt"), row("boot")] }));
        assert_eq!(found.iter().map(|e| e.surface.as_str()).collect::<Vec<_>>(), ["boot", "prompt"]);
    }
}
