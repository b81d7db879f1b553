/* One sounding at half the depth, then ends with exit code 0. */
#include <stdio.h>

int main(void) {
    long long bound;
    if (scanf("%lld", &bound) == 1) {
        printf("%lld\n", (bound + 1) / 2);
    }
    return 0;
}
