#include <stdio.h>

#include "members.h"

int main(void) {
    int requests, refused = 0;
    if (scanf("%d", &requests) != 1) {
        return 1;
    }
    while (requests-- > 0) {
        char verb[16], name[NAME_BYTES], other[NAME_BYTES];
        long long amount;
        if (scanf("%15s %10s", verb, name) != 2) {
            return 1;
        }
        if (verb[0] == 'b') {
            printf("%lld\n", *balance_of(name));
        } else if (verb[0] == 'd' && scanf("%lld", &amount) == 1) {
            *balance_of(name) += amount;
        } else if (scanf("%10s %lld", other, &amount) == 2) {
            if (*balance_of(name) < amount) {
                refused++;
            } else {
                *balance_of(name) -= amount;
                *balance_of(other) += amount;
            }
        }
    }
    printf("refused %d\n", refused);
    return 0;
}
