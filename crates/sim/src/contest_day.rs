//! A contest as a workload of judges.
