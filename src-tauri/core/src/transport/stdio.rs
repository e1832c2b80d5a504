//! A server that is a program on this computer (2026-07-28, basic/transports/stdio): one line is one message.
//!
//! Promises: the program is started without a shell, its arguments arrive as they are; its log (stderr) is always
//! drained and its last lines kept; lines on stdout that are no messages are kept there too and disturb nothing.
//! On shutdown stdin is closed, then the program is asked to end, then it is ended.

use super::lines::{Line, Lines};
use super::routes::{Routes, Unasked};
use super::{Fault, Incoming, Limit, MAX_MESSAGE, Reply, TELL};
use crate::wire::request::cancelled;
use crate::wire::rpc::Message;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const LOG_LINES: usize = 50;
const LOG_LINE: usize = 400;
const GRACE: Duration = Duration::from_secs(2);

/// What is run.
#[derive(Clone, PartialEq, Eq)]
pub struct Command {
    pub program: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<PathBuf>,
}

/// An argument or variable may hold a secret, so they stay out of `{:?}`.
impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

/// One running server program. Requests may overlap.
#[derive(Debug)]
pub struct StdioPeer {
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    shared: Arc<Shared>,
    child: tokio::sync::Mutex<Child>,
}

#[derive(Debug)]
struct Shared {
    routes: Routes,
    log: Mutex<VecDeque<String>>,
    /// Cancelled when stdout has ended, or stdin was given up: nothing more will be answered.
    ended: CancellationToken,
    /// Cancelled when stderr has ended: the log is whole.
    log_ended: CancellationToken,
}

impl StdioPeer {
    /// Starts the program. What it says without being asked goes to `unasked`.
    ///
    /// # Errors
    /// [`Fault::CannotStart`] with the system's reason.
    pub(crate) fn start(command: &Command, unasked: mpsc::Sender<Unasked>) -> Result<Self, Fault> {
        let mut child = spawn(command).map_err(|error| Fault::CannotStart(start_reason(command, &error)))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Fault::CannotStart(
                "its input and output cannot be reached".to_owned(),
            ));
        };
        let shared = Arc::new(Shared {
            routes: Routes::new(unasked),
            log: Mutex::default(),
            ended: CancellationToken::new(),
            log_ended: CancellationToken::new(),
        });
        tokio::spawn(read_messages(BufReader::new(stdout), Arc::clone(&shared)));
        tokio::spawn(drain_log(BufReader::new(stderr), Arc::clone(&shared)));
        Ok(Self {
            stdin: tokio::sync::Mutex::new(Some(stdin)),
            shared,
            child: tokio::sync::Mutex::new(child),
        })
    }

    /// Sends one message, the request `id`, and waits for its answer. What comes on the way goes to `incoming`. A
    /// request that is given up is cancelled, but for the handshake.
    ///
    /// # Errors
    /// [`Fault`]; an error in the server's words is a [`Reply`].
    pub(crate) async fn exchange(
        &self,
        id: u64,
        message: &str,
        cancellable: bool,
        mut limit: Limit,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let mut place = self.shared.routes.place(id);
        let waiting = async {
            tokio::select! {
                biased;
                written = self.write(message) => written?,
                fault = limit.expired() => return Err(fault),
            }
            place.reply(&mut limit, &self.shared.ended, incoming).await
        };
        let ended = tokio::select! {
            biased;
            () = stop.cancelled() => Err(Fault::Cancelled { left: true }),
            ended = waiting => ended,
        };
        drop(place);
        let reason = ended.as_ref().err().and_then(Fault::reason_to_cancel);
        if let Some(reason) = reason.filter(|_| cancellable) {
            self.cancel(id, reason).await;
        }
        ended
    }

    /// Sends a notification or the answer to a request of the server.
    ///
    /// # Errors
    /// [`Fault`] where the program takes nothing any more.
    pub(crate) async fn tell(&self, message: &str) -> Result<(), Fault> {
        tokio::time::timeout(TELL, self.write(message))
            .await
            .unwrap_or(Err(Fault::TimedOut(TELL)))
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.shared.routes
    }

    /// Resolves when the program will say nothing more.
    pub(crate) async fn ended(&self) {
        self.shared.ended.cancelled().await;
    }

    /// The program's last words: its log, and lines on stdout that were no messages.
    pub fn log(&self) -> Vec<String> {
        lock(&self.shared.log).iter().cloned().collect()
    }

    pub fn has_ended(&self) -> bool {
        self.shared.ended.is_cancelled()
    }

    /// "exit code 1", once it has ended; its log is whole then.
    pub async fn exit(&self) -> Option<String> {
        let mut child = self.child.lock().await;
        let status = tokio::time::timeout(GRACE, child.wait()).await.ok()?.ok()?;
        // A program that it left behind may hold the log open.
        let _ = tokio::time::timeout(GRACE, self.shared.log_ended.cancelled()).await;
        Some(match status.code() {
            Some(code) => format!("exit code {code}"),
            None => status.to_string(),
        })
    }

    /// Closes stdin, waits, asks it to end, waits, ends it.
    pub async fn shut_down(&self) {
        // A write that is stuck holds stdin; the program is asked to end all the same.
        if let Ok(mut stdin) = tokio::time::timeout(GRACE, self.stdin.lock()).await {
            stdin.take();
        }
        let mut child = self.child.lock().await;
        if tokio::time::timeout(GRACE, child.wait()).await.is_ok() {
            return;
        }
        ask_to_end(&child);
        if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
            let _ = child.kill().await;
        }
    }

    /// Nothing of a line has left where the first write fails. A line that is cut off (the program does not read, and
    /// time is up) would spoil the next one, so stdin is then closed and the program given up.
    async fn write(&self, message: &str) -> Result<(), Fault> {
        let mut guard = self.stdin.lock().await;
        let mut line = Vec::with_capacity(message.len() + 1);
        line.extend_from_slice(message.as_bytes());
        line.push(b'\n');
        let Some(stdin) = guard.take() else {
            return Err(self.not_written(0).await);
        };
        let mut writing = Writing {
            shared: &self.shared,
            stdin: Some(stdin),
        };
        let mut written = 0;
        while let Some(stdin) = &mut writing.stdin {
            if written == line.len() {
                if stdin.flush().await.is_err() {
                    return Err(self.not_written(written).await);
                }
                *guard = writing.stdin.take();
                break;
            }
            match stdin.write(&line[written..]).await {
                Ok(count) if count > 0 => written += count,
                Ok(_) | Err(_) => return Err(self.not_written(written).await),
            }
        }
        Ok(())
    }

    /// The program is ending; its exit code is worth a moment.
    async fn not_written(&self, written: usize) -> Fault {
        let _ = tokio::time::timeout(GRACE, self.shared.ended.cancelled()).await;
        if written == 0 {
            Fault::CannotStart("it has ended".to_owned())
        } else {
            Fault::Lost("the program ended".to_owned())
        }
    }

    async fn cancel(&self, id: u64, reason: &str) {
        self.shared.routes.give_up();
        // Best effort: a program that has ended needs no cancelling, one that does not read hears nothing.
        if !self.has_ended() {
            let _ = tokio::time::timeout(GRACE, self.write(&cancelled(id, reason))).await;
        }
    }
}

/// Stdin while a line is on its way. Dropped before the line's end, it is closed.
struct Writing<'a> {
    shared: &'a Shared,
    stdin: Option<ChildStdin>,
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if self.stdin.is_some() {
            self.shared.ended.cancel();
        }
    }
}

/// The one place that starts a program.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a program")]
fn spawn(command: &Command) -> std::io::Result<Child> {
    let mut process = tokio::process::Command::new(&command.program);
    process
        .args(&command.args)
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(cwd) = &command.cwd {
        process.current_dir(cwd);
    }
    // Ctrl+C in a terminal is meant for this program, which then stops the call and the server in order.
    #[cfg(unix)]
    process.process_group(0);
    #[cfg(windows)]
    process.creation_flags(0x0800_0000); // CREATE_NO_WINDOW
    process.spawn()
}

fn start_reason(command: &Command, error: &std::io::Error) -> String {
    let program = crate::text::line(&command.program, 200);
    let kind = error.kind();
    if kind == std::io::ErrorKind::NotFound {
        format!("“{program}” was not found. Check the spelling, or give its whole path")
    } else if kind == std::io::ErrorKind::PermissionDenied {
        format!("“{program}” may not be run by you")
    } else {
        crate::text::line(&error.to_string(), 300)
    }
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    let pid = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // Best effort: it may have ended in this moment.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask_to_end(_: &Child) {}

async fn read_messages(stdout: impl AsyncBufRead + Unpin, shared: Arc<Shared>) {
    each_line(stdout, MAX_MESSAGE, |line| match line {
        Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => {}
        Line::Whole(line) => match Message::parse_all(&line) {
            Ok(messages) => {
                for message in messages {
                    shared.routes.deliver(message, None, None);
                }
            }
            Err(_) => keep(&shared, "not a message: ", &line),
        },
        Line::TooLong => {
            keep(
                &shared,
                "",
                format!("a line of more than {MAX_MESSAGE} bytes was left out").as_bytes(),
            );
            if let Some(id) = shared.routes.only() {
                let fault = Fault::TooLarge {
                    limit: MAX_MESSAGE,
                    what: "bytes in one answer",
                };
                shared.routes.fail(id, fault);
            }
        }
    })
    .await;
    shared.ended.cancel();
}

async fn drain_log(stderr: impl AsyncBufRead + Unpin, shared: Arc<Shared>) {
    each_line(stderr, 64 * 1024, |line| match line {
        Line::Whole(line) => keep(&shared, "", &line),
        Line::TooLong => keep(&shared, "", b"a long line was left out"),
    })
    .await;
    shared.log_ended.cancel();
}

fn keep(shared: &Shared, prefix: &str, line: &[u8]) {
    let line = crate::text::line(String::from_utf8_lossy(line).trim_end(), LOG_LINE);
    if line.is_empty() {
        return;
    }
    let mut log = lock(&shared.log);
    if log.len() == LOG_LINES {
        log.pop_front();
    }
    log.push_back(format!("{prefix}{line}"));
}

/// Every line until the stream ends.
async fn each_line(mut reader: impl AsyncBufRead + Unpin, limit: usize, mut each: impl FnMut(Line)) {
    let mut lines = Lines::new(limit);
    loop {
        let chunk = match reader.fill_buf().await {
            Ok(chunk) if !chunk.is_empty() => chunk,
            Ok(_) | Err(_) => break,
        };
        let length = chunk.len();
        lines.push(chunk).into_iter().for_each(&mut each);
        reader.consume(length);
    }
    lines.end().into_iter().for_each(each);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
