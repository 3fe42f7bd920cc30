-- What failed, what was tried, what helped.
-- Failures that are worth a memory stand in its file, and their rows are made again from it. Failures
-- seen once, where a session is (`trail`) and how files looked after a fix are kept here only: a lost
-- index forgets them, and the next run finds them again.

-- `doc` is the record; `session` is where it was last seen or fixed, 0 if that is not known.
CREATE TABLE failure (
    num       INTEGER NOT NULL PRIMARY KEY,
    project   INTEGER NOT NULL,
    signature TEXT    NOT NULL,
    family    TEXT    NOT NULL,
    command   TEXT    NOT NULL,
    open      INTEGER NOT NULL,
    last_at   INTEGER NOT NULL,
    fixed_at  INTEGER NOT NULL,
    session   INTEGER NOT NULL,
    memory    BLOB,
    fix       BLOB,
    doc       TEXT    NOT NULL,
    UNIQUE (project, signature)
) STRICT;
CREATE INDEX failure_family ON failure (project, family, open);
CREATE INDEX failure_command ON failure (project, command, open);
CREATE INDEX failure_memory ON failure (memory);

-- Files and symbols by which a failure is found. `role` is trace, edit, fix, tail (the path is only the
-- end of one) or symbol; `changed` is when the file was last edited, `mark` how it was after the fix.
CREATE TABLE failure_target (
    project INTEGER NOT NULL,
    target  TEXT    NOT NULL,
    failure INTEGER NOT NULL,
    role    TEXT    NOT NULL,
    changed INTEGER NOT NULL,
    mark    TEXT    NOT NULL,
    PRIMARY KEY (project, target, failure)
) STRICT, WITHOUT ROWID;
CREATE INDEX failure_target_failure ON failure_target (failure);

-- Where a session is between a failure and its fix. `compacted` is 1 while a session that forgot its
-- beginning has not been told what it needs.
CREATE TABLE trail (
    session   INTEGER NOT NULL PRIMARY KEY,
    doc       TEXT    NOT NULL,
    compacted INTEGER NOT NULL
) STRICT;
