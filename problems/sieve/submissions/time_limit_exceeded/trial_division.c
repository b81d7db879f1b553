/* Divides by every smaller number: days for the larger bounds. */
#include <stdio.h>

int main(void) {
    unsigned bound, primes = 0;
    if (scanf("%u", &bound) != 1) {
        return 1;
    }
    for (unsigned number = 2; number <= bound; number++) {
        unsigned divisor = 2;
        while (number % divisor != 0) {
            divisor++;
        }
        primes += divisor == number;
    }
    printf("%u\n", primes);
    return 0;
}
