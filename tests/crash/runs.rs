//! Random runs, a few at once, and what they come to.

use crate::chance::Chance;
use crate::life::{self, Death};
use crate::run::{self, Verdict};
use futures_util::StreamExt as _;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Without a word about it: so few that `make test` need not wait.
const RUNS: usize = 25;
/// Runs at once; most of the time they wait for the disk.
const AT_ONCE: usize = 4;
/// A run in which nothing died is played again with another scenario, so many times.
const TRIES: usize = 30;

/// Plays them all and prints the counts.
pub(crate) fn play_all() -> ExitCode {
    if std::env::args().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse::<u64>().ok())
    };
    let runs = number("COUNTERSIGN_CRASH_RUNS").map_or(RUNS, |runs| usize::try_from(runs).unwrap_or(RUNS));
    let seed = number("COUNTERSIGN_CRASH_SEED").unwrap_or_else(Chance::fresh_seed);
    let only = number("COUNTERSIGN_CRASH_ONLY").and_then(|only| usize::try_from(only).ok());
    println!("\n{runs} runs of COUNTERSIGN_CRASH_SEED={seed}");
    let mut deaths = deaths();
    Chance::of(seed).shuffle(&mut deaths);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let chosen = (0..runs).filter(|number| only.is_none_or(|only| only == *number));
    let verdicts = runtime.block_on(async {
        let playing = chosen.map(|number| {
            let death = deaths[number % deaths.len()];
            let seed = seed
                .wrapping_mul(1_000_003)
                .wrapping_add(number as u64 * TRIES as u64);
            async move { (number, tokio::spawn(play(seed, death)).await.expect("it ran")) }
        });
        let playing = futures_util::stream::iter(playing).buffer_unordered(AT_ONCE);
        playing.collect::<Vec<_>>().await
    });
    print(&verdicts, only.is_some())
}

/// Every place of death, those from outside more often.
fn deaths() -> Vec<Death> {
    let outside = [
        Death::Arrived(1),
        Death::Answered(1),
        Death::BrowserRuns,
        Death::After(0),
    ];
    let points = life::points().into_iter().map(|point| Death::At(point, 1));
    points.chain(outside.into_iter().cycle().take(8)).collect()
}

/// Plays until somebody died.
async fn play(seed: u64, death: Death) -> Verdict {
    let mut verdict = Verdict::default();
    for again in 0..TRIES {
        verdict = run::run(seed + again as u64, death, again > 0).await;
        if !verdict.deaths.is_empty() || !verdict.is_good() {
            return verdict;
        }
    }
    verdict.lost.push(format!("nothing ever passes {}", death.name()));
    verdict
}

fn print(verdicts: &[(usize, Verdict)], all: bool) -> ExitCode {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for death in verdicts.iter().flat_map(|(_, verdict)| &verdict.deaths) {
        *places.entry(death.name()).or_default() += 1;
    }
    let places: Vec<String> = places
        .iter()
        .map(|(name, times)| format!("{name} {times}"))
        .collect();
    println!("killed at {} places: {}", places.len(), places.join(", "));
    for (number, verdict) in verdicts.iter().filter(|(_, verdict)| all || !verdict.is_good()) {
        println!("\nrun {number}");
        for line in &verdict.told {
            println!("  {line}");
        }
        for (what, lines) in [
            ("LOST", &verdict.lost),
            ("DOUBLED", &verdict.doubled),
            ("STALE", &verdict.stale),
        ] {
            for line in lines {
                println!("  {what}: {line}");
            }
        }
    }
    let count = |of: fn(&Verdict) -> usize| verdicts.iter().map(|(_, verdict)| of(verdict)).sum::<usize>();
    let failed = verdicts.iter().filter(|(_, verdict)| !verdict.is_good()).count();
    println!(
        "\ntest result: {}. {} passed; {failed} failed; 0 ignored; runs",
        if failed == 0 { "ok" } else { "FAILED" },
        verdicts.len() - failed
    );
    println!(
        "crash: {} runs, {} lost, {} doubled, {} stale drafts",
        verdicts.len(),
        count(|verdict| verdict.lost.len()),
        count(|verdict| verdict.doubled.len()),
        count(|verdict| verdict.stale.len()),
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
