//! Lists, results, exit codes.

use crate::fake::{Fake, Reply};
use crate::rig::{Rig, at, desk, words, workshop};
use countersign_core::wire::json::Json;

#[tokio::test(flavor = "multi_thread")]
async fn offers_are_listed_over_all_pages() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let url = desk.mcp_url();
    let ran = rig.run(&["tools", "--url", &url]).await;
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 10), "{ran:?}");
    assert!(
        ran.stdout
            .contains("busy (Come back later): Asks nothing, but tells the app twice to come back.\n"),
        "{ran:?}"
    );
    let json = rig.run(&["prompts", "--url", &url, "--json"]).await.json();
    assert_eq!(
        json.to_string(),
        r#"{"offers":[{"name":"write_announcement","title":"Write an announcement","description":"Asks for tone and audience, then gives the words to start with. A rehearsal."}],"problems":[]}"#
    );
    let json = rig.run(&["resources", "--url", &url, "--json"]).await.json();
    let names = at(&json, "offers").as_array().expect("offers").iter();
    assert_eq!(
        names.map(|offer| words(offer, "name")).collect::<Vec<_>>(),
        [
            "practice://reports/quarterly",
            "practice://notes/welcome",
            "practice://notes/{name}"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_every_kind_are_text() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let ran = rig.run(&["call", "show_results", "--url", &desk.mcp_url()]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in [
        "[picture, image/png, about ",
        "[sound, audio/wav, about ",
        "practice://notes/welcome",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_would_act_upon_never_reaches_it() {
    let rig = Rig::new().await;
    let evil = r#"{"content":[{"type":"text","text":"a\u001b]0;x\u0007\u009b\u202eb"}]}"#;
    let fake = Fake::start(&[
        Reply::Result(evil),
        Reply::Error(r#"{"code":1,"message":"\u001b[2J"}"#),
    ])
    .await;
    for _ in 0..2 {
        let ran = rig.run(&["call", "t", "--url", &fake.url]).await;
        let all = ran.stdout.clone() + &ran.stderr;
        assert!(all.contains("⟦U+001B⟧"), "{ran:?}");
        assert!(
            !all.chars()
                .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
            "{ran:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_are_told_apart() {
    let rig = Rig::new().await;
    let big = r#"{"resultType":"complete","content":[],"structuredContent":{"n":1.0,"big":123456789012345678901234567890}}"#;
    for (reply, code, status, ending) in [
        (Reply::Result(big), 0, "done", format!(r#""result":{big}}}"#)),
        (
            Reply::Result(r#"{"content":[],"isError":true}"#),
            1,
            "failed",
            r#""result":{"content":[],"isError":true}}"#.to_owned(),
        ),
        (
            Reply::Error(r#"{"code":-32602,"message":"no such tool"}"#),
            1,
            "failed",
            r#""error":{"code":-32602,"message":"no such tool"}}"#.to_owned(),
        ),
        (
            Reply::Result(r#"{"resultType":"later"}"#),
            3,
            "failed",
            "breaks the protocol".to_owned(),
        ),
        (Reply::HangUp, 5, "unknown", "It may have arrived".to_owned()),
    ] {
        let fake = Fake::start(&[reply]).await;
        let ran = rig.run(&["call", "t", "--url", &fake.url, "--json"]).await;
        ran.check(code, status, &[]);
        assert!(
            ran.stdout
                .starts_with(&format!(r#"{{"status":"{status}","rounds":0,"asks":[],"#)),
            "{ran:?}"
        );
        assert!(ran.stdout.contains(&ending), "{ending}: {ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_without_questions_are_counted_and_have_a_limit() {
    let rig = Rig::new().await;
    let ran = rig
        .run(&["call", "busy", "--command", &workshop(), "--json"])
        .await;
    assert_eq!(at(&ran.check(0, "done", &[]), "rounds"), &Json::integer(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_be_reached_is_our_failure() {
    let rig = Rig::new().await;
    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a listener");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    drop(listener);
    rig.run(&["call", "t", "--url", &url, "--json"])
        .await
        .check(3, "failed", &[]);
    rig.run(&["call", "t", "--command", "/no/such/program", "--json"])
        .await
        .check(3, "failed", &[]);
    let ran = rig.run(&["tools", "--url", &url, "--json"]).await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(at(&ran.json(), "problems").as_array().map(<[Json]>::len), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_command_line_is_said_and_nothing_starts() {
    let rig = Rig::new().await;
    let bad = rig.answers(r#"{"a":{"action":"decline","content":{}}}"#);
    let secret = "s3cret value";
    for args in [
        &["call", "t"][..],
        &["zap"],
        &["call", "--url", "http://127.0.0.1:1/"],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--command", "x"],
        &["call", "t", "--url", "ftp://a.test/"],
        &["call", "t", "--command", "echo 'x"],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--args", "[1]"],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--args", "{"],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--header", secret],
        &[
            "call",
            "t",
            "--url",
            "http://127.0.0.1:1/",
            "--header",
            "bad name: s3cret value",
        ],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--env", "A=b"],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--cwd", "."],
        &["call", "t", "--command", "x", "--header", "A: b"],
        &["call", "t", "--command", "x", "--env", secret],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--timeout", "0"],
        &["call", "t", "--server", "crm"],
        &[
            "call",
            "t",
            "--url",
            "http://127.0.0.1:1/",
            "--answers",
            "/no/such/file",
        ],
        &["call", "t", "--url", "http://127.0.0.1:1/", "--answers", &bad],
    ] {
        let ran = rig.run(args).await;
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{args:?}: {ran:?}"
        );
        assert!(
            !ran.stderr.is_empty() && !ran.stderr.contains("s3cret"),
            "{args:?}: {ran:?}"
        );
    }
    let help = rig.run(&["call", "--help"]).await;
    assert_eq!(help.code, Some(0));
    assert!(
        help.stdout.contains("Exit codes:") && help.stdout.contains("calls are kept"),
        "{help:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_list_is_used_by_its_name() {
    let rig = Rig::new().await;
    let desk = desk().await;
    // With an id: one that has none is given one.
    let list = format!(
        r#"{{"version":1,"servers":[{{"id":"0f08e3ab05a01588","name":"crm","target":{{"kind":"http","url":"{}","headers":[]}},"timeout_seconds":60,"added":"2026-12-01T14:02:00+01:00"}}]}}"#,
        desk.mcp_url()
    );
    std::fs::write(rig.folder().join("servers.json"), &list).expect("the list");
    let folder = rig.folder().display().to_string();
    let ran = rig
        .run(&[
            "call",
            "fails",
            "--server",
            "crm",
            "--data-dir",
            &folder,
            "--key-file",
            "--json",
        ])
        .await;
    ran.check(1, "failed", &[]);
    let ran = rig
        .run(&[
            "call",
            "fails",
            "--server",
            "erp",
            "--data-dir",
            &folder,
            "--key-file",
            "--json",
        ])
        .await;
    let json = ran.check(3, "failed", &[]);
    assert!(
        words(&json, "error.message").contains("no server named “erp”"),
        "{json}"
    );
    assert_eq!(
        std::fs::read_to_string(rig.folder().join("servers.json")).expect("the list"),
        list,
        "the list is as it was"
    );
}
