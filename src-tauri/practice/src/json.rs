//! JSON written down in code. Values that are not literals, lists or objects stand in parentheses.

use countersign_core::wire::json::Json;

/// What may stand in [`json!`] as a value.
pub(crate) trait IntoJson {
    fn into_json(self) -> Json;
}

impl IntoJson for Json {
    fn into_json(self) -> Json {
        self
    }
}

impl IntoJson for &str {
    fn into_json(self) -> Json {
        Json::string(self)
    }
}

impl IntoJson for String {
    fn into_json(self) -> Json {
        Json::String(self)
    }
}

impl IntoJson for bool {
    fn into_json(self) -> Json {
        Json::Bool(self)
    }
}

impl IntoJson for i64 {
    fn into_json(self) -> Json {
        Json::integer(self)
    }
}

macro_rules! json {
    ([ $($item:tt),* $(,)? ]) => {
        countersign_core::wire::json::Json::Array(vec![ $( $crate::json::json!($item) ),* ])
    };
    ({ $($key:literal : $value:tt),* $(,)? }) => {
        countersign_core::wire::json::Json::object::<&str>([ $( ($key, $crate::json::json!($value)) ),* ])
    };
    (($value:expr)) => {
        $crate::json::IntoJson::into_json($value)
    };
    ($value:expr) => {
        $crate::json::IntoJson::into_json($value)
    };
}
pub(crate) use json;
