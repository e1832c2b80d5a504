//! What servers are told that can be asked here, and what is sent.

use crate::fake::{Fake, Reply};
use crate::rig::{Rig, at, words, workshop};

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;
const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities""#;

#[tokio::test(flavor = "multi_thread")]
async fn with_neither_a_terminal_nor_answers_no_capability_is_declared() {
    let rig = Rig::new().await;
    let fake = Fake::start(&[Reply::Result(DONE)]).await;
    let ran = rig.run(&["call", "t", "--url", &fake.url]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fake.requests().len(), 2);
    for request in fake.requests() {
        assert!(request.contains(&format!("{CAPABILITIES}:{{}}")), "{request}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_answers_both_kinds_of_question_are_declared() {
    let rig = Rig::new().await;
    let fake = Fake::start(&[Reply::Result(DONE)]).await;
    let answers = rig.answers("{}");
    rig.run(&["call", "t", "--url", &fake.url, "--answers", &answers])
        .await;
    for request in fake.requests() {
        let declared = format!(r#"{CAPABILITIES}:{{"elicitation":{{"form":{{}},"url":{{}}}}}}"#);
        assert!(request.contains(&declared), "{request}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_all_the_same_is_not_answered() {
    let rig = Rig::new().await;
    let ask = r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}}}"#;
    let fake = Fake::start(&[Reply::Always(ask)]).await;
    let ran = rig.run(&["call", "t", "--url", &fake.url, "--json"]).await;
    let json = ran.check(4, "stopped", &["q form null"]);
    assert!(words(&json, "error.message").contains("nobody to ask"), "{json}");
    assert_eq!(fake.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_sent_as_typed() {
    let rig = Rig::new().await;
    let fake = Fake::start(&[Reply::Always(
        r#"{"resultType":"complete","content":[],"messages":[],"contents":[]}"#,
    )])
    .await;
    let url = fake.url.as_str();
    let typed = r#"{ "b": 1.50, "a": 123456789012345678901234567890, "e": 1E400, "s": "\u00e9" }"#;
    rig.run(&["call", "t", "--url", url, "--args", typed]).await;
    rig.run(&["call", "t", "--url", url]).await;
    rig.run(&["prompt", "p", "--url", url, "--args", r#"{"topic":"x"}"#])
        .await;
    rig.run(&["read", "notes://{x}/y", "--url", url]).await;
    let sent: Vec<String> = fake
        .calls()
        .iter()
        .map(|call| {
            let params = at(call, "params").to_string();
            let (before, _) = params.split_once(r#","_meta""#).expect("_meta last");
            format!("{} {before}", words(call, "method"))
        })
        .collect();
    assert_eq!(
        sent,
        [
            r#"tools/call {"name":"t","arguments":{"b":1.50,"a":123456789012345678901234567890,"e":1E400,"s":"é"}"#,
            r#"tools/call {"name":"t","arguments":{}"#,
            r#"prompts/get {"name":"p","arguments":{"topic":"x"}"#,
            r#"resources/read {"uri":"notes://{x}/y""#,
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_and_resources_ask_too() {
    let rig = Rig::new().await;
    let command = workshop();
    let answers = rig.answers(
        r#"{"style":{"action":"accept","content":{"tone":"Short"}},"open":{"action":"accept","content":{}}}"#,
    );
    let more = ["--command", command.as_str(), "--answers", answers.as_str()];
    let prompt = ["prompt", "write_announcement", "--args", r#"{"topic":"tea"}"#];
    let ran = rig.run(&[&prompt[..], &more].concat()).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        ran.stdout,
        "As you answered.\nuser: Write an announcement of tea for everybody. Tone: Short.\n"
    );
    let read = ["read", "practice://reports/quarterly"];
    let ran = rig.run(&[&read[..], &more].concat()).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Questions asked: 12"), "{ran:?}");
    assert!(ran.stderr.contains("[done, 1 round]"), "{ran:?}");
}
