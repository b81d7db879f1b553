// Multiplies and adds in registers; touches no memory.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  (void)argc;
  unsigned long value = 1;
  for (long left = atol(argv[1]); left > 0; left--)
    value = value * 6364136223846793005UL + 1442695040888963407UL;
  printf("%lu\n", value);
  return 0;
}
