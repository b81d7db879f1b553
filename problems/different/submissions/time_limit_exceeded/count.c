/* Walks from one reading to the other; centuries for the longer ways. */
#include <stdio.h>

int main(void) {
    long long a, b;
    while (scanf("%lld %lld", &a, &b) == 2) {
        volatile long long steps = 0;
        while (a != b) {
            a += a < b ? 1 : -1;
            steps++;
        }
        printf("%lld\n", (long long)steps);
    }
    return 0;
}
