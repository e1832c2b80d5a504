//! Where a link goes: the host as parsed, its shape, and names that mean something special.

use super::finding::Findings;
use super::sent::Sent;
use super::{Asker, FindingCode, Verdict, ip, lists};
use url::{Host, Url};

/// The host of a parsed link.
#[derive(Debug)]
pub(super) struct Place {
    /// In ASCII, as it stands in the address.
    pub(super) host: String,
    pub(super) origin: String,
    /// The host with its letters decoded, where that differs.
    pub(super) readable: Option<String>,
    pub(super) loopback: bool,
    /// Byte at which the registrable domain begins; 0 where there is none.
    domain_at: usize,
    pub(super) numeric: bool,
}

impl Place {
    pub(super) fn of(url: &Url) -> Option<Self> {
        let parsed = url.host()?;
        let host = url.host_str()?.to_owned();
        let numeric = !matches!(parsed, Host::Domain(_));
        let readable = if host.split('.').any(|label| label.starts_with("xn--")) {
            let (unicode, _) = idna::domain_to_unicode(&host);
            (unicode != host).then_some(unicode)
        } else {
            None
        };
        let domain_at = if numeric {
            0
        } else {
            host.len() - site(&host).len()
        };
        Some(Self {
            origin: url.origin().ascii_serialization(),
            readable,
            loopback: is_loopback(&parsed),
            domain_at,
            numeric,
            host,
        })
    }

    /// The registrable domain, or the whole host; a dot at the end is kept.
    pub(super) fn domain(&self) -> &str {
        &self.host[self.domain_at..]
    }

    /// The name without a dot at its end; none for a number.
    pub(super) fn name(&self) -> Option<&str> {
        (!self.numeric).then(|| self.host.strip_suffix('.').unwrap_or(&self.host))
    }
}

/// The registrable domain of a host name, or the whole of it.
pub(super) fn site(host: &str) -> &str {
    let bare = host.strip_suffix('.').unwrap_or(host);
    match psl::domain_str(bare) {
        Some(domain) => &host[bare.len() - domain.len()..],
        None => host,
    }
}

pub(super) fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => is_or_under(name.strip_suffix('.').unwrap_or(name), "localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Whether `name` is `parent` or a name below it.
pub(super) fn is_or_under(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent)
        .is_some_and(|above| above.is_empty() || above.ends_with('.'))
}

pub(super) fn judge(url: &Url, place: &Place, sent: &Sent, asker: &Asker, findings: &mut Findings) {
    let here = asker.is_here();
    if url.scheme() == "http" {
        let verdict = if place.loopback && here {
            Verdict::Notice
        } else {
            Verdict::Risky
        };
        findings.add(
            FindingCode::Cleartext,
            verdict,
            "The connection is not encrypted (http:). Others on the way can read and change the page.",
        );
    }
    port(url, asker, findings);
    if let Some(host) = url.host() {
        match host {
            Host::Ipv4(address) => {
                number(&sent.host, &address.to_string(), here && place.loopback, findings);
                ip::judge_v4(address, here, findings);
            }
            Host::Ipv6(address) => {
                number("", "", here && place.loopback, findings);
                ip::judge_v6(address, here, findings);
            }
            Host::Domain(_) => {}
        }
    }
    if let Some(name) = place.name() {
        shape(name, place, findings);
        special(name, place, here, findings);
    }
    if let Some(site) = asker.site()
        && !is_own(site, place)
    {
        findings.add(
            FindingCode::ForeignDomain,
            Verdict::Notice,
            format!(
                "Different site from this server ({}).",
                asker.host().unwrap_or(site)
            ),
        );
    }
}

/// Says how often this host was opened for the asker. Facts, and only a new site that is not the asker's own is
/// worth a notice.
pub(super) fn judge_times(times: Option<u32>, place: &Place, asker: &Asker, findings: &mut Findings) {
    match times {
        None => {}
        Some(0) => {
            let own = asker.site().is_some_and(|site| is_own(site, place));
            let verdict = if own { Verdict::Plain } else { Verdict::Notice };
            findings.add(
                FindingCode::FirstTime,
                verdict,
                "First time for this server since the app was started.",
            );
        }
        Some(times) => {
            let times = match times {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            findings.add(
                FindingCode::OpenedBefore,
                Verdict::Plain,
                format!("Opened {times} before for this server."),
            );
        }
    }
}

fn is_own(site: &str, place: &Place) -> bool {
    bare(site).eq_ignore_ascii_case(bare(place.domain()))
}

fn bare(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

fn port(url: &Url, asker: &Asker, findings: &mut Findings) {
    let Some(port) = url.port() else { return };
    if lists::BAD_PORTS.contains(&port) {
        findings.add(
            FindingCode::BadPort,
            Verdict::Refused,
            format!("Port {port} belongs to another service than web pages; browsers do not open it."),
        );
    } else if !asker.same_origin(url) {
        findings.add(
            FindingCode::Port,
            Verdict::Notice,
            format!("The address has an unusual port number: {port}."),
        );
    }
}

/// A number instead of a name. `written` is what was sent, `canonical` how such a number is written.
fn number(written: &str, canonical: &str, expected: bool, findings: &mut Findings) {
    let bare = written.strip_suffix('.').unwrap_or(written);
    if bare != canonical {
        findings.add(
            FindingCode::IpObfuscated,
            Verdict::Refused,
            format!("The address hides a number: it really goes to {canonical}."),
        );
        return;
    }
    let verdict = if expected { Verdict::Notice } else { Verdict::Risky };
    findings.add(
        FindingCode::Ip,
        verdict,
        "The site has only a number, not a name. Nobody can tell from it whose it is.",
    );
    if bare != written {
        findings.add(
            FindingCode::TrailingDot,
            Verdict::Refused,
            "The number has a dot at its end.",
        );
    }
}

fn shape(name: &str, place: &Place, findings: &mut Findings) {
    let labels = || name.split('.');
    if labels().any(str::is_empty) {
        findings.add(
            FindingCode::EmptyLabel,
            Verdict::Refused,
            "The name of the site has two dots in a row or begins with one.",
        );
    } else if name.len() != place.host.len() {
        findings.add(
            FindingCode::TrailingDot,
            Verdict::Risky,
            "The name of the site has a dot at its end, which browsers treat as another site.",
        );
    }
    if labels().any(|label| label.len() > 63) {
        findings.add(
            FindingCode::LabelTooLong,
            Verdict::Refused,
            "A part of the name is longer than the 63 letters that a name can have.",
        );
    }
    if name.len() > 253 {
        findings.add(
            FindingCode::HostTooLong,
            Verdict::Refused,
            "The name of the site is longer than the 253 letters that a name can have.",
        );
    }
    if let Some(odd) = name
        .chars()
        .find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '.' | '_'))
    {
        // The parser takes what no registry gives out (RFC 1123, 2.1).
        findings.add(
            FindingCode::RestrictedChar,
            Verdict::Risky,
            format!("The name of the site contains “{odd}”, which no real site name has."),
        );
    }
    if name.contains('_') {
        findings.add(
            FindingCode::Underscore,
            Verdict::Notice,
            "The name of the site contains an underscore (_), which is unusual.",
        );
    }
    if labels().any(|label| label.starts_with('-') || label.ends_with('-')) {
        findings.add(
            FindingCode::HyphenEdge,
            Verdict::Notice,
            "A part of the name begins or ends with a hyphen, which is unusual.",
        );
    }
    let above = place.host.len() - place.domain().len();
    let subdomains = place.host[..above]
        .split('.')
        .filter(|label| !label.is_empty())
        .count();
    if subdomains >= lists::MANY_SUBDOMAINS {
        findings.add(
            FindingCode::ManyLabels,
            Verdict::Notice,
            format!(
                "The name has many parts. Only the end counts: {}.",
                place.domain()
            ),
        );
    }
}

fn special(name: &str, place: &Place, here: bool, findings: &mut Findings) {
    if place.loopback {
        let (code, verdict, sentence) = ip::loopback(here);
        findings.add(code, verdict, sentence);
        return;
    }
    let within = |list: &[&str]| list.iter().any(|parent| is_or_under(name, parent));
    let tld = name.rsplit('.').next().unwrap_or(name);
    if within(lists::METADATA_NAMES) {
        let (code, verdict, sentence) = ip::METADATA;
        findings.add(code, verdict, sentence);
    } else if within(lists::LOCAL_NAMES) {
        findings.add(
            FindingCode::LocalName,
            Verdict::Risky,
            "The name exists only in a home or company network, not on the internet.",
        );
    } else if lists::SPECIAL_TLDS.contains(&tld) {
        findings.add(
            FindingCode::SpecialTld,
            Verdict::Risky,
            format!("No ordinary site has a name that ends in .{tld}."),
        );
    } else if tld != "example" && !has_known_ending(name) && name.contains('.') {
        findings.add(
            FindingCode::SpecialTld,
            Verdict::Notice,
            format!("“.{tld}” is no ending of site names that this app knows."),
        );
    }
    suffix(name, place, findings);
    if within(lists::IP_IN_NAME) || begins_with_number(name) {
        findings.add(
            FindingCode::IpInName,
            Verdict::Risky,
            "The name of the site contains a number address and leads to whatever has that number.",
        );
    }
    if lists::FILE_LIKE_TLDS.contains(&tld) {
        findings.add(
            FindingCode::FileLikeTld,
            Verdict::Notice,
            format!("The name ends like a file (.{tld}), but it is a web site."),
        );
    }
    if lists::SHORTENERS.contains(&bare(place.domain())) || lists::SHORTENERS.contains(&name) {
        findings.add(
            FindingCode::Shortener,
            Verdict::Risky,
            format!("{name} only passes you on. The link does not show where it ends."),
        );
    }
}

/// Names at which sites are registered, and names that many strangers share.
fn suffix(name: &str, place: &Place, findings: &mut Findings) {
    let known = psl::suffix(name.as_bytes()).filter(|suffix| suffix.is_known());
    let whole = known.is_some_and(|suffix| suffix.as_bytes() == name.as_bytes());
    let private = known.is_some_and(|suffix| suffix.typ() == Some(psl::Type::Private));
    let shared =
        private || lists::SHARED_HOSTS.contains(&name) || lists::SHARED_HOSTS.contains(&bare(place.domain()));
    if whole {
        // Under a rule for every name (*.mm) a suffix is nobody's known one.
        let wildcard = || {
            name.split_once('.')
                .is_some_and(|(_, parent)| ends_a_name(&format!("a-.{parent}")))
        };
        let verdict = if private || wildcard() {
            Verdict::Notice
        } else {
            Verdict::Risky
        };
        findings.add(
            FindingCode::PublicSuffix,
            verdict,
            format!("{name} is not one site: many different sites end like this."),
        );
    } else if !name.contains('.') {
        findings.add(
            FindingCode::SingleLabel,
            Verdict::Risky,
            "The name has no dot. It means something only in a home or company network.",
        );
    } else if shared {
        findings.add(
            FindingCode::SharedHosting,
            Verdict::Notice,
            "Anybody can put pages at this address; its owner does not vouch for them.",
        );
    }
}

/// Whether the name ends in something that the list of public suffixes knows.
pub(super) fn has_known_ending(name: &str) -> bool {
    psl::suffix(name.as_bytes()).is_some_and(|suffix| suffix.is_known())
}

/// Whether the whole name is a suffix of the list.
fn ends_a_name(name: &str) -> bool {
    psl::suffix(name.as_bytes())
        .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == name.as_bytes())
}

fn begins_with_number(name: &str) -> bool {
    let mut labels = name.split('.');
    let four = labels
        .by_ref()
        .take(4)
        .filter(|label| label.parse::<u8>().is_ok())
        .count();
    four == 4 && labels.next().is_some()
}
