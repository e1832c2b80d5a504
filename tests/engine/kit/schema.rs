//! JSON Schema as others read it: the schemas of the specification, and the one that a server sends with a form.

use countersign_core::wire::json::Json;
use jsonschema::{Registry, Validator};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

const URN: &str = "urn:mcp";

/// The schema of one revision of the specification.
pub(crate) struct Official {
    registry: Registry<'static>,
    defined: HashSet<String>,
    /// Building one takes longer than asking it.
    validators: RefCell<HashMap<String, Validator>>,
}

impl Official {
    pub(crate) fn of(revision: &str) -> Self {
        let text = std::fs::read_to_string(fixtures().join(revision).join("schema.json")).expect(revision);
        let schema: serde_json::Value = serde_json::from_str(&text).expect(revision);
        let definitions = schema["$defs"].as_object().expect("definitions");
        Self {
            defined: definitions.keys().cloned().collect(),
            registry: Registry::new()
                .add(URN, schema)
                .and_then(|registry| registry.prepare())
                .expect(revision),
            validators: RefCell::default(),
        }
    }

    /// What is wrong with a value as `definition`; empty where nothing is.
    pub(crate) fn faults(&self, definition: &str, value: &Json) -> Vec<String> {
        let mut validators = self.validators.borrow_mut();
        let validator = validators.entry(definition.to_owned()).or_insert_with(|| {
            let reference = Json::object([("$ref", Json::string(format!("{URN}#/$defs/{definition}")))]);
            jsonschema::options()
                .with_registry(&self.registry)
                .build(&reference.to_value())
                .unwrap_or_else(|error| panic!("{definition}: {error}"))
        });
        told(validator, value)
    }

    /// Whether the revision has a definition of this name.
    pub(crate) fn defines(&self, definition: &str) -> bool {
        self.defined.contains(definition)
    }
}

/// Whether the content of an answer is valid under the schema that asked for it, formats included.
///
/// # Errors
/// What does not fit.
pub(crate) fn answer_fits(requested: &Json, content: &Json) -> Result<(), String> {
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&requested.to_value())
        .map_err(|error| format!("no schema: {error}"))?;
    let faults = told(&validator, content);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("; "))
    }
}

/// The folder with the schemas of the specification.
pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/schema")
}

fn told(validator: &Validator, value: &Json) -> Vec<String> {
    let value = value.to_value();
    let errors = validator.iter_errors(&value);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
