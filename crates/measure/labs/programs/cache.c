// Walks a random cycle through 512 KiB, which the second cache holds and the first does not.
#include <stdio.h>
#include <stdlib.h>
#define WORDS (512 * 1024 / sizeof(unsigned))

static unsigned next[WORDS];

int main(int argc, char **argv) {
  (void)argc;
  unsigned long random = 42;
  for (unsigned i = 0; i < WORDS; i++)
    next[i] = i;
  // Sattolo's shuffle makes one cycle of all places.
  for (unsigned i = WORDS - 1; i > 0; i--) {
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    unsigned j = (unsigned)((random >> 33) % i), kept = next[i];
    next[i] = next[j];
    next[j] = kept;
  }
  unsigned at = 0;
  for (long left = atol(argv[1]); left > 0; left--)
    at = next[at];
  printf("%u\n", at);
  return 0;
}
