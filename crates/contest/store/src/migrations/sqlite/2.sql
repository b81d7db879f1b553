-- The hash of each event, which covers the one before it: what was changed since it was written is found.
ALTER TABLE event ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
-- The last event that was written: a log that lost its end is found.
ALTER TABLE writer ADD COLUMN head INTEGER NOT NULL DEFAULT 0;
UPDATE writer SET head = (SELECT coalesce(max(seq), 0) FROM event);
