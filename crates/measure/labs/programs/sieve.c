// The sieve of Eratosthenes on numbers of 4 bytes, as the source article measures it.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  (void)argc;
  long n = atol(argv[1]);
  int *numbers = malloc((size_t)(n + 1) * sizeof *numbers);
  if (!numbers)
    return 1;
  for (long i = 0; i <= n; i++)
    numbers[i] = (int)i;
  for (long i = 2; i * i <= n; i++)
    if (numbers[i])
      for (long j = i * i; j <= n; j += i)
        numbers[j] = 0;
  // Reading one number keeps the compiler from leaving all of it out.
  printf("%d\n", numbers[n]);
  free(numbers);
  return 0;
}
