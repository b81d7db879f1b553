/*
 * @EXPECTED_SCORE@: 80
 * Adds in 32 bits: loses the two cases with heavy trees.
 */
#include <stdint.h>
#include <stdio.h>

int main(void) {
    int trees;
    uint32_t with_last = 0, without_last = 0;
    if (scanf("%d", &trees) != 1) {
        return 1;
    }
    while (trees-- > 0) {
        uint32_t weight;
        if (scanf("%u", &weight) != 1) {
            return 1;
        }
        uint32_t taken = without_last + weight;
        without_last = with_last > without_last ? with_last : without_last;
        with_last = taken;
    }
    printf("%u\n", with_last > without_last ? with_last : without_last);
    return 0;
}
