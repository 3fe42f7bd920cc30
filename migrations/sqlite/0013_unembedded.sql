-- Memories that were indexed since somebody last made vectors of the encoder. Whoever has time makes theirs and takes
-- them off; a worker that has made all vectors empties it.
CREATE TABLE unembedded (
    memory INTEGER NOT NULL PRIMARY KEY
) STRICT;
