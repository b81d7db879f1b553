// Adds two arrays of 32 MiB into a third, again and again: as much as the memory gives.
#include <stdio.h>
#include <stdlib.h>
#define COUNT (32 * 1024 * 1024 / sizeof(double))

static double a[COUNT], b[COUNT], c[COUNT];

int main(int argc, char **argv) {
  (void)argc;
  for (unsigned long i = 0; i < COUNT; i++)
    a[i] = (double)i, b[i] = 1.0;
  for (long left = atol(argv[1]); left > 0; left--) {
    for (unsigned long i = 0; i < COUNT; i++)
      c[i] = a[i] + 3.0 * b[i];
    a[left % COUNT] = c[left % COUNT];
  }
  printf("%f\n", c[7]);
  return 0;
}
