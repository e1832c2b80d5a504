//! The built-in practice servers: one over HTTP inside this process, one as this program started again.

use countersign_core::app::Countersign;
use countersign_core::session::Target;
use countersign_core::transport::stdio::Command;
use countersign_practice::{DESK_TITLE, WORKSHOP_TITLE, desk, workshop as serve};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use tokio::net::TcpListener;

/// Adds both. Where one cannot start, its row is missing and the app works without it.
pub(crate) async fn add(app: &Countersign) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    if let Ok(desk) = listener.and_then(desk)
        && let (Ok(url), Ok(page)) = (desk.mcp_url().parse(), desk.page_prefix().parse())
    {
        app.add_practice(
            DESK_TITLE,
            Target::Http {
                url,
                headers: Vec::new(),
            },
            Some(page),
        );
        // It serves as long as the process lives.
        std::mem::forget(desk);
    }
    if let Ok(program) = std::env::current_exe() {
        let command = Command {
            program: program.to_string_lossy().into_owned(),
            args: vec![crate::PRACTICE_ARGUMENT.to_owned()],
            env: Vec::new(),
            cwd: None,
        };
        app.add_practice(WORKSHOP_TITLE, Target::Stdio(command), None);
    }
}

/// Serves over stdin and stdout until stdin ends.
pub(crate) fn workshop() -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    match runtime.block_on(serve(tokio::io::stdin(), tokio::io::stdout())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
