/* Counts 1 as a prime. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    unsigned bound, primes = 0;
    if (scanf("%u", &bound) != 1) {
        return 1;
    }
    unsigned char *composite = calloc(bound + 1u, 1);
    if (composite == NULL) {
        return 1;
    }
    for (unsigned number = 1; number <= bound; number++) {
        if (composite[number]) {
            continue;
        }
        primes++;
        for (unsigned long long multiple = (unsigned long long)number * number; number > 1 && multiple <= bound;
             multiple += number) {
            composite[multiple] = 1;
        }
    }
    printf("%u\n", primes);
    free(composite);
    return 0;
}
