//! `tools`, `prompts`, `resources`: what a server offers.

use crate::arguments::Connection;
use crate::interrupt::Interrupt;
use crate::output;
use crate::report::Exit;
use crate::server::{self, Problem};
use countersign_core::mrtr::machine::Word;
use countersign_core::session::offers::Offers;
use countersign_core::text;
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::{ListKind, Offer};
use countersign_core::wire::request::Elicitation;

/// Prints the offers of these kinds.
pub(crate) async fn run(kinds: &[ListKind], connection: &Connection) -> Exit {
    let (app, id) = match server::open(connection, Elicitation::None, Word::Person) {
        Ok(opened) => opened,
        Err(Problem::Usage(message)) => {
            output::note(&format!("error: {message}"));
            return Exit::Usage;
        }
        Err(Problem::Ours(message)) => return print(&[], vec![message], connection.json),
    };
    let reading = async {
        // The values of its headers may be kept in the folder.
        let opened = if app.waits_for_values(id) {
            server::keep(&app, connection).await.map(|_| ())
        } else {
            Ok(())
        };
        if let Err(message) = opened {
            return Offers {
                problems: vec![message],
                ..Offers::default()
            };
        }
        match app.connected(id).await {
            Ok(offers) => offers,
            Err(failure) => Offers {
                problems: vec![failure.message],
                ..Offers::default()
            },
        }
    };
    let interrupt = Interrupt::listen();
    let Offers {
        tools,
        prompts,
        documents,
        problems,
    } = tokio::select! {
        offers = reading => offers,
        () = interrupt.pressed() => {
            app.shut_down().await;
            return Exit::Stopped;
        }
    };
    app.shut_down().await;
    let offers: Vec<Offer> = [tools, prompts, documents]
        .into_iter()
        .flatten()
        .filter(|offer| kinds.contains(&offer.kind))
        .collect();
    print(&offers, problems, connection.json)
}

/// With nothing to show but problems, the list could not be read.
fn print(offers: &[Offer], problems: Vec<String>, json: bool) -> Exit {
    let exit = if offers.is_empty() && !problems.is_empty() {
        Exit::Ours
    } else {
        Exit::Done
    };
    if json {
        let offers = offers.iter().map(object).collect();
        let problems = problems.into_iter().map(Json::String).collect();
        output::object(&Json::object([
            ("offers", Json::Array(offers)),
            ("problems", Json::Array(problems)),
        ]));
        return exit;
    }
    for offer in offers {
        output::result(&line(offer));
    }
    for problem in &problems {
        output::note(problem);
    }
    if offers.is_empty() && problems.is_empty() {
        output::note("The server offers nothing of this kind.");
    }
    exit
}

fn object(offer: &Offer) -> Json {
    let text = |text: &Option<String>| text.clone().map_or(Json::Null, Json::String);
    Json::object([
        ("name", Json::string(&offer.name)),
        ("title", text(&offer.title)),
        ("description", text(&offer.description)),
    ])
}

fn line(offer: &Offer) -> String {
    let mut line = text::line(&offer.name, text::MESSAGE);
    if let Some(title) = offer.title.as_deref().filter(|title| *title != offer.name) {
        line.push_str(&format!(" ({})", text::line(title, text::TITLE)));
    }
    let words = offer.description.as_deref().unwrap_or_default();
    if let Some(first) = words.lines().find(|line| !line.trim().is_empty()) {
        line.push_str(&format!(": {}", text::line(first.trim(), text::DESCRIPTION)));
    }
    line
}
