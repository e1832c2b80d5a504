//! One life of the program: started on a folder, and killed where the plan says.

use crate::chance::Chance;
use crate::scenario::Scenario;
use crate::server::{Server, Trap};
use countersign_core::fault::{self, Point};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign-cli");
/// A life that takes this long hangs.
const LONGEST: Duration = Duration::from_secs(120);
const ABORT: i32 = 6;

/// Where a life ends before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// At a named point, passed for the count-th time.
    At(Point, u32),
    /// When the server has the count-th request of this life, before it answers.
    Arrived(usize),
    /// When the server has answered it.
    Answered(usize),
    /// When the browser runs.
    BrowserRuns,
    /// So many milliseconds after the start.
    After(u64),
}

/// The points that the program passes. Others belong to the key store, to the window, or to what is set aside.
pub(crate) fn points() -> Vec<Point> {
    let elsewhere = [
        "store-aside-",
        "store-closed",
        "remove-",
        "results-",
        "visit-",
        "retain-",
        "anchor-",
    ];
    let passed = |point: &&Point| !elsewhere.iter().any(|name| point.name().starts_with(name));
    Point::ALL.iter().filter(passed).copied().collect()
}

impl Death {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::At(point, _) => point.name(),
            Self::Arrived(_) => "request-arrived",
            Self::Answered(_) => "reply-sent",
            Self::BrowserRuns => "browser-runs",
            Self::After(_) => "at-any-time",
        }
    }

    /// The same place, reached at another time.
    pub(crate) fn again(self, chance: &mut Chance, sooner: bool) -> Self {
        let count = 1 + chance.below(if sooner { 1 } else { 3 });
        match self {
            // Passed once in a life.
            Self::At(point, _) if point.name().starts_with("store-") => Self::At(point, 1),
            Self::At(point, _) => Self::At(point, u32::try_from(count).expect("it is small")),
            Self::Arrived(_) => Self::Arrived(count),
            Self::Answered(_) => Self::Answered(count),
            Self::BrowserRuns => Self::BrowserRuns,
            Self::After(_) => Self::After(chance.next() % 250),
        }
    }

    /// Whether it comes about only where there is a link.
    pub(crate) fn needs_link(self) -> bool {
        self == Self::BrowserRuns || self.is_at(&["open-"])
    }

    /// Whether it comes about only where there is a form.
    pub(crate) fn needs_form(self) -> bool {
        self.is_at(&["draft-"])
    }

    /// Whether it comes about only in the first life on a folder.
    pub(crate) fn is_first(self) -> bool {
        self.is_at(&["store-made", "store-schema-", "store-key-known"])
    }

    /// Whether it comes about also where nothing is answered.
    pub(crate) fn is_anywhere(self) -> bool {
        matches!(self, Self::After(_)) || self.is_at(&["store-", "save-", "value-", "restore-"])
    }

    fn is_at(self, names: &[&str]) -> bool {
        matches!(self, Self::At(point, _) if names.iter().any(|name| point.name().starts_with(name)))
    }
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Call { answers: bool },
    List,
    Resume { send_again: bool },
}

/// What a life left.
#[derive(Debug)]
pub(crate) struct Lived {
    /// `None`: it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The folder of the lives, their browser, and the log of its launches.
pub(crate) struct Home {
    folder: TempDir,
    browser: TcpListener,
}

impl Home {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("crash-")
            .tempdir()
            .expect("a folder");
        let browser = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let port = browser.local_addr().expect("an address").port();
        let script = folder.path().join("browser");
        // The line stands before anybody hears of it.
        let lines = format!(
            "#!/usr/bin/env bash\nprintf '%s\\n' \"$1\" >>'{}'\nexec 3<>/dev/tcp/127.0.0.1/{port}\n",
            folder.path().join("launches").display()
        );
        std::fs::write(&script, lines).expect("the browser");
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("it may run");
        Self { folder, browser }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn launches(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("launches")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Runs the program until it ends or is killed.
    pub(crate) async fn live(
        &self,
        server: &Server,
        scenario: &Scenario,
        doing: Doing,
        answers: &str,
        death: Option<Death>,
    ) -> Lived {
        let file = self.folder.path().join("answers.json");
        std::fs::write(&file, answers).expect("the answers");
        let mut command = self.command(server, scenario, doing, &file);
        if let Some(Death::At(point, count)) = death {
            command.env(fault::VARIABLE, format!("{}:{count}", point.name()));
        }
        let (sprung, springs) = oneshot::channel();
        let (gone, is_gone) = oneshot::channel();
        let counted = match death {
            Some(Death::Arrived(count)) => Some((count, false)),
            Some(Death::Answered(count)) => Some((count, true)),
            Some(Death::At(..) | Death::BrowserRuns | Death::After(_)) | None => None,
        };
        server.set(counted.map(|(count, answered)| Trap {
            count,
            answered,
            sprung,
            gone: is_gone,
        }));
        let mut child = command.spawn().expect("the program starts");
        let group = child.id().expect("it runs");
        let stdout = collect(child.stdout.take().expect("stdout"));
        let stderr = collect(child.stderr.take().expect("stderr"));
        let kill = async {
            match death {
                Some(Death::Arrived(_) | Death::Answered(_)) => {
                    if springs.await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
                Some(Death::BrowserRuns) => drop(self.browser.accept().await.expect("a launch")),
                Some(Death::After(time)) => tokio::time::sleep(Duration::from_millis(time)).await,
                Some(Death::At(..)) | None => std::future::pending().await,
            }
        };
        let status = tokio::time::timeout(LONGEST, until_end(&mut child, kill))
            .await
            .expect("it ends");
        server.set(None);
        drop(gone);
        until_alone(group).await;
        let (stdout, stderr) = (stdout.await.expect("read"), stderr.await.expect("read"));
        let signal = status.signal();
        let killed = signal == Some(ABORT) && matches!(death, Some(Death::At(..)))
            || signal == Some(9) && death.is_some();
        assert!(
            killed || status.code().is_some(),
            "it ended by itself, by signal {signal:?}: {stderr}"
        );
        Lived {
            code: status.code(),
            stdout,
            stderr,
        }
    }

    fn command(&self, server: &Server, scenario: &Scenario, doing: Doing, answers: &Path) -> Command {
        #[expect(
            clippy::disallowed_methods,
            reason = "a test starts the program that it tests"
        )]
        let mut command = Command::new(PROGRAM);
        match doing {
            Doing::Call { .. } => command.args(["call", "odd tool", "--args", &scenario.arguments]),
            Doing::List => command.args(["resume", "--list"]),
            Doing::Resume { send_again: true } => command.args(["resume", "--send-again"]),
            Doing::Resume { send_again: false } => command.arg("resume"),
        };
        if !matches!(doing, Doing::Call { answers: false } | Doing::List) {
            command.arg("--answers").arg(answers);
        }
        command
            .args(["--url", &server.url, "--key-file", "--json", "--data-dir"])
            .arg(self.data())
            .env("BROWSER", self.folder.path().join("browser"))
            .env("NO_PROXY", "127.0.0.1")
            // No key store: that of whoever runs the tests is not for them.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env_remove(fault::VARIABLE)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        command
    }
}

async fn until_end(child: &mut Child, kill: impl Future<Output = ()>) -> std::process::ExitStatus {
    tokio::select! {
        status = child.wait() => return status.expect("it ran"),
        () = kill => {}
    }
    // It may have ended in this moment.
    let _ = child.start_kill();
    child.wait().await.expect("it ran")
}

fn collect(mut from: impl AsyncRead + Unpin + Send + 'static) -> tokio::task::JoinHandle<String> {
    tokio::spawn(async move {
        let mut text = Vec::new();
        let _ = from.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// Waits until a browser that the dead program started has done its work too. Nobody tells of that.
async fn until_alone(group: u32) {
    let group = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw);
    let group = group.expect("a group");
    let ended = tokio::time::timeout(LONGEST, async {
        while rustix::process::test_kill_process_group(group).is_ok() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    ended.await.expect("the browser ends");
}
