//! The browser of the system: missing, broken, dying, in text mode, and started from inside of a package.

use crate::fake::{Fake, Reply};
use crate::rig::{Ran, Rig, at, words};

const ADDRESS: &str = "https://accounts.example.org/connect?a=1&calc.exe&b=%22x%22";
const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

/// Consents to one link. What came of it, and what the server was told.
async fn consent(rig: &Rig) -> (Ran, Vec<String>) {
    let link = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"page":{{"method":"elicitation/create","params":{{"mode":"url","message":"m","url":"{ADDRESS}"}}}}}}}}"#
    );
    let fake = Fake::start(&[Reply::Result(&link), Reply::Result(DONE)]).await;
    let answers = rig.answers(&format!(r#"{{"page":{{"action":"accept","url":"{ADDRESS}"}}}}"#));
    let ran = rig
        .run(&["call", "t", "--url", &fake.url, "--answers", &answers, "--json"])
        .await;
    let calls = fake.calls();
    let told = calls[1..]
        .iter()
        .map(|call| at(call, "params.inputResponses").to_string());
    (ran, told.collect())
}

const ACCEPTED: [&str; 1] = [r#"{"page":{"action":"accept"}}"#];

#[tokio::test(flavor = "multi_thread")]
async fn case_057_consent_08_without_a_browser_nothing_is_accepted() {
    let mut rig = Rig::new().await;
    let nowhere = rig.folder().join("nowhere").display().to_string();
    rig.set("BROWSER", &nowhere);
    rig.set("PATH", &nowhere);
    let (ran, told) = consent(&rig).await;
    let json = ran.check(4, "stopped", &["page url null"]);
    assert!(
        words(&json, "error.message").contains("No web browser was found"),
        "{json}"
    );
    assert!(told.is_empty(), "{told:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_cannot_be_run_is_no_consent() {
    let mut rig = Rig::new().await;
    rig.use_browser("broken", "#!/no/such/interpreter\n");
    rig.set("PATH", &rig.folder().display().to_string());
    let (ran, told) = consent(&rig).await;
    ran.check(4, "stopped", &["page url null"]);
    assert!(told.is_empty(), "{told:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn consent_09_that_a_browser_dies_at_once_cannot_be_seen() {
    let mut rig = Rig::new().await;
    rig.use_browser("dies", "#!/bin/sh\nexit 1\n");
    let (ran, told) = consent(&rig).await;
    ran.check(0, "done", &["page url accept"]);
    assert_eq!(told, ACCEPTED, "asked is all that is known");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_text_browser_is_waited_for_and_its_failure_is_no_consent() {
    // The name is what tells a browser that needs the terminal.
    for (code, accepted) in [(0, true), (1, false)] {
        let mut rig = Rig::new().await;
        rig.use_browser("lynx", &format!("#!/bin/sh\nexit {code}\n"));
        rig.set("PATH", &rig.folder().join("nowhere").display().to_string());
        let (_, told) = consent(&rig).await;
        assert_eq!(told == ACCEPTED, accepted, "{code}: {told:?}");
        assert_eq!(told.is_empty(), !accepted, "{code}: {told:?}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn case_055_the_browser_gets_the_whole_address_as_one_argument_and_no_shell_reads_it() {
    let rig = Rig::new().await;
    let (ran, told) = consent(&rig).await;
    ran.check(0, "done", &["page url accept"]);
    assert_eq!(told, ACCEPTED);
    assert_eq!(rig.opened().await, ADDRESS);
    assert_eq!(rig.all_opened(), [ADDRESS]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_package_hands_over_in_the_environment_of_the_system_once() {
    let mut rig = Rig::new().await;
    let mount = rig.folder().join("mount");
    let inside = |rest: &str| format!("{}/{rest}", mount.display());
    rig.set("APPDIR", &inside(""));
    rig.set("LD_LIBRARY_PATH", &inside("usr/lib"));
    rig.set("GTK_PATH", &inside("usr/lib/gtk-3.0"));
    rig.set("GDK_BACKEND", "x11");
    rig.set("XDG_DATA_DIRS", &format!("{}:/usr/share", inside("usr/share")));
    rig.set("KEPT", "as it was");
    let (ran, told) = consent(&rig).await;
    ran.check(0, "done", &["page url accept"]);
    assert_eq!(told, ACCEPTED);
    assert_eq!(rig.opened().await, ADDRESS);
    assert_eq!(rig.all_opened(), [ADDRESS], "one launch");
    let environment = rig.environment();
    for kept in ["KEPT=as it was", "XDG_DATA_DIRS=/usr/share"] {
        assert!(
            environment.iter().any(|line| line == kept),
            "{kept}: {environment:?}"
        );
    }
    for gone in ["APPDIR=", "LD_LIBRARY_PATH=", "GTK_PATH=", "GDK_BACKEND="] {
        assert!(
            !environment.iter().any(|line| line.starts_with(gone)),
            "{gone}: {environment:?}"
        );
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_second_process_opens_only_web_addresses() {
    for address in [
        "file:///etc/hosts",
        "javascript:alert(1)",
        "",
        "accounts.example.org",
    ] {
        let rig = Rig::new().await;
        let ran = rig.run_with_input(&["--hand-over"], address).await;
        assert_eq!(ran.code, Some(42), "{address}: {ran:?}");
        assert!(rig.all_opened().is_empty(), "{address}");
    }
}
