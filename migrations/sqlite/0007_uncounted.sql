-- Memories whose words are not in `word` and `near` yet: a server answers first and counts when nobody waits.
CREATE TABLE uncounted (
    memory INTEGER NOT NULL PRIMARY KEY
) STRICT;
