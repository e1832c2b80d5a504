//! The TypeScript types of everything that crosses IPC, generated into `ui/src/lib/wire.ts`, which is committed.
//! `COUNTERSIGN_BLESS=1 cargo test -p countersign-core bindings` writes the file; without it a stale file fails.

use crate::{form, link, view};
use std::path::Path;
use ts_rs::{Config, TS};

macro_rules! declarations {
    ($($type:ty),* $(,)?) => {{
        let config = Config::default();
        let mut out = String::from(
            "// Generated from src-tauri/core by `cargo test -p countersign-core bindings`; do not edit.\n",
        );
        $(
            out.push_str("\nexport ");
            out.push_str(&<$type as TS>::decl(&config));
            out.push('\n');
        )*
        out
    }};
}

fn generated() -> String {
    declarations!(
        view::ServerId,
        view::CallId,
        view::AskId,
        view::Snapshot,
        view::KeepingView,
        view::KeepingState,
        view::KeepingAct,
        view::ServerRow,
        view::ServerState,
        view::Diagnosis,
        view::ServerPage,
        view::OfferRow,
        view::OfferKind,
        view::ArgumentsView,
        view::Completion,
        view::Proposal,
        view::AskRow,
        view::AskKind,
        view::AskPhase,
        view::Action,
        view::AskView,
        view::AskBody,
        view::ServerText,
        view::Act,
        view::CallRow,
        view::ArgumentChip,
        view::Initiator,
        view::CallPhase,
        view::CallAct,
        view::ProgressView,
        view::ResultView,
        view::ResultPart,
        view::StructuredRow,
        view::Answered,
        view::ServerDraft,
        view::TargetDraft,
        view::NameValue,
        view::ServerPreview,
        view::ArgumentsInput,
        view::Started,
        view::JsonTrouble,
        view::ArgumentsReading,
        view::Armed,
        view::Failure,
        view::Unfinished,
        view::FailureCode,
        view::past::HistoryAsked,
        view::past::HistoryShow,
        view::past::HistoryKind,
        view::past::HistoryPage,
        view::past::HistoryRow,
        view::past::HistoryEntry,
        view::past::HistoryLink,
        view::past::HistoryStep,
        view::past::HistoryValue,
        view::past::ExportFormat,
        view::past::Exported,
        view::past::Verification,
        view::past::Choices,
        view::past::Retention,
        form::FormView,
        form::FieldView,
        form::FieldGuard,
        form::GuardLevel,
        form::GuardedValue,
        form::Control,
        form::EntryControl,
        form::TextLimits,
        form::NumberLimits,
        form::TextFormat,
        form::OptionView,
        form::Input,
        form::FieldInput,
        form::Review,
        form::ReviewItem,
        form::FieldError,
        form::FieldErrorCode,
        form::Moment,
        form::MomentTime,
        form::Zones,
        link::Inspection,
        link::Verdict,
        link::Finding,
        link::FindingCode,
    )
}

#[test]
fn bindings_are_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/lib/wire.ts");
    let fresh = generated();
    if std::env::var_os("COUNTERSIGN_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("ui/src/lib");
        std::fs::write(&path, &fresh).expect("wire.ts is written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == fresh,
        "ui/src/lib/wire.ts is stale: COUNTERSIGN_BLESS=1 cargo test -p countersign-core bindings"
    );
}
