//! Text that a turn passes on without marks around it: a message "from another agent:", a mail with its
//! headers, lines of a chat, a block between rules. It is announced, and then looks like the user's own
//! words.
//!
//! Nothing marks the end of such a text. It ends before the first paragraph that comments on it: a question,
//! a stance ("I disagree: …"), a short request. In doubt, text is not the user's.

use std::ops::Range;
use std::sync::LazyLock;

use super::pattern::Pattern;

use super::own_words::{Page, pattern};

/// Who else writes.
const SPEAKER: &str = concat!(
    r"(?:(?:an|the |my |your )?other \w+|(?:previous|first|second|last|lead) (?:agent|session|assistant|bot|chat)|",
    r"(?:\w+[- ])?(?:agent|bot|linter)|assistant|claude|codex|cursor|copilot|gemini|qwen|chatgpt|gpt[\w.-]*|devin|opencode|windsurf|",
    r"slack|teams|discord|jira|confluence|notion|stack ?overflow|reddit|google|",
    r"colleague|co-?worker|manager|boss|customer|client|reviewer|support|vendor|teammate|tool|@[\w.-]+|#[a-z][\w-]+)",
);

/// What they write.
const SOURCE: &str = concat!(
    r"(?:messages?|msg|e-?mails?|mails?|dms?|notes?|comments?|feedback|answers?|reply|replies|responses?|outputs?|summary|",
    r"hand-?(?:off|over)|transcripts?|conversation|chat|page|section|paragraph|article|posts?|thread|readme|docs?|documentation|",
    r"wiki|handbook|guide|tutorial|prompt|instructions|minutes|description|advice|suggestions?|review|report|",
    r"snippet|excerpt|changelog|announcement|memo|ticket|issue|spec)",
);

/// A clause before a colon that announces someone else's words.
static ANNOUNCES: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let lead = r"^\W*(?:(?:here(?:'s|’s| is| are)|this is|below (?:is|are)|i|we|just|got|found|received|see|the|an?|this|that|my|our|their|his|her|its|some|these|those|new|old|latest|system|original|full|\w+['’]s) ){0,6}(?:\w+[ -])?";
    [
        format!(r"{lead}{SOURCE}\b[^.]{{0,30}}\b(?:from|by)\b"),
        format!(r"{lead}{SOURCE}\b[^.]{{0,30}}\bof (?:that|this|another|their|his|her|the other|{SPEAKER})\b"),
        format!(r"(?:^|\s){SPEAKER}(?:['’]s)? (?:\w+ ){{0,2}}{SOURCE}\b"),
        format!(r"\b{SPEAKER}\b[^.:]{{0,40}}\b(?:say|suggests?|suggested|recommends?|recommended|proposes|proposed|asks?|asked)\b"),
        r"\b(?:said|says|wrote|writes|told (?:me|us)|answered|answers|replied|replies|posted|sent (?:me|us))\b[^.:]{0,50}$".to_owned(),
        r"\b(?:pasted?|copied|quoted|quoting|forwarded|forwarding|excerpted|straight) (?:\w+ ){0,2}(?:from|by)\b|^\W*(?:fwd?|fw|forwarded)$".to_owned(),
        r"^\W*(?:ticket|issue|task|story|card|pr|mr|commit|review|page|system|tool|mail|email|slack) (?:text|body|description|contents?|output|message|prompt|thread)$".to_owned(),
        r"^\W*from [#@]\w|^\W*(?:(?:i|we) )?(?:just )?(?:got|received|found) (?:this|these|that|the following)\b".to_owned(),
        r"\b(?:schrieb|schreibt|sagte|sagt|meinte|meint|nachricht von|mail von|kopiert (?:aus|von)|aus (?:der|dem) (?:doku|wiki|ticket))\b".to_owned(),
        r"\b(?:escribió|dijo|dice|mensaje de|copiado de|a écrit|a dit|message de|copié de|escreveu|disse|mensagem de)\b|来自|转发|写道|からのメッセージ|より引用".to_owned(),
    ]
    .iter()
    .map(|text| pattern(text))
    .collect()
});

/// Said or adopted by the person who types.
static OWN_CLAUSE: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(
        r"\b(?:i|we|you) (?:\w+ )?(?:said|wrote|told|answered|posted|agree|disagree|decided|insist)\b|\b(?:from|by) (?:me|us|my side)\b|\b(?:whatever|no matter what)\b",
    )
});

/// The same at the end of a line, without a colon: it refers to what follows.
static POINTS_AHEAD: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"\b(?:this|these|the following|below)(?: [\w-]+)?$"));
static NAMES_SPEAKER: LazyLock<Pattern> = LazyLock::new(|| pattern(&format!(r"\b{SPEAKER}\b")));
static NAMES_SOURCE: LazyLock<Pattern> = LazyLock::new(|| pattern(&format!(r"\b{SOURCE}\b")));
/// "Their answer was this. …"
static SENTENCE_AHEAD: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(&format!(r"(?:{SPEAKER}|{SOURCE})\b[^.:\n]{{0,60}}\b(?:this|the following|as follows|quote)\.\s"))
});

/// Refers to the text before it.
static ANSWERS: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(concat!(
        r"^\W*(?:no|nope|lol|agreed|wrong)\b[\s,.!:]|",
        r"^\W*i (?:don['’]?t|do not|disagree|agree|think|want|would|prefer|decided|won['’]?t|doubt|believe|say|insist)\b|^\W*i['’](?:d|m|ll)\b|^\W*(?:in )?my (?:rule|take|view|opinion|answer)\b|",
        r"^\W*(?:(?:so|and|but|ok|okay|well|hm+)[,\s]+)*(?:what|who|why|which|where|when|how|is|are|was|does|do|did|can|could|should|shall|would|will|has|have)\b[^\n]*\?|",
        r"^\W*(?:that|this|these|those|it)(?:['’]s| is| are| was| isn['’]t| looks| seems| sounds)\b",
    ))
});
static REQUEST: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:please |pls |now |then |so )*(?:fix|check|look|find|implement|address|reply|answer|respond|summari[sz]e|explain|continue|go|apply|ignore|add|review|compare|tell|show|verify|translate|rewrite|update|handle|investigate|take)\b",
    )
});
static FIRM: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"\b(?:always|never|must|from now on|have to|don['’]?t|do not)\b"));

static HEADER: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"^\s*(?:from|to|cc|subject|date|sent|reply-to): \S"));
/// `[agent-2]: …`, `@maria: …`
static SPEAKER_LINE: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"^\s*(?:\[[\w .#@-]{2,40}\]|@([\w.-]{2,40})): "));
/// `Dana Meyer  10:42 AM`
static CHAT_HEADER: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(r"^\s*[a-z][\w .'’-]{1,40}[ \t,]+\[?(?:today at |yesterday at )?\d{1,2}:\d\d(?: ?[ap]m)?\]?\s*$")
});
static ROLE_LINE: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(
        r"^\s*\**(user|human|assistant|system|ai|bot|claude|codex|chatgpt|gpt|gemini|copilot|cursor|agent(?: ?\d+)?)\**: ",
    )
});
static RULE: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"^\s*(?:-{4,}|={4,}|_{4,}|\*{4,}|~{4,}|#{7,}|<{4,}|>{4,})"));

/// Assistants that a user addresses by name.
const ADDRESSED: &[&str] = &[
    "claude", "codex", "cursor", "copilot", "gemini", "qwen", "cline", "opencode", "kilo", "droid", "agent",
    "hark",
];

/// Masks everything in `page` that is passed on.
pub(super) fn blot(page: &mut Page<'_>) {
    between_rules(page);
    let groups = groups(page);
    speakers(page, &groups);
    mails(page, &groups);
    for at in 0..groups.len() {
        announced(page, &groups, at);
    }
}

/// Lines, in paragraphs.
fn groups(page: &Page<'_>) -> Vec<Vec<Range<usize>>> {
    let lines = page.line_ranges();
    let parts = lines.split(|range| page.text[range.clone()].trim().is_empty());
    parts.filter(|group| !group.is_empty()).map(<[_]>::to_vec).collect()
}

fn whole(group: &[Range<usize>]) -> Range<usize> {
    group.first().map_or(0, |line| line.start)..group.last().map_or(0, |line| line.end)
}

/// `-----` … `-----`
fn between_rules(page: &mut Page<'_>) {
    let rules: Vec<Range<usize>> =
        page.line_ranges().into_iter().filter(|line| RULE.is_match(&page.lower[line.clone()])).collect();
    for pair in rules.chunks_exact(2) {
        page.blot(pair[0].start..pair[1].end);
    }
}

fn speakers(page: &mut Page<'_>, groups: &[Vec<Range<usize>>]) {
    let mut roles: Vec<&str> = Vec::new();
    for line in groups.iter().flatten() {
        roles.extend(ROLE_LINE.first_group(&page.lower[line.clone()]).flatten());
    }
    let is_transcript = roles.len() > 1 && roles.iter().any(|role| !matches!(*role, "user" | "human"));
    let mut foreign = Vec::new();
    for group in groups {
        let speaks = |line: &&Range<usize>| {
            let text = &page.lower[(*line).clone()];
            let named = SPEAKER_LINE
                .first_group(text)
                .is_some_and(|name| name.is_none_or(|name| !ADDRESSED.contains(&name)));
            named || CHAT_HEADER.is_match(text) || (is_transcript && ROLE_LINE.is_match(text))
        };
        if let Some(first) = group.iter().find(speaks) {
            foreign.push(first.start..whole(group).end);
        }
    }
    for range in foreign {
        page.blot(range);
    }
}

/// Mail headers, and what follows them.
fn mails(page: &mut Page<'_>, groups: &[Vec<Range<usize>>]) {
    for (at, group) in groups.iter().enumerate() {
        let headers = group.iter().filter(|line| HEADER.is_match(&page.lower[(*line).clone()])).count();
        if headers >= 2 {
            let first = group.iter().find(|line| HEADER.is_match(&page.lower[(*line).clone()]));
            let from = first.map_or(whole(group).start, |line| line.start);
            page.blot(from..whole(group).end);
            blot_until_answer(page, groups, at + 1);
        }
    }
}

/// In one paragraph: finds a line or sentence that announces something, and masks what it announces.
fn announced(page: &mut Page<'_>, groups: &[Vec<Range<usize>>], at: usize) {
    let group = &groups[at];
    let end = whole(group).end;
    for (place, line) in group.iter().enumerate() {
        if page.is_blotted(line.start) {
            continue;
        }
        let text = &page.lower[line.clone()];
        if let Some(found) = SENTENCE_AHEAD.find(text).filter(|found| !OWN_CLAUSE.is_match(found.as_str())) {
            let from = line.start + found.end();
            page.blot(from..end);
            return;
        }
        let colon = colons(text).find(|colon| announces(clause(text, *colon)));
        let is_last = place + 1 == group.len();
        match colon {
            // "copied from the wiki: always …"
            Some(colon) if !text[colon + 1..].trim().is_empty() => {
                let from = line.start + colon + 1;
                page.blot(from..end);
                return;
            }
            None if !(is_last && points_ahead(text)) => {}
            _ => {
                if is_last {
                    blot_until_answer(page, groups, at + 1);
                } else if !page.is_blotted(group[place + 1].start) {
                    let rest = group[place + 1].start..end;
                    page.blot(rest);
                    blot_until_answer(page, groups, at + 1);
                }
                return;
            }
        }
    }
}

/// Masks paragraphs from `first` on, up to the one that comments on them. If a marked one follows (a fence, a
/// log), that is all that was announced.
fn blot_until_answer(page: &mut Page<'_>, groups: &[Vec<Range<usize>>], first: usize) {
    for (place, group) in groups.iter().enumerate().skip(first) {
        let marked = group.iter().all(|line| page.is_blotted(line.start));
        if place == first && marked {
            return;
        }
        let text = &page.lower[whole(group)];
        let short = text.split_whitespace().count() <= 12;
        if ANSWERS.is_match(text) || (short && REQUEST.is_match(text) && !FIRM.is_match(text)) {
            return;
        }
        page.blot(whole(group));
    }
}

/// Colons that end a clause, not those in times and addresses.
fn colons(text: &str) -> impl Iterator<Item = usize> + '_ {
    let follows = |at: usize| text[at + 1..].chars().next().is_none_or(char::is_whitespace);
    text.match_indices(':').map(|(at, _)| at).filter(move |at| follows(*at))
}

/// The text before a colon, from the last full stop on.
fn clause(text: &str, colon: usize) -> &str {
    let before = &text[..colon];
    let from = [". ", "! ", "? "].iter().filter_map(|stop| before.rfind(stop).map(|at| at + 2)).max();
    before[from.unwrap_or(0)..].trim()
}

fn announces(clause: &str) -> bool {
    clause.len() <= 160 && !OWN_CLAUSE.is_match(clause) && ANNOUNCES.iter().any(|one| one.is_match(clause))
}

fn points_ahead(text: &str) -> bool {
    let text = text.trim();
    if text.ends_with(['.', '!', '?', ':', ',']) || OWN_CLAUSE.is_match(text) {
        return false;
    }
    let points = POINTS_AHEAD.is_match(text) && NAMES_SOURCE.is_match(text);
    points || (ANNOUNCES[..3].iter().any(|one| one.is_match(text)) && NAMES_SPEAKER.is_match(text))
}
