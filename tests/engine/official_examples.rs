//! Every message example of the specification, read as what it is. See `tests/fixtures/schema/README.md`.

use crate::kit::{Desk, Http, Official, Reply, schemas};
use crate::official_schema::{json, sent, with, without};
use countersign_core::form::{Control, Form, NumberLimits, TextLimits};
use countersign_core::inbox::result;
use countersign_core::view::{OfferKind, ResultPart};
use countersign_core::wire::json::Json;
use countersign_core::wire::legacy;
use countersign_core::wire::lists::{ListKind, Page};
use countersign_core::wire::outcome::{Entry, InputRequired, Outcome, OutcomeFault};
use countersign_core::wire::request::{Elicitation, Method, Request};
use countersign_core::wire::rpc::{Message, Response, RpcError};

/// One message example of the specification.
struct Example {
    /// What it is an example of.
    definition: String,
    /// With its folder, for messages of a failing test.
    file: String,
    text: String,
    json: Json,
}

fn examples() -> Vec<Example> {
    let folder = schemas().join("2026-07-28/examples");
    let list = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).expect("examples");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    let mut examples = Vec::new();
    for folder in list(&folder) {
        for path in list(&folder) {
            let name =
                |path: &std::path::Path| path.file_name().expect("a name").to_string_lossy().into_owned();
            let file = format!("{}/{}", name(&folder), name(&path));
            let text = std::fs::read_to_string(&path).expect("an example");
            examples.push(Example {
                definition: name(&folder),
                json: Json::parse(&text).unwrap_or_else(|error| panic!("{file}: {error}")),
                file,
                text,
            });
        }
    }
    examples
}

impl Example {
    fn get(&self, key: &str) -> &Json {
        self.json
            .get(key)
            .unwrap_or_else(|| panic!("{}: no {key}", self.file))
    }
}

#[test]
fn every_example_is_read_as_what_it_is() {
    let examples = examples();
    for example in &examples {
        check(example);
    }
    assert_eq!(examples.len(), 129);
}

/// Where nothing is said here of a definition, the test fails, so that a new one is noticed.
fn check(example: &Example) {
    let file = example.file.as_str();
    // Nothing is lost or altered on the way, whatever it means.
    let written = serde_json::from_str::<serde_json::Value>(&example.json.to_string()).expect(file);
    assert_eq!(
        written,
        serde_json::from_str::<serde_json::Value>(&example.text).expect(file),
        "{file}"
    );
    match example.definition.as_str() {
        // Answers to our requests.
        "CallToolResult" => complete(file, Method::CallTool, &example.json),
        "GetPromptResult" => complete(file, Method::GetPrompt, &example.json),
        "ReadResourceResult" => complete(file, Method::ReadResource, &example.json),
        "DiscoverResult" => complete(file, Method::Discover, &example.json),
        "ListToolsResult" => page(file, ListKind::Tools, &example.json),
        "ListPromptsResult" => page(file, ListKind::Prompts, &example.json),
        "ListResourcesResult" => page(file, ListKind::Resources, &example.json),
        "ListResourceTemplatesResult" => page(file, ListKind::Templates, &example.json),
        "CallToolResultResponse"
        | "GetPromptResultResponse"
        | "ReadResourceResultResponse"
        | "DiscoverResultResponse"
        | "ListToolsResultResponse"
        | "ListPromptsResultResponse"
        | "ListResourcesResultResponse"
        | "ListResourceTemplatesResultResponse"
        | "CompleteResultResponse"
        | "SubscriptionsListenResultResponse" => {
            let expected = Response {
                id: Some(7),
                outcome: Ok(example.get("result").clone()),
            };
            assert_eq!(read(file, &example.json), Message::Response(expected), "{file}");
            // As it stands it answers another client.
            assert!(Message::parse(example.text.as_bytes()).is_err(), "{file}");
        }
        // Refusals.
        "HeaderMismatchError"
        | "MissingRequiredClientCapabilityError"
        | "UnsupportedProtocolVersionError" => {
            refusal(file, &example.json, true);
        }
        "InternalError" | "InvalidParamsError" | "MethodNotFoundError" | "ParseError" => {
            let response = Json::object([("jsonrpc", Json::string("2.0")), ("error", example.json.clone())]);
            refusal(file, &response, false);
        }
        // Questions.
        "InputRequiredResult" => input_required_result(file, &example.json),
        "InputRequests" => undeclared(file, &round(example.json.clone()), "sampling/createMessage"),
        "ElicitRequest" => {
            let entry = asked(file, &example.json);
            let params = example.get("params");
            assert!(matches!(entry, Entry::Form { .. }), "{file}");
            assert_eq!(
                Some(entry.message()),
                params.get("message").and_then(Json::as_str),
                "{file}"
            );
            assert_eq!(fields(file, params), ["GitHub Username*"], "{file}");
        }
        "ElicitRequestFormParams" => {
            let wanted: &[&str] = match file {
                "ElicitRequestFormParams/elicit-single-field.json" => &["name*"],
                _ => &["name*", "email*", "age"],
            };
            assert_eq!(fields(file, &example.json), wanted, "{file}");
        }
        "ElicitRequestURLParams" => {
            let entry = asked(file, &elicitation(example.json.clone()));
            let Entry::Link { url, message, .. } = entry else {
                panic!("{file}: {entry:?}")
            };
            assert_eq!(
                Some(url),
                example.get("url").as_str().map(|url| Some(url.to_owned())),
                "{file}"
            );
            assert_eq!(Some(message.as_str()), example.get("message").as_str(), "{file}");
        }
        "CreateMessageRequest" | "ListRootsRequest" => {
            let method = example.get("method").as_str().expect(file);
            undeclared(file, &round(Json::object([("q", example.json.clone())])), method);
            // Outside a round it is a request of a server of the 2025 era.
            let expected = Message::Request {
                id: Json::string("s1"),
                method: method.to_owned(),
                params: example.json.get("params").cloned().unwrap_or(Json::Null),
            };
            assert_eq!(
                read(file, &with(&example.json, "id", Json::string("s1"))),
                expected,
                "{file}"
            );
        }
        // Fields of forms.
        "BooleanSchema" => assert_eq!(control(file, &example.json), Control::YesNo, "{file}"),
        "NumberSchema" => {
            assert!(
                matches!(
                    control(file, &example.json),
                    Control::Number(NumberLimits { integer: false, .. })
                ),
                "{file}"
            );
        }
        "StringSchema" => {
            assert!(
                matches!(
                    control(file, &example.json),
                    Control::Text(TextLimits { format: Some(_), .. })
                ),
                "{file}"
            );
        }
        "TitledSingleSelectEnumSchema" | "UntitledSingleSelectEnumSchema" => {
            let Control::Choice { options } = control(file, &example.json) else {
                panic!("{file}")
            };
            let titles: Vec<_> = options.iter().map(|option| option.title.as_str()).collect();
            assert_eq!(titles, ["Red", "Green", "Blue"], "{file}");
        }
        "TitledMultiSelectEnumSchema" | "UntitledMultiSelectEnumSchema" => {
            let Control::Choices {
                options,
                min_items: Some(1),
                max_items: Some(2),
            } = control(file, &example.json)
            else {
                panic!("{file}")
            };
            let titles: Vec<_> = options.iter().map(|option| option.title.as_str()).collect();
            assert_eq!(titles, ["Red", "Green", "Blue"], "{file}");
        }
        // Entries of lists.
        "Tool" => {
            let result = Json::object([("tools", Json::Array(vec![example.json.clone()]))]);
            let page = Page::parse(ListKind::Tools, &result);
            assert_eq!(page.problems, [""; 0], "{file}");
            assert_eq!(
                &page.offers[0].arguments,
                example.get("inputSchema"),
                "{file}: verbatim"
            );
        }
        "Resource" => {
            let result = Json::object([("resources", Json::Array(vec![example.json.clone()]))]);
            let page = Page::parse(ListKind::Resources, &result);
            assert_eq!(page.problems, [""; 0], "{file}");
            assert_eq!(
                Some(page.offers[0].name.as_str()),
                example.get("uri").as_str(),
                "{file}"
            );
            assert_eq!(
                page.offers[0].title.as_deref(),
                example.get("title").as_str(),
                "{file}"
            );
        }
        // Parts of results.
        "TextContent" => {
            assert!(matches!(block(&example.json), ResultPart::Text { .. }), "{file}");
        }
        "ImageContent" => assert!(matches!(block(&example.json), ResultPart::Image { .. }), "{file}"),
        "AudioContent" => assert!(matches!(block(&example.json), ResultPart::Audio { .. }), "{file}"),
        "ResourceLink" => assert!(matches!(block(&example.json), ResultPart::Link { .. }), "{file}"),
        "EmbeddedResource" => {
            assert!(
                matches!(block(&example.json), ResultPart::Document { text: Some(_), .. }),
                "{file}"
            );
        }
        // Parts of a conversation with a model; in a result they are named, not shown.
        "ToolResultContent" | "ToolUseContent" => {
            assert!(matches!(block(&example.json), ResultPart::Other { .. }), "{file}");
        }
        "TextResourceContents" => {
            assert!(
                matches!(
                    contents(&example.json),
                    ResultPart::Document { text: Some(_), .. }
                ),
                "{file}"
            );
        }
        "BlobResourceContents" => {
            assert!(
                matches!(contents(&example.json), ResultPart::Image { .. }),
                "{file}"
            );
        }
        // Notifications.
        "CancelledNotification"
        | "LoggingMessageNotification"
        | "ProgressNotification"
        | "PromptListChangedNotification"
        | "ResourceListChangedNotification"
        | "ResourceUpdatedNotification"
        | "SubscriptionsAcknowledgedNotification"
        | "ToolListChangedNotification" => notification(file, &example.json),
        "CancelledNotificationParams"
        | "LoggingMessageNotificationParams"
        | "ProgressNotificationParams"
        | "ResourceUpdatedNotificationParams" => {
            let method = Json::string("notifications/example");
            let message = Json::object([("method", method), ("params", example.json.clone())]);
            notification(file, &message);
        }
        // What a client sends: the same is written here.
        "CallToolRequest" => request(file, Method::CallTool, example),
        "GetPromptRequest" => request(file, Method::GetPrompt, example),
        "ReadResourceRequest" => request(file, Method::ReadResource, example),
        "DiscoverRequest" => request(file, Method::Discover, example),
        "ListToolsRequest" => request(file, Method::ListTools, example),
        "ListPromptsRequest" => request(file, Method::ListPrompts, example),
        "ListResourcesRequest" => request(file, Method::ListResources, example),
        "ListResourceTemplatesRequest" => request(file, Method::ListTemplates, example),
        "CallToolRequestParams" => params(file, Method::CallTool, &example.json),
        "GetPromptRequestParams" => params(file, Method::GetPrompt, &example.json),
        "PaginatedRequestParams" => params(file, Method::ListTools, &example.json),
        "ElicitResult" => elicit_result(example),
        "ClientCapabilities" => {
            let ours = file == "ClientCapabilities/elicitation-form-and-url-mode-support.json";
            let declared = sent(&Request::new(Method::Discover), Elicitation::Both);
            let declared = declared
                .get("params")
                .and_then(|params| params.get("_meta"))
                .expect("_meta");
            let declared = declared
                .get("io.modelcontextprotocol/clientCapabilities")
                .expect("capabilities");
            assert_eq!(*declared == example.json, ours, "{file}");
        }
        // Read in a test of its own, through a connection.
        "ServerCapabilities" => {}
        // Completion, sampling, roots and subscriptions: neither declared nor used, so only carried (above).
        "CompleteRequest"
        | "CompleteRequestParams"
        | "CompleteResult"
        | "CreateMessageRequestParams"
        | "CreateMessageResult"
        | "InputResponses"
        | "ListRootsResult"
        | "ModelPreferences"
        | "Root"
        | "SamplingMessage"
        | "SubscriptionsListenRequest"
        | "SubscriptionsListenResult" => {}
        unknown => panic!("{file}: nothing is said of {unknown}"),
    }
}

fn complete(file: &str, method: Method, result: &Json) {
    assert_eq!(
        Outcome::parse(method, result.clone()),
        Ok(Outcome::Complete(result.clone())),
        "{file}"
    );
    let kind = match method {
        Method::CallTool => OfferKind::Action,
        Method::GetPrompt => OfferKind::Starter,
        Method::ReadResource => OfferKind::Document,
        Method::Discover
        | Method::Ping
        | Method::Complete
        | Method::Listen
        | Method::ListTools
        | Method::ListPrompts
        | Method::ListResources
        | Method::ListTemplates => return,
    };
    for part in result::parts(kind, result) {
        assert!(!matches!(part, ResultPart::Other { .. }), "{file}: {part:?}");
    }
    // The same result of a server of 2025-11-25.
    let older = without(result, &["resultType"]);
    assert_eq!(
        Outcome::parse(method, older.clone()),
        Ok(Outcome::Complete(older.clone())),
        "{file}"
    );
    assert_eq!(result::parts(kind, result), result::parts(kind, &older), "{file}");
}

fn page(file: &str, kind: ListKind, result: &Json) {
    let (method, member, identity) = match kind {
        ListKind::Tools => (Method::ListTools, "tools", "name"),
        ListKind::Prompts => (Method::ListPrompts, "prompts", "name"),
        ListKind::Resources => (Method::ListResources, "resources", "uri"),
        ListKind::Templates => (Method::ListTemplates, "resourceTemplates", "uriTemplate"),
    };
    complete(file, method, result);
    let page = Page::parse(kind, result);
    let entries = result.get(member).and_then(Json::as_array).expect(file);
    let expected: Vec<_> = entries
        .iter()
        .map(|entry| entry.get(identity).and_then(Json::as_str))
        .collect();
    let found: Vec<_> = page
        .offers
        .iter()
        .map(|offer| Some(offer.name.as_str()))
        .collect();
    assert_eq!((found, page.problems), (expected, vec![]), "{file}");
    assert_eq!(
        page.next.as_deref(),
        result.get("nextCursor").and_then(Json::as_str),
        "{file}"
    );
    assert!(page.next.is_some(), "{file}: it shows a cursor");
}

fn refusal(file: &str, response: &Json, before_acting: bool) {
    let error = response.get("error").expect(file);
    let expected = RpcError {
        code: error.get("code").and_then(Json::as_i64).expect(file),
        message: error
            .get("message")
            .and_then(Json::as_str)
            .expect(file)
            .to_owned(),
        data: error.get("data").cloned(),
    };
    assert_eq!(expected.refused_before_acting(), before_acting, "{file}");
    let expected = Response {
        id: Some(7),
        outcome: Err(expected),
    };
    assert_eq!(read(file, response), Message::Response(expected), "{file}");
}

fn input_required_result(file: &str, result: &Json) {
    if result.get("inputRequests").is_some() {
        // It asks for sampling, which is not declared; with the form alone it is a round.
        undeclared(file, result, "sampling/createMessage");
        let requests = without(result.get("inputRequests").expect(file), &["capital_of_france"]);
        let round = open(file, &with(result, "inputRequests", requests));
        let keys: Vec<_> = round.entries.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["github_login"], "{file}");
        assert!(matches!(round.entries[0].1, Entry::Form { .. }), "{file}");
        assert_eq!(
            round.state.as_deref(),
            Some("eyJsb2NhdGlvbiI6Ik5ldyBZb3JrIn0"),
            "{file}"
        );
    } else {
        let round = open(file, result);
        assert_eq!(round.entries, [], "{file}");
        assert_eq!(
            round.state.as_deref(),
            result.get("requestState").and_then(Json::as_str),
            "{file}"
        );
    }
}

fn round(requests: Json) -> Json {
    Json::object([
        ("resultType", Json::string("input_required")),
        ("inputRequests", requests),
    ])
}

fn elicitation(params: Json) -> Json {
    Json::object([("method", Json::string("elicitation/create")), ("params", params)])
}

fn open(file: &str, result: &Json) -> InputRequired {
    match Outcome::parse(Method::CallTool, result.clone()) {
        Ok(Outcome::InputRequired(round)) => round,
        other => panic!("{file}: {other:?}"),
    }
}

/// A request as the one entry of a round. Pushed by a server of the 2025 era it is the same.
fn asked(file: &str, request: &Json) -> Entry {
    let mut round = open(file, &round(Json::object([("q", request.clone())])));
    let (_, entry) = round.entries.remove(0);
    let params = request.get("params").expect(file);
    assert_eq!(
        legacy::pushed(params.clone(), Elicitation::Both).as_ref(),
        Ok(&entry),
        "{file}"
    );
    entry
}

fn undeclared(file: &str, result: &Json, method: &str) {
    match Outcome::parse(Method::CallTool, result.clone()) {
        Err(OutcomeFault::UndeclaredMethod { method: found, .. }) => assert_eq!(found, method, "{file}"),
        other => panic!("{file}: {other:?}"),
    }
}

/// The labels of a form's fields, with a star where they are required.
fn fields(file: &str, params: &Json) -> Vec<String> {
    let form = Form::of_request(params).unwrap_or_else(|why| panic!("{file}: {why}"));
    let labels = form.view().fields.into_iter().map(|field| {
        let star = if field.required { "*" } else { "" };
        format!("{}{star}", field.label)
    });
    labels.collect()
}

/// How a property is drawn. Its default is taken over.
fn control(file: &str, property: &Json) -> Control {
    let properties = Json::object([("x", property.clone())]);
    let schema = Json::object([("type", Json::string("object")), ("properties", properties)]);
    let form = Form::parse(&schema).unwrap_or_else(|why| panic!("{file}: {why}"));
    let content = form.answer(&[]).expect(file).content();
    assert_eq!(content.get("x"), property.get("default"), "{file}");
    form.view().fields.remove(0).control
}

fn block(block: &Json) -> ResultPart {
    let result = Json::object([("content", Json::Array(vec![block.clone()]))]);
    result::parts(OfferKind::Action, &result).remove(0)
}

fn contents(contents: &Json) -> ResultPart {
    let result = Json::object([("contents", Json::Array(vec![contents.clone()]))]);
    result::parts(OfferKind::Document, &result).remove(0)
}

fn notification(file: &str, message: &Json) {
    let expected = Message::Notification {
        method: message
            .get("method")
            .and_then(Json::as_str)
            .expect(file)
            .to_owned(),
        params: message.get("params").expect(file).clone(),
    };
    assert_eq!(read(file, message), expected, "{file}");
}

fn request(file: &str, method: Method, example: &Example) {
    assert_eq!(Some(method.name()), example.get("method").as_str(), "{file}");
    params(file, method, example.get("params"));
}

/// A request with these parameters has them, and `_meta` with at least the members of the example's.
fn params(file: &str, method: Method, params: &Json) {
    let given = without(params, &["_meta"]);
    let written = sent(
        &Request {
            params: given.as_object().expect(file).clone(),
            ..Request::new(method)
        },
        Elicitation::Both,
    );
    let written = written.get("params").expect(file);
    assert_eq!(without(written, &["_meta"]), given, "{file}");
    let meta = |params: &Json| params.get("_meta").and_then(Json::as_object).expect(file).clone();
    let ours = meta(written);
    for key in meta(params).keys() {
        assert!(ours.get(key).is_some(), "{file}: no {key}");
    }
}

/// Filled in by hand, the form that the result answers gives the same result.
fn elicit_result(example: &Example) {
    let file = example.file.as_str();
    let asked = match file {
        "ElicitResult/accept-url-mode-no-content.json" => {
            assert_eq!(example.json.to_string(), r#"{"action":"accept"}"#);
            return;
        }
        "ElicitResult/input-single-field.json" => "ElicitRequestFormParams/elicit-single-field.json",
        _ => "ElicitRequestFormParams/elicit-multiple-fields.json",
    };
    let params = std::fs::read_to_string(schemas().join("2026-07-28/examples").join(asked)).expect(asked);
    let form = Form::of_request(&json(&params)).expect(asked);
    let inputs = form.inputs_from_content(example.get("content")).expect(file);
    assert_eq!(form.answer(&inputs).expect(file).result(), example.json, "{file}");
}

#[tokio::test]
async fn the_capabilities_of_the_examples_say_which_lists_are_read() {
    let mut seen = 0;
    for example in examples()
        .iter()
        .filter(|example| example.definition == "ServerCapabilities")
    {
        let result = format!(
            r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}"#,
            example.json
        );
        let server = Http::new(move |seen, _| match seen.rpc_method().as_str() {
            "server/discover" => Reply::Result(result.clone()),
            _ => Reply::Error(200, -32603, "not now"),
        })
        .await;
        let desk = Desk::new();
        desk.app
            .connected(desk.add("one", &server))
            .await
            .expect("connected");
        let asked: Vec<_> = server
            .seen()
            .iter()
            .skip(1)
            .map(|seen| seen.rpc_method())
            // Listening goes on beside it.
            .filter(|method| method != "subscriptions/listen")
            .collect();
        let expected: &[&str] = match example.json.as_object().expect("an object").keys().next() {
            Some("tools") => &["tools/list"],
            Some("prompts") => &["prompts/list"],
            Some("resources") => &["resources/list", "resources/templates/list"],
            Some("completions" | "extensions" | "logging") => &[],
            other => panic!("{}: {other:?}", example.file),
        };
        assert_eq!(asked, expected, "{}", example.file);
        seen += 1;
    }
    assert_eq!(seen, 11);
}

/// 2025-11-25 has no examples of its own; these are valid in it as they stand.
#[test]
fn every_example_is_valid_by_its_schema_and_most_by_the_revision_before() {
    let (newer, older) = (Official::of("2026-07-28"), Official::of("2025-11-25"));
    let mut both = 0;
    for example in examples() {
        let faults = |official: &Official| official.faults(&example.definition, &example.json);
        assert_eq!(faults(&newer), [""; 0], "{}", example.file);
        both += u32::from(older.defines(&example.definition) && faults(&older).is_empty());
    }
    assert_eq!(both, 93);
}

/// The message as it would come to us: with an id of ours where it has one of another client's.
fn read(file: &str, json: &Json) -> Message {
    let mut members = json.as_object().expect(file).clone();
    if members.get("method").is_none() {
        members.set("id", Json::integer(7));
    }
    Message::parse(Json::Object(members).to_string().as_bytes())
        .unwrap_or_else(|error| panic!("{file}: {error}"))
}
