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
INSERT INTO chunk_mark (chunk, mark) SELECT id, 0 FROM chunk;

-- With the project at hand, what stands in one is found without reading the memories of all others.
DROP INDEX memory_standing;
CREATE INDEX memory_standing ON memory (kind, status, updated, project);
