//! Handing a link to the browser: whether there is one, one launch at a time, and what is remembered of it.

use crate::kit::{Desk, Gate, Http, Reply, done, input_required, link};
use countersign_core::link::{FindingCode, Verdict};
use countersign_core::view::{Act, Answered, AskBody, AskPhase, AskView, CallId, ResultPart};
use futures_util::future::join_all;
use std::time::Duration;

const PAGE: &str = "https://pay.example.com/start?t=1";

fn ask_link(url: &str) -> Reply {
    Reply::Result(input_required(&[("page", link("Please pay.", url))], None))
}

async fn asked(url: &str, more: Vec<Reply>) -> (Desk, Http, CallId) {
    let server = Http::replies([ask_link(url)].into_iter().chain(more).collect::<Vec<_>>()).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    (desk, server, call)
}

fn codes(ask: &AskView) -> Vec<FindingCode> {
    let AskBody::Link { inspection, .. } = &ask.body else {
        panic!("a link")
    };
    inspection.findings.iter().map(|finding| finding.code).collect()
}

fn verdict(ask: &AskView) -> Verdict {
    let AskBody::Link { inspection, .. } = &ask.body else {
        panic!("a link")
    };
    inspection.verdict
}

fn says_there_is_none(ask: &AskView) -> bool {
    ask.notices
        .iter()
        .any(|notice| notice.starts_with("No web browser was found"))
}

/// Waits until the card offers Open, or does not.
async fn offers_open(desk: &Desk, ask: &AskView, offers: bool) {
    desk.until("another offer", |desk| {
        (desk.view(ask.id).acts.contains(&Act::Open) == offers).then_some(())
    })
    .await;
}

#[tokio::test]
async fn without_a_browser_open_is_not_offered_and_the_person_says_when_the_page_is_done() {
    let server = Http::replies([ask_link(PAGE), Reply::Result(done("ok"))]).await;
    let desk = Desk::new();
    desk.browser.missing(true);
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    assert_eq!(
        ask.acts,
        [Act::Decline, Act::Dismiss, Act::AlreadyFinished, Act::StopCall]
    );
    assert!(says_there_is_none(&ask), "{:?}", ask.notices);
    let answered = desk.act(ask.id, Act::Open).await;
    assert!(matches!(answered, Answered::OpenFailed { .. }), "{answered:?}");
    assert!(desk.browser.opened().is_empty());
    assert_eq!(server.seen().len(), 1, "and that was no answer");
    assert_eq!(desk.act(ask.id, Act::AlreadyFinished).await, Answered::Sent);
    desk.finished(call).await;
    assert!(server.params()[1].contains(r#""page":{"action":"accept"}"#));
    assert!(desk.browser.opened().is_empty());
}

#[tokio::test]
async fn a_refused_link_has_nothing_to_copy_elsewhere() {
    let server = Http::replies([ask_link("javascript:alert(1)")]).await;
    let desk = Desk::new();
    desk.browser.missing(true);
    let ask = desk.question(desk.call(desk.add("one", &server))).await;
    assert_eq!(ask.acts, [Act::Decline, Act::Dismiss, Act::StopCall]);
    assert!(!says_there_is_none(&ask), "{:?}", ask.notices);
}

#[tokio::test]
async fn a_browser_that_comes_or_goes_is_noticed_at_the_next_look_which_starts_over() {
    let (desk, _server, call) = asked(PAGE, Vec::new()).await;
    let ask = desk.question(call).await;
    desk.browser.missing(true);
    desk.look(ask.id);
    offers_open(&desk, &ask, false).await;
    let changed = desk.view(ask.id);
    assert!(changed.revision > ask.revision && says_there_is_none(&changed));
    desk.browser.missing(false);
    // Back from installing one: the window comes to the front.
    desk.app.inbox().rearm();
    offers_open(&desk, &ask, true).await;
    let back = desk.view(ask.id);
    assert!(back.revision > changed.revision && !says_there_is_none(&back));
    let inbox = desk.app.inbox();
    let answered = inbox.act(ask.id, back.revision, Act::Open, None, None).await;
    assert!(matches!(answered, Answered::TooSoon { .. }), "{answered:?}");
    assert!(desk.browser.opened().is_empty());
}

#[tokio::test]
async fn consent_04_a_press_that_meets_the_card_as_it_comes_opens_nothing() {
    let (desk, server, call) = asked(PAGE, Vec::new()).await;
    let ask = desk.question(call).await;
    let inbox = desk.app.inbox();
    for shown in [false, true] {
        if shown {
            inbox.shown(ask.id, ask.revision).expect("shown");
            desk.clock.advance(Duration::from_millis(699));
        }
        let answered = inbox.act(ask.id, ask.revision, Act::Open, None, None).await;
        assert!(
            matches!(answered, Answered::TooSoon { .. }),
            "{shown} {answered:?}"
        );
    }
    assert!(desk.browser.opened().is_empty() && server.seen().len() == 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn open_again_pressed_many_times_at_once_launches_once() {
    let (desk, server, call) = asked(PAGE, vec![ask_link(PAGE)]).await;
    desk.act(desk.question(call).await.id, Act::Open).await;
    let ask = desk.question(call).await;
    desk.look(ask.id);
    desk.browser.hold();
    let open = |revision| {
        let inbox = desk.app.inbox().clone();
        tokio::spawn(async move { inbox.act(ask.id, revision, Act::Open, None, None).await })
    };
    let first = open(ask.revision);
    offers_open(&desk, &ask, false).await;
    // Still asking, long after every guard: the card that is on the screen now has no Open.
    desk.look(ask.id);
    let revision = desk.view(ask.id).revision;
    assert!(!desk.view(ask.id).acts.contains(&Act::Open));
    let late = join_all((0..50).map(|_| open(revision))).await;
    for answered in late {
        assert_eq!(answered.expect("no panic"), Answered::AlreadyAnswered);
    }
    desk.browser.release();
    assert_eq!(first.await.expect("no panic"), Answered::Opened);
    let inbox = desk.app.inbox();
    let answered = inbox.act(ask.id, revision, Act::Open, None, None).await;
    assert_eq!(answered, Answered::Changed, "it must be looked at anew");
    assert_eq!(desk.browser.opened(), [PAGE, PAGE]);
    assert_eq!(server.seen().len(), 2, "opening again tells nothing");
    assert!(desk.view(ask.id).acts.contains(&Act::Open));
}

#[tokio::test]
async fn opening_again_that_fails_leaves_the_card_as_it_was() {
    let (desk, server, call) = asked(PAGE, vec![ask_link(PAGE)]).await;
    desk.act(desk.question(call).await.id, Act::Open).await;
    let ask = desk.question(call).await;
    desk.browser.fails(true);
    let answered = desk.act(ask.id, Act::Open).await;
    assert!(matches!(answered, Answered::OpenFailed { .. }), "{answered:?}");
    let after = desk.view(ask.id);
    assert_eq!((after.phase, after.acts), (ask.phase, ask.acts));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_link_says_how_often_its_site_was_opened_for_this_server() {
    let server = || {
        Http::replies(
            (0..3)
                .flat_map(|_| [ask_link(PAGE), Reply::Result(done("ok"))])
                .collect::<Vec<_>>(),
        )
    };
    let (one, two) = (server().await, server().await);
    let desk = Desk::new();
    let (first, second) = (desk.add("one", &one), desk.add("two", &two));
    for code in [
        FindingCode::FirstTime,
        FindingCode::OpenedBefore,
        FindingCode::OpenedBefore,
    ] {
        let call = desk.call(first);
        let ask = desk.question(call).await;
        assert!(codes(&ask).contains(&code), "{:?}", ask.body);
        desk.act(ask.id, Act::Open).await;
        desk.finished(call).await;
    }
    let ask = desk.question(desk.call(second)).await;
    assert!(
        codes(&ask).contains(&FindingCode::FirstTime),
        "for each server by itself"
    );
}

#[tokio::test]
async fn what_was_not_opened_is_not_counted() {
    for fails in [true, false] {
        let server = Http::replies([ask_link(PAGE), Reply::Result(done("ok")), ask_link(PAGE)]).await;
        let desk = Desk::new();
        desk.browser.fails(fails);
        let id = desk.add("one", &server);
        let call = desk.call(id);
        let ask = desk.question(call).await;
        if fails {
            desk.act(ask.id, Act::Open).await;
        }
        desk.act(ask.id, Act::Decline).await;
        desk.finished(call).await;
        let again = desk.question(desk.call(id)).await;
        assert!(codes(&again).contains(&FindingCode::FirstTime), "{fails}");
    }
}

#[tokio::test]
async fn an_opened_site_is_told_from_its_look_alike_later() {
    let (real, alike) = ("https://app.ledgerly.example/", "https://app.1edgerly.example/");
    let server = Http::replies([ask_link(real), Reply::Result(done("ok")), ask_link(alike)]).await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let call = desk.call(id);
    desk.act(desk.question(call).await.id, Act::Open).await;
    desk.finished(call).await;
    let ask = desk.question(desk.call(id)).await;
    assert_eq!(verdict(&ask), Verdict::Risky);
    let answered = desk
        .act_with(ask.id, Act::Open, None, Some("ledgerly.example"))
        .await;
    assert_eq!(
        answered,
        Answered::WrongDomain {
            message: "This link does not go to ledgerly.example.".to_owned()
        }
    );
    assert_eq!(desk.browser.opened(), [real]);
}

#[tokio::test]
async fn consent_07_a_link_of_a_modern_server_outlives_its_connection() {
    let gate = Gate::closed();
    let (desk, _server, call) = asked(
        PAGE,
        vec![Reply::Held(gate.clone(), Box::new(Reply::Result(done("ok"))))],
    )
    .await;
    let ask = desk.question(call).await;
    desk.clock.advance(Duration::from_secs(24 * 3600));
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    gate.open();
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), [PAGE]);
}

#[tokio::test]
async fn consent_11_every_opening_is_asked_for_however_often_it_was_agreed_to() {
    let replies = (0..5).flat_map(|_| [ask_link(PAGE), Reply::Result(done("ok"))]);
    let server = Http::replies(replies.collect::<Vec<_>>()).await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    for opened in 0..5 {
        let call = desk.call(id);
        let ask = desk.question(call).await;
        assert_eq!(ask.phase, AskPhase::Waiting);
        assert_eq!(desk.browser.opened().len(), opened, "nothing by itself");
        desk.act(ask.id, Act::Open).await;
        desk.finished(call).await;
    }
}

#[tokio::test]
async fn consent_12_an_address_in_a_result_is_text_and_nothing_opens_it() {
    let server = Http::replies([Reply::Result(done("Go to https://evil.example.net now"))]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    desk.finished(call).await;
    let result = desk.app.inbox().result(call).expect("a result");
    let [ResultPart::Text { text, .. }] = &result.parts[..] else {
        panic!("text: {:?}", result.parts)
    };
    assert_eq!(text.text, "Go to https://evil.example.net now");
    assert!(desk.browser.opened().is_empty());
}

#[tokio::test]
async fn case_049_a_very_long_address_is_whole_on_its_card_and_can_be_opened() {
    let long = format!("https://pay.example/r?d={}", "a".repeat(5_000));
    let (desk, _server, call) = asked(&long, vec![Reply::Result(done("ok"))]).await;
    let ask = desk.question(call).await;
    let AskBody::Link { inspection, .. } = &ask.body else {
        panic!("a link")
    };
    assert_eq!(inspection.shown, long);
    assert_eq!(inspection.domain.as_deref(), Some("pay.example"));
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), [long]);
}

#[tokio::test]
async fn case_058_a_link_that_nobody_answers_waits_and_is_never_accepted() {
    let (desk, server, call) = asked(PAGE, Vec::new()).await;
    let ask = desk.question(call).await;
    desk.clock.advance(Duration::from_secs(7 * 24 * 3600));
    desk.app.inbox().rearm();
    assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
    assert!(desk.browser.opened().is_empty() && server.seen().len() == 1);
}

/// An address, the domain that its card names, and what is found.
fn check(asks: &AskView, domain: &str, wanted: &[FindingCode]) {
    let AskBody::Link { inspection, .. } = &asks.body else {
        panic!("a link")
    };
    assert_eq!(inspection.domain.as_deref(), Some(domain), "{inspection:?}");
    let found = codes(asks);
    for code in wanted {
        assert!(found.contains(code), "{code:?}: {inspection:?}");
    }
}

#[tokio::test]
async fn case_059_user_names_numbers_ports_and_missing_encryption_are_named() {
    for (url, domain, wanted) in [
        (
            "https://accounts.bank.example@evil.example/",
            "evil.example",
            FindingCode::Userinfo,
        ),
        ("https://203.0.113.9/login", "203.0.113.9", FindingCode::Ip),
        ("https://bank.example:8443/", "bank.example", FindingCode::Port),
        ("http://bank.example/", "bank.example", FindingCode::Cleartext),
        ("https://0x7f.1/", "127.0.0.1", FindingCode::IpObfuscated),
    ] {
        let (desk, _server, call) = asked(url, Vec::new()).await;
        check(&desk.question(call).await, domain, &[wanted]);
    }
}

#[tokio::test]
async fn case_060_look_alike_letters_are_shown_in_technical_form_and_need_the_domain() {
    for (url, domain) in [
        ("https://раypal.example/", "xn--ypal-43d9g.example"),
        ("https://gօօgle.example/", "xn--ggle-vifa.example"),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
    ] {
        let (desk, _server, call) = asked(url, Vec::new()).await;
        let ask = desk.question(call).await;
        check(&ask, domain, &[FindingCode::Punycode]);
        assert_eq!(verdict(&ask), Verdict::Risky, "{url}");
        let AskBody::Link { inspection, .. } = &ask.body else {
            panic!("a link")
        };
        assert_eq!(inspection.unicode_host, None, "{url}");
        let answered = desk.act(ask.id, Act::Open).await;
        assert!(
            matches!(answered, Answered::WrongDomain { .. }),
            "{url} {answered:?}"
        );
    }
    let (desk, _server, call) = asked("https://bücher.example/", Vec::new()).await;
    let ask = desk.question(call).await;
    check(&ask, "xn--bcher-kva.example", &[FindingCode::Punycode]);
    assert_eq!(verdict(&ask), Verdict::Notice);
}

#[tokio::test]
async fn case_062_every_request_of_a_call_says_that_links_can_be_asked_for() {
    let (desk, server, call) = asked(PAGE, vec![ask_link(PAGE), Reply::Result(done("ok"))]).await;
    desk.act(desk.question(call).await.id, Act::Open).await;
    desk.act(desk.question(call).await.id, Act::CheckAgain).await;
    desk.finished(call).await;
    let told = r#""io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}}}"#;
    assert_eq!(server.seen().len(), 3);
    for request in server.seen() {
        assert!(request.body.contains(told), "{}", request.body);
    }
}

#[tokio::test]
async fn case_064_a_link_needs_no_number_of_its_own() {
    let (desk, _server, call) = asked("https://a.example/x", vec![Reply::Result(done("ok"))]).await;
    let ask = desk.question(call).await;
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), ["https://a.example/x"]);
}

#[tokio::test]
async fn without_a_browser_a_risky_link_is_said_to_be_done_only_with_its_domain() {
    let (desk, server, call) = asked("https://paypa1.com/", vec![Reply::Result(done("ok"))]).await;
    desk.browser.missing(true);
    let ask = desk.question(call).await;
    desk.look(ask.id);
    offers_open(&desk, &ask, false).await;
    for (typed, message) in [
        (None, "Type the domain that this link goes to."),
        (Some("paypal.com"), "This link does not go to paypal.com."),
    ] {
        let answered = desk.act_with(ask.id, Act::AlreadyFinished, None, typed).await;
        let message = message.to_owned();
        assert_eq!(answered, Answered::WrongDomain { message });
    }
    assert_eq!(server.seen().len(), 1);
    let answered = desk
        .act_with(ask.id, Act::AlreadyFinished, None, Some("paypa1.com"))
        .await;
    assert_eq!(answered, Answered::Sent);
    desk.finished(call).await;
    assert!(desk.browser.opened().is_empty());
}

#[tokio::test]
async fn of_a_link_that_is_over_only_where_it_led_is_shown() {
    let (desk, _server, call) = asked(
        "HTTPS://pay.example.com/start?t=1",
        vec![Reply::Result(done("ok"))],
    )
    .await;
    let shown = |desk: &Desk, id| {
        let AskBody::Link { inspection, .. } = desk.view(id).body else {
            panic!("a link")
        };
        (inspection.shown, inspection.as_sent)
    };
    let ask = desk.question(call).await;
    assert_eq!(
        shown(&desk, ask.id),
        (
            PAGE.to_owned(),
            Some("HTTPS://pay.example.com/start?t=1".to_owned())
        )
    );
    desk.act(ask.id, Act::Open).await;
    desk.finished(call).await;
    assert_eq!(
        shown(&desk, ask.id),
        ("https://pay.example.com/…".to_owned(), None)
    );
}
