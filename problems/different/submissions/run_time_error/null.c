/* Right until the first negative reading; then writes through a null pointer. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long long a, b;
    while (scanf("%lld %lld", &a, &b) == 2) {
        if (a < 0) {
            *(volatile int *)NULL = 1;
        }
        printf("%lld\n", llabs(a - b));
    }
    return 0;
}
