//! What a numeric address means (IANA special-purpose address registries).

use super::finding::Findings;
use super::lists;
use super::{FindingCode, Verdict};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Says which part of the network an IPv4 address is in. `here`: the asker runs on this computer.
pub(super) fn judge_v4(address: Ipv4Addr, here: bool, findings: &mut Findings) {
    if let Some((code, verdict, sentence)) = v4(address, here) {
        findings.add(code, verdict, sentence);
    }
}

/// The same for IPv6, with the IPv4 addresses that can hide in one.
pub(super) fn judge_v6(address: Ipv6Addr, here: bool, findings: &mut Findings) {
    if let Some((code, verdict, sentence)) = v6(address, here) {
        findings.add(code, verdict, sentence);
    } else if let Some((code, inner)) = hidden_v4(address) {
        findings.add(
            code,
            Verdict::Refused,
            format!("Another address is hidden in this one: {inner}."),
        );
        judge_v4(inner, here, findings);
    }
}

/// A page of this computer: only a program on it may ask for it without alarm.
pub(super) fn loopback(here: bool) -> (FindingCode, Verdict, &'static str) {
    let (verdict, sentence) = if here {
        (
            Verdict::Notice,
            "The page is served by a program on this computer.",
        )
    } else {
        (
            Verdict::Risky,
            "The page is on this computer, but the server that asks is not.",
        )
    };
    (FindingCode::Loopback, verdict, sentence)
}

pub(super) const METADATA: (FindingCode, Verdict, &str) = (
    FindingCode::Metadata,
    Verdict::Refused,
    "At this address cloud computers give out their own keys. It is no page for people.",
);

fn v4(address: Ipv4Addr, here: bool) -> Option<(FindingCode, Verdict, &'static str)> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        _ if address.is_unspecified() => UNSPECIFIED,
        _ if lists::METADATA_V4.contains(&address.octets()) => METADATA,
        _ if address.is_broadcast() => (
            FindingCode::Broadcast,
            Verdict::Refused,
            "This number stands for all devices of a network, not for a site.",
        ),
        (127, _, _) => loopback(here),
        (10, _, _) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => PRIVATE,
        (169, 254, _) => LINK_LOCAL,
        (224..=239, _, _) => MULTICAST,
        (0 | 240.., _, _) => (
            FindingCode::Reserved,
            Verdict::Refused,
            "No site can have this number.",
        ),
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 18..=19, _) | (198, 51, 100) | (203, 0, 113) => RESERVED,
        _ => return None,
    })
}

fn v6(address: Ipv6Addr, here: bool) -> Option<(FindingCode, Verdict, &'static str)> {
    let [a, b, ..] = address.segments();
    Some(match (a, b) {
        _ if address.is_unspecified() => UNSPECIFIED,
        _ if address.is_loopback() => loopback(here),
        _ if lists::METADATA_V6.contains(&address.segments()) => METADATA,
        (0xfc00..=0xfdff | 0xfec0..=0xfeff, _) => PRIVATE,
        (0xfe80..=0xfebf, _) => LINK_LOCAL,
        (0xff00.., _) => MULTICAST,
        (0x2001, 0xdb8 | 0..=0x1ff) | (0x3fff, 0..=0xfff) | (0x100, 0) => RESERVED,
        _ => return None,
    })
}

/// RFC 4291 (mapped, compatible), RFC 2765 (translated), RFC 6052 and 8215 (NAT64), RFC 3056 (6to4).
fn hidden_v4(address: Ipv6Addr) -> Option<(FindingCode, Ipv4Addr)> {
    let inner = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => {
            Some((FindingCode::V4Mapped, inner(high, low)))
        }
        [0, 0, 0, 0, 0, 0, high, low] => Some((FindingCode::V4Compatible, inner(high, low))),
        [0x64, 0xff9b, 0 | 1, _, _, _, high, low] => Some((FindingCode::Nat64, inner(high, low))),
        [0x2002, high, low, ..] => Some((FindingCode::SixToFour, inner(high, low))),
        _ => None,
    }
}

const UNSPECIFIED: (FindingCode, Verdict, &str) = (
    FindingCode::Unspecified,
    Verdict::Refused,
    "This number stands for no particular computer; some systems take it for this one.",
);
const PRIVATE: (FindingCode, Verdict, &str) = (
    FindingCode::Private,
    Verdict::Risky,
    "The number is of a device in a home or company network.",
);
const LINK_LOCAL: (FindingCode, Verdict, &str) = (
    FindingCode::LinkLocal,
    Verdict::Risky,
    "The number is of a device on the network that this computer is plugged into.",
);
const MULTICAST: (FindingCode, Verdict, &str) = (
    FindingCode::Multicast,
    Verdict::Refused,
    "This number stands for a group of devices, not for a site.",
);
const RESERVED: (FindingCode, Verdict, &str) = (
    FindingCode::Reserved,
    Verdict::Risky,
    "The number is set aside for tests and examples; no real site has it.",
);
