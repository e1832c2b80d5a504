//! Whatever is done to a history of 200 entries without the key is found, and where.

use super::*;
use crate::store::history::tests::entry;
use crate::store::schema;
use crate::store::seal::Master;
use rusqlite::types::Value;

const LINES: u64 = 200;
const COLUMNS: [&str; 5] = ["at", "server", "what", "sealed", "mac"];

struct Log {
    connection: Connection,
    sealer: Sealer,
    signer: Signer,
    id: &'static str,
}

impl Log {
    fn new(id: &'static str) -> Self {
        let master = Master::from_bytes(&[7; 32]).expect("32 bytes");
        let mut connection = Connection::open_in_memory().expect("memory");
        schema::bring_up(&mut connection).expect("made");
        let log = Self {
            connection,
            sealer: master.sealer(),
            signer: master.signer("history"),
            id,
        };
        let chain = log.chain();
        chain.begin(&log.connection).expect("begun");
        let entries: Vec<_> = (1..=200).map(entry).collect();
        let head = chain
            .append(&log.connection, chain.genesis(), &entries)
            .expect("written");
        assert_eq!(head.seq, LINES);
        log
    }

    fn chain(&self) -> Chain<'_> {
        Chain {
            sealer: &self.sealer,
            signer: &self.signer,
            id: self.id,
        }
    }

    fn head(&self) -> Head {
        self.chain().head(&self.connection, None).expect("readable")
    }

    fn verify(&self, anchored: &Anchored) -> Verified {
        self.chain()
            .verify(|act| act(&self.connection), anchored)
            .expect("looked at")
    }

    fn check(&self, expected: &[Trouble]) {
        let found = self.verify(&Anchored::Never);
        assert_eq!(found.troubles, expected);
        assert_eq!(found.trouble_count, expected.len() as u64);
    }

    fn run(&self, sql: &str) -> usize {
        self.connection.execute(sql, []).expect("done")
    }

    fn retain(&self, keep: Keep) -> u64 {
        self.chain()
            .retain(&self.connection, self.head(), keep, 5)
            .expect("done")
    }

    fn take(&self, seq: u64) -> Vec<Value> {
        let read = |row: &rusqlite::Row<'_>| (0..6).map(|column| row.get(column)).collect();
        let row: Result<Vec<Value>, _> =
            self.connection
                .query_row("SELECT * FROM history WHERE seq = ?1", [column(seq)], read);
        self.run(&format!("DELETE FROM history WHERE seq = {seq}"));
        row.expect("there")
    }

    fn put(&self, row: &[Value]) {
        let sql = "INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let row = rusqlite::params_from_iter(row);
        assert_eq!(self.connection.execute(sql, row), Ok(1));
    }

    /// Changes one byte of a column for as long as `look` looks.
    fn flipped(&self, name: &str, seq: u64, byte: usize, look: impl FnOnce(Verified)) {
        let read = format!("SELECT {name} FROM history WHERE seq = {seq}");
        let write = format!("UPDATE history SET {name} = ?1 WHERE seq = {seq}");
        let value: Value = self
            .connection
            .query_row(&read, [], |row| row.get(0))
            .expect("there");
        self.connection
            .execute(&write, [changed(&value, byte)])
            .expect("changed");
        look(self.verify(&Anchored::Never));
        self.connection.execute(&write, [value]).expect("put back");
    }
}

fn changed(value: &Value, byte: usize) -> Value {
    let flip = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        let index = byte % bytes.len();
        bytes[index] ^= 1;
        bytes
    };
    match value {
        Value::Integer(number) => Value::Integer(number ^ 1 << (8 * (byte % 8))),
        Value::Text(text) => Value::Text(String::from_utf8(flip(text.as_bytes())).expect("ASCII")),
        Value::Blob(bytes) => Value::Blob(flip(bytes)),
        Value::Null | Value::Real(_) => panic!("no such column"),
    }
}

fn found_at(name: &str, seq: u64) -> Vec<Trouble> {
    let mut expected = vec![Trouble::Changed { seq }];
    if name == "mac" && seq == LINES {
        // The mark of the last entry knows its code.
        expected.push(Trouble::HeadMark);
    }
    expected
}

#[test]
fn a_history_that_nobody_touched_holds() {
    let log = Log::new("one");
    log.check(&[]);
    let found = log.verify(&Anchored::At(log.head()));
    assert_eq!(
        (found.entries, found.anchor),
        (LINES, AnchorCheck::Holds { newer: 0 })
    );
}

#[test]
fn a_changed_byte_in_any_column_of_any_row_is_found_and_where() {
    let log = Log::new("one");
    for seq in 1..=LINES {
        for name in COLUMNS {
            let byte = usize::try_from(seq * 13).expect("small");
            log.flipped(name, seq, byte, |found| {
                assert_eq!(found.troubles, found_at(name, seq), "{name} of {seq}");
            });
        }
    }
    log.check(&[]);
}

#[test]
fn every_byte_of_a_row_counts() {
    let log = Log::new("one");
    for (name, bytes) in [
        ("at", 8),
        ("server", 8),
        ("what", 7),
        ("sealed", 500),
        ("mac", 32),
    ] {
        for byte in 0..bytes {
            log.flipped(name, 100, byte, |found| {
                assert_eq!(found.troubles, found_at(name, 100), "byte {byte} of {name}");
            });
        }
    }
}

#[test]
fn a_changed_number_of_any_row_is_found() {
    let log = Log::new("one");
    for seq in 1..=LINES {
        for number in [column(seq) + 1000, -column(seq), 0] {
            log.run(&format!("UPDATE history SET seq = {number} WHERE seq = {seq}"));
            let found = log.verify(&Anchored::Never);
            assert!(
                found.trouble_count >= 2,
                "{seq} as {number}: {:?}",
                found.troubles
            );
            log.run(&format!("UPDATE history SET seq = {seq} WHERE seq = {number}"));
        }
    }
    log.check(&[]);
}

#[test]
fn every_removed_row_is_found() {
    let log = Log::new("one");
    for seq in 1..=LINES {
        let row = log.take(seq);
        log.check(&[Trouble::Missing { from: seq, to: seq }]);
        log.put(&row);
    }
    log.check(&[]);
}

#[test]
fn neighbours_that_changed_places_are_found() {
    let log = Log::new("one");
    let swap = |seq| {
        let (mut one, mut other) = (log.take(seq), log.take(seq + 1));
        std::mem::swap(&mut one[0], &mut other[0]);
        log.put(&one);
        log.put(&other);
    };
    for seq in 1..LINES {
        swap(seq);
        let found = log.verify(&Anchored::Never);
        let expected = [Trouble::Changed { seq }, Trouble::Changed { seq: seq + 1 }];
        assert_eq!(found.troubles[..2], expected, "{seq}");
        swap(seq);
    }
    log.check(&[]);
}

#[test]
fn a_cut_tail_is_found_with_and_without_the_key_store() {
    let log = Log::new("one");
    let anchored = Anchored::At(log.head());
    log.run("DELETE FROM history WHERE seq > 190");
    let cut = [Trouble::Missing { from: 191, to: 200 }];
    log.check(&cut);
    assert_eq!(log.verify(&anchored).troubles, cut);

    // Whoever also changes or removes the mark of the last entry is found too.
    log.run("UPDATE marks SET seq = 190 WHERE name = 'head'");
    log.check(&[Trouble::HeadMark]);
    log.run("DELETE FROM marks");
    log.check(&[Trouble::HeadMark]);
    let found = log.verify(&anchored);
    assert_eq!(found.troubles, [Trouble::HeadMark, cut[0]]);
    assert_eq!(found.anchor, AnchorCheck::Broken);
    log.run("DELETE FROM history");
    log.check(&[Trouble::HeadMark]);
}

#[test]
fn after_a_cut_tail_new_entries_do_not_cover_the_hole() {
    let log = Log::new("one");
    log.run("DELETE FROM history WHERE seq > 190");
    let head = log
        .chain()
        .append(&log.connection, log.head(), &[entry(1)])
        .expect("written");
    assert_eq!(head.seq, 201);
    log.check(&[Trouble::Missing { from: 191, to: 200 }]);
}

#[test]
fn entries_that_a_stranger_put_behind_the_head_stop_nothing() {
    let log = Log::new("one");
    for seq in ["201", "9223372036854775807"] {
        log.run(&format!(
            "INSERT INTO history SELECT {seq}, at, server, what, sealed, mac FROM history WHERE seq = 7"
        ));
    }
    assert!(
        log.verify(&Anchored::Never)
            .troubles
            .contains(&Trouble::Changed { seq: 201 })
    );
    assert_eq!(log.head().seq, LINES);
    let head = log
        .chain()
        .append(&log.connection, log.head(), &[entry(1), entry(2)])
        .expect("written");
    assert_eq!(head.seq, 202);
    log.run("DELETE FROM history WHERE seq > 300");
    log.check(&[]);
    // Without the mark, what was written by us counts.
    log.run("DELETE FROM marks");
    log.run("INSERT INTO history SELECT 5000, at, server, what, sealed, mac FROM history WHERE seq = 7");
    assert_eq!(log.head(), head);
}

#[test]
fn an_entry_of_another_history_does_not_fit() {
    let (log, other) = (Log::new("one"), Log::new("other"));
    for seq in [1, 100, 200] {
        let own = log.take(seq);
        log.put(&other.take(seq));
        assert_eq!(log.verify(&Anchored::Never).troubles[0], Trouble::Changed { seq });
        log.take(seq);
        log.put(&own);
    }
    log.check(&[]);
    // Nor does the whole of it.
    log.run("DELETE FROM history");
    for seq in (1..=LINES).filter(|seq| ![1, 100, 200].contains(seq)) {
        log.put(&other.take(seq));
    }
    assert!(log.verify(&Anchored::Never).trouble_count > 2);
}

#[test]
fn a_gap_is_accepted_with_its_mark_only() {
    let log = Log::new("one");
    let anchored = Anchored::At(log.head());
    assert_eq!(log.retain(Keep::Newest(LINES)), 0);
    assert_eq!(log.retain(Keep::Newest(150)), 50);
    log.check(&[]);
    let found = log.verify(&anchored);
    assert_eq!((found.entries, found.gap), (150, Some(Gap { upto: 50, at: 5 })));

    for change in [
        "seq = seq + 1",
        "at = at + 1",
        "mac = x'00'",
        "mac = zeroblob(32)",
        "signed = zeroblob(32)",
    ] {
        log.connection.execute_batch("SAVEPOINT change").expect("begun");
        log.run(&format!("UPDATE marks SET {change} WHERE name = 'gap'"));
        log.check(&[Trouble::GapMark]);
        log.connection
            .execute_batch("ROLLBACK TO change; RELEASE change")
            .expect("undone");
    }
    log.connection.execute_batch("SAVEPOINT change").expect("begun");
    log.run("DELETE FROM marks WHERE name = 'gap'");
    log.check(&[Trouble::Missing { from: 1, to: 50 }]);
    log.connection
        .execute_batch("ROLLBACK TO change; RELEASE change")
        .expect("undone");

    // One more than the mark says, at its edge or inside it.
    let first = log.take(51);
    log.check(&[Trouble::Missing { from: 51, to: 51 }]);
    log.put(&first);
    let mut inside = first;
    inside[0] = Value::Integer(20);
    log.put(&inside);
    log.check(&[Trouble::Added { seq: 20 }]);
    log.take(20);

    // A second gap takes the place of the first; then everything goes.
    assert_eq!(log.retain(Keep::Newest(100)), 50);
    log.check(&[]);
    assert_eq!(log.retain(Keep::Newest(0)), 100);
    log.check(&[]);
    let found = log.verify(&anchored);
    assert_eq!(
        (found.gap.map(|gap| gap.upto), &found.anchor),
        (Some(200), &AnchorCheck::Holds { newer: 0 })
    );
    let head = log
        .chain()
        .append(&log.connection, log.head(), &[entry(1)])
        .expect("written");
    assert_eq!(head.seq, 201);
    log.check(&[]);
}

#[test]
fn retention_by_time_removes_the_oldest_only() {
    let log = Log::new("one");
    let second = |number| entry(number).seconds();
    assert_eq!(log.retain(Keep::Since(second(1))), 0);
    assert_eq!(log.retain(Keep::Since(second(121))), 120);
    log.check(&[]);
    // A clock that went back: what stands behind a newer entry stays.
    let mut late = entry(1);
    late.at = "2020-01-01T00:00:00Z".to_owned();
    log.chain()
        .append(&log.connection, log.head(), &[late])
        .expect("written");
    assert_eq!(log.retain(Keep::Since(second(150))), 29);
    assert_eq!(log.verify(&Anchored::Never).entries, 52);
    log.check(&[]);
    assert_eq!(log.retain(Keep::Since(second(200) + 1)), 52);
}

#[test]
fn a_head_reads_back_from_its_text() {
    let head = Log::new("one").head();
    assert_eq!(Head::from_text(&head.to_text()), Some(head));
    for text in [
        "",
        "1",
        "1 5",
        "1 5 00",
        "2 5 00",
        "1 x 00",
        &format!("1 18446744073709551615 {}", "00".repeat(32)),
        &head.to_text()[1..],
        &format!("{}0", head.to_text()),
        "1 5 ääääääääääääääääääääääääääääääää",
    ] {
        assert_eq!(Head::from_text(text), None, "{text}");
    }
}
