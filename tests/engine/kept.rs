//! What outlives the app: the same folder, opened by one life of the app after another. A life ends without any word,
//! as when the process is killed.

use crate::kit::{Desk, Gate, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::clock::HeldClock;
use countersign_core::settings::Settings;
use countersign_core::store::history::find::Filter;
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{Database, Store, StoreError};
use countersign_core::view::{Act, Action, Answered, AskPhase, CallAct, CallPhase, ServerId};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::Elicitation;
use std::sync::Arc;
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
        let inner = runtime();
        let value = inner.block_on(async {
            let desk = Desk::with(Settings::Memory, Elicitation::Both);
            let id = desk.add("one", server);
            desk.app.keep_in(Arc::new(self.store())).expect("readable");
            assert!(desk.app.snapshot().notices.is_empty());
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
            assert_eq!(desk.app.inbox().asks()[0].draft, true, "the draft is back");
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
    // Known by its place, another one is another server: this one was removed.
    let elsewhere = lives.outer.block_on(Http::replies([finished()]));
    lives.live_at(&elsewhere, async |desk, _| {
        let row = desk.row(call);
        assert_eq!(row.phase, CallPhase::Stopped);
        assert!(desk.app.inbox().asks().is_empty());
    });
    assert_eq!((elsewhere.seen().len(), lives.server.seen().len()), (0, 1));
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
