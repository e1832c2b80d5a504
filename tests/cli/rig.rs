//! Runs the program with a browser that only notes what it should open.

use countersign_core::wire::json::Json;
use countersign_practice::Desk;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign-cli");
const TERMINAL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/fixtures/cli/at_a_terminal.py"
);
/// A run that takes this long hangs.
const LONGEST: Duration = Duration::from_secs(120);

/// A folder for answers, and a browser that calls here with each address.
pub(crate) struct Rig {
    folder: TempDir,
    calls: TcpListener,
    environment: Vec<(String, String)>,
}

/// What became of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Rig {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("cli-")
            .tempdir()
            .expect("a folder");
        let calls = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let port = calls.local_addr().expect("an address").port();
        let opened = folder.path().join("opened");
        // The log is whole before the call comes, so who heard the call can read it.
        let script = format!(
            "#!/usr/bin/env bash\nenv >'{}'\nprintf '%s\\n' \"$1\" >>'{}'\nexec 3<>/dev/tcp/127.0.0.1/{port}\nprintf '%s\\n' \"$1\" >&3\n",
            folder.path().join("environment").display(),
            opened.display()
        );
        let rig = Self {
            folder,
            calls,
            environment: Vec::new(),
        };
        std::fs::write(rig.browser(), script).expect("the browser");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(rig.browser(), mode).expect("the browser may run");
        }
        rig
    }

    fn browser(&self) -> PathBuf {
        self.folder.path().join("browser")
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Sets a variable for the program.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// Makes a browser of this name that runs these lines, and names it to the program.
    pub(crate) fn use_browser(&mut self, name: &str, lines: &str) {
        let path = self.folder.path().join(name);
        std::fs::write(&path, lines).expect("the browser");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("the browser may run");
        }
        self.set("BROWSER", &path.display().to_string());
    }

    /// The environment in which the browser ran.
    pub(crate) fn environment(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("environment")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// A file of answers.
    pub(crate) fn answers(&self, json: &str) -> String {
        let path = self.folder.path().join("answers.json");
        std::fs::write(&path, json).expect("the answers");
        path.display().to_string()
    }

    /// Runs to the end, without a terminal.
    pub(crate) async fn run(&self, args: &[&str]) -> Ran {
        self.run_with_input(args, "").await
    }

    pub(crate) async fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        self.start(PROGRAM, args, input).await
    }

    /// Runs at a terminal; each step is a text to wait for and a line to type then.
    pub(crate) async fn type_in(&self, args: &[&str], steps: &[(&str, &str)]) -> Ran {
        let steps = steps
            .iter()
            .map(|(wait, line)| Json::Array(vec![Json::string(*wait), Json::string(*line)]));
        let script = Json::Array(steps.collect()).to_string();
        let args: Vec<&str> = [TERMINAL, PROGRAM]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        self.start("python3", &args, &script).await
    }

    async fn start(&self, program: &str, args: &[&str], input: &str) -> Ran {
        #[expect(
            clippy::disallowed_methods,
            reason = "a test starts the program that it tests"
        )]
        let mut command = tokio::process::Command::new(program);
        let mut child = command
            .args(args.iter().map(OsStr::new))
            .env("BROWSER", self.browser())
            .env("NO_PROXY", "127.0.0.1")
            // No key store: that of whoever runs the tests is not for them.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("stdin");
        // A program that does not read its input may be gone already.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let Output {
            status,
            stdout,
            stderr,
        } = tokio::time::timeout(LONGEST, child.wait_with_output())
            .await
            .expect("it ends")
            .expect("it ran");
        Ran {
            code: status.code(),
            stdout: String::from_utf8(stdout).expect("UTF-8"),
            stderr: String::from_utf8(stderr).expect("UTF-8"),
        }
    }

    /// Waits for the browser to be started, and gives the address.
    pub(crate) async fn opened(&self) -> String {
        let called = async {
            let (stream, _) = self.calls.accept().await.expect("a call");
            let line = BufReader::new(stream).lines().next_line().await;
            line.expect("a line").expect("an address")
        };
        tokio::time::timeout(LONGEST, called)
            .await
            .expect("the browser was started")
    }

    /// Every address that was opened so far.
    pub(crate) fn all_opened(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("opened")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

impl Ran {
    /// The one object of `--json`.
    pub(crate) fn json(&self) -> Json {
        assert_eq!(self.stdout.lines().count(), 1, "one object: {self:?}");
        Json::parse(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The exit code, the status and the asks (`key mode action`) of a `--json` run.
    #[track_caller]
    pub(crate) fn check(&self, code: i32, status: &str, asks: &[&str]) -> Json {
        let json = self.json();
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(
            json.get("status").and_then(Json::as_str),
            Some(status),
            "{self:?}"
        );
        let word = |ask: &Json, key: &str| match ask.get(key) {
            Some(Json::String(word)) => word.clone(),
            Some(Json::Null) => "null".to_owned(),
            other => panic!("{key} {other:?}"),
        };
        let asked: Vec<_> = json
            .get("asks")
            .and_then(Json::as_array)
            .expect("asks")
            .iter()
            .map(|ask| {
                format!(
                    "{} {} {}",
                    word(ask, "key"),
                    word(ask, "mode"),
                    word(ask, "action")
                )
            })
            .collect();
        assert_eq!(asked, asks, "{self:?}");
        json
    }
}

/// A value inside: `result.structuredContent.received`.
#[track_caller]
pub(crate) fn at<'a>(json: &'a Json, path: &str) -> &'a Json {
    path.split('.').fold(json, |json, step| {
        let member = match step.parse::<usize>() {
            Ok(index) => json.as_array().and_then(|items| items.get(index)),
            Err(_) => json.get(step),
        };
        member.unwrap_or_else(|| panic!("no {step} of {path} in {json}"))
    })
}

#[track_caller]
pub(crate) fn words<'a>(json: &'a Json, path: &str) -> &'a str {
    at(json, path)
        .as_str()
        .unwrap_or_else(|| panic!("{path} in {json}"))
}

pub(crate) async fn desk() -> Desk {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    countersign_practice::desk(listener).expect("the desk")
}

/// The command of the workshop, as one text.
pub(crate) fn workshop() -> String {
    format!("'{PROGRAM}' practice-workshop")
}

/// Opens a page as a browser would, and gives its text.
pub(crate) async fn visit(address: &str) -> String {
    let rest = address.strip_prefix("http://").expect("http");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).await.expect("connected");
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut page = String::new();
    stream.read_to_string(&mut page).await.expect("read");
    page
}
