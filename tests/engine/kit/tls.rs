//! An authority that nobody trusts until they are told to.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The authority. Its folder lives as long as this.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

/// From when to when a certificate is good: a year each.
pub(crate) type Years = (i32, i32);

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("signed by itself");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("root.pem"), issuer.pem()).expect("written");
        Self { issuer, folder }
    }

    /// Its own certificate, as a file that SSL_CERT_FILE can name.
    pub(crate) fn file(&self) -> PathBuf {
        Path::new(self.folder.path()).join("root.pem")
    }

    /// A server for 127.0.0.1 and localhost.
    pub(crate) fn server(&self, languages: &[&str]) -> Arc<ServerConfig> {
        self.server_for(&["127.0.0.1", "localhost"], None, languages)
    }

    pub(crate) fn server_for(
        &self,
        names: &[&str],
        years: Option<Years>,
        languages: &[&str],
    ) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        if let Some((from, to)) = years {
            params.not_before = rcgen::date_time_ymd(from, 1, 1);
            params.not_after = rcgen::date_time_ymd(to, 1, 1);
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a configuration");
        config.alpn_protocols = languages
            .iter()
            .map(|language| language.as_bytes().to_vec())
            .collect();
        Arc::new(config)
    }
}
