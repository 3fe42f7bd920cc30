//! Input schemas as small as they can be for models (no titles, no formats, no `null` alternatives, one sentence per
//! field), and whole ones for programs.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};

use super::names::NOT_FOR_TOOLS;

pub(super) fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07().with(|s| {
        s.meta_schema = None;
        s.inline_subschemas = true;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    shrink(&mut value);
    let object = value.as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut small = Map::new();
    small.insert("type".to_owned(), json!("object"));
    small.insert("properties".to_owned(), object.get("properties").cloned().unwrap_or_else(|| json!({})));
    if let Some(required) = object.get("required") {
        small.insert("required".to_owned(), required.clone());
    }
    Value::Object(small)
}

/// Everything that a request may hold, as JSON Schema 2020-12.
pub(super) fn accepted<T: JsonSchema>() -> Value {
    whole::<T>(Contract::Deserialize)
}

/// Adds the options of the command that the schema leaves out, and refuses all other names.
pub(super) fn completed(schema: Value, command: &clap::Command) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        for option in command.get_arguments() {
            let id = option.get_id().as_str();
            let name = if id == "target" { option.get_long().unwrap_or(id) } else { id };
            if (name != id || !NOT_FOR_TOOLS.contains(&id)) && !properties.contains_key(name) {
                properties.insert(name.to_owned(), of_option(option));
            }
        }
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema.remove("title");
    Value::Object(schema)
}

fn of_option(option: &clap::Arg) -> Value {
    use std::any::TypeId;
    let parser = option.get_value_parser().type_id();
    let is_any = |types: &[TypeId]| types.iter().any(|one| parser == *one);
    let whole = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    let is_flag = matches!(option.get_action(), clap::ArgAction::SetTrue | clap::ArgAction::SetFalse);
    let mut item = if is_flag || parser == TypeId::of::<bool>() {
        json!({ "type": "boolean" })
    } else if is_any(&whole) {
        json!({ "type": "integer", "minimum": 0 })
    } else if parser == TypeId::of::<i64>() {
        json!({ "type": "integer" })
    } else if is_any(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) {
        json!({ "type": "number" })
    } else {
        json!({ "type": "string" })
    };
    let words = option.get_possible_values();
    if !words.is_empty() && !is_flag && item["type"] == "string" {
        item["enum"] = words.iter().map(|word| word.get_name()).collect();
    }
    let is_list = matches!(option.get_action(), clap::ArgAction::Append);
    let mut schema = if is_list { json!({ "type": "array", "items": item }) } else { item };
    if let Some(help) = option.get_help() {
        schema["description"] = json!(help.to_string());
    }
    schema
}

/// Everything that a response may hold.
pub(super) fn returned<T: JsonSchema>() -> Value {
    whole::<T>(Contract::Serialize)
}

/// Without references, so that it can stand anywhere in a larger document.
fn whole<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.meta_schema = None;
        s.inline_subschemas = true;
        s.contract = contract;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn shrink(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for key in ["title", "format", "default", "$schema", "minimum", "maximum"] {
                if object.get(key).is_some_and(|v| !v.is_object()) {
                    object.remove(key);
                }
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|t| t != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            object.values_mut().for_each(shrink);
        }
        Value::Array(items) => items.iter_mut().for_each(shrink),
        _ => {}
    }
}
