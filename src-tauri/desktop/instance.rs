//! One app for each data folder: a second start shows the window of the first.
//!
//! Promises: whoever holds the folder ([`Place`]) is the first; the second opens nothing in it. The two speak over a socket
//! in the folder (a named pipe on Windows) that only this account can reach, and its only meaning is "show yourself". The
//! first answers once its window is in front. One that is ending has none and answers nothing: the second waits for the
//! folder and is the first then.
//!
//! Deliberately absent: a way to hand anything over. Where the first neither answers nor ends, the second says so and ends.

use countersign_core::clock::{Clock, SystemClock};
use countersign_core::store::StoreError;
use countersign_core::store::place::Place;
use std::path::Path;
use std::time::Duration;

/// How long the first may take: it may be starting itself, or ending, which leaves its programs their time.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) enum Start {
    /// Nobody else has the folder; or it cannot be used, and why.
    First(Result<Place, StoreError>),
    /// Another app has it and shows its window.
    Shown,
    /// Another process has it and does not answer.
    Refused(StoreError),
}

/// Takes the folder, or shows the window of the app that has it.
pub(crate) fn start(folder: &Path) -> Start {
    let clock = SystemClock::default();
    let until = clock.now() + PATIENCE;
    loop {
        match Place::take(folder) {
            Err(error @ StoreError::InUse { .. }) => {
                if channel::ask(folder).is_ok() {
                    return Start::Shown;
                }
                if clock.now() >= until {
                    return Start::Refused(error);
                }
                std::thread::sleep(PAUSE);
            }
            taken => return Start::First(taken),
        }
    }
}

/// Calls `show` whenever another start asks for the window, for as long as the process lives. `show` says whether the
/// window is in front.
pub(crate) fn listen(folder: &Path, show: impl Fn() -> bool + Send + 'static) {
    let Ok(listener) = channel::open(folder) else {
        // A folder whose name is too long for a socket: a second start is refused and not shown.
        return;
    };
    let _ = std::thread::Builder::new()
        .name("second start".to_owned())
        .spawn(move || channel::serve(&listener, &show));
}

#[cfg(unix)]
mod channel {
    use std::io::{self, Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};

    const SHOWN: &[u8] = b"shown\n";

    pub(super) fn open(folder: &Path) -> io::Result<UnixListener> {
        let path = path(folder);
        // The folder is held, so that this is one of an app that is gone.
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    }

    pub(super) fn serve(listener: &UnixListener, show: &dyn Fn() -> bool) {
        while let Ok((mut other, _)) = listener.accept() {
            if show() {
                // It may be gone by now.
                let _ = other.write_all(SHOWN);
            }
        }
    }

    pub(super) fn ask(folder: &Path) -> io::Result<()> {
        let mut first = UnixStream::connect(path(folder))?;
        first.set_read_timeout(Some(super::PATIENCE))?;
        let mut answer = [0; SHOWN.len()];
        first.read_exact(&mut answer)?;
        if answer == SHOWN {
            Ok(())
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join("countersign.socket")
    }
}

#[cfg(windows)]
mod channel {
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::io::{self, Read};
    use std::path::Path;
    use tokio::io::AsyncWriteExt;
    use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

    const SHOWN: &[u8] = b"shown\n";

    pub(super) fn open(folder: &Path) -> io::Result<String> {
        Ok(name(folder))
    }

    pub(super) fn serve(name: &str, show: &dyn Fn() -> bool) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(async {
            let mut first = true;
            while let Ok(mut pipe) = ServerOptions::new().first_pipe_instance(first).create(name) {
                first = false;
                if pipe.connect().await.is_err() {
                    continue;
                }
                if show() {
                    let _ = tell(&mut pipe).await;
                }
            }
        });
    }

    async fn tell(pipe: &mut NamedPipeServer) -> io::Result<()> {
        pipe.write_all(SHOWN).await?;
        pipe.flush().await
    }

    pub(super) fn ask(folder: &Path) -> io::Result<()> {
        let mut first = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(name(folder))?;
        let mut answer = [0; SHOWN.len()];
        first.read_exact(&mut answer)
    }

    fn name(folder: &Path) -> String {
        let mut hasher = DefaultHasher::new();
        folder.hash(&mut hasher);
        format!(r"\\.\pipe\countersign-{:016x}", hasher.finish())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Start, listen, start};
    use countersign_core::store::place::Place;
    use std::sync::mpsc;
    use std::thread;
    use tempfile::TempDir;

    fn first(folder: &TempDir) -> Option<Place> {
        match start(folder.path()) {
            Start::First(taken) => taken.ok(),
            Start::Shown | Start::Refused(_) => None,
        }
    }

    #[test]
    fn a_second_start_shows_the_first_and_takes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let _place = first(&folder).expect("nobody has it");
        let (shown, was_shown) = mpsc::channel();
        listen(folder.path(), move || {
            let _ = shown.send(());
            true
        });
        for _ in 0..2 {
            assert!(matches!(start(folder.path()), Start::Shown));
            was_shown.recv().expect("the first was told");
        }
    }

    #[test]
    fn a_folder_is_free_again_when_its_app_is_gone_whatever_it_left() {
        let folder = tempfile::tempdir().expect("a folder");
        for _ in 0..2 {
            let _place = first(&folder).expect("nobody has it");
            listen(folder.path(), || true);
        }
    }

    #[test]
    fn a_second_start_waits_for_a_first_that_is_ending() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = first(&folder).expect("nobody has it");
        let (asked, was_asked) = mpsc::channel();
        listen(folder.path(), move || {
            let _ = asked.send(());
            false
        });
        thread::scope(|scope| {
            let second = scope.spawn(|| first(&folder));
            was_asked.recv().expect("the first was asked");
            drop(place);
            let second = second.join().expect("no panic");
            assert!(second.is_some(), "it has the folder now");
        });
    }
}
