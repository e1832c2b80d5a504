//! A scripted program: `tests/fixtures/engine/program.py` with a plan, and the log of what it heard.

use countersign_core::transport::stdio::Command;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A path in `tests/fixtures/engine`.
pub(crate) fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/engine")
        .join(name)
}

/// A program with a plan. Its folder lives as long as this.
pub(crate) struct Program {
    folder: tempfile::TempDir,
    extra: Vec<String>,
}

impl Program {
    /// `plan` is described in `program.py`.
    pub(crate) fn new(plan: &str) -> Self {
        Self::with_arguments(plan, &[])
    }

    pub(crate) fn with_arguments(plan: &str, extra: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("plan.json"), plan).expect("written");
        Self {
            folder,
            extra: extra.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    pub(crate) fn command(&self) -> Command {
        let path = |name: &str| self.folder.path().join(name).to_string_lossy().into_owned();
        let mut args = vec![
            "-S".to_owned(),
            "-E".to_owned(),
            here("program.py").to_string_lossy().into_owned(),
            path("plan.json"),
            path("heard"),
        ];
        args.extend(self.extra.iter().cloned());
        Command {
            program: "python3".to_owned(),
            args,
            env: vec![("PYTHONUTF8".to_owned(), "1".to_owned())],
            cwd: None,
        }
    }

    /// Everything it heard, a line each; its own events as `# start`, `# eof`, `# term`.
    pub(crate) fn heard(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("heard")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Waits until a line holds `word`.
    pub(crate) async fn until_heard(&self, word: &str) {
        let watching = async {
            while !self.heard().iter().any(|line| line.contains(word)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        super::patiently(word, watching).await;
    }
}
