-- The number of the writer, one more at each opening: a writer with a lower number may not write.
CREATE TABLE writer (number INTEGER NOT NULL) STRICT;
INSERT INTO writer VALUES (0);

CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;

CREATE TABLE fence (last INTEGER NOT NULL) STRICT;
INSERT INTO fence VALUES (0);

CREATE TABLE job (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    pool TEXT NOT NULL,
    class INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    owner TEXT NOT NULL,
    tags TEXT NOT NULL, -- a JSON array
    body TEXT NOT NULL,
    not_before_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    host TEXT, -- NULL: no lease
    lease_until_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX job_turn ON job (pool, class, turn, number);
CREATE INDEX job_host ON job (host) WHERE host IS NOT NULL;

CREATE TABLE checkpoint (
    seq INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    hash BLOB NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
