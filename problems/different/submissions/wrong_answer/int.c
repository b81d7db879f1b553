/* Keeps the lower 32 bits only. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long long a, b;
    while (scanf("%lld %lld", &a, &b) == 2) {
        unsigned low = (unsigned)a - (unsigned)b;
        printf("%d\n", (int)(low >> 31 ? 0 - low : low));
    }
    return 0;
}
