//! An inbox with many questions: one row for what one server asks many times, servers that are paused, what is asked
//! again after a decline, and a server that floods beside one that does not.

use crate::kit::live::{Live, asks, over};
use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, patiently, text};
use countersign_core::clock::HeldClock;
use countersign_core::session::Speak;
use countersign_core::store::history::find::Filter;
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{Database, Store};
use countersign_core::view::{Act, Answered, AskId, AskPhase, AskRow, CallPhase, ServerId};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Asks every call the same thing, and lets it end with any answer.
async fn asking(message: &'static str) -> Http {
    Http::new(move |seen, _| {
        Reply::Result(if seen.body.contains("inputResponses") {
            done("ok")
        } else {
            input_required(&[("q", form(message, name()))], None)
        })
    })
    .await
}

async fn rows(desk: &Desk, count: usize) -> Vec<AskRow> {
    desk.until(&format!("{count} questions"), |desk| {
        let rows = desk.app.inbox().asks();
        (rows.len() == count).then_some(rows)
    })
    .await
}

fn groups(rows: &[AskRow]) -> BTreeSet<Option<AskId>> {
    rows.iter().map(|row| row.group).collect()
}

fn waiting(desk: &Desk, server: ServerId) -> (u32, bool) {
    let rows = desk.app.snapshot().servers.into_iter();
    let row = rows.into_iter().find(|row| row.id == server).expect("a server");
    (row.waiting, row.paused)
}

#[tokio::test]
async fn consent_06_a_hundred_equal_questions_are_one_group_and_a_pause_answers_none() {
    let server = asking(r"Really?\nNumber of the day: 7").await;
    let other = asking("Which region?").await;
    let desk = Desk::new();
    let (flooding, quiet) = (desk.add("flooding", &server), desk.add("quiet", &other));
    for _ in 0..100 {
        desk.call(flooding);
    }
    desk.call(quiet);
    let before = rows(&desk, 101).await;
    let (flood, alone): (Vec<AskRow>, Vec<AskRow>) =
        before.into_iter().partition(|row| row.server == flooding);
    assert_eq!(groups(&flood), [Some(flood[0].id)].into(), "one group");
    assert_eq!(groups(&alone), [None].into());

    // What is decided about one is not decided about another.
    desk.act(flood[3].id, Act::Decline).await;
    let rest = rows(&desk, 100).await;
    assert_eq!(rest.iter().filter(|row| row.group.is_some()).count(), 99);
    assert!(rest.iter().all(|row| row.phase == AskPhase::Waiting));

    let card = desk.view(flood[0].id);
    desk.look(card.id);
    let seen = server.seen().len();
    desk.app.pause_server(flooding, true).expect("paused");
    assert_eq!(waiting(&desk, flooding), (0, true));
    assert_eq!(waiting(&desk, quiet), (1, false));
    let held = desk.app.inbox().asks();
    assert_eq!(held.len(), 100, "they stay");
    assert!(held.iter().all(|row| row.held == (row.server == flooding)));
    assert_eq!(groups(&held), [None].into());

    let now = desk.view(card.id);
    assert!(now.held && now.acts == [Act::StopCall] && now.server.paused);
    for act in [Act::Accept, Act::Decline, Act::Dismiss] {
        let answered = desk
            .act_with(card.id, act, Some(vec![text(0, "Ada")]), None)
            .await;
        assert!(matches!(answered, Answered::NotPossible { .. }), "{answered:?}");
    }
    assert_eq!(server.seen().len(), seen, "nothing is sent");
    let asked = desk.app.inbox().calls().into_iter();
    assert_eq!(asked.filter(|call| call.phase == CallPhase::Asking).count(), 100);

    // Resumed, they are as they were, and looked at anew.
    desk.app.pause_server(flooding, false).expect("resumed");
    assert_eq!(waiting(&desk, flooding), (99, false));
    let inputs = Some(vec![text(0, "Ada")]);
    let inbox = desk.app.inbox();
    let revision = desk.view(card.id).revision;
    assert!(revision > card.revision);
    let early = inbox
        .act(card.id, revision, Act::Accept, inputs.clone(), None)
        .await;
    assert!(matches!(early, Answered::TooSoon { .. }), "{early:?}");
    assert_eq!(
        desk.act_with(card.id, Act::Accept, inputs, None).await,
        Answered::Sent
    );
    rows(&desk, 99).await;
    assert_eq!(
        desk.app
            .pause_server(ServerId(99), true)
            .map_err(|failure| failure.code),
        Err(countersign_core::view::FailureCode::Gone)
    );
}

#[tokio::test]
async fn what_the_person_began_goes_on_while_its_server_is_paused() {
    let server = Http::replies(vec![
        Reply::Result(input_required(
            &[("q", link("Open it.", "https://example.com/"))],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let call = desk.call(id);
    let ask = desk.question(call).await;
    desk.browser.hold();
    desk.look(ask.id);
    let inbox = desk.app.inbox().clone();
    let opening = tokio::spawn(async move { inbox.act(ask.id, ask.revision, Act::Open, None, None).await });
    desk.until("the browser", |desk| {
        (desk.phase(ask.id) == AskPhase::Opening).then_some(())
    })
    .await;
    desk.app.pause_server(id, true).expect("paused");
    assert!(!desk.view(ask.id).held);
    desk.browser.release();
    assert_eq!(opening.await.expect("no panic"), Answered::Sent);
    desk.finished(call).await;
}

#[tokio::test]
async fn a_pause_outlives_the_app_and_is_told_in_its_history() {
    let store = Arc::new(Store::in_memory().expect("a store"));
    let server = asking("Really?").await;
    {
        let desk = Desk::new();
        let id = desk.add("one", &server);
        // Paused before the store is open, and kept when it is.
        desk.app.pause_server(id, true).expect("paused");
        desk.app.keep_in(&store).expect("readable");
        desk.app.inbox().let_go();
    }
    for paused in [true, false] {
        let desk = Desk::new();
        let id = desk.add("one", &server);
        desk.app.keep_in(&store).expect("readable");
        assert_eq!(waiting(&desk, id), (0, paused));
        if paused {
            desk.app.pause_server(id, false).expect("resumed");
            desk.app.pause_server(id, false).expect("nothing to do");
        }
        desk.app.inbox().let_go();
    }
    let page = store.history(&Filter::default(), None, 10).expect("readable");
    let told = page.lines.iter().filter_map(|line| line.entry.as_ref());
    let told: Vec<_> = told
        .map(|entry| (entry.outcome.code(), entry.server_name.as_str()))
        .collect();
    assert_eq!(told, [("server_resumed", "one")]);
}

/// What the row and the card say of a question.
fn again(desk: &Desk, ask: AskId) -> (Option<String>, bool) {
    let rows = desk.app.inbox().asks().into_iter();
    let row = rows.into_iter().find(|row| row.id == ask).expect("a row");
    let notices = desk.view(ask).notices;
    let said = notices.iter().any(|notice| notice.starts_with("Asked again"));
    (row.again, said)
}

#[tokio::test]
async fn a_question_that_a_server_puts_again_by_itself_says_the_which_time_it_is() {
    let server = Live::new().await;
    let desk = Desk::new();
    let old = Speak::Only(Revision::V2025_11_25);
    let id = desk
        .app
        .add_speaking("old", server.target(), Duration::from_secs(60), old);
    desk.app.reached(id).await.expect("a session");
    server.until_listening(1).await;
    let expected = [
        None,
        Some("asked again (2nd time)"),
        Some("asked again (3rd time)"),
    ];
    for (number, expected) in expected.into_iter().enumerate() {
        server.own().say(&asks(&number.to_string(), "By the way?"));
        let ask = rows(&desk, 1).await[0].id;
        let expected = (expected.map(str::to_owned), expected.is_some());
        assert_eq!(again(&desk, ask), expected);
        assert_eq!(desk.act(ask, Act::Decline).await, Answered::Sent);
        rows(&desk, 0).await;
    }
    // Other words are another question; one that was taken back was not declined.
    server.own().say(&asks("8", "And this?"));
    let ask = rows(&desk, 1).await[0].id;
    assert_eq!(again(&desk, ask), (None, false));
    server
        .own()
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}"#);
    over(&desk, ask).await;
    server.own().say(&asks("9", "And this?"));
    let ask = rows(&desk, 1).await[0].id;
    assert_eq!(again(&desk, ask), (None, false));
    desk.app.shut_down().await;
}

#[tokio::test]
async fn the_same_words_under_another_key_are_asked_again_and_a_new_call_is_not() {
    let server = Http::new(|seen, _| {
        let params = seen.json().get("params").cloned().unwrap_or(Json::Null);
        let state = params.get("requestState").and_then(Json::as_str).unwrap_or("0");
        let round: u32 = state.parse().expect("a number");
        let key = format!("q{round}");
        Reply::Result(input_required(
            &[(&key, form("Really?", name()))],
            Some(&format!(r#""{}""#, round + 1)),
        ))
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    for _ in 0..2 {
        let call = desk.call(id);
        for expected in [
            None,
            Some("asked again (2nd time)"),
            Some("asked again (3rd time)"),
        ] {
            let ask = desk.question(call).await;
            assert_eq!(
                again(&desk, ask.id),
                (expected.map(str::to_owned), expected.is_some())
            );
            desk.act(ask.id, Act::Decline).await;
        }
        desk.app.inbox().stop(call);
        desk.ended(call).await;
    }
}

/// A store in a folder, whose every save waits for the disk.
fn on_disk(folder: &tempfile::TempDir) -> Arc<Store> {
    let place = Place::take(folder.path()).expect("the folder");
    let (database, _) = Database::open(place, &HeldClock::default()).expect("opens");
    let master = Master::from_bytes(&[7; 32]).expect("32 bytes");
    Arc::new(
        database
            .unlock(&master)
            .unwrap_or_else(|refused| panic!("{}", refused.error)),
    )
}

/// A flood that goes on until it is told to stop: calls with sixteen questions each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_floods_keeps_no_other_from_asking_and_being_answered() {
    let sixteen: Vec<(String, String)> = (0..16)
        .map(|n| (format!("q{n}"), form("Really?", name())))
        .collect();
    let flood = Http::new(move |_, _| {
        let entries: Vec<(&str, String)> = sixteen
            .iter()
            .map(|(key, form)| (key.as_str(), form.clone()))
            .collect();
        Reply::Result(input_required(&entries, None))
    })
    .await;
    let other = asking("Which region?").await;
    let folder = tempfile::TempDir::new().expect("a folder");
    let desk = Arc::new(Desk::new());
    let (flooding, quiet) = (desk.add("flooding", &flood), desk.add("quiet", &other));
    desk.app.keep_in(&on_disk(&folder)).expect("readable");

    let (enough, started) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let going_on = tokio::spawn({
        let (desk, enough, started) = (Arc::clone(&desk), Arc::clone(&enough), Arc::clone(&started));
        async move {
            while !enough.load(Ordering::Relaxed) {
                let call = desk.call(flooding);
                started.fetch_add(1, Ordering::Relaxed);
                desk.call_in(call, CallPhase::Asking).await;
            }
        }
    });
    let flooded = |desk: &Desk| desk.app.inbox().asks().len();
    desk.until("a flood", |desk| (flooded(desk) > 160).then_some(()))
        .await;
    // A card of the flood is open the while; nothing about it changes.
    let open = desk.view(desk.app.inbox().asks()[0].id);
    for _ in 0..3 {
        let before = started.load(Ordering::Relaxed);
        let call = desk.call(quiet);
        let ask = desk.question(call).await;
        assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
        desk.finished(call).await;
        desk.until("more of the flood", |_| {
            (started.load(Ordering::Relaxed) > before + 1).then_some(())
        })
        .await;
    }
    assert_eq!(desk.view(open.id).revision, open.revision);
    enough.store(true, Ordering::Relaxed);
    patiently("the end of the flood", going_on)
        .await
        .expect("no panic");
    assert_eq!(
        flood.seen().len(),
        started.load(Ordering::Relaxed),
        "nothing is answered"
    );
    desk.app.inbox().let_go();
}
