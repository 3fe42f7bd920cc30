//! Input schemas as small as they can be: no titles, no formats, no `null` alternatives, one
//! sentence per field.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

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
