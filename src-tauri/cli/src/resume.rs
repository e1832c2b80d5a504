//! Calls that were kept: what stands where, and going on with them.
//!
//! Promises: nothing is sent for a call that only came back. What waits is answered as in a fresh call; what may have
//! arrived already is sent again at the word of the command line only, once.

use crate::arguments::Calling;
use crate::call::{Conversation, who_answers};
use crate::interrupt::Interrupt;
use crate::output;
use crate::report::{Exit, Report};
use crate::server::{self, Problem};
use countersign_core::app::Countersign;
use countersign_core::mrtr::machine::Word;
use countersign_core::view::{AskBody, AskRow, CallPhase, CallRow, KeepingState, ServerId};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::Elicitation;

/// Takes up every kept call of the server, the oldest first, or only lists them.
pub(crate) async fn run(list: bool, send_again: bool, calling: &Calling) -> Exit {
    match resumed(list, send_again, calling).await {
        Ok(exit) => exit,
        Err((exit, message)) => {
            output::note(&format!("error: {message}"));
            exit
        }
    }
}

async fn resumed(list: bool, send_again: bool, calling: &Calling) -> Result<Exit, (Exit, String)> {
    let usage = |message| (Exit::Usage, message);
    let (mut answers, mut terminal) = who_answers(calling).map_err(usage)?;
    if calling.connection.data_dir.is_none() {
        return Err(usage("resume needs --data-dir.".to_owned()));
    }
    let word = if answers.is_none() && terminal.is_some() {
        Word::Person
    } else {
        Word::Script
    };
    let opened = server::open(&calling.connection, Elicitation::Both, word);
    let (app, server) = opened.map_err(|problem| match problem {
        Problem::Usage(message) => (Exit::Usage, message),
        Problem::Ours(message) => (Exit::Ours, message),
    })?;
    server::keep(&app, &calling.connection)
        .await
        .map_err(|message| (Exit::Ours, message))?;
    let json = calling.connection.json;
    for notice in app.snapshot().notices {
        output::note(&notice);
    }
    let rows = open_calls(&app, server);
    let mut worst = Exit::Done;
    if list {
        for row in settled(&app, server).await {
            tell(&app, &row, json);
        }
    } else if !rows.is_empty() {
        let interrupt = Interrupt::listen();
        let reached = tokio::select! {
            reached = app.reached(server) => reached,
            () = interrupt.pressed() => {
                app.shut_down().await;
                return Err((Exit::Stopped, "You stopped it. Nothing was sent.".to_owned()));
            }
        };
        if let Err(failure) = reached {
            app.shut_down().await;
            return Err((Exit::Ours, format!("Nothing was sent: {}", failure.message)));
        }
        for row in rows {
            let mut talk = Conversation::new(app.clone(), row.id, answers.take(), terminal.take());
            talk.keeps = app.keeping().state != KeepingState::LostOnQuit;
            talk.send_again = send_again;
            let report: Report;
            (report, answers, terminal) = talk.run(&interrupt).await;
            report.print(row.kind, json);
            worst = worst.max(report.exit);
            if interrupt.was_pressed() {
                // The others stay as they are.
                break;
            }
        }
    }
    app.shut_down().await;
    Ok(worst)
}

fn open_calls(app: &Countersign, server: ServerId) -> Vec<CallRow> {
    let mut rows: Vec<CallRow> = app
        .inbox()
        .calls()
        .into_iter()
        .filter(|row| row.server == server && word(row.phase).is_some())
        .filter(|row| app.inbox().end(row.id).is_some_and(|(_, end)| end.is_none()))
        .collect();
    rows.reverse();
    rows
}

/// The same once each call has said where it stands: until then it counts as sending.
async fn settled(app: &Countersign, server: ServerId) -> Vec<CallRow> {
    let mut changes = app.inbox().changes();
    loop {
        changes.borrow_and_update();
        let rows = open_calls(app, server);
        if rows.iter().all(|row| row.phase != CallPhase::Sending) || changes.changed().await.is_err() {
            return rows;
        }
    }
}

/// Where a call that has not ended stands.
fn word(phase: CallPhase) -> Option<&'static str> {
    match phase {
        CallPhase::Asking => Some("waiting"),
        CallPhase::Sending | CallPhase::Unknown => Some("unknown"),
        CallPhase::Pacing | CallPhase::NotDelivered => Some("not_delivered"),
        CallPhase::PausedAtCap => Some("paused"),
        CallPhase::ServerMoved => Some("server_moved"),
        CallPhase::Done | CallPhase::DoneWithError | CallPhase::Failed | CallPhase::Stopped => None,
    }
}

fn tell(app: &Countersign, row: &CallRow, json: bool) {
    let asks: Vec<AskRow> = app
        .inbox()
        .asks()
        .into_iter()
        .filter(|ask| ask.call == row.id)
        .collect();
    if json {
        let asks = asks.iter().map(|ask| ask_object(app, ask)).collect();
        output::object(&Json::object([
            ("call", Json::integer(i64::from(row.id.0))),
            ("name", Json::string(&row.name)),
            ("status", Json::string(word(row.phase).unwrap_or_default())),
            ("rounds", Json::integer(i64::from(row.rounds))),
            ("asks", Json::Array(asks)),
        ]));
        return;
    }
    output::result(&format!(
        "{}: {} (started {})",
        row.name, row.word, row.started_at
    ));
    for ask in asks {
        let draft = if ask.draft { ", begun" } else { "" };
        output::result(&format!("  {}{draft}", ask.first_line));
    }
}

fn ask_object(app: &Countersign, ask: &AskRow) -> Json {
    let phase = serde_json::to_value(&ask.phase).ok();
    let phase = phase
        .as_ref()
        .and_then(|phase| phase.get("kind"))
        .and_then(|kind| kind.as_str())
        .unwrap_or_default();
    let would_send = match app.ask(ask.id).map(|view| view.body) {
        Ok(AskBody::Form { review, .. }) => review.json.and_then(|json| Json::parse(&json).ok()),
        Ok(AskBody::Link { .. } | AskBody::Unusable { .. }) | Err(_) => None,
    };
    Json::object([
        ("key", Json::string(app.inbox().key(ask.id).unwrap_or_default())),
        ("phase", Json::string(phase)),
        ("draft", Json::Bool(ask.draft)),
        ("would_send", would_send.unwrap_or(Json::Null)),
    ])
}
