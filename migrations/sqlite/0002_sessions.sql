-- Sessions, what happened in them, and what was said to assistants unasked.
-- Sessions that are worth keeping are files in sessions/; events and the ledger are kept here only.

-- `doc` is the session without its files and checkpoints, which have tables of their own.
-- `unreported` counts tool calls since the agent last said what it does, `denied` how often it was
-- refused a tool for that. `file` is empty until there is something worth a file.
CREATE TABLE session (
    num          INTEGER NOT NULL PRIMARY KEY,
    id           BLOB    NOT NULL UNIQUE,
    tail         TEXT    NOT NULL,
    project      INTEGER NOT NULL,
    host         TEXT    NOT NULL,
    host_session TEXT    NOT NULL,
    status       TEXT    NOT NULL,
    started      INTEGER NOT NULL,
    seen         INTEGER NOT NULL,
    ended        INTEGER,
    tools        INTEGER NOT NULL,
    unreported   INTEGER NOT NULL,
    denied       INTEGER NOT NULL,
    file         TEXT    NOT NULL,
    mtime        INTEGER NOT NULL,
    size         INTEGER NOT NULL,
    doc          TEXT    NOT NULL,
    UNIQUE (host, host_session)
) STRICT;
CREATE INDEX session_tail ON session (tail);
CREATE INDEX session_recent ON session (project, seen);
CREATE INDEX session_status ON session (status, seen);
CREATE INDEX session_markdown ON session (file);

CREATE TABLE checkpoint (
    session INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    author  TEXT    NOT NULL,
    note    TEXT    NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE session_file (
    session  INTEGER NOT NULL,
    path     TEXT    NOT NULL,
    op       TEXT    NOT NULL,
    former   TEXT    NOT NULL,
    edits    INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (session, path, op)
) STRICT, WITHOUT ROWID;

-- Files that were already changed when a session began, so that they are not taken for its work.
CREATE TABLE session_baseline (
    session INTEGER NOT NULL,
    path    TEXT    NOT NULL,
    mark    TEXT    NOT NULL,
    PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;

-- `once` is the assistant's own id of a tool call or prompt, `via` how the event reached us.
CREATE TABLE event (
    seq     INTEGER NOT NULL PRIMARY KEY,
    session INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    tool    TEXT    NOT NULL,
    target  TEXT    NOT NULL,
    ok      INTEGER,
    via     TEXT    NOT NULL,
    once    TEXT    NOT NULL,
    body    TEXT    NOT NULL,
    tokens  INTEGER NOT NULL
) STRICT;
CREATE INDEX event_session ON event (session, seq);
CREATE INDEX event_once ON event (session, once);

-- Which words a session holds, as hashes, like the lexicon of memories.
CREATE VIRTUAL TABLE session_lexicon USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

-- Every text that we put into an assistant's context unasked.
CREATE TABLE ledger (
    seq     INTEGER NOT NULL PRIMARY KEY,
    at      INTEGER NOT NULL,
    host    TEXT    NOT NULL,
    session INTEGER NOT NULL,
    surface TEXT    NOT NULL,
    items   TEXT    NOT NULL,
    bytes   INTEGER NOT NULL,
    tokens  INTEGER NOT NULL,
    why     TEXT    NOT NULL
) STRICT;
CREATE INDEX ledger_host ON ledger (host, at);
CREATE INDEX ledger_session ON ledger (session);

-- What a beginning session is told: all active directives, open tasks, and so on.
CREATE INDEX memory_standing ON memory (kind, status, updated);

-- What a session has already been told.
CREATE TABLE injected (
    session INTEGER NOT NULL,
    item    TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (session, item)
) STRICT, WITHOUT ROWID;
