-- Memories that were indexed since somebody last made vectors of the encoder. The next command embeds some and
-- removes them here; a worker that has made all vectors empties the table.
CREATE TABLE unembedded (
    memory INTEGER NOT NULL PRIMARY KEY
) STRICT;
