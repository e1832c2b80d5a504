//! A starting point for arguments that are entered as JSON.

use super::schema::follow;
use crate::wire::json::{Json, Members};

/// Members that a template has at most, over all levels.
const MAX_MEMBERS: usize = 200;
const MAX_LEVELS: usize = 8;

/// An object with the schema's defaults and a place for everything that is required: `""`, `[]`, an object, and
/// `null` where a value would be a decision (numbers, yes/no, choices), so that nothing is sent that nobody chose.
pub fn template(schema: &Json) -> Json {
    let mut left = MAX_MEMBERS;
    object(schema, schema, MAX_LEVELS, &mut left)
}

fn object(root: &Json, schema: &Json, levels: usize, left: &mut usize) -> Json {
    let schema = opened(root, schema);
    let mut members = Members::new();
    let Some(properties) = schema.get("properties").and_then(Json::as_object) else {
        return Json::Object(members);
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Json::as_array)
        .map(|names| names.iter().filter_map(Json::as_str).collect())
        .unwrap_or_default();
    for (key, property) in properties.iter() {
        let property = opened(root, property);
        let default = property.get("default").or_else(|| property.get("const"));
        if *left == 0 || (!required.contains(&key) && property.get("default").is_none()) {
            continue;
        }
        *left -= 1;
        let place = match (default, property.get("type").and_then(Json::as_str)) {
            (Some(default), _) => default.clone(),
            (None, Some("object")) if levels > 0 => object(root, property, levels - 1, left),
            (None, Some("array")) => Json::Array(Vec::new()),
            (None, Some("string")) if property.get("enum").is_none() && property.get("oneOf").is_none() => {
                Json::string("")
            }
            (None, _) => Json::Null,
        };
        members.set(key, place);
    }
    Json::Object(members)
}

/// The schema behind local `$ref`s; of a circle any link.
fn opened<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let mut schema = schema;
    for _ in 0..MAX_LEVELS {
        match schema
            .get("$ref")
            .and_then(Json::as_str)
            .and_then(|pointer| follow(root, pointer))
        {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}
