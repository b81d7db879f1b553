// Writes a byte into a pipe of its own and reads it back: two system calls a turn.
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argc;
  int ends[2];
  char byte = 1;
  if (pipe(ends))
    return 1;
  for (long left = atol(argv[1]); left > 0; left--)
    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
      return 1;
  return 0;
}
