use crate::harness::{DELIVERED, FakeBrowser, Look, Sdk, Undriven, Window, write_settings};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_added_by_pasting_its_command_kept_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (target, _) = Sdk::TypeScript.over_stdio(folder.path());
    let words: Vec<&str> = std::iter::once(target["command"].as_str().expect("a program"))
        .chain(
            target["args"]
                .as_array()
                .expect("arguments")
                .iter()
                .filter_map(Value::as_str),
        )
        .collect();
    let window = Window::open(&[]).await;
    window.click("[data-testid=add-server]").await;
    window
        .type_into("[data-testid=add-pasted]", &words.join(" "))
        .await;
    window.click("[data-testid=add-look]").await;
    assert!(
        window
            .text("[data-testid=add-notes]")
            .await
            .contains("with your rights")
    );
    window.type_into("[data-testid=add-name]", "Harbour office").await;
    window
        .click("[data-testid=add-confirm][aria-disabled=false]")
        .await;
    window.open_server("Harbour office").await;
    let kept = window.close().await;

    let window = Window::in_folder(kept, FakeBrowser::Logs, Look::Light).await;
    window.open_server("Harbour office").await;
    window.click("[data-testid=remove]").await;
    window.click("dialog[open] [data-confirm=go]").await;
    window
        .client
        .wait()
        .for_element(fantoccini::Locator::Css(
            "[data-testid=welcome], [data-testid=inbox]",
        ))
        .await
        .expect("removed");
    let path = window.folder.path().join("servers.json");
    crate::harness::until(|| {
        let settings: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_default()).unwrap_or_default();
        settings["servers"] == json!([])
    })
    .await;
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_says_what_to_do() {
    let target = json!({ "kind": "stdio", "command": "no-such-program", "args": [], "env": [], "cwd": null });
    let window = Window::open(&[("Broken", target)]).await;
    window
        .wait_for_text("[data-testid=server-row][data-state=failed]", "cannot start")
        .await;
    window.click("[data-testid=server-row][data-state=failed]").await;
    window
        .wait_for_text("[data-testid=diagnosis]", "was not found")
        .await;
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_while_the_last_app_is_still_ending_opens_a_window() {
    let folder = tempfile::tempdir().expect("a folder");
    // A program that neither answers nor ends when it is asked to keeps the app from ending at once.
    let target = json!({ "kind": "stdio", "command": "sleep", "args": ["600"], "env": [], "cwd": null });
    write_settings(&folder, &[("Slow", target)]);
    let first = Undriven::start(folder.path()).await;
    first.close_window();
    let second = Undriven::start(folder.path()).await;
    first.gone().await;
    second.close_window();
    second.gone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_settings_file_is_set_aside_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("servers.json"), "{ not json").expect("written");
    let window = Window::in_folder(folder, FakeBrowser::Logs, Look::Light).await;
    window
        .wait_for_text("[data-testid=app-notices]", "set aside")
        .await;
    assert!(window.folder.path().join("servers.unreadable.json").exists());
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_every_kind_are_shown() {
    let window = Window::open(&[]).await;
    window.start("Practice desk", "Every kind of result").await;
    window.run().await;
    window.open_call("done").await;
    for kind in ["text", "image", "audio", "link", "document", "structured"] {
        window
            .find(&format!("[data-testid=result-part][data-kind={kind}]"))
            .await;
    }
    assert!(!window.has("[data-testid=call-card] a").await, "a link is text");
    let drawn = "const done = arguments[0]; const image = document.querySelector('[data-kind=image] img'); image.decode().then(() => done(image.naturalWidth > 0), () => done(false))";
    assert_eq!(
        window
            .client
            .execute_async(drawn, vec![])
            .await
            .expect("the window answers"),
        json!(true)
    );

    window.start("Practice desk", "A call that fails").await;
    window.run().await;
    window.open_call("done_with_error").await;
    assert!(
        window
            .text("[data-testid=call-detail]")
            .await
            .contains("did not work")
    );
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_call_shows_progress_and_can_be_stopped() {
    // It says that it began, and would then take longer than any test.
    let server = Sdk::TypeScript.serve();
    let window = Window::open(&[("Harbour", server.target())]).await;
    window.start("Harbour", "slow").await;
    window
        .type_into("[data-testid=start-card] [data-field='0'] input", "100000")
        .await;
    window.run().await;
    window.click("[data-testid=calls]").await;
    window.click("[data-testid=call-row]").await;
    window
        .find("[data-testid=call-card] progress, [data-testid=call-card] [role=progressbar]")
        .await;
    window.click("[data-testid=call-card] [data-callact=stop]").await;
    window.find("[data-testid=call-card][data-phase=stopped]").await;
    assert!(
        window
            .text("[data-testid=call-detail]")
            .await
            .contains("may still have happened")
    );
    window.close().await;
}

/// From the list into the card, through a field, to the sent answer, without a pointer.
#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_alone_is_enough() {
    use fantoccini::key::Key;
    let window = Window::open(&[]).await;
    window.start("Practice desk", "How a server reacts").await;
    window.run().await;
    window.click("[data-testid=inbox]").await;
    window.find("[data-testid=ask-row]").await;
    let press = async |keys: &[char]| window.keys(keys).await;
    let focused = "return document.activeElement?.closest('[data-testid]')?.dataset.testid ?? ''";
    window
        .script("document.querySelector('[data-testid=ask-row]').focus()")
        .await;
    press(&[Key::Enter.into()]).await;
    window.find("[data-testid=card][data-armed=true]").await;
    window
        .wait_until("return document.activeElement?.closest('[data-testid=card]') !== null")
        .await;
    press(&[Key::Escape.into()]).await;
    window
        .wait_until("return document.body.textContent.includes('Press Escape again')")
        .await;
    press(&[Key::Control.into(), Key::Enter.into()]).await;
    if window.has("[data-testid=card][data-phase=waiting]").await {
        window.find("[data-testid=card][data-armed=true]").await;
        press(&[Key::Control.into(), Key::Enter.into()]).await;
    }
    window.find(DELIVERED).await;
    let after = window.script(focused).await;
    assert_ne!(after, json!("card"), "focus went back to the list");
    window.close().await;
}
