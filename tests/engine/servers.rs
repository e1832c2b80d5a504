//! Adding, removing and keeping servers; what connecting says.

use crate::kit::{Desk, Gate, Http, Reply};
use countersign_core::settings::Settings;
use countersign_core::view::{FailureCode, NameValue, ServerDraft, ServerState, TargetDraft};
use countersign_core::wire::request::Elicitation;
use std::path::Path;

fn draft(name: &str, url: &str) -> ServerDraft {
    ServerDraft {
        name: name.to_owned(),
        target: TargetDraft::Http {
            url: url.to_owned(),
            headers: vec![NameValue {
                name: "X-Key".to_owned(),
                value: "k".to_owned(),
            }],
        },
        timeout_seconds: 60,
    }
}

fn desk(folder: &Path) -> Desk {
    Desk::with(Settings::Folder(folder.to_owned()), Elicitation::Both)
}

fn names(desk: &Desk) -> Vec<String> {
    let servers = desk.app.snapshot().servers;
    servers.into_iter().map(|server| server.name).collect()
}

fn file(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("servers.json")).unwrap_or_default()
}

#[tokio::test]
async fn servers_are_kept_and_removed_for_good() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Http::new(|_, _| Reply::Error(404, -32601, "no")).await;
    let url = server.url.as_str();
    let first = desk(folder.path());
    let a = first.app.add_server(draft(" A ", url)).expect("added");
    first.app.add_server(draft("B", url)).expect("added");
    first.add("for this run only", &server);
    for (bad, code) in [
        (draft("A", url), FailureCode::Invalid),
        (draft("  ", url), FailureCode::Invalid),
        (draft("C", "ftp://a.example"), FailureCode::Invalid),
        (
            ServerDraft {
                timeout_seconds: 0,
                ..draft("D", url)
            },
            FailureCode::Invalid,
        ),
    ] {
        assert_eq!(first.app.add_server(bad).expect_err("refused").code, code);
    }
    assert_eq!(names(&desk(folder.path())), ["A", "B"]);
    first.app.remove_server(a).expect("removed");
    assert_eq!(
        first.app.remove_server(a).expect_err("gone").code,
        FailureCode::Gone
    );
    let second = desk(folder.path());
    assert_eq!(names(&second), ["B"]);
    assert!(second.app.snapshot().notices.is_empty());
    let saved = file(folder.path());
    assert!(
        saved.contains("X-Key") && !saved.contains("for this run only"),
        "{saved}"
    );
}

#[tokio::test]
async fn a_broken_file_is_set_aside_and_said_and_the_app_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("servers.json"), "{ broken").expect("written");
    let desk = desk(folder.path());
    let notices = desk.app.snapshot().notices;
    assert!(
        notices.len() == 1 && notices[0].contains("set aside"),
        "{notices:?}"
    );
    desk.app
        .add_server(draft("A", "http://127.0.0.1:9/"))
        .expect("added");
    assert!(file(folder.path()).contains("\"A\""));
    let aside = std::fs::read_to_string(folder.path().join("servers.unreadable.json"));
    assert_eq!(aside.expect("the old file"), "{ broken");
}

#[tokio::test]
async fn an_entry_that_cannot_be_used_is_said_and_stays_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = |name: &str, url: &str| {
        format!(
            r#"{{"name":"{name}","target":{{"kind":"http","url":"{url}","headers":[]}},"timeout_seconds":60,"added":"2026-05-03T10:00:00+02:00"}}"#
        )
    };
    let text = format!(
        r#"{{"version":1,"servers":[{},{}]}}"#,
        entry("odd", "gopher://a.example"),
        entry("fine", "http://127.0.0.1:9/")
    );
    std::fs::write(folder.path().join("servers.json"), text).expect("written");
    let desk = desk(folder.path());
    assert_eq!(names(&desk), ["fine"]);
    let notices = desk.app.snapshot().notices;
    assert!(notices[0].contains("“odd” was left out"), "{notices:?}");
    desk.app
        .add_server(draft("new", "http://127.0.0.1:9/"))
        .expect("added");
    let saved = file(folder.path());
    assert!(
        saved.contains("gopher://a.example") && saved.contains("\"new\""),
        "{saved}"
    );
}

#[tokio::test]
async fn a_place_that_cannot_be_written_adds_nothing() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let desk = desk(file.path());
    let failure = desk
        .app
        .add_server(draft("A", "http://127.0.0.1:9/"))
        .expect_err("no folder");
    assert_eq!(failure.code, FailureCode::Settings);
    assert!(names(&desk).is_empty());
}

#[tokio::test]
async fn connecting_says_what_is_wrong_and_what_it_is() {
    let check = |reply: Reply, state: ServerState, said: &'static str| async move {
        let server = Http::replies([reply]).await;
        let desk = Desk::new();
        let id = desk.add("one", &server);
        let failure = desk.app.connected(id).await.expect_err("not connected");
        let row = desk.app.snapshot().servers.remove(0);
        assert_eq!(
            (row.state, row.detail.as_deref()),
            (state, Some(failure.message.as_str()))
        );
        assert!(failure.message.contains(said), "{failure:?}");
    };
    let result = |text: &str| Reply::Result(text.to_owned());
    check(
        Reply::Body(401, "text/plain", String::new()),
        ServerState::NeedsSignIn,
        "wants a sign-in (HTTP 401)",
    )
    .await;
    check(
        Reply::Body(404, "text/html", String::new()),
        ServerState::Failed,
        "nothing at this address",
    )
    .await;
    check(
        Reply::Error(404, -32601, "Method not found"),
        ServerState::Failed,
        "speaks an older revision",
    )
    .await;
    check(
        Reply::Error(400, -32000, "Bad \\u202ethings"),
        ServerState::Failed,
        "refused: “Bad ⟦U+202E⟧things” (-32000)",
    )
    .await;
    check(
        result(r#"{"resultType":"complete"}"#),
        ServerState::Failed,
        "does not say which revisions",
    )
    .await;
    check(
        result(r#"{"supportedVersions":["2025-11-25",7]}"#),
        ServerState::Failed,
        "speaks “2025-11-25”;",
    )
    .await;
    let unsupported = r#"{"jsonrpc":"2.0","id":@id,"error":{"code":-32022,"message":"no","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}}"#;
    check(
        Reply::Body(400, "application/json", unsupported.to_owned()),
        ServerState::Failed,
        "speaks “2027-01-01”;",
    )
    .await;
}

#[tokio::test]
async fn a_server_that_failed_connects_later() {
    let server = Http::replies([
        Reply::Body(503, "text/plain", String::new()),
        Reply::Result(r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#.to_owned()),
    ])
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect_err("busy");
    desk.app.connected(id).await.expect("connected");
    let row = desk.app.snapshot().servers.remove(0);
    assert_eq!((row.state, row.detail), (ServerState::Connected, None));
}

#[tokio::test]
async fn an_old_diagnosis_is_gone_while_the_server_is_tried_again() {
    let gate = Gate::closed();
    let server = Http::replies([
        Reply::Body(503, "text/plain", String::new()),
        Reply::Held(
            gate.clone(),
            Box::new(Reply::Body(503, "text/plain", String::new())),
        ),
    ])
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect_err("busy");
    let failed = desk.app.snapshot().servers.remove(0);
    assert!(
        failed
            .diagnosis
            .is_some_and(|said| said.came_back.contains("503"))
    );
    desk.app.connect(id);
    server.until_seen(2).await;
    let trying = desk.app.snapshot().servers.remove(0);
    assert_eq!(
        (trying.state, trying.detail, trying.diagnosis),
        (ServerState::Connecting, None, None)
    );
    gate.open();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_are_added_at_once_are_all_kept_and_each_name_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let adding = desk(folder.path());
    let tasks: Vec<_> = (0..16)
        .map(|n| {
            let app = adding.app.clone();
            let draft = draft(&format!("S{}", n / 2), "http://127.0.0.1:9/mcp");
            tokio::task::spawn_blocking(move || app.add_server(draft))
        })
        .collect();
    let mut added = 0;
    for task in tasks {
        added += usize::from(task.await.expect("no panic").is_ok());
    }
    assert_eq!(added, 8);
    let mut kept = names(&desk(folder.path()));
    kept.sort();
    assert_eq!(kept, (0..8).map(|n| format!("S{n}")).collect::<Vec<_>>());
}
