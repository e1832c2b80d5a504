use super::*;
use std::collections::BTreeSet;

const VERDICTS: &str = include_str!("../../../../tests/fixtures/link/verdicts.tsv");

fn asker(server: &str) -> Asker {
    match server {
        "stdio" => Asker::Local,
        address => Asker::Remote(Url::parse(address).unwrap()),
    }
}

/// `\u{hex}` as its character; every other backslash stays.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u{") {
        let (hex, after) = after.split_once('}').unwrap();
        out.push_str(before);
        out.push(
            u32::from_str_radix(hex, 16)
                .ok()
                .and_then(char::from_u32)
                .unwrap(),
        );
        rest = after;
    }
    out + rest
}

fn code(finding: &Finding) -> String {
    serde_json::to_value(finding.code)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

/// The rows of a table whose verdict is another, or that lack a reason.
fn check(table: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [id, _, server, url, verdict, reasons] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("six columns: {row}");
        };
        let wanted = match verdict {
            "info" => Verdict::Plain,
            "warn" => Verdict::Notice,
            "strong" => Verdict::Risky,
            "block" => Verdict::Refused,
            other => panic!("{other}"),
        };
        let raw = unescaped(url);
        let Inspection {
            verdict,
            findings,
            imitates,
            ..
        } = inspect(&raw, &asker(server), &Known::default()).inspection;
        let found: BTreeSet<String> = findings.iter().map(code).collect();
        let missing: Vec<&str> = reasons
            .split(',')
            .filter(|reason| !reason.is_empty())
            .filter(|reason| {
                let (reason, name) = reason.split_once(':').unwrap_or((reason, ""));
                let named = name.is_empty()
                    || imitates.as_deref() == Some(name)
                    || findings
                        .iter()
                        .any(|finding| code(finding) == reason && finding.sentence.contains(name));
                !found.contains(reason) || !named
            })
            .collect();
        if verdict != wanted || !missing.is_empty() {
            wrong.push(format!(
                "{id} {url:.80}: {verdict:?} for {wanted:?}, missing {missing:?}, found {found:?}"
            ));
        }
    }
    wrong
}

#[test]
fn every_row_of_the_table_of_verdicts_holds() {
    let wrong = check(VERDICTS);
    assert!(wrong.is_empty(), "{}\n{} rows", wrong.join("\n"), wrong.len());
}

#[test]
fn everyday_links_stay_mild_and_disguises_do_not_pass() {
    let wrong = check(include_str!("../../../../tests/fixtures/link/more.tsv"));
    assert!(wrong.is_empty(), "{}\n{} rows", wrong.join("\n"), wrong.len());
}

#[test]
fn most_spoofing_hosts_are_caught_and_few_others_are_called_risky() {
    the_rates_hold(include_str!("../../../../tests/fixtures/link/hosts.tsv"));
}

#[test]
fn the_rates_hold_on_hosts_that_were_held_out() {
    the_rates_hold(include_str!("../../../../tests/fixtures/link/held_out.tsv"));
}

/// At least 95 % of the spoofs risky or refused, at most 5 % of the others.
fn the_rates_hold(table: &str) {
    let (mut spoofs, mut missed, mut safe, mut alarms) = (0, Vec::new(), 0, Vec::new());
    for row in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [kind, host, _] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("three columns: {row}");
        };
        let link = plain(&format!("https://{}/", unescaped(host))).inspection;
        let caught = link.verdict >= Verdict::Risky;
        match kind {
            "spoof" => {
                spoofs += 1;
                missed.extend((!caught).then_some(row));
                assert!(
                    !caught || link.verdict == Verdict::Refused || link.domain.is_some(),
                    "{row}"
                );
            }
            "safe" => {
                safe += 1;
                alarms.extend(caught.then(|| format!("{row}: {:?}", link.findings)));
            }
            other => panic!("{other}"),
        }
    }
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all as f64;
    println!(
        "{spoofs} spoofing hosts, {:.1} % caught; {safe} others, {:.1} % risky",
        percent(spoofs - missed.len(), spoofs),
        percent(alarms.len(), safe)
    );
    assert!(spoofs >= 150 && safe >= 150, "{spoofs} and {safe}");
    assert!(missed.len() * 20 <= spoofs, "missed: {missed:#?}");
    assert!(alarms.len() * 20 <= safe, "alarms: {alarms:#?}");
}

#[test]
fn a_well_known_site_is_never_taken_for_an_imitation() {
    let names = include_str!("well_known.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    for name in names.flat_map(str::split_whitespace) {
        for host in [name.to_owned(), format!("www.{name}")] {
            let link = plain(&format!("https://{host}/"));
            assert_eq!(link.inspection.imitates, None, "{host}");
        }
    }
}

#[test]
fn what_is_shown_is_what_is_opened() {
    let link = plain("HTTPS://Vendor.Example:443/a b?q=ü#x");
    let url = link.url.unwrap();
    assert_eq!(link.inspection.shown, url.as_str());
    assert_eq!(url.as_str(), "https://vendor.example/a%20b?q=%C3%BC#x");
    assert_eq!(
        link.inspection.as_sent.as_deref(),
        Some("HTTPS://Vendor.Example:443/a b?q=ü#x")
    );
    assert_eq!(plain("https://vendor.example/").inspection.as_sent, None);
}

#[test]
fn a_refused_link_has_nothing_to_open_and_shows_its_text_marked() {
    let link = plain("https://bank.example@evil.example/\u{202e}\n\u{2028}");
    assert_eq!(link.url, None);
    assert_eq!(
        link.inspection.shown,
        "https://bank.example@evil.example/⟦U+202E⟧⟦U+000A⟧⟦U+2028⟧"
    );
    assert_eq!(link.inspection.domain.as_deref(), Some("evil.example"));
}

#[test]
fn foreign_letters_are_shown_only_where_they_deceive_nobody() {
    let sentence = |raw: &str| {
        let link = plain(raw).inspection;
        let sentence = link
            .findings
            .into_iter()
            .find(|finding| finding.code == FindingCode::Punycode);
        (
            link.ascii_host.unwrap(),
            link.unicode_host,
            sentence.unwrap().sentence,
        )
    };
    assert_eq!(
        sentence("https://bücher.example/"),
        (
            "xn--bcher-kva.example".into(),
            Some("bücher.example".into()),
            "The address has letters outside a–z: bücher.example. Its technical form is xn--bcher-kva.example.".into()
        )
    );
    let (host, readable, sentence) = sentence("https://xn--80ak6aa92e.com/");
    assert_eq!((host.as_str(), readable), ("xn--80ak6aa92e.com", None));
    assert!(
        sentence.is_ascii() || sentence.contains("xn--80ak6aa92e.com"),
        "{sentence}"
    );
}

#[test]
fn the_domain_is_what_somebody_owns() {
    for (raw, domain) in [
        ("https://a.b.vendor.co.uk/", "vendor.co.uk"),
        ("https://me.github.io/", "me.github.io"),
        ("https://github.io/", "github.io"),
        ("https://192.168.1.1/", "192.168.1.1"),
        ("https://[::1]/", "[::1]"),
        ("https://a.vendor.example./", "vendor.example."),
        ("https://localhost/", "localhost"),
        ("https://食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn"),
    ] {
        assert_eq!(plain(raw).inspection.domain.as_deref(), Some(domain), "{raw}");
    }
}

#[test]
fn only_the_true_domain_opens_a_risky_link() {
    let link = plain("https://login.xn--80ak6aa92e.com/").inspection;
    let typed = |text: &str| typed_domain(&link, text);
    assert_eq!(typed(" XN--80ak6aa92e.COM "), Ok(()));
    assert_eq!(
        typed("apple.com"),
        Err("This link does not go to apple.com.".into())
    );
    assert_eq!(
        typed("Apple.com."),
        Err("This link does not go to apple.com.".into())
    );
    assert_eq!(
        typed("login.xn--80ak6aa92e.com"),
        Err("Almost: the domain is only the part xn--80ak6aa92e.com.".into())
    );
    for wrong in ["", "аррӏе.com", "xn--80ak6aa92e", "https://xn--80ak6aa92e.com"] {
        assert!(typed(wrong).is_err(), "{wrong}");
    }
    assert_eq!(
        typed_domain(&plain("https://vendor.example./").inspection, "vendor.example"),
        Ok(())
    );
}

#[test]
fn pages_are_the_same_up_to_the_question_mark() {
    let same = |a: &str, b: &str| same_page(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
    assert!(same("https://a.example/x?s=1", "https://a.example/x?s=2"));
    assert!(same("https://a.example/x#1", "https://a.example:443/x"));
    assert!(!same("https://a.example/x", "https://a.example/x"));
    assert!(!same("https://a.example/x?1", "https://a.example/y?1"));
    assert!(!same("https://a.example/x?1", "https://b.example/x?2"));
    assert!(!same("https://a.example/x?1", "http://a.example/x?2"));
    assert!(!same("https://a.example/x?1", "https://a.example:444/x?2"));
}

#[test]
fn the_practice_page_raises_no_alarm_and_nothing_else_passes_for_it() {
    let known = Known {
        practice: Some(Url::parse("http://127.0.0.1:7777/").unwrap()),
        ..Known::default()
    };
    let asker = asker("https://mcp.vendor.example");
    let verdict = |raw: &str| inspect(raw, &asker, &known).inspection.verdict;
    assert_eq!(verdict("http://127.0.0.1:7777/connect?x=1"), Verdict::Plain);
    assert_eq!(verdict("http://127.0.0.1:7778/connect"), Verdict::Risky);
    assert_eq!(verdict("http://localhost:7777/connect"), Verdict::Risky);
    assert_eq!(verdict("http://x@127.0.0.1:7777/connect"), Verdict::Refused);
    assert_eq!(verdict("http://0x7f000001:7777/connect"), Verdict::Refused);
    let elsewhere = Known {
        practice: Some(Url::parse("https://evil.example/").unwrap()),
        ..Known::default()
    };
    let link = inspect("https://evil.example/", &asker, &elsewhere).inspection;
    assert_eq!(link.verdict, Verdict::Notice);
}

#[test]
fn a_site_that_the_person_approved_is_told_from_its_imitation() {
    let known = Known {
        names: Names::new(["app.ledgerly.example", "127.0.0.1", "localhost", "com"]),
        ..Known::default()
    };
    let imitates = |raw: &str| inspect(raw, &Asker::Local, &known).inspection.imitates;
    assert_eq!(imitates("https://ledgerly.example/"), None);
    assert_eq!(
        imitates("https://1edgerly.example/").as_deref(),
        Some("ledgerly.example")
    );
    assert_eq!(
        imitates("https://ledgrely.example/").as_deref(),
        Some("ledgerly.example")
    );
}

#[test]
fn no_text_breaks_the_inspection_or_what_it_promises() {
    const PIECES: &[&str] = &[
        "https://",
        "http://",
        "https:",
        "HTTPS:/",
        "javascript:",
        "//",
        "/",
        "\\",
        "@",
        ":",
        ":443",
        ":99999",
        "[",
        "]",
        "[::1]",
        "::ffff:",
        "127.0.0.1",
        "0x7f",
        "1",
        "256",
        ".",
        "..",
        "。",
        "-",
        "_",
        "xn--",
        "xn--80ak6aa92e",
        "xn--a",
        "paypal.com",
        "google",
        "com",
        "co.uk",
        "github.io",
        "localhost",
        "evil.example",
        "ü",
        "ß",
        "а",
        "ӏ",
        "\u{202e}",
        "\u{200b}",
        "\u{200d}",
        "\u{301}",
        "\u{338}",
        "א",
        "ا",
        "中",
        "ー",
        "🦀",
        "\u{ff0f}",
        "\u{ff20}",
        "\u{e0041}",
        "%",
        "%2f",
        "%00",
        "%E2%80",
        "%E2%80%AE",
        "?",
        "#",
        "&",
        "=",
        "url=https://",
        "token=",
        "eyJ",
        "{\"",
        "\n",
        "\t",
        " ",
        "\0",
        "\u{10ffff}",
        "^",
        "|",
        "\"",
    ];
    let askers = [
        Asker::Local,
        asker("https://mcp.vendor.example"),
        asker("http://[::1]:9/"),
    ];
    let known = Known {
        names: Names::new(["app.ledgerly.example"]),
        ..Known::default()
    };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below
    };
    for round in 0..20_000 {
        let mut raw = String::from(if round % 2 == 0 { "https://" } else { "" });
        for _ in 0..next(12) {
            raw.push_str(PIECES[next(PIECES.len())]);
        }
        let link = inspect(&raw, &askers[next(askers.len())], &known);
        let seen = &link.inspection;
        let worst = seen
            .findings
            .iter()
            .map(|finding| finding.verdict)
            .max()
            .unwrap_or(Verdict::Plain);
        assert_eq!(seen.verdict, worst, "{raw:?}");
        assert_eq!(link.url.is_none(), seen.verdict == Verdict::Refused, "{raw:?}");
        assert!(
            seen.findings
                .iter()
                .all(|finding| text::marked(&finding.sentence) == finding.sentence),
            "{raw:?}"
        );
        assert_eq!(text::marked(&seen.shown), seen.shown, "{raw:?}");
        if let Some(url) = &link.url {
            assert_eq!(seen.shown, url.as_str(), "{raw:?}");
            assert!(
                seen.shown.is_ascii() && matches!(url.scheme(), "http" | "https"),
                "{raw:?}"
            );
            assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(url), "{raw:?}");
            let (host, domain) = (
                seen.ascii_host.as_deref().unwrap(),
                seen.domain.as_deref().unwrap(),
            );
            assert!(
                host.is_ascii() && host.ends_with(domain) && !domain.is_empty(),
                "{raw:?}"
            );
            assert_eq!(typed_domain(seen, domain), Ok(()), "{raw:?}");
        }
    }
}

fn plain(raw: &str) -> Link {
    inspect(raw, &Asker::Local, &Known::default())
}

#[test]
fn an_address_of_megabytes_is_refused_unread() {
    let raw = format!("https://a.example/{}", "x".repeat(3_000_000));
    let link = inspect(&raw, &Asker::Local, &Known::default());
    assert_eq!(link.url, None);
    let inspection = link.inspection;
    assert_eq!(inspection.verdict, Verdict::Refused);
    assert_eq!(inspection.findings.len(), 1);
    assert!(inspection.findings[0].sentence.contains("3000018 characters"));
    assert!(inspection.shown.starts_with("https://a.example/xxx") && inspection.shown.len() < 10_000);
}
