//! Random deaths of the real app, as `make test-crash` wants them: the last line counts what was lost, doubled and
//! stale. The kinds of death take turns; `COUNTERSIGN_CRASH_SEED` brings their moments back.

use crate::harness::{FakeBrowser, Look, ScriptedServer, Window, until_named};
use serde_json::{Value, json};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How the app dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    /// With a form that was half filled in more than a second before.
    HalfFilled,
    /// At a named point, while the form is filled in.
    Typing(&'static str),
    /// So many milliseconds after a press of Send.
    Sent(u64),
    /// When the server has the answer and says nothing.
    Held,
    /// At a named point, after a press of Send.
    Sending(&'static str),
    /// So many milliseconds after a press of Open.
    Opened(u64),
    /// At a named point, after a press of Open.
    Opening(&'static str),
}

/// What the server got.
#[derive(Default)]
struct Seen {
    calls: usize,
    answers: Vec<String>,
    /// The next answer stays without a reply.
    holds: bool,
}

#[derive(Default)]
struct Counts {
    lost: usize,
    doubled: usize,
    stale: usize,
}

const TYPED: &str = "Ada of \"Bonn\" é";
/// The life after a death takes no longer, however often the person must act.
const ACTS: usize = 6;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "make test-crash runs it"]
async fn the_window_is_killed_at_random() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse::<u64>().ok())
    };
    let seed = number("COUNTERSIGN_CRASH_SEED")
        .unwrap_or_else(|| RandomState::new().build_hasher().finish() % 1_000_000_000);
    let runs = number("COUNTERSIGN_CRASH_RUNS").unwrap_or(10);
    println!("\n{runs} runs of the window, COUNTERSIGN_CRASH_SEED={seed}");
    let mut counts = Counts::default();
    for run in 0..runs {
        let moment = (seed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % 300;
        let death = match run % 10 {
            0 => Death::HalfFilled,
            1 => Death::Typing("draft-committed:1"),
            2 => Death::Sent(moment),
            3 => Death::Held,
            4 => Death::Sending("send-begun:2"),
            5 => Death::Sending("receive-begun:2"),
            6 => Death::Opened(moment),
            7 => Death::Opening("open-begun:1"),
            8 => Death::Opening("open-done:1"),
            _ => Death::Opening("open-kept:1"),
        };
        for wrong in play(death, &mut counts).await {
            println!("run {run} {death:?}: {wrong}");
        }
    }
    println!(
        "crash: {runs} runs, {} lost, {} doubled, {} stale drafts",
        counts.lost, counts.doubled, counts.stale
    );
    assert_eq!((counts.lost, counts.doubled, counts.stale), (0, 0, 0));
}

/// One death and the life after it; what went wrong, in words.
async fn play(death: Death, counts: &mut Counts) -> Vec<String> {
    let link = matches!(death, Death::Opened(_) | Death::Opening(_));
    let seen = Arc::new(Mutex::new(Seen {
        holds: death == Death::Held,
        ..Seen::default()
    }));
    let server = serve(link, Arc::clone(&seen));
    let window = die(death, &server, &seen).await;

    let mut wrong = Vec::new();
    let (mut words, mut consents) = (1, 1);
    for _ in 0..ACTS {
        let answered = seen.lock().expect("unbroken").answers.len();
        let phase = standing(&window).await;
        match phase.as_str() {
            "" if answered > 0 => break,
            "" => {
                counts.lost += 1;
                wrong.push("the question is not there any more".to_owned());
                break;
            }
            "waiting" => {
                if answered > 0 || link && !window.opened().is_empty() {
                    counts.lost += 1;
                    wrong.push("it is said to wait as if nothing had happened".to_owned());
                }
                window.open_ask().await;
                if link {
                    window.press("open").await;
                } else {
                    let draft = draft(&window).await;
                    let is_whole = !matches!(death, Death::Typing(_)) && draft == TYPED;
                    let is_begun = matches!(death, Death::Typing(_)) && !draft.is_empty();
                    if !(is_whole || is_begun && TYPED.starts_with(&draft)) {
                        counts.stale += 1;
                        wrong.push(format!("the draft is “{draft}”"));
                    }
                    window.type_into(FIELD, TYPED).await;
                    window.wait_for_text("[data-testid=review]", "Bonn").await;
                    window.send().await;
                }
            }
            "may_be_open" => {
                open_row(&window, &phase).await;
                if window.opened().is_empty() {
                    consents += 1;
                    window.press("open").await;
                } else {
                    window.press("already_finished").await;
                }
            }
            "in_browser" => {
                open_row(&window, &phase).await;
                words = answered + 1;
                window.press("check_again").await;
            }
            "undelivered" => {
                open_row(&window, &phase).await;
                words = answered + 1;
                window
                    .click("[data-callact=send_again][aria-disabled=false]")
                    .await;
            }
            other => {
                counts.lost += 1;
                wrong.push(format!("it stands as {other}"));
                break;
            }
        }
        until_named("the answer", || {
            seen.lock().expect("unbroken").answers.len() > answered
        })
        .await;
        window.find("[data-testid=app]").await;
    }
    let (calls, answers) = {
        let seen = seen.lock().expect("unbroken");
        (seen.calls, seen.answers.clone())
    };
    if answers.len() > words || calls > 1 {
        counts.doubled += 1;
        wrong.push(format!(
            "{calls} calls and {} answers at {words} words",
            answers.len()
        ));
    }
    if window.opened().len() > consents {
        counts.doubled += 1;
        wrong.push(format!(
            "{} launches at {consents} consents",
            window.opened().len()
        ));
    }
    let right: Value = if link {
        json!({ "action": "accept" })
    } else {
        json!({ "action": "accept", "content": { "name": TYPED } })
    };
    let right = right.to_string();
    if answers.iter().any(|answer| *answer != right) || answers.is_empty() {
        counts.lost += 1;
        wrong.push(format!("answered was {answers:?}"));
    }
    window.close().await;
    wrong
}

const FIELD: &str = "[data-testid=card] [data-field='0'] input";

/// A life up to its death, and the window of the next.
async fn die(death: Death, server: &ScriptedServer, seen: &Mutex<Seen>) -> Window {
    let point = match death {
        Death::Typing(point) | Death::Sending(point) | Death::Opening(point) => {
            Some(("COUNTERSIGN_CRASH_AT", PathBuf::from(point)))
        }
        Death::HalfFilled | Death::Sent(_) | Death::Held | Death::Opened(_) => None,
    };
    let env: Vec<_> = point.into_iter().collect();
    let window = Window::open_keeping(&[("Harbour", server.target())], &env).await;
    window.start("Harbour", "speak").await;
    window.run().await;
    window.open_ask().await;
    match death {
        Death::Typing(_) => {
            let field = window.find(FIELD).await;
            let _ = tokio::time::timeout(Duration::from_secs(2), field.send_keys(TYPED)).await;
        }
        Death::HalfFilled | Death::Sent(_) | Death::Held | Death::Sending(_) => {
            window.type_into(FIELD, TYPED).await;
            // What was typed a second ago must be there.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Death::Opened(_) | Death::Opening(_) => {}
    }
    match death {
        Death::HalfFilled | Death::Typing(_) => {}
        Death::Sent(_) | Death::Held | Death::Sending(_) => window.last_press("accept").await,
        Death::Opened(_) | Death::Opening(_) => window.last_press("open").await,
    }
    let folder = match death {
        Death::Typing(_) | Death::Sending(_) | Death::Opening(_) => window.gone().await,
        Death::HalfFilled => window.kill().await,
        Death::Held => {
            until_named("the answer", || {
                !seen.lock().expect("unbroken").answers.is_empty()
            })
            .await;
            window.kill().await
        }
        Death::Sent(moment) | Death::Opened(moment) => {
            tokio::time::sleep(Duration::from_millis(moment)).await;
            window.kill().await
        }
    };
    assert!(
        std::fs::read_dir(folder.path())
            .expect("the folder")
            .flatten()
            .all(|entry| !entry.file_name().to_string_lossy().contains("damaged")),
        "the database opens"
    );
    Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await
}

/// Where the one question stands, once it stands; empty when there is none any more.
async fn standing(window: &Window) -> String {
    window.click("[data-testid=inbox]").await;
    // The call is there once what was kept is read, and tells when nothing is on its way.
    window
        .wait_until(
            "const call = document.querySelector('[data-testid=call-row]')?.dataset.phase; const rows = [...document.querySelectorAll('[data-testid=ask-row]')]; return call !== undefined && !['sending', 'pacing'].includes(call) && !rows.some((row) => ['sending', 'opening'].includes(row.dataset.phase))",
        )
        .await;
    let phase = "return document.querySelector('[data-testid=ask-row]')?.dataset.phase ?? ''";
    window.script(phase).await.as_str().unwrap_or_default().to_owned()
}

async fn open_row(window: &Window, phase: &str) {
    window
        .click(&format!("[data-testid=ask-row][data-phase={phase}]"))
        .await;
    window
        .find(&format!("[data-testid=card][data-phase={phase}]"))
        .await;
}

async fn draft(window: &Window) -> String {
    let value = format!("return document.querySelector(\"{FIELD}\")?.value ?? ''");
    window
        .script(&value)
        .await
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn serve(link: bool, seen: Arc<Mutex<Seen>>) -> ScriptedServer {
    let entry = if link {
        json!({ "mode": "url", "message": "Pay", "url": "https://pay.example.com/" })
    } else {
        json!({
            "message": "Who?",
            "requestedSchema": {
                "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
            },
        })
    };
    ScriptedServer::start(move |params| {
        let mut seen = seen.lock().expect("unbroken");
        let answer = &params["inputResponses"]["q"];
        if answer.is_null() {
            seen.calls += 1;
            return json!({
                "resultType": "input_required", "requestState": " s é ",
                "inputRequests": { "q": { "method": "elicitation/create", "params": entry } },
            });
        }
        if params["requestState"] == " s é " {
            seen.answers.push(answer.to_string());
        } else {
            seen.answers
                .push(format!("with the state {}", params["requestState"]));
        }
        if std::mem::take(&mut seen.holds) {
            drop(seen);
            // Longer than the app lives.
            std::thread::sleep(Duration::from_secs(60));
        }
        json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] })
    })
}
