-- Which folders were seen as which project, so that a folder that is gone, was moved or got another remote is still
-- known. Learned from folders while they exist; a lost index forgets it. `git` is 1 for the root of a repository or
-- worktree, `mark` the beginning of its root commit, `told` 1 once a session was told of a likely predecessor.
CREATE TABLE project_place (
    path TEXT    NOT NULL,
    key  TEXT    NOT NULL,
    git  INTEGER NOT NULL,
    mark TEXT    NOT NULL,
    seen INTEGER NOT NULL,
    told INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (path, key)
) STRICT, WITHOUT ROWID;

-- What sessions of before know.
INSERT OR IGNORE INTO project_place (path, key, git, mark, seen)
SELECT json_extract(s.doc, '$.folder'), p.key, 0, '', max(s.seen)
FROM session s JOIN project p ON p.num = s.project
WHERE json_valid(s.doc) AND json_extract(s.doc, '$.folder') LIKE '/%'
    AND instr(json_extract(s.doc, '$.folder'), '[REDACTED') = 0
GROUP BY 1, 2;
