//! The forms of `tests/fixtures/form`, filled in by hand in the real window: what reaches the server is compared byte
//! by byte with what the case says.

use crate::harness::{ScriptedServer, Window, until};
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
        println!("{label}");
        until(|| self.answers.lock().expect("answers").len() >= count).await;
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
                    window.type_into(&format!("{field} [data-entry='{at}']"), text).await;
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
        if ticked != wanted.iter().any(|item| item.as_i64() == i64::try_from(index).ok()) {
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
            assert!(!window.has("[data-testid=card] [data-act=accept]").await, "{name}");
            assert!(!window.text("[data-testid=reason]").await.is_empty(), "{name}");
            window.press("decline").await;
            sent += 1;
            assert!(
                asker.answer(sent, name).await.starts_with(r#"{"q":{"action":"decline"}}"#),
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
                    assert!(heard.starts_with(r#"{"q":{"action":"decline"}}"#), "{label}\n{heard}");
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
    let first = errors.first().and_then(|error| error.as_array()?.first().cloned());
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
