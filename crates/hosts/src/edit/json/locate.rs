//! Finds the positions and values of things in a JSON text.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use crate::edit::Refusal;

/// Assistants themselves accept comments and trailing commas, but nothing more.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The value of a text; `None` if the text is empty.
pub(super) fn parse(text: &str) -> Result<Option<Node<'_>>, Refusal> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        let what = error.kind().to_string();
        let mut what = what.chars();
        let what: String = what.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(what).collect();
        Refusal::new(format!("it is not valid JSON: {what}"), "fix that line").at(text, error.range().start)
    })?;
    Ok(parsed.value)
}

/// How far a path leads.
#[derive(Debug)]
pub(super) enum Step<'t, 'a> {
    Found(&'t Node<'a>),
    /// The first `depth` names of the path exist; `inside` is the innermost object.
    Missing {
        inside: &'t Object<'a>,
        depth: usize,
    },
}

pub(super) fn walk<'t, 'a>(text: &str, root: &'t Node<'a>, path: &[String]) -> Result<Step<'t, 'a>, Refusal> {
    let mut here = root;
    for (depth, name) in path.iter().enumerate() {
        let Some(object) = here.as_object() else {
            return Err(not_a("object", &path[..depth], text, here));
        };
        match property(object, name) {
            Some((_, property)) => here = &property.value,
            None => return Ok(Step::Missing { inside: object, depth }),
        }
    }
    Ok(Step::Found(here))
}

/// The last property of this name, because that is the one parsers use.
pub(super) fn property<'t, 'a>(object: &'t Object<'a>, name: &str) -> Option<(usize, &'t ObjectProp<'a>)> {
    object.properties.iter().enumerate().rfind(|(_, property)| property.name.as_str() == name)
}

pub(super) fn not_a(kind: &str, path: &[String], text: &str, node: &Node<'_>) -> Refusal {
    let name = if path.is_empty() { "the file".to_owned() } else { format!("`{}`", path.join(".")) };
    let article = if kind == "object" { "an" } else { "a" };
    Refusal::new(format!("{name} must be {article} {kind}"), "fix or remove it").at(text, node.start())
}

/// The value without comments and layout.
pub(super) fn plain(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::String(text.value.to_string()),
        Node::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| Value::String(number.value.to_owned()))
        }
        Node::BooleanLit(truth) => Value::Bool(truth.value),
        Node::Object(object) => {
            let entries = object.properties.iter().map(|p| (p.name.as_str().to_owned(), plain(&p.value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Node::Array(array) => Value::Array(array.elements.iter().map(plain).collect()),
        Node::NullKeyword(_) => Value::Null,
    }
}

/// Whether a string anywhere in it contains `mark` as whole words.
pub(in crate::edit) fn mentions(value: &Value, mark: &str) -> bool {
    mentioning(value, mark).is_some()
}

/// That string.
pub(in crate::edit) fn mentioning<'v>(value: &'v Value, mark: &str) -> Option<&'v str> {
    match value {
        Value::String(text) => {
            let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            let whole = |(at, _): (usize, &str)| {
                !text[..at].ends_with(inside) && !text[at + mark.len()..].starts_with(inside)
            };
            text.match_indices(mark).any(whole).then_some(text)
        }
        Value::Array(elements) => elements.iter().find_map(|element| mentioning(element, mark)),
        Value::Object(entries) => entries.values().find_map(|value| mentioning(value, mark)),
        _ => None,
    }
}

/// The positions of an object or array and of its members.
#[derive(Debug)]
pub(super) struct Container {
    /// After the opening bracket.
    pub(super) open: usize,
    /// Before the closing bracket.
    pub(super) close: usize,
    /// Start and end of each member.
    pub(super) members: Vec<(usize, usize)>,
}

pub(super) fn container(node: &Node<'_>) -> Option<Container> {
    let members: Vec<(usize, usize)> = match node {
        Node::Object(object) => object.properties.iter().map(|p| (p.start(), p.end())).collect(),
        Node::Array(array) => array.elements.iter().map(|e| (e.start(), e.end())).collect(),
        _ => return None,
    };
    Some(Container { open: node.start() + 1, close: node.end() - 1, members })
}

/// The position of the comma between two members; comments may contain others.
pub(super) fn comma(gap: &str) -> Option<usize> {
    let mut at = 0;
    while at < gap.len() {
        let rest = &gap[at..];
        at += if rest.starts_with(',') {
            return Some(at);
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    None
}
