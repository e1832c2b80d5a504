//! The cases in `tests/fixtures/form`. A case gives a schema (or an elicitation's params) and what is drawn of it,
//! member by member as far as it says; then inputs, by position, and what comes of them.

use super::*;
use crate::wire::json::Json;
use std::collections::BTreeSet;

fn fixture(name: &str) -> Json {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/form")
        .join(name);
    Json::parse(&std::fs::read_to_string(&path).expect(name)).expect(name)
}

fn check_all(name: &str) {
    let cases = fixture(name);
    for case in cases.as_array().expect("a list of cases") {
        check(case);
    }
}

fn check(case: &Json) {
    let name = case.get("name").and_then(Json::as_str).expect("a name");
    let drawn = match (case.get("params"), case.get("schema"), case.get("arguments")) {
        (Some(params), _, _) => Form::of_request(params),
        (None, Some(schema), None) => Form::parse(schema),
        (None, Some(schema), Some(_)) => Form::parse_arguments(schema),
        (None, None, _) => panic!("{name}: no schema"),
    };
    if let Some(expected) = case.get("template") {
        let template = template(case.get("schema").expect("a schema"));
        assert_eq!(template.to_string(), expected.to_string(), "{name}");
    }
    if let Some(expected) = case.get("undrawable") {
        let expected = expected.as_array().expect("reason and words");
        let refused = drawn.err().unwrap_or_else(|| panic!("{name}: was drawn"));
        assert_eq!(
            snake(&format!("{:?}", refused.reason)),
            expected[0].as_str().expect("reason"),
            "{name}"
        );
        let words = expected[1].as_str().expect("words");
        assert!(refused.sentence.contains(words), "{name}: {}", refused.sentence);
        return;
    }
    let form = drawn.unwrap_or_else(|refused| panic!("{name}: {refused}"));
    if let Some(fields) = case.get("fields") {
        let view = Json::parse(&serde_json::to_string(&form.view()).expect(name)).expect(name);
        check_part(fields, view.get("fields").expect("fields"), name);
    }
    for attempt in case.get("tries").and_then(Json::as_array).unwrap_or_default() {
        check_try(&form, attempt, name);
    }
}

/// What `expected` says is so in `actual`; lists have the same length.
fn check_part(expected: &Json, actual: &Json, name: &str) {
    match (expected, actual) {
        (Json::Object(members), _) => {
            for (key, member) in members.iter() {
                let found = actual
                    .get(key)
                    .unwrap_or_else(|| panic!("{name}: no {key} in {actual}"));
                check_part(member, found, name);
            }
        }
        (Json::Array(items), Json::Array(found)) => {
            assert_eq!(items.len(), found.len(), "{name}: {actual}");
            items
                .iter()
                .zip(found)
                .for_each(|(item, found)| check_part(item, found, name));
        }
        _ => assert_eq!(expected, actual, "{name}"),
    }
}

fn check_try(form: &Form, attempt: &Json, name: &str) {
    let inputs = inputs(attempt.get("inputs").expect("inputs"));
    let answer = form.answer(&inputs);
    let review = form.review(&inputs);
    let label = format!("{name}: {attempt}");
    if let Some(expected) = attempt.get("errors") {
        let errors = answer.expect_err(&label);
        let expected = expected.as_array().expect("errors");
        assert_eq!(errors.len(), expected.len(), "{label}: {errors:?}");
        for (error, expected) in errors.iter().zip(expected) {
            let expected = expected.as_array().expect("field, code, words");
            assert_eq!(Some(i64::from(error.field)), expected[0].as_i64(), "{label}");
            assert_eq!(Some(code(error).as_str()), expected[1].as_str(), "{label}");
            assert!(
                error.message.contains(expected[2].as_str().expect("words")),
                "{label}: {}",
                error.message
            );
        }
        assert_eq!((review.errors, review.json), (errors, None), "{label}");
        return;
    }
    let answer = answer.unwrap_or_else(|errors| panic!("{label}: {errors:?}"));
    let content = attempt.get("content").expect("content or errors").to_string();
    assert_eq!(answer.content().to_string(), content, "{label}");
    assert_eq!(
        answer.result().to_string(),
        format!(r#"{{"action":"accept","content":{content}}}"#),
        "{label}"
    );
    check_review(form, &answer, &review, &label);
    let list = |key: &str| attempt.get(key).map(ToString::to_string);
    let json = |texts: Vec<Json>| Some(Json::Array(texts).to_string());
    let sent = |tell: fn(&ReviewItem) -> Json| json(review.will_send.iter().map(tell).collect());
    if attempt.get("shown").is_some() {
        assert_eq!(sent(|item| Json::string(&item.value)), list("shown"), "{label}");
    }
    if attempt.get("suggested").is_some() {
        assert_eq!(
            sent(|item| Json::Bool(item.suggested)),
            list("suggested"),
            "{label}"
        );
    }
    if attempt.get("leftOut").is_some() {
        assert_eq!(
            json(review.left_out.iter().map(Json::string).collect()),
            list("leftOut"),
            "{label}"
        );
    }
}

/// What is shown is what is sent, and scripting what is sent sends it again.
fn check_review(form: &Form, answer: &Answer, review: &Review, label: &str) {
    let exact = review.exact.as_deref().or(review.json.as_deref());
    let shown = Json::parse(exact.expect(label)).expect(label);
    assert_eq!(shown, answer.result(), "{label}");
    let members = answer.content();
    let members = members.as_object().expect("an object");
    assert_eq!(review.will_send.len(), members.len(), "{label}");
    assert_eq!(
        review.will_send.len() + review.left_out.len(),
        form.fields.len(),
        "{label}"
    );
    let scripted = form.inputs_from_content(&answer.content());
    let mut scripted = scripted.unwrap_or_else(|why| panic!("{label}: {why}"));
    scripted.iter_mut().for_each(|given| given.anyway = true);
    // An answer of its own sends the empty text only where that is the default.
    let again = form.answer(&scripted);
    assert_eq!(
        again.map(|again| again.content()),
        Ok(answer.content()),
        "{label}"
    );
}

/// `null` is empty, and then text, yes/no, a pick and picks as they are, and `{"entries": […]}`; `{"anyway": …}` is a
/// secret to be sent.
fn inputs(given: &Json) -> Vec<FieldInput> {
    let index = |json: &Json| u32::try_from(json.as_i64().expect("an index")).expect("an index");
    let members = given.as_object().expect("inputs by position");
    members
        .iter()
        .map(|(field, value)| {
            let anyway = value.get("anyway");
            let input = match anyway.unwrap_or(value) {
                Json::Null => Input::Empty,
                Json::String(text) => Input::Text { text: text.clone() },
                Json::Bool(value) => Input::Flag { value: *value },
                Json::Number(_) => Input::Pick { index: index(value) },
                Json::Array(indexes) => Input::Picks {
                    indexes: indexes.iter().map(index).collect(),
                },
                Json::Object(_) => Input::Entries {
                    texts: entries(value.get("entries").expect("entries")),
                },
            };
            FieldInput {
                field: field.parse().expect("a position"),
                input,
                anyway: anyway.is_some(),
            }
        })
        .collect()
}

fn entries(list: &Json) -> Vec<String> {
    let texts = list.as_array().expect("texts").iter();
    texts
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

fn code(error: &FieldError) -> String {
    serde_json::to_value(error.code)
        .expect("a code")
        .as_str()
        .expect("a text")
        .to_owned()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

fn form_of(property: &str) -> Form {
    let schema = format!(r#"{{"type":"object","properties":{{"x":{property}}}}}"#);
    Form::parse(&Json::parse(&schema).expect(property)).expect(property)
}

fn text(field: u32, text: &str) -> FieldInput {
    let text = text.to_owned();
    FieldInput::new(field, Input::Text { text })
}

#[test]
fn field_cases() {
    check_all("cases.json");
}

#[test]
fn vectors_of_the_protocol() {
    check_all("vectors.json");
}

#[test]
fn what_means_the_same_is_drawn() {
    check_all("lenient.json");
}

#[test]
fn limits_are_enforced_exactly_or_told() {
    check_all("limits.json");
}

#[test]
fn lists_are_sent_entry_by_entry() {
    check_all("lists.json");
}

#[test]
fn options_keep_their_values_and_words() {
    check_all("options.json");
}

#[test]
fn defaults_are_sent_or_dropped_with_a_note() {
    check_all("defaults.json");
}

#[test]
fn hostile_words_fool_nobody() {
    check_all("hostile.json");
}

#[test]
fn secrets_are_held_back_and_masked() {
    check_all("secrets.json");
}

#[test]
fn a_masked_answer_is_shown_exactly_only_on_its_own() {
    let schema = r#"{"properties":{"password":{"type":"string"},"note":{"type":"string"}}}"#;
    let form = Form::parse(&Json::parse(schema).expect("JSON")).expect("drawn");
    let mut inputs = vec![text(0, "hunter2"), text(1, "hi")];
    inputs[0].anyway = true;
    let review = form.review(&inputs);
    let json = review.json.as_deref().expect("no errors");
    assert!(json.contains("••••••••") || json.contains("\\u2022"), "{json}");
    assert!(!json.contains("hunter2"), "{json}");
    assert!(review.exact.as_deref().expect("masked").contains("hunter2"));
    assert_eq!(form.review(&[text(1, "hi")]).exact, None);
    let answer = form.answer(&inputs).expect("valid");
    for told in [
        format!("{review:?}"),
        format!("{answer:?}"),
        format!("{inputs:?}"),
    ] {
        assert!(!told.contains("hunter2"), "{told}");
    }
}

#[test]
fn what_may_be_kept_has_no_secrets() {
    let schema = r#"{"properties":{"password":{"type":"string"},"note":{"type":"string"},"n":{"type":"integer"},
        "license_key":{"type":"string"},"color":{"enum":["red"]}}}"#;
    let form = Form::parse(&Json::parse(schema).expect("JSON")).expect("drawn");
    let pick = FieldInput::new(4, Input::Pick { index: 0 });
    let inputs = vec![
        text(0, "x"),
        text(1, "4111111111111111"),
        text(2, "5"),
        text(3, "x"),
        pick.clone(),
    ];
    assert_eq!(form.without_secrets(&inputs), [text(2, "5"), pick]);
    assert_eq!(
        form.without_secrets(&[text(1, "hi"), text(9, "hi")]),
        [text(1, "hi")]
    );
}

#[test]
fn what_cannot_be_drawn_says_why() {
    check_all("undrawable.json");
}

#[test]
fn arguments_of_tools() {
    check_all("arguments.json");
}

#[test]
fn every_code_and_reason_has_a_case() {
    let (mut codes, mut reasons) = (BTreeSet::new(), BTreeSet::new());
    for name in [
        "cases",
        "vectors",
        "lenient",
        "defaults",
        "hostile",
        "undrawable",
        "arguments",
        "secrets",
        "limits",
        "lists",
        "options",
    ] {
        for case in fixture(&format!("{name}.json")).as_array().expect("cases") {
            let reason = case
                .get("undrawable")
                .and_then(Json::as_array)
                .and_then(|pair| pair[0].as_str());
            reasons.extend(reason.map(str::to_owned));
            for attempt in case.get("tries").and_then(Json::as_array).unwrap_or_default() {
                for error in attempt.get("errors").and_then(Json::as_array).unwrap_or_default() {
                    codes.extend(
                        error
                            .as_array()
                            .and_then(|error| error[1].as_str())
                            .map(str::to_owned),
                    );
                }
            }
        }
    }
    // Formats have a table of their own.
    codes.insert("not_uri".to_owned());
    assert_eq!(codes.len(), 20, "{codes:?}");
    // Too many fields and options are made, not written down.
    assert_eq!(reasons.len(), 21, "{reasons:?}");
}

#[test]
fn typed_numbers_are_sent_exactly_or_refused() {
    let table = fixture("numbers.json");
    for (kind, property) in [
        ("number", r#"{"type":"number"}"#),
        ("integer", r#"{"type":"integer"}"#),
        ("bounded", r#"{"type":"number","minimum":0.10,"maximum":0.3}"#),
    ] {
        let form = form_of(property);
        for row in table.get(kind).and_then(Json::as_array).expect(kind) {
            let [typed, sent] = row.as_array().expect("a row") else {
                panic!("{row}")
            };
            let answer = form.answer(&[text(0, typed.as_str().expect("a text"))]);
            let content = answer
                .ok()
                .and_then(|answer| answer.content().get("x").map(ToString::to_string));
            assert_eq!(content.as_deref(), sent.as_str(), "{kind} {typed}");
        }
    }
    let long = "9".repeat(1_001);
    assert!(
        form_of(r#"{"type":"integer"}"#)
            .answer(&[text(0, &long)])
            .is_err()
    );
}

#[test]
fn formats_accept_and_refuse() {
    let table = fixture("formats.json");
    for (format, refusal) in [
        ("email", FieldErrorCode::NotEmail),
        ("uri", FieldErrorCode::NotUri),
        ("date", FieldErrorCode::NotDate),
        ("date-time", FieldErrorCode::NotDateTime),
    ] {
        let form = form_of(&format!(r#"{{"type":"string","format":"{format}"}}"#));
        for row in table.get(format).and_then(Json::as_array).expect(format) {
            let [typed, valid] = row.as_array().expect("a row") else {
                panic!("{row}")
            };
            let typed = typed.as_str().expect("a text");
            // Some addresses hold a password; here it is about their form.
            let anyway = FieldInput {
                anyway: true,
                ..text(0, typed)
            };
            match form.answer(&[anyway]) {
                Ok(answer) => {
                    assert_eq!(valid, &Json::Bool(true), "{format} {typed:?}");
                    assert_eq!(answer.content().get("x"), Some(&Json::string(typed)));
                }
                Err(errors) => {
                    assert_eq!(valid, &Json::Bool(false), "{format} {typed:?}");
                    assert_eq!(errors[0].code, refusal);
                }
            }
        }
    }
}

#[test]
fn scripted_answers_are_sent_as_written_or_refused() {
    let fixture = fixture("contents.json");
    let form = Form::parse(fixture.get("schema").expect("schema")).expect("drawn");
    let rows = |key: &str| fixture.get(key).and_then(Json::as_array).expect("rows").to_vec();
    for content in rows("exact") {
        let inputs = form.inputs_from_content(&content).expect("exact");
        assert_eq!(form.answer(&inputs).expect("valid").content(), content);
    }
    for row in rows("refused") {
        let row = row.as_array().expect("a row");
        let why = form.inputs_from_content(&row[0]).expect_err("refused");
        assert!(why.contains(row[1].as_str().expect("words")), "{}: {why}", row[0]);
    }
    for row in rows("invalid") {
        let row = row.as_array().expect("a row");
        let inputs = form.inputs_from_content(&row[0]).expect("convertible");
        let errors = form.answer(&inputs).expect_err("invalid");
        let told = errors
            .iter()
            .map(|error| Json::Array(vec![Json::integer(error.field.into()), Json::string(code(error))]));
        assert_eq!(Json::Array(told.collect()), row[1]);
    }
}

#[test]
fn limits_hold_to_the_last_one() {
    let fields = |count: usize| {
        let properties =
            (0..count).map(|at| (at.to_string(), Json::object([("type", Json::string("string"))])));
        Form::parse(&Json::object([("properties", Json::object(properties))]))
    };
    assert_eq!(
        fields(MAX_FIELDS).map(|form| form.view().fields.len()),
        Ok(MAX_FIELDS)
    );
    let refused = fields(MAX_FIELDS + 1).map(|form| form.view());
    assert_eq!(
        refused.map_err(|refused| refused.reason),
        Err(Reason::TooManyFields)
    );
    let options = |each: &[usize]| {
        let properties = each.iter().enumerate().map(|(at, count)| {
            let values = (0..*count).map(|value| Json::string(value.to_string())).collect();
            (at.to_string(), Json::object([("enum", Json::Array(values))]))
        });
        let form = Form::parse(&Json::object([("properties", Json::object(properties))]));
        form.map(|form| form.view().fields.len())
            .map_err(|refused| refused.reason)
    };
    assert_eq!(options(&[MAX_OPTIONS]), Ok(1));
    assert_eq!(options(&[MAX_OPTIONS + 1]), Err(Reason::TooManyOptions));
    assert_eq!(options(&[MAX_OPTIONS - 1, 2]), Err(Reason::TooManyOptions));
}

/// Ten megabytes of words, and a thousand fields, are read in the time that their length takes.
#[test]
fn text_33_huge_schemas_are_cut_or_refused() {
    let piece = "ä\u{301}\u{202e}<b>";
    let (title, words) = (piece.repeat(1_000_000), piece.repeat(10_000));
    let property = Json::object([
        ("type", Json::string("string")),
        ("title", Json::string(&title)),
        ("description", Json::string(&words)),
        ("pattern", Json::string(&words)),
        ("format", Json::string(&words)),
        ("default", Json::string(&words)),
    ]);
    let option = Json::object([
        ("const", Json::string(&words)),
        ("title", Json::string(&words)),
        ("description", Json::string(&words)),
    ]);
    let properties = Json::object([
        (words.clone(), property),
        (
            "o".to_owned(),
            Json::object([("oneOf", Json::Array(vec![option]))]),
        ),
    ]);
    let form = Form::parse(&Json::object([("properties", properties)])).expect("drawn");
    let view = serde_json::to_string(&form.view().fields[1]).expect("a view");
    assert!(view.len() < 20_000, "{}", view.len());
    // What is marked takes more room than what it stands for.
    assert!(form.view().fields[0].label.chars().count() < 10 * crate::text::TITLE);
    let review = form.review(&[]);
    assert!(review.will_send[0].value.chars().count() < 10 * crate::text::CHIP);
    let refused = Json::object([("properties", Json::object([(words, Json::Null)]))]);
    let refused = Form::parse(&refused).expect_err("no schema");
    assert!(refused.sentence.chars().count() < 500, "{}", refused.sentence);

    let many = |count: usize| {
        let property = Json::object([("type", Json::string("string"))]);
        let properties = (0..count).map(|at| (format!("f{at}"), property.clone()));
        Form::parse(&Json::object([("properties", Json::object(properties))]))
    };
    let refused = many(1_000).expect_err("too many");
    assert_eq!(refused.reason, Reason::TooManyFields);
    assert!(refused.sentence.contains("1000 fields"), "{}", refused.sentence);
}

#[test]
fn lists_are_written_up_to_the_last_entry() {
    let form = form_of(r#"{"type":"array","items":{"type":"integer"}}"#);
    let entries = |count: u32| {
        let texts = (0..count).map(|entry| entry.to_string()).collect();
        FieldInput::new(0, Input::Entries { texts })
    };
    assert!(form.answer(&[entries(MAX_ENTRIES)]).is_ok());
    let errors = form.answer(&[entries(MAX_ENTRIES + 1)]).expect_err("too many");
    assert_eq!(errors[0].code, FieldErrorCode::TooMany);
}

#[test]
fn errors_say_which_entry() {
    let form = form_of(r#"{"type":"array","items":{"type":"integer"}}"#);
    let texts = ["1", "x"].map(str::to_owned).to_vec();
    let input = Input::Entries { texts };
    let errors = form.answer(&[FieldInput::new(0, input)]).expect_err("wrong");
    assert_eq!(errors[0].entry, Some(1));
}

#[test]
fn of_two_inputs_for_a_field_the_last_counts() {
    let form = form_of(r#"{"type":"string"}"#);
    let answer = form.answer(&[text(0, "a"), text(0, "b")]).expect("valid");
    assert_eq!(answer.content().to_string(), r#"{"x":"b"}"#);
}

#[test]
fn the_review_tells_what_is_right_beside_what_is_wrong() {
    let schema = r#"{"properties":{"a":{"type":"string","title":"A long title that does not fit into one chip"},
        "b":{"type":"integer"},"c":{"type":"boolean"}},"required":["b"]}"#;
    let form = Form::parse(&Json::parse(schema).expect("JSON")).expect("drawn");
    let review = form.review(&[text(0, "yes"), text(1, "x")]);
    assert_eq!(review.will_send.len(), 1);
    assert_eq!(
        review.will_send[0].label,
        "A long title that does not fit into one…"
    );
    assert_eq!(review.left_out, ["c"]);
    assert_eq!(review.json, None);
    assert_eq!(review.errors.len(), 1);
}

#[test]
fn the_json_of_the_review_hides_nothing() {
    let form = form_of(r#"{"type":"string"}"#);
    let json = form
        .review(&[text(0, "a\u{202e}b\u{2028}ü😀\u{e0041}\u{7f}")])
        .json
        .expect("valid");
    assert_eq!(
        json,
        "{\n  \"action\": \"accept\",\n  \"content\": {\n    \"x\": \"a\\u202eb\\u2028ü😀\\udb40\\udc41\\u007f\"\n  }\n}"
    );
}

#[test]
fn many_picks_are_counted_when_they_do_not_fit() {
    let form =
        form_of(r#"{"type":"array","items":{"enum":["January","February","March","April","May","June"]}}"#);
    let picks = Input::Picks {
        indexes: vec![5, 4, 3, 2, 1, 0],
    };
    let review = form.review(&[FieldInput::new(0, picks)]);
    assert_eq!(
        review.will_send[0].value,
        "6 chosen: January, February, March, Apr…"
    );
}

/// A xorshift generator: the same values on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).expect("sides")).expect("a side")
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }

    fn scalar(&mut self) -> Json {
        const WORDS: [&str; 19] = [
            "",
            "string",
            "number",
            "integer",
            "boolean",
            "array",
            "object",
            "null",
            "email",
            "date-time",
            "uri",
            "date",
            "a",
            "\u{202e}",
            "2026-02-30",
            "#/$defs/a",
            "#/properties/b",
            "  ",
            "😀\u{301}",
        ];
        const NUMBERS: [&str; 12] = [
            "0",
            "-0",
            "1",
            "2.0",
            "-1",
            "1.5",
            "1E400",
            "-1e-400",
            "3",
            "9e99999999999999999999",
            "0.0",
            "10000000000",
        ];
        match self.roll(8) {
            0 => Json::Null,
            1 => Json::Bool(self.roll(2) == 0),
            2..=4 => Json::Number(self.one(&NUMBERS).to_owned()),
            _ => Json::string(self.one(&WORDS)),
        }
    }

    fn json(&mut self, depth: usize) -> Json {
        const KEYS: [&str; 31] = [
            "type",
            "properties",
            "required",
            "enum",
            "oneOf",
            "anyOf",
            "const",
            "title",
            "items",
            "default",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "minItems",
            "maxItems",
            "uniqueItems",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "prefixItems",
            "additionalProperties",
            "format",
            "pattern",
            "enumNames",
            "$ref",
            "$defs",
            "description",
            "a",
            "b",
            "",
        ];
        match self.roll(if depth == 0 { 4 } else { 9 }) {
            0..=3 => self.scalar(),
            4 | 5 => Json::Array((0..self.roll(4)).map(|_| self.json(depth - 1)).collect()),
            _ => {
                let count = self.roll(6);
                Json::object(
                    (0..count)
                        .map(|_| (self.one(&KEYS), self.json(depth - 1)))
                        .collect::<Vec<_>>(),
                )
            }
        }
    }

    /// Mostly well-formed, so that the answers are reached.
    fn property(&mut self) -> Json {
        let kind = self.one(&["string", "number", "integer", "boolean", "array", "string"]);
        let mut members = vec![("type".to_owned(), Json::string(kind))];
        if kind == "array" {
            let items = if self.roll(2) == 0 {
                (
                    "enum",
                    Json::Array((0..=self.roll(4)).map(|_| self.scalar()).collect()),
                )
            } else {
                ("type", Json::string(self.one(&["string", "integer", "number"])))
            };
            members.push(("items".to_owned(), Json::object([items])));
        }
        for _ in 0..self.roll(4) {
            let key = self.one(&[
                "default",
                "minimum",
                "maximum",
                "minLength",
                "maxLength",
                "format",
                "title",
                "minItems",
                "uniqueItems",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
                "pattern",
            ]);
            members.push((key.to_owned(), self.scalar()));
        }
        Json::object(members)
    }

    fn input(&mut self) -> FieldInput {
        let index = u32::try_from(self.roll(6)).expect("small");
        let input = match self.roll(7) {
            0 => Input::Empty,
            6 => Input::Entries {
                texts: (0..self.roll(4))
                    .map(|_| self.one(&["5", "", "1,5", "a", "5.0"]).to_owned())
                    .collect(),
            },
            1 => Input::Flag { value: index > 2 },
            2 => Input::Pick { index },
            3 => Input::Picks {
                indexes: vec![index, 0, u32::MAX, index][..self.roll(5)].to_vec(),
            },
            4 => Input::Text {
                text: self
                    .one(&["5", "-1", "1e9", "1,5", ".", "−", "e", "+"])
                    .to_owned(),
            },
            _ => Input::Text {
                text: self.scalar().to_string(),
            },
        };
        FieldInput::new(u32::try_from(self.roll(5)).expect("small"), input)
    }
}

#[test]
fn nothing_a_server_or_a_window_sends_is_a_panic() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut drawn, mut sent) = (0, 0);
    for round in 0..10_000 {
        let schema = if round % 2 == 0 {
            dice.json(5)
        } else {
            let properties: Vec<_> = ["a", "b", "c"].map(|key| (key, dice.property())).into();
            let mut members = vec![("properties", Json::object(properties))];
            if dice.roll(3) == 0 {
                members.push(("required", Json::Array(vec![Json::string("a")])));
            }
            Json::object(members)
        };
        let _ = template(&schema);
        let _ = Form::of_request(&schema).map(|form| form.view());
        let forms = [Form::parse(&schema), Form::parse_arguments(&schema)];
        for form in forms.into_iter().flatten() {
            drawn += 1;
            let inputs: Vec<_> = (0..dice.roll(6)).map(|_| dice.input()).collect();
            assert_eq!(form.view().fields.len(), form.fields.len());
            assert!(
                form.view()
                    .fields
                    .iter()
                    .all(|field| !field.label.trim().is_empty()),
                "{schema}"
            );
            let review = form.review(&inputs);
            match form.answer(&inputs) {
                Ok(answer) => {
                    sent += 1;
                    check_review(&form, &answer, &review, &format!("{schema} {inputs:?}"));
                }
                Err(errors) => assert_eq!((review.errors, review.json), (errors, None)),
            }
            let _ = form
                .inputs_from_content(&dice.json(2))
                .map(|inputs| form.answer(&inputs));
        }
    }
    assert!(
        drawn > 1_000 && sent > 500,
        "the generator reaches the code: {drawn} drawn, {sent} sent"
    );
}

#[test]
fn case_044_entries_of_a_list_are_held_back_like_a_text() {
    let check = |title: &str, texts: &[&str]| {
        let schema = format!(r#"{{"type":"array","title":"{title}","items":{{"type":"string"}}}}"#);
        let form = form_of(&schema);
        let texts = texts.iter().map(|&text| text.to_owned()).collect();
        let given = FieldInput::new(0, Input::Entries { texts });
        let errors = form.answer(std::slice::from_ref(&given)).expect_err(title);
        assert_eq!(errors[0].code, FieldErrorCode::HeldBack, "{title}");
        assert_eq!(form.without_secrets(std::slice::from_ref(&given)), [], "{title}");
        let anyway = [FieldInput {
            anyway: true,
            ..given
        }];
        let review = form.review(&anyway);
        assert!(review.will_send[0].masked, "{title}");
        assert!(!review.json.expect("an answer").contains("hunter2"), "{title}");
        assert!(form.answer(&anyway).is_ok(), "{title}");
    };
    check("Passwords", &["hunter2"]);
    check("Notes", &["hunter2", "4111111111111111"]);
}
