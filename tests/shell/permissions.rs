use countersign_core::settings::Settings;
use countersign_desktop::closing::Closing;
use countersign_desktop::{commands, countersign};
use serde_json::{Value, json};
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{WebviewWindow, WebviewWindowBuilder};

const OWN: &str = if cfg!(windows) {
    "http://tauri.localhost"
} else {
    "tauri://localhost"
};

fn app() -> tauri::App<MockRuntime> {
    mock_builder()
        .invoke_handler(commands::handler())
        .manage(countersign(Settings::Memory))
        .manage(Closing::default())
        .build(tauri::generate_context!("tauri.conf.json", test = true))
        .expect("the app is built")
}

fn window(app: &tauri::App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, tauri::WebviewUrl::default())
        .build()
        .expect("a window")
}

fn invoke(
    window: &WebviewWindow<MockRuntime>,
    from: &str,
    command: &str,
    body: Value,
) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.to_owned(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: from.parse().expect("an address"),
        body: InvokeBody::Json(body),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize::<Value>().expect("JSON"))
}

fn listed() -> Vec<String> {
    let file = include_str!("../../src-tauri/permissions/app.toml");
    let list = file.split_once("commands.allow = [").expect("the list").1;
    list.split(']')
        .next()
        .unwrap()
        .split(',')
        .map(|word| word.trim().trim_matches('"').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

fn denied(answer: &Result<Value, Value>) -> bool {
    matches!(answer, Err(Value::String(words)) if words.contains("not allowed") || words.contains("not found"))
}

#[test]
fn the_window_may_use_every_listed_command() {
    let app = app();
    let main = window(&app, "main");
    let answer = invoke(&main, OWN, "snapshot", json!({ "args": {} })).expect("a snapshot");
    assert_eq!(answer["asks"], json!([]));
    for command in listed() {
        let answer = invoke(&main, OWN, &command, json!({ "args": { "no_such_field": 1 } }));
        let Err(Value::String(words)) = &answer else {
            panic!("{command} took an unknown field: {answer:?}")
        };
        assert!(
            words.contains("unknown field") || words.contains("missing field"),
            "{command}: {words}"
        );
    }
}

#[test]
fn no_other_window_and_no_other_origin_may_use_any() {
    let app = app();
    let (main, other) = (window(&app, "main"), window(&app, "other"));
    for command in listed() {
        let body = json!({ "args": {} });
        assert!(
            denied(&invoke(&other, OWN, &command, body.clone())),
            "{command} from another window"
        );
        assert!(
            denied(&invoke(&main, "https://evil.example", &command, body)),
            "{command} from a foreign page"
        );
    }
}

#[test]
fn nothing_of_tauri_itself_is_open_but_listening() {
    let app = app();
    let main = window(&app, "main");
    for command in [
        "plugin:event|emit",
        "plugin:event|emit_to",
        "plugin:image|from_path",
        "plugin:window|close",
        "plugin:window|create",
        "plugin:webview|create_webview_window",
        "plugin:webview|internal_toggle_devtools",
        "plugin:path|resolve_directory",
        "plugin:app|version",
        "plugin:shell|execute",
        "plugin:opener|open_url",
        "plugin:fs|read_text_file",
        "plugin:http|fetch",
        "no_such_command",
    ] {
        assert!(denied(&invoke(&main, OWN, command, json!({}))), "{command}");
    }
}

/// A link is opened by the id of its question: there is no way to hand in an address.
#[test]
fn no_command_takes_an_address_to_open() {
    let app = app();
    let main = window(&app, "main");
    let args = json!({ "ask": 1, "revision": 1, "act": "open", "inputs": null, "domain": null, "url": "https://evil.example" });
    let answer = invoke(&main, OWN, "act", json!({ "args": args }));
    assert!(
        matches!(&answer, Err(Value::String(words)) if words.contains("unknown field `url`")),
        "{answer:?}"
    );
}

/// Tauri hands a command its arguments by name and ignores others beside them; nothing reads those.
#[test]
fn keys_beside_args_have_no_reader() {
    let app = app();
    let main = window(&app, "main");
    let plain = invoke(&main, OWN, "snapshot", json!({ "args": {} }));
    let more = invoke(
        &main,
        OWN,
        "snapshot",
        json!({ "args": {}, "url": "https://evil.example", "app": 1 }),
    );
    assert!(plain.is_ok(), "{plain:?}");
    assert_eq!(plain, more);
}
