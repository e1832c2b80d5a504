//! The misclick guard, on a held clock.

use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::view::{Act, Answered, AskPhase, CallAct, CallId};
use std::time::Duration;

const PAGE: &str = "https://pay.example.com/start?t=1";

async fn desk(entries: &[(&str, String)]) -> (Desk, Http, CallId) {
    let server = Http::replies([
        Reply::Result(input_required(entries, None)),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    (desk, server, call)
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn too_soon(wait_ms: u32) -> Answered {
    Answered::TooSoon { wait_ms }
}

#[tokio::test]
async fn consent_03_accepting_waits_until_the_card_was_looked_at() {
    for (entry, act) in [(form("m", name()), Act::Accept), (link("m", PAGE), Act::Open)] {
        let (desk, server, call) = desk(&[("q", entry)]).await;
        let ask = desk.question(call).await;
        let inbox = desk.app.inbox();
        let go = || inbox.act(ask.id, ask.revision, act, Some(vec![text(0, "x")]), None);
        desk.clock.advance(ms(60_000));
        assert_eq!(go().await, too_soon(700), "never shown");
        assert_eq!(
            inbox.shown(ask.id, ask.revision).map(|armed| armed.in_ms),
            Some(700)
        );
        assert_eq!(go().await, too_soon(700));
        desk.clock.advance(ms(350));
        assert_eq!(go().await, too_soon(350));
        desk.clock.advance(ms(349));
        assert_eq!(go().await, too_soon(1));
        inbox.rearm();
        desk.clock.advance(ms(699));
        assert_eq!(go().await, too_soon(1), "a resize or focus starts over");
        assert!(desk.browser.opened().is_empty() && server.seen().len() == 1);
        desk.clock.advance(ms(1));
        assert_eq!(go().await, Answered::Sent);
        desk.finished(call).await;
    }
}

#[tokio::test]
async fn declining_is_not_delayed() {
    for act in [Act::Decline, Act::Dismiss, Act::StopCall] {
        let (desk, _server, call) = desk(&[("q", form("m", name()))]).await;
        let ask = desk.question(call).await;
        let answered = desk.app.inbox().act(ask.id, ask.revision, act, None, None).await;
        assert_eq!(answered, Answered::Sent);
        desk.ended(call).await;
    }
}

#[tokio::test]
async fn an_older_revision_is_refused_and_a_changed_card_must_be_looked_at_anew() {
    let (desk, server, call) = desk(&[("q", link("m", PAGE)), ("f", form("m", name()))]).await;
    let asks = desk.questions(call, 2).await;
    let (page, before) = (asks[0].id, asks[0].revision);
    desk.browser.fails(true);
    desk.act(page, Act::Open).await;
    desk.browser.fails(false);
    desk.clock.advance(ms(60_000));
    let inbox = desk.app.inbox();
    assert_eq!(
        inbox.act(page, before, Act::Open, None, None).await,
        Answered::Changed
    );
    assert_eq!(
        inbox.act(page, before, Act::Decline, None, None).await,
        Answered::Changed
    );
    assert!(
        inbox.shown(page, before).is_none(),
        "an older revision is not on the screen"
    );
    let now = desk.view(page).revision;
    assert_eq!(inbox.act(page, now, Act::Open, None, None).await, too_soon(700));
    inbox.rearm();
    desk.clock.advance(ms(60_000));
    assert_eq!(
        inbox.act(page, now, Act::Open, None, None).await,
        too_soon(700),
        "a resize shows nothing"
    );
    assert_eq!(desk.browser.opened().len(), 1);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn after_any_answer_nothing_answers_for_a_moment() {
    let entries = ["a", "b", "c", "d", "e"].map(|key| (key, form("m", name())));
    let (desk, server, call) = desk(&entries).await;
    let asks = desk.questions(call, 5).await;
    let inbox = desk.app.inbox();
    for ask in &asks {
        inbox.shown(ask.id, ask.revision);
    }
    desk.clock.advance(ms(5_000));
    let inputs = || Some(vec![text(0, "x")]);
    let act = |n: usize, act| inbox.act(asks[n].id, asks[n].revision, act, inputs(), None);
    for (n, first) in [Act::Accept, Act::Decline, Act::Dismiss].into_iter().enumerate() {
        assert!(matches!(act(n, first).await, Answered::Kept { .. }));
        for second in [
            Act::Accept,
            Act::Decline,
            Act::Dismiss,
            Act::DeclineAll,
            Act::StopCall,
        ] {
            assert_eq!(
                act(n + 1, second).await,
                too_soon(300),
                "{second:?} after {first:?}"
            );
        }
        desk.clock.advance(ms(299));
        assert_eq!(act(n + 1, Act::Decline).await, too_soon(1));
        desk.clock.advance(ms(1));
    }
    assert_eq!(desk.phase(asks[3].id), AskPhase::Waiting);
    assert_eq!(server.seen().len(), 1);
    assert!(matches!(act(4, Act::DeclineAll).await, Answered::Sent));
    desk.finished(call).await;
}

#[tokio::test]
async fn one_gesture_does_not_answer_the_questions_of_two_calls() {
    let server = Http::new(|_, n| match n {
        0 | 1 => Reply::Result(input_required(&[("q", link("m", PAGE))], None)),
        _ => Reply::Result(done("ok")),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let (one, two) = (desk.call(id), desk.call(id));
    let (first, second) = (desk.question(one).await, desk.question(two).await);
    for ask in [&first, &second] {
        desk.app.inbox().shown(ask.id, ask.revision);
    }
    desk.clock.advance(ms(5_000));
    let inbox = desk.app.inbox();
    assert_eq!(
        inbox.act(first.id, first.revision, Act::Open, None, None).await,
        Answered::Sent
    );
    assert_eq!(
        inbox.act(second.id, second.revision, Act::Open, None, None).await,
        too_soon(300)
    );
    desk.finished(one).await;
    assert_eq!(desk.browser.opened().len(), 1);
}

#[tokio::test]
async fn typing_a_draft_neither_answers_nor_changes_the_card() {
    let (desk, server, call) = desk(&[("q", form("m", name()))]).await;
    let ask = desk.question(call).await;
    let inbox = desk.app.inbox();
    inbox.shown(ask.id, ask.revision);
    desk.clock.advance(ms(700));
    let review = inbox.draft(ask.id, vec![text(0, "Ann")]).expect("a review");
    assert!(review.errors.is_empty());
    assert_eq!(desk.view(ask.id).revision, ask.revision);
    assert_eq!(server.seen().len(), 1);
    assert_eq!(
        inbox.act(ask.id, ask.revision, Act::Accept, None, None).await,
        Answered::Sent
    );
    desk.finished(call).await;
}

/// Start again and Send again are buttons too: the press that answered a question must not press them.
#[tokio::test]
async fn the_buttons_of_a_call_rest_after_an_answer() {
    let (desk, _server, call) = desk(&[("q", form("m", name()))]).await;
    let ask = desk.question(call).await;
    assert_eq!(desk.act(ask.id, Act::Decline).await, Answered::Sent);
    desk.finished(call).await;
    assert!(desk.app.act_on_call(call, CallAct::StartAgain).is_err());
    desk.clock.advance(ms(299));
    assert!(desk.app.act_on_call(call, CallAct::StartAgain).is_err());
    desk.clock.advance(ms(1));
    desk.app
        .act_on_call(call, CallAct::StartAgain)
        .expect("started again");
    assert!(
        desk.app.act_on_call(call, CallAct::StartAgain).is_err(),
        "a double click starts one call"
    );
    assert_eq!(desk.app.inbox().calls().len(), 2);
}
