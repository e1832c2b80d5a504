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
                "{id} {:.80}: {verdict:?} for {wanted:?}, missing {missing:?}, found {found:?}",
                url
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
