//! History as a file for other programs: JSON, or CSV (RFC 4180).
//!
//! Promises: what is exported is what history holds, and no more; in CSV no cell begins like a formula (an apostrophe
//! is put before `=`, `+`, `-`, `@`, a tab, a carriage return, and their wide forms), so that a server's words run nothing
//! in a spreadsheet.

use super::find::Line;
use super::{Entry, Shown, StartedBy};
use serde_json::json;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `{"countersign":"history","version":1,"entries":[…]}`; each entry as it is kept, with its `seq`.
    Json,
    /// One line for each entry, the first names the columns; lines end with CR LF.
    Csv,
}

const COLUMNS: [&str; 22] = [
    "seq",
    "at",
    "server",
    "server_name",
    "practice",
    "outcome",
    "delivery",
    "kind",
    "started_by",
    "program",
    "call",
    "call_name",
    "arguments",
    "question",
    "link_verdict",
    "link_findings",
    "link_scheme",
    "link_host",
    "saw",
    "values",
    "decision",
    "about",
];

/// Writes entry by entry.
pub(in crate::store) struct Export<W> {
    to: W,
    format: Format,
    entries: u64,
}

impl<W: Write> Export<W> {
    pub(in crate::store) fn begin(mut to: W, format: Format) -> io::Result<Self> {
        match format {
            Format::Json => to.write_all(b"{\"countersign\":\"history\",\"version\":1,\"entries\":[")?,
            Format::Csv => write_row(&mut to, &COLUMNS.map(str::to_owned))?,
        }
        Ok(Self {
            to,
            format,
            entries: 0,
        })
    }

    pub(in crate::store) fn line(&mut self, line: &Line) -> io::Result<()> {
        match self.format {
            Format::Json => {
                self.to
                    .write_all(if self.entries == 0 { b"\n" } else { b",\n" })?;
                let value = match &line.entry {
                    Some(entry) => {
                        let mut value = json!({ "seq": line.seq });
                        if let (Some(all), serde_json::Value::Object(own)) =
                            (value.as_object_mut(), serde_json::to_value(entry)?)
                        {
                            all.extend(own);
                        }
                        value
                    }
                    None => json!({ "seq": line.seq, "unreadable": true }),
                };
                serde_json::to_writer(&mut self.to, &value)?;
            }
            Format::Csv => match &line.entry {
                Some(entry) => write_row(&mut self.to, &cells(line.seq, entry))?,
                None => {
                    let mut cells = COLUMNS.map(|_| String::new());
                    (cells[0], cells[5]) = (line.seq.to_string(), "unreadable".to_owned());
                    write_row(&mut self.to, &cells)?;
                }
            },
        }
        self.entries += 1;
        Ok(())
    }

    pub(in crate::store) fn end(mut self) -> io::Result<u64> {
        if self.format == Format::Json {
            self.to.write_all(b"\n]}\n")?;
        }
        self.to.flush()?;
        Ok(self.entries)
    }
}

fn cells(seq: u64, entry: &Entry) -> [String; 22] {
    let link = entry.link.as_ref();
    let program = match &entry.started_by {
        StartedBy::Program { name, request } => format!("{name} ({request})"),
        StartedBy::Person | StartedBy::Server => String::new(),
    };
    let saw: Vec<String> = entry.saw.iter().map(super::Saw::words).collect();
    [
        seq.to_string(),
        entry.at.clone(),
        entry.server.clone(),
        entry.server_name.clone(),
        if entry.practice { "yes" } else { "no" }.to_owned(),
        entry.outcome.code().to_owned(),
        entry.delivery.code().to_owned(),
        entry.kind.code().to_owned(),
        entry.started_by.code().to_owned(),
        program,
        entry.call.to_string(),
        entry.call_name.clone(),
        pairs(&entry.arguments),
        entry.question.clone().unwrap_or_default(),
        link.map(|link| link.verdict.clone()).unwrap_or_default(),
        link.map(|link| link.findings.join(" ")).unwrap_or_default(),
        link.map(|link| link.scheme.clone()).unwrap_or_default(),
        link.map(|link| link.host.clone()).unwrap_or_default(),
        saw.join("; "),
        pairs(&entry.values),
        entry
            .decision
            .map(|decision| decision.code().to_owned())
            .unwrap_or_default(),
        entry.about.map(|seq| seq.to_string()).unwrap_or_default(),
    ]
}

fn pairs(shown: &[Shown]) -> String {
    let pairs: Vec<String> = shown
        .iter()
        .map(|shown| format!("{}={}", shown.name, shown.text))
        .collect();
    pairs.join("; ")
}

fn write_row(to: &mut impl Write, cells: &[String]) -> io::Result<()> {
    let mut line = String::new();
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        line.push_str(&quoted(cell));
    }
    line.push_str("\r\n");
    to.write_all(line.as_bytes())
}

/// A cell that is text to a spreadsheet, whatever it holds.
fn quoted(cell: &str) -> String {
    // Blanks before a sign do not help: some programs leave them out when they read.
    let risky = cell.trim_start_matches(' ').starts_with([
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]);
    let cell = if risky {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };
    if cell.contains([',', '"', '\r', '\n', '\'', ';']) || cell.starts_with(' ') || cell.ends_with(' ') {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::entry;
    use super::*;

    fn exported(format: Format, lines: &[Line]) -> String {
        let mut bytes = Vec::new();
        let mut export = Export::begin(&mut bytes, format).expect("begun");
        for line in lines {
            export.line(line).expect("written");
        }
        assert_eq!(export.end().expect("ended"), lines.len() as u64);
        String::from_utf8(bytes).expect("text")
    }

    fn line(seq: u64, entry: Entry) -> Line {
        Line {
            seq,
            entry: Some(entry),
        }
    }

    #[test]
    fn no_cell_is_a_formula_and_quotes_are_doubled() {
        for (cell, written) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\r=1\""),
            ("  =1", "\"'  =1\""),
            ("＝1", "\"'＝1\""),
            ("a=b", "a=b"),
        ] {
            assert_eq!(quoted(cell), written, "{cell:?}");
        }
    }

    #[test]
    fn a_line_of_csv_has_every_column_in_its_place() {
        let mut one = entry(1);
        one.question = Some("=cmd|' /C calc'!A0".to_owned());
        let text = exported(Format::Csv, &[line(7, one), Line { seq: 8, entry: None }]);
        let mut lines = text.split("\r\n");
        assert_eq!(lines.next(), Some(COLUMNS.join(",").as_str()));
        let first = lines.next().expect("a line");
        assert!(
            first.starts_with("7,2026-12-01T14:00:01+01:00,server-1,My server 1,no,declined,"),
            "{first}"
        );
        assert!(first.contains("\"'=cmd|' /C calc'!A0\""), "{first}");
        let second = lines.next().expect("a line");
        assert_eq!(second.matches(',').count(), COLUMNS.len() - 1);
        assert!(second.starts_with("8,,,,,unreadable,"), "{second}");
    }

    #[test]
    fn json_holds_what_history_holds() {
        let text = exported(
            Format::Json,
            &[line(1, entry(1)), line(2, entry(2)), Line { seq: 3, entry: None }],
        );
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["entries"][1]["seq"], 2);
        assert_eq!(read["entries"][2]["unreadable"], true);
        let back: Entry = serde_json::from_value(read["entries"][0].clone()).expect("an entry");
        assert_eq!(back, entry(1));
        assert!(serde_json::from_str::<serde_json::Value>(&exported(Format::Json, &[])).is_ok());
    }
}
