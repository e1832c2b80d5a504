use crate::harness::{Sdk, Window, visit};
use crate::links::fill;
use serde_json::{Value, json};

/// Answers the question that waits, whatever it is.
async fn answer(window: &Window) {
    window.open_ask().await;
    if window.has("[data-testid=card] [data-act=open]").await {
        let shown = window.text("[data-testid=shown-url]").await;
        visit(&shown).await;
        window.press("open").await;
    } else {
        fill(window).await;
        window.send().await;
    }
    window
        .find("[data-testid=card][data-phase=delivered], [data-testid=card][data-phase=gone]")
        .await;
}

async fn form_link_form(sdk: Sdk) {
    let server = sdk.serve();
    let window = Window::open(&[("Harbour", server.target())]).await;
    window.start("Harbour", "form_link_form").await;
    window.run().await;
    for _ in 0..3 {
        answer(&window).await;
    }
    window.open_call("done").await;
    let received = server.received();
    assert_eq!(received.len(), 4, "{sdk:?}: one retry for each round");
    let original = received[0]["params"]["arguments"].clone();
    let mut ids: Vec<String> = Vec::new();
    let mut keys: Vec<String> = Vec::new();
    for (round, request) in received.iter().enumerate() {
        assert_eq!(
            request["params"]["arguments"], original,
            "{sdk:?}: the original params"
        );
        ids.push(request["id"].to_string());
        if round > 0 {
            let answers = request["params"]["inputResponses"].as_object().expect("answers");
            assert_eq!(answers.len(), 1, "{sdk:?}: this round's answer only");
            keys.extend(answers.keys().cloned());
            assert!(request["params"]["requestState"].is_string(), "{sdk:?}");
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 4, "{sdk:?}: a new id each time");
    keys.dedup();
    assert_eq!(keys.len(), 3, "{sdk:?}: {keys:?}");
    let states: Vec<&Value> = received[1..]
        .iter()
        .map(|request| &request["params"]["requestState"])
        .collect();
    assert_ne!(states[0], states[1], "{sdk:?}: the state of the latest round");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn form_link_form_finishes_with_the_python_sdk() {
    form_link_form(Sdk::Python).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn form_link_form_finishes_with_the_typescript_sdk() {
    form_link_form(Sdk::TypeScript).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_odd_state_comes_back_byte_for_byte() {
    for sdk in Sdk::ALL {
        let server = sdk.serve();
        let window = Window::open(&[("Harbour", server.target())]).await;
        for which in ["empty", "absent", "large", "odd"] {
            window.start("Harbour", "odd_state").await;
            // The choice is a field or, where the schema leaves it open, a text.
            let radio = format!(
                "const option = [...document.querySelectorAll('[data-testid=start-card] label')].find((label) => label.innerText.trim() === '{which}'); option?.querySelector('input')?.click(); return option !== undefined"
            );
            if window.script(&radio).await != json!(true) {
                window
                    .type_into("[data-testid=start-card] [data-field='0'] input", which)
                    .await;
            }
            window.run().await;
            answer(&window).await;
            window.open_call("done").await;
            let result = window.result().await;
            let present = which != "absent";
            assert!(
                result.contains("\"same\":true") && result.contains(&format!("\"present\":{present}")),
                "{sdk:?} {which}: {result}"
            );
        }
        window.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_and_a_resource_ask_too() {
    for sdk in Sdk::ALL {
        let server = sdk.serve();
        let window = Window::open(&[("Harbour", server.target())]).await;
        for (title, method) in [("ask_prompt", "prompts/get"), ("ask://confirm", "resources/read")] {
            let before = server.received().len();
            window.start("Harbour", title).await;
            window.run().await;
            answer(&window).await;
            window.open_call("done").await;
            window.find("[data-testid=result-part]").await;
            let received = server.received()[before..].to_vec();
            assert_eq!(received.len(), 2, "{sdk:?} {title}");
            assert!(
                received.iter().all(|request| request["method"] == method),
                "{sdk:?} {title}"
            );
            assert!(
                received[1]["params"]["inputResponses"].is_object(),
                "{sdk:?} {title}"
            );
        }
        window.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_questions_are_kept_edited_and_sent_together() {
    let window = Window::open(&[]).await;
    window.start("Practice workshop", "Three questions at once").await;
    window.run().await;
    for question in 1..=3 {
        window.open_ask().await;
        let label = window.text("[data-testid=card] [data-act=accept]").await;
        assert!(
            label.contains(if question < 3 {
                "Keep answer"
            } else {
                "Send 3 answers"
            }),
            "{label}"
        );
        fill(&window).await;
        window.send().await;
        if question == 1 {
            // A kept answer can be taken back and kept again.
            window.find("[data-testid=card][data-phase=kept]").await;
            window.press("edit").await;
            window.find("[data-testid=card][data-phase=waiting]").await;
            window.send().await;
        }
        if question < 3 {
            window.find("[data-testid=card][data-phase=kept]").await;
        }
    }
    window.open_call("done").await;
    window.close().await;
}
