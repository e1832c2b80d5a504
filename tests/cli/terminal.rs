//! A person at a terminal (a pseudo-terminal that a small Python script holds).

use crate::fake::{Fake, Reply};
use crate::rig::{Rig, at, desk, workshop};

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_filled_in_field_by_field_and_reviewed() {
    let rig = Rig::new().await;
    let args = [
        "call",
        "plan_deployment",
        "--args",
        r#"{"service":"shop"}"#,
        "--command",
        &workshop(),
    ];
    let ran = rig
        .type_in(
            &args,
            &[
                ("[a]nswer, [d]ecline, [c]ancel (dismiss), stop [q]: ", ""),
                ("[a]nswer", "a"),
                ("number of the choice (2)> ", "4"),
                ("from 1 to 3", "3"),
                ("y or n (y)> ", "-"),
                ("date and time> ", "?"),
                ("- leaves this field out", ""),
                ("text> ", "no"),
                ("at least 3 characters", "new tills"),
                ("[s]end, [e]dit, ", "s"),
            ],
        )
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for shown in [
        "| You asked to plan a deployment of shop.",
        "Call: plan_deployment(service: shop)",
        "Review: this goes to the program countersign-cli on this computer",
        "left out: Tell the team, Starts at",
        r#""environment": "production""#,
        "reason: new tills",
    ] {
        assert!(ran.stdout.contains(shown), "{shown}: {}", ran.stdout);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_can_be_declined_before_any_field() {
    let rig = Rig::new().await;
    let args = ["call", "everything_form", "--command", &workshop()];
    let ran = rig.type_in(&args, &[("[d]ecline", "d")]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.contains("You declined the form; no field was sent."),
        "{ran:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_shown_whole_and_opens_after_consent() {
    let rig = Rig::new().await;
    let desk = desk().await;
    let args = ["call", "guided_setup", "--url", &desk.mcp_url()];
    let page = desk.page_prefix();
    let steps = [
        ("[a]nswer", "a"),
        ("text> ", "Atlas"),
        ("[s]end", "s"),
        (page.as_str(), ""),
        ("[o]pen, ", "o"),
        ("Step 3 of 3", ""),
        ("[a]nswer", "c"),
    ];
    let ran = rig.type_in(&args, &steps).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let address = rig.opened().await;
    assert!(ran.stdout.contains(&address), "{address}: {ran:?}");
    assert!(ran.stdout.contains("Domain: 127.0.0.1"), "{ran:?}");
    assert!(ran.stdout.contains("ended at step 3 of 3"), "{ran:?}");
    assert_eq!(rig.all_opened(), [address]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_risky_link_wants_its_domain_and_is_checked_again_on_request() {
    let rig = Rig::new().await;
    let link = r#"{"resultType":"input_required","inputRequests":{"page":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://xn--pple-43d.com/login"}}}}"#;
    let done = r#"{"resultType":"complete","content":[]}"#;
    let fake = Fake::start(&[Reply::Result(link), Reply::Result(link), Reply::Result(done)]).await;
    let args = ["call", "t", "--url", &fake.url];
    let steps = [
        ("[o]pen, ", "o"),
        ("Type the domain", "apple.com"),
        ("does not go to", ""),
        ("[o]pen, ", "o"),
        ("Type the domain", "xn--pple-43d.com"),
        (
            "[c]heck again, [o]pen again, [d]ecline, [g]ive up (cancel), stop [q]: ",
            "c",
        ),
    ];
    let ran = rig.type_in(&args, &steps).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let address = rig.opened().await;
    assert_eq!(rig.all_opened(), [address]);
    assert_eq!(
        at(&fake.calls()[2], "params.inputResponses").to_string(),
        r#"{"page":{"action":"accept"}}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_and_the_end_of_the_input_send_nothing() {
    let rig = Rig::new().await;
    let ask = r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"number"}}}}}}}"#;
    // Ctrl-D, Ctrl-C, and the word.
    for line in ["\u{4}", "\u{3}", "q"] {
        for before in [&[][..], &[("[a]nswer", "a")]] {
            let fake = Fake::start(&[Reply::Always(ask)]).await;
            let last = if before.is_empty() {
                ("stop [q]: ", line)
            } else {
                ("number> ", line)
            };
            if line == "q" && !before.is_empty() {
                continue;
            }
            let steps: Vec<_> = before.iter().copied().chain([last]).collect();
            let ran = rig.type_in(&["call", "t", "--url", &fake.url], &steps).await;
            assert_eq!(ran.code, Some(4), "{line:?}: {ran:?}");
            assert!(ran.stdout.contains("[stopped, 1 round]"), "{ran:?}");
            assert_eq!(fake.calls().len(), 1, "nothing was answered");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_the_file_does_not_answer_is_asked() {
    let rig = Rig::new().await;
    let answers = rig
        .answers(r#"{"greeting":{"action":"accept","content":{"name":"Ada"}},"lunch":{"action":"decline"}}"#);
    let args = [
        "call",
        "three_questions",
        "--command",
        &workshop(),
        "--answers",
        &answers,
    ];
    let ran = rig
        .type_in(
            &args,
            &[
                ("no answer for “weather”", ""),
                ("[a]nswer", "a"),
                ("y or n> ", "y"),
                ("[s]end", "s"),
            ],
        )
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("All three answers came together"), "{ran:?}");
    assert!(ran.stdout.contains("raining: true"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_is_stopped_in_order() {
    let rig = Rig::new().await;
    let args = ["call", "slow_task", "--command", &workshop()];
    let ran = rig.type_in(&args, &[("… ", "\u{3}")]).await;
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(
        ran.stdout.contains("You stopped it. It may still have happened."),
        "{ran:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn case_044_a_secret_is_typed_unseen_and_needs_a_word_of_its_own() {
    let rig = Rig::new().await;
    let asks = r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"api_token":{"type":"string","title":"API token"}}}}}}}"#;
    let done = r#"{"resultType":"complete","content":[]}"#;
    let fake = Fake::start(&[Reply::Result(asks), Reply::Result(done)]).await;
    let steps = [
        ("[a]nswer, ", "a"),
        ("text> ", "canary-7731"),
        ("Send this anyway? Type anyway, or Enter to change it: ", ""),
        ("text> ", "canary-7732"),
        ("Send this anyway? ", "anyway"),
        ("[s]end, [e]dit, [x]act JSON, ", "s"),
    ];
    let args = ["call", "t", "--url", &fake.url];
    let ran = rig.type_in(&args, &steps).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for shown in ["! This asks for a secret key or token.", "API token: ••••••••"] {
        assert!(ran.stdout.contains(shown), "{shown}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("canary"), "{}", ran.stdout);
    let calls: Vec<String> = fake.calls().iter().map(ToString::to_string).collect();
    assert!(
        calls[1].contains(r#""content":{"api_token":"canary-7732"}"#),
        "{calls:?}"
    );
}
