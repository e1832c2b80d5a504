//! A server that is not where it was when it asked: nothing goes to the new place, and the person can put it back.

use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, text};
use crate::store::keys::Fake;
use countersign_core::settings::Settings;
use countersign_core::store::history::{Outcome, find::Filter};
use countersign_core::store::place::Place;
use countersign_core::view::{
    Act, Answered, CallAct, CallId, CallPhase, NameValue, ServerDraft, TargetDraft,
};
use countersign_core::wire::request::Elicitation;
use std::time::Duration;
use tempfile::TempDir;

struct Desks {
    folder: TempDir,
    keys: Fake,
}

impl Desks {
    fn new() -> Self {
        Self {
            folder: TempDir::new().expect("a folder"),
            keys: Fake::default(),
        }
    }

    /// One life of the app, with the list of servers as it stands in the folder.
    async fn begin(&self) -> Desk {
        let desk = Desk::with(Settings::Folder(self.folder.path().to_owned()), Elicitation::Both);
        let place = Place::take(self.folder.path()).expect("free");
        desk.app.keep_at(self.folder.path(), Ok(place), self.keys.keys());
        desk.app.find_key().await;
        desk
    }

    fn list(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("servers.json")).expect("a list")
    }

    /// Somebody writes something else into the list.
    fn write(&self, list: &str) {
        assert_ne!(list, self.list());
        std::fs::write(self.folder.path().join("servers.json"), list).expect("written");
    }
}

fn draft(server: &Http) -> ServerDraft {
    ServerDraft {
        name: "Desk".to_owned(),
        target: TargetDraft::Http {
            url: server.url.to_string(),
            headers: vec![NameValue {
                name: "X-Key".to_owned(),
                value: "k".to_owned(),
            }],
        },
        timeout_seconds: 60,
    }
}

async fn server() -> Http {
    let round = input_required(&[("q", form("Name?", name()))], Some(r#""s""#));
    Http::asks(round, done("ok")).await
}

fn calls(server: &Http) -> Vec<String> {
    let seen = server.seen();
    let calls = seen.iter().filter(|seen| seen.rpc_method() == "tools/call");
    calls.map(|seen| seen.params()).collect()
}

async fn asked(desks: &Desks, server: &Http) -> CallId {
    let desk = desks.begin().await;
    let id = desk.app.add_server(draft(server)).expect("added");
    let call = desk.call(id);
    desk.question(call).await;
    desk.app.let_go();
    call
}

/// A call that asked at the first server, whose entry names the second one since.
async fn moved() -> (Desks, Http, Http, CallId) {
    let desks = Desks::new();
    let (old, new) = (server().await, server().await);
    let call = asked(&desks, &old).await;
    desks.write(&desks.list().replace(old.url.as_str(), new.url.as_str()));
    (desks, old, new, call)
}

#[tokio::test]
async fn what_was_asked_at_another_address_waits_until_the_person_puts_the_server_back() {
    let (desks, old, new, call) = moved().await;

    let desk = desks.begin().await;
    let row = desk.call_in(call, CallPhase::ServerMoved).await;
    assert_eq!(row.acts, [CallAct::RestoreServer, CallAct::Stop]);
    let said = row.detail.expect("said");
    let origin = |server: &Http| server.url.origin().ascii_serialization();
    assert!(
        said.contains(&origin(&old)) && said.contains(&origin(&new)),
        "{said}"
    );
    let ask = desk.app.inbox().asks()[0].id;
    let view = desk.view(ask);
    assert_eq!(view.acts, [Act::StopCall]);
    assert_eq!(view.server.address, origin(&old), "the card names who asked");
    let answered = desk.accept(ask, vec![text(0, "Ada")]).await;
    assert!(matches!(answered, Answered::NotPossible { .. }), "{answered:?}");
    // Started at the present place, it keeps the server there.
    let other = desk.call(desk.app.snapshot().servers[0].id);
    desk.question(other).await;
    let refused = desk
        .on_call(call, CallAct::RestoreServer)
        .expect_err("another goes on");
    assert!(
        refused.message.contains("Finish or stop them first"),
        "{refused:?}"
    );
    desk.on_call(other, CallAct::Stop).expect("stopped");
    desk.ended(other).await;
    assert_eq!((calls(&old).len(), calls(&new).len()), (1, 1));

    desk.on_call(call, CallAct::RestoreServer).expect("put back");
    assert!(desks.list().contains(old.url.as_str()) && !desks.list().contains(new.url.as_str()));
    let ask = desk.question(call).await;
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!((calls(&old).len(), calls(&new).len()), (2, 1));
    assert!(calls(&old)[1].contains(r#""requestState":"s""#));
    let with_key = old
        .seen()
        .iter()
        .all(|seen| seen.header("x-key").as_deref() == Some("k"));
    assert!(with_key, "its header went along");
    let store = desk.app.inbox().store().expect("kept");
    let told = store.history(&Filter::default(), None, 50).expect("readable");
    let mut told = told.lines.iter().filter_map(|line| line.entry.as_ref());
    assert!(told.any(|entry| entry.outcome == Outcome::ServerRestored));
}

#[tokio::test]
async fn a_call_whose_server_moved_can_be_stopped_and_started_again_at_the_new_place() {
    let (desks, old, new, call) = moved().await;
    let desk = desks.begin().await;
    desk.call_in(call, CallPhase::ServerMoved).await;
    desk.on_call(call, CallAct::Stop).expect("stopped");
    desk.ended(call).await;
    desk.on_call(call, CallAct::StartAgain).expect("anew");
    let again = desk.row(CallId(call.0 + 1)).id;
    desk.question(again).await;
    assert_eq!((calls(&old).len(), calls(&new).len()), (1, 1));
    desk.app.let_go();
    let desk = desks.begin().await;
    desk.question(again).await;
}

#[tokio::test]
async fn changed_headers_are_said_and_nothing_goes_without_their_values() {
    let desks = Desks::new();
    let server = server().await;
    desks.keys.mood(crate::store::keys::Mood::Present);
    let call = asked(&desks, &server).await;
    desks.write(&desks.list().replace("X-Key", "X-Other"));
    let desk = desks.begin().await;
    let ask = desk.question(call).await;
    let said = ask
        .notices
        .iter()
        .any(|notice| notice.contains("headers or variables"));
    assert!(said, "{:?}", ask.notices);
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    let row = desk.call_in(call, CallPhase::NotDelivered).await;
    assert!(row.detail.expect("said").contains("not at hand"));
    assert_eq!(calls(&server).len(), 1, "nothing is sent without a value");
    desk.app.let_go();
    drop(desk);

    desks.write(&desks.list().replace(r#""value": """#, r#""value": "new""#));
    let desk = desks.begin().await;
    assert!(!desks.list().contains("new"), "what was written there is kept");
    desk.call_in(call, CallPhase::NotDelivered).await;
    desk.on_call(call, CallAct::SendAgain).expect("sent again");
    desk.finished(call).await;
    let seen = server.seen();
    let last = seen.iter().rfind(|seen| seen.rpc_method() == "tools/call");
    assert_eq!(
        last.and_then(|seen| seen.header("x-other")).as_deref(),
        Some("new")
    );
}

#[tokio::test]
async fn a_server_whose_values_are_not_at_hand_is_not_put_back() {
    let (desks, old, new, call) = moved().await;
    let list = desks.list().replace("X-Key", "X-Other");
    desks.write(&list);
    let desk = desks.begin().await;
    desk.call_in(call, CallPhase::ServerMoved).await;
    let failure = desk
        .on_call(call, CallAct::RestoreServer)
        .expect_err("not possible");
    assert!(failure.message.contains("not at hand"), "{failure:?}");
    assert_eq!(desks.list(), list, "the list is as it was");
    assert_eq!((calls(&old).len(), calls(&new).len()), (1, 0));
}

#[tokio::test]
async fn a_question_that_waits_long_says_that_servers_forget() {
    let desk = Desk::new();
    let link_too = input_required(
        &[
            ("q", form("Name?", name())),
            ("u", link("Pay", "https://pay.test/")),
        ],
        None,
    );
    let server = Http::replies([Reply::Result(link_too)]).await;
    let call = desk.call(desk.add("one", &server));
    let asks = desk.questions(call, 2).await;
    let forgets = |desk: &Desk| -> Vec<String> {
        let views = asks.iter().flat_map(|ask| desk.view(ask.id).notices);
        views.filter(|notice| notice.contains("forget")).collect()
    };
    desk.clock.advance(Duration::from_secs(3_599));
    assert_eq!(forgets(&desk), Vec::<String>::new());
    desk.clock.advance(Duration::from_secs(13 * 3_600 + 1));
    assert_eq!(
        forgets(&desk),
        [
            "Waiting for 14 hours. Many servers forget sooner; you can then start again with these answers.",
            "Waiting for 14 hours. Many servers forget sooner; you can then start the call again.",
        ]
    );
    desk.clock.advance(Duration::from_secs(40 * 3_600));
    assert!(forgets(&desk)[0].starts_with("Waiting for 2 days."));
    assert_eq!(
        desk.view(asks[0].id).revision,
        asks[0].revision,
        "the card is the same"
    );
}
