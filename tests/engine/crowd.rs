//! Many calls to one server and many server programs at once, each with a form: every answer is on its own call.
//!
//! All questions stand open before the first is answered, they are answered in another order than they came, and
//! their fields have the same names. What all of this costs is measured in `tests/bench/`.

use crate::kit::{Desk, Gate, Http, Program, Reply, done, form, input_required, name, text};
use countersign_core::mrtr::driver::End;
use countersign_core::session::{Speak, Target};
use countersign_core::view::{Answered, AskView, CallId, CallPhase};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::Mutex;

const CALLS: usize = 500;
const PROGRAMS: usize = 50;

/// Each of these tests alone is a load for a small machine.
static IN_TURN: Mutex<()> = Mutex::const_new(());

const HANDSHAKE: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}"#;

#[tokio::test]
async fn five_hundred_calls_at_once_to_one_server_get_their_own_answers() {
    let _turn = IN_TURN.lock().await;
    allow_open_connections();
    // No request is answered before the last of its kind has come: all of them are in flight together.
    let (asked, answered) = (Gate::closed(), Gate::closed());
    let (all_asked, all_answered) = (asked.clone(), answered.clone());
    let server = Http::new(move |seen, n| {
        match n + 1 {
            CALLS => asked.open(),
            n if n == 2 * CALLS => answered.open(),
            _ => {}
        }
        let params = seen.json().get("params").cloned().unwrap_or(Json::Null);
        let call = params.get("arguments").and_then(|arguments| arguments.get("a"));
        let call = call.and_then(Json::as_i64).unwrap_or(-1);
        match params.get("inputResponses") {
            None => Reply::Held(
                asked.clone(),
                Box::new(Reply::Result(input_required(
                    &[(&format!("key {call}"), form(&format!("Question {call}"), name()))],
                    Some(&format!(r#""state {call}""#)),
                ))),
            ),
            Some(_) => Reply::Held(
                answered.clone(),
                Box::new(Reply::Result(done(&format!("result {call}")))),
            ),
        }
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let number = |n: usize| Json::integer(i64::try_from(n).expect("small"));
    let calls: Vec<CallId> = (0..CALLS).map(|n| desk.call_with(id, number(n))).collect();

    let asks = open_questions(&desk, &calls).await;
    assert!(all_asked.is_open() && !all_answered.is_open());
    assert_eq!(server.seen().len(), CALLS);
    answer_shuffled(&desk, &asks, 307).await;
    check_results(&desk, &calls).await;

    let seen = server.seen();
    assert_eq!(seen.len(), 2 * CALLS, "one request and one retry for each call");
    let mut retries: Vec<String> = server.params().split_off(CALLS);
    let mut expected: Vec<String> = (0..CALLS)
        .map(|n| {
            format!(
                r#"{{"name":"t","arguments":{{"a":{n}}},"inputResponses":{{"key {n}":{{"action":"accept","content":{{"name":"answer {n}"}}}}}},"requestState":"state {n}"}}"#
            )
        })
        .collect();
    retries.sort();
    expected.sort();
    assert_eq!(retries, expected);
    let ids: std::collections::BTreeSet<String> = seen.iter().map(|seen| seen.id()).collect();
    assert_eq!(ids.len(), 2 * CALLS, "no id is used twice");
}

#[tokio::test]
async fn case_073_fifty_programs_at_once_with_the_same_keys_get_their_own_answers() {
    let programs: Vec<Program> = (0..PROGRAMS)
        .map(|n| {
            let asks = input_required(
                &[("q", form(&format!("Question {n}"), name()))],
                Some(&format!(r#""state {n}""#)),
            );
            let (asks, ends) = (result(&asks), result(&done(&format!("result {n}"))));
            Program::new(&format!(r#"{{"on":{{"tools/call":[[{asks}],[{ends}]]}}}}"#))
        })
        .collect();
    let heard = check_programs(&programs, Revision::V2026_07_28).await;
    for (n, heard) in heard.iter().enumerate() {
        let [start, call, retry, end] = heard.as_slice() else {
            panic!("program {n} heard {heard:?}");
        };
        assert_eq!((start.as_str(), end.as_str()), ("# start", "# eof"));
        assert!(!call.contains("inputResponses"), "{call}");
        let params = Json::parse(retry).expect("JSON").get("params").cloned();
        let member = |name: &str| params.as_ref()?.get(name).map(Json::to_string);
        assert_eq!(
            (
                member("arguments"),
                member("inputResponses"),
                member("requestState")
            ),
            (
                Some(format!(r#"{{"a":{n}}}"#)),
                Some(format!(
                    r#"{{"q":{{"action":"accept","content":{{"name":"answer {n}"}}}}}}"#
                )),
                Some(format!(r#""state {n}""#)),
            )
        );
    }
}

#[tokio::test]
async fn case_073_fifty_older_programs_that_ask_under_one_id_get_their_own_answers() {
    let programs: Vec<Program> = (0..PROGRAMS)
        .map(|n| {
            let asks = format!(
                r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{{"message":"Question {n}","requestedSchema":{}}}}}"#,
                name()
            );
            let ends = format!(
                r#"{{"jsonrpc":"2.0","id":@call,"result":{{"content":[{{"type":"text","text":"result {n}"}}]}}}}"#
            );
            Program::new(&format!(
                r#"{{"on":{{"initialize":[[{}]],"tools/call":[[{{"keep":"call"}},{}]],"":[[{}]]}}}}"#,
                result(HANDSHAKE),
                line(&asks),
                line(&ends)
            ))
        })
        .collect();
    let heard = check_programs(&programs, Revision::V2025_11_25).await;
    for (n, heard) in heard.iter().enumerate() {
        let answers: Vec<&String> = heard.iter().filter(|line| line.contains(r#""result""#)).collect();
        assert_eq!(
            answers,
            [&format!(
                r#"{{"jsonrpc":"2.0","id":"q","result":{{"action":"accept","content":{{"name":"answer {n}"}}}}}}"#
            )]
        );
        let calls = heard.iter().filter(|line| line.contains("tools/call"));
        assert_eq!(calls.count(), 1, "{heard:?}");
    }
}

/// One call to each program, all waiting at their question together; what each of them heard until its end.
async fn check_programs(programs: &[Program], revision: Revision) -> Vec<Vec<String>> {
    let _turn = IN_TURN.lock().await;
    let desk = Desk::new();
    let mut calls = Vec::new();
    for (n, program) in programs.iter().enumerate() {
        let target = Target::Stdio(program.command());
        let patience = Duration::from_secs(60);
        let (name, speak) = (format!("program {n}"), Speak::Only(revision));
        let server = desk.app.add_speaking(&name, target, patience, speak);
        calls.push(desk.call_with(server, Json::integer(i64::try_from(n).expect("small"))));
    }
    let asks = open_questions(&desk, &calls).await;
    for (n, ask) in asks.iter().enumerate() {
        assert_eq!(ask.server.name, format!("program {n}"));
    }
    answer_shuffled(&desk, &asks, 37).await;
    check_results(&desk, &calls).await;
    desk.app.shut_down().await;
    programs.iter().map(Program::heard).collect()
}

/// The one question of every call, in the order of the calls, once all of them stand open.
async fn open_questions(desk: &Desk, calls: &[CallId]) -> Vec<AskView> {
    let waiting = u32::try_from(calls.len()).expect("few");
    desk.until("a question of every call", |desk| {
        for row in desk.app.inbox().calls() {
            let halted = matches!(row.phase, CallPhase::Unknown | CallPhase::Failed);
            assert!(!halted, "{:?}: {:?}", row.phase, row.detail);
        }
        (desk.app.inbox().unfinished().waiting == waiting).then_some(())
    })
    .await;
    let rows = desk.app.inbox().asks();
    let by_call: BTreeMap<CallId, AskView> = rows.iter().map(|row| (row.call, desk.view(row.id))).collect();
    assert_eq!(by_call.len(), calls.len(), "one question for each call");
    let asks: Vec<AskView> = calls.iter().map(|call| by_call[call].clone()).collect();
    for (n, ask) in asks.iter().enumerate() {
        assert_eq!(ask.message.text, format!("Question {n}"));
    }
    asks
}

/// Gives every question an answer of its own. `step` has no divisor in common with how many there are.
async fn answer_shuffled(desk: &Desk, asks: &[AskView], step: usize) {
    for turn in 0..asks.len() {
        let n = (turn * step + asks.len() / 2) % asks.len();
        let sent = desk
            .accept(asks[n].id, vec![text(0, &format!("answer {n}"))])
            .await;
        assert_eq!(sent, Answered::Sent, "question {n}");
    }
}

/// Every call ends with the result that was meant for it.
async fn check_results(desk: &Desk, calls: &[CallId]) {
    for (n, &call) in calls.iter().enumerate() {
        let end = desk
            .until("the end of every call", |desk| {
                desk.app.inbox().end(call).and_then(|(_, end)| end)
            })
            .await;
        let End::Done(result) = end else {
            panic!("call {n}: {end:?}");
        };
        let said = format!(r#""text":"result {n}""#);
        assert!(result.to_string().contains(&said), "call {n}: {result}");
    }
    assert!(desk.app.inbox().asks().is_empty(), "nothing waits any more");
}

/// An action that answers the request with this result.
fn result(result: &str) -> String {
    line(&format!(r#"{{"jsonrpc":"2.0","id":@id,"result":{result}}}"#))
}

/// An action that says this line.
fn line(line: &str) -> String {
    format!(r#"{{"out":{}}}"#, Json::string(line))
}

/// Both ends of every connection are in this process, which is more than many systems allow unasked.
fn allow_open_connections() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        const ENOUGH: u64 = 4_096;
        let limit = getrlimit(Resource::Nofile);
        if limit.current.is_some_and(|current| current < ENOUGH) {
            let current = Some(limit.maximum.map_or(ENOUGH, |most| most.min(ENOUGH)));
            let raised = Rlimit {
                current,
                maximum: limit.maximum,
            };
            setrlimit(Resource::Nofile, raised).expect("more open files");
        }
    }
}
