//! The index, from its migrations.

use std::fmt::Write as _;

use crate::failure::Outcome;
use crate::workspace;

pub(super) fn page() -> Outcome<String> {
    let mut page = String::from(
        "# The index\n\n`hark.db` is a SQLite database that `hark reindex` rebuilds from the files. Its tables \
         are not a public interface: you may read them, but write only through hark.\n",
    );
    for path in workspace::files_below(&workspace::root().join("migrations/sqlite"), "sql") {
        let sql = workspace::read(&path)?;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let _ = write!(page, "\n## {name}\n\n```sql\n{}\n```\n", sql.trim());
    }
    Ok(page)
}
