//! What history tells of decisions and their delivery, and what is kept by the person's choice.

use crate::kit::live::{Live, asks};
use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::clock::HeldClock;
use countersign_core::session::Speak;
use countersign_core::settings::Settings;
use countersign_core::store::history::chain::Anchored;
use countersign_core::store::history::find::Filter;
use countersign_core::store::history::{Delivery, Entry, Kind, Outcome, StartedBy};
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{Database, Store};
use countersign_core::view::past::{
    Choices, ExportFormat, HistoryAsked, HistoryKind, HistoryPage, HistoryRow, HistoryShow, Retention,
};
use countersign_core::view::{
    Act, Answered, CallAct, CallPhase, FailureCode, NameValue, ServerDraft, ServerId, TargetDraft,
};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use countersign_core::wire::request::Elicitation;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const CANARY: &str = "kanarienvogel-7319";
/// What is entered by a person.
const TYPED: &str = "getippt-4406";

fn asked() -> Reply {
    Reply::Result(input_required(&[("q", form("Name?", name()))], Some(r#""s""#)))
}

fn finished() -> Reply {
    Reply::Result(done("ok"))
}

/// A desk that keeps its calls in memory, and the store.
fn desk() -> (Desk, Arc<Store>) {
    let desk = Desk::new();
    let store = Arc::new(Store::in_memory().expect("memory"));
    desk.app.keep_in(&store).expect("readable");
    (desk, store)
}

async fn history(desk: &Desk) -> HistoryPage {
    let asked = HistoryAsked::default();
    desk.app.history(asked, None).await.expect("readable")
}

/// "server: what, how (quoted)", oldest first, without rows that a newer one says more about.
fn lines(page: &HistoryPage) -> Vec<String> {
    let told: Vec<u32> = page.rows.iter().filter_map(|row| row.about).collect();
    let newest = |row: &&HistoryRow| match row.about {
        Some(about) => page.rows.iter().find(|other| other.about == Some(about)) == Some(row),
        None => !told.contains(&row.number),
    };
    let lines = page.rows.iter().filter(newest).map(|row| {
        let how = row
            .how
            .as_deref()
            .map(|how| format!(", {how}"))
            .unwrap_or_default();
        let quoted = row.quoted.as_deref().unwrap_or_default();
        format!("{}: {}{how} ({quoted})", row.server_name, row.what)
    });
    let mut lines: Vec<_> = lines.collect();
    lines.reverse();
    lines
}

fn decisions(page: &HistoryPage) -> Vec<String> {
    let mut lines = lines(page);
    lines.retain(|line| !line.contains("call"));
    lines
}

#[tokio::test]
async fn case_048_approved_declined_taken_back_and_lost_are_four_different_entries() {
    let (desk, _) = desk();
    let server = Http::replies([asked(), finished(), asked(), finished(), asked(), Reply::Close]).await;
    let one = desk.add("one", &server);
    for act in [Act::Accept, Act::Decline] {
        let call = desk.call(one);
        let ask = desk.question(call).await;
        let inputs = (act == Act::Accept).then(|| vec![text(0, "Ada")]);
        assert_eq!(desk.act_with(ask.id, act, inputs, None).await, Answered::Sent);
        desk.finished(call).await;
    }
    let old = Live::new().await;
    let speak = Speak::Only(Revision::V2025_11_25);
    let two = desk
        .app
        .add_speaking("two", old.target(), Duration::from_secs(60), speak);
    desk.app.reached(two).await.expect("a session");
    let call = desk.call(two);
    old.call("t").say(&asks(r#""q""#, "Still there?"));
    let ask = desk.question(call).await;
    old.call("t").say(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","reason":"no longer needed"}}"#,
    );
    desk.until("the withdrawal", |desk| {
        let phase = desk.phase(ask.id);
        matches!(phase, countersign_core::view::AskPhase::Withdrawn { .. }).then_some(())
    })
    .await;
    old.call("t").done();
    desk.finished(call).await;
    let call = desk.call(one);
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ada")]).await;
    desk.call_in(call, CallPhase::Unknown).await;

    let page = history(&desk).await;
    assert_eq!(
        decisions(&page),
        [
            "one: You accepted, delivered (Name?)",
            "one: You declined, delivered (Name?)",
            "two: The server took it back, nothing was sent (Still there?)",
            "one: You accepted, sent, nothing heard back (Name?)",
        ]
    );
    assert!(page.rows.iter().all(|row| row.at.starts_with("2026-12-01T14:02")));
    desk.app.shut_down().await;
}

#[tokio::test]
async fn an_answer_that_was_lost_and_sent_again_is_one_line_with_every_step_behind_it() {
    let (desk, _) = desk();
    let server = Http::replies([asked(), Reply::Close, finished()]).await;
    let one = desk.add("one", &server);
    let call = desk.call(one);
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ada")]).await;
    desk.call_in(call, CallPhase::Unknown).await;
    desk.on_call(call, CallAct::SendAgain).expect("sent");
    desk.finished(call).await;
    let page = history(&desk).await;
    assert_eq!(
        lines(&page),
        [
            "one: You started a call (t)",
            "one: You accepted, delivered (Name?)",
            "one: The call finished (t)",
        ]
    );
    let row = page.rows.iter().find(|row| row.about.is_some()).expect("a row");
    let entry = desk.app.history_entry(row.number).await.expect("there");
    let steps: Vec<String> = entry
        .steps
        .iter()
        .map(|step| format!("{} {}", step.what, step.how.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        steps,
        [
            "You accepted on its way",
            "Sent, nothing heard back ",
            "You sent it again on its way",
            "The answer was delivered ",
        ]
    );
    assert_eq!(
        (entry.call, entry.row.how.as_deref()),
        (Some(call), Some("delivered"))
    );
    assert_eq!(entry.arguments, ["a"], "names only");
    assert_eq!(entry.values, []);
    let decision = row.about.expect("a decision");
    let same = desk.app.history_entry(decision).await.expect("there");
    assert_eq!((same.steps.len(), same.row.what.as_str()), (4, "You accepted"));
    let gone = desk.app.history_entry(99).await.expect_err("no such entry");
    assert_eq!(gone.code, FailureCode::Gone);
}

#[tokio::test]
async fn what_did_not_leave_and_what_was_refused_is_told_apart() {
    for (reply, how) in [
        (
            Reply::Head(401, String::new(), String::new()),
            "You accepted, not delivered (Name?)",
        ),
        (
            Reply::Error(200, -32602, "no"),
            "You accepted, refused by the server (Name?)",
        ),
    ] {
        let (desk, _) = desk();
        let server = Http::replies([asked(), reply]).await;
        let one = desk.add("one", &server);
        let call = desk.call(one);
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, "Ada")]).await;
        desk.until("an end", |desk| {
            matches!(desk.row(call).phase, CallPhase::NotDelivered | CallPhase::Failed).then_some(())
        })
        .await;
        let told = decisions(&history(&desk).await);
        assert_eq!(told, [format!("one: {how}")]);
    }
}

#[tokio::test]
async fn a_page_is_told_by_each_opening_and_each_word_to_the_server() {
    let page = || {
        Reply::Result(input_required(
            &[("p", link("Pay", "https://pay.example.com/x"))],
            None,
        ))
    };
    let (desk, _) = desk();
    let server = Http::replies([page(), page(), page(), finished()]).await;
    let one = desk.add("one", &server);
    let call = desk.call(one);
    let ask = desk.question(call).await;
    desk.browser.fails(true);
    desk.act(ask.id, Act::Open).await;
    desk.browser.fails(false);
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    for _ in 0..2 {
        let ask = desk.question(call).await;
        assert_eq!(desk.act(ask.id, Act::CheckAgain).await, Answered::Sent);
    }
    desk.finished(call).await;
    let page = history(&desk).await;
    assert_eq!(
        decisions(&page),
        [
            "one: The browser could not be asked (Pay)",
            "one: Page opened in your browser (Pay)",
            "one: You accepted the page, delivered (Pay)",
            "one: You checked again, delivered (Pay)",
            "one: You checked again, delivered (Pay)",
        ]
    );
    let row = page
        .rows
        .iter()
        .find(|row| row.what.starts_with("Page opened"))
        .expect("a row");
    let entry = desk.app.history_entry(row.number).await.expect("there");
    let facts = entry.link.expect("a link");
    assert_eq!(
        (facts.scheme.as_str(), facts.host.as_str()),
        ("https", "pay.example.com")
    );
    assert!(
        facts.findings.contains(&"first time for this server".to_owned()),
        "{facts:?}"
    );
}

#[tokio::test]
async fn stopping_dismissing_giving_up_and_failing_calls_have_entries_of_their_own() {
    let (desk, _) = desk();
    let page = Reply::Result(input_required(
        &[("p", link("Pay", "https://pay.example.com/x"))],
        None,
    ));
    let again = Reply::Result(input_required(
        &[("p", link("Pay", "https://pay.example.com/x"))],
        None,
    ));
    let server = Http::replies([
        asked(),
        asked(),
        finished(),
        page,
        again,
        Reply::Error(200, -32000, "no"),
    ])
    .await;
    let one = desk.add("one", &server);
    let stopped = desk.call(one);
    let ask = desk.question(stopped).await;
    desk.act(ask.id, Act::StopCall).await;
    desk.ended(stopped).await;
    let dismissed = desk.call(one);
    let ask = desk.question(dismissed).await;
    desk.act(ask.id, Act::Dismiss).await;
    desk.finished(dismissed).await;
    let given_up = desk.call(one);
    let ask = desk.question(given_up).await;
    desk.act(ask.id, Act::Open).await;
    let ask = desk.question(given_up).await;
    desk.act(ask.id, Act::GiveUp).await;
    desk.ended(given_up).await;
    let told = lines(&history(&desk).await);
    for line in [
        "one: You stopped the call, nothing was sent (Name?)",
        "one: You dismissed it, delivered (Name?)",
        "one: You gave up, refused by the server (Pay)",
        "one: The call failed (t)",
    ] {
        assert!(told.contains(&line.to_owned()), "{line} in {told:#?}");
    }
}

#[tokio::test]
async fn values_are_told_only_by_choice_and_secrets_never() {
    let schema = r#"{"type":"object","properties":{"who":{"type":"string"},"password":{"type":"string"}}}"#;
    let ask = || Reply::Result(input_required(&[("q", form("Sign in", schema))], None));
    for keep_values in [false, true] {
        let (desk, store) = desk();
        let choices = Choices {
            keep_values,
            ..Choices::default()
        };
        desk.app.choose(choices).await.expect("chosen");
        let server = Http::replies([ask(), finished()]).await;
        let one = desk.add("one", &server);
        let call = desk.call(one);
        let question = desk.question(call).await;
        let mut secret = text(1, "hunter2");
        secret.anyway = true;
        let sent = desk.accept(question.id, vec![text(0, "Ada"), secret]).await;
        assert_eq!(sent, Answered::Sent);
        desk.finished(call).await;
        let page = store.history(&Filter::default(), None, 50).expect("readable");
        let all = format!("{page:?}");
        assert_eq!(
            (all.contains("Ada"), all.contains("hunter2")),
            (keep_values, false)
        );
        let row = history(&desk).await;
        let row = row
            .rows
            .iter()
            .find(|row| row.about.is_some())
            .expect("delivered");
        let entry = desk.app.history_entry(row.number).await.expect("there");
        let values: Vec<&str> = entry.values.iter().map(|value| value.text.as_str()).collect();
        if keep_values {
            assert_eq!(values, ["Ada", countersign_core::form::MASK]);
        } else {
            assert!(values.is_empty());
        }
    }
}

#[tokio::test]
async fn results_are_kept_or_forgotten_by_choice() {
    let (desk, store) = desk();
    let server = Http::replies([finished(), finished()]).await;
    let one = desk.add("one", &server);
    let first = desk.call(one);
    desk.finished(first).await;
    assert!(store.result(first).expect("readable").is_some());
    let no = Choices {
        keep_results: false,
        ..Choices::default()
    };
    assert_eq!(desk.app.choose(no).await.expect("chosen"), no);
    let second = desk.call(one);
    desk.finished(second).await;
    let records = store.finished_calls(10).expect("readable").calls;
    for call in records {
        let record = String::from_utf8(call.record).expect("text");
        assert!(
            record.contains(r#""arguments":"{}""#) && record.contains(r#""request":null"#),
            "{record}"
        );
    }
    for call in [first, second] {
        assert_eq!(store.result(call).expect("readable"), None);
        let result = desk.app.inbox().result(call).expect("in this session");
        assert!(format!("{:?}", result.parts).contains("ok"));
    }
    let next = Desk::new();
    next.add("one", &server);
    next.app.keep_in(&store).expect("readable");
    assert_eq!(next.app.choices(), no, "the choice is kept");
    let result = next.app.inbox().result(first).expect("there");
    assert_eq!(result.notices, ["The result was not kept."]);
    next.app.forget_call(first).await.expect("forgotten");
    assert!(next.app.inbox().result(first).is_none());
    assert!(next.app.forget_call(first).await.is_err());
}

fn entry(at: &str) -> Entry {
    Entry {
        at: at.to_owned(),
        server: "s".to_owned(),
        server_name: "one".to_owned(),
        practice: false,
        outcome: Outcome::Declined,
        delivery: Delivery::OnItsWay,
        kind: Kind::Form,
        started_by: StartedBy::Person,
        call: 1,
        call_name: "t".to_owned(),
        arguments: Vec::new(),
        question: Some("Name?".to_owned()),
        link: None,
        saw: Vec::new(),
        values: Vec::new(),
        decision: None,
        about: None,
    }
}

#[tokio::test]
async fn old_entries_go_by_choice_and_verifying_says_so() {
    let (desk, store) = desk();
    let days = ["2025-11-01", "2026-08-01", "2026-10-15", "2026-11-20"];
    let entries: Vec<Entry> = days.map(|day| entry(&format!("{day}T10:00:00+00:00"))).into();
    store.note(&entries).expect("written");
    let unseen = || Anchored::Unseen("the key store was not asked.".to_owned());
    let found = desk.app.verify_history(unseen()).await.expect("readable");
    assert!(
        found.holds && found.sentence.starts_with("4 entries"),
        "{found:?}"
    );
    assert!(
        found.notes[0].starts_with("The key store was not asked. An older copy"),
        "{found:?}"
    );
    for (history, left) in [
        (Retention::Year, 3),
        (Retention::Quarter, 2),
        (Retention::Month, 1),
        (Retention::ForEver, 1),
    ] {
        let choices = Choices {
            history,
            ..Choices::default()
        };
        desk.app.choose(choices).await.expect("chosen");
        let page = self::history(&desk).await;
        assert_eq!(page.rows.len(), left, "{history:?}");
        let found = desk.app.verify_history(unseen()).await.expect("readable");
        assert!(found.holds, "{found:?}");
        assert!(found.notes[0].contains("removed by your setting"), "{found:?}");
    }
}

#[tokio::test]
async fn history_is_paged_and_found_by_server_outcome_words_and_day() {
    let (desk, store) = desk();
    let mut entries = Vec::new();
    for number in 0..130 {
        let day = if number < 65 { "2026-11-20" } else { "2026-11-21" };
        entries.push(Entry {
            outcome: if number % 13 == 0 {
                Outcome::Withdrawn
            } else {
                Outcome::Declined
            },
            question: Some(format!("Question {number}")),
            ..entry(&format!("{day}T10:00:00+00:00"))
        });
    }
    store.note(&entries).expect("written");
    let find = async |asked: HistoryAsked| {
        let (mut count, mut before) = (0, None);
        loop {
            let page = desk.app.history(asked.clone(), before).await.expect("readable");
            count += page.rows.len();
            before = page.before;
            if before.is_none() {
                return count;
            }
        }
    };
    let all = HistoryAsked::default;
    assert_eq!(find(all()).await, 130);
    let withdrawn = HistoryAsked {
        show: Some(HistoryShow::Unanswered),
        ..all()
    };
    assert_eq!(find(withdrawn).await, 10);
    let declined = HistoryAsked {
        show: Some(HistoryShow::Declined),
        ..all()
    };
    assert_eq!(find(declined).await, 120);
    assert_eq!(
        find(HistoryAsked {
            text: "question 77".to_owned(),
            ..all()
        })
        .await,
        1
    );
    let day = Some("2026-11-20".to_owned());
    assert_eq!(
        find(HistoryAsked {
            from: day.clone(),
            to: day.clone(),
            ..all()
        })
        .await,
        65
    );
    assert_eq!(
        find(HistoryAsked {
            to: Some("2026-11-19".to_owned()),
            ..all()
        })
        .await,
        0
    );
    let bad = HistoryAsked {
        from: Some("yesterday".to_owned()),
        ..all()
    };
    let failure = desk.app.history(bad, None).await.expect_err("no day");
    assert_eq!(failure.code, FailureCode::Invalid);
}

#[tokio::test]
async fn a_search_that_finds_decisions_alone_says_how_each_went_whatever_came_after() {
    let (desk, store) = desk();
    let at = |at: &str, outcome, about: Option<u64>| Entry {
        outcome,
        delivery: Delivery::OnItsWay,
        decision: about.map(|_| Outcome::Accepted),
        about,
        ..entry(at)
    };
    // The clock was set back before the second was lost.
    let mut entries = vec![
        at("2026-11-20T10:00:00+00:00", Outcome::Accepted, None),
        at("2026-11-20T10:00:00+00:00", Outcome::Accepted, None),
        at("2026-11-20T10:00:00+00:00", Outcome::Accepted, None),
        at("2026-11-20T10:00:00+00:00", Outcome::Delivered, Some(1)),
        at("2026-11-20T09:00:00+00:00", Outcome::Unknown, Some(2)),
    ];
    for _ in 0..2_100 {
        entries.push(at("2026-11-20T10:00:01+00:00", Outcome::Delivered, Some(9_999)));
    }
    store.note(&entries).expect("written");
    let asked = HistoryAsked {
        text: "ACCEPTED".to_owned(),
        ..HistoryAsked::default()
    };
    let page = desk.app.history(asked, None).await.expect("readable");
    let told: Vec<_> = page
        .rows
        .iter()
        .map(|row| (row.number, row.how.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            (3, "on its way"),
            (2, "sent, nothing heard back"),
            (1, "delivered")
        ]
    );
}

#[tokio::test]
async fn an_export_is_a_new_private_file() {
    let (desk, store) = desk();
    store
        .note(&[entry("2026-11-20T10:00:00+00:00")])
        .expect("written");
    let folder = TempDir::new().expect("a folder");
    let export = async |format| {
        let to = Some(folder.path().to_owned());
        desk.app
            .export_history(HistoryAsked::default(), format, to)
            .await
            .expect("written")
    };
    for name in [
        "countersign-history-2026-12-01.json",
        "countersign-history-2026-12-01-2.json",
    ] {
        let exported = export(ExportFormat::Json).await;
        assert_eq!(exported.path, folder.path().join(name).display().to_string());
        let text = std::fs::read_to_string(&exported.path).expect("a file");
        assert!(text.contains(r#""outcome":"declined""#), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&exported.path)
                .expect("a file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
    let csv = export(ExportFormat::Csv).await;
    assert!(csv.path.ends_with(".csv") && csv.entries == 1);
    let nowhere = Some(folder.path().join("missing"));
    let failure = desk
        .app
        .export_history(HistoryAsked::default(), ExportFormat::Csv, nowhere)
        .await;
    assert_eq!(failure.expect_err("no folder").code, FailureCode::NotPossible);
}

#[tokio::test]
async fn an_export_holds_what_the_list_shows_and_no_more() {
    let (desk, store) = desk();
    let of = |outcome, decision, kind| Entry {
        outcome,
        decision,
        kind,
        ..entry("2026-11-20T10:00:00+00:00")
    };
    let (yes, no) = (Some(Outcome::Accepted), Some(Outcome::Declined));
    store
        .note(&[
            of(Outcome::Accepted, None, Kind::Form),
            of(Outcome::Delivered, yes, Kind::Form),
            of(Outcome::Declined, None, Kind::Link),
            of(Outcome::Delivered, no, Kind::Link),
            of(Outcome::Stopped, None, Kind::Form),
            of(Outcome::CallDone, None, Kind::Call),
            Entry {
                at: "2026-11-21T10:00:00+00:00".to_owned(),
                ..of(Outcome::Declined, None, Kind::Form)
            },
        ])
        .expect("written");
    let folder = TempDir::new().expect("a folder");
    let all = HistoryAsked::default;
    let show = |show| HistoryAsked {
        show: Some(show),
        ..all()
    };
    let day = Some("2026-11-20".to_owned());
    for (asked, seqs) in [
        (all(), vec![7, 6, 5, 4, 3, 2, 1]),
        (show(HistoryShow::Declined), vec![7, 4, 3]),
        (show(HistoryShow::Accepted), vec![2, 1]),
        (show(HistoryShow::Unanswered), vec![5]),
        (show(HistoryShow::Calls), vec![6]),
        (
            HistoryAsked {
                kind: Some(HistoryKind::Link),
                ..all()
            },
            vec![4, 3],
        ),
        (
            HistoryAsked {
                from: day.clone(),
                to: day,
                ..show(HistoryShow::Declined)
            },
            vec![4, 3],
        ),
    ] {
        let page = desk.app.history(asked.clone(), None).await.expect("readable");
        let shown: Vec<u32> = page.rows.iter().map(|row| row.number).collect();
        let to = Some(folder.path().to_owned());
        let file = desk
            .app
            .export_history(asked.clone(), ExportFormat::Csv, to)
            .await;
        let text = std::fs::read_to_string(file.expect("written").path).expect("a file");
        let lines = text.lines().skip(1);
        let exported: Vec<u32> = lines
            .map(|line| {
                line.split(',')
                    .next()
                    .unwrap_or_default()
                    .parse()
                    .expect("a number")
            })
            .collect();
        assert_eq!((&shown, &exported), (&seqs, &seqs), "{asked:?}");
    }
}

#[tokio::test]
async fn a_removed_server_is_told() {
    let (desk, _) = desk();
    let server = Http::replies([]).await;
    let one = desk.add("one", &server);
    desk.app.remove_server(one).expect("removed");
    assert_eq!(lines(&history(&desk).await), ["one: You removed the server ()"]);
}

/// Every file under a folder, as one heap of bytes.
fn bytes(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        all.extend(std::fs::read(path).expect("a file"));
    }
    all
}

/// What the store holds of calls and their history, opened with its key.
fn opened(store: &Store) -> Vec<u8> {
    let mut all = format!("{:?}", store.history(&Filter::default(), None, 1_000)).into_bytes();
    for loaded in [store.open_calls(), store.finished_calls(1_000)] {
        for call in loaded.expect("readable").calls {
            all.extend(call.record);
            all.extend(store.result(call.id).expect("readable").unwrap_or_default());
            all.extend(call.drafts.into_iter().flat_map(|(_, draft)| draft));
        }
    }
    all
}

fn holds(heap: &[u8], word: &str) -> bool {
    heap.windows(word.len()).any(|part| part == word.as_bytes())
}

/// A whole call with the canary in its fields, its arguments, its link and its result, on a server with the canary in a
/// header and in its address, beside a program with the canary in its arguments and variables. Returns what an export, and
/// what somebody with the key, could read after it.
fn life_with_a_canary(choices: Choices) -> (Vec<u8>, Vec<u8>) {
    let folder = TempDir::new().expect("a folder");
    let place = Place::take(folder.path()).expect("free");
    let (database, _) = Database::open(place, &HeldClock::default()).expect("opens");
    let master = Master::from_bytes(&[7; 32]).expect("32 bytes");
    let store = database
        .unlock(&master)
        .unwrap_or_else(|refused| panic!("{}", refused.error));
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"array","items":{"type":"string"}}}}"#;
    let url = format!("https://pay.example.com/{CANARY}/x?token={CANARY}#{CANARY}");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let read = runtime.block_on(async {
        let round = input_required(&[("q", form("Name?", schema)), ("p", link("Pay", &url))], None);
        let server = Http::asks(round, done(CANARY)).await;
        let desk = Desk::with(Settings::Folder(folder.path().to_owned()), Elicitation::Both);
        let store = Arc::new(store);
        desk.app.keep_in(&store).expect("readable");
        desk.app.choose(choices).await.expect("chosen");
        let secret = |name: &str| NameValue {
            name: name.to_owned(),
            value: CANARY.to_owned(),
        };
        let mut address = server.url.clone();
        address.set_query(Some(&format!("key={CANARY}")));
        let targets = [
            TargetDraft::Http {
                url: address.into(),
                headers: vec![secret("X-Key")],
            },
            TargetDraft::Stdio {
                command: "/no/such/program".to_owned(),
                args: [
                    "--token",
                    CANARY,
                    &format!("--api-key={CANARY}"),
                    &format!("https://a.example/mcp?key={CANARY}"),
                    &format!("Authorization: Bearer {CANARY}="),
                ]
                .map(str::to_owned)
                .to_vec(),
                env: vec![secret("TOKEN")],
                cwd: None,
            },
        ];
        let servers: Vec<ServerId> = targets
            .into_iter()
            .zip(["one", "two"])
            .map(|(target, name)| {
                let draft = ServerDraft {
                    name: name.to_owned(),
                    target,
                    timeout_seconds: 60,
                };
                desk.app.add_server(draft).expect("added")
            })
            .collect();
        let call = desk.call_with(servers[0], Json::string(CANARY));
        let asks = desk.questions(call, 2).await;
        let typed = vec![text(0, TYPED), text(1, CANARY)];
        desk.app.inbox().draft(asks[0].id, typed.clone());
        for word in [CANARY, TYPED] {
            assert!(
                !holds(&bytes(folder.path()), word),
                "in clear text while it waits"
            );
            assert!(holds(&opened(&store), word), "what waits is kept");
        }
        desk.accept(asks[0].id, typed).await;
        let view = desk.view(asks[1].id);
        assert!(
            format!("{view:?}").contains(CANARY),
            "the card shows the whole address"
        );
        desk.act(asks[1].id, Act::Open).await;
        desk.finished(call).await;
        let params = server.params();
        assert_eq!(params.iter().filter(|params| params.contains(CANARY)).count(), 2);
        let seen = server.seen();
        assert!(
            seen.iter()
                .any(|seen| seen.header("x-key").as_deref() == Some(CANARY))
        );
        let out = TempDir::new().expect("a folder");
        for format in [ExportFormat::Json, ExportFormat::Csv] {
            let to = Some(out.path().to_owned());
            desk.app
                .export_history(HistoryAsked::default(), format, to)
                .await
                .expect("written");
        }
        desk.app.let_go();
        (bytes(out.path()), opened(&store))
    });
    drop(runtime);
    let kept = bytes(folder.path());
    assert!(kept.len() > 10_000, "there is something");
    assert!(
        ![CANARY, TYPED].iter().any(|word| holds(&kept, word)),
        "in clear text"
    );
    read
}

#[test]
fn a_canary_everywhere_is_in_no_file_in_clear_text() {
    let (exported, opened) = life_with_a_canary(Choices {
        keep_values: true,
        ..Choices::default()
    });
    for word in [CANARY, TYPED] {
        assert!(holds(&exported, word), "what was chosen to be kept is there");
        assert!(holds(&opened, word), "what was chosen to be kept is there");
    }
}

#[test]
fn what_was_entered_is_nowhere_after_its_call_where_the_person_keeps_no_values() {
    let (exported, opened) = life_with_a_canary(Choices::default());
    assert!(exported.len() > 1_000 && !holds(&exported, TYPED) && !holds(&exported, CANARY));
    assert!(holds(&opened, CANARY), "the arguments, to start it again");
    assert!(!holds(&opened, TYPED), "{}", String::from_utf8_lossy(&opened));
}

#[test]
fn a_canary_everywhere_is_nowhere_after_its_call_where_the_person_keeps_nothing() {
    let (exported, opened) = life_with_a_canary(Choices {
        keep_results: false,
        ..Choices::default()
    });
    for word in [CANARY, TYPED] {
        assert!(exported.len() > 1_000 && !holds(&exported, word));
        assert!(!holds(&opened, word), "{}", String::from_utf8_lossy(&opened));
    }
}
