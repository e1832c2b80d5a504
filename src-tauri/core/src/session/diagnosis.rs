//! Why there is no connection, in four sentences for a person: what was tried, what came back, what it probably is,
//! and what to do. Words of the server are quoted chips.

use super::{ConnectError, Target, address};
use crate::transport::Fault;
use crate::view::Diagnosis;

/// `exit` and `last_words` are those of a program that has ended.
pub fn diagnosis(
    target: &Target,
    error: &ConnectError,
    exit: Option<&str>,
    last_words: Option<&str>,
) -> Diagnosis {
    let place = address::shown(target);
    let tried = match target {
        Target::Http { .. } => format!("A request to {place}, asking what the server is."),
        Target::Stdio(_) => format!("Starting {place} and asking it what it is."),
    };
    let mut came_back = format!("{}.", crate::text::capitalised(&error.to_string()));
    if let Some(exit) = exit {
        came_back.push_str(&format!(" The program ended with {exit}."));
    }
    if let Some(words) = last_words {
        came_back.push_str(&format!(" Its last words: “{}”.", crate::text::chip(words)));
    }
    let (cause, todo) = causes(target, error, exit.is_some());
    Diagnosis {
        tried,
        came_back,
        cause: cause.to_owned(),
        todo: todo.to_owned(),
    }
}

fn causes(target: &Target, error: &ConnectError, ended: bool) -> (&'static str, &'static str) {
    let fault = match error {
        ConnectError::OtherRevision { .. } => {
            return (
                "The server is newer or older than anything that this app speaks.",
                "Look for an update of the server or of Countersign.",
            );
        }
        ConnectError::Refused { .. } => {
            return (
                "The server is there but does not take this client.",
                "Ask whoever runs the server; the words above are theirs. Check headers and the address.",
            );
        }
        ConnectError::Unusable(_) => {
            return (
                "Something answers at this place, but not as a server of this protocol should.",
                "Check that the address or command is that of the MCP server itself.",
            );
        }
        ConnectError::Fault(fault) => fault,
    };
    match fault {
        Fault::CannotStart(_) => (
            "The program is not installed, not in the search path, or may not be run.",
            "Check the command's spelling, install it, or give its whole path.",
        ),
        Fault::Lost(_) if ended => (
            "The program ended by itself, mostly because of an argument, a variable or a missing file.",
            "Read its last words above, put it right and connect again.",
        ),
        Fault::CannotConnect(_) => (
            "The server is not running, the name or port is wrong, or the network is in the way.",
            "Check the address and that the server runs, then connect again.",
        ),
        Fault::SignIn { .. } => (
            "The server wants to know who you are.",
            "This version cannot sign in; a header of the server's settings may carry a token.",
        ),
        Fault::Status { status: 404 | 405 } => (
            "There is a web server, but no MCP server at this address.",
            "Check the path: it often ends in /mcp or /sse.",
        ),
        Fault::Status { status: 500..=599 } => (
            "The server has a fault of its own.",
            "Try again later, or tell whoever runs it.",
        ),
        Fault::Status {
            status: 408 | 425 | 429,
        } => ("The server has too much to do.", "Try again later."),
        Fault::Status { .. } => (
            "The server, or something before it, does not take the request.",
            "Check the address and the headers of its settings.",
        ),
        Fault::Redirected { .. } | Fault::Moved { .. } => (
            "The server lives somewhere else now, or somebody wants your requests.",
            "If you trust the new place, add the server with that address.",
        ),
        Fault::Lost(_) | Fault::SessionOver => (
            "The server or the network broke the connection.",
            "Connect again. If it happens every time, tell whoever runs the server.",
        ),
        Fault::TimedOut(_) => match target {
            Target::Http { .. } => (
                "The server is busy, or something in between swallows the requests.",
                "Try again, or give the server a longer time-out in its settings.",
            ),
            Target::Stdio(_) => (
                "The program runs but does not answer; some install themselves at the first start.",
                "Try again, or start the command in a terminal and look at what it says.",
            ),
        },
        Fault::Unreadable(_) | Fault::TooLarge { .. } => (
            "Something answers at this place, but not as a server of this protocol should.",
            "Check that the address or command is that of the MCP server itself.",
        ),
        Fault::Cancelled { .. } | Fault::Before { .. } | Fault::NotKept(_) | Fault::ServerChanged => {
            ("It was stopped here.", "Connect again.")
        }
    }
}
