-- Finished turns of sessions, a line each in the session's file. `doc` is the turn; `terms` and `files` are what similar
-- work is found by: hashes of words with their frequencies, and of paths and names of changed files.
CREATE TABLE turn (
    session INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    tail    TEXT    NOT NULL,
    doc     TEXT    NOT NULL,
    terms   BLOB    NOT NULL,
    files   BLOB    NOT NULL,
    PRIMARY KEY (session, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_tail ON turn (tail);
