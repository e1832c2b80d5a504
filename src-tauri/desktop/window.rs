//! The window, and what it must not do.

use crate::arrivals::{self, Attention};
use crate::closing::{Closing, End};
use crate::{commands, countersign, instance, page, practice};
use countersign_core::app::Countersign;
use countersign_core::settings::Settings;
use countersign_core::store::StoreError;
use countersign_core::store::keys::{Keys, system};
use countersign_core::store::place::Place;
use countersign_core::view::Unfinished;
use std::path::{Path, PathBuf};
use tauri::webview::NewWindowResponse;
use tauri::{Emitter, Manager, RunEvent, WebviewUrl, WebviewWindowBuilder, WindowEvent};

/// Something changed; the payload is the revision.
const CHANGED: &str = "changed";
/// The person wants to close the window while something is unfinished; the payload says what.
const CLOSING: &str = "closing";
pub(crate) const MAIN: &str = "main";

/// The data folder, and whether it could be taken.
pub(crate) type Kept = (PathBuf, Result<Place, StoreError>);

/// Opens the window and runs until it is closed.
///
/// # Errors
/// What Tauri says when no window can be made.
pub(crate) fn run(settings: Settings, kept: Option<Kept>) -> tauri::Result<()> {
    let app = page::hears(tauri::Builder::default())
        .invoke_handler(commands::handler())
        .setup(move |tauri| {
            let handle = tauri.handle().clone();
            let app = tauri::async_runtime::block_on(async {
                let app = countersign(settings);
                practice::add(&app).await;
                if let Some((folder, taken)) = kept {
                    keep(&handle, &app, &folder, taken);
                }
                app.connect_all();
                app
            });
            tauri.manage(app.clone());
            tauri.manage(Closing::default());
            tauri.manage(End::default());
            tauri.manage(Attention::default());
            tauri::async_runtime::spawn(announce(handle.clone(), app.clone()));
            open(&handle)?;
            tauri::async_runtime::spawn(arrivals::watch(handle, app));
            Ok(())
        })
        .build(tauri::generate_context!())?;
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the events of Tauri are open-ended"
    )]
    app.run(|handle, event| {
        // Where the setup failed, there is none.
        let Some(app) = handle.try_state::<Countersign>() else {
            return;
        };
        match event {
            RunEvent::WindowEvent { event, .. } => match event {
                WindowEvent::CloseRequested { api, .. } => {
                    let unfinished = app.inbox().unfinished();
                    if unfinished != Unfinished::default() && handle.state::<Closing>().ask() {
                        api.prevent_close();
                        // Without a page to ask, the next try to close goes through.
                        let _ = handle.emit_to(MAIN, CLOSING, unfinished);
                    }
                }
                WindowEvent::Focused(true) => {
                    app.inbox().rearm();
                    handle.state::<Attention>().is_here();
                }
                WindowEvent::Moved(_) | WindowEvent::Resized(_) => app.inbox().rearm(),
                _ => {}
            },
            RunEvent::ExitRequested { api, .. } => End::requested(handle, &api),
            RunEvent::Exit => End::now(handle),
            _ => {}
        }
    });
    Ok(())
}

/// Opens the file of the folder; the key store is asked while the window is there already.
fn keep(handle: &tauri::AppHandle, app: &Countersign, folder: &Path, taken: Result<Place, StoreError>) {
    if taken.is_ok() {
        let handle = handle.clone();
        instance::listen(folder, move || is_shown(&handle));
    }
    app.keep_at(folder, taken, Keys::new(system()));
    let app = app.clone();
    tauri::async_runtime::spawn(async move { app.find_key().await });
}

/// The person started the app once more, or clicked on a notification: that is their word to bring the window to the front.
/// False where there is no window, or none any more.
pub(crate) fn show(handle: &tauri::AppHandle) -> bool {
    let Some(window) = handle.get_webview_window(MAIN) else {
        return false;
    };
    let shown = window.unminimize().and_then(|()| window.show());
    // A window that cannot be shown is there all the same.
    let _ = shown.and_then(|()| window.set_focus());
    true
}

/// Shows the window and waits for it. An app that is ending no longer comes to it; who asked hears of its end.
fn is_shown(handle: &tauri::AppHandle) -> bool {
    let (shown, is_shown) = std::sync::mpsc::channel();
    let inside = handle.clone();
    let asked = handle.run_on_main_thread(move || {
        let _ = shown.send(show(&inside));
    });
    asked.is_ok() && is_shown.recv().unwrap_or(false)
}

fn open(handle: &tauri::AppHandle) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(handle, MAIN, WebviewUrl::default())
        .title("Countersign")
        .inner_size(1180.0, 780.0)
        .min_inner_size(480.0, 400.0)
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .disable_drag_drop_handler()
        .build()?;
    page::outlive(&window)
}

/// The app's own origin, and nothing else: `tauri://localhost`, on Windows `http(s)://tauri.localhost`.
pub(crate) fn is_own_page(url: &tauri::Url) -> bool {
    match (url.scheme(), url.host_str()) {
        ("tauri", Some("localhost")) => true,
        ("http" | "https", Some("tauri.localhost")) => cfg!(windows),
        ("http", Some("localhost")) => cfg!(dev) && url.port() == Some(5173),
        _ => false,
    }
}

/// Tells the window that something changed, as often as it does but never twice for one change.
async fn announce(handle: tauri::AppHandle, app: Countersign) {
    let (mut servers, mut calls) = (app.changes(), app.inbox().changes());
    loop {
        let more = tokio::select! {
            more = servers.changed() => more,
            more = calls.changed() => more,
        };
        // Without a window there is nobody to tell; it asks for everything when it opens.
        if more.is_err() || handle.emit_to(MAIN, CHANGED, app.revision()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_page_is_shown() {
        let own = |url: &str| is_own_page(&url.parse().expect(url));
        assert!(own("tauri://localhost/index.html"));
        for foreign in [
            "https://evil.example/",
            "http://localhost:5174/",
            "tauri://evil/",
            "data:text/html,x",
            "file:///etc/hosts",
            "blob:tauri://localhost/1",
            "javascript:1",
            "about:blank",
        ] {
            assert!(!own(foreign), "{foreign}");
        }
    }
}
