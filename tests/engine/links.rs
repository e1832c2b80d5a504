//! Links: opened once for each consent, from the inspected value; the waiting card.

use crate::kit::{Desk, Gate, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::view::{Act, Action, Answered, AskBody, AskPhase, AskView, CallAct, CallId, CallPhase};
use countersign_core::wire::json::Json;

const CALL: &str = r#""name":"t","arguments":{"a":1}"#;
const PAGE: &str = "https://pay.example.com/start?t=1";

fn ask_link(url: &str, state: Option<&str>) -> Reply {
    Reply::Result(input_required(&[("page", link("Please pay.", url))], state))
}

fn told(action: &str, state: Option<&str>) -> String {
    let state = state.map_or_else(String::new, |state| format!(r#","requestState":{state}"#));
    format!(r#"{{{CALL},"inputResponses":{{"page":{{"action":"{action}"}}}}{state}}}"#)
}

async fn desk(replies: Vec<Reply>) -> (Desk, Http, CallId) {
    let server = Http::replies(replies).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    (desk, server, call)
}

/// Opens the page once and waits until the server asks for it again.
async fn in_browser(desk: &Desk, call: CallId) -> AskView {
    let ask = desk.question(call).await;
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    let again = desk.question(call).await;
    assert_eq!(again.id, ask.id, "the same card");
    again
}

fn waiting(trouble: Option<&str>) -> AskPhase {
    AskPhase::InBrowser {
        asking: false,
        trouble: trouble.map(str::to_owned),
        finished: false,
    }
}

fn opened(ask: &AskView) -> u32 {
    match &ask.body {
        AskBody::Link { opened, .. } => *opened,
        AskBody::Form { .. } | AskBody::Unusable { .. } => panic!("a link"),
    }
}

#[tokio::test]
async fn case_050_opening_launches_once_and_tells_the_server_at_once_without_content() {
    let (desk, server, call) = desk(vec![ask_link(PAGE, Some(r#""s""#)), Reply::Result(done("ok"))]).await;
    let ask = desk.question(call).await;
    assert_eq!(ask.acts, [Act::Decline, Act::Dismiss, Act::Open, Act::StopCall]);
    assert!(
        desk.browser.opened().is_empty() && server.seen().len() == 1,
        "nothing before consent"
    );
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), [PAGE]);
    assert_eq!(server.params()[1..], [told("accept", Some(r#""s""#))]);
    assert_eq!(
        desk.phase(ask.id),
        AskPhase::Delivered {
            action: Action::Accept
        }
    );
}

#[tokio::test]
async fn declining_and_dismissing_a_link_open_nothing() {
    for (act, action) in [(Act::Decline, "decline"), (Act::Dismiss, "cancel")] {
        let (desk, server, call) = desk(vec![ask_link(PAGE, None), Reply::Result(done("ok"))]).await;
        let ask = desk.question(call).await;
        assert_eq!(desk.act(ask.id, act).await, Answered::Sent);
        desk.finished(call).await;
        assert!(desk.browser.opened().is_empty());
        assert_eq!(server.params()[1..], [told(action, None)]);
    }
}

#[tokio::test]
async fn the_same_link_asked_again_keeps_its_card_and_is_checked_without_a_launch() {
    let (desk, server, call) = desk(vec![
        ask_link(PAGE, Some(r#""s1""#)),
        Reply::Result(input_required(
            &[("page", link("Still open.", PAGE))],
            Some(r#""s2""#),
        )),
        ask_link(PAGE, None),
        Reply::Result(done("ok")),
    ])
    .await;
    let again = in_browser(&desk, call).await;
    assert_eq!(again.phase, waiting(None));
    assert_eq!(again.message.text, "Still open.");
    assert_eq!(
        again.acts,
        [
            Act::Decline,
            Act::GiveUp,
            Act::Open,
            Act::CheckAgain,
            Act::StopCall
        ]
    );
    desk.app.inbox().rearm();
    assert_eq!(server.seen().len(), 2, "focus sends nothing");
    assert_eq!(desk.act(again.id, Act::CheckAgain).await, Answered::Sent);
    let third = desk.question(call).await;
    assert_eq!(third.id, again.id);
    assert_eq!(
        desk.act(third.id, Act::Open).await,
        Answered::Opened,
        "opening again sends nothing"
    );
    assert_eq!(desk.phase(third.id), waiting(None));
    assert_eq!(server.seen().len(), 3);
    assert_eq!(opened(&desk.view(third.id)), 2);
    desk.act(third.id, Act::CheckAgain).await;
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), [PAGE, PAGE]);
    assert_eq!(
        server.params()[1..],
        [
            told("accept", Some(r#""s1""#)),
            told("accept", Some(r#""s2""#)),
            told("accept", None)
        ]
    );
}

#[tokio::test]
async fn a_waiting_card_can_be_declined_given_up_or_stopped() {
    for (act, action) in [
        (Act::Decline, Some("decline")),
        (Act::GiveUp, Some("cancel")),
        (Act::StopCall, None),
    ] {
        let (desk, server, call) = desk(vec![
            ask_link(PAGE, None),
            ask_link(PAGE, None),
            Reply::Result(done("ok")),
        ])
        .await;
        let ask = in_browser(&desk, call).await;
        desk.act(ask.id, act).await;
        match action {
            Some(action) => {
                desk.finished(call).await;
                assert_eq!(server.params()[2..], [told(action, None)]);
            }
            None => {
                desk.call_in(call, CallPhase::Stopped).await;
                assert_eq!(server.seen().len(), 2);
            }
        }
        assert_eq!(desk.browser.opened().len(), 1);
    }
}

#[tokio::test]
async fn another_query_asks_for_consent_again_and_offers_already_finished() {
    let changed = "https://pay.example.com/start?t=2";
    for open in [false, true] {
        let (desk, server, call) = desk(vec![
            ask_link(PAGE, None),
            ask_link(changed, Some(r#""s2""#)),
            Reply::Result(done("ok")),
        ])
        .await;
        let first = desk.question(call).await;
        desk.act(first.id, Act::Open).await;
        let second = desk.question(call).await;
        assert_ne!(second.id, first.id);
        assert_eq!(second.phase, AskPhase::Waiting);
        assert_eq!(
            second.acts,
            [
                Act::Decline,
                Act::Dismiss,
                Act::AlreadyFinished,
                Act::Open,
                Act::StopCall
            ]
        );
        assert_eq!(
            desk.phase(first.id),
            AskPhase::Delivered {
                action: Action::Accept
            }
        );
        let act = if open { Act::Open } else { Act::AlreadyFinished };
        assert_eq!(desk.act(second.id, act).await, Answered::Sent);
        desk.finished(call).await;
        let expected: &[&str] = if open { &[PAGE, changed] } else { &[PAGE] };
        assert_eq!(desk.browser.opened(), expected);
        assert_eq!(server.params()[2..], [told("accept", Some(r#""s2""#))]);
    }
}

#[tokio::test]
async fn another_page_or_another_key_is_a_new_question() {
    for (key, url) in [
        ("page", "https://pay.example.com/other?t=1"),
        ("page", "https://pay.example.net/start?t=1"),
        ("other", PAGE),
    ] {
        let (desk, _server, call) = desk(vec![
            ask_link(PAGE, None),
            Reply::Result(input_required(&[(key, link("m", url))], None)),
        ])
        .await;
        let first = desk.question(call).await;
        desk.act(first.id, Act::Open).await;
        let second = desk.question(call).await;
        assert_ne!(second.id, first.id, "{key} {url}");
        assert_eq!(
            second.acts,
            [Act::Decline, Act::Dismiss, Act::Open, Act::StopCall],
            "{key} {url}"
        );
    }
}

#[tokio::test]
async fn consent_01_a_link_of_another_round_is_not_opened_by_the_consent_to_the_first() {
    let (desk, _server, call) = desk(vec![
        ask_link(PAGE, None),
        ask_link("https://evil.example.net/", None),
    ])
    .await;
    let first = desk.question(call).await;
    desk.act(first.id, Act::Open).await;
    desk.question(call).await;
    desk.clock.advance(std::time::Duration::from_secs(5));
    let inbox = desk.app.inbox();
    let answered = inbox.act(first.id, first.revision, Act::Open, None, None).await;
    assert_eq!(answered, Answered::AlreadyAnswered);
    assert_eq!(desk.browser.opened(), [PAGE]);
}

#[tokio::test]
async fn a_server_that_holds_the_retry_shows_the_waiting_card_meanwhile() {
    let gate = Gate::closed();
    let (desk, server, call) = desk(vec![
        ask_link(PAGE, None),
        Reply::Held(gate.clone(), Box::new(Reply::Result(done("ok")))),
    ])
    .await;
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    server.until_seen(2).await;
    let asking = desk.view(ask.id);
    assert_eq!(
        asking.phase,
        AskPhase::InBrowser {
            asking: true,
            trouble: None,
            finished: false,
        }
    );
    assert_eq!(asking.acts, [Act::Open, Act::StopCall]);
    assert_eq!(desk.app.inbox().asks().len(), 1, "it stays in the list");
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Opened);
    assert_eq!(desk.act(ask.id, Act::CheckAgain).await, Answered::AlreadyAnswered);
    assert_eq!(server.seen().len(), 2);
    assert!(!gate.is_open());
    gate.open();
    desk.finished(call).await;
    assert_eq!(desk.browser.opened().len(), 2);
}

#[tokio::test]
async fn a_held_retry_can_be_stopped_from_its_card() {
    let (desk, server, call) = desk(vec![
        ask_link(PAGE, None),
        Reply::Held(Gate::closed(), Box::new(Reply::Close)),
    ])
    .await;
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    server.until_seen(2).await;
    desk.act(ask.id, Act::StopCall).await;
    desk.call_in(call, CallPhase::Stopped).await;
    server.until_closed(1).await;
    let AskPhase::Closed { reason } = desk.phase(ask.id) else {
        panic!("closed")
    };
    assert!(!reason.contains("Nothing more was sent"), "{reason}");
}

#[tokio::test]
async fn a_lost_retry_of_a_link_is_the_same_round_and_checked_at_the_persons_word() {
    for lost in [Reply::Close, Reply::Body(503, "text/plain", "busy".into())] {
        let (desk, server, call) = desk(vec![
            ask_link(PAGE, Some(r#""s""#)),
            lost,
            Reply::Result(done("ok")),
        ])
        .await;
        let ask = in_browser(&desk, call).await;
        let AskPhase::InBrowser {
            asking: false,
            trouble: Some(trouble),
            finished: false,
        } = &ask.phase
        else {
            panic!("{:?}", ask.phase)
        };
        assert!(trouble.starts_with("We lost touch with the server"), "{trouble}");
        assert!(ask.notices.contains(trouble));
        assert_eq!(desk.row(call).phase, CallPhase::Asking, "no failure");
        assert_eq!(server.seen().len(), 2, "not sent by itself");
        assert_eq!(desk.act(ask.id, Act::CheckAgain).await, Answered::Sent);
        desk.finished(call).await;
        assert_eq!(server.params()[1], server.params()[2]);
        assert_ne!(server.seen()[1].id(), server.seen()[2].id());
        assert_eq!(desk.browser.opened(), [PAGE]);
    }
}

#[tokio::test]
async fn consent_08_a_browser_that_cannot_be_asked_is_no_answer() {
    let (desk, server, call) = desk(vec![ask_link(PAGE, None), Reply::Result(done("ok"))]).await;
    desk.browser.fails(true);
    let ask = desk.question(call).await;
    assert!(matches!(
        desk.act(ask.id, Act::Open).await,
        Answered::OpenFailed { .. }
    ));
    assert!(matches!(desk.phase(ask.id), AskPhase::OpenFailed { reason } if !reason.is_empty()));
    assert!(
        matches!(desk.act(ask.id, Act::Open).await, Answered::OpenFailed { .. }),
        "and again"
    );
    assert_eq!(server.seen().len(), 1);
    assert_eq!(desk.act(ask.id, Act::Dismiss).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(server.params()[1..], [told("cancel", None)]);
}

#[tokio::test]
async fn a_failed_opening_can_be_tried_again() {
    let (desk, server, call) = desk(vec![ask_link(PAGE, None), Reply::Result(done("ok"))]).await;
    desk.browser.fails(true);
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    desk.browser.fails(false);
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(server.params()[1..], [told("accept", None)]);
}

#[tokio::test]
async fn a_call_stopped_while_the_browser_opens_tells_the_server_nothing() {
    let (desk, server, call) = desk(vec![ask_link(PAGE, None)]).await;
    let ask = desk.question(call).await;
    desk.browser.hold();
    desk.look(ask.id);
    let inbox = desk.app.inbox().clone();
    let opening = tokio::spawn(async move { inbox.act(ask.id, ask.revision, Act::Open, None, None).await });
    desk.until("opening", |desk| {
        (desk.phase(ask.id) == AskPhase::Opening).then_some(())
    })
    .await;
    desk.app.inbox().stop(call);
    desk.call_in(call, CallPhase::Stopped).await;
    desk.browser.release();
    assert_eq!(opening.await.expect("no panic"), Answered::Opened);
    assert!(matches!(desk.phase(ask.id), AskPhase::Closed { .. }));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn between_a_stop_and_the_end_nothing_is_opened_or_said_to_be_sent() {
    for act in [Act::Open, Act::Decline] {
        let (desk, server, call) = desk(vec![ask_link(PAGE, None)]).await;
        let ask = desk.question(call).await;
        desk.look(ask.id);
        let inbox = desk.app.inbox();
        inbox.stop(call);
        let answered = inbox.act(ask.id, ask.revision, act, None, None).await;
        assert!(
            matches!(answered, Answered::NotPossible { .. }),
            "{act:?}: {answered:?}"
        );
        desk.call_in(call, CallPhase::Stopped).await;
        assert!(desk.browser.opened().is_empty(), "{act:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn already_finished_is_not_said_to_be_opened_and_can_be_taken_back() {
    let changed = "https://pay.example.com/start?t=2";
    let (desk, _server, call) = desk(vec![
        ask_link(PAGE, None),
        Reply::Result(input_required(
            &[("page", link("Pay.", changed)), ("one", form("One", name()))],
            None,
        )),
    ])
    .await;
    desk.act(desk.question(call).await.id, Act::Open).await;
    let page = desk.questions(call, 2).await[0].id;
    assert_eq!(
        desk.act(page, Act::AlreadyFinished).await,
        Answered::Kept { open: 1 }
    );
    let notices = desk.view(page).notices.join(" ");
    assert!(!notices.contains("asked to open"), "{notices}");
    assert_eq!(desk.act(page, Act::Edit).await, Answered::Kept { open: 2 });
    assert_eq!(desk.phase(page), AskPhase::Waiting);
}

#[tokio::test]
async fn a_link_beside_two_forms_travels_with_them_in_one_retry() {
    let (desk, server, call) = desk(vec![
        Reply::Result(input_required(
            &[
                ("page", link("Pay.", PAGE)),
                ("one", form("One", name())),
                ("two", form("Two", name())),
            ],
            Some(r#""s""#),
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let asks = desk.questions(call, 3).await;
    let page = asks[0].id;
    assert_eq!(
        (asks[0].position, asks[1].position, asks[2].position),
        (3, 1, 2),
        "links last"
    );
    assert_eq!(desk.act(page, Act::Open).await, Answered::Kept { open: 2 });
    assert_eq!(
        desk.phase(page),
        AskPhase::Kept {
            action: Action::Accept
        }
    );
    assert!(
        desk.view(page).notices[0]
            .starts_with("Your browser was asked to open it. The server is told when the other 2")
    );
    assert_eq!(desk.view(page).acts, [Act::Edit, Act::DeclineAll, Act::StopCall]);
    desk.act(page, Act::Edit).await;
    assert_eq!(desk.phase(page), waiting(None));
    assert_eq!(
        desk.view(page).acts,
        [
            Act::Decline,
            Act::GiveUp,
            Act::Open,
            Act::CheckAgain,
            Act::DeclineAll,
            Act::StopCall
        ]
    );
    assert_eq!(desk.act(page, Act::CheckAgain).await, Answered::Kept { open: 2 });
    desk.accept(asks[1].id, vec![text(0, "1")]).await;
    assert_eq!(server.seen().len(), 1);
    assert_eq!(desk.act(asks[2].id, Act::Dismiss).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(
        server.params()[1..],
        [format!(
            r#"{{{CALL},"inputResponses":{{"page":{{"action":"accept"}},"one":{{"action":"accept","content":{{"name":"1"}}}},"two":{{"action":"cancel"}}}},"requestState":"s"}}"#
        )]
    );
    assert_eq!(desk.browser.opened(), [PAGE]);
}

#[tokio::test]
async fn a_declined_link_travels_beside_accepted_forms() {
    let (desk, server, call) = desk(vec![
        Reply::Result(input_required(
            &[("one", form("One", name())), ("page", link("Pay.", PAGE))],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let asks = desk.questions(call, 2).await;
    desk.act(asks[1].id, Act::Decline).await;
    assert_eq!(desk.accept(asks[0].id, vec![text(0, "1")]).await, Answered::Sent);
    desk.finished(call).await;
    assert!(server.params()[1].contains(r#""page":{"action":"decline"}"#));
    assert!(desk.browser.opened().is_empty());
}

#[tokio::test]
async fn a_risky_link_opens_only_with_its_domain_typed() {
    let risky = "https://login.paypa1.com/x?t=1";
    let (desk, server, call) = desk(vec![ask_link(risky, None), Reply::Result(done("ok"))]).await;
    let ask = desk.question(call).await;
    let AskBody::Link { inspection, .. } = &ask.body else {
        panic!("a link")
    };
    assert_eq!(
        inspection.verdict,
        countersign_core::link::Verdict::Risky,
        "{inspection:?}"
    );
    for typed in [
        None,
        Some(""),
        Some("paypal.com"),
        Some("login.paypa1.com"),
        Some("com"),
    ] {
        let answered = desk.act_with(ask.id, Act::Open, None, typed).await;
        assert!(
            matches!(answered, Answered::WrongDomain { .. }),
            "{typed:?} {answered:?}"
        );
    }
    assert!(desk.browser.opened().is_empty() && server.seen().len() == 1);
    let answered = desk.act_with(ask.id, Act::Open, None, Some(" PAYPA1.com ")).await;
    assert_eq!(answered, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), [risky]);
}

#[tokio::test]
async fn case_056_a_refused_link_has_no_open() {
    for url in [
        "javascript:alert(1)",
        "file:///etc/hosts",
        "data:text/html,x",
        "vscode://x",
        "ms-msdt:/id x",
        "//example.com",
        "",
        "https://a.example\\t.com/",
    ] {
        let (desk, server, call) = desk(vec![ask_link(url, None)]).await;
        let ask = desk.question(call).await;
        assert_eq!(ask.acts, [Act::Decline, Act::Dismiss, Act::StopCall], "{url}");
        let answered = desk.act_with(ask.id, Act::Open, None, Some("example.com")).await;
        assert!(matches!(answered, Answered::NotPossible { .. }), "{url}");
        assert!(desk.browser.opened().is_empty());
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn what_is_shown_is_what_is_opened() {
    let sent = "HTTPS://PAY.example.com:443/a/../b?x=%0d%0a&`id`$()&calc=\\\"1\\\"#f";
    let (desk, _server, call) = desk(vec![ask_link(sent, None), Reply::Result(done("ok"))]).await;
    let ask = desk.question(call).await;
    let AskBody::Link { inspection, .. } = &ask.body else {
        panic!("a link")
    };
    let domain = inspection.domain.clone();
    desk.act_with(ask.id, Act::Open, None, domain.as_deref()).await;
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), std::slice::from_ref(&inspection.shown));
}

#[tokio::test]
async fn consent_10_nothing_is_fetched_before_or_after_consent() {
    let target = Http::new(|_, _| Reply::Close).await;
    let page = target.url.to_string();
    let (desk, _server, call) = desk(vec![
        ask_link(&page, None),
        ask_link(&page, None),
        Reply::Result(done("ok")),
    ])
    .await;
    let ask = in_browser(&desk, call).await;
    desk.act(ask.id, Act::CheckAgain).await;
    desk.finished(call).await;
    assert!(target.seen().is_empty());
}

#[tokio::test]
async fn an_endless_page_can_always_be_left() {
    let (desk, server, call) = desk((0..15).map(|_| ask_link(PAGE, None)).collect()).await;
    let ask = in_browser(&desk, call).await;
    for _ in 0..12 {
        assert_eq!(desk.act(ask.id, Act::CheckAgain).await, Answered::Sent);
        let ask = desk.question(call).await;
        assert!(
            !ask.notices.iter().any(|notice| notice.contains("many times")),
            "a person's word does not count"
        );
    }
    desk.act(ask.id, Act::StopCall).await;
    desk.call_in(call, CallPhase::Stopped).await;
    assert_eq!((server.seen().len(), desk.browser.opened().len()), (14, 1));
}

#[tokio::test]
async fn a_lost_request_after_a_round_without_questions_is_not_the_links_answer() {
    let come_back = || Reply::Result(input_required(&[], Some(r#""s2""#)));
    let (desk, server, call) = desk(vec![
        ask_link(PAGE, Some(r#""s1""#)),
        come_back(),
        Reply::Close,
        ask_link(PAGE, None),
        Reply::Result(done("ok")),
    ])
    .await;
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    let row = desk.call_in(call, CallPhase::Unknown).await;
    assert_eq!(row.acts, [CallAct::SendAgain, CallAct::Leave]);
    assert_eq!(
        desk.view(ask.id).acts,
        [Act::Open, Act::StopCall],
        "its answer arrived"
    );
    desk.on_call(call, CallAct::SendAgain).expect("sent again");
    let again = desk.question(call).await;
    assert_eq!((again.id, &again.phase), (ask.id, &waiting(None)));
    assert_eq!(desk.act(ask.id, Act::Decline).await, Answered::Sent);
    desk.finished(call).await;
    let params = server.params();
    assert_eq!(params[1], told("accept", Some(r#""s1""#)));
    assert_eq!(params[2], format!(r#"{{{CALL},"requestState":"s2"}}"#));
    assert_eq!(params[2], params[3]);
    assert_eq!(params[4], told("decline", None));
}

#[tokio::test]
async fn a_link_asked_again_beside_a_form_waits_for_it() {
    let (desk, server, call) = desk(vec![
        ask_link(PAGE, None),
        Reply::Result(input_required(
            &[("page", link("Still.", PAGE)), ("f", form("F", name()))],
            Some(r#""s""#),
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let first = desk.question(call).await;
    desk.act(first.id, Act::Open).await;
    let asks = desk.questions(call, 2).await;
    let page = asks.iter().find(|ask| ask.id == first.id).expect("the same card");
    assert_eq!((&page.phase, page.position, page.of), (&waiting(None), 2, 2));
    assert_eq!(
        desk.act(page.id, Act::CheckAgain).await,
        Answered::Kept { open: 1 }
    );
    let other = asks.iter().find(|ask| ask.id != first.id).expect("the form");
    assert_eq!(desk.accept(other.id, vec![text(0, "x")]).await, Answered::Sent);
    desk.finished(call).await;
    let sent = Json::parse(&server.params()[2]).expect("JSON");
    let responses = sent.get("inputResponses").expect("answers");
    assert_eq!(
        responses.get("page").map(ToString::to_string).as_deref(),
        Some(r#"{"action":"accept"}"#)
    );
    assert!(responses.get("f").is_some());
    assert_eq!(desk.browser.opened(), [PAGE]);
}

#[tokio::test]
async fn a_link_retry_that_was_refused_before_anything_happened_can_be_checked_again() {
    let (desk, server, call) = desk(vec![
        ask_link(PAGE, None),
        Reply::Body(401, "text/plain", String::new()),
        Reply::Result(done("ok")),
    ])
    .await;
    let ask = in_browser(&desk, call).await;
    assert!(
        ask.notices
            .iter()
            .any(|notice| notice.starts_with("The server could not be told")),
        "{:?}",
        ask.notices
    );
    desk.act(ask.id, Act::CheckAgain).await;
    desk.finished(call).await;
    assert_eq!(server.params()[1], server.params()[2]);
}

#[tokio::test]
async fn a_browser_that_does_not_react_is_no_answer_even_if_it_does_later() {
    let (desk, server, call) = desk(vec![ask_link(PAGE, None)]).await;
    let ask = desk.question(call).await;
    desk.browser.hold();
    desk.look(ask.id);
    let inbox = desk.app.inbox().clone();
    let opening = tokio::spawn(async move { inbox.act(ask.id, ask.revision, Act::Open, None, None).await });
    desk.until("opening", |desk| {
        (desk.phase(ask.id) == AskPhase::Opening).then_some(())
    })
    .await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(16)).await;
    tokio::time::resume();
    let answered = opening.await.expect("no panic");
    assert!(matches!(answered, Answered::OpenFailed { .. }), "{answered:?}");
    desk.browser.release();
    assert!(matches!(desk.phase(ask.id), AskPhase::OpenFailed { .. }));
    assert_eq!(server.seen().len(), 1);
}
