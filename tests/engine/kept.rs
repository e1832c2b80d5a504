//! What outlives the app: the same folder, opened by one life of the app after another. A life ends without any word,
//! as when the process is killed.

use crate::kit::live::{Live, asks};
use crate::kit::{Desk, Gate, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::clock::HeldClock;
use countersign_core::form::FieldInput;
use countersign_core::session::Speak;
use countersign_core::settings::Settings;
use countersign_core::store::history::find::Filter;
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{Database, Store, StoreError};
use countersign_core::view::{Act, Action, Answered, AskBody, AskPhase, CallAct, CallPhase, ServerId};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use countersign_core::wire::request::Elicitation;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

struct Lives {
    folder: TempDir,
    server: Http,
    /// Outlives the lives.
    outer: Runtime,
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().expect("a runtime")
}

impl Lives {
    fn new(replies: Vec<Reply>) -> Self {
        let outer = runtime();
        Self {
            folder: TempDir::new().expect("a folder"),
            server: outer.block_on(Http::replies(replies)),
            outer,
        }
    }

    fn store(&self) -> Store {
        let place = loop {
            match Place::take(self.folder.path()) {
                Ok(place) => break place,
                // The last thread of the life before ends in its own time.
                Err(StoreError::InUse { .. }) => std::thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        };
        let (database, aside) = Database::open(place, &HeldClock::default()).expect("opens");
        assert_eq!(aside.map(|aside| aside.path), None, "nothing is damaged");
        let master = Master::from_bytes(&[7; 32]).expect("32 bytes");
        database
            .unlock(&master)
            .unwrap_or_else(|refused| panic!("{}", refused.error))
    }

    /// One life of the app.
    fn live<T>(&self, life: impl AsyncFnOnce(&Desk, ServerId) -> T) -> T {
        self.live_at(&self.server, life)
    }

    fn live_at<T>(&self, server: &Http, life: impl AsyncFnOnce(&Desk, ServerId) -> T) -> T {
        self.live_with(|desk| desk.add("one", server), life)
    }

    /// A life that has nothing to tell at its start.
    fn live_with<T>(
        &self,
        add: impl FnOnce(&Desk) -> ServerId,
        life: impl AsyncFnOnce(&Desk, ServerId) -> T,
    ) -> T {
        self.live_on(add, async |desk, id| {
            assert!(desk.app.snapshot().notices.is_empty());
            life(desk, id).await
        })
    }

    fn live_on<T>(
        &self,
        add: impl FnOnce(&Desk) -> ServerId,
        life: impl AsyncFnOnce(&Desk, ServerId) -> T,
    ) -> T {
        let inner = runtime();
        let value = inner.block_on(async {
            let desk = Desk::with(Settings::Memory, Elicitation::Both);
            let id = add(&desk);
            desk.app.keep_in(&Arc::new(self.store())).expect("readable");
            let value = life(&desk, id).await;
            // The process is gone from here on: whatever its last threads do is not kept.
            desk.app.inbox().let_go();
            value
        });
        inner.shutdown_background();
        value
    }

    fn history(&self) -> Vec<String> {
        let page = self
            .store()
            .history(&Filter::default(), None, 100)
            .expect("readable");
        let mut lines: Vec<String> = page
            .lines
            .iter()
            .filter_map(|line| line.entry.as_ref())
            .map(|entry| format!("{} {}", entry.outcome.code(), entry.delivery.code()))
            .collect();
        lines.reverse();
        lines
    }
}

fn asked(state: &str) -> Reply {
    Reply::Result(input_required(&[("q", form("Name?", name()))], Some(state)))
}

fn finished() -> Reply {
    Reply::Result(done("ok"))
}

#[test]
fn case_077_a_half_filled_question_comes_back_and_is_answered_to_the_byte() {
    for state in [r#""s1""#, r#""""#, r#"" aé\u2028=+/ ""#, r#""{\"a\": 1 }""#] {
        let lives = Lives::new(vec![asked(state), finished()]);
        let call = lives.live(async |desk, server| {
            let call = desk.call(server);
            let ask = desk.question(call).await;
            desk.app.inbox().draft(ask.id, vec![text(0, "Ada")]);
            call
        });
        lives.live(async |desk, _| {
            let ask = desk.question(call).await;
            assert_eq!(desk.app.inbox().asks().len(), 1);
            assert!(format!("{:?}", ask.body).contains("draft"), "{:?}", ask.body);
            assert!(desk.app.inbox().asks()[0].draft, "the draft is back");
            let answered = desk.act(ask.id, Act::Accept).await;
            assert_eq!(answered, Answered::Sent);
            desk.finished(call).await;
        });
        let state = Json::parse(state).expect("a state");
        let ids = lives.server.seen().into_iter().map(|seen| {
            let body = Json::parse(&seen.body).expect("a request");
            body.get("id").map(Json::to_string)
        });
        let ids: Vec<_> = ids.collect();
        assert!(ids.len() == 2 && ids[0] != ids[1], "a new id: {ids:?}");
        assert_eq!(
            lives.server.params()[1],
            format!(
                r#"{{"name":"t","arguments":{{"a":1}},"inputResponses":{{"q":{{"action":"accept","content":{{"name":"Ada"}}}}}},"requestState":{state}}}"#
            )
        );
        assert_eq!(
            lives.history(),
            [
                "call_started nothing",
                "accepted on_its_way",
                "delivered delivered",
                "call_done delivered"
            ]
        );
    }
}

#[test]
fn an_answer_that_was_on_its_way_is_unknown_and_sent_again_only_at_the_persons_word() {
    let lives = Lives::new(vec![
        asked(r#""s""#),
        Reply::Held(Gate::closed(), Box::new(Reply::Close)),
        finished(),
    ]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ada")]).await;
        lives.server.until_seen(2).await;
        call
    });
    lives.live(async |desk, _| {
        let row = desk.call_in(call, CallPhase::Unknown).await;
        assert_eq!(row.acts, [CallAct::SendAgain, CallAct::Leave]);
        assert_eq!(lives.server.seen().len(), 2, "nothing by itself");
        desk.on_call(call, CallAct::SendAgain).expect("sent");
        desk.finished(call).await;
    });
    let params = lives.server.params();
    assert_eq!(params.len(), 3);
    assert_eq!(params[1], params[2], "the same once more");
}

#[test]
fn a_call_that_was_on_its_way_is_unknown_and_can_be_left() {
    let lives = Lives::new(vec![Reply::Held(Gate::closed(), Box::new(Reply::Close))]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        lives.server.until_seen(1).await;
        call
    });
    lives.live(async |desk, _| {
        desk.call_in(call, CallPhase::Unknown).await;
        desk.on_call(call, CallAct::Leave).expect("left");
        desk.ended(call).await;
    });
    lives.live(async |desk, _| {
        let row = desk.row(call);
        assert_eq!(
            (row.phase, row.acts),
            (CallPhase::Unknown, vec![CallAct::StartAgain])
        );
    });
    assert_eq!(lives.server.seen().len(), 1);
    assert_eq!(lives.history(), ["call_started nothing", "left unknown"]);
}

#[test]
fn kept_answers_of_a_round_come_back_and_travel_together() {
    let three = input_required(
        &[
            ("a", form("A?", name())),
            ("b", form("B?", name())),
            ("c", link("C", "https://pay.example.com/c")),
        ],
        Some(r#""s""#),
    );
    let lives = Lives::new(vec![Reply::Result(three), finished()]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let asks = desk.questions(call, 3).await;
        let kept = desk.accept(asks[0].id, vec![text(0, "first")]).await;
        assert_eq!(kept, Answered::Kept { open: 2 });
        desk.act(asks[2].id, Act::Open).await;
        assert_eq!(desk.browser.opened().len(), 1);
        call
    });
    lives.live(async |desk, _| {
        let asks = desk.questions(call, 3).await;
        assert_eq!(
            asks[0].phase,
            AskPhase::Kept {
                action: Action::Accept
            }
        );
        assert_eq!(
            asks[2].phase,
            AskPhase::Kept {
                action: Action::Accept
            },
            "opened, and not again"
        );
        assert_eq!(desk.act(asks[1].id, Act::Decline).await, Answered::Sent);
        desk.finished(call).await;
        assert!(desk.browser.opened().is_empty());
    });
    assert_eq!(
        lives.server.params()[1],
        r#"{"name":"t","arguments":{"a":1},"inputResponses":{"a":{"action":"accept","content":{"name":"first"}},"b":{"action":"decline"},"c":{"action":"accept"}},"requestState":"s"}"#
    );
}

#[test]
fn a_link_whose_browser_was_being_asked_may_be_open_and_is_not_opened_by_itself() {
    let page = input_required(&[("page", link("m", "https://pay.example.com/"))], None);
    let lives = Lives::new(vec![Reply::Result(page), finished()]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        desk.browser.hold();
        desk.look(ask.id);
        let inbox = desk.app.inbox().clone();
        let revision = desk.view(ask.id).revision;
        tokio::spawn(async move { inbox.act(ask.id, revision, Act::Open, None, None).await });
        while desk.browser.opened().is_empty() {
            tokio::task::yield_now().await;
        }
        call
    });
    // Whichever came first, the launch or the end of the app: nothing is opened, and the person says what happened.
    if lives.server.seen().len() == 1 {
        lives.live(async |desk, _| {
            let ask = desk.question(call).await;
            assert_eq!(ask.phase, AskPhase::MayBeOpen);
            assert!(
                ask.acts.contains(&Act::Open) && ask.acts.contains(&Act::AlreadyFinished),
                "{:?}",
                ask.acts
            );
            assert_eq!(desk.act(ask.id, Act::AlreadyFinished).await, Answered::Sent);
            desk.finished(call).await;
            assert!(desk.browser.opened().is_empty());
        });
        assert!(lives.params_of_answer().contains(r#""page":{"action":"accept"}"#));
    }
}

impl Lives {
    fn params_of_answer(&self) -> String {
        self.server.params().last().cloned().unwrap_or_default()
    }
}

#[test]
fn a_secret_is_in_no_draft_and_an_answer_with_one_is_asked_for_anew() {
    let schema = r#"{"type":"object","properties":{"who":{"type":"string"},"password":{"type":"string"}},"required":["password"]}"#;
    let ask = Reply::Result(input_required(&[("q", form("Sign in", schema))], Some(r#""s""#)));
    let lives = Lives::new(vec![
        ask,
        Reply::Held(Gate::closed(), Box::new(Reply::Close)),
        finished(),
    ]);
    let mut secret = text(1, "hunter2");
    secret.anyway = true;
    let inputs = vec![text(0, "Ada"), secret];
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        assert_eq!(desk.accept(ask.id, inputs.clone()).await, Answered::Sent);
        lives.server.until_seen(2).await;
        call
    });
    lives.live(async |desk, _| {
        let row = desk.call_in(call, CallPhase::Unknown).await;
        assert!(row.detail.expect("why").contains("secret, which is never kept"));
        desk.on_call(call, CallAct::SendAgain).expect("asked anew");
        let ask = desk.question(call).await;
        assert_eq!(ask.phase, AskPhase::Waiting);
        assert!(!format!("{:?}", ask.body).contains("hunter2"));
        assert_eq!(lives.server.seen().len(), 2, "nothing was sent");
        assert_eq!(desk.accept(ask.id, inputs.clone()).await, Answered::Sent);
        desk.finished(call).await;
    });
    let params = lives.server.params();
    assert_eq!(params[1], params[2]);
    for entry in std::fs::read_dir(lives.folder.path()).expect("the folder") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("readable");
        for word in [&b"hunter2"[..], b"Ada", b"Sign in"] {
            assert!(
                !bytes.windows(word.len()).any(|part| part == word),
                "in clear text"
            );
        }
    }
}

#[test]
fn what_was_asked_at_one_place_is_answered_at_no_other() {
    let lives = Lives::new(vec![asked(r#""s""#), finished()]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        desk.question(call).await;
        call
    });
    // Known by its place, another one is another server; that of the call is not in the list.
    let elsewhere = lives.outer.block_on(Http::replies([finished()]));
    let told = lives.live_on(
        |desk| desk.add("one", &elsewhere),
        async |desk, _| {
            assert!(desk.app.inbox().calls().is_empty() && desk.app.inbox().asks().is_empty());
            desk.app.snapshot().notices
        },
    );
    assert!(told[0].contains("not in your list"), "{told:?}");
    assert_eq!((elsewhere.seen().len(), lives.server.seen().len()), (0, 1));
    lives.live(async |desk, _| {
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ada")]).await;
        desk.finished(call).await;
    });
}

#[test]
fn a_finished_call_comes_back_with_its_result() {
    let lives = Lives::new(vec![finished()]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        desk.finished(call).await;
        call
    });
    lives.live(async |desk, server| {
        assert_eq!(desk.row(call).phase, CallPhase::Done);
        let result = desk.app.inbox().result(call).expect("kept");
        assert!(format!("{:?}", result.parts).contains("ok"), "{result:?}");
        assert_ne!(desk.call(server), call, "ids go on");
    });
    // The second call may have been told of before its life ended.
    assert_eq!(
        lives.history()[..2],
        ["call_started nothing", "call_done delivered"]
    );
}

#[test]
fn a_start_that_changes_nothing_writes_no_call() {
    let lives = Lives::new(vec![asked(r#""s""#), finished(), asked(r#""s""#)]);
    let waiting = lives.live(async |desk, server| {
        let ended = desk.call(server);
        let ask = desk.question(ended).await;
        desk.accept(ask.id, vec![text(0, "Ada")]).await;
        desk.finished(ended).await;
        let waiting = desk.call(server);
        desk.question(waiting).await;
        waiting
    });
    let numbers = || {
        let store = lives.store();
        let open = store.open_calls().expect("readable").calls;
        let ended = store.finished_calls(10).expect("readable").calls;
        let all = open.iter().chain(&ended);
        all.map(|call| (call.id, call.seq)).collect::<Vec<_>>()
    };
    let before = numbers();
    assert_eq!(before.len(), 2);
    lives.live(async |desk, _| {
        desk.question(waiting).await;
    });
    assert_eq!(numbers(), before);
}

/// What was entered into a question before.
fn draft(body: &AskBody) -> &[FieldInput] {
    match body {
        AskBody::Form { draft, .. } => draft,
        AskBody::Link { .. } | AskBody::Unusable { .. } => &[],
    }
}

#[test]
fn case_086_every_odd_state_and_argument_is_the_same_to_the_byte_after_every_restart() {
    let long = Json::string("aé\u{2028} ".repeat(30_000)).to_string();
    let states = [
        None,
        Some(r#""""#),
        Some(r#"" aé\u2028=+/ ""#),
        Some(r#""{\"a\": 1 }""#),
        Some(r#""\u0000\u007f\\/\ud83d\ude00""#),
        Some(long.as_str()),
    ];
    for (state, argument) in states.into_iter().zip([
        "1.0",
        "1e400",
        "9007199254740993",
        "-0",
        r#"{"__proto__":null,"":[1.50]}"#,
        r#""aé\u0000""#,
    ]) {
        let ask = input_required(&[("q", form("Name?", name()))], state);
        let lives = Lives::new(vec![
            Reply::Result(ask),
            Reply::Held(Gate::closed(), Box::new(Reply::Close)),
            finished(),
        ]);
        let argument = Json::parse(argument).expect("an argument");
        let call = lives.live(async |desk, server| {
            let call = desk.call_with(server, argument.clone());
            desk.question(call).await;
            call
        });
        lives.live(async |desk, _| {
            let ask = desk.question(call).await;
            desk.accept(ask.id, vec![text(0, "Ada")]).await;
            lives.server.until_seen(2).await;
        });
        lives.live(async |desk, _| {
            desk.call_in(call, CallPhase::Unknown).await;
            desk.on_call(call, CallAct::SendAgain).expect("sent again");
            desk.finished(call).await;
        });
        let state = state.map(|state| format!(r#","requestState":{}"#, Json::parse(state).expect("a state")));
        let retry = format!(
            r#"{{"name":"t","arguments":{{"a":{argument}}},"inputResponses":{{"q":{{"action":"accept","content":{{"name":"Ada"}}}}}}{}}}"#,
            state.unwrap_or_default()
        );
        let params = lives.server.params();
        assert_eq!(
            params[0],
            format!(r#"{{"name":"t","arguments":{{"a":{argument}}}}}"#)
        );
        assert!(params[1] == retry, "{}", params[1]);
        assert!(params[2] == retry, "{}", params[2]);
        let ids: Vec<String> = lives.server.seen().iter().map(|seen| seen.id()).collect();
        assert!(
            ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2],
            "{ids:?}"
        );
    }
}

#[test]
fn v8_a_server_that_forgot_ends_the_call_and_the_draft_outlives_that_too() {
    let lives = Lives::new(vec![
        asked(r#""old""#),
        Reply::Error(400, -32602, "requestState expired"),
        asked(r#""new""#),
        finished(),
    ]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        desk.app.inbox().draft(ask.id, vec![text(0, "Ada")]);
        call
    });
    lives.live(async |desk, _| {
        let ask = desk.question(call).await;
        assert_eq!(desk.act(ask.id, Act::Accept).await, Answered::Sent);
        let row = desk.call_in(call, CallPhase::Failed).await;
        assert_eq!(row.acts, [CallAct::StartAgain]);
    });
    lives.live(async |desk, _| {
        let row = desk.row(call);
        assert_eq!(
            (row.phase, row.acts.as_slice()),
            (CallPhase::Failed, [CallAct::StartAgain].as_slice())
        );
        assert!(row.detail.expect("why").contains("requestState expired"));
        desk.on_call(call, CallAct::StartAgain).expect("started again");
        let again = desk.question(desk.app.inbox().calls()[0].id).await;
        assert_eq!(draft(&again.body), [text(0, "Ada")]);
        assert_eq!(desk.act(again.id, Act::Accept).await, Answered::Sent);
        desk.finished(again.call.id).await;
    });
    let params = lives.server.params();
    assert_eq!(
        params[2], r#"{"name":"t","arguments":{"a":1}}"#,
        "from the beginning"
    );
    assert!(params[3].ends_with(r#""requestState":"new"}"#), "{}", params[3]);
}

#[test]
fn v9_the_answers_of_an_earlier_round_are_not_sent_with_those_of_a_later_one() {
    let town = r#"{"type":"object","properties":{"town":{"type":"string"}},"required":["town"]}"#;
    let other = input_required(&[("q", form("Town?", town))], Some(r#""s2""#));
    let lives = Lives::new(vec![asked(r#""s1""#), Reply::Result(other), finished()]);
    let (call, first) = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ada")]).await;
        desk.until("the second round", |desk| {
            (desk.row(call).rounds == 2).then_some(())
        })
        .await;
        desk.question(call).await;
        (call, ask.id)
    });
    lives.live(async |desk, _| {
        let ask = desk.question(call).await;
        assert_ne!(ask.id, first, "a card of its own");
        assert_eq!(draft(&ask.body), [], "nothing of the first answer");
        desk.accept(ask.id, vec![text(0, "Bonn")]).await;
        desk.finished(call).await;
    });
    assert_eq!(
        lives.server.params()[2],
        r#"{"name":"t","arguments":{"a":1},"inputResponses":{"q":{"action":"accept","content":{"town":"Bonn"}}},"requestState":"s2"}"#
    );
}

#[test]
fn v16_fifty_questions_of_one_server_come_back_in_their_order_each_with_its_own_state() {
    const CALLS: usize = 50;
    let lives = Lives::new(Vec::new());
    let server = lives.outer.block_on(Http::new(|seen, _| {
        let params = seen.params();
        if params.contains("inputResponses") {
            return finished();
        }
        let a = Json::parse(&params).expect("params");
        let a = a
            .get("arguments")
            .and_then(|arguments| arguments.get("a"))
            .map(Json::to_string);
        asked(&Json::string(format!("state of {}", a.unwrap_or_default())).to_string())
    }));
    let calls = lives.live_at(&server, async |desk, id| {
        let mut calls = Vec::new();
        for number in 0..CALLS {
            let call = desk.call_with(id, Json::integer(i64::try_from(number).expect("small")));
            desk.question(call).await;
            calls.push(call);
        }
        calls
    });
    lives.live_at(&server, async |desk, _| {
        let waiting: Vec<_> = desk.app.inbox().asks().iter().map(|ask| ask.call).collect();
        assert_eq!(waiting, calls, "the oldest first");
        // The newest is answered first.
        for call in calls.iter().rev() {
            let ask = desk.question(*call).await;
            desk.accept(ask.id, vec![text(0, "Ada")]).await;
            desk.finished(*call).await;
        }
        assert!(desk.app.inbox().asks().is_empty());
    });
    let params = server.params();
    assert_eq!(params.len(), 2 * CALLS);
    for (number, params) in (0..CALLS).rev().zip(&params[CALLS..]) {
        assert_eq!(
            *params,
            format!(
                r#"{{"name":"t","arguments":{{"a":{number}}},"inputResponses":{{"q":{{"action":"accept","content":{{"name":"Ada"}}}}}},"requestState":"state of {number}"}}"#
            )
        );
    }
}

#[test]
fn case_084_a_question_of_an_older_server_is_over_and_its_call_is_not_run_again_by_itself() {
    let lives = Lives::new(Vec::new());
    let server = lives.outer.block_on(Live::new());
    let add = |desk: &Desk| {
        let speak = Speak::Only(Revision::V2025_11_25);
        desk.app
            .add_speaking("old", server.target(), Duration::from_secs(60), speak)
    };
    let (call, ask) = lives.live_with(add, async |desk, id| {
        desk.app.reached(id).await.expect("a session");
        let call = desk.call(id);
        server.call("t").say(&asks(r#""q""#, "Name?"));
        let ask = desk.question(call).await;
        desk.app.inbox().draft(ask.id, vec![text(0, "Ada")]);
        (call, ask.id)
    });
    lives.live_with(add, async |desk, id| {
        desk.app.reached(id).await.expect("a session");
        let row = desk.call_in(call, CallPhase::Unknown).await;
        assert_eq!(row.acts, [CallAct::SendAgain, CallAct::Leave]);
        let card = desk.view(ask);
        assert!(matches!(card.phase, AskPhase::Closed { .. }), "{:?}", card.phase);
        assert_eq!(draft(&card.body), [text(0, "Ada")], "to be copied");
        assert!(card.acts.is_empty(), "{:?}", card.acts);
        assert!(desk.app.inbox().asks().is_empty(), "nothing waits");
        desk.on_call(call, CallAct::Leave).expect("left");
        desk.ended(call).await;
    });
    assert_eq!(server.heard("tools/call").len(), 1, "once, and never by itself");
    assert!(server.answers().is_empty(), "{:?}", server.answers());
}

#[test]
fn case_092_a_draft_that_does_not_fit_is_said_at_its_field_and_not_sent() {
    let seats = r#"{"type":"object","properties":{"seats":{"type":"integer","minimum":2,"maximum":8}},"required":["seats"]}"#;
    let ask = input_required(&[("q", form("How many?", seats))], Some(r#""s""#));
    let lives = Lives::new(vec![Reply::Result(ask), finished()]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        desk.app.inbox().draft(ask.id, vec![text(0, "12")]);
        call
    });
    lives.live(async |desk, _| {
        let ask = desk.question(call).await;
        assert_eq!(draft(&ask.body), [text(0, "12")]);
        let Answered::Invalid { errors } = desk.act(ask.id, Act::Accept).await else {
            panic!("it does not fit");
        };
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].field, 0);
        assert_eq!(lives.server.seen().len(), 1, "nothing was sent");
        assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
        assert_eq!(desk.accept(ask.id, vec![text(0, "5")]).await, Answered::Sent);
        desk.finished(call).await;
    });
    assert!(lives.server.params()[1].contains(r#""content":{"seats":5}"#));
}

#[test]
fn fifty_claims_at_once_with_a_store_deliver_once() {
    let lives = Lives::new(vec![asked(r#""s""#), finished()]);
    let call = lives.live(async |desk, server| {
        let call = desk.call(server);
        let ask = desk.question(call).await;
        desk.look(ask.id);
        let acts = [Act::Accept, Act::Decline, Act::Dismiss];
        let claims = (0..50).map(|number| {
            let inbox = desk.app.inbox().clone();
            let inputs = Some(vec![text(0, &format!("answer {number}"))]);
            tokio::spawn(async move {
                inbox
                    .act(ask.id, ask.revision, acts[number % 3], inputs, None)
                    .await
            })
        });
        let answered = join_all(claims).await;
        let sent = answered
            .iter()
            .filter(|answered| matches!(answered, Ok(Answered::Sent)));
        let late = answered
            .iter()
            .filter(|answered| matches!(answered, Ok(Answered::AlreadyAnswered)));
        assert_eq!((sent.count(), late.count()), (1, 49), "{answered:?}");
        desk.finished(call).await;
        call
    });
    let history = lives.history();
    assert_eq!(history.len(), 4, "{history:?}");
    lives.live(async |desk, _| assert_eq!(desk.row(call).phase, CallPhase::Done));
    assert_eq!(lives.history(), history, "a start tells nothing twice");
    assert_eq!(lives.server.seen().len(), 2);
}

#[test]
fn two_windows_that_finish_a_round_at_once_with_a_store_send_it_once() {
    let two = input_required(&[("a", form("A", name())), ("b", form("B", name()))], None);
    let lives = Lives::new(vec![Reply::Result(two), finished()]);
    lives.live(async |desk, server| {
        let call = desk.call(server);
        let asks = desk.questions(call, 2).await;
        desk.look(asks[0].id);
        desk.look(asks[1].id);
        let both = asks.iter().map(|ask| {
            let (inbox, id, revision) = (desk.app.inbox().clone(), ask.id, ask.revision);
            tokio::spawn(async move {
                inbox
                    .act(id, revision, Act::Accept, Some(vec![text(0, "x")]), None)
                    .await
            })
        });
        join_all(both).await;
        // The second may have come within the rest after the first.
        for ask in desk.app.inbox().asks() {
            if ask.phase == AskPhase::Waiting {
                desk.accept(ask.id, vec![text(0, "x")]).await;
            }
        }
        desk.finished(call).await;
    });
    assert_eq!(lives.server.seen().len(), 2);
}
