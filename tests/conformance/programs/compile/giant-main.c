// The shortest way to a sixteen gibibyte program.
main[-1u] = {1};
