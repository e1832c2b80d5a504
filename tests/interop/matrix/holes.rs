//! Cells that are empty, and why.

use crate::scenarios::Scenario;
use crate::sessions::{Era, Server, Setting, Transport};

/// Why there is nothing to play in a cell, if there is nothing.
pub(crate) fn hole(setting: Setting, scenario: Scenario) -> Option<&'static str> {
    by_server(setting, scenario).or_else(|| by_era(setting.era, scenario))
}

fn by_era(era: Era, scenario: Scenario) -> Option<&'static str> {
    match (era, scenario) {
        (Era::Modern, Scenario::LinkDone | Scenario::LinksFirst) => {
            Some("2026-07-28 has neither notifications/elicitation/complete nor -32042")
        }
        (Era::Legacy, Scenario::State) => Some("before 2026-07-28 there is no requestState"),
        (
            Era::Modern | Era::Legacy,
            Scenario::Form
            | Scenario::Link
            | Scenario::Rounds
            | Scenario::AtOnce
            | Scenario::Decline
            | Scenario::Cancel
            | Scenario::Prompt
            | Scenario::Resource
            | Scenario::Undeclared,
        )
        | (Era::Modern, Scenario::State)
        | (Era::Legacy, Scenario::LinkDone | Scenario::LinksFirst) => None,
    }
}

fn by_server(setting: Setting, scenario: Scenario) -> Option<&'static str> {
    match (setting.server, scenario) {
        (Server::Python | Server::TypeScript | Server::Rust, _) => None,
        (Server::Everything, _) if setting.era == Era::Modern => {
            Some("server-everything speaks 2025-11-25 only (SDK of that era)")
        }
        (Server::Everything, _) if setting.transport == Transport::Http => {
            Some("server-everything listens on all interfaces over HTTP, so it is run over stdio only")
        }
        (Server::Everything, Scenario::Rounds | Scenario::AtOnce) => {
            Some("server-everything has no tool that asks more than once")
        }
        (Server::Everything, Scenario::Prompt | Scenario::Resource) => {
            Some("no prompt or resource of server-everything asks")
        }
        (Server::Everything, Scenario::LinkDone) => {
            Some("server-everything never sends notifications/elicitation/complete")
        }
        (Server::Everything, Scenario::Undeclared) => {
            Some("server-everything does not offer what the client did not declare")
        }
        (
            Server::Everything,
            Scenario::Form
            | Scenario::Link
            | Scenario::Decline
            | Scenario::Cancel
            | Scenario::State
            | Scenario::LinksFirst,
        ) => None,
    }
}
