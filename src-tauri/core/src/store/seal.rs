//! Keys, and bytes sealed with them: XChaCha20-Poly1305 with a random nonce of 192 bits
//! (draft-irtf-cfrg-xchacha-03), keys derived by HMAC-SHA-256 (RFC 2104).
//!
//! Promises: what is sealed opens only under the same key, for the same purpose and with the same companions (table,
//! row, and every clear column beside it), so that rows cannot be exchanged and clear columns not changed unnoticed.
//! Keys are wiped from memory when they are dropped, and have no `{:?}`.
//!
//! Deliberately absent: passwords and key stretching. A master key is 32 random bytes.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The first byte of everything sealed.
const FORMAT: u8 = 1;
const NONCE: usize = 24;
/// Bytes that sealing adds: format, nonce and tag.
pub const OVERHEAD: usize = 1 + NONCE + 16;

/// A message authentication code.
pub type Mac256 = [u8; 32];

/// The one key from which all others of a database are made. 32 random bytes.
pub struct Master(Zeroizing<[u8; 32]>);

/// The system gives no random bytes. Nothing can be sealed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers")]
pub struct NoRandom;

/// What is sealed does not open: changed, moved, of another key, or cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was changed, or is sealed with another key")]
pub struct Unopened;

/// Seals and opens. Made from a [`Master`].
pub struct Sealer {
    cipher: XChaCha20Poly1305,
}

/// Makes codes that nobody without the key can make. Made from a [`Master`].
pub struct Signer {
    keyed: Hmac<Sha256>,
}

impl Master {
    /// A fresh one.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn fresh() -> Result<Self, NoRandom> {
        let mut bytes = Zeroizing::new([0; 32]);
        random(bytes.as_mut())?;
        Ok(Self(bytes))
    }

    /// `None` unless these are 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut own = Zeroizing::new([0; 32]);
        if bytes.len() != own.len() {
            return None;
        }
        own.copy_from_slice(bytes);
        Some(Self(own))
    }

    /// The key itself, for the place where it is kept.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key of stored records.
    pub fn sealer(&self) -> Sealer {
        let key = self.derived("countersign 1: records");
        Sealer {
            cipher: XChaCha20Poly1305::new((&*key).into()),
        }
    }

    /// A key for codes; `label` says what for.
    pub fn signer(&self, label: &str) -> Signer {
        Signer {
            keyed: keyed(&self.derived(label)),
        }
    }

    fn derived(&self, label: &str) -> Zeroizing<Mac256> {
        Zeroizing::new(coded(keyed(&self.0), &[label.as_bytes()]))
    }
}

impl Sealer {
    /// Seals `bytes` for a purpose, beside its companions.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn seal(&self, purpose: &str, companions: &[&[u8]], bytes: &[u8]) -> Result<Vec<u8>, NoRandom> {
        let mut nonce = [0; NONCE];
        random(&mut nonce)?;
        let bound = bound(purpose, companions);
        let payload = Payload {
            msg: bytes,
            aad: &bound,
        };
        // The cipher refuses only what is longer than 256 GiB.
        let text = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| NoRandom)?;
        let mut sealed = Vec::with_capacity(text.len() + 1 + NONCE);
        sealed.push(FORMAT);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&text);
        Ok(sealed)
    }

    /// Opens what [`Sealer::seal`] sealed for the same purpose and companions.
    ///
    /// # Errors
    /// It is not that.
    pub fn open(&self, purpose: &str, companions: &[&[u8]], sealed: &[u8]) -> Result<Vec<u8>, Unopened> {
        let (&format, rest) = sealed.split_first().ok_or(Unopened)?;
        let (nonce, text) = rest.split_first_chunk::<NONCE>().ok_or(Unopened)?;
        if format != FORMAT {
            return Err(Unopened);
        }
        let bound = bound(purpose, companions);
        let payload = Payload {
            msg: text,
            aad: &bound,
        };
        self.cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| Unopened)
    }
}

impl Signer {
    /// The code of these parts; each counts with its length, so that parts cannot run into one another.
    pub fn sign(&self, parts: &[&[u8]]) -> Mac256 {
        coded(self.keyed.clone(), parts)
    }

    /// Compared in constant time.
    pub fn holds(&self, parts: &[&[u8]], code: &[u8]) -> bool {
        let mut mac = self.keyed.clone();
        feed(&mut mac, parts);
        mac.verify_slice(code).is_ok()
    }
}

/// Fills with random bytes of the system.
///
/// # Errors
/// There are none.
pub fn random(bytes: &mut [u8]) -> Result<(), NoRandom> {
    getrandom::fill(bytes).map_err(|_| NoRandom)
}

fn keyed(key: &Mac256) -> Hmac<Sha256> {
    // A key of the hash's block size is taken as it is; a shorter one is filled with zeros (RFC 2104, section 2).
    let mut block = Zeroizing::new([0; 64]);
    block[..key.len()].copy_from_slice(key);
    Hmac::new((&*block).into())
}

fn coded(mut mac: Hmac<Sha256>, parts: &[&[u8]]) -> Mac256 {
    feed(&mut mac, parts);
    mac.finalize().into_bytes().into()
}

fn feed(mac: &mut Hmac<Sha256>, parts: &[&[u8]]) {
    for part in parts {
        mac.update(&length(part));
        mac.update(part);
    }
}

fn bound(purpose: &str, companions: &[&[u8]]) -> Vec<u8> {
    let mut bound = Vec::with_capacity(64);
    for part in std::iter::once(purpose.as_bytes()).chain(companions.iter().copied()) {
        bound.extend_from_slice(&length(part));
        bound.extend_from_slice(part);
    }
    bound
}

fn length(part: &[u8]) -> [u8; 8] {
    (part.len() as u64).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn master(byte: u8) -> Master {
        Master::from_bytes(&[byte; 32]).expect("32 bytes")
    }

    #[test]
    fn what_is_sealed_opens_for_the_same_purpose_and_companions_only() {
        let sealer = master(1).sealer();
        let sealed = sealer.seal("calls", &[b"7", b"a"], b"secret").expect("sealed");
        assert_eq!(sealed.len(), b"secret".len() + OVERHEAD);
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        let opened = |purpose, companions: &[&[u8]]| sealer.open(purpose, companions, &sealed);
        assert_eq!(
            opened("calls", &[b"7", b"a"]).as_deref(),
            Ok(b"secret".as_slice())
        );
        for (purpose, companions) in [
            ("drafts", [b"7".as_slice(), b"a"].as_slice()),
            ("calls", &[b"8", b"a"]),
            ("calls", &[b"7a"]),
            ("calls", &[b"7a", b""]),
            ("calls", &[b"7"]),
            ("calls", &[]),
        ] {
            assert_eq!(
                opened(purpose, companions),
                Err(Unopened),
                "{purpose} {companions:?}"
            );
        }
        assert_eq!(
            master(2).sealer().open("calls", &[b"7", b"a"], &sealed),
            Err(Unopened)
        );
    }

    #[test]
    fn any_changed_or_missing_byte_is_found() {
        let sealer = master(1).sealer();
        let sealed = sealer.seal("calls", &[], b"text").expect("sealed");
        for index in 0..sealed.len() {
            let mut other = sealed.clone();
            other[index] ^= 1;
            assert_eq!(sealer.open("calls", &[], &other), Err(Unopened), "byte {index}");
            assert_eq!(
                sealer.open("calls", &[], &sealed[..index]),
                Err(Unopened),
                "first {index}"
            );
        }
    }

    #[test]
    fn the_same_text_never_looks_the_same() {
        let sealer = master(1).sealer();
        let one = sealer.seal("calls", &[], b"text").expect("sealed");
        assert_ne!(one, sealer.seal("calls", &[], b"text").expect("sealed"));
    }

    #[test]
    fn codes_keep_their_parts_apart() {
        let signer = master(1).signer("history");
        let code = signer.sign(&[b"ab", b"c"]);
        assert!(signer.holds(&[b"ab", b"c"], &code));
        assert!(!signer.holds(&[b"a", b"bc"], &code));
        assert!(!signer.holds(&[b"ab", b"c"], &code[..31]));
        assert_ne!(master(1).signer("other").sign(&[b"ab", b"c"]), code);
        assert_ne!(master(2).signer("history").sign(&[b"ab", b"c"]), code);
    }

    /// RFC 4231, test case 2, with its key filled with zeros as HMAC itself does.
    #[test]
    fn it_is_the_hmac_of_the_standard() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let mut mac = keyed(&key);
        mac.update(b"what do ya want for nothing?");
        let code = mac.finalize().into_bytes();
        assert_eq!(code[..4], [0x5b, 0xdc, 0xc1, 0x46]);
        assert_eq!(code[28..], [0x64, 0xec, 0x38, 0x43]);
    }
}
