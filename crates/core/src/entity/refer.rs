//! Which of the stored names a reference means.
//!
//! A name may be written in full or in part: `auth.rs` is `src/auth.rs`, and `!7` is `acme/shop!7` in the project
//! `acme/shop` and another merge request everywhere else.

use super::{Entity, EntityKind};

/// How much of a name a reference says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The stored name is the beginning of what was asked: a text that says `auth.rs` may mean `src/auth.rs`.
    Partial,
    /// The stored name ends in what was asked.
    Ending,
    Exact,
}

/// Who asks: a reference without a project is about theirs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asker<'a> {
    /// The key of their project.
    pub project: Option<&'a str>,
    /// They ask about every project.
    pub everywhere: bool,
}

impl Entity {
    /// Whether this reference means the entity stored as `norm` in the project `home`, and how exactly.
    pub fn refers_to(&self, norm: &str, home: Option<&str>, asker: Asker<'_>) -> Option<Match> {
        if let (Some((asked, number)), Some((stored, same))) = (numbered(&self.norm), numbered(norm))
            && matches!(self.kind, EntityKind::Issue | EntityKind::MergeRequest | EntityKind::Epic)
        {
            if number != same {
                return None;
            }
            return match (asked, stored) {
                // Only visible projects are searched.
                ("", "") => Some(Match::Exact),
                ("", stored)
                    if asker.everywhere || asker.project.is_some_and(|key| is_project(key, stored)) =>
                {
                    Some(Match::Ending)
                }
                ("", _) => None,
                (asked, "") => home.is_some_and(|key| is_project(key, asked)).then_some(Match::Exact),
                (asked, stored) if asked == stored => Some(Match::Exact),
                (asked, stored) => is_project(stored, asked).then_some(Match::Ending),
            };
        }
        if norm == self.norm {
            Some(Match::Exact)
        } else if ends_in(norm, &self.norm) {
            Some(Match::Ending)
        } else {
            ends_in(&self.norm, norm).then_some(Match::Partial)
        }
    }

    /// The project that a reference such as `acme/shop!7` names.
    pub fn names_project(&self) -> Option<&str> {
        let of_project = matches!(self.kind, EntityKind::Issue | EntityKind::MergeRequest | EntityKind::Epic);
        numbered(&self.norm).map(|(project, _)| project).filter(|project| of_project && !project.is_empty())
    }
}

/// `acme/shop!7` → `acme/shop` and `!7`.
fn numbered(norm: &str) -> Option<(&str, &str)> {
    norm.rfind(['#', '!', '&']).map(|at| norm.split_at(at))
}

/// Whether the project with this key is called so: `github.com/acme/shop` is called `acme/shop`, and the other way
/// round.
pub fn is_project(key: &str, name: &str) -> bool {
    let (key, name) = (key.to_lowercase(), name.to_lowercase());
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|head| head.ends_with('/'));
    key == name || ends(&key, &name) || ends(&name, &key)
}

/// At a boundary between parts: `oauth.rs` does not end in `auth.rs`.
fn ends_in(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|head| !short.is_empty() && (head.ends_with(['/', '.']) || head.ends_with("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, norm: &str, home: Option<&str>, current: Option<&str>) -> Option<Match> {
        let asker = Asker { project: current, everywhere: false };
        Entity::from_reference(text).unwrap().refers_to(norm, home, asker)
    }

    const SHOP: Option<&str> = Some("git.example.org/acme/shop");

    #[test]
    fn a_number_belongs_to_a_project() {
        assert_eq!(asked("!7", "!7", SHOP, SHOP), Some(Match::Exact));
        assert_eq!(asked("acme/shop!7", "!7", SHOP, None), Some(Match::Exact));
        assert_eq!(asked("!7", "acme/shop!7", SHOP, SHOP), Some(Match::Ending));
        assert_eq!(asked("acme/shop!7", "acme/shop!7", None, None), Some(Match::Exact));
        for (text, norm, home) in [
            ("!7", "group/proj!7", SHOP),
            ("group/proj!7", "!7", SHOP),
            ("!7", "!17", SHOP),
            ("acme/shop!7", "acme/shop#7", SHOP),
            ("shop/x!7", "acme/shop!7", SHOP),
        ] {
            assert_eq!(asked(text, norm, home, SHOP), None, "{text} {norm}");
        }
        let everywhere = Asker { project: SHOP, everywhere: true };
        let any = Entity::from_reference("!7").unwrap();
        assert_eq!(any.refers_to("group/proj!7", None, everywhere), Some(Match::Ending));
    }

    #[test]
    fn names_end_at_a_boundary() {
        assert_eq!(asked("auth.rs", "src/auth.rs", None, None), Some(Match::Ending));
        assert_eq!(asked("src/auth.rs", "auth.rs", None, None), Some(Match::Partial));
        assert_eq!(asked("a/auth.rs", "ba/auth.rs", None, None), None);
        assert_eq!(asked("auth.rs", "oauth.rs", None, None), None);
        assert_eq!(asked("symbol:get", "user::get", None, None), Some(Match::Ending));
    }

    #[test]
    fn a_reference_may_name_its_project() {
        let of = |text: &str| Entity::from_reference(text).unwrap().names_project().map(str::to_owned);
        assert_eq!(of("acme/shop!7").as_deref(), Some("acme/shop"));
        assert_eq!((of("!7"), of("src/a.rs")), (None, None));
    }
}
