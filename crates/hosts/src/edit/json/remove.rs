//! Removes a member from an object or array, with its comma and the space before it.

use std::ops::Range;

use jsonc_parser::ast::Value as Node;
use serde_json::Value;

use super::insert::verify;
use super::locate::{self, Container, Step, comma, container, parse, walk};
use crate::edit::splice::splice;
use crate::edit::{Refusal, Trace};

/// Removes what is at `path` (or the element of the list there), and then each enclosing container that was
/// created for it and is now empty.
pub(super) fn climb(
    text: &str,
    path: &[String],
    element: Option<usize>,
    trace: &Trace,
) -> Result<String, Refusal> {
    let mut created = trace.created;
    let mut path = path;
    let mut text = match element {
        Some(index) => {
            // The list itself counts as one of the created containers.
            let hollow = if created == 0 { trace.hollow.as_deref() } else { None };
            let out = without(text, path, Which::Index(index), hollow)?;
            let emptied = is_empty(&out, path)?;
            if created == 0 || !emptied {
                return Ok(out);
            }
            created -= 1;
            out
        }
        None => text.to_owned(),
    };
    loop {
        let Some((name, outer)) = path.split_last() else { return Ok(text) };
        let hollow = if created == 0 { trace.hollow.as_deref() } else { None };
        text = without(&text, outer, Which::Name(name), hollow)?;
        if outer.is_empty() {
            // The whole file was hark's: `hollow` is what it contained before.
            let bare = text.trim().starts_with('{') && text.trim().ends_with('}');
            let gone = created > 0 && bare && is_empty(&text, &[])?;
            return Ok(if gone { trace.hollow.clone().unwrap_or_default() } else { text });
        }
        if created == 0 || !is_empty(&text, outer)? {
            return Ok(text);
        }
        created -= 1;
        path = outer;
    }
}

#[derive(Clone, Copy)]
enum Which<'n> {
    Name(&'n str),
    Index(usize),
}

fn is_empty(text: &str, path: &[String]) -> Result<bool, Refusal> {
    let Some(root) = parse(text)? else { return Ok(true) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(false) };
    Ok(container(found)
        .is_some_and(|place| place.members.is_empty() && text[place.open..place.close].trim().is_empty()))
}

/// The text without one member of the container at `path`.
fn without(text: &str, path: &[String], which: Which<'_>, hollow: Option<&str>) -> Result<String, Refusal> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(text.to_owned()) };
    let (Some(place), Some(index)) = (container(found), index_of(found, which)) else {
        return Ok(text.to_owned());
    };
    let mut meant = locate::plain(&root);
    let outer = path.iter().try_fold(&mut meant, |here, name| here.get_mut(name));
    match (outer, which) {
        (Some(Value::Object(entries)), Which::Name(name)) => drop(entries.shift_remove(name)),
        (Some(Value::Array(elements)), Which::Index(index)) => drop(elements.remove(index)),
        _ => return Ok(text.to_owned()),
    }
    // The tidy cut comes first. If it would pull a line into a comment, use the plain one.
    for cuts in [tidy(text, &place, index, hollow), plain(text, &place, index)] {
        let out = splice(text, cuts);
        if verify(&out, &meant).is_ok() {
            return Ok(out);
        }
    }
    Err(Refusal::new("hark cannot remove its entry safely", "remove the `hark` entry by hand"))
}

fn index_of(node: &Node<'_>, which: Which<'_>) -> Option<usize> {
    match which {
        Which::Index(index) => (index < node.as_array()?.elements.len()).then_some(index),
        Which::Name(name) => locate::property(node.as_object()?, name).map(|(index, _)| index),
    }
}

type Cut = (Range<usize>, String);

fn cut(range: Range<usize>) -> Cut {
    (range, String::new())
}

/// The comma after a member, up to the next member or the end.
fn comma_after(text: &str, place: &Container, index: usize) -> Option<usize> {
    let end = place.members[index].1;
    let next = place.members.get(index + 1).map_or(place.close, |(start, _)| *start);
    comma(&text[end..next]).map(|at| end + at)
}

fn tidy(text: &str, place: &Container, index: usize, hollow: Option<&str>) -> Vec<Cut> {
    let (start, end) = place.members[index];
    let bare = text[..start].trim_end().len().max(place.open);
    let alone = place.members.len() == 1;
    let after = comma_after(text, place, index);
    let rest = after.map_or(end, |at| at + 1);
    if alone && bare == place.open && text[rest..place.close].trim().is_empty() {
        return vec![(place.open..place.close, hollow.unwrap_or_default().to_owned())];
    }
    match after {
        Some(at) => vec![cut(bare..at + 1)],
        None if index > 0 => {
            let before = place.members[index - 1].1;
            let comma = comma(&text[before..start]).map(|at| before + at);
            match comma {
                Some(at) if at + 1 >= bare => vec![cut(at..end)],
                Some(at) => vec![cut(at..at + 1), cut(bare..end)],
                None => vec![cut(bare..end)],
            }
        }
        None => vec![cut(bare..end)],
    }
}

fn plain(text: &str, place: &Container, index: usize) -> Vec<Cut> {
    let (start, end) = place.members[index];
    match comma_after(text, place, index) {
        Some(at) => vec![cut(start..at + 1)],
        None if index > 0 => {
            let before = place.members[index - 1].1;
            let comma = comma(&text[before..start]).map(|at| before + at..before + at + 1);
            comma.into_iter().map(cut).chain([cut(start..end)]).collect()
        }
        None => vec![cut(start..end)],
    }
}

/// The position of hark's handler in a group with several: the name of the list and the index.
pub(super) fn guest(group: &Value, mark: &str) -> Option<(String, usize)> {
    group.as_object()?.iter().find_map(|(name, list)| {
        let list = list.as_array().filter(|list| list.len() > 1)?;
        Some((name.clone(), list.iter().position(|handler| locate::mentions(handler, mark))?))
    })
}

/// Removes one handler from a group in the list at `path`.
pub(super) fn from_group(
    text: &str,
    path: &[String],
    group: usize,
    key: &str,
    handler: usize,
) -> Result<String, Refusal> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let Step::Found(found) = walk(text, &root, path)? else { return Ok(text.to_owned()) };
    let list = found.as_array().and_then(|array| array.elements.get(group));
    let list = list.and_then(Node::as_object).and_then(|object| object.get(key));
    let Some(place) = list.and_then(|property| container(&property.value)) else {
        return Ok(text.to_owned());
    };
    let mut meant = locate::plain(&root);
    let outer = path.iter().try_fold(&mut meant, |here, name| here.get_mut(name));
    let handlers = outer.and_then(|list| list.get_mut(group)).and_then(|group| group.get_mut(key));
    if let Some(Value::Array(handlers)) = handlers
        && handler < handlers.len()
    {
        handlers.remove(handler);
    }
    for cuts in [tidy(text, &place, handler, None), plain(text, &place, handler)] {
        let out = splice(text, cuts);
        if verify(&out, &meant).is_ok() {
            return Ok(out);
        }
    }
    Err(Refusal::new("hark cannot remove its hook safely", "remove the `hark hook` line by hand"))
}
