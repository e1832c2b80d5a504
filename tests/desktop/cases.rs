//! The forms of `tests/fixtures/form`, filled in by hand in the real window: what reaches the server is compared byte
//! by byte with what the case says.

use crate::harness::{ScriptedServer, Window, until_named};
use countersign_core::wire::json::Json;
use fantoccini::Locator;
use std::sync::{Arc, Mutex};

/// Asks the current question of its test, and keeps the bytes of every request that carries an answer.
struct Asker {
    question: Arc<Mutex<String>>,
    answers: Arc<Mutex<Vec<String>>>,
    server: ScriptedServer,
}

impl Asker {
    fn start() -> Self {
        let question = Arc::new(Mutex::new(String::new()));
        let answers = Arc::new(Mutex::new(Vec::new()));
        let (asks, heard) = (Arc::clone(&question), Arc::clone(&answers));
        let server = ScriptedServer::start_exact(move |params, body| {
            if params.get("inputResponses").is_some() {
                heard.lock().expect("answers").push(body.to_owned());
                return Some(r#"{"resultType":"complete","content":[]}"#.to_owned());
            }
            let params = asks.lock().expect("a question");
            Some(format!(
                r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{params}}}}}}}"#
            ))
        });
        Self {
            question,
            answers,
            server,
        }
    }

    /// Puts a question before the person.
    async fn ask(&self, window: &Window, params: &str) {
        params.clone_into(&mut self.question.lock().expect("a question"));
        window.start("Cases", "speak").await;
        window.run().await;
        window.open_ask().await;
    }

    /// The bytes of the answer that comes as the `count`-th.
    async fn answer(&self, count: usize, label: &str) -> String {
        until_named(label, || self.answers.lock().expect("answers").len() >= count).await;
        let answers = self.answers.lock().expect("answers");
        assert_eq!(answers.len(), count, "each answer is sent once");
        let body = &answers[count - 1];
        let responses = r#""inputResponses":"#;
        let at = body.find(responses).expect("answers") + responses.len();
        body[at..].to_owned()
    }
}

/// The question of a case, as the server writes it.
fn question(case: &Json) -> String {
    match case.get("params") {
        Some(params) => params.to_string(),
        None => format!(
            r#"{{"message":"Case","requestedSchema":{}}}"#,
            case.get("schema").expect("a schema")
        ),
    }
}

/// Whether a person can do this at all: nobody can tick what is not there. And a date box completes a time of day by
/// itself, so what is wrong there without its zone never gets to Send.
fn can_be_done(attempt: &Json) -> bool {
    attempt
        .get("errors")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(|error| error.as_array()?[1].as_str())
        .all(|code| !["wrong_kind", "not_an_option", "not_date_time"].contains(&code))
}

async fn fill(window: &Window, inputs: &Json) {
    for (field, input) in inputs.as_object().expect("inputs").iter() {
        let field = format!("[data-testid=card] [data-field='{field}']");
        match input {
            // No key makes these characters; they come as from an emoji picker.
            Json::String(text) if text.chars().any(|char| char > '\u{ffff}') => {
                let paste = "const [css, text] = arguments; document.querySelector(css).focus(); return document.execCommand('insertText', false, text)";
                let arguments = vec![format!("{field} input.box").into(), text.as_str().into()];
                let pasted = window.client.execute(paste, arguments).await;
                assert_eq!(pasted.expect("the window answers"), true);
            }
            Json::String(text) => window.type_into(&format!("{field} input.box"), text).await,
            Json::Bool(yes) => {
                let option = if *yes { "yes" } else { "no" };
                window.click(&format!("{field} [data-option={option}]")).await;
            }
            Json::Number(index) => choose(window, &field, index).await,
            Json::Array(items) if items.iter().any(|item| item.as_str().is_some()) => {
                for (at, text) in items.iter().enumerate() {
                    window.click(&format!("{field} [data-entry-add]")).await;
                    let text = text.as_str().expect("an entry");
                    window
                        .type_into(&format!("{field} [data-entry='{at}']"), text)
                        .await;
                }
            }
            Json::Array(items) => tick(window, &field, items).await,
            Json::Null => leave_out(window, &field).await,
            Json::Object(_) => panic!("no gesture makes {input}"),
        }
    }
}

async fn choose(window: &Window, field: &str, index: &str) {
    if window.has(&format!("{field} [role=combobox]")).await {
        window.click(&format!("{field} [role=combobox]")).await;
        window.click(&format!("{field} [data-row='{index}']")).await;
    } else {
        window.click(&format!("{field} [data-option='{index}']")).await;
    }
}

async fn tick(window: &Window, field: &str, wanted: &[Json]) {
    let boxes = format!("{field} input[type=checkbox]");
    let count = window
        .client
        .find_all(Locator::Css(&boxes))
        .await
        .expect("boxes")
        .len();
    for index in 0..count {
        let css = format!("{field} [data-option='{index}']");
        let ticked = window.find(&css).await.is_selected().await.expect("a box");
        if ticked
            != wanted
                .iter()
                .any(|item| item.as_i64() == i64::try_from(index).ok())
        {
            window.click(&css).await;
        }
    }
}

async fn leave_out(window: &Window, field: &str) {
    if window.has(&format!("{field} [data-option=none]")).await {
        window.click(&format!("{field} [data-option=none]")).await;
    } else if window.has(&format!("{field} input[type=checkbox]")).await {
        tick(window, field, &[]).await;
        window.click(&format!("{field} [data-leave-out]")).await;
    } else {
        window.type_into(&format!("{field} input.box"), "").await;
    }
}

/// Fills in and sends every form of a file of cases.
async fn check(file: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/form")
        .join(file);
    let cases = Json::parse(&std::fs::read_to_string(&path).expect(file)).expect(file);
    let asker = Asker::start();
    let window = Window::open(&[("Cases", asker.server.target())]).await;
    let mut sent = 0;
    for case in cases.as_array().expect("cases") {
        let name = case.get("name").and_then(Json::as_str).expect("a name");
        if case.get("undrawable").is_some() {
            asker.ask(&window, &question(case)).await;
            assert!(
                !window.has("[data-testid=card] [data-act=accept]").await,
                "{name}"
            );
            assert!(!window.text("[data-testid=reason]").await.is_empty(), "{name}");
            window.press("decline").await;
            sent += 1;
            assert!(
                asker
                    .answer(sent, name)
                    .await
                    .starts_with(r#"{"q":{"action":"decline"}}"#),
                "{name}"
            );
            continue;
        }
        let tries = case.get("tries").and_then(Json::as_array).unwrap_or_default();
        for attempt in tries.iter().filter(|attempt| can_be_done(attempt)) {
            let label = format!("{name}: {attempt}");
            asker.ask(&window, &question(case)).await;
            fill(&window, attempt.get("inputs").expect("inputs")).await;
            window.send().await;
            sent += 1;
            match attempt.get("content") {
                Some(content) => {
                    let answer = format!(r#"{{"q":{{"action":"accept","content":{content}}}}}"#);
                    let heard = asker.answer(sent, &label).await;
                    assert!(heard.starts_with(&answer), "{label}\n{heard}");
                }
                None => {
                    refused(&window, attempt, &label).await;
                    window.press("decline").await;
                    let heard = asker.answer(sent, &label).await;
                    assert!(
                        heard.starts_with(r#"{"q":{"action":"decline"}}"#),
                        "{label}\n{heard}"
                    );
                }
            }
        }
    }
    window.close().await;
}

/// Send did not send: each field that is wrong says so, and the first of them has the focus.
async fn refused(window: &Window, attempt: &Json, label: &str) {
    window.find("[data-testid=error-summary]").await;
    let errors = attempt.get("errors").and_then(Json::as_array).expect(label);
    for error in errors {
        let [field, _, words] = error.as_array().expect(label) else {
            panic!("{label}: field, code, words")
        };
        let said = window
            .text(&format!("[data-testid=card] [data-field='{field}'] .error"))
            .await;
        assert!(said.contains(words.as_str().expect(label)), "{label}: {said}");
    }
    let first = errors
        .first()
        .and_then(|error| error.as_array()?.first().cloned());
    let focus = window
        .script("return document.activeElement?.closest('[data-field]')?.dataset.field ?? null")
        .await;
    assert_eq!(
        focus.as_str(),
        first.map(|field| field.to_string()).as_deref(),
        "{label}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn field_cases_are_filled_in_and_sent_to_the_byte() {
    check("cases.json").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_a_2_are_filled_in_and_sent_to_the_byte() {
    check("vectors.json").await;
}

/// Keys go to whatever has the focus, as from a keyboard.
async fn keys(window: &Window, keys: &str) {
    let focused = window
        .client
        .active_element()
        .await
        .expect("something has the focus");
    focused.send_keys(keys).await.expect("typed");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_026_a_time_of_day_is_sent_with_the_offset_of_the_zone_that_is_shown() {
    let asker = Asker::start();
    let window = Window::open(&[("Cases", asker.server.target())]).await;
    let at = r#"{"message":"When?","requestedSchema":{"type":"object","properties":{"at":{"type":"string","format":"date-time"}}}}"#;
    asker.ask(&window, at).await;
    let field = "[data-testid=card] [data-field='0']";
    window
        .type_into(&format!("{field} input.box"), "2027-03-05 14:30")
        .await;
    window
        .type_into(&format!("{field} [role=combobox]"), "Berlin")
        .await;
    window.click(&format!("{field} [data-row='0']")).await;
    window
        .wait_for_text("[data-testid=review]", "2027-03-05T14:30:00+01:00")
        .await;
    window.send().await;
    let heard = asker.answer(1, "case_026").await;
    let answer = r#"{"q":{"action":"accept","content":{"at":"2027-03-05T14:30:00+01:00"}}}"#;
    assert!(heard.starts_with(answer), "{heard}");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_030_a_form_is_filled_in_and_sent_with_keys_alone_and_enter_only_moves_on() {
    let asker = Asker::start();
    let window = Window::open(&[("Cases", asker.server.target())]).await;
    let two = r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{"first":{"type":"string"},"last":{"type":"string"}}}}"#;
    asker.ask(&window, two).await;
    assert!(
        window.text("[data-act=accept]").await.contains("Ctrl+Enter"),
        "the key stands on the button"
    );
    let enter = "\u{e007}";
    let focus = "return document.activeElement?.closest('[data-field]')?.dataset.field ?? document.activeElement?.tagName";
    window
        .script("document.querySelector('[data-testid=card] h2').focus()")
        .await;
    while window.script(focus).await != "0" {
        keys(&window, "\u{e004}").await;
    }
    keys(&window, "Ada").await;
    keys(&window, enter).await;
    assert_eq!(window.script(focus).await, "1", "Enter moves on");
    keys(&window, "Lovelace").await;
    keys(&window, enter).await;
    assert!(window.has("[data-testid=card][data-phase=waiting]").await);
    window.find("[data-testid=card][data-armed=true]").await;
    keys(&window, "\u{e009}\u{e007}\u{e009}").await;
    let heard = asker.answer(1, "case_030").await;
    let answer = r#"{"q":{"action":"accept","content":{"first":"Ada","last":"Lovelace"}}}"#;
    assert!(heard.starts_with(answer), "{heard}");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_040_two_servers_that_ask_the_same_are_told_apart_and_hear_their_own_answers() {
    let (alpha, beta) = (Asker::start(), Asker::start());
    let window = Window::open(&[("Alpha", alpha.server.target()), ("Beta", beta.server.target())]).await;
    let code = r#"{"message":"Enter the number","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}"#;
    for (name, asker) in [("Alpha", &alpha), ("Beta", &beta)] {
        code.clone_into(&mut asker.question.lock().expect("a question"));
        window.start(name, "speak").await;
        window.run().await;
    }
    window.click("[data-testid=inbox]").await;
    window
        .wait_until(
            "return document.querySelectorAll('[data-testid=ask-row][data-phase=waiting]').length === 2",
        )
        .await;
    for (name, asker) in [("Beta", &beta), ("Alpha", &alpha)] {
        let open = "const [name] = arguments; [...document.querySelectorAll('[data-testid=ask-row]')].find((row) => row.innerText.includes(name)).click()";
        window
            .client
            .execute(open, vec![name.into()])
            .await
            .expect("the window answers");
        let heading = window.wait_for_text("[data-testid=card] h2", name).await;
        assert_eq!(heading, format!("{name} wants an answer"));
        let origin = asker.server.url.trim_end_matches("/mcp");
        assert!(window.text("[data-testid=card] .origin").await.contains(origin));
        window
            .type_into("[data-testid=card] [data-field='0'] input.box", name)
            .await;
        window.send().await;
        let heard = asker.answer(1, "case_040").await;
        let answer = format!(r#"{{"q":{{"action":"accept","content":{{"n":"{name}"}}}}}}"#);
        assert!(heard.starts_with(&answer), "{heard}");
    }
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_046_case_047_declining_dismissing_and_going_elsewhere_are_three_things() {
    let asker = Asker::start();
    let window = Window::open(&[("Cases", asker.server.target())]).await;
    let form = r#"{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}"#;
    let link = r#"{"mode":"url","message":"Sign in","url":"https://sign-in.example/go"}"#;
    let mut heard = 0;
    for question in [form, link] {
        for (gesture, action) in [
            ("decline", "decline"),
            ("dismiss", "cancel"),
            ("escape", "cancel"),
        ] {
            asker.ask(&window, question).await;
            window.click("[data-testid=calls]").await;
            window.click("[data-testid=inbox]").await;
            window.click("[data-testid=ask-row][data-phase=waiting]").await;
            window.find("[data-testid=card][data-phase=waiting]").await;
            assert_eq!(
                asker.answers.lock().expect("answers").len(),
                heard,
                "going elsewhere answers nothing"
            );
            if gesture == "escape" {
                window
                    .find("[data-testid=card] [data-act=dismiss][aria-disabled=false]")
                    .await;
                window
                    .script("document.querySelector('[data-testid=card] h2').focus()")
                    .await;
                keys(&window, "\u{e00c}").await;
                keys(&window, "\u{e00c}").await;
            } else {
                window.press(gesture).await;
            }
            heard += 1;
            let answer = asker.answer(heard, gesture).await;
            let expected = format!(r#"{{"q":{{"action":"{action}"}}}}"#);
            assert!(answer.starts_with(&expected), "{gesture}: {answer}");
        }
    }
    assert!(window.opened().is_empty(), "nothing was opened");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_048_approved_declined_dismissed_and_lost_stand_apart_in_the_history() {
    let turns = std::sync::atomic::AtomicUsize::new(0);
    let server = ScriptedServer::start_exact(move |params, _| {
        if params.get("inputResponses").is_some() {
            let lost = params["requestState"] == "Fourth?";
            return (!lost).then(|| r#"{"resultType":"complete","content":[]}"#.to_owned());
        }
        let turn = turns.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let message = ["First?", "Second?", "Third?", "Fourth?"][turn];
        Some(format!(
            r#"{{"resultType":"input_required","requestState":"{message}","inputRequests":{{"q":{{"method":"elicitation/create","params":{{"message":"{message}","requestedSchema":{{"type":"object","properties":{{}}}}}}}}}}}}"#
        ))
    });
    let window = Window::open_keeping(&[("Cases", server.target())], &[]).await;
    for (act, end) in [
        ("accept", "done"),
        ("decline", "done"),
        ("dismiss", "done"),
        ("accept", "unknown"),
    ] {
        window.start("Cases", "speak").await;
        window.run().await;
        window.open_ask().await;
        window.press(act).await;
        window.open_call(end).await;
    }
    window.click("[data-testid=history]").await;
    window.find("[data-testid=entry-row]").await;
    let rows = "return [...document.querySelectorAll('[data-testid=entry-row]')].filter((row) => row.querySelector('.quoted')?.textContent.endsWith('?')).map((row) => [row.querySelector('.server').textContent, row.querySelector('.line').textContent, row.querySelector('.quoted').textContent, row.querySelector('time').textContent !== ''])";
    assert_eq!(
        window.script(rows).await,
        serde_json::json!([
            ["Cases", "You accepted, sent, nothing heard back", "Fourth?", true],
            ["Cases", "You dismissed it, delivered", "Third?", true],
            ["Cases", "You declined, delivered", "Second?", true],
            ["Cases", "You accepted, delivered", "First?", true],
        ])
    );
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_entries_is_sent_as_it_stands() {
    let asker = Asker::start();
    let window = Window::open(&[("Cases", asker.server.target())]).await;
    let list = r#"{"message":"Which?","requestedSchema":{"type":"object","properties":{"n":{"type":"array","items":{"type":"number"},"minItems":1}},"required":["n"]}}"#;
    asker.ask(&window, list).await;
    let field = "[data-testid=card] [data-field='0']";
    for (at, text) in ["1.50", "oops", "12345678901234567890"].into_iter().enumerate() {
        window.click(&format!("{field} [data-entry-add]")).await;
        window
            .type_into(&format!("{field} [data-entry='{at}']"), text)
            .await;
    }
    window.send().await;
    window.find("[data-testid=error-summary]").await;
    let wrong = "return document.activeElement?.dataset.entry ?? null";
    assert_eq!(
        window.script(wrong).await,
        "1",
        "the entry that is wrong has the focus"
    );
    window.click(&format!("{field} [data-entry-remove='1']")).await;
    window.send().await;
    let heard = asker.answer(1, "entries").await;
    let answer = r#"{"q":{"action":"accept","content":{"n":[1.50,12345678901234567890]}}}"#;
    assert!(heard.starts_with(answer), "{heard}");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_044_a_secret_is_hidden_and_held_back_until_the_person_says_so() {
    let asker = Asker::start();
    let window = Window::open(&[("Cases", asker.server.target())]).await;
    let token = r#"{"message":"Connect","requestedSchema":{"type":"object","properties":{"api_token":{"type":"string","title":"API token"}},"required":["api_token"]}}"#;
    asker.ask(&window, token).await;
    let primary = "return [...document.querySelectorAll('[data-testid=card] .button.primary')].map((button) => button.dataset.act).join()";
    assert_eq!(window.script(primary).await, "decline", "Decline stands out");
    let field = "[data-testid=card] [data-field='0']";
    window.type_into(&format!("{field} input.box"), "hunter2").await;
    let kind = window
        .find(&format!("{field} input.box"))
        .await
        .attr("type")
        .await
        .expect("a box");
    assert_eq!(kind.as_deref(), Some("password"));
    window.send().await;
    window.find("[data-testid=error-summary]").await;
    let page = window.script("return document.body.innerText").await.to_string();
    assert!(!page.contains("hunter2"), "nowhere in clear text");
    window.click(&format!("{field} [data-anyway]")).await;
    window.send().await;
    let heard = asker.answer(1, "secret").await;
    let answer = r#"{"q":{"action":"accept","content":{"api_token":"hunter2"}}}"#;
    assert!(heard.starts_with(answer), "{heard}");
    let page = window.script("return document.body.innerText").await.to_string();
    assert!(!page.contains("hunter2"), "nor afterwards");
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_043_of_three_long_forms_in_a_small_window_every_button_is_in_sight() {
    let fields: Vec<String> = (0..40)
        .map(|field| format!(r#""f{field}":{{"type":"string"}}"#))
        .collect();
    let lines = "Line\\n".repeat(300);
    let params = format!(
        r#"{{"message":"{lines}","requestedSchema":{{"type":"object","properties":{{{}}}}}}}"#,
        fields.join(",")
    );
    let server = ScriptedServer::start_exact(move |_, _| {
        let ask = format!(r#"{{"method":"elicitation/create","params":{params}}}"#);
        Some(format!(
            r#"{{"resultType":"input_required","inputRequests":{{"a":{ask},"b":{ask},"c":{ask}}}}}"#
        ))
    });
    let window = Window::open(&[("Cases", server.target())]).await;
    window.start("Cases", "speak").await;
    window.run().await;
    window.open_ask().await;
    window.client.set_window_size(640, 480).await.expect("resized");
    // The card of the size before is armed too.
    window
        .wait_until("return innerWidth <= 640 && innerHeight <= 480")
        .await;
    window.find("[data-testid=card][data-armed=true]").await;
    let hidden = "return [...document.querySelectorAll('[data-testid=card] h2, [data-testid=card] .origin, [data-testid=card] [data-act]')].filter((part) => { const box = part.getBoundingClientRect(); return box.height === 0 || box.top < 0 || box.bottom > innerHeight || box.right > innerWidth; }).map((part) => part.outerHTML).join()";
    assert_eq!(window.script(hidden).await, "");
    window.close().await;
}
