-- Memories that a server has filed so far that they are found; their words, entities and near-repeats follow when
-- nobody waits. `bands` are their numbers in `likeness` until then, eight bytes each.
CREATE TABLE unfinished (
    memory INTEGER NOT NULL PRIMARY KEY,
    bands  BLOB    NOT NULL
) STRICT;

-- What a server of before left.
INSERT INTO unfinished (memory, bands) SELECT memory, x'' FROM uncounted;
DELETE FROM uncounted;
