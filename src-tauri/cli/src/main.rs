//! Countersign without a window: the same core and the same rules, in a terminal or with answers from a file.
//!
//! Promises: no answer is made up. A question that has no matching answer, where nobody can be asked, stops the
//! call and sends nothing; a link opens only after consent that names where it goes. Words of a server reach a
//! terminal filtered. Header values, environment values and a requestState are never printed.
//!
//! Exit codes: 0 done; 1 the server's error (an error response, or a result that says it failed); 2 usage; 3 our
//! failure (no connection, a broken protocol, unreadable settings); 4 stopped, nothing was answered for you; 5 not
//! delivered, or sent with an unknown outcome.
//!
//! The hidden `conformance` is the exception: a client for a test suite, that accepts what a server on this computer asks.
//!
//! With a data folder calls are kept as the app keeps them, and `resume` takes them up: what waits is answered, what may
//! have arrived is sent again only with `--send-again`. Without one they end with this program.
//!
//! Deliberately absent: any way to open a link that no server asked for: `link` only judges.

mod answers;
mod arguments;
mod call;
mod conformance;
mod dialog;
mod form;
mod interrupt;
mod link;
mod lists;
mod output;
mod report;
mod resume;
mod script;
mod server;
mod terminal;

use arguments::{Cli, Task};
use clap::Parser;
use countersign_core::link::open::{HAND_OVER, hand_over};
use countersign_core::wire::lists::ListKind;
use report::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().skip(1).eq([HAND_OVER]) {
        return hand_over();
    }
    let task = match Cli::try_parse() {
        Ok(cli) => cli.task,
        Err(error) => {
            // Help goes to stdout with code 0, a wrong command line to stderr with code 2.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8));
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            output::note(&format!("error: the program cannot start: {error}"));
            return ExitCode::from(Exit::Ours as u8);
        }
    };
    let exit = runtime.block_on(run(task));
    // A browser in text mode may still run on a thread of its own.
    runtime.shutdown_background();
    ExitCode::from(exit as u8)
}

async fn run(task: Task) -> Exit {
    match task {
        Task::Tools(listing) => lists::run(&[ListKind::Tools], &listing.connection).await,
        Task::Prompts(listing) => lists::run(&[ListKind::Prompts], &listing.connection).await,
        Task::Resources(listing) => {
            lists::run(&[ListKind::Resources, ListKind::Templates], &listing.connection).await
        }
        Task::Call { tool, args, calling } => {
            call::run(ListKind::Tools, tool, args.as_deref(), &calling).await
        }
        Task::Prompt { name, args, calling } => {
            call::run(ListKind::Prompts, name, args.as_deref(), &calling).await
        }
        Task::Read { uri, calling } => call::run(ListKind::Resources, uri, None, &calling).await,
        Task::Resume {
            list,
            send_again,
            calling,
        } => resume::run(list, send_again, &calling).await,
        Task::Form => form::run(),
        Task::Link { escapes } => link::run(escapes),
        Task::PracticeWorkshop => {
            match countersign_practice::workshop(tokio::io::stdin(), tokio::io::stdout()).await {
                Ok(()) => Exit::Done,
                Err(_) => Exit::Ours,
            }
        }
        Task::Conformance { url } => conformance::run(url).await,
    }
}
