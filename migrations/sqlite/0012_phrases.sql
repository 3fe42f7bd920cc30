-- Questions after which a memory was opened, rated helpful or stored again: other words for it. Made from
-- `phrases.jsonl`. `filed` is 1 for those that are in the index, 2 for those in it that are to go.
CREATE TABLE phrase (
    seq    INTEGER PRIMARY KEY,
    memory BLOB    NOT NULL,
    phrase TEXT    NOT NULL,
    filed  INTEGER NOT NULL
) STRICT;

CREATE INDEX phrase_memory ON phrase (memory);

-- The last question of each caller and the ids of what it found, for some minutes; a lost index forgets it.
CREATE TABLE question (
    caller TEXT    PRIMARY KEY,
    at     INTEGER NOT NULL,
    asked  TEXT    NOT NULL,
    found  BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- Memories for which an assistant was asked to write phrases; each once.
CREATE TABLE phrase_wanted (
    memory BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
