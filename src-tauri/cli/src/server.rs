//! The server of a command line.

use crate::arguments::Connection;
use crate::output;
use countersign_core::app::{Countersign, Parts};
use countersign_core::clock::SystemClock;
use countersign_core::inbox::guard::Guard;
use countersign_core::link::open::SystemBrowser;
use countersign_core::mrtr::machine::Word;
use countersign_core::session::{Speak, Target, address};
use countersign_core::settings::Settings;
use countersign_core::text;
use countersign_core::view::{NameValue, ServerId, TargetDraft};
use countersign_core::wire::request::Elicitation;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Why nothing can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The command line or a file that it names is wrong.
    Usage(String),
    Ours(String),
}

/// Countersign with the one server of `connection`; nothing is connected yet.
pub(crate) fn open(
    connection: &Connection,
    elicitation: Elicitation,
    word: Word,
) -> Result<(Countersign, ServerId), Problem> {
    let settings = match (&connection.place.server, &connection.data_dir) {
        (Some(_), Some(folder)) => Settings::Folder(folder.clone()),
        (Some(_) | None, _) => Settings::Memory,
    };
    // Before anything else, so that a wrong command line touches nothing.
    let passing = match &connection.place.server {
        Some(_) => None,
        None => Some(target(connection).map_err(Problem::Usage)?),
    };
    let app = Countersign::new(Parts {
        clock: Arc::new(SystemClock::default()),
        browser: Arc::new(SystemBrowser),
        settings,
        guard: Guard::Spelled,
        word,
        elicitation,
    });
    if let Some(target) = passing {
        let timeout = Duration::from_secs(u64::from(connection.timeout));
        let speak = connection.revision.map_or(Speak::Newest, Speak::Only);
        let id = app.add_speaking(&name(&target), target, timeout, speak);
        return Ok((app, id));
    }
    let snapshot = app.snapshot();
    for notice in &snapshot.notices {
        output::note(notice);
    }
    let wanted = connection.place.server.as_deref().unwrap_or_default();
    let found = snapshot.servers.iter().find(|server| server.name == wanted);
    match found {
        Some(server) => Ok((app, server.id)),
        None => Err(Problem::Ours(format!(
            "There is no server named “{}” in the list of this folder.",
            text::chip(wanted)
        ))),
    }
}

fn target(connection: &Connection) -> Result<Target, String> {
    let draft = match (&connection.place.url, &connection.place.command) {
        (Some(url), _) => TargetDraft::Http {
            url: url.clone(),
            headers: connection
                .headers
                .iter()
                .map(|header| header_pair(header))
                .collect::<Result<_, _>>()?,
        },
        (None, command) => {
            let mut draft = address::from_command_line(command.as_deref().unwrap_or_default())?;
            if let TargetDraft::Stdio { env, cwd, .. } = &mut draft {
                for pair in &connection.env {
                    env.push(env_pair(pair)?);
                }
                cwd.clone_from(&connection.cwd);
            }
            draft
        }
    };
    address::target(&draft)
}

/// Never says the value back: it may be a secret.
fn header_pair(header: &str) -> Result<NameValue, String> {
    let (name, value) = header
        .split_once(':')
        .ok_or("A header is written as 'Name: value'.")?;
    Ok(NameValue {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
    })
}

fn env_pair(pair: &str) -> Result<NameValue, String> {
    let (name, value) = pair
        .split_once('=')
        .ok_or("A variable is written as NAME=VALUE.")?;
    Ok(NameValue {
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

fn name(target: &Target) -> String {
    match target {
        Target::Http { url, .. } => url.host_str().unwrap_or_default().to_owned(),
        Target::Stdio(command) => {
            let program = Path::new(&command.program);
            let name = program.file_name().unwrap_or(program.as_os_str());
            text::line(&name.to_string_lossy(), 60)
        }
    }
}
