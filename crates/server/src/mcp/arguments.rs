//! Checks arguments against a tool's schema before the tool runs.
//!
//! Models misname and mistype arguments, so the answer names the argument and says what the tool takes.
//! Obvious slips are corrected: a number or a list sent as text, one item instead of a list, `null` for "not
//! given". Only the parts of JSON Schema that tools use are checked (`required`, `type`, `enum`, bounds, `items`);
//! the operation checks the rest.

use hark_core::quote::quoted;
use serde_json::{Map, Value};

use super::Refusal;

type Object = Map<String, Value>;

/// `unknown` are names that the tool does not have; they were removed.
pub(super) fn check(
    tool: &str,
    schema: &Object,
    mut arguments: Object,
    unknown: &[String],
) -> Result<Object, Refusal> {
    let none = Object::new();
    let member = |key| schema.get(key);
    let properties = member("properties").and_then(Value::as_object).unwrap_or(&none);
    let required: Vec<&str> = member("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let closed = member("additionalProperties") == Some(&Value::Bool(false));

    let mut problems: Vec<String> = Vec::new();
    arguments.retain(|name, value| {
        let declared = properties.get(name);
        !value.is_null() || declared.is_some_and(|schema| types(schema).contains(&"null"))
    });
    for name in &required {
        if !arguments.contains_key(*name) {
            problems.push(format!("argument `{name}` is missing"));
        }
    }
    for (name, value) in &mut arguments {
        match properties.get(name) {
            Some(schema) => problems.extend(fit(name, value, schema)),
            None if closed => problems.push(format!("there is no argument `{name}`")),
            None => {}
        }
    }
    if problems.is_empty() {
        return Ok(arguments);
    }
    problems.extend(unknown.iter().map(|name| format!("there is no argument `{name}`")));
    Err(Refusal { message: problems.join("; "), hint: Some(usage(tool, properties, &required)) })
}

/// What to say about names that had no effect.
pub(super) fn remark(tool: &str, schema: &Object, unknown: &[String]) -> Option<String> {
    if unknown.is_empty() {
        return None;
    }
    let none = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let names: Vec<String> = unknown.iter().map(|name| format!("`{}`", quoted(name))).collect();
    let takes: Vec<&str> = properties.keys().map(String::as_str).collect();
    let (word, them) = if names.len() == 1 { ("argument", "it") } else { ("arguments", "them") };
    Some(format!(
        "{tool} has no {word} {} and ignored {them}; it takes {}.",
        names.join(", "),
        takes.join(", ")
    ))
}

fn usage(tool: &str, properties: &Object, required: &[&str]) -> String {
    let described = properties.iter().map(|(name, schema)| {
        let mut notes = types(schema);
        notes.retain(|kind| *kind != "null");
        if required.contains(&name.as_str()) {
            notes.push("required");
        }
        match notes.is_empty() {
            true => name.clone(),
            false => format!("{name} ({})", notes.join(", ")),
        }
    });
    let described: Vec<String> = described.collect();
    match described.is_empty() {
        true => format!("{tool} takes no arguments"),
        false => format!("{tool} takes {}", described.join(", ")),
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What is wrong with `value`, after correcting obvious slips.
fn fit(name: &str, value: &mut Value, schema: &Value) -> Option<String> {
    let types = types(schema);
    if !types.is_empty() && !types.iter().any(|kind| is_a(value, kind)) {
        match types.iter().find_map(|kind| meant_as(value, kind)) {
            Some(meant) => *value = meant,
            None => {
                let wanted: Vec<&str> =
                    types.iter().filter(|t| **t != "null").map(|t| with_article(t)).collect();
                let got = with_article(type_of(value));
                return Some(format!("argument `{name}` must be {}, not {got}", wanted.join(" or ")));
            }
        }
    }
    if types.contains(&"integer")
        && let Some(whole) = value.as_f64().filter(|_| value.is_f64())
    {
        // `2.0` is an integer to JSON Schema but not to serde.
        *value = Value::from(whole as i64);
    }
    if let Some(Value::Array(choices)) = schema.get("enum")
        && !choices.contains(value)
    {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        return Some(format!("argument `{name}` must be one of {}, not {value}", choices.join(", ")));
    }
    if let Some(number) = value.as_f64() {
        let bound = |key| schema.get(key).and_then(Value::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            return Some(format!("argument `{name}` must be at least {least}, not {value}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            return Some(format!("argument `{name}` must be at most {most}, not {value}"));
        }
    }
    if let (Value::Array(items), Some(schema)) = (value, schema.get("items")) {
        let mut numbered = items.iter_mut().enumerate();
        return numbered.find_map(|(i, item)| fit(&format!("{name}[{i}]"), item, schema));
    }
    None
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "number" => value.is_number(),
        _ => type_of(value) == kind,
    }
}

fn meant_as(value: &Value, kind: &str) -> Option<Value> {
    match (kind, value) {
        ("integer" | "number" | "boolean" | "object", Value::String(text)) => {
            let read = serde_json::from_str(text.trim()).ok()?;
            is_a(&read, kind).then_some(read)
        }
        ("array", Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(list @ Value::Array(_)) => Some(list),
            _ => Some(Value::Array(vec![value.clone()])),
        },
        _ => None,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(kind: &str) -> &str {
    match kind {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn recall() -> Object {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50},
                "kind": {"type": "string", "enum": ["fact", "decision"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "all": {"type": "boolean"},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        schema.as_object().cloned().unwrap_or_default()
    }

    fn checked(arguments: Value) -> Result<Value, String> {
        let Value::Object(arguments) = arguments else { panic!() };
        let result = check("memory_recall", &recall(), arguments, &[]);
        result.map(Value::Object).map_err(|failure| failure.message)
    }

    #[test]
    fn problems_name_the_argument() {
        let problem = |arguments| checked(arguments).unwrap_err();
        assert_eq!(problem(json!({})), "argument `query` is missing");
        assert_eq!(problem(json!({"query": null})), "argument `query` is missing");
        assert_eq!(problem(json!({"query": 5})), "argument `query` must be a string, not a number");
        assert_eq!(
            problem(json!({"query": "x", "limit": "many"})),
            "argument `limit` must be an integer, not a string"
        );
        assert_eq!(problem(json!({"query": "x", "limit": 0})), "argument `limit` must be at least 1, not 0");
        assert_eq!(
            problem(json!({"query": "x", "limit": 51})),
            "argument `limit` must be at most 50, not 51"
        );
        assert_eq!(
            problem(json!({"query": "x", "kind": "fat"})),
            r#"argument `kind` must be one of "fact", "decision", not "fat""#
        );
        assert_eq!(
            problem(json!({"query": "x", "tags": ["a", 1]})),
            "argument `tags[1]` must be a string, not a number"
        );
        assert_eq!(
            problem(json!({"qurey": "x"})),
            "argument `query` is missing; there is no argument `qurey`"
        );
    }

    #[test]
    fn hint_says_what_the_tool_takes() {
        let failure = check("memory_recall", &recall(), Map::new(), &[]).unwrap_err();
        assert_eq!(
            failure.hint.as_deref(),
            Some(
                "memory_recall takes query (string, required), limit (integer), kind (string), \
                 tags (array), all (boolean)"
            )
        );
    }

    #[test]
    fn obvious_slips_are_corrected() {
        assert_eq!(
            checked(
                json!({"query": "x", "limit": "5", "tags": "[\"a\",\"b\"]", "all": "true", "kind": null})
            ),
            Ok(json!({"query": "x", "limit": 5, "tags": ["a", "b"], "all": true}))
        );
        assert_eq!(
            checked(json!({"query": "5", "tags": "a", "limit": 2.0})),
            Ok(json!({"query": "5", "tags": ["a"], "limit": 2}))
        );
    }

    #[test]
    fn an_open_schema_lets_more_through() {
        let open = Map::from_iter([("type".to_owned(), json!("object"))]);
        let arguments = Map::from_iter([("x".to_owned(), json!(1))]);
        assert_eq!(check("memory_recall", &open, arguments.clone(), &[]), Ok(arguments));
    }
}
