/* The table ends at one million; beyond it lies memory that is not there. */
#include <stdio.h>

enum { NUMBERS = 1000001 };

static unsigned char composite[NUMBERS];

int main(void) {
    unsigned bound, primes = 0;
    if (scanf("%u", &bound) != 1) {
        return 1;
    }
    for (unsigned number = 2; number <= bound; number++) {
        if (composite[number]) {
            continue;
        }
        primes++;
        for (unsigned long long multiple = (unsigned long long)number * number; multiple <= bound; multiple += number) {
            composite[multiple] = 1;
        }
    }
    printf("%u\n", primes);
    return 0;
}
