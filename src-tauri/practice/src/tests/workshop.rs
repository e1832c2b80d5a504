//! Over stdio, through a pipe in memory.

use super::{QUICK, at, counting, parsed, request, retried, said};
use crate::server::{Place, Practice};
use crate::stdio;
use countersign_core::wire::json::Json;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex};
use tokio::task::JoinHandle;

struct Pipe {
    input: DuplexStream,
    output: Lines<BufReader<DuplexStream>>,
    served: JoinHandle<std::io::Result<()>>,
}

fn workshop(pace: Duration) -> Pipe {
    let (input, read) = duplex(4096);
    let (write, output) = duplex(4096);
    let practice = Arc::new(Practice::new(Place::Workshop, counting(), pace));
    Pipe {
        input,
        output: BufReader::new(output).lines(),
        served: tokio::spawn(stdio::serve(read, write, practice)),
    }
}

impl Pipe {
    async fn send(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).await.expect("sent");
        self.input.write_all(b"\n").await.expect("sent");
    }

    async fn next(&mut self) -> Json {
        parsed(
            &self
                .output
                .next_line()
                .await
                .expect("a line")
                .expect("not the end"),
        )
    }
}

#[tokio::test]
async fn a_call_goes_through_its_rounds_line_by_line() {
    let mut pipe = workshop(QUICK);
    pipe.send(&format!("{}\r", request(1, "server/discover", "{}")))
        .await;
    assert_eq!(
        said(&pipe.next().await, "result.supportedVersions.0"),
        "2026-07-28"
    );

    let params = r#"{"name":"how_it_reacts"}"#;
    pipe.send(&request(2, "tools/call", params).to_string()).await;
    let first = pipe.next().await;
    let retry = retried(
        params,
        at(&first, "result"),
        r#"{"reaction":{"action":"cancel"}}"#,
    );
    pipe.send("").await;
    pipe.send(&request(3, "tools/call", &retry).to_string()).await;
    let end = pipe.next().await;
    assert_eq!(at(&end, "id").as_i64(), Some(3));
    assert_eq!(said(&end, "result.structuredContent.action"), "cancel");
}

#[tokio::test]
async fn progress_and_result_come_in_order_and_the_end_waits_for_them() {
    let mut pipe = workshop(QUICK);
    pipe.send(&request(1, "tools/call", r#"{"name":"slow_task"}"#).to_string())
        .await;
    let Pipe {
        input,
        mut output,
        served,
    } = pipe;
    drop(input);
    for step in 1..=5 {
        let note = parsed(&output.next_line().await.expect("a line").expect("a note"));
        assert_eq!(at(&note, "params.progress").as_i64(), Some(step));
    }
    let end = parsed(&output.next_line().await.expect("a line").expect("a result"));
    assert_eq!(said(&end, "result.resultType"), "complete");
    assert_eq!(output.next_line().await.expect("the end"), None);
    served.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered() {
    let mut pipe = workshop(Duration::from_secs(3600));
    pipe.send(&request(1, "tools/call", r#"{"name":"slow_task"}"#).to_string())
        .await;
    pipe.send(&request(1, "tools/list", "{}").to_string()).await;
    let twice = pipe.next().await;
    assert_eq!(
        at(&twice, "error.code").as_i64(),
        Some(-32600),
        "the id is taken: {twice}"
    );

    pipe.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}"#)
        .await;
    pipe.send(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}}"#,
    )
    .await;
    pipe.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#)
        .await;
    // With the task of an hour gone, the end of the input is the end.
    let Pipe {
        input,
        mut output,
        served,
    } = pipe;
    drop(input);
    let end = tokio::time::timeout(Duration::from_secs(30), output.next_line()).await;
    assert_eq!(end.expect("the task of an hour goes on").expect("the end"), None);
    served.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn lines_that_are_no_request_are_refused_and_the_next_is_served() {
    let mut pipe = workshop(QUICK);
    let long = " ".repeat(1024 * 1024 + 1);
    for (line, code) in [
        ("nonsense", -32700),
        ("{}", -32600),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}}"#,
            -32602,
        ),
        (&long, -32600),
    ] {
        pipe.send(line).await;
        let answer = pipe.next().await;
        assert_eq!(at(&answer, "error.code").as_i64(), Some(code), "{answer}");
    }
    pipe.send(&request(10, "prompts/list", "{}").to_string()).await;
    assert_eq!(
        said(&pipe.next().await, "result.prompts.0.name"),
        "write_announcement"
    );
}
