//! Which proxy stands between this computer and a server, told for a person.
//!
//! Promises: it is read by the same rules as the connection itself goes by (the variables of the environment as curl
//! reads them, else the system's settings); a name or password for the proxy is never told.

use super::client::is_local;
use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

/// The proxy of one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    /// Host and, where it is said, port.
    address: String,
    /// The variable that names it, or that the system does.
    from: &'static str,
}

impl std::fmt::Display for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the proxy {} (from {})", self.address, self.from)
    }
}

/// The proxy that requests to `url` go through, if any; none for this computer.
pub(crate) fn on_the_way_to(url: &Url) -> Option<Proxy> {
    if is_local(url) {
        return None;
    }
    let intercept = Matcher::from_system().intercept(&url.as_str().parse().ok()?)?;
    let host = intercept.uri().host()?;
    let port = intercept.uri().port_u16();
    let address = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    Some(Proxy {
        address: crate::text::line(&address, 100),
        from: named_by(),
    })
}

/// The variable that names the proxy for `https:`; no other address has one.
fn named_by() -> &'static str {
    // Of two spellings the first that is there counts, even if it is empty.
    let named = [["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]]
        .into_iter()
        .find_map(|names| {
            let name = names.into_iter().find(|name| std::env::var_os(name).is_some())?;
            let empty = std::env::var_os(name).is_none_or(|value| value.is_empty());
            (!empty).then_some(name)
        });
    named.unwrap_or("the system's settings")
}
