//! Arguments of a route: read from a query, checked against the operation's schema.
//!
//! Only the parts of JSON Schema that requests use are checked (`type`, `enum`, bounds, `items`, alternatives); the
//! operation checks the rest. Nothing is corrected here: programs get told what they do wrong.

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// Turns the texts of a query into the types that the schema wants. A text that does not fit stays one.
pub(super) fn typed(pairs: Vec<(String, String)>, schema: &Value) -> Result<Object, String> {
    let mut arguments = Object::new();
    for (name, text) in pairs {
        let property = &schema["properties"][&name];
        if accepts(property, "array") {
            let list = arguments.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.push(scalar(text, &property["items"]));
            }
        } else if arguments.contains_key(&name) {
            return Err(format!("argument `{name}` is given twice"));
        } else {
            arguments.insert(name, scalar(text, property));
        }
    }
    Ok(arguments)
}

fn scalar(text: String, schema: &Value) -> Value {
    if accepts(schema, "boolean") {
        match text.as_str() {
            "" | "true" | "1" | "yes" => return Value::Bool(true),
            "false" | "0" | "no" => return Value::Bool(false),
            _ => {}
        }
    }
    if (accepts(schema, "integer") || accepts(schema, "number"))
        && let Ok(number @ Value::Number(_)) = serde_json::from_str(&text)
    {
        return number;
    }
    Value::String(text)
}

fn accepts(schema: &Value, kind: &str) -> bool {
    types(schema).contains(&kind) || alternatives(schema).any(|one| accepts(one, kind))
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
}

/// What is wrong with the arguments, all of it.
pub(super) fn problems(arguments: &Object, schema: &Value) -> Vec<String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = required.filter(|name| !arguments.contains_key(*name));
    let mut problems: Vec<String> = missing.map(|name| format!("argument `{name}` is missing")).collect();
    for (name, value) in arguments {
        match schema["properties"].get(name) {
            Some(property) => problems.extend(problem(name, value, property)),
            None => problems.push(format!("there is no argument `{}`", hark_core::quote::quoted(name))),
        }
    }
    problems
}

fn problem(name: &str, value: &Value, schema: &Value) -> Option<String> {
    let types = types(schema);
    if !types.is_empty() && !types.iter().any(|kind| is_a(value, kind)) {
        let wanted: Vec<&str> = types.iter().filter(|kind| **kind != "null").copied().collect();
        return Some(format!("argument `{name}` must be of type {}", wanted.join(" or ")));
    }
    let one_of = |words: Vec<String>| Some(format!("argument `{name}` must be one of {}", words.join(", ")));
    if let Value::Array(words) = &schema["enum"]
        && !words.contains(value)
    {
        return one_of(words.iter().map(ToString::to_string).collect());
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        return one_of(vec![only.to_string()]);
    }
    if alternatives(schema).next().is_some()
        && !alternatives(schema).any(|one| problem(name, value, one).is_none())
    {
        let words: Vec<String> = alternatives(schema)
            .flat_map(|one| match (&one["const"], &one["enum"]) {
                (Value::Null, Value::Array(words)) => words.iter().map(ToString::to_string).collect(),
                (Value::Null, _) => Vec::new(),
                (only, _) => vec![only.to_string()],
            })
            .collect();
        return if words.is_empty() {
            Some(format!("argument `{name}` does not fit"))
        } else {
            one_of(words)
        };
    }
    if let Some(number) = value.as_f64() {
        let bound = |key: &str| schema[key].as_f64();
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            return Some(format!("argument `{name}` must be at least {least}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            return Some(format!("argument `{name}` must be at most {most}"));
        }
    }
    match (value, schema.get("items")) {
        (Value::Array(items), Some(schema)) => {
            let mut numbered = items.iter().enumerate();
            numbered.find_map(|(at, item)| problem(&format!("{name}[{at}]"), item, schema))
        }
        _ => None,
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match (kind, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

/// `2.0` is an integer to JSON Schema but not to the operation.
pub(super) fn make_whole(arguments: &mut Object, schema: &Value) {
    for (name, value) in arguments.iter_mut() {
        let whole = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0);
        if let Some(whole) = whole
            && accepts(&schema["properties"][name], "integer")
            && whole.abs() < 9e15
        {
            *value = Value::from(whole as i64);
        }
    }
}

/// What the operation takes, in one line.
pub(super) fn usage(name: &str, schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let described = schema["properties"].as_object().into_iter().flatten().map(|(name, property)| {
        let mut notes = types(property);
        notes.retain(|kind| *kind != "null");
        if required.contains(&name.as_str()) {
            notes.push("required");
        }
        if notes.is_empty() { name.clone() } else { format!("{name} ({})", notes.join(", ")) }
    });
    let described: Vec<String> = described.collect();
    match described.is_empty() {
        true => format!("`{name}` takes no arguments"),
        false => format!("`{name}` takes {}", described.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50},
                "kinds": {"type": "array", "items": {"type": "string", "enum": ["fact", "decision"]}},
                "all": {"type": "boolean"},
                "detail": {"anyOf": [{"type": "string", "enum": ["index", "full"]}, {"type": "null"}]},
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    }

    fn read(query: &str) -> Result<Value, String> {
        let pairs = crate::query::pairs(query).unwrap();
        let arguments = typed(pairs, &schema())?;
        let problems = problems(&arguments, &schema());
        if problems.is_empty() { Ok(Value::Object(arguments)) } else { Err(problems.join("; ")) }
    }

    #[test]
    fn a_query_gets_the_types_of_the_schema() {
        assert_eq!(
            read("query=5&limit=5&kinds=fact&kinds=decision&all&detail=full"),
            Ok(
                json!({"query": "5", "limit": 5, "kinds": ["fact", "decision"], "all": true, "detail": "full"})
            )
        );
        assert_eq!(read("query=x&all=false"), Ok(json!({"query": "x", "all": false})));
    }

    #[test]
    fn problems_name_the_argument() {
        for (query, said) in [
            ("limit=2", "argument `query` is missing"),
            ("query=x&query=y", "argument `query` is given twice"),
            ("query=x&limit=many", "argument `limit` must be of type integer"),
            ("query=x&limit=0", "argument `limit` must be at least 1"),
            ("query=x&limit=51", "argument `limit` must be at most 50"),
            ("query=x&kinds=fat", r#"argument `kinds[0]` must be one of "fact", "decision""#),
            ("query=x&detail=more", r#"argument `detail` must be one of "index", "full""#),
            ("query=x&all=perhaps", "argument `all` must be of type boolean"),
            ("query=x&qurey=y", "there is no argument `qurey`"),
        ] {
            assert_eq!(read(query), Err(said.to_owned()), "{query}");
        }
    }

    #[test]
    fn json_is_not_corrected() {
        let wrong = json!({"query": "x", "limit": "5", "all": null, "kinds": "fact"});
        let said = problems(wrong.as_object().unwrap(), &schema());
        assert_eq!(said.len(), 3, "{said:?}");
    }
}
