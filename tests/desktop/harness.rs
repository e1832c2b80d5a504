use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;

/// Nothing here waits for a time; this only ends a test whose event never comes.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks, where nothing tells of the change.
const POLL: Duration = Duration::from_millis(25);

/// The running app and its driver. Both end when this is dropped.
pub(crate) struct Window {
    pub(crate) client: Client,
    driver: Running,
    pub(crate) folder: TempDir,
    /// The call that was run last.
    newest: Mutex<Option<String>>,
}

/// A program that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A card whose answer reached the server; the window may already show what the call came to.
pub(crate) const DELIVERED: &str = "[data-testid=card][data-phase=delivered], [data-testid=call-card]";

pub(crate) const CONTROL: char = '\u{e009}';
const BACKSPACE: char = '\u{e003}';

/// How the window looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Light,
    Dark,
}

/// What the browser does when it is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FakeBrowser {
    /// Writes the address into a log.
    Logs,
    /// Is there, but cannot be run, and no other is there.
    Broken,
    /// Is not there, and no other either.
    Missing,
    /// Ends at once with an error.
    Dies,
}

impl Window {
    pub(crate) async fn open(servers: &[(&str, Value)]) -> Self {
        Self::open_with(servers, FakeBrowser::Logs, Look::Light).await
    }

    /// Starts the app with `servers` (name and target) in its settings, beside the practice ones.
    pub(crate) async fn open_with(servers: &[(&str, Value)], browser: FakeBrowser, look: Look) -> Self {
        let folder = TempDir::new().expect("a folder");
        write_settings(&folder, servers);
        Self::in_folder(folder, browser, look).await
    }

    /// Starts the app so that the host names are recorded which it, or its web view, looks up.
    pub(crate) async fn open_recorded(servers: &[(&str, Value)]) -> Self {
        let folder = TempDir::new().expect("a folder");
        let library = folder.path().join("lookups.so");
        compile("lookups.c", &library, &["-shared", "-fPIC", "-ldl"]);
        write_settings(&folder, servers);
        let log = folder.path().join("lookups.log");
        let env = [("LD_PRELOAD", library), ("LOOKUPS", log)];
        Self::begin(folder, FakeBrowser::Logs, Look::Light, &env).await
    }

    /// Starts the app with a key file in its folder, so that calls are kept where there is no key store.
    pub(crate) async fn open_keeping(servers: &[(&str, Value)], env: &[(&str, PathBuf)]) -> Self {
        let folder = TempDir::new().expect("a folder");
        write_settings(&folder, servers);
        let key = format!("Countersign key 1: {}\n", "5a".repeat(32));
        std::fs::write(folder.path().join("countersign.key"), key).expect("a key");
        Self::begin(folder, FakeBrowser::Logs, Look::Light, env).await
    }

    /// Starts the app on this display, keeping what waits.
    pub(crate) async fn open_on(display: &Display, servers: &[(&str, Value)]) -> Self {
        Self::open_keeping(servers, &[("DISPLAY", PathBuf::from(&display.name))]).await
    }

    pub(crate) async fn in_folder(folder: TempDir, browser: FakeBrowser, look: Look) -> Self {
        Self::begin(folder, browser, look, &[]).await
    }

    async fn begin(folder: TempDir, browser: FakeBrowser, look: Look, env: &[(&str, PathBuf)]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .expect("a port")
            .local_addr()
            .expect("a port")
            .port();
        // What the app says where it was started from; of every life in this folder.
        let output = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.path().join("output.log"))
            .expect("a file");
        let mut driver = at_home(program("WebKitWebDriver"), folder.path());
        driver
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a file"))
            .stderr(output);
        if look == Look::Dark {
            driver.env("GTK_THEME", "Adwaita:dark");
        }
        match browser {
            FakeBrowser::Logs => driver.env("BROWSER", logging_browser(folder.path())),
            FakeBrowser::Dies => driver.env("BROWSER", program("false")),
            FakeBrowser::Broken | FakeBrowser::Missing => {
                let empty = folder.path().join("empty");
                std::fs::create_dir_all(&empty).expect("a folder");
                let named = folder.path().join("no-such-browser");
                if browser == FakeBrowser::Broken {
                    executable(&named, "#!/no/such/interpreter\n");
                }
                driver.env("BROWSER", named).env("PATH", empty)
            }
        };
        driver.envs(env.iter().cloned());
        let driver = Running(
            driver
                .spawn()
                .expect("WebKitWebDriver (Debian's webkit2gtk-driver) is installed"),
        );
        let client = connect(port, folder.path()).await;
        let window = Self {
            client,
            driver,
            folder,
            newest: Mutex::default(),
        };
        window.find("[data-testid=app][data-ready=true]").await;
        window
    }

    /// Closes the app and waits until it is gone.
    pub(crate) async fn close(self) -> TempDir {
        self.end(async |window| {
            let _ = window.client.clone().close().await;
        })
        .await
    }

    /// Kills the app, which gets no word of it, and waits until it is gone.
    pub(crate) async fn kill(self) -> TempDir {
        self.end(async |window| {
            if let Some(app) = window.app() {
                signal("-KILL", app);
            }
        })
        .await
    }

    /// Waits for the end of what the app had started, too.
    async fn end(self, end: impl AsyncFnOnce(&Self)) -> TempDir {
        let helpers = self.app().map(children).unwrap_or_default();
        end(&self).await;
        let folder = self.gone().await;
        ended(&helpers).await;
        folder
    }

    /// Another program comes to the front of the display, and the window knows.
    pub(crate) async fn look_away(&self, display: &Display) {
        display.look_away();
        self.wait_until("return !document.hasFocus()").await;
    }

    /// Closes the window by its title bar, while the driver sleeps that would end the app, and waits until the app is gone.
    pub(crate) async fn quit(self, display: &Display) {
        signal("-STOP", self.driver.0.id());
        close_window(self.app().expect("the app runs"), Some(display));
        self.gone().await;
    }

    /// Waits until the app has ended by itself.
    pub(crate) async fn gone(self) -> TempDir {
        until_named("the end of the app", || self.app().is_none()).await;
        let Self { driver, folder, .. } = self;
        drop(driver);
        folder
    }

    /// The process of the app, found by the folder that it works on.
    fn app(&self) -> Option<u32> {
        let folder = self.folder.path().as_os_str().as_encoded_bytes();
        processes().find(|id| {
            // That of a dead process is empty.
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let mut words = line.split(|byte| *byte == 0);
            words.next() == Some(env!("CARGO_BIN_EXE_countersign").as_bytes())
                && words.any(|word| word == folder)
        })
    }

    /// Waits for the element; also while the page is loaded anew, when the driver knows of none.
    pub(crate) async fn find(&self, css: &str) -> Element {
        let mut last = None;
        let ended = tokio::time::timeout(PATIENCE, async {
            loop {
                match self.client.find(Locator::Css(css)).await {
                    Ok(element) => return element,
                    Err(error) => last = Some(error),
                }
                tokio::time::sleep(POLL).await;
            }
        });
        if let Ok(element) = ended.await {
            return element;
        }
        let page = match self
            .client
            .execute("return document.body.innerText", vec![])
            .await
        {
            Ok(text) => text.as_str().unwrap_or_default().to_owned(),
            Err(error) => format!("{error:?}"),
        };
        self.picture_to(&std::env::temp_dir().join("countersign-window-failed.png"))
            .await;
        let said = said(self.folder.path());
        panic!("{css}: {last:?}\n--- the window says:\n{page}\n--- the app said:\n{said}");
    }

    pub(crate) async fn click(&self, css: &str) {
        self.with(css, async |element| element.click().await).await;
    }

    pub(crate) async fn type_into(&self, css: &str, text: &str) {
        self.with(css, async |element| {
            // By keys: clearing through the driver is no input that the page hears of.
            element
                .send_keys(&format!("{CONTROL}a{CONTROL}{BACKSPACE}{text}"))
                .await
        })
        .await;
    }

    pub(crate) async fn text(&self, css: &str) -> String {
        self.with(css, async |element| element.text().await).await
    }

    /// Does something with an element, again where it was drawn anew in between.
    async fn with<T>(&self, css: &str, act: impl AsyncFn(Element) -> Result<T, CmdError>) -> T {
        let mut last = None;
        for _ in 0..20 {
            match act(self.find(css).await).await {
                Ok(value) => return value,
                Err(error) => last = Some(error),
            }
        }
        panic!("{css}: {last:?}")
    }

    /// Waits until the text of the element holds `words`.
    pub(crate) async fn wait_for_text(&self, css: &str, words: &str) -> String {
        let ended = tokio::time::timeout(PATIENCE, async {
            loop {
                // The element may be replaced while it is read.
                if let Ok(text) = self.find(css).await.text().await
                    && text.contains(words)
                {
                    return text;
                }
                tokio::time::sleep(POLL).await;
            }
        });
        match ended.await {
            Ok(text) => text,
            Err(_) => panic!("{css} never said “{words}” but “{}”", self.text(css).await),
        }
    }

    pub(crate) async fn has(&self, css: &str) -> bool {
        !self
            .client
            .find_all(Locator::Css(css))
            .await
            .expect("the window answers")
            .is_empty()
    }

    pub(crate) async fn script(&self, script: &str) -> Value {
        self.client
            .execute(script, vec![])
            .await
            .unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until the script returns true.
    pub(crate) async fn wait_until(&self, script: &str) {
        let ended = tokio::time::timeout(PATIENCE, async {
            while self.script(script).await != json!(true) {
                tokio::time::sleep(POLL).await;
            }
        });
        assert!(ended.await.is_ok(), "{script} never became true");
    }

    /// Presses an answering button once the card is armed and the button live, as a person would after a look.
    pub(crate) async fn press(&self, act: &str) {
        self.click(&format!(
            "[data-testid=card][data-armed=true] [data-act={act}][aria-disabled=false]"
        ))
        .await;
    }

    /// The same where the app may be gone before it tells that it was pressed.
    pub(crate) async fn last_press(&self, act: &str) {
        let css = format!("[data-testid=card][data-armed=true] [data-act={act}][aria-disabled=false]");
        let button = self.find(&css).await;
        let _ = tokio::time::timeout(POLL * 40, button.click()).await;
    }

    /// Sends a form. Where fields were below the fold, the first press only shows them.
    pub(crate) async fn send(&self) {
        self.press("accept").await;
        if self
            .has("[data-testid=card][data-phase=waiting] [data-testid=note]")
            .await
        {
            self.press("accept").await;
        }
    }

    /// Starts an action, starter or document by its title on the page of a server.
    pub(crate) async fn start(&self, server: &str, title: &str) {
        self.open_server(server).await;
        self.find("[data-testid=offer]").await;
        let found = self
            .client
            .execute(
                "const [title] = arguments; const row = [...document.querySelectorAll('[data-testid=offer]')].find((row) => row.innerText.includes(title)); row?.click(); return row !== undefined",
                vec![json!(title)],
            )
            .await
            .expect("the window answers");
        assert_eq!(found, json!(true), "{server} offers {title}");
        self.find("[data-testid=start-card]").await;
    }

    /// Runs the call that is prepared, and waits until it is there.
    pub(crate) async fn run(&self) {
        self.click("[data-testid=run]").await;
        let call = self
            .with("[data-testid=call-card]", async |card| {
                card.attr("data-call").await
            })
            .await;
        *self.newest.lock().expect("unbroken") = call;
    }

    /// Opens the page of a connected server.
    pub(crate) async fn open_server(&self, name: &str) {
        let ended = tokio::time::timeout(PATIENCE, async {
            loop {
                let script = "const [name] = arguments; const row = [...document.querySelectorAll('[data-testid=server-row]')].find((row) => row.innerText.includes(name)); if (row?.dataset.state !== 'connected') return row?.innerText ?? ''; row.click(); return true";
                let clicked = self
                    .client
                    .execute(script, vec![json!(name)])
                    .await
                    .expect("the window answers");
                if clicked == json!(true) {
                    return;
                }
                tokio::time::sleep(POLL).await;
            }
        });
        if ended.await.is_err() {
            panic!(
                "{name} never connected: {}",
                self.script("return document.body.innerText").await
            );
        }
        self.find("[data-testid=server-page]").await;
    }

    /// Opens the oldest question that waits.
    pub(crate) async fn open_ask(&self) {
        self.click("[data-testid=inbox]").await;
        self.click("[data-testid=ask-row][data-phase=waiting]").await;
        self.find("[data-testid=card][data-phase=waiting]").await;
    }

    /// Opens the call that was run last, or the first of the list, and waits for this state of it.
    pub(crate) async fn open_call(&self, phase: &str) {
        self.click("[data-testid=calls]").await;
        let newest = self.newest.lock().expect("unbroken").clone();
        let one = newest.map_or_else(String::new, |call| format!("[data-call='{call}']"));
        self.click(&format!("[data-testid=call-row]{one}")).await;
        self.find(&format!("[data-testid=call-card]{one}[data-phase={phase}]"))
            .await;
    }

    /// The text parts of the result on the screen.
    pub(crate) async fn result(&self) -> String {
        self.find("[data-testid=call-card] [data-testid=result-part]")
            .await;
        let parts = "return [...document.querySelectorAll('[data-testid=result-part]')].map((part) => part.innerText).join('\\n')";
        self.script(parts)
            .await
            .as_str()
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// The addresses that the browser was asked to open.
    pub(crate) fn opened(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("browser.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// The same once there is one. A browser may still be starting when the app has handed the address over.
    pub(crate) async fn launched(&self) -> Vec<String> {
        until_named("a launch", || !self.opened().is_empty()).await;
        self.opened()
    }

    /// The host names that were looked up, where they are recorded.
    pub(crate) fn lookups(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("lookups.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Presses keys together, as a person would.
    pub(crate) async fn keys(&self, keys: &[char]) {
        let mut actions = KeyActions::new("keyboard".to_owned());
        for &value in keys {
            actions = actions.then(KeyAction::Down { value });
        }
        for &value in keys.iter().rev() {
            actions = actions.then(KeyAction::Up { value });
        }
        self.client.perform_actions(actions).await.expect("keys");
    }

    pub(crate) async fn picture_to(&self, path: &Path) {
        // What is not painted yet is blank in the picture.
        let painted =
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";
        let _ = self.client.execute_async(painted, vec![]).await;
        if let Ok(png) = self.client.screenshot().await {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).expect("a folder for pictures");
            }
            std::fs::write(path, png).expect("a picture");
        }
    }
}

pub(crate) fn write_settings(folder: &TempDir, servers: &[(&str, Value)]) {
    let servers: Vec<Value> = servers
        .iter()
        .map(|(name, target)| json!({ "name": name, "target": target, "timeout_seconds": 60, "added": "2026-05-03T10:00:00+02:00" }))
        .collect();
    let settings = json!({ "version": 1, "servers": servers });
    std::fs::write(folder.path().join("servers.json"), settings.to_string()).expect("settings");
}

async fn connect(port: u16, folder: &Path) -> Client {
    let options = json!({
        "binary": env!("CARGO_BIN_EXE_countersign"),
        "args": ["--data-dir", folder],
    });
    let Value::Object(capabilities) = json!({ "webkitgtk:browserOptions": options }) else {
        unreachable!()
    };
    let address = format!("http://127.0.0.1:{port}");
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(capabilities.into_iter().collect());
    let ended = tokio::time::timeout(PATIENCE, async {
        // The driver needs a moment until it listens.
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(POLL).await;
        }
        builder.connect(&address).await
    });
    match ended.await {
        Ok(Ok(client)) => client,
        Ok(Err(error)) => panic!(
            "the app cannot be driven: {error}\n--- the app said:\n{}",
            said(folder)
        ),
        Err(_) => panic!("the app never started\n--- the app said:\n{}", said(folder)),
    }
}

/// What the apps of this folder said where they were started from.
fn said(folder: &Path) -> String {
    let said = std::fs::read(folder.join("output.log")).unwrap_or_default();
    String::from_utf8_lossy(&said).into_owned()
}

/// A display of its own, where no other window takes the keyboard.
pub(crate) struct Display {
    _running: Running,
    name: String,
}

impl Display {
    pub(crate) fn start() -> Self {
        let mut server = Command::new(program("Xvfb"))
            .args([
                "-displayfd",
                "1",
                "-nolisten",
                "tcp",
                "-screen",
                "0",
                "1280x900x24",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb (Debian's xvfb) is installed");
        let mut number = String::new();
        BufReader::new(server.stdout.take().expect("its number"))
            .read_line(&mut number)
            .expect("its number");
        Self {
            _running: Running(server),
            name: format!(":{}", number.trim()),
        }
    }

    /// Another program comes to the front.
    fn look_away(&self) {
        let folder = TempDir::new().expect("a folder");
        let program = folder.path().join("look_away");
        compile("look_away.c", &program, &["-lX11"]);
        let looked = Command::new(program).env("DISPLAY", &self.name).status();
        assert!(looked.is_ok_and(|status| status.success()), "there is a display");
    }
}

/// A life without a driver, which would end the app with its page.
pub(crate) struct Undriven(Running);

impl Undriven {
    /// Starts the app and waits until its page is there.
    pub(crate) async fn start(folder: &Path) -> Self {
        let app = at_home(env!("CARGO_BIN_EXE_countersign"), folder)
            .arg("--data-dir")
            .arg(folder)
            .env("BROWSER", logging_browser(folder))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let app = Self(Running(app.expect("the app starts")));
        until_named("a page", || app.page().is_some()).await;
        app
    }

    fn page(&self) -> Option<u32> {
        let children = children(self.0.0.id());
        children.into_iter().find(|child| is_page(*child))
    }

    /// The process that draws the page is killed, and there is another.
    pub(crate) async fn kill_page(&self) {
        let last = self.page().expect("a page");
        signal("-KILL", last);
        until_named("another page", || self.page().is_some_and(|next| next != last)).await;
    }

    /// Closes the window by its title bar. The app may live on for a while.
    pub(crate) fn close_window(&self) {
        close_window(self.0.0.id(), None);
    }

    /// Waits until the app has ended by itself.
    pub(crate) async fn gone(mut self) {
        until_named("the end of the app", || {
            matches!(self.0.0.try_wait(), Ok(Some(_)))
        })
        .await;
    }

    /// Kills the app and waits for the end of what it had started.
    pub(crate) async fn kill(self) {
        let helpers = children(self.0.0.id());
        drop(self);
        ended(&helpers).await;
    }
}

/// Closes the window of this app by its title bar and waits until it is no longer there.
fn close_window(app: u32, display: Option<&Display>) {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join("close_window");
    compile("close_window.c", &program, &["-lX11"]);
    let mut closing = Command::new(program);
    closing.arg(app.to_string());
    if let Some(display) = display {
        closing.env("DISPLAY", &display.name);
    }
    assert!(
        closing.status().is_ok_and(|status| status.success()),
        "there is a window"
    );
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(
        sent.is_ok_and(|status| status.success()),
        "there is such a process"
    );
}

/// Waits for the end of what an app had started. They end when they notice; the next life is not to meet them.
async fn ended(helpers: &[u32]) {
    let lives = |id: &u32| !matches!(stat(*id).chars().next(), None | Some('Z'));
    until_named("the end of the page", || !helpers.iter().any(lives)).await;
}

/// A program with every folder of its person in this one.
fn at_home(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let home = folder.join("home");
    std::fs::create_dir_all(home.join(".cache")).expect("a home");
    let mut command = Command::new(program);
    command
        .env("HOME", &home)
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_CACHE_HOME", home.join(".cache"));
    command
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    entries.filter_map(|process| process.file_name().to_str()?.parse().ok())
}

fn children(parent: u32) -> Vec<u32> {
    let parent = parent.to_string();
    // "123 (name) S 120 ...": the number after the state is the parent's.
    processes()
        .filter(|id| stat(*id).split(' ').nth(1) == Some(parent.as_str()))
        .collect()
}

/// What the system says of a process behind its name; empty where there is none.
fn stat(id: u32) -> String {
    let line = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    line.rsplit_once(") ").map_or("", |(_, after)| after).to_owned()
}

/// Whether this process draws a page. It does once it has its threads; the library ends an app whose page dies before it
/// has begun.
fn is_page(id: u32) -> bool {
    let called = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).map_or(0, Iterator::count);
    called.trim() == "WebKitWebProces" && threads > 9 && !stat(id).starts_with('Z')
}

/// Builds a program in C that lies beside the tests.
fn compile(source: &str, into: &Path, flags: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/desktop")
        .join(source);
    let built = Command::new("cc")
        .arg("-o")
        .args([into, &path])
        .args(flags)
        .status();
    assert!(built.is_ok_and(|status| status.success()), "cc builds {source}");
}

fn logging_browser(folder: &Path) -> PathBuf {
    let script = folder.join("browser");
    let log = folder.join("browser.log");
    executable(
        &script,
        &format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}'\n", log.display()),
    );
    script
}

fn executable(script: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(script, lines).expect("a script");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).expect("a script");
}

fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.exists())
        .unwrap_or_else(|| name.into())
}

/// One of the servers on the official SDKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sdk {
    Python,
    TypeScript,
}

/// Such a server, serving HTTP on loopback, and the log of what reached it.
pub(crate) struct SdkServer {
    _running: Running,
    pub(crate) url: String,
    log: PathBuf,
    _folder: TempDir,
}

impl Sdk {
    pub(crate) const ALL: [Self; 2] = [Self::Python, Self::TypeScript];

    fn command(self) -> (PathBuf, PathBuf) {
        let servers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/servers");
        match self {
            Self::Python => (
                servers.join(".cache/venv/bin/python"),
                servers.join("python/server.py"),
            ),
            Self::TypeScript => (program("node"), servers.join("typescript/server.mjs")),
        }
    }

    pub(crate) fn serve(self) -> SdkServer {
        let folder = TempDir::new().expect("a folder");
        let log = folder.path().join("received.jsonl");
        let (program, server) = self.command();
        let mut child = Command::new(&program)
            .arg(&server)
            .args(["--http", "0", "--log"])
            .arg(&log)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{}: {error}; run tests/interop/servers/setup.sh",
                    program.display()
                )
            });
        let stdout = child.stdout.take().expect("stdout");
        let running = Running(child);
        let url = BufReader::new(stdout)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("listening on ").map(str::to_owned))
            .expect("the server says where it listens");
        SdkServer {
            _running: running,
            url,
            log,
            _folder: folder,
        }
    }

    /// The target of the same server over stdio, and its log.
    pub(crate) fn over_stdio(self, folder: &Path) -> (Value, PathBuf) {
        let log = folder.join("received-stdio.jsonl");
        let (program, server) = self.command();
        let args = json!([server, "--stdio", "--log", log]);
        (
            json!({ "kind": "stdio", "command": program, "args": args, "env": [], "cwd": null }),
            log,
        )
    }
}

impl SdkServer {
    pub(crate) fn target(&self) -> Value {
        json!({ "kind": "http", "url": self.url, "headers": [] })
    }

    /// The requests that reached it, oldest first, each with `method`, `id`, `params`, `headers`, `raw`.
    pub(crate) fn received(&self) -> Vec<Value> {
        received(&self.log, "request")
    }

    /// The visits to its pages.
    pub(crate) fn visits(&self) -> usize {
        received(&self.log, "page").len()
    }
}

pub(crate) fn received(log: &Path, kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"))
        .filter(|line| line["kind"] == kind)
        .collect()
}

/// Visits a page as the person's browser would.
pub(crate) async fn visit(url: &str) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let url: tauri::Url = url.parse().expect("an address");
    let host = format!(
        "{}:{}",
        url.host_str().expect("a host"),
        url.port().expect("a port")
    );
    let mut stream = tokio::net::TcpStream::connect(&host)
        .await
        .expect("the page is served");
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let request = format!(
        "GET {}{query} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
        url.path()
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert_eq!(answer.split(' ').nth(1), Some("200"), "{answer}");
}

/// Waits until it is so.
pub(crate) async fn until(is: impl FnMut() -> bool) {
    until_named("what was waited for", is).await;
}

/// The same with a name for what is waited for.
pub(crate) async fn until_named(name: &str, mut is: impl FnMut() -> bool) {
    let ended = tokio::time::timeout(PATIENCE, async {
        while !is() {
            tokio::time::sleep(POLL).await;
        }
    });
    assert!(ended.await.is_ok(), "{name} never happened");
}

/// A server of revision 2026-07-28 with one tool, `speak`, and the answers that a test wants.
pub(crate) struct ScriptedServer {
    pub(crate) url: String,
}

/// What a [`ScriptedServer`] does with a `tools/call`, from its params and its bytes: the text of a result; for `None`
/// the connection is closed without an answer.
type Script = dyn Fn(&Value, &str) -> Option<String> + Send + Sync;

impl ScriptedServer {
    /// `answer` gets the params of each `tools/call`; for `null` the connection is closed without an answer.
    pub(crate) fn start(answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        Self::start_exact(move |params, _| {
            let result = answer(params);
            (!result.is_null()).then(|| result.to_string())
        })
    }

    /// The same for what only bytes can say. See [`Script`].
    pub(crate) fn start_exact(
        answer: impl Fn(&Value, &str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let answer: std::sync::Arc<Script> = std::sync::Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let answer = std::sync::Arc::clone(&answer);
                std::thread::spawn(move || serve(&stream, &*answer));
            }
        });
        Self { url }
    }

    pub(crate) fn target(&self) -> Value {
        json!({ "kind": "http", "url": self.url, "headers": [] })
    }
}

fn serve(stream: &std::net::TcpStream, answer: &Script) {
    use std::io::{Read, Write};
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let Ok(body) = String::from_utf8(body) else { return };
    let Ok(request) = serde_json::from_str::<Value>(&body) else {
        return;
    };
    let result = match request["method"].as_str() {
        Some("server/discover") => Some(
            json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
                "ttlMs": 0, "cacheScope": "private",
                "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "Countersign", "version": "1" } },
            })
            .to_string(),
        ),
        Some("tools/list") => Some(
            json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": [{ "name": "speak", "inputSchema": { "type": "object", "properties": { "words": { "type": "string" } } } }],
            })
            .to_string(),
        ),
        _ => answer(&request["params"], &body),
    };
    let Some(result) = result else { return };
    let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]);
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}
