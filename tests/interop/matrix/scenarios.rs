//! What a person does in one cell, and what the server must tell in the end.

use crate::everything;
use crate::kit::patiently;
use crate::sessions::{Era, Server, Session};
use countersign_core::form::{FieldInput, Input};
use countersign_core::mrtr::driver::End;
use countersign_core::view::{
    Act, Answered, AskBody, AskPhase, AskView, CallAct, CallId, CallPhase, Initiator, ResultPart,
};
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::Offer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Every kind of field, filled in and sent.
    Form,
    /// Consented to and opened; asked again until the page was visited.
    Link,
    /// A form, a link and a form, one after the other.
    Rounds,
    /// Two forms and a link in one round.
    AtOnce,
    Decline,
    Cancel,
    Prompt,
    Resource,
    /// Odd requestStates, told by the server to have come back as they were.
    State,
    /// A link of which the server tells that it is done.
    LinkDone,
    /// One and two links that must be opened before the call works.
    LinksFirst,
    /// Sampling and roots, which the client did not say it can.
    Undeclared,
}

impl Scenario {
    pub(crate) const ALL: [Self; 12] = [
        Self::Form,
        Self::Link,
        Self::Rounds,
        Self::AtOnce,
        Self::Decline,
        Self::Cancel,
        Self::Prompt,
        Self::Resource,
        Self::State,
        Self::LinkDone,
        Self::LinksFirst,
        Self::Undeclared,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Link => "link",
            Self::Rounds => "rounds",
            Self::AtOnce => "at once",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::State => "state",
            Self::LinkDone => "link done",
            Self::LinksFirst => "links 1st",
            Self::Undeclared => "undeclared",
        }
    }
}

const RED: &str = r#"{"action":"accept","content":{"colour":"red"}}"#;
const TWO: &str = r#"{"action":"accept","content":{"amount":2}}"#;
const OPENED: &str = r#"{"action":"accept"}"#;

/// Ends what a cell that failed has left behind: another call in flight makes it unclear whose question one is.
pub(crate) fn clear(session: &Session) {
    for row in session.desk.app.inbox().calls() {
        if row.acts.contains(&CallAct::Stop) {
            let _ = session.desk.on_call(row.id, CallAct::Stop);
        }
    }
}

/// Plays one cell. Whatever is not as it must be is an assertion that does not hold.
pub(crate) async fn play(session: &Session, scenario: Scenario) {
    if session.setting.server == Server::Everything {
        return everything::play(session, scenario).await;
    }
    match scenario {
        Scenario::Form => form(session).await,
        Scenario::Link => link(session).await,
        Scenario::Rounds => rounds(session).await,
        Scenario::AtOnce => at_once(session).await,
        Scenario::Decline => refused(session, Act::Decline, "decline").await,
        Scenario::Cancel => refused(session, Act::Dismiss, "cancel").await,
        Scenario::Prompt => prompt(session).await,
        Scenario::Resource => resource(session).await,
        Scenario::State => state(session).await,
        Scenario::LinkDone => link_done(session).await,
        Scenario::LinksFirst => links_first(session).await,
        Scenario::Undeclared => undeclared(session).await,
    }
}

async fn form(session: &Session) {
    let call = session.tool("ask_every_field", "{}");
    let question = session.desk.question(call).await;
    let text = |text: &str| Input::Text {
        text: text.to_owned(),
    };
    let inputs = fill(
        &question,
        &[
            ("Word", text("Zoë 🚀")),
            ("Email", text("zoe@example.org")),
            ("Page", text("https://example.org/a?b=c")),
            ("Day", text("2028-02-29")),
            ("Moment", text("2026-12-02T10:30:00+01:00")),
            ("Count", text("42")),
            ("Share", text("0.25")),
            ("Agreed", Input::Flag { value: true }),
            ("Size", Input::Pick { index: 1 }),
            ("Plan", Input::Pick { index: 1 }),
            ("Pet", Input::Pick { index: 1 }),
            ("Days", Input::Picks { indexes: vec![0, 2] }),
            ("Extras", Input::Picks { indexes: vec![1] }),
        ],
    );
    assert_eq!(session.desk.accept(question.id, inputs).await, Answered::Sent);
    let members = [
        r#""word":"Zoë 🚀""#,
        r#""email":"zoe@example.org""#,
        r#""page":"https://example.org/a?b=c""#,
        r#""day":"2028-02-29""#,
        r#""moment":"2026-12-02T10:30:00+01:00""#,
        r#""line":"as it was""#,
        r#""count":42"#,
        r#""share":0.25"#,
        r#""agreed":true"#,
        r#""size":"m""#,
        r#""plan":"team""#,
        r#""pet":"d""#,
        r#""days":["mon","wed"]"#,
        r#""extras":["x-2"]"#,
    ];
    let content = members.join(",");
    session
        .told(call, &format!(r#"{{"action":"accept","content":{{{content}}}}}"#))
        .await;
}

async fn link(session: &Session) {
    let call = session.tool("ask_link", "{}");
    let question = session.desk.question(call).await;
    let url = address(&question);
    assert_eq!(session.desk.act(question.id, Act::Open).await, Answered::Sent);
    assert_eq!(session.desk.browser.opened().last(), Some(&url));
    let again = session.desk.question(call).await;
    assert_eq!(address(&again), url);
    visit(&url).await;
    match session.setting.era {
        Era::Modern => assert_eq!(again.id, question.id, "the same card"),
        // What is pushed again is another request, so another card, which knows that its page was opened.
        Era::Legacy => assert_ne!(again.id, question.id),
    }
    assert!(
        matches!(again.phase, AskPhase::InBrowser { .. }),
        "{:?}",
        again.phase
    );
    assert_eq!(session.desk.act(again.id, Act::CheckAgain).await, Answered::Sent);
    session.told(call, r#"{"visited":true,"answers":2}"#).await;
}

async fn rounds(session: &Session) {
    let call = session.tool("form_link_form", "{}");
    pick_red(session, call).await;
    let question = session.desk.question(call).await;
    assert_eq!(session.desk.act(question.id, Act::Open).await, Answered::Sent);
    let question = session.desk.question(call).await;
    let inputs = fill(&question, &[("Amount", Input::Text { text: "2".to_owned() })]);
    assert_eq!(session.desk.accept(question.id, inputs).await, Answered::Sent);
    let expected = format!(r#"[{{"first":{RED}}},{{"second":{OPENED}}},{{"third":{TWO}}}]"#);
    session.told(call, &expected).await;
}

async fn at_once(session: &Session) {
    let call = session.tool("two_forms_and_link", "{}");
    match (session.setting.server, session.setting.era) {
        // These two put one question after the other.
        (Server::Python | Server::Rust, Era::Legacy) => {
            for _ in 0..3 {
                answer(session, &session.desk.question(call).await).await;
            }
        }
        (Server::TypeScript | Server::Everything, Era::Legacy) | (_, Era::Modern) => {
            for question in session.desk.questions(call, 3).await {
                answer(session, &question).await;
            }
        }
    }
    let expected = format!(r#"{{"form_a":{RED},"form_b":{TWO},"link":{OPENED}}}"#);
    session.told(call, &expected).await;
}

/// Answers one of the three questions.
async fn answer(session: &Session, question: &AskView) {
    let answered = match &question.body {
        AskBody::Form { form, .. } if form.fields[0].label == "Colour" => {
            let inputs = fill(question, &[("Colour", Input::Pick { index: 0 })]);
            session.desk.accept(question.id, inputs).await
        }
        AskBody::Form { .. } => {
            let inputs = fill(question, &[("Amount", Input::Text { text: "2".to_owned() })]);
            session.desk.accept(question.id, inputs).await
        }
        AskBody::Link { .. } => session.desk.act(question.id, Act::Open).await,
        AskBody::Unusable { reason, .. } => panic!("{reason}"),
    };
    assert!(
        matches!(answered, Answered::Kept { .. } | Answered::Sent),
        "{answered:?}"
    );
}

/// Declines or dismisses a form, then a link.
async fn refused(session: &Session, act: Act, action: &str) {
    let call = session.tool("ask_form", r#"{"topic":"tea"}"#);
    let question = session.desk.question(call).await;
    assert_eq!(session.desk.act(question.id, act).await, Answered::Sent);
    let expected = format!(r#"{{"action":"{action}","params":{{"topic":"tea"}},"state":{{"topic":"tea"}}}}"#);
    session.told(call, &expected).await;
    let opened = session.desk.browser.opened();
    let call = session.tool("ask_link", "{}");
    let question = session.desk.question(call).await;
    assert_eq!(session.desk.act(question.id, act).await, Answered::Sent);
    let expected = format!(r#"{{"visited":false,"answers":1,"action":"{action}"}}"#);
    session.told(call, &expected).await;
    assert_eq!(session.desk.browser.opened(), opened, "nothing was opened");
}

async fn prompt(session: &Session) {
    let call = session.call(&session.offers.prompts, "ask_prompt", "{}");
    pick_red(session, call).await;
    session.told(call, RED).await;
}

async fn resource(session: &Session) {
    let call = session.call(&session.offers.documents, "ask://confirm", "{}");
    let question = session.desk.question(call).await;
    assert_eq!(session.desk.accept(question.id, Vec::new()).await, Answered::Sent);
    session.told(call, r#"{"action":"accept","content":{}}"#).await;
}

async fn state(session: &Session) {
    for (which, present) in [("odd", true), ("large", true), ("empty", true), ("absent", false)] {
        let call = session.tool("odd_state", &format!(r#"{{"which":"{which}"}}"#));
        let question = session.desk.question(call).await;
        assert_eq!(session.desk.accept(question.id, Vec::new()).await, Answered::Sent);
        session
            .told(call, &format!(r#"{{"same":true,"present":{present}}}"#))
            .await;
    }
    let call = session.tool("state_only", "{}");
    session.told(call, "done").await;
}

/// The page is opened and visited; the card hears that it is done while the call still asks something else.
async fn link_done(session: &Session) {
    let call = session.tool("link_complete", "{}");
    let link = session.desk.question(call).await;
    assert_eq!(session.desk.act(link.id, Act::Open).await, Answered::Sent);
    visit(&address(&link)).await;
    let confirm = session.desk.question(call).await;
    let is_done = |phase: &AskPhase| matches!(phase, AskPhase::InBrowser { finished: true, .. });
    session
        .desk
        .until("the word that the page is done", |desk| {
            is_done(&desk.phase(link.id)).then_some(())
        })
        .await;
    assert_eq!(session.desk.accept(confirm.id, Vec::new()).await, Answered::Sent);
    let expected = format!(r#"{{"page":{OPENED},"confirm":{{"action":"accept","content":{{}}}}}}"#);
    session.told(call, &expected).await;
}

async fn links_first(session: &Session) {
    for links in [1, 2] {
        let call = session.tool("needs_links", &format!(r#"{{"links":{links}}}"#));
        let questions = session.desk.questions(call, links).await;
        for question in &questions {
            assert_eq!(session.desk.act(question.id, Act::Open).await, Answered::Opened);
            visit(&address(question)).await;
        }
        for (question, open) in questions.iter().zip((0..links).rev()) {
            let answered = session.desk.act(question.id, Act::CheckAgain).await;
            let expected = match u32::try_from(open).expect("a few") {
                0 => Answered::Sent,
                open => Answered::Kept { open },
            };
            assert_eq!(answered, expected);
        }
        session.told(call, &format!(r#"{{"links":{links}}}"#)).await;
    }
}

/// The call ends, and no question of it was to be seen.
async fn undeclared(session: &Session) {
    for what in ["sampling", "roots"] {
        let call = session.tool("ask_undeclared", &format!(r#"{{"what":"{what}"}}"#));
        let (row, _) = session.desk.ended(call).await;
        assert!(
            matches!(row.phase, CallPhase::Failed | CallPhase::DoneWithError),
            "{:?}: {:?}",
            row.phase,
            row.detail
        );
        let asks = session.desk.app.inbox().asks();
        assert!(asks.iter().all(|ask| ask.call != call), "{asks:?}");
    }
}

async fn pick_red(session: &Session, call: CallId) {
    let question = session.desk.question(call).await;
    let inputs = fill(&question, &[("Colour", Input::Pick { index: 0 })]);
    assert_eq!(session.desk.accept(question.id, inputs).await, Answered::Sent);
}

impl Session {
    pub(crate) fn tool(&self, name: &str, arguments: &str) -> CallId {
        self.call(&self.offers.tools, name, arguments)
    }

    fn call(&self, offers: &[Offer], name: &str, arguments: &str) -> CallId {
        let offer = offers.iter().find(|offer| offer.name == name);
        let offer = offer.unwrap_or_else(|| panic!("{name} is not offered"));
        let arguments = Json::parse(arguments).expect("JSON");
        self.desk
            .app
            .call(self.server, offer, arguments, Initiator::Person)
            .expect("the server is there")
    }

    /// Waits for the result of a call, which must be this one text.
    pub(crate) async fn told(&self, call: CallId, expected: &str) {
        assert_eq!(self.texts(call).await, [expected]);
    }

    /// Waits for the result of a call; its texts.
    pub(crate) async fn texts(&self, call: CallId) -> Vec<String> {
        let (row, end) = self.desk.ended(call).await;
        assert!(matches!(end, End::Done(_)), "{end:?}: {:?}", row.detail);
        assert_eq!(row.phase, CallPhase::Done, "{:?}", row.detail);
        let result = self.desk.app.inbox().result(call).expect("a result");
        let texts: Vec<(Option<String>, String)> = result.parts.into_iter().filter_map(text).collect();
        // Beside its messages, which have a role, a prompt may have a description.
        let spoken = texts.iter().any(|(role, _)| role.is_some());
        texts
            .into_iter()
            .filter(|(role, _)| role.is_some() == spoken)
            .map(|(_, text)| text)
            .collect()
    }
}

fn text(part: ResultPart) -> Option<(Option<String>, String)> {
    match part {
        ResultPart::Text { role, text } => Some((role, text.text)),
        ResultPart::Document { text, .. } => text.map(|text| (None, text.text)),
        ResultPart::Image { .. }
        | ResultPart::Audio { .. }
        | ResultPart::Link { .. }
        | ResultPart::Structured { .. }
        | ResultPart::Other { .. } => None,
    }
}

/// Inputs for the fields with these labels.
pub(crate) fn fill(question: &AskView, inputs: &[(&str, Input)]) -> Vec<FieldInput> {
    let AskBody::Form { form, .. } = &question.body else {
        panic!("no form: {:?}", question.body);
    };
    inputs
        .iter()
        .map(|(label, input)| {
            let field = form.fields.iter().find(|field| field.label == *label);
            FieldInput::new(
                field.unwrap_or_else(|| panic!("no field {label}")).id,
                input.clone(),
            )
        })
        .collect()
}

/// The address that a question shows.
pub(crate) fn address(question: &AskView) -> String {
    match &question.body {
        AskBody::Link { inspection, .. } => inspection.shown.clone(),
        AskBody::Form { .. } | AskBody::Unusable { .. } => panic!("no link: {:?}", question.body),
    }
}

/// Opens a page as a browser would.
pub(crate) async fn visit(url: &str) {
    let url = Url::parse(url).expect("an address");
    let host = format!("127.0.0.1:{}", url.port().expect("a port"));
    let path = &url[url::Position::BeforePath..];
    let page = patiently("the page", async {
        let mut stream = TcpStream::connect(&host).await.expect("the page is served");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut page = String::new();
        stream.read_to_string(&mut page).await.expect("text");
        page
    });
    let page = page.await;
    assert!(
        page.starts_with("HTTP/1.1 200") || page.starts_with("HTTP/1.0 200"),
        "{page}"
    );
}
