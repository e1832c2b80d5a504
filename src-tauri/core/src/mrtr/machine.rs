//! What is sent next in one call. Pure.

use crate::wire::json::Json;
use crate::wire::outcome::{InputRequired, Outcome, OutcomeFault};
use crate::wire::request::{Method, Request};
use crate::wire::rpc::RpcError;
use crate::wire::{Revision, legacy};
use std::time::Duration;

/// Rounds that may pass without a person's word.
pub const ROUND_CAP: u32 = 10;
const PACE_FIRST: Duration = Duration::from_millis(250);
const PACE_MOST: Duration = Duration::from_secs(5);

/// One call, from its first request to its result.
pub struct Machine {
    pub(super) original: Request,
    pub(super) round: Option<InputRequired>,
    /// The answers of the current round, once given; kept for sending the same again.
    pub(super) answers: Vec<(String, Json)>,
    /// The round names pages that must be opened before the call works: nothing is answered, the call is made anew.
    pub(super) pages: bool,
    pub(super) rounds: u32,
    pub(super) unattended: u32,
    pub(super) in_a_row: u32,
}

/// What was answered stays out of every log, so also out of `{:?}`.
impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine")
            .field("original", &self.original)
            .field("round", &self.round)
            .field("rounds", &self.rounds)
            .field("unattended", &self.unattended)
            .finish_non_exhaustive()
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send this, after `pause`.
    Send {
        request: Request,
        pause: Duration,
    },
    /// Put the round of [`Machine::round`] before the person.
    Ask,
    /// The server keeps asking to come back: ask the person whether to go on.
    PauseAtCap,
    Done(Json),
    Failed(OutcomeFault),
    /// The person did not want a page that the call needs: there is nobody to tell, and nothing more is sent.
    Declined,
}

/// Whose word an answer is. Only a person's starts the count of rounds anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Person,
    Script,
}

impl Machine {
    pub fn new(original: Request) -> Self {
        Self {
            original,
            round: None,
            answers: Vec::new(),
            pages: false,
            rounds: 0,
            unattended: 0,
            in_a_row: 0,
        }
    }

    pub fn start(&self) -> Step {
        Step::Send {
            request: self.original.clone(),
            pause: Duration::ZERO,
        }
    }

    /// The round that waits for answers or was answered last.
    pub fn round(&self) -> Option<&InputRequired> {
        self.round.as_ref()
    }

    pub fn method(&self) -> Method {
        self.original.method
    }

    /// Rounds so far: results that asked for input.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// More rounds have passed without a person's word than the cap; a card then says so.
    pub fn over_cap(&self) -> bool {
        self.unattended > ROUND_CAP
    }

    /// Whether the round names pages that must be opened before the call works (2025-11-25, `-32042`).
    pub fn names_pages(&self) -> bool {
        self.pages
    }

    /// The server's result of the last request. Before 2026-07-28 every result is the last.
    pub fn replied(&mut self, result: Json, revision: Revision) -> Step {
        if !revision.is_modern() {
            return Step::Done(result);
        }
        let round = match Outcome::parse(self.original.method, result) {
            Ok(Outcome::Complete(result)) => return Step::Done(result),
            Ok(Outcome::InputRequired(round)) => round,
            Err(fault) => return Step::Failed(fault),
        };
        self.pages = false;
        self.asked(round)
    }

    /// An error of the server that is a round: pages to be opened first. `None`: it is an error like any other, as on
    /// every modern connection.
    pub fn refused(&mut self, error: &RpcError, revision: Revision) -> Option<Step> {
        if revision.is_modern() || !self.original.method.may_ask() {
            return None;
        }
        let entries = legacy::required_links(error)?;
        self.pages = true;
        Some(self.asked(InputRequired { entries, state: None }))
    }

    fn asked(&mut self, round: InputRequired) -> Step {
        self.rounds += 1;
        self.unattended += 1;
        self.answers.clear();
        let asks = !round.entries.is_empty();
        self.round = Some(round);
        if asks {
            self.in_a_row = 0;
            return Step::Ask;
        }
        self.in_a_row += 1;
        if self.over_cap() {
            Step::PauseAtCap
        } else {
            self.come_back()
        }
    }

    /// The answers to the current round, one bare result for each of its keys.
    pub fn answered(&mut self, answers: Vec<(String, Json)>, word: Word) -> Step {
        if word == Word::Person {
            self.unattended = 0;
        }
        self.answers = answers;
        let wanted = |result: &Json| result.get("action").and_then(Json::as_str) == Some("accept");
        if self.pages && !self.answers.iter().all(|(_, result)| wanted(result)) {
            return Step::Declined;
        }
        self.send_again()
    }

    /// The person wants to go on after [`Step::PauseAtCap`].
    pub fn go_on(&mut self) -> Step {
        self.unattended = 0;
        self.come_back()
    }

    /// The last request once more, after it was lost: same answers, same state. The sender gives it a new id.
    pub fn send_again(&self) -> Step {
        Step::Send {
            request: self.request(),
            pause: Duration::ZERO,
        }
    }

    /// Whether the last request carried a person's answers.
    pub fn carries_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    fn come_back(&self) -> Step {
        Step::Send {
            request: self.request(),
            pause: pace(self.in_a_row),
        }
    }

    fn request(&self) -> Request {
        let mut request = self.original.clone();
        if let Some(round) = self.round.as_ref().filter(|_| !self.pages) {
            if !self.answers.is_empty() {
                request
                    .params
                    .set("inputResponses", Json::object(self.answers.iter().cloned()));
            }
            if let Some(state) = &round.state {
                request.params.set("requestState", Json::string(state));
            }
        }
        request
    }
}

/// 250 ms, doubled for every further round that only asks to come back, 5 s at most.
fn pace(in_a_row: u32) -> Duration {
    PACE_FIRST
        .saturating_mul(2_u32.saturating_pow(in_a_row.saturating_sub(1)))
        .min(PACE_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"m"}}"#;

    trait Modern {
        fn replies(&mut self, result: Json) -> Step;
    }

    impl Modern for Machine {
        fn replies(&mut self, result: Json) -> Step {
            self.replied(result, Revision::V2026_07_28)
        }
    }

    fn machine() -> Machine {
        Machine::new(Request::new(Method::CallTool).with("name", Json::string("t")))
    }

    fn json(text: &str) -> Json {
        Json::parse(text).expect(text)
    }

    fn round(keys: &[&str], state: Option<&str>) -> Json {
        let entries = keys.iter().map(|key| (key.to_string(), json(FORM)));
        let mut members = vec![("resultType", Json::string("input_required"))];
        if !keys.is_empty() {
            members.push(("inputRequests", Json::object(entries)));
        }
        members.extend(state.map(|state| ("requestState", Json::string(state))));
        Json::object(members)
    }

    fn decline(key: &str) -> Vec<(String, Json)> {
        vec![(key.to_owned(), json(r#"{"action":"decline"}"#))]
    }

    fn sent(step: Step) -> (String, Duration) {
        match step {
            Step::Send { request, pause } => (Json::Object(request.params).to_string(), pause),
            other @ (Step::Ask | Step::PauseAtCap | Step::Done(_) | Step::Failed(_) | Step::Declined) => {
                panic!("{other:?}")
            }
        }
    }

    #[test]
    fn a_retry_has_the_original_params_the_answers_and_the_exact_state() {
        for state in ["{\"a\": 1 }", "", " aé\u{2028}=+/ ", &"x".repeat(200_000)] {
            let mut machine = machine();
            assert_eq!(machine.replies(round(&["q"], Some(state))), Step::Ask);
            let (params, pause) = sent(machine.answered(decline("q"), Word::Person));
            let expected = Json::object([
                ("name", Json::string("t")),
                ("inputResponses", json(r#"{"q":{"action":"decline"}}"#)),
                ("requestState", Json::string(state)),
            ]);
            assert_eq!((params, pause), (expected.to_string(), Duration::ZERO));
        }
    }

    #[test]
    fn no_state_came_so_none_goes() {
        let mut machine = machine();
        machine.replies(round(&["q"], None));
        let (params, _) = sent(machine.answered(decline("q"), Word::Person));
        assert_eq!(
            params,
            r#"{"name":"t","inputResponses":{"q":{"action":"decline"}}}"#
        );
    }

    #[test]
    fn answers_and_state_of_earlier_rounds_are_not_sent_again() {
        let mut machine = machine();
        machine.replies(round(&["first"], Some("s1")));
        machine.answered(decline("first"), Word::Person);
        machine.replies(round(&["second"], None));
        let (params, _) = sent(machine.answered(decline("second"), Word::Person));
        assert_eq!(
            params,
            r#"{"name":"t","inputResponses":{"second":{"action":"decline"}}}"#
        );
    }

    #[test]
    fn a_round_without_questions_is_paced_and_carries_no_answers() {
        let mut machine = machine();
        let mut pauses = Vec::new();
        for _ in 0..7 {
            let (params, pause) = sent(machine.replies(round(&[], Some("s"))));
            assert_eq!(params, r#"{"name":"t","requestState":"s"}"#);
            pauses.push(pause.as_millis());
        }
        assert_eq!(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000]);
    }

    #[test]
    fn after_ten_rounds_without_a_word_the_person_is_asked() {
        let mut machine = machine();
        for _ in 0..ROUND_CAP {
            sent(machine.replies(round(&[], Some("s"))));
        }
        assert_eq!(machine.replies(round(&[], Some("s"))), Step::PauseAtCap);
        sent(machine.go_on());
        for _ in 0..ROUND_CAP {
            sent(machine.replies(round(&[], Some("s"))));
        }
        assert_eq!(
            machine.replies(round(&["q"], Some("s"))),
            Step::Ask,
            "a question is shown, not paused"
        );
        assert!(machine.over_cap(), "and its card says so");
        machine.answered(decline("q"), Word::Person);
        machine.replies(round(&["q"], None));
        assert!(!machine.over_cap());
    }

    #[test]
    fn a_script_is_no_person() {
        let mut machine = machine();
        for _ in 0..=ROUND_CAP {
            machine.replies(round(&["q"], None));
            machine.answered(decline("q"), Word::Script);
        }
        assert!(machine.over_cap());
    }

    #[test]
    fn sending_again_sends_the_same() {
        let mut machine = machine();
        machine.replies(round(&["q"], Some("s")));
        let first = machine.answered(decline("q"), Word::Person);
        assert_eq!(machine.send_again(), first);
        assert!(machine.carries_answers());
    }

    #[test]
    fn ends() {
        let done = json(r#"{"content":[]}"#);
        assert_eq!(machine().replies(done.clone()), Step::Done(done));
        assert_eq!(
            machine().replies(json(r#"{"resultType":"later"}"#)),
            Step::Failed(OutcomeFault::UnknownResultType("later".into()))
        );
    }

    fn pages(count: usize) -> RpcError {
        let page =
            |n: usize| format!(r#"{{"mode":"url","elicitationId":"e{n}","url":"https://x.example/{n}"}}"#);
        let pages: Vec<_> = (0..count).map(page).collect();
        RpcError {
            code: -32042,
            message: String::new(),
            data: Some(json(&format!(r#"{{"elicitations":[{}]}}"#, pages.join(",")))),
        }
    }

    #[test]
    fn pages_that_an_old_server_requires_are_asked_for_and_the_call_is_made_anew() {
        let mut machine = machine();
        assert_eq!(machine.refused(&pages(2), Revision::V2025_11_25), Some(Step::Ask));
        assert_eq!(machine.round().map(|round| round.entries.len()), Some(2));
        let accept = |key: &str| (key.to_owned(), json(r#"{"action":"accept"}"#));
        let (params, _) = sent(machine.answered(vec![accept("1"), accept("2")], Word::Person));
        assert_eq!(params, r#"{"name":"t"}"#, "nothing is answered");
        assert_eq!(machine.refused(&pages(1), Revision::V2025_11_25), Some(Step::Ask));
        assert_eq!(machine.answered(decline("1"), Word::Person), Step::Declined);
    }

    #[test]
    fn a_modern_server_cannot_require_pages_by_an_error_and_an_old_one_cannot_ask_by_a_result() {
        assert_eq!(machine().refused(&pages(1), Revision::V2026_07_28), None);
        let asks = round(&["q"], Some("s"));
        let step = machine().replied(asks.clone(), Revision::V2025_11_25);
        assert_eq!(step, Step::Done(asks));
    }
}
