//! Why a schema is not drawn.

/// A schema that is not drawn: the card says why and has no Send.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Undrawable {
    pub reason: Reason,
    /// One sentence for a person. It names the field, where there is one, in quotes and filtered.
    pub sentence: String,
}

/// The kinds of reason, for code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The request has no `requestedSchema`.
    NoSchema,
    /// The schema is no object schema.
    NotAnObject,
    /// The schema has no `properties`, or they are no object.
    NoProperties,
    TooManyFields,
    TooManyOptions,
    /// A tool's arguments depend on each other (`anyOf`, `if`, …).
    Combined,
    /// `required` names a field that is not there.
    RequiredUnknown,
    /// The field's schema is no object.
    NotASchema,
    /// A `$ref` that leads nowhere, elsewhere, or in a circle.
    BadReference,
    NoType,
    UnknownType,
    /// The field holds fields.
    Nested,
    /// A list whose entries hold fields or lists.
    NestedList,
    /// A list of anything, or one in which the places differ.
    FreeList,
    NoChoices,
    ChoiceWithoutValue,
    /// A choice that is a list or an object.
    ChoiceNotPlain,
    /// A choice that the field's own type forbids.
    ChoiceOfOtherType,
    ConflictingChoices,
    /// A `$ref` and what stands beside it limit the answer differently.
    ConflictingLayers,
    /// `minLength` above `maxLength`, lengths that no text of the format has, or nothing but an empty text allowed where text is required.
    ImpossibleLength,
    /// No number is within all bounds, whole where it must be, and a multiple.
    ImpossibleRange,
    /// `minItems` above `maxItems` or above the number of options.
    ImpossibleCount,
}
