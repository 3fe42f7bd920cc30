-- The index over the markdown files, version 9. Memories and sessions can be rebuilt from them; what cannot says so.
-- This file is never edited; later ones only add, so that older binaries keep working.

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- Number 0 means "no project": memories that hold everywhere.
CREATE TABLE project (
    num     INTEGER NOT NULL PRIMARY KEY,
    key     TEXT    NOT NULL UNIQUE,
    created INTEGER NOT NULL
) STRICT;

-- Which project a folder is, as learned from git; a cache, not an identity.
CREATE TABLE project_root (
    root    TEXT    NOT NULL PRIMARY KEY,
    key     TEXT    NOT NULL,
    stamp   TEXT    NOT NULL
) STRICT;

CREATE TABLE memory (
    num        INTEGER NOT NULL PRIMARY KEY,
    id         BLOB    NOT NULL UNIQUE,
    tail       TEXT    NOT NULL,
    project    INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    importance INTEGER NOT NULL,
    pinned     INTEGER NOT NULL,
    origin     TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    closed     INTEGER,
    expires    INTEGER,
    hash       BLOB    NOT NULL,
    passages   INTEGER NOT NULL,
    file       TEXT    NOT NULL UNIQUE,
    mtime      INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    doc        TEXT    NOT NULL
) STRICT;
CREATE INDEX memory_tail ON memory (tail);
CREATE INDEX memory_recent ON memory (project, updated);
-- What a beginning session is told: all active directives, open tasks, and so on. With the project at hand, what
-- stands in one is found without reading the memories of all others.
CREATE INDEX memory_standing ON memory (kind, status, updated, project);

CREATE TABLE tag (
    tag    TEXT    NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (tag, memory)
) STRICT, WITHOUT ROWID;
-- Changing a memory takes its tags out first; without this that reads every tag of every memory.
CREATE INDEX tag_memory ON tag (memory);

-- One row per passage: id = memory.num * 4096 + ordinal. `record` holds its terms for scoring,
-- `words` the embedder's view of its single words; `other` is 1 where an assistant or a tool speaks.
CREATE TABLE passage (
    id     INTEGER NOT NULL PRIMARY KEY,
    chunk  INTEGER NOT NULL,
    slot   INTEGER NOT NULL,
    other  INTEGER NOT NULL,
    scale  REAL    NOT NULL,
    vec    BLOB    NOT NULL,
    record BLOB    NOT NULL,
    words  BLOB    NOT NULL
) STRICT;

-- The terms of a memory of several passages as a whole, in its owner's voice.
CREATE TABLE document (
    memory INTEGER NOT NULL PRIMARY KEY,
    record BLOB    NOT NULL
) STRICT;

-- Facets and sign bits of passages, packed so that a scan reads few pages. Slots are fixed-size.
CREATE TABLE chunk (
    id      INTEGER NOT NULL PRIMARY KEY,
    project INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    data    BLOB    NOT NULL
) STRICT;
CREATE INDEX chunk_project ON chunk (project);

-- Term hashes only: which passages hold a term. Scoring happens outside, from passage.record.
CREATE VIRTUAL TABLE lexicon USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

-- The vocabulary: how many passages hold a word; its stem is what the lexicon files.
CREATE TABLE word (
    id   INTEGER NOT NULL PRIMARY KEY,
    word TEXT    NOT NULL UNIQUE,
    term TEXT    NOT NULL,
    df   INTEGER NOT NULL
) STRICT;
CREATE INDEX word_term ON word (term);

-- Deletion neighbourhoods of vocabulary words, for typos.
CREATE TABLE near (
    hash INTEGER NOT NULL,
    word INTEGER NOT NULL,
    PRIMARY KEY (hash, word)
) STRICT, WITHOUT ROWID;

-- Totals: row 1 over passages, row 2 over documents.
CREATE TABLE corpus (
    id       INTEGER NOT NULL PRIMARY KEY,
    passages INTEGER NOT NULL,
    titles   INTEGER NOT NULL,
    bodies   INTEGER NOT NULL,
    labels   INTEGER NOT NULL
) STRICT;
INSERT INTO corpus (id, passages, titles, bodies, labels) VALUES (1, 0, 0, 0, 0), (2, 0, 0, 0, 0);

-- project 0: the entity is the same everywhere (a person, a library).
CREATE TABLE entity (
    id       INTEGER NOT NULL PRIMARY KEY,
    project  INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    norm     TEXT    NOT NULL,
    leaf     TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    mentions INTEGER NOT NULL,
    UNIQUE (project, kind, norm)
) STRICT;
CREATE INDEX entity_leaf ON entity (leaf);

CREATE TABLE mention (
    entity INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (entity, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_memory ON mention (memory);

CREATE TABLE edge (
    src    BLOB NOT NULL,
    rel    TEXT NOT NULL,
    dst    BLOB NOT NULL,
    weight REAL NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (src, rel, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_dst ON edge (dst);

-- Folders as last seen, and files in them that are not memories.
CREATE TABLE folder (
    path  TEXT    NOT NULL PRIMARY KEY,
    mtime INTEGER NOT NULL
) STRICT;

CREATE TABLE unread (
    file   TEXT    NOT NULL PRIMARY KEY,
    mtime  INTEGER NOT NULL,
    size   INTEGER NOT NULL,
    reason TEXT    NOT NULL
) STRICT;

-- Near-repeats, topics, use, and what was forgotten for good.

-- An index over tombstones.jsonl: whole ids, and keyed marks of texts and sessions. No text.
-- `why`: 1 forgotten, 2 purged by retention.
CREATE TABLE tombstone (
    mark TEXT    NOT NULL PRIMARY KEY,
    why  INTEGER NOT NULL,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Numbers by which near-repeats meet: a hash of the exact text, and MinHash bands.
CREATE TABLE likeness (
    band   INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (band, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic (
    topic  TEXT    NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (topic, memory)
) STRICT, WITHOUT ROWID;

-- How often and when a memory was last given to somebody. Kept here only: a lost index loses it,
-- and memories then age from their last change or confirmation. A rebuild keeps it.
CREATE TABLE used (
    id   BLOB    NOT NULL PRIMARY KEY,
    uses INTEGER NOT NULL,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A second vector space: passages as an optional model sees them, beside the static one. All of it can be made
-- again by `hark model embed`.

-- Slots of 64 bytes that stand where the passage stands in `chunk`: passage, key of its vector, sign bits.
CREATE TABLE space_chunk (
    space TEXT    NOT NULL,
    chunk INTEGER NOT NULL,
    slots BLOB    NOT NULL,
    PRIMARY KEY (space, chunk)
) STRICT;

-- Vectors by a hash over memory and text: they outlive a rebuild, since a text's vector stays the same.
CREATE TABLE space_vector (
    space TEXT    NOT NULL,
    key   INTEGER NOT NULL,
    scale REAL    NOT NULL,
    vec   BLOB    NOT NULL,
    PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;

-- What was ever written to a chunk, as one number: whoever keeps chunks in memory sees by it which to read again.
CREATE TABLE chunk_mark (
    chunk INTEGER PRIMARY KEY,
    mark  INTEGER NOT NULL
) STRICT;

-- Memories that a server has filed so far that they are found; their words, entities and near-repeats follow when
-- nobody waits. `bands` are their numbers in `likeness` until then, eight bytes each.
CREATE TABLE unfinished (
    memory INTEGER NOT NULL PRIMARY KEY,
    bands  BLOB    NOT NULL
) STRICT;

-- Nobody fills it any more; binaries of before empty it when they rebuild.
CREATE TABLE uncounted (
    memory INTEGER NOT NULL PRIMARY KEY
) STRICT;

-- Stores of projects whose memories are in this index, beside the user's own. `trusted` follows `trust.json`, which
-- is the truth; a row of an untrusted store is made when the user works there. `project` is the key under which its
-- memories are filed: for an untrusted store one of its own, so that they are seen nowhere else. `read_as` is how the
-- store stood when its files were last read: 1 trusted, 0 not, -1 never; `told` has a bit for each who was told of it.
CREATE TABLE layer (
    num     INTEGER NOT NULL PRIMARY KEY,
    path    TEXT    NOT NULL UNIQUE,
    trusted INTEGER NOT NULL,
    store   TEXT    NOT NULL,
    project TEXT    NOT NULL,
    read_as INTEGER NOT NULL DEFAULT -1,
    told    INTEGER NOT NULL DEFAULT 0
) STRICT;

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

-- `once` is the assistant's own id of a tool call or prompt, `via` how the event reached us. `tier` is what an event
-- is worth: S, M, L or N. `digest` is the leaf that tells about it.
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
    tokens  INTEGER NOT NULL,
    tier    TEXT    NOT NULL DEFAULT '',
    digest  INTEGER
) STRICT;
CREATE INDEX event_session ON event (session, seq);
CREATE INDEX event_once ON event (session, once);
CREATE INDEX event_record ON event (once);
CREATE INDEX event_time ON event (session, at);
CREATE INDEX event_digest ON event (digest) WHERE digest IS NOT NULL;
CREATE INDEX event_undigested ON event (session) WHERE digest IS NULL AND tier IN ('M', 'L');

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

-- What a session has already been told.
CREATE TABLE injected (
    session INTEGER NOT NULL,
    item    TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (session, item)
) STRICT, WITHOUT ROWID;

-- Transcripts that were read, and digests of what is in them.
-- Events and digests come from hooks and transcripts, not from our files: they cannot be rebuilt
-- from those. Sessions worth keeping are files all the same.

-- How far each transcript was read. `key` is a hash of the path, which `path` shows redacted;
-- `mark` is a hash of what stands at the beginning and before `offset`, by which a file that was
-- replaced is known. In a database `offset` is a time.
CREATE TABLE cursor (
    host   TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    path   TEXT    NOT NULL,
    inode  INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    mtime  INTEGER NOT NULL,
    size   INTEGER NOT NULL,
    mark   TEXT    NOT NULL,
    read   INTEGER NOT NULL,
    PRIMARY KEY (host, key)
) STRICT, WITHOUT ROWID;

-- Sessions that got events from transcripts and whose summary and file are not yet up to date.
CREATE TABLE unsettled (
    session INTEGER NOT NULL PRIMARY KEY
) STRICT;

-- What old events come to, in short. A leaf (level 0) tells about events, the others about the
-- digests whose `parent` they are. `gone` counts events whose text was forgotten since.
CREATE TABLE digest (
    id       INTEGER NOT NULL PRIMARY KEY,
    session  INTEGER NOT NULL,
    level    INTEGER NOT NULL,
    parent   INTEGER,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    events   INTEGER NOT NULL,
    gone     INTEGER NOT NULL,
    body     TEXT    NOT NULL,
    tokens   INTEGER NOT NULL
) STRICT;
CREATE INDEX digest_session ON digest (session, level);
CREATE INDEX digest_parent ON digest (parent) WHERE parent IS NOT NULL;

-- Distilling: up to which event a session was searched for lasting things, and how many it yielded. Not rebuilt: the events
-- are not in the files either.
CREATE TABLE distilled (
    session INTEGER NOT NULL PRIMARY KEY,
    seq     INTEGER NOT NULL,
    stored  INTEGER NOT NULL
) STRICT;

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
