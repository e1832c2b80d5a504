//! The interop matrix: the core of Countersign against servers on SDKs that others wrote, every session recorded and
//! judged by a validator that others wrote. Prints a table of server, transport, era and scenario.
//!
//! A cell is *ok*, *failed*, or a hole with its reason; a hole that is not in `holes` and a finding that is not in
//! `findings.tsv` fail the run. A word on the command line runs only the sessions whose name holds it.
//! `tests/interop/servers/setup.sh` installs what this needs.
//!
//! The last line counts cells, sessions and answers as a test harness would, for `tests/run.py`.
#![cfg(test)]

/// What the engine's tests stand on, of which this needs the desk.
#[expect(dead_code, unused_imports, reason = "the engine uses the rest")]
#[path = "../../engine/kit/mod.rs"]
mod kit;

/// The cells of server-everything, whose tools are its own.
mod everything;

/// Cells that are empty, and why.
mod holes;

/// What a person does in one cell, and what the server must tell in the end.
mod scenarios;

/// Servers behind the recorder.
mod sessions;

/// Recorded sessions: answers against their schemas, the validator's findings against the list.
mod traces;

use futures_util::StreamExt;
use scenarios::Scenario;
use sessions::{Session, Setting};
use std::process::ExitCode;
use std::sync::Arc;

/// Sessions at once; most of the time they wait for programs to start.
const AT_ONCE: usize = 4;

/// What became of one cell.
enum Cell {
    Ok,
    Hole(&'static str),
    Failed(String),
}

/// What became of one session.
struct Row {
    setting: Setting,
    cells: Vec<Cell>,
    judged: traces::Judged,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    if std::env::args().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    let settings: Vec<Setting> = Setting::all()
        .filter(|setting| words.is_empty() || words.iter().any(|word| setting.to_string().contains(word)))
        .collect();
    // What fails is told in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let whole = words.is_empty();
    let rows = runtime.block_on(async {
        sessions::prepare();
        let running = futures_util::stream::iter(settings.into_iter().map(run));
        running.buffered(AT_ONCE).collect::<Vec<Row>>().await
    });
    print(&rows, whole)
}

async fn run(setting: Setting) -> Row {
    let mut cells = Vec::new();
    let mut live: Option<Arc<Session>> = None;
    for scenario in Scenario::ALL {
        if let Some(reason) = holes::hole(setting, scenario) {
            cells.push(Cell::Hole(reason));
            continue;
        }
        let session = match &live {
            Some(session) => Arc::clone(session),
            None => match tokio::spawn(Session::open(setting)).await {
                Ok(session) => Arc::clone(live.insert(Arc::new(session))),
                Err(error) => {
                    cells.push(Cell::Failed(format!("no session: {}", said(error))));
                    continue;
                }
            },
        };
        let playing = Arc::clone(&session);
        let played = tokio::spawn(async move { scenarios::play(&playing, scenario).await });
        cells.push(match played.await {
            Ok(()) => Cell::Ok,
            Err(error) => {
                scenarios::clear(&session);
                Cell::Failed(said(error))
            }
        });
    }
    let traces = match live {
        Some(session) => session.close().await,
        None => Vec::new(),
    };
    Row {
        setting,
        cells,
        judged: traces::judge(setting, &traces).await,
    }
}

/// The words of an assertion that did not hold.
fn said(error: tokio::task::JoinError) -> String {
    let panic = error.into_panic();
    let words = panic.downcast_ref::<String>().cloned();
    words
        .or_else(|| panic.downcast_ref::<&str>().map(|&words| words.to_owned()))
        .unwrap_or_default()
}

fn print(rows: &[Row], whole: bool) -> ExitCode {
    let mut reasons: Vec<&str> = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    let (mut passed, mut holes) = (0, 0);
    print!("\n{:28}", "");
    for scenario in Scenario::ALL {
        print!("{:>11}", scenario.name());
    }
    println!("{:>9}{:>10}", "answers", "findings");
    for row in rows {
        print!("{:28}", row.setting.to_string());
        for (cell, scenario) in row.cells.iter().zip(Scenario::ALL) {
            let shown = match cell {
                Cell::Ok => {
                    passed += 1;
                    "ok".to_owned()
                }
                Cell::Hole(reason) => {
                    holes += 1;
                    let number = reasons.iter().position(|known| known == reason);
                    let number = number.unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    format!("({})", number + 1)
                }
                Cell::Failed(words) => {
                    wrong.push(format!("{}, {}: {words}", row.setting, scenario.name()));
                    "FAILED".to_owned()
                }
            };
            print!("{shown:>11}");
        }
        println!("{:>9}{:>10}", row.judged.answers, row.judged.listed.len());
        wrong.extend(
            row.judged
                .wrong
                .iter()
                .map(|words| format!("{}: {words}", row.setting)),
        );
        passed += row.judged.answers + row.judged.traces;
    }
    println!();
    for (number, reason) in reasons.iter().enumerate() {
        println!("({}) {reason}", number + 1);
    }
    if whole {
        wrong.extend(traces::stale(rows.iter().flat_map(|row| &row.judged.listed)));
    }
    println!("\nfindings that are not the client's (findings.tsv says why):");
    for row in rows {
        for listed in &row.judged.listed {
            println!("  {:28} {listed}", row.setting.to_string());
        }
    }
    for words in &wrong {
        println!("\nWRONG: {words}");
    }
    let verdict = if wrong.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {} failed; {holes} ignored; cells, judged traces and checked answers",
        wrong.len()
    );
    if wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
