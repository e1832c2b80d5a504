//! What the server asks in one call, and what the person answers: rounds of forms and links, with odd values.

use crate::chance::Chance;
use countersign_core::wire::json::Json;

/// One call from its first request to its result.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// The arguments of the call, as text.
    pub(crate) arguments: String,
    pub(crate) rounds: Vec<Round>,
    /// The result, as text.
    pub(crate) result: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) questions: Vec<Question>,
    /// `None`: no such member.
    pub(crate) state: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) key: &'static str,
    pub(crate) link: bool,
    /// The entry of the round, as text.
    entry: String,
    /// What the server must get, as text.
    pub(crate) answer: String,
}

/// Whether the page of a link was opened, for a person who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    NotAsked,
    Yes,
    No,
}

pub(crate) const PAGE: &str = "https://pay.example.com/session?id=7&next=%2Fhome";

const KINDS: [&str; 8] = [
    "one form",
    "three questions",
    "two rounds",
    "a link",
    "a link asked again",
    "form and link",
    "refused",
    "no question",
];

impl Scenario {
    pub(crate) fn random(chance: &mut Chance) -> Self {
        let name = *chance.one_of(&KINDS);
        let rounds = match name {
            "one form" => vec![Round::of(1, vec![form("q", chance)], chance)],
            "three questions" => vec![Round::of(
                1,
                vec![form("a", chance), refused("b", chance), form("c", chance)],
                chance,
            )],
            "two rounds" => vec![
                Round::of(1, vec![form("first", chance)], chance),
                Round::of(2, vec![form("second", chance), form("third", chance)], chance),
            ],
            "a link" => vec![Round::of(1, vec![link("page")], chance)],
            "a link asked again" => {
                let times = 2 + chance.below(2);
                let round = |number| Round {
                    questions: vec![link("page")],
                    state: Some(format!(" {number} é\u{2028}")),
                };
                (0..times).map(round).collect()
            }
            "form and link" => vec![Round::of(1, vec![form("who", chance), link("page")], chance)],
            "refused" => vec![Round::of(1, vec![refused("q", chance)], chance)],
            _ => Vec::new(),
        };
        let odd = chance.one_of(&ODD_NUMBERS);
        Self {
            name,
            arguments: format!(r#"{{"z":{odd},"a":{{"__proto__":[null,""]}},"t":" é\u0001","z2":{odd}}}"#),
            rounds,
            result: format!(
                r#"{{"resultType":"complete","content":[{{"type":"text","text":"done {}"}}],"odd":{odd}}}"#,
                chance.below(1000)
            ),
        }
    }

    /// What the server says to the answers of the round before `round`: round `round`, or the result.
    pub(crate) fn reply(&self, round: usize) -> String {
        match self.rounds.get(round) {
            Some(round) => round.to_text(),
            None => self.result.clone(),
        }
    }

    /// The file of answers.
    pub(crate) fn answers(&self, opened: Opened) -> String {
        let mut file: Vec<(String, Json)> = Vec::new();
        for question in self.rounds.iter().flat_map(|round| &round.questions) {
            if file.iter().any(|(key, _)| key == question.key) {
                continue;
            }
            let answer = if question.link {
                let mut answer = vec![("action", Json::string("accept")), ("url", Json::string(PAGE))];
                match opened {
                    Opened::NotAsked => {}
                    Opened::Yes => answer.push(("opened", Json::Bool(true))),
                    Opened::No => answer.push(("opened", Json::Bool(false))),
                }
                Json::object(answer)
            } else {
                Json::parse(&question.answer).expect("an answer")
            };
            file.push((question.key.to_owned(), answer));
        }
        Json::object(file).to_string()
    }
}

impl Round {
    fn of(number: usize, questions: Vec<Question>, chance: &mut Chance) -> Self {
        let state = match chance.below(7) {
            0 => None,
            1 => Some(String::new()),
            2 => Some(format!(" aé\u{2028}=+/ {number}")),
            3 => Some(format!("{{\"a\": {number} }}\\u0041")),
            4 => Some(format!("\u{0}\t\"\\/\u{7f}{number}")),
            5 => Some(format!("{number}{}", "😀é ".repeat(25_000))),
            _ => Some(format!("s{number}")),
        };
        Self { questions, state }
    }

    /// Whether these are answers to it.
    pub(crate) fn is_answered_by(&self, keys: &[&str], state: Option<&str>) -> bool {
        let mut asked: Vec<&str> = self.questions.iter().map(|question| question.key).collect();
        let mut keys = keys.to_vec();
        asked.sort_unstable();
        keys.sort_unstable();
        asked == keys && self.state.as_deref() == state
    }

    /// One link and nothing else: its answer may be given again, as *Check again*.
    pub(crate) fn is_lone_link(&self) -> bool {
        matches!(self.questions.as_slice(), [question] if question.link)
    }

    fn to_text(&self) -> String {
        let entries = self.questions.iter().map(|question| {
            let key = Json::string(question.key);
            format!("{key}:{}", question.entry)
        });
        let entries: Vec<String> = entries.collect();
        let state = self.state.as_ref().map(|state| {
            let state = Json::string(state);
            format!(r#","requestState":{state}"#)
        });
        format!(
            r#"{{"resultType":"input_required","inputRequests":{{{}}}{}}}"#,
            entries.join(","),
            state.unwrap_or_default()
        )
    }
}

const ODD_NUMBERS: [&str; 6] = ["1.0", "1e400", "9007199254740993", "-0", "1.50", "0.1e-7"];
const NAMES: [&str; 4] = ["Ada", "  zwölf Ömer  ", "a\u{2028}b \"quoted\" \\", "日本語 😀"];

fn form(key: &'static str, chance: &mut Chance) -> Question {
    let name = Json::string(*chance.one_of(&NAMES));
    let seats = 2 + chance.below(7);
    Question {
        key,
        link: false,
        entry: ENTRY.to_owned(),
        answer: format!(r#"{{"action":"accept","content":{{"name":{name},"seats":{seats}}}}}"#),
    }
}

const ENTRY: &str = r#"{"method":"elicitation/create","params":{"message":"Who, and how many?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"seats":{"type":"integer","minimum":2.0,"maximum":8}},"required":["name"]}}}"#;

/// A form that is declined or dismissed.
fn refused(key: &'static str, chance: &mut Chance) -> Question {
    let action = chance.one_of(&["decline", "cancel"]);
    Question {
        key,
        link: false,
        entry: ENTRY.to_owned(),
        answer: format!(r#"{{"action":"{action}"}}"#),
    }
}

fn link(key: &'static str) -> Question {
    let page = Json::string(PAGE);
    Question {
        key,
        link: true,
        entry: format!(
            r#"{{"method":"elicitation/create","params":{{"mode":"url","message":"Pay here","url":{page}}}}}"#
        ),
        answer: r#"{"action":"accept"}"#.to_owned(),
    }
}
