//! The data directory: one process at a time, for the eyes of its owner only.
//!
//! Promises: whoever holds a [`Place`] is alone in the directory (an exclusive lock on `lock`, which the system takes
//! back when the process ends, however it ends); files made here have mode 0600 and a directory made here 0700 on
//! Unix; a file that cannot be used is renamed, never deleted or overwritten.
//!
//! Deliberately absent: changing the mode of a directory that was there before.

use super::error::StoreError;
use crate::fault::{self, Point};
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The database.
pub const DATABASE: &str = "countersign.db";
/// The file that is locked while the directory is in use. It is empty and stays.
pub const LOCK: &str = "lock";
/// What SQLite may put beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A data directory that nobody else uses while this value lives.
pub struct Place {
    folder: PathBuf,
    lock: File,
}

/// The usual data directory of this system and person.
pub fn usual() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("org", "Countersign", "Countersign")?;
    Some(folders.data_dir().to_owned())
}

impl Place {
    /// Makes the directory where there is none, and takes it.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another process has it, [`StoreError::Folder`] when it cannot be made or written.
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::folder(folder, &error);
        make_folder(folder).map_err(failed)?;
        let lock = private().open(folder.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                folder: folder.to_owned(),
                lock,
            }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
                folder: folder.to_owned(),
            }),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join(DATABASE)
    }

    /// Makes an empty database file where there is none, so that it has the right mode before anything is in it.
    pub(super) fn make_database(&self) -> Result<(), StoreError> {
        let file = private().open(self.database());
        let file = file.map_err(|error| StoreError::folder(&self.folder, &error))?;
        owner_only(&file).map_err(|error| StoreError::folder(&self.folder, &error))?;
        fault::at(Point::StoreMade);
        Ok(())
    }

    /// Whether something belongs to a database that is not there (any more).
    pub(super) fn has_strays(&self) -> bool {
        let empty = std::fs::metadata(self.database()).map_or(true, |file| file.len() == 0);
        // An empty file with a journal beside it is one whose first write was cut short: SQLite undoes that.
        empty && with(&self.database(), BESIDE[0]).exists()
    }

    /// Renames the database and what belongs to it to `countersign.db.damaged-<stamp>`.
    ///
    /// # Errors
    /// [`StoreError::Folder`]; what was renamed by then stays so, and the rest is renamed at the next try.
    pub(super) fn set_aside(&self, local_time: &str) -> Result<PathBuf, StoreError> {
        let database = self.database();
        let aside = self.free_name(local_time);
        let moved = |ending: &str| match std::fs::rename(with(&database, ending), with(&aside, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::folder(&self.folder, &error))
            }
            Ok(()) | Err(_) => Ok(()),
        };
        // The database goes first. Without its journal an older state could be taken for the newest; a journal without
        // its database is recognised by `has_strays`.
        moved("")?;
        fault::at(Point::StoreAsideHalf);
        for ending in BESIDE {
            moved(ending)?;
        }
        sync(&self.folder).map_err(|error| StoreError::folder(&self.folder, &error))?;
        fault::at(Point::StoreAsideDone);
        Ok(aside)
    }

    fn free_name(&self, local_time: &str) -> PathBuf {
        let stamp: String = local_time
            .chars()
            .take("2026-12-01T14:02:00".len())
            .map(|character| {
                if character.is_ascii_alphanumeric() {
                    character
                } else {
                    '-'
                }
            })
            .collect();
        let first = self.folder.join(format!("{DATABASE}.damaged-{stamp}"));
        let taken = |name: &Path| {
            let endings = std::iter::once("").chain(BESIDE);
            endings.into_iter().any(|ending| with(name, ending).exists())
        };
        let others = (2_u32..).map(|count| self.folder.join(format!("{DATABASE}.damaged-{stamp}-{count}")));
        std::iter::once(first.clone())
            .chain(others)
            .find(|name| !taken(name))
            .unwrap_or(first)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Closing would do, but for a program that is just being started and has not let go of our files yet.
        let _ = self.lock.unlock();
    }
}

/// Options for a file that only its owner may read; made if it is not there.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Takes away what others may do with a file.
pub(super) fn owner_only(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            file.set_permissions(permissions)?;
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// A renamed or new name in a directory is on the disk when this returns.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: &str = "2026-12-01T12:00:00+01:00";

    #[test]
    fn two_holders_of_one_directory_are_refused_with_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Place::take(folder.path()).expect("free");
        let refused = Place::take(folder.path()).err().expect("taken");
        assert_eq!(refused.code(), "in_use");
        assert!(refused.to_string().contains("already running"), "{refused}");
        drop(first);
        assert!(Place::take(folder.path()).is_ok());
    }

    #[test]
    fn a_place_that_cannot_be_made_is_said() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = Place::take(&file.path().join("deeper")).err().expect("no folder");
        assert_eq!(error.code(), "folder");
        assert!(error.to_string().contains("deeper"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_here_is_for_its_owner() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::take(&folder.path().join("deep")).expect("made");
        place.make_database().expect("made");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(place.folder()), 0o700);
        assert_eq!(mode(&place.database()), 0o600);
        assert_eq!(mode(&place.folder().join(LOCK)), 0o600);
        std::fs::set_permissions(place.database(), std::fs::Permissions::from_mode(0o644)).expect("set");
        place.make_database().expect("there");
        assert_eq!(
            mode(&place.database()),
            0o600,
            "a mode that became wider is made narrow again"
        );
    }

    #[test]
    fn what_is_set_aside_keeps_its_companions_and_overwrites_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::take(folder.path()).expect("free");
        let mut names = Vec::new();
        for round in ["one", "two", "three"] {
            std::fs::write(place.database(), round).expect("written");
            std::fs::write(folder.path().join("countersign.db-wal"), round).expect("written");
            names.push(place.set_aside(NOON).expect("moved"));
        }
        assert!(
            names[0].ends_with("countersign.db.damaged-2026-12-01T12-00-00"),
            "{names:?}"
        );
        for (name, text) in names.iter().zip(["one", "two", "three"]) {
            assert_eq!(std::fs::read_to_string(name).ok().as_deref(), Some(text));
            assert_eq!(
                std::fs::read_to_string(with(name, "-wal")).ok().as_deref(),
                Some(text)
            );
        }
        assert!(!place.database().exists());
    }

    #[test]
    fn a_journal_without_its_database_is_a_stray() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::take(folder.path()).expect("free");
        assert!(!place.has_strays());
        std::fs::write(folder.path().join("countersign.db-wal"), "x").expect("written");
        assert!(place.has_strays());
        place.make_database().expect("made");
        assert!(place.has_strays(), "an empty file is no database");
        std::fs::write(place.database(), "something").expect("written");
        assert!(!place.has_strays());
    }
}
