// Allocates and frees blocks of 16 bytes to 64 KiB in a random order.
#include <stdio.h>
#include <stdlib.h>
#define HELD 4096

static unsigned char *held[HELD];

int main(int argc, char **argv) {
  (void)argc;
  unsigned long random = 7, sum = 0;
  for (long left = atol(argv[1]); left > 0; left--) {
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    unsigned long place = (random >> 33) % HELD;
    unsigned long size = 16UL << ((random >> 50) % 13);
    free(held[place]);
    held[place] = malloc(size);
    if (!held[place])
      return 1;
    held[place][0] = held[place][size - 1] = (unsigned char)left;
    sum += held[(random >> 20) % HELD] != NULL;
  }
  printf("%lu\n", sum);
  return 0;
}
