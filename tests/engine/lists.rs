//! Lists of what a server offers: pages, odd entries, limits.

use crate::kit::{Desk, Http, Reply, Seen, done, form, input_required, name};
use countersign_core::form::{FieldInput, Input};
use countersign_core::session::offers::{MAX_PAGES, MAX_PROBLEMS};
use countersign_core::view::{ArgumentsInput, FailureCode, OfferKind, ServerPage, ServerState, Started};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x","title":"Files \u202e"}}}"#;

fn tool(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)
}

fn page(tools: &[String], next: &str) -> String {
    format!(
        r#"{{"resultType":"complete","tools":[{}]{next}}}"#,
        tools.join(",")
    )
}

/// The page of a server whose tools/list is answered by `list`, given how many came before.
async fn read(list: impl Fn(&Seen, usize) -> Reply + Send + Sync + 'static) -> (ServerPage, Http, Desk) {
    let server = Http::new(move |seen, n| match seen.rpc_method().as_str() {
        "server/discover" => Reply::Result(DISCOVERED.to_owned()),
        _ => list(seen, n - 1),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect("connected");
    let page = desk.app.server_page(id).await.expect("a page");
    (page, server, desk)
}

fn titles(page: &ServerPage) -> Vec<&str> {
    page.actions.iter().map(|offer| offer.title.as_str()).collect()
}

#[tokio::test]
async fn pages_are_read_to_the_end_and_an_empty_cursor_is_a_cursor() {
    let (read, server, _) = read(|_, n| {
        Reply::Result(match n {
            0 => page(&[tool("a")], r#","nextCursor":"""#),
            1 => page(&[tool("b")], r#","nextCursor":" c=/\u00e9""#),
            2 => page(&[], r#","nextCursor":"x""#),
            _ => page(&[tool("c")], r#","nextCursor":null"#),
        })
    })
    .await;
    assert_eq!(titles(&read), ["a", "b", "c"]);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    assert_eq!(
        server.params()[1..],
        [
            "{}",
            r#"{"cursor":""}"#,
            "{\"cursor\":\" c=/é\"}",
            r#"{"cursor":"x"}"#
        ]
    );
    assert_eq!(read.server.state, ServerState::Connected);
    assert_eq!(read.server.claims.as_deref(), Some("Files ⟦U+202E⟧"));
    assert_eq!(read.server.protocol.as_deref(), Some("2026-07-28"));
}

#[tokio::test]
async fn http_56_a_list_that_turns_in_a_circle_is_read_once() {
    let (read, server, _) = read(|_, n| {
        Reply::Result(page(
            &[tool(&format!("t{n}"))],
            &format!(r#","nextCursor":"{}""#, n % 2),
        ))
    })
    .await;
    assert_eq!(titles(&read), ["t0", "t1", "t2"]);
    assert_eq!(server.seen().len(), 4);
    assert!(
        read.problems[0].contains("turns in a circle"),
        "{:?}",
        read.problems
    );
}

#[tokio::test]
async fn http_56_a_list_without_an_end_stops_at_a_hundred_pages() {
    let (read, server, _) = read(|_, n| {
        Reply::Result(page(
            &[tool(&format!("t{n}"))],
            &format!(r#","nextCursor":"{n}""#),
        ))
    })
    .await;
    assert_eq!(
        (read.actions.len(), server.seen().len()),
        (MAX_PAGES, MAX_PAGES + 1)
    );
    assert!(
        read.problems[0].contains("more than 100 pages"),
        "{:?}",
        read.problems
    );
}

#[tokio::test]
async fn http_56_a_list_of_too_many_bytes_is_cut_and_said() {
    let large = format!(
        r#"{{"name":"t","description":"{}","inputSchema":{{"type":"object"}}}}"#,
        "d".repeat(3 * 1024 * 1024)
    );
    let (read, server, _) = read(move |_, n| {
        Reply::Result(page(
            std::slice::from_ref(&large),
            &format!(r#","nextCursor":"{n}""#),
        ))
    })
    .await;
    assert_eq!((read.actions.len(), server.seen().len()), (6, 7), "18 MiB");
    assert_eq!(
        read.problems,
        ["The list of actions has more than 16777216 bytes; the rest is left out."]
    );
}

#[tokio::test]
async fn http_56_more_entries_than_anyone_reads_are_cut_and_said() {
    let many: Vec<String> = (0..6_000).map(|n| tool(&format!("t{n}"))).collect();
    let (read, _, _) = read(move |_, n| Reply::Result(page(&many, &format!(r#","nextCursor":"{n}""#)))).await;
    assert_eq!(read.actions.len(), 10_000);
    assert!(
        read.problems[0].contains("more than 10000 entries"),
        "{:?}",
        read.problems
    );
}

#[tokio::test]
async fn an_odd_entry_is_named_and_the_others_stay() {
    let (read, _, _) = read(|_, _| {
        let odd = [
            tool("good"),
            "7".into(),
            "null".into(),
            r#"{"title":"no name","inputSchema":{}}"#.into(),
            r#"{"name":"bare\u202e"}"#.into(),
            r#"{"name":"text","inputSchema":"object"}"#.into(),
            r#"{"name":"titled","title":5,"annotations":[],"description":null,"inputSchema":{"type":"object"}}"#.into(),
            tool("last"),
        ];
        Reply::Result(page(&odd, ""))
    })
    .await;
    assert_eq!(titles(&read), ["good", "titled", "last"]);
    assert_eq!(read.problems.len(), 5, "{:?}", read.problems);
    assert!(
        read.problems
            .iter()
            .any(|problem| problem.contains("“bare⟦U+202E⟧”")),
        "{:?}",
        read.problems
    );
}

#[tokio::test]
async fn a_list_that_asks_is_a_problem_and_no_question() {
    let (read, server, desk) =
        read(|_, _| Reply::Result(input_required(&[("q", form("m", name()))], Some(r#""s""#)))).await;
    assert!(read.actions.is_empty());
    assert_eq!(
        read.problems,
        ["The list of actions cannot be used: tools/list may not ask for input, but the server did."]
    );
    assert!(desk.app.snapshot().asks.is_empty());
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_said_in_the_servers_words_or_ours() {
    let check = |reply: Reply, said: &'static str| async move {
        let (read, _, _) = read(move |_, _| reply.clone()).await;
        assert_eq!(read.problems.len(), 1, "{:?}", read.problems);
        assert!(read.problems[0].contains(said), "{:?}", read.problems);
        assert_eq!(read.server.state, ServerState::Connected, "the rest works");
    };
    check(Reply::Error(200, -32603, "no disk"), "“no disk” (-32603)").await;
    check(Reply::Body(500, "text/plain", String::new()), "HTTP 500").await;
    check(Reply::Result("{}".into()), "holds no list").await;
    check(Reply::Result(r#"{"tools":{}}"#.into()), "holds no list").await;
    check(Reply::Result("[]".into()), "not an object").await;
    check(
        Reply::Result(r#"{"resultType":"later"}"#.into()),
        "does not know: “later”",
    )
    .await;
}

#[tokio::test]
async fn a_tool_of_an_odd_name_is_shown_filtered_and_called_exactly() {
    let (read, server, desk) = read(|seen, _| match seen.rpc_method().as_str() {
        "tools/list" => Reply::Result(page(&[tool("\\u001b[31mx\\n")], "")),
        _ => Reply::Result("{}".into()),
    })
    .await;
    assert_eq!(titles(&read), ["⟦U+001B⟧[31mx"]);
    let json = ArgumentsInput::Json {
        text: r#"{"n":1E400,"z":1,"a":2}"#.into(),
    };
    let started = desk
        .app
        .start_call(read.server.id, OfferKind::Action, 0, &json)
        .expect("started");
    let Started::Started { call } = started else {
        panic!("{started:?}")
    };
    desk.finished(call).await;
    assert_eq!(
        server.params()[2],
        r#"{"name":"\u001b[31mx\n","arguments":{"n":1E400,"z":1,"a":2}}"#,
        "arguments in their order, numbers as typed"
    );
    assert_eq!(
        server.seen()[2].header("mcp-name").as_deref(),
        Some("=?base64?G1szMW14Cg==?=")
    );
}

#[tokio::test]
async fn arguments_go_from_fields_to_json_and_back_and_are_judged_by_the_schema() {
    let schema = r#"{"type":"object","required":["seats"],"properties":{"seats":{"type":"integer","minimum":2},"note":{"type":"string","default":"hi\u202e"}}}"#;
    let tools = [format!(r#"{{"name":"book","inputSchema":{schema}}}"#)];
    let (read, server, desk) = read(move |_, _| Reply::Result(page(&tools, ""))).await;
    let id = read.server.id;
    let entered = [FieldInput::new(
        0,
        Input::Text {
            text: "12abc".to_owned(),
        },
    )];
    let written = desk.app.write_arguments(id, OfferKind::Action, 0, &entered);
    assert_eq!(
        written.expect("text"),
        "{\n  \"seats\": \"12abc\",\n  \"note\": \"hi\\u202e\"\n}",
        "what does not fit is not lost, and nothing is hidden"
    );
    let read = async |text: &str| {
        desk.app
            .read_arguments(id, OfferKind::Action, 0, text)
            .await
            .expect("a reading")
    };
    let fits = read(r#"{"seats": 3}"#).await;
    assert_eq!(
        (fits.trouble, fits.findings, fits.unchecked),
        (None, vec![], None)
    );
    assert_eq!(
        fits.fields.map(|fields| fields.len()),
        Some(2),
        "the suggestion is cleared"
    );
    let unfit = read(r#"{"seats": 1}"#).await;
    assert_eq!(unfit.findings, ["/seats: is less than 2"]);
    assert!(unfit.fields.is_some(), "the fields say it themselves");
    let more = read(r#"{"seats": 3, "more": 1}"#).await;
    assert_eq!(more.no_fields.as_deref(), Some("The form has no field “more”."));
    let trouble = read("{\n  \"seats\" 3}").await.trouble.expect("trouble");
    assert_eq!((trouble.line, trouble.column), (2, 11));
    let list = read("[1]").await.trouble.expect("trouble");
    assert_eq!(list.message, "Arguments are an object {…}, not a list.");
    assert_eq!(server.seen().len(), 2, "nothing was run");
}

#[tokio::test]
async fn an_entry_of_an_older_list_is_not_mistaken_for_what_stands_there_now() {
    let server = Http::new(|seen, n| match (seen.rpc_method().as_str(), n) {
        ("server/discover", _) => Reply::Result(DISCOVERED.to_owned()),
        ("tools/list", ..=3) => Reply::Result(page(&[tool("look"), tool("look_twice")], "")),
        ("tools/list", _) => Reply::Result(page(&[tool("delete"), tool("look")], "")),
        _ => Reply::Result(done("ok")),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let json = || ArgumentsInput::Json {
        text: "{}".to_owned(),
    };
    let start = |index| desk.app.start_call(id, OfferKind::Action, index, &json());
    desk.app.connected(id).await.expect("connected");
    let seen = desk.app.server_page(id).await.expect("a page").actions[0].index;
    desk.app.connected(id).await.expect("connected");
    assert!(start(seen).is_ok(), "the same list was read again");
    desk.app.connected(id).await.expect("connected");
    assert_eq!(start(seen).expect_err("another list").code, FailureCode::Gone);
    assert_eq!(
        desk.app
            .arguments(id, OfferKind::Action, seen)
            .expect_err("another list")
            .code,
        FailureCode::Gone
    );
    let now = desk.app.server_page(id).await.expect("a page").actions[0].index;
    let Ok(Started::Started { call }) = start(now) else {
        panic!("started")
    };
    assert_eq!(desk.row(call).name, "delete");
}

#[tokio::test]
async fn entries_that_cannot_be_used_are_named_up_to_a_limit() {
    let (read, server, _) = read(|_, n| {
        let zeros = vec!["0".to_owned(); MAX_PROBLEMS * 2];
        Reply::Result(page(&zeros, &format!(r#","nextCursor":"{n}""#)))
    })
    .await;
    assert_eq!(read.problems.len(), MAX_PROBLEMS + 1);
    assert_eq!(
        read.problems.last().map(String::as_str),
        Some("The list of actions has more entries that cannot be used; the rest is left out.")
    );
    assert_eq!(server.seen().len(), 2);
}
