//! The key in a file beside the database, for a system without a key store: at the person's word only.
//!
//! It protects from other accounts of the computer (mode 0600 on Unix), and from nothing else: not from a copy of the
//! directory, not from a backup, not from a program that runs as the same person.

use crate::store::error::StoreError;
use crate::store::place::{self, Place};
use crate::store::seal::Master;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The file in the data directory. 32 bytes in hexadecimal digits after [`HEAD`].
pub const NAME: &str = "countersign.key";
const HEAD: &str = "Countersign key 1: ";
const LONGEST: u64 = 4096;

/// The key, if the person chose a key file before.
///
/// # Errors
/// There is a file that cannot be read or holds no key. It is left as it is.
pub fn load(place: &Place) -> Result<Option<Master>, StoreError> {
    let failed = |error: std::io::Error| StoreError::folder(place.folder(), &error);
    let file = match std::fs::File::open(path(place)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    place::owner_only(&file).map_err(failed)?;
    let mut text = Zeroizing::new(String::new());
    let no_key = || StoreError::Folder {
        folder: path(place),
        reason: "it holds no key of Countersign".to_owned(),
    };
    file.take(LONGEST)
        .read_to_string(&mut text)
        .map_err(|_| no_key())?;
    let digits = text.trim_end().strip_prefix(HEAD).ok_or_else(no_key)?;
    let mut key = Zeroizing::new(Vec::with_capacity(32));
    let mut rest = digits;
    while let Some((byte, others)) = rest.split_at_checked(2) {
        key.push(u8::from_str_radix(byte, 16).map_err(|_| no_key())?);
        rest = others;
    }
    let whole = rest.is_empty().then(|| Master::from_bytes(&key)).flatten();
    whole.map(Some).ok_or_else(no_key)
}

/// Puts a key into a new file, whole or not at all, on the disk when this returns.
///
/// # Errors
/// There is a file already, or it cannot be written.
pub fn make(place: &Place, master: &Master) -> Result<(), StoreError> {
    let failed = |error: std::io::Error| StoreError::folder(place.folder(), &error);
    let mut text = Zeroizing::new(HEAD.to_owned());
    for byte in master.bytes() {
        text.push_str(&format!("{byte:02x}"));
    }
    text.push('\n');
    // A temporary file has mode 0600.
    let mut fresh = tempfile::NamedTempFile::new_in(place.folder()).map_err(failed)?;
    fresh.write_all(text.as_bytes()).map_err(failed)?;
    fresh.as_file().sync_all().map_err(failed)?;
    fresh
        .persist_noclobber(path(place))
        .map_err(|error| failed(error.error))?;
    place::sync(place.folder()).map_err(failed)
}

/// Removes the file, after the key was kept elsewhere.
///
/// # Errors
/// It cannot be removed.
pub fn remove(place: &Place) -> Result<(), StoreError> {
    match std::fs::remove_file(path(place)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::folder(place.folder(), &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn path(place: &Place) -> PathBuf {
    place.folder().join(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken() -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::take(folder.path()).expect("free");
        (folder, place)
    }

    #[test]
    fn a_key_comes_back_from_its_file_and_is_not_overwritten() {
        let (_folder, place) = taken();
        assert!(load(&place).expect("no file").is_none());
        let master = Master::fresh().expect("random");
        make(&place, &master).expect("made");
        let back = load(&place).expect("readable").expect("there");
        assert_eq!(back.bytes(), master.bytes());
        assert_eq!(make(&place, &master).map_err(|error| error.code()), Err("folder"));
        remove(&place).expect("removed");
        remove(&place).expect("nothing to remove");
        assert!(load(&place).expect("no file").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_key_file_is_for_its_owner_and_becomes_so_again() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, place) = taken();
        make(&place, &Master::fresh().expect("random")).expect("made");
        let mode = || {
            std::fs::metadata(path(&place))
                .expect("there")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(mode(), 0o600);
        std::fs::set_permissions(path(&place), std::fs::Permissions::from_mode(0o644)).expect("set");
        load(&place).expect("readable");
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn what_is_no_key_is_said_and_left() {
        let (_folder, place) = taken();
        let good = format!("{HEAD}{}", "0a".repeat(32));
        for text in [
            "",
            "x",
            HEAD,
            &good[..good.len() - 1],
            &format!("{good}0"),
            &format!("{good}0a"),
            &good.replace("0a0a", "zz0a"),
            &good.replace("0a0a", "ää"),
            &"x".repeat(10_000),
        ] {
            std::fs::write(path(&place), text).expect("written");
            assert_eq!(
                load(&place).err().map(|error| error.code()),
                Some("folder"),
                "{text:?}"
            );
            assert_eq!(std::fs::read_to_string(path(&place)).ok().as_deref(), Some(text));
        }
        std::fs::write(path(&place), [0xff, 0xfe]).expect("written");
        assert!(load(&place).is_err());
        std::fs::write(path(&place), &good).expect("written");
        assert!(load(&place).expect("readable").is_some());
    }
}
