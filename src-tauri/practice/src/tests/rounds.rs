//! The rounds of each call, and what is refused.

use super::{
    ORIGIN, at, at_the_desk, at_the_workshop, keys, meta, parsed, refusal, reply_to, request, result,
    retried, said,
};
use crate::json::json;
use crate::message::META_SERVER;
use crate::server::Practice;
use countersign_core::wire::json::Json;

/// One call to its end: the answers of each round, the keys asked in each, and words of the final text.
async fn check(practice: &Practice, params: &str, rounds: &[(&str, &[&str])], end: &str) -> Json {
    let mut last = result(practice, "tools/call", params).await;
    for (answers, asked) in rounds {
        assert_eq!(said(&last, "resultType"), "input_required", "{params}: {last}");
        assert_eq!(keys(&last), *asked, "{params}");
        last = result(practice, "tools/call", &retried(params, &last, answers)).await;
    }
    assert_eq!(said(&last, "resultType"), "complete", "{params}: {last}");
    assert!(said(&last, "content.0.text").contains(end), "{params}: {last}");
    last
}

const PLAN: &str = r#"{"name":"plan_deployment","arguments":{"service":"web shop"}}"#;
const ACCOUNT: &str = r#"{"name":"connect_account","arguments":{}}"#;
const SETUP: &str = r#"{"name":"guided_setup"}"#;
const THREE: &str = r#"{"name":"three_questions"}"#;
const REACTS: &str = r#"{"name":"how_it_reacts"}"#;

#[tokio::test]
async fn a_deployment_is_planned_in_one_round() {
    for practice in [at_the_desk(), at_the_workshop()] {
        let accept = r#"{"deployment":{"action":"accept","content":{"environment":"staging","notify":true,"reason":"because"}}}"#;
        let end = check(
            &practice,
            PLAN,
            &[(accept, &["deployment"])],
            "planned (not really)",
        )
        .await;
        assert_eq!(
            at(&end, "structuredContent").to_string(),
            r#"{"service":"web shop","received":{"environment":"staging","notify":true,"reason":"because"}}"#
        );
        let decline = r#"{"deployment":{"action":"decline"}}"#;
        check(&practice, PLAN, &[(decline, &["deployment"])], "You declined").await;
        let cancel = r#"{"deployment":{"action":"cancel"},"nobody-asked":7}"#;
        check(
            &practice,
            PLAN,
            &[(cancel, &["deployment"])],
            "You made no choice",
        )
        .await;
        // Answers left out are asked for again.
        check(
            &practice,
            PLAN,
            &[("{}", &["deployment"]), (decline, &["deployment"])],
            "You declined",
        )
        .await;
    }
}

#[tokio::test]
async fn a_deployment_of_no_service_is_a_failed_call() {
    let end = check(
        &at_the_desk(),
        r#"{"name":"plan_deployment","arguments":{"service":""}}"#,
        &[],
        "The service must be a name",
    )
    .await;
    assert_eq!(at(&end, "isError"), &Json::Bool(true));
}

#[tokio::test]
async fn an_account_is_connected_only_when_its_page_was_visited() {
    let practice = at_the_desk();
    let accept = r#"{"account":{"action":"accept"}}"#;
    let first = result(&practice, "tools/call", ACCOUNT).await;
    let url = said(&first, "inputRequests.account.params.url").to_owned();
    let ticket = url
        .strip_prefix(&format!("{ORIGIN}/practice/account?ticket="))
        .expect(&url);

    let again = result(&practice, "tools/call", &retried(ACCOUNT, &first, accept)).await;
    assert_eq!(keys(&again), ["account"]);
    assert_eq!(said(&again, "inputRequests.account.params.url"), url);
    assert!(said(&again, "inputRequests.account.params.message").contains("still waiting"));

    assert!(practice.visit(ticket));
    assert!(!practice.visit("another"));
    let end = result(&practice, "tools/call", &retried(ACCOUNT, &again, accept)).await;
    assert!(said(&end, "content.0.text").contains("is connected"), "{end}");
}

#[tokio::test]
async fn declining_or_giving_up_ends_the_wait_for_an_account() {
    let accept = r#"{"account":{"action":"accept"}}"#;
    for (answers, end) in [
        (r#"{"account":{"action":"decline"}}"#, "You declined"),
        (r#"{"account":{"action":"cancel"}}"#, "You gave this up"),
    ] {
        let rounds: [(&str, &[&str]); 2] = [(accept, &["account"]), (answers, &["account"])];
        check(&at_the_desk(), ACCOUNT, &rounds, end).await;
    }
}

#[tokio::test]
async fn the_guided_setup_takes_three_rounds_with_a_state_each() {
    let practice = at_the_desk();
    let name = r#"{"name":{"action":"accept","content":{"name":"Lighthouse"}}}"#;
    let page = r#"{"page":{"action":"accept"}}"#;
    let confirm = r#"{"confirm":{"action":"accept","content":{"visibility":"me","remember":false}}}"#;
    let rounds: [(&str, &[&str]); 3] = [(name, &["name"]), (page, &["page"]), (confirm, &["confirm"])];
    check(&practice, SETUP, &rounds, "“Lighthouse” is complete").await;

    let first = result(&practice, "tools/call", SETUP).await;
    let second = result(&practice, "tools/call", &retried(SETUP, &first, name)).await;
    let third = result(&practice, "tools/call", &retried(SETUP, &second, page)).await;
    let states = [&first, &second, &third].map(|round| said(round, "requestState"));
    assert!(states[0] != states[1] && states[1] != states[2]);
    let declined = r#"{"confirm":{"action":"decline"}}"#;
    let end = result(&practice, "tools/call", &retried(SETUP, &third, declined)).await;
    assert!(said(&end, "content.0.text").contains("ended at step 3"), "{end}");
}

#[tokio::test]
async fn a_state_that_is_missing_altered_or_of_another_call_is_refused() {
    let practice = at_the_desk();
    let first = result(&practice, "tools/call", SETUP).await;
    let altered = format!("{}0", said(&first, "requestState"));
    let answers = r#"{"name":{"action":"accept","content":{"name":"x"}}}"#;
    for (params, state) in [
        (SETUP, None),
        (SETUP, Some(json!((altered.as_str())))),
        (SETUP, Some(json!(""))),
        (SETUP, Some(json!(7))),
        (ACCOUNT, first.get("requestState").cloned()),
        (ACCOUNT, None),
        (r#"{"name":"busy"}"#, first.get("requestState").cloned()),
        (REACTS, first.get("requestState").cloned()),
    ] {
        let mut members = parsed(params).as_object().expect(params).clone();
        members.set("inputResponses", parsed(answers));
        if let Some(state) = state {
            members.set("requestState", state);
        }
        let message = request(2, "tools/call", &Json::Object(members).to_string());
        assert_eq!(refusal(&practice, &message).await, (-32602, 200), "{message}");
    }
}

#[tokio::test]
async fn only_the_newest_states_are_remembered() {
    let practice = at_the_desk();
    let first = result(&practice, "tools/call", SETUP).await;
    for _ in 1..crate::rounds::KEPT {
        result(&practice, "tools/call", SETUP).await;
    }
    let retry = retried(SETUP, &first, "");
    assert_eq!(keys(&result(&practice, "tools/call", &retry).await), ["name"]);
    // The retry itself made a new one, which pushed the first out.
    assert_eq!(
        refusal(&practice, &request(2, "tools/call", &retry)).await,
        (-32602, 200)
    );
}

#[tokio::test]
async fn three_questions_are_answered_together() {
    let answers = |third: &str| {
        format!(
            r#"{{"greeting":{{"action":"accept","content":{{"name":"Ada"}}}},"lunch":{{"action":"decline"}},{third}}}"#
        )
    };
    let asked = ["greeting", "lunch", "page"];
    let (all, part) = (answers(r#""page":{"action":"cancel"}"#), answers(r#""other":{}"#));
    let end = check(
        &at_the_desk(),
        THREE,
        &[(&part, &asked), (&all, &asked)],
        "the second declined",
    )
    .await;
    assert_eq!(
        at(&end, "structuredContent").to_string(),
        r#"{"greeting":{"action":"accept","content":{"name":"Ada"}},"lunch":{"action":"decline"},"page":{"action":"cancel"}}"#
    );
    let all = answers(r#""weather":{"action":"accept","content":{"raining":true}}"#);
    let asked = ["greeting", "lunch", "weather"];
    check(&at_the_workshop(), THREE, &[(&all, &asked)], "the third accepted").await;
}

#[tokio::test]
async fn each_action_gets_a_result_of_its_own_and_none_is_an_error() {
    for (answer, end) in [
        (r#"{"action":"accept","content":{}}"#, "You sent an answer"),
        (r#"{"action":"decline"}"#, "You declined"),
        (r#"{"action":"cancel"}"#, "You dismissed"),
    ] {
        let answers = format!(r#"{{"reaction":{answer}}}"#);
        let end = check(&at_the_desk(), REACTS, &[(&answers, &["reaction"])], end).await;
        assert!(end.get("isError").is_none(), "{end}");
    }
}

#[tokio::test]
async fn answers_must_be_bare_and_fit() {
    let practice = at_the_desk();
    for (params, answers) in [
        (REACTS, r#"{"reaction":{"action":"accept"}}"#),
        (REACTS, r#"{"reaction":{"action":"accept","content":[]}}"#),
        (REACTS, r#"{"reaction":{"action":"accept","content":{"note":5}}}"#),
        (REACTS, r#"{"reaction":{"action":"decline","content":{}}}"#),
        (REACTS, r#"{"reaction":{"action":"maybe"}}"#),
        (
            REACTS,
            r#"{"reaction":{"method":"elicitation/create","result":{"action":"decline"}}}"#,
        ),
        (
            REACTS,
            r#"{"reaction":{"resultType":"complete","action":"decline"}}"#,
        ),
        (REACTS, r#"{"reaction":"decline"}"#),
        (REACTS, "[]"),
        (
            PLAN,
            r#"{"deployment":{"action":"accept","content":{"reason":"no"}}}"#,
        ),
        (
            PLAN,
            r#"{"deployment":{"action":"accept","content":{"reason":"because","starts_at":"soon"}}}"#,
        ),
        (ACCOUNT, r#"{"account":{"action":"accept","content":{}}}"#),
    ] {
        let first = result(&practice, "tools/call", params).await;
        let message = request(2, "tools/call", &retried(params, &first, answers));
        assert_eq!(refusal(&practice, &message).await, (-32602, 200), "{message}");
    }
}

#[tokio::test]
async fn a_busy_server_asks_nothing_and_says_twice_to_come_back() {
    check(
        &at_the_desk(),
        r#"{"name":"busy"}"#,
        &[("", &[]), ("", &[])],
        "Ready now",
    )
    .await;
    let first = result(&at_the_desk(), "tools/call", r#"{"name":"busy"}"#).await;
    assert!(first.get("inputRequests").is_none());
}

#[tokio::test]
async fn a_slow_task_reports_each_step_before_its_result() {
    let message = request(1, "tools/call", r#"{"name":"slow_task"}"#);
    let (reply, mut noted) = reply_to(&at_the_desk(), &message).await;
    for step in 1..=5 {
        let note = noted.try_recv().expect("a note");
        assert_eq!(at(&note, "params.progress").as_i64(), Some(step));
        assert_eq!(said(&note, "params.progressToken"), "p");
    }
    assert!(noted.try_recv().is_err());
    assert!(said(&reply.message, "result.content.0.text").starts_with("Done"));
}

#[tokio::test]
async fn the_form_with_every_field_takes_every_field() {
    let params = r#"{"name":"everything_form"}"#;
    let all = r##"{"everything":{"action":"accept","content":{"name":"Ada","email":"ada@example.org",
        "website":"https://example.org/","day":"2026-12-01","moment":"2026-12-01T21:30:00+01:00","copies":2,
        "price":1.5,"agree":true,"newsletter":false,"size":"M","delivery":"pickup","month":"05",
        "colours":["red","blue"],"days":[]}}}"##;
    check(
        &at_the_desk(),
        params,
        &[(all, &["everything"])],
        "14 of the fields",
    )
    .await;
    let least = r#"{"everything":{"action":"accept","content":{"name":"Ada","copies":1,"agree":false}}}"#;
    check(
        &at_the_workshop(),
        params,
        &[(least, &["everything"])],
        "3 of the fields",
    )
    .await;
}

#[tokio::test]
async fn results_hold_every_kind_of_content_and_failures_say_so() {
    let end = check(&at_the_desk(), r#"{"name":"show_results"}"#, &[], "Every kind").await;
    let kinds: Vec<_> = at(&end, "content")
        .as_array()
        .expect("content")
        .iter()
        .map(|block| said(block, "type"))
        .collect();
    assert_eq!(kinds, ["text", "image", "audio", "resource_link", "resource"]);
    assert_eq!(
        at(&end, "structuredContent.items.0.price").as_number(),
        Some("0.50")
    );

    let end = check(&at_the_desk(), r#"{"name":"fails"}"#, &[], "out of paper").await;
    assert_eq!(at(&end, "isError"), &Json::Bool(true));
}

#[tokio::test]
async fn a_prompt_and_a_document_ask_before_they_open() {
    let cases = [
        (
            "prompts/get",
            r#"{"name":"write_announcement","arguments":{"topic":"the fair"}}"#,
            r#"{"style":{"action":"accept","content":{"tone":"Short"}}}"#,
            "messages.0.content.text",
            "Tone: Short",
        ),
        (
            "prompts/get",
            r#"{"name":"write_announcement","arguments":{"topic":"the fair"}}"#,
            r#"{"style":{"action":"decline"}}"#,
            "description",
            "You declined",
        ),
        (
            "resources/read",
            r#"{"uri":"practice://reports/quarterly"}"#,
            r#"{"open":{"action":"accept","content":{}}}"#,
            "contents.0.text",
            "Quarterly report (practice)",
        ),
        (
            "resources/read",
            r#"{"uri":"practice://reports/quarterly"}"#,
            r#"{"open":{"action":"cancel"}}"#,
            "contents.0.text",
            "you did not choose",
        ),
    ];
    for practice in [at_the_desk(), at_the_workshop()] {
        for (method, params, answers, path, words) in cases {
            let first = result(&practice, method, params).await;
            assert_eq!(said(&first, "resultType"), "input_required");
            assert!(first.get("requestState").is_none());
            let end = result(&practice, method, &retried(params, &first, answers)).await;
            assert!(said(&end, path).contains(words), "{end}");
        }
        let note = result(&practice, "resources/read", r#"{"uri":"practice://notes/milk"}"#).await;
        assert!(said(&note, "contents.0.text").contains("milk"));
        assert_eq!(at(&note, "ttlMs").as_i64(), Some(60_000));
    }
}

#[tokio::test]
async fn every_page_of_every_list_can_be_had_and_kept() {
    for (practice, tools) in [(at_the_desk(), 10), (at_the_workshop(), 7)] {
        let first = result(&practice, "tools/list", "{}").await;
        let cursor = said(&first, "nextCursor");
        let second = result(&practice, "tools/list", &format!(r#"{{"cursor":"{cursor}"}}"#)).await;
        assert!(second.get("nextCursor").is_none());
        let count = |list: &Json, member: &str| at(list, member).as_array().expect(member).len();
        assert_eq!(count(&first, "tools") + count(&second, "tools"), tools);
        assert_eq!(
            said(&first, "tools.0.inputSchema.properties.service.title"),
            "Service"
        );
        for (method, member, length) in [
            ("prompts/list", "prompts", 1),
            ("resources/list", "resources", 2),
            ("resources/templates/list", "resourceTemplates", 1),
            ("server/discover", "supportedVersions", 1),
        ] {
            let list = result(&practice, method, "{}").await;
            assert_eq!(count(&list, member), length);
            assert_eq!(said(&list, "cacheScope"), "public");
            assert!(at(&list, "ttlMs").as_i64().is_some());
            assert_eq!(said(&list, "resultType"), "complete");
            let server = at(&list, "_meta").get(META_SERVER).expect("serverInfo");
            assert!(said(server, "title").starts_with("Practice "));
        }
    }
}

#[tokio::test]
async fn what_is_not_as_the_revision_wants_it_is_refused() {
    let practice = at_the_desk();
    let without = |meta: &str| request(1, "tools/list", &format!(r#"{{"_meta":{meta}}}"#));
    let version = r#""io.modelcontextprotocol/protocolVersion""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities""#;
    let cases = [
        (
            parsed(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
            (-32602, 400),
        ),
        (without("{}"), (-32602, 400)),
        (without(&format!(r#"{{{version}:"2026-07-28"}}"#)), (-32602, 400)),
        (without(&format!(r#"{{{capabilities}:{{}}}}"#)), (-32602, 400)),
        (
            without(&format!(r#"{{{version}:7,{capabilities}:{{}}}}"#)),
            (-32602, 400),
        ),
        (
            without(&format!(r#"{{{version}:"2025-11-25",{capabilities}:{{}}}}"#)),
            (-32022, 400),
        ),
        (request(1, "ping", "{}"), (-32601, 404)),
        (request(1, "completion/complete", "{}"), (-32601, 404)),
        (request(1, "tools/list", r#"{"cursor":"after-3"}"#), (-32602, 200)),
        (request(1, "tools/list", r#"{"cursor":""}"#), (-32602, 200)),
        (
            request(1, "tools/call", r#"{"name":"no_such_tool"}"#),
            (-32602, 200),
        ),
        (request(1, "tools/call", "{}"), (-32602, 200)),
        (
            request(1, "tools/call", r#"{"name":"busy","arguments":[]}"#),
            (-32602, 200),
        ),
        (
            request(1, "prompts/get", r#"{"name":"write_announcement"}"#),
            (-32602, 200),
        ),
        (
            request(1, "resources/read", r#"{"uri":"practice://notes/a/b"}"#),
            (-32602, 200),
        ),
        (
            parsed(r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#),
            (-32600, 400),
        ),
        (
            parsed(r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#),
            (-32600, 400),
        ),
        (
            parsed(r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#),
            (-32600, 400),
        ),
        (parsed(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), (-32600, 400)),
        (parsed("[]"), (-32600, 400)),
    ];
    for (message, wanted) in cases {
        assert_eq!(refusal(&practice, &message).await, wanted, "{message}");
    }
    let link_tool = request(1, "tools/call", ACCOUNT);
    assert_eq!(refusal(&at_the_workshop(), &link_tool).await, (-32602, 200));
}

#[tokio::test]
async fn nothing_is_asked_that_the_client_cannot_show() {
    let practice = at_the_desk();
    let cases = [
        ("null", PLAN, r#"{"form":{}}"#),
        (r#"{"url":{}}"#, PLAN, r#"{"form":{}}"#),
        ("{}", ACCOUNT, r#"{"url":{}}"#),
        (r#"{"form":{}}"#, SETUP, r#"{"url":{}}"#),
        ("null", SETUP, r#"{"form":{},"url":{}}"#),
    ];
    for (elicitation, params, wanted) in cases {
        let mut members = parsed(params).as_object().expect(params).clone();
        members.set("_meta", meta(elicitation));
        let message = request(1, "tools/call", &Json::Object(members).to_string());
        let (reply, _) = reply_to(&practice, &message).await;
        assert_eq!(
            at(&reply.message, "error.code").as_i64(),
            Some(-32021),
            "{message}"
        );
        assert_eq!(reply.status, 400);
        let required = at(&reply.message, "error.data.requiredCapabilities.elicitation");
        assert_eq!(required.to_string(), wanted, "{message}");
    }
    let supported = request(
        1,
        "tools/call",
        r#"{"name":"busy","_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01",
            "io.modelcontextprotocol/clientCapabilities":{}}}"#,
    );
    let (reply, _) = reply_to(&practice, &supported).await;
    assert_eq!(
        at(&reply.message, "error.data").to_string(),
        r#"{"supported":["2026-07-28"],"requested":"2030-01-01"}"#
    );
}
