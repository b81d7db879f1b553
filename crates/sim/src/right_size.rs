//! How many cores a service needs for its latency goal.
