//! JSON with comments: adds and removes entries of objects and elements of arrays.

mod insert;
mod locate;
mod remove;
mod render;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::{Refusal, State, Trace};
use locate::{Step, parse, walk};
pub(super) use locate::{mentioning, mentions};

pub(super) fn entry_state(text: &str, path: &[String], value: &Value) -> Result<State, Refusal> {
    let Some(root) = parse(text)? else { return Ok(State::Absent) };
    match walk(text, &root, path)? {
        Step::Found(found) if locate::plain(found) == *value => Ok(State::Same),
        Step::Found(_) => Ok(State::Differs),
        Step::Missing { .. } => Ok(State::Absent),
    }
}

pub(super) fn entry(text: &str, path: &[String]) -> Result<Option<Value>, Refusal> {
    let Some(root) = parse(text)? else { return Ok(None) };
    Ok(match walk(text, &root, path)? {
        Step::Found(found) => Some(locate::plain(found)),
        Step::Missing { .. } => None,
    })
}

/// The element that would be removed as a whole: hark's, unless others put their handlers next to it.
pub(super) fn item(text: &str, path: &[String], mark: &str) -> Result<Option<Value>, Refusal> {
    let Some(Value::Array(elements)) = entry(text, path)? else { return Ok(None) };
    let found = elements.into_iter().find(|element| locate::mentions(element, mark));
    Ok(found.filter(|element| remove::guest(element, mark).is_none()))
}

pub(super) fn item_state(text: &str, path: &[String], value: &Value, mark: &str) -> Result<State, Refusal> {
    let Some(root) = parse(text)? else { return Ok(State::Absent) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(State::Absent) };
    let Some(array) = found.as_array() else { return Err(locate::not_a("list", path, text, found)) };
    let elements: Vec<Value> = array.elements.iter().map(locate::plain).collect();
    if elements.contains(value) {
        return Ok(State::Same);
    }
    Ok(if elements.iter().any(|element| locate::mentions(element, mark)) {
        State::Differs
    } else {
        State::Absent
    })
}

pub(super) fn insert_entry(text: &str, path: &[String], value: &Value) -> Result<(String, Trace), Refusal> {
    insert::insert(text, path, value, false)
}

pub(super) fn insert_item(text: &str, path: &[String], value: &Value) -> Result<(String, Trace), Refusal> {
    insert::insert(text, path, value, true)
}

pub(super) fn replace_entry(text: &str, path: &[String], value: &Value) -> Result<String, Refusal> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(text.to_owned()) };
    Ok(insert::in_place_of(text, found, value))
}

pub(super) fn replace_item(
    text: &str,
    path: &[String],
    old: &Value,
    value: &Value,
) -> Result<String, Refusal> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(text.to_owned()) };
    let elements = found.as_array().map(|array| array.elements.as_slice()).unwrap_or_default();
    match elements.iter().find(|element| locate::plain(element) == *old) {
        Some(element) => Ok(insert::in_place_of(text, element, value)),
        None => Ok(text.to_owned()),
    }
}

pub(super) fn remove_entry(text: &str, path: &[String], trace: &Trace) -> Result<String, Refusal> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    match walk(text, &root, path)? {
        Step::Found(_) => remove::climb(text, path, None, trace),
        Step::Missing { .. } => Ok(text.to_owned()),
    }
}

pub(super) fn remove_item(
    text: &str,
    path: &[String],
    value: &Value,
    mark: &str,
    trace: &Trace,
) -> Result<String, Refusal> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(text.to_owned()) };
    let Some(array) = found.as_array() else { return Ok(text.to_owned()) };
    let plain: Vec<Value> = array.elements.iter().map(locate::plain).collect();
    let index = plain.iter().position(|element| element == value);
    let Some(index) = index.or_else(|| plain.iter().position(|e| locate::mentions(e, mark))) else {
        return Ok(text.to_owned());
    };
    // A group that now contains other handlers stays; only hark's handler is removed.
    if plain[index] != *value
        && let Some((key, inner)) = remove::guest(&plain[index], mark)
    {
        return remove::from_group(text, path, index, &key, inner);
    }
    remove::climb(text, path, Some(index), trace)
}
