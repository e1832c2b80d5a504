//! The cases of `tests/fixtures/wire/structured.json`, and schemas made to hurt.

use super::*;
use crate::wire::json::MAX_DEPTH;

/// "fits", "unfit: finding | finding", "unchecked: reason".
fn told(fit: Fit) -> String {
    match fit {
        Fit::Fits => "fits".to_owned(),
        Fit::Missing => "missing".to_owned(),
        Fit::Unfit { findings } => format!("unfit: {}", findings.join(" | ")),
        Fit::Unchecked { reason } => format!("unchecked: {reason}"),
    }
}

fn check_texts(schema: &str, instance: &str, expected: &str) {
    let fit = check(
        &Json::parse(schema).expect(schema),
        Some(&Json::parse(instance).expect(instance)),
    );
    assert_eq!(told(fit), expected, "{schema:.200} {instance:.200}");
}

fn check_reason(schema: &str, instance: &str, reason: &Unchecked) {
    check_texts(schema, instance, &format!("unchecked: {reason}"));
}

#[test]
fn results_are_checked_against_their_schema() {
    let cases = include_str!("../../../../../tests/fixtures/wire/structured.json");
    for case in Json::parse(cases).expect("JSON").as_array().expect("cases") {
        let member = |name: &str| case.get(name).unwrap_or_else(|| panic!("{name} in {case}"));
        let schema = member("schema").to_string();
        for (instance, expected) in member("results")
            .as_array()
            .expect("results")
            .iter()
            .filter_map(|result| result.as_array()?.split_first())
        {
            let expected = expected.first().and_then(Json::as_str).expect("expected");
            check_texts(&schema, &instance.to_string(), expected);
        }
    }
}

#[test]
fn a_result_without_structured_content_is_missing_whatever_the_schema() {
    assert_eq!(check(&Json::object::<String>([]), None), Fit::Missing);
    assert_eq!(check(&Json::integer(7), None), Fit::Missing);
}

#[test]
fn nothing_is_fetched_whatever_a_schema_refers_to() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = format!("http://{}/s.json", listener.local_addr().expect("an address"));
    for (refused, schema) in [
        (true, r##"{"$ref":"@"}"##),
        (true, r##"{"$ref":"@#/$defs/a"}"##),
        (true, r##"{"properties":{"a":{"$ref":"@"}}}"##),
        (true, r##"{"$dynamicRef":"@#a"}"##),
        (true, r##"{"$defs":{"unused":{"$ref":"@"}}}"##),
        (true, r##"{"not":{"items":[{"$ref":"@"}]}}"##),
        (true, r##"{"$id":"@","$ref":"other.json"}"##),
        (true, r##"{"$id":"@","$schema":"@"}"##),
        (true, r##"{"$schema":"@"}"##),
        (true, r##"{"properties":{"a":{"$id":"@","$ref":"#/b"}}}"##),
        (true, r##"{"x-unknown":{"$ref":"@"},"$ref":"#/x-unknown"}"##),
        (false, r##"{"$recursiveRef":"@","$id":"@"}"##),
        (false, r##"{"$vocabulary":{"@":true},"$id":"@"}"##),
        (false, r##"{"enum":[{"$ref":"@"}]}"##),
    ] {
        let schema = Json::parse(&schema.replace('@', &address)).expect(schema);
        let fit = check(&schema, Some(&Json::object([("a", Json::integer(1))])));
        let fit = told(fit);
        let says = [
            "somewhere else",
            "dialect",
            "identity of its own",
            "not an object",
        ];
        assert_eq!(
            refused,
            says.iter().any(|word| fit.contains(word)),
            "{schema}: {fit}"
        );
    }
    let seen = listener.accept().map(|_| ()).map_err(|error| error.kind());
    assert_eq!(seen, Err(std::io::ErrorKind::WouldBlock), "nobody came");
    for schema in [r#"{"$ref":"file:///etc/hostname"}"#, r#"{"$ref":"hostname"}"#] {
        let fit = told(check(&Json::parse(schema).expect(schema), Some(&Json::Null)));
        assert!(
            fit.ends_with("which is somewhere else; nothing is fetched"),
            "{fit}"
        );
    }
}

/// `{"$defs":{"d0":…,"d1":…,…},"$ref":"#/$defs/d0"}`; the last definition is `end`.
fn chain(links: usize, end: &str, link: impl Fn(&str) -> String) -> String {
    let mut definitions: Vec<String> = (1..=links)
        .map(|next| {
            format!(
                "\"d{}\":{}",
                next - 1,
                link(&format!(r##""$ref":"#/$defs/d{next}""##))
            )
        })
        .collect();
    definitions.push(format!("\"d{links}\":{end}"));
    format!(
        r##"{{"$defs":{{{}}},"$ref":"#/$defs/d0"}}"##,
        definitions.join(",")
    )
}

#[test]
fn references_that_double_thirty_times_are_refused_before_the_check() {
    let doubling = |next: &str| format!("{{\"allOf\":[{{{next}}},{{{next}}}]}}");
    check_reason(&chain(30, "{}", doubling), "1", &Unchecked::TooCostly);
    check_texts(&chain(8, "{}", doubling), "1", "fits");
    let through_members = |next: &str| {
        format!("{{\"properties\":{{\"a\":{{\"anyOf\":[{{{next}}},{{\"not\":{{{next}}}}}]}}}}}}")
    };
    let deep = format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60));
    check_reason(&chain(60, "{}", through_members), &deep, &Unchecked::TooCostly);
}

#[test]
fn a_schema_that_refers_to_itself_without_end_is_refused() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"$ref":""}"##,
        r##"{"$dynamicRef":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"not":{"not":{"$ref":"#"}}}"##,
        r##"{"if":true,"then":{"$ref":"#"}}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"properties":{"z":{"$ref":"#/$defs/a"}}}"##,
        r##"{"$anchor":"me","anyOf":[{"type":"null"},{"$ref":"#me"}]}"##,
        r##"{"$id":"https://a.example/s","$ref":"https://a.example/s#"}"##,
    ] {
        check_reason(schema, r#"{"a":1}"#, &Unchecked::Endless);
    }
}

#[test]
fn schemas_and_results_are_bounded_in_size_and_number() {
    let alternatives = vec!["{}"; 10_000].join(",");
    check_reason(
        &format!("{{\"anyOf\":[{alternatives}]}}"),
        "1",
        &Unchecked::TooManyParts,
    );
    let patterns: Vec<_> = (0..=MAX_PATTERNS).map(|n| format!("\"^x{n}\":{{}}")).collect();
    check_reason(
        &format!("{{\"patternProperties\":{{{}}}}}", patterns.join(",")),
        "1",
        &Unchecked::TooManyPatterns,
    );
    let title = "x".repeat(MAX_SCHEMA);
    let schema = format!("{{\"title\":\"{title}\"}}");
    check_reason(&schema, "1", &Unchecked::SchemaTooLarge(schema.len()));
    let text = format!("\"{}\"", "x".repeat(MAX_INSTANCE));
    check_reason("{}", &text, &Unchecked::ResultTooLarge(text.len()));
}

#[test]
fn what_would_take_long_is_refused_before_the_check() {
    let many = |item: &str, count: usize| format!("[{}]", vec![item; count].join(","));
    // A thousand alternatives at each of a thousand entries.
    let alternatives: Vec<_> = (0..1_000).map(|n| format!("{{\"const\":{n}}}")).collect();
    let schema = format!("{{\"items\":{{\"anyOf\":[{}]}}}}", alternatives.join(","));
    check_reason(&schema, &many("-1", 1_000), &Unchecked::TooCostly);
    // Choices within choices are decided anew at each level when a failure is explained.
    let choices = |links: usize| {
        let schema = chain(links, r#"{"type":"null"}"#, |next| {
            format!(r#"{{"anyOf":[{{{next}}}]}}"#)
        });
        schema.replace(
            r##"}},"$ref":"#/$defs/d0"}"##,
            r##"}},"items":{"$ref":"#/$defs/d0"}}"##,
        )
    };
    check_reason(&choices(40), &many("1", 300), &Unchecked::TooCostly);
    check_texts(&choices(2), "[1]", "unfit: /0: fits none of the alternatives");
    // One list of many values, compared with each of many entries.
    let values: Vec<_> = (0..10_000).map(|n| n.to_string()).collect();
    let schema = format!("{{\"items\":{{\"enum\":[{}]}}}}", values.join(","));
    check_reason(&schema, &many("-1", 10_000), &Unchecked::TooCostly);
    // The same list compared with itself at each level.
    let nested = format!("{}{}{}", "[".repeat(100), many("1", 5_000), "]".repeat(100));
    check_reason(
        r##"{"uniqueItems":true,"items":{"$ref":"#"}}"##,
        &nested,
        &Unchecked::TooCostly,
    );
    // Long text under many patterns.
    let patterns = vec![r#"{"pattern":"(a|aa)+$"}"#; 100].join(",");
    check_reason(
        &format!("{{\"allOf\":[{patterns}]}}"),
        &format!("\"{}\"", "a".repeat(100_000)),
        &Unchecked::TooCostly,
    );
    // Marking within marking doubles at each level, for compiling and for checking.
    let marking = |depth: usize| {
        format!(
            "{}{{}}{}",
            r#"{"unevaluatedProperties":false,"allOf":["#.repeat(depth),
            "]}".repeat(depth)
        )
    };
    check_reason(&marking(40), "{}", &Unchecked::TooCostly);
    check_texts(&marking(4), "{}", "fits");
    let recursive = r##"{"additionalProperties":{"unevaluatedProperties":false,"$ref":"#"}}"##;
    check_reason(recursive, "{}", &Unchecked::TooCostly);
}

#[test]
fn an_honest_table_of_two_thousand_rows_is_checked() {
    let row = r#"{"id":1,"name":"some name","price":12.5,"tags":["a","b"],"when":"2026-12-02","note":null}"#;
    let rows = format!("{{\"rows\":[{}]}}", vec![row; 2_000].join(","));
    let schema = r##"{"type":"object","required":["rows"],"properties":{"rows":{"type":"array","items":{"$ref":"#/$defs/row"}}},
        "$defs":{"row":{"type":"object","required":["id","name"],"additionalProperties":false,"properties":{
        "id":{"type":"integer","minimum":0},"name":{"type":"string","maxLength":100},"price":{"type":"number"},
        "tags":{"type":"array","items":{"type":"string"}},"when":{"type":"string","pattern":"^\\d{4}-\\d\\d-\\d\\d$"},
        "note":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}}"##;
    check_texts(schema, &rows, "fits");
    let broken = rows.replacen("12.5", "\"a lot\"", 1);
    check_texts(schema, &broken, "unfit: /rows/0/price: is not of type “number”");
}

fn plain(next: &str) -> String {
    format!("{{{next}}}")
}

#[test]
fn depth_is_bounded_for_references_that_follow_each_other() {
    let links = MAX_HEIGHT as usize;
    check_reason(&chain(links + 1, "{}", plain), "1", &Unchecked::TooDeep);
    let longest = chain(links - 2, r#"{"type":"null"}"#, plain);
    check_texts(&longest, "1", "unfit: the whole: is not of type “null”");
}

#[test]
fn depth_is_bounded_for_schemas_within_schemas() {
    let nested = |levels: usize| format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
    check_texts(&nested(MAX_DEPTH - 2), "[]", "fits");
    let marked = |levels: usize| {
        let open = r#"{"unevaluatedProperties":false,"contains":"#;
        format!("{}{{}}{}", open.repeat(levels), "}".repeat(levels))
    };
    check_texts(
        &marked(8),
        "[]",
        "unfit: the whole: has no entry of the kind that is asked for",
    );
    let choices = format!("{}{{}}{}", r#"{"not":"#.repeat(126), "}".repeat(126));
    check_texts(&choices, "1", "fits");
}

#[test]
fn depth_is_bounded_for_references_out_of_the_depth() {
    let nested = |levels: usize| {
        move |next: &str| {
            format!(
                "{}{{{next}}}{}",
                r#"{"items":"#.repeat(levels),
                "}".repeat(levels)
            )
        }
    };
    check_texts(&chain(30, "{}", nested(20)), "[]", "fits");
    check_reason(&chain(30, "{}", nested(60)), "[]", &Unchecked::TooDeep);
}

#[test]
fn depth_is_bounded_for_values_within_values() {
    let tree = r##"{"anyOf":[{"type":"null"},{"type":"object","properties":{"next":{"$ref":"#"}}}]}"##;
    let deep = |levels: usize| format!("{}7{}", r#"{"next":"#.repeat(levels), "}".repeat(levels));
    check_texts(tree, &deep(50), "unfit: the whole: fits none of the alternatives");
    check_reason(tree, &deep(100), &Unchecked::TooDeep);
}

/// The deepest of each kind that is still checked is checked in half the stack that threads have.
#[test]
fn what_is_within_the_bounds_does_not_overflow_the_stack() {
    let links = [
        "{@}",
        r#"{"allOf":[{@}]}"#,
        r#"{"anyOf":[{"type":"string"},{@}]}"#,
        r#"{"oneOf":[{"type":"string"},{@}]}"#,
        r#"{"not":{"not":{@}}}"#,
        r#"{"if":{@},"then":true,"else":false}"#,
        r#"{"dependentSchemas":{"a":{@}}}"#,
        r#"{"unevaluatedProperties":false,@}"#,
        r#"{"unevaluatedItems":false,@}"#,
        r#"{"unevaluatedProperties":false,"allOf":[{@}]}"#,
        r#"{"unevaluatedProperties":false,"dependentSchemas":{"a":{@}}}"#,
        r#"{"additionalProperties":{@}}"#,
        r#"{"properties":{"a":{@}},"required":["a"]}"#,
        r#"{"patternProperties":{"^a$":{@}}}"#,
        r#"{"propertyNames":{@}}"#,
        r#"{"unevaluatedProperties":{@}}"#,
        r#"{"unevaluatedProperties":{"allOf":[{"unevaluatedProperties":{},@}]}}"#,
    ];
    let value = format!("{}7{}", r#"{"a":"#.repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH));
    let value = Json::parse(&value).expect("JSON");
    let far = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(move || {
            for link in links {
                let deepest = (1..=MAX_HEIGHT as usize).rev().step_by(4).find(|length| {
                    let schema = chain(*length, r#"{"type":"null"}"#, |next| link.replace('@', next));
                    let fit = check(&Json::parse(&schema).expect(&schema), Some(&value));
                    !matches!(
                        fit,
                        Fit::Unchecked {
                            reason: Unchecked::TooDeep | Unchecked::TooCostly | Unchecked::TooManyPatterns
                        }
                    )
                });
                assert!(deepest > Some(3), "{link} {deepest:?}");
            }
        });
    far.expect("a thread").join().expect("no failure");
}

#[test]
fn no_number_is_rounded_before_it_is_compared() {
    let integer = r#"{"type":"integer"}"#;
    for (number, expected) in [
        ("3", "fits"),
        ("3.0", "fits"),
        ("1e2", "fits"),
        ("-0", "fits"),
        ("18446744073709551615", "fits"),
        ("-9223372036854775808", "fits"),
        ("0.1", "unfit: the whole: is not of type “integer”"),
        ("18446744073709551616", "fits"),
        (
            "18446744073709551617",
            "unchecked: the number 18446744073709551617 has more digits than can be compared",
        ),
        (
            "0.1234567890123456789",
            "unchecked: the number 0.1234567890123456789 has more digits than can be compared",
        ),
        (
            "1E400",
            "unchecked: the number 1E400 has more digits than can be compared",
        ),
        (
            "1e-400",
            "unchecked: the number 1e-400 has more digits than can be compared",
        ),
    ] {
        let expected = if number == "18446744073709551616" {
            // 2^64 is a double, but this is not its shortest text.
            "unchecked: the number 18446744073709551616 has more digits than can be compared"
        } else {
            expected
        };
        check_texts(integer, number, expected);
    }
    check_texts(r#"{"maximum":0.3}"#, "0.3", "fits");
    check_texts(
        r#"{"const":1E400}"#,
        "1",
        "unchecked: the number 1E400 has more digits than can be compared",
    );
}

#[test]
fn nothing_a_server_sends_is_a_panic() {
    let values = [
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e300",
        r#""""#,
        r##""#""##,
        r##""#/""##,
        r##""#/a/~2/%zz""##,
        r##""%""##,
        r#""(""#,
        r#""(?=a)""#,
        r#""\\p{L}{1000}""#,
        r#""https://json-schema.org/draft/2020-12/schema""#,
        "[]",
        "[{}]",
        "[null]",
        r#"["a","a"]"#,
        "{}",
        r#"{"":{}}"#,
        r#"{"a":true}"#,
        r#"{"a":["a"]}"#,
        r#"{"(":{}}"#,
        r#"{"$ref":"a"}"#,
        r##"{"$ref":"#/$defs"}"##,
        r##"{"$ref":"#/a/0"}"##,
        r#"{"$id":"x:y"}"#,
        r##"{"$anchor":"#"}"##,
        r#"{"$dynamicAnchor":"d"}"#,
        r##"{"$dynamicRef":"#d"}"##,
        r##"{"$schema":"http://json-schema.org/draft-07/schema#"}"##,
    ];
    let keywords = [
        "$schema",
        "$id",
        "$anchor",
        "$dynamicAnchor",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "$recursiveAnchor",
        "$vocabulary",
        "$defs",
        "definitions",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "dependentRequired",
        "dependencies",
        "properties",
        "patternProperties",
        "additionalProperties",
        "propertyNames",
        "unevaluatedProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "minContains",
        "maxContains",
        "unevaluatedItems",
        "type",
        "enum",
        "const",
        "multipleOf",
        "maximum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "uniqueItems",
        "maxProperties",
        "required",
        "format",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "discriminator",
        "a",
    ];
    let instance = Json::parse(r#"{"a":[1,"x",{"a":null}],"":"","(":0}"#).expect("JSON");
    let marked = r#""unevaluatedProperties":{},"$defs":{"a":{}}"#;
    for keyword in keywords {
        for value in values {
            for schema in [
                format!("{{\"{keyword}\":{value}}}"),
                format!("{{\"properties\":{{\"a\":{{\"{keyword}\":{value}}}}},{marked}}}"),
                format!("{{\"allOf\":[{{\"{keyword}\":{value}}}],{marked}}}"),
            ] {
                let schema = Json::parse(&schema).expect(&schema);
                let fit = check(&schema, Some(&instance));
                let failed = Fit::Unchecked {
                    reason: Unchecked::Failed,
                };
                assert_ne!(fit, failed, "{schema}");
            }
        }
    }
}
