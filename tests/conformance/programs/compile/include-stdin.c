// Waits for a header from the terminal or from standard input.
#include "/dev/stdin"
#include "/dev/tty"
#error "nothing was read"
