//! Adds a member at the end of an object or array.

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value, json};

use super::locate::{self, Container, Step, comma, container, parse, walk};
use super::render::{Layout, block, indent_at, inline, named};
use crate::edit::splice::{Splice, splice};
use crate::edit::{Refusal, Trace};

/// `value` becomes the entry at `path`, or an element of the list there.
pub(super) fn insert(
    text: &str,
    path: &[String],
    value: &Value,
    element: bool,
) -> Result<(String, Trace), Refusal> {
    let value = if element { json!([value]) } else { value.clone() };
    let Some(root) = parse(text)? else { return anew(text, path, &value, element) };
    let (outcome, trace) = match walk(text, &root, path)? {
        Step::Found(found) => {
            let only = value.as_array().and_then(|list| list.first()).filter(|_| element);
            let (Some(only), true) = (only, found.as_array().is_some()) else {
                return Err(locate::not_a("list", path, text, found));
            };
            put(text, found, None, only)?
        }
        Step::Missing { inside, depth } => {
            let Some((name, outer)) = path[depth..].split_first() else {
                return Err(Refusal::new("there is no place to insert the entry", "fix the file"));
            };
            let object = Node::Object(inside.clone());
            let (outcome, mut trace) = put(text, &object, Some(name), &nest(outer, value.clone()))?;
            trace.created = outer.len() + usize::from(element);
            (outcome, trace)
        }
    };
    let mut meant = locate::plain(&root);
    set(&mut meant, path, &value, element);
    verify(&outcome, &meant)?;
    Ok((outcome, trace))
}

/// Wraps a value in the objects that are missing around it.
fn nest(path: &[String], value: Value) -> Value {
    path.iter().rev().fold(value, |inner, name| Value::Object(Map::from_iter([(name.clone(), inner)])))
}

fn set(root: &mut Value, path: &[String], value: &Value, element: bool) {
    let mut here = root;
    for name in path {
        let Some(object) = here.as_object_mut() else { return };
        here = object.entry(name.as_str()).or_insert_with(|| json!({}));
    }
    match (here.as_array_mut(), value.as_array()) {
        (Some(list), Some(more)) if element => list.extend(more.iter().cloned()),
        _ => *here = value.clone(),
    }
}

/// Checks that the new text says exactly what was intended; otherwise nothing is written.
pub(super) fn verify(text: &str, meant: &Value) -> Result<(), Refusal> {
    let same = |node: Option<Node<'_>>| node.as_ref().map(locate::plain).as_ref() == Some(meant);
    match parse(text).map(same) {
        Ok(true) => Ok(()),
        _ => Err(Refusal::new(
            "hark cannot edit a file with this layout safely",
            "put each entry on its own line, or add the entry by hand",
        )),
    }
}

/// A file without content yet.
fn anew(text: &str, path: &[String], value: &Value, element: bool) -> Result<(String, Trace), Refusal> {
    let layout = Layout::of(text);
    let whole = nest(path, value.clone());
    let outcome = format!("{}{}", block(&whole, "", &layout), layout.line_end);
    verify(&outcome, &whole)?;
    let trace = Trace {
        created: path.len() + usize::from(element),
        hollow: Some(text.to_owned()),
        ..Trace::default()
    };
    Ok((outcome, trace))
}

/// The text with another value in place of `node`.
pub(super) fn in_place_of(text: &str, node: &Node<'_>, value: &Value) -> String {
    let layout = Layout::of(text);
    let flat = !text[node.start()..node.end()].contains('\n');
    let new =
        if flat { inline(value, &layout) } else { block(value, indent_at(text, node.start()), &layout) };
    splice(text, vec![(node.start()..node.end(), new)])
}

fn put(text: &str, node: &Node<'_>, name: Option<&str>, value: &Value) -> Result<(String, Trace), Refusal> {
    let Some(place) = container(node) else { return Err(locate::not_a("object", &[], text, node)) };
    let layout = Layout::of(text);
    let inner = &text[place.open..place.close];
    let flat = if place.members.is_empty() { !text.trim_end().contains('\n') } else { !inner.contains('\n') };
    let (splices, trace) = if flat {
        let member = match name {
            Some(name) => named(name, &inline(value, &layout), &layout),
            None => inline(value, &layout),
        };
        in_line(text, &place, &member, layout.space)
    } else {
        let outer = indent_at(text, place.open);
        let indent = match place.members.last() {
            Some((start, _)) if text[..*start].trim_end_matches([' ', '\t']).ends_with('\n') => {
                indent_at(text, *start).to_owned()
            }
            _ => format!("{outer}{}", layout.unit),
        };
        let written = block(value, &indent, &layout);
        let spaced = Layout { space: " ", ..layout.clone() };
        let member = name.map_or_else(|| written.clone(), |name| named(name, &written, &spaced));
        on_lines(text, &place, &member, &indent, outer, layout.line_end)
    };
    Ok((splice(text, splices), trace))
}

fn in_line(text: &str, place: &Container, member: &str, space: &str) -> (Vec<Splice>, Trace) {
    let Some((_, end)) = place.members.last() else { return into_empty(text, place, member.to_owned(), "") };
    let splices = match comma(&text[*end..place.close]) {
        Some(at) => vec![(end + at + 1..end + at + 1, format!("{space}{member},"))],
        None => vec![(*end..*end, format!(",{space}{member}"))],
    };
    (splices, Trace::default())
}

fn on_lines(
    text: &str,
    place: &Container,
    member: &str,
    indent: &str,
    outer: &str,
    line_end: &str,
) -> (Vec<Splice>, Trace) {
    let line = format!("{line_end}{indent}{member}");
    let Some((_, end)) = place.members.last() else {
        return into_empty(text, place, line, &format!("{line_end}{outer}"));
    };
    let splices = match comma(&text[*end..place.close]) {
        Some(at) => {
            let place = after_remark(text, end + at + 1, place.close);
            vec![(place..place, format!("{line},"))]
        }
        None => {
            let place = after_remark(text, *end, place.close);
            vec![(*end..*end, ",".to_owned()), (place..place, line)]
        }
    };
    (splices, Trace::default())
}

fn into_empty(text: &str, place: &Container, member: String, tail: &str) -> (Vec<Splice>, Trace) {
    let inner = &text[place.open..place.close];
    if inner.trim().is_empty() {
        let trace = Trace { hollow: Some(inner.to_owned()), ..Trace::default() };
        return (vec![(place.open..place.close, format!("{member}{tail}"))], trace);
    }
    // It contains only comments: the new entry goes after them, and what follows them stays.
    let at = place.open + inner.trim_end().len();
    let open_end =
        inner.trim_end().rfind("//").is_some_and(|slash| !inner[slash..].trim_end().contains('\n'));
    let member = if open_end && !member.starts_with(['\n', '\r']) { format!("\n{member}") } else { member };
    (vec![(at..at, member)], Trace::default())
}

/// Skips a comment that belongs to the line before.
fn after_remark(text: &str, at: usize, limit: usize) -> usize {
    let line = &text[at..limit];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let line = line.strip_suffix('\r').unwrap_or(line);
    let remark = line.trim();
    let whole = remark.starts_with("//")
        || (remark.starts_with("/*") && remark.find("*/").is_some_and(|end| end + 2 == remark.len()));
    if whole { at + line.trim_end().len() } else { at }
}
