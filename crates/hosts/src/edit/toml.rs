//! A table at the end of a TOML file; its removal also removes the line before it, and nothing else.

use serde_json::Value;
use toml_edit::{Document, DocumentMut, Item, Table, TableLike};

use super::text::{gap, line_end, with_line_ends_of};
use super::{Refusal, State, Trace};

fn parse(text: &str) -> Result<Document<&str>, Refusal> {
    Document::parse(text).map_err(|error| {
        let said = error.message().lines().next().unwrap_or("it cannot be read").to_owned();
        let refusal = Refusal::new(format!("it is not valid TOML: {said}"), "fix that line");
        error.span().map_or(refusal.clone(), |span| refusal.at(text, span.start))
    })
}

fn find<'d>(document: &'d Document<&str>, path: &[String]) -> Option<&'d Item> {
    path.iter().try_fold(document.as_item(), |here, name| here.get(name))
}

pub(super) fn state(text: &str, path: &[String], value: &Value) -> Result<State, Refusal> {
    let document = parse(text)?;
    Ok(match find(&document, path) {
        None => State::Absent,
        Some(item) if plain(item) == *value => State::Same,
        Some(_) => State::Differs,
    })
}

pub(super) fn entry(text: &str, path: &[String]) -> Result<Option<Value>, Refusal> {
    Ok(find(&parse(text)?, path).map(plain))
}

pub(super) fn insert(text: &str, path: &[String], value: &Value) -> Result<(String, Trace), Refusal> {
    let document = parse(text)?;
    let outer = path.split_last().map(|(_, outer)| outer).unwrap_or_default();
    let inline = find(&document, outer).is_some_and(Item::is_value);
    let (outcome, trace) = if inline {
        (into_inline(text, path, value)?, Trace::default())
    } else {
        let lead = gap(text);
        let table = with_line_ends_of(&table(path, value), text);
        (format!("{text}{lead}{table}"), Trace { lead, ..Trace::default() })
    };
    match state(&outcome, path, value) {
        Ok(State::Same) => Ok((outcome, trace)),
        _ => Err(Refusal::new(
            format!("`{}` is written in a way that hark cannot extend", outer.join(".")),
            format!("write its entries as [{}.NAME] tables", outer.join(".")),
        )),
    }
}

/// `[a.b]` with its keys, followed by nested tables as `[a.b.c]`.
fn table(path: &[String], value: &Value) -> String {
    let name: Vec<String> = path.iter().map(|part| toml_edit::Key::new(part).to_string()).collect();
    let mut out = format!("[{}]\n", name.join("."));
    let mut inner = String::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        if value.is_object() {
            let path: Vec<String> = path.iter().cloned().chain([key.clone()]).collect();
            inner.push_str(&table(&path, value));
        } else {
            out.push_str(&format!("{} = {}\n", toml_edit::Key::new(key), toml_value(value)));
        }
    }
    out + &inner
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| number.as_f64().unwrap_or_default().into(), toml_edit::Value::from)
        }
        Value::Array(elements) => elements.iter().map(toml_value).collect::<toml_edit::Array>().into(),
        Value::Object(entries) => entries
            .iter()
            .map(|(name, value)| (name.as_str(), toml_value(value)))
            .collect::<toml_edit::InlineTable>()
            .into(),
        Value::Null => "".into(),
    }
}

/// Inserts into `outer = { … }`, which headers cannot extend: before the closing bracket.
fn into_inline(text: &str, path: &[String], value: &Value) -> Result<String, Refusal> {
    let cannot = || Refusal::new("hark cannot edit this file", "add the table by hand");
    let document = parse(text)?;
    let (name, outer) = path.split_last().ok_or_else(cannot)?;
    let table = find(&document, outer).and_then(Item::as_inline_table).ok_or_else(cannot)?;
    let close = table.span().ok_or_else(cannot)?.end - 1;
    let at = text[..close].trim_end().len();
    let comma = if table.is_empty() { "" } else { ", " };
    let entry = format!("{comma}{} = {}", toml_edit::Key::new(name), toml_value(value));
    Ok(format!("{}{entry}{}", &text[..at], &text[at..]))
}

/// Removes it from there, with its comma.
fn out_of_inline(text: &str, path: &[String]) -> Option<String> {
    let document = parse(text).ok()?;
    let (name, outer) = path.split_last()?;
    let table = find(&document, outer)?.as_inline_table()?;
    let (key, item) = table.get_key_value(name)?;
    let (start, end) = (key.span()?.start, item.span()?.end);
    let (before, after) = (text[..start].trim_end(), &text[end..]);
    if let Some(before) = before.strip_suffix(',') {
        return Some(format!("{before}{after}"));
    }
    let after = after.trim_start().strip_prefix(',').map_or(after, str::trim_start);
    Some(format!("{before}{after}"))
}

pub(super) fn remove(text: &str, path: &[String], trace: &Trace) -> Result<String, Refusal> {
    let document = parse(text)?;
    let Some(item) = find(&document, path) else { return Ok(text.to_owned()) };
    let ranges = match item {
        Item::Table(table) if !table.is_dotted() => lines_of(text, table),
        _ => None,
    };
    let outcome = match ranges {
        Some(ranges) => cut(text, &ranges, &trace.lead),
        None => match out_of_inline(text, path) {
            Some(outcome) => outcome,
            None => without_item(text, path)?,
        },
    };
    let clean = parse(&outcome).is_ok_and(|document| find(&document, path).is_none());
    let rest = |text: &str| {
        let mut value = parse(text).map(|d| plain(d.as_item())).unwrap_or_default();
        drop_at(&mut value, path);
        value
    };
    if clean && rest(&outcome) == rest(text) {
        return Ok(outcome);
    }
    Err(Refusal::new("hark cannot remove its table safely", format!("remove [{}] by hand", path.join("."))))
}

/// Empty parent tables may come and go with the edit; everything else must stay the same.
fn drop_at(value: &mut Value, path: &[String]) {
    let Some((name, rest)) = path.split_first() else { return };
    let Some(object) = value.as_object_mut() else { return };
    let gone = rest.is_empty() || {
        let inner = object.get_mut(name);
        inner.is_some_and(|inner| {
            drop_at(inner, rest);
            inner.as_object().is_some_and(serde_json::Map::is_empty)
        })
    };
    if gone {
        object.shift_remove(name);
    }
}

/// The lines of a table and its nested tables: from each header to its last value.
fn lines_of(text: &str, table: &Table) -> Option<Vec<(usize, usize)>> {
    let mut ranges = Vec::new();
    if !table.is_implicit() {
        let header = table.span()?;
        let mut end = header.start + text[header.start..].find('\n').unwrap_or(text.len() - header.start);
        for (_, item) in table.iter().filter(|(_, item)| item.is_value()) {
            end = end.max(item.span()?.end);
        }
        for (_, inner) in table.iter().filter_map(|(name, item)| Some((name, item.as_table()?))) {
            if inner.is_dotted() {
                for (_, item) in inner {
                    end = end.max(item.span()?.end);
                }
            }
        }
        let start = text[..header.start].rfind('\n').map_or(0, |n| n + 1);
        let end = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
        ranges.push((start, end));
    }
    for (_, item) in table {
        match item {
            Item::Table(inner) if !inner.is_dotted() => ranges.extend(lines_of(text, inner)?),
            Item::ArrayOfTables(_) => return None,
            _ => {}
        }
    }
    Some(ranges)
}

fn cut(text: &str, ranges: &[(usize, usize)], lead: &str) -> String {
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable();
    let mut out = String::new();
    let mut at = 0;
    for (start, end) in ranges {
        out.push_str(&text[at..start]);
        // Only the first table is separated from the text before it.
        if at == 0
            && let Some(bare) = out.strip_suffix(lead)
        {
            out.truncate(bare.len());
        }
        // Hark writes no comments, so those in its table are somebody else's.
        let comments = text[start..end].split_inclusive('\n').filter(|l| l.trim_start().starts_with('#'));
        for comment in comments {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push_str(line_end(text));
            }
            out.push_str(comment);
        }
        at = end;
    }
    if !out.is_empty() && !out.ends_with('\n') && at < text.len() {
        out.push_str(line_end(text));
    }
    out + &text[at..]
}

fn without_item(text: &str, path: &[String]) -> Result<String, Refusal> {
    let cannot = || Refusal::new("hark cannot edit this file", "remove the table by hand");
    let mut document: DocumentMut = text.parse().map_err(|_| cannot())?;
    let (name, outer) = path.split_last().ok_or_else(cannot)?;
    let table = outer.iter().try_fold(document.as_item_mut(), |here, name| here.get_mut(name));
    table.and_then(Item::as_table_like_mut).ok_or_else(cannot)?.remove(name);
    let outcome = document.to_string();
    // The edit added a final line end to a text that had none.
    Ok(if text.ends_with('\n') { outcome } else { outcome.trim_end().to_owned() })
}

/// The value without comments and layout.
fn plain(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain_value(value),
        Item::Table(table) => plain_table(table),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|table| plain_table(table)).collect()),
    }
}

fn plain_table(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(name, item)| (name.to_owned(), plain(item))).collect())
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::Bool(*truth.value()),
        toml_edit::Value::Datetime(time) => Value::String(time.value().to_string()),
        toml_edit::Value::Array(elements) => Value::Array(elements.iter().map(plain_value).collect()),
        toml_edit::Value::InlineTable(table) => plain_table(table),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn path() -> Vec<String> {
        ["mcp_servers", "hark"].map(str::to_owned).into()
    }

    fn server() -> Value {
        json!({ "command": "/usr/bin/hark", "args": ["mcp"], "env": { "HARK_HOME": "/data" } })
    }

    #[test]
    fn insert_and_remove_restore_the_text() {
        for text in [
            "",
            "model = \"x\"",
            "# mine\nmodel = 'x' # why\n\n[mcp_servers.other]\ncommand = \"o\"\n",
            "[mcp_servers.other]\r\ncommand = \"o\"\r\n\r\n[tui]\r\nx = 1\r\n",
            "mcp_servers = { other = { command = \"o\" } }\n",
            "mcp_servers={other={command=\"o\"}}",
            "mcp_servers = {}\r\nx = 1\r\n",
            "mcp_servers.other.command = \"o\"\n",
        ] {
            let (with, trace) = insert(text, &path(), &server()).unwrap();
            assert_eq!(state(&with, &path(), &server()), Ok(State::Same), "{with}");
            assert_eq!(remove(&with, &path(), &trace).unwrap(), text, "{with}");
        }
    }

    #[test]
    fn later_text_stays() {
        let (with, trace) = insert("a = 1\n", &path(), &server()).unwrap();
        let more = format!("{with}\n# next\n[tui]\nx = 1\n");
        assert_eq!(remove(&more, &path(), &trace).unwrap(), "a = 1\n\n# next\n[tui]\nx = 1\n");
        let inside =
            with.replace("[mcp_servers.hark.env]", "startup_timeout_sec = 9 # slow\n[mcp_servers.hark.env]");
        assert_eq!(state(&inside, &path(), &server()), Ok(State::Differs));
        assert_eq!(remove(&inside, &path(), &trace).unwrap(), "a = 1\n");
        let remarked = with.replace("command =", "# the build of Tuesday\ncommand =");
        assert_eq!(remove(&remarked, &path(), &trace).unwrap(), "a = 1\n# the build of Tuesday\n");
    }

    #[test]
    fn a_broken_file_is_refused_with_its_line() {
        let refusal = insert("a = 1\nb = = 2\n", &path(), &server()).unwrap_err();
        assert_eq!(refusal.line, Some(2), "{refusal:?}");
    }

    /// Arbitrary settings, in any order and layout.
    fn document() -> impl Strategy<Value = String> {
        let remark = prop::sample::select(vec!["", " # why", "\n# mine\n", "\n\n", "  "]);
        let value = ["1", "\"a\"", "[1, 2, ]", "{ a = 1 }", "\"\"\"\nx\n[y]\n\"\"\"", "1979-05-27"];
        let entry = ("[a-d]{1,2}", prop::sample::select(value.to_vec()), remark.clone());
        let entries = prop::collection::vec(entry, 0..4);
        let headers = ["", "[t]", "[mcp_servers]", "[mcp_servers.x]", "[[list]]", "[t.u]"];
        let section = (prop::sample::select(headers.to_vec()), remark, entries);
        let whole = (prop::collection::vec(section, 0..4), any::<bool>(), any::<bool>());
        whole.prop_map(|(sections, windows, cut)| {
            let mut out = String::new();
            for (header, remark, entries) in sections {
                out.push_str(&format!("{header}{remark}\n"));
                for (key, value, remark) in entries {
                    out.push_str(&format!("{key} = {value}{remark}\n"));
                }
            }
            let out = if cut { out.trim_end().to_owned() } else { out };
            if windows { out.replace('\n', "\r\n") } else { out }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_document_survives(text in document()) {
            if let Ok((with, trace)) = insert(&text, &path(), &server()) {
                prop_assert_eq!(state(&with, &path(), &server()), Ok(State::Same));
                prop_assert_eq!(remove(&with, &path(), &trace), Ok(text.clone()), "{:?}", with);
            }
        }
    }
}
