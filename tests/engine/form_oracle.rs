//! Forms against another's validator: random schemas and answers, judged by our form and by the `jsonschema` crate.
//!
//! Both directions: what we send is valid by the schema, and what we refuse as content is not. Every disagreement
//! that is meant is in [`KNOWN`] with its reason; any other fails. The same cases on every run.

use countersign_core::form::{Control, FieldInput, Form, FormView, Input, Reason};
use countersign_core::wire::json::Json;
use jsonschema::{Draft, Validator};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;

const CASES: u32 = 10_000;

/// Where we and the validator differ on purpose: a name, what it is about, and whether a value in a property is that.
type Known = (&'static str, fn(&Value, &Value) -> bool);

const KNOWN: [Known; 5] = [
    // An empty box is no answer; only a suggested empty text is sent.
    ("an empty text or entry is never sent", |_, value| {
        value == "" || list(value).iter().any(|entry| entry == "")
    }),
    // Leaving out says the same, and nothing is sent that looks like an answer nobody gave.
    ("null is never sent", |_, value| value.is_null()),
    // Ticks are sent once each and in the order of the form.
    (
        "choices in another order, or one of them twice",
        |property, value| property["items"].get("enum").is_some() && !list(value).is_empty(),
    ),
    // The validator divides doubles; ours are decimals.
    ("a multiple that doubles do not tell", |property, value| {
        let fraction = property["multipleOf"]
            .as_f64()
            .is_some_and(|step| step.fract() != 0.0);
        fraction && value.as_f64().is_some_and(|value| value.abs() > 9e15)
    }),
    // The server checks what is only told.
    ("a pattern whose meaning is not sure", |property, _| {
        property["pattern"]
            .as_str()
            .is_some_and(|pattern| pattern.contains("(?"))
    }),
];

#[derive(Clone, Debug)]
struct Case {
    properties: Vec<(&'static str, Value)>,
    required: Vec<&'static str>,
    /// A value for each property, or none.
    answer: Vec<Option<Value>>,
    /// What is typed and chosen, however it fits.
    typed: Vec<(Index, Input)>,
}

#[derive(Default)]
struct Tally {
    drawn: u32,
    sent: u32,
    refused: u32,
    impossible: u32,
    known: BTreeMap<&'static str, u32>,
    disagreed: Vec<String>,
}

#[test]
fn ten_thousand_random_forms_agree_with_another_validator() {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let tally = RefCell::new(Tally::default());
    TestRunner::new_with_rng(config, rng)
        .run(&case(), |case| {
            let tally = &mut *tally.borrow_mut();
            let disagreed = check(&case, tally).err();
            tally.disagreed.extend(disagreed);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let tally = tally.into_inner();
    let disagreed = &tally.disagreed;
    assert!(
        disagreed.is_empty(),
        "{}: {:#?}",
        disagreed.len(),
        &disagreed[..disagreed.len().min(20)]
    );
    // The generator reaches both sides, and every known disagreement is really one.
    assert!(tally.drawn > CASES / 2, "drawn {}", tally.drawn);
    assert!(tally.sent > CASES / 5, "sent {}", tally.sent);
    assert!(tally.refused > CASES / 4, "refused {}", tally.refused);
    assert!(tally.impossible > 20, "impossible {}", tally.impossible);
    for (name, _) in KNOWN {
        assert!(
            tally.known.contains_key(name),
            "never met: {name}; {:?}",
            tally.known
        );
    }
}

fn check(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let properties: Map<String, Value> = case
        .properties
        .iter()
        .map(|(key, property)| ((*key).to_owned(), property.clone()))
        .collect();
    let schema = json!({"type": "object", "properties": properties, "required": case.required});
    let answer: Map<String, Value> = case
        .properties
        .iter()
        .zip(&case.answer)
        .filter_map(|((key, _), value)| Some(((*key).to_owned(), value.clone()?)))
        .collect();
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(true)
        .build(&schema)
        .map_err(|error| format!("the schema is not valid: {error}"))?;
    let known = |tally: &mut Tally, one_key: Option<&str>| {
        let mut met = KNOWN.iter().filter(|(_, is)| {
            answer
                .iter()
                .filter(|(key, _)| one_key.is_none_or(|one| one == key.as_str()))
                .any(|(key, value)| is(&properties[key], value))
        });
        met.next()
            .map(|(name, _)| *tally.known.entry(*name).or_default() += 1)
            .is_some()
    };
    let form = match Form::parse(&exact(&schema)) {
        Ok(form) => form,
        Err(refused) => {
            let impossible = [
                Reason::ImpossibleLength,
                Reason::ImpossibleRange,
                Reason::ImpossibleCount,
            ];
            if !impossible.contains(&refused.reason) {
                return Err(format!("{schema} is not drawn: {refused}"));
            }
            tally.impossible += 1;
            let whole = answer.len() == properties.len();
            if whole && validator.is_valid(&Value::Object(answer.clone())) && !known(tally, None) {
                return Err(format!(
                    "refused as impossible, and an answer is valid: {refused}"
                ));
            }
            return Ok(());
        }
    };
    tally.drawn += 1;
    let sent = form
        .inputs_from_content(&exact(&Value::Object(answer.clone())))
        .and_then(|inputs| form.answer(&inputs).map_err(|errors| format!("{errors:?}")));
    let valid = validator.is_valid(&Value::Object(answer.clone()));
    match sent {
        Ok(sent) => {
            tally.sent += 1;
            let content = sent.content().to_value();
            if !validator.is_valid(&content) && !known(tally, None) {
                return Err(format!("{schema}: we send {content}, which is not valid"));
            }
        }
        Err(why) => {
            tally.refused += 1;
            if valid && !known(tally, None) {
                return Err(format!(
                    "{schema}: we refuse {}, which is valid: {why}",
                    Value::Object(answer.clone())
                ));
            }
        }
    }
    check_typed(case, &form, &properties, &validator)
}

/// Whatever was typed and chosen: what is sent of it is valid.
fn check_typed(
    case: &Case,
    form: &Form,
    properties: &Map<String, Value>,
    validator: &Validator,
) -> Result<(), String> {
    let FormView { fields } = form.view();
    let inputs: Vec<FieldInput> = case
        .typed
        .iter()
        .map(|(at, input)| {
            let field = at.get(&fields);
            let input = match (&field.control, input) {
                (Control::Entries { .. }, Input::Text { text }) => Input::Entries {
                    texts: vec![text.clone()],
                },
                (_, input) => input.clone(),
            };
            FieldInput::new(field.id, input)
        })
        .collect();
    let Ok(answer) = form.answer(&inputs) else {
        return Ok(());
    };
    let content = answer.content().to_value();
    let told_only = content
        .as_object()
        .into_iter()
        .flatten()
        .any(|(key, value)| KNOWN[3..].iter().any(|(_, is)| is(&properties[key], value)));
    if validator.is_valid(&content) || told_only {
        Ok(())
    } else {
        Err(format!(
            "{properties:?}: typed {inputs:?}, sent {content}, which is not valid"
        ))
    }
}

fn exact(value: &Value) -> Json {
    Json::parse(&value.to_string()).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn case() -> impl Strategy<Value = Case> {
    let keys = prop::sample::subsequence(vec!["a", "b c", "", "__proto__", "page[size]"], 1..=2);
    keys.prop_flat_map(|keys| {
        let count = keys.len();
        let fields = prop::collection::vec(property_and_value(), count);
        let required = prop::sample::subsequence(keys.clone(), 0..=count);
        let typed = prop::collection::vec((any::<Index>(), input()), 0..4);
        (fields, required, typed).prop_map(move |(fields, required, typed)| {
            let (properties, answer): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            Case {
                properties: keys.iter().copied().zip(properties).collect(),
                required,
                answer,
                typed,
            }
        })
    })
}

/// A property, and mostly a value that is near to it.
fn property_and_value() -> impl Strategy<Value = (Value, Option<Value>)> {
    let near = prop_oneof![
        3 => (text_property(), text_value().boxed()),
        3 => (number_property(), number_value().boxed()),
        1 => (Just(json!({"type": "boolean"})).boxed(), any::<bool>().prop_map(Value::from).boxed()),
        1 => (choice_property(), choice_value().boxed()),
        2 => (picks_property(), prop::collection::vec(choice_value(), 0..4).prop_map(Value::from).boxed()),
        2 => (entries_property(), entries_value()),
    ];
    (near, any_value(), 0..10_u8).prop_map(|((property, near), far, dice)| {
        let value = match dice {
            0 => None,
            1 => Some(far),
            _ => Some(near),
        };
        (property, value)
    })
}

fn with(kind: Value, keywords: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let each: Vec<_> = keywords
        .into_iter()
        .map(|(keyword, value)| prop::option::weighted(0.35, value).prop_map(move |value| (keyword, value)))
        .collect();
    each.prop_map(move |members| {
        let mut property = kind.as_object().cloned().unwrap_or_default();
        for (keyword, value) in members {
            property.extend(value.map(|value| (keyword.to_owned(), value)));
        }
        Value::Object(property)
    })
    .boxed()
}

fn text_property() -> BoxedStrategy<Value> {
    let kind = select(vec![
        json!({"type": "string"}),
        json!({"type": ["string", "null"]}),
    ]);
    let plain = kind.prop_flat_map(|kind| {
        with(
            kind,
            vec![
                ("minLength", (0..4_u32).prop_map(Value::from).boxed()),
                ("maxLength", (0..12_u32).prop_map(Value::from).boxed()),
                ("pattern", select(patterns()).prop_map(Value::from).boxed()),
                ("title", Just(json!("Title")).boxed()),
            ],
        )
    });
    let formats = select(vec!["email", "date", "date-time", "uri", "colour"]);
    let formatted = formats.prop_map(|format| json!({"type": "string", "format": format}));
    prop_oneof![plain, formatted].boxed()
}

fn patterns() -> Vec<&'static str> {
    vec![
        "a",
        "^a",
        "a$",
        r"^\d+$",
        r"^\w+$",
        r"^\s*$",
        r"\bab\b",
        "^[^a]*$",
        "^.{1,3}$",
        "^(a|b)*$",
        "^[A-Za-z0-9_-]+$",
        r"\S",
        "^(?!a)",
    ]
}

fn text_value() -> impl Strategy<Value = Value> {
    select(vec![
        "",
        " ",
        "a",
        "ab",
        "b",
        "abc",
        "a b",
        "a\n",
        "ä",
        "٣",
        "12",
        "a1",
        "😀",
        "👩‍🚀",
        "\u{85}",
        "\u{feff}",
        "a-b_c",
        "null",
        "ada@example.org",
        "\"a b\"@example.org",
        "x@",
        "a@b@c",
        "2026-02-28",
        "2026-02-30",
        "2026-12-01T21:30:00Z",
        "2026-12-01T21:30:00",
        "2016-12-31T23:59:60Z",
        "https://example.org/a?b#c",
        "example.org",
        "urn:isbn:1",
        "https://exa mple.org",
        "a very long text that fits no bound",
    ])
    .prop_map(Value::from)
}

fn number_property() -> BoxedStrategy<Value> {
    let kind = select(vec![
        json!({"type": "integer"}),
        json!({"type": "number"}),
        json!({"type": ["null", "number"]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    ]);
    let bound = || {
        select(vec![
            json!(-2),
            json!(0.0),
            json!(1),
            json!(1.5),
            json!(3),
            json!(10),
        ])
        .boxed()
    };
    kind.prop_flat_map(move |kind| {
        with(
            kind,
            vec![
                ("minimum", bound()),
                ("maximum", bound()),
                ("exclusiveMinimum", bound()),
                ("exclusiveMaximum", bound()),
                (
                    "multipleOf",
                    select(vec![
                        json!(1),
                        json!(2),
                        json!(0.5),
                        json!(1.5),
                        json!(7),
                        json!(0.1),
                    ])
                    .boxed(),
                ),
            ],
        )
    })
    .boxed()
}

fn number_value() -> impl Strategy<Value = Value> {
    let small = select(vec![
        json!(-2),
        json!(-0.5),
        json!(0),
        json!(0.0),
        json!(0.25),
        json!(0.3),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(2),
        json!(2.5),
        json!(3),
        json!(4.5),
        json!(7),
        json!(10),
        json!(14.0),
        json!(1e20),
        json!(-1e-7),
    ]);
    prop_oneof![6 => small, 1 => Just(json!(9_007_199_254_740_993_i64))]
}

fn choices() -> impl Strategy<Value = Vec<Value>> {
    let values = vec![
        json!("a"),
        json!("b"),
        json!("1"),
        json!(1),
        json!(2.5),
        json!(true),
        json!("😀"),
        json!("a b"),
    ];
    prop::sample::subsequence(values, 1..=5)
}

fn choice_property() -> BoxedStrategy<Value> {
    (choices(), 0..5_u8)
        .prop_map(|(values, shape)| {
            let titled = |values: &[Value]| -> Vec<Value> {
                let branches = values
                    .iter()
                    .map(|value| json!({"const": value, "title": "T", "description": "D"}));
                branches.collect()
            };
            match shape {
                0 => json!({"enum": values}),
                1 => json!({"oneOf": titled(&values)}),
                2 => json!({"anyOf": titled(&values)}),
                3 => json!({"const": values[0]}),
                _ => json!({"enum": values, "oneOf": titled(&values)}),
            }
        })
        .boxed()
}

fn choice_value() -> impl Strategy<Value = Value> {
    select(vec![
        json!("a"),
        json!("b"),
        json!("1"),
        json!(1),
        json!(1.0),
        json!(2.5),
        json!(true),
        json!("A"),
        json!(false),
    ])
}

fn picks_property() -> BoxedStrategy<Value> {
    (choices(), any::<bool>())
        .prop_flat_map(|(values, unique)| {
            with(
                json!({"type": "array", "items": {"enum": values}, "uniqueItems": unique}),
                vec![
                    ("minItems", (0..4_u32).prop_map(Value::from).boxed()),
                    ("maxItems", (0..4_u32).prop_map(Value::from).boxed()),
                ],
            )
        })
        .boxed()
}

fn entries_property() -> BoxedStrategy<Value> {
    let item = prop_oneof![
        with(
            json!({"type": "string"}),
            vec![
                ("minLength", (0..3_u32).prop_map(Value::from).boxed()),
                (
                    "pattern",
                    select(vec!["a", "^[ab]+$"]).prop_map(Value::from).boxed()
                ),
            ],
        ),
        with(
            json!({"type": "integer"}),
            vec![
                ("minimum", Just(json!(0)).boxed()),
                ("multipleOf", Just(json!(2)).boxed())
            ],
        ),
        with(
            json!({"type": "number"}),
            vec![("exclusiveMaximum", Just(json!(3)).boxed())]
        ),
    ];
    (item, any::<bool>())
        .prop_flat_map(|(item, unique)| {
            with(
                json!({"type": "array", "items": item, "uniqueItems": unique}),
                vec![
                    ("minItems", (0..3_u32).prop_map(Value::from).boxed()),
                    ("maxItems", (0..4_u32).prop_map(Value::from).boxed()),
                ],
            )
        })
        .boxed()
}

fn entries_value() -> BoxedStrategy<Value> {
    prop_oneof![
        prop::collection::vec(select(vec!["a", "b", "ab", "", "c"]).prop_map(Value::from), 0..4),
        prop::collection::vec(number_value(), 0..4),
    ]
    .prop_map(Value::from)
    .boxed()
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        text_value(),
        number_value(),
        prop::collection::vec(choice_value(), 0..3).prop_map(Value::from),
        Just(json!({"a": 1})),
        Just(json!([["a"]])),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    let text = select(vec![
        "",
        " ",
        "a",
        "ab",
        "1",
        "-0",
        "1.0",
        "1,5",
        "2e0",
        "1e3",
        ".5",
        "7",
        "0.30",
        "−2",
        "+3",
        "ada@example.org",
        "2026-02-28",
        "2026-12-01T21:30:00+01:00",
        "urn:x:y",
        "yes",
    ]);
    prop_oneof![
        Just(Input::Empty),
        text.prop_map(|text| Input::Text {
            text: text.to_owned()
        }),
        any::<bool>().prop_map(|value| Input::Flag { value }),
        (0..6_u32).prop_map(|index| Input::Pick { index }),
        prop::collection::vec(0..6_u32, 0..4).prop_map(|indexes| Input::Picks { indexes }),
        prop::collection::vec(
            select(vec!["a", "b", "1", "1.0", "2", ""]).prop_map(str::to_owned),
            0..4
        )
        .prop_map(|texts| Input::Entries { texts }),
    ]
}
