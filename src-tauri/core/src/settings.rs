//! The servers that a person added, in one file of their own. Written whole or not at all; a file that cannot be
//! read is set aside, never overwritten.
//!
//! What is secret of them stands in this file only until there is a store for it (`app::values`); it can be read by its owner
//! only (mode 0600 on Unix). Deliberately absent: anything about calls or answers.

use crate::view::{ServerDraft, TargetDraft};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

const FILE: &str = "servers.json";
const VERSION: u32 = 1;

/// One added server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The same in every run, and never that of another server: what is kept of its calls goes by it.
    #[serde(default)]
    pub id: String,
    pub name: String,
    pub target: TargetDraft,
    pub timeout_seconds: u32,
    /// RFC 3339, local.
    pub added: String,
    /// The store has `target` whole; here it is without what is secret (`address::veiled`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub values_kept: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    version: u32,
    servers: Vec<Entry>,
}

/// Where servers are kept: a folder, or nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settings {
    Folder(PathBuf),
    Memory,
}

/// What was read, and what a person should be told about it.
#[derive(Debug, Default)]
pub struct Loaded {
    pub servers: Vec<Entry>,
    pub notice: Option<String>,
}

impl Settings {
    /// The usual place of this system.
    pub fn usual() -> Option<Self> {
        let folders = directories::ProjectDirs::from("org", "Countersign", "Countersign")?;
        Some(Self::Folder(folders.config_dir().to_owned()))
    }

    /// Reads the file. One that cannot be read is renamed and said so.
    pub fn load(&self) -> Loaded {
        let Self::Folder(folder) = self else {
            return Loaded::default();
        };
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Loaded::default(),
            Err(error) => return set_aside(&path, &error.to_string()),
        };
        match serde_json::from_str::<File>(&text) {
            Ok(file) if file.version == VERSION => self.with_ids(file.servers),
            Ok(file) => set_aside(
                &path,
                &format!("it is of version {}, newer than this program", file.version),
            ),
            Err(error) => set_aside(&path, &error.to_string()),
        }
    }

    /// Servers that were written down without an id get one, once and for all.
    fn with_ids(&self, mut servers: Vec<Entry>) -> Loaded {
        let mut given = false;
        for server in servers.iter_mut().filter(|server| server.id.is_empty()) {
            server.id = fresh_id();
            given = true;
        }
        let notice = if given {
            self.save(servers.clone()).err()
        } else {
            None
        };
        Loaded { servers, notice }
    }

    /// Writes all servers, whole or not at all.
    ///
    /// # Errors
    /// A sentence with the place and the system's reason; the old file is then as it was.
    pub fn save(&self, servers: Vec<Entry>) -> Result<(), String> {
        let Self::Folder(folder) = self else { return Ok(()) };
        let path = folder.join(FILE);
        write(
            folder,
            &path,
            &File {
                version: VERSION,
                servers,
            },
        )
        .map_err(|error| {
            format!(
                "The list of servers could not be written to {}: {error}.",
                path.display()
            )
        })
    }
}

impl Entry {
    pub fn new(draft: &ServerDraft, added: String) -> Self {
        Self {
            id: fresh_id(),
            name: draft.name.clone(),
            target: draft.target.clone(),
            timeout_seconds: draft.timeout_seconds,
            added,
            values_kept: false,
        }
    }
}

/// Random, so that it is never used twice. Without random bytes from the system it is empty: calls of such a server are
/// not kept.
fn fresh_id() -> String {
    let mut bytes = [0; 8];
    match crate::store::seal::random(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(_) => String::new(),
    }
}

fn write(folder: &Path, path: &Path, file: &File) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut fresh, file)?;
    fresh.write_all(b"\n")?;
    fresh.as_file().sync_all()?;
    fresh.persist(path)?;
    Ok(())
}

fn set_aside(path: &Path, reason: &str) -> Loaded {
    let mut aside = path.with_extension("unreadable.json");
    for count in 2..100 {
        if !aside.exists() {
            break;
        }
        aside = path.with_extension(format!("unreadable-{count}.json"));
    }
    let reason = crate::text::line(reason, 200);
    let notice = match std::fs::rename(path, &aside) {
        Ok(()) => format!(
            "The list of servers could not be read ({reason}). It was set aside as {}; nothing in it is lost.",
            aside.display()
        ),
        Err(error) => format!(
            "The list of servers at {} could not be read ({reason}) and not be set aside ({error}).",
            path.display()
        ),
    };
    Loaded {
        servers: Vec::new(),
        notice: Some(notice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::NameValue;

    fn entry(name: &str) -> Entry {
        Entry {
            id: name.to_owned(),
            name: name.to_owned(),
            target: TargetDraft::Http {
                url: "https://a.test/mcp".to_owned(),
                headers: vec![NameValue {
                    name: "X-Key".to_owned(),
                    value: "k".to_owned(),
                }],
            },
            timeout_seconds: 60,
            added: "2026-12-01T14:02:00+01:00".to_owned(),
            values_kept: false,
        }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings::Folder(folder.path().join("deep"));
        assert!(settings.load().servers.is_empty());
        settings.save(vec![entry("a"), entry("b")]).expect("saved");
        assert_eq!(settings.load().servers, [entry("a"), entry("b")]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join("deep").join(FILE))
                .expect("the file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_broken_file_is_set_aside_and_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings::Folder(folder.path().to_owned());
        for (text, word) in [
            ("{ not json", "could not be read"),
            (r#"{"version":9,"servers":[]}"#, "version 9"),
        ] {
            std::fs::write(folder.path().join(FILE), text).expect("written");
            let loaded = settings.load();
            assert!(loaded.servers.is_empty());
            let notice = loaded.notice.expect("a notice");
            assert!(notice.contains(word) && notice.contains("set aside"), "{notice}");
        }
        assert_eq!(
            std::fs::read_to_string(folder.path().join("servers.unreadable.json"))
                .ok()
                .as_deref(),
            Some("{ not json"),
            "the first broken file is still there"
        );
        assert!(folder.path().join("servers.unreadable-2.json").exists());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_said() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = Settings::Folder(file.path().to_owned())
            .save(vec![entry("a")])
            .expect_err("no folder");
        assert!(error.contains("could not be written"), "{error}");
    }
}
