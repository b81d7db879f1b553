-- Whose an upload is. Those of before belong to nobody, and end by themselves.
ALTER TABLE upload ADD COLUMN owner TEXT NOT NULL DEFAULT '';
