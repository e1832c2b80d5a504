//! States, contents, header values and queries are in no text that could reach a log.

use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::form::{FieldErrorCode, FieldInput};
use countersign_core::mrtr::driver::{Answers, End, Trouble};
use countersign_core::mrtr::machine::{Machine, Word};
use countersign_core::session::{Session, Speak, Target};
use countersign_core::transport::Fault;
use countersign_core::transport::http::HttpPeer;
use countersign_core::transport::stdio::Command;
use countersign_core::view::{Act, Answered, CallPhase};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use countersign_core::wire::outcome::Outcome;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::time::Duration;
use url::Url;

const CANARY: &str = "canary-7731";

fn clean(what: &str, text: &str) {
    assert!(!text.contains(CANARY), "{what}: {text}");
}

fn url(query: &str) -> Url {
    Url::parse(&format!("http://127.0.0.1:9/mcp?key={query}")).expect("an address")
}

#[test]
fn how_a_server_is_reached_is_told_without_its_secrets() {
    let http = Target::Http {
        url: url(CANARY),
        headers: vec![("X-Key".to_owned(), CANARY.to_owned())],
    };
    clean("target", &format!("{http:?}"));
    let peer = HttpPeer::new(url(CANARY), &[("X-Key".to_owned(), CANARY.to_owned())]).expect("a peer");
    clean("peer", &format!("{peer:?}"));
    let session = Session::new(http, Elicitation::Both, Duration::from_secs(60));
    clean("session", &format!("{session:?}"));
    let command = Command {
        program: "serve".to_owned(),
        args: vec!["--token".to_owned(), CANARY.to_owned()],
        env: vec![("TOKEN".to_owned(), CANARY.to_owned())],
        cwd: None,
    };
    clean(
        "command",
        &format!("{:?} {:?}", command, Target::Stdio(command.clone())),
    );
}

#[tokio::test]
async fn a_link_is_told_by_its_site_alone() {
    let address = format!("https://user:{CANARY}@pay.example.com/{CANARY}?{CANARY}#{CANARY}");
    for address in [address.replace(&format!("user:{CANARY}@"), ""), address] {
        let page = Reply::Result(input_required(&[("page", link("Pay.", &address))], None));
        let server = Http::replies([page]).await;
        let desk = Desk::new();
        let ask = desk.question(desk.call(desk.add("one", &server))).await;
        let told = format!("{ask:?}");
        clean("card", &told);
        assert!(told.contains("https://pay.example.com"), "{told}");
    }
}

#[test]
fn a_round_its_answers_and_its_retry_are_told_without_their_content() {
    let result = input_required(&[("q", form(CANARY, name()))], Some(&format!("\"{CANARY}\"")));
    let result = Json::parse(&result).expect("JSON");
    let round = Outcome::parse(Method::CallTool, result.clone()).expect("a round");
    clean("round", &format!("{round:?}"));
    let arguments = Json::object([("secret", Json::string(CANARY))]);
    let request = Request::new(Method::CallTool)
        .with("name", Json::string("t"))
        .with("arguments", arguments);
    clean("request", &format!("{request:?}"));
    let mut machine = Machine::new(request);
    let step = machine.replied(result, Revision::V2026_07_28);
    clean("step", &format!("{step:?}"));
    let content = Json::object([
        ("action", Json::string("accept")),
        ("content", Json::string(CANARY)),
    ]);
    let answers = Answers {
        results: vec![("q".to_owned(), content)],
        word: Word::Person,
        opened_link: false,
    };
    clean("answers", &format!("{answers:?}"));
    let step = machine.answered(answers.results, answers.word);
    clean("retry", &format!("{step:?}"));
    clean("machine", &format!("{machine:?}"));
}

#[tokio::test]
async fn faults_do_not_repeat_the_address_or_the_request() {
    let fault = async |url: Url| {
        let target = Target::Http {
            url,
            headers: vec![("X-Key".to_owned(), CANARY.to_owned())],
        };
        let session = Session::new(target, Elicitation::Both, Duration::from_secs(60));
        let request = Request::new(Method::CallTool).with("name", Json::string(CANARY));
        session.ask(request).await.expect_err("no answer")
    };
    let mut faults: Vec<Fault> = Vec::new();
    for reply in [
        Reply::Close,
        Reply::Body(503, "text/plain", CANARY.to_owned()),
        Reply::Body(200, "application/json", format!("{{\"{CANARY}")),
        Reply::Redirect(307, Some(format!("https://a.example/{CANARY}?{CANARY}#{CANARY}"))),
        Reply::Redirect(307, Some(format!("https://{CANARY}:{CANARY}@a.example/"))),
    ] {
        let server = Http::replies([reply]).await;
        let mut url = server.url.clone();
        url.set_query(Some(CANARY));
        faults.push(fault(url).await);
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut gone = url(CANARY);
    gone.set_port(Some(listener.local_addr().expect("an address").port()))
        .expect("a port");
    drop(listener);
    faults.push(fault(gone).await);
    for fault in faults {
        clean(
            "fault",
            &format!("{fault} {fault:?} {:?}", Trouble::Unknown(fault.clone())),
        );
        clean(
            "end",
            &format!("{:?}", End::Left(Trouble::NotDelivered(fault.clone()))),
        );
    }
}

#[tokio::test]
async fn the_window_never_sees_a_state_and_a_failed_call_repeats_no_answer() {
    let state = format!("\"state-{CANARY}\"");
    let server = Http::replies([
        Reply::Result(input_required(
            &[
                ("q", form("m", name())),
                ("page", link("m", "https://pay.example.com/")),
            ],
            Some(&state),
        )),
        Reply::Close,
        Reply::Error(400, -32602, "no"),
    ])
    .await;
    let desk = Desk::new();
    let id = desk.add_with("one", &server, &[("X-Key", &format!("header-{CANARY}"))]);
    let call = desk.call(id);
    let asks = desk.questions(call, 2).await;
    clean("asking", &desk.everything_shown());
    desk.act(asks[1].id, Act::Decline).await;
    desk.accept(asks[0].id, vec![text(0, "Ann-4711")]).await;
    desk.call_in(call, CallPhase::Unknown).await;
    clean("unknown", &desk.everything_shown());
    desk.on_call(call, countersign_core::view::CallAct::SendAgain)
        .expect("sent again");
    let (row, end) = desk.ended(call).await;
    clean("failed", &desk.everything_shown());
    assert!(!format!("{row:?} {end:?}").contains("Ann-4711"));
}

#[tokio::test]
async fn the_id_of_a_session_is_in_no_text() {
    let server = Http::new(|seen, _| match seen.rpc_method().as_str() {
        "initialize" => Reply::Head(
            200,
            format!("content-type: application/json\r\nMcp-Session-Id: {CANARY}\r\n"),
            format!(
                r#"{{"jsonrpc":"2.0","id":@id,"result":{}}}"#,
                crate::kit::live::handshake("2025-11-25")
            ),
        ),
        "notifications/initialized" => Reply::Body(202, "", String::new()),
        "tools/list" => Reply::Error(400, -32600, "no"),
        _ => Reply::Body(500, "text/plain", "trouble".to_owned()),
    })
    .await;
    let target = Target::Http {
        url: server.url.clone(),
        headers: Vec::new(),
    };
    let speak = Speak::Only(Revision::V2025_11_25);
    let (session, _heard) = Session::with_events(target, Elicitation::Both, Duration::from_secs(60), speak);
    clean("discovery", &format!("{:?}", session.connect().await));
    for method in [Method::ListTools, Method::ListPrompts] {
        clean(
            "answer",
            &format!("{:?}", session.ask(Request::new(method)).await),
        );
    }
    let sent = server.seen();
    let sent = sent.iter().filter_map(|seen| seen.header("mcp-session-id"));
    assert!(sent.clone().count() >= 2 && sent.clone().all(|id| id == CANARY));
    clean("session", &format!("{session:?}"));
    session.shut_down().await;
}

#[tokio::test]
async fn case_044_a_secret_goes_only_at_the_persons_word_and_is_in_no_view() {
    let schema = r#"{"type":"object","properties":{"password":{"type":"string"}}}"#;
    let server = Http::replies([
        Reply::Result(input_required(&[("q", form("m", schema))], None)),
        Reply::Result(done("thanks")),
    ])
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let secret = Json::object([("api_key", Json::string(format!("{CANARY}-argument")))]);
    let call = desk.call_with(id, secret);
    let ask = desk.question(call).await.id;
    let answered = desk.accept(ask, vec![text(0, CANARY)]).await;
    let Answered::Invalid { errors } = &answered else {
        panic!("{answered:?}");
    };
    assert_eq!(errors[0].code, FieldErrorCode::HeldBack);
    clean("answered", &format!("{answered:?} {:?}", desk.row(call)));
    clean("view", &format!("{:?}", desk.view(ask)));
    assert!(
        !server
            .params()
            .iter()
            .any(|params| params.contains("inputResponses"))
    );
    let inputs = vec![FieldInput {
        anyway: true,
        ..text(0, CANARY)
    }];
    assert_eq!(desk.accept(ask, inputs).await, Answered::Sent);
    let (row, end) = desk.ended(call).await;
    clean("row", &format!("{row:?} {end:?} {:?}", desk.view(ask)));
}
