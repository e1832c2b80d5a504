//! Answers from a file.

use crate::fake::{Fake, Reply};
use crate::rig::{Rig, at, desk, words, workshop};
use countersign_core::wire::json::Json;

#[tokio::test(flavor = "multi_thread")]
async fn each_of_the_three_answers_reaches_the_server() {
    let rig = Rig::new().await;
    let desk = desk().await;
    for (answer, action, received) in [
        (
            r#"{"action":"accept","content":{"note":"hi"}}"#,
            "accept",
            Some(r#"{"note":"hi"}"#),
        ),
        (r#"{"action":"accept","content":{}}"#, "accept", Some("{}")),
        (r#"{"action":"accept"}"#, "accept", Some("{}")),
        (r#"{"action":"decline"}"#, "decline", None),
        (r#"{"action":"cancel"}"#, "cancel", None),
    ] {
        for key in ["reaction", "*"] {
            let answers = rig.answers(&format!(r#"{{"{key}":{answer}}}"#));
            let ran = rig
                .run(&[
                    "call",
                    "how_it_reacts",
                    "--url",
                    &desk.mcp_url(),
                    "--answers",
                    &answers,
                    "--json",
                ])
                .await;
            let json = ran.check(0, "done", &[&format!("reaction form {action}")]);
            assert_eq!(words(&json, "result.structuredContent.action"), action);
            let content = at(&json, "result.structuredContent").get("received");
            assert_eq!(content.map(Json::to_string).as_deref(), received, "{answer}");
            assert_eq!(at(&json, "rounds").to_string(), "1");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workshop_is_started_with_its_words_and_answers_can_come_from_stdin() {
    let rig = Rig::new().await;
    let answers = r#"{"greeting":{"action":"accept","content":{"name":"Ada"}},
        "lunch":{"action":"decline"},"weather":{"action":"accept","content":{"raining":false}}}"#;
    let args = [
        "call",
        "three_questions",
        "--command",
        &workshop(),
        "--answers",
        "-",
        "--json",
    ];
    let json = rig.run_with_input(&args, answers).await.check(
        0,
        "done",
        &[
            "greeting form accept",
            "lunch form decline",
            "weather form accept",
        ],
    );
    assert_eq!(
        at(&json, "result.structuredContent").to_string(),
        r#"{"greeting":{"action":"accept","content":{"name":"Ada"}},"lunch":{"action":"decline"},"weather":{"action":"accept","content":{"raining":false}}}"#
    );
}

const ASK: &str = r#"{"resultType":"input_required","requestState":"secret-state","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"number","minimum":0},"d":{"type":"string","default":"x"}}}}}}}"#;
const DONE: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"ok"}]}"#;

fn sent(fake: &Fake) -> Vec<String> {
    fake.calls()
        .iter()
        .filter_map(|call| at(call, "params").get("inputResponses"))
        .map(Json::to_string)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_used_one_answer_each_time_and_then_the_call_stops() {
    let rig = Rig::new().await;
    let list = r#"{"q":[{"action":"accept","content":{"n":1.50}},{"action":"accept"}]}"#;
    let fake = Fake::start(&[Reply::Result(ASK), Reply::Result(ASK), Reply::Result(DONE)]).await;
    let answers = rig.answers(list);
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    ran.check(0, "done", &["q form accept", "q form accept"]);
    assert_eq!(
        sent(&fake),
        [
            r#"{"q":{"action":"accept","content":{"n":1.50}}}"#,
            r#"{"q":{"action":"accept","content":{"d":"x"}}}"#,
        ],
        "numbers as written, a default that is not in the content is left out, no content is the form as suggested"
    );

    let fake = Fake::start(&[Reply::Always(ASK)]).await;
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    let json = ran.check(4, "stopped", &["q form accept", "q form accept", "q form null"]);
    assert!(
        words(&json, "error.message").contains("no answer for “q”"),
        "{json}"
    );
    assert_eq!(sent(&fake).len(), 2);
    assert!(!format!("{ran:?}").contains("secret-state"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_the_form_is_not_sent() {
    let rig = Rig::new().await;
    for (answer, word) in [
        (r#"{"action":"accept","content":{"n":-1}}"#, "0 or more"),
        (
            r#"{"action":"accept","content":{"n":"1"}}"#,
            "a number is expected",
        ),
        (r#"{"action":"accept","content":{"zap":1}}"#, "no field “zap”"),
        (
            r#"{"action":"accept","origin":"https://a.test"}"#,
            "written for a link",
        ),
    ] {
        let fake = Fake::start(&[Reply::Always(ASK)]).await;
        let answers = rig.answers(&format!(r#"{{"q":{answer}}}"#));
        let ran = rig
            .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
            .await;
        let json = ran.check(4, "stopped", &["q form null"]);
        assert!(words(&json, "error.message").contains(word), "{json}");
        assert!(ran.stderr.contains(word), "{ran:?}");
        assert!(sent(&fake).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_question_without_an_answer_stops_the_whole_round() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let answers = rig.answers(&format!(
        r#"{{"greeting":{{"action":"accept","content":{{"name":"Ada"}}}},"page":{{"action":"accept","origin":"{}"}}}}"#,
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
    ran.check(
        4,
        "stopped",
        &["greeting form null", "lunch form null", "page url null"],
    );
    assert!(rig.all_opened().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_stops_after_ten_rounds() {
    let rig = Rig::new().await;
    let fake = Fake::start(&[Reply::Always(ASK)]).await;
    let answers = rig.answers(r#"{"*":{"action":"decline"}}"#);
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    let json = ran.json();
    assert_eq!(
        (ran.code, words(&json, "status")),
        (Some(4), "stopped"),
        "{ran:?}"
    );
    assert_eq!(at(&json, "rounds").to_string(), "11");
    assert_eq!(sent(&fake).len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undrawable_form_can_be_declined_only() {
    let rig = Rig::new().await;
    let odd = r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"o":{"type":"object"}}}}}}}"#;
    let fake = Fake::start(&[Reply::Result(odd), Reply::Result(DONE)]).await;
    let answers = rig.answers(r#"{"*":{"action":"decline"}}"#);
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    ran.check(0, "done", &["q form decline"]);
    let fake = Fake::start(&[Reply::Result(odd)]).await;
    let answers = rig.answers(r#"{"*":{"action":"accept","content":{}}}"#);
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    ran.check(4, "stopped", &["q form null"]);
}

const ASKS_TOKEN: &str = r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"api_token":{"type":"string","title":"API token"}},"required":["api_token"]}}}}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn case_044_a_secret_is_sent_only_where_its_key_stands_under_anyway() {
    let rig = Rig::new().await;
    let run = async |answer: &str| {
        let fake = Fake::start(&[Reply::Result(ASKS_TOKEN), Reply::Result(DONE)]).await;
        let answers = rig.answers(answer);
        let ran = rig
            .run(&["call", "t", "--url", &fake.url, "--answers", &answers])
            .await;
        let calls: Vec<String> = fake.calls().iter().map(Json::to_string).collect();
        (ran, calls)
    };
    let (held, calls) = run(r#"{"q":{"action":"accept","content":{"api_token":"canary-7731"}}}"#).await;
    assert_ne!(held.code, Some(0), "{held:?}");
    assert_eq!(calls.len(), 1, "{calls:?}");
    for told in ["asks for a secret key or token", "under “anyway”"] {
        assert!(held.stderr.contains(told), "{told}: {held:?}");
    }
    assert!(!format!("{held:?}").contains("canary"), "{held:?}");
    let (sent, calls) =
        run(r#"{"q":{"action":"accept","content":{"api_token":"canary-7731"},"anyway":["api_token"]}}"#)
            .await;
    assert_eq!(sent.code, Some(0), "{sent:?}");
    assert!(
        calls[1].contains(r#""content":{"api_token":"canary-7731"}"#),
        "{calls:?}"
    );
    assert!(!format!("{sent:?}").contains("canary"), "{sent:?}");
    let (unknown, _) =
        run(r#"{"q":{"action":"accept","content":{"api_token":"x"},"anyway":["token"]}}"#).await;
    assert!(unknown.stderr.contains("no value for “token”"), "{unknown:?}");
}
