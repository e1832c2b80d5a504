//! What the window sees. Every text here has passed [`crate::text`]; ids and these models are all that crosses IPC.
//!
//! The UI never sees JSON Schema, a requestState, a token or an unvetted URL.

pub mod past;

use crate::form::{FieldInput, FormView, Review};
use crate::link::Inspection;
use crate::text;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        pub struct $name(pub u32);
    };
}

id!(
    /// One configured server, for as long as the app runs.
    ServerId
);
id!(
    /// One call, from its first request to its result.
    CallId
);
id!(
    /// One question of one round of one call.
    AskId
);

/// Everything in the two left panes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Grows with every change.
    pub revision: u32,
    pub servers: Vec<ServerRow>,
    /// Questions that wait for the person, oldest first.
    pub asks: Vec<AskRow>,
    /// Calls of this session, newest first.
    pub calls: Vec<CallRow>,
    /// Said once at the top of the window: a settings file that was set aside, and the like.
    pub notices: Vec<String>,
    pub keeping: KeepingView,
}

/// Whether questions, drafts and history outlive the app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct KeepingView {
    pub state: KeepingState,
    /// What is the matter, in a few sentences, where something is.
    pub words: Option<String>,
    /// What the person can do about it, the likeliest first.
    pub acts: Vec<KeepingAct>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum KeepingState {
    /// The key store is being asked.
    Opening,
    /// On the disk, with the key in the key store of the system.
    Kept,
    /// On the disk, with the key in a file beside.
    KeptByFile,
    /// In memory: it ends with the app.
    LostOnQuit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum KeepingAct {
    /// Look once more.
    TryAgain,
    /// Let the system ask for the password of its key store.
    Unlock,
    /// Keep the key in a file, which protects from other accounts of this computer only.
    UseKeyFile,
    /// Set the file aside, whose key is gone, and begin with a new one.
    BeginAnew,
    /// Go on without keeping anything.
    StayInMemory,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerRow {
    pub id: ServerId,
    /// The name the person gave.
    pub name: String,
    /// The origin, or the whole command.
    pub address: String,
    pub practice: bool,
    pub state: ServerState,
    /// One or two words: "connected", "cannot start".
    pub word: String,
    /// What is wrong and what to do, where something is.
    pub detail: Option<String>,
    /// The protocol revision in use.
    pub protocol: Option<String>,
    /// How the revision was found out, in words.
    pub found: Option<String>,
    /// Why there is no connection, where there is none.
    pub diagnosis: Option<Diagnosis>,
    /// The name that the server gives itself, a quoted chip.
    pub claims: Option<String>,
    /// What that name could be taken for, in words of the app.
    pub claims_note: Option<String>,
    /// Questions of this server that wait, without those that are held.
    pub waiting: u32,
    /// The person paused it: its questions are held.
    pub paused: bool,
}

/// Why a connection failed, each part in a sentence or two. Words of the server are quoted chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    pub tried: String,
    pub came_back: String,
    pub cause: String,
    pub todo: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    Connecting,
    Connected,
    NeedsSignIn,
    Failed,
}

/// What a server's page offers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerPage {
    pub server: ServerRow,
    /// Tools.
    pub actions: Vec<OfferRow>,
    /// Prompts.
    pub starters: Vec<OfferRow>,
    /// Resources and resource templates.
    pub documents: Vec<OfferRow>,
    /// Lists that could not be read, tools that were left out: in words.
    pub problems: Vec<String>,
    /// The last lines that a local server wrote to its log.
    pub log: Vec<String>,
}

/// One thing that can be called. Texts are the server's.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct OfferRow {
    /// The number of this offer; sent back to start it. A list that changed has other numbers.
    pub index: u32,
    pub title: String,
    /// The name or address that is sent, where it differs from the title.
    pub name: Option<String>,
    pub description: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    Action,
    Starter,
    Document,
    /// Not offered: a question that the server put by itself.
    Question,
}

/// How the arguments of a call are entered.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ArgumentsView {
    pub kind: OfferKind,
    pub title: String,
    pub description: Option<String>,
    /// The fields, where all of them can be drawn faithfully.
    pub form: Option<FormView>,
    /// Why there are no fields, in words; then JSON is the way.
    pub json_reason: Option<String>,
    /// A start for the JSON editor.
    pub json_template: String,
    /// The host or program that they go to.
    pub goes_to: String,
    /// The server proposes values for the fields.
    pub completes: bool,
}

/// What the server proposes for one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    pub values: Vec<Proposal>,
    /// The server has more than these.
    pub more: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// What is put into the field.
    pub text: String,
    /// The same, filtered.
    pub shown: String,
}

/// One row of the list of questions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AskRow {
    pub id: AskId,
    pub call: CallId,
    pub server: ServerId,
    pub server_name: String,
    pub practice: bool,
    pub kind: AskKind,
    /// The first line of the server's message, a quoted chip.
    pub first_line: String,
    /// RFC 3339, local.
    pub asked_at: String,
    pub phase: AskPhase,
    pub draft: bool,
    pub position: u32,
    pub of: u32,
    /// The oldest of the questions that are one row together with this one, where there are many alike.
    pub group: Option<AskId>,
    /// Its server is paused: it is neither announced nor counted, and cannot be answered.
    pub held: bool,
    /// "asked again (3rd time)", after the person declined.
    pub again: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    Form,
    Link,
    /// A question that cannot be drawn or opened.
    Unusable,
}

/// Where one question stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AskPhase {
    /// Nothing was decided yet.
    Waiting,
    /// The browser is being asked.
    Opening,
    /// The app ended while the browser was being asked: it may have opened.
    MayBeOpen,
    /// The browser could not be asked; nothing was sent.
    OpenFailed { reason: String },
    /// Decided, and travels when the others of its round are.
    Kept { action: Action },
    /// On its way to the server.
    Sending { action: Action },
    /// The link was opened; the server does not yet know it is done (or is being asked right now).
    InBrowser {
        /// A request is with the server at this moment.
        asking: bool,
        /// What became of the last try, where it failed.
        trouble: Option<String>,
        /// The server says that the page is done.
        finished: bool,
    },
    /// The answer reached the server.
    Delivered { action: Action },
    /// The answer did not leave this computer, or may have been lost; where no reason is here, the call says which.
    Undelivered { action: Action, reason: Option<String> },
    /// The server took the question back; nothing was sent.
    Withdrawn { reason: String },
    /// The call ended before an answer was given; nothing was sent.
    Closed { reason: String },
}

/// The three answers of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Accept,
    Decline,
    Cancel,
}

/// One question, whole.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AskView {
    pub id: AskId,
    /// Grows when anything on the card changes; sent back with every answer.
    pub revision: u32,
    pub server: ServerRow,
    /// "Added on 3 May; connected since 14:02".
    pub known_since: String,
    pub call: CallRow,
    pub message: ServerText,
    pub body: AskBody,
    pub phase: AskPhase,
    /// Its server is paused: nothing can be answered before it is resumed.
    pub held: bool,
    pub position: u32,
    pub of: u32,
    pub asked_at: String,
    /// The host or program that the answer goes to.
    pub goes_to: String,
    /// The app's own words: asked again after a decline, the cap, why there is no Send.
    pub notices: Vec<String>,
    /// What can be done now, in the order of the buttons.
    pub acts: Vec<Act>,
    /// The label of the accepting button: "Send answers", "Keep answer", "Send 3 answers".
    pub accept_label: Option<String>,
    /// What each answer will tell the server, a sentence each.
    pub consequences: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AskBody {
    Form {
        form: FormView,
        draft: Vec<FieldInput>,
        review: Review,
    },
    Link {
        inspection: Inspection,
        /// The page is served by the app's own practice server.
        practice_page: bool,
        /// Times that this very link was opened from here.
        opened: u32,
    },
    Unusable {
        /// Why, in words.
        reason: String,
        /// What the server sent, as text.
        raw: String,
    },
}

/// Words of a server, filtered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerText {
    pub text: String,
    /// Code points that are not in `text`.
    pub left_out: u32,
    /// The longer text behind "show all", where something was left out.
    pub whole: Option<String>,
}

impl ServerText {
    /// Filtered, cut for the first look, whole behind "show all".
    pub fn of(words: &str) -> Self {
        let first = text::block(words, text::MESSAGE);
        let whole = (first.left_out > 0).then(|| {
            let text::Filtered { mut text, left_out } = text::block(words, text::WHOLE);
            if left_out > 0 {
                text.push_str(&format!("\n… ({left_out} more characters are not shown)"));
            }
            text
        });
        Self {
            text: first.text,
            left_out: u32::try_from(first.left_out).unwrap_or(u32::MAX),
            whole,
        }
    }
}

/// Everything a person can do on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Send or keep the answers of a form.
    Accept,
    /// Consent to a link and open it, also again.
    Open,
    /// Tell the server `accept` once more without opening anything.
    CheckAgain,
    /// The same for a link whose address changed: "I already finished: check".
    AlreadyFinished,
    Decline,
    /// Sends `cancel`.
    Dismiss,
    /// `cancel`, worded for a card that waits for the browser.
    GiveUp,
    /// Take a kept answer back and change it.
    Edit,
    /// The same answer once more, after it did not arrive.
    SendAgain,
    DeclineAll,
    StopCall,
}

/// One row of the list of calls.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    pub id: CallId,
    pub server: ServerId,
    pub server_name: String,
    pub practice: bool,
    pub kind: OfferKind,
    /// The name of the tool, prompt or resource, a quoted chip.
    pub name: String,
    /// Arguments as chips.
    pub arguments: Vec<ArgumentChip>,
    pub initiator: Initiator,
    pub phase: CallPhase,
    /// The state in a few words.
    pub word: String,
    /// What happened and what to do, where something needs saying.
    pub detail: Option<String>,
    pub started_at: String,
    pub rounds: u32,
    pub progress: Option<ProgressView>,
    /// What can be done about the call now.
    pub acts: Vec<CallAct>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ArgumentChip {
    pub name: String,
    pub value: String,
}

/// Who started a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Initiator {
    Person,
    Program {
        name: String,
        request: String,
    },
    /// The server, by itself.
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallPhase {
    Sending,
    Asking,
    /// The server asks to be asked again; paced.
    Pacing,
    PausedAtCap,
    /// An answer or call did not leave this computer, or was refused before anything happened.
    NotDelivered,
    /// Sent, nothing heard back.
    Unknown,
    /// Its server is not where it was when it asked: nothing is sent.
    ServerMoved,
    Done,
    /// Finished, and the server says that it did not work.
    DoneWithError,
    Failed,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallAct {
    SendAgain,
    Leave,
    ContinueRounds,
    /// Put the server back to where it was when this call asked there.
    RestoreServer,
    /// From the beginning, as a new call.
    StartAgain,
    Stop,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    /// 0 to 100, where the server said how much there is.
    pub percent: Option<u32>,
    pub message: Option<String>,
}

/// How a call ended.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    pub call: CallRow,
    /// The app's own words about the result.
    pub notices: Vec<String>,
    pub parts: Vec<ResultPart>,
    /// The whole result as JSON, for Details.
    pub json: Option<String>,
}

/// One part of a result. Texts are the server's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ResultPart {
    Text {
        /// Of a prompt's message: "user" or "assistant".
        role: Option<String>,
        text: ServerText,
    },
    Image {
        role: Option<String>,
        media_type: String,
        /// Base64; only PNG, JPEG, GIF and WebP whose first bytes say the same.
        data: String,
    },
    Audio {
        role: Option<String>,
        media_type: String,
        data: String,
    },
    /// A link as plain text.
    Link {
        uri: String,
        title: Option<String>,
        description: Option<String>,
    },
    /// An embedded resource.
    Document {
        uri: String,
        media_type: Option<String>,
        text: Option<ServerText>,
        bytes: Option<u32>,
    },
    Structured {
        rows: Vec<StructuredRow>,
    },
    /// What this app cannot show, in words.
    Other {
        note: String,
    },
}

/// One line of structured data, indented by `depth`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StructuredRow {
    pub depth: u32,
    pub name: String,
    pub value: Option<String>,
}

/// What became of an attempt to answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Answered {
    /// The round is complete and on its way.
    Sent,
    /// Kept; this many questions of the round are still open.
    Kept {
        open: u32,
    },
    /// The browser was asked once more; nothing was sent.
    Opened,
    Invalid {
        errors: Vec<crate::form::FieldError>,
    },
    /// The card was not on the screen long enough.
    TooSoon {
        wait_ms: u32,
    },
    /// Another answer was first.
    AlreadyAnswered,
    /// The card changed since it was shown.
    Changed,
    /// The typed domain is not the one the link goes to.
    WrongDomain {
        message: String,
    },
    OpenFailed {
        reason: String,
    },
    /// This cannot be done to this question, or there is no such question.
    NotPossible {
        reason: String,
    },
}

/// A server to be added, as understood from what was pasted; nothing has started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerDraft {
    pub name: String,
    pub target: TargetDraft,
    /// Seconds that one request may take; a person's time never counts.
    pub timeout_seconds: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TargetDraft {
    Http {
        url: String,
        headers: Vec<NameValue>,
    },
    Stdio {
        command: String,
        args: Vec<String>,
        env: Vec<NameValue>,
        cwd: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NameValue {
    pub name: String,
    pub value: String,
}

/// What was understood from pasted text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerPreview {
    pub draft: ServerDraft,
    /// What was changed or deserves a look: blanks that were trimmed, a program that will run with your rights.
    pub notes: Vec<String>,
}

/// The arguments of a call as entered.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ArgumentsInput {
    Fields { fields: Vec<FieldInput> },
    Json { text: String },
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Started {
    Started {
        call: CallId,
    },
    Invalid {
        errors: Vec<crate::form::FieldError>,
    },
    /// The JSON cannot be used.
    BadJson {
        trouble: JsonTrouble,
    },
}

/// Where a text stops being the JSON that is needed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct JsonTrouble {
    /// From 1.
    pub line: u32,
    /// In code points, from 1.
    pub column: u32,
    /// A sentence that says what would be right.
    pub message: String,
}

/// What a text for arguments means, before anything is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ArgumentsReading {
    /// Why it cannot be sent.
    pub trouble: Option<JsonTrouble>,
    /// What does not fit the schema of the server, each "place: reason". It can be sent: the server is the judge.
    pub findings: Vec<String>,
    /// Why it was not compared with the schema.
    pub unchecked: Option<String>,
    /// The same as entries of the fields, where it can be.
    pub fields: Option<Vec<FieldInput>>,
    /// Why it cannot be shown in the fields, a sentence.
    pub no_fields: Option<String>,
}

/// The guard's answer to `shown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Armed {
    /// Accepting controls stay dead for this long.
    pub in_ms: u32,
}

/// What closing the app would end: sent with the event `closing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Unfinished {
    /// Questions that wait for the person.
    pub waiting: u32,
    /// Requests that are with a server.
    pub in_flight: u32,
}

/// Why a command could not be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub code: FailureCode,
    /// One or two sentences: what, where, what to do.
    pub message: String,
}

impl Failure {
    pub fn gone() -> Self {
        Self {
            code: FailureCode::Gone,
            message: "It is not there any more.".to_owned(),
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: FailureCode::Invalid,
            message: message.into(),
        }
    }

    pub fn settings(message: impl Into<String>) -> Self {
        Self {
            code: FailureCode::Settings,
            message: message.into(),
        }
    }

    pub fn not_possible(message: impl Into<String>) -> Self {
        Self {
            code: FailureCode::NotPossible,
            message: message.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// There is no such server, call, question or offer (any more).
    Gone,
    /// What was entered cannot be used.
    Invalid,
    /// The settings file could not be written.
    Settings,
    NotPossible,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_and_can_be_shown_whole() {
        let text = ServerText::of(&"x".repeat(5_000));
        assert_eq!((text.text.len(), text.left_out), (4_000, 1_000));
        assert_eq!(text.whole.map(|whole| whole.len()), Some(5_000));
        assert_eq!(ServerText::of("short").whole, None);
    }
}
