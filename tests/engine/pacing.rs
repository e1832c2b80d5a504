//! Rounds without a question: paced, capped, continued. The line has no network and the clock is paused.

use crate::kit::{FakeBrowser, form, input_required, name, patiently};
use countersign_core::clock::HeldClock;
use countersign_core::inbox::guard::Guard;
use countersign_core::inbox::{Inbox, NewCall, ServerFacts};
use countersign_core::link::Asker;
use countersign_core::mrtr::driver::{End, Line};
use countersign_core::mrtr::machine::Word;
use countersign_core::transport::{Fault, Incoming, Patience, Reply};
use countersign_core::view::{Act, CallAct, CallId, CallPhase, Initiator, OfferKind, ServerId, TargetDraft};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::{Method, Request};
use countersign_core::wire::rpc::Response;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Answers from a script, at once; remembers what came and when on the paused clock.
struct Scripted {
    script: fn(usize) -> String,
    sent: Mutex<Vec<(tokio::time::Instant, String)>>,
}

#[expect(clippy::disallowed_methods, reason = "the paused clock of a test")]
fn paused_now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

impl Line for Scripted {
    fn patience(&self) -> Patience {
        Patience::of(Duration::from_secs(60))
    }

    async fn send(
        &self,
        request: &Request,
        _: Patience,
        _: &CancellationToken,
        _: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let count = {
            let mut sent = self.sent.lock().expect("no panic");
            sent.push((paused_now(), Json::Object(request.params.clone()).to_string()));
            sent.len() - 1
        };
        let result = Json::parse(&(self.script)(count)).expect("JSON");
        let outcome = Ok(result);
        Ok(Reply::new(Response { id: None, outcome }, None))
    }
}

struct Bench {
    inbox: Inbox,
    line: Arc<Scripted>,
    call: CallId,
}

impl Bench {
    fn start(script: fn(usize) -> String) -> Self {
        let inbox = Inbox::new(
            Arc::new(HeldClock::default()),
            Arc::new(FakeBrowser::default()),
            Guard::Spelled,
            Word::Person,
        );
        let line = Arc::new(Scripted {
            script,
            sent: Mutex::default(),
        });
        let call = inbox.start(
            Arc::clone(&line),
            NewCall {
                server: ServerFacts {
                    id: ServerId(1),
                    key: String::new(),
                    place: TargetDraft::Http {
                        url: "http://localhost/mcp".to_owned(),
                        headers: Vec::new(),
                    },
                    values: String::new(),
                    name: "one".to_owned(),
                    goes_to: "one".to_owned(),
                    practice: false,
                    asker: Asker::Local,
                    practice_page: None,
                },
                kind: OfferKind::Action,
                name: "t".to_owned(),
                arguments: Json::Null,
                output_schema: None,
                initiator: Initiator::Person,
            },
            Request::new(Method::CallTool).with("name", Json::string("t")),
        );
        Self { inbox, line, call }
    }

    async fn call_in(&self, phase: CallPhase) {
        let mut changes = self.inbox.changes();
        while self.inbox.calls()[0].phase != phase {
            patiently("the phase", changes.changed())
                .await
                .expect("the inbox lives");
        }
    }

    /// Milliseconds between the requests.
    fn pauses(&self) -> Vec<u128> {
        let sent = self.line.sent.lock().expect("no panic");
        let between = sent.windows(2).map(|two| (two[1].0 - two[0].0).as_millis());
        between.collect()
    }

    fn params(&self) -> Vec<String> {
        let sent = self.line.sent.lock().expect("no panic");
        sent.iter().map(|(_, params)| params.clone()).collect()
    }
}

fn come_back() -> String {
    input_required(&[], Some(r#""s""#))
}

#[tokio::test(start_paused = true)]
async fn http_58_rounds_without_a_question_are_paced_and_capped_and_go_on_at_the_persons_word() {
    let bench = Bench::start(|_| come_back());
    bench.call_in(CallPhase::PausedAtCap).await;
    let first = [250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000, 5000];
    assert_eq!(bench.pauses(), first);
    let row = &bench.inbox.calls()[0];
    assert_eq!(row.acts, [CallAct::ContinueRounds, CallAct::Stop]);
    assert!(
        row.detail
            .as_deref()
            .is_some_and(|detail| detail.contains("10 times"))
    );
    assert!(bench.inbox.act_on_call(bench.call, CallAct::ContinueRounds));
    bench.call_in(CallPhase::Pacing).await;
    bench.call_in(CallPhase::PausedAtCap).await;
    assert_eq!(bench.params().len(), 22, "the one of the word, and ten more");
    assert_eq!(bench.params()[0], r#"{"name":"t"}"#);
    assert!(
        bench.params()[1..]
            .iter()
            .all(|params| params == r#"{"name":"t","requestState":"s"}"#)
    );
    assert!(bench.inbox.act_on_call(bench.call, CallAct::Stop));
    bench.call_in(CallPhase::Stopped).await;
    let (_, end) = bench.inbox.end(bench.call).expect("the call");
    assert_eq!(end, Some(End::Stopped { in_flight: false }));
    assert_eq!(bench.params().len(), 22);
}

#[tokio::test(start_paused = true)]
async fn a_call_is_stopped_in_a_pause_and_nothing_more_is_sent() {
    let bench = Bench::start(|_| come_back());
    bench.call_in(CallPhase::Pacing).await;
    bench.inbox.stop(bench.call);
    bench.call_in(CallPhase::Stopped).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(bench.params().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_after_many_rounds_is_shown_with_a_word_and_waits_for_ever() {
    let bench = Bench::start(|n| match n {
        0..=9 => come_back(),
        10 => input_required(&[("q", form("m", name()))], None),
        _ => r#"{"content":[]}"#.to_owned(),
    });
    bench.call_in(CallPhase::Asking).await;
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(bench.params().len(), 11, "no clock answers");
    let ask = bench.inbox.asks()[0].id;
    let row = (
        countersign_core::view::ServerRow {
            id: ServerId(1),
            name: String::new(),
            address: String::new(),
            practice: false,
            state: countersign_core::view::ServerState::Connected,
            word: String::new(),
            detail: None,
            protocol: None,
            found: None,
            diagnosis: None,
            claims: None,
            claims_note: None,
            waiting: 0,
            paused: false,
        },
        String::new(),
    );
    let view = bench.inbox.ask(ask, |_| Some(row)).expect("the question");
    assert!(
        view.notices.iter().any(|notice| notice.contains("many times")),
        "{:?}",
        view.notices
    );
    bench
        .inbox
        .act(ask, view.revision, Act::Decline, None, None)
        .await;
    bench.call_in(CallPhase::Done).await;
    assert_eq!(
        bench.params()[11],
        r#"{"name":"t","inputResponses":{"q":{"action":"decline"}}}"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_between_starts_the_pauses_anew() {
    let bench = Bench::start(|n| match n {
        2 => input_required(&[("q", form("m", name()))], None),
        0 | 1 | 3 | 4 => come_back(),
        _ => r#"{"content":[]}"#.to_owned(),
    });
    bench.call_in(CallPhase::Asking).await;
    let ask = bench.inbox.asks()[0].id;
    bench.inbox.act(ask, 1, Act::Decline, None, None).await;
    bench.call_in(CallPhase::Done).await;
    assert_eq!(bench.pauses(), [250, 500, 0, 250, 500]);
    assert_eq!(
        bench.params()[4],
        r#"{"name":"t","requestState":"s"}"#,
        "no answers of before"
    );
}
