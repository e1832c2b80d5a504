//! The cells of server-everything: its own tools, its own words.

use crate::scenarios::{Scenario, fill};
use crate::sessions::Session;
use countersign_core::form::Input;
use countersign_core::view::{Act, Answered};

const FORM: &str = "trigger-elicitation-request";
const LINK: &str = "trigger-url-elicitation";
/// What this server opens first for `errorPath`.
const PREREQUISITE: &str = "https://modelcontextprotocol.io/";

pub(crate) async fn play(session: &Session, scenario: Scenario) {
    match scenario {
        Scenario::Form => form(session).await,
        Scenario::Link => link(session).await,
        Scenario::Decline => {
            let told = [
                "❌ User declined to provide the requested information.",
                &raw("decline"),
            ];
            refused(session, Act::Decline, &told).await;
        }
        Scenario::Cancel => {
            let told = ["⚠️ User cancelled the elicitation dialog.", &raw("cancel")];
            refused(session, Act::Dismiss, &told).await;
        }
        Scenario::LinksFirst => links_first(session).await,
        Scenario::Rounds
        | Scenario::AtOnce
        | Scenario::Prompt
        | Scenario::Resource
        | Scenario::State
        | Scenario::LinkDone
        | Scenario::Undeclared => panic!("it has nothing for this cell"),
    }
}

/// Thirteen fields, nine of them with defaults; what is not touched is sent as suggested.
async fn form(session: &Session) {
    let call = session.tool(FORM, "{}");
    let question = session.desk.question(call).await;
    let text = |text: &str| Input::Text {
        text: text.to_owned(),
    };
    let inputs = fill(
        &question,
        &[
            ("String", text("Zoë")),
            ("Boolean", Input::Flag { value: true }),
            ("String with email format", text("zoe@example.org")),
            ("String with uri format", text("https://example.org/")),
            ("String with date format", text("2028-02-29")),
            ("Number in range 1-1000", text("0.5")),
            (
                "Untitled Multiple Select Enum",
                Input::Picks { indexes: vec![1, 2] },
            ),
            ("Titled Single Select Enum", Input::Pick { index: 2 }),
        ],
    );
    assert_eq!(session.desk.accept(question.id, inputs).await, Answered::Sent);
    let raw = r#"
Raw result: {
  "action": "accept",
  "content": {
    "name": "Zoë",
    "check": true,
    "firstLine": "It was a dark and stormy night.",
    "email": "zoe@example.org",
    "homepage": "https://example.org/",
    "birthdate": "2028-02-29",
    "integer": 42,
    "number": 0.5,
    "untitledSingleSelectEnum": "Monica",
    "untitledMultipleSelectEnum": [
      "Piano",
      "Violin"
    ],
    "titledSingleSelectEnum": "hero-3",
    "titledMultipleSelectEnum": [
      "fish-1"
    ],
    "legacyTitledEnum": "pet-1"
  }
}"#;
    let inputs = "User inputs:
- Name: Zoë
- Agreed to terms: true
- Email: zoe@example.org
- Homepage: https://example.org/
- Birthdate: 2028-02-29
- Favorite Integer: 42
- Favorite Number: 0.5";
    let told = ["✅ User provided the requested information!", inputs, raw];
    assert_eq!(session.texts(call).await, told);
}

async fn link(session: &Session) {
    let call = session.tool(LINK, &arguments("e-1", false));
    let question = session.desk.question(call).await;
    assert_eq!(session.desk.act(question.id, Act::Open).await, Answered::Sent);
    assert_eq!(session.texts(call).await, [completed("e-1"), raw("accept")]);
    assert_eq!(
        session.desk.browser.opened().last().map(String::as_str),
        Some(PAGE)
    );
}

async fn refused(session: &Session, act: Act, told: &[&str]) {
    let call = session.tool(FORM, "{}");
    let question = session.desk.question(call).await;
    assert_eq!(session.desk.act(question.id, act).await, Answered::Sent);
    assert_eq!(session.texts(call).await, told);
}

/// Another page first (-32042); made anew, the call asks for its own page by a request.
async fn links_first(session: &Session) {
    let call = session.tool(LINK, &arguments("e-2", true));
    let first = session.desk.question(call).await;
    assert_eq!(session.desk.act(first.id, Act::Open).await, Answered::Opened);
    assert_eq!(
        session.desk.browser.opened().last().map(String::as_str),
        Some(PREREQUISITE)
    );
    assert_eq!(session.desk.act(first.id, Act::CheckAgain).await, Answered::Sent);
    let second = session.desk.question(call).await;
    assert_eq!(session.desk.act(second.id, Act::Open).await, Answered::Sent);
    assert_eq!(session.texts(call).await, [completed("e-2"), raw("accept")]);
}

const PAGE: &str = "https://example.org/connect?step=1";

fn arguments(id: &str, first: bool) -> String {
    format!(
        r#"{{"url":"{PAGE}","message":"Connect your account","elicitationId":"{id}","errorPath":{first}}}"#
    )
}

fn completed(id: &str) -> String {
    format!("✅ User completed the URL elicitation flow.\nElicitation ID: {id}\nURL: {PAGE}")
}

fn raw(action: &str) -> String {
    format!("\nRaw result: {{\n  \"action\": \"{action}\"\n}}")
}
