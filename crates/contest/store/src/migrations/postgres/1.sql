-- The number of the writer, one more at each opening, and the last event: a writer with a lower number may not write.
CREATE TABLE writer (number BIGINT NOT NULL, head BIGINT NOT NULL);
INSERT INTO writer VALUES (0, 0);

CREATE TABLE event (seq BIGINT PRIMARY KEY, body TEXT NOT NULL);

CREATE SEQUENCE fence;

CREATE TABLE job (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    pool TEXT NOT NULL,
    class SMALLINT NOT NULL,
    turn BIGINT NOT NULL,
    owner TEXT NOT NULL,
    tags TEXT[] NOT NULL,
    body TEXT NOT NULL,
    not_before_ms BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    fence BIGINT NOT NULL DEFAULT 0,
    host TEXT, -- NULL: no lease
    lease_until_ms BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX job_turn ON job (pool, class, turn, number);
CREATE INDEX job_host ON job (host) WHERE host IS NOT NULL;

CREATE TABLE checkpoint (
    seq BIGINT PRIMARY KEY,
    version BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    bytes BYTEA NOT NULL
);

-- Content that is a blob or an upload, in pieces of at most 1 MiB.
CREATE SEQUENCE content;
CREATE TABLE piece (
    content BIGINT NOT NULL,
    start BIGINT NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (content, start)
);
-- What is compressed already would only cost time.
ALTER TABLE piece ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE blob (
    hash BYTEA PRIMARY KEY,
    size BIGINT NOT NULL,
    content BIGINT NOT NULL UNIQUE,
    stored_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE upload (
    id TEXT PRIMARY KEY,
    hash BYTEA, -- NULL: not announced
    size BIGINT NOT NULL,
    received BIGINT NOT NULL DEFAULT 0,
    content BIGINT NOT NULL UNIQUE,
    added_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
