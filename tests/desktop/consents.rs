use crate::harness::{DELIVERED, FakeBrowser, Look, ScriptedServer, Window, until};
use fantoccini::key::Key;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const PAGE: &str = "https://pay.example/start?t=1";

fn link(url: &str) -> Value {
    json!({ "method": "elicitation/create", "params": { "mode": "url", "message": "Please pay.", "url": url } })
}

fn asks(requests: &Value) -> Value {
    json!({ "resultType": "input_required", "inputRequests": requests })
}

fn text(text: &str) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}

/// Asks for one page, and keeps what it hears.
fn cashier(url: &str) -> (ScriptedServer, Arc<Mutex<Vec<Value>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    let url = url.to_owned();
    let server = ScriptedServer::start(move |params| match params.get("inputResponses") {
        None => asks(&json!({ "pay": link(&url) })),
        Some(answers) => {
            log.lock().expect("the log").push(answers["pay"].clone());
            text("ok")
        }
    });
    (server, heard)
}

async fn asked(window: &Window) {
    window.start("Cashier", "speak").await;
    window.run().await;
    window.open_ask().await;
}

fn heard(log: &Mutex<Vec<Value>>) -> Vec<Value> {
    log.lock().expect("the log").clone()
}

/// Presses Open in the very moment in which the card comes, or comes to life no more.
async fn hasty(window: &Window) {
    let press = "
        window.early = 0;
        new MutationObserver(() => {
            const open = document.querySelector('[data-testid=card][data-armed=false] [data-act=open]');
            if (!open || window.early > 0) return;
            window.early += 1;
            open.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
            open.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
            open.click();
            open.click();
        }).observe(document, { subtree: true, childList: true, attributes: true })";
    window.script(press).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_03_a_press_carried_over_to_a_link_opens_nothing_and_a_resize_starts_over() {
    let (server, log) = cashier(PAGE);
    let window = Window::open(&[("Cashier", server.target())]).await;
    hasty(&window).await;
    asked(&window).await;
    window.wait_until("return window.early === 1").await;
    window
        .wait_for_text("[data-testid=note]", "This was only just shown")
        .await;
    window.find("[data-testid=card][data-armed=true]").await;
    hasty(&window).await;
    window.client.set_window_size(900, 700).await.expect("resized");
    window.wait_until("return window.early === 1").await;
    assert!(window.opened().is_empty() && heard(&log).is_empty());
    window.press("open").await;
    until(|| heard(&log).len() == 1).await;
    assert_eq!(window.launched().await, [PAGE]);
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_04_keys_open_nothing_before_open_was_gone_to() {
    let (server, log) = cashier(PAGE);
    let window = Window::open(&[("Cashier", server.target())]).await;
    window.start("Cashier", "speak").await;
    window.run().await;
    window.click("[data-testid=inbox]").await;
    window.find("[data-testid=ask-row]").await;
    window
        .script("document.querySelector('[data-testid=ask-row]').focus()")
        .await;
    // Opens the card; what follows at once meets it as it comes.
    for key in [Key::Enter.into(), Key::Enter.into(), ' ', Key::Enter.into()] {
        window.keys(&[key]).await;
    }
    window.find("[data-testid=card][data-armed=true]").await;
    for keys in [
        vec![Key::Enter.into()],
        vec![' '],
        vec![Key::Control.into(), Key::Enter.into()],
    ] {
        window.keys(&keys).await;
    }
    let waiting = "[data-testid=card][data-phase=waiting]";
    assert!(window.has(waiting).await);
    assert_eq!(
        window
            .script("return document.activeElement?.dataset.act ?? null")
            .await,
        Value::Null,
        "nothing that answers has the focus by itself"
    );
    assert!(window.opened().is_empty() && heard(&log).is_empty());
    window
        .script("document.querySelector('[data-act=open]').focus()")
        .await;
    window.keys(&[Key::Enter.into()]).await;
    until(|| heard(&log) == [json!({ "action": "accept" })]).await;
    assert_eq!(window.launched().await, [PAGE]);
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_05_twenty_links_change_neither_focus_nor_card_and_wait() {
    let released = Arc::new(AtomicBool::new(false));
    let (calls, answers) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let (gate, count) = (Arc::clone(&released), Arc::clone(&answers));
    let server = ScriptedServer::start(move |params| {
        if params.get("inputResponses").is_some() {
            count.fetch_add(1, Ordering::SeqCst);
            return text("ok");
        }
        if calls.fetch_add(1, Ordering::SeqCst) == 0 {
            return asks(
                &json!({ "name": { "method": "elicitation/create", "params": { "message": "Name?",
                "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } } } } }),
            );
        }
        while !gate.load(Ordering::SeqCst) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let links = (0..10).map(|n| (format!("page{n}"), link(PAGE)));
        asks(&Value::Object(links.collect()))
    });
    let window = Window::open(&[("Cashier", server.target())]).await;
    for _ in 0..3 {
        window.start("Cashier", "speak").await;
        window.run().await;
        window.find("[data-testid=call-card]").await;
    }
    window.open_ask().await;
    window
        .type_into("[data-testid=card] [data-testid=field] input", "Ad")
        .await;
    let state = "return [document.hasFocus(), document.activeElement?.id, document.querySelector('[data-testid=card]').dataset.ask, scrollY].join()";
    let before = window.script(state).await;
    released.store(true, Ordering::SeqCst);
    window
        .wait_until(
            "return document.querySelector('[data-testid=inbox-count]')?.textContent?.startsWith('21')",
        )
        .await;
    assert_eq!(window.script(state).await, before);
    window.keys(&['a']).await;
    window.keys(&[Key::Enter.into()]).await;
    assert_eq!(
        window
            .script("return document.querySelector('[data-testid=card] [data-testid=field] input').value")
            .await,
        json!("Ada")
    );
    assert_eq!(answers.load(Ordering::SeqCst), 0, "nothing was answered");
    assert!(window.opened().is_empty());
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_08_a_browser_that_cannot_be_started_leaves_the_card_and_tells_the_server_nothing() {
    let (server, log) = cashier(PAGE);
    let target = [("Cashier", server.target())];
    let window = Window::open_with(&target, FakeBrowser::Broken, Look::Light).await;
    asked(&window).await;
    for _ in 0..2 {
        window.press("open").await;
        window
            .find("[data-testid=card][data-phase=open_failed] [data-testid=copy]")
            .await;
        window
            .wait_for_text("[data-testid=card] [data-act=open]", "Try again")
            .await;
    }
    assert!(heard(&log).is_empty());
    window.press("dismiss").await;
    until(|| heard(&log) == [json!({ "action": "cancel" })]).await;
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_09_a_browser_that_dies_was_asked_and_is_not_said_to_have_opened_anything() {
    let calls = AtomicUsize::new(0);
    let server = ScriptedServer::start(move |params| {
        let answered = params.get("inputResponses").is_some();
        if answered && calls.fetch_add(1, Ordering::SeqCst) > 0 {
            return text("ok");
        }
        asks(&json!({ "pay": link(PAGE) }))
    });
    let target = [("Cashier", server.target())];
    let window = Window::open_with(&target, FakeBrowser::Dies, Look::Light).await;
    asked(&window).await;
    window.press("open").await;
    window
        .find("[data-testid=card][data-phase=in_browser] [data-act=check_again]")
        .await;
    let card = window.text("[data-testid=card]").await;
    assert!(card.contains("Your browser was asked to open it once."), "{card}");
    assert!(!card.contains("Opened"), "{card}");
    window.find("[data-testid=card] [data-act=open]").await;
    window.find("[data-testid=card] [data-testid=copy]").await;
    window.press("check_again").await;
    window.find(DELIVERED).await;
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_10_looking_at_a_link_looks_nothing_up_and_connects_nowhere() {
    let canary = TcpListener::bind("127.0.0.1:0").expect("a port");
    canary.set_nonblocking(true).expect("a canary");
    let near = format!(
        "http://127.0.0.1:{}/x",
        canary.local_addr().expect("an address").port()
    );
    let far = "https://canary.countersign-test.example/x?y";
    let urls = [far.to_owned(), near];
    let server = ScriptedServer::start(move |params| match params.get("inputResponses") {
        None => asks(&json!({ "far": link(&urls[0]), "near": link(&urls[1]) })),
        Some(_) => text("ok"),
    });
    let nowhere = json!({ "kind": "http", "url": "https://recorded.invalid/mcp", "headers": [] });
    let servers = [("Cashier", server.target()), ("Nowhere", nowhere)];
    let window = Window::open_recorded(&servers).await;
    let heard = |name: &str| window.lookups().iter().any(|looked_up| looked_up.contains(name));
    until(|| heard("recorded.invalid")).await;
    asked(&window).await;
    let about = "
        for (const part of document.querySelectorAll('[data-testid=card] *')) {
            for (const kind of ['pointerover', 'mouseover', 'mousedown', 'focusin', 'contextmenu']) {
                part.dispatchEvent(new MouseEvent(kind, { bubbles: true }));
            }
        }
        getSelection().selectAllChildren(document.querySelector('[data-testid=shown-url]'))";
    window.script(about).await;
    window.press("open").await;
    window.find("[data-testid=card][data-phase=kept]").await;
    window.open_ask().await;
    window.script(about).await;
    window.press("decline").await;
    window.open_call("done").await;
    assert_eq!(window.launched().await, [far]);
    assert!(canary.accept().is_err(), "nothing connected");
    assert!(!heard("countersign-test"), "{:?}", window.lookups());
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_12_an_address_in_a_result_or_a_message_is_text() {
    let server = ScriptedServer::start(|params| match params.get("inputResponses") {
        None => asks(&json!({ "go": { "method": "elicitation/create", "params": {
            "message": format!("Go to {PAGE} or [here]({PAGE}) or <{PAGE}>."),
            "requestedSchema": { "type": "object", "properties": {} } } } })),
        Some(_) => json!({ "resultType": "complete", "content": [
            { "type": "text", "text": format!("Done. See {PAGE} and www.pay.example now.") },
            { "type": "resource_link", "uri": PAGE, "name": PAGE },
        ], "structuredContent": { "next": PAGE } }),
    });
    let window = Window::open(&[("Cashier", server.target())]).await;
    asked(&window).await;
    let click_all = "
        for (const part of document.querySelectorAll('[data-testid=card] bdi, [data-testid=card] p, [data-testid=result-part] *')) {
            for (const kind of ['click', 'auxclick', 'dblclick']) part.dispatchEvent(new MouseEvent(kind, { bubbles: true, ctrlKey: true }));
        }
        return document.links.length + document.querySelectorAll('a, [role=link], area').length";
    assert_eq!(window.script(click_all).await, json!(0));
    let address = window.script("return location.href").await;
    window.press("accept").await;
    window.open_call("done").await;
    assert!(window.result().await.contains(PAGE));
    assert_eq!(window.script(click_all).await, json!(0));
    assert_eq!(window.script("return location.href").await, address);
    assert!(window.opened().is_empty());
    window.close().await;
}
