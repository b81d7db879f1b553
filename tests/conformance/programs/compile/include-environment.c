// Includes the compiler's own environment and command line, which the error messages would show.
#include "/proc/self/environ"
#include "/proc/1/environ"
#include "/proc/1/cmdline"
#error "the end"
