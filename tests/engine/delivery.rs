//! One answer, one delivery: races, lost and refused deliveries, sending again.

use crate::kit::{Desk, Gate, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::session::{Speak, Target};
use countersign_core::view::{Act, Action, Answered, AskPhase, CallAct, CallId, CallPhase};
use countersign_core::wire::Revision;
use futures_util::future::join_all;
use std::time::Duration;

const CALL: &str = r#""name":"t","arguments":{"a":1}"#;

fn ask_name() -> Reply {
    Reply::Result(input_required(&[("q", form("Name?", name()))], Some(r#""s""#)))
}

async fn desk(replies: Vec<Reply>) -> (Desk, Http, CallId) {
    let server = Http::replies(replies).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    (desk, server, call)
}

#[tokio::test]
async fn case_073_two_servers_with_the_same_keys_get_their_own_answers() {
    let one = Http::replies([ask_name(), Reply::Result(done("ok"))]).await;
    let two = Http::replies([ask_name(), Reply::Result(done("ok"))]).await;
    let desk = Desk::new();
    let (a, b) = (desk.add("A", &one), desk.add("B", &two));
    let (call_a, call_b) = (desk.call(a), desk.call(b));
    let (ask_a, ask_b) = (desk.question(call_a).await, desk.question(call_b).await);
    assert_eq!(
        (ask_a.server.name.as_str(), ask_b.server.name.as_str()),
        ("A", "B")
    );
    desk.accept(ask_b.id, vec![text(0, "for B")]).await;
    desk.finished(call_b).await;
    assert_eq!(one.seen().len(), 1, "A still waits");
    desk.accept(ask_a.id, vec![text(0, "for A")]).await;
    desk.finished(call_a).await;
    assert!(one.params()[1].contains("for A") && two.params()[1].contains("for B"));
    assert_eq!((one.seen().len(), two.seen().len()), (2, 2));
}

#[tokio::test]
async fn two_calls_to_one_server_with_the_same_keys_are_kept_apart() {
    let server = Http::new(|seen, _| {
        let params = seen.params();
        match (params.contains("inputResponses"), params.contains("\"t1\"")) {
            (false, true) => Reply::Result(input_required(&[("q", form("1", name()))], Some(r#""s1""#))),
            (false, false) => Reply::Result(input_required(&[("q", form("2", name()))], Some(r#""s2""#))),
            (true, _) => Reply::Result(done("ok")),
        }
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let tools = countersign_core::wire::lists::ListKind::Tools;
    let (first, second) = (desk.call_offer(id, tools, "t1"), desk.call_offer(id, tools, "t2"));
    let (ask_1, ask_2) = (desk.question(first).await, desk.question(second).await);
    desk.accept(ask_2.id, vec![text(0, "two")]).await;
    desk.accept(ask_1.id, vec![text(0, "one")]).await;
    desk.finished(first).await;
    desk.finished(second).await;
    for params in server
        .params()
        .into_iter()
        .filter(|params| params.contains("inputResponses"))
    {
        let (name, words, state) = if params.contains("\"t1\"") {
            ("t1", "one", "s1")
        } else {
            ("t2", "two", "s2")
        };
        assert_eq!(
            params,
            format!(
                r#"{{"name":"{name}","arguments":{{"a":1}},"inputResponses":{{"q":{{"action":"accept","content":{{"name":"{words}"}}}}}},"requestState":"{state}"}}"#
            )
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn consent_13_of_fifty_answers_at_once_exactly_one_is_delivered() {
    let (desk, server, call) = desk(vec![
        ask_name(),
        Reply::Held(Gate::closed(), Box::new(Reply::Close)),
    ])
    .await;
    let ask = desk.question(call).await;
    desk.look(ask.id);
    let acts = [Act::Accept, Act::Decline, Act::Dismiss];
    let answers = (0..50).map(|n| {
        let inbox = desk.app.inbox().clone();
        let inputs = Some(vec![text(0, &format!("answer {n}"))]);
        tokio::spawn(async move { inbox.act(ask.id, ask.revision, acts[n % 3], inputs, None).await })
    });
    let answers: Vec<Answered> = join_all(answers).await.into_iter().map(Result::unwrap).collect();
    let sent = answers
        .iter()
        .filter(|answered| **answered == Answered::Sent)
        .count();
    let late = answers
        .iter()
        .filter(|answered| **answered == Answered::AlreadyAnswered)
        .count();
    assert_eq!((sent, late), (1, 49), "{answers:?}");
    let seen = server.until_seen(2).await;
    assert_eq!(seen.len(), 2);
    desk.app.inbox().stop(call);
    desk.call_in(call, CallPhase::Stopped).await;
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn consent_02_of_fifty_opens_at_once_the_browser_is_launched_once() {
    let (desk, server, call) = desk(vec![
        Reply::Result(input_required(
            &[("page", link("m", "https://pay.example.com/"))],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let ask = desk.question(call).await;
    desk.look(ask.id);
    let opens = (0..50).map(|_| {
        let inbox = desk.app.inbox().clone();
        tokio::spawn(async move { inbox.act(ask.id, ask.revision, Act::Open, None, None).await })
    });
    let answers: Vec<Answered> = join_all(opens).await.into_iter().map(Result::unwrap).collect();
    let sent = answers
        .iter()
        .filter(|answered| **answered == Answered::Sent)
        .count();
    assert_eq!(sent, 1, "{answers:?}");
    assert!(
        answers.iter().all(|answered| matches!(
            answered,
            Answered::Sent | Answered::AlreadyAnswered | Answered::Changed | Answered::TooSoon { .. }
        )),
        "{answers:?}"
    );
    desk.finished(call).await;
    assert_eq!(desk.browser.opened().len(), 1);
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_windows_that_finish_a_round_at_once_send_it_once() {
    let (desk, server, call) = desk(vec![
        Reply::Result(input_required(
            &[("a", form("A", name())), ("b", form("B", name()))],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let asks = desk.questions(call, 2).await;
    desk.look(asks[0].id);
    desk.look(asks[1].id);
    let both = asks.into_iter().map(|ask| {
        let inbox = desk.app.inbox().clone();
        tokio::spawn(async move {
            inbox
                .act(ask.id, ask.revision, Act::Accept, Some(vec![text(0, "x")]), None)
                .await
        })
    });
    join_all(both).await;
    // The second may have come within the rest after the first.
    for row in desk.app.inbox().asks() {
        if row.phase == AskPhase::Waiting {
            desk.accept(row.id, vec![text(0, "x")]).await;
        }
    }
    desk.finished(call).await;
    assert_eq!(
        server.params()[1..],
        [format!(
            r#"{{{CALL},"inputResponses":{{"a":{{"action":"accept","content":{{"name":"x"}}}},"b":{{"action":"accept","content":{{"name":"x"}}}}}}}}"#
        )]
    );
}

#[tokio::test]
async fn case_071_a_lost_retry_is_unknown_and_goes_again_only_at_the_persons_word() {
    for lost in [
        Reply::Close,
        Reply::Body(503, "text/html", "busy".into()),
        Reply::Body(200, "text/event-stream", ": bye\n\n".into()),
        Reply::Body(200, "application/json", "{".into()),
    ] {
        let (desk, server, call) =
            desk(vec![ask_name(), lost.clone(), lost, Reply::Result(done("ok"))]).await;
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ann")]).await;
        for count in [2, 3] {
            let row = desk.call_in(call, CallPhase::Unknown).await;
            assert_eq!(row.acts, [CallAct::SendAgain, CallAct::Leave]);
            assert!(
                row.detail
                    .as_deref()
                    .is_some_and(|detail| detail.contains("It may have arrived"))
            );
            assert_eq!(
                desk.phase(ask.id),
                AskPhase::Undelivered {
                    action: Action::Accept,
                    reason: None,
                }
            );
            assert_eq!(desk.app.inbox().asks().len(), 1, "it stays in the list");
            assert_eq!(server.seen().len(), count, "not sent by itself");
            desk.on_call(call, CallAct::SendAgain).expect("sent again");
            if count == 2 {
                server.until_seen(3).await;
                desk.until("its end", |desk| {
                    (desk.row(call).phase == CallPhase::Unknown).then_some(())
                })
                .await;
            }
        }
        desk.finished(call).await;
        let (params, seen) = (server.params(), server.seen());
        assert!(params[1] == params[2] && params[2] == params[3]);
        let ids: Vec<String> = seen.iter().map(|seen| seen.id()).collect();
        assert_eq!(ids, ["1", "2", "3", "4"]);
        assert_eq!(
            desk.phase(ask.id),
            AskPhase::Delivered {
                action: Action::Accept
            }
        );
    }
}

#[tokio::test]
async fn leaving_a_lost_retry_sends_nothing_and_closes_its_question() {
    let (desk, server, call) = desk(vec![ask_name(), Reply::Close]).await;
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Decline).await;
    desk.call_in(call, CallPhase::Unknown).await;
    desk.on_call(call, CallAct::Leave).expect("left");
    let (row, _) = desk.ended(call).await;
    assert_eq!(
        (row.phase, row.word.as_str()),
        (CallPhase::Unknown, "left, outcome unknown")
    );
    assert_eq!(row.acts, [CallAct::StartAgain]);
    assert!(desk.on_call(call, CallAct::SendAgain).is_err());
    assert!(matches!(desk.phase(ask.id), AskPhase::Closed { .. }));
    assert_eq!(server.seen().len(), 2);
    assert!(desk.app.inbox().asks().is_empty());
}

#[tokio::test]
async fn two_words_to_send_again_send_once() {
    let (desk, server, call) = desk(vec![ask_name(), Reply::Close, Reply::Result(done("ok"))]).await;
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Decline).await;
    desk.call_in(call, CallPhase::Unknown).await;
    desk.on_call(call, CallAct::SendAgain).expect("sent again");
    assert!(desk.on_call(call, CallAct::SendAgain).is_err());
    assert!(desk.on_call(call, CallAct::Leave).is_err());
    desk.finished(call).await;
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_first_call_that_was_lost_is_not_sent_again_by_itself() {
    let (desk, server, call) = desk(vec![Reply::Close, Reply::Result(done("ok"))]).await;
    desk.call_in(call, CallPhase::Unknown).await;
    assert_eq!(server.seen().len(), 1);
    desk.on_call(call, CallAct::SendAgain).expect("sent again");
    desk.finished(call).await;
    assert_eq!(server.params(), [format!("{{{CALL}}}"), format!("{{{CALL}}}")]);
}

#[tokio::test]
async fn a_refused_connection_or_sign_in_is_not_delivered() {
    for status in [401, 403] {
        let (desk, server, call) = desk(vec![
            ask_name(),
            Reply::Body(status, "text/plain", String::new()),
            Reply::Result(done("ok")),
        ])
        .await;
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ann")]).await;
        let row = desk.call_in(call, CallPhase::NotDelivered).await;
        assert!(
            row.detail
                .as_deref()
                .is_some_and(|detail| detail.contains("sign-in"))
        );
        assert_eq!(
            desk.phase(ask.id),
            AskPhase::Undelivered {
                action: Action::Accept,
                reason: None,
            }
        );
        desk.on_call(call, CallAct::SendAgain).expect("sent again");
        desk.finished(call).await;
        assert_eq!(server.params()[1], server.params()[2]);
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!(
        "http://127.0.0.1:{}/",
        listener.local_addr().expect("an address").port()
    );
    drop(listener);
    let desk = Desk::new();
    let target = Target::Http {
        url: url::Url::parse(&url).expect("an address"),
        headers: Vec::new(),
    };
    let call = desk.call(desk.app.add_passing("gone", target, Duration::from_secs(60)));
    let row = desk.call_in(call, CallPhase::NotDelivered).await;
    assert!(
        row.detail
            .as_deref()
            .is_some_and(|detail| detail.contains("nothing left this computer")),
        "{row:?}"
    );
}

#[tokio::test]
async fn a_lost_retry_of_several_questions_keeps_every_answer_for_sending_again() {
    let (desk, server, call) = desk(vec![
        Reply::Result(input_required(
            &[
                ("f", form("F", name())),
                ("page", link("P", "https://pay.example.com/")),
            ],
            Some(r#""s""#),
        )),
        Reply::Close,
        Reply::Result(done("ok")),
    ])
    .await;
    let asks = desk.questions(call, 2).await;
    desk.act(asks[1].id, Act::Open).await;
    desk.accept(asks[0].id, vec![text(0, "Ann")]).await;
    desk.call_in(call, CallPhase::Unknown).await;
    for ask in &asks {
        assert_eq!(
            desk.phase(ask.id),
            AskPhase::Undelivered {
                action: Action::Accept,
                reason: None,
            }
        );
    }
    desk.on_call(call, CallAct::SendAgain).expect("sent again");
    desk.finished(call).await;
    assert_eq!(server.params()[1], server.params()[2]);
    assert_eq!(desk.browser.opened().len(), 1);
}

#[tokio::test]
async fn stopping_in_flight_says_that_the_answer_may_have_arrived() {
    let (desk, server, call) = desk(vec![
        ask_name(),
        Reply::Held(Gate::closed(), Box::new(Reply::Close)),
    ])
    .await;
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ann")]).await;
    server.until_seen(2).await;
    assert_eq!(
        desk.phase(ask.id),
        AskPhase::Sending {
            action: Action::Accept
        }
    );
    desk.act(ask.id, Act::StopCall).await;
    let row = desk.call_in(call, CallPhase::Stopped).await;
    assert!(
        row.detail
            .as_deref()
            .is_some_and(|detail| detail.contains("may still have happened"))
    );
    let AskPhase::Closed { reason } = desk.phase(ask.id) else {
        panic!("closed")
    };
    assert!(reason.contains("It may have arrived"), "{reason}");
    server.until_closed(1).await;
}

#[tokio::test]
async fn case_066_a_persons_time_does_not_count() {
    let server = Http::replies([ask_name(), Reply::Result(done("ok"))]).await;
    let desk = Desk::new();
    let target = Target::Http {
        url: server.url.clone(),
        headers: Vec::new(),
    };
    let speak = Speak::Only(Revision::V2026_07_28);
    let call = desk.call(
        desk.app
            .add_speaking("one", target, Duration::from_secs(5), speak),
    );
    let ask = desk.question(call).await;
    desk.clock.advance(Duration::from_secs(86_400 * 30));
    assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
    assert_eq!(server.seen().len(), 1);
    desk.accept(ask.id, vec![text(0, "Ann")]).await;
    desk.finished(call).await;
}

#[tokio::test]
async fn consent_06_a_flood_of_questions_waits_and_answers_nothing() {
    let server = Http::new(|_, _| ask_name()).await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let calls: Vec<CallId> = (0..100).map(|_| desk.call(id)).collect();
    for call in &calls {
        desk.question(*call).await;
    }
    assert_eq!(desk.app.snapshot().asks.len(), 100);
    assert_eq!(desk.app.snapshot().servers[0].waiting, 100);
    assert_eq!(server.seen().len(), 100);
    desk.app.remove_server(id).expect("removed");
    desk.until("all stopped", |desk| {
        let rows = desk.app.inbox().calls();
        rows.iter()
            .all(|row| row.phase == CallPhase::Stopped)
            .then_some(())
    })
    .await;
    assert_eq!(server.seen().len(), 100, "nothing was sent for them");
}

#[tokio::test]
async fn a_refusal_before_acting_leaves_the_answers_undelivered() {
    for code in [-32020, -32021, -32022] {
        let mut replies = vec![ask_name(), Reply::Error(400, code, "not like this")];
        if code == -32020 {
            // The list is read anew, for the headers of the next try.
            replies.push(Reply::Result(r#"{"tools":[]}"#.to_owned()));
        }
        replies.push(Reply::Result(done("ok")));
        let (desk, server, call) = desk(replies).await;
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ann")]).await;
        let row = desk.call_in(call, CallPhase::NotDelivered).await;
        assert!(
            row.detail
                .as_deref()
                .is_some_and(|detail| detail.contains("not like this")),
            "{:?}",
            row.detail
        );
        assert_eq!(
            desk.phase(ask.id),
            AskPhase::Undelivered {
                action: Action::Accept,
                reason: None,
            }
        );
        desk.on_call(call, CallAct::SendAgain).expect("sent again");
        desk.finished(call).await;
        let sent = server.params();
        assert_eq!(Some(&sent[1]), sent.last(), "the same answers and state");
    }
}
