//! The key store of each system: the Secret Service on Linux and its like, the keychain on macOS, the Credential Manager
//! on Windows.
//!
//! The Secret Service is spoken to over D-Bus (zbus, on tokio, no C library), with a fresh connection for every question,
//! so that one that was started, restarted or unlocked later is found. It is asked directly and not through a general
//! library, because that one lets the system ask the person for a password wherever something is locked; here that
//! happens in [`super::KeyStore::unlock`] only.

use super::KeyStore;

/// The key store of this system.
pub fn system() -> Box<dyn KeyStore> {
    Box::new(own::System)
}

#[cfg(all(unix, not(target_os = "macos")))]
mod own {
    use crate::store::keys::{KeyStore, KeyTrouble};
    use crate::text;
    use secret_service::blocking::{Collection, SecretService};
    use secret_service::{EncryptionType, Error};
    use std::collections::HashMap;
    use std::sync::Arc;
    use zeroize::Zeroizing;

    pub(super) struct System;

    impl KeyStore for System {
        fn get(&mut self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyTrouble> {
            let service = connect()?;
            let found = service
                .search_items(attributes(name))
                .map_err(|error| trouble(&error))?;
            if let Some(item) = found.unlocked.first() {
                let secret = item.get_secret().map_err(|error| trouble(&error))?;
                return Ok(Some(Zeroizing::new(secret)));
            }
            // Some services find nothing in what is locked.
            open(&service)?;
            if found.locked.is_empty() {
                Ok(None)
            } else {
                Err(KeyTrouble::Locked)
            }
        }

        fn set(&mut self, name: &str, secret: &[u8]) -> Result<(), KeyTrouble> {
            let service = connect()?;
            let collection = open(&service)?;
            collection
                .create_item(
                    &format!("Countersign: {name}"),
                    attributes(name),
                    secret,
                    true,
                    "application/octet-stream",
                )
                .map_err(|error| trouble(&error))?;
            Ok(())
        }

        fn remove(&mut self, name: &str) -> Result<(), KeyTrouble> {
            let service = connect()?;
            open(&service)?;
            let found = service
                .search_items(attributes(name))
                .map_err(|error| trouble(&error))?;
            for item in found.unlocked {
                item.delete().map_err(|error| trouble(&error))?;
            }
            Ok(())
        }

        fn unlock(&mut self) -> Result<(), KeyTrouble> {
            let service = connect()?;
            let unlocked = match service.get_default_collection() {
                Ok(collection) => collection.unlock(),
                Err(Error::NoResult) => service
                    .create_collection("Default keyring", "default")
                    .map(|_| ()),
                Err(error) => Err(error),
            };
            unlocked.map_err(|error| trouble(&error))?;
            open(&service)?;
            Ok(())
        }
    }

    fn connect() -> Result<SecretService<'static>, KeyTrouble> {
        SecretService::connect(EncryptionType::Dh).map_err(|error| trouble(&error))
    }

    /// Where secrets go by default, if it is unlocked.
    fn open<'a>(service: &'a SecretService<'static>) -> Result<Collection<'a>, KeyTrouble> {
        let collection = service
            .get_default_collection()
            .map_err(|error| trouble(&error))?;
        if collection.is_locked().map_err(|error| trouble(&error))? {
            return Err(KeyTrouble::Locked);
        }
        Ok(collection)
    }

    fn attributes(name: &str) -> HashMap<&str, &str> {
        HashMap::from([("xdg:schema", "org.countersign.Key"), ("name", name)])
    }

    fn trouble(error: &Error) -> KeyTrouble {
        let reason = text::line(&error.to_string(), 200);
        // No bus, nobody on the bus who is a key store, or one that cannot be started.
        let absent = [
            "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.Spawn",
        ];
        if matches!(
            error,
            Error::Locked | Error::NoResult | Error::Prompt | Error::PromptDisconnected
        ) {
            KeyTrouble::Locked
        } else if matches!(error, Error::Unavailable)
            || absent.iter().any(|name| reason.contains(name))
            || no_bus(error)
        {
            KeyTrouble::Absent { reason }
        } else {
            KeyTrouble::Failing { reason }
        }
    }

    /// The address of the bus leads nowhere. zbus shares its cause, so that the cause is an `Arc`.
    fn no_bus(error: &Error) -> bool {
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<Arc<std::io::Error>>() {
                return matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused
                );
            }
            cause = error.source();
        }
        false
    }
}

#[cfg(any(target_os = "macos", windows))]
mod own {
    use crate::store::keys::{KeyStore, KeyTrouble};
    use crate::text;
    #[cfg(target_os = "macos")]
    use apple_native_keyring_store::keychain::Store;
    use keyring_core::api::CredentialStoreApi;
    use keyring_core::{Entry, Error};
    #[cfg(windows)]
    use windows_native_keyring_store::Store;
    use zeroize::Zeroizing;

    pub(super) struct System;

    impl KeyStore for System {
        fn get(&mut self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyTrouble> {
            match entry(name)?.get_secret() {
                Ok(secret) => Ok(Some(Zeroizing::new(secret))),
                Err(Error::NoEntry) => Ok(None),
                Err(error) => Err(trouble(&error)),
            }
        }

        fn set(&mut self, name: &str, secret: &[u8]) -> Result<(), KeyTrouble> {
            entry(name)?.set_secret(secret).map_err(|error| trouble(&error))
        }

        fn remove(&mut self, name: &str) -> Result<(), KeyTrouble> {
            match entry(name)?.delete_credential() {
                Ok(()) | Err(Error::NoEntry) => Ok(()),
                Err(error) => Err(trouble(&error)),
            }
        }

        /// The system asks by itself when something is read.
        fn unlock(&mut self) -> Result<(), KeyTrouble> {
            self.get("unlock").map(|_| ())
        }
    }

    fn entry(name: &str) -> Result<Entry, KeyTrouble> {
        let store = Store::new().map_err(|error| trouble(&error))?;
        store
            .build("org.countersign", name, None)
            .map_err(|error| trouble(&error))
    }

    fn trouble(error: &Error) -> KeyTrouble {
        let reason = text::line(&error.to_string(), 200);
        if matches!(error, Error::NoStorageAccess(_)) {
            KeyTrouble::Locked
        } else if matches!(error, Error::NoDefaultStore) {
            KeyTrouble::Absent { reason }
        } else {
            KeyTrouble::Failing { reason }
        }
    }
}
