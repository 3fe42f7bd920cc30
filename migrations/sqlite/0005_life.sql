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

-- Changing a memory takes its tags out first; without this that reads every tag of every memory.
CREATE INDEX tag_memory ON tag (memory);

-- What is indexed already has no rows above: have it indexed again.
UPDATE meta SET value = '0 outdated' WHERE key = 'built';
