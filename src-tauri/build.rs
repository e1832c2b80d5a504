//! Tells Tauri where capabilities and permissions are, and lets a fresh clone build without the front end.

#![expect(clippy::expect_used, reason = "a build that cannot go on must stop")]

fn main() {
    // `generate_context!` embeds ui/dist; an empty one lets everything but the window itself be built and tested.
    let dist = std::path::Path::new("ui/dist");
    if !dist.exists() {
        std::fs::create_dir_all(dist).expect("ui/dist can be made");
    }
    for path in [
        "src-tauri/capabilities",
        "src-tauri/permissions",
        "ui/dist",
        "tauri.conf.json",
    ] {
        println!("cargo:rerun-if-changed={path}");
    }
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/*.json")
        .app_manifest(
            tauri_build::AppManifest::new().permissions_path_pattern("src-tauri/permissions/*.toml"),
        );
    tauri_build::try_build(attributes).expect("the Tauri configuration is sound");
}
