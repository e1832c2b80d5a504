use crate::harness::{ScriptedServer, Sdk, SdkServer, Window, until};
use serde_json::{Value, json};

/// Starts `ask_form` of an SDK server and opens its question.
async fn ask(window: &Window) {
    window.start("Harbour", "ask_form").await;
    window
        .type_into("[data-testid=start-card] [data-field='0'] input", "harbour")
        .await;
    window.run().await;
    window.open_ask().await;
}

/// The answer that the `count`-th request carried, and a look at the rest of it.
async fn answer(server: &SdkServer, count: usize) -> Value {
    until(|| server.received().len() >= count).await;
    let received = server.received();
    assert_eq!(received.len(), count, "{received:?}");
    let (first, retry) = (&received[count - 2], &received[count - 1]);
    assert_ne!(retry["id"], first["id"], "a retry has its own id");
    assert_eq!(retry["method"], first["method"]);
    assert_eq!(retry["params"]["name"], first["params"]["name"]);
    assert_eq!(retry["params"]["arguments"], json!({ "topic": "harbour" }));
    let answers = retry["params"]["inputResponses"]
        .as_object()
        .expect("answers")
        .clone();
    assert_eq!(answers.len(), 1);
    answers.into_values().next().expect("one answer")
}

async fn accept_decline_and_dismiss(sdk: Sdk) {
    let server = sdk.serve();
    let window = Window::open(&[("Harbour", server.target())]).await;

    ask(&window).await;
    window
        .type_into("[data-testid=card] [data-field='0'] input", "Ada")
        .await;
    let review = window.wait_for_text("[data-testid=review]", "Ada").await;
    assert!(
        review.contains("Free of charge") && review.contains("Not sent: Seats"),
        "{review}"
    );
    window.send().await;
    assert_eq!(
        answer(&server, 2).await,
        json!({ "action": "accept", "content": { "name": "Ada", "plan": "free", "notify": true } }),
        "what the review line showed, the suggestions included, and nothing else"
    );
    window.open_call("done").await;

    ask(&window).await;
    window.press("decline").await;
    assert_eq!(answer(&server, 4).await, json!({ "action": "decline" }));

    ask(&window).await;
    window.press("dismiss").await;
    assert_eq!(answer(&server, 6).await, json!({ "action": "cancel" }));
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn accept_decline_and_dismiss_reach_the_python_sdk() {
    accept_decline_and_dismiss(Sdk::Python).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn accept_decline_and_dismiss_reach_the_typescript_sdk() {
    accept_decline_and_dismiss(Sdk::TypeScript).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_practice_server_hears_each_of_the_three_answers() {
    let window = Window::open(&[]).await;
    let mut heard = Vec::new();
    for act in ["accept", "decline", "dismiss"] {
        window.start("Practice desk", "How a server reacts").await;
        window.run().await;
        window.open_ask().await;
        match act {
            "accept" => window.send().await,
            other => window.press(other).await,
        }
        window.find("[data-testid=card][data-phase=delivered]").await;
        window.open_call("done").await;
        heard.push(window.result().await);
    }
    heard.dedup();
    assert_eq!(heard.len(), 3, "three answers, three results: {heard:?}");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_at_the_field_and_nothing_is_sent() {
    let window = Window::open(&[]).await;
    window.start("Practice desk", "Plan a deployment").await;
    window
        .type_into("[data-testid=start-card] [data-field='0'] input", "web shop")
        .await;
    window.run().await;
    window.open_ask().await;
    window.send().await;
    window.find("[data-testid=error-summary]").await;
    let wrong = "return document.activeElement?.getAttribute('aria-invalid') === 'true' && document.activeElement.getAttribute('aria-describedby') !== null";
    assert_eq!(
        window.script(wrong).await,
        json!(true),
        "focus is on the first field that is wrong"
    );
    assert!(window.has("[data-testid=card][data-phase=waiting]").await);
    window.close().await;
}

/// The press comes at the very moment the card appears, as a misclick would.
#[tokio::test(flavor = "multi_thread")]
async fn a_press_on_a_card_that_was_only_just_shown_does_nothing() {
    let server = ScriptedServer::start(|params| match params.get("inputResponses") {
        None => json!({ "resultType": "input_required", "inputRequests": { "go": {
            "method": "elicitation/create",
            "params": { "message": "Delete everything?", "requestedSchema": { "type": "object", "properties": {} } },
        } } }),
        Some(answers) => {
            json!({ "resultType": "complete", "content": [{ "type": "text", "text": answers.to_string() }] })
        }
    });
    let window = Window::open(&[("Hasty", server.target())]).await;
    window.start("Hasty", "speak").await;
    window.run().await;
    window.click("[data-testid=inbox]").await;
    window.find("[data-testid=ask-row]").await;

    // The program itself refuses, whatever the page thinks.
    let direct = "const done = arguments[0]; window.__TAURI_INTERNALS__.invoke('act', { args: { ask: 1, revision: 1, act: 'accept', inputs: [], domain: null } }).then(done, done)";
    let refused = window
        .client
        .execute_async(direct, vec![])
        .await
        .expect("the window answers");
    assert_eq!(
        refused["kind"], "too_soon",
        "never shown, so never accepted: {refused}"
    );

    let at_once = "
        window.early = 0;
        new MutationObserver(() => {
            const button = document.querySelector('[data-testid=card][data-armed=false] [data-act=accept]');
            if (button && window.early === 0) {
                window.early += 1;
                button.click();
                button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
            }
        }).observe(document.body, { subtree: true, childList: true, attributes: true });";
    window.script(at_once).await;
    window.click("[data-testid=ask-row]").await;
    window.find("[data-testid=card][data-armed=true]").await;
    assert_eq!(window.script("return window.early").await, json!(1));
    assert!(
        window.has("[data-testid=card][data-phase=waiting]").await,
        "still waiting"
    );

    window.press("accept").await;
    window.open_call("done").await;
    assert_eq!(
        window.result().await,
        r#"{"go":{"action":"accept","content":{}}}"#
    );
    window.close().await;
}
