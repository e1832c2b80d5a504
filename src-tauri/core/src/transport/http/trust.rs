//! Who is believed over TLS, and what is said about who is not.
//!
//! Promises: certificates are checked by the system's own rules against the system's trusted ones (on Linux also
//! against `SSL_CERT_FILE` and `SSL_CERT_DIR`, which take their place); TLS is 1.2 or newer; whoever is refused is
//! named with what a person can do.
//!
//! Deliberately absent: any way to go on with a certificate that is not trusted.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError,
    RootCertStore, SignatureScheme,
};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// What is offered as the language over TLS, the better one first.
const LANGUAGES: [&[u8]; 2] = [b"h2", b"http/1.1"];

#[cfg(all(unix, not(target_vendor = "apple")))]
const PLACE: &str = "to the system's trusted certificates, or to a file that SSL_CERT_FILE names,";
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
const PLACE: &str = "to the system's trusted certificates";

/// TLS for servers that are reached with `https:`. The trusted certificates are read anew.
///
/// # Errors
/// A sentence where the system has no certificates to trust.
pub(crate) fn system() -> Result<ClientConfig, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Verifier::new(Arc::clone(&provider)).map_err(unusable)?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous() // rustls' word for any verifier but its own; this one is the system's
        .with_custom_certificate_verifier(Arc::new(Naming(verifier)))
        .with_no_client_auth();
    config.alpn_protocols = LANGUAGES.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

/// TLS that trusts nobody, for `http:` on this computer: nothing needs to be read from the system.
///
/// # Errors
/// A sentence where there is no TLS at all.
pub(crate) fn nobody() -> Result<ClientConfig, String> {
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    Ok(config
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

/// What a person reads about a failed handshake.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "rustls' own enum; what is not named here is told in its words"
)]
pub(crate) fn refused(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(cause) => certificate(cause),
        Error::InvalidMessage(_) => "it does not speak TLS there, which an https: address needs".to_owned(),
        Error::PeerIncompatible(_)
        | Error::AlertReceived(AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure) => {
            "there is no way of encrypting that both sides know; TLS 1.2 is the least".to_owned()
        }
        error => crate::text::line(&format!("TLS failed: {error}"), 300),
    }
}

/// A certificate from nobody who is trusted, and who that is.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("says that it is from “{issuer}”, which is not trusted here")]
struct Stranger {
    issuer: String,
}

/// The system's verifier, which does not say whose certificate it refused.
#[derive(Debug)]
struct Naming(Verifier);

impl ServerCertVerifier for Naming {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let checked = self
            .0
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        checked.map_err(|error| {
            if error != Error::InvalidCertificate(CertificateError::UnknownIssuer) {
                return error;
            }
            let last = intermediates.last().unwrap_or(end_entity);
            let issuer = issuer(last).unwrap_or_else(|| "somebody without a name".to_owned());
            let stranger = OtherError(Arc::new(Stranger { issuer }));
            Error::InvalidCertificate(CertificateError::Other(stranger))
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

fn unusable(error: Error) -> String {
    let reason = if let Error::General(reason) = error {
        reason
    } else {
        error.to_string()
    };
    let set = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        .into_iter()
        .find(|name| cfg!(all(unix, not(target_vendor = "apple"))) && std::env::var_os(name).is_some())
        .map(|name| format!(" ({name} is set, and counts instead of the system's)"));
    format!("TLS cannot be used here: {reason}{}", set.unwrap_or_default())
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "rustls' own enum; what is not named here is told in its words"
)]
fn certificate(cause: &CertificateError) -> String {
    match cause {
        CertificateError::Other(OtherError(other)) if other.is::<Stranger>() => {
            format!(
                "its certificate {other}; if you know who that is (your company, say), add their certificate {PLACE} and start Countersign again"
            )
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; if the date of this computer is right, whoever runs the server must renew it".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; check the date of this computer".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let first: Vec<&str> = presented.iter().take(4).map(|name| bare(name)).collect();
            let names = if first.is_empty() {
                "nobody".to_owned()
            } else {
                crate::text::line(&first.join(", "), 200)
            };
            let more = if presented.len() > first.len() { " and others" } else { "" };
            format!("its certificate is for {names}{more}, not for this address")
        }
        CertificateError::Revoked => "its certificate was withdrawn".to_owned(),
        cause => crate::text::line(&format!("its certificate cannot be used: {cause}"), 300),
    }
}

/// `DnsName("a.example")` is the way in which rustls writes a name.
fn bare(name: &str) -> &str {
    let inside = name.split(['"', '(', ')']).filter(|part| !part.is_empty()).nth(1);
    inside.unwrap_or(name)
}

/// The common name of the issuer of a certificate, else its organisation (RFC 5280, 4.1).
fn issuer(certificate: &[u8]) -> Option<String> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut rest, _) = element(certificate)?;
    if rest.first() == Some(&0xa0) {
        rest = element(rest)?.2; // version
    }
    rest = element(rest)?.2; // serial number
    rest = element(rest)?.2; // algorithm
    let (_, mut sets, _) = element(rest)?;
    let mut organisation = None;
    while let Some((_, set, more)) = element(sets) {
        sets = more;
        let (_, pair, _) = element(set)?;
        let (_, kind, value) = element(pair)?;
        let (_, value, _) = element(value)?;
        let name = crate::text::chip(&String::from_utf8_lossy(value));
        match kind {
            [0x55, 4, 3] if !name.is_empty() => return Some(name),
            [0x55, 4, 10] if !name.is_empty() => organisation = Some(name),
            _ => {}
        }
    }
    organisation
}

/// One element of DER: its tag, what it holds, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], mut rest) = bytes.split_first_chunk()?;
    let length = if first < 0x80 {
        usize::from(first)
    } else {
        let digits = usize::from(first & 0x7f);
        if digits > 4 {
            return None;
        }
        let (length, after) = rest.split_at_checked(digits)?;
        rest = after;
        length.iter().fold(0, |sum, &digit| sum << 8 | usize::from(digit))
    };
    let (held, rest) = rest.split_at_checked(length)?;
    Some((tag, held, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, KeyPair};

    fn certificate_of(names: &[(DnType, &str)]) -> Vec<u8> {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        for (kind, name) in names {
            params.distinguished_name.push(kind.clone(), *name);
        }
        let key = KeyPair::generate().expect("a key");
        params.self_signed(&key).expect("signed").der().to_vec()
    }

    #[test]
    fn the_issuer_is_named_by_its_common_name_else_its_organisation() {
        let check = |names: &[(DnType, &str)], expected: Option<&str>| {
            assert_eq!(issuer(&certificate_of(names)).as_deref(), expected, "{names:?}");
        };
        check(&[(DnType::CommonName, "Root")], Some("Root"));
        check(
            &[(DnType::OrganizationName, "Works"), (DnType::CommonName, "Root")],
            Some("Root"),
        );
        check(&[(DnType::OrganizationName, "Works Ö")], Some("Works Ö"));
        check(&[(DnType::CountryName, "DE")], None);
        check(&[], None);
        check(&[(DnType::CommonName, "a\u{202e}b")], Some("a⟦U+202E⟧b"));
        let long = issuer(&certificate_of(&[(DnType::CommonName, &"x".repeat(5000))]));
        assert!(long.expect("a name").chars().count() <= crate::text::CHIP + 1);
    }

    #[test]
    fn bytes_that_are_no_certificate_name_nobody_and_break_nothing() {
        let whole = certificate_of(&[(DnType::CommonName, "Root")]);
        for end in 0..whole.len() {
            let _ = issuer(&whole[..end]);
            for value in [0, 0x7f, 0x80, 0x84, 0x85, 0xff] {
                let mut odd = whole.clone();
                odd[end] = value;
                let _ = issuer(&odd);
            }
        }
        assert_eq!(issuer(b""), None);
        assert_eq!(issuer(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0]), None);
    }

    #[test]
    fn what_is_refused_says_what_to_do() {
        let check = |cause: CertificateError, said: &str| {
            let told = refused(&Error::InvalidCertificate(cause));
            assert!(told.contains(said), "{told}");
        };
        check(CertificateError::Expired, "has expired");
        check(CertificateError::NotValidYet, "check the date");
        check(CertificateError::Revoked, "withdrawn");
        check(CertificateError::BadEncoding, "cannot be used");
        let stranger = Stranger {
            issuer: "Works Root".to_owned(),
        };
        check(
            CertificateError::Other(OtherError(Arc::new(stranger))),
            "says that it is from “Works Root”, which is not trusted here; if you know who that is",
        );
        assert_eq!(bare("DnsName(\"a.example\")"), "a.example");
        assert_eq!(bare("IpAddress(127.0.0.1)"), "127.0.0.1");
        assert_eq!(bare("odd"), "odd");
    }
}
