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
