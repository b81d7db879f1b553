-- Where servers that follow the log reach the one that writes, and the secret by which it knows them.
ALTER TABLE writer ADD COLUMN address TEXT, ADD COLUMN secret TEXT;
