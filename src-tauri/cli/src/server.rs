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
use countersign_core::store::StoreError;
use countersign_core::store::keys::{Keys, system};
use countersign_core::store::place::Place;
use countersign_core::text;
use countersign_core::view::{KeepingAct, KeepingState, NameValue, ServerId, TargetDraft};
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

/// Keeps calls in the folder of the command line, and takes up those in it. True where there is such a folder.
///
/// # Errors
/// Why they cannot be kept, and what to do; nothing was started then.
pub(crate) async fn keep(app: &Countersign, connection: &Connection) -> Result<bool, String> {
    let Some(folder) = &connection.data_dir else {
        return Ok(false);
    };
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
    let taken = Place::take(&folder);
    if let Err(error @ StoreError::InUse { .. }) = &taken {
        return Err(error.to_string());
    }
    app.keep_at(&folder, taken, Keys::new(system()));
    app.find_key().await;
    if connection.key_file && app.keeping().acts.contains(&KeepingAct::UseKeyFile) {
        app.act_on_keeping(KeepingAct::UseKeyFile)
            .await
            .map_err(|failure| failure.message)?;
    }
    let keeping = app.keeping();
    match keeping.state {
        KeepingState::Kept | KeepingState::KeptByFile => Ok(true),
        KeepingState::Opening | KeepingState::LostOnQuit => {
            let words = keeping.words.unwrap_or_default();
            let file = if keeping.acts.contains(&KeepingAct::UseKeyFile) {
                " With --key-file the key is kept in a file of the folder."
            } else {
                ""
            };
            Err(format!("Nothing was started. {words}{file}"))
        }
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
