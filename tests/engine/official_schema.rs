//! Everything that leaves, against the official schemas of the specification, and every answer against the schema that
//! asked for it. See `tests/fixtures/schema/README.md`.

use crate::kit::{Desk, Http, Official, Reply, answer_fits, done, form, input_required, link, name, schemas};
use countersign_core::form::{FieldInput, Input};
use countersign_core::mrtr::machine::{Machine, Step, Word};
use countersign_core::view::{Act, Answered};
use countersign_core::wire::json::{Json, Members};
use countersign_core::wire::request::{Elicitation, Method, Request, cancelled};
use countersign_core::wire::{Revision, legacy};

/// The message of a request, read again.
pub(crate) fn sent(request: &Request, elicitation: Elicitation) -> Json {
    json(&request.message(41, elicitation))
}

/// Every request that is no retry, with what each list and call can have.
fn requests() -> Vec<(&'static str, Request)> {
    let call = |method, key: &str, name: &str| Request::new(method).with(key, Json::string(name));
    let arguments = || json(r#"{"text":"aé\u2028","n":1.50,"deep":{"list":[null,true]}}"#);
    let texts = || json(r#"{"topic":"x","tone":""}"#);
    let tool = call(Method::CallTool, "name", "größe");
    let prompt = call(Method::GetPrompt, "name", "p");
    let mut requests = vec![
        ("DiscoverRequest", Request::new(Method::Discover)),
        ("CallToolRequest", tool.clone().with("arguments", arguments())),
        (
            "CallToolRequest",
            tool.with("arguments", Json::Object(Members::new())),
        ),
        ("GetPromptRequest", prompt.with("arguments", texts())),
        (
            "ReadResourceRequest",
            call(Method::ReadResource, "uri", "file:///a%20b"),
        ),
    ];
    for (definition, method) in [
        ("ListToolsRequest", Method::ListTools),
        ("ListPromptsRequest", Method::ListPrompts),
        ("ListResourcesRequest", Method::ListResources),
        ("ListResourceTemplatesRequest", Method::ListTemplates),
    ] {
        requests.push((definition, Request::new(method)));
        requests.push((definition, call(method, "cursor", "")));
        requests.push((definition, call(method, "cursor", " c=/é")));
    }
    requests
}

/// What is sent after a round that came for the request: nothing answered, and one answer of each action.
fn retries(request: &Request) -> Vec<Request> {
    let entry = r#""inputRequests":{"q":{"method":"elicitation/create"}}"#;
    let answers = [
        None,
        Some(r#"{"action":"accept","content":{"t":"a","n":3,"b":true,"m":["x"]}}"#),
        Some(r#"{"action":"accept","content":{}}"#),
        Some(r#"{"action":"accept"}"#),
        Some(r#"{"action":"decline"}"#),
        Some(r#"{"action":"cancel"}"#),
    ];
    let mut retries = Vec::new();
    for round in [
        r#""requestState":"""#.to_owned(),
        entry.to_owned(),
        format!(r#"{entry},"requestState":"s""#),
    ] {
        for answer in answers {
            let mut machine = Machine::new(request.clone());
            machine.replied(
                json(&format!(r#"{{"resultType":"input_required",{round}}}"#)),
                Revision::V2026_07_28,
            );
            let answers = answer
                .iter()
                .map(|answer| ("q".to_owned(), json(answer)))
                .collect();
            match machine.answered(answers, Word::Person) {
                Step::Send { request, .. } => retries.push(request),
                step @ (Step::Ask | Step::PauseAtCap | Step::Done(_) | Step::Failed(_) | Step::Declined) => {
                    panic!("{step:?}")
                }
            }
        }
    }
    retries
}

/// Revision, definition and message of everything that leaves.
fn messages() -> Vec<(&'static str, &'static str, Json)> {
    let mut messages = vec![(
        "2026-07-28",
        "CancelledNotification",
        json(&cancelled(41, "stopped by you")),
    )];
    for (definition, request) in requests() {
        let retries = if request.method.may_ask() {
            retries(&request)
        } else {
            Vec::new()
        };
        for request in retries.into_iter().chain([request]) {
            for elicitation in [Elicitation::Both, Elicitation::None] {
                messages.push(("2026-07-28", definition, sent(&request, elicitation)));
            }
        }
    }
    messages.extend(legacy_messages());
    messages
}

/// What leaves for a server of 2025-11-25. Older ones get the same.
fn legacy_messages() -> Vec<(&'static str, &'static str, Json)> {
    let newest = Revision::NEWEST_LEGACY;
    let response = |result: &str| legacy::response(&Json::string("s-1"), &json(result));
    let numbered = |result: &str| legacy::response(&Json::integer(0), &json(result));
    let mut messages = vec![
        (
            "InitializeRequest",
            legacy::initialize(1, newest, Elicitation::Both),
        ),
        (
            "InitializeRequest",
            legacy::initialize(1, newest, Elicitation::None),
        ),
        ("InitializedNotification", legacy::initialized()),
        ("PingRequest", Request::new(Method::Ping).legacy_message(41)),
        ("CancelledNotification", cancelled(41, "stopped by you")),
        ("JSONRPCResultResponse", response("{}")),
        (
            "JSONRPCResultResponse",
            response(r#"{"action":"accept","content":{"t":"a","n":3,"m":["x"]}}"#),
        ),
        ("JSONRPCResultResponse", numbered(r#"{"action":"accept"}"#)),
        ("JSONRPCResultResponse", numbered(r#"{"action":"decline"}"#)),
        (
            "JSONRPCErrorResponse",
            legacy::refusal(&Json::string("s-1"), -32601, "Not known here."),
        ),
    ];
    for (definition, request) in requests() {
        if request.method != Method::Discover {
            messages.push((definition, request.legacy_message(41)));
        }
    }
    let messages = messages.into_iter();
    messages
        .map(|(definition, message)| (newest.name(), definition, json(&message)))
        .collect()
}

#[test]
fn everything_that_is_sent_is_valid_by_the_official_schema() {
    let officials = ["2026-07-28", "2025-11-25"].map(|revision| (revision, Official::of(revision)));
    for (revision, definition, message) in messages() {
        let official = officials.iter().find(|(known, _)| *known == revision);
        let (_, official) = official.expect(revision);
        for definition in [definition, "JSONRPCMessage"] {
            assert_eq!(
                official.faults(definition, &message),
                [""; 0],
                "{definition} of {revision}: {message}"
            );
        }
    }
}

#[test]
fn the_official_schema_notices_what_is_wrong() {
    let official = Official::of("2026-07-28");
    let message = sent(&Request::new(Method::ListTools), Elicitation::Both);
    let wrong = |definition, message: &Json| {
        assert_ne!(
            official.faults(definition, message),
            [""; 0],
            "{definition}: {message}"
        );
    };
    let params = message.get("params").expect("params");
    wrong(
        "ListToolsRequest",
        &with(&message, "params", without(params, &["_meta"])),
    );
    wrong("ListToolsRequest", &with(&message, "id", Json::Null));
    wrong("ListPromptsRequest", &message);
    wrong("ElicitResult", &json(r#"{"action":"yes"}"#));
    wrong(
        "ElicitResult",
        &json(r#"{"action":"accept","content":{"x":null}}"#),
    );
    wrong(
        "CancelledNotification",
        &json(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#),
    );
}

/// The answers of a person to a form, a form, a form and two links, as they leave.
#[tokio::test]
async fn a_retry_with_every_action_is_valid_by_the_official_schema() {
    let schema = r#"{"type":"object","properties":{"t":{"type":"string"},"i":{"type":"integer"},"x":{"type":"number"},"b":{"type":"boolean"},"c":{"type":"string","enum":["one","two"]},"m":{"type":"array","items":{"type":"string","enum":["r","g"]}}}}"#;
    let page = |n: u32| link("Open it.", &format!("https://pay.example.com/{n}"));
    let entries = [
        ("filled", form("m", schema)),
        ("empty", form("m", schema)),
        ("declined", form("m", name())),
        ("dismissed", form("m", name())),
        ("opened", page(1)),
        ("unopened", page(2)),
    ];
    let server = Http::replies([
        Reply::Result(input_required(&entries, Some(r#""s""#))),
        Reply::Result(input_required(&[], Some(r#""""#))),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let input = FieldInput::new;
    let typed = |text: &str| Input::Text {
        text: text.to_owned(),
    };
    let filled = vec![
        input(0, typed("aé")),
        input(1, typed("3.0")),
        input(2, typed("15")),
        input(3, Input::Flag { value: false }),
        input(4, Input::Pick { index: 1 }),
        input(5, Input::Picks { indexes: vec![0, 1] }),
    ];
    let asks = desk.questions(call, entries.len()).await;
    for (ask, (act, inputs)) in asks.iter().zip([
        (Act::Accept, Some(filled)),
        (Act::Accept, Some(Vec::new())),
        (Act::Decline, None),
        (Act::Dismiss, None),
        (Act::Open, None),
        (Act::Decline, None),
    ]) {
        let answered = desk.act_with(ask.id, act, inputs, None).await;
        assert!(
            matches!(answered, Answered::Kept { .. } | Answered::Sent),
            "{answered:?}"
        );
    }
    desk.finished(call).await;
    let official = Official::of("2026-07-28");
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    for seen in &seen {
        let message = seen.json();
        assert_eq!(official.faults("CallToolRequest", &message), [""; 0], "{message}");
    }
    let params = seen[1].json().get("params").expect("params").clone();
    let responses = params
        .get("inputResponses")
        .and_then(Json::as_object)
        .expect("responses")
        .clone();
    let told: Vec<_> = responses
        .iter()
        .map(|(key, result)| format!("{key} {result}"))
        .collect();
    assert_eq!(
        told,
        [
            r#"filled {"action":"accept","content":{"t":"aé","i":3,"x":15,"b":false,"c":"two","m":["r","g"]}}"#,
            r#"empty {"action":"accept","content":{}}"#,
            r#"declined {"action":"decline"}"#,
            r#"dismissed {"action":"cancel"}"#,
            r#"opened {"action":"accept"}"#,
            r#"unopened {"action":"decline"}"#,
        ]
    );
}

/// A form of the fixtures and a content that is sent for it.
struct Answer {
    name: String,
    requested: Json,
    content: Json,
}

/// Of the files with what the specification describes; what goes beyond it is for `form_oracle`.
fn answers() -> Vec<Answer> {
    let folder = schemas().join("../form");
    let mut answers = Vec::new();
    for file in ["cases", "vectors", "lenient", "defaults", "hostile", "arguments"] {
        let text = std::fs::read_to_string(folder.join(file).with_extension("json")).expect(file);
        for case in json(&text).as_array().expect(file) {
            let params = case
                .get("params")
                .and_then(|params| params.get("requestedSchema"));
            let Some(requested) = params.or_else(|| case.get("schema")) else {
                continue;
            };
            let tries = case.get("tries").and_then(Json::as_array).unwrap_or_default();
            answers.extend(tries.iter().filter_map(|attempt| {
                Some(Answer {
                    name: case.get("name").and_then(Json::as_str).expect(file).to_owned(),
                    requested: requested.clone(),
                    content: attempt.get("content")?.clone(),
                })
            }));
        }
    }
    answers
}

/// What is asked beyond the keywords of the specification is shown or told, and left to the server to check.
const NOT_CHECKED: [&str; 1] = ["text-33 unknown keywords and formats change nothing"];

#[test]
fn every_answer_fits_the_schema_that_asked_for_it() {
    let answers = answers();
    assert!(answers.len() >= 70, "{}", answers.len());
    for Answer {
        name,
        requested,
        content,
    } in answers
    {
        let fits = answer_fits(&requested, &content);
        assert_eq!(
            fits.is_err(),
            NOT_CHECKED.contains(&name.as_str()),
            "{name}: {content}: {fits:?}"
        );
    }
}

#[test]
fn an_answer_that_does_not_fit_is_noticed() {
    let check = |property: &str, value: &str, fits: bool| {
        let requested = format!(r#"{{"type":"object","properties":{{"x":{property}}},"required":["x"]}}"#);
        let content = json(&format!(r#"{{"x":{value}}}"#));
        assert_eq!(
            answer_fits(&json(&requested), &content).is_ok(),
            fits,
            "{property} {value}"
        );
    };
    check(r#"{"type":"integer"}"#, "3", true);
    check(r#"{"type":"integer"}"#, "3.5", false);
    check(r#"{"type":"string","format":"date"}"#, r#""2026-07-28""#, true);
    check(r#"{"type":"string","format":"date"}"#, r#""28.7.2026""#, false);
    check(r#"{"enum":["a"]}"#, r#""b""#, false);
    assert!(answer_fits(&json(r#"{"required":["x"]}"#), &json("{}")).is_err());
}

/// The values of a content are text, integer or yes/no for the official schema, or a list of texts. Its description
/// and its source say that they are numbers too, so a fraction is no fault of ours.
#[test]
fn every_answer_is_valid_by_the_official_schema_but_for_fractions() {
    let newer = Official::of("2026-07-28");
    let older = Official::of("2025-11-25");
    for Answer { name, content, .. } in answers() {
        let result = Json::object([("action", Json::string("accept")), ("content", content.clone())]);
        let values = content.as_object().expect("an object");
        let fraction = values.iter().any(|(_, value)| {
            value.to_value().is_f64() && value.as_i64().is_none() && value.to_string().contains('.')
        });
        for official in [&newer, &older] {
            let faults = official.faults("ElicitResult", &result);
            assert_eq!(!faults.is_empty(), fraction, "{name}: {content}: {faults:?}");
        }
    }
}

/// The object with one member set.
pub(crate) fn with(json: &Json, key: &str, value: Json) -> Json {
    let mut members = json.as_object().expect("an object").clone();
    members.set(key, value);
    Json::Object(members)
}

/// The object without some members.
pub(crate) fn without(json: &Json, keys: &[&str]) -> Json {
    let members = json.as_object().expect("an object").clone();
    Json::Object(
        members
            .into_iter()
            .filter(|(key, _)| !keys.contains(&key.as_str()))
            .collect(),
    )
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).expect(text)
}
