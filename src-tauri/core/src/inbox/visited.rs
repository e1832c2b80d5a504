//! The sites that this person had opened: how often for each server, and as names from which later links are told
//! apart. Pure.
//!
//! Promises: a site counts only when a browser could be asked to open it; a count never makes a link milder.
//!
//! Deliberately absent: storage; a site as it is kept is a [`Site`].

use super::guard::Guard;
use crate::link::{Inspection, Known, Names, Verdict};
use crate::view::ServerId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use url::Url;

/// Opened hosts, in ASCII.
#[derive(Debug)]
pub(super) struct Visited {
    /// A terminal's run is over after one call: what it has not seen says nothing.
    counting: bool,
    times: BTreeMap<ServerId, HashMap<String, u32>>,
    /// Over all servers, and only of links that were not taken for another's.
    names: Names,
}

/// One site of one server, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Site {
    /// In ASCII.
    pub(super) host: String,
    times: u32,
    /// Other hosts are told apart from it.
    name: bool,
}

impl Visited {
    pub(super) fn new(guard: Guard) -> Self {
        Self {
            counting: guard == Guard::Window,
            times: BTreeMap::new(),
            names: Names::default(),
        }
    }

    /// What is known beside a server about a link that it asks for.
    pub(super) fn known(&self, server: ServerId, address: &str, practice: Option<Url>) -> Known {
        let url = Url::parse(address).ok();
        let host = url.as_ref().and_then(Url::host_str).filter(|_| self.counting);
        Known {
            names: self.names.clone(),
            times: host.map(|host| self.times(server, host)),
            practice,
        }
    }

    /// A browser was asked to open this link for the server. Returns what is to be kept.
    pub(super) fn opened(&mut self, server: ServerId, link: &Inspection) -> Option<Site> {
        let host = link.ascii_host.clone()?;
        let site = Site {
            times: self.times(server, &host).saturating_add(1),
            name: link.verdict < Verdict::Risky,
            host,
        };
        self.restore(server, &site);
        Some(site)
    }

    /// What was kept of a server.
    pub(super) fn restore(&mut self, server: ServerId, site: &Site) {
        let hosts = self.times.entry(server).or_default();
        hosts.insert(site.host.clone(), site.times);
        if site.name {
            self.names.add(&site.host);
        }
    }

    fn times(&self, server: ServerId, host: &str) -> u32 {
        let of_server = self.times.get(&server);
        of_server
            .and_then(|hosts| hosts.get(host))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Asker, FindingCode, inspect};

    fn seen(visited: &Visited, server: u32, address: &str) -> Inspection {
        let known = visited.known(ServerId(server), address, None);
        inspect(address, &Asker::Local, &known).inspection
    }

    fn codes(link: &Inspection) -> Vec<FindingCode> {
        link.findings.iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_host_is_counted_for_each_server_by_itself() {
        let mut visited = Visited::new(Guard::Window);
        let page = "https://app.ledgerly.example/a";
        assert_eq!(codes(&seen(&visited, 1, page)), [FindingCode::FirstTime]);
        for told in ["once", "2 times", "3 times"] {
            let link = seen(&visited, 1, page);
            visited.opened(ServerId(1), &link);
            let link = seen(&visited, 1, "https://app.ledgerly.example/b?c");
            assert_eq!(codes(&link), [FindingCode::OpenedBefore]);
            assert_eq!(link.verdict, Verdict::Plain);
            assert_eq!(
                link.findings[0].sentence,
                format!("Opened {told} before for this server.")
            );
        }
        assert_eq!(codes(&seen(&visited, 2, page)), [FindingCode::FirstTime]);
        assert_eq!(
            codes(&seen(&visited, 1, "https://ledgerly.example/")),
            [FindingCode::FirstTime]
        );
    }

    #[test]
    fn where_nobody_counts_nothing_is_said() {
        let visited = Visited::new(Guard::Spelled);
        assert_eq!(codes(&seen(&visited, 1, "https://app.ledgerly.example/")), []);
    }

    #[test]
    fn the_first_visit_to_the_servers_own_site_is_no_notice() {
        let visited = Visited::new(Guard::Window);
        let asker = Asker::Remote("https://mcp.vendor.example/".parse().unwrap());
        for (page, verdict) in [
            ("https://auth.vendor.example/", Verdict::Plain),
            ("https://other.example/", Verdict::Notice),
        ] {
            let link = inspect(page, &asker, &visited.known(ServerId(1), page, None)).inspection;
            let first = link
                .findings
                .iter()
                .find(|finding| finding.code == FindingCode::FirstTime);
            assert_eq!(
                (link.verdict, first.map(|first| first.verdict)),
                (verdict, Some(verdict)),
                "{page}"
            );
        }
    }

    #[test]
    fn an_opened_site_is_a_name_that_others_are_told_apart_from_unless_it_was_risky_itself() {
        let mut visited = Visited::new(Guard::Window);
        for page in [
            "https://app.ledgerly.example/",
            "https://paypa1.com/",
            "https://127.0.0.1/",
        ] {
            let link = seen(&visited, 1, page);
            visited.opened(ServerId(1), &link);
        }
        assert_eq!(
            seen(&visited, 2, "https://1edgerly.example/").imitates.as_deref(),
            Some("ledgerly.example")
        );
        assert_eq!(seen(&visited, 2, "https://ledgerly.example/").imitates, None);
        let again = seen(&visited, 1, "https://paypa1.com/");
        assert_eq!(
            again.imitates.as_deref(),
            Some("paypal.com"),
            "approving once makes nothing milder"
        );
        assert!(codes(&again).contains(&FindingCode::OpenedBefore));
    }
}
