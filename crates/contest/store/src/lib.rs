//! The event log, jobs and blobs of a server, in SQLite or PostgreSQL.

#![forbid(unsafe_code)]
