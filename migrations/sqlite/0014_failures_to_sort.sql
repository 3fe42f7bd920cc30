-- Earlier versions made a memory of every failure and of every fix. The next worker archives those that cost nothing
-- and did not come back, and removes this note; the rows of failures stay. An index that is made anew never has the
-- note: what a user brought back after that stays.
INSERT OR IGNORE INTO meta (key, value)
SELECT 'failures_to_sort', '1'
WHERE EXISTS (SELECT 1 FROM memory WHERE kind IN ('failure', 'fix') AND origin = 'tool');
