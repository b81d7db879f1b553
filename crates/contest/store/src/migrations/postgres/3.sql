-- The hash of each event, which covers the one before it: what was changed since it was written is found.
ALTER TABLE event ADD COLUMN hash BYTEA NOT NULL DEFAULT '';
