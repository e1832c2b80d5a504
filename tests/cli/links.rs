//! Links from a file of answers: opened once, and only where the answer says.

use crate::fake::{Fake, Reply};
use crate::rig::{Rig, at, desk, visit, words};
use countersign_core::wire::json::Json;

const ADDRESS: &str = "https://accounts.example.org/connect?step=2";

fn ask(url: &str) -> String {
    format!(
        r#"{{"resultType":"input_required","requestState":"s","inputRequests":{{"page":{{"method":"elicitation/create","params":{{"mode":"url","message":"m","url":"{url}"}}}}}}}}"#
    )
}

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_connected_after_one_launch() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let url = desk.mcp_url();
    let answers = rig.answers(&format!(
        r#"{{"account":{{"action":"accept","origin":"{}"}}}}"#,
        desk.origin()
    ));
    let args = [
        "call",
        "connect_account",
        "--url",
        &url,
        "--answers",
        &answers,
        "--json",
    ];
    let visited = async {
        let address = rig.opened().await;
        assert!(visit(&address).await.contains("connected"), "{address}");
        address
    };
    let (ran, address) = tokio::join!(rig.run(&args), visited);
    let json = ran.json();
    assert_eq!((ran.code, words(&json, "status")), (Some(0), "done"), "{ran:?}");
    assert!(
        words(&json, "result.content.0.text").contains("is connected"),
        "{json}"
    );
    assert!(address.starts_with(&desk.page_prefix()), "{address}");
    assert_eq!(
        rig.all_opened(),
        [address],
        "one launch, whatever the number of checks"
    );
    for asked in at(&json, "asks").as_array().expect("asks") {
        assert_eq!(
            asked.to_string(),
            r#"{"key":"account","mode":"url","action":"accept"}"#
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_link_asked_again_is_checked_without_a_second_launch() {
    let rig = Rig::new().await;
    let link = ask(ADDRESS);
    let fake = Fake::start(&[
        Reply::Result(&link),
        Reply::Result(&link),
        Reply::HangUp,
        Reply::Result(&link),
        Reply::Result(DONE),
    ])
    .await;
    let answers = rig.answers(&format!(
        r#"{{"page":[{{"action":"accept","url":"{ADDRESS}"}}]}}"#
    ));
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    let json = ran.check(
        0,
        "done",
        &["page url accept", "page url accept", "page url accept"],
    );
    assert_eq!(at(&json, "rounds").to_string(), "3");
    assert_eq!(rig.opened().await, ADDRESS, "exactly what was asked for");
    assert_eq!(rig.all_opened(), [ADDRESS]);
    let calls = fake.calls();
    assert_eq!(calls.len(), 5, "the lost check was made again");
    for call in &calls[1..] {
        assert_eq!(
            at(call, "params.inputResponses").to_string(),
            r#"{"page":{"action":"accept"}}"#
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checking_again_can_be_ended_by_the_next_answer_of_a_list() {
    let rig = Rig::new().await;
    for (action, sent) in [
        ("decline", r#"{"page":{"action":"decline"}}"#),
        ("cancel", r#"{"page":{"action":"cancel"}}"#),
    ] {
        let link = ask(ADDRESS);
        let fake = Fake::start(&[Reply::Result(&link), Reply::Result(&link), Reply::Result(DONE)]).await;
        let answers = rig.answers(&format!(
            r#"{{"page":[{{"action":"accept","url":"{ADDRESS}"}},{{"action":"{action}"}}]}}"#
        ));
        let ran = rig
            .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
            .await;
        ran.check(0, "done", &["page url accept", &format!("page url {action}")]);
        let last = fake.calls().pop().expect("a call");
        assert_eq!(at(&last, "params.inputResponses").to_string(), sent);
        rig.opened().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_name_the_link_opens_nothing() {
    let rig = Rig::new().await;
    let lookalike = "https://xn--pple-43d.com/login";
    for (url, answers, word) in [
        (ADDRESS, r#"{"*":{"action":"accept"}}"#, "no answer for “page”"),
        (ADDRESS, r#"{"*":{"action":"decline"}}"#, "no answer for “page”"),
        (
            ADDRESS,
            r#"{"*":{"action":"accept","origin":"https://accounts.example.org"}}"#,
            "no answer",
        ),
        (
            ADDRESS,
            r#"{"page":{"action":"accept"}}"#,
            "must name the url or the origin",
        ),
        (
            ADDRESS,
            r#"{"page":{"action":"accept","content":{}}}"#,
            "no content",
        ),
        (
            ADDRESS,
            r#"{"page":{"action":"accept","origin":"https://example.org"}}"#,
            "leads to https://accounts.example.org",
        ),
        (
            ADDRESS,
            r#"{"page":{"action":"accept","origin":"https://accounts.example.org/"}}"#,
            "leads to",
        ),
        (
            ADDRESS,
            r#"{"page":{"action":"accept","url":"https://accounts.example.org/connect"}}"#,
            "the link is https://accounts.example.org/connect?step=2",
        ),
        (
            ADDRESS,
            r#"{"page":{"action":"accept","origin":"https://accounts.example.org","domain":"example.com"}}"#,
            "does not go to example.com",
        ),
        (
            lookalike,
            r#"{"page":{"action":"accept","origin":"https://xn--pple-43d.com"}}"#,
            "also needs its domain",
        ),
        (
            "javascript:alert(1)",
            r#"{"page":{"action":"accept","url":"javascript:alert(1)"}}"#,
            "refused and never opened",
        ),
    ] {
        let link = ask(url);
        let fake = Fake::start(&[Reply::Always(&link)]).await;
        let file = rig.answers(answers);
        let ran = rig
            .run(&["call", "t", "--url", &fake.url, "--answers", &file, "--json"])
            .await;
        let json = ran.check(4, "stopped", &["page url null"]);
        assert!(words(&json, "error.message").contains(word), "{answers}: {json}");
        assert_eq!(fake.calls().len(), 1, "{answers}: nothing was answered");
    }
    assert!(rig.all_opened().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_risky_link_opens_with_its_domain_and_a_refused_one_can_be_declined() {
    let rig = Rig::new().await;
    let link = ask("https://xn--pple-43d.com/login");
    let fake = Fake::start(&[Reply::Result(&link), Reply::Result(DONE)]).await;
    let answers = rig.answers(
        r#"{"page":{"action":"accept","origin":"https://xn--pple-43d.com","domain":"xn--pple-43d.com"}}"#,
    );
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    ran.check(0, "done", &["page url accept"]);
    assert_eq!(rig.opened().await, "https://xn--pple-43d.com/login");

    for (params, action) in [
        (r#"{"mode":"url","url":"javascript:alert(1)"}"#, "decline"),
        (r#"{"mode":"url"}"#, "cancel"),
    ] {
        let link = format!(
            r#"{{"resultType":"input_required","inputRequests":{{"page":{{"method":"elicitation/create","params":{params}}}}}}}"#
        );
        let fake = Fake::start(&[Reply::Result(&link), Reply::Result(DONE)]).await;
        let answers = rig.answers(&format!(r#"{{"page":{{"action":"{action}"}}}}"#));
        let ran = rig
            .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
            .await;
        ran.check(0, "done", &[&format!("page url {action}")]);
    }
    assert_eq!(rig.all_opened().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn three_answers_travel_together_and_the_page_is_opened() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let answers = rig.answers(&format!(
        r#"{{"*":{{"action":"cancel"}},"greeting":{{"action":"accept","content":{{"name":"Ada"}}}},"page":{{"action":"accept","origin":"{}"}}}}"#,
        desk.origin()
    ));
    let ran = rig
        .run(&[
            "call",
            "three_questions",
            "--url",
            &desk.mcp_url(),
            "--answers",
            &answers,
            "--json",
        ])
        .await;
    let json = ran.check(
        0,
        "done",
        &["greeting form accept", "lunch form cancel", "page url accept"],
    );
    assert_eq!(
        at(&json, "result.structuredContent").to_string(),
        r#"{"greeting":{"action":"accept","content":{"name":"Ada"}},"lunch":{"action":"cancel"},"page":{"action":"accept"}}"#
    );
    assert!(rig.opened().await.starts_with(&desk.page_prefix()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guided_setup_goes_through_its_three_rounds() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let answers = rig.answers(&format!(
        r#"{{"name":{{"action":"accept","content":{{"name":"Atlas"}}}},"page":{{"action":"accept","origin":"{}"}},
        "confirm":{{"action":"accept","content":{{"visibility":"team"}}}}}}"#,
        desk.origin()
    ));
    let ran = rig
        .run(&[
            "call",
            "guided_setup",
            "--url",
            &desk.mcp_url(),
            "--answers",
            &answers,
            "--json",
        ])
        .await;
    let json = ran.check(
        0,
        "done",
        &["name form accept", "page url accept", "confirm form accept"],
    );
    assert_eq!(
        at(&json, "result.structuredContent").to_string(),
        r#"{"name":"Atlas","last_answer":{"visibility":"team"}}"#
    );
    assert_eq!(at(&json, "rounds"), &Json::integer(3));
    rig.opened().await;
}
