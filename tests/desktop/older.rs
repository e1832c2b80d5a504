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

/// A program of 2025-11-25 that does one thing after the other when a file says so: see `program.py`.
struct Scripted {
    folder: tempfile::TempDir,
}

impl Scripted {
    fn new(plan: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("plan.json"), plan.to_string()).expect("written");
        Self { folder }
    }

    fn target(&self) -> Value {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/engine/program.py");
        let args = [
            fixture,
            self.folder.path().join("plan.json"),
            self.folder.path().join("heard"),
        ];
        json!({ "kind": "stdio", "command": "python3", "args": args, "env": [], "cwd": null })
    }

    /// Lets it go on from its `await` of this name.
    fn lets(&self, name: &str) {
        std::fs::write(self.folder.path().join(name), "").expect("written");
    }
}

fn message(mut content: Value) -> Value {
    content["jsonrpc"] = json!("2.0");
    // Ids stand in the plan as text that becomes what was kept.
    let line = content.to_string();
    let line = ["@id", "@ask", "@page", "@done"]
        .iter()
        .fold(line, |line, name| line.replace(&format!("\"{name}\""), name));
    json!({ "out": line })
}

fn asks(id: &str, params: &Value) -> Value {
    message(json!({ "id": id, "method": "elicitation/create", "params": params }))
}

fn done(id: &str) -> Value {
    message(json!({ "id": id, "result": { "content": [{ "type": "text", "text": "done" }] } }))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_older_server_takes_back_finishes_or_asks_by_itself_is_told_in_the_window() {
    let name =
        json!({ "type": "object", "properties": { "name": { "type": "string", "title": "Your name" } } });
    let tool = |name: &str, title: &str| json!({ "name": name, "title": title, "inputSchema": { "type": "object" } });
    let program = Scripted::new(&json!({ "on": {
        "server/discover": [[message(json!({ "id": "@id", "error": { "code": -32601, "message": "no" } }))]],
        "initialize": [[message(json!({ "id": "@id", "result": {
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {}, "prompts": {}, "completions": {} },
            "serverInfo": { "name": "desk", "version": "1" }
        } }))]],
        "tools/list": [[message(json!({ "id": "@id", "result": { "tools": [
            tool("ask", "Ask for a name"), tool("page", "Ask for a page"), tool("done", "Do it")
        ] } }))]],
        "prompts/list": [[message(json!({ "id": "@id", "result": { "prompts": [
            { "name": "greet", "title": "Greet somebody", "arguments": [{ "name": "who", "required": true }] }
        ] } }))]],
        "completion/complete": [[message(json!({ "id": "@id", "result": {
            "completion": { "values": ["Ann", "Anne", "Annette"], "hasMore": true, "total": 12 }
        } }))]],
        "tools/call": [
            [
                { "keep": "ask" },
                asks("q-1", &json!({ "message": "What is your name?", "requestedSchema": name })),
                { "await": "take-back" },
                message(json!({ "method": "notifications/cancelled",
                    "params": { "requestId": "q-1", "reason": "no longer needed" } })),
                { "await": "end" },
                done("@ask")
            ],
            [
                { "keep": "page" },
                asks("q-2", &json!({ "mode": "url", "message": "Please pay here.",
                    "url": "https://pay.example.com/start", "elicitationId": "e-1" }))
            ],
            [
                done("@id"),
                asks("q-3", &json!({ "message": "By the way, who are you?", "requestedSchema": name }))
            ]
        ],
        "": [[
            { "await": "finish" },
            message(json!({ "method": "notifications/elicitation/complete", "params": { "elicitationId": "e-1" } })),
            { "await": "result" },
            done("@page")
        ], []]
    } }));
    let window = Window::open(&[("Desk", program.target())]).await;

    window.start("Desk", "Ask for a name").await;
    window.run().await;
    window.open_ask().await;
    window
        .type_into("[data-testid=card] [data-field='0'] input", "Ada")
        .await;
    program.lets("take-back");
    window.find("[data-testid=card][data-phase=withdrawn]").await;
    let card = window.text("[data-testid=card]").await;
    assert!(card.contains("no longer needed"), "{card}");
    assert!(card.contains("Nothing was sent"), "{card}");
    let kept = window
        .script("return document.querySelector(\"[data-testid=card] [data-field='0'] input\").value")
        .await;
    assert_eq!(kept, json!("Ada"), "what was typed can be read");
    program.lets("end");

    window.start("Desk", "Ask for a page").await;
    window.run().await;
    window.open_ask().await;
    window.press("open").await;
    window.find("[data-testid=card][data-phase=in_browser]").await;
    program.lets("finish");
    window
        .wait_for_text("[data-testid=card]", "says that the page is done")
        .await;
    program.lets("result");
    assert_eq!(window.launched().await, ["https://pay.example.com/start"]);

    window.start("Desk", "Do it").await;
    window.run().await;
    window.open_ask().await;
    window
        .wait_for_text("[data-testid=card]", "By the way, who are you?")
        .await;
    window.press("decline").await;

    window.start("Desk", "Greet somebody").await;
    window
        .type_into("[data-testid=start-card] [data-field='0'] input", "An")
        .await;
    window.wait_for_text("[role=listbox]", "Annette").await;
    window.close().await;
}
