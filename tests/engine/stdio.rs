//! Server programs: framing, noise, order, start, end, and what a person reads when one ends.

use crate::kit::{Desk, Program, done, form, here, input_required, name, patiently, text};
use countersign_core::session::{Session, Target};
use countersign_core::transport::stdio::Command;
use countersign_core::transport::{self, Fault};
use countersign_core::view::{Act, CallAct, CallPhase, ServerState};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::time::Duration;

fn tool_call(name: &str) -> Request {
    Request::new(Method::CallTool).with("name", Json::string(name))
}

fn session(program: &Program) -> Session {
    session_with(program, Duration::from_secs(60))
}

fn session_with(program: &Program, timeout: Duration) -> Session {
    Session::new(Target::Stdio(program.command()), Elicitation::Both, timeout)
}

fn result(reply: Result<transport::Reply, Fault>) -> String {
    match reply.expect("an answer").response.outcome {
        Ok(result) => result.to_string(),
        Err(error) => format!("error {} {}", error.code, error.message),
    }
}

/// A plan that gives these actions for each tools/call in turn.
fn on_calls(turns: &str) -> Program {
    Program::new(&format!(r#"{{"on":{{"tools/call":[{turns}]}}}}"#))
}

/// An action that answers with this result.
fn out(result: &str) -> String {
    let line = format!(r#"{{"jsonrpc":"2.0","id":@id,"result":{result}}}"#);
    format!(r#"{{"out":{}}}"#, Json::string(line))
}

#[tokio::test]
async fn a_request_is_one_line_with_everything_in_meta() {
    let program = on_calls(&format!("[{}]", out(r#"{"k":1}"#)));
    let session = session(&program);
    assert_eq!(result(session.ask(tool_call("a\nb")).await), r#"{"k":1}"#);
    let heard = program.heard();
    assert_eq!(heard[0], "# start");
    assert_eq!(
        heard[1],
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a\nb","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"countersign","title":"Countersign","version":"{}"}},"io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}},"url":{{}}}}}},"progressToken":1}}}}}}"#,
            env!("CARGO_PKG_VERSION")
        )
    );
    session.shut_down().await;
    assert_eq!(
        program.heard()[2..],
        ["# eof"],
        "nothing but messages, then its end"
    );
}

#[tokio::test]
async fn case_123_junk_blank_lines_a_mark_and_halves_disturb_nothing() {
    let answer = r#"{\"jsonrpc\":\"2.0\",\"id\":@id,\"result\":{\"k\":\"é\"}}"#;
    let plan = format!(
        r#"{{"start":[{{"out":"Starting v2\u001b[31m"}},{{"out":""}},{{"raw":"\r\n"}}],"on":{{"tools/call":[
            [{{"out":"half a {{"}},{{"raw":"\ufeff{answer}\r\n"}}],
            [{{"raw":"{{\"jsonrpc\":\"2.0\",\"id\":@id,"}},{{"raw":"\"result\":{{\"k\":\"é\"}}}}\n"}}],
            [{{"out":"{{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"roots/list\"}}"}},{{"out":"{}"}}]]}}}}"#,
        answer.replace("@id", "\\\"@id\\\"")
    );
    let program = Program::new(&plan);
    let session = session(&program);
    for _ in 0..3 {
        assert_eq!(result(session.ask(tool_call("t")).await), r#"{"k":"é"}"#);
    }
    assert_eq!(
        session.log(),
        [
            "not a message: Starting v2⟦U+001B⟧[31m",
            "not a message: half a {"
        ]
    );
    assert_eq!(program.heard().len(), 4, "the server's request was not answered");
}

#[tokio::test]
async fn case_113_an_id_sent_back_as_text_or_left_out_still_finds_its_request() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":"@id","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":@id.0,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read"}}"#,
    ];
    let turns = lines.map(|line| format!(r#"[{{"out":{}}}]"#, Json::string(line)));
    let program = on_calls(&turns.join(","));
    let session = session(&program);
    assert_eq!(result(session.ask(tool_call("t")).await), "{}");
    assert_eq!(result(session.ask(tool_call("t")).await), "{}");
    assert_eq!(
        result(session.ask(tool_call("t")).await),
        "error -32700 cannot read"
    );
}

#[tokio::test]
async fn http_67_a_flood_on_stderr_blocks_nothing_and_its_last_lines_are_kept() {
    // In lines, in one line without an end for a while, and with what a terminal would act upon.
    let long = Json::string("z".repeat(300_000));
    let turns = format!(
        r#"[{{"flood":8388608}},{{"err":{long}}},{{"err":"\u001b[31mred\u0007"}},{{"err":"last words \u202e"}},{}]"#,
        out("{}")
    );
    let program = on_calls(&turns);
    let session = session(&program);
    assert_eq!(result(session.ask(tool_call("t")).await), "{}");
    let log = async {
        loop {
            let log = session.log();
            if log.last().is_some_and(|last| last == "last words ⟦U+202E⟧") {
                return log;
            }
            tokio::task::yield_now().await;
        }
    };
    let log = patiently("the last words", log).await;
    assert_eq!(log.len(), 50);
    assert_eq!(
        log[47..49],
        ["a long line was left out", "⟦U+001B⟧[31mred⟦U+0007⟧"]
    );
    assert!(log.iter().map(String::len).sum::<usize>() < 256 * 1024);
    assert!(!log.concat().contains(|c: char| c < ' '));
}

#[tokio::test]
async fn answers_out_of_order_find_their_requests() {
    let answer = |name: &str| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":@{name},"result":{{"{name}":1}}}}"#);
        format!(r#"{{"out":{}}}"#, Json::string(line))
    };
    let turns = format!(
        r#"[{{"keep":"first"}}],[{{"keep":"second"}}],[{{"keep":"third"}},{},{},{}]"#,
        answer("third"),
        answer("first"),
        answer("second")
    );
    let program = on_calls(&turns);
    let session = session(&program);
    let (first, second, third) = tokio::join!(
        session.ask(tool_call("a")),
        session.ask(tool_call("b")),
        session.ask(tool_call("c"))
    );
    assert_eq!(result(first), r#"{"first":1}"#);
    assert_eq!(result(second), r#"{"second":1}"#);
    assert_eq!(result(third), r#"{"third":1}"#);
}

#[tokio::test]
async fn case_125_arguments_arrive_exactly() {
    let odd = [
        "--root",
        "/srv/My Files",
        "--q",
        "a\"b",
        "",
        "$HOME `id` ;&|",
        "é\n*",
    ];
    let line = Json::string(r#"{"jsonrpc":"2.0","id":@id,"result":{"args":@args}}"#);
    let plan = format!(r#"{{"on":{{"tools/call":[[{{"out":{line}}}]]}}}}"#);
    let program = Program::with_arguments(&plan, &odd);
    let answer = result(session(&program).ask(tool_call("t")).await);
    let args = Json::parse(&answer).expect("JSON");
    let args = args
        .get("args")
        .and_then(Json::as_array)
        .expect("a list")
        .to_vec();
    assert_eq!(args, odd.map(Json::string));
}

#[tokio::test]
async fn a_stopped_call_is_cancelled_and_its_late_answer_goes_nowhere() {
    let turns = format!(
        r#"[{{"keep":"old"}}],[{{"out":"{{\"id\":@old,\"result\":{{\"late\":1}}}}"}},{}]"#,
        out(&done("ok"))
    );
    let program = on_calls(&turns);
    let desk = Desk::new();
    let id = desk.add_program("prog", &program);
    let call = desk.call(id);
    program.until_heard("tools/call").await;
    desk.app.inbox().stop(call);
    let row = desk.call_in(call, CallPhase::Stopped).await;
    assert!(row.detail.expect("words").contains("may still have happened"));
    program.until_heard("notifications/cancelled").await;
    assert_eq!(
        program.heard()[2],
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"stopped by the person"}}"#
    );
    let next = desk.call(id);
    let row = desk.finished(next).await;
    assert_eq!(row.phase, CallPhase::Done);
}

#[tokio::test]
async fn after_a_cancelled_request_an_answer_without_an_id_belongs_to_nobody() {
    let turns = format!(
        r#"[],[{{"out":"{{\"id\":null,\"error\":{{\"code\":-32601,\"message\":\"cancelled?\"}}}}"}},{}]"#,
        out(&done("ok"))
    );
    let program = on_calls(&turns);
    let desk = Desk::new();
    let id = desk.add_program("prog", &program);
    let call = desk.call(id);
    program.until_heard("tools/call").await;
    desk.app.inbox().stop(call);
    desk.call_in(call, CallPhase::Stopped).await;
    let next = desk.call(id);
    assert_eq!(desk.finished(next).await.phase, CallPhase::Done);
}

#[tokio::test]
async fn case_119_a_time_out_is_said_with_its_figure_and_cancelled() {
    let program = on_calls(&format!("[],[{}]", out("{}")));
    let session = session_with(&program, Duration::from_millis(1500));
    let fault = session.ask(tool_call("t")).await.expect_err("silence");
    assert_eq!(fault.to_string(), "no answer within 1.5 s");
    program.until_heard(r#""reason":"timed out""#).await;
}

#[tokio::test]
async fn a_program_that_does_not_read_cannot_hold_a_request_for_ever() {
    let program = Program::new(r#"{"start":[{"sleep":true}]}"#);
    // More than a pipe holds.
    let session = session_with(&program, Duration::from_millis(300));
    let large = tool_call("t").with("arguments", Json::string("x".repeat(1_000_000)));
    let fault = patiently("an end", session.ask(large))
        .await
        .expect_err("silence");
    assert_eq!(fault, Fault::TimedOut(Duration::from_millis(300)));
    patiently("an end", session.shut_down()).await;
}

#[tokio::test]
async fn a_request_that_could_not_be_written_can_be_stopped() {
    let program = Program::new(r#"{"start":[{"sleep":true}]}"#);
    let session = session(&program);
    let stop = tokio_util::sync::CancellationToken::new();
    let large = tool_call("t").with("arguments", Json::string("x".repeat(1_000_000)));
    let mut note = |_| {};
    let sending = countersign_core::mrtr::driver::Line::send(
        &session,
        &large,
        transport::Patience::of(Duration::from_secs(60)),
        &stop,
        &mut note,
    );
    let stopping = async {
        program.until_heard("# start").await;
        stop.cancel();
    };
    let (sent, ()) = patiently("an end", async { tokio::join!(sending, stopping) }).await;
    assert_eq!(sent, Err(Fault::Cancelled { left: true }));
    patiently("an end", session.shut_down()).await;
}

#[tokio::test]
async fn a_line_beyond_the_limit_ends_the_only_request_with_the_figure() {
    let program = on_calls(&format!(r#"[{{"long":4194305}}],[{}]"#, out("{}")));
    let session = session(&program);
    let fault = patiently("an end", session.ask(tool_call("t")))
        .await
        .expect_err("too large");
    assert_eq!(fault.to_string(), "more than 4194304 bytes in one answer");
    assert!(fault.left());
    assert_eq!(
        result(session.ask(tool_call("t")).await),
        "{}",
        "the next one works"
    );
}

#[tokio::test]
async fn closing_its_input_ends_a_program_orderly() {
    let program = Program::new(&format!(r#"{{"on":{{"tools/call":[[{}]]}}}}"#, out("{}")));
    let session = session(&program);
    session.ask(tool_call("t")).await.expect("an answer");
    session.shut_down().await;
    assert_eq!(program.heard().last().map(String::as_str), Some("# eof"));
}

#[tokio::test]
async fn a_program_that_ignores_its_closed_input_is_asked_to_end() {
    let program = Program::new(&format!(
        r#"{{"on":{{"tools/call":[[{}]]}},"eof":[{{"sleep":true}}],"term":[{{"exit":0}}]}}"#,
        out("{}")
    ));
    let session = session(&program);
    session.ask(tool_call("t")).await.expect("an answer");
    session.shut_down().await;
    assert_eq!(program.heard()[2..], ["# eof", "# term"]);
}

#[tokio::test]
async fn a_program_that_ignores_that_too_is_ended() {
    let program = Program::new(&format!(
        r#"{{"on":{{"tools/call":[[{}]]}},"eof":[{{"sleep":true}}],"term":[]}}"#,
        out(r#"{"pid":@pid}"#)
    ));
    let session = session(&program);
    let answer = result(session.ask(tool_call("t")).await);
    patiently("its end", session.shut_down()).await;
    assert_eq!(program.heard()[2..], ["# eof", "# term"]);
    let pid = Json::parse(&answer)
        .expect("JSON")
        .get("pid")
        .and_then(Json::as_i64);
    let proc = std::path::PathBuf::from(format!("/proc/{}", pid.expect("a pid")));
    if cfg!(target_os = "linux") {
        assert!(!proc.exists(), "it is gone");
    }
}

#[tokio::test]
async fn case_129_the_row_says_what_ran_how_it_ended_and_its_last_words() {
    let program = Program::new(
        r#"{"on":{"server/discover":[[{"err":"loading"},{"err":"Error: Cannot find module 'missing.js'"},{"exit":3}]]}}"#,
    );
    let desk = Desk::new();
    let id = desk.add_program("prog", &program);
    let failure = desk.app.connected(id).await.expect_err("it ended");
    let said = "The connection ended before the answer: the program ended. The program ended with exit code 3. Its last words: “Error: Cannot find module 'missing.js'”.";
    assert_eq!(failure.message, said);
    let row = desk.app.snapshot().servers.remove(0);
    assert_eq!(
        (row.state, row.word.as_str()),
        (ServerState::Failed, "cannot start")
    );
    assert_eq!(row.detail.as_deref(), Some(said));
    assert!(row.address.starts_with("python3 "), "{}", row.address);
}

#[tokio::test]
async fn a_program_that_ends_at_once_tells_its_code_every_time() {
    for _ in 0..5 {
        let program = Program::new(r#"{"start":[{"err":"no licence"},{"exit":7}]}"#);
        let desk = Desk::new();
        let id = desk.add_program("prog", &program);
        let failure = desk.app.connected(id).await.expect_err("it ended");
        assert!(failure.message.contains("exit code 7"), "{}", failure.message);
        assert!(failure.message.contains("no licence"), "{}", failure.message);
    }
}

#[tokio::test]
async fn the_program_of_a_removed_server_is_not_started_anew() {
    let discovered = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}}}"#;
    let program = Program::new(&format!(
        r#"{{"on":{{"server/discover":[[{}]],"tools/list":[[]]}}}}"#,
        out(discovered)
    ));
    let desk = Desk::new();
    let id = desk.add_program("prog", &program);
    let app = desk.app.clone();
    let reading = tokio::spawn(async move { app.connected(id).await });
    program.until_heard("tools/list").await;
    desk.app.remove_server(id).expect("removed");
    let _ = patiently("an end", reading).await.expect("no panic");
    let starts = program.heard().into_iter().filter(|line| line == "# start");
    assert_eq!(starts.count(), 1);
}

#[tokio::test]
async fn a_program_that_is_not_there_or_not_runnable_says_so_and_nothing_was_sent() {
    let command = |program: String| Command {
        program,
        args: Vec::new(),
        env: Vec::new(),
        cwd: None,
    };
    let check = |program: String, said: &'static str| async move {
        let target = Target::Stdio(command(program));
        let session = Session::new(target, Elicitation::Both, Duration::from_secs(60));
        let fault = session.ask(tool_call("t")).await.expect_err("no program");
        assert!(fault.to_string().contains(said), "{fault}");
        assert!(!fault.left());
    };
    check(
        "no-such-program-7f3a".into(),
        "“no-such-program-7f3a” was not found",
    )
    .await;
    let script = here("program.py").to_string_lossy().into_owned();
    check(script, "may not be run by you").await;
}

#[tokio::test]
async fn a_program_that_ended_in_a_call_leaves_it_unknown_and_is_started_anew() {
    let program = Program::new(&format!(
        r#"{{"on":{{"tools/call":[[{{"exit":1}}]],"prompts/get":[[{}]]}}}}"#,
        out("{}")
    ));
    let desk = Desk::new();
    let id = desk.add_program("prog", &program);
    let call = desk.call(id);
    let row = desk.call_in(call, CallPhase::Unknown).await;
    assert!(row.detail.expect("words").contains("the program ended"));
    assert_eq!(row.acts, [CallAct::SendAgain, CallAct::Leave]);
    assert_eq!(program.heard().len(), 2, "nothing was sent again");
    desk.on_call(call, CallAct::Leave).expect("left");
    let next = desk.call_offer(id, countersign_core::wire::lists::ListKind::Prompts, "p");
    desk.finished(next).await;
    let starts = program.heard().iter().filter(|line| *line == "# start").count();
    assert_eq!(starts, 2);
}

#[tokio::test]
async fn a_question_outlives_the_program_that_asked() {
    let asked = input_required(&[("q", form("m", name()))], Some(r#""s""#));
    let plan =
        |first: &str| format!(r#"{{"on":{{"tools/call":[[{first}]],"prompts/get":[[{{"exit":0}}]]}}}}"#);
    let program = Program::new(&plan(&out(&asked)));
    let desk = Desk::new();
    let id = desk.add_program("prog", &program);
    let call = desk.call(id);
    let ask = desk.question(call).await;
    // The program ends while the person thinks.
    let killer = desk.call_offer(id, countersign_core::wire::lists::ListKind::Prompts, "p");
    desk.call_in(killer, CallPhase::Unknown).await;
    std::fs::write(
        std::path::Path::new(&program.command().args[3]),
        plan(&out(&done("ok"))),
    )
    .expect("written");
    assert_eq!(desk.view(ask.id).phase, countersign_core::view::AskPhase::Waiting);
    desk.accept(ask.id, vec![text(0, "Ann")]).await;
    desk.finished(call).await;
    let retry = program.heard().pop().expect("a line");
    assert!(
        retry.contains(
            r#""inputResponses":{"q":{"action":"accept","content":{"name":"Ann"}}},"requestState":"s""#
        ),
        "{retry}"
    );
}

#[tokio::test]
async fn stopping_the_question_of_a_program_sends_nothing() {
    let asked = input_required(&[("q", form("m", name()))], None);
    let program = on_calls(&format!("[{}]", out(&asked)));
    let desk = Desk::new();
    let call = desk.call(desk.add_program("prog", &program));
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::StopCall).await;
    desk.call_in(call, CallPhase::Stopped).await;
    desk.app.shut_down().await;
    assert_eq!(program.heard()[2..], ["# eof"]);
}
