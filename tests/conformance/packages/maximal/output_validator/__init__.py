# Sorts first and must not be what runs: it would be a judging error.
