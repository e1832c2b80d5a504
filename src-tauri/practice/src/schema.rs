//! Content against the flat schema it was asked for (elicitation page, "Requested Schema").
//!
//! Only the keywords that the practice servers use. Lengths count code points (JSON Schema 2020-12). The formats
//! are checked by their outline only: that is enough to see a client that sends something else entirely.

use countersign_core::wire::json::{Json, Members};

/// Checks `content`; the error is a sentence for people.
pub(crate) fn check(schema: &Json, content: &Members) -> Result<(), String> {
    let no_fields = Members::new();
    let fields = schema
        .get("properties")
        .and_then(Json::as_object)
        .unwrap_or(&no_fields);
    for name in texts(schema.get("required")) {
        if !content.contains_key(name) {
            return Err(format!("{name} is required"));
        }
    }
    for (name, value) in content.iter() {
        let field = fields
            .get(name)
            .ok_or_else(|| format!("{name} was not asked for"))?;
        check_value(field, value).map_err(|why| format!("{name} {why}"))?;
    }
    Ok(())
}

fn check_value(field: &Json, value: &Json) -> Result<(), String> {
    match (field.get("type").and_then(Json::as_str), value) {
        (Some("string"), Json::String(text)) => check_text(field, text),
        (Some("boolean"), Json::Bool(_)) => Ok(()),
        (Some("integer"), Json::Number(_)) if value.as_i64().is_none() => {
            Err("must be a whole number".to_owned())
        }
        (Some("integer" | "number"), Json::Number(text)) => check_number(field, text),
        (Some("array"), Json::Array(items)) => check_items(field, items),
        (wanted, _) => Err(format!(
            "is {} where {} is wanted",
            value.kind(),
            wanted.unwrap_or("nothing")
        )),
    }
}

fn check_text(field: &Json, text: &str) -> Result<(), String> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(least) = limit(field, "minLength").filter(|least| length < *least) {
        return Err(format!("must have at least {least} characters"));
    }
    if let Some(most) = limit(field, "maxLength").filter(|most| length > *most) {
        return Err(format!("must have at most {most} characters"));
    }
    let options = options(field);
    if !options.is_empty() && !options.contains(&text) {
        return Err("is none of the options".to_owned());
    }
    match field.get("format").and_then(Json::as_str) {
        None => Ok(()),
        Some(format) if has_outline(format, text) => Ok(()),
        Some(format) => Err(format!("is no {format}")),
    }
}

fn check_number(field: &Json, text: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let value = number(text).ok_or("is too large a number")?;
    let bound = |keyword: &str| field.get(keyword).and_then(Json::as_number).and_then(&number);
    if let Some(least) = bound("minimum").filter(|least| value < *least) {
        return Err(format!("must be at least {least}"));
    }
    if let Some(most) = bound("maximum").filter(|most| value > *most) {
        return Err(format!("must be at most {most}"));
    }
    Ok(())
}

fn check_items(field: &Json, items: &[Json]) -> Result<(), String> {
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    if let Some(least) = limit(field, "minItems").filter(|least| count < *least) {
        return Err(format!("needs at least {least} choices"));
    }
    if let Some(most) = limit(field, "maxItems").filter(|most| count > *most) {
        return Err(format!("takes at most {most} choices"));
    }
    let options = field.get("items").map(options).unwrap_or_default();
    for (position, item) in items.iter().enumerate() {
        if !item.as_str().is_some_and(|text| options.contains(&text)) {
            return Err("holds something that is none of the options".to_owned());
        }
        if items[..position].contains(item) {
            return Err("holds a choice twice".to_owned());
        }
    }
    Ok(())
}

/// The values of a select, titled or not; none for free text.
fn options(field: &Json) -> Vec<&str> {
    let titled = field.get("oneOf").or_else(|| field.get("anyOf"));
    match titled.and_then(Json::as_array) {
        Some(titled) => titled
            .iter()
            .filter_map(|option| option.get("const")?.as_str())
            .collect(),
        None => texts(field.get("enum")).collect(),
    }
}

fn texts(list: Option<&Json>) -> impl Iterator<Item = &str> {
    list.and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Json::as_str)
}

fn limit(field: &Json, keyword: &str) -> Option<i64> {
    field.get(keyword)?.as_i64()
}

fn has_outline(format: &str, text: &str) -> bool {
    match format {
        "email" => text
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !text.contains(' ')),
        "uri" => text
            .split_once(':')
            .is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty() && !text.contains(' ')),
        "date" => is_drawn_like(text, "0000-00-00"),
        "date-time" => {
            let Some((date, time)) = text.split_once(['T', 't']) else {
                return false;
            };
            let Some(zone) = time.find(['Z', 'z', '+', '-']) else {
                return false;
            };
            let (clock, zone) = time.split_at(zone);
            let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
            is_drawn_like(date, "0000-00-00")
                && is_drawn_like(clock, "00:00:00")
                && !fraction.is_empty()
                && fraction.bytes().all(|byte| byte.is_ascii_digit())
                && (matches!(zone, "Z" | "z") || is_drawn_like(&zone[1..], "00:00"))
        }
        _ => true,
    }
}

/// Whether `text` has a digit where `outline` has one, and the same character elsewhere.
fn is_drawn_like(text: &str, outline: &str) -> bool {
    text.len() == outline.len()
        && text
            .bytes()
            .zip(outline.bytes())
            .all(|(byte, drawn)| match drawn {
                b'0' => byte.is_ascii_digit(),
                _ => byte == drawn,
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_content(field: &str, value: &str, error: Option<&str>) {
        let text = format!(r#"{{"properties":{{"f":{field}}},"required":["f"]}}"#);
        let schema = Json::parse(&text).expect(field);
        let content = Json::parse(value).expect(value);
        let found = check(&schema, content.as_object().expect(value));
        assert_eq!(found.err().as_deref(), error, "{value} against {field}");
    }

    #[test]
    fn content_is_held_against_its_schema() {
        let text = r#"{"type":"string","minLength":2,"maxLength":3}"#;
        check_content(text, r#"{"f":"ab"}"#, None);
        check_content(text, r#"{"f":"😀😀😀"}"#, None);
        check_content(text, r#"{"f":"a"}"#, Some("f must have at least 2 characters"));
        check_content(text, r#"{"f":"abcd"}"#, Some("f must have at most 3 characters"));
        check_content(text, r#"{"f":5}"#, Some("f is a number where string is wanted"));
        check_content(text, "{}", Some("f is required"));
        check_content(text, r#"{"f":"ab","g":1}"#, Some("g was not asked for"));

        let whole = r#"{"type":"integer","minimum":1,"maximum":20}"#;
        check_content(whole, r#"{"f":20}"#, None);
        check_content(whole, r#"{"f":1.5}"#, Some("f must be a whole number"));
        check_content(whole, r#"{"f":0}"#, Some("f must be at least 1"));
        check_content(whole, r#"{"f":"3"}"#, Some("f is text where integer is wanted"));
        let price = r#"{"type":"number","minimum":0.5}"#;
        check_content(price, r#"{"f":0.5}"#, None);
        check_content(price, r#"{"f":0.4}"#, Some("f must be at least 0.5"));
        check_content(price, r#"{"f":1E400}"#, Some("f is too large a number"));

        check_content(r#"{"type":"boolean"}"#, r#"{"f":false}"#, None);
        check_content(
            r#"{"type":"boolean"}"#,
            r#"{"f":null}"#,
            Some("f is null where boolean is wanted"),
        );
        check_content(
            r#"{"type":"string","enum":["a"]}"#,
            r#"{"f":"b"}"#,
            Some("f is none of the options"),
        );
        let titled = r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#;
        check_content(titled, r#"{"f":"a"}"#, None);
        check_content(titled, r#"{"f":"A"}"#, Some("f is none of the options"));

        let several =
            r#"{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"a"},{"const":"b"}]}}"#;
        check_content(several, r#"{"f":["a","b"]}"#, None);
        check_content(several, r#"{"f":[]}"#, Some("f needs at least 1 choices"));
        check_content(several, r#"{"f":["a","a"]}"#, Some("f holds a choice twice"));
        check_content(
            several,
            r#"{"f":["c"]}"#,
            Some("f holds something that is none of the options"),
        );
        check_content(
            several,
            r#"{"f":["a","b","c"]}"#,
            Some("f takes at most 2 choices"),
        );
    }

    #[test]
    fn formats_are_held_against_their_outline() {
        let formats = [
            ("email", "ada@example.org", true),
            ("email", "ada", false),
            ("uri", "https://example.org/", true),
            ("uri", "example", false),
            ("date", "2026-12-01", true),
            ("date", "1.12.2026", false),
            ("date-time", "2026-12-01T21:30:00Z", true),
            ("date-time", "2026-12-01T21:30:00.5+01:00", true),
            ("date-time", "2026-12-01T21:30:00", false),
            ("date-time", "2026-12-01T21:30Z", false),
            ("date-time", "2026-12-01", false),
        ];
        for (format, text, right) in formats {
            assert_eq!(has_outline(format, text), right, "{format} {text}");
        }
    }
}
