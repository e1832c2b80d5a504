//! The tables, and how an older file becomes a newer one.
//!
//! Promises: steps only go forward, each in one transaction with its number (`user_version`), so that a crash leaves a
//! file of one version or the other; a file of a newer version is refused and not touched.

use super::error::StoreError;
use crate::fault::{self, Point};
use rusqlite::{Connection, TransactionBehavior};

/// Says that a file is ours: "CtSg".
pub(super) const APPLICATION: i32 = 0x4374_5367;

/// Step n makes version n + 1 of version n. A step is never changed once it was released.
pub(super) const STEPS: &[&str] = &[V1];

/// Clear columns are ids, numbers, times in seconds and words of closed lists; what people and servers wrote is sealed.
const V1: &str = "
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value ANY NOT NULL
) STRICT;
CREATE TABLE calls (
    id INTEGER NOT NULL PRIMARY KEY,
    server TEXT NOT NULL,
    open INTEGER NOT NULL CHECK (open IN (0, 1)),
    seq INTEGER NOT NULL,
    sealed BLOB NOT NULL
) STRICT;
CREATE INDEX calls_open ON calls (open, id);
CREATE TABLE drafts (
    ask INTEGER NOT NULL PRIMARY KEY,
    call INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    sealed BLOB NOT NULL
) STRICT;
CREATE INDEX drafts_call ON drafts (call);
CREATE TABLE results (
    call INTEGER NOT NULL PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE,
    sealed BLOB NOT NULL
) STRICT;
CREATE TABLE history (
    seq INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    server TEXT NOT NULL,
    what TEXT NOT NULL,
    sealed BLOB NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE TABLE marks (
    name TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    mac BLOB NOT NULL,
    signed BLOB NOT NULL
) STRICT;
CREATE TABLE visited (
    tag BLOB NOT NULL PRIMARY KEY,
    server TEXT NOT NULL,
    sealed BLOB NOT NULL
) STRICT;
CREATE TABLE kept (
    name TEXT NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT;
";

/// What every version's tables must have once the file is of the newest version.
const COLUMNS: &str = "
SELECT name, value FROM meta LIMIT 0;
SELECT id, server, open, seq, sealed FROM calls LIMIT 0;
SELECT ask, call, sealed FROM drafts LIMIT 0;
SELECT call, sealed FROM results LIMIT 0;
SELECT seq, at, server, what, sealed, mac FROM history LIMIT 0;
SELECT name, seq, at, mac, signed FROM marks LIMIT 0;
SELECT tag, server, sealed FROM visited LIMIT 0;
SELECT name, sealed FROM kept LIMIT 0;
";

/// Brings a file to the newest version. True: it was empty.
///
/// # Errors
/// [`StoreError::Newer`]; [`StoreError::Damaged`] when it is another program's or lacks what it must have.
pub(super) fn bring_up(connection: &mut Connection) -> Result<bool, StoreError> {
    let fresh = migrate(connection, STEPS)?;
    for query in COLUMNS
        .split(';')
        .map(str::trim)
        .filter(|query| !query.is_empty())
    {
        connection.prepare(query).map_err(StoreError::damaged)?;
    }
    Ok(fresh)
}

fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<bool, StoreError> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let fresh = application == 0 && version == 0 && tables == 0;
    if application != APPLICATION && !fresh {
        return Err(StoreError::damaged("it is a file of another program"));
    }
    let known = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let found = u32::try_from(version).map_err(|_| StoreError::damaged("its version is below zero"))?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for (step, next) in steps.iter().zip(1_u32..).skip(found as usize) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", next)?;
        fault::at(Point::StoreSchemaWritten);
        transaction.commit()?;
        fault::at(Point::StoreSchemaCommitted);
    }
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Connection {
        Connection::open_in_memory().expect("memory")
    }

    fn version(connection: &Connection) -> u32 {
        connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .expect("a version")
    }

    /// One row in every table of the first version.
    const ROWS: &str = "
        INSERT INTO meta VALUES ('id', 'x');
        INSERT INTO calls VALUES (7, 'a', 1, 1, x'01');
        INSERT INTO drafts VALUES (9, 7, x'02');
        INSERT INTO results VALUES (7, x'03');
        INSERT INTO history VALUES (1, 0, 'a', 'accepted', x'04', x'05');
        INSERT INTO marks VALUES ('head', 1, 0, x'05', x'06');
        INSERT INTO visited VALUES (x'07', 'a', x'08');
        INSERT INTO kept VALUES ('n', x'09');
    ";

    #[test]
    fn every_older_file_becomes_one_of_the_newest_version() {
        for older in 0..=STEPS.len() {
            let mut connection = memory();
            migrate(&mut connection, &STEPS[..older]).expect("the older one");
            if older > 0 {
                connection.execute_batch(ROWS).expect("rows");
            }
            assert_eq!(bring_up(&mut connection), Ok(older == 0), "from version {older}");
            assert_eq!(version(&connection) as usize, STEPS.len());
            let rows: i64 = connection
                .query_row("SELECT count(*) FROM calls JOIN drafts ON call = id", [], |row| {
                    row.get(0)
                })
                .expect("counted");
            assert_eq!(rows, i64::from(older > 0));
        }
    }

    #[test]
    fn a_later_step_keeps_what_is_there() {
        let steps = [
            V1,
            "ALTER TABLE calls ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",
        ];
        let mut connection = memory();
        migrate(&mut connection, &steps[..1]).expect("version 1");
        connection.execute_batch(ROWS).expect("rows");
        assert_eq!(migrate(&mut connection, &steps), Ok(false));
        assert_eq!(version(&connection), 2);
        let note: String = connection
            .query_row("SELECT note FROM calls WHERE id = 7", [], |row| row.get(0))
            .expect("the old row");
        assert_eq!(note, "none");
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let steps = [
            V1,
            "ALTER TABLE calls ADD COLUMN note TEXT; DELETE FROM calls; SELECT nonsense FROM nowhere",
        ];
        let mut connection = memory();
        migrate(&mut connection, &steps[..1]).expect("version 1");
        connection.execute_batch(ROWS).expect("rows");
        assert!(migrate(&mut connection, &steps).is_err());
        assert_eq!(version(&connection), 1);
        assert!(connection.prepare("SELECT note FROM calls").is_err());
        assert_eq!(bring_up(&mut connection), Ok(false));
    }

    #[test]
    fn a_newer_file_is_refused_and_not_touched() {
        let mut connection = memory();
        bring_up(&mut connection).expect("ours");
        connection.pragma_update(None, "user_version", 7).expect("newer");
        let known = u32::try_from(STEPS.len()).expect("few");
        let refused = bring_up(&mut connection).expect_err("refused");
        assert_eq!(refused, StoreError::Newer { found: 7, known });
        assert!(refused.to_string().contains("newer Countersign"), "{refused}");
        assert_eq!(version(&connection), 7);
    }

    #[test]
    fn what_is_not_ours_is_no_file_of_ours() {
        for made in [
            "PRAGMA application_id = 5",
            "PRAGMA user_version = 1",
            "CREATE TABLE other (a)",
            "PRAGMA application_id = 1131696999; PRAGMA user_version = 1; CREATE TABLE meta (name)",
        ] {
            let mut connection = memory();
            connection.execute_batch(made).expect("made");
            assert_eq!(
                bring_up(&mut connection).map_err(|error| error.code()),
                Err("damaged"),
                "{made}"
            );
        }
    }
}
