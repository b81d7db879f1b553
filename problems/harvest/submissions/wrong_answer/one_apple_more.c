/* Starts with an apple in the basket: always one too many, no points. */
#include <stdio.h>

int main(void) {
    int trees;
    long long with_last = 1, without_last = 1;
    if (scanf("%d", &trees) != 1) {
        return 1;
    }
    while (trees-- > 0) {
        long long weight;
        if (scanf("%lld", &weight) != 1) {
            return 1;
        }
        long long taken = without_last + weight;
        without_last = with_last > without_last ? with_last : without_last;
        with_last = taken;
    }
    printf("%lld\n", with_last > without_last ? with_last : without_last);
    return 0;
}
