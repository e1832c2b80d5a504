use crate::harness::Window;
use std::path::PathBuf;

/// `make demo` without a display: the first question of a practice server.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "made by `make demo`"]
async fn demo() {
    let Some(path) = std::env::var_os("COUNTERSIGN_DEMO").map(PathBuf::from) else {
        return;
    };
    let window = Window::open(&[]).await;
    window.click("[data-testid=first-question]").await;
    window.find("[data-testid=start-card]").await;
    window.picture_to(&path).await;
    window.close().await;
}
