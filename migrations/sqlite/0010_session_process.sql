-- The assistant's process that reported a session, by pid, start and the realm in which they mean anything. A server
-- that the same process started belongs to that session, and a session whose process is gone is over. `times` is 2 once
-- two events named the same process: a wrapper that lives for one event is not the assistant. Operational: a lost index
-- loses it, and the next event brings it back.
CREATE TABLE session_process (
    session INTEGER NOT NULL PRIMARY KEY,
    pid     INTEGER NOT NULL,
    start   INTEGER NOT NULL,
    realm   INTEGER NOT NULL,
    times   INTEGER NOT NULL
) STRICT;
CREATE INDEX session_process_pid ON session_process (pid);
