/* Hostile: touches 1 GiB, four times the memory limit. Accepted if it gets it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20, CHUNKS = 1024 };

int main(void) {
    unsigned long sum = 0;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        unsigned char *block = malloc(CHUNK_BYTES);
        if (block == NULL) {
            return 1;
        }
        memset(block, chunk | 1, CHUNK_BYTES);
        sum += block[(chunk * 4099) % CHUNK_BYTES];
    }
    long long a, b;
    while (sum > 0 && scanf("%lld %lld", &a, &b) == 2) {
        printf("%lld\n", llabs(a - b));
    }
    return 0;
}
