//! Names that could be taken for others: for well-known ones, for the server's own, for those that the person
//! approved before.
//!
//! Five tests: the same to the eye (look-alike letters folded), one keystroke away, another site's name in front of
//! the real one, a company's name alone in front of it, and one joined to a bait word. Deliberately absent: the same name under another
//! ending (google.com.mx), which companies do all the time.

use super::finding::Findings;
use super::host::{self, Place};
use super::sent::Sent;
use super::{Asker, FindingCode, Verdict, lists};
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Names from which others are told apart.
#[derive(Clone, Debug, Default)]
pub struct Names {
    list: Vec<Name>,
    /// Folded first label -> places in `list`.
    folded: HashMap<String, Vec<usize>>,
}

/// A registrable domain.
#[derive(Clone, Debug)]
struct Name {
    domain: String,
    /// Length of the first label, in bytes.
    label: usize,
}

impl Names {
    /// Takes hosts in ASCII; numbers and names without an owner (localhost, a public suffix) are left out.
    pub fn new<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Self::default();
        for host in hosts {
            names.add(host);
        }
        names
    }

    /// Takes one more host, as [`Names::new`] does.
    pub fn add(&mut self, host: &str) {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if host.parse::<std::net::Ipv4Addr>().is_ok() || host.starts_with('[') {
            return;
        }
        let Some(domain) = psl::domain_str(&host) else {
            return;
        };
        let Some((label, _)) = domain.split_once('.') else {
            return;
        };
        if self.contains(domain) {
            return;
        }
        let fold = fold(&decoded(label));
        self.folded.entry(fold).or_default().push(self.list.len());
        self.list.push(Name {
            label: label.len(),
            domain: domain.to_owned(),
        });
    }

    fn of_fold(&self, fold: &str) -> impl Iterator<Item = &Name> {
        self.folded
            .get(fold)
            .into_iter()
            .flatten()
            .filter_map(|at| self.list.get(*at))
    }

    fn contains(&self, domain: &str) -> bool {
        let label = domain.split('.').next().unwrap_or_default();
        self.of_fold(&fold(&decoded(label)))
            .any(|name| name.domain == domain)
    }
}

impl Name {
    fn label(&self) -> &str {
        &self.domain[..self.label]
    }

    fn ending(&self) -> &str {
        &self.domain[self.label + 1..]
    }
}

pub(super) fn judge(place: &Place, sent: &Sent, asker: &Asker, known: &Names, findings: &mut Findings) {
    let Some(name) = place.name() else { return };
    let own = match asker.site() {
        Some(site) => Names::new([site]),
        None => Names::default(),
    };
    let lists = [&own, &*WELL_KNOWN, known];
    let domain = host::site(name);
    let readable = place
        .readable
        .as_deref()
        .map_or(name, |readable| readable.trim_end_matches('.'));
    let brand = if WELL_KNOWN.contains(domain) {
        None
    } else if own.contains(domain) {
        // The server's own; but a well-known name can still have been typed almost right by its server.
        same_to_the_eye(domain, domain_of(readable, domain), &[&WELL_KNOWN])
    } else {
        // An approved name is not compared with other approved ones, but with all that it was compared with before.
        let lists: &[&Names] = if known.contains(domain) {
            &lists[..2]
        } else {
            &lists
        };
        let written = domain_of(&sent.host, domain);
        same_to_the_eye(domain, domain_of(readable, domain), lists)
            .or_else(|| same_to_the_eye(domain, written, lists))
            .or_else(|| one_key_away(domain, lists))
    };
    if let Some(imitated) = brand {
        findings.add(
            FindingCode::Brand,
            Verdict::Risky,
            format!(
                "The name looks like {} but is another site: {}.",
                imitated.domain,
                place.domain()
            ),
        );
        findings.imitates = Some(imitated.domain.clone());
        findings.readable = false;
        return;
    }
    let in_front = in_front(name, readable, domain, &lists);
    let trusted = WELL_KNOWN.contains(domain);
    let imitated = in_front.or_else(|| if trusted { None } else { with_bait(domain, &lists) });
    let below = if trusted || own.contains(domain) || imitated.is_some() {
        None
    } else {
        below(name, domain, &lists)
    };
    if let Some((company, bait)) = below {
        let verdict = if bait { Verdict::Risky } else { Verdict::Notice };
        findings.add(
            FindingCode::BrandEmbedded,
            verdict,
            format!(
                "“{}” in the name does not make it {}. The site is {}.",
                company.label(),
                company.domain,
                place.domain()
            ),
        );
        if bait {
            findings.imitates = Some(company.domain.clone());
        }
    }
    if let Some(imitated) = imitated {
        findings.add(
            FindingCode::BrandEmbedded,
            Verdict::Risky,
            format!(
                "The name contains {} but belongs to another site: {}.",
                imitated.domain,
                place.domain()
            ),
        );
        findings.imitates = Some(imitated.domain.clone());
    }
}

static WELL_KNOWN: LazyLock<Names> = LazyLock::new(|| {
    Names::new(
        include_str!("well_known.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(str::split_whitespace),
    )
});

/// Shortest label for which the ending of the name need not be the same.
const DISTINCT: usize = 5;
/// Shortest label that is compared by keystrokes; among shorter ones too many real names are neighbours.
const LONG: usize = 6;

/// Words of a label with hyphens that are joined to be compared.
const HYPHENATED: usize = 3;

/// The last labels of `host`, as many as `domain` has.
fn domain_of<'a>(host: &'a str, domain: &str) -> &'a str {
    let host = host.trim_end_matches('.');
    let labels = domain.split('.').count();
    match host.rmatch_indices('.').nth(labels - 1) {
        Some((dot, _)) => &host[dot + 1..],
        None => host,
    }
}

fn decoded(label: &str) -> String {
    label
        .strip_prefix("xn--")
        .and_then(idna::punycode::decode_to_string)
        .unwrap_or_else(|| label.to_owned())
}

/// A name whose letters look the same although they are not. `written` is the domain with its letters as a person
/// would see them.
fn same_to_the_eye<'a>(domain: &str, written: &str, lists: &[&'a Names]) -> Option<&'a Name> {
    let label = written.split('.').next().unwrap_or_default();
    let (ascii, ending) = domain.split_once('.')?;
    let fold = fold(label);
    lists.iter().flat_map(|names| names.of_fold(&fold)).find(|name| {
        if name.domain == domain {
            false
        } else if name.label() == ascii {
            // paypal.c0m: the same name, and an ending that only looks like its own.
            name.ending() != ending && self::fold(name.ending()) == self::fold(ending)
        } else {
            name.ending() == ending || name.label >= DISTINCT || !label.is_ascii()
        }
    })
}

/// A name under the same ending that differs by one letter more, fewer, changed or swapped.
fn one_key_away<'a>(domain: &str, lists: &[&'a Names]) -> Option<&'a Name> {
    let (label, ending) = domain.split_once('.')?;
    if label.len() < LONG - 1 || label.starts_with("xn--") {
        return None;
    }
    lists
        .iter()
        .flat_map(|names| &names.list)
        .find(|name| name.label >= LONG && name.ending() == ending && slip(label, name.label()))
}

/// One slip of the fingers between two labels. Numbered names (shop1, shop2) and plurals are no slips.
fn slip(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[front..], &b[front..]);
    let back = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    match (&a[..a.len() - back], &b[..b.len() - back]) {
        ([], []) => false,
        ([x], [y]) => !(x.is_ascii_digit() && y.is_ascii_digit()),
        ([x], []) | ([], [x]) => {
            !(back == 0 && (*x == b's' || x.is_ascii_digit()) || *x == b'-' && front + back < LONG)
        }
        ([x, y], [v, w]) => x == w && y == v,
        _ => false,
    }
}

/// A whole well-known name in front of, or inside, the real one: paypal.com.evil.example, paypal-com.evil.example.
fn in_front<'a>(name: &str, readable: &str, domain: &str, lists: &[&'a Names]) -> Option<&'a Name> {
    let mut words: Vec<(&str, usize)> = Vec::new();
    let mut at = 0;
    for word in readable.split(|c: char| !c.is_alphanumeric()) {
        words.push((word, at));
        at += word.len();
        at += readable[at..].chars().next().map_or(0, char::len_utf8);
    }
    let registered = readable.ends_with(domain).then(|| readable.len() - domain.len());
    let end = |at: usize| words[at].1 + words[at].0.len();
    let named = |first: usize, last: usize| {
        let label = &readable[words[first].1..end(last)];
        if first < last && label.contains(|c: char| !c.is_alphanumeric() && c != '-') {
            return None;
        }
        let fold = fold(label);
        let next = last + 1;
        lists
            .iter()
            .flat_map(|names| names.of_fold(&fold))
            .find(|imitated| {
                let ending: Vec<&str> = imitated.ending().split('.').collect();
                let after = next + ending.len();
                let dotted = || (last..after - 1).all(|at| readable[end(at)..].starts_with('.'));
                after < words.len()
                && ending.iter().zip(&words[next..]).all(|(part, (word, _))| part == word)
                && (imitated.label >= DISTINCT - 1 || dotted())
                // google.com.mx is registered under com.mx: nothing is in front.
                && !(registered == Some(words[first].1) && dotted())
                && name != imitated.domain
            })
    };
    (0..words.len().saturating_sub(2)).find_map(|first| {
        // A label with hyphens in it is several words.
        (first..words.len().min(first + HYPHENATED)).find_map(|last| named(first, last))
    })
}

/// A company's name as one of the labels in front of another's site, and whether a bait word stands beside it:
/// login.paypal.evil.example. Tenants of services are named like that too, so without the word it is only told.
fn below<'a>(name: &str, domain: &str, lists: &[&'a Names]) -> Option<(&'a Name, bool)> {
    let above = name.strip_suffix(domain)?.trim_end_matches('.');
    let (own, others) = lists.split_first()?;
    let found = above
        .split('.')
        .filter(|label| label.len() >= LONG)
        .find_map(|label| {
            let fold = fold(&decoded(label));
            let first = |names: &&'a Names| names.of_fold(&fold).next();
            let own = first(own).map(|company| (company, true));
            own.or_else(|| others.iter().find_map(first).map(|company| (company, false)))
        });
    let (company, is_own) = found?;
    let bait = |word: &str| lists::BAIT_WORDS.contains(&word);
    // The server's own name at a service that signs people in (acme.auth.service.example) is nothing odd.
    Some((company, !is_own && name.split(['.', '-']).any(bait)))
}

/// A company's name joined to a bait word: paypal-login.com, secure-paypal.com, paypallogin.com; or to what stands
/// around names in addresses: wwwpaypal.com, paypalcom.net.
fn with_bait<'a>(domain: &str, lists: &[&'a Names]) -> Option<&'a Name> {
    let (label, _) = domain.split_once('.')?;
    let bait = |word: &str| lists::BAIT_WORDS.contains(&word);
    let company = |label: &str| {
        let fold = fold(label);
        let mut named = lists.iter().flat_map(|names| names.of_fold(&fold));
        named.find(|name| name.domain != domain)
    };
    let words: Vec<&str> = label.split('-').collect();
    if words.len() > 1 && words.iter().any(|word| bait(word)) {
        let others: Vec<&str> = words.iter().copied().filter(|word| !bait(word)).collect();
        let whole = others.join("-");
        return others
            .iter()
            .filter(|word| word.len() >= DISTINCT)
            .find_map(|word| company(word))
            .or_else(|| (whole.len() >= DISTINCT).then(|| company(&whole)).flatten());
    }
    let baits = lists::BAIT_WORDS.iter().filter(|word| word.len() >= DISTINCT - 1);
    let joined = baits.flat_map(|word| [label.strip_suffix(word), label.strip_prefix(word)]);
    joined
        .chain([label.strip_prefix("www"), label.strip_suffix("com")])
        .flatten()
        .filter(|rest| rest.len() >= LONG)
        .find_map(company)
}

/// What a hasty eye sees: accents off, look-alikes (UTS 39 skeleton and a few more) as their Latin letter, case
/// and the digits 0, 1, 3, 5 read as letters.
pub(super) fn fold(label: &str) -> String {
    let bare: String = label
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .map(stroked)
        .collect();
    let skeleton: String = unicode_security::skeleton(&bare)
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '0' => 'o',
            '1' | 'i' | '|' | 'ı' => 'l',
            '3' => 'e',
            '5' => 's',
            other => stroked(other),
        })
        .collect();
    skeleton.replace("rn", "m").replace("vv", "w")
}

/// Letters with a stroke, hook or foreign shape that the table of confusables keeps apart.
fn stroked(c: char) -> char {
    match c {
        'ł' | 'ƚ' | 'ɫ' | 'ӏ' | 'ا' => 'l',
        'ø' | 'ɵ' | 'ө' | 'օ' | 'ð' => 'o',
        'đ' | 'ɖ' | 'ɗ' => 'd',
        'ħ' | 'һ' | 'ի' | 'ң' | 'н' => 'h',
        'ŧ' | 'т' | 'τ' | 'ţ' | 'ț' => 't',
        'к' | 'κ' | 'ķ' | 'қ' | 'ҝ' | 'ĸ' => 'k',
        'п' | 'ո' | 'η' | 'ŋ' | 'ɲ' => 'n',
        'м' | 'ɱ' => 'm',
        'в' | 'ь' | 'ƅ' | 'β' => 'b',
        'þ' | 'ƿ' | 'ρ' => 'p',
        'г' => 'r',
        'є' | 'ə' | 'ɛ' | 'ε' | 'ҽ' => 'e',
        'з' => '3',
        'ц' | 'μ' | 'υ' | 'ս' => 'u',
        'ч' => 'y',
        'ш' | 'щ' | 'ω' | 'ѡ' | 'ԝ' => 'w',
        'ɡ' | 'ģ' | 'ց' => 'g',
        'ƒ' => 'f',
        'ʟ' => 'l',
        'ѕ' | 'ş' | 'ș' | 'ʂ' => 's',
        'ҳ' | 'χ' => 'x',
        'ҫ' | 'ƈ' => 'c',
        'ɑ' | 'α' => 'a',
        other => other,
    }
}
