-- The index over the markdown files. Everything here can be rebuilt from them.
-- Released migrations are never edited; later ones only add, so that older binaries keep working.

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

CREATE TABLE tag (
    tag    TEXT    NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (tag, memory)
) STRICT, WITHOUT ROWID;

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
