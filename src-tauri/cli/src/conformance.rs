//! The client under test of the official conformance suite: its harness runs `countersign-cli conformance URL`.
//!
//! It does with the core what a person would do with the window: connects, reads the lists, calls what is offered and
//! answers what is asked. What it tries is fixed by the harness; whether it works is the harness's to judge, so a call
//! that fails is noted and the next one is made.
//!
//! Promises: only a server on this computer is spoken to, because every form is accepted here as it was suggested; a
//! link is dismissed, never opened; it ends by itself.
//!
//! Deliberately absent: a protocol client of its own, and any knowledge of revisions.

use crate::arguments::{Connection, Place};
use crate::output;
use crate::report::Exit;
use crate::server::{self, Problem};
use countersign_core::app::Countersign;
use countersign_core::form::{Control, EntryControl, FieldInput, FieldView, FormView, Input, NumberLimits};
use countersign_core::mrtr::machine::Word;
use countersign_core::session::address::DEFAULT_TIMEOUT;
use countersign_core::session::offers::Offers;
use countersign_core::text;
use countersign_core::view::{
    Act, Answered, AskBody, AskPhase, AskView, CallAct, CallId, CallPhase, Initiator, ServerId,
};
use countersign_core::wire::json::{Json, Members};
use countersign_core::wire::lists::{ListKind, Offer};
use countersign_core::wire::request::Elicitation;
use std::time::Duration;

/// The harness gives up after 30 s, but can end only the shell around this program.
const DEADLINE: Duration = Duration::from_secs(25);
/// Levels of required objects that arguments are made up for.
const MAX_LEVELS: usize = 4;

/// Runs the scenario that the harness names in the environment against its server at `url`. [`Exit::Done`] where the
/// scenario was carried out, whatever became of its calls.
pub(crate) async fn run(url: String) -> Exit {
    let scenario = match Scenario::of_environment() {
        Ok(scenario) => scenario,
        Err(message) => {
            output::note(&format!("error: {message}"));
            return Exit::Usage;
        }
    };
    if !is_here(&url) {
        output::note("error: forms are accepted unseen, so the server must be on this computer.");
        return Exit::Usage;
    }
    output::note(&format!("{} at {}", scenario.name, scenario.revision));
    let (app, server) = match server::open(&connection(url), Elicitation::Both, Word::Script) {
        Ok(opened) => opened,
        Err(Problem::Usage(message) | Problem::Ours(message)) => {
            output::note(&format!("error: {message}"));
            return Exit::Usage;
        }
    };
    let exit = match tokio::time::timeout(DEADLINE, carry_out(&app, server, &scenario)).await {
        Ok(exit) => exit,
        Err(_) => {
            output::note(&format!("not done after {} s", DEADLINE.as_secs()));
            Exit::Stopped
        }
    };
    app.shut_down().await;
    exit
}

/// What the harness asks for.
struct Scenario {
    name: String,
    /// What its server speaks; for the log alone.
    revision: String,
    /// Exactly these calls of tools, instead of one of each.
    calls: Option<Vec<(String, Json)>>,
}

impl Scenario {
    /// # Errors
    /// A sentence about what is missing or cannot be read.
    fn of_environment() -> Result<Self, String> {
        let variable = |name: &str| std::env::var(name).ok();
        let name = variable("MCP_CONFORMANCE_SCENARIO").ok_or(
            "this is run by the conformance suite, which names its scenario in MCP_CONFORMANCE_SCENARIO.",
        )?;
        let calls = match variable("MCP_CONFORMANCE_CONTEXT") {
            Some(context) => calls_of(&context)?,
            None => None,
        };
        Ok(Self {
            name,
            revision: variable("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_default(),
            calls,
        })
    }
}

/// The member `toolCalls` of a context, if it has one.
fn calls_of(context: &str) -> Result<Option<Vec<(String, Json)>>, String> {
    let context = Json::parse(context).map_err(|error| format!("MCP_CONFORMANCE_CONTEXT: {error}."))?;
    let Some(calls) = context.get("toolCalls") else {
        return Ok(None);
    };
    let calls = calls.as_array().unwrap_or_default().iter().map(|call| {
        let name = call.get("name")?.as_str()?.to_owned();
        Some((name, call.get("arguments").cloned().unwrap_or_else(nothing)))
    });
    calls
        .collect::<Option<_>>()
        .map(Some)
        .ok_or_else(|| "MCP_CONFORMANCE_CONTEXT: a tool call without a name.".to_owned())
}

fn is_here(url: &str) -> bool {
    let rest = url.strip_prefix("http://").unwrap_or_default();
    let host = rest.split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

fn connection(url: String) -> Connection {
    Connection {
        place: Place {
            url: Some(url),
            command: None,
            server: None,
        },
        headers: Vec::new(),
        env: Vec::new(),
        cwd: None,
        timeout: DEFAULT_TIMEOUT,
        revision: None,
        data_dir: None,
        key_file: false,
        json: false,
    }
}

async fn carry_out(app: &Countersign, server: ServerId, scenario: &Scenario) -> Exit {
    let offers = match app.connected(server).await {
        Ok(offers) => offers,
        Err(failure) => {
            output::note(&failure.message);
            return Exit::Ours;
        }
    };
    for problem in &offers.problems {
        output::note(problem);
    }
    for (offer, arguments) in calls(offers, scenario.calls.as_deref()) {
        let name = text::chip(&offer.name);
        match app.call(server, &offer, arguments, Initiator::Person) {
            Ok(call) => {
                let end = converse(app, call).await;
                output::note(&format!("{name}: {end}"));
            }
            Err(failure) => output::note(&format!("{name}: {}", failure.message)),
        }
    }
    Exit::Done
}

/// The calls to make, in order, with their arguments.
fn calls(offers: Offers, wanted: Option<&[(String, Json)]>) -> Vec<(Offer, Json)> {
    let tools: Vec<(Offer, Json)> = match wanted {
        Some(wanted) => wanted
            .iter()
            .filter_map(|(name, arguments)| {
                let offer = offers.tools.iter().find(|offer| offer.name == *name)?;
                Some((offer.clone(), arguments.clone()))
            })
            .collect(),
        None => {
            let arguments = |offer: &Offer| match offer.name.as_str() {
                "json_schema_echo" => echo_of(&offers.tools),
                _ => made_up(&offer.arguments, MAX_LEVELS),
            };
            let called = offers.tools.iter().map(|offer| (offer.clone(), arguments(offer)));
            called.collect()
        }
    };
    let documents = offers
        .documents
        .into_iter()
        .filter(|offer| offer.kind == ListKind::Resources);
    let others = documents.chain(offers.prompts).map(|offer| {
        let arguments = made_up(&offer.arguments, MAX_LEVELS);
        (offer, arguments)
    });
    tools.into_iter().chain(others).collect()
}

/// The schema of the tool whose schema the harness wants back, as it was read.
fn echo_of(tools: &[Offer]) -> Json {
    let told = tools
        .iter()
        .find(|offer| offer.name == "json_schema_2020_12_tool");
    Json::object(told.map(|offer| ("schema", offer.arguments.clone())))
}

/// The required members of an object, with something of the right type.
fn made_up(schema: &Json, levels: usize) -> Json {
    let required = schema
        .get("required")
        .and_then(Json::as_array)
        .unwrap_or_default();
    let members = required.iter().filter_map(Json::as_str).filter_map(|key| {
        let property = schema.get("properties")?.get(key)?;
        Some((key, made_up_value(property, levels)))
    });
    Json::object(members)
}

fn made_up_value(schema: &Json, levels: usize) -> Json {
    let first = |key: &str| schema.get(key).and_then(Json::as_array)?.first();
    let given = schema.get("default").or_else(|| schema.get("const"));
    if let Some(value) = given.or_else(|| first("enum")) {
        return value.clone();
    }
    match schema.get("type").and_then(Json::as_str) {
        Some("integer" | "number") => Json::integer(5),
        Some("boolean") => Json::Bool(true),
        Some("array") => Json::Array(Vec::new()),
        Some("object") if levels > 0 => made_up(schema, levels - 1),
        Some("object") => nothing(),
        Some(_) | None => Json::string("text"),
    }
}

fn nothing() -> Json {
    Json::Object(Members::new())
}

/// Answers what a call asks until it ends, and says how it did.
async fn converse(app: &Countersign, call: CallId) -> String {
    let inbox = app.inbox();
    let mut changes = inbox.changes();
    loop {
        changes.borrow_and_update();
        let Some(row) = inbox.calls().into_iter().find(|row| row.id == call) else {
            return "gone".to_owned();
        };
        if inbox.end(call).is_none_or(|(_, end)| end.is_some()) {
            return row.detail.unwrap_or(row.word);
        }
        match row.phase {
            CallPhase::Asking => answer_all(app, call).await,
            // Nobody is here to say that it may be sent twice, or asked for ever.
            CallPhase::NotDelivered | CallPhase::Unknown if row.acts.contains(&CallAct::Leave) => {
                inbox.act_on_call(call, CallAct::Leave);
            }
            CallPhase::PausedAtCap => inbox.stop(call),
            CallPhase::Sending
            | CallPhase::Pacing
            | CallPhase::NotDelivered
            | CallPhase::Unknown
            | CallPhase::ServerMoved
            | CallPhase::Done
            | CallPhase::DoneWithError
            | CallPhase::Failed
            | CallPhase::Stopped => {}
        }
        if changes.changed().await.is_err() {
            return row.word;
        }
    }
}

/// Answers every question of the round; one that cannot be answered ends the call.
async fn answer_all(app: &Countersign, call: CallId) {
    let inbox = app.inbox();
    let waiting = inbox
        .asks()
        .into_iter()
        .filter(|row| row.call == call && row.phase == AskPhase::Waiting);
    for ask in waiting.filter_map(|row| app.ask(row.id).ok()) {
        let (act, inputs) = answer(&ask);
        match inbox.act(ask.id, ask.revision, act, inputs, None).await {
            Answered::Sent | Answered::Kept { .. } => {}
            Answered::Opened
            | Answered::Invalid { .. }
            | Answered::TooSoon { .. }
            | Answered::AlreadyAnswered
            | Answered::Changed
            | Answered::WrongDomain { .. }
            | Answered::OpenFailed { .. }
            | Answered::NotPossible { .. } => inbox.stop(call),
        }
    }
}

fn answer(ask: &AskView) -> (Act, Option<Vec<FieldInput>>) {
    match &ask.body {
        AskBody::Form { form, .. } => (Act::Accept, Some(inputs(form))),
        AskBody::Link { .. } | AskBody::Unusable { .. } => (Act::Dismiss, None),
    }
}

/// A field without an input has its default; what is required and has none is made up.
fn inputs(form: &FormView) -> Vec<FieldInput> {
    let open = |field: &&FieldView| field.required && field.suggested.is_none();
    let made_up = |field: &FieldView| {
        let input = match &field.control {
            Control::Text { .. } => Input::Text {
                text: "text".to_owned(),
            },
            Control::Number(NumberLimits { minimum, .. }) => Input::Text {
                text: minimum.clone().unwrap_or_else(|| "5".to_owned()),
            },
            Control::YesNo => Input::Flag { value: true },
            Control::Choice { .. } => Input::Pick { index: 0 },
            Control::Choices { .. } => Input::Picks { indexes: vec![0] },
            Control::Entries { item, .. } => Input::Entries {
                texts: vec![
                    match item {
                        EntryControl::Text { .. } => "text",
                        EntryControl::Number { .. } => "5",
                    }
                    .to_owned(),
                ],
            },
        };
        FieldInput::new(field.id, input)
    };
    form.fields.iter().filter(open).map(made_up).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_made_up_for_what_is_required() {
        let check = |schema: &str, arguments: &str| {
            let schema = Json::parse(schema).expect(schema);
            assert_eq!(made_up(&schema, MAX_LEVELS).to_string(), arguments, "{schema}");
        };
        check(r#"{"type":"object"}"#, "{}");
        check(
            r#"{"properties":{"a":{"type":"number"},"b":{"type":"integer"},"c":{"type":"string"}},"required":["a","b"]}"#,
            r#"{"a":5,"b":5}"#,
        );
        check(
            r#"{"properties":{"a":{"enum":["x","y"]},"b":{"const":1e3},"c":{"type":"boolean"},"d":{"type":"array"},
            "e":{"type":"object","properties":{"f":{}},"required":["f"]}},"required":["a","b","c","d","e","unknown"]}"#,
            r#"{"a":"x","b":1e3,"c":true,"d":[],"e":{"f":"text"}}"#,
        );
    }

    #[test]
    fn the_calls_of_a_context_are_taken_as_they_are() {
        let calls =
            calls_of(r#"{"name":"s","toolCalls":[{"name":"a","arguments":{"n":1.50}},{"name":"b"}]}"#);
        let calls = calls.expect("context").expect("calls");
        let told: Vec<_> = calls
            .iter()
            .map(|(name, arguments)| format!("{name}{arguments}"))
            .collect();
        assert_eq!(told, [r#"a{"n":1.50}"#, "b{}"]);
        assert_eq!(calls_of(r#"{"client_id":"x"}"#), Ok(None));
        assert!(calls_of("{").is_err());
        assert!(calls_of(r#"{"toolCalls":[{}]}"#).is_err());
    }

    #[test]
    fn only_this_computer_is_spoken_to() {
        for here in [
            "http://localhost:80/mcp",
            "http://127.0.0.1:3000",
            "http://[::1]:9/mcp",
        ] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in [
            "http://example.com/mcp",
            "https://localhost/mcp",
            "http://localhost.example.com/",
            "x",
        ] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }
}
