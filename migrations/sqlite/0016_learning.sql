-- Lists by status, such as the inbox, read only what they show.
CREATE INDEX memory_status ON memory (status, updated);

-- Triggers of active rules and reminders, filed under a literal part of their pattern, so that a tool call looks up a few
-- keys however many rules there are. Made from the files of the memories.
CREATE TABLE trigger_key (
    project INTEGER NOT NULL,
    key     TEXT    NOT NULL,
    memory  INTEGER NOT NULL,
    pattern TEXT    NOT NULL,
    PRIMARY KEY (project, key, memory, pattern)
) STRICT, WITHOUT ROWID;
CREATE INDEX trigger_memory ON trigger_key (memory);

-- What a rule came to in one session, until the session is over and the record in the rule's file has it. `silent` is 1 if
-- the session was drawn to hear nothing of the rule. `closed` cases stay, to compare told sessions with silent ones. `call` is the
-- tool call that a hook saw before it ran.
CREATE TABLE rule_case (
    rule      BLOB    NOT NULL,
    session   INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    matched   INTEGER NOT NULL DEFAULT 0,
    told      INTEGER NOT NULL DEFAULT 0,
    denied    INTEGER NOT NULL DEFAULT 0,
    asked     INTEGER NOT NULL DEFAULT 0,
    broken    INTEGER NOT NULL DEFAULT 0,
    overruled INTEGER NOT NULL DEFAULT 0,
    silent    INTEGER NOT NULL DEFAULT 0,
    closed    INTEGER NOT NULL DEFAULT 0,
    call      TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (rule, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_case_open ON rule_case (session) WHERE closed = 0;

-- Things that happened from which something may be learned. `mark` tells one from another within a session, so that reading
-- again adds nothing. `doc` is what the learner needs besides the words. What led to an insight is in the insight's file;
-- a lost index loses the rest.
CREATE TABLE evidence (
    seq     INTEGER NOT NULL PRIMARY KEY,
    session INTEGER NOT NULL,
    project INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    sort    TEXT    NOT NULL,
    mark    TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    doc     TEXT    NOT NULL,
    insight BLOB,
    UNIQUE (session, mark)
) STRICT;
CREATE INDEX evidence_project ON evidence (project, sort, at);

-- Up to which event a session was read for evidence, procedures and episodes, each by its own name.
CREATE TABLE learned_from (
    session INTEGER NOT NULL,
    what    TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (session, what)
) STRICT, WITHOUT ROWID;
