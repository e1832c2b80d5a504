//! `form`: schemas and typed answers from stdin, one JSON object a line; what the form makes of them, one a line.
//!
//! Promises: the same reading and the same checks as for a person's answer, nothing is sent anywhere, every line that
//! comes in has one line that goes out, in order.

use crate::output;
use crate::report::Exit;
use countersign_core::form::{FieldView, Form, GuardLevel};
use countersign_core::wire::json::{Json, Members};
use std::io::BufRead;

/// Reads to the end of stdin. A line that is no such object gets a `problem`, and the exit code says so.
pub(crate) fn run() -> Exit {
    let mut exit = Exit::Done;
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(line) = line else {
            return Exit::Ours;
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let told = told(&line).unwrap_or_else(|problem| {
            exit = Exit::Usage;
            Json::object([("problem", Json::string(problem))])
        });
        output::object(&told);
    }
    exit
}

fn told(line: &[u8]) -> Result<Json, String> {
    let asked = Json::parse_bytes(line).map_err(|error| error.to_string())?;
    let schema = asked.get("schema").ok_or("no “schema”")?;
    let nothing = Members::new();
    let answer = match asked.get("answer") {
        None | Some(Json::Null) => &nothing,
        Some(Json::Object(answer)) => answer,
        Some(other) => return Err(format!("“answer” is {}, not an object", other.kind())),
    };
    let form = match Form::parse(schema) {
        Ok(form) => form,
        Err(undrawable) => {
            return Ok(Json::object([("undrawable", Json::string(undrawable.sentence))]));
        }
    };
    let view = form.view();
    let keys: Vec<&str> = form.keys().collect();
    let fields = keys
        .iter()
        .zip(&view.fields)
        .map(|(key, field)| told_field(key, field));
    let guards = keys
        .iter()
        .zip(&view.fields)
        .map(|(key, field)| (*key, Json::string(guard(field))));
    let mut out = vec![
        ("fields", Json::Array(fields.collect())),
        ("guard", Json::object(guards)),
    ];
    let strangers = answer
        .keys()
        .filter(|key| !keys.contains(key))
        .map(|key| (key, told_error("unknown_key", "The form has no such field.")));
    let mut errors: Vec<(&str, Json)> = strangers.collect();
    match form.answer(&form.inputs_from_typed(answer)) {
        Ok(answer) if errors.is_empty() => out.push(("content", answer.content())),
        Ok(_) => out.push(("errors", Json::object(errors))),
        Err(wrong) => {
            let told = wrong.iter().filter_map(|error| {
                let key = keys.get(usize::try_from(error.field).ok()?)?;
                let code = member(&serialized(error), "code");
                Some((
                    *key,
                    told_error(code.as_str().unwrap_or_default(), &error.message),
                ))
            });
            errors.extend(told);
            out.push(("errors", Json::object(errors)));
        }
    }
    Ok(Json::object(out))
}

/// How much a field looks like one that asks for a secret: `ok`, `suspicious` or `secret`.
fn guard(field: &FieldView) -> &'static str {
    match field.guard.as_ref().map(|guard| guard.level) {
        None => "ok",
        Some(GuardLevel::Suspicious) => "suspicious",
        Some(GuardLevel::Secret) => "secret",
    }
}

/// The field as the window gets it, with its key and the kind of its control before.
fn told_field(key: &str, field: &FieldView) -> Json {
    let view = serialized(field);
    let mut members = Members::new();
    members.set("key", Json::string(key));
    members.set("kind", member(&member(&view, "control"), "kind"));
    for (name, value) in view.as_object().into_iter().flat_map(Members::iter) {
        members.set(name, value.clone());
    }
    Json::Object(members)
}

fn told_error(code: &str, message: &str) -> Json {
    Json::object([("code", Json::string(code)), ("message", Json::string(message))])
}

fn serialized(value: &impl serde::Serialize) -> Json {
    let text = serde_json::to_string(value).unwrap_or_default();
    Json::parse(&text).unwrap_or(Json::Null)
}

fn member(json: &Json, key: &str) -> Json {
    json.get(key).cloned().unwrap_or(Json::Null)
}
