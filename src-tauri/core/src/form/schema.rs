//! From a schema to a form: MCP 2026-07-28, client/elicitation, "Requested Schema", and what means the same.
//!
//! Drawn beyond the letter of the specification, because the meaning is kept: a type or branch that also allows
//! `null` (null is never sent; a required field must still be filled), local `$ref`s, selects without a type or of
//! numbers, a single `const`, `items.oneOf`, single-select `anyOf`, lists of texts or numbers that are written entry by
//! entry, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `uniqueItems`, and `pattern` where its
//! meaning is sure. Unknown keywords are ignored, the server checks. Of a key that `properties` holds twice the last
//! counts, at the place of the first, as in every common JSON reader.
//!
//! A limit of the wrong type says nothing and is ignored. Where a `$ref` and what stands beside it say one thing
//! differently, the field is refused: revisions of JSON Schema differ in which of them counts. A form that nobody
//! can fill is refused, like one that cannot be drawn: a Send that can never work would be a trap.

use super::entries::Entries;
use super::number::Decimal;
use super::options::{Options, look, visible};
use super::range::Range;
use super::secret::{Answers, Guard, of_label};
use super::undrawable::{Reason, Undrawable};
use super::wording::Wording;
use super::{Control, FieldGuard, FieldView, FormView, Input, MAX_FIELDS, MAX_OPTIONS};
use crate::text;
use crate::wire::json::{Json, Members};
use std::collections::HashMap;

/// `$ref`s and null branches that are followed for one field.
const MAX_HOPS: usize = 16;

/// A drawable form. Fields are known by their position.
#[derive(Clone, Debug)]
pub struct Form {
    pub(super) fields: Vec<Field>,
    /// Secrets are held back. Not for the arguments of a call, which a person starts on purpose.
    pub(super) guarded: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Exactly as the schema spells it.
    pub(super) key: String,
    pub(super) label: String,
    help: Option<String>,
    pub(super) required: bool,
    pub(super) kind: Kind,
    pub(super) suggested: Option<Suggestion>,
    notes: Vec<String>,
    /// Whether it asks for a secret.
    pub(super) guard: Guard,
}

/// A default that fits: as the input it stands for, and as the value that is sent.
#[derive(Clone, Debug)]
pub(super) struct Suggestion {
    pub(super) input: Input,
    pub(super) value: Json,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Text(Wording),
    Number(Range),
    YesNo,
    Choice {
        options: Options,
    },
    Choices {
        options: Options,
        min: Option<u32>,
        max: Option<u32>,
    },
    Entries(Entries),
}

/// The types that a value of a form can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Number,
    Integer,
    YesNo,
}

/// Why a field is not drawn; the rest of a sentence that begins with the field.
pub(super) struct Refused {
    reason: Reason,
    rest: String,
}

/// A schema with its `$ref`s and null branches opened: the outer layers come first and win.
pub(super) struct Node<'a> {
    /// With the keyword that led to the next layer, which no longer counts.
    layers: Vec<(&'a Members, Option<&'static str>)>,
}

impl Form {
    /// Reads the `requestedSchema` of an elicitation's params.
    ///
    /// # Errors
    /// [`Undrawable`], also when there is no `requestedSchema`.
    pub fn of_request(params: &Json) -> Result<Self, Undrawable> {
        match params.get("requestedSchema") {
            Some(schema) => Self::parse(schema),
            None => Err(Undrawable {
                reason: Reason::NoSchema,
                sentence:
                    "The question is malformed: it has no “requestedSchema”, so it does not say what to \
                           fill in."
                        .to_owned(),
            }),
        }
    }

    /// Reads a `requestedSchema`. No properties make a form without fields, a question to confirm.
    ///
    /// # Errors
    /// [`Undrawable`] if any part cannot be drawn faithfully, or if nobody could fill it.
    pub fn parse(schema: &Json) -> Result<Self, Undrawable> {
        let whole = object_schema(schema)?;
        let no_properties =
            "The form is malformed: it has no “properties”, so it does not say what to fill in.";
        let properties = whole
            .get("properties")
            .and_then(Json::as_object)
            .ok_or_else(|| undrawable(Reason::NoProperties, no_properties))?;
        Self::of_properties(schema, properties)
    }

    /// Reads a tool's `inputSchema` in the same way. Where it says more than fields, such as fields that depend on
    /// each other, it is not drawn. Nothing is guarded or masked: a person fills in the arguments of their own call.
    ///
    /// # Errors
    /// [`Undrawable`]: the arguments are then entered as JSON.
    pub fn parse_arguments(schema: &Json) -> Result<Self, Undrawable> {
        let whole = object_schema(schema)?;
        let combining = [
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "$ref",
            "dependentRequired",
            "dependentSchemas",
        ];
        if let Some(keyword) = combining.into_iter().find(|keyword| whole.contains_key(keyword)) {
            let sentence =
                format!("The fields depend on each other (“{keyword}”), which a form cannot show.");
            return Err(undrawable(Reason::Combined, sentence));
        }
        let no_properties = "The arguments are not described as fields.";
        match whole.get("properties") {
            Some(Json::Object(properties)) => Self::of_properties(schema, properties).map(Self::unguarded),
            None if matches!(whole.get("additionalProperties"), None | Some(Json::Bool(false))) => {
                Self::of_properties(schema, &Members::new())
            }
            None | Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                Err(undrawable(Reason::NoProperties, no_properties))
            }
        }
    }

    pub fn view(&self) -> FormView {
        FormView {
            fields: (0..)
                .zip(&self.fields)
                .map(|(id, field)| field.view(id))
                .collect(),
        }
    }

    fn of_properties(schema: &Json, properties: &Members) -> Result<Self, Undrawable> {
        if properties.len() > MAX_FIELDS {
            let sentence = format!(
                "The form has {} fields; this app shows at most {MAX_FIELDS}.",
                properties.len()
            );
            return Err(undrawable(Reason::TooManyFields, sentence));
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Json::as_array)
            .map(|names| names.iter().filter_map(Json::as_str).collect())
            .unwrap_or_default();
        if let Some(unknown) = required.iter().find(|name| !properties.contains_key(name)) {
            let sentence = format!(
                "The form requires “{}” but does not describe it.",
                text::chip(&visible(unknown))
            );
            return Err(undrawable(Reason::RequiredUnknown, sentence));
        }
        let mut fields = Vec::new();
        let mut options = 0;
        for (key, property) in properties.iter() {
            let refused = |Refused { reason, rest }: Refused| Undrawable {
                reason,
                sentence: format!("The field “{}” {rest}", text::chip(&visible(key))),
            };
            let required = required.contains(&key);
            let field = Field::read(schema, key, property, required).map_err(refused)?;
            options += field.kind.options().map_or(0, Options::len);
            if options > MAX_OPTIONS {
                return Err(refused(Refused::too_many_options()));
            }
            fields.push(field);
        }
        tell_apart(&mut fields);
        let guarded = true;
        Ok(Self { fields, guarded })
    }

    fn unguarded(mut self) -> Self {
        self.guarded = false;
        self.fields.iter_mut().for_each(|field| field.guard = Guard::Ok);
        self
    }
}

impl Refused {
    pub(super) fn new(reason: Reason, rest: impl Into<String>) -> Self {
        Self {
            reason,
            rest: rest.into(),
        }
    }

    pub(super) fn too_many_options() -> Self {
        let rest = format!("brings the form above {MAX_OPTIONS} choices, the most that this app shows.");
        Self::new(Reason::TooManyOptions, rest)
    }
}

impl Field {
    fn read(root: &Json, key: &str, property: &Json, required: bool) -> Result<Self, Refused> {
        let node = Node::open(root, property)?;
        let kind = Kind::read(root, &node)?;
        if let Kind::Text(wording) = &kind
            && wording.is_empty_only()
            && required
        {
            return Err(Refused::new(
                Reason::ImpossibleLength,
                "is required but allows no letter.",
            ));
        }
        let title = node.get("title").and_then(Json::as_str).unwrap_or_default();
        let label = match text::line(title, text::TITLE).trim() {
            "" => visible(key).trim().to_owned(),
            title => title.to_owned(),
        };
        let mut notes = kind.notes();
        let suggested = node.get("default").and_then(|value| match kind.suggest(value) {
            Ok(suggestion) => {
                notes.extend(odd_text(&suggestion.value));
                Some(suggestion)
            }
            Err(_) if *value == Json::Null && node.allows_null() => None,
            Err(why) => {
                notes.push(format!(
                    "The server suggested something that does not fit, so it is not filled in: {why}"
                ));
                None
            }
        });
        let description = node.get("description").and_then(Json::as_str);
        Ok(Self {
            key: key.to_owned(),
            label,
            help: description.and_then(help),
            guard: of_label(key, title, description.unwrap_or_default(), kind.answers()),
            required,
            kind,
            suggested,
            notes,
        })
    }

    fn view(&self, id: u32) -> FieldView {
        FieldView {
            id,
            label: self.label.clone(),
            help: self.help.clone(),
            required: self.required,
            control: self.kind.control(),
            suggested: self.suggested.as_ref().map(|suggestion| suggestion.input.clone()),
            notes: self.notes.clone(),
            guard: FieldGuard::of(self.guard, Guard::about_question),
        }
    }
}

impl FieldGuard {
    pub(super) fn of(guard: Guard, about: fn(Guard) -> Option<String>) -> Option<Self> {
        let (level, sentence) = guard.level().zip(about(guard))?;
        Some(Self { level, sentence })
    }
}

impl Kind {
    fn read(root: &Json, node: &Node<'_>) -> Result<Self, Refused> {
        let named = node.type_name()?;
        if named == Some("array") {
            return Self::read_list(root, node);
        }
        let kind = named.map(Type::read).transpose()?;
        if let Some(options) = Options::read(node, kind)? {
            return Ok(Self::Choice { options });
        }
        match kind {
            Some(Type::Text) => Wording::read(node).map(Self::Text),
            Some(Type::Number) => Range::read(node, false).map(Self::Number),
            Some(Type::Integer) => Range::read(node, true).map(Self::Number),
            Some(Type::YesNo) => Ok(Self::YesNo),
            None if node.get("properties").is_some() => Err(nested()),
            None => Err(Refused::new(
                Reason::NoType,
                "does not say what kind of answer it takes.",
            )),
        }
    }

    fn read_list(root: &Json, node: &Node<'_>) -> Result<Self, Refused> {
        let free = || {
            Refused::new(
                Reason::FreeList,
                "is a list of any values, which this app cannot show.",
            )
        };
        if node.get("prefixItems").is_some() {
            return Err(Refused::new(
                Reason::FreeList,
                "is a list in which every place has a meaning of its own, which this app cannot show.",
            ));
        }
        let items = Node::open(root, node.get("items").ok_or_else(free)?)?;
        let named = items.type_name()?;
        if matches!(named, Some("object" | "array")) || items.get("properties").is_some() {
            let rest = "is a list whose entries hold further fields, which this app cannot show.";
            return Err(Refused::new(Reason::NestedList, rest));
        }
        let kind = named.map(Type::read).transpose()?;
        if let Some(options) = Options::read(&items, kind)? {
            return Self::read_choices(node, options);
        }
        let entries = Entries::read(node, &items, kind.ok_or_else(free)?)?;
        entries.map(Self::Entries).ok_or_else(free)
    }

    fn read_choices(node: &Node<'_>, options: Options) -> Result<Self, Refused> {
        let (min, max) = (node.count("minItems"), node.count("maxItems"));
        let most = u32::try_from(options.len()).unwrap_or(u32::MAX);
        let most = max.map_or(most, |max| max.min(most));
        if let Some(min) = min.filter(|min| *min > most) {
            let rest = format!("asks for at least {min} choices and allows {most} at most.");
            return Err(Refused::new(Reason::ImpossibleCount, rest));
        }
        Ok(Self::Choices { options, min, max })
    }

    /// What the guard against secrets has to look at.
    pub(super) fn answers(&self) -> Answers {
        match self {
            Self::Text(wording) => wording.answers(),
            Self::Number(_) => Answers::Number,
            Self::Entries(entries) => entries.answers(),
            Self::YesNo | Self::Choice { .. } | Self::Choices { .. } => Answers::NoSecret,
        }
    }

    fn options(&self) -> Option<&Options> {
        match self {
            Self::Choice { options } | Self::Choices { options, .. } => Some(options),
            Self::Text(_) | Self::Number(_) | Self::YesNo | Self::Entries(_) => None,
        }
    }

    /// The default as input and value.
    fn suggest(&self, value: &Json) -> Result<Suggestion, String> {
        let input = self.input_of(value)?;
        let value = self.accept(&input).map_err(|wrong| wrong.message)?;
        Ok(Suggestion { input, value })
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Self::Choice { options } | Self::Choices { options, .. } if options.alike => {
                vec!["Some choices look alike. The value that is sent stands beside each.".to_owned()]
            }
            Self::Number(range) => range.notes(),
            Self::Entries(entries) => entries.notes(),
            Self::Text(_) | Self::YesNo | Self::Choice { .. } | Self::Choices { .. } => Vec::new(),
        }
    }

    fn control(&self) -> Control {
        match self {
            Self::Text(wording) => Control::Text(wording.limits()),
            Self::Number(range) => Control::Number(range.limits()),
            Self::YesNo => Control::YesNo,
            Self::Choice { options } => Control::Choice {
                options: options.views(),
            },
            Self::Choices { options, min, max } => Control::Choices {
                options: options.views(),
                min_items: *min,
                max_items: *max,
            },
            Self::Entries(entries) => entries.control(),
        }
    }
}

impl Type {
    fn read(name: &str) -> Result<Self, Refused> {
        match name {
            "string" => Ok(Self::Text),
            "number" => Ok(Self::Number),
            "integer" => Ok(Self::Integer),
            "boolean" => Ok(Self::YesNo),
            "object" => Err(nested()),
            other => Err(unknown_type(other)),
        }
    }

    pub(super) fn holds(self, value: &Json) -> bool {
        match (self, value) {
            (Self::Text, Json::String(_))
            | (Self::Number, Json::Number(_))
            | (Self::YesNo, Json::Bool(_)) => true,
            (Self::Integer, Json::Number(text)) => Decimal::parse(text).is_integer(),
            (Self::Text | Self::Number | Self::Integer | Self::YesNo, _) => false,
        }
    }
}

impl<'a> Node<'a> {
    pub(super) fn open(root: &'a Json, schema: &'a Json) -> Result<Self, Refused> {
        let reference = || {
            Refused::new(
                Reason::BadReference,
                "refers to a description that cannot be found.",
            )
        };
        let mut layers = Vec::new();
        let mut schema = schema;
        for _ in 0..MAX_HOPS {
            let Json::Object(layer) = schema else {
                return Err(Refused::new(Reason::NotASchema, "is not described."));
            };
            if let Some(pointer) = layer.get("$ref") {
                layers.push((layer, Some("$ref")));
                schema = pointer
                    .as_str()
                    .and_then(|pointer| follow(root, pointer))
                    .ok_or_else(reference)?;
            } else if let Some((keyword, branch)) = branch_beside_null(layer) {
                layers.push((layer, Some(keyword)));
                schema = branch;
            } else {
                layers.push((layer, None));
                return Self { layers }.agreed();
            }
        }
        Err(reference())
    }

    /// # Errors
    /// Two layers that limit the answer in the same way with other words.
    fn agreed(self) -> Result<Self, Refused> {
        const LIMITS: [&str; 18] = [
            "type",
            "enum",
            "const",
            "oneOf",
            "anyOf",
            "format",
            "pattern",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "items",
            "minItems",
            "maxItems",
            "uniqueItems",
        ];
        for keyword in LIMITS {
            let mut told = self.all(keyword);
            let first = told.next();
            if told.any(|other| {
                keyword != "type" && first != Some(other) || keyword == "type" && !same_type(first, other)
            }) {
                let rest = format!("is described twice, and the two differ (“{keyword}”).");
                return Err(Refused::new(Reason::ConflictingLayers, rest));
            }
        }
        Ok(self)
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&'a Json> {
        self.all(keyword).next()
    }

    fn all(&self, keyword: &str) -> impl Iterator<Item = &'a Json> {
        self.layers
            .iter()
            .filter(move |(_, opened)| *opened != Some(keyword))
            .filter_map(move |(layer, _)| layer.get(keyword))
    }

    /// The one type besides null; none if no type is named.
    fn type_name(&self) -> Result<Option<&'a str>, Refused> {
        match self.get("type") {
            None => Ok(None),
            Some(Json::String(name)) => Ok(Some(name)),
            Some(Json::Array(names)) => {
                let mut names = names.iter().filter(|name| name.as_str() != Some("null"));
                match (names.next().map(Json::as_str), names.next()) {
                    (Some(Some(name)), None) => Ok(Some(name)),
                    (Some(_), _) => Err(unknown_type("several types")),
                    (None, _) => Err(unknown_type("null")),
                }
            }
            Some(other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_))) => {
                Err(unknown_type(&other.to_string()))
            }
        }
    }

    fn allows_null(&self) -> bool {
        let listed = |value: Option<&Json>| {
            value.and_then(Json::as_array).is_some_and(|values| {
                values
                    .iter()
                    .any(|value| *value == Json::Null || value.as_str() == Some("null"))
            })
        };
        let opened = |(_, keyword): &(_, Option<&str>)| matches!(keyword, Some("anyOf" | "oneOf"));
        self.layers.iter().any(opened) || listed(self.get("type")) || listed(self.get("enum"))
    }

    /// A length or count: an integer that is not negative, at most what the view can say.
    pub(super) fn count(&self, keyword: &str) -> Option<u32> {
        let text = self.get(keyword)?.as_number()?;
        let number = Decimal::parse(text);
        if number < Decimal::parse("0") || !number.is_integer() {
            return None;
        }
        Some(
            number
                .integer_text()
                .and_then(|text| text.parse().ok())
                .unwrap_or(u32::MAX),
        )
    }
}

/// Whether two `type`s are the same but for null.
fn same_type(one: Option<&Json>, other: &Json) -> bool {
    let names = |value: &Json| -> Vec<Json> {
        let list = value
            .as_array()
            .map_or_else(|| vec![value.clone()], <[Json]>::to_vec);
        list.into_iter()
            .filter(|name| name.as_str() != Some("null"))
            .collect()
    };
    one.is_some_and(|one| names(one) == names(other))
}

fn object_schema(schema: &Json) -> Result<&Members, Undrawable> {
    let Json::Object(whole) = schema else {
        let sentence = format!(
            "The form is malformed: its description is {}, not an object.",
            schema.kind()
        );
        return Err(undrawable(Reason::NotAnObject, sentence));
    };
    match whole.get("type") {
        None => Ok(whole),
        Some(Json::String(name)) if name == "object" => Ok(whole),
        Some(other) => {
            let sentence = format!(
                "The form is malformed: its type is {}, not “object”.",
                text::chip(&other.to_string())
            );
            Err(undrawable(Reason::NotAnObject, sentence))
        }
    }
}

/// A local JSON pointer (RFC 6901) in fragment form.
pub(super) fn follow<'a>(root: &'a Json, pointer: &str) -> Option<&'a Json> {
    let pointer = pointer.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |at, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match at {
            Json::Object(members) => members.get(&step),
            Json::Array(items) => items.get(step.parse::<usize>().ok()?),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    })
}

/// Of `anyOf` or `oneOf` with two branches, one of them null, the other; not where that is one of several options.
fn branch_beside_null(layer: &Members) -> Option<(&'static str, &Json)> {
    let is_null = |branch: &&Json| {
        branch.get("type").and_then(Json::as_str) == Some("null") || branch.get("const") == Some(&Json::Null)
    };
    ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
        let branches = layer.get(keyword)?.as_array()?;
        let other = branches.iter().find(|branch| !is_null(branch))?;
        let fits = branches.len() == 2
            && branches.iter().any(|branch| is_null(&branch))
            && other.get("const").is_none();
        fits.then_some((keyword, other))
    })
}

/// Labels that look the same get their place in the form, so that the review line is not ambiguous.
fn tell_apart(fields: &mut [Field]) {
    let mut looks: HashMap<String, u32> = HashMap::new();
    for field in fields.iter() {
        *looks.entry(look(&field.label)).or_default() += 1;
    }
    for (place, field) in (1..).zip(fields.iter_mut()) {
        if looks.get(&look(&field.label)).is_some_and(|count| *count > 1) {
            field.notes.push(format!(
                "Another field has the same name. This one is sent as “{}”.",
                text::chip(&visible(&field.key))
            ));
            field.label = format!(
                "{} (field {place}: {})",
                field.label,
                text::chip(&visible(&field.key))
            );
        }
    }
}

/// What a text box would hide of a suggested text.
fn odd_text(value: &Json) -> Option<String> {
    let text = value.as_str()?;
    let blanks = |c: char| c.is_whitespace() && c != ' ';
    if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        Some("The suggested text has several lines.".to_owned())
    } else if text::line(text, text::WHOLE) != *text || text.contains(blanks) {
        let shown = text::chip(text);
        Some(format!(
            "The suggested text has characters that cannot be seen; with them marked it is “{shown}”."
        ))
    } else if text.trim() != text || text.contains("   ") {
        Some("The suggested text has blanks at an end or in a row. They are sent with it.".to_owned())
    } else {
        None
    }
}

pub(super) fn help(description: &str) -> Option<String> {
    let filtered = text::block(description, text::DESCRIPTION);
    let cut = if filtered.left_out > 0 { "…" } else { "" };
    let text = filtered.text.trim();
    (!text.is_empty()).then(|| format!("{text}{cut}"))
}

fn nested() -> Refused {
    Refused::new(
        Reason::Nested,
        "holds further fields, which this app cannot show.",
    )
}

fn unknown_type(name: &str) -> Refused {
    let rest = format!(
        "takes a kind of answer that this app does not know: {}.",
        text::chip(name)
    );
    Refused::new(Reason::UnknownType, rest)
}

fn undrawable(reason: Reason, sentence: impl Into<String>) -> Undrawable {
    Undrawable {
        reason,
        sentence: sentence.into(),
    }
}
