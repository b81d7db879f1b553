// Walks a random cycle through 64 MiB: each step waits for the memory.
#include <stdio.h>
#include <stdlib.h>
#define WORDS (64u * 1024 * 1024 / sizeof(unsigned))

static unsigned next[WORDS];

int main(int argc, char **argv) {
  (void)argc;
  // A congruential generator of full period visits every place once, in no order that a prefetcher knows.
  for (unsigned i = 0; i < WORDS; i++)
    next[i] = (i * 1103515245u + 12345u) & (WORDS - 1);
  unsigned at = 0;
  for (long left = atol(argv[1]); left > 0; left--)
    at = next[at];
  printf("%u\n", at);
  return 0;
}
