//! What the window can ask for. Every command takes one struct `args` that denies unknown fields: ids and raw input,
//! never an address to open, never a schema, never a state.

#![expect(clippy::needless_pass_by_value, reason = "Tauri hands a command owned values")]

use crate::closing::Closing;
use countersign_core::app::Countersign;
use countersign_core::form::{FieldInput, Moment, Review, Zones};
use countersign_core::view::past::{
    Choices, ExportFormat, Exported, HistoryAsked, HistoryEntry, HistoryPage, Verification,
};
use countersign_core::view::{
    Act, Answered, ArgumentsInput, ArgumentsReading, ArgumentsView, Armed, AskId, AskView, CallAct, CallId,
    Completion, Failure, KeepingAct, OfferKind, ResultView, ServerDraft, ServerId, ServerPage, ServerPreview,
    Snapshot, Started,
};
use serde::Deserialize;
use tauri::{Runtime, State, ipc::Invoke};

/// Every command of `permissions/app.toml`, and no other.
pub fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        snapshot,
        server_page,
        preview_server,
        add_server,
        remove_server,
        reconnect_server,
        pause_server,
        arguments,
        check_arguments,
        write_arguments,
        read_arguments,
        zones,
        moment,
        complete,
        start_call,
        ask,
        draft,
        shown,
        act,
        call,
        act_on_call,
        act_on_keeping,
        forget_call,
        history,
        history_entry,
        export_history,
        verify_history,
        choices,
        choose,
        close,
    ]
}

/// No arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfServer {
    server: ServerId,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pausing {
    server: ServerId,
    paused: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfOffer {
    server: ServerId,
    kind: OfferKind,
    index: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pasted {
    pasted: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    draft: ServerDraft,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckArguments {
    server: ServerId,
    kind: OfferKind,
    index: u32,
    fields: Vec<FieldInput>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArguments {
    server: ServerId,
    kind: OfferKind,
    index: u32,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadMoment {
    text: String,
    zone: String,
    /// An offset in the text gives way to the zone.
    replace: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Completing {
    server: ServerId,
    kind: OfferKind,
    index: u32,
    field: u32,
    inputs: Vec<FieldInput>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartCall {
    server: ServerId,
    kind: OfferKind,
    index: u32,
    arguments: ArgumentsInput,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfAsk {
    ask: AskId,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskDraft {
    ask: AskId,
    inputs: Vec<FieldInput>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shown {
    ask: AskId,
    revision: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActOnAsk {
    ask: AskId,
    revision: u32,
    act: Act,
    inputs: Option<Vec<FieldInput>>,
    domain: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfCall {
    call: CallId,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActOnCall {
    call: CallId,
    act: CallAct,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActOnKeeping {
    act: KeepingAct,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfHistory {
    asked: HistoryAsked,
    before: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfEntry {
    number: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Export {
    asked: HistoryAsked,
    format: ExportFormat,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choosing {
    choices: Choices,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Close {
    quit: bool,
}

type App<'a> = State<'a, Countersign>;

#[tauri::command]
pub(crate) fn snapshot(app: App<'_>, args: Nothing) -> Snapshot {
    let Nothing {} = args;
    app.snapshot()
}

#[tauri::command]
pub(crate) async fn server_page(app: App<'_>, args: OfServer) -> Result<ServerPage, Failure> {
    app.server_page(args.server).await
}

#[tauri::command]
pub(crate) fn preview_server(args: Pasted) -> Result<ServerPreview, Failure> {
    Countersign::preview_server(&args.pasted)
}

#[tauri::command]
pub(crate) async fn add_server(app: App<'_>, args: Draft) -> Result<ServerId, Failure> {
    app.add_server(args.draft)
}

#[tauri::command]
pub(crate) async fn remove_server(app: App<'_>, args: OfServer) -> Result<(), Failure> {
    app.remove_server(args.server)
}

#[tauri::command]
pub(crate) async fn reconnect_server(app: App<'_>, args: OfServer) -> Result<(), Failure> {
    app.connect(args.server);
    Ok(())
}

#[tauri::command]
pub(crate) async fn pause_server(app: App<'_>, args: Pausing) -> Result<(), Failure> {
    app.pause_server(args.server, args.paused)
}

#[tauri::command]
pub(crate) fn arguments(app: App<'_>, args: OfOffer) -> Result<ArgumentsView, Failure> {
    app.arguments(args.server, args.kind, args.index)
}

#[tauri::command]
pub(crate) fn check_arguments(app: App<'_>, args: CheckArguments) -> Result<Review, Failure> {
    app.check_arguments(args.server, args.kind, args.index, &args.fields)
}

#[tauri::command]
pub(crate) fn write_arguments(app: App<'_>, args: CheckArguments) -> Result<String, Failure> {
    app.write_arguments(args.server, args.kind, args.index, &args.fields)
}

#[tauri::command]
pub(crate) async fn read_arguments(app: App<'_>, args: ReadArguments) -> Result<ArgumentsReading, Failure> {
    app.read_arguments(args.server, args.kind, args.index, &args.text)
        .await
}

#[tauri::command]
pub(crate) fn zones(app: App<'_>, args: Nothing) -> Zones {
    let Nothing {} = args;
    app.zones()
}

#[tauri::command]
pub(crate) fn moment(args: ReadMoment) -> Moment {
    Countersign::moment(&args.text, &args.zone, args.replace)
}

#[tauri::command]
pub(crate) async fn complete(app: App<'_>, args: Completing) -> Result<Completion, Failure> {
    app.complete(args.server, args.kind, args.index, args.field, &args.inputs)
        .await
}

#[tauri::command]
pub(crate) async fn start_call(app: App<'_>, args: StartCall) -> Result<Started, Failure> {
    app.start_call(args.server, args.kind, args.index, &args.arguments)
}

#[tauri::command]
pub(crate) fn ask(app: App<'_>, args: OfAsk) -> Result<AskView, Failure> {
    app.ask(args.ask)
}

#[tauri::command]
pub(crate) fn draft(app: App<'_>, args: AskDraft) -> Result<Review, Failure> {
    app.inbox().draft(args.ask, args.inputs).ok_or_else(Failure::gone)
}

#[tauri::command]
pub(crate) fn shown(app: App<'_>, args: Shown) -> Result<Armed, Failure> {
    app.inbox()
        .shown(args.ask, args.revision)
        .ok_or_else(Failure::gone)
}

#[tauri::command]
pub(crate) async fn act(app: App<'_>, args: ActOnAsk) -> Result<Answered, Failure> {
    let ActOnAsk {
        ask,
        revision,
        act,
        inputs,
        domain,
    } = args;
    Ok(app.inbox().act(ask, revision, act, inputs, domain).await)
}

#[tauri::command]
pub(crate) async fn call(app: App<'_>, args: OfCall) -> Result<ResultView, Failure> {
    app.inbox().result(args.call).ok_or_else(Failure::gone)
}

#[tauri::command]
pub(crate) async fn act_on_call(app: App<'_>, args: ActOnCall) -> Result<(), Failure> {
    app.act_on_call(args.call, args.act)
}

#[tauri::command]
pub(crate) async fn act_on_keeping(app: App<'_>, args: ActOnKeeping) -> Result<(), Failure> {
    app.act_on_keeping(args.act).await
}

#[tauri::command]
pub(crate) async fn forget_call(app: App<'_>, args: OfCall) -> Result<(), Failure> {
    app.forget_call(args.call).await
}

#[tauri::command]
pub(crate) async fn history(app: App<'_>, args: OfHistory) -> Result<HistoryPage, Failure> {
    app.history(args.asked, args.before).await
}

#[tauri::command]
pub(crate) async fn history_entry(app: App<'_>, args: OfEntry) -> Result<HistoryEntry, Failure> {
    app.history_entry(args.number).await
}

/// Into the person's folder for downloads.
#[tauri::command]
pub(crate) async fn export_history(app: App<'_>, args: Export) -> Result<Exported, Failure> {
    app.export_history(args.asked, args.format, None).await
}

#[tauri::command]
pub(crate) async fn verify_history(app: App<'_>, args: Nothing) -> Result<Verification, Failure> {
    let Nothing {} = args;
    app.verify_history(app.anchored().await).await
}

#[tauri::command]
pub(crate) fn choices(app: App<'_>, args: Nothing) -> Choices {
    let Nothing {} = args;
    app.choices()
}

#[tauri::command]
pub(crate) async fn choose(app: App<'_>, args: Choosing) -> Result<Choices, Failure> {
    app.choose(args.choices).await
}

/// The person's word on closing the app while something is unfinished.
#[tauri::command]
pub(crate) fn close<R: Runtime>(handle: tauri::AppHandle<R>, closing: State<'_, Closing>, args: Close) {
    if args.quit {
        handle.exit(0);
    } else {
        closing.keep_open();
    }
}
