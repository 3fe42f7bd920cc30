-- Transcripts that were read, and summaries of what is in them.

-- Distilling: up to which event a session was searched for lasting things. Not rebuilt: the events
-- are not in the files either.
CREATE TABLE distilled (
    session INTEGER NOT NULL PRIMARY KEY,
    seq     INTEGER NOT NULL
) STRICT;
