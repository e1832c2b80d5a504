use serde_json::{Value, json};

fn configuration() -> Value {
    serde_json::from_str(include_str!("../../tauri.conf.json")).expect("JSON")
}

#[test]
fn the_content_policy_lets_no_text_become_markup_or_script() {
    let configuration = configuration();
    let security = &configuration["app"]["security"];
    let policy = security["csp"].as_str().expect("a policy");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src ipc: http://ipc.localhost",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ] {
        assert!(
            policy.split("; ").any(|directive| directive == part),
            "{part} in {policy}"
        );
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(security["freezePrototype"], json!(true));
    assert_eq!(security["assetProtocol"]["enable"], json!(false));
    assert_eq!(configuration["app"]["withGlobalTauri"], json!(false));
    assert_eq!(
        configuration["app"]["windows"],
        json!([]),
        "the window is made in code, with its denials"
    );
}

#[test]
fn only_the_permissions_in_use_are_given() {
    let capability: Value =
        serde_json::from_str(include_str!("../../src-tauri/capabilities/main.json")).expect("JSON");
    assert_eq!(
        capability["permissions"],
        json!([
            "core:event:allow-listen",
            "core:event:allow-unlisten",
            "answer-asks"
        ])
    );
    assert_eq!(capability["windows"], json!(["main"]));
    assert!(capability.get("remote").is_none());
}

#[test]
fn a_release_has_no_developer_tools_and_no_plugin() {
    let manifest = include_str!("../../Cargo.toml");
    assert!(!manifest.contains("devtools"));
    assert!(!manifest.contains("tauri-plugin"));
}

#[test]
fn the_front_end_reaches_tauri_in_one_file() {
    let mut files = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("ui/src")];
    let mut found = Vec::new();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                std::fs::read_dir(&path)
                    .expect("a folder")
                    .map(|entry| entry.expect("an entry").path()),
            );
        } else if std::fs::read_to_string(&path).is_ok_and(|text| text.contains("@tauri-apps/")) {
            found.push(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    assert_eq!(found, [Some("backend.ts".to_owned())]);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "asks cargo for the tree of dependencies"
)]
fn the_core_depends_on_no_window() {
    for package in ["countersign-core", "countersign-cli", "countersign-practice"] {
        let tree = std::process::Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--prefix",
                "none",
                "--edges",
                "normal,build",
                "--package",
                package,
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo tree");
        let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
        assert!(tree.contains("tokio v"), "{package}: {tree}");
        let windows = ["tauri", "wry", "tao", "webkit", "gtk", "javascriptcore"];
        let found = tree
            .lines()
            .find(|line| windows.iter().any(|name| line.starts_with(name)));
        assert_eq!(found, None, "{package}");
    }
}
