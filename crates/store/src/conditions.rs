//! Optional conditions of a query. Their text consists of constants and numbered placeholders; all outside values
//! are bound. Unused conditions are not in the text, so that SQLite can choose an index by the others.

use rusqlite::types::Value;
use rusqlite::{Params, params_from_iter};

#[derive(Debug, Default)]
pub(crate) struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    /// Starts with a condition that always applies.
    pub(crate) fn new(condition: &'static str) -> Self {
        Conditions { sql: condition.to_owned(), values: Vec::new() }
    }

    pub(crate) fn and(&mut self, condition: &'static str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// `before` and `after` stand around the mark that the value is bound to.
    pub(crate) fn and_bound(&mut self, before: &'static str, value: impl Into<Value>, after: &'static str) {
        self.and(before);
        self.bind(value);
        self.sql.push_str(after);
    }

    /// The column is one of these. With one value SQLite makes an equation of it.
    pub(crate) fn and_one_of<V: Into<Value>>(
        &mut self,
        before: &'static str,
        values: impl IntoIterator<Item = V>,
        after: &'static str,
    ) {
        self.and(before);
        self.sql.push_str(" IN (");
        for (at, value) in values.into_iter().enumerate() {
            if at > 0 {
                self.sql.push_str(", ");
            }
            self.bind(value);
        }
        self.sql.push(')');
        self.sql.push_str(after);
    }

    /// The next mark, for a place outside of the conditions such as a limit.
    pub(crate) fn mark(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    fn bind(&mut self, value: impl Into<Value>) {
        let mark = self.mark(value);
        self.sql.push_str(&mark);
    }

    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    pub(crate) fn params(&self) -> impl Params + '_ {
        params_from_iter(&self.values)
    }
}

/// A limit as SQLite counts.
pub(crate) fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Conditions;

    #[test]
    fn what_comes_from_outside_is_never_part_of_the_text() {
        let mut conditions = Conditions::new("a > 0");
        conditions.and_one_of("b", ["x' OR 1 --", "y"].map(str::to_owned), "");
        conditions.and_bound("c = ", 7, "");
        let limit = conditions.mark(5);
        assert_eq!(conditions.sql(), "a > 0 AND b IN (?1, ?2) AND c = ?3");
        assert_eq!(limit, "?4");
    }

    #[test]
    fn one_of_none_is_nothing() {
        let mut conditions = Conditions::new("1");
        conditions.and_one_of("b", Vec::<i64>::new(), "");
        assert_eq!(conditions.sql(), "1 AND b IN ()");
    }
}
