-- Transcripts that were read, and digests of what is in them.
-- Events and digests come from hooks and transcripts, not from our files: they cannot be rebuilt
-- from those. Sessions worth keeping are files all the same.

-- How far each transcript was read. `key` is a hash of the path, which `path` shows redacted;
-- `mark` is a hash of what stands at the beginning and before `offset`, by which a file that was
-- replaced is known. In a database `offset` is a time.
CREATE TABLE cursor (
    host   TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    path   TEXT    NOT NULL,
    inode  INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    mtime  INTEGER NOT NULL,
    size   INTEGER NOT NULL,
    mark   TEXT    NOT NULL,
    read   INTEGER NOT NULL,
    PRIMARY KEY (host, key)
) STRICT, WITHOUT ROWID;

-- Sessions that got events from transcripts and whose summary and file are not yet up to date.
CREATE TABLE unsettled (
    session INTEGER NOT NULL PRIMARY KEY
) STRICT;

-- `tier` is what an event is worth: S, M, L or N. `digest` is the leaf that tells about it.
ALTER TABLE event ADD COLUMN tier TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN digest INTEGER;
CREATE INDEX event_record ON event (once);
CREATE INDEX event_time ON event (session, at);
CREATE INDEX event_digest ON event (digest) WHERE digest IS NOT NULL;
CREATE INDEX event_undigested ON event (session) WHERE digest IS NULL AND tier IN ('M', 'L');

-- What old events come to, in short. A leaf (level 0) tells about events, the others about the
-- digests whose `parent` they are. `gone` counts events whose text was forgotten since.
CREATE TABLE digest (
    id       INTEGER NOT NULL PRIMARY KEY,
    session  INTEGER NOT NULL,
    level    INTEGER NOT NULL,
    parent   INTEGER,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    events   INTEGER NOT NULL,
    gone     INTEGER NOT NULL,
    body     TEXT    NOT NULL,
    tokens   INTEGER NOT NULL
) STRICT;
CREATE INDEX digest_session ON digest (session, level);
CREATE INDEX digest_parent ON digest (parent) WHERE parent IS NOT NULL;

-- Distilling: up to which event a session was searched for lasting things, and how many it yielded. Not rebuilt: the events
-- are not in the files either.
CREATE TABLE distilled (
    session INTEGER NOT NULL PRIMARY KEY,
    seq     INTEGER NOT NULL,
    stored  INTEGER NOT NULL
) STRICT;
