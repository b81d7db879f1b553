/* Keeps one byte for every odd number, 10 MB, on the stack: it may be as large as the memory limit. */
#include <stdio.h>
#include <string.h>

static unsigned count_primes(unsigned bound) {
    unsigned char composite[bound / 2 + 1];
    unsigned primes = bound >= 2;
    memset(composite, 0, sizeof composite);
    for (unsigned number = 3; number <= bound; number += 2) {
        if (composite[number / 2]) {
            continue;
        }
        primes++;
        for (unsigned long long multiple = (unsigned long long)number * number; multiple <= bound;
             multiple += 2 * number) {
            composite[multiple / 2] = 1;
        }
    }
    return primes;
}

int main(void) {
    unsigned bound;
    if (scanf("%u", &bound) != 1) {
        return 1;
    }
    printf("%u\n", count_primes(bound));
    return 0;
}
