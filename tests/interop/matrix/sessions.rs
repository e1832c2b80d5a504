//! Servers behind the recorder: every byte between them and the client goes through `mcp-trace-capture`.
#![expect(clippy::disallowed_methods, reason = "tests start programs and wait for them")]

use crate::kit::{Desk, patiently};
use countersign_core::session::offers::Offers;
use countersign_core::session::{Speak, Target};
use countersign_core::transport::stdio::Command;
use countersign_core::view::ServerId;
use countersign_core::wire::Revision;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader, Lines};
use tokio::process::Child;
use url::Url;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) server: Server,
    pub(crate) transport: Transport,
    pub(crate) era: Era,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Python,
    TypeScript,
    Rust,
    /// `server-everything`, as its authors publish it.
    Everything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http,
    Stdio,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    /// The client begins with `initialize`.
    Legacy,
}

impl Setting {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let servers = [
            Server::Python,
            Server::TypeScript,
            Server::Rust,
            Server::Everything,
        ];
        servers.into_iter().flat_map(|server| {
            [Transport::Http, Transport::Stdio]
                .into_iter()
                .flat_map(move |transport| {
                    [Era::Modern, Era::Legacy].map(|era| Self {
                        server,
                        transport,
                        era,
                    })
                })
        })
    }

    /// Where a server knows both eras, the row says which. Over HTTP the newer one is found out; a program is not asked,
    /// as one that takes longer than 5 s to start would be greeted in both ways.
    fn speak(self) -> Speak {
        match (self.server, self.era, self.transport) {
            (Server::Everything, Era::Modern | Era::Legacy, _) => Speak::Newest,
            (_, Era::Modern, Transport::Http) => Speak::Newest,
            (_, Era::Modern, Transport::Stdio) => Speak::Only(Revision::V2026_07_28),
            (_, Era::Legacy, _) => Speak::Only(Revision::V2025_11_25),
        }
    }

    fn revision(self) -> &'static str {
        match self.era {
            Era::Modern => "2026-07-28",
            Era::Legacy => "2025-11-25",
        }
    }

    /// The beginning of the names of this session's traces.
    fn file(self) -> String {
        self.to_string().replace(' ', "-")
    }
}

impl Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let server = match self.server {
            Server::Python => "python",
            Server::TypeScript => "typescript",
            Server::Rust => "rust",
            Server::Everything => "everything",
        };
        let transport = match self.transport {
            Transport::Http => "http",
            Transport::Stdio => "stdio",
        };
        let era = match self.era {
            Era::Modern => "modern",
            Era::Legacy => "legacy",
        };
        write!(f, "{server} {transport} {era}")
    }
}

/// A connected server, and a person at a desk.
pub(crate) struct Session {
    pub(crate) setting: Setting,
    pub(crate) desk: Desk,
    pub(crate) server: ServerId,
    pub(crate) offers: Offers,
    behind: Option<Behind>,
}

/// What runs for an HTTP session.
struct Behind {
    server: Child,
    recorder: Child,
}

impl Session {
    /// Starts the server and the recorder, connects, reads the lists.
    pub(crate) async fn open(setting: Setting) -> Self {
        let trace = traces_in().join(format!("{}-{{session}}.jsonl", setting.file()));
        let (target, behind) = match setting.transport {
            Transport::Http => {
                let (url, behind) = serve(setting.server, &trace).await;
                let headers = Vec::new();
                (Target::Http { url, headers }, Some(behind))
            }
            Transport::Stdio => {
                let mut args = vec![
                    "-o".to_owned(),
                    shown(&trace),
                    "stdio".to_owned(),
                    "--".to_owned(),
                ];
                args.extend(command(setting.server));
                args.push(stdio_argument(setting.server).to_owned());
                let program = Command {
                    program: shown(&tools().join("mcp-trace-capture")),
                    args,
                    env: Vec::new(),
                    cwd: None,
                };
                (Target::Stdio(program), None)
            }
        };
        let desk = Desk::new();
        let minute = Duration::from_secs(60);
        let server = desk
            .app
            .add_speaking(&setting.to_string(), target, minute, setting.speak());
        let offers = match patiently("a connection", desk.app.connected(server)).await {
            Ok(offers) => offers,
            Err(failure) => panic!("{}", failure.message),
        };
        assert_eq!(offers.problems, Vec::<String>::new());
        let page = desk.app.server_page(server).await.expect("the server is there");
        assert_eq!(page.server.protocol.as_deref(), Some(setting.revision()));
        Self {
            setting,
            desk,
            server,
            offers,
            behind,
        }
    }

    /// Ends everything in order; the traces.
    pub(crate) async fn close(&self) -> Vec<PathBuf> {
        self.desk.app.shut_down().await;
        if let Some(behind) = &self.behind {
            behind.close().await;
        }
        let name = self.setting.file();
        let mut traces: Vec<PathBuf> = std::fs::read_dir(traces_in())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| {
                let file = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap_or_default();
                file.strip_prefix(&name)
                    .is_some_and(|rest| rest.starts_with("-0"))
            })
            .collect();
        traces.sort();
        traces
    }
}

impl Behind {
    async fn close(&self) {
        for child in [&self.recorder, &self.server] {
            let pid = child.id().and_then(|id| i32::try_from(id).ok());
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
        }
    }
}

/// Stops with a word where something is not installed, and empties the folder of traces.
pub(crate) fn prepare() {
    for needed in [
        tools().join("mcp-trace-capture"),
        tools().join("mcp-trace-validator"),
        servers().join(".cache/venv/bin/python"),
        servers().join(".cache/rust/debug/interop-peer"),
        servers().join("typescript/node_modules"),
    ] {
        assert!(
            needed.exists(),
            "{} is missing: run tests/interop/servers/setup.sh",
            needed.display()
        );
    }
    let _ = std::fs::remove_dir_all(traces_in());
    std::fs::create_dir_all(traces_in()).expect("a folder");
}

/// Where `setup.sh` puts the recorder and the validator.
pub(crate) fn tools() -> PathBuf {
    interop().join(".cache/bin")
}

fn servers() -> PathBuf {
    interop().join("servers")
}

fn interop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/interop")
}

fn traces_in() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("interop")
}

/// Program and arguments, but for the transport.
fn command(server: Server) -> Vec<String> {
    let here = servers();
    match server {
        Server::Python => vec![
            shown(&here.join(".cache/venv/bin/python")),
            shown(&here.join("python/server.py")),
        ],
        Server::TypeScript => vec!["node".to_owned(), shown(&here.join("typescript/server.mjs"))],
        Server::Rust => vec![shown(&here.join(".cache/rust/debug/interop-peer"))],
        Server::Everything => vec![
            "node".to_owned(),
            shown(
                &here
                    .join("typescript/node_modules/@modelcontextprotocol/server-everything")
                    .join("dist/index.js"),
            ),
        ],
    }
}

fn stdio_argument(server: Server) -> &'static str {
    match server {
        Server::Python | Server::TypeScript | Server::Rust => "--stdio",
        Server::Everything => "stdio",
    }
}

/// Starts the server over HTTP and the recorder in front of it; the address for the client.
async fn serve(server: Server, trace: &Path) -> (Url, Behind) {
    let mut words = command(server);
    words.extend(["--http".to_owned(), "0".to_owned()]);
    let mut server = start(&words);
    let mut lines = lines(server.stdout.take());
    let upstream = after(&mut lines, "listening on ").await;
    drain(lines);
    let upstream = upstream.trim_end_matches("/mcp");
    let mut recorder = start(&[
        shown(&tools().join("mcp-trace-capture")),
        "-o".to_owned(),
        shown(trace),
        "http".to_owned(),
        "--upstream".to_owned(),
        upstream.to_owned(),
        "--listen".to_owned(),
        "127.0.0.1:0".to_owned(),
    ]);
    let mut lines = self::lines(recorder.stderr.take());
    let listening = after(&mut lines, "listening on ").await;
    drain(lines);
    let listening = listening.split(',').next().unwrap_or_default();
    let url = Url::parse(&format!("{listening}/mcp")).expect("an address");
    (url, Behind { server, recorder })
}

fn start(words: &[String]) -> Child {
    tokio::process::Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", words[0]))
}

fn lines<R: AsyncRead + Unpin>(source: Option<R>) -> Lines<BufReader<R>> {
    BufReader::new(source.expect("a pipe")).lines()
}

/// The rest of the first line that holds `word`.
async fn after<R: AsyncRead + Unpin>(lines: &mut Lines<BufReader<R>>, word: &str) -> String {
    patiently(word, async {
        while let Some(line) = lines.next_line().await.expect("text") {
            if let Some((_, rest)) = line.split_once(word) {
                return rest.to_owned();
            }
        }
        panic!("ended before it said “{word}”");
    })
    .await
}

/// Reads on, so that nobody waits for a full pipe.
fn drain<R: AsyncRead + Unpin + Send + 'static>(mut lines: Lines<BufReader<R>>) {
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
