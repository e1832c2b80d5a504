//! The same program once more, as a child with variables of its own: what an environment changes is seen there, and
//! what it costs.

use super::patiently;
use std::path::Path;
use std::process::Stdio;

/// Every variable that says something about proxies or certificates.
const VARIABLES: [&str; 10] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// A run of one test of this program, told what to do by variables.
pub(crate) struct Child(tokio::process::Command);

impl Child {
    /// `test` is its path: `module::name`. It does nothing unless `told` is there.
    pub(crate) fn new(test: &str, told: &str) -> Self {
        #[expect(clippy::disallowed_methods, reason = "a test starts itself")]
        let mut command = tokio::process::Command::new(std::env::current_exe().expect("this program"));
        command
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.env("COUNTERSIGN_TOLD", told);
        Self(command)
    }

    /// What a child was told; nothing in a usual run.
    pub(crate) fn told() -> Option<String> {
        std::env::var("COUNTERSIGN_TOLD").ok()
    }

    pub(crate) fn with(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn trusting(self, file: &Path) -> Self {
        self.with("SSL_CERT_FILE", file)
    }

    /// What it said: the lines after `said: `.
    pub(crate) async fn said(mut self) -> Vec<String> {
        let output = patiently("the end of the child", self.0.output())
            .await
            .expect("it ran");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}\n{errors}");
        let said = text.lines().filter_map(|line| line.split_once("said: "));
        said.map(|(_, said)| said.to_owned()).collect()
    }
}

/// The most memory that this process ever had, in KiB; `None` where the system does not say it.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
