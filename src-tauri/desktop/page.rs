//! The process that draws the page. Where it dies, the page is loaded anew; all that matters is behind the window, drafts
//! as they were typed.
//!
//! Promises: nothing is answered by it, and the guard starts over with the new page. A page that dies [`DEATHS`] times in one
//! run is left blank: loading it again would not help. `WebView2` does this by itself.

/// How often the page is loaded anew in one run.
#[cfg(not(windows))]
const DEATHS: usize = 20;

/// The page in the app.
#[cfg(not(any(windows, target_os = "macos")))]
const PAGE: &str = "tauri://localhost/";

#[cfg(not(any(windows, target_os = "macos")))]
pub(crate) fn outlive(window: &tauri::WebviewWindow) -> tauri::Result<()> {
    use crate::window::is_own_page;
    use webkit2gtk::WebViewExt;
    window.with_webview(|webview| {
        let deaths = std::cell::Cell::new(0);
        webview.inner().connect_web_process_terminated(move |view, _| {
            deaths.set(deaths.get() + 1);
            if deaths.get() <= DEATHS {
                // One that died before it was there has no address to be loaded from again.
                let own = view
                    .uri()
                    .filter(|uri| uri.parse().is_ok_and(|uri| is_own_page(&uri)));
                view.load_uri(own.as_deref().unwrap_or(PAGE));
            }
        });
    })
}

#[cfg(any(windows, target_os = "macos"))]
#[expect(clippy::unnecessary_wraps, reason = "as on the other systems")]
pub(crate) fn outlive(_: &tauri::WebviewWindow) -> tauri::Result<()> {
    Ok(())
}

/// The same where Tauri hears of it.
#[cfg(target_os = "macos")]
pub(crate) fn hears<R: tauri::Runtime>(builder: tauri::Builder<R>) -> tauri::Builder<R> {
    let deaths = std::sync::atomic::AtomicUsize::new(0);
    builder.on_web_content_process_terminate(move |webview| {
        if deaths.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < DEATHS {
            // A page that cannot be loaded stays blank.
            let _ = webview.reload();
        }
    })
}

#[cfg(not(target_os = "macos"))]
pub(crate) fn hears<R: tauri::Runtime>(builder: tauri::Builder<R>) -> tauri::Builder<R> {
    builder
}
