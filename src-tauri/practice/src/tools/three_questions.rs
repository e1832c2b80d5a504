//! Three asks in one round: two forms and a link at the desk, three forms at the workshop. No state. When an
//! answer is left out, all three are asked again.

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::rounds::{Answer, Answers, Outcome, form, link};
use crate::server::{Place, Practice};
use countersign_core::wire::json::Json;

const GREETING: &str = "greeting";
const LUNCH: &str = "lunch";
const PAGE: &str = "page";
const WEATHER: &str = "weather";

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let answered = match call.retry.stateless()? {
        None => None,
        Some(answers) => all_three(&call.practice.place, &answers)?,
    };
    match answered {
        None => ask(call.practice),
        Some(three) => Ok(report(three)),
    }
}

fn ask(practice: &Practice) -> Result<Outcome, Fault> {
    let third = match &practice.place {
        Place::Desk { .. } => {
            let page = practice.place.page(&practice.issue_ticket()?)?;
            let message = "Third: will you open the practice page in your browser?";
            (PAGE, link(message, &page))
        }
        Place::Workshop => (WEATHER, form("Third: how is the weather?", weather_form())),
    };
    Ok(Outcome::Ask {
        asks: vec![
            (
                GREETING,
                form(
                    "First: how shall the server greet you? This is a rehearsal; nothing real happens.",
                    greeting_form(),
                ),
            ),
            (
                LUNCH,
                form("Second: what would you like for lunch?", lunch_form()),
            ),
            third,
        ],
        state: None,
    })
}

fn all_three(place: &Place, answers: &Answers) -> Result<Option<[(&'static str, Answer); 3]>, Fault> {
    let greeting = answers.form(GREETING, &greeting_form())?;
    let lunch = answers.form(LUNCH, &lunch_form())?;
    let (key, third) = match place {
        Place::Desk { .. } => (PAGE, answers.link(PAGE)?),
        Place::Workshop => (WEATHER, answers.form(WEATHER, &weather_form())?),
    };
    Ok(match (greeting, lunch, third) {
        (Some(greeting), Some(lunch), Some(third)) => {
            Some([(GREETING, greeting), (LUNCH, lunch), (key, third)])
        }
        (_, _, _) => None,
    })
}

fn report(three: [(&'static str, Answer); 3]) -> Outcome {
    let [first, second, third] = &three;
    let text = format!(
        "All three answers came together: the first was {}, the second {}, the third {}.",
        first.1.in_words(),
        second.1.in_words(),
        third.1.in_words()
    );
    let received = Json::object(three.map(|(key, answer)| {
        let action = answer.action();
        let entry = match answer {
            Answer::Accept(content) if key != PAGE => {
                json!({"action": action, "content": (Json::Object(content))})
            }
            Answer::Accept(_) | Answer::Decline | Answer::Cancel => json!({"action": action}),
        };
        (key, entry)
    }));
    Outcome::structured(text, received)
}

fn greeting_form() -> Json {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string", "title": "Your name", "maxLength": 60}},
        "required": ["name"],
    })
}

fn lunch_form() -> Json {
    json!({
        "type": "object",
        "properties": {
            "dish": {"type": "string", "title": "Dish", "enum": ["Soup", "Salad", "Pasta", "Nothing today"]},
            "drink": {"type": "string", "title": "Drink", "default": "Water"},
        },
        "required": ["dish"],
    })
}

fn weather_form() -> Json {
    json!({
        "type": "object",
        "properties": {"raining": {"type": "boolean", "title": "It is raining"}},
        "required": ["raining"],
    })
}
