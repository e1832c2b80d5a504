//! The real Secret Service: gnome-keyring on a bus of its own, in a home of its own.

use super::entry;
use countersign_core::store::Store;
use countersign_core::store::history::chain::{AnchorCheck, Anchored};
use countersign_core::store::keys::{KeyTrouble, Keys, system};
use secret_service::EncryptionType;
use secret_service::blocking::SecretService;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const TOLD: &str = "COUNTERSIGN_TEST_KEY_STORE";
/// For a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the daemon with an unlocked keyring, and then this program once more.
const SESSION: &str =
    "printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$0\" \"$@\"";

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    for folder in [".cache", ".local/share/keyrings", "run"] {
        std::fs::create_dir_all(home.path().join(folder)).expect("made");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let own = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(home.path().join("run"), own).expect("set");
    }
    home
}

async fn run(home: &Path, program: &str, arguments: &[&str], told: &str) -> String {
    let test = std::env::current_exe().expect("this program");
    let program = if program.is_empty() {
        test.as_os_str()
    } else {
        program.as_ref()
    };
    #[expect(clippy::disallowed_methods, reason = "a test starts itself")]
    let mut command = tokio::process::Command::new(program);
    let arguments = arguments.iter().map(std::ffi::OsStr::new);
    command
        .args(arguments.map(|argument| {
            if argument == "SELF" {
                test.as_os_str()
            } else {
                argument
            }
        }))
        .args([
            "--exact",
            "store::secret_service::a_child_asks_the_key_store",
            "--test-threads=1",
            "--nocapture",
        ])
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env("XDG_DATA_HOME", home.join(".local/share"))
        .env(TOLD, told)
        .env(
            "DBUS_SESSION_BUS_ADDRESS",
            format!("unix:path={}/nowhere", home.display()),
        )
        .env_remove("DISPLAY")
        .env_remove("GNOME_KEYRING_CONTROL")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output())
        .await
        .expect("in time")
        .expect("it ran");
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{text}");
    text
}

#[tokio::test]
async fn a_child_asks_the_key_store() {
    match std::env::var(TOLD).ok().as_deref() {
        Some("present") => present().await,
        Some("absent") => absent().await,
        _ => {}
    }
}

async fn absent() {
    let trouble = Keys::new(system())
        .master("one", false)
        .await
        .err()
        .expect("no key");
    assert_eq!(trouble.code(), "absent", "{trouble}");
    println!("it is absent");
}

async fn present() {
    let keys = Keys::new(system());
    let first = keys.master("one", false).await.expect("a key");
    let again = Keys::new(system()).master("one", true).await.expect("the same");
    assert_eq!(first.bytes(), again.bytes());
    assert_ne!(
        first.bytes(),
        keys.master("two", false).await.expect("another").bytes()
    );
    assert_eq!(keys.master("three", true).await.err(), Some(KeyTrouble::Gone));

    let store = Store::in_memory().expect("memory");
    store.on_head(keys.anchoring("one"));
    assert_eq!(keys.anchored("one").await, Anchored::Never);
    for number in 1..=3 {
        store.note(&[entry(number)]).expect("noted");
    }
    let anchored = keys.anchored("one").await;
    assert_eq!(anchored, Anchored::At(store.head()));
    assert_eq!(
        store.verify(&anchored).expect("looked at").anchor,
        AnchorCheck::Holds { newer: 0 }
    );

    // Locked: said at once, nobody is asked for a password, and nothing is lost.
    tokio::task::spawn_blocking(lock).await.expect("locked");
    assert_eq!(keys.master("one", true).await.err(), Some(KeyTrouble::Locked));
    assert_eq!(keys.master("four", false).await.err(), Some(KeyTrouble::Locked));
    assert!(matches!(keys.anchored("one").await, Anchored::Unseen(_)));
    store.note(&[entry(4)]).expect("an entry waits for no key store");
    assert_eq!(keys.forget("one").await, Err(KeyTrouble::Locked));
    // Nobody is there to type the password.
    assert_eq!(keys.unlock().await, Err(KeyTrouble::Locked));
    assert_eq!(keys.anchor_trouble(), Some(KeyTrouble::Locked));
    println!("all of it held");
}

fn lock() {
    let service = SecretService::connect(EncryptionType::Dh).expect("there");
    service
        .get_default_collection()
        .expect("there")
        .lock()
        .expect("locked");
}

#[tokio::test]
async fn keys_and_anchors_are_kept_by_a_real_secret_service() {
    let home = home();
    let arguments = ["--", "sh", "-c", SESSION, "SELF"];
    let text = run(home.path(), "dbus-run-session", &arguments, "present").await;
    assert!(text.contains("all of it held"), "{text}");
}

/// A bus on which nothing can be started.
const EMPTY_BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=HOME</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

#[tokio::test]
async fn on_a_bus_without_a_key_store_it_is_absent() {
    let home = home();
    let config = home.path().join("bus.conf");
    let bus = EMPTY_BUS.replace("HOME", &home.path().display().to_string());
    std::fs::write(&config, bus).expect("written");
    let config = format!("--config-file={}", config.display());
    let text = run(
        home.path(),
        "dbus-run-session",
        &[&config, "--", "SELF"],
        "absent",
    )
    .await;
    assert!(text.contains("it is absent"), "{text}");
}

#[tokio::test]
async fn without_a_bus_the_key_store_is_absent() {
    let home = home();
    let text = run(home.path(), "", &[], "absent").await;
    assert!(text.contains("it is absent"), "{text}");
}
