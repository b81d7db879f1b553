//! Taking part in a contest.
