//! `form`: one line in, one line out.

use crate::rig::Rig;
use countersign_core::wire::json::Json;

/// The lines of stdout without `fields`, for these lines of stdin.
async fn told(lines: &str, code: i32) -> Vec<String> {
    let ran = Rig::new().await.run_with_input(&["form"], lines).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{ran:?}");
    let without_fields = |line: &str| match Json::parse(line) {
        Ok(Json::Object(mut members)) => {
            members.remove("fields");
            Json::Object(members).to_string()
        }
        other => panic!("{other:?}"),
    };
    ran.stdout.lines().map(without_fields).collect()
}

async fn check(schema: &str, cases: &[(&str, &str)]) {
    let lines: Vec<String> = cases
        .iter()
        .map(|(answer, _)| format!(r#"{{"schema":{schema},"answer":{answer}}}"#))
        .collect();
    let told = told(&lines.join("\n"), 0).await;
    let expected: Vec<String> = cases.iter().map(|(_, told)| (*told).to_owned()).collect();
    assert_eq!(told, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_answers_become_the_exact_content_or_errors_per_key() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"number","minimum":0},"s":{"type":"string","default":"x"}},"required":["n"]}"#;
    check(
        schema,
        &[
            (r#"{"n":"1.50"}"#, r#"{"guard":{"n":"ok","s":"ok"},"content":{"n":1.50,"s":"x"}}"#),
            (r#"{"n":1E400,"s":""}"#, r#"{"guard":{"n":"ok","s":"ok"},"content":{"n":1E400}}"#),
            (r#"{"n":"5","s":null}"#, r#"{"guard":{"n":"ok","s":"ok"},"content":{"n":5}}"#),
            (
                r#"{"n":"1,5"}"#,
                r#"{"guard":{"n":"ok","s":"ok"},"errors":{"n":{"code":"not_number","message":"Write the decimal point as a point and leave out separators: 1.5 or 1000."}}}"#,
            ),
            (
                r#"{"x":"1"}"#,
                r#"{"guard":{"n":"ok","s":"ok"},"errors":{"x":{"code":"unknown_key","message":"The form has no such field."},"n":{"code":"required","message":"Enter a number; it is required."}}}"#,
            ),
            (
                "null",
                r#"{"guard":{"n":"ok","s":"ok"},"errors":{"n":{"code":"required","message":"Enter a number; it is required."}}}"#,
            ),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn choices_are_named_by_value_or_title_and_lists_by_texts_or_lines() {
    let schema = r#"{"type":"object","properties":{"c":{"oneOf":[{"const":"a","title":"b"},{"const":"b","title":"B"},{"const":7,"title":"Seven"}]},"m":{"type":"array","items":{"enum":["x","y",true]}},"l":{"type":"array","items":{"type":"integer"}},"q":{"type":"boolean"}}}"#;
    let content =
        |content: &str| format!(r#"{{"guard":{{"c":"ok","m":"ok","l":"ok","q":"ok"}},"content":{content}}}"#);
    let errors =
        |errors: &str| format!(r#"{{"guard":{{"c":"ok","m":"ok","l":"ok","q":"ok"}},"errors":{errors}}}"#);
    let rows = [
        (r#"{"c":"b","q":"Yes"}"#, content(r#"{"c":"b","q":true}"#)),
        (r#"{"c":"Seven","q":false}"#, content(r#"{"c":7,"q":false}"#)),
        (r#"{"c":"7","m":"y\nx"}"#, content(r#"{"c":7,"m":["x","y"]}"#)),
        (
            r#"{"m":["true","x"],"l":["1","2.0"]}"#,
            content(r#"{"m":["x",true],"l":[1,2]}"#),
        ),
        (r#"{"m":[],"l":[]}"#, content(r#"{"m":[],"l":[]}"#)),
        (r#"{"c":"","m":"","l":"","q":""}"#, content("{}")),
        (r#"{"l":"3\n4"}"#, content(r#"{"l":[3,4]}"#)),
        (
            r#"{"c":"A","m":"z"}"#,
            errors(
                r#"{"c":{"code":"not_an_option","message":"Choose one of the choices."},"m":{"code":"not_an_option","message":"Choose one of the choices."}}"#,
            ),
        ),
        (
            r#"{"q":"maybe","l":["1","x"]}"#,
            errors(
                r#"{"l":{"code":"not_number","message":"Entry 2: Enter a whole number in digits, such as 12."},"q":{"code":"wrong_kind","message":"This input is not for this field."}}"#,
            ),
        ),
    ];
    let rows: Vec<(&str, &str)> = rows
        .iter()
        .map(|(answer, told)| (*answer, told.as_str()))
        .collect();
    check(schema, &rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_are_told_with_key_kind_and_what_the_window_gets() {
    let schema = r#"{"type":"object","properties":{"__proto__":{"type":"integer","title":"Seats","minimum":2},"page[size]":{"type":"boolean"}},"required":["__proto__"]}"#;
    let ran = Rig::new()
        .await
        .run_with_input(&["form"], &format!(r#"{{"schema":{schema}}}"#))
        .await;
    let fields = ran.json().get("fields").expect("fields").to_string();
    assert_eq!(
        fields,
        r#"[{"key":"__proto__","kind":"number","id":0,"label":"Seats","help":null,"required":true,"control":{"kind":"number","integer":true,"minimum":"2","maximum":null,"above":null,"below":null,"multipleOf":null},"suggested":null,"notes":[],"guard":null},{"key":"page[size]","kind":"yesNo","id":1,"label":"page[size]","help":null,"required":false,"control":{"kind":"yesNo"},"suggested":null,"notes":[],"guard":null}]"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_has_an_answer_also_one_that_is_no_question() {
    let lines = "\n{\"schema\":{\"type\":\"object\"}}\n\nnot JSON\n{\"answer\":{}}\n{\"schema\":{\"properties\":{}},\"answer\":5}\n{\"schema\":{\"properties\":{}}}\n";
    assert_eq!(
        told(lines, 2).await,
        [
            r#"{"undrawable":"The form is malformed: it has no “properties”, so it does not say what to fill in."}"#,
            r#"{"problem":"not JSON: expected ident at line 1 column 2"}"#,
            r#"{"problem":"no “schema”"}"#,
            r#"{"problem":"“answer” is a number, not an object"}"#,
            r#"{"guard":{},"content":{}}"#,
        ]
    );
}
