//! What a check would cost, counted before it begins.
//!
//! A schema is a graph: its parts are schemas, its edges say which values a part hands on to which other part. Some
//! edges stay at the same value (`allOf`, `anyOf`, `$ref` …), all others go to its members or entries. Counted is how
//! often a part meets a value; each pair is looked at once, however often it is met, so that counting costs no more
//! than [`MAX_STEPS`]. Numbers saturate. The count is never less than what the library does, and may be more.
//!
//! Told apart are three passes over a value: deciding, explaining (which decides first at every choice) and marking
//! what was looked at, which `unevaluatedProperties` and `unevaluatedItems` need. Compiling is counted in the same way
//! without values.

use super::super::json::{Json, Members};
use super::{DIALECT, MAX_HEIGHT, MAX_PARTS, MAX_PATTERNS, MAX_STEPS, Unchecked};
use crate::text;
use std::collections::HashMap;

/// # Errors
/// [`Unchecked`] where the schema cannot be followed, or the check would cost too much.
pub(super) fn bound(schema: &Json, instance: &Json) -> Result<(), Unchecked> {
    let parts = Graph::read(schema)?.parts;
    let mut ends = Ends {
        parts: &parts,
        seen: vec![Seen::No; parts.len()],
    };
    for part in 0..parts.len() {
        ends.look(part, 0)?;
    }
    nesting(&parts)?;
    let mut building = Building {
        parts: &parts,
        known: HashMap::new(),
    };
    let mut built = 0_u64;
    for part in 0..parts.len() {
        // Every part may be compiled once more as the target of a reference.
        built = built.saturating_add(building.cost(part, false, 0)?.steps);
        affordable(built)?;
    }
    let mut nodes = Vec::new();
    flatten(instance, &mut nodes)?;
    let mut meeting = Meeting {
        parts: &parts,
        nodes: &nodes,
        known: HashMap::new(),
    };
    meeting.cost(0, 0, Pass::Explain).map(|_| ())
}

fn affordable(steps: u64) -> Result<(), Unchecked> {
    if steps > MAX_STEPS {
        Err(Unchecked::TooCostly)
    } else {
        Ok(())
    }
}

/// One part of a schema that is a schema.
#[derive(Default)]
struct Part<'a> {
    edges: Vec<Edge<'a>>,
    /// Steps of its own: its data, such as the values of an `enum`.
    own: u64,
    /// The names in `properties`.
    described: Vec<&'a str>,
    /// Regular expressions that meet the value, and that meet the names of members.
    patterns: u64,
    name_patterns: u64,
    unique: bool,
    marks: bool,
}

struct Edge<'a> {
    to: usize,
    reach: Reach<'a>,
}

/// Which values a part hands on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach<'a> {
    Same,
    /// The same value, decided before it is explained.
    Choice,
    Reference,
    SameIfPresent(&'a str),
    Member(&'a str),
    Members,
    OtherMembers,
    UnevaluatedMembers,
    Names,
    Entry(usize),
    EntriesFrom(usize),
    Contained,
    UnevaluatedEntries,
    /// Only a reference leads there.
    Nothing,
}

impl Reach<'_> {
    fn stays(self) -> bool {
        match self {
            Self::Same | Self::Choice | Self::Reference | Self::SameIfPresent(_) => true,
            Self::Member(_)
            | Self::Members
            | Self::OtherMembers
            | Self::UnevaluatedMembers
            | Self::Names
            | Self::Entry(_)
            | Self::EntriesFrom(_)
            | Self::Contained
            | Self::UnevaluatedEntries
            | Self::Nothing => false,
        }
    }

    /// The entries of a list that are handed on.
    fn of_entries(self, entries: &[usize]) -> &[usize] {
        match self {
            Self::Entry(at) => entries.get(at..=at).unwrap_or_default(),
            Self::EntriesFrom(at) => entries.get(at..).unwrap_or_default(),
            Self::Contained | Self::UnevaluatedEntries => entries,
            Self::Same
            | Self::Choice
            | Self::Reference
            | Self::SameIfPresent(_)
            | Self::Member(_)
            | Self::Members
            | Self::OtherMembers
            | Self::UnevaluatedMembers
            | Self::Names
            | Self::Nothing => &[],
        }
    }

    /// What is handed on of a member, where it is not chosen by its name.
    fn of_member(self, (name, name_node, value): &(&str, usize, usize), from: &Part<'_>) -> Option<usize> {
        match self {
            Self::Members | Self::UnevaluatedMembers => Some(*value),
            Self::OtherMembers => from.described.binary_search(name).is_err().then_some(*value),
            Self::Names => Some(*name_node),
            Self::Same
            | Self::Choice
            | Self::Reference
            | Self::SameIfPresent(_)
            | Self::Member(_)
            | Self::Entry(_)
            | Self::EntriesFrom(_)
            | Self::Contained
            | Self::UnevaluatedEntries
            | Self::Nothing => None,
        }
    }

    /// Whether marking decides about these values.
    fn is_marked(self) -> bool {
        matches!(
            self,
            Self::UnevaluatedMembers | Self::Contained | Self::UnevaluatedEntries
        )
    }
}

struct Graph<'a> {
    root: &'a Json,
    /// The schema's own `$id`.
    id: Option<&'a str>,
    parts: Vec<Part<'a>>,
    /// Where each part stands, to find it again when something refers to it.
    found: HashMap<*const Json, usize>,
    anchors: HashMap<&'a str, &'a Json>,
    /// Parts whose members are not read yet.
    unread: Vec<(usize, &'a Json)>,
    references: Vec<(usize, &'a str)>,
    patterns: usize,
}

impl<'a> Graph<'a> {
    fn read(root: &'a Json) -> Result<Self, Unchecked> {
        let mut graph = Self {
            root,
            id: root.get("$id").and_then(Json::as_str),
            parts: Vec::new(),
            found: HashMap::new(),
            anchors: HashMap::new(),
            unread: Vec::new(),
            references: Vec::new(),
            patterns: 0,
        };
        graph.part(root)?;
        loop {
            while let Some((part, schema)) = graph.unread.pop() {
                if let Some(members) = schema.as_object() {
                    graph.members(part, schema, members)?;
                }
            }
            let Some((from, reference)) = graph.references.pop() else {
                return Ok(graph);
            };
            let target = graph.target(reference)?;
            graph.edge(from, target, Reach::Reference)?;
        }
    }

    fn part(&mut self, schema: &'a Json) -> Result<usize, Unchecked> {
        let place = std::ptr::from_ref(schema);
        if let Some(known) = self.found.get(&place) {
            return Ok(*known);
        }
        match schema {
            Json::Bool(_) | Json::Object(_) => {}
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                return Err(Unchecked::NoSchema(schema.kind()));
            }
        }
        if self.parts.len() == MAX_PARTS {
            return Err(Unchecked::TooManyParts);
        }
        let part = self.parts.len();
        self.parts.push(Part::default());
        self.found.insert(place, part);
        self.unread.push((part, schema));
        Ok(part)
    }

    fn edge(&mut self, from: usize, to: &'a Json, reach: Reach<'a>) -> Result<(), Unchecked> {
        let to = self.part(to)?;
        self.parts[from].edges.push(Edge { to, reach });
        Ok(())
    }

    fn members(&mut self, part: usize, schema: &'a Json, members: &'a Members) -> Result<(), Unchecked> {
        let prefix = members
            .get("prefixItems")
            .and_then(Json::as_array)
            .map_or(0, <[_]>::len);
        for (keyword, value) in members.iter() {
            match (keyword, value) {
                ("$schema", value) => known_dialect(value)?,
                ("$id", Json::String(id)) if part > 0 => return Err(Unchecked::Embedded(text::chip(id))),
                ("$anchor" | "$dynamicAnchor", Json::String(name)) => self.anchor(name, schema)?,
                ("$ref" | "$dynamicRef", Json::String(reference)) => self.references.push((part, reference)),
                ("allOf", Json::Array(_)) => self.edges(part, value, |_, _| Reach::Same)?,
                ("anyOf" | "oneOf", Json::Array(_)) => self.edges(part, value, |_, _| Reach::Choice)?,
                ("not" | "if", _) => self.edge(part, value, Reach::Choice)?,
                ("then" | "else", _) => self.edge(part, value, Reach::Same)?,
                ("dependentSchemas", Json::Object(_)) => {
                    self.edges(part, value, |name, _| Reach::SameIfPresent(name))?;
                }
                ("properties", Json::Object(properties)) => {
                    self.parts[part].described.extend(properties.keys());
                    self.parts[part].described.sort_unstable();
                    self.edges(part, value, |name, _| Reach::Member(name))?;
                }
                ("patternProperties", Json::Object(patterns)) => {
                    self.count_patterns(patterns.len())?;
                    self.parts[part].name_patterns += patterns.len() as u64;
                    self.edges(part, value, |_, _| Reach::Members)?;
                }
                ("additionalProperties", _) => self.edge(part, value, Reach::OtherMembers)?,
                ("propertyNames", _) => self.edge(part, value, Reach::Names)?,
                ("unevaluatedProperties", _) => {
                    self.parts[part].marks = true;
                    self.edge(part, value, Reach::UnevaluatedMembers)?;
                }
                ("prefixItems", Json::Array(_)) => self.edges(part, value, |_, at| Reach::Entry(at))?,
                ("items", _) => self.edge(part, value, Reach::EntriesFrom(prefix))?,
                ("additionalItems", Json::Bool(_) | Json::Object(_)) => {
                    self.edge(part, value, Reach::EntriesFrom(0))?;
                }
                ("contains", _) => self.edge(part, value, Reach::Contained)?,
                ("unevaluatedItems", _) => {
                    self.parts[part].marks = true;
                    self.edge(part, value, Reach::UnevaluatedEntries)?;
                }
                ("$defs" | "definitions", Json::Object(_)) => {
                    self.edges(part, value, |_, _| Reach::Nothing)?;
                }
                ("dependencies", Json::Object(dependencies)) => {
                    for (name, dependency) in dependencies.iter() {
                        if dependency.as_array().is_none() {
                            self.edge(part, dependency, Reach::SameIfPresent(name))?;
                        }
                    }
                }
                ("contentSchema", _) => self.edge(part, value, Reach::Nothing)?,
                ("pattern", _) => {
                    self.count_patterns(1)?;
                    self.parts[part].patterns += 1;
                }
                ("uniqueItems", _) => self.parts[part].unique = true,
                _ => self.parts[part].own += weight(value),
            }
        }
        Ok(())
    }

    /// One edge for each entry or member of `schemas`.
    fn edges(
        &mut self,
        part: usize,
        schemas: &'a Json,
        reach: impl Fn(&'a str, usize) -> Reach<'a>,
    ) -> Result<(), Unchecked> {
        match schemas {
            Json::Array(schemas) => schemas
                .iter()
                .enumerate()
                .try_for_each(|(at, schema)| self.edge(part, schema, reach("", at))),
            Json::Object(schemas) => schemas
                .iter()
                .enumerate()
                .try_for_each(|(at, (name, schema))| self.edge(part, schema, reach(name, at))),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
        }
    }

    fn count_patterns(&mut self, more: usize) -> Result<(), Unchecked> {
        self.patterns += more;
        if self.patterns > MAX_PATTERNS {
            return Err(Unchecked::TooManyPatterns);
        }
        Ok(())
    }

    fn anchor(&mut self, name: &'a str, schema: &'a Json) -> Result<(), Unchecked> {
        match self.anchors.insert(name, schema) {
            Some(other) if !std::ptr::eq(other, schema) => Err(Unchecked::Invalid(format!(
                "two parts are called “{}”",
                text::chip(name)
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// What a reference leads to within the schema.
    fn target(&self, reference: &'a str) -> Result<&'a Json, Unchecked> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !address.is_empty() && self.id.map(|id| id.trim_end_matches('#')) != Some(address) {
            return Err(Unchecked::External(text::chip(reference)));
        }
        let found = if fragment.is_empty() {
            Some(self.root)
        } else if fragment.starts_with('/') {
            pointed(self.root, fragment)
        } else {
            self.anchors.get(fragment).copied()
        };
        found.ok_or_else(|| Unchecked::NoTarget(text::chip(reference)))
    }
}

fn known_dialect(value: &Json) -> Result<(), Unchecked> {
    match value {
        Json::String(dialect) if dialect.trim_end_matches('#') == DIALECT => Ok(()),
        Json::String(dialect) => Err(Unchecked::Dialect(text::chip(dialect))),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            Err(Unchecked::Dialect(value.kind().to_owned()))
        }
    }
}

/// The value at a JSON Pointer (RFC 6901) in its form for addresses.
fn pointed<'a>(root: &'a Json, fragment: &str) -> Option<&'a Json> {
    let pointer = decoded(fragment)?;
    pointer
        .split('/')
        .skip(1)
        .try_fold(root, |value, token| match value {
            Json::Object(members) => members.get(&token.replace("~1", "/").replace("~0", "~")),
            Json::Array(items) => items.get(token.parse::<usize>().ok()?),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        })
}

fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%' {
            let (hex, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Steps that comparing with a value may take.
fn weight(value: &Json) -> u64 {
    match value {
        Json::Null | Json::Bool(_) => 1,
        Json::Number(text) | Json::String(text) => text_steps(text),
        Json::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Json::Object(members) => {
            1 + members
                .iter()
                .map(|(name, value)| text_steps(name) + weight(value))
                .sum::<u64>()
        }
    }
}

/// Steps that reading a text once takes.
fn text_steps(text: &str) -> u64 {
    1 + text.len() as u64 / 32
}

/// Looks for parts that stay at the same value for ever.
struct Ends<'a> {
    parts: &'a [Part<'a>],
    seen: Vec<Seen>,
}

#[derive(Clone, Copy)]
enum Seen {
    No,
    OnTheWay,
    Ends,
}

impl Ends<'_> {
    /// `above` is how many parts led here.
    fn look(&mut self, part: usize, above: u32) -> Result<(), Unchecked> {
        match self.seen[part] {
            Seen::OnTheWay => return Err(Unchecked::Endless),
            Seen::Ends => return Ok(()),
            Seen::No if above > MAX_HEIGHT => return Err(Unchecked::TooDeep),
            Seen::No => {}
        }
        self.seen[part] = Seen::OnTheWay;
        for edge in self.parts[part].edges.iter().filter(|edge| edge.reach.stays()) {
            self.look(edge.to, above + 1)?;
        }
        self.seen[part] = Seen::Ends;
        Ok(())
    }
}

/// References that the library follows into each other while it compiles, before it puts them off, and one more.
const FOLLOWED: usize = 9;

/// How deep compiling goes: schemas within schemas, and on through [`FOLLOWED`] references.
fn nesting(parts: &[Part<'_>]) -> Result<(), Unchecked> {
    let mut below = vec![0_u32; parts.len()];
    for _ in 0..FOLLOWED {
        let mut heights = vec![None; parts.len()];
        for part in 0..parts.len() {
            nested(parts, part, &below, &mut heights)?;
        }
        below = heights.into_iter().map(Option::unwrap_or_default).collect();
    }
    Ok(())
}

/// `below` is how deep it goes where a reference leads. Without references a schema is a tree.
fn nested(
    parts: &[Part<'_>],
    part: usize,
    below: &[u32],
    heights: &mut [Option<u32>],
) -> Result<u32, Unchecked> {
    if let Some(height) = heights[part] {
        return Ok(height);
    }
    let mut height = 0;
    for edge in &parts[part].edges {
        height = height.max(if edge.reach == Reach::Reference {
            below[edge.to] + 1
        } else {
            nested(parts, edge.to, below, heights)? + 1
        });
    }
    if height > MAX_HEIGHT {
        return Err(Unchecked::TooDeep);
    }
    heights[part] = Some(height);
    Ok(height)
}

#[derive(Clone, Copy, Default)]
struct Cost {
    steps: u64,
    /// Parts within parts, down to the last.
    height: u32,
}

impl Cost {
    fn plus(self, below: Self) -> Result<Self, Unchecked> {
        let sum = Self {
            steps: self.steps.saturating_add(below.steps),
            height: self.height.max(below.height + 1),
        };
        affordable(sum.steps)?;
        if sum.height > MAX_HEIGHT {
            return Err(Unchecked::TooDeep);
        }
        Ok(sum)
    }
}

/// What compiling costs. The library compiles parts again for marking, and those below them again.
struct Building<'a> {
    parts: &'a [Part<'a>],
    /// `None` while it is being counted.
    known: HashMap<(usize, bool), Option<Cost>>,
}

impl Building<'_> {
    fn cost(&mut self, part: usize, marking: bool, above: u32) -> Result<Cost, Unchecked> {
        match self.known.get(&(part, marking)) {
            Some(Some(cost)) => return Ok(*cost),
            // Marking that leads back to itself through members: as many ways as there are orders of the parts.
            Some(None) => return Err(Unchecked::TooCostly),
            None if above > MAX_HEIGHT => return Err(Unchecked::TooDeep),
            None => {}
        }
        self.known.insert((part, marking), None);
        let parts = self.parts;
        let mut cost = Cost { steps: 1, height: 0 };
        for edge in &parts[part].edges {
            let (stays, refers) = (edge.reach.stays(), edge.reach == Reach::Reference);
            // What a reference leads to is compiled once, by itself.
            let compiles =
                !refers && (!marking || stays || edge.reach.is_marked() || edge.reach == Reach::OtherMembers);
            if compiles {
                cost = cost.plus(self.cost(edge.to, false, above + 1)?)?;
            }
            if marking && stays {
                cost = cost.plus(self.cost(edge.to, true, above + 1)?)?;
            }
        }
        if !marking && parts[part].marks {
            cost = cost.plus(self.cost(part, true, above + 1)?)?;
        }
        self.known.insert((part, marking), Some(cost));
        Ok(cost)
    }
}

/// One value of the result, or the name of a member.
struct Node<'a> {
    shape: Shape<'a>,
    /// Bytes of its text, if it is one.
    text: u64,
    /// Steps that comparing all of it takes.
    whole: u64,
}

enum Shape<'a> {
    Scalar,
    Entries(Vec<usize>),
    /// Name, node of the name, node of the value; sorted by name.
    Members(Vec<(&'a str, usize, usize)>),
}

/// Appends the value and all in it; says where it stands.
fn flatten<'a>(value: &'a Json, nodes: &mut Vec<Node<'a>>) -> Result<usize, Unchecked> {
    affordable(nodes.len() as u64)?;
    let at = nodes.len();
    nodes.push(Node {
        shape: Shape::Scalar,
        text: value.as_str().map_or(0, |text| text.len() as u64),
        whole: 1,
    });
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::Number(text) | Json::String(text) => nodes[at].whole = text_steps(text),
        Json::Array(items) => {
            let mut entries = Vec::with_capacity(items.len());
            for item in items {
                let entry = flatten(item, nodes)?;
                nodes[at].whole += nodes[entry].whole;
                entries.push(entry);
            }
            nodes[at].shape = Shape::Entries(entries);
        }
        Json::Object(object) => {
            let mut members = Vec::with_capacity(object.len());
            for (name, value) in object.iter() {
                let value = flatten(value, nodes)?;
                nodes.push(Node {
                    shape: Shape::Scalar,
                    text: name.len() as u64,
                    whole: text_steps(name),
                });
                nodes[at].whole += nodes[value].whole + text_steps(name);
                members.push((name, nodes.len() - 1, value));
            }
            members.sort_unstable();
            nodes[at].shape = Shape::Members(members);
        }
    }
    Ok(at)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pass {
    Decide,
    Explain,
    Mark,
}

/// What checking costs.
struct Meeting<'a> {
    parts: &'a [Part<'a>],
    nodes: &'a [Node<'a>],
    known: HashMap<(usize, usize, Pass), Cost>,
}

impl Meeting<'_> {
    fn cost(&mut self, part: usize, node: usize, pass: Pass) -> Result<Cost, Unchecked> {
        if let Some(cost) = self.known.get(&(part, node, pass)) {
            return Ok(*cost);
        }
        affordable(self.known.len() as u64)?;
        let (parts, nodes) = (self.parts, self.nodes);
        let mut cost = Cost {
            steps: own(&parts[part], &nodes[node]),
            height: 0,
        };
        for edge in &parts[part].edges {
            // Looking whether the edge applies is a step too.
            cost.steps = cost.steps.saturating_add(1);
            self.handed_on(edge, &parts[part], node, pass, &mut cost)?;
        }
        if parts[part].marks && pass != Pass::Mark {
            cost = cost.plus(self.cost(part, node, Pass::Mark)?)?;
        }
        affordable(cost.steps)?;
        self.known.insert((part, node, pass), cost);
        Ok(cost)
    }

    /// Adds what the values cost that an edge hands on.
    fn handed_on(
        &mut self,
        edge: &Edge<'_>,
        from: &Part<'_>,
        node: usize,
        pass: Pass,
        cost: &mut Cost,
    ) -> Result<(), Unchecked> {
        let nodes = self.nodes;
        if edge.reach.stays() {
            if let Reach::SameIfPresent(name) = edge.reach {
                let present = match &nodes[node].shape {
                    Shape::Members(members) => member(members, name).is_some(),
                    Shape::Scalar | Shape::Entries(_) => false,
                };
                if !present {
                    return Ok(());
                }
            }
            let decides = match pass {
                Pass::Decide => false,
                Pass::Explain => edge.reach == Reach::Choice,
                Pass::Mark => edge.reach != Reach::Reference,
            };
            if decides {
                *cost = cost.plus(self.cost(edge.to, node, Pass::Decide)?)?;
            }
            *cost = cost.plus(self.cost(edge.to, node, pass)?)?;
            return Ok(());
        }
        let pass = match pass {
            Pass::Mark if !edge.reach.is_marked() => return Ok(()),
            Pass::Mark => Pass::Decide,
            Pass::Decide | Pass::Explain => pass,
        };
        match &nodes[node].shape {
            Shape::Scalar => {}
            Shape::Entries(entries) => {
                for entry in edge.reach.of_entries(entries) {
                    *cost = cost.plus(self.cost(edge.to, *entry, pass)?)?;
                }
            }
            Shape::Members(members) => {
                if let Reach::Member(name) = edge.reach {
                    if let Some((_, _, value)) = member(members, name) {
                        *cost = cost.plus(self.cost(edge.to, *value, pass)?)?;
                    }
                    return Ok(());
                }
                for member in members {
                    if let Some(handed) = edge.reach.of_member(member, from) {
                        *cost = cost.plus(self.cost(edge.to, handed, pass)?)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn member<'a, 'b>(members: &'b [(&'a str, usize, usize)], name: &str) -> Option<&'b (&'a str, usize, usize)> {
    let at = members
        .binary_search_by(|(known, _, _)| (*known).cmp(name))
        .ok()?;
    members.get(at)
}

/// Steps of one part at one value, without what it hands on.
fn own(part: &Part<'_>, node: &Node<'_>) -> u64 {
    let names: u64 = match &node.shape {
        Shape::Members(members) if part.name_patterns > 0 => {
            members.iter().map(|(name, _, _)| 1 + name.len() as u64).sum()
        }
        Shape::Members(_) | Shape::Scalar | Shape::Entries(_) => 0,
    };
    let unique = if part.unique { node.whole } else { 0 };
    (1 + node.text / 32 + part.own)
        .saturating_add(part.patterns.saturating_mul(node.text))
        .saturating_add(part.name_patterns.saturating_mul(names))
        .saturating_add(unique)
}
