# Exit code 8.

