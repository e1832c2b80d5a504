use crate::harness::{DELIVERED, FakeBrowser, Look, Sdk, Window, visit};
use serde_json::json;

/// Consents to the link on the card; gives its address.
async fn consent(window: &Window) -> String {
    let shown = window.text("[data-testid=shown-url]").await;
    window.press("open").await;
    window.find("[data-testid=card][data-phase=in_browser]").await;
    shown
}

#[tokio::test(flavor = "multi_thread")]
async fn a_practice_link_opens_once_waits_and_finishes() {
    let window = Window::open(&[]).await;
    window.start("Practice desk", "Connect an account").await;
    window.run().await;
    window.open_ask().await;
    assert!(
        window
            .text("[data-testid=card]")
            .await
            .contains("This computer (practice page, served by Countersign)")
    );
    let shown = consent(&window).await;
    assert_eq!(
        window.launched().await,
        std::slice::from_ref(&shown),
        "one launch, with exactly the address that was shown"
    );

    // The page was not visited: the server asks again, and the card still waits.
    window.find("[data-testid=card] [data-act=check_again]").await;
    window.press("check_again").await;
    window
        .find("[data-testid=card][data-phase=in_browser] [data-act=check_again]")
        .await;
    visit(&shown).await;
    window.press("check_again").await;
    window.find(DELIVERED).await;
    window.open_call("done").await;
    assert_eq!(window.opened().len(), 1, "nothing was opened again");
    window.close().await;
}

async fn link_of_an_sdk(sdk: Sdk) {
    let server = sdk.serve();
    let window = Window::open(&[("Harbour", server.target())]).await;
    window.start("Harbour", "ask_link").await;
    window.run().await;
    window.open_ask().await;
    assert_eq!(server.visits(), 0, "nothing is fetched before consent");
    let shown = consent(&window).await;
    window.find("[data-testid=card] [data-act=check_again]").await;
    assert_eq!(window.launched().await, std::slice::from_ref(&shown));
    assert_eq!(server.visits(), 0, "nor after it: only the browser goes there");
    visit(&shown).await;
    window.press("check_again").await;
    window.find(DELIVERED).await;
    for request in &server.received()[1..] {
        let answers = request["params"]["inputResponses"].as_object().expect("answers");
        let answer = answers.values().next().expect("one answer");
        assert_eq!(
            *answer,
            json!({ "action": "accept" }),
            "consent carries no content"
        );
    }
    assert_eq!(window.opened().len(), 1);
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_of_the_python_sdk_finishes() {
    link_of_an_sdk(Sdk::Python).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_of_the_typescript_sdk_finishes() {
    link_of_an_sdk(Sdk::TypeScript).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_beside_two_forms_travels_with_them() {
    for sdk in Sdk::ALL {
        let server = sdk.serve();
        let window = Window::open(&[("Harbour", server.target())]).await;
        window.start("Harbour", "two_forms_and_link").await;
        window.run().await;
        window.open_ask().await;
        assert!(window.text("[data-testid=position]").await.contains("1 of 3"));
        for question in 0..2 {
            if question > 0 {
                window.open_ask().await;
            }
            fill(&window).await;
            window.send().await;
            window.find("[data-testid=card][data-phase=kept]").await;
        }
        window.open_ask().await;
        window.press("open").await;
        window.open_call("done").await;
        let received = server.received();
        assert_eq!(received.len(), 2, "{sdk:?}: three answers in one retry");
        let answers = received[1]["params"]["inputResponses"]
            .as_object()
            .expect("answers")
            .clone();
        assert_eq!(answers["link"], json!({ "action": "accept" }), "{sdk:?}");
        assert_eq!(answers["form_a"]["action"], "accept", "{sdk:?}");
        assert_eq!(answers["form_b"]["action"], "accept", "{sdk:?}");
        assert_eq!(window.launched().await.len(), 1, "{sdk:?}");
        window.close().await;
    }
}

/// Fills whatever the form on the card requires.
pub(crate) async fn fill(window: &Window) {
    let fields = "return [...document.querySelectorAll('[data-testid=card] [data-testid=field]')].map((field) => [field.dataset.field, field.innerText.includes('required'), field.querySelector('input')?.type ?? '', field.innerText])";
    for field in window.script(fields).await.as_array().expect("fields") {
        if field[1] != json!(true) {
            continue;
        }
        let css = format!(
            "[data-testid=card] [data-field='{}']",
            field[0].as_str().unwrap_or_default()
        );
        if field[2] == "radio" {
            window.click(&format!("{css} input[type=radio]")).await;
        } else {
            window.type_into(&format!("{css} input"), "7").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_browser_the_card_offers_no_open_and_says_why() {
    let server = Sdk::TypeScript.serve();
    let window = Window::open_with(&[("Harbour", server.target())], FakeBrowser::Missing, Look::Light).await;
    window.start("Harbour", "ask_link").await;
    window.run().await;
    window.open_ask().await;
    window
        .find("[data-testid=card] [data-act=already_finished]")
        .await;
    let opens = "return document.querySelectorAll('[data-testid=card] [data-act=open]').length";
    assert_eq!(window.script(opens).await, json!(0));
    let words = "return document.querySelector('[data-testid=card]').innerText";
    let words = window.script(words).await;
    assert!(
        words
            .as_str()
            .is_some_and(|words| words.contains("No web browser was found")),
        "{words}"
    );
    assert_eq!(server.received().len(), 1, "the server was told nothing");
    window.press("dismiss").await;
    window.open_call("done").await;
    window.close().await;
}
