//! An element of a top-level list in a YAML file, edited as text. Parsed before and after; an edit that would
//! change anything else is refused.

use serde_json::{Map, Value};

use super::text::{gap, line_end, with_line_ends_of};
use super::{Refusal, State, Trace};

fn parse(text: &str) -> Result<Map<String, Value>, Refusal> {
    if text.trim().is_empty() || text.lines().all(|l| l.trim().is_empty() || l.trim().starts_with('#')) {
        return Ok(Map::new());
    }
    let parsed: Value = serde_saphyr::from_str(text).map_err(|error| {
        let said = error.to_string();
        let mut refusal = Refusal::new(
            format!("it is not valid YAML: {}", said.lines().next().unwrap_or_default()),
            "fix that line",
        );
        refusal.line = error.location().and_then(|place| usize::try_from(place.line()).ok());
        refusal
    })?;
    match parsed {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(Refusal::new("the top level of the file must be a mapping", "fix or remove it")),
    }
}

fn elements<'m>(map: &'m Map<String, Value>, key: &str) -> Vec<&'m Value> {
    match map.get(key) {
        Some(Value::Array(elements)) => elements.iter().collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(single) => vec![single],
    }
}

/// Entries are identified by name, plain words by themselves.
fn same_thing(a: &Value, b: &Value) -> bool {
    match (a.get("name"), b.get("name")) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

pub(super) fn state(text: &str, key: &str, value: &Value) -> Result<State, Refusal> {
    let map = parse(text)?;
    let elements = elements(&map, key);
    Ok(if elements.contains(&value) {
        State::Same
    } else if elements.iter().any(|element| same_thing(element, value)) {
        State::Differs
    } else {
        State::Absent
    })
}

/// The element that corresponds to `value`.
pub(super) fn entry(text: &str, key: &str, value: &Value) -> Result<Option<Value>, Refusal> {
    let map = parse(text)?;
    Ok(elements(&map, key).into_iter().find(|element| same_thing(element, value)).cloned())
}

pub(super) fn insert(text: &str, key: &str, value: &Value, seed: &str) -> Result<(String, Trace), Refusal> {
    let before = parse(text)?;
    let (outcome, trace) = if text.is_empty() && !seed.is_empty() {
        (format!("{seed}{key}:\n{}", item(value, "  ")), Trace::default())
    } else {
        place(text, key, value)
    };
    let mut meant = before.clone();
    let list: Vec<Value> = elements(&before, key).into_iter().cloned().chain([value.clone()]).collect();
    meant.insert(key.to_owned(), Value::Array(list));
    if text.is_empty() && !seed.is_empty() {
        meant.extend(parse(seed)?);
    }
    if parse(&outcome).is_ok_and(|after| after == meant) {
        return Ok((outcome, trace));
    }
    Err(Refusal::new(
        format!("`{key}` is written in a way that hark cannot extend safely"),
        format!("add this by hand under `{key}:`\n{}", item(value, "  ")),
    ))
}

/// In block style: a map on several lines, a word on one.
fn item(value: &Value, indent: &str) -> String {
    match value.as_object() {
        Some(entries) => {
            let lines = entries.iter().map(|(name, value)| format!("{name}: {}\n", flow(value)));
            let mut out = String::new();
            for (at, line) in lines.enumerate() {
                out.push_str(&format!("{indent}{}{line}", if at == 0 { "- " } else { "  " }));
            }
            out
        }
        None => format!("{indent}- {}\n", flow(value)),
    }
}

/// On one line. JSON is valid YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries = entries.iter().map(|(name, value)| format!("{name}: {}", flow(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(elements) => format!("[{}]", elements.iter().map(flow).collect::<Vec<_>>().join(", ")),
        plain => plain.to_string(),
    }
}

/// The line of a top-level key: where it starts, and what follows the colon.
fn heading<'t>(text: &'t str, key: &str) -> Option<(usize, &'t str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) {
            return Some((at, rest.trim_end()));
        }
        at += line.len();
    }
    None
}

fn place(text: &str, key: &str, value: &Value) -> (String, Trace) {
    let Some((start, rest)) = heading(text, key) else {
        let lead = gap(text);
        let block = with_line_ends_of(&format!("{key}:\n{}", item(value, "  ")), text);
        return (format!("{text}{lead}{block}"), Trace { lead, created: 1, ..Trace::default() });
    };
    let after_colon = start + key.len() + 1;
    let written = rest.split(" #").next().unwrap_or(rest).trim_end();
    let end = after_colon + written.len();
    if let Some(open) = written.strip_suffix(']') {
        let comma = if open.trim_end().ends_with('[') { "" } else { ", " };
        return (format!("{}{comma}{}{}", &text[..end - 1], flow(value), &text[end - 1..]), Trace::default());
    }
    if written.trim().is_empty() {
        let (indent, at) = last_item(text, start);
        let lead = if text[..at].ends_with('\n') { "" } else { line_end(text) };
        let block = with_line_ends_of(&item(value, &indent), text);
        let trace = Trace { lead: lead.to_owned(), ..Trace::default() };
        return (format!("{}{lead}{block}{}", &text[..at], &text[at..]), trace);
    }
    // A single word becomes a list of two.
    let word = written.trim();
    let from = end - word.len();
    let out = format!("{}[{word}, {}]{}", &text[..from], flow(value), &text[end..]);
    (out, Trace { hollow: Some(word.to_owned()), ..Trace::default() })
}

/// The indentation of the list under the heading at `start`, and where its last element ends.
fn last_item(text: &str, start: usize) -> (String, usize) {
    let body = start + text[start..].find('\n').map_or(text.len() - start, |n| n + 1);
    let (mut indent, mut end, mut at) = (None, body, body);
    for line in text[body..].split_inclusive('\n') {
        at += line.len();
        let bare = line.trim_start_matches(' ');
        let inward = line.len() - bare.len();
        if bare.trim().is_empty() || bare.starts_with('#') {
            continue;
        }
        if inward == 0 && !bare.starts_with("- ") {
            break;
        }
        if indent.is_none() {
            indent = Some(line[..inward].to_owned());
        }
        end = at;
    }
    (indent.unwrap_or_else(|| "  ".to_owned()), end)
}

pub(super) fn remove(text: &str, key: &str, value: &Value, trace: &Trace) -> Result<String, Refusal> {
    let before = parse(text)?;
    let list = elements(&before, key);
    let Some(index) = list.iter().position(|element| same_thing(element, value)) else {
        return Ok(text.to_owned());
    };
    let mut rest: Vec<Value> = list.into_iter().cloned().collect();
    rest.remove(index);
    let flow = flow(value);
    let heading_line = format!("{}{key}:{}", trace.lead, line_end(text));
    let mut ways: Vec<String> = Vec::new();
    if let Some(word) = &trace.hollow {
        ways.push(text.replacen(&format!("[{word}, {flow}]"), word, 1));
    }
    ways.extend([format!(", {flow}"), format!("{flow}, "), flow].iter().map(|way| text.replacen(way, "", 1)));
    if let Some((start, end)) = lines_of_item(text, key, index) {
        let (head, tail) = (&text[..start], &text[end..]);
        if trace.created > 0 && rest.is_empty() {
            ways.extend(head.strip_suffix(heading_line.as_str()).map(|head| format!("{head}{tail}")));
        }
        let bare =
            if tail.is_empty() { head.strip_suffix(trace.lead.as_str()).unwrap_or(head) } else { head };
        ways.push(format!("{bare}{tail}"));
    }
    let fits = |way: &String| {
        parse(way).is_ok_and(|after| {
            let left = elements(&after, key);
            let others = |map: &Map<String, Value>| {
                map.iter()
                    .filter(|(name, _)| *name != key)
                    .map(|(n, v)| (n.clone(), v.clone()))
                    .collect::<Vec<_>>()
            };
            left.iter().copied().eq(rest.iter()) && others(&after) == others(&before)
        })
    };
    ways.into_iter().filter(|way| way != text).find(fits).ok_or_else(|| {
        Refusal::new("hark cannot remove its entry safely", format!("remove it from `{key}:` by hand"))
    })
}

/// The lines of one element of a list.
fn lines_of_item(text: &str, key: &str, index: usize) -> Option<(usize, usize)> {
    let (start, _) = heading(text, key)?;
    let (indent, end) = last_item(text, start);
    let body = start + text[start..].find('\n')? + 1;
    let dash = format!("{indent}- ");
    let mut starts = Vec::new();
    let mut at = body;
    for line in text.get(body..end)?.split_inclusive('\n') {
        if line.starts_with(&dash) {
            starts.push(at);
        }
        at += line.len();
    }
    let first = *starts.get(index)?;
    let limit = starts.get(index + 1).copied().unwrap_or(end);
    // Comments before the next element belong to the next element.
    let mut last = first;
    let mut at = first;
    for line in text[first..limit].split_inclusive('\n') {
        at += line.len();
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            last = at;
        }
    }
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server() -> Value {
        json!({ "name": "hark", "command": "/usr/bin/hark", "args": ["mcp"] })
    }

    #[test]
    fn insert_and_remove_restore_the_text() {
        for text in [
            "name: me\n",
            "name: me",
            "# only a remark\n",
            "name: me\r\nmodels:\r\n  - name: x\r\n    roles: [chat]\r\n",
            "mcpServers:\n  - name: other\n    command: o # why\n\n# later\nrules: []\n",
            "mcpServers:\n- name: other\n  command: o\nrules:\n- a\n",
            "mcpServers: []\nname: me\n",
            "mcpServers: [{ name: other, command: o }] # mine\n",
            "mcpServers:\nname: me\n",
        ] {
            let (with, trace) = insert(text, "mcpServers", &server(), "").unwrap();
            assert_eq!(state(&with, "mcpServers", &server()), Ok(State::Same), "{with}");
            assert_eq!(remove(&with, "mcpServers", &server(), &trace).unwrap(), text, "{with}");
        }
    }

    #[test]
    fn words_in_a_list() {
        let file = json!("/home/ann/.aider.hark.md");
        for text in [
            "read: CONVENTIONS.md # mine\n",
            "read: [a.md, b.md]\n",
            "read:\n  - a.md\n",
            "dark-mode: true\n",
        ] {
            let (with, trace) = insert(text, "read", &file, "").unwrap();
            assert_eq!(remove(&with, "read", &file, &trace).unwrap(), text, "{with}");
        }
    }

    #[test]
    fn removal_works_after_edits_around_and_inside() {
        let (with, trace) = insert("name: me\n", "mcpServers", &server(), "").unwrap();
        let edited = with.replace("[\"mcp\"]", "[mcp, --tools, all]") + "  - name: other\n    command: o\n";
        assert_eq!(state(&edited, "mcpServers", &server()), Ok(State::Differs));
        let rest = remove(&edited, "mcpServers", &server(), &trace).unwrap();
        assert_eq!(rest, "name: me\n\nmcpServers:\n  - name: other\n    command: o\n");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let refusal = insert("a: [1\nb: 2\n", "mcpServers", &server(), "").unwrap_err();
        assert!(refusal.what.contains("YAML"), "{refusal:?}");
    }
}
