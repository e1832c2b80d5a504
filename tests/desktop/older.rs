//! A server of 2025-11-25, which asks while a call runs: the same cards, and its own way for the answer.

use crate::harness::{DELIVERED, Window};
use serde_json::{Value, json};
use std::path::Path;

/// server-everything over stdio, which speaks nothing newer.
fn everything() -> Value {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join(
        "tests/interop/servers/typescript/node_modules/@modelcontextprotocol/server-everything/dist/index.js",
    );
    assert!(server.exists(), "run tests/interop/servers/setup.sh");
    json!({ "kind": "stdio", "command": "node", "args": [server, "stdio"], "env": [], "cwd": null })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_server_asks_by_form_in_the_same_window() {
    let window = Window::open(&[("Everything", everything())]).await;
    window.start("Everything", "Trigger Elicitation Request").await;
    window
        .wait_for_text(
            "[data-testid=server-page], [data-testid=start-card]",
            "Everything",
        )
        .await;
    window.run().await;
    window.open_ask().await;
    window
        .type_into("[data-testid=card] [data-field='0'] input", "Ann")
        .await;
    window.send().await;
    window.find(DELIVERED).await;
    window.open_call("done").await;
    let result = window.result().await;
    assert!(result.contains("Ann"), "{result}");
    window.open_server("Everything").await;
    let shown = window.wait_for_text("[data-testid=protocol]", "2025-11-25").await;
    assert!(shown.contains("2025-11-25"), "{shown}");
    window.click("[data-testid=protocol] summary").await;
    window
        .wait_for_text("[data-testid=protocol]", "server/discover")
        .await;
    window.close().await;
}
