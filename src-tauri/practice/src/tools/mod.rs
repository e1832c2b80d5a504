//! The tools to rehearse with, one file each. What they are called and what they need stands here.

mod busy;
mod connect_account;
mod everything_form;
mod fails;
mod guided_setup;
mod how_it_reacts;
mod plan_deployment;
mod show_results;
mod slow_task;
mod three_questions;

use crate::json::json;
use crate::message::{Fault, Modes};
use crate::rounds::{Outcome, Retry};
use crate::server::{Notes, Place, Practice};
use countersign_core::wire::json::{Json, Members};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    PlanDeployment,
    ConnectAccount,
    GuidedSetup,
    ThreeQuestions,
    HowItReacts,
    SlowTask,
    Busy,
    EverythingForm,
    ShowResults,
    Fails,
}

/// One `tools/call`, first request or retry.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) practice: &'a Practice,
    pub(crate) arguments: Members,
    pub(crate) retry: Retry,
    pub(crate) progress_token: Option<Json>,
    pub(crate) notes: &'a Notes,
}

impl Tool {
    /// In the order of the list.
    pub(crate) fn offered(place: &Place) -> &'static [Self] {
        match place {
            Place::Desk { .. } => &[
                Self::PlanDeployment,
                Self::ConnectAccount,
                Self::GuidedSetup,
                Self::ThreeQuestions,
                Self::HowItReacts,
                Self::SlowTask,
                Self::Busy,
                Self::EverythingForm,
                Self::ShowResults,
                Self::Fails,
            ],
            Place::Workshop => &[
                Self::PlanDeployment,
                Self::ThreeQuestions,
                Self::HowItReacts,
                Self::EverythingForm,
                Self::SlowTask,
                Self::Busy,
                Self::Fails,
            ],
        }
    }

    /// # Errors
    /// [`Fault::Params`] when this server offers no such tool.
    pub(crate) fn named(name: &str, place: &Place) -> Result<Self, Fault> {
        Self::offered(place)
            .iter()
            .find(|tool| tool.name() == name)
            .copied()
            .ok_or_else(|| Fault::Params(format!("there is no tool {name}")))
    }

    /// The entry in `tools/list`.
    pub(crate) fn offer(self) -> Json {
        json!({
            "name": (self.name()),
            "title": (self.title()),
            "description": (self.description()),
            "inputSchema": (self.input_schema()),
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    }

    pub(crate) fn needs(self, place: &Place) -> Modes {
        let (form, link) = match self {
            Self::PlanDeployment | Self::HowItReacts | Self::EverythingForm => (true, false),
            Self::ConnectAccount => (false, true),
            Self::GuidedSetup => (true, true),
            Self::ThreeQuestions => (true, matches!(place, Place::Desk { .. })),
            Self::SlowTask | Self::Busy | Self::ShowResults | Self::Fails => (false, false),
        };
        Modes { form, link }
    }

    pub(crate) fn reports_progress(self) -> bool {
        matches!(self, Self::SlowTask)
    }

    /// # Errors
    /// [`Fault::Params`] for a state or answers that do not belong to this call.
    pub(crate) async fn run(self, call: Call<'_>) -> Result<Outcome, Fault> {
        match self {
            Self::PlanDeployment => plan_deployment::run(call),
            Self::ConnectAccount => connect_account::run(call),
            Self::GuidedSetup => guided_setup::run(call),
            Self::ThreeQuestions => three_questions::run(call),
            Self::HowItReacts => how_it_reacts::run(call),
            Self::SlowTask => slow_task::run(call).await,
            Self::Busy => busy::run(call),
            Self::EverythingForm => everything_form::run(call),
            Self::ShowResults => show_results::run(call),
            Self::Fails => fails::run(call),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::PlanDeployment => "plan_deployment",
            Self::ConnectAccount => "connect_account",
            Self::GuidedSetup => "guided_setup",
            Self::ThreeQuestions => "three_questions",
            Self::HowItReacts => "how_it_reacts",
            Self::SlowTask => "slow_task",
            Self::Busy => "busy",
            Self::EverythingForm => "everything_form",
            Self::ShowResults => "show_results",
            Self::Fails => "fails",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::PlanDeployment => "Plan a deployment",
            Self::ConnectAccount => "Connect an account",
            Self::GuidedSetup => "Guided setup",
            Self::ThreeQuestions => "Three questions at once",
            Self::HowItReacts => "How a server reacts",
            Self::SlowTask => "Take your time",
            Self::Busy => "Come back later",
            Self::EverythingForm => "Every kind of field",
            Self::ShowResults => "Every kind of result",
            Self::Fails => "A call that fails",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::PlanDeployment => "Asks for the details of a deployment that will never take place.",
            Self::ConnectAccount => "Asks you to open a practice page, and waits until you have been there.",
            Self::GuidedSetup => "Three steps: a form, a link, and a form that depends on the first.",
            Self::ThreeQuestions => "Asks three things in one round; they are answered together.",
            Self::HowItReacts => "Send, decline or dismiss its question and see what the server makes of it.",
            Self::SlowTask => "Asks nothing, works for a while and says how far it is. Can be cancelled.",
            Self::Busy => "Asks nothing, but tells the app twice to come back.",
            Self::EverythingForm => "One form with each kind of field that a server may ask for.",
            Self::ShowResults => {
                "Asks nothing and returns text, a picture, a sound, links and structured data."
            }
            Self::Fails => "Asks nothing and reports that it failed.",
        }
    }

    fn input_schema(self) -> Json {
        match self {
            Self::PlanDeployment => plan_deployment::input_schema(),
            Self::ConnectAccount
            | Self::GuidedSetup
            | Self::ThreeQuestions
            | Self::HowItReacts
            | Self::SlowTask
            | Self::Busy
            | Self::EverythingForm
            | Self::ShowResults
            | Self::Fails => json!({"type": "object", "properties": {}}),
        }
    }
}
