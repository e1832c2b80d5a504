//! Which questions the list shows as one row, because one server asks the same many times. Pure.
//!
//! A group is only a way to look at them: each is opened, read and answered alone.

use crate::view::{AskId, AskKind, ServerId};
use std::collections::HashMap;

/// So many equal questions are one row.
pub(super) const MANY: usize = 5;

/// What makes questions equal: server, kind and first line, uncut.
pub(super) type Likeness<'a> = (ServerId, AskKind, &'a str);

/// The group of each question that is in one, named by the oldest of it. `waiting` are the questions of which nothing
/// was decided, oldest first.
pub(super) fn groups<'a>(waiting: impl Iterator<Item = (AskId, Likeness<'a>)>) -> HashMap<AskId, AskId> {
    let mut alike: HashMap<Likeness<'a>, Vec<AskId>> = HashMap::new();
    for (id, likeness) in waiting {
        alike.entry(likeness).or_default().push(id);
    }
    let mut groups = HashMap::new();
    for members in alike.into_values().filter(|members| members.len() >= MANY) {
        if let Some(&oldest) = members.first() {
            groups.extend(members.into_iter().map(|id| (id, oldest)));
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{Likeness, MANY, groups};
    use crate::view::{AskId, AskKind, ServerId};

    /// `asked` are the questions in their order; `expected` is the group of each, by position.
    fn check(asked: &[Likeness<'_>], expected: &[Option<usize>]) {
        let id = |at: usize| AskId(u32::try_from(at).expect("few") + 1);
        let found = groups(asked.iter().enumerate().map(|(at, likeness)| (id(at), *likeness)));
        let by_position: Vec<_> = (0..asked.len()).map(|at| found.get(&id(at)).copied()).collect();
        let expected: Vec<_> = expected.iter().map(|group| group.map(id)).collect();
        assert_eq!(by_position, expected, "{asked:?}");
    }

    #[test]
    fn many_equal_questions_of_one_server_are_one_row() {
        let same = (ServerId(1), AskKind::Form, "Sure?");
        check(&[], &[]);
        check(&[same; MANY - 1], &[None; MANY - 1]);
        check(&[same; MANY], &[Some(0); MANY]);
    }

    #[test]
    fn other_servers_kinds_and_words_stay_apart() {
        let same = (ServerId(1), AskKind::Form, "Sure?");
        for other in [
            (ServerId(2), AskKind::Form, "Sure?"),
            (ServerId(1), AskKind::Link, "Sure?"),
            (ServerId(1), AskKind::Form, "Sure? "),
        ] {
            check(&[same, same, other, same, same], &[None; 5]);
            check(
                &[other, same, same, same, same, same],
                &[None, Some(1), Some(1), Some(1), Some(1), Some(1)],
            );
        }
    }
}
