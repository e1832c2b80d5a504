use crate::harness::{CONTROL, FakeBrowser, Look, ScriptedServer, Undriven, Window, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The params of the calls that reached the server, as they came.
type Seen = Arc<Mutex<Vec<String>>>;

const STATE: &str = " aé\u{2028}=+/ ";

/// A server that asks this once, then is done.
fn asking(entry: Value) -> (ScriptedServer, Seen) {
    let seen = Seen::default();
    let noted = Arc::clone(&seen);
    let server = ScriptedServer::start_exact(move |params, body| {
        noted.lock().expect("unbroken").push(body.to_owned());
        let result = if params["inputResponses"].is_null() {
            json!({
                "resultType": "input_required", "inputRequests": { "q": entry }, "requestState": STATE,
            })
        } else {
            json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] })
        };
        Some(result.to_string())
    });
    (server, seen)
}

/// The answer of the one retry, once it came.
async fn answer(seen: &Seen) -> Value {
    until(|| seen.lock().expect("unbroken").len() > 1).await;
    let seen = seen.lock().expect("unbroken");
    assert_eq!(seen.len(), 2, "{seen:?}");
    let read = |body: &str| serde_json::from_str::<Value>(body).expect("JSON");
    let (first, retry) = (read(&seen[0]), read(&seen[1]));
    assert_ne!(first["id"], retry["id"], "a new id");
    assert_eq!(first["params"]["arguments"], retry["params"]["arguments"]);
    assert_eq!(retry["params"]["requestState"], STATE);
    retry["params"]["inputResponses"]["q"].clone()
}

const ADA_STANDS: &str =
    "return document.querySelector(\"[data-testid=card] [data-field='0'] input\")?.value === 'Ada'";

/// A window that keeps, in which "Ada" was typed into the first of these fields.
async fn half_filled(fields: Value, required: &[&str]) -> (Window, Seen) {
    let form = json!({ "method": "elicitation/create", "params": {
        "message": "Who?",
        "requestedSchema": { "type": "object", "properties": fields, "required": required },
    } });
    let (server, seen) = asking(form);
    let window = Window::open_keeping(&[("Harbour", server.target())], &[]).await;
    window.start("Harbour", "speak").await;
    window.run().await;
    window.open_ask().await;
    window
        .type_into("[data-testid=card] [data-field='0'] input", "Ada")
        .await;
    window.wait_for_text("[data-testid=ask-row]", "draft").await;
    (window, seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn case_077_a_half_filled_form_is_there_after_the_app_was_killed_and_is_sent() {
    let fields = json!({ "name": { "type": "string" }, "town": { "type": "string" } });
    let (window, seen) = half_filled(fields, &["name", "town"]).await;
    let folder = window.kill().await;

    let window = Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await;
    window.wait_for_text("[data-testid=inbox-count]", "1").await;
    window.open_ask().await;
    let rows = window
        .script("return document.querySelectorAll('[data-testid=ask-row]').length")
        .await;
    assert_eq!(rows, json!(1), "the badge counts the list");
    window.wait_until(ADA_STANDS).await;
    assert_eq!(
        seen.lock().expect("unbroken").len(),
        1,
        "nothing is sent by itself"
    );
    window
        .type_into("[data-testid=card] [data-field='1'] input", "Bonn")
        .await;
    window.send().await;
    assert_eq!(
        answer(&seen).await,
        json!({ "action": "accept", "content": { "name": "Ada", "town": "Bonn" } })
    );
    window.open_call("done").await;
    assert!(!window.has("[data-testid=inbox-count]").await, "nothing waits");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_082_no_key_but_those_of_the_card_answers_and_a_reload_keeps_all() {
    const F5: char = '\u{e035}';
    const ESCAPE: char = '\u{e00c}';
    let fields = json!({ "name": { "type": "string" } });
    let (window, seen) = half_filled(fields, &[]).await;
    for keys in [
        [CONTROL, 'g'].as_slice(),
        &[CONTROL, 'r'],
        &[F5],
        &[CONTROL, 'w'],
        &[CONTROL, 's'],
        &[ESCAPE],
    ] {
        window.keys(keys).await;
        window.find("[data-testid=app][data-ready=true]").await;
    }
    window.client.refresh().await.expect("loaded anew");
    window.wait_for_text("[data-testid=inbox-count]", "1").await;
    window.open_ask().await;
    window.wait_until(ADA_STANDS).await;
    assert_eq!(seen.lock().expect("unbroken").len(), 1, "nothing was answered");
    window.send().await;
    assert_eq!(
        answer(&seen).await,
        json!({ "action": "accept", "content": { "name": "Ada" } })
    );
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_process_dies_is_loaded_anew_and_nothing_is_lost() {
    let fields = json!({ "name": { "type": "string" } });
    let (window, seen) = half_filled(fields, &[]).await;
    let folder = window.kill().await;
    let undriven = Undriven::start(folder.path()).await;
    for _ in 0..2 {
        undriven.kill_page().await;
    }
    undriven.kill().await;
    assert_eq!(seen.lock().expect("unbroken").len(), 1, "nothing was answered");

    let window = Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await;
    window.open_ask().await;
    window.send().await;
    assert_eq!(
        answer(&seen).await,
        json!({ "action": "accept", "content": { "name": "Ada" } })
    );
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_moved_is_named_and_put_back_by_the_person() {
    let entry = json!({ "method": "elicitation/create", "params": {
        "message": "Go on?", "requestedSchema": { "type": "object", "properties": {} },
    } });
    let (server, seen) = asking(entry.clone());
    let (elsewhere, asked_there) = asking(entry);
    let window = Window::open_keeping(&[("Harbour", server.target())], &[]).await;
    window.start("Harbour", "speak").await;
    window.run().await;
    window.open_ask().await;
    let folder = window.kill().await;
    let list = folder.path().join("servers.json");
    let moved = std::fs::read_to_string(&list).expect("a list");
    let moved = moved.replace(&server.url, &elsewhere.url);
    assert!(moved.contains(&elsewhere.url));
    std::fs::write(&list, moved).expect("written");

    let window = Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await;
    window
        .wait_for_text("[data-testid=ask-row]", "its server moved")
        .await;
    window.open_ask().await;
    let said = window.text("[data-testid=call-detail]").await;
    assert!(
        said.contains(&server.url) && said.contains(&elsewhere.url),
        "{said}"
    );
    assert!(!window.has("[data-testid=card] [data-act=accept]").await);
    window
        .click("[data-callact=restore_server][aria-disabled=false]")
        .await;
    window.press("accept").await;
    assert_eq!(answer(&seen).await, json!({ "action": "accept", "content": {} }));
    assert!(asked_there.lock().expect("unbroken").is_empty());
    assert!(
        std::fs::read_to_string(&list)
            .expect("a list")
            .contains(&server.url)
    );
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canary_everywhere_is_in_no_file_of_the_app_and_not_in_what_it_says() {
    const CANARY: &str = "kanarienvogel-5150";
    let (server, seen) = {
        let seen = Seen::default();
        let noted = Arc::clone(&seen);
        let url = format!("https://pay.example.com/{CANARY}?token={CANARY}#{CANARY}");
        let server = ScriptedServer::start_exact(move |params, body| {
            noted.lock().expect("unbroken").push(body.to_owned());
            let result = if params["inputResponses"].is_null() {
                json!({
                    "resultType": "input_required", "requestState": CANARY, "inputRequests": {
                        "form": { "method": "elicitation/create", "params": {
                            "message": CANARY,
                            "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } },
                        } },
                        "page": { "method": "elicitation/create", "params": {
                            "mode": "url", "message": CANARY, "url": url, "elicitationId": "e",
                        } },
                    },
                })
            } else {
                json!({ "resultType": "complete", "content": [{ "type": "text", "text": CANARY }] })
            };
            Some(result.to_string())
        });
        (server, seen)
    };
    let target = json!({
        "kind": "http", "url": format!("{}?key={CANARY}", server.url),
        "headers": [{ "name": "X-Key", "value": CANARY }],
    });
    let program = json!({
        "kind": "stdio", "command": "no-such-program", "args": ["--token", CANARY, format!("PASSWORD={CANARY}")],
        "env": [{ "name": "API_KEY", "value": CANARY }], "cwd": null,
    });
    let window = Window::open_keeping(&[("Harbour", target), ("Broken", program)], &[]).await;
    window.start("Harbour", "speak").await;
    window
        .type_into("[data-testid=start-card] [data-field='0'] input", CANARY)
        .await;
    window.run().await;
    window.open_ask().await;
    window
        .type_into("[data-testid=card] [data-field='0'] input", CANARY)
        .await;
    window.wait_for_text("[data-testid=ask-row]", "draft").await;
    let folder = window.kill().await;
    clean(folder.path(), CANARY);

    let window = Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await;
    window.wait_for_text("[data-testid=inbox-count]", "2").await;
    window.open_ask().await;
    window.send().await;
    window.open_ask().await;
    window.press("open").await;
    until(|| seen.lock().expect("unbroken").len() > 1).await;
    let sent = seen.lock().expect("unbroken").clone();
    assert!(sent.iter().all(|body| body.contains(CANARY)), "{sent:?}");
    window.open_call("done").await;
    assert_eq!(window.result().await, CANARY);
    assert!(window.launched().await.concat().contains(CANARY));
    let folder = window.close().await;
    clean(folder.path(), CANARY);
}

/// Nothing of the app under this folder holds the word: neither its data nor its settings, what its web view keeps, or what
/// it said. The browser's own log does.
fn clean(folder: &Path, word: &str) {
    let mut files = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && entry.file_name() != "browser.log" {
                files += 1;
                let bytes = std::fs::read(&path).expect("a file");
                let holds = bytes.windows(word.len()).any(|part| part == word.as_bytes());
                assert!(!holds, "{} holds it", path.display());
            }
        }
    }
    assert!(files > 3, "there is something");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_may_have_been_opened_is_not_opened_by_itself_after_a_crash() {
    let link = json!({ "method": "elicitation/create", "params": {
        "mode": "url", "message": "Pay", "url": "https://pay.example.com/",
    } });
    let (server, seen) = asking(link);
    let point = ("COUNTERSIGN_CRASH_AT", PathBuf::from("open-done:1"));
    let window = Window::open_keeping(&[("Harbour", server.target())], &[point]).await;
    window.start("Harbour", "speak").await;
    window.run().await;
    window.open_ask().await;
    window.last_press("open").await;
    let folder = window.gone().await;

    let window = Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await;
    assert_eq!(window.launched().await.len(), 1);
    window.click("[data-testid=inbox]").await;
    window
        .click("[data-testid=ask-row][data-phase=may_be_open]")
        .await;
    for act in ["already_finished", "open", "decline", "dismiss"] {
        window
            .find(&format!(
                "[data-testid=card][data-phase=may_be_open] [data-act={act}]"
            ))
            .await;
    }
    assert_eq!(
        seen.lock().expect("unbroken").len(),
        1,
        "nothing is told by itself"
    );
    window.press("already_finished").await;
    assert_eq!(answer(&seen).await, json!({ "action": "accept" }));
    window.open_call("done").await;
    assert_eq!(window.opened().len(), 1, "one launch");
    window.close().await;
}
