//! Where calls are kept: the folder, its file and its key, and what a person can do where one of them is missing.

use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, patiently, text};
use crate::store::keys::{Fake, Mood};
use countersign_core::link::FindingCode;
use countersign_core::settings::Settings;
use countersign_core::store::StoreError;
use countersign_core::store::history::chain::Anchored;
use countersign_core::store::place::Place;
use countersign_core::view::{
    Act, Answered, AskBody, AskId, CallId, CallPhase, KeepingAct, KeepingState, NameValue, ServerDraft,
    TargetDraft,
};
use countersign_core::wire::request::Elicitation;
use std::path::Path;
use tempfile::TempDir;

/// One life of the app on a folder.
struct Life {
    desk: Desk,
}

async fn taken(folder: &Path) -> Place {
    patiently("the folder", async {
        loop {
            match Place::take(folder) {
                Ok(place) => break place,
                // The last word of the life before is being written.
                Err(_) => tokio::task::yield_now().await,
            }
        }
    })
    .await
}

impl Life {
    async fn begin(folder: &Path, fake: &Fake, server: &Http) -> Self {
        let desk = Desk::with(Settings::Memory, Elicitation::Both);
        desk.add("one", server);
        desk.app.keep_at(folder, Ok(taken(folder).await), fake.keys());
        desk.app.find_key().await;
        Self { desk }
    }

    fn state(&self) -> KeepingState {
        self.desk.app.keeping().state
    }

    fn words(&self) -> String {
        self.desk.app.keeping().words.unwrap_or_default()
    }

    fn acts(&self) -> Vec<KeepingAct> {
        self.desk.app.keeping().acts
    }

    async fn act(&self, act: KeepingAct) {
        self.desk.app.act_on_keeping(act).await.expect("possible");
    }

    async fn asked(&self) -> CallId {
        let server = self.desk.app.snapshot().servers[0].id;
        let call = self.desk.call(server);
        self.desk.question(call).await;
        call
    }

    fn end(self) {
        self.desk.app.let_go();
    }
}

fn questions() -> Vec<Reply> {
    (0..4)
        .map(|_| Reply::Result(input_required(&[("q", form("Name?", name()))], Some(r#""s""#))))
        .collect()
}

async fn server() -> Http {
    Http::replies(questions()).await
}

#[tokio::test]
async fn with_a_key_store_calls_are_kept_and_nothing_is_said() {
    let (folder, fake, server) = (TempDir::new().expect("a folder"), Fake::default(), server().await);
    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!((life.state(), life.words().as_str()), (KeepingState::Kept, ""));
    let call = life.asked().await;
    life.end();
    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!(life.state(), KeepingState::Kept);
    let ask = life.desk.question(call).await;
    life.desk.app.inbox().draft(ask.id, vec![text(0, "Ada")]);
    life.end();
}

#[tokio::test]
async fn without_a_key_store_calls_are_lost_on_quit_until_the_person_chooses_a_key_file() {
    let (folder, fake, server) = (TempDir::new().expect("a folder"), Fake::default(), server().await);
    fake.mood(Mood::Absent);
    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!(life.state(), KeepingState::LostOnQuit);
    assert!(
        life.words().contains("lost on quit") && life.words().contains("no key store"),
        "{}",
        life.words()
    );
    let offered = [
        KeepingAct::TryAgain,
        KeepingAct::UseKeyFile,
        KeepingAct::StayInMemory,
    ];
    assert_eq!(life.acts(), offered);
    assert!(
        !folder.path().join("countersign.key").exists(),
        "nothing is chosen for the person"
    );
    let call = life.asked().await;
    assert_eq!(
        life.desk.app.inbox().unfinished().waiting,
        1,
        "quitting would lose it"
    );

    life.act(KeepingAct::UseKeyFile).await;
    assert_eq!(
        (life.state(), life.words().as_str()),
        (KeepingState::KeptByFile, "")
    );
    assert_eq!(life.desk.app.inbox().unfinished().waiting, 0);
    assert!(matches!(life.desk.app.anchored().await, Anchored::Unseen(_)));
    life.end();

    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!(life.state(), KeepingState::KeptByFile);
    life.desk.question(call).await;
    life.end();
}

#[tokio::test]
async fn a_key_store_that_is_unlocked_later_brings_everything_back_beside_what_began_meanwhile() {
    let (folder, fake, server) = (TempDir::new().expect("a folder"), Fake::default(), server().await);
    let life = Life::begin(folder.path(), &fake, &server).await;
    let first = life.asked().await;
    life.end();

    fake.mood(Mood::Locked);
    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!(life.state(), KeepingState::LostOnQuit);
    assert!(
        life.words().contains("comes back with its key"),
        "{}",
        life.words()
    );
    assert!(life.acts().contains(&KeepingAct::Unlock));
    assert!(
        !life.acts().contains(&KeepingAct::UseKeyFile),
        "what is there has a key already"
    );
    assert!(life.desk.app.inbox().asks().is_empty());
    let second = life.asked().await;
    assert_ne!(first, second);

    life.act(KeepingAct::Unlock).await;
    assert_eq!(life.state(), KeepingState::Kept);
    assert_eq!(life.desk.app.snapshot().notices, Vec::<String>::new());
    let asks = life.desk.app.inbox().asks();
    let mut calls: Vec<CallId> = asks.iter().map(|ask| ask.call).collect();
    calls.sort();
    assert_eq!(calls, [first, second]);
    assert_ne!(asks[0].id, asks[1].id);
    life.end();

    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!(life.desk.app.inbox().asks().len(), 2, "both are kept");
    life.end();
}

#[tokio::test]
async fn a_key_that_is_gone_is_told_and_the_file_is_set_aside_only_at_the_persons_word() {
    let (folder, fake, server) = (TempDir::new().expect("a folder"), Fake::default(), server().await);
    let life = Life::begin(folder.path(), &fake, &server).await;
    life.asked().await;
    life.end();

    fake.inside(|inside| inside.kept.clear());
    let life = Life::begin(folder.path(), &fake, &server).await;
    assert_eq!(life.state(), KeepingState::LostOnQuit);
    assert!(life.acts().contains(&KeepingAct::BeginAnew), "{:?}", life.acts());
    assert!(life.desk.app.snapshot().notices.is_empty());
    life.act(KeepingAct::BeginAnew).await;
    assert_eq!(life.state(), KeepingState::Kept);
    let notices = life.desk.app.snapshot().notices;
    assert!(
        notices[0].contains("set aside") && notices[0].contains("nothing in it was deleted"),
        "{notices:?}"
    );
    let aside = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    let aside = aside.filter(|entry| entry.file_name().to_string_lossy().contains("damaged"));
    assert!(aside.count() > 0);
    life.end();
}

#[tokio::test]
async fn a_file_that_cannot_be_set_aside_is_told_and_can_be_tried_again() {
    let (parent, fake, server) = (TempDir::new().expect("a folder"), Fake::default(), server().await);
    let folder = parent.path().join("data");
    let life = Life::begin(&folder, &fake, &server).await;
    life.end();
    fake.inside(|inside| inside.kept.clear());
    let life = Life::begin(&folder, &fake, &server).await;
    std::fs::remove_dir_all(&folder).expect("removed");
    std::fs::write(&folder, "in the way").expect("written");

    let failure = life.desk.app.act_on_keeping(KeepingAct::BeginAnew).await;
    let failure = failure.expect_err("no folder");
    assert_eq!(life.state(), KeepingState::LostOnQuit);
    assert!(life.words().contains(&failure.message), "{}", life.words());
    assert_eq!(life.acts(), [KeepingAct::TryAgain, KeepingAct::StayInMemory]);
    assert!(life.desk.app.snapshot().notices.is_empty(), "it is said once");

    life.act(KeepingAct::TryAgain).await;
    assert_eq!(life.acts(), [KeepingAct::TryAgain, KeepingAct::StayInMemory]);
    std::fs::remove_file(&folder).expect("removed");
    life.act(KeepingAct::TryAgain).await;
    assert_eq!((life.state(), life.words().as_str()), (KeepingState::Kept, ""));
    life.end();
}

#[tokio::test]
async fn history_of_a_run_in_memory_moves_over_when_the_key_store_comes() {
    let (folder, fake) = (TempDir::new().expect("a folder"), Fake::default());
    let mut replies = questions();
    replies.insert(1, Reply::Result(done("ok")));
    let server = Http::replies(replies).await;
    fake.mood(Mood::Failing);
    let life = Life::begin(folder.path(), &fake, &server).await;
    life.act(KeepingAct::StayInMemory).await;
    assert_eq!(life.state(), KeepingState::LostOnQuit);
    assert!(life.words().contains("as you chose"), "{}", life.words());
    assert!(!life.acts().contains(&KeepingAct::StayInMemory));
    let call = life.asked().await;
    let ask = life.desk.question(call).await;
    assert_eq!(life.desk.act(ask.id, Act::Decline).await, Answered::Sent);
    life.desk.finished(call).await;

    fake.mood(Mood::Present);
    life.act(KeepingAct::TryAgain).await;
    assert_eq!(life.state(), KeepingState::Kept);
    life.end();
    let life = Life::begin(folder.path(), &fake, &server).await;
    let head = match life.desk.app.anchored().await {
        Anchored::At(head) => head.seq,
        other @ (Anchored::Never | Anchored::Unseen(_)) => panic!("{other:?}"),
    };
    assert!(head >= 2, "the decision and the end of the call: {head}");
    life.end();
}

#[tokio::test]
async fn what_was_opened_for_a_server_is_known_in_the_next_life() {
    let (folder, fake) = (TempDir::new().expect("a folder"), Fake::default());
    let page = || {
        Reply::Result(input_required(
            &[("page", link("Look", "https://app.ledgerly.example/a"))],
            None,
        ))
    };
    let server = Http::replies(vec![page(), Reply::Result(done("ok")), page(), page()]).await;
    let told = |life: &Life, ask: AskId| match life.desk.app.ask(ask).expect("there").body {
        AskBody::Link { inspection, .. } => inspection
            .findings
            .into_iter()
            .map(|finding| finding.code)
            .collect::<Vec<_>>(),
        AskBody::Form { .. } | AskBody::Unusable { .. } => panic!("a link"),
    };
    let life = Life::begin(folder.path(), &fake, &server).await;
    let call = life.asked().await;
    let ask = life.desk.question(call).await;
    assert!(told(&life, ask.id).contains(&FindingCode::FirstTime));
    assert_eq!(life.desk.act(ask.id, Act::Open).await, Answered::Sent);
    life.desk.finished(call).await;
    life.end();

    let life = Life::begin(folder.path(), &fake, &server).await;
    let ask = life.desk.question(life.asked().await).await;
    assert!(told(&life, ask.id).contains(&FindingCode::OpenedBefore));
    life.end();
}

#[tokio::test]
async fn header_values_move_out_of_the_list_of_servers_and_nothing_is_sent_without_them() {
    const SECRET: &str = "canary-7f3a";
    let (folder, fake) = (TempDir::new().expect("a folder"), Fake::default());
    let server = server().await;
    let settings = || Settings::Folder(folder.path().to_owned());
    let list = || std::fs::read_to_string(folder.path().join("servers.json")).expect("a list");
    let sent = |server: &Http| -> Vec<bool> {
        let seen = server.seen();
        seen.iter()
            .map(|seen| seen.header("x-key").as_deref() == Some(SECRET))
            .collect()
    };
    let begin = async || {
        let desk = Desk::with(settings(), Elicitation::Both);
        desk.app
            .keep_at(folder.path(), Ok(taken(folder.path()).await), fake.keys());
        desk.app.find_key().await;
        desk
    };

    fake.mood(Mood::Absent);
    let desk = begin().await;
    let draft = ServerDraft {
        name: "one".to_owned(),
        target: TargetDraft::Http {
            url: server.url.to_string(),
            headers: vec![NameValue {
                name: "X-Key".to_owned(),
                value: SECRET.to_owned(),
            }],
        },
        timeout_seconds: 60,
    };
    desk.app.add_server(draft).expect("added");
    assert!(list().contains(SECRET), "there is no other place for it yet");
    fake.mood(Mood::Present);
    desk.app
        .act_on_keeping(KeepingAct::TryAgain)
        .await
        .expect("there now");
    assert!(!list().contains(SECRET) && list().contains("X-Key"), "{}", list());
    desk.app.let_go();

    let desk = begin().await;
    let one = desk.app.snapshot().servers[0].id;
    // This server answers nothing that could be used; what it was sent is what counts.
    let _ = desk.app.reached(one).await;
    let seen = sent(&server);
    assert!(!seen.is_empty() && seen.iter().all(|with| *with), "{seen:?}");
    desk.app.let_go();

    fake.mood(Mood::Locked);
    let desk = begin().await;
    let one = desk.app.snapshot().servers[0].id;
    let before = sent(&server).len();
    let failure = desk.app.reached(one).await.expect_err("without its values");
    assert!(failure.message.contains("not open yet"), "{failure:?}");
    assert_eq!(sent(&server).len(), before, "nothing is sent without them");
    desk.app
        .act_on_keeping(KeepingAct::Unlock)
        .await
        .expect("unlocked");
    let _ = desk.app.reached(one).await;
    assert!(sent(&server).len() > before && sent(&server).iter().all(|with| *with));
    desk.app.remove_server(one).expect("removed");
    desk.app.let_go();
}

#[tokio::test]
async fn a_server_of_the_list_that_is_elsewhere_now_is_sent_nothing() {
    let (folder, fake) = (TempDir::new().expect("a folder"), Fake::default());
    let discovered =
        r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
    let mut replies = questions();
    replies.insert(0, Reply::Result(discovered.to_owned()));
    let (here, there) = (Http::replies(replies).await, server().await);
    let begin = async |at: &Http| {
        let list = format!(
            r#"{{"version":1,"servers":[{{"id":"1","name":"one","target":{{"kind":"http","url":"{}","headers":[]}},"timeout_seconds":60,"added":"2026-12-01T14:02:00+01:00"}}]}}"#,
            at.url
        );
        std::fs::write(folder.path().join("servers.json"), list).expect("a list");
        let desk = Desk::with(Settings::Folder(folder.path().to_owned()), Elicitation::Both);
        desk.app
            .keep_at(folder.path(), Ok(taken(folder.path()).await), fake.keys());
        desk.app.find_key().await;
        desk
    };
    let desk = begin(&here).await;
    let call = desk.call(desk.app.snapshot().servers[0].id);
    desk.question(call).await;
    desk.app.let_go();

    let desk = begin(&there).await;
    desk.call_in(call, CallPhase::ServerMoved).await;
    let ask = desk.app.inbox().asks()[0].id;
    desk.app.inbox().draft(ask, vec![text(0, "Ada")]);
    let answered = desk.act(ask, Act::Accept).await;
    assert!(matches!(answered, Answered::NotPossible { .. }), "{answered:?}");
    assert_eq!((here.seen().len(), there.seen().len()), (2, 0));
    desk.app.let_go();

    // Back at the old place it goes on.
    let desk = begin(&here).await;
    let ask = desk.question(call).await;
    assert_eq!(desk.act(ask.id, Act::Accept).await, Answered::Sent);
    desk.app.let_go();
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_told_and_the_app_lives() {
    let (fake, server) = (Fake::default(), server().await);
    let file = tempfile::NamedTempFile::new().expect("a file");
    let desk = Desk::with(Settings::Memory, Elicitation::Both);
    let one = desk.add("one", &server);
    let taken = Place::take(file.path());
    assert!(matches!(taken, Err(StoreError::Folder { .. })));
    desk.app.keep_at(file.path(), taken, fake.keys());
    desk.app.find_key().await;
    let keeping = desk.app.keeping();
    assert_eq!(keeping.state, KeepingState::LostOnQuit);
    assert_eq!(keeping.acts, [KeepingAct::TryAgain, KeepingAct::StayInMemory]);
    desk.question(desk.call(one)).await;
}

#[tokio::test]
async fn a_call_of_a_server_that_is_not_in_the_list_stays_in_the_file_and_is_told() {
    let (folder, fake, server) = (TempDir::new().expect("a folder"), Fake::default(), server().await);
    let life = Life::begin(folder.path(), &fake, &server).await;
    let call = life.asked().await;
    life.end();

    let desk = Desk::with(Settings::Memory, Elicitation::Both);
    desk.app
        .keep_at(folder.path(), Place::take(folder.path()), fake.keys());
    desk.app.find_key().await;
    let notices = desk.app.snapshot().notices;
    assert!(notices[0].contains("not in your list"), "{notices:?}");
    assert!(desk.app.inbox().asks().is_empty());
    desk.app.let_go();

    let life = Life::begin(folder.path(), &fake, &server).await;
    life.desk.question(call).await;
    life.end();
}
