//! Traces of fleets: hosts, jobs and what they use.
