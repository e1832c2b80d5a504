use super::*;
use std::path::Path;

/// A row of a table of labels, and the level that it should have.
struct Row {
    line: String,
    expected: Option<GuardLevel>,
    found: Option<GuardLevel>,
}

#[derive(Debug, Default)]
struct Rates {
    secrets: usize,
    caught: usize,
    ok: usize,
    flagged: usize,
    suspicious: usize,
    warned: usize,
}

fn rows(table: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/form/secret")
        .join(table);
    let text = std::fs::read_to_string(&path).expect(table);
    let rows = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("lang\t"));
    rows.map(|line| {
        let [_, kind, key, title, description, expected, ..] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        let answers = match kind {
            "string" => Answers::Text,
            "integer" | "number" => Answers::Number,
            "boolean" | "enum" => Answers::NoSecret,
            other => panic!("{other}"),
        };
        Row {
            line: line.to_owned(),
            expected: match expected {
                "ok" => None,
                "suspicious" => Some(GuardLevel::Suspicious),
                "secret" => Some(GuardLevel::Secret),
                other => panic!("{other}"),
            },
            found: of_label(key, title, description, answers).level(),
        }
    })
    .collect()
}

fn rates(rows: &[Row]) -> Rates {
    let mut rates = Rates::default();
    for row in rows {
        match row.expected {
            Some(GuardLevel::Secret) => {
                rates.secrets += 1;
                rates.caught += usize::from(row.found == Some(GuardLevel::Secret));
            }
            Some(GuardLevel::Suspicious) => {
                rates.suspicious += 1;
                rates.warned += usize::from(row.found.is_some());
            }
            None => {
                rates.ok += 1;
                rates.flagged += usize::from(row.found.is_some());
            }
        }
    }
    rates
}

fn measured(table: &str) -> Rates {
    let rows = rows(table);
    for row in rows.iter().filter(|row| row.found != row.expected) {
        println!("{table}: {:?}, not {:?}: {}", row.found, row.expected, row.line);
    }
    let rates = rates(&rows);
    println!("{table}: {rates:?}");
    rates
}

#[test]
fn the_rates_hold() {
    let rates = measured("fields.tsv");
    assert!(rates.caught * 100 >= rates.secrets * 97, "{rates:?}");
    assert!(rates.flagged * 100 <= rates.ok * 3, "{rates:?}");
    assert_eq!(rates.warned, rates.suspicious, "{rates:?}");
}

#[test]
fn the_rates_hold_on_rows_that_were_held_out() {
    let rates = measured("held_out.tsv");
    assert!(rates.caught * 100 >= rates.secrets * 95, "{rates:?}");
    assert!(rates.flagged * 100 <= rates.ok * 3, "{rates:?}");
}

#[test]
fn the_rates_hold_on_names_of_programs() {
    let rates = measured("names.tsv");
    assert!(rates.caught * 100 >= rates.secrets * 90, "{rates:?}");
    assert!(rates.flagged * 100 <= rates.ok * 3, "{rates:?}");
}

#[test]
fn what_stands_in_a_field_is_known_by_its_shape() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/form/secret/values.tsv");
    let text = std::fs::read_to_string(path).expect("values");
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("level\t"))
    {
        let [level, kind, value, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let found = match of_text(&value.replace("{}", "").replace("\\n", "\n")) {
            Guard::Ok => ("ok", String::new()),
            Guard::Suspicious(secret) => ("suspicious", format!("{secret:?}").to_lowercase()),
            Guard::Secret(secret) => ("secret", format!("{secret:?}").to_lowercase()),
        };
        assert_eq!(found, (level, kind.to_owned()), "{line}");
    }
}
