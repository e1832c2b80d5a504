//! The workshop over stdio: one message a line, requests side by side, `notifications/cancelled` honoured.
//!
//! When the input ends, what runs is finished and written. Deliberately absent: anything on standard error.

use crate::message::{Fault, Message, Request, Unreadable, read};
use crate::server::{Notes, Practice, handle};
use countersign_core::wire::json::Json;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};

/// Longest line that is read, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Serves until `input` ends.
///
/// # Errors
/// What reading or writing says.
pub(crate) async fn serve<R, W>(input: R, output: W, practice: Arc<Practice>) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let (lines, to_write) = unbounded_channel();
    tokio::try_join!(
        read_all(BufReader::new(input), practice, lines),
        write_all(output, to_write)
    )?;
    Ok(())
}

async fn read_all<R: AsyncRead + Unpin>(
    mut input: BufReader<R>,
    practice: Arc<Practice>,
    lines: Notes,
) -> io::Result<()> {
    let mut calls = Calls::default();
    let mut line = Vec::new();
    while let Some(length) = next_line(&mut input, &mut line).await? {
        if length == Length::TooLong {
            let fault = Fault::NotARequest(format!("longer than {LONGEST} bytes"));
            say(&lines, fault.response(None));
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read(&line) {
            Ok(Message::Request(request)) => calls.start(request, &practice, &lines),
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                if let Some(id) = params.get("requestId") {
                    calls.cancel(id);
                }
            }
            Ok(Message::Notification { .. }) => {}
            Err(Unreadable { id, fault }) => say(&lines, fault.response(id)),
        }
    }
    while calls.running.join_next().await.is_some() {}
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Length {
    Whole,
    TooLong,
}

/// Reads up to the next line feed; none at the end. Of a line that is too long the rest is skipped.
async fn next_line<R: AsyncRead + Unpin>(
    input: &mut BufReader<R>,
    line: &mut Vec<u8>,
) -> io::Result<Option<Length>> {
    line.clear();
    let mut length = Length::Whole;
    loop {
        let buffered = input.fill_buf().await?;
        if buffered.is_empty() {
            let nothing = line.is_empty() && length == Length::Whole;
            return Ok((!nothing).then_some(length));
        }
        let end = buffered.iter().position(|byte| *byte == b'\n');
        let part = &buffered[..end.unwrap_or(buffered.len())];
        if line.len() + part.len() > LONGEST {
            length = Length::TooLong;
            line.clear();
        }
        if length == Length::Whole {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(length));
        }
    }
}

#[derive(Default)]
struct Calls {
    running: JoinSet<()>,
    /// By the text of the id, which tells `1` from `"1"`.
    by_id: HashMap<String, AbortHandle>,
}

impl Calls {
    fn start(&mut self, request: Request, practice: &Arc<Practice>, lines: &Notes) {
        while self.running.try_join_next().is_some() {}
        self.by_id.retain(|_, call| !call.is_finished());
        let id = request.id.to_string();
        if self.by_id.contains_key(&id) {
            let fault = Fault::NotARequest("a request with this id is still running".to_owned());
            say(lines, fault.response(Some(request.id)));
            return;
        }
        let (practice, lines) = (Arc::clone(practice), lines.clone());
        let call = self.running.spawn(async move {
            let reply = handle(&practice, &request, &lines).await;
            say(&lines, reply.message);
        });
        self.by_id.insert(id, call);
    }

    /// No response follows (cancellation page).
    fn cancel(&mut self, id: &Json) {
        if let Some(call) = self.by_id.remove(&id.to_string()) {
            call.abort();
        }
    }
}

fn say(lines: &Notes, message: Json) {
    // Nobody reads any more when the output is gone, and then `serve` ends with its error.
    let _ = lines.send(message);
}

async fn write_all<W: AsyncWrite + Unpin>(
    mut output: W,
    mut lines: UnboundedReceiver<Json>,
) -> io::Result<()> {
    while let Some(message) = lines.recv().await {
        output.write_all(format!("{message}\n").as_bytes()).await?;
        output.flush().await?;
    }
    output.shutdown().await
}
